//! Critical sections: cells that are locks because of how the unrolled program uses them.
//!
//! A cell is a lock if it is free initially, all its writes write constants, and
//!
//! * a write of another value than the free one is part of a step that reads the cell first: it *acquires*
//!   the lock if it finds it free, and changes nothing about who holds it otherwise;
//! * a write of the free value *releases* the lock, and its thread holds it whenever that happens.
//!
//! Then in every run acquiring and releasing alternate, and each release is that of the last acquisition. For
//! as long as the lock is held nobody acquires it, and a thread that does not hold it does not release it. So
//! sections never overlap, which `order/search/` uses. That a thread holds the lock is said in gates along
//! its program order; where they do not simplify to what is wanted, the solver is asked, without regard to
//! the order of events.
//!
//! All this is so for the writes of one unrolling: at a greater bound there may be others.

use std::collections::BTreeMap;

use crate::budget::Stop;
use crate::order::CellId;
use crate::program::ThreadId;
use crate::sat::{Answer, Lit};
use crate::term::TermId;

use super::super::encode::{Encoding, Formula};
use super::super::unroll::guard::exclusive;
use super::super::unroll::{Access, Unroller, Unrolling};

/// How many writes of its thread after an acquisition are looked at for its release.
const WRITES: usize = 16;

/// A critical section, by the positions of its events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The lock.
    pub cell: CellId,
    /// Where it is acquired.
    pub acquire: usize,
    /// That it is.
    pub begun: Lit,
    /// Where the section may end, each with the literal that it ends there.
    pub ends: Vec<(usize, Lit)>,
}

/// A write of a lock.
#[derive(Clone, Copy, Debug)]
struct Write {
    event: usize,
    guard: TermId,
    kind: LockUse,
    /// That it acquires or releases the lock.
    happens: Lit,
}

/// What a write does to a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LockUse {
    Acquire,
    Release,
}

/// The critical sections of an unrolling.
///
/// # Errors
/// If the budget ends.
pub fn sections(
    formula: &mut Formula,
    unroller: &mut Unroller<'_>,
    unrolling: &Unrolling,
    encoding: &Encoding,
) -> Result<Vec<Section>, Stop> {
    let mut found = Vec::new();
    for (cell, writes) in writes(unrolling) {
        if let Some(threads) = of_lock(formula, unroller, unrolling, encoding, cell, &writes)
            && is_held(formula, encoding, &threads)?
        {
            for writes in threads.values() {
                found.extend(of_thread(formula, unroller, cell, writes));
            }
        }
    }
    Ok(found)
}

/// The writes of each cell, by event and position.
fn writes(unrolling: &Unrolling) -> BTreeMap<CellId, Vec<(usize, usize)>> {
    let mut writes: BTreeMap<CellId, Vec<(usize, usize)>> = BTreeMap::new();
    for (event, it) in unrolling.events.iter().enumerate() {
        for (position, write) in it.writes.iter().enumerate() {
            writes.entry(write.cell).or_default().push((event, position));
        }
    }
    writes
}

/// The writes of a cell by thread, in program order, if their values are those of a lock.
fn of_lock(
    formula: &mut Formula,
    unroller: &mut Unroller<'_>,
    unrolling: &Unrolling,
    encoding: &Encoding,
    cell: CellId,
    writes: &[(usize, usize)],
) -> Option<BTreeMap<ThreadId, Vec<Write>>> {
    let free = unroller.initial_value(cell);
    unroller.pool.as_const(free)?;
    let mut threads: BTreeMap<ThreadId, Vec<Write>> = BTreeMap::new();
    let mut is_acquired = false;
    for &(event, position) in writes {
        let (it, literal) = (&unrolling.events[event], encoding.events[event].writes[position]);
        let write = &it.writes[position];
        unroller.pool.as_const(write.value)?;
        let (kind, happens) = if write.value == free {
            (LockUse::Release, literal)
        } else {
            // A read that is not made says nothing about the lock.
            let is_made = |read: &&Access| unroller.names().implies(&unroller.pool, write.guard, read.guard);
            let read = it.reads.iter().find(|read| read.cell == cell).filter(is_made)?;
            let was_free = unroller.pool.eq(read.value, free);
            let was_free = formula.literal(&unroller.pool, was_free);
            is_acquired = true;
            (LockUse::Acquire, formula.gates().and(literal, was_free))
        };
        threads.entry(it.thread).or_default().push(Write { event, guard: write.guard, kind, happens });
    }
    is_acquired.then_some(threads)
}

/// Whether threads release only what they hold.
fn is_held(
    formula: &mut Formula,
    encoding: &Encoding,
    threads: &BTreeMap<ThreadId, Vec<Write>>,
) -> Result<bool, Stop> {
    let mut wrong = Vec::new();
    for writes in threads.values() {
        let mut held = Lit::FALSE;
        for write in writes {
            let gates = formula.gates();
            held = match write.kind {
                LockUse::Acquire => gates.or(held, write.happens),
                LockUse::Release => {
                    wrong.push(gates.and(write.happens, !held));
                    gates.and(held, !write.happens)
                }
            };
        }
    }
    let wrong = formula.gates().any(&wrong);
    if let Some(wrong) = wrong.as_constant() {
        return Ok(!wrong);
    }
    match formula.solver().solve(&[encoding.active, wrong]) {
        Answer::Sat => Ok(false),
        Answer::Unsat(_) => Ok(true),
        Answer::Unknown(stop) => Err(stop),
    }
}

/// The sections of a thread.
fn of_thread(formula: &mut Formula, unroller: &Unroller<'_>, cell: CellId, writes: &[Write]) -> Vec<Section> {
    let (pool, names) = (&unroller.pool, unroller.names());
    let mut sections = Vec::new();
    for (at, acquire) in writes.iter().enumerate().filter(|(_, write)| write.kind == LockUse::Acquire) {
        let mut section = Section { cell, acquire: acquire.event, begun: acquire.happens, ends: Vec::new() };
        // The section goes on, if none of these writes has ended it.
        let (mut lasts, mut ending): (Lit, Vec<TermId>) = (acquire.happens, Vec::new());
        for write in writes[at + 1..].iter().take(WRITES).filter(|write| write.kind == LockUse::Release) {
            let is_late = ending.iter().any(|&end| names.implies(pool, write.guard, end));
            if is_late || exclusive(pool, acquire.guard, write.guard) {
                continue;
            }
            let ends = formula.gates().and(lasts, write.happens);
            lasts = formula.gates().and(lasts, !write.happens);
            if ends != Lit::FALSE {
                section.ends.push((write.event, ends));
                ending.push(write.guard);
            }
            if lasts == Lit::FALSE {
                break;
            }
        }
        sections.push(section);
    }
    sections
}
