//! Paths: sequences of transitions, their formula, and what makes them infeasible.
//!
//! The formula of a path is computed by symbolic execution from the initial state: each guard becomes a term
//! over the unknowns of the run (initial values left open, inputs of each step). Locations are ignored: a
//! path is *infeasible* if its guards contradict each other, whether or not the steps fit together in the
//! control flow.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::difference::{Readings, Step};
use crate::program::{Init, Program, Role, TransId, Transition};
use crate::smt::{Answer, GaveUp, Solver};
use crate::term::{Datum, Pool, TermId, VarId};

/// What is asked of the steps of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Demand {
    /// That the guards hold.
    Guards,
    /// That guards and ranges hold: no signed arithmetic overflows.
    Conditions,
}

impl Demand {
    /// What is asked of a transition, as one term of a pool that has the program's terms.
    pub fn of(self, terms: &mut Pool, transition: &Transition) -> TermId {
        match self {
            Demand::Guards => transition.guard,
            Demand::Conditions => {
                let conditions: Vec<TermId> = transition.conditions().collect();
                terms.and(&conditions)
            }
        }
    }
}

/// What is asked of a path, as terms over the unknowns of the run.
pub struct PathFormula {
    /// One condition a step.
    pub guards: Vec<TermId>,
    /// For each step, the unknown that stands for each input that occurs in it.
    pub inputs: Vec<Vec<(VarId, VarId)>>,
    /// The unknown that stands for each variable whose initial value is open and matters.
    pub initial: Vec<(VarId, VarId)>,
}

/// What is known about the guards of a path.
pub enum Feasibility {
    /// They hold together; the solver has the model.
    Feasible,
    /// They do not; these steps' guards suffice, and none of them can be left out.
    Infeasible(Vec<usize>),
    /// The solver gave up.
    Unknown(GaveUp),
}

impl PathFormula {
    /// Executes a path symbolically. `terms` is the engine's pool, grown from the program's.
    pub fn new(program: &Program, terms: &mut Pool, path: &[TransId], demand: Demand) -> PathFormula {
        let mut formula = PathFormula { guards: Vec::new(), inputs: Vec::new(), initial: Vec::new() };
        let mut values: BTreeMap<VarId, TermId> = BTreeMap::new();
        for &id in path {
            let transition = program.transition(id);
            let mut inputs: Vec<(VarId, VarId)> = Vec::new();
            let mut image = |terms: &mut Pool, term: TermId, formula: &mut PathFormula| {
                terms.substitute(term, |terms, var| {
                    if let Some(&known) = values.get(&var) {
                        return Some(known);
                    }
                    let variable = program.variable(var);
                    if variable.role == Role::Input {
                        let known =
                            inputs.iter().find(|(input, _)| *input == var).map(|(_, unknown)| *unknown);
                        let unknown = known.unwrap_or_else(|| {
                            let unknown = terms.declare(variable.name.clone(), variable.sort);
                            inputs.push((var, unknown));
                            unknown
                        });
                        return Some(terms.var(unknown));
                    }
                    let value = initial_value(program, terms, var, &mut formula.initial);
                    values.insert(var, value);
                    Some(value)
                })
            };
            let guard = demand.of(terms, transition);
            let guard = image(terms, guard, &mut formula);
            let mut updates = Vec::new();
            for update in &transition.updates {
                let value = whole_value(terms, transition, update.place.var);
                updates.push((update.place.var, image(terms, value, &mut formula)));
            }
            formula.guards.push(guard);
            formula.inputs.push(inputs);
            values.extend(updates);
        }
        formula
    }

    /// Whether the guards hold together, if that shows without a solver: where no values are open, all guards
    /// are constants.
    pub fn look(&self, terms: &Pool) -> Option<Feasibility> {
        if let Some(step) = self.guards.iter().position(|&guard| terms.as_bool(guard) == Some(false)) {
            return Some(Feasibility::Infeasible(vec![step]));
        }
        let constant = self.guards.iter().all(|&guard| terms.as_bool(guard).is_some());
        constant.then_some(Feasibility::Feasible)
    }

