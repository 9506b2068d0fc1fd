//! Strongest postconditions of a core: what the path so far says about the variables that the rest of the
//! core speaks of.
//!
//! `A_0` is what is known of the start. `A_k` is what `A_{k-1}`, the conditions of the core and the
//! assignments of step `k` say, without the values before the step, its inputs, and variables that the
//! weakest preconditions do not mention there. These are eliminated so that the result is exact or says less:
//! every triple holds, and whether the end excludes the goal's contrary is asked.

use rustc_hash::FxHashMap;

use super::{Core, Interpolator, Walk};
use crate::program::TransId;
use crate::reach::eliminate::project;
use crate::reach::entail::negated;
use crate::reach::path::whole_value;
use crate::reach::symbolic::Unknowns;
use crate::smt::GaveUp;
use crate::term::{Pool, Sort, TermId, VarId};

/// For each variable another that stands for its value before a step.
#[derive(Default)]
pub(super) struct Before(FxHashMap<VarId, VarId>);

impl Before {
    fn of(&mut self, terms: &mut Pool, var: VarId) -> VarId {
        *self.0.entry(var).or_insert_with(|| {
            let (name, sort) = (terms.var_name(var).to_owned(), terms.var_sort(var));
            terms.declare(name, sort)
        })
    }
}

impl Interpolator<'_> {
    /// The interpolants; `None` if something that matters was lost on the way.
    pub(super) fn strongest(
        &mut self,
        terms: &mut Pool,
        unknowns: &Unknowns,
        walk: &Walk<'_>,
        core: &Core,
        demands: &[TermId],
    ) -> Result<Option<Vec<TermId>>, GaveUp> {
        let mut known = self.beginning(terms, walk, core, demands[0]);
        let mut sequence = vec![known];
        for (step, &id) in walk.path.iter().enumerate() {
            let asked = core.conditions.iter().filter(|(of, _)| *of == step).map(|(_, condition)| *condition);
            let all: Vec<TermId> = asked.chain([known]).collect();
            known = terms.and(&all);
            if terms.as_bool(demands[step + 1]) == Some(true) {
                // Nothing is asked of the rest, so this step cannot be taken.
                sequence.resize(walk.path.len() + 1, terms.bool(false));
                return Ok(self.excluded(terms, unknowns, &[], known)?.then_some(sequence));
            }
            known = self.after(terms, walk, id, known, demands[step + 1]);
            sequence.push(known);
        }
        let contrary = terms.and(&[known, core.contrary]);
        Ok(self.excluded(terms, unknowns, &[], contrary)?.then_some(sequence))
    }

    /// What is known of the start about the variables of a demand that it excludes.
    fn beginning(&self, terms: &mut Pool, walk: &Walk<'_>, core: &Core, demand: TermId) -> TermId {
        let is_state = |var: &VarId| var.index() < self.program.variables.len();
        let mut known = core.facts.clone();
        known.retain(|&fact| terms.vars(fact).iter().all(is_state));
        let mut exact = known.len() == core.facts.len();
        for var in terms.vars(demand) {
            let var = terms.var(var);
            let value = walk.start.value(terms, var);
            match terms.as_const(value) {
                Some(_) => known.push(terms.eq(var, value)),
                None => exact = false,
            }
        }
        if !exact {
            known.push(negated(terms, demand));
        }
        terms.and(&known)
    }

    /// What is known after a step, of the variables of a demand.
    fn after(
        &mut self,
        terms: &mut Pool,
        walk: &Walk<'_>,
        id: TransId,
        known: TermId,
        demand: TermId,
    ) -> TermId {
        let transition = walk.program.transition(id);
        let mut written: Vec<VarId> = transition.updates.iter().map(|update| update.place.var).collect();
        written.dedup();
        let before = &mut self.before;
        let mut old = |terms: &mut Pool, term: TermId| {
            terms.substitute(term, |terms, var| {
                let old = written.contains(&var).then(|| before.of(terms, var));
                old.map(|old| terms.var(old))
            })
        };
        let wanted = terms.vars(demand);
        let mut all = vec![old(terms, known)];
        for &var in &written {
            if wanted.contains(&var) && !matches!(terms.var_sort(var), Sort::Array(_)) {
                let value = whole_value(terms, transition, var);
                let (var, value) = (terms.var(var), old(terms, value));
                all.push(terms.eq(var, value));
            }
        }
        let all = terms.and(&all);
        let others: Vec<VarId> = terms.vars(all).into_iter().filter(|var| !wanted.contains(var)).collect();
        others.into_iter().fold(all, |all, var| project(terms, all, var))
    }
}
