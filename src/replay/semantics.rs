//! One move: the meaning of a program as `program/mod.rs` states it, written down as plainly as possible.
//!
//! Terms are evaluated directly, states are whole, and each move is checked to be possible. The interpreter
//! (`interpret.rs`) and the reference explorer (`reference.rs`) move through these functions and nobody else
//! does: engines have their own, so that a mistake in one of the two shows.

use std::ops::Range;

use crate::program::{
    Barrier, Call, Init, Lanes, LocId, MemoryModel, Program, Role, ThreadId, TransId, Transition,
};
use crate::scheduler::{self, Misuse, Scheduler};
use crate::term::{Datum, Sort, TermId, VarId, Word};

use super::buffer::Buffer;
use super::run::{Cause, Cell};

/// A state of a program under a memory model.
///
/// A buffered write carries a `T` along: for a run the step that made it, for a set of states nothing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State<T> {
    /// Where each thread is, indexed by [`ThreadId`].
    pub locations: Vec<LocId>,
    /// The value of each variable, indexed by [`VarId`]; zero for inputs.
    pub memory: Vec<Datum>,
    /// The store buffer of each thread.
    pub buffers: Vec<Buffer<Cell, (i128, T)>>,
    /// The state of the scheduler, if the program is cooperative.
    pub scheduler: Option<scheduler::State>,
}

/// A value on its way to a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Write {
    pub place: Cell,
    /// The bytes of the place that it is about.
    pub lanes: Lanes,
    pub value: i128,
    /// Whether it went to the thread's store buffer; otherwise it is in memory now.
    pub buffered: bool,
}

/// A program under a memory model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Semantics<'a> {
    pub program: &'a Program,
    pub model: MemoryModel,
}

impl<'a> Semantics<'a> {
    /// The state in which a run begins that gives these values to variables without an initial value of their
    /// own.
    pub fn initial<T: Copy>(self, values: &[(VarId, Datum)]) -> Result<State<T>, Cause> {
        let variables = &self.program.variables;
        let mut memory: Vec<Datum> = variables
            .iter()
            .map(|variable| match (&variable.init, variable.role) {
                (Init::Any, _) | (_, Role::Input) => Datum::zero(variable.sort),
                (Init::Value(value), _) => value.clone(),
            })
            .collect();
        for (var, value) in values {
            let variable = variables.get(var.index()).ok_or(Cause::NoSuchThing)?;
            if variable.init != Init::Any || variable.role == Role::Input || !fits(value, variable.sort) {
                return Err(Cause::BadValue(*var));
            }
            memory[var.index()] = value.clone();
        }
        let locations = self.program.threads.iter().map(|thread| thread.entry).collect();
        let threads = self.program.threads.len();
        let scheduler = self.scheduler().map(|scheduler| scheduler.initial(threads));
        Ok(State { locations, memory, buffers: vec![Buffer::default(); threads], scheduler })
    }

    /// The location at which a run has ended.
    pub fn end<T>(self, state: &State<T>) -> Option<LocId> {
        state.locations.iter().copied().find(|&location| self.program.location(location).is_target())
    }

    /// Whether a thread can take a transition with these inputs: all variables as it sees them, or what
    /// forbids it.
    pub fn view<T: Copy>(
        self,
        state: &State<T>,
        id: TransId,
        inputs: &[(VarId, Datum)],
    ) -> Result<Vec<Datum>, Cause> {
        let transition = self.transition(id)?;
        let thread = self.program.thread_of(id);
        let here = state.locations[thread.index()];
        if here != transition.from {
            return Err(Cause::Elsewhere(here));
        }
        self.check_turn(state, thread)?;
        if transition.barrier == Barrier::Full && !state.buffers[thread.index()].is_empty() {
            return Err(Cause::BufferNotEmpty);
        }
        let mut view = state.memory.clone();
        for (place, lanes, (value, _)) in state.buffers[thread.index()].writes() {
            self.put(&mut view, place, lanes, value);
        }
        for (var, value) in inputs {
            let variable = self.program.variables.get(var.index()).ok_or(Cause::NoSuchThing)?;
            if variable.role != Role::Input || !fits(value, variable.sort) {
                return Err(Cause::BadValue(*var));
            }
            view[var.index()] = value.clone();
        }
        let holds =
            |term: TermId| self.program.terms.eval(term, &|var: VarId| view[var.index()].clone()).truth();
        if !holds(transition.guard) {
            return Err(Cause::GuardFails);
        }
        match transition.ranges.iter().all(|range| holds(range.holds)) {
            true => Ok(view),
            false => Err(Cause::Overflows),
        }
    }

