//! Questions that go to the solver: what is not about integer differences.

use std::collections::BTreeSet;

use super::{Abstraction, Group};
use crate::program::TransId;
use crate::reach::cube::{Cube, CubeId, PredId};
use crate::reach::relation::Outcome;
use crate::smt::{Answer, GaveUp};
use crate::term::TermId;

impl Abstraction<'_> {
    /// The outcomes from some facts, by what is known of the step or else by the solver.
    pub(super) fn ask(
        &mut self,
        transition: TransId,
        group: &Group,
        facts: CubeId,
    ) -> Result<BTreeSet<Outcome>, GaveUp> {
        let facts = self.cubes.cube(facts).clone();
        let relation = &self.asked.relations[group.number as usize];
        let found = relation.possible(&facts);
        let certain = group.decided.is_empty() && !found.is_empty();
        if certain || relation.is_all(&facts, &found) {
            self.work.hits += 1;
            return Ok(found);
        }
        self.solver.push();
        if group.guarded {
            self.solver.assert(&self.terms, self.fires[transition.index()]);
        }
        for outcome in &found {
            self.block(group, outcome);
        }
        let result = self.ask_solver(group, &facts, found);
        self.solver.pop();
        result
    }

    /// Adds to the outcomes found what the solver finds besides.
    fn ask_solver(
        &mut self,
        group: &Group,
        facts: &Cube,
        mut found: BTreeSet<Outcome>,
    ) -> Result<BTreeSet<Outcome>, GaveUp> {
        let literals: Vec<(PredId, bool)> = facts.literals().collect();
        let assumptions: Vec<TermId> = literals.iter().map(|&(p, value)| self.literal(p, value)).collect();
        loop {
            self.work.queries += 1;
            match self.solver.check(&self.terms, &assumptions) {
                Answer::Sat => {}
                Answer::Unknown(gave_up) => return Err(gave_up),
                Answer::Unsat(used) => {
                    let mut core = Cube::default();
                    let pairs = literals.iter().zip(&assumptions);
                    for (&(predicate, value), _) in pairs.filter(|(_, term)| used.contains(term)) {
                        core.set(predicate, Some(value));
                    }
                    self.asked.relations[group.number as usize].add_bound(core, found.clone());
                    return Ok(found);
                }
            }
            // Reading values off the solver's model is dear, so only what does not show without it.
            let mut outcome = Outcome::default();
            for &(_, term) in &group.decided {
                outcome.push(self.look(term, facts).map_or_else(|| self.in_model(term), Ok)?);
            }
            let mut state = facts.clone();
            for &premise in group.premises.iter().filter(|&&premise| facts.get(premise).is_none()) {
                let value = self.in_model(self.atom(premise))?;
                state.set(premise, Some(value));
            }
            self.asked.relations[group.number as usize].add_model(state, outcome.clone());
            self.block(group, &outcome);
            found.insert(outcome);
            if group.decided.is_empty() {
                return Ok(found);
            }
        }
    }

    /// The value of a term in the solver's model. A model that does not tell is no answer.
    fn in_model(&mut self, term: TermId) -> Result<bool, GaveUp> {
        let silent = || GaveUp::Solver("its model has no value for a predicate".to_owned());
        self.solver.truth(&self.terms, term).ok_or_else(silent)
    }

    /// Asks for another outcome than this.
    fn block(&mut self, group: &Group, outcome: &Outcome) {
        let differs: Vec<TermId> = group
            .decided
            .iter()
            .zip(outcome)
            .map(|(&(_, term), &value)| if value { self.terms.not(term) } else { term })
            .collect();
        let other = self.terms.or(&differs);
        self.solver.assert(&self.terms, other);
    }

    /// All combinations of values of `asked` that are possible.
    pub(super) fn enumerate(&mut self, asked: &[TermId]) -> Result<Vec<Vec<bool>>, GaveUp> {
        let mut combinations = Vec::new();
        self.solver.push();
        let result = loop {
            self.work.queries += 1;
            match self.solver.check(&self.terms, &[]) {
                Answer::Unsat(_) => break Ok(()),
                Answer::Unknown(gave_up) => break Err(gave_up),
                Answer::Sat => {}
            }
            let values: Result<Vec<bool>, GaveUp> = asked.iter().map(|&term| self.in_model(term)).collect();
            let values = match values {
                Ok(values) => values,
                Err(gave_up) => break Err(gave_up),
            };
            let differs: Vec<TermId> = asked
                .iter()
                .zip(&values)
                .map(|(&term, &value)| if value { self.terms.not(term) } else { term })
                .collect();
            combinations.push(values);
            let other = self.terms.or(&differs);
            self.solver.assert(&self.terms, other);
        };
        self.solver.pop();
        result?;
        combinations.sort_unstable();
        Ok(combinations)
    }
}
