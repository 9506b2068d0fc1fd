//! Equations that come back again and again with another constant, replaced by inequalities.
//!
//! Where a counter goes up and must not reach 5, weakest preconditions ask that it is not 5, not 4, not 3...
//! Each of these is a label of its own, and none implies the others. So once that has been seen, a condition
//! `a == b` of the core is replaced by `a <= b` or `a >= b` if the start still excludes what is demanded
//! then, and fewer such equations are left. As the condition implies what stands in its place, all steps
//! between interpolants still hold.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Care, Core, Interpolator, Walk};
use crate::reach::predicate::{collect_atoms, equation};
use crate::reach::symbolic::Unknowns;
use crate::smt::GaveUp;
use crate::term::{Node, Pool, Sort, TermId};

/// So many equations that differ in a constant alone are nothing strange.
const MOST_ALIKE: usize = 4;

/// The equations seen so far, by their sides but for the constant.
#[derive(Default)]
pub(super) struct Equations {
    seen: FxHashMap<(TermId, Option<TermId>), FxHashSet<TermId>>,
}

impl Equations {
    fn note(&mut self, terms: &Pool, atoms: &BTreeSet<TermId>) {
        for &atom in atoms {
            if let Some(sides) = equation(terms, atom) {
                self.seen.entry(sides).or_default().insert(atom);
            }
        }
    }

    /// How many of some atoms are equations that come back with ever other constants.
    fn strange(&self, terms: &Pool, atoms: &BTreeSet<TermId>) -> usize {
        let alike = |atom: TermId| equation(terms, atom).and_then(|sides| self.seen.get(&sides));
        atoms.iter().filter(|&&atom| alike(atom).is_some_and(|alike| alike.len() > MOST_ALIKE)).count()
    }
}

impl Interpolator<'_> {
    /// The demands of a core, or those of a weaker one with fewer strange equations.
    pub(super) fn relaxed(
        &mut self,
        terms: &mut Pool,
        unknowns: &Unknowns,
        walk: &Walk<'_>,
        core: &Core,
        demands: Vec<TermId>,
    ) -> Result<Vec<TermId>, GaveUp> {
        let atoms = atoms(terms, &demands);
        self.equations.note(terms, &atoms);
        let mut left = self.equations.strange(terms, &atoms);
        let (mut core, mut best) = (core.clone(), demands);
        for at in 0..=core.conditions.len() {
            if left == 0 {
                break;
            }
            for weaker in inequalities(terms, *place(&mut core, at)) {
                let mut weak = core.clone();
                *place(&mut weak, at) = weaker;
                let Some(found) = self.demands(terms, unknowns, walk, &weak, Care::Quick)? else { continue };
                let strange = self.equations.strange(terms, &self::atoms(terms, &found));
                if strange < left {
                    (core, best, left) = (weak, found, strange);
                    break;
                }
            }
        }
        Ok(best)
    }
}

/// A condition of a core; after the last one, the contrary of its goal.
fn place(core: &mut Core, at: usize) -> &mut TermId {
    match core.conditions.get_mut(at) {
        Some((_, condition)) => condition,
        None => &mut core.contrary,
    }
}

fn atoms(terms: &Pool, demands: &[TermId]) -> BTreeSet<TermId> {
    let mut atoms = BTreeSet::new();
    demands.iter().for_each(|&demand| collect_atoms(terms, demand, &mut atoms));
    atoms
}

/// The two inequalities that an equation of words implies.
fn inequalities(terms: &mut Pool, condition: TermId) -> Vec<TermId> {
    match *terms.node(condition) {
        Node::Eq(a, b) if matches!(terms.sort(a), Sort::Word(_)) => vec![terms.le(b, a), terms.le(a, b)],
        _ => Vec::new(),
    }
}
