//! A multi-threaded program: one control-flow automaton a thread, over shared and thread-private variables.
//!
//! # What a program means
//!
//! A state gives each thread a location and each variable a value. A thread takes a [`Transition`] that
//! leaves its location and whose guard and ranges hold: all right-hand sides are evaluated in the old state,
//! then all updates happen at once, in one indivisible step. Any thread may go next unless another one stands
//! at an [`atomic`](Location::atomic) location ([`movers`]). The set of threads is fixed. A thread that the C
//! program creates waits at its entry for its `started` variable; creation sets it, the thread's last step
//! sets its `done` variable, and joining waits for that. So locks, creation, joining and the rest are nothing
//! but guards and updates, and an engine that knows guards and updates knows them all; what they were in C is
//! kept in the transition's [`Event`]s, for people and for engines that can profit.
//!
//! # Signed overflow
//!
//! Signed arithmetic that overflows has no meaning in C, so a run is considered up to its first overflow. The
//! [`ranges`](Transition::ranges) of a transition say where its arithmetic stays in range: it fires only
//! where guard and ranges hold. Where the guard holds and a range does not, the thread's arithmetic
//! overflows: it stops for ever and nothing of it is considered any more. Terms themselves always wrap, in
//! every word; where the ranges hold, the results are those of whole numbers. An engine may compute with
//! whole numbers in signed words of 32 bits and more ([`Word::overflows`](crate::term::Word::overflows)).
//!
//! # Inputs and marks
//!
//! Variables of role [`Role::Input`] are not part of the state: each time a transition fires they take any
//! value (nondeterministic input, uninitialised memory).
//!
//! Reaching a location with a [`Mark`] is what a verifier looks for: [`Mark::Error`] is a violated assertion;
//! the others end the run at a point beyond which the program's meaning is unknown to us, so that a verifier
//! that reaches one may not answer `true`.
//!
//! Ending the whole program (`exit`, `abort`, `main` returning) is the same as the thread stopping for ever:
//! whatever another thread could do afterwards it could have done before.
//!
//! # Memory models
//!
//! Under SC updates go to memory at once. Under TSO and PSO a transition with [`Barrier::None`] reads through
//! its thread's store buffer and puts its writes to shared variables there; [`Barrier::StoreStore`] orders
//! the thread's earlier buffered writes before its later ones (nothing new under TSO); [`Barrier::Full`]
//! waits for an empty buffer and works on memory directly. Thread-private variables are never buffered. A
//! buffered write of [some bytes](Lanes) of a place touches these alone when it reaches memory; a read takes
//! each byte from the youngest buffered write to it. Under PSO writes of one place overtake each other if
//! they have no byte in common. `replay/` holds the executable definition.
//!
//! # Cooperative programs
//!
//! A program with a [`policy`](Program::policy) is cooperative: one thread runs until it gives up its turn,
//! and a scheduler, which is explicit and concrete, decides who goes next. The state then also holds the
//! scheduler's own state (`scheduler/`), which says who runs; `main` does in the beginning. Only the running
//! thread moves. A transition with a [`call`](Transition::call) also has the scheduler execute a primitive,
//! with the arguments evaluated in the old state; that may end the thread's turn, and gives the value of the
//! call's `result`, an input that the scheduler chooses. While nobody runs, the scheduler alone moves: it
//! goes to one of the states that may come next, in each of which one thread runs. If a primitive is misused
//! the thread goes to a location that the call names, where the run ends, and nothing else happens. Locations
//! at which a thread may be waiting for its turn are ordinary ones, all others are atomic; that is for
//! passes, since nobody else moves anyway. Cooperative programs are for SC alone.
//!
//! # Granularity
//!
//! At granularity *access* a transition makes at most one access to shared memory, unless it is indivisible
//! in C too (an atomic operation, a lock, an atomic section). At granularity *statement* a whole statement is
//! one transition.

mod build;
mod components;
mod cooperation;
pub mod footprint;
mod forward;
mod lanes;
pub(crate) mod locks;
mod object;
pub mod pass;
mod print;
pub(crate) mod regions;
mod source;
pub mod symmetry;
mod target;
mod trace;
mod turn;
pub(crate) mod uses;

