//! Which values to try for an input, or for an initial value that the program leaves open.
//!
//! A [`Domain`] is exact when trying its values shows everything that any value could show. A domain that is not exact
//! still finds bugs, but whoever uses it may no longer answer `true`. These are exact:
//! - all values, when there are few, or few that the guard allows (`bounds.rs`);
//! - one value for each way to compare with the constants, where only such comparisons matter in the whole program
//!   (`regions.rs`);
//! - one for each way to compare with what the transition compares it with, where it is used for nothing else (`bounds.rs`).
//!
//! Otherwise the domain consists of zero, one, minus one, the extremes, and the constants of the program with their neighbours.

use std::collections::BTreeSet;

use crate::program::{Init, Program, Role, TransId};
use crate::term::{Node, VarId};

use super::bounds::Bounds;
use super::compile::OpenCells;
use super::layout::Layout;
use super::regions::{Regions, representatives};

/// Values to try for one cell; at least one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Domain {
    /// The values as cells, simplest first.
    pub values: Vec<i64>,
    /// Whether no other value could show anything else.
    pub exact: bool,
}

/// Chooses domains.
#[derive(Debug)]
pub(super) struct Domains {
    /// At most so many combinations are tried for the open cells of one move.
    limit: u64,
    /// The constants of the program and their neighbours.
    constants: BTreeSet<i128>,
    regions: Regions,
    /// By transition.
    bounds: Vec<Bounds>,
}

/// Whether a variable has cells that are open in the beginning, or at every step.
pub(super) fn is_open(program: &Program, var: VarId) -> bool {
    let variable = program.variable(var);
    variable.role == Role::Input || variable.init == Init::Any
}

impl Domains {
    /// Prepares for a program; `forgotten` lists for each transition the variables that are not read after it.
    pub fn new(program: &Program, layout: &Layout, limit: u64, forgotten: &[Vec<VarId>]) -> Domains {
        let roots: Vec<_> = program.transitions.iter().flat_map(|transition| transition.terms()).collect();
        let mut constants = BTreeSet::new();
        program.terms.visit(&roots, |_, node| {
            if let Node::Const(value, _) | Node::Fill(value, _) = node {
                constants.extend([value - 1, *value, value + 1]);
            }
        });
        let open = program.variable_ids().any(|var| is_open(program, var));
        let bounds = match open {
            false => Vec::new(),
            true => program
                .transitions
                .iter()
                .zip(forgotten)
                .map(|(transition, forgotten)| Bounds::new(program, layout, transition, forgotten))
                .collect(),
        };
        Domains { limit, constants, regions: Regions::new(program), bounds }
    }

    /// The domain of an open cell that a transition reads, when the other choices of the move multiply to `others`.
    pub fn choose(
        &self,
        layout: &Layout,
        (transition, cell): (TransId, u32),
        others: u64,
        (cells, open): (&[i64], &OpenCells),
    ) -> Domain {
        let (var, element) = layout.place_of(cell);
        let word = layout.word_of(cell);
        let room = usize::try_from((self.limit / others.max(1)).max(1)).unwrap_or(usize::MAX);
        let bounds = &self.bounds[transition.index()];
        let (low, high) = match element {
            None => bounds.range(var, (word.min(), word.max()), cells, open),
            Some(_) => (word.min(), word.max()),
        };
        if low > high {
            // The guard cannot hold; any value shows it.
            return Domain { values: vec![0], exact: true };
        }
        let everywhere = self.regions.thresholds(var).cloned();
        let here = if element.is_none() { bounds.comparands(var, cells, open) } else { None };
        let exact = everywhere
            .into_iter()
            .chain(here)
            .map(|constants| representatives(low, high, &constants))
            .chain((high - low < room as i128).then(|| (low..=high).collect()))
            .filter(|values| values.len() <= room)
            .min_by_key(BTreeSet::len);
        match exact {
            Some(values) => Domain { values: simplest_first(values), exact: true },
            None => {
                let mut values: BTreeSet<i128> = self.constants.range(low..=high).copied().collect();
                values.extend([0, 1, -1, low, high].iter().filter(|value| (low..=high).contains(value)));
                let mut values = simplest_first(values);
                values.truncate(room);
                Domain { values, exact: false }
            }
        }
    }
}

/// The values as cells, by magnitude, positive before negative.
fn simplest_first(values: BTreeSet<i128>) -> Vec<i64> {
    let mut values: Vec<i128> = values.into_iter().collect();
    values.sort_unstable_by_key(|&value| (value.unsigned_abs(), value < 0));
    values.into_iter().map(|value| value as i64).collect()
}
