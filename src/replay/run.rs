//! A run as it happened: what each move read and wrote, where values came from, every state on the way.
//!
//! Only the interpreter makes a [`Run`], and it checks that each move is possible, so a run is proof that its
//! trace is real. Reports are made from it.

use std::collections::BTreeMap;
use std::fmt;

use crate::program::{AssertionId, Lanes, LocId, Mark, Program, ThreadId, TransId};
use crate::scheduler::Misuse;
use crate::term::{Datum, VarId};

use super::semantics::State;

/// A scalar variable (`None`) or an element of an array variable.
pub type Cell = (VarId, Option<u32>);

/// A run that was followed to the end of its trace.
#[derive(Clone, Debug)]
pub struct Run {
    /// The moves with what they did.
    pub steps: Vec<RunStep>,
    /// The state before each step, and after the last: one more than there are steps.
    /// A buffered write comes with the index of the step that made it.
    pub states: Vec<State<usize>>,
    /// Who holds which locks in each of these states.
    pub locks: Vec<Locks>,
}

/// One move of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunStep {
    /// Who moved; for a flush, whose buffer it was; for a decision of the scheduler, who goes next.
    pub thread: ThreadId,
    /// What kind of move.
    pub done: Done,
    /// The variables read, shared and private, in order of their ids and elements, with the values the thread
    /// saw.
    pub reads: Vec<ReadValue>,
    /// What was written, in the order of the updates; for a flush, what reached memory.
    pub writes: Vec<WrittenValue>,
    /// The values of the inputs that occur in the transition.
    pub inputs: Vec<(VarId, Datum)>,
    /// The locks and condition variables that its events are about: which event, and the name of the object.
    pub objects: Vec<(usize, String)>,
    /// How the transition misused a primitive of the scheduler, if it did.
    pub misuse: Option<Misuse>,
}

/// The kinds of moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Done {
    /// The thread took this transition.
    Step(TransId),
    /// The scheduler let the thread go on, or begin.
    Schedule,
    /// A write reached memory that this earlier step had buffered.
    Flush {
        /// Index of that step in [`Run::steps`].
        buffered: usize,
    },
}

/// A value that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadValue {
    /// The variable.
    pub var: VarId,
    /// The element, if the variable is an array.
    pub element: Option<u32>,
    /// The value.
    pub value: Datum,
    /// Where it came from.
    pub source: Source,
}

/// Where a value came from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// It was there initially.
    Initial,
    /// This step wrote it, and it had reached memory (always so for private variables).
    Memory(usize),
    /// This step of the same thread wrote it, and it was still in the thread's store buffer.
    Buffer(usize),
}

/// A value that was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenValue {
    /// The variable.
    pub var: VarId,
    /// The element, if the variable is an array.
    pub element: Option<u32>,
    /// The bytes of it that are written.
    pub lanes: Lanes,
    /// The value; what it has in other bytes does not matter.
    pub value: Datum,
    /// Whether it went to the thread's store buffer; otherwise it is in memory now.
    pub buffered: bool,
}

/// Who holds which lock, by the lock's name; a recursive lock once for each time it
/// was acquired.
pub type Locks = BTreeMap<String, Vec<ThreadId>>;

/// Why a trace is not a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunError {
    /// The move that cannot be made, counted from 0; `None` if the initial values are at fault.
    pub step: Option<usize>,
    /// What is wrong with it.
    pub cause: Cause,
}

/// What is wrong with a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The program has no such transition, thread or variable.
    NoSuchThing,
    /// The thread is not at the transition's start but here.
    Elsewhere(LocId),
    /// The guard does not hold.
    GuardFails,
    /// The guard holds, but signed arithmetic of the transition overflows.
    Overflows,
    /// This other thread stands at an atomic location.
    Excluded(ThreadId),
    /// The scheduler has not let this thread run.
    NotRunning,
    /// A thread runs, or the scheduler has no such choice.
    NotNext,
    /// The transition needs an empty store buffer.
    BufferNotEmpty,
    /// The thread's store buffer does not allow this flush.
    NotFlushable,
    /// An earlier move ended the run, at this location.
    Ended(LocId),
    /// The value given for this variable is not one of its sort, or the variable's value is not free here.
    BadValue(VarId),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(step) => write!(f, "move {step} of the trace is not possible: ")?,
            None => write!(f, "the initial values of the trace are not possible: ")?,
        }
        match self.cause {
            Cause::NoSuchThing => write!(f, "the program has no such transition, thread or variable"),
            Cause::Elsewhere(at) => write!(f, "the thread is at L{}", at.index()),
            Cause::GuardFails => write!(f, "the guard does not hold"),
            Cause::Overflows => write!(f, "signed arithmetic overflows"),
            Cause::Excluded(by) => write!(f, "thread {} is in an atomic section", by.index()),
            Cause::NotRunning => write!(f, "it is not the thread's turn"),
            Cause::NotNext => write!(f, "the scheduler cannot decide so now"),
            Cause::BufferNotEmpty => write!(f, "the store buffer is not empty"),
            Cause::NotFlushable => write!(f, "the store buffer does not allow this flush"),
            Cause::Ended(at) => write!(f, "the run has ended at L{}", at.index()),
            Cause::BadValue(var) => write!(f, "variable {} cannot have the value given", var.index()),
        }
    }
}

impl std::error::Error for RunError {}

impl Run {
    /// The state after the last move.
    pub fn last(&self) -> &State<usize> {
        self.states.last().expect("a run has an initial state")
    }

    /// The assertion that the run violates.
    pub fn violation(&self, program: &Program) -> Option<AssertionId> {
        self.last().locations.iter().find_map(|&location| match program.location(location).mark {
            Some(Mark::Error(assertion)) => Some(assertion),
            _ => None,
        })
    }
}
