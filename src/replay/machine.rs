//! The successor function of the explorer: compiled transitions, store buffers, choices.
//!
//! A step is tried in place: its effect is applied to the state, shown to the caller and undone. Values that the program
//! leaves open (inputs, initial values) are chosen only when code reads them, one after the other like the
//! digits of a counter, so that what is never read is never enumerated.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::program::{Barrier, Init, LocId, Mark, MemoryModel, Program, Role, ThreadId, TransId, Transition};
use crate::term::{Sort, VarId};

use super::compile::{Code, Compiler, Open, Reg, inside};
use super::inputs::{Domain, Domains};
use super::layout::Layout;
use super::state::State;
use super::{Gap, Limits};

/// A transition, compiled.
#[derive(Debug)]
struct Step {
    to: LocId,
    barrier: Barrier,
    code: Code,
    /// The operations before this one compute the guard.
    guard_end: usize,
    guard: Reg,
    writes: Vec<(Target, Reg)>,
}

/// What an update writes.
#[derive(Clone, Copy, Debug)]
enum Target {
    Cell(u32),
    Element { base: u32, len: u32, index: Reg },
}

/// A move that was made, for the caller to look at.
#[derive(Debug)]
pub(super) struct Taken<'a> {
    pub action: Act,
    pub thread: ThreadId,
    /// Whether shared cells may have changed.
    pub shared: bool,
    /// The open cells that were read, with the values chosen for them.
    pub choices: &'a [(u32, i64)],
}

/// Looks at a move and the state after it; may stop the enumeration.
pub(super) type Visit<'v> = dyn FnMut(&Taken<'_>, &State) -> ControlFlow<()> + 'v;

/// What kind of move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Act {
    Step(TransId),
    /// A buffered write reached this cell.
    Flush(u32),
}

/// A value being chosen for an open cell.
#[derive(Debug)]
struct Digit {
    cell: u32,
    domain: Domain,
    position: usize,
}

/// A program ready to run.
#[derive(Debug)]
pub(super) struct Machine<'a> {
    program: &'a Program,
    layout: &'a Layout,
    model: MemoryModel,
    buffer_limit: usize,
    steps: Vec<Step>,
    domains: Domains,
    /// What could not be followed so far.
    pub gaps: BTreeSet<Gap>,
    regs: Vec<i64>,
    writes: Vec<(u32, i64)>,
    digits: Vec<Digit>,
    choices: Vec<(u32, i64)>,
}

