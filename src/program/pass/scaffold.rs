//! First steps that have only one outcome become the initial state.
//!
//! A thread is run from its entry as long as exactly one of its steps is possible, all values involved are
//! known, and the step commutes with everything that other threads could do before it: nobody who may be
//! awake writes what it reads, or accesses what it writes. Then every run can be rearranged to begin with
//! these steps. A thread is *awake* if one of its first steps may be possible, or an awake thread writes what
//! these wait for. So `main` is run through its initialisations, and then, as it starts one thread after the
//! other, through whatever these cannot notice. An input that is stored as it is leaves the variable open.
//! Loops are executed as a whole or not at all, so that no thread begins in the middle of one.
//!
//! Under TSO and PSO the thread's writes wait in its store buffer. Its new entry is a place where the buffer
//! has certainly been emptied, and no thread wakes up while an older write is in it. Entries are ordinary
//! locations, neither marked nor atomic.

use std::sync::Arc;

use super::super::{Barrier, Init, LocId, MemoryModel, Program, Role, ThreadId, TransId, Transition, Update};
use super::access::{Accesses, Mentions};
use super::cycles::Cycles;
use crate::term::{Datum, TermId, VarId};

/// How many steps are executed at most, by all threads together.
const MAX_STEPS: usize = 1_000_000;

pub(super) fn run(program: Program, model: MemoryModel) -> Program {
    if program.threads.iter().any(|thread| program.location(thread.entry).atomic) {
        return program;
    }
    let mut scaffold = Scaffold::new(program, model);
    for thread in scaffold.program.thread_ids() {
        scaffold.run_thread(thread);
    }
    scaffold.finish()
}

/// Who else may access a variable at the moment.
#[derive(Clone, Copy, Default)]
struct Others {
    read: bool,
    write: bool,
}

/// What a variable, or one element of an array, held before a step.
enum Before {
    Variable(VarId, Option<Datum>),
    Element(VarId, usize, i128),
}

struct Scaffold {
    program: Program,
    model: MemoryModel,
    accesses: Accesses,
    cycles: Cycles,
    mentions: Mentions,
    /// The value of each variable; `None` for any value.
    values: Vec<Option<Datum>>,
    /// What to go back to, since the last place that can be an entry.
    undo: Vec<Before>,
    /// Variables that the first steps of sleeping threads wait for.
    awaited: Vec<bool>,
    /// What awake threads other than the one that is run may do, for each variable.
    others: Vec<Others>,
    steps: usize,
}

impl Scaffold {
    fn new(program: Program, model: MemoryModel) -> Scaffold {
        let values = program.variables.iter().map(|variable| match (&variable.init, variable.role) {
            (Init::Value(value), Role::Shared | Role::Private(_)) => Some(value.clone()),
            _ => None,
        });
        let values = values.collect();
        Scaffold {
            accesses: Accesses::of(&program),
            cycles: Cycles::of(&program),
            program,
            model,
            mentions: Mentions::default(),
            values,
            undo: Vec::new(),
            awaited: Vec::new(),
            others: Vec::new(),
            steps: 0,
        }
    }

    /// Runs a thread as far as it goes, and makes the last suitable place its entry.
    fn run_thread(&mut self, thread: ThreadId) {
        let mut location = self.program.thread(thread).entry;
        let mut cycle = self.cycles.at(location);
        let mut buffered = 0;
        self.find_others(thread);
        while let Some(step) = self.next_step(location) {
            if cycle.is_some_and(|cycle| !self.cycles.has_exit(cycle)) {
                break;
            }
            let transition = self.program.transition(step).clone();
            buffered = match (self.model, transition.barrier) {
                (MemoryModel::Sc, _) | (_, Barrier::Full) => 0,
                _ => buffered + self.program.shared_writes(&transition).count(),
            };
            let awaited = transition.updates.iter().any(|update| self.awaited[update.place.var.index()]);
            if awaited && buffered > 1 {
                break;
            }
            self.execute(&transition);
            if awaited {
                self.find_others(thread);
            }
            location = transition.to;
            let here = self.program.location(location);
            let inside = cycle.is_some() && self.cycles.at(location) == cycle;
            cycle = self.cycles.at(location);
            if buffered == 0 && !inside && !here.atomic && here.mark.is_none() {
                self.undo.clear();
                self.program.threads[thread.index()].entry = location;
            }
        }
        self.go_back();
    }

    fn finish(mut self) -> Program {
        for (variable, value) in self.program.variables.iter_mut().zip(self.values) {
            if variable.role != Role::Input {
                variable.init = value.map_or(Init::Any, Init::Value);
            }
        }
        self.program
    }

    /// What the other threads wait for, and what those that are awake may do.
    fn find_others(&mut self, thread: ThreadId) {
        let others = self.program.thread_ids().filter(|&other| other != thread);
        let (mut awake, mut asleep): (Vec<_>, Vec<_>) = others.partition(|&other| self.may_start(other));
        self.awaited = vec![false; self.program.variables.len()];
        for &other in &asleep {
            for &step in self.program.outgoing(self.program.thread(other).entry) {
                for condition in self.program.transition(step).conditions() {
                    let vars = self.mentions.of(&self.program.terms, condition);
                    vars.iter().for_each(|var| self.awaited[var.index()] = true);
                }
            }
        }
        let mut at = 0;
        while at < awake.len() {
            let waker = awake[at];
            let (woken, rest) = asleep.into_iter().partition(|&other| self.may_wake(waker, other));
            asleep = rest;
            awake.extend::<Vec<ThreadId>>(woken);
            at += 1;
        }
        self.others = vec![Others::default(); self.program.variables.len()];
        for other in awake {
            self.accesses.reads(other).iter().for_each(|var| self.others[var.index()].read = true);
            self.accesses.writes(other).iter().for_each(|var| self.others[var.index()].write = true);
        }
    }

