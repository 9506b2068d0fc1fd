//! Cooperative programs: which policy they are for, what they ask of the scheduler, and where threads can be
//! waiting.
//!
//! A program that uses the models of one of `fthread.h`, `sc_coop.h`, `os_coop.h` is cooperative. Its
//! locations are atomic, so that everything between two calls that may block can become one step; the entries
//! of threads and the locations right behind such calls are ordinary, and are kept by a step of their own.
//!
//! Events, signals and the like get their numbers here and not from the scheduler: each instance of a
//! creation has one, as threads do, so that engines see constants.

use std::collections::BTreeSet;

use super::code::{Ask, Op};
use super::{Lower, Result};
use crate::frontend::diagnostic::{Diagnostic, Kind};
use crate::frontend::lower::record::Value;
use crate::frontend::tree::{Expr, Function, FunctionId};
use crate::program::{
    Action, Barrier, Init, LocId, Mark, Origin, Policy, Primitive, Program, Sources, Span, ThreadId,
    Transition,
};
use crate::scheduler;
use crate::term::{Datum, Sort, TermId, VarId, Word};

/// What schedulers take and give.
const NUMBER: Word = Word::signed(64);

/// What the names of functions begin with that threads use which may be interrupted anywhere.
const PREEMPTIVE: &[&str] = &["pthread_", "sem_", "thrd_", "mtx_", "cnd_", "tss_"];

/// A thread that runs its function again and again.
#[derive(Clone, Debug)]
pub(super) struct Repeat {
    /// What it asks of the scheduler in between.
    primitive: Primitive,
    /// What is wrong if the function returns, if anything is.
    missing: Option<String>,
}

impl<'a> Lower<'a> {
    /// Finds out whether the program is cooperative.
    pub(super) fn settle_policy(&mut self) -> Result<()> {
        let schedule = self.unit.functions.iter().position(|function| function.name == "__regrain_schedule");
        let schedule = schedule.map(|index| FunctionId(index as u32));
        let mut found = BTreeSet::new();
        for id in &self.facts.used {
            let function = &self.unit.functions[id.index()];
            let calls = &self.facts.functions[id.index()].calls;
            if function.model && schedule.is_some_and(|schedule| calls.contains(&schedule)) {
                found.insert(policy_of(&function.name));
            }
        }
        if found.len() > 1 {
            return Err(self.unsupported("a program for several schedulers"));
        }
        self.policy = found.pop_first();
        if let Some(policy) = self.policy {
            self.builder.set_policy(policy);
        }
        Ok(())
    }

    /// Threads of a cooperative program cannot be interrupted, and nothing of those that can is known to its
    /// scheduler.
    pub(super) fn refuse_preemption(&self, function: &Function) -> Result<()> {
        let preemptive = PREEMPTIVE.iter().any(|prefix| function.name.starts_with(prefix));
        match self.policy.is_some() && self.alive && function.model && preemptive {
            true => Err(self.unsupported(&format!("`{}` in a cooperative program", function.name))),
            false => Ok(()),
        }
    }

    /// `__regrain_schedule("primitive", argument...)`: the result.
    pub(super) fn schedule(&mut self, name: &'a Expr, args: &'a [Expr]) -> Result<TermId> {
        let primitive = self.primitive_named(name);
        let mut arguments = Vec::new();
        for arg in args {
            let value = self.scalar(arg)?;
            arguments.push(self.builder.terms().cast(value, NUMBER));
        }
        self.ask(primitive, arguments)
    }

    fn primitive_named(&self, name: &Expr) -> Primitive {
        let name = self.literal(name).expect("models name primitives");
        let policy = self.policy.expect("only models for schedulers ask them");
        scheduler::of(policy).primitive(&name).unwrap_or_else(|| panic!("the scheduler has no `{name}`"))
    }

    fn ask(&mut self, primitive: Primitive, arguments: Vec<TermId>) -> Result<TermId> {
        let to = self.temporary(Sort::Word(NUMBER));
        if self.alive {
            let result = self.builder.input("scheduler", Sort::Word(NUMBER));
            let text =
                self.user.map_or_else(|| "the end of the thread".to_owned(), |call| self.call_text(&call));
            let ask = Ask { primitive, arguments, text };
            self.emit(|next| Op::Call { ask, to, result, next })?;
        }
        let policy = self.policy.expect("the program is cooperative");
        if self.alive && scheduler::of(policy).may_block(primitive) {
            // Here the thread stands while it waits.
            self.code.get_mut(self.at).atomic = false;
            self.emit(|next| Op::Step { updates: Vec::new(), barrier: Barrier::None, next })?;
        }
        Ok(self.builder.terms().var(to))
    }

