//! The beginning of a cooperative program: what `main` stores before its first turn is over becomes the
//! initial state.
//!
//! Until then nobody else runs, so nobody can tell when it was stored. `main` is run as long as exactly one
//! of its steps is possible and all values are known; what it asks of the scheduler meanwhile stays, in a
//! row, with arguments that are now constants. So the events and threads that it creates and keeps in
//! variables are constants for all threads, which `constants` finds out.
//!
//! Private variables that are written before they are read begin with zero: what they hold until then is
//! nobody's business, and who visits all states need not try values for them.
//!
//! A call can end the turn only if the location behind it is an ordinary one. Loops are executed as a whole
//! or not at all.

use std::sync::Arc;

use super::super::{
    Barrier, Call, Event, Init, LocId, Location, Program, Role, ThreadId, Transition, Update,
};
use super::access::Mentions;
use super::cycles::Cycles;
use super::liveness::Liveness;
use crate::term::{Datum, TermId, VarId};

/// How many steps are executed at most.
const MAX_STEPS: usize = 10_000;

pub(super) fn run(program: Program) -> Program {
    let cycles = Cycles::of(&program);
    let mut prelude = Prelude::new(program);
    let mut location = prelude.program.threads[0].entry;
    let mut last = None;
    for _ in 0..MAX_STEPS {
        let Some(step) = prelude.next(location) else { break };
        location = step.to;
        prelude.execute(step);
        if cycles.at(location).is_none() && prelude.program.location(location).mark.is_none() {
            last = Some((location, prelude.done.clone()));
        }
    }
    settled(match last {
        Some((location, done)) if done.stored => prelude.finish(location, done),
        _ => prelude.program,
    })
}

/// Private variables that nobody reads before they are written begin with zero.
fn settled(mut program: Program) -> Program {
    let liveness = Liveness::of(&program);
    for var in program.variable_ids() {
        let Role::Private(thread) = program.variable(var).role else { continue };
        if !liveness.is_live(program.thread(thread).entry, var) {
            let sort = program.variable(var).sort;
            program.variables[var.index()].init = Init::Value(Datum::zero(sort));
        }
    }
    program
}

/// What has been executed.
#[derive(Clone)]
struct Done {
    /// The value of each variable; `None` for any value.
    values: Vec<Option<Datum>>,
    /// The calls, in order, each with what it stores of its result and the events before it.
    calls: Vec<(Call, Vec<Update>, Vec<Event>)>,
    /// Events since the last call.
    events: Vec<Event>,
    /// Whether anything was stored.
    stored: bool,
}

struct Prelude {
    program: Program,
    mentions: Mentions,
    done: Done,
}

impl Prelude {
    fn new(program: Program) -> Prelude {
        let values = program.variables.iter().map(|variable| match (&variable.init, variable.role) {
            (Init::Value(value), Role::Shared | Role::Private(_)) => Some(value.clone()),
            _ => None,
        });
        let done = Done { values: values.collect(), calls: Vec::new(), events: Vec::new(), stored: false };
        Prelude { program, mentions: Mentions::default(), done }
    }

    /// The value of a term, if it is known.
    fn value(&mut self, term: TermId) -> Option<Datum> {
        let vars = self.mentions.of(&self.program.terms, term);
        let values = &self.done.values;
        vars.iter().all(|var| values[var.index()].is_some()).then(|| {
            let valuation = |var: VarId| values[var.index()].clone().expect("a known value");
            self.program.terms.eval(term, &valuation)
        })
    }

    /// The only step that is possible at a location, if it can be executed.
    fn next(&mut self, location: LocId) -> Option<Transition> {
        let mut only = None;
        for i in 0..self.program.outgoing(location).len() {
            let step = self.program.outgoing(location)[i];
            let guard = self.program.transition(step).guard;
            if self.value(guard)?.truth() && only.replace(step).is_some() {
                return None;
            }
        }
        let step = self.program.transition(only?).clone();
        let ends_turn = step.call.is_some() && !self.program.location(step.to).atomic;
        let fine = !ends_turn
            && step.ranges.iter().all(|range| self.value(range.holds).is_some_and(|value| value.truth()))
            && step.arguments().all(|argument| self.value(argument).is_some())
            && step.updates.iter().all(|update| self.can_store(&step, update));
        fine.then_some(step)
    }

