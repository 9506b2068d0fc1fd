//! Paths: sequences of transitions, their formula, and what makes them infeasible.
//!
//! The formula of a path is computed by symbolic execution from the initial state: each guard becomes a term over the
//! unknowns of the run (initial values left open, inputs of each step). Locations are ignored: a path is *infeasible* if
//! its guards contradict each other, whether or not the steps fit together in the control flow.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::difference::{Readings, Step};
use crate::program::{Init, Program, Role, TransId, Transition};
use crate::smt::{Answer, Solver};
use crate::term::{Datum, Pool, Sort, TermId, VarId};

/// The guards of a path as terms over the unknowns of the run.
pub struct PathFormula {
    /// One guard a step.
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
    Unknown(String),
}

impl PathFormula {
    /// Executes a path symbolically. `terms` is the engine's pool, grown from the program's.
    pub fn new(program: &Program, terms: &mut Pool, path: &[TransId]) -> PathFormula {
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
            let guard = image(terms, transition.guard, &mut formula);
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

    /// Whether the guards hold together, if that shows without a solver: where no values are open, all guards are constants.
    pub fn look(&self, terms: &Pool) -> Option<Feasibility> {
        if let Some(step) = self.guards.iter().position(|&guard| terms.as_bool(guard) == Some(false)) {
            return Some(Feasibility::Infeasible(vec![step]));
        }
        let constant = self.guards.iter().all(|&guard| terms.as_bool(guard).is_some());
        constant.then_some(Feasibility::Feasible)
    }

    /// Whether the guards hold together for mathematical integers, if they are about differences.
    pub fn look_at_differences(&self, terms: &Pool) -> Option<Feasibility> {
        let open = |step: &usize| terms.as_bool(self.guards[*step]).is_none();
        let steps: Vec<usize> = (0..self.guards.len()).filter(open).collect();
        let guards: Vec<TermId> = steps.iter().map(|&step| self.guards[step]).collect();
        let question = Step::new(&mut Readings::default(), terms, &[], &guards, &[], |_| true)?;
        let possible = |chosen: &[bool]| {
            let facts = chosen.iter().map(|chosen| chosen.then_some(true));
            !question.outcomes(facts).is_empty()
        };
        let mut chosen = vec![true; steps.len()];
        if possible(&chosen) {
            return Some(Feasibility::Feasible);
        }
        for at in 0..chosen.len() {
            chosen[at] = false;
            chosen[at] = possible(&chosen);
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
        let core = match solver.check(terms, &self.guards) {
            Answer::Sat => return Feasibility::Feasible,
            Answer::Unknown(reason) => return Feasibility::Unknown(reason),
            Answer::Unsat(core) => core,
        };
        Feasibility::Infeasible(self.steps_of(&minimise(terms, solver, core)))
    }

    /// The first step of each guard in a core: later steps may have the same guard.
    fn steps_of(&self, core: &[TermId]) -> Vec<usize> {
        let mut steps: Vec<usize> =
            core.iter().filter_map(|term| self.guards.iter().position(|guard| guard == term)).collect();
        steps.sort_unstable();
        steps
    }
}

/// Runs a path where nothing is open: all initial values that are read are known, and no step asks for input. `None` if something is.
pub fn run(program: &Program, path: &[TransId]) -> Option<Feasibility> {
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
        let taken = program.terms.eval(transition.guard, &read) != Datum::Bool(false);
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

/// Drops members of an unsatisfiable core one by one while it stays unsatisfiable.
fn minimise(terms: &Pool, solver: &mut Solver, mut core: Vec<TermId>) -> Vec<TermId> {
    let mut at = 0;
    while at < core.len() && core.len() > 1 {
        let mut smaller = core.clone();
        smaller.remove(at);
        match solver.check(terms, &smaller) {
            Answer::Unsat(used) => core = smaller.into_iter().filter(|term| used.contains(term)).collect(),
            _ => at += 1,
        }
    }
    core
}

/// The new value of a variable after a transition, as one term over the state before. Element updates become stores.
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
        Init::Value(datum) => datum_term(terms, datum, variable.sort),
        Init::Any => {
            let unknown = terms.declare(variable.name.clone(), variable.sort);
            open.push((var, unknown));
            terms.var(unknown)
        }
    }
}

/// A concrete value as a term.
pub fn datum_term(terms: &mut Pool, datum: &Datum, sort: Sort) -> TermId {
    match (datum, sort) {
        (Datum::Bool(value), _) => terms.bool(*value),
        (Datum::Word(value), Sort::Word(word)) => terms.constant(*value, word),
        (Datum::Array(values), Sort::Array(array)) => {
            let mut term = terms.fill(0, array);
            let index_word = crate::term::Word::unsigned(32);
            for (i, &value) in values.iter().enumerate().filter(|(_, value)| **value != 0) {
                let (index, value) =
                    (terms.constant(i as i128, index_word), terms.constant(value, array.elem));
                term = terms.store(term, index, value);
            }
            term
        }
        (datum, sort) => panic!("{datum:?} is not of sort {sort}"),
    }
}
