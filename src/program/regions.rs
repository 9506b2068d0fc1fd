//! Which values a program can tell apart.
//!
//! Comparisons cut the integers into intervals; a value that is only compared matters only by its interval. A
//! cut at `k` separates `k - 1` from `k`.
//!
//! Variables between which values are copied form a class. If the values of a class are nowhere used but in
//! copies within it and in comparisons with constants, then two values of the same interval lead to the same
//! runs: replacing one by the other everywhere keeps the outcome of every comparison (the states are
//! bisimilar). So one value of each interval stands for all.

use std::collections::BTreeSet;

use super::Program;
use crate::term::VarId;

use super::uses::{Relation, Use, uses};

/// Consecutive integers, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Interval {
    pub low: i128,
    pub high: i128,
}

impl Interval {
    /// The value of least magnitude.
    pub fn simplest(self) -> i128 {
        0.clamp(self.low, self.high)
    }
}

/// Places between integers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cuts(BTreeSet<i128>);

impl Cuts {
    /// Separates the values for which a comparison holds from the others.
    pub fn compare(&mut self, relation: Relation, other: i128) {
        match relation {
            Relation::Equal => self.0.extend([other, other + 1]),
            Relation::AtMost => self.0.extend([other + 1]),
            Relation::AtLeast => self.0.extend([other]),
        }
    }

    /// The parts of an interval, lowest first.
    pub fn parts(&self, whole: Interval) -> Vec<Interval> {
        let mut parts = Vec::new();
        let mut low = whole.low;
        for &cut in self.0.range(whole.low + 1..).take_while(|&&cut| cut <= whole.high) {
            parts.push(Interval { low, high: cut - 1 });
            low = cut;
        }
        parts.push(Interval { low, high: whole.high });
        parts
    }
}

/// What the program can tell apart, for each variable.
#[derive(Debug)]
pub(crate) struct Regions {
    /// The class of each variable.
    class: Vec<usize>,
    /// For each class the cuts by all its comparisons; `None` if its values are used otherwise.
    cuts: Vec<Option<Cuts>>,
}

impl Regions {
    pub fn new(program: &Program) -> Regions {
        let all: Vec<(VarId, Use)> =
            program.transitions.iter().flat_map(|transition| uses(program, transition)).collect();
        let class = classes(program.variables.len(), &all);
        let mut cuts = vec![Some(Cuts::default()); program.variables.len()];
        for (var, what) in all {
            let cuts = &mut cuts[class[var.index()]];
            match what {
                Use::Copy(_) => {}
                Use::Compare(relation, other) if let Some(value) = program.terms.as_const(other) => {
                    cuts.iter_mut().for_each(|cuts| cuts.compare(relation, value));
                }
                Use::Compare(..) | Use::Other => *cuts = None,
            }
        }
        Regions { class, cuts }
    }

    /// The class of a variable: the smallest variable in it.
    pub fn class(&self, var: VarId) -> VarId {
        VarId::new(self.class[var.index()])
    }

    /// The cuts by all comparisons of a variable's values, if nothing else happens to them.
    pub fn cuts(&self, var: VarId) -> Option<&Cuts> {
        self.cuts[self.class[var.index()]].as_ref()
    }
}

/// The class of each variable: the smallest variable connected with it by copies.
fn classes(variables: usize, uses: &[(VarId, Use)]) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..variables).collect();
    for &(from, what) in uses {
        if let Use::Copy(to) = what {
            let (a, b) = (root(&mut parent, from.index()), root(&mut parent, to.index()));
            parent[a.max(b)] = a.min(b);
        }
    }
    (0..variables).map(|var| root(&mut parent, var)).collect()
}

fn root(parent: &mut [usize], mut var: usize) -> usize {
    while parent[var] != var {
        parent[var] = parent[parent[var]];
        var = parent[var];
    }
    var
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_tell_apart_what_comparisons_tell_apart() {
        let comparisons =
            [(Relation::Equal, 3), (Relation::AtMost, -2), (Relation::AtLeast, 9), (Relation::Equal, -8)];
        let mut cuts = Cuts::default();
        comparisons.iter().for_each(|&(relation, other)| cuts.compare(relation, other));
        let outcomes = |value: i128| {
            comparisons.map(|(relation, other)| match relation {
                Relation::Equal => value == other,
                Relation::AtMost => value <= other,
                Relation::AtLeast => value >= other,
            })
        };
        for (low, high) in [(-8, 20), (0, 2), (3, 3), (4, 9), (-2, -1)] {
            let parts = cuts.parts(Interval { low, high });
            assert_eq!((parts[0].low, parts[parts.len() - 1].high), (low, high));
            for pair in parts.windows(2) {
                assert_eq!(pair[0].high + 1, pair[1].low);
                assert_ne!(outcomes(pair[0].high), outcomes(pair[1].low));
            }
            for part in parts {
                assert!((part.low..=part.high).all(|value| outcomes(value) == outcomes(part.low)));
            }
        }
    }
}
