//! Interpolants of paths that lead nowhere.
//!
//! For a path `t_1 .. t_n` from a start, and a goal that holds whenever the path has been taken, a sequence
//! of interpolants is `A_0 .. A_n` such that the start implies `A_0`, every triple `A_{k-1} && t_k => A_k`
//! holds, and `A_n` implies the goal. For a path that cannot be taken the goal is `false`. Terms speak of
//! program variables alone.
//!
//! They are weakest preconditions of a core, as in Impara: a minimal set of conditions of the path that
//! exclude the goal's contrary is looked for; `B_n` is that contrary, `B_{k-1}` is `B_k` before step `k`
//! together with the conditions of the core there, and `A_k` is the negation of `B_k`. The inputs of a step
//! are eliminated from `B_{k-1}` (`eliminate.rs`) so that it is exact or asks for less: all triples hold in
//! either case, and whether the start still excludes `B_0` is asked. If it does not, inputs are eliminated
//! once more with the solver's help, which is exact where few of their values make a difference.

use rustc_hash::FxHashSet;

use super::difference::{Readings, Step};
use super::eliminate::project;
use super::entail::negated;
use super::path::minimal_core;
use super::predicate::precondition;
use super::symbolic::{Condition, SymbolicState, Unknowns};
use crate::program::{Program, Role, TransId};
use crate::smt::{Answer, GaveUp, IntModel, Solver, Watch};
use crate::term::{Pool, TermId, VarId};

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

/// A member of a core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Member {
    Fact(usize),
    Condition(usize),
    Contrary,
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

/// A solver that has been asked so often makes room for a fresh one.
const QUESTIONS_A_SOLVER: u64 = 2000;

/// Finds interpolants.
pub struct Interpolator<'p> {
    program: &'p Program,
    int_model: IntModel,
    watch: &'p Watch<'p>,
    solver: Option<(Solver, usize)>,
    readings: Readings,
    queries: u64,
}

