//! Programs made by hand, for the traps of partial-order reduction under abstraction (`traps.rs`) and for
//! certificates (`proofs.rs`).
//!
//! Most traps are shown with a scheduler of the tests' own, [`Yielding`]: any thread that has not ended may
//! go next, for as long as it does not yield. So the order of blocks is as free as can be, and a cycle is a
//! loop with a yield in it.

mod proofs;
mod traps;

use super::*;
use crate::program::{
    Assertion, Barrier, Call, Init, LocId, Mark, Origin, Place, Policy, Primitive, ProgramBuilder, Role,
    Sources, Span, ThreadId, Transition, Update, Variable,
};
use crate::scheduler::{Clock, Footprint, Misuse, Resource, Situation, State};
use crate::term::{Datum, Sort, TermId, VarId, Word};

const INT: Word = Word::signed(32);

/// Any thread that has not ended may go next. The words tell who has.
struct Yielding;

impl Scheduler for Yielding {
    fn primitive(&self, name: &str) -> Option<Primitive> {
        ["yield", "end"].iter().position(|known| *known == name).map(|at| Primitive(at as u8))
    }

    fn initial(&self, threads: usize) -> State {
        State { running: Some(ThreadId::new(0)), words: vec![0; threads] }
    }

    fn execute(
        &self,
        state: &mut State,
        caller: ThreadId,
        primitive: Primitive,
        _: &[i64],
    ) -> Result<i64, Misuse> {
        state.running = None;
        state.words[caller.index()] = i32::from(primitive.0 == 1);
        Ok(0)
    }

    fn next(&self, state: &State) -> Vec<State> {
        let going = (0..state.words.len()).filter(|&thread| state.words[thread] == 0);
        going
            .map(|thread| State { running: Some(ThreadId::new(thread)), words: state.words.clone() })
            .collect()
    }

    fn may_block(&self, _: Primitive) -> bool {
        true
    }

    fn footprint(&self, _: &State, _: ThreadId, _: Primitive, _: &[Option<i64>]) -> Footprint {
        Footprint::Of { reads: Vec::new(), writes: Vec::new() }
    }

    fn awaits(&self, _: &State, _: ThreadId) -> Vec<Resource> {
        Vec::new()
    }

    fn leaves_order_open(&self) -> bool {
        true
    }

    fn advance(&self, clock: Clock, _: &State, _: &State) -> Clock {
        clock
    }

    fn situation(&self, _: &State, _: Clock) -> Situation {
        Situation { moment: String::new(), threads: Vec::new() }
    }
}

/// Makes a program whose threads are lists of steps.
struct Maker {
    builder: ProgramBuilder,
    scheduler: &'static dyn Scheduler,
    /// Where each thread has got to.
    at: Vec<LocId>,
    misuse: Vec<LocId>,
}

impl Maker {
    /// So many threads, `main` included, of a program that says to have a policy.
    fn new(scheduler: &'static dyn Scheduler, policy: Policy, threads: usize) -> Maker {
        let mut builder = ProgramBuilder::new(Sources::default());
        builder.set_policy(policy);
        let (mut at, mut misuse) = (Vec::new(), Vec::new());
        for number in 0..threads {
            let thread = builder.thread(format!("t{number}"), Span::NONE);
            at.push(builder.program().thread(thread).entry);
            misuse.push(builder.marked_location(thread, Mark::Undefined("misuse".to_owned()), Span::NONE));
        }
        Maker { builder, scheduler, at, misuse }
    }

    fn variable(&mut self, name: &str, role: Role, init: Init) -> VarId {
        let (name, sort, origin) = (name.to_owned(), Sort::Word(INT), Origin::User);
        self.builder.variable(Variable { name, sort, role, init, origin })
    }

    fn shared(&mut self, name: &str) -> VarId {
        self.variable(name, Role::Shared, Init::Value(Datum::Word(0)))
    }

    fn number(&mut self, value: i128) -> TermId {
        self.builder.terms().constant(value, INT)
    }

    fn read(&mut self, var: VarId) -> TermId {
        self.builder.terms().var(var)
    }

    fn transition(&mut self, thread: usize, to: LocId, guard: TermId) -> Transition {
        let from = self.at[thread];
        let (ranges, updates, events) = (Vec::new(), Vec::new(), Vec::new());
        Transition { from, to, guard, ranges, updates, call: None, barrier: Barrier::None, events }
    }

    /// A step to a new location.
    fn step(&mut self, thread: usize, guard: Option<TermId>, update: Option<(VarId, TermId)>) {
        let guard = guard.unwrap_or_else(|| self.builder.terms().bool(true));
        let to = self.builder.location(ThreadId::new(thread), Span::NONE);
        let mut transition = self.transition(thread, to, guard);
        let place = |var| Place { var, index: None };
        transition.updates =
            update.into_iter().map(|(var, value)| Update::whole(place(var), value)).collect();
        self.builder.transition(transition);
        self.at[thread] = to;
    }

    fn assign(&mut self, thread: usize, var: VarId, value: TermId) {
        self.step(thread, None, Some((var, value)));
    }

    /// A call that leads to a location, or to a new one.
    fn call_to(&mut self, thread: usize, name: &str, arguments: Vec<TermId>, to: Option<LocId>) {
        let to = to.unwrap_or_else(|| self.builder.location(ThreadId::new(thread), Span::NONE));
        let guard = self.builder.terms().bool(true);
        let primitive = self.scheduler.primitive(name).expect("a primitive of the policy");
        let call = Call { primitive, arguments, result: None, misuse: self.misuse[thread] };
        let transition = Transition { call: Some(call), ..self.transition(thread, to, guard) };
        self.builder.transition(transition);
        self.at[thread] = to;
    }

    fn call(&mut self, thread: usize, name: &str, arguments: &[i128]) {
        let arguments = arguments.iter().map(|&value| self.number(value)).collect();
        self.call_to(thread, name, arguments, None);
    }

    /// Goes on unless a condition holds, which is an error.
    fn error_if(&mut self, thread: usize, condition: TermId) {
        let assertion = self.builder.assertion(Assertion::new(Span::NONE, "assertion"));
        let error = self.builder.marked_location(ThreadId::new(thread), Mark::Error(assertion), Span::NONE);
        let transition = self.transition(thread, error, condition);
        self.builder.transition(transition);
        let holds = self.builder.terms().not(condition);
        self.step(thread, Some(holds), None);
    }

    /// The thread is done.
    fn end(&mut self, thread: usize) {
        self.call(thread, "end", &[]);
    }

    fn build(self) -> Program {
        self.builder.build()
    }
}
