//! Interpolants of paths that lead nowhere.
//!
//! For a path `t_1 .. t_n` from a start, and a goal that holds whenever the path has been taken, a sequence
//! of interpolants is `A_0 .. A_n` such that the start implies `A_0`, every triple `A_{k-1} && t_k => A_k`
//! holds, and `A_n` implies the goal. For a path that cannot be taken the goal is `false`. Terms speak of
//! program variables alone.
//!
//! First a core is looked for: a minimal set of conditions of the path that exclude the goal's contrary
//! (`core.rs`). Its weakest preconditions (`backward.rs`) say what must not be the case before each step;
//! their negations are interpolants if the start excludes the first. If it does not, inputs are eliminated
//! once more with the solver's help, which is exact where few of their values make a difference. Equations
//! that come back again and again with another constant, as when a counter goes up, are then replaced by
//! inequalities if that is enough (`relax.rs`). The strongest postconditions of the core (`forward.rs`) can
//! be had instead.

pub mod backward;
mod core;
mod forward;
mod relax;

use self::core::Core;
use super::difference::Readings;
use super::eliminate::project;
use super::entail::negated;
use super::predicate::precondition;
use super::symbolic::{Condition, SymbolicState, Unknowns};
use crate::program::{Program, Role, TransId};
use crate::smt::{Answer, GaveUp, IntModel, Solver, Watch};
use crate::term::{Node, Pool, TermId, VarId};
use forward::Before;
use relax::Equations;

/// A path, symbolically executed.
pub struct Walk<'a> {
    /// Whose transitions the steps are: the program of the interpolator, or one over the same variables.
    pub program: &'a Program,
    /// The state where it begins.
    pub start: &'a SymbolicState,
    /// What is known of that state, over unknowns.
    pub facts: &'a [TermId],
    /// The steps.
    pub path: &'a [TransId],
    /// The conditions of the steps that do not hold anyway, each with the position of its step. In order.
    pub conditions: &'a [(usize, Condition)],
}

/// What should hold at the end of a path.
#[derive(Clone, Copy)]
pub struct Goal {
    /// Over program variables.
    pub original: TermId,
    /// What that means on the path.
    pub image: TermId,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Interpolated {
    /// The goal holds for certain: terms, one more than steps.
    Sequence(Vec<TermId>),
    /// The path can be taken so that the goal does not hold.
    Possible,
    /// The goal holds, but the inputs could not be eliminated well enough to say why.
    Inexpressible,
}

/// Which interpolants of a core are taken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Strength {
    /// What the rest of the path needs: weakest preconditions.
    #[default]
    Weakest,
    /// What the path so far gives, as far as the rest speaks of it: strongest postconditions.
    Strongest,
}

/// How inputs are eliminated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Care {
    /// By looking.
    Quick,
    /// With the solver's help.
    Thorough,
}

/// So many values of an input are tried.
const MOST_MODELS: usize = 24;

/// So many, if it decides which element of an array is meant.
const MOST_INDICES: usize = 5;

/// Finds interpolants.
pub struct Interpolator<'p> {
    program: &'p Program,
    int_model: IntModel,
    strength: Strength,
    watch: &'p Watch<'p>,
    solver: Option<(Solver, usize)>,
    readings: Readings,
    equations: Equations,
    before: Before,
    queries: u64,
}

impl<'p> Interpolator<'p> {
    /// For paths of a program.
    pub fn new(program: &'p Program, int_model: IntModel, watch: &'p Watch<'p>) -> Interpolator<'p> {
        Interpolator {
            program,
            int_model,
            strength: Strength::default(),
            watch,
            solver: None,
            readings: Readings::default(),
            equations: Equations::default(),
            before: Before::default(),
            queries: 0,
        }
    }

    /// The same, with other interpolants of a core.
    pub fn with_strength(self, strength: Strength) -> Interpolator<'p> {
        Interpolator { strength, ..self }
    }

    /// Questions to the solver so far.
    pub fn queries(&self) -> u64 {
        self.queries
    }

    /// The interpolants of a path with a goal.
    ///
    /// # Errors
    /// If the solver gives up.
    pub fn sequence(
        &mut self,
        terms: &mut Pool,
        unknowns: &Unknowns,
        walk: &Walk<'_>,
        goal: Goal,
    ) -> Result<Interpolated, GaveUp> {
        let Some(core) = self.core(terms, unknowns, walk, goal)? else {
            return Ok(Interpolated::Possible);
        };
        for care in [Care::Quick, Care::Thorough] {
            if let Some(demands) = self.demands(terms, unknowns, walk, &core, care)? {
                let demands = self.relaxed(terms, unknowns, walk, &core, demands)?;
                let sequence = self.chosen(terms, unknowns, walk, &core, demands)?;
                debug_assert!(
                    self.holds(terms, walk, &sequence, goal.original),
                    "{sequence:?} do not follow"
                );
                return Ok(Interpolated::Sequence(sequence));
            }
        }
        Ok(Interpolated::Inexpressible)
    }

    /// Whether conditions, over unknowns, can hold together with those of the path so far, which do hold
    /// together.
    ///
    /// # Errors
    /// If the solver gives up.
    pub fn possible(
        &mut self,
        terms: &Pool,
        unknowns: &Unknowns,
        conditions: &[TermId],
        path: &[TermId],
    ) -> Result<bool, GaveUp> {
        let near = core::connected(terms, path.iter().map(|&formula| ((), formula)), conditions);
        let all: Vec<TermId> =
            conditions.iter().copied().chain(near.into_iter().map(|(_, near)| near)).collect();
        Ok(self.unsatisfiable(terms, unknowns, &all)?.is_none())
    }