    /// `__regrain_fresh("kind")`: a number for something of a kind that is made here, from 1 on.
    pub(super) fn fresh_number(&mut self, kind: &'a Expr) -> Result<i128> {
        let kind = self.literal(kind).expect("models name kinds");
        if !self.alive {
            return Ok(0);
        }
        let count = self.numbers.entry(kind.clone()).or_insert(0);
        *count += 1;
        let number = *count;
        if !self.runs_once() {
            self.once(&format!("a loop made with `goto` makes another {kind}; use a `for` or `while` loop"))?;
        }
        Ok(number)
    }

    /// Cuts runs that come here again.
    fn once(&mut self, text: &str) -> Result<()> {
        let done = self.private("made".to_owned(), Sort::Bool, Origin::Internal);
        self.builder.set_init(done, Init::Value(Datum::Bool(false)));
        let already = self.builder.terms().var(done);
        let first = self.builder.terms().not(already);
        self.require(first, Mark::Cut(text.to_owned()))?;
        let truth = self.builder.terms().bool(true);
        self.emit(|next| Op::Step { updates: vec![(done, truth)], barrier: Barrier::None, next })
    }

    /// The last arguments of `__regrain_create_repeated`.
    pub(super) fn repetition(&mut self, primitive: &'a Expr, missing: &'a Expr) -> Result<Repeat> {
        let primitive = self.primitive_named(primitive);
        Ok(Repeat { primitive, missing: self.literal(missing).filter(|text| !text.is_empty()) })
    }

    /// The code of a thread that runs a function again and again.
    pub(super) fn repeated(&mut self, id: FunctionId, values: &[Value], repeat: Repeat) -> Result<()> {
        let (head, last) = (self.join(), self.join());
        let known: Vec<VarId> = self.state.known.keys().copied().collect();
        self.place_head(head, &known)?;
        self.loops += 1;
        self.end_at(Some(last));
        let value = self.inline(id, values)?;
        self.span = self.unit.functions[id.index()].end;
        match repeat.missing {
            Some(text) => self.mark(Mark::Undefined(text)),
            None => self.exit(&value)?,
        }
        self.place(last)?;
        self.ask(repeat.primitive, Vec::new())?;
        self.jump(head)?;
        self.end_at(None);
        self.loops -= 1;
        Ok(())
    }
}

/// The policy that a model is for, by its name.
fn policy_of(model: &str) -> Policy {
    let name = model.strip_prefix("__regrain_").unwrap_or(model);
    match name {
        _ if name.starts_with("ft_") => Policy::Fair,
        _ if name.starts_with("sc_") => Policy::SystemC,
        _ => Policy::Osek,
    }
}

/// FairThreads: once `main` has started the scheduler it runs beside it, and nobody knows in which instant it
/// does what. We let it rest there, which is right if nobody could tell.
pub(super) fn check_main(program: &Program) -> Result<()> {
    if !matches!(program.policy, Some(Policy::Fair | Policy::FairAnyOrder)) {
        return Ok(());
    }
    let scheduler = scheduler::of(Policy::Fair);
    let (start, end) = (scheduler.primitive("start"), scheduler.primitive("end"));
    let asks = |transition: &Transition| transition.call.as_ref().map(|call| call.primitive);
    let mine = |program: &Program, transition: &Transition| {
        program.location(transition.from).thread == ThreadId::new(0)
    };
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    for transition in program.transitions.iter().filter(|transition| !mine(program, transition)) {
        read.extend(program.shared_reads(transition));
        written.extend(program.shared_writes(transition).map(|place| place.var));
    }
    let started = program.transitions.iter().filter(|transition| asks(transition) == start);
    let mut stack: Vec<LocId> = started.map(|transition| transition.to).collect();
    let mut seen: BTreeSet<LocId> = stack.iter().copied().collect();
    while let Some(location) = stack.pop() {
        if matches!(program.location(location).mark, Some(Mark::Error(_) | Mark::Undefined(_))) {
            return Err(goes_on(program, location, "checks something"));
        }
        for &id in program.outgoing(location) {
            let transition = program.transition(id);
            if transition.events.iter().any(|event| matches!(event.action, Action::Create(_))) {
                return Err(goes_on(program, location, "creates a thread"));
            }
            if asks(transition).is_some() && asks(transition) != end {
                return Err(goes_on(program, location, "asks something of it"));
            }
            let mut writes = program.shared_writes(transition).map(|place| place.var);
            if program.shared_reads(transition).iter().any(|var| written.contains(var))
                || writes.any(|var| read.contains(&var) || written.contains(&var))
            {
                return Err(goes_on(program, location, "uses memory that its threads use"));
            }
            if asks(transition).is_none() && seen.insert(transition.to) {
                stack.push(transition.to);
            }
        }
    }
    Ok(())
}

fn goes_on(program: &Program, location: LocId, what: &str) -> Diagnostic {
    let span: Span = program.location(location).span;
    let message = format!("`main` {what} after it has started the scheduler, which is not supported");
    let help = "let threads of the scheduler do that".to_owned();
    Diagnostic { kind: Kind::Unsupported, message, span, help: Some(help), sources: Sources::default() }
}