    /// Takes a transition that [`Self::view`] has allowed. Adds the result of a call to the view. If the call
    /// is a misuse, the thread goes where the call says and nothing is written.
    pub fn take<T: Copy>(
        self,
        state: &mut State<T>,
        id: TransId,
        view: &mut [Datum],
        tag: T,
    ) -> Result<Vec<Write>, Misuse> {
        let transition = self.program.transition(id);
        let thread = self.program.thread_of(id).index();
        if let Some(call) = &transition.call
            && let Err(misuse) = self.call(state, ThreadId::new(thread), call, view)
        {
            state.locations[thread] = call.misuse;
            return Err(misuse);
        }
        if transition.barrier == Barrier::StoreStore {
            state.buffers[thread].store_store(self.model);
        }
        let weak = self.model != MemoryModel::Sc && transition.barrier != Barrier::Full;
        let mut writes = Vec::new();
        for (place, lanes, value) in self.written(transition, view) {
            let buffered = weak && self.program.is_shared(place.0);
            // What memory is accessed by directly is written whole.
            let lanes = if buffered { lanes } else { Lanes::ALL };
            match buffered {
                true => {
                    let value = self.only(place.0, lanes, value);
                    state.buffers[thread].push(self.model, (place, lanes), (value, tag));
                }
                false => self.put(&mut state.memory, place, lanes, value),
            }
            writes.push(Write { place, lanes, value, buffered });
        }
        state.locations[thread] = transition.to;
        Ok(writes)
    }

    /// Has the scheduler do what a call asks for.
    fn call<T>(
        self,
        state: &mut State<T>,
        caller: ThreadId,
        call: &Call,
        view: &mut [Datum],
    ) -> Result<(), Misuse> {
        let value =
            |term| self.program.terms.eval(term, &|var: VarId| view[var.index()].clone()).word() as i64;
        let arguments: Vec<i64> = call.arguments.iter().map(|&term| value(term)).collect();
        let scheduler = self.scheduler().expect("a program with calls is cooperative");
        let state = state.scheduler.as_mut().expect("and so is its state");
        let result = scheduler.execute(state, caller, call.primitive, &arguments)?;
        if let Some(var) = call.result {
            let Sort::Word(word) = self.program.variable(var).sort else { unreachable!("a word") };
            view[var.index()] = Datum::Word(word.wrap(i128::from(result)));
        }
        Ok(())
    }

    /// The states of the scheduler that may come next; none while a thread runs, and none in a program that
    /// is not cooperative.
    pub fn choices<T>(self, state: &State<T>) -> Vec<scheduler::State> {
        match (self.scheduler(), &state.scheduler) {
            (Some(scheduler), Some(now)) if now.running.is_none() => scheduler.next(now),
            _ => Vec::new(),
        }
    }

    /// Lets the scheduler decide; tells who goes next.
    pub fn schedule<T>(self, state: &mut State<T>, choice: u32) -> Result<ThreadId, Cause> {
        let next = self.choices(state).into_iter().nth(choice as usize).ok_or(Cause::NotNext)?;
        let running = next.running.expect("the scheduler lets a thread run");
        state.scheduler = Some(next);
        Ok(running)
    }

    /// The positions of the threads that may move.
    pub fn movers<T>(self, state: &State<T>) -> Range<usize> {
        match &state.scheduler {
            None => self.program.movers(&state.locations),
            Some(scheduler) => scheduler.running.map_or(0..0, |thread| thread.index()..thread.index() + 1),
        }
    }