impl<'p> Interpolator<'p> {
    /// For paths of a program.
    pub fn new(program: &'p Program, int_model: IntModel, watch: &'p Watch<'p>) -> Interpolator<'p> {
        Interpolator { program, int_model, watch, solver: None, readings: Readings::default(), queries: 0 }
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
        let Some(core) = self.core(terms, unknowns, walk, goal)? else { return Ok(Interpolated::Possible) };
        for care in [Care::Quick, Care::Thorough] {
            let demands = self.demands(terms, walk, goal, &core, care)?;
            let first = walk.start.value(terms, demands[0]);
            if self.excluded(terms, unknowns, walk.facts, first)? {
                let sequence: Vec<TermId> =
                    demands.into_iter().map(|demand| negated(terms, demand)).collect();
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
        let mut all = conditions.to_vec();
        all.extend(
            connected(terms, path.iter().map(|&formula| ((), formula)), conditions)
                .into_iter()
                .map(|(_, formula)| formula),
        );
        Ok(self.unsatisfiable(terms, unknowns, &all)?.is_none())
    }

    /// What is asked of the state before each step, and at the end, for the core to come about.
    fn demands(
        &mut self,
        terms: &mut Pool,
        walk: &Walk<'_>,
        goal: Goal,
        core: &[Member],
        care: Care,
    ) -> Result<Vec<TermId>, GaveUp> {
        let mut demand = match core.contains(&Member::Contrary) {
            true => negated(terms, goal.original),
            false => terms.bool(true),
        };
        let mut demands = vec![demand];
        let mut left = walk.conditions.len();
        for (step, &id) in walk.path.iter().enumerate().rev() {
            let mut conjuncts = vec![precondition(walk.program, terms, id, demand)];
            while left > 0 && walk.conditions[left - 1].0 == step {
                left -= 1;
                if core.contains(&Member::Condition(left)) {
                    conjuncts.push(walk.conditions[left].1.original);
                }
            }
            demand = terms.and(&conjuncts);
            for input in self.inputs(terms, demand) {
                let exact = match care {
                    Care::Quick => None,
                    Care::Thorough => self.project_by_models(terms, demand, input)?,
                };
                demand = exact.unwrap_or_else(|| project(terms, demand, input));
            }
            demands.push(demand);
        }
        demands.reverse();
        Ok(demands)
    }

    /// A demand without an input, as the alternatives that the values of the input make of it, if few of them
    /// include all others.
    fn project_by_models(
        &mut self,
        terms: &mut Pool,
        demand: TermId,
        input: VarId,
    ) -> Result<Option<TermId>, GaveUp> {
        let mut solver = Solver::new(self.int_model, self.watch);
        solver.assert_in_range(terms, input);
        solver.assert(terms, demand);
        let mut cases = Vec::new();
        for _ in 0..MOST_MODELS {
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
        vars.retain(|&var| self.program.variable(var).role == Role::Input);
        vars
    }

    /// Facts, conditions and the goal's contrary that exclude each other, none of which can be left out;
    /// `None` if there are none.
    fn core(
        &mut self,
        terms: &mut Pool,
        unknowns: &Unknowns,
        walk: &Walk<'_>,
        goal: Goal,
    ) -> Result<Option<Vec<Member>>, GaveUp> {
        let is = |terms: &Pool, term: TermId, value: bool| terms.as_bool(term) == Some(value);
        // A goal that the path's values show is not explained by the path being infeasible.
        if is(terms, goal.image, true) {
            return Ok(Some(vec![Member::Contrary]));
        }
        if let Some(at) = walk.conditions.iter().rposition(|(_, condition)| is(terms, condition.image, false))
        {
            return Ok(Some(vec![Member::Condition(at)]));
        }
        let contrary = negated(terms, goal.image);
        let mut members = Vec::new();
        members.extend(walk.facts.iter().enumerate().map(|(at, &fact)| (Member::Fact(at), fact)));
        let conditions = walk.conditions.iter().enumerate();
        members.extend(conditions.map(|(at, (_, condition))| (Member::Condition(at), condition.image)));
        let last = match walk.conditions.last() {
            _ if !is(terms, contrary, true) => {
                members.push((Member::Contrary, contrary));
                contrary
            }
            Some((_, condition)) => condition.image,
            None => return Ok(None),
        };
        let near = connected(terms, members.iter().copied(), &[last]);
        for some in [near, members] {
            let formulas: Vec<TermId> = some.iter().map(|(_, formula)| *formula).collect();
            if let Some(core) = self.unsatisfiable(terms, unknowns, &formulas)? {
                return Ok(Some(core.into_iter().map(|at| some[at].0).collect()));
            }
        }
        Ok(None)
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

    /// Positions of formulas that exclude each other, none of which can be left out; `None` if all hold
    /// together.
    fn unsatisfiable(
        &mut self,
        terms: &Pool,
        unknowns: &Unknowns,
        formulas: &[TermId],
    ) -> Result<Option<Vec<usize>>, GaveUp> {
        if let Some(at) = formulas.iter().position(|&formula| terms.as_bool(formula) == Some(false)) {
            return Ok(Some(vec![at]));
        }
        if self.int_model == IntModel::Integer
            && let Some(answer) = self.by_differences(terms, formulas)
        {
            return Ok(answer);
        }
        self.by_solver(terms, unknowns, formulas)
    }

    fn by_differences(&mut self, terms: &Pool, formulas: &[TermId]) -> Option<Option<Vec<usize>>> {
        let variables = self.program.variables.len();
        let is_unknown = |var: VarId| var.index() >= variables;
        let question = Step::new(&mut self.readings, terms, &[], formulas, &[], is_unknown)?;
        let possible = |chosen: &[bool]| {
            Some(!question.outcomes(chosen.iter().map(|chosen| chosen.then_some(true)))?.is_empty())
        };
        let mut chosen = vec![true; formulas.len()];
        if possible(&chosen)? {
            return Some(None);
        }
        for at in 0..chosen.len() {
            chosen[at] = false;
            chosen[at] = possible(&chosen)?;
        }
        Some(Some((0..chosen.len()).filter(|&at| chosen[at]).collect()))
    }

    fn by_solver(
        &mut self,
        terms: &Pool,
        unknowns: &Unknowns,
        formulas: &[TermId],
    ) -> Result<Option<Vec<usize>>, GaveUp> {
        if self.solver.as_ref().is_some_and(|(solver, _)| solver.queries() > QUESTIONS_A_SOLVER) {
            self.solver = None;
        }
        let (solver, ranged) =
            self.solver.get_or_insert_with(|| (Solver::new(self.int_model, self.watch), 0));
        for &unknown in &unknowns.all()[*ranged..] {
            solver.assert_in_range(terms, unknown);
        }
        *ranged = unknowns.all().len();
        let before = solver.queries();
        let answer = minimal_core(terms, solver, formulas);
        self.queries += solver.queries() - before;
        let Some(core) = answer? else { return Ok(None) };
        let position = |term: &TermId| formulas.iter().position(|formula| formula == term);
        Ok(Some(core.iter().filter_map(position).collect()))
    }

    /// Whether every triple of a sequence holds and its end implies the goal. For tests and builds with
    /// assertions.
    fn holds(&self, terms: &mut Pool, walk: &Walk<'_>, sequence: &[TermId], goal: TermId) -> bool {
        let path = walk.path;
        let mut solver = Solver::new(self.int_model, self.watch);
        for input in self.program.variable_ids().filter(|&var| self.program.variable(var).role == Role::Input)
        {
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

/// The members that share unknowns with some formulas, directly or through others.
fn connected<M: Copy>(
    terms: &Pool,
    members: impl Iterator<Item = (M, TermId)>,
    with: &[TermId],
) -> Vec<(M, TermId)> {
    let mut open: Vec<(M, TermId, Vec<VarId>)> =
        members.map(|(member, formula)| (member, formula, terms.vars(formula))).collect();
    let mut met: FxHashSet<VarId> = with.iter().flat_map(|&formula| terms.vars(formula)).collect();
    let mut taken = vec![false; open.len()];
    let mut grows = true;
    while grows {
        grows = false;
        for ((_, _, vars), taken) in open.iter().zip(&mut taken) {
            if !*taken && vars.iter().any(|var| met.contains(var)) {
                (*taken, grows) = (true, true);
                met.extend(vars);
            }
        }
    }
    let mut taken = taken.into_iter();
    open.retain(|_| taken.next() == Some(true));
    open.into_iter().map(|(member, formula, _)| (member, formula)).collect()
}

#[cfg(test)]
mod tests;
