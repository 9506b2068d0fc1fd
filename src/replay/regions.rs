//! Variables whose values matter only by comparison with constants.
//!
//! Variables between which values are copied form a class. If the values of a class are nowhere used but in copies within
//! it and in comparisons with constants, then two values between the same neighbouring constants
//! lead to the same runs: replacing one by the other everywhere keeps every comparison (the states are bisimilar). So one value from
//! each region between the constants, and each constant itself, stand for all values.

use std::collections::BTreeSet;

use crate::program::Program;
use crate::term::VarId;

use super::uses::{Use, uses};

/// The constants that matter to each variable.
#[derive(Debug)]
pub(super) struct Regions {
    /// The class of each variable.
    class: Vec<usize>,
    /// For each class the constants its values are compared with; `None` if they are used otherwise.
    thresholds: Vec<Option<BTreeSet<i128>>>,
}

impl Regions {
    pub fn new(program: &Program) -> Regions {
        let all: Vec<(VarId, Use)> =
            program.transitions.iter().flat_map(|transition| uses(program, transition)).collect();
        let class = classes(program.variables.len(), &all);
        let mut thresholds = vec![Some(BTreeSet::new()); program.variables.len()];
        for (var, what) in all {
            let constants = &mut thresholds[class[var.index()]];
            match what {
                Use::Copy(_) => {}
                Use::Compare(other) if let Some(value) = program.terms.as_const(other) => {
                    constants.iter_mut().for_each(|constants| {
                        constants.insert(value);
                    });
                }
                Use::Compare(_) | Use::Other => *constants = None,
            }
        }
        Regions { class, thresholds }
    }

    /// The constants that a variable's values are compared with, if nothing else happens to them.
    pub fn thresholds(&self, var: VarId) -> Option<&BTreeSet<i128>> {
        self.thresholds[self.class[var.index()]].as_ref()
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

/// One value of `low..=high` for each way to compare with some constants.
pub(super) fn representatives(low: i128, high: i128, constants: &BTreeSet<i128>) -> BTreeSet<i128> {
    let mut values = BTreeSet::new();
    values.extend(constants.range(low..=high).flat_map(|&constant| [constant - 1, constant, constant + 1]));
    values.retain(|value| (low..=high).contains(value));
    if values.is_empty() {
        values.insert(0.clamp(low, high));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_a_representative_that_compares_alike() {
        let signature = |value: i128, constants: &BTreeSet<i128>| -> Vec<std::cmp::Ordering> {
            constants.iter().map(|constant| value.cmp(constant)).collect()
        };
        for constants in [vec![], vec![0], vec![-20, 3], vec![-8, 7], vec![2, 3, 5], vec![9]] {
            let constants: BTreeSet<i128> = constants.into_iter().collect();
            for (low, high) in [(-8, 7), (0, 15), (3, 3), (4, 20)] {
                let values = representatives(low, high, &constants);
                assert!(values.iter().all(|value| (low..=high).contains(value)));
                for value in low..=high {
                    let alike = |other: &i128| signature(*other, &constants) == signature(value, &constants);
                    assert!(values.iter().any(alike), "{value} in {low}..={high} with {constants:?}");
                }
            }
        }
    }
}
