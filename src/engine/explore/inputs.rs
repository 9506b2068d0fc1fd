//! Which values to try for an input, or for an initial value that the program leaves open.
//!
//! A [`Domain`] is exact when trying its values shows everything that any value could show. A domain that is
//! not exact still finds bugs, but whoever uses it may no longer answer `true`. These are exact:
//! - an interval of values for each outcome of the comparisons that the transition makes, where it does
//!   nothing else with the value (`bounds.rs`); the cell stays open, with that interval;
//! - one value of each interval that the whole program can tell apart (`program/regions.rs`);
//! - all values, when there are few, or few that the guard allows (`bounds.rs`).
//!
//! Otherwise the domain consists of zero, one, minus one, the extremes, and the constants of the program with
//! their neighbours.

use std::collections::BTreeSet;

use crate::program::{Init, Program, Role, TransId};
use crate::term::{Node, VarId};

use super::bounds::Bounds;
use super::compile::OpenCells;
use super::layout::Layout;
use crate::program::regions::{Interval, Regions};

/// What to try for one cell; at least one thing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Domain {
    /// Simplest first.
    pub choices: Vec<Choice>,
    /// Whether nothing else could show anything else.
    pub exact: bool,
}

/// A value to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Choice {
    /// As a cell.
    pub value: i64,
    /// The values that this one stands for now, but perhaps not later.
    pub undecided: Option<Interval>,
}

/// Chooses domains.
#[derive(Debug)]
pub(super) struct Domains {
    /// At most so many combinations are tried for the open cells of one move.
    limit: u64,
    /// The constants of the program and their neighbours, and values that were suggested.
    constants: BTreeSet<i128>,
    regions: Regions,
    /// By transition; empty if nothing can be open.
    bounds: Vec<Bounds>,
}

/// Whether a variable has cells that are open in the beginning, or at every step.
pub(super) fn is_open(program: &Program, var: VarId) -> bool {
    let variable = program.variable(var);
    variable.role == Role::Input || variable.init == Init::Any
}

impl Domains {
    pub fn new(program: &Program, layout: &Layout, limit: u64, hints: &[i128]) -> Domains {
        let roots: Vec<_> = program.transitions.iter().flat_map(|transition| transition.terms()).collect();
        let mut constants: BTreeSet<i128> = hints.iter().copied().collect();
        program.terms.visit(&roots, |_, node| {
            if let Node::Const(value, _) | Node::Fill(value, _) = node {
                constants.extend([value - 1, *value, value + 1]);
            }
        });
        let mut bounds = Vec::new();
        if program.variable_ids().any(|var| is_open(program, var)) {
            bounds.extend(
                program.transitions.iter().map(|transition| Bounds::new(program, layout, transition)),
            );
        }
        Domains { limit, constants, regions: Regions::new(program), bounds }
    }

    /// The domain of an open cell that a transition reads, when the other choices of the move multiply to
    /// `others`.
    pub fn choose(
        &self,
        layout: &Layout,
        (transition, cell): (TransId, u32),
        others: u64,
        (cells, open): (&[i64], &OpenCells),
    ) -> Domain {
        let (var, element) = layout.place_of(cell);
        let room = usize::try_from((self.limit / others.max(1)).max(1)).unwrap_or(usize::MAX);
        let bounds = &self.bounds[transition.index()];
        let whole = open[cell as usize].expect("the cell is open");
        let allowed = match element {
            None => bounds.narrow(var, whole, cells, open),
            Some(_) => Some(whole),
        };
        let Some(interval) = allowed else {
            // The guard cannot hold; any value shows it.
            return Domain { choices: vec![decided(whole.low)], exact: true };
        };
        let exact = (bounds.cuts(var, cells, open))
            .map(|cuts| cuts.parts(interval).into_iter().map(undecided).collect())
            .or_else(|| self.representatives(var, interval, room))
            .filter(|choices: &Vec<Choice>| choices.len() <= room);
        match exact {
            Some(choices) => Domain { choices: simplest_first(choices), exact: true },
            None => {
                let mut choices = simplest_first(self.likely(interval));
                choices.truncate(room);
                Domain { choices, exact: false }
            }
        }
    }

    /// Values that stand for all values of an interval for ever, if they are known and few.
    fn representatives(&self, var: VarId, interval: Interval, room: usize) -> Option<Vec<Choice>> {
        let apart = self.regions.cuts(var).map(|cuts| cuts.parts(interval));
        let few = interval.high - interval.low < room as i128;
        match apart {
            Some(parts) => Some(parts.into_iter().map(|part| decided(part.simplest())).collect()),
            None => few.then(|| (interval.low..=interval.high).map(decided).collect()),
        }
    }

    /// Values of an interval that are likely to show something.
    fn likely(&self, interval: Interval) -> Vec<Choice> {
        let Interval { low, high } = interval;
        let mut values: BTreeSet<i128> = self.constants.range(low..=high).copied().collect();
        values.extend([0, 1, -1, low, high].iter().filter(|value| (low..=high).contains(value)));
        values.into_iter().map(decided).collect()
    }
}

fn decided(value: i128) -> Choice {
    Choice { value: value as i64, undecided: None }
}

fn undecided(part: Interval) -> Choice {
    let several = part.low < part.high;
    Choice { value: part.simplest() as i64, undecided: several.then_some(part) }
}

/// Sorts by magnitude, positive before negative.
fn simplest_first(mut choices: Vec<Choice>) -> Vec<Choice> {
    choices.sort_by_key(|choice| (choice.value.unsigned_abs(), choice.value < 0));
    choices
}