pub use build::ProgramBuilder;
pub use components::components;
pub use cooperation::{Call, Policy, Primitive};
pub use forward::{forward_order, guards_cover};
pub use lanes::Lanes;
pub use object::{Object, ObjectKind, Part};
pub use source::{FileId, Sources, Span};
pub use trace::{Move, Trace};
pub use turn::movers;

use std::sync::Arc;

use crate::term::{Datum, Pool, Sort, TermId, VarId};

/// How writes of one thread become visible to others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum MemoryModel {
    /// Sequential consistency: at once.
    #[default]
    Sc,
    /// Total store order: through one buffer a thread, first in, first out; a thread reads its own buffered
    /// writes.
    Tso,
    /// Partial store order: like TSO with one buffer for each place.
    Pso,
}

/// A thread of a program. Thread 0 is `main`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadId(u16);

/// A control location; those of different threads are disjoint.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocId(u32);

/// A transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TransId(u32);

/// An assertion of the source program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AssertionId(u32);

macro_rules! index {
    ($id:ident, $int:ty, $what:literal) => {
        impl $id {
            #[doc = concat!("The ", $what, " at a position.")]
            pub fn new(index: usize) -> $id {
                $id(<$int>::try_from(index).expect(concat!("too many: ", $what)))
            }
            #[doc = concat!("Position of the ", $what, ".")]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
index!(ThreadId, u16, "thread");
index!(LocId, u32, "location");
index!(TransId, u32, "transition");
index!(AssertionId, u32, "assertion");

/// The program. Built by [`ProgramBuilder`], which checks it; changed only by passes, which rebuild it.
#[derive(Clone, Debug)]
pub struct Program {
    /// The terms of guards and updates. `VarId`s below `variables.len()` are the program's variables.
    pub terms: Pool,
    /// The variables, indexed by [`VarId`].
    pub variables: Vec<Variable>,
    /// The threads, indexed by [`ThreadId`].
    pub threads: Vec<Thread>,
    /// The locations, indexed by [`LocId`].
    pub locations: Vec<Location>,
    /// The transitions, indexed by [`TransId`].
    pub transitions: Vec<Transition>,
    /// The assertions, indexed by [`AssertionId`].
    pub assertions: Vec<Assertion>,
    /// The objects of memory with their addresses, for reading pointer values.
    pub objects: Vec<Object>,
    /// Who decides which thread goes next, if the program is cooperative.
    pub policy: Option<Policy>,
    /// Names and lines of the source files.
    pub sources: Sources,
    /// The arithmetic whose ranges a pass dropped, sorted: a run of this program may be one that overflows
    /// there before it ends.
    pub unchecked: Vec<Span>,
    /// If there is such arithmetic, the program with all ranges. Who finds a violation here has to find one
    /// there.
    pub exact: Option<Arc<Program>>,
    /// Outgoing transitions of each location, in source order.
    outgoing: Vec<Vec<TransId>>,
}

/// A variable of the state, or an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// A name for people, close to the source: `x`, `worker::i`, `node.next`. Not necessarily unique.
    pub name: String,
    /// The sort of its values.
    pub sort: Sort,
    /// Who uses it.
    pub role: Role,
    /// What it holds in the initial state; meaningless for inputs.
    pub init: Init,
    /// Whether the user wrote it, or the front end made it up.
    pub origin: Origin,
}

/// Who uses a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// Memory that more than one thread accesses.
    Shared,
    /// State of one thread alone; its accesses are nobody else's business.
    Private(ThreadId),
    /// Takes any value each time a transition that mentions it fires; never updated.
    Input,
}

/// Where a variable comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// A variable, field or element of the user's program.
    User,
    /// Made up by the front end: temporaries, `started` and `done` flags, parts of library objects.
    Internal,
}

/// Initial value of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Init {
    /// This value.
    Value(Datum),
    /// Any value.
    Any,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// `main`, or the start function with a number when several threads run it: `worker`, `worker#2`.
    pub name: String,
    /// Where it begins.
    pub entry: LocId,
    /// Where it was created; for `main`, where `main` is defined.
    pub span: Span,
}

/// A control location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Whose it is.
    pub thread: ThreadId,
    /// While a thread stands here no other thread moves.
    pub atomic: bool,
    /// Set on locations that a verifier looks for; these have no outgoing transitions.
    pub mark: Option<Mark>,
    /// The place in the source that is about to be executed.
    pub span: Span,
    /// The statement of the user that begins here, of which nothing has been executed yet; for the head of a
    /// `while` or `for`, that loop. Its length does not matter.
    pub begins: Option<Span>,
}

