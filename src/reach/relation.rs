//! What is known of a step's effect on one group of predicates.
//!
//! Whoever asks for the outcomes of a step from some facts gets them from two kinds of knowledge, if these
//! meet. A *model* is a concrete state that the solver gave once: it shows that its outcome is possible from
//! all facts that are true in it. A *bound* comes from an unsatisfiable core: where the core's facts hold, no
//! outcomes but these are possible. Cores are small, so that one answer of the solver serves many questions.

use std::collections::BTreeSet;

use super::cube::Cube;

/// Values of the predicates that a step decides, in order.
pub type Outcome = Vec<bool>;

/// Models and bounds of one step and group.
#[derive(Default)]
pub struct Relation {
    models: Vec<(Cube, Outcome)>,
    bounds: Vec<(Cube, BTreeSet<Outcome>)>,
}

impl Relation {
    /// Outcomes that are possible from these facts for certain.
    pub fn possible(&self, facts: &Cube) -> BTreeSet<Outcome> {
        let models = self.models.iter().filter(|(state, _)| state.implies(facts));
        models.map(|(_, outcome)| outcome.clone()).collect()
    }

    /// Whether no outcomes but these are possible from these facts, as far as known.
    pub fn is_all(&self, facts: &Cube, outcomes: &BTreeSet<Outcome>) -> bool {
        self.bounds.iter().any(|(core, bound)| facts.implies(core) && bound.is_subset(outcomes))
    }

    /// Remembers a state, by the values of all predicates that can matter, and its outcome.
    pub fn add_model(&mut self, state: Cube, outcome: Outcome) {
        self.models.push((state, outcome));
    }

    /// Remembers that where these facts hold only these outcomes are possible.
    pub fn add_bound(&mut self, core: Cube, outcomes: BTreeSet<Outcome>) {
        self.bounds.push((core, outcomes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::cube::PredId;

    fn cube(literals: &[(usize, bool)]) -> Cube {
        let mut cube = Cube::default();
        for &(predicate, value) in literals {
            cube.set(PredId::new(predicate), Some(value));
        }
        cube
    }

    #[test]
    fn models_and_bounds_meet() {
        let mut relation = Relation::default();
        relation.add_model(cube(&[(0, true), (1, false)]), vec![true]);
        relation.add_model(cube(&[(0, false), (1, false)]), vec![false]);
        relation.add_bound(cube(&[(0, true)]), BTreeSet::from([vec![true]]));
        let facts = cube(&[(0, true), (1, false)]);
        let found = relation.possible(&facts);
        assert_eq!(found, BTreeSet::from([vec![true]]));
        assert!(relation.is_all(&facts, &found));
        let less = cube(&[(1, false)]);
        assert_eq!(relation.possible(&less).len(), 2);
        assert!(!relation.is_all(&less, &relation.possible(&less)));
        assert!(relation.possible(&cube(&[(0, true), (1, true)])).is_empty());
    }
}
