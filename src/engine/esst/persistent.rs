//! Algorithm 1: persistent sets.
//!
//! A set of threads that may go next is persistent if nothing that the other threads can do before one of it
//! goes conflicts with the next blocks of the set. What they can do is found by a fixed point: the next
//! blocks of those that may go next, as they are now; and, where these may go next once more, or where
//! somebody else outside writes a part of the scheduler's state that such a block touches or waits for behind
//! its end, or that a thread waits for which may not go next, all that is still to come of that thread. That
//! no instant, delta cycle or time begins meanwhile is the scheduler's promise: it waits for all that may go
//! next. Where there is a conflict the set grows: by the thread itself, or by those that would let it go on.
//!
//! The set depends on locations and the state of the scheduler alone, so that a node and its coverer have the
//! same. The smallest one is found by beginning with each thread. The paper takes all blocks of a program
//! that conflict with one another.

use std::collections::BTreeSet;

use super::block::Block;
use super::forest::Control;
use super::touch::{Cell, Touch};
use crate::program::ThreadId;
use crate::scheduler::{Resource, Scheduler};

/// What the threads are about to do at a control where nobody runs.
pub(super) struct Field<'a> {
    control: &'a Control,
    /// For each location, what its thread may touch from there on.
    futures: &'a [Touch],
    enabled: &'a [ThreadId],
    /// The next block of each of these.
    blocks: &'a [Block],
    /// For each thread, the parts of the scheduler's state that decide how it goes on.
    triggers: Vec<BTreeSet<Resource>>,
}

impl<'a> Field<'a> {
    pub fn new(
        scheduler: &dyn Scheduler,
        control: &'a Control,
        futures: &'a [Touch],
        enabled: &'a [ThreadId],
        blocks: &'a [Block],
    ) -> Field<'a> {
        let trigger = |thread: ThreadId| match enabled.iter().position(|&other| other == thread) {
            Some(at) => {
                let touched = blocks[at].touches.reads.iter().chain(&blocks[at].touches.writes);
                let parts = touched.filter_map(|cell| match cell {
                    Cell::Part(part) => Some(*part),
                    Cell::Var(_) => None,
                });
                parts.chain(blocks[at].awaits.iter().copied()).collect()
            }
            None => scheduler.awaits(&control.scheduler, thread).into_iter().collect(),
        };
        let triggers = (0..control.locations.len()).map(ThreadId::new).map(trigger).collect();
        Field { control, futures, enabled, blocks, triggers }
    }

    /// The positions of the smallest persistent set that is not all.
    pub fn persistent(&self) -> Option<Vec<u32>> {
        let sets = (0..self.enabled.len()).filter_map(|first| self.closure(first));
        let smallest = sets.min_by_key(BTreeSet::len).filter(|set| set.len() < self.enabled.len())?;
        Some(smallest.into_iter().map(|at| at as u32).collect())
    }

    /// The smallest persistent set with a thread in it, by positions; none if some block of it may never end.
    fn closure(&self, first: usize) -> Option<BTreeSet<usize>> {
        let mut set = BTreeSet::from([first]);
        loop {
            if set.iter().any(|&at| !self.blocks[at].ends) {
                return None;
            }
            let reach = self.reach(&set);
            let conflicts =
                |thread: usize| set.iter().any(|&at| self.blocks[at].touches.conflicts(&reach[thread]));
            let Some(thread) = (0..reach.len()).find(|&thread| conflicts(thread)) else { return Some(set) };
            let before = set.len();
            match self.enabled.iter().position(|other| other.index() == thread) {
                Some(at) => {
                    set.insert(at);
                }
                None => set.extend(
                    (0..self.enabled.len())
                        .filter(|&at| writes(&reach[self.enabled[at].index()], &self.triggers[thread])),
                ),
            }
            if set.len() == before {
                return None;
            }
        }
    }

    /// For each thread, what it may touch before a thread of a set goes; nothing for those of the set.
    fn reach(&self, set: &BTreeSet<usize>) -> Vec<Touch> {
        let mut reach = vec![Touch::default(); self.triggers.len()];
        let inside = |thread: usize| set.iter().any(|&at| self.enabled[at].index() == thread);
        for (at, thread) in self.enabled.iter().enumerate().filter(|(at, _)| !set.contains(at)) {
            reach[thread.index()].clone_from(&self.blocks[at].touches);
        }
        let mut whole = vec![false; reach.len()];
        let again = |thread: usize| {
            let at = self.enabled.iter().position(|other| other.index() == thread);
            at.is_some_and(|at| self.blocks[at].goes_on)
        };
        loop {
            let goes_on = |thread: usize| {
                let others = reach.iter().enumerate().filter(|(other, _)| *other != thread);
                others.map(|(_, touch)| touch).any(|touch| writes(touch, &self.triggers[thread]))
            };
            let next = (0..reach.len()).find(|&at| !whole[at] && !inside(at) && (again(at) || goes_on(at)));
            let Some(thread) = next else { return reach };
            whole[thread] = true;
            let future = &self.futures[self.control.locations[thread].index()];
            reach[thread].add(future);
        }
    }
}

/// Whether one of some parts may be written.
fn writes(touch: &Touch, parts: &BTreeSet<Resource>) -> bool {
    touch.everything || parts.iter().any(|&part| touch.writes.contains(&Cell::Part(part)))
}
