//! Symbolic states along paths: the value of every variable as a term over unknowns.
//!
//! The unknowns are initial values that are left open, and the inputs of each step. One unknown serves all
//! paths that ask for the same input at the same depth, so that a tree of paths needs no more of them than
//! its deepest path. A path can also begin in the middle: then the variables themselves, as they are there,
//! are the unknowns.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::path::whole_value;
use crate::program::{Init, Program, Role, TransId};
use crate::term::{Pool, TermId, VarId};

/// The unknowns of all paths.
#[derive(Default)]
pub struct Unknowns {
    initial: FxHashMap<VarId, VarId>,
    inputs: FxHashMap<(VarId, u32), VarId>,
    /// All of them, in the order of their making.
    all: Vec<VarId>,
}

impl Unknowns {
    /// All of them; later ones are added at the end.
    pub fn all(&self) -> &[VarId] {
        &self.all
    }

    /// The unknown that stands for a variable's initial value, if some path has asked for it.
    pub fn initial(&self, var: VarId) -> Option<VarId> {
        self.initial.get(&var).copied()
    }

    /// The unknown that stands for an input of the step at a depth, if some path has asked for it.
    pub fn input(&self, var: VarId, depth: usize) -> Option<VarId> {
        self.inputs.get(&(var, depth as u32)).copied()
    }

    fn make(all: &mut Vec<VarId>, program: &Program, terms: &mut Pool, var: VarId) -> VarId {
        let variable = program.variable(var);
        let unknown = terms.declare(variable.name.clone(), variable.sort);
        all.push(unknown);
        unknown
    }

    fn of_initial(&mut self, program: &Program, terms: &mut Pool, var: VarId) -> VarId {
        let all = &mut self.all;
        *self.initial.entry(var).or_insert_with(|| Unknowns::make(all, program, terms, var))
    }

    fn of_input(&mut self, program: &Program, terms: &mut Pool, var: VarId, depth: usize) -> VarId {
        let all = &mut self.all;
        let key = (var, depth as u32);
        *self.inputs.entry(key).or_insert_with(|| Unknowns::make(all, program, terms, var))
    }
}

/// The values of all variables at a point of a path. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SymbolicState {
    /// By variable; inputs have none that matters.
    values: Rc<[TermId]>,
}

/// A part of a step's guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// As the step has it: over the state before.
    pub original: TermId,
    /// What that means on the path: over unknowns.
    pub image: TermId,
}

impl SymbolicState {
    /// The initial state.
    pub fn initial(program: &Program, terms: &mut Pool, unknowns: &mut Unknowns) -> SymbolicState {
        let value = |var: VarId| {
            let variable = program.variable(var);
            match &variable.init {
                _ if variable.role == Role::Input => terms.var(var),
                Init::Value(datum) => terms.datum(datum, variable.sort),
                Init::Any => {
                    let unknown = unknowns.of_initial(program, terms, var);
                    terms.var(unknown)
                }
            }
        };
        SymbolicState { values: program.variable_ids().map(value).collect() }
    }

    /// Any state: each variable is unknown.
    pub fn any(program: &Program, terms: &mut Pool) -> SymbolicState {
        SymbolicState { values: program.variable_ids().map(|var| terms.var(var)).collect() }
    }

    /// The value of a term over program variables.
    pub fn value(&self, terms: &mut Pool, term: TermId) -> TermId {
        terms.substitute(term, |_, var| self.values.get(var.index()).copied())
    }

    /// The conditions under which a transition is taken here, without those that hold anyway, and the state
    /// after it.
    pub fn step(
        &self,
        program: &Program,
        terms: &mut Pool,
        unknowns: &mut Unknowns,
        id: TransId,
        depth: usize,
    ) -> (Vec<Condition>, SymbolicState) {
        let mut image = |terms: &mut Pool, term: TermId| {
            terms.substitute(term, |terms, var| {
                if program.variable(var).role != Role::Input {
                    return Some(self.values[var.index()]);
                }
                let unknown = unknowns.of_input(program, terms, var, depth);
                Some(terms.var(unknown))
            })
        };
        let transition = program.transition(id);
        let mut conditions = Vec::new();
        for original in
            transition.conditions().flat_map(|condition| terms.conjuncts(condition)).collect::<Vec<_>>()
        {
            let image = image(terms, original);
            if terms.as_bool(image) != Some(true) {
                conditions.push(Condition { original, image });
            }
        }
        if transition.updates.is_empty() {
            return (conditions, self.clone());
        }
        let mut values = self.values.to_vec();
        for update in &transition.updates {
            let var = update.place.var;
            let value = whole_value(terms, transition, var);
            values[var.index()] = image(terms, value);
        }
        (conditions, SymbolicState { values: values.into() })
    }
}
