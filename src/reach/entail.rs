//! Whether facts about a state imply another: a cascade of procedures, each dearer than the one before.
//!
//! First as they are written: the conclusion is among the facts, or one of its alternatives is. Then from the
//! table of what was asked before, under just those facts that share variables with the conclusion, directly
//! or through others. Then by the procedure for integer differences (`difference/`), where integers are
//! mathematical ones. What is left goes to the solver. Wachter, Kroening and Ouaknine (Section V) have the
//! first two and the last.

use rustc_hash::{FxHashMap, FxHashSet};

use super::difference::{Readings, Step};
use crate::program::{Program, Role};
use crate::smt::{Answer, GaveUp, IntModel, Solver, Watch};
use crate::term::{Node, Pool, TermId, VarId};

/// How many questions were answered at each stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Asked {
    /// As they are written.
    pub syntactic: u64,
    /// From the table.
    pub table: u64,
    /// By the procedure for differences.
    pub differences: u64,
    /// By the solver.
    pub solver: u64,
}

/// A solver that has been asked so often makes room for a fresh one: it keeps everything that it was ever
/// told.
const QUESTIONS_A_SOLVER: u64 = 4000;

/// Answers questions about the states of one pool.
pub struct Entailment<'w> {
    int_model: IntModel,
    watch: &'w Watch<'w>,
    solver: Option<Solver>,
    readings: Readings,
    table: FxHashMap<(Box<[TermId]>, TermId), bool>,
    vars: FxHashMap<TermId, Box<[VarId]>>,
    /// Variables that have the values of their types.
    in_range: FxHashSet<VarId>,
    asked: Asked,
}

impl<'w> Entailment<'w> {
    /// Without any answers yet.
    pub fn new(int_model: IntModel, watch: &'w Watch<'w>) -> Entailment<'w> {
        let (readings, table, vars) = (Readings::default(), FxHashMap::default(), FxHashMap::default());
        let (in_range, asked) = (FxHashSet::default(), Asked::default());
        Entailment { int_model, watch, solver: None, readings, table, vars, in_range, asked }
    }

    /// The same, where inputs of a program, which occur in facts about its steps, have the values of their
    /// types.
    pub fn with_inputs(self, program: &Program) -> Entailment<'w> {
        let is_input = |var: &VarId| program.variable(*var).role == Role::Input;
        Entailment { in_range: program.variable_ids().filter(is_input).collect(), ..self }
    }

    /// How the questions so far were answered.
    pub fn asked(&self) -> Asked {
        self.asked
    }

    /// Whether every state with all these facts has this one too. The facts are sorted.
    ///
    /// # Errors
    /// If the solver gives up.
    pub fn implies(
        &mut self,
        terms: &mut Pool,
        facts: &[TermId],
        conclusion: TermId,
    ) -> Result<bool, GaveUp> {
        if let Some(answer) = as_written(terms, facts, conclusion) {
            self.asked.syntactic += 1;
            return Ok(answer);
        }
        let facts = self.connected(terms, facts, conclusion);
        let key = (facts.into_boxed_slice(), conclusion);
        if let Some(&known) = self.table.get(&key) {
            self.asked.table += 1;
            return Ok(known);
        }
        let answer = match self.by_differences(terms, &key.0, conclusion) {
            Some(answer) => answer,
            None => self.by_solver(terms, &key.0, conclusion)?,
        };
        self.table.insert(key, answer);
        Ok(answer)
    }

    /// Whether every state with all these facts has this one too, as far as that shows without the solver.
    /// The facts are sorted.
    pub fn plainly_implies(&mut self, terms: &Pool, facts: &[TermId], conclusion: TermId) -> bool {
        if let Some(answer) = as_written(terms, facts, conclusion) {
            return answer;
        }
        let facts = self.connected(terms, facts, conclusion);
        self.by_differences(terms, &facts, conclusion).unwrap_or(false)
    }

    /// Whether no state has all these facts. They are sorted.
    ///
    /// # Errors
    /// If the solver gives up.
    pub fn contradict(&mut self, terms: &mut Pool, facts: &[TermId], other: TermId) -> Result<bool, GaveUp> {
        let contrary = negated(terms, other);
        self.implies(terms, facts, contrary)
    }

    /// The facts that share variables with the conclusion, directly or through other facts. In their order.
    fn connected(&mut self, terms: &Pool, facts: &[TermId], conclusion: TermId) -> Vec<TermId> {
        for &term in facts.iter().chain([&conclusion]) {
            self.vars.entry(term).or_insert_with(|| terms.vars(term).into_boxed_slice());
        }
        let mut met: FxHashSet<VarId> = self.vars[&conclusion].iter().copied().collect();
        let mut taken = vec![false; facts.len()];
        let mut grows = true;
        while grows {
            grows = false;
            for (fact, taken) in facts.iter().zip(&mut taken) {
                let vars = &self.vars[fact];
                if !*taken && vars.iter().any(|var| met.contains(var)) {
                    *taken = true;
                    grows = true;
                    met.extend(vars.iter());
                }
            }
        }
        facts.iter().zip(taken).filter(|(_, taken)| *taken).map(|(&fact, _)| fact).collect()
    }

    fn by_differences(&mut self, terms: &Pool, facts: &[TermId], conclusion: TermId) -> Option<bool> {
        if self.int_model != IntModel::Integer {
            return None;
        }
        let step = Step::new(&mut self.readings, terms, facts, &[], &[conclusion], |var| {
            self.in_range.contains(&var)
        })?;
        let outcomes = step.outcomes([])?;
        self.asked.differences += 1;
        Some(!outcomes.contains(&vec![false]))
    }

    fn by_solver(&mut self, terms: &mut Pool, facts: &[TermId], conclusion: TermId) -> Result<bool, GaveUp> {
        self.asked.solver += 1;
        if self.solver.as_ref().is_some_and(|solver| solver.queries() > QUESTIONS_A_SOLVER) {
            self.solver = None;
        }
        let solver = self.solver.get_or_insert_with(|| {
            let mut solver = Solver::new(self.int_model, self.watch);
            self.in_range.iter().for_each(|&var| solver.assert_in_range(terms, var));
            solver
        });
        let mut assumptions = facts.to_vec();
        assumptions.push(terms.not(conclusion));
        match solver.check(terms, &assumptions) {
            Answer::Sat => Ok(false),
            Answer::Unsat(_) => Ok(true),
            Answer::Unknown(gave_up) => Err(gave_up),
        }
    }
}

