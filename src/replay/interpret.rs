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

#[cfg(test)]
mod tests {
    use crate::program::{Assertion, Event, Origin, Place, ProgramBuilder, Sources, Span, Update, Variable};
    use crate::term::{ArraySort, Word};

    use super::*;

    const INT: Word = Word::signed(32);

    /// Thread 0: `lock m; a[i] = 5; r = a[1]; unlock m; assert(r != 5)`, where `i` is an input;
    /// thread 1: `s = a[1]` in an atomic section.
    struct Example {
        program: Program,
        a: VarId,
        input: VarId,
        main: [TransId; 5],
        other: [TransId; 2],
    }

    fn example() -> Example {
        let mut builder = ProgramBuilder::new(Sources::default());
        let array = Sort::Array(ArraySort { len: 2, elem: INT });
        let variable = |builder: &mut ProgramBuilder, name: &str, sort, role| {
            let init = Init::Value(Datum::zero(sort));
            builder.variable(Variable { name: name.to_owned(), sort, role, init, origin: Origin::User })
        };
        let a = variable(&mut builder, "a", array, Role::Shared);
        let input = builder.input("i", Sort::Word(Word::unsigned(1)));
        let main = builder.thread("main", Span::NONE);
        let other = builder.thread("other", Span::NONE);
        let r = variable(&mut builder, "r", Sort::Word(INT), Role::Private(main));
        let s = variable(&mut builder, "s", Sort::Word(INT), Role::Private(other));

        let terms = builder.terms();
        let (always, five, one) = (terms.bool(true), terms.constant(5, INT), terms.constant(1, INT));
        let (whole, at) = (terms.var(a), terms.var(input));
        let element = terms.select(whole, one);
        let r_value = terms.var(r);
        let bad = terms.eq(r_value, five);

        let l: Vec<LocId> = (0..4).map(|_| builder.location(main, Span::NONE)).collect();
        let assertion = builder.assertion(Assertion { span: Span::NONE, text: "r != 5".to_owned() });
        let error = builder.marked_location(main, Mark::Error(assertion), Span::NONE);
        let inside = builder.atomic_location(other, Span::NONE);
        let end = builder.marked_location(other, Mark::End, Span::NONE);
        let entries = [main, other].map(|thread| builder.program().thread(thread).entry);
        let mut step = |from, to, guard, update: Option<(Place, crate::term::TermId)>, barrier, action| {
            let updates = update.into_iter().map(|(place, value)| Update { place, value }).collect();
            let events = vec![Event { span: Span::NONE, action }];
            builder.transition(Transition { from, to, guard, updates, barrier, events })
        };
        let scalar = |var| Place { var, index: None };
        let lock = Action::Lock("m".to_owned());
        let unlock = Action::Unlock("m".to_owned());
        let store = (Place { var: a, index: Some(at) }, five);
        let main = [
            step(entries[0], l[0], always, None, Barrier::Full, lock),
            step(l[0], l[1], always, Some(store), Barrier::None, Action::Compute),
            step(l[1], l[2], always, Some((scalar(r), element)), Barrier::None, Action::Compute),
            step(l[2], l[3], always, None, Barrier::Full, unlock),
            step(l[3], error, bad, None, Barrier::None, Action::Assert(assertion)),
        ];
        let other = [
            step(entries[1], inside, always, None, Barrier::Full, Action::Compute),
            step(inside, end, always, Some((scalar(s), element)), Barrier::None, Action::Compute),
        ];
        Example { program: builder.build(), a, input, main, other }
    }

    impl Example {
        fn step(&self, transition: TransId) -> Move {
            Move::Step { transition, inputs: Vec::new() }
        }

        fn store_at(&self, index: i128) -> Move {
            Move::Step { transition: self.main[1], inputs: vec![(self.input, Datum::Word(index))] }
        }

        fn flush(&self, element: u32) -> Move {
            Move::Flush { thread: ThreadId::new(0), var: self.a, element: Some(element) }
        }

        fn run(&self, model: MemoryModel, moves: &[Move]) -> Result<Run, RunError> {
            run(&self.program, model, &Trace { initial: Vec::new(), moves: moves.to_vec() })
        }

        #[track_caller]
        fn refuses(&self, model: MemoryModel, moves: &[Move], cause: Cause) {
            let step = Some(moves.len() - 1);
            assert_eq!(self.run(model, moves).map(|_| ()), Err(RunError { step, cause }));
        }
    }

    #[test]
    fn values_come_from_where_they_were_written() {
        let e = example();
        let [lock, _, load, unlock, fail] = e.main.map(|id| e.step(id));
        let [enter, look] = e.other.map(|id| e.step(id));
        let moves = [lock, e.store_at(1), load, enter, look, e.flush(1), unlock, fail];
        let run = e.run(MemoryModel::Tso, &moves).expect("possible");
        let read = |step: usize| (run.steps[step].reads[0].value.clone(), run.steps[step].reads[0].source);
        assert_eq!(read(2), (Datum::Word(5), Source::Buffer(1)));
        assert_eq!(read(4), (Datum::Word(0), Source::Initial));
        assert_eq!(read(7), (Datum::Word(5), Source::Memory(2)), "r, which the load wrote");
        assert_eq!(run.steps[1].inputs, [(e.input, Datum::Word(1))]);
        assert!(run.steps[1].writes[0].buffered && !run.steps[5].writes[0].buffered);
        assert_eq!(run.steps[5].done, Done::Flush { buffered: 1 });
        assert_eq!(run.states[2].seen_by(ThreadId::new(0), e.a), Datum::Array([0, 5].into()));
        assert_eq!(run.states[2].seen_by(ThreadId::new(1), e.a), Datum::Array([0, 0].into()));
        assert_eq!(run.states[3].locks["m"], [ThreadId::new(0)]);
        assert!(run.last().locks.is_empty());
        assert!(run.violation(&e.program).is_some());
    }

    #[test]
    fn impossible_moves_are_refused() {
        let e = example();
        let [lock, _, load, unlock, fail] = e.main.map(|id| e.step(id));
        let [enter, look] = e.other.map(|id| e.step(id));
        let (sc, tso) = (MemoryModel::Sc, MemoryModel::Tso);
        let at = |i: usize| e.program.transition(e.main[i]).from;
        e.refuses(sc, std::slice::from_ref(&load), Cause::Elsewhere(at(0)));
        e.refuses(sc, &[lock.clone(), enter.clone(), e.store_at(0)], Cause::Excluded(ThreadId::new(1)));
        let early = [lock.clone(), e.store_at(0), load.clone(), unlock.clone()];
        e.refuses(tso, &early, Cause::BufferNotEmpty);
        e.refuses(tso, &[lock.clone(), e.store_at(0), e.flush(1)], Cause::NotFlushable);
        e.refuses(sc, &[lock.clone(), e.store_at(0), e.flush(0)], Cause::NotFlushable);
        e.refuses(sc, &[lock.clone(), e.store_at(2)], Cause::BadValue(e.input));
        let wrong = [lock.clone(), e.store_at(0), load.clone(), unlock.clone(), fail.clone()];
        e.refuses(sc, &wrong, Cause::GuardFails);
        let after = [lock, e.store_at(1), load, unlock, fail, enter, look];
        let error = e.run(sc, &after).expect_err("the run is over");
        assert_eq!(error.step, Some(5));
        assert!(error.to_string().starts_with("move 5 of the trace is not possible: the run has ended"));
    }
}
