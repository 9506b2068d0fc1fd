//! The interpreter: follows one trace, move by move, and notes what each move read and wrote.
//!
//! The moves themselves are those of `semantics.rs`, which checks that each is possible.

use std::collections::BTreeMap;

use crate::program::{
    Action, Handle, Lanes, MemoryModel, Move, Program, ThreadId, Trace, TransId, Transition,
};
use crate::term::{Datum, Sort, VarId};

use super::reads::places_read;
use super::run::{Cause, Cell, Done, Locks, ReadValue, Run, RunError, RunStep, Source, WrittenValue};
use super::semantics::{Semantics, State, Write};

/// Follows a trace under a memory model.
pub fn run(program: &Program, model: MemoryModel, trace: &Trace) -> Result<Run, RunError> {
    let semantics = Semantics { program, model };
    let now = semantics.initial(&trace.initial).map_err(|cause| RunError { step: None, cause })?;
    let (locks, writers) = (Locks::new(), BTreeMap::new());
    let mut interpreter = Interpreter { semantics, program, now, locks, writers, step: 0 };
    let mut run = Run { steps: Vec::new(), states: Vec::new(), locks: Vec::new() };
    for (i, action) in trace.moves.iter().enumerate() {
        run.states.push(interpreter.now.clone());
        run.locks.push(interpreter.locks.clone());
        interpreter.step = i;
        let step = interpreter.follow(action).map_err(|cause| RunError { step: Some(i), cause })?;
        run.steps.push(step);
    }
    run.states.push(interpreter.now);
    run.locks.push(interpreter.locks);
    Ok(run)
}

struct Interpreter<'a> {
    semantics: Semantics<'a>,
    program: &'a Program,
    now: State<usize>,
    locks: Locks,
    /// The step whose write is in memory at each place.
    writers: BTreeMap<Cell, usize>,
    /// The number of the current step.
    step: usize,
}