/// What it means to reach a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mark {
    /// An assertion is violated.
    Error(AssertionId),
    /// The run left what C or the front end define: an invalid access, a division by zero... The text says
    /// what, as in "dereference of a null or dangling pointer". A verifier of assertions answers `unknown`
    /// when it is reachable.
    Undefined(String),
    /// A bound of the front end was reached (recursion depth, threads created in a loop, heap objects of a
    /// site). The text names it and how to raise it.
    Cut(String),
    /// The thread ended normally.
    End,
}

/// A step of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// Where it starts.
    pub from: LocId,
    /// Where it leads; a location of the same thread.
    pub to: LocId,
    /// When it may fire.
    pub guard: TermId,
    /// Where its signed arithmetic does not overflow: all of these hold. Empty for most (see the head of this
    /// file).
    pub ranges: Vec<Range>,
    /// What it changes, all at once. No two write the same scalar or could write the same element.
    pub updates: Vec<Update>,
    /// What it asks of the scheduler of a cooperative program.
    pub call: Option<Call>,
    /// What it asks of the store buffer.
    pub barrier: Barrier,
    /// What it does in terms of the C program, in execution order; at least one unless made up by the front
    /// end.
    pub events: Vec<Event>,
}

/// A condition under which signed arithmetic does not overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// A truth value, evaluated in the state before the transition.
    pub holds: TermId,
    /// The arithmetic in the source.
    pub span: Span,
}

/// `place := value`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Update {
    /// What changes.
    pub place: Place,
    /// Evaluated in the state before the transition.
    pub value: TermId,
    /// The bytes of the place that change. The value has the place's old contents in all others, so that they
    /// matter only where the write waits in a store buffer.
    pub lanes: Lanes,
}

impl Update {
    /// A place changes as a whole.
    pub fn whole(place: Place, value: TermId) -> Update {
        Update { place, value, lanes: Lanes::ALL }
    }
}

/// A scalar variable, or an element of an array variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The variable.
    pub var: VarId,
    /// The element, a word evaluated in the state before; the guard ensures that it is in range. `None` for
    /// scalars, and for arrays that are assigned whole.
    pub index: Option<TermId>,
}

/// What a transition asks of its thread's store buffer (see the head of this file).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Barrier {
    /// Nothing: an ordinary access.
    None,
    /// Earlier writes reach memory before later ones, this transition's own included.
    StoreStore,
    /// The buffer is empty and memory is accessed directly.
    Full,
}

/// Something that a transition does, as the user would say it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Where in the user's source.
    pub span: Span,
    /// What.
    pub action: Action,
}

/// The kinds of events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// A shared place is read.
    Read(Place),
    /// A shared place is written.
    Write(Place),
    /// A shared place is read and written indivisibly (atomic operations).
    Update(Place),
    /// Private variables change.
    Compute,
    /// A branch of the source was decided: the condition held or not.
    Branch(bool),
    /// An assumption was passed.
    Assume,
    /// An assertion was checked; it held unless the transition leads to [`Mark::Error`].
    Assert(AssertionId),
    /// A fence of the source.
    Fence,
    /// A mutex, spin lock, or one side of a read-write lock was acquired; the text names it.
    Lock(String),
    /// Released.
    Unlock(String),
    /// Another synchronisation operation by its C name and object: `sem_post(&full)`.
    Sync(String),
    /// A thread was created.
    Create(ThreadId),
    /// The thread's first step.
    Start,
    /// A thread was found to have ended.
    Join(ThreadId),
    /// The thread ended.
    Exit,
    /// An input was chosen.
    Input(VarId),
}

/// An assertion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assertion {
    /// Where it is.
    pub span: Span,
    /// Its condition as in the source (`x <= 0`), or the call that must not be reached (`reach_error()`).
    pub text: String,
    /// Which property it belongs to.
    pub kind: AssertionKind,
}

/// What kind of property an assertion belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AssertionKind {
    /// That some place is not reached: a failing assertion, a call of `reach_error`.
    Reach,
    /// That signed arithmetic does not overflow.
    Overflow,
}

impl AssertionKind {
    /// The name of the property, as in `false(unreach-call)`.
    pub fn name(self) -> &'static str {
        match self {
            AssertionKind::Reach => "unreach-call",
            AssertionKind::Overflow => "no-overflow",
        }
    }
}

