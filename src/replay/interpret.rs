//! The interpreter: follows one trace, move by move.
//!
//! This is the semantics of `program/mod.rs` written down as plainly as possible: terms are evaluated directly, states are
//! kept whole, and each move is checked to be possible.

use std::collections::BTreeMap;

use crate::program::{
    Action, Barrier, Init, LocId, Mark, MemoryModel, Move, Program, Role, ThreadId, Trace, TransId,
    Transition,
};
use crate::term::{Datum, Sort, VarId};

use super::buffer::Buffer;
use super::reads::places_read;
use super::run::{Cause, Cell, Done, ReadValue, Run, RunError, RunStep, Snapshot, Source, WrittenValue};

/// Follows a trace under a memory model.
pub fn run(program: &Program, model: MemoryModel, trace: &Trace) -> Result<Run, RunError> {
    let start = initial(program, trace).map_err(|cause| RunError { step: None, cause })?;
    let mut interpreter = Interpreter { program, model, now: start, writers: BTreeMap::new(), step: 0 };
    let mut run = Run { steps: Vec::new(), states: Vec::new() };
    for (i, action) in trace.moves.iter().enumerate() {
        run.states.push(interpreter.now.clone());
        interpreter.step = i;
        let step = interpreter.follow(action).map_err(|cause| RunError { step: Some(i), cause })?;
        run.steps.push(step);
    }
    run.states.push(interpreter.now);
    Ok(run)
}

/// The state in which a trace begins.
fn initial(program: &Program, trace: &Trace) -> Result<Snapshot, Cause> {
    let mut memory: Vec<Datum> = program
        .variables
        .iter()
        .map(|variable| match (&variable.init, variable.role) {
            (Init::Any, _) | (_, Role::Input) => Datum::zero(variable.sort),
            (Init::Value(value), _) => value.clone(),
        })
        .collect();
    for (var, value) in &trace.initial {
        let variable = program.variables.get(var.index()).ok_or(Cause::NoSuchThing)?;
        if variable.init != Init::Any || variable.role == Role::Input || !fits(value, variable.sort) {
            return Err(Cause::BadValue(*var));
        }
        memory[var.index()] = value.clone();
    }
    Ok(Snapshot {
        locations: program.threads.iter().map(|thread| thread.entry).collect(),
        memory,
        buffers: vec![Buffer::default(); program.threads.len()],
        locks: BTreeMap::new(),
    })
}

struct Interpreter<'a> {
    program: &'a Program,
    model: MemoryModel,
    now: Snapshot,
    /// The step whose write is in memory at each place.
    writers: BTreeMap<Cell, usize>,
    /// The number of the current step.
    step: usize,
}

