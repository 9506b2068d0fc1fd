//! Cores: what of a path excludes the contrary of its goal. None of it can be left out.

use rustc_hash::FxHashSet;

use super::{Goal, Interpolator, Walk};
use crate::reach::difference::Step;
use crate::reach::entail::negated;
use crate::reach::path::minimal_core;
use crate::reach::symbolic::Unknowns;
use crate::smt::{GaveUp, IntModel, Solver};
use crate::term::{Pool, TermId, VarId};

/// A solver that has been asked so often makes room for a fresh one.
const QUESTIONS_A_SOLVER: u64 = 2000;

/// What excludes the contrary of a goal.
#[derive(Clone, Debug)]
pub(super) struct Core {
    /// Facts about the start, over unknowns.
    pub facts: Vec<TermId>,
    /// Conditions as the steps have them, with the positions of the steps, in order.
    pub conditions: Vec<(usize, TermId)>,
    /// The contrary of the goal, or `true` if that does not matter.
    pub contrary: TermId,
}

/// A member of a core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Member {
    Fact(usize),
    Condition(usize),
    Contrary,
}

impl Interpolator<'_> {
    /// A core; `None` if the contrary of the goal can come about.
    pub(super) fn core(
        &mut self,
        terms: &mut Pool,
        unknowns: &Unknowns,
        walk: &Walk<'_>,
        goal: Goal,
    ) -> Result<Option<Core>, GaveUp> {
        let Some(members) = self.members(terms, unknowns, walk, goal)? else { return Ok(None) };
        let mut core = Core { facts: Vec::new(), conditions: Vec::new(), contrary: terms.bool(true) };
        for member in members {
            match member {
                Member::Fact(at) => core.facts.push(walk.facts[at]),
                Member::Condition(at) => {
                    let (step, condition) = walk.conditions[at];
                    core.conditions.push((step, condition.original));
                }
                Member::Contrary => core.contrary = negated(terms, goal.original),
            }
        }
        Ok(Some(core))
    }

    fn members(
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

    /// Positions of formulas that exclude each other, none of which can be left out; `None` if all hold
    /// together.
    pub(super) fn unsatisfiable(
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
}

/// The members that share unknowns with some formulas, directly or through others.
pub(super) fn connected<M: Copy>(
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