    /// Whether a first step of the thread may be possible now.
    fn may_start(&mut self, thread: ThreadId) -> bool {
        let steps = self.program.outgoing(self.program.thread(thread).entry).to_vec();
        steps.into_iter().any(|step| {
            let conditions: Vec<TermId> = self.program.transition(step).conditions().collect();
            conditions.into_iter().all(|condition| self.value(condition).is_none_or(|value| value.truth()))
        })
    }

    fn may_wake(&mut self, waker: ThreadId, asleep: ThreadId) -> bool {
        let steps = self.program.outgoing(self.program.thread(asleep).entry);
        steps.iter().any(|&step| {
            self.program.transition(step).conditions().any(|condition| {
                let vars = self.mentions.of(&self.program.terms, condition);
                vars.iter().any(|&var| self.accesses.may_write(waker, var))
            })
        })
    }

    /// The value of a term, if it is known.
    fn value(&mut self, term: TermId) -> Option<Datum> {
        let vars = self.mentions.of(&self.program.terms, term);
        let known = vars.iter().all(|var| self.values[var.index()].is_some());
        known.then(|| {
            let valuation = |var: VarId| self.values[var.index()].clone().expect("a known value");
            self.program.terms.eval(term, &valuation)
        })
    }

    /// The only step that is possible at a location, if it can be executed now.
    fn next_step(&mut self, location: LocId) -> Option<TransId> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return None;
        }
        let mut only = None;
        for i in 0..self.program.outgoing(location).len() {
            let step = self.program.outgoing(location)[i];
            let guard = self.program.transition(step).guard;
            if !self.undisturbed(guard) {
                return None;
            }
            if self.value(guard)?.truth() && only.replace(step).is_some() {
                return None;
            }
        }
        only.filter(|&step| self.program.transition(step).call.is_none() && self.is_executable(step))
    }

    /// Whether nobody writes what the term reads.
    fn undisturbed(&mut self, term: TermId) -> bool {
        self.mentions.of(&self.program.terms, term).iter().all(|var| !self.others[var.index()].write)
    }

    /// Whether the values to write are known, and nobody is concerned.
    fn is_executable(&mut self, step: TransId) -> bool {
        let transition = self.program.transition(step).clone();
        let in_range = transition.ranges.iter().all(|range| {
            self.undisturbed(range.holds) && self.value(range.holds).is_some_and(|value| value.truth())
        });
        in_range
            && transition.updates.iter().all(|update| {
                let Others { read, write } = self.others[update.place.var.index()];
                let place_known = update.place.index.is_none_or(|index| {
                    let array = &self.values[update.place.var.index()];
                    array.is_some() && self.undisturbed(index) && self.value(index).is_some()
                });
                !read
                    && !write
                    && place_known
                    && self.undisturbed(update.value)
                    && (self.value(update.value).is_some() || self.stores_input(&transition, update))
            })
    }

    /// Whether the update stores an input that the transition uses for nothing else in a scalar.
    fn stores_input(&mut self, transition: &Transition, update: &Update) -> bool {
        let Some(input) = self.program.terms.as_var(update.value) else { return false };
        let mut uses = 0;
        for term in transition.terms() {
            uses += usize::from(self.mentions.of(&self.program.terms, term).contains(&input));
        }
        self.program.variable(input).role == Role::Input && update.place.index.is_none() && uses == 1
    }

    fn execute(&mut self, transition: &Transition) {
        let writes: Vec<(Update, Option<i128>, Option<Datum>)> = transition
            .updates
            .iter()
            .map(|update| {
                let index = update.place.index.map(|index| self.value(index).expect("a known index").word());
                (*update, index, self.value(update.value))
            })
            .collect();
        for (update, index, value) in writes {
            let var = update.place.var;
            match index {
                None => {
                    let before = std::mem::replace(&mut self.values[var.index()], value);
                    self.undo.push(Before::Variable(var, before));
                }
                Some(index) => self.store(var, index, value.expect("elements are not left open").word()),
            }
        }
    }

    /// Writes an element; outside the array there is nothing to write.
    fn store(&mut self, var: VarId, index: i128, value: i128) {
        let elements = self.elements(var);
        if let Some(index) = usize::try_from(index).ok().filter(|&index| index < elements.len()) {
            let before = std::mem::replace(&mut elements[index], value);
            self.undo.push(Before::Element(var, index, before));
        }
    }

    fn elements(&mut self, var: VarId) -> &mut [i128] {
        match &mut self.values[var.index()] {
            Some(Datum::Array(elements)) => Arc::make_mut(elements),
            _ => unreachable!("only known arrays are written by element"),
        }
    }

    fn go_back(&mut self) {
        while let Some(before) = self.undo.pop() {
            match before {
                Before::Variable(var, value) => self.values[var.index()] = value,
                Before::Element(var, index, value) => self.elements(var)[index] = value,
            }
        }
    }
}