    fn can_store(&mut self, step: &Transition, update: &Update) -> bool {
        let known = self.value(update.value).is_some() || self.is_result(step, update);
        let place = update.place.index.is_none_or(|index| {
            self.done.values[update.place.var.index()].is_some() && self.value(index).is_some()
        });
        known && place
    }

    /// Whether the update stores the result of a call in a scalar.
    fn is_result(&self, step: &Transition, update: &Update) -> bool {
        let result = step.call.as_ref().and_then(|call| call.result);
        update.place.index.is_none() && result.is_some() && self.program.terms.as_var(update.value) == result
    }

    fn execute(&mut self, step: Transition) {
        let (kept, stored): (Vec<Update>, Vec<Update>) =
            step.updates.iter().partition(|update| self.is_result(&step, update));
        let arguments: Vec<Datum> =
            step.arguments().collect::<Vec<TermId>>().into_iter().filter_map(|it| self.value(it)).collect();
        let writes: Vec<(VarId, Option<i128>, Option<Datum>)> = stored
            .iter()
            .map(|update| {
                let index = update.place.index.and_then(|index| self.value(index)).map(|index| index.word());
                (update.place.var, index, self.value(update.value))
            })
            .collect();
        self.done.stored |= !writes.is_empty();
        for (var, index, value) in writes {
            self.store(var, index, value);
        }
        kept.iter().for_each(|update| self.done.values[update.place.var.index()] = None);
        self.done.events.extend(step.events);
        if let Some(mut call) = step.call {
            for (argument, value) in call.arguments.iter_mut().zip(arguments) {
                let word = self.program.terms.word(*argument);
                *argument = self.program.terms.constant(value.word(), word);
            }
            let events = std::mem::take(&mut self.done.events);
            self.done.calls.push((call, kept, events));
        }
    }

    fn store(&mut self, var: VarId, index: Option<i128>, value: Option<Datum>) {
        let place = &mut self.done.values[var.index()];
        match (index, place) {
            (None, place) => *place = value,
            (Some(index), Some(Datum::Array(elements))) => {
                let elements = Arc::make_mut(elements);
                let inside = usize::try_from(index).ok().and_then(|index| elements.get_mut(index));
                if let (Some(element), Some(value)) = (inside, value) {
                    *element = value.word();
                }
            }
            (Some(_), _) => unreachable!("only known arrays are written by element"),
        }
    }

    /// `main` begins with the calls, and goes on where it has been run to; what it stored is there from the
    /// beginning.
    fn finish(mut self, location: LocId, done: Done) -> Program {
        for (variable, value) in self.program.variables.iter_mut().zip(done.values) {
            if variable.role != Role::Input {
                variable.init = value.map_or(Init::Any, Init::Value);
            }
        }
        let mut from = self.add_location(location, Atomic::No);
        self.program.threads[0].entry = from;
        for (call, updates, events) in done.calls {
            let to = self.add_location(location, Atomic::Yes);
            self.add_step(from, to, updates, Some(call), events);
            from = to;
        }
        self.add_step(from, location, Vec::new(), None, done.events);
        self.program.reindex();
        self.program
    }

    fn add_location(&mut self, like: LocId, atomic: Atomic) -> LocId {
        let span = self.program.location(like).span;
        let (thread, atomic) = (ThreadId::new(0), atomic == Atomic::Yes);
        self.program.locations.push(Location { thread, atomic, mark: None, span, begins: None });
        LocId::new(self.program.locations.len() - 1)
    }

    fn add_step(
        &mut self,
        from: LocId,
        to: LocId,
        updates: Vec<Update>,
        call: Option<Call>,
        events: Vec<Event>,
    ) {
        let guard = self.program.terms.bool(true);
        let (ranges, barrier) = (Vec::new(), Barrier::None);
        self.program.transitions.push(Transition { from, to, guard, ranges, updates, call, barrier, events });
    }
}

/// Whether a location is atomic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Atomic {
    Yes,
    No,
}
