//! A violating run told in terms of the source: who did what, at which line, with which values.
//!
//! A replayed [`Run`](crate::replay::Run) knows every value; a transition's events know what it was in C. Put
//! together they give a list of [`Line`]s: one thread, one source line, and what it did there ([`Deed`]s).
//! Consecutive deeds of a thread at one line share a line until one of them repeats, as in a loop that spins.
//!
//! A transition may be composed of several steps of the source. Its values are those before and after the
//! whole, so a place that it writes is not shown as read afterwards, and of several writes to a place only
//! the last is shown. After each line the state is known as well (`scene.rs`): values, owners of locks,
//! contents of store buffers. In a cooperative program it is also told when it is, who waits for what, and
//! who woke whom (`turns.rs`).

use super::scene::{Held, Pending, Scene, Watched};
use super::turns::Round;
use crate::program::{AssertionKind, Audience, MemoryModel, MemoryOrder, Policy};
use crate::replay::Cell;

/// A counterexample. Threads are indices into `threads`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// The memory model of the run.
    pub model: MemoryModel,
    /// The names of all threads of the program.
    pub threads: Vec<String>,
    /// The variables that the run uses, with their initial values.
    pub watched: Vec<Watched>,
    /// What went wrong.
    pub violated: Violated,
    /// What happened, in execution order.
    pub lines: Vec<Line>,
    /// Whether steps may be missing that the engine found irrelevant.
    pub reduced: bool,
    /// Number of steps of the whole run, also of those not told.
    pub steps: usize,
    /// How often another thread went on in the whole run.
    pub switches: usize,
    /// The locks that are held at the end.
    pub locks: Vec<Held>,
    /// The writes that have not reached memory at the end.
    pub pending: Vec<Pending>,
    /// The policy by which threads of a cooperative program have their turns.
    pub policy: Option<Policy>,
    /// In a cooperative program: who waits at the end, and what for.
    pub waiting: Vec<(usize, String)>,
}

/// What a run ends in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// A violated property.
    Violation(AssertionKind),
    /// Undefined behaviour.
    Undefined,
}

/// The violated assertion, or what is undefined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violated {
    /// Its condition, or the call that must not be reached.
    pub text: String,
    /// What kind of trouble it is.
    pub kind: Trouble,
    /// Where it is.
    pub place: Option<SourcePlace>,
    /// Who violated it.
    pub thread: usize,
    /// The values that decided: names and values.
    pub values: Vec<(String, String)>,
}

/// A source line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourcePlace {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
    /// The text of the line without leading blanks; empty if unknown.
    pub text: String,
}

/// What a thread did at a source line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Who.
    pub thread: usize,
    /// Where; nowhere for a write that reaches memory.
    pub place: Option<SourcePlace>,
    /// What, in order.
    pub deeds: Vec<Deed>,
    /// For each deed, where in the run it happened.
    pub(super) accesses: Vec<Access>,
    /// In a cooperative program: what the scheduler did just before, if there is something to tell.
    pub round: Option<Round>,
    /// The state when all that was done.
    pub after: Scene,
}

/// Where in a run a deed happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Access {
    /// Index of the step.
    pub step: usize,
    /// Index of the step that read, if that was an earlier one of the same indivisible operation.
    pub read: usize,
    /// What it accessed.
    pub cell: Option<Cell>,
}

/// A thing done. Names and values are texts for people.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields are named after what they are")]
pub enum Deed {
    /// A shared place was read.
    Read { name: String, value: String, source: ValueSource, order: Option<MemoryOrder> },
    /// A shared place was written; a buffered write is not in memory yet.
    Write { name: String, value: String, buffered: bool, order: Option<MemoryOrder> },
    /// A shared place was read and written indivisibly.
    Update { name: String, old: String, source: ValueSource, new: String, order: Option<MemoryOrder> },
    /// A buffered write reached memory.
    Flush { name: String, value: String, written: Option<SourcePlace> },
    /// A private variable changed.
    Assign { name: String, value: String },
    /// A condition was decided; its text is empty if unknown.
    Branch { condition: String, held: bool },
    /// An assumption was passed.
    Assume,
    /// An assertion was checked.
    Assert { held: bool },
    /// A fence.
    Fence { order: Option<MemoryOrder> },
    /// A lock was acquired.
    Lock { name: String },
    /// A lock was released.
    Unlock { name: String },
    /// The thread begins to wait for a condition variable.
    Await { condition: String },
    /// It waits no longer: for the signal of a thread at a line, or for none.
    Awake { condition: String, signal: Option<(usize, Option<SourcePlace>)> },
    /// A condition variable was signalled, while these threads waited for it.
    Signal { condition: String, audience: Audience, waiting: Vec<usize> },
    /// Another synchronisation operation, as a call.
    Sync { call: String },
    /// A thread was created.
    Create { thread: String },
    /// A thread was found to have ended.
    Join { thread: String },
    /// In a cooperative program: another thread need not wait any more; what it did until then.
    Wake { thread: usize, waited: String },
    /// In a cooperative program: the thread's turn is over, and this is what it does now.
    Wait { what: String },
    /// In a cooperative program: the thread asked something of the scheduler that has no meaning, for this
    /// reason.
    Misuse { what: String },
    /// The thread began.
    Start,
    /// The thread ended.
    Exit,
    /// An input was chosen.
    Input { name: String, value: String },
}

/// Where a value that was read comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields are named after what they are")]
pub enum ValueSource {
    /// The initial value.
    Initial,
    /// Nobody wrote it: any value is possible.
    Uninitialised,
    /// A write that had reached memory.
    Write { thread: usize, place: Option<SourcePlace> },
    /// A write of the same thread that is still in its store buffer.
    Buffer { place: Option<SourcePlace> },
}