    /// The interpolants that were asked for.
    fn chosen(
        &mut self,
        terms: &mut Pool,
        unknowns: &Unknowns,
        walk: &Walk<'_>,
        core: &Core,
        demands: Vec<TermId>,
    ) -> Result<Vec<TermId>, GaveUp> {
        if self.strength == Strength::Strongest
            && let Some(sequence) = self.strongest(terms, unknowns, walk, core, &demands)?
        {
            return Ok(sequence);
        }
        Ok(demands.into_iter().map(|demand| negated(terms, demand)).collect())
    }

    /// What is asked of the state before each step, and at the end, for a core to come about, if the start
    /// excludes that.
    fn demands(
        &mut self,
        terms: &mut Pool,
        unknowns: &Unknowns,
        walk: &Walk<'_>,
        core: &Core,
        care: Care,
    ) -> Result<Option<Vec<TermId>>, GaveUp> {
        let free = |terms: &mut Pool, mut demand: TermId| {
            for input in self.inputs(terms, demand) {
                let exact = match care {
                    Care::Quick => None,
                    Care::Thorough => self.project_by_models(terms, unknowns, demand, input)?,
                };
                demand = exact.unwrap_or_else(|| project(terms, demand, input));
            }
            Ok::<TermId, GaveUp>(demand)
        };
        let demands =
            backward::demands(walk.program, terms, walk.path, core.contrary, &core.conditions, free)?;
        let first = walk.start.value(terms, demands[0]);
        Ok(self.excluded(terms, unknowns, walk.facts, first)?.then_some(demands))
    }

    /// A demand without an input: nothing, if it cannot be met; or the alternatives that the values of the
    /// input make of it, if few of them include all others. That is seldom so where the input decides which
    /// element of an array is meant.
    fn project_by_models(
        &mut self,
        terms: &mut Pool,
        unknowns: &Unknowns,
        demand: TermId,
        input: VarId,
    ) -> Result<Option<TermId>, GaveUp> {
        if self.unsatisfiable(terms, unknowns, &[demand])?.is_some() {
            return Ok(Some(terms.bool(false)));
        }
        let most = if is_index(terms, demand, input) { MOST_INDICES } else { MOST_MODELS };
        let mut solver = Solver::new(self.int_model, self.watch);
        solver.assert_in_range(terms, input);
        solver.assert(terms, demand);
        let mut cases = Vec::new();
        for _ in 0..most {
            self.queries += 1;
            match solver.check(terms, &[]) {
                Answer::Unsat(_) => return Ok(Some(terms.or(&cases))),
                Answer::Unknown(gave_up) => return Err(gave_up),
                Answer::Sat => {}
            }
            let Some(datum) = solver.value(terms, input) else { return Ok(None) };
            let sort = terms.var_sort(input);
            let case =
                terms.substitute(demand, |terms, var| (var == input).then(|| terms.datum(&datum, sort)));
            cases.push(case);
            let others = terms.not(case);
            solver.assert(terms, others);
        }
        Ok(None)
    }

    fn inputs(&self, terms: &Pool, term: TermId) -> Vec<VarId> {
        let mut vars = terms.vars(term);
        vars.retain(|&var| self.is_input(var));
        vars
    }

    fn is_input(&self, var: VarId) -> bool {
        var.index() < self.program.variables.len() && self.program.variable(var).role == Role::Input
    }

    /// Whether a demand cannot be met where these facts hold.
    fn excluded(
        &mut self,
        terms: &mut Pool,
        unknowns: &Unknowns,
        facts: &[TermId],
        demand: TermId,
    ) -> Result<bool, GaveUp> {
        if let Some(value) = terms.as_bool(demand) {
            return Ok(!value || facts.iter().any(|&fact| terms.as_bool(fact) == Some(false)));
        }
        let all: Vec<TermId> = facts.iter().copied().chain([demand]).collect();
        Ok(self.unsatisfiable(terms, unknowns, &all)?.is_some())
    }

    /// Whether every triple of a sequence holds and its end implies the goal. For tests and builds with
    /// assertions.
    fn holds(&self, terms: &mut Pool, walk: &Walk<'_>, sequence: &[TermId], goal: TermId) -> bool {
        let path = walk.path;
        let mut solver = Solver::new(self.int_model, self.watch);
        for input in self.program.variable_ids().filter(|&var| self.is_input(var)) {
            solver.assert_in_range(terms, input);
        }
        let mut impossible = |terms: &mut Pool, formulas: &[TermId]| {
            let all = terms.and(formulas);
            terms.as_bool(all) == Some(false) || !matches!(solver.check(terms, &[all]), Answer::Sat)
        };
        let last = sequence[path.len()];
        let contrary = terms.not(goal);
        let steps = path.iter().enumerate().all(|(step, &id)| {
            let after = precondition(walk.program, terms, id, sequence[step + 1]);
            let violated = terms.not(after);
            let conditions = walk.program.transition(id).conditions();
            let all: Vec<TermId> = conditions.chain([sequence[step], violated]).collect();
            impossible(terms, &all)
        });
        sequence.len() == path.len() + 1 && steps && impossible(terms, &[last, contrary])
    }
}

/// Whether a variable decides which element of some array is meant.
fn is_index(terms: &Pool, term: TermId, var: VarId) -> bool {
    let mut indices = Vec::new();
    terms.visit(&[term], |_, node| match *node {
        Node::Select(_, index) | Node::Store(_, index, _) => indices.push(index),
        _ => {}
    });
    indices.into_iter().any(|index| terms.vars(index).contains(&var))
}

#[cfg(test)]
mod tests;