/// The answer, if it is written there.
fn as_written(terms: &Pool, facts: &[TermId], conclusion: TermId) -> Option<bool> {
    let is_fact = |term: &TermId| facts.binary_search(term).is_ok();
    match terms.node(conclusion) {
        Node::Bool(true) => return Some(true),
        Node::Or(list) if list.iter().any(is_fact) => return Some(true),
        Node::And(list) if list.iter().all(is_fact) => return Some(true),
        _ if is_fact(&conclusion) => return Some(true),
        _ => {}
    }
    if facts.iter().any(|&fact| terms.as_bool(fact) == Some(false)) {
        return Some(true);
    }
    let Node::Or(wanted) = terms.node(conclusion) else {
        return (facts.is_empty() && terms.as_bool(conclusion) == Some(false)).then_some(false);
    };
    let weaker = |fact: &TermId| match terms.node(*fact) {
        Node::Or(list) => list.iter().all(|term| wanted.contains(term)),
        _ => false,
    };
    facts.iter().any(weaker).then_some(true)
}

/// The negation, with the negation of a conjunction written as a disjunction.
pub fn negated(terms: &mut Pool, term: TermId) -> TermId {
    if !matches!(terms.node(term), Node::And(_)) {
        return match terms.node(term) {
            Node::Or(list) => {
                let list = list.to_vec();
                let list: Vec<TermId> = list.into_iter().map(|each| terms.not(each)).collect();
                terms.and(&list)
            }
            _ => terms.not(term),
        };
    }
    let list: Vec<TermId> = terms.conjuncts(term).into_iter().map(|each| terms.not(each)).collect();
    terms.or(&list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::smt::interruptible;
    use crate::term::{Sort, Word};

    fn question(
        int_model: IntModel,
        ask: impl Fn(&mut Pool, [TermId; 3]) -> (Vec<TermId>, TermId),
    ) -> (bool, Asked) {
        let mut terms = Pool::new();
        let vars = ["x", "y", "z"].map(|name| terms.declare(name, Sort::Word(Word::signed(32))));
        let vars = vars.map(|var| terms.var(var));
        let (mut facts, conclusion) = ask(&mut terms, vars);
        facts.sort_unstable();
        interruptible(&Budget::unlimited(), |watch| {
            let mut entailment = Entailment::new(int_model, watch);
            let answer = entailment.implies(&mut terms, &facts, conclusion).expect("an answer");
            assert_eq!(entailment.implies(&mut terms, &facts, conclusion), Ok(answer));
            (answer, entailment.asked())
        })
    }

    #[test]
    fn what_is_written_needs_no_table() {
        let (answer, asked) = question(IntModel::BitVector, |terms, [x, y, z]| {
            let (a, b, c) = (terms.le(x, y), terms.le(y, z), terms.le(z, x));
            (vec![a, b], terms.or(&[c, b]))
        });
        assert!(answer);
        assert_eq!(asked, Asked { syntactic: 2, ..Asked::default() });
    }

    #[test]
    fn differences_need_no_solver_and_answers_are_kept() {
        let transitive = |terms: &mut Pool, [x, y, z]: [TermId; 3]| {
            let (a, b) = (terms.le(x, y), terms.le(y, z));
            (vec![a, b], terms.le(x, z))
        };
        let (answer, asked) = question(IntModel::Integer, transitive);
        assert!(answer);
        assert_eq!(asked, Asked { differences: 1, table: 1, ..Asked::default() });
        let (answer, asked) = question(IntModel::BitVector, transitive);
        assert!(answer);
        assert_eq!(asked, Asked { solver: 1, table: 1, ..Asked::default() });
    }

    #[test]
    fn facts_about_other_variables_do_not_count() {
        let (answer, asked) = question(IntModel::Integer, |terms, [x, y, z]| {
            let (a, b, product) = (terms.le(x, y), terms.le(y, x), terms.mul(z, z));
            let strange = terms.le(z, product);
            (vec![a, strange], b)
        });
        assert!(!answer);
        assert_eq!((asked.differences, asked.solver), (1, 0), "the product would be for the solver");
    }
}