impl Interpreter<'_> {
    fn follow(&mut self, action: &Move) -> Result<RunStep, Cause> {
        let ended = |location: &LocId| matches!(&self.program.location(*location).mark, Some(mark) if *mark != Mark::End);
        if let Some(location) = self.now.locations.iter().copied().find(ended) {
            return Err(Cause::Ended(location));
        }
        match action {
            Move::Step { transition, inputs } => self.take(*transition, inputs),
            Move::Flush { thread, var, element } => self.flush(*thread, (*var, *element)),
        }
    }

    /// Only a thread in an atomic section moves while there is one.
    fn check_turn(&self, thread: ThreadId) -> Result<(), Cause> {
        let atomic = |other: &ThreadId| self.program.location(self.now.locations[other.index()]).atomic;
        match self.program.thread_ids().filter(|&other| other != thread).find(atomic) {
            Some(other) => Err(Cause::Excluded(other)),
            None => Ok(()),
        }
    }

    fn flush(&mut self, thread: ThreadId, place: Cell) -> Result<RunStep, Cause> {
        let buffer = self.now.buffers.get(thread.index()).ok_or(Cause::NoSuchThing)?;
        if !buffer.flushable(self.model).contains(&place) {
            return Err(Cause::NotFlushable);
        }
        self.check_turn(thread)?;
        let (value, buffered) = self.now.buffers[thread.index()].flush(place);
        let (var, element) = place;
        put(&mut self.now.memory[var.index()], element, value);
        self.writers.insert(place, buffered);
        let value = self.datum(place, value);
        Ok(RunStep {
            thread,
            done: Done::Flush { buffered },
            reads: Vec::new(),
            writes: vec![WrittenValue { var, element, value, buffered: false }],
            inputs: Vec::new(),
        })
    }

    fn take(&mut self, id: TransId, inputs: &[(VarId, Datum)]) -> Result<RunStep, Cause> {
        let transition = self.program.transitions.get(id.index()).ok_or(Cause::NoSuchThing)?;
        let thread = self.program.thread_of(id);
        let here = self.now.locations[thread.index()];
        if here != transition.from {
            return Err(Cause::Elsewhere(here));
        }
        self.check_turn(thread)?;
        if transition.barrier == Barrier::Full && !self.now.buffers[thread.index()].is_empty() {
            return Err(Cause::BufferNotEmpty);
        }
        let view = self.view(thread, inputs)?;
        let value = |var: VarId| view[var.index()].clone();
        if !self.program.terms.eval(transition.guard, &value).truth() {
            return Err(Cause::GuardFails);
        }
        let reads = self.reads(thread, transition, &view);
        let writes = self.write(thread, transition, &view);
        self.now.locations[thread.index()] = transition.to;
        self.hold_locks(thread, transition);
        let mut inputs: Vec<VarId> =
            transition.terms().flat_map(|term| self.program.terms.vars(term)).collect();
        inputs.retain(|&var| self.program.variable(var).role == Role::Input);
        inputs.sort_unstable();
        inputs.dedup();
        let inputs = inputs.into_iter().map(|var| (var, value(var))).collect();
        Ok(RunStep { thread, done: Done::Step(id), reads, writes, inputs })
    }

    /// All variables as a thread sees them, with the inputs of this move.
    fn view(&self, thread: ThreadId, inputs: &[(VarId, Datum)]) -> Result<Vec<Datum>, Cause> {
        let mut view = self.now.memory.clone();
        for ((var, element), (value, _)) in self.now.buffers[thread.index()].writes() {
            put(&mut view[var.index()], element, value);
        }
        for (var, value) in inputs {
            let variable = self.program.variables.get(var.index()).ok_or(Cause::NoSuchThing)?;
            if variable.role != Role::Input || !fits(value, variable.sort) {
                return Err(Cause::BadValue(*var));
            }
            view[var.index()] = value.clone();
        }
        Ok(view)
    }

    fn reads(&self, thread: ThreadId, transition: &Transition, view: &[Datum]) -> Vec<ReadValue> {
        let places = places_read(self.program, transition, view);
        let buffer = &self.now.buffers[thread.index()];
        places
            .into_iter()
            .map(|(var, element)| {
                let place = (var, element);
                let value = match (&view[var.index()], element) {
                    (Datum::Array(values), Some(element)) => Datum::Word(values[element as usize]),
                    (value, _) => value.clone(),
                };
                let source = match (buffer.forward(place), self.writers.get(&place)) {
                    (Some((_, step)), _) => Source::Buffer(step),
                    (None, Some(&step)) => Source::Memory(step),
                    (None, None) => Source::Initial,
                };
                ReadValue { var, element, value, source }
            })
            .collect()
    }

    /// Performs the updates.
    fn write(&mut self, thread: ThreadId, transition: &Transition, view: &[Datum]) -> Vec<WrittenValue> {
        let t = thread.index();
        if transition.barrier == Barrier::StoreStore {
            self.now.buffers[t].store_store(self.model);
        }
        let weak = self.model != MemoryModel::Sc && transition.barrier != Barrier::Full;
        let mut written = Vec::new();
        for (place, value) in self.written(transition, view) {
            let (var, element) = place;
            let buffered = weak && self.program.is_shared(var);
            if buffered {
                self.now.buffers[t].push(self.model, place, (value, self.step));
            } else {
                put(&mut self.now.memory[var.index()], element, value);
                self.writers.insert(place, self.step);
            }
            written.push(WrittenValue { var, element, value: self.datum(place, value), buffered });
        }
        written
    }

    /// The places that a transition writes, with their values; those outside an array are left out.
    fn written(&self, transition: &Transition, view: &[Datum]) -> Vec<(Cell, i128)> {
        let eval = |term| self.program.terms.eval(term, &|var: VarId| view[var.index()].clone());
        let mut written = Vec::new();
        for update in &transition.updates {
            let var = update.place.var;
            match (self.program.variable(var).sort, update.place.index, eval(update.value)) {
                (Sort::Array(array), Some(index), value) => {
                    if let Ok(index) = u32::try_from(eval(index).word())
                        && index < array.len
                    {
                        written.push(((var, Some(index)), value.word()));
                    }
                }
                (_, _, Datum::Array(values)) => {
                    written.extend((0..).map(|i| (var, Some(i))).zip(values.iter().copied()));
                }
                (_, _, Datum::Word(value)) => written.push(((var, None), value)),
                (_, _, Datum::Bool(value)) => written.push(((var, None), i128::from(value))),
            }
        }
        written
    }

    fn hold_locks(&mut self, thread: ThreadId, transition: &Transition) {
        for event in &transition.events {
            match &event.action {
                Action::Lock(name) => self.now.locks.entry(name.clone()).or_default().push(thread),
                Action::Unlock(name) => {
                    if let Some(holders) = self.now.locks.get_mut(name) {
                        // The lock may have been taken by another thread, as only some kinds of locks forbid.
                        let position = holders.iter().rposition(|&holder| holder == thread);
                        holders.remove(position.unwrap_or(holders.len() - 1));
                        if holders.is_empty() {
                            self.now.locks.remove(name);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// A number as a value of a place's sort.
    fn datum(&self, (var, _): Cell, value: i128) -> Datum {
        match self.program.variable(var).sort {
            Sort::Bool => Datum::Bool(value != 0),
            Sort::Word(_) | Sort::Array(_) => Datum::Word(value),
        }
    }
}

/// Puts a value into a scalar or an element.
pub(super) fn put(datum: &mut Datum, element: Option<u32>, value: i128) {
    match (datum, element) {
        (Datum::Bool(slot), _) => *slot = value != 0,
        (Datum::Word(slot), _) => *slot = value,
        (Datum::Array(values), element) => {
            let element = element.expect("an array is written element by element");
            let mut elements = values.to_vec();
            elements[element as usize] = value;
            *values = elements.into();
        }
    }
}

/// Whether a value is one of a sort.
fn fits(value: &Datum, sort: Sort) -> bool {
    match (value, sort) {
        (Datum::Bool(_), Sort::Bool) => true,
        (Datum::Word(value), Sort::Word(word)) => word.contains(*value),
        (Datum::Array(values), Sort::Array(array)) => {
            values.len() == array.len as usize && values.iter().all(|value| array.elem.contains(*value))
        }
        _ => false,
    }
}
