//! What unrolling makes of a program: blocks of steps, the events in which they meet the memory, and the
//! goals.
//!
//! All conditions are terms over the values that reads return, inputs and open choices. A [`Block`] is what a
//! thread does without anybody in between: one transition, or an atomic section. It enters the event order
//! graph as one [`Event`], or under a model with store buffers as one for its reads and one for each store.

use crate::order::{CellId, Step};
use crate::program::{AssertionId, Barrier, LocId, ThreadId, TransId};
use crate::term::{TermId, VarId};

use super::loops::LoopId;

/// A number that stands for the same point, event or choice at every bound.
pub type Stable = u32;

/// Threads, unrolled.
#[derive(Debug, Default)]
pub struct Unrolling {
    /// In program order for each thread.
    pub blocks: Vec<Block>,
    /// In program order for each thread.
    pub events: Vec<Event>,
    /// What may be reached.
    pub goals: Vec<Goal>,
    /// Variables that stand for reads that never happen; terms may mention them all the same.
    pub unread: Vec<VarId>,
}

impl Unrolling {
    /// Number of reads and writes.
    pub fn accesses(&self) -> u64 {
        self.events.iter().map(|event| event.reads.len() + event.writes.len()).sum::<usize>() as u64
    }
}

/// Steps of one thread with nothing of others in between.
#[derive(Debug)]
pub struct Block {
    /// Whose.
    pub thread: ThreadId,
    /// In execution order.
    pub steps: Vec<Taken>,
    /// That the block is executed to its end. One that is not (an atomic section in which the thread is
    /// stuck) has no effect, except that it may contain the violation.
    pub complete: TermId,
}

/// A transition at a point.
#[derive(Clone, Debug)]
pub struct Taken {
    /// Which.
    pub transition: TransId,
    /// That it is taken, unless its block is not complete.
    pub condition: TermId,
    /// The program's inputs and the variables that stand for them here.
    pub inputs: Vec<(VarId, VarId)>,
    /// In an atomic section under a model with store buffers: what goes to the buffer, each with its
    /// condition. It may as well leave the buffer at once, since nobody can tell before the section ends.
    pub buffered: Vec<(Vec<CellId>, TermId)>,
}

/// A node of the event order graph, if its guard holds.
#[derive(Debug)]
pub struct Event {
    /// What it belongs to.
    pub block: usize,
    /// Whose.
    pub thread: ThreadId,
    /// That it happens.
    pub guard: TermId,
    /// Cells that are read, each once.
    pub reads: Vec<Access>,
    /// Cells that are written, each once; after the reads.
    pub writes: Vec<Access>,
    /// What it asks of the store buffer.
    pub barrier: Barrier,
}

impl Event {
    /// The event as a step that does everything it may do.
    pub fn full_step(&self) -> Step {
        let cells = |accesses: &[Access]| accesses.iter().map(|access| access.cell).collect::<Vec<CellId>>();
        let step = match self.reads.is_empty() && self.writes.is_empty() {
            true => Step::fence(self.thread, self.barrier),
            false => Step::indivisible(self.thread, cells(&self.reads), cells(&self.writes)),
        };
        match self.barrier {
            Barrier::Full => step.with_full_barrier(),
            _ if self.is_store() => step.buffered(),
            _ => step,
        }
    }

    /// Whether it does nothing but write, without a barrier: what a store buffer holds.
    pub fn is_store(&self) -> bool {
        self.barrier == Barrier::None && self.reads.is_empty() && !self.writes.is_empty()
    }
}

/// A read or write of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The same access at every bound.
    pub name: Stable,
    /// The cell.
    pub cell: CellId,
    /// That it happens; implies the event's guard.
    pub guard: TermId,
    /// The value read or written, if it happens.
    pub value: TermId,
}

/// Something whose reachability matters.
#[derive(Debug)]
pub struct Goal {
    /// What.
    pub target: Target,
    /// That it is reached.
    pub condition: TermId,
}

/// What a goal is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    /// A violated assertion.
    Violation(AssertionId),
    /// A marked location beyond which the program's meaning is not known.
    Mark(LocId),
    /// One round more of a loop than the bound allows.
    Loop(LoopId),
}