    /// Whether the guards hold together for mathematical integers, if they are about differences and few
    /// alternatives.
    pub fn look_at_differences(&self, terms: &Pool) -> Option<Feasibility> {
        let open = |step: &usize| terms.as_bool(self.guards[*step]).is_none();
        let steps: Vec<usize> = (0..self.guards.len()).filter(open).collect();
        let guards: Vec<TermId> = steps.iter().map(|&step| self.guards[step]).collect();
        let question = Step::new(&mut Readings::default(), terms, &[], &guards, &[], |_| true)?;
        let possible = |chosen: &[bool]| {
            let facts = chosen.iter().map(|chosen| chosen.then_some(true));
            Some(!question.outcomes(facts)?.is_empty())
        };
        let mut chosen = vec![true; steps.len()];
        if possible(&chosen)? {
            return Some(Feasibility::Feasible);
        }
        for at in 0..chosen.len() {
            chosen[at] = false;
            chosen[at] = possible(&chosen)?;
        }
        let core = steps.into_iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(step, _)| step);
        Some(Feasibility::Infeasible(core.collect()))
    }

    /// Whether the guards hold together, and if not, a minimal set of them that does not.
    pub fn check(&self, terms: &Pool, solver: &mut Solver) -> Feasibility {
        if let Some(Feasibility::Infeasible(core)) = self.look(terms) {
            return Feasibility::Infeasible(core);
        }
        for &(_, unknown) in self.initial.iter().chain(self.inputs.iter().flatten()) {
            solver.assert_in_range(terms, unknown);
        }
        match minimal_core(terms, solver, &self.guards) {
            Ok(None) => Feasibility::Feasible,
            Ok(Some(core)) => Feasibility::Infeasible(self.steps_of(&core)),
            Err(gave_up) => Feasibility::Unknown(gave_up),
        }
    }

    /// The first step of each guard in a core: later steps may have the same guard.
    fn steps_of(&self, core: &[TermId]) -> Vec<usize> {
        let mut steps: Vec<usize> =
            core.iter().filter_map(|term| self.guards.iter().position(|guard| guard == term)).collect();
        steps.sort_unstable();
        steps
    }
}

/// Runs a path where nothing is open: all initial values that are read are known, and no step asks for input.
/// `None` if something is. Where arithmetic overflows the run ends: if ranges are not asked for, that is
/// `None` as well.
pub fn run(program: &Program, path: &[TransId], demand: Demand) -> Option<Feasibility> {
    let mut written: Vec<Option<Datum>> = vec![None; program.variables.len()];
    let mut values: Vec<Datum> = Vec::new();
    for (step, &id) in path.iter().enumerate() {
        let transition = program.transition(id);
        let open = Cell::new(false);
        let read = |var: VarId| {
            let known = written[var.index()].as_ref().or_else(|| initial_scalar(program, var));
            known.cloned().unwrap_or_else(|| {
                open.set(true);
                Datum::zero(program.variable(var).sort)
            })
        };
        let holds = |term: TermId| program.terms.eval(term, &read) != Datum::Bool(false);
        let (mut taken, in_range) =
            (holds(transition.guard), transition.ranges.iter().all(|range| holds(range.holds)));
        if taken && !in_range {
            if demand == Demand::Guards {
                return None;
            }
            taken = false;
        }
        if taken {
            if transition.updates.iter().any(|update| update.place.index.is_some()) {
                return None;
            }
            values.extend(transition.updates.iter().map(|update| program.terms.eval(update.value, &read)));
        }
        if open.get() {
            return None;
        }
        if !taken {
            return Some(Feasibility::Infeasible(vec![step]));
        }
        for (update, value) in transition.updates.iter().zip(values.drain(..)) {
            written[update.place.var.index()] = Some(value);
        }
    }
    Some(Feasibility::Feasible)
}

/// The initial value of a variable, if it is known and no array.
fn initial_scalar(program: &Program, var: VarId) -> Option<&Datum> {
    let variable = program.variable(var);
    match &variable.init {
        Init::Value(datum) if variable.role != Role::Input && !matches!(datum, Datum::Array(_)) => {
            Some(datum)
        }
        _ => None,
    }
}

/// Formulas that exclude each other, none of which can be left out; `None` if all hold together.
///
/// # Errors
/// If the solver gives up.
pub fn minimal_core(
    terms: &Pool,
    solver: &mut Solver,
    formulas: &[TermId],
) -> Result<Option<Vec<TermId>>, GaveUp> {
    let mut core = match solver.check(terms, formulas) {
        Answer::Sat => return Ok(None),
        Answer::Unknown(gave_up) => return Err(gave_up),
        Answer::Unsat(core) => core,
    };
    let mut at = 0;
    while at < core.len() && core.len() > 1 {
        let mut smaller = core.clone();
        smaller.remove(at);
        match solver.check(terms, &smaller) {
            Answer::Unsat(used) => core = smaller.into_iter().filter(|term| used.contains(term)).collect(),
            _ => at += 1,
        }
    }
    Ok(Some(core))
}

/// The new value of a variable after a transition, as one term over the state before. Element updates become
/// stores.
///
/// All updates of one array are folded into one term, so that each variable has one new value.
pub fn whole_value(terms: &mut Pool, transition: &Transition, var: VarId) -> TermId {
    let mut value = terms.var(var);
    for update in transition.updates.iter().filter(|update| update.place.var == var) {
        value = match update.place.index {
            None => update.value,
            Some(index) => terms.store(value, index, update.value),
        };
    }
    value
}

/// The initial value of a variable; open values get an unknown.
fn initial_value(program: &Program, terms: &mut Pool, var: VarId, open: &mut Vec<(VarId, VarId)>) -> TermId {
    let variable = program.variable(var);
    match &variable.init {
        Init::Value(datum) => terms.datum(datum, variable.sort),
        Init::Any => {
            let unknown = terms.declare(variable.name.clone(), variable.sort);
            open.push((var, unknown));
            terms.var(unknown)
        }
    }
}
