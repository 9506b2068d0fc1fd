//! What every check of a proof asks: the program's own terms, into which those of the proof are copied, and a
//! solver for questions about states. It shares nothing with the engines.
//!
//! In a run that is considered every variable has a value of its type. A solver that counts in whole numbers
//! knows that of those words alone that cannot overflow; for the others most questions need not know it, but
//! conversions do: what they make of a number beyond the type depends on how they are written
//! (`smt/translate.rs`), and terms are simplified as if there were none. So what seems possible and converts
//! something is asked again about values of the types.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::program::{Init, Program, Role, Transition};
use crate::smt::{Answer, GaveUp, IntModel, Solver, Watch};
use crate::term::{Node, Pool, Sort, TermId, VarId};

/// Terms about the states of a program, and a solver.
pub(super) struct States<'a> {
    program: &'a Program,
    /// The program's terms, grown by those of the proof.
    pub terms: Pool,
    pub solver: Solver,
}

impl<'a> States<'a> {
    /// About the states of a program.
    pub fn new(program: &'a Program, int_model: IntModel, watch: &Watch<'_>) -> States<'a> {
        let mut solver = Solver::new(int_model, watch);
        for input in program.variable_ids().filter(|&var| program.variable(var).role == Role::Input) {
            solver.assert_in_range(&program.terms, input);
        }
        States { program, terms: program.terms.clone(), solver }
    }

    /// Copies conditions on states from the pool of a proof; `None` if one is something else. An input is no
    /// part of a state: each step has values of its own for those.
    pub fn import(
        &mut self,
        pool: &Pool,
        conditions: impl IntoIterator<Item = TermId>,
        images: &mut FxHashMap<TermId, TermId>,
    ) -> Option<Vec<TermId>> {
        let is_state = |&var: &VarId| {
            let known = self.program.variables.get(var.index());
            known.is_some_and(|known| known.role != Role::Input && known.sort == pool.var_sort(var))
        };
        let mut imported = Vec::new();
        for condition in conditions {
            let is_condition = condition.index() < pool.term_count()
                && pool.sort(condition) == Sort::Bool
                && (images.contains_key(&condition) || pool.vars(condition).iter().all(is_state));
            if !is_condition {
                return None;
            }
            imported.push(self.terms.import(pool, condition, images, |var| var));
        }
        Some(imported)
    }

    /// Whether some state satisfies all of these.
    pub fn possible(&mut self, conditions: &[TermId]) -> Result<bool, GaveUp> {
        if conditions.iter().any(|&term| self.terms.as_bool(term) == Some(false)) {
            return Ok(false);
        }
        match self.solver.check(&self.terms, conditions) {
            Answer::Sat if self.converts(conditions) => self.possible_in_words(conditions),
            Answer::Sat => Ok(true),
            Answer::Unsat(_) => Ok(false),
            Answer::Unknown(gave_up) => Err(gave_up),
        }
    }

    /// Whether the value of a word that can overflow is converted, by a solver that counts in whole numbers.
    fn converts(&self, conditions: &[TermId]) -> bool {
        let mut found = false;
        self.terms.visit(conditions, |_, node| {
            if let Node::Cast(from, _) = *node {
                found |= self.terms.word(from).overflows();
            }
        });
        found && self.solver.int_model() == IntModel::Integer
    }

    /// Whether some state in which every variable has a value of its type satisfies all of these.
    fn possible_in_words(&mut self, conditions: &[TermId]) -> Result<bool, GaveUp> {
        let vars: BTreeSet<VarId> = conditions.iter().flat_map(|&term| self.terms.vars(term)).collect();
        self.solver.push();
        vars.into_iter().for_each(|var| self.solver.assert_in_range(&self.terms, var));
        let answer = self.solver.check(&self.terms, conditions);
        self.solver.pop();
        match answer {
            Answer::Sat => Ok(true),
            Answer::Unsat(_) => Ok(false),
            Answer::Unknown(gave_up) => Err(gave_up),
        }
    }

    /// Whether all initial states satisfy a condition.
    pub fn holds_initially(&mut self, condition: TermId) -> Result<bool, GaveUp> {
        let program = self.program;
        let holds = self.terms.substitute(condition, |terms, var| match &program.variable(var).init {
            Init::Value(datum) => Some(terms.datum(datum, program.variable(var).sort)),
            Init::Any => None,
        });
        let fails = self.terms.not(holds);
        self.solver.push();
        for var in program.variable_ids().filter(|&var| program.variable(var).init == Init::Any) {
            self.solver.assert_in_range(&self.terms, var);
        }
        let possible = self.possible(&[fails]);
        self.solver.pop();
        Ok(!possible?)
    }

    /// What the variables that a transition changes hold after it.
    pub fn after(&mut self, transition: &Transition) -> BTreeMap<VarId, TermId> {
        let mut values: BTreeMap<VarId, TermId> = BTreeMap::new();
        for update in &transition.updates {
            let var = update.place.var;
            let value = match update.place.index {
                None => update.value,
                Some(index) => {
                    let array = values.get(&var).copied().unwrap_or_else(|| self.terms.var(var));
                    self.terms.store(array, index, update.value)
                }
            };
            values.insert(var, value);
        }
        values
    }

    /// A condition on the state after a transition, as one on the state before.
    pub fn before(&mut self, transition: &Transition, condition: TermId) -> TermId {
        let values = self.after(transition);
        self.terms.substitute(condition, |_, var| values.get(&var).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::program::{Origin, ProgramBuilder, Sources, Variable};
    use crate::smt::interruptible;
    use crate::term::{Datum, Word};

    /// `(int)((unsigned)x + 1) == 5 && x != 4`: so it is for 4 + 2^32, which is no `int`.
    #[test]
    fn states_have_values_of_their_types() {
        let (int, unsigned) = (Word::signed(32), Word::unsigned(32));
        let mut builder = ProgramBuilder::new(Sources::default());
        let (name, init) = ("x".to_owned(), Init::Value(Datum::Word(0)));
        let (sort, role, origin) = (Sort::Word(int), Role::Shared, Origin::User);
        let x = builder.variable(Variable { name, sort, role, init, origin });
        let terms = builder.terms();
        let x = terms.var(x);
        let (one, four, five) = (terms.constant(1, unsigned), terms.constant(4, int), terms.constant(5, int));
        let wide = terms.cast(x, unsigned);
        let next = terms.add(wide, one);
        let next = terms.cast(next, int);
        let (is_five, is_four) = (terms.eq(next, five), terms.eq(x, four));
        let other = terms.not(is_four);
        let program = builder.build();
        for int_model in [IntModel::Integer, IntModel::BitVector] {
            interruptible(&Budget::unlimited(), |watch| {
                let mut states = States::new(&program, int_model, watch);
                assert_eq!(states.possible(&[is_five, other]), Ok(false));
                assert_eq!(states.possible(&[is_five]), Ok(true));
            });
        }
    }
}
