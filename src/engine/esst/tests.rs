//! The traps of partial-order reduction under abstraction, each with a program that shows it, and other corners.
//!
//! Programs are written with [`Maker`]: processes of SystemC whose blocks are lists of steps, with a wait for the next delta cycle of nobody in
//! particular after each, so that the order of blocks is as free as can be.

use super::search::{Allows, Ended, Search};
use super::*;
use crate::engine::Violation;
use crate::program::{
    Assertion, Barrier, Call, Init, LocId, Mark, Origin, Place, Policy, ProgramBuilder, Role, Sources, Span,
    ThreadId, Transition, Update, Variable,
};
use crate::scheduler::Scheduler;
use crate::term::{Datum, Sort, TermId, VarId, Word};

const INT: Word = Word::signed(32);

/// Makes a program for the kernel of SystemC: `main` creates one event for each thread and starts; the threads are processes.
struct Maker {
    builder: ProgramBuilder,
    scheduler: &'static dyn Scheduler,
    /// Where each thread has got to.
    at: Vec<LocId>,
    misuse: Vec<LocId>,
}

impl Maker {
    fn new(policy: Policy, threads: usize) -> Maker {
        let mut builder = ProgramBuilder::new(Sources::default());
        builder.set_policy(policy);
        let scheduler = crate::scheduler::of(policy);
        let (mut at, mut misuse) = (Vec::new(), Vec::new());
        for number in 0..=threads {
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
        transition.updates = update.into_iter().map(|(var, value)| Update { place: place(var), value }).collect();
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

    /// The thread gives way to others of the same evaluation phase: somebody else has notified its event at the start, and does so again.
    fn error_if(&mut self, thread: usize, condition: TermId) {
        let assertion = self.builder.assertion(Assertion::new(Span::NONE, "assertion"));
        let error = self.builder.marked_location(ThreadId::new(thread), Mark::Error(assertion), Span::NONE);
        let transition = self.transition(thread, error, condition);
        self.builder.transition(transition);
        let holds = self.builder.terms().not(condition);
        self.step(thread, Some(holds), None);
    }

    fn main(&mut self, threads: usize) {
        for thread in 1..=threads {
            self.call(0, "event", &[thread as i128]);
        }
        for thread in 1..=threads {
            self.call(0, "process", &[thread as i128, 0]);
        }
        self.call(0, "start", &[]);
    }

    fn end(mut self) -> Program {
        for thread in 1..self.at.len() {
            if self.builder.program().location(self.at[thread]).mark.is_none() {
                self.call(thread, "end", &[]);
            }
        }
        self.builder.build()
    }
}

fn options(reduction: Reduction) -> Options {
    Options { reduction, ..Options::default() }
}

/// Whether the engine finds a violation; certificates are checked.
fn violated(program: &Program, reduction: Reduction) -> bool {
    match check(program, &options(reduction), &mut crate::observe::Silent).claim {
        Claim::Safe(Certificate::Forest(forest)) => {
            let checked =
                crate::proof::check_forest(program, &forest, IntModel::default(), &Budget::unlimited());
            assert!(checked.is_ok(), "{:?}", checked.err());
            false
        }
        Claim::Unsafe(Violation { .. }) => true,
        claim => panic!("{claim:?}"),
    }
}
