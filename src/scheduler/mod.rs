//! Schedulers of cooperative programs: explicit, concrete, each a value behind one trait.
//!
//! A [`Scheduler`] decides which thread goes next ([`Scheduler::next`], `SCHED` in the paper) and does what
//! threads ask of it ([`Scheduler::execute`], `SEXEC`). Its state is plain data that it alone understands,
//! apart from who runs. Everybody who follows cooperative programs, the interpreter, the reference explorer
//! and the engines, asks the same scheduler: its meaning is here and nowhere else. What holds the schedulers
//! against the world are real implementations of their interfaces in C, whose runs have to be runs of these
//! (`benchmarks/cooperative/`).
//!
//! A. Cimatti, I. Narasamdya, M. Roveri, "Software model checking with explicit scheduler and symbolic
//! threads" (2012), Sections 3 and 6.1. Unlike there, a primitive may be misused, which ends the program's
//! meaning.

#[cfg(test)]
mod drive;
mod fair;
mod osek;
mod standing;
mod systemc;
mod table;
mod words;

pub use standing::{Standing, Wait};

use crate::program::{Policy, Primitive, ThreadId};

/// The state of a scheduler: who runs, and numbers whose meaning the scheduler knows.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    /// The thread that runs; nobody while the scheduler decides.
    pub running: Option<ThreadId>,
    /// Everything else.
    pub words: Vec<i32>,
}

/// How a primitive was misused, as a sentence for people: "waits for an event that was never created".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misuse(pub String);

/// A part of a scheduler's state that primitives read and write: what makes two of them depend on each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Resource {
    /// Whether this event has been notified and who waits for it.
    Event(i32),
    /// The fate of this thread: that it exists, has ended, may go on.
    Thread(i32),
    /// What is to become of this signal.
    Signal(i32),
    /// This resource in the sense of OSEK.
    Lock(i32),
    /// The clock, or whatever else all threads share.
    Common,
}

/// What a primitive touches, apart from whose turn it is. Sorted, without repetition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Footprint {
    /// Perhaps anything.
    Everything,
    /// These alone.
    Of {
        /// What is read.
        reads: Vec<Resource>,
        /// What is written.
        writes: Vec<Resource>,
    },
}

/// What a run has lived through; states do not know it, so that runs can come back to a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Instants begun since the start, or delta cycles since time last passed.
    pub rounds: u64,
    /// Simulated time, where a policy has one.
    pub time: u64,
}

/// How things stand, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Situation {
    /// When it is: "instant 3", "delta cycle 2 at time 10".
    pub moment: String,
    /// What each thread does if it neither runs nor could go next.
    pub threads: Vec<Option<Standing>>,
}

/// A policy at work.
pub trait Scheduler: Send + Sync {
    /// The primitive that models call by this name.
    fn primitive(&self, name: &str) -> Option<Primitive>;

    /// The state in which a program with so many threads begins: `main` runs, the others have not been
    /// created.
    fn initial(&self, threads: usize) -> State;

    /// Does what the running thread asks for and gives the result. Afterwards the thread still runs, or
    /// nobody does.
    fn execute(
        &self,
        state: &mut State,
        caller: ThreadId,
        primitive: Primitive,
        arguments: &[i64],
    ) -> Result<i64, Misuse>;

    /// The states that may come next when nobody runs, each with a thread that does, without repetition and
    /// always in the same order. None: nothing ever happens again.
    fn next(&self, state: &State) -> Vec<State>;

    /// Whether a primitive can end its caller's turn.
    fn may_block(&self, primitive: Primitive) -> bool;

    /// What a primitive touches in a state and in all later ones, once the scheduler was started; arguments
    /// that are not known are `None`.
    fn footprint(
        &self,
        state: &State,
        caller: ThreadId,
        primitive: Primitive,
        arguments: &[Option<i64>],
    ) -> Footprint;

    /// Of these resources at least one has to be written before a thread can go on that cannot go next now.
    fn awaits(&self, state: &State, thread: ThreadId) -> Vec<Resource>;

    /// Whether the order in which threads are let go, of those that may go next, leaves no trace in the state
    /// by itself: what it leads to shows in footprints. Only then may orders be left out.
    fn leaves_order_open(&self) -> bool {
        false
    }

    /// A scheduler with the same primitives that leaves the order of threads open and allows every run that
    /// this one allows of programs which call these primitives alone: there is a function from the states of
    /// this one to its states that goes along with [`Self::execute`] and [`Self::next`].
    fn looser(&self, _primitives: &[Primitive]) -> Option<&'static dyn Scheduler> {
        None
    }

    /// What the clock shows when the scheduler goes from one state to one of those that come next.
    fn advance(&self, clock: Clock, before: &State, after: &State) -> Clock;

    /// How things stand, for people.
    fn situation(&self, state: &State, clock: Clock) -> Situation;
}

/// The scheduler of a policy.
pub fn of(policy: Policy) -> &'static dyn Scheduler {
    match policy {
        Policy::Fair => &fair::CREATION_ORDER,
        Policy::FairAnyOrder => &fair::ANY_ORDER,
        Policy::SystemC => &systemc::SystemC,
        Policy::Osek => &osek::Osek,
    }
}

impl State {
    /// The state in which a program begins: `main` runs.
    fn of_main(words: Vec<i32>) -> State {
        State { running: Some(ThreadId::new(0)), words }
    }
}

impl Footprint {
    /// A footprint of these resources.
    fn of(reads: impl Into<Vec<Resource>>, writes: impl Into<Vec<Resource>>) -> Footprint {
        let (mut reads, mut writes) = (reads.into(), writes.into());
        for list in [&mut reads, &mut writes] {
            list.sort_unstable();
            list.dedup();
        }
        Footprint::Of { reads, writes }
    }

    /// Whether the order of two primitives with these footprints can matter.
    pub fn conflicts(&self, other: &Footprint) -> bool {
        let (Footprint::Of { reads, writes }, Footprint::Of { reads: others, writes: written }) =
            (self, other)
        else {
            return true;
        };
        let meet = |these: &[Resource], those: &[Resource]| these.iter().any(|it| those.contains(it));
        meet(writes, written) || meet(writes, others) || meet(reads, written)
    }
}