impl Interpreter<'_> {
    fn follow(&mut self, action: &Move) -> Result<RunStep, Cause> {
        if let Some(location) = self.semantics.end(&self.now) {
            return Err(Cause::Ended(location));
        }
        match action {
            Move::Step { transition, inputs } => self.take(*transition, inputs),
            Move::Schedule { choice } => self.schedule(*choice),
            Move::Flush { thread, var, element, lanes } => self.flush(*thread, ((*var, *element), *lanes)),
        }
    }

    fn schedule(&mut self, choice: u32) -> Result<RunStep, Cause> {
        let thread = self.semantics.schedule(&mut self.now, choice)?;
        let (reads, writes, inputs, objects) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Ok(RunStep { thread, done: Done::Schedule, reads, writes, inputs, objects, misuse: None })
    }

    fn flush(&mut self, thread: ThreadId, (place, lanes): (Cell, Lanes)) -> Result<RunStep, Cause> {
        let (value, buffered) = self.semantics.flush(&mut self.now, thread, (place, lanes))?;
        self.writers.insert(place, buffered);
        let written = self.told(Write { place, lanes, value, buffered: false });
        let (reads, inputs, objects) = (Vec::new(), Vec::new(), Vec::new());
        let (done, writes) = (Done::Flush { buffered }, vec![written]);
        Ok(RunStep { thread, done, reads, writes, inputs, objects, misuse: None })
    }

    fn take(&mut self, id: TransId, inputs: &[(VarId, Datum)]) -> Result<RunStep, Cause> {
        let mut view = self.semantics.view(&self.now, id, inputs)?;
        let (thread, transition) = (self.program.thread_of(id), self.program.transition(id));
        let reads = self.reads(thread, transition, &view);
        let objects = objects(self.program, transition, &view);
        let (writes, misuse) = match self.semantics.take(&mut self.now, id, &mut view, self.step) {
            Ok(writes) => (writes, None),
            Err(misuse) => (Vec::new(), Some(misuse)),
        };
        for write in writes.iter().filter(|write| !write.buffered) {
            self.writers.insert(write.place, self.step);
        }
        let writes = writes.into_iter().map(|write| self.told(write)).collect();
        self.hold_locks(thread, transition, &objects);
        let inputs = self.program.inputs_of(transition).into_iter();
        let inputs = inputs.map(|var| (var, view[var.index()].clone())).collect();
        Ok(RunStep { thread, done: Done::Step(id), reads, writes, inputs, objects, misuse })
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

    fn hold_locks(&mut self, thread: ThreadId, transition: &Transition, objects: &[(usize, String)]) {
        for (event, name) in objects {
            match &transition.events[*event].action {
                Action::Lock(_) => self.locks.entry(name.clone()).or_default().push(thread),
                Action::Unlock(_) => {
                    if let Some(holders) = self.locks.get_mut(name) {
                        // The lock may have been taken by another thread, as only some kinds of locks forbid.
                        let position = holders.iter().rposition(|&holder| holder == thread);
                        holders.remove(position.unwrap_or(holders.len() - 1));
                        if holders.is_empty() {
                            self.locks.remove(name);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// A write as the run tells it: the number is a value of the place's sort.
    fn told(&self, Write { place: (var, element), lanes, value, buffered }: Write) -> WrittenValue {
        let value = match self.program.variable(var).sort {
            Sort::Bool => Datum::Bool(value != 0),
            Sort::Word(_) | Sort::Array(_) => Datum::Word(value),
        };
        WrittenValue { var, element, lanes, value, buffered }
    }
}

/// The names of the locks and condition variables that events are about: by address, so that one has one
/// name however the source comes to it, or else as the source says.
fn objects(program: &Program, transition: &Transition, view: &[Datum]) -> Vec<(usize, String)> {
    let value = |var: VarId| view[var.index()].clone();
    let name = |handle: &Handle| {
        let address = handle.address.map(|address| program.terms.eval(address, &value).word());
        address.and_then(|address| program.library_object(address)).unwrap_or_else(|| handle.text.clone())
    };
    let events = transition.events.iter().enumerate();
    events.filter_map(|(i, event)| Some((i, name(event.action.handle()?)))).collect()
}

#[cfg(test)]
mod tests {
    use crate::program::{
        Assertion, Barrier, Event, Init, LocId, Mark, Origin, Place, ProgramBuilder, Role, Sources, Span,
        Update, Variable,
    };
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
        let assertion = builder.assertion(Assertion::new(Span::NONE, "r != 5".to_owned()));
        let error = builder.marked_location(main, Mark::Error(assertion), Span::NONE);
        let inside = builder.atomic_location(other, Span::NONE);
        let end = builder.marked_location(other, Mark::End, Span::NONE);
        let entries = [main, other].map(|thread| builder.program().thread(thread).entry);
        let mut step = |from, to, guard, update: Option<(Place, crate::term::TermId)>, barrier, action| {
            let updates = update.into_iter().map(|(place, value)| Update::whole(place, value)).collect();
            let events = vec![Event { span: Span::NONE, action }];
            builder.transition(Transition { updates, barrier, events, ..Transition::silent(from, to, guard) })
        };
        let scalar = |var| Place { var, index: None };
        let handle = Handle { text: "m".to_owned(), address: None };
        let (lock, unlock) = (Action::Lock(handle.clone()), Action::Unlock(handle));
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
            Move::Flush { thread: ThreadId::new(0), var: self.a, element: Some(element), lanes: Lanes::ALL }
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
        assert_eq!(run.states[2].seen_by(&e.program, ThreadId::new(0), e.a), Datum::Array([0, 5].into()));
        assert_eq!(run.states[2].seen_by(&e.program, ThreadId::new(1), e.a), Datum::Array([0, 0].into()));
        assert_eq!(run.locks[3]["m"], [ThreadId::new(0)]);
        assert!(run.locks[run.steps.len()].is_empty());
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
