//! Paths that can be taken: the replay of those that end at a violation.

use super::path::{Demand, Feasibility, PathFormula};
use crate::program::{AssertionId, Mark, MemoryModel, Move, Program, Trace, TransId};
use crate::replay;
use crate::smt::{GaveUp, IntModel, Solver, Watch};
use crate::term::{Datum, Pool, VarId};

/// What became of a path that can be taken as far as is known, and ends at a violation.
pub enum Real {
    /// The machine takes it too.
    Violated(AssertionId, Trace),
    /// It could not be followed on the machine, for this reason.
    Unclear(String),
}

/// Replays a path to a violation, with the integers of the search and then with those of the machine.
pub fn violation(
    program: &Program,
    terms: &mut Pool,
    int_model: IntModel,
    watch: &Watch<'_>,
    path: &[TransId],
) -> (Result<Real, GaveUp>, u64) {
    let mut queries = 0;
    for int_model in [int_model, IntModel::BitVector] {
        let mut solver = Solver::new(int_model, watch);
        let formula = PathFormula::new(program, terms, path, Demand::Conditions);
        let feasibility = formula.check(terms, &mut solver);
        queries += solver.queries();
        if let Feasibility::Unknown(gave_up @ GaveUp::Stopped(_)) = feasibility {
            return (Err(gave_up), queries);
        }
        if matches!(feasibility, Feasibility::Feasible)
            && let Some((assertion, trace)) = replayed(program, terms, &formula, &mut solver, path)
        {
            return (Ok(Real::Violated(assertion, trace)), queries);
        }
    }
    let reason = "it is a path for unbounded integers, but not for the machine's";
    (Ok(Real::Unclear(reason.to_owned())), queries)
}

/// The violation at the end of a path with values from the solver's model, if it happens so on the machine.
fn replayed(
    program: &Program,
    terms: &Pool,
    formula: &PathFormula,
    solver: &mut Solver,
    path: &[TransId],
) -> Option<(AssertionId, Trace)> {
    let end = program.transition(*path.last()?).to;
    let Some(Mark::Error(assertion)) = program.location(end).mark else { return None };
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
    (run.violation(program) == Some(assertion)).then_some((assertion, trace))
}
