//! Classes of locations as clauses (paper, Fig. 4, lines 4-15).
//!
//! The paper gives each location `⌈log₂ m⌉` bits. Here the code of a location is a *unary* number: a literal
//! per bound `k` says "the code is at least `k`". Then `code < m` is one literal, so that no more than `m`
//! classes slip in when `m` is not a power of two, and a larger `m` only adds literals and clauses: nothing
//! that was encoded changes, where a further bit would change the meaning of every separation.
//!
//! Invariants, for each component with locations `0..n`:
//! - the code of a location is at most one more than the largest code before it. Each partition thus has
//!   exactly one assignment, and its codes are the canonical class names of [`Partition`](crate::Partition);
//! - so the classes in use are `0..m`, and `m` is one more than the number of bounds `k ≥ 1` that some code
//!   reaches;
//! - a separation literal implies that its two locations have different codes. The converse is not encoded:
//!   a model may separate more than it says, never less.

use std::collections::BTreeMap;

use crate::partition::Mismatch;
use crate::sat::{Answer, Interrupted, Lit, Sat, Stop, Sum};

/// A solution: the codes of all locations, by component.
pub(crate) struct Model(pub(crate) BTreeMap<usize, Vec<usize>>);

impl Model {
    pub(crate) fn separates(&self, mismatch: &Mismatch) -> bool {
        let codes = &self.0[&mismatch.component()];
        let [l, other] = mismatch.locations();
        codes[l] != codes[other]
    }
}

/// The literals of one component.
struct Codes {
    locations: usize,
    /// `reaches[k][l]`: the code of location `l` is at least `k`. Row 0 always holds.
    reaches: Vec<Vec<Lit>>,
    /// `peaks[k][l]`: the largest code of the locations `0..=l` is at least `k`.
    peaks: Vec<Vec<Lit>>,
}

/// Components that are partitioned together, within a common number of classes.
pub(crate) struct Encoding {
    pub(crate) sat: Sat,
    /// By component.
    codes: BTreeMap<usize, Codes>,
    /// How many classes all components together may have.
    total: usize,
    /// Sums the bounds that some code reaches: the number of classes beyond the first of each component.
    further_classes: Sum,
    /// Assumed in each query: no more than `total` classes.
    within_total: Option<Lit>,
    separations: BTreeMap<Mismatch, Lit>,
}

impl Encoding {
    /// `components` gives the size of each component, none of them empty; `total` is at least their number.
    pub(crate) fn new(components: &BTreeMap<usize, usize>, total: usize, stop: Stop) -> Encoding {
        let sat = Sat::new(stop);
        let always = |locations| vec![vec![sat.truth(); locations]];
        let codes = components
            .iter()
            .map(|(&component, &n)| (component, Codes { locations: n, reaches: always(n), peaks: always(n) }))
            .collect();
        let mut encoding = Encoding {
            sat,
            codes,
            total: components.len() - 1,
            further_classes: Sum::default(),
            within_total: None,
            separations: BTreeMap::new(),
        };
        while encoding.total < total {
            encoding.widen();
        }
        encoding
    }

    /// How many classes all components together may have.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// Allows one class more.
    pub(crate) fn widen(&mut self) {
        self.total += 1;
        // Every other component keeps a class, so that none has more than this many.
        let most = self.total - (self.codes.len() - 1);
        for (&component, codes) in &mut self.codes {
            if codes.locations >= most {
                // The class below the new bound can now be told from the rest.
                codes.add_bound(&mut self.sat);
                let class = codes.reaches.len() - 2;
                for (mismatch, &separation) in &self.separations {
                    if mismatch.component() == component {
                        self.sat.add(codes.not_both(mismatch, class, separation));
                    }
                }
                self.further_classes.extend(codes.peaks[class + 1].last().copied());
            }
        }
        let bound = self.total - self.codes.len();
        self.within_total = self.further_classes.at_most(bound, &mut self.sat);
    }

    /// Demands that at least one of the mismatches be separated.
    pub(crate) fn add_path(&mut self, path: &[Mismatch]) {
        let clause: Vec<Lit> = path.iter().map(|mismatch| self.separation(mismatch)).collect();
        self.sat.add(clause);
    }

