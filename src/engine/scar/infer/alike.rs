//! Threads that are alike begin in the order of the program.
//!
//! Every run has a twin in which threads of a group have changed places, and in one of these twins the first
//! events of the group come one after the other as in the program's text. So it is enough to look for that
//! one: of `n!` orders one is left. Nothing else is assumed of memory models than that the events of a run
//! have an order.
//!
//! The first event must happen whatever its thread reads, or else it would have to be said what precedes what
//! does not happen.

use crate::program::ThreadId;
use crate::program::symmetry::{Group, Member};
use crate::term::Pool;

use super::super::unroll::{Event, Unrolling};

/// Events of which each comes before the next, by position, two at a time.
pub fn in_turn(pool: &Pool, unrolling: &Unrolling, groups: &[Group]) -> Vec<(usize, usize)> {
    let of = |thread: ThreadId| {
        unrolling.events.iter().enumerate().filter(move |(_, event)| event.thread == thread)
    };
    let shape = |event: &Event| (event.reads.len(), event.writes.len(), event.barrier);
    let mut orders = Vec::new();
    for group in groups {
        let first = |member: &Member| of(member.thread).next();
        let firsts: Option<Vec<(usize, &Event)>> = group.members.iter().map(first).collect();
        let Some(firsts) = firsts else { continue };
        let same = |&(_, event): &(usize, &Event)| {
            pool.as_bool(event.guard) == Some(true)
                && shape(event) == shape(firsts[0].1)
                && of(event.thread).count() == of(firsts[0].1.thread).count()
        };
        if firsts.iter().all(same) {
            orders.extend(firsts.windows(2).map(|pair| (pair[0].0, pair[1].0)));
        }
    }
    orders
}