impl<'a> Machine<'a> {
    pub fn new(program: &'a Program, layout: &'a Layout, model: MemoryModel, limits: &Limits) -> Machine<'a> {
        Machine {
            program,
            model,
            buffer_limit: limits.buffer,
            steps: program
                .transitions
                .iter()
                .map(|transition| compile(program, layout, transition))
                .collect(),
            domains: Domains::new(program, limits.choices),
            layout,
            gaps: BTreeSet::new(),
            regs: Vec::new(),
            writes: Vec::new(),
            digits: Vec::new(),
            choices: Vec::new(),
        }
    }

    /// The initial state; cells whose value the program does not give are open.
    pub fn initial(&self) -> State {
        let mut state = State::new(self.program, self.layout);
        let open: Vec<VarId> = self.program.variable_ids().filter(|&var| self.is_open(var)).collect();
        if !open.is_empty() {
            state.open = vec![false; self.layout.cells()];
        }
        for var in self.program.variable_ids() {
            let field = self.layout.field(var);
            if self.is_open(var) {
                state.open[field.base as usize..(field.base + field.len) as usize].fill(true);
            } else if let Init::Value(value) = &self.program.variable(var).init {
                self.layout.set(&mut state.cells, var, value);
            }
        }
        state
    }

    fn is_open(&self, var: VarId) -> bool {
        let variable = self.program.variable(var);
        variable.role == Role::Input || variable.init == Init::Any
    }

    /// The threads that may move: all, unless one stands at an atomic location; then it alone, and nobody
    /// if there are two such threads.
    pub fn movable(&self, state: &State) -> std::ops::Range<usize> {
        let atomic = |t: &usize| self.program.location(state.locations[*t]).atomic;
        let threads = state.locations.len();
        match (0..threads).find(atomic) {
            None => 0..threads,
            Some(first) if (first + 1..threads).any(|t| atomic(&t)) => 0..0,
            Some(first) => first..first + 1,
        }
    }

    /// Whether the run ends in this location, whatever other threads could still do.
    pub fn ends_run(&self, location: LocId) -> bool {
        matches!(&self.program.location(location).mark, Some(mark) if *mark != Mark::End)
    }

    /// Calls `visit` with each successor of a state by a step or a flush of a thread. The state is left as it was,
    /// even when `visit` stops the enumeration.
    pub fn successors(
        &mut self,
        state: &mut State,
        thread: ThreadId,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        self.steps_of(state, thread, visit)?;
        self.flushes_of(state, thread, visit)
    }

    /// The successors by a step of a thread.
    pub fn steps_of(
        &mut self,
        state: &mut State,
        thread: ThreadId,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        for &transition in self.program.outgoing(state.locations[thread.index()]) {
            let full = self.steps[transition.index()].barrier == Barrier::Full;
            if !full || state.buffers[thread.index()].is_empty() {
                self.fire(state, thread, transition, visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The successors by a flush of a thread's buffer.
    pub fn flushes_of(
        &mut self,
        state: &mut State,
        thread: ThreadId,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let t = thread.index();
        for cell in state.buffers[t].flushable(self.model) {
            let at = cell as usize;
            let before = state.buffers[t].clone();
            let old = (state.cells[at], is_open(state, cell));
            let value = state.buffers[t].flush(cell);
            set(state, cell, value);
            let flow = visit(&Taken { action: Act::Flush(cell), thread, shared: true, choices: &[] }, state);
            restore(state, cell, old);
            state.buffers[t] = before;
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Tries a transition with all choices for the open cells that it reads.
    fn fire(
        &mut self,
        state: &mut State,
        thread: ThreadId,
        transition: TransId,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        loop {
            match self.evaluate(state, thread, transition) {
                Err(Open(cell)) => {
                    self.first_value(state, cell, transition);
                    continue;
                }
                Ok(false) => {}
                Ok(true) => flow = self.apply(state, thread, transition, visit),
            }
            if flow.is_break() {
                while let Some(digit) = self.digits.pop() {
                    restore(state, digit.cell, (0, true));
                }
            }
            if !self.next_value(state) {
                return flow;
            }
        }
    }

    /// Evaluates guard and updates as the thread sees memory; the writes are left in `self.writes`. Tells whether the guard holds.
    fn evaluate(&mut self, state: &mut State, thread: ThreadId, transition: TransId) -> Result<bool, Open> {
        let buffer = std::mem::take(&mut state.buffers[thread.index()]);
        let hidden: Vec<(u32, (i64, bool))> = buffer
            .writes()
            .map(|(cell, value)| {
                let old = (state.cells[cell as usize], is_open(state, cell));
                set(state, cell, value);
                (cell, old)
            })
            .collect();
        let result = self.steps[transition.index()].evaluate(state, &mut self.regs, &mut self.writes);
        for (cell, old) in hidden.into_iter().rev() {
            restore(state, cell, old);
        }
        state.buffers[thread.index()] = buffer;
        result
    }

    /// Applies `self.writes`, shows the new state, and takes everything back.
    fn apply(
        &mut self,
        state: &mut State,
        thread: ThreadId,
        transition: TransId,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let t = thread.index();
        let step = &self.steps[transition.index()];
        let buffered = self.model != MemoryModel::Sc && step.barrier != Barrier::Full;
        let from = std::mem::replace(&mut state.locations[t], step.to);
        let before = buffered.then(|| state.buffers[t].clone());
        if step.barrier == Barrier::StoreStore {
            state.buffers[t].store_store(self.model);
        }
        let shared = self.layout.shared.end as u32;
        let mut changed = self.digits.iter().any(|digit| digit.cell < shared);
        let mut undo = Vec::new();
        for &(cell, value) in &self.writes {
            if buffered && cell < shared {
                state.buffers[t].push(self.model, cell, value);
            } else {
                changed |= cell < shared;
                undo.push((cell, (state.cells[cell as usize], is_open(state, cell))));
                set(state, cell, value);
            }
        }
        self.choices.clear();
        self.choices
            .extend(self.digits.iter().map(|digit| (digit.cell, digit.domain.values[digit.position])));
        let flow = if state.buffers[t].writes().count() > self.buffer_limit {
            self.gaps.insert(Gap::Buffer(thread));
            ControlFlow::Continue(())
        } else {
            let action = Act::Step(transition);
            visit(&Taken { action, thread, shared: changed, choices: &self.choices }, state)
        };
        for (cell, old) in undo.into_iter().rev() {
            restore(state, cell, old);
        }
        state.locations[t] = from;
        if let Some(before) = before {
            state.buffers[t] = before;
        }
        flow
    }

    /// Begins to choose values for an open cell.
    fn first_value(&mut self, state: &mut State, cell: u32, transition: TransId) {
        let others = self.digits.iter().map(|digit| digit.domain.values.len() as u64).product();
        let domain = self.domains.choose(self.layout, cell, others);
        if !domain.exact {
            let (var, _) = self.layout.place_of(cell);
            self.gaps.insert(Gap::Choice(var, transition));
        }
        set(state, cell, domain.values[0]);
        self.digits.push(Digit { cell, domain, position: 0 });
    }

    /// Goes on to the next combination of values; `false` after the last, with all cells open again.
    fn next_value(&mut self, state: &mut State) -> bool {
        while let Some(digit) = self.digits.last_mut() {
            digit.position += 1;
            if let Some(&value) = digit.domain.values.get(digit.position) {
                set(state, digit.cell, value);
                return true;
            }
            restore(state, digit.cell, (0, true));
            self.digits.pop();
        }
        false
    }
}

impl Step {
    fn evaluate(
        &self,
        state: &State,
        regs: &mut Vec<i64>,
        writes: &mut Vec<(u32, i64)>,
    ) -> Result<bool, Open> {
        self.code.run(0..self.guard_end, &state.cells, &state.open, regs)?;
        if regs[self.guard as usize] == 0 {
            return Ok(false);
        }
        self.code.run(self.guard_end..self.code.len(), &state.cells, &state.open, regs)?;
        writes.clear();
        for &(target, value) in &self.writes {
            let value = regs[value as usize];
            match target {
                Target::Cell(cell) => writes.push((cell, value)),
                Target::Element { base, len, index } => {
                    let index = regs[index as usize];
                    if inside(index, len) {
                        writes.push((base + index as u32, value));
                    }
                }
            }
        }
        Ok(true)
    }
}

fn compile(program: &Program, layout: &Layout, transition: &Transition) -> Step {
    let mut compiler = Compiler::new(&program.terms, layout);
    let guard = compiler.term(transition.guard);
    let guard_end = compiler.len();
    let mut writes = Vec::new();
    for update in &transition.updates {
        let field = layout.field(update.place.var);
        match update.place.index {
            Some(index) => {
                let index = compiler.term(index);
                let value = compiler.term(update.value);
                writes.push((Target::Element { base: field.base, len: field.len, index }, value));
            }
            None if matches!(field.sort, Sort::Array(_)) => {
                let values = compiler.elements(update.value, field.len);
                writes.extend((field.base..).map(Target::Cell).zip(values));
            }
            None => writes.push((Target::Cell(field.base), compiler.term(update.value))),
        }
    }
    Step { to: transition.to, barrier: transition.barrier, code: compiler.finish(), guard_end, guard, writes }
}

fn is_open(state: &State, cell: u32) -> bool {
    state.open.get(cell as usize).copied().unwrap_or(false)
}

/// Gives a cell a value.
fn set(state: &mut State, cell: u32, value: i64) {
    restore(state, cell, (value, false));
}

fn restore(state: &mut State, cell: u32, (value, open): (i64, bool)) {
    state.cells[cell as usize] = value;
    if let Some(flag) = state.open.get_mut(cell as usize) {
        *flag = open;
    }
}