    /// A literal which implies that the mismatch is separated.
    pub(crate) fn separation(&mut self, mismatch: &Mismatch) -> Lit {
        if let Some(&known) = self.separations.get(mismatch) {
            return known;
        }
        let codes = &self.codes[&mismatch.component()];
        let separation = self.sat.new_lit();
        for class in 0..codes.reaches.len() - 1 {
            self.sat.add(codes.not_both(mismatch, class, separation));
        }
        self.separations.insert(*mismatch, separation);
        separation
    }

    /// A literal which says that the code of a location is below `bound`.
    pub(crate) fn below(&self, component: usize, location: usize, bound: usize) -> Lit {
        match self.codes[&component].reaches.get(bound) {
            Some(row) => !row[location],
            None => self.sat.truth(),
        }
    }

    /// Is there a partition within the total, under further assumptions? See [`Sat::query`].
    pub(crate) fn query(&mut self, assumptions: &[Lit], limit: Option<u32>) -> Result<Answer, Interrupted> {
        let all: Vec<Lit> = self.within_total.iter().chain(assumptions).copied().collect();
        Ok(match self.sat.query(&all, limit)? {
            Answer::Core(core) => {
                Answer::Core(core.into_iter().filter(|&l| Some(l) != self.within_total).collect())
            }
            other => other,
        })
    }

    /// The model of the last query.
    pub(crate) fn model(&self) -> Model {
        Model(self.codes.iter().map(|(&component, codes)| (component, codes.in_model(&self.sat))).collect())
    }
}

impl Codes {
    fn add_bound(&mut self, sat: &mut Sat) {
        let bound = self.reaches.len();
        let reaches: Vec<Lit> = (0..self.locations).map(|_| sat.new_lit()).collect();
        let peaks: Vec<Lit> = (0..self.locations).map(|_| sat.new_lit()).collect();
        for l in 0..self.locations {
            sat.add([!reaches[l], self.reaches[bound - 1][l]]);
            sat.add([!reaches[l], peaks[l]]);
            if l == 0 {
                // Nothing comes before the first location: its code is 0.
                sat.add([!reaches[0]]);
                sat.add([!peaks[0]]);
            } else {
                sat.add([!reaches[l], self.peaks[bound - 1][l - 1]]);
                sat.add([!peaks[l - 1], peaks[l]]);
                sat.add([!peaks[l], peaks[l - 1], reaches[l]]);
            }
        }
        self.reaches.push(reaches);
        self.peaks.push(peaks);
    }

    /// If `separation` holds, the two locations are not both in `class`.
    fn not_both(&self, mismatch: &Mismatch, class: usize, separation: Lit) -> [Lit; 5] {
        let (at, above) = (&self.reaches[class], &self.reaches[class + 1]);
        let [l, other] = mismatch.locations();
        [!separation, !at[l], above[l], !at[other], above[other]]
    }

    fn in_model(&self, sat: &Sat) -> Vec<usize> {
        let code = |l| self.reaches[1..].iter().take_while(|row| sat.holds(row[l])).count();
        (0..self.locations).map(code).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::GrowthStrings;
    use std::collections::BTreeSet;
    use std::sync::Arc;

    /// The codes of all models, each of which is excluded once found.
    fn all_models(encoding: &mut Encoding) -> BTreeSet<Vec<Vec<usize>>> {
        let mut found = BTreeSet::new();
        while let Ok(Answer::Model) = encoding.query(&[], None) {
            let model = encoding.model();
            let mut other = Vec::new();
            for (&component, codes) in &model.0 {
                for (location, &code) in codes.iter().enumerate() {
                    other.push(!encoding.below(component, location, code + 1));
                    other.push(encoding.below(component, location, code));
                }
            }
            encoding.sat.add(other);
            assert!(found.insert(model.0.into_values().collect()), "a model is found once");
        }
        found
    }

    fn classes(codes: &[usize]) -> usize {
        codes.iter().max().map_or(0, |&highest| highest + 1)
    }

    /// No partition within the total is missing, none has two codes, and none has more classes.
    #[test]
    fn a_partition_is_an_assignment() {
        let mut strings = GrowthStrings::default();
        for total in 2..=8 {
            let mut expected = BTreeSet::new();
            for first in strings.of(4).to_vec() {
                let within = |second: &&Vec<usize>| classes(&first) + classes(second) <= total;
                expected.extend(strings.of(3).iter().filter(within).map(|s| vec![first.clone(), s.clone()]));
            }
            let mut encoding = Encoding::new(&BTreeMap::from([(2, 4), (5, 3)]), total, Arc::new(|| false));
            assert_eq!(all_models(&mut encoding), expected, "total {total}");
        }
    }
}
