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

/// Values for what a path leaves open.
pub struct Choices {
    /// Of variables whose initial values are open.
    pub initial: Vec<(VarId, Datum)>,
    /// Of the inputs of each step.
    pub inputs: Vec<Vec<(VarId, Datum)>>,
}

/// How the attempt to choose values for a path ended.
pub enum Chosen<T> {
    /// With this.
    Accepted(T),
    /// There are none.
    Impossible,
    /// There are some, but they were not accepted.
    Refused,
}

/// Replays a path to a violation, with the integers of the search and then with those of the machine.
pub fn violation(
    program: &Program,
    terms: &mut Pool,
    int_model: IntModel,
    watch: &Watch<'_>,
    path: &[TransId],
) -> (Result<Real, GaveUp>, u64) {
    let accept = |choices: Choices| replayed(program, choices, path);
    let (chosen, queries) = choose(program, terms, int_model, watch, path, accept);
    let real = chosen.map(|chosen| match chosen {
        Chosen::Accepted((assertion, trace)) => Real::Violated(assertion, trace),
        Chosen::Impossible | Chosen::Refused => {
            Real::Unclear("it is a path for unbounded integers, but not for the machine's".to_owned())
        }
    });
    (real, queries)
}

/// Chooses values for a path, with the integers of the search and then with those of the machine, until some
/// are accepted. Also tells how many questions that took.
pub fn choose<T>(
    program: &Program,
    terms: &mut Pool,
    int_model: IntModel,
    watch: &Watch<'_>,
    path: &[TransId],
    accept: impl Fn(Choices) -> Option<T>,
) -> (Result<Chosen<T>, GaveUp>, u64) {
    let mut queries = 0;
    let mut impossible = true;
    for int_model in [int_model, IntModel::BitVector] {
        let mut solver = Solver::new(int_model, watch);
        let formula = PathFormula::new(program, terms, path, Demand::Conditions);
        let feasibility = formula.check(terms, &mut solver);
        queries += solver.queries();
        match feasibility {
            Feasibility::Unknown(gave_up @ GaveUp::Stopped(_)) => return (Err(gave_up), queries),
            Feasibility::Unknown(GaveUp::Solver(_)) => impossible = false,
            Feasibility::Infeasible(_) => {}
            Feasibility::Feasible => {
                impossible = false;
                if let Some(accepted) = accept(values(terms, &formula, &mut solver)) {
                    return (Ok(Chosen::Accepted(accepted)), queries);
                }
            }
        }
    }
    (Ok(if impossible { Chosen::Impossible } else { Chosen::Refused }), queries)
}

/// The values of the solver's model.
fn values(terms: &Pool, formula: &PathFormula, solver: &mut Solver) -> Choices {
    let mut values = |pairs: &[(VarId, VarId)]| -> Vec<(VarId, Datum)> {
        let known = pairs.iter().map(|&(var, unknown)| (var, solver.value(terms, unknown)));
        known.filter_map(|(var, value)| Some((var, value?))).collect()
    };
    let initial = values(&formula.initial);
    Choices { initial, inputs: formula.inputs.iter().map(|inputs| values(inputs)).collect() }
}

/// The violation at the end of a path with these values, if it happens so on the machine.
fn replayed(program: &Program, choices: Choices, path: &[TransId]) -> Option<(AssertionId, Trace)> {
    let end = program.transition(*path.last()?).to;
    let Some(Mark::Error(assertion)) = program.location(end).mark else { return None };
    let moves = path.iter().zip(choices.inputs);
    let moves = moves.map(|(&transition, inputs)| Move::Step { transition, inputs }).collect();
    let trace = Trace { initial: choices.initial, moves };
    let run = replay::run(program, MemoryModel::Sc, &trace).ok()?;
    (run.violation(program) == Some(assertion)).then_some((assertion, trace))
}