impl Assertion {
    /// That a place of the source is not reached.
    pub fn new(span: Span, text: impl Into<String>) -> Assertion {
        Assertion { span, text: text.into(), kind: AssertionKind::Reach }
    }
}

impl Program {
    /// A variable.
    pub fn variable(&self, var: VarId) -> &Variable {
        &self.variables[var.index()]
    }

    /// A thread.
    pub fn thread(&self, thread: ThreadId) -> &Thread {
        &self.threads[thread.index()]
    }

    /// A location.
    pub fn location(&self, location: LocId) -> &Location {
        &self.locations[location.index()]
    }

    /// A transition.
    pub fn transition(&self, transition: TransId) -> &Transition {
        &self.transitions[transition.index()]
    }

    /// The transitions that leave a location, in source order.
    pub fn outgoing(&self, location: LocId) -> &[TransId] {
        &self.outgoing[location.index()]
    }

    /// The thread that takes a transition.
    pub fn thread_of(&self, transition: TransId) -> ThreadId {
        self.location(self.transition(transition).from).thread
    }

    /// All variables.
    pub fn variable_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.variables.len()).map(VarId::new)
    }

    /// All threads.
    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len()).map(ThreadId::new)
    }

    /// All locations.
    pub fn location_ids(&self) -> impl Iterator<Item = LocId> + use<> {
        (0..self.locations.len()).map(LocId::new)
    }

    /// All transitions.
    pub fn transition_ids(&self) -> impl Iterator<Item = TransId> + use<> {
        (0..self.transitions.len()).map(TransId::new)
    }

    /// Whether a variable is shared memory.
    pub fn is_shared(&self, var: VarId) -> bool {
        self.variable(var).role == Role::Shared
    }

    /// The shared variables that a transition reads: in its guard, right-hand sides and indices. Sorted.
    /// An array element counts as a read of the array variable.
    pub fn shared_reads(&self, transition: &Transition) -> Vec<VarId> {
        let mut vars: Vec<VarId> = transition
            .terms()
            .flat_map(|term| self.terms.vars(term))
            .filter(|&var| self.is_shared(var))
            .collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// The inputs that a transition reads and that take any value: all but the result of its call. Sorted.
    pub fn inputs_of(&self, transition: &Transition) -> Vec<VarId> {
        let result = transition.call.as_ref().and_then(|call| call.result);
        let mut vars: Vec<VarId> = transition
            .terms()
            .flat_map(|term| self.terms.vars(term))
            .filter(|&var| self.variable(var).role == Role::Input && Some(var) != result)
            .collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// The shared places that a transition writes, in order.
    pub fn shared_writes<'a>(&'a self, transition: &'a Transition) -> impl Iterator<Item = Place> + 'a {
        transition.updates.iter().map(|update| update.place).filter(|place| self.is_shared(place.var))
    }

    /// Whether a transition touches no shared variable and asks nothing of the store buffer or a scheduler.
    pub fn is_local(&self, transition: &Transition) -> bool {
        transition.barrier == Barrier::None
            && transition.call.is_none()
            && self.shared_writes(transition).next().is_none()
            && self.shared_reads(transition).is_empty()
    }
}

impl Transition {
    /// Every term of the transition: guard, ranges, indices, right-hand sides, arguments of a call.
    pub fn terms(&self) -> impl Iterator<Item = TermId> + '_ {
        let updates = self.updates.iter();
        self.conditions()
            .chain(updates.flat_map(|update| update.place.index.into_iter().chain([update.value])))
            .chain(self.arguments())
    }

    /// The arguments of its call, if it has one.
    pub fn arguments(&self) -> impl Iterator<Item = TermId> + '_ {
        self.call.iter().flat_map(|call| call.arguments.iter().copied())
    }

    /// Where it can lead: to its end, or to where a misused call goes.
    pub fn destinations(&self) -> impl Iterator<Item = LocId> + use<> {
        std::iter::once(self.to).chain(self.call.as_ref().map(|call| call.misuse))
    }

    /// What must hold for it to fire: guard and ranges.
    pub fn conditions(&self) -> impl Iterator<Item = TermId> + '_ {
        std::iter::once(self.guard).chain(self.ranges.iter().map(|range| range.holds))
    }
}