    fn scheduler(self) -> Option<&'static dyn Scheduler> {
        self.program.policy.map(scheduler::of)
    }

    /// Lets a thread's oldest buffered write of these bytes of a place reach memory.
    pub fn flush<T: Copy>(
        self,
        state: &mut State<T>,
        thread: ThreadId,
        (place, lanes): (Cell, Lanes),
    ) -> Result<(i128, T), Cause> {
        let buffer = state.buffers.get(thread.index()).ok_or(Cause::NoSuchThing)?;
        if !buffer.flushable(self.model).contains(&(place, lanes)) {
            return Err(Cause::NotFlushable);
        }
        self.check_turn(state, thread)?;
        let (value, tag) = state.buffers[thread.index()].flush((place, lanes));
        self.put(&mut state.memory, place, lanes, value);
        Ok((value, tag))
    }

    /// Puts some bytes of a value into a place.
    fn put(self, memory: &mut [Datum], (var, element): Cell, lanes: Lanes, value: i128) {
        let datum = &mut memory[var.index()];
        match self.word(var) {
            Some(word) => put_bytes(datum, element, lanes, value, word),
            None => put(datum, element, value),
        }
    }

    /// A value with zeros in all other bytes, so that equal writes look equal.
    fn only(self, var: VarId, lanes: Lanes, value: i128) -> i128 {
        match self.word(var).filter(|_| !lanes.is_all()) {
            Some(word) => Word::unsigned(word.bits()).wrap(value) & i128::from(lanes.mask()),
            None => value,
        }
    }

    /// The word of a variable or its elements.
    fn word(self, var: VarId) -> Option<Word> {
        match self.program.variable(var).sort {
            Sort::Word(word) => Some(word),
            Sort::Array(array) => Some(array.elem),
            Sort::Bool => None,
        }
    }

    fn transition(self, id: TransId) -> Result<&'a Transition, Cause> {
        self.program.transitions.get(id.index()).ok_or(Cause::NoSuchThing)
    }

    /// Who may move is decided in `program/turn.rs`, or by the scheduler.
    fn check_turn<T>(self, state: &State<T>, thread: ThreadId) -> Result<(), Cause> {
        if self.movers(state).contains(&thread.index()) {
            return Ok(());
        }
        if state.scheduler.is_some() {
            return Err(Cause::NotRunning);
        }
        let atomic = |other: &ThreadId| self.program.location(state.locations[other.index()]).atomic;
        let other = self.program.thread_ids().filter(|&other| other != thread).find(atomic);
        Err(Cause::Excluded(other.expect("somebody else is in an atomic section")))
    }

    /// The places that a transition writes, with their values; those outside an array are left out.
    fn written(self, transition: &Transition, view: &[Datum]) -> Vec<(Cell, Lanes, i128)> {
        let eval = |term| self.program.terms.eval(term, &|var: VarId| view[var.index()].clone());
        let mut written = Vec::new();
        for update in &transition.updates {
            let (var, lanes) = (update.place.var, update.lanes);
            match (self.program.variable(var).sort, update.place.index, eval(update.value)) {
                (Sort::Array(array), Some(index), value) => {
                    if let Ok(index) = u32::try_from(eval(index).word())
                        && index < array.len
                    {
                        written.push(((var, Some(index)), lanes, value.word()));
                    }
                }
                (_, _, Datum::Array(values)) => {
                    let places = (0..).map(|i| (var, Some(i)));
                    written.extend(places.zip(values.iter()).map(|(place, &value)| (place, lanes, value)));
                }
                (_, _, Datum::Word(value)) => written.push(((var, None), lanes, value)),
                (_, _, Datum::Bool(value)) => written.push(((var, None), lanes, i128::from(value))),
            }
        }
        written
    }
}

impl<T: Copy> State<T> {
    /// The value of a variable as a thread sees it: its own buffered writes over memory.
    pub fn seen_by(&self, program: &Program, thread: ThreadId, var: VarId) -> Datum {
        let semantics = Semantics { program, model: MemoryModel::Sc };
        let mut memory = self.memory.clone();
        for (place, lanes, (new, _)) in self.buffers[thread.index()].writes() {
            semantics.put(&mut memory, place, lanes, new);
        }
        memory.swap_remove(var.index())
    }
}

/// Puts some bytes of a value into a scalar or an element of this word.
fn put_bytes(datum: &mut Datum, element: Option<u32>, lanes: Lanes, value: i128, word: Word) {
    if lanes.is_all() {
        return put(datum, element, value);
    }
    let old = match (&*datum, element) {
        (Datum::Array(values), Some(element)) => values[element as usize],
        (datum, _) => datum.word(),
    };
    let (mask, bits) = (i128::from(lanes.mask()), Word::unsigned(word.bits()));
    put(datum, element, word.wrap(bits.wrap(old) & !mask | bits.wrap(value) & mask));
}

/// Puts a value into a scalar or an element.
fn put(datum: &mut Datum, element: Option<u32>, value: i128) {
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
