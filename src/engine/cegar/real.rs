//! Paths whose data and control flow are in order: what they mean, and the replay of those that end at a violation.

use crate::engine::Violation;
use crate::program::{LocId, Mark, MemoryModel, Move, Program, Trace, TransId};
use crate::reach::path::PathFormula;
use crate::replay;
use crate::smt::Solver;
use crate::term::{Datum, Pool, VarId};

/// The atomic location where a thread stands while another one moves, if that happens in a path.
pub(super) fn intrusion(program: &Program, path: &[TransId]) -> Option<LocId> {
    let mut at: Vec<LocId> = program.threads.iter().map(|thread| thread.entry).collect();
    for &id in path {
        let thread = program.thread_of(id);
        let others = at.iter().enumerate().filter(|(other, _)| *other != thread.index());
        if let Some((_, &atomic)) = others.into_iter().find(|(_, at)| program.location(**at).atomic) {
            return Some(atomic);
        }
        at[thread.index()] = program.transition(id).to;
    }
    None
}

/// The last location of a path, if the program's meaning ends there.
pub(super) fn meaning_ends(program: &Program, path: &[TransId]) -> Option<LocId> {
    let last = end(program, path);
    matches!(program.location(last).mark, Some(Mark::Undefined(_) | Mark::Cut(_))).then_some(last)
}

fn end(program: &Program, path: &[TransId]) -> LocId {
    program.transition(*path.last().expect("an initial location is no target")).to
}

/// What is wrong at a location where the program's meaning ends.
pub(super) fn complaint(program: &Program, location: LocId) -> String {
    let location = program.location(location);
    let what = match &location.mark {
        Some(Mark::Undefined(what)) => format!("undefined behaviour is reachable: {what}"),
        Some(Mark::Cut(what)) => format!("bound reached: {what}"),
        Some(Mark::Error(_) | Mark::End) | None => unreachable!("the program's meaning does not end here"),
    };
    match location.span.is_some() {
        true => format!("{what} at {}", program.sources.display(location.span)),
        false => what,
    }
}

/// The violation at the end of a path with values from the solver's model, if it happens so on the machine.
pub(super) fn violation(
    program: &Program,
    terms: &Pool,
    formula: &PathFormula,
    solver: &mut Solver,
    path: &[TransId],
) -> Option<Violation> {
    let Some(Mark::Error(assertion)) = program.location(end(program, path)).mark else { return None };
    let mut values = |pairs: &[(VarId, VarId)]| -> Vec<(VarId, Datum)> {
        let known = pairs.iter().map(|&(var, unknown)| (var, solver.value(terms, unknown)));
        known.filter_map(|(var, value)| Some((var, value?))).collect()
    };
    let initial = values(&formula.initial);
    let moves = path.iter().zip(&formula.inputs);
    let moves =
        moves.map(|(&transition, inputs)| Move::Step { transition, inputs: values(inputs) }).collect();
    let trace = Trace { initial, moves };
    let run = replay::run(program, MemoryModel::Sc, &trace).ok()?;
    (run.violation(program) == Some(assertion)).then_some(Violation { assertion, trace })
}
