//! A transition, compiled: what it does to a state, before store buffers come in.

use std::ops::Range;

use crate::program::{Barrier, Lanes, LocId, MemoryModel, Program, Role, Transition, Update};
use crate::scheduler;
use crate::term::{Sort, VarId};

use super::call::StepCall;
use super::compile::{Code, Compiler, Open, Reg, inside};
use super::layout::Layout;
use super::state::State;

/// A compiled transition.
#[derive(Debug)]
pub(super) struct Step {
    pub to: LocId,
    pub barrier: Barrier,
    /// Private cells that nobody reads afterwards.
    pub forgotten: Vec<Range<u32>>,
    code: Code,
    /// The operations before this one compute the guard.
    guard_end: usize,
    guard: Reg,
    /// The operations before this one compute the ranges.
    ranges_end: usize,
    ranges: Vec<Reg>,
    /// What it asks of a scheduler; the operations before this one compute the arguments.
    call: Option<(StepCall, usize)>,
    writes: Vec<(Target, Source)>,
}

/// What an update writes to.
#[derive(Clone, Copy, Debug)]
enum Target {
    Cell(u32),
    Element { base: u32, len: u32, index: Reg },
}

/// What an update writes.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// Of these bytes, where they wait in a store buffer.
    Value(Lanes, Reg),
    /// The value of an input that occurs nowhere else in the transition.
    Input(VarId),
}

/// What is written to a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Written {
    Value(Lanes, i64),
    /// Whatever this input is; the cell becomes open.
    Input(VarId),
}

/// Whether a transition fires in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Firing {
    /// It does.
    Fires,
    /// Its guard does not hold.
    Blocked,
    /// Its guard holds, but not this one of its ranges.
    Overflows(usize),
    /// It asks something of the scheduler that has no meaning, so that its thread goes here instead.
    Misuses(LocId),
}

/// What an evaluation leaves behind for the machine; kept between steps to save allocations.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub regs: Vec<i64>,
    /// The new values of cells.
    pub writes: Vec<(u32, Written)>,
    /// The state of the scheduler after a call.
    pub scheduler: Option<scheduler::State>,
}

impl Step {
    /// Compiles a transition, after which the variables in `forgotten` are not read.
    pub fn new(
        program: &Program,
        layout: &Layout,
        model: MemoryModel,
        transition: &Transition,
        forgotten: &[VarId],
    ) -> Step {
        let mut compiler = Compiler::new(&program.terms, layout);
        let guard = compiler.term(transition.guard);
        let guard_end = compiler.len();
        let ranges = transition.ranges.iter().map(|range| compiler.term(range.holds)).collect();
        let ranges_end = compiler.len();
        let call = transition.call.as_ref().map(|call| {
            let call = StepCall::new(program, layout, transition, call, &mut compiler);
            (call, compiler.len())
        });
        let mut writes = Vec::new();
        for (i, update) in transition.updates.iter().enumerate() {
            let field = layout.field(update.place.var);
            if matches!(field.sort, Sort::Array(_)) && update.place.index.is_none() {
                let values = compiler.elements(update.value, field.len);
                let values = values.into_iter().map(|value| Source::Value(update.lanes, value));
                writes.extend((field.base..).map(Target::Cell).zip(values));
                continue;
            }
            let target = match update.place.index {
                Some(index) => {
                    Target::Element { base: field.base, len: field.len, index: compiler.term(index) }
                }
                None => Target::Cell(field.base),
            };
            let source = match lone_input(program, model, transition, i) {
                Some(input) => Source::Input(input),
                None => Source::Value(update.lanes, compiler.term(update.value)),
            };
            writes.push((target, source));
        }
        let forgotten = forgotten.iter().map(|&var| layout.field(var).cells()).collect();
        let (to, barrier) = (transition.to, transition.barrier);
        let code = compiler.finish();
        Step { to, barrier, forgotten, code, guard_end, guard, ranges_end, ranges, call, writes }
    }

    /// Whether the guard holds in memory, or may hold because some cells have no value yet.
    pub fn guard_holds(&self, state: &State, regs: &mut Vec<i64>) -> bool {
        let done = self.code.run(0..self.guard_end, &state.cells, &state.open, regs);
        done.is_err() || regs[self.guard as usize] != 0
    }

    /// Evaluates conditions, call and updates in a state, which is left as it was.
    pub fn evaluate(&self, state: &mut State, outcome: &mut Outcome) -> Result<Firing, Open> {
        let Outcome { regs, writes, scheduler } = outcome;
        *scheduler = None;
        self.code.run(0..self.guard_end, &state.cells, &state.open, regs)?;
        if regs[self.guard as usize] == 0 {
            return Ok(Firing::Blocked);
        }
        self.code.run(self.guard_end..self.ranges_end, &state.cells, &state.open, regs)?;
        if let Some(range) = self.ranges.iter().position(|&range| regs[range as usize] == 0) {
            return Ok(Firing::Overflows(range));
        }
        match &self.call {
            None => self.code.run(self.ranges_end..self.code.len(), &state.cells, &state.open, regs)?,
            Some((call, end)) => {
                self.code.run(self.ranges_end..*end, &state.cells, &state.open, regs)?;
                let Ok((after, result)) = call.execute(state, regs) else {
                    return Ok(Firing::Misuses(call.misuse));
                };
                *scheduler = Some(after);
                call.with_result(state, result, |state| {
                    self.code.run(*end..self.code.len(), &state.cells, &state.open, regs)
                })?;
            }
        }
        writes.clear();
        for &(target, source) in &self.writes {
            let written = match source {
                Source::Value(lanes, reg) => Written::Value(lanes, regs[reg as usize]),
                Source::Input(input) => Written::Input(input),
            };
            match target {
                Target::Cell(cell) => writes.push((cell, written)),
                Target::Element { base, len, index } => {
                    let index = regs[index as usize];
                    if inside(index, len) {
                        writes.push((base + index as u32, written));
                    }
                }
            }
        }
        Ok(Firing::Fires)
    }
}

/// The input whose value an update copies, if the transition does nothing else with it and no scheduler gives
/// it. The value may then stay open until somebody reads it, unless it goes to a store buffer.
fn lone_input(
    program: &Program,
    model: MemoryModel,
    transition: &Transition,
    update: usize,
) -> Option<VarId> {
    let var = program.terms.as_var(transition.updates[update].value)?;
    let target = transition.updates[update].place.var;
    let buffered =
        model != MemoryModel::Sc && transition.barrier != Barrier::Full && program.is_shared(target);
    let elsewhere = transition.updates.iter().enumerate().any(|(i, other)| {
        let index = other.place.index.is_some_and(|index| program.terms.vars(index).contains(&var));
        index || (i != update && program.terms.vars(other.value).contains(&var))
    });
    let needed = transition.conditions().chain(transition.arguments());
    let guarded = needed.into_iter().any(|term| program.terms.vars(term).contains(&var))
        || transition.call.as_ref().is_some_and(|call| call.result == Some(var));
    (program.variable(var).role == Role::Input
        && !buffered
        && !elsewhere
        && !guarded
        && !written_in_part(program, model, target))
    .then_some(var)
}

/// Whether some bytes of a variable may wait in a store buffer: what is in memory then must have a value.
fn written_in_part(program: &Program, model: MemoryModel, var: VarId) -> bool {
    let partial = |update: &Update| update.place.var == var && !update.lanes.is_all();
    model != MemoryModel::Sc && program.transitions.iter().any(|step| step.updates.iter().any(partial))
}
