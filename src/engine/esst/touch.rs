//! What operations and blocks touch: shared variables, and parts of the scheduler's state.

use std::collections::BTreeSet;

use crate::program::footprint;
use crate::program::{Program, Transition};
use crate::scheduler::{Footprint, Resource};
use crate::term::VarId;

/// Something that one thread can do to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Cell {
    /// A shared variable.
    Var(VarId),
    /// A part of the scheduler's state.
    Part(Resource),
}

/// What is read and written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Touch {
    /// Perhaps anything else, too.
    pub everything: bool,
    pub reads: BTreeSet<Cell>,
    pub writes: BTreeSet<Cell>,
}

impl Touch {
    /// Perhaps anything.
    pub fn everything() -> Touch {
        Touch { everything: true, ..Touch::default() }
    }

    /// What a transition does to variables; its call is not counted.
    pub fn of_data(program: &Program, transition: &Transition) -> Touch {
        let footprint = footprint::Footprint::of(program, transition);
        let cells = |places: &[crate::program::Place]| {
            places.iter().map(|place| Cell::Var(place.var)).collect::<BTreeSet<Cell>>()
        };
        Touch { everything: false, reads: cells(&footprint.reads), writes: cells(&footprint.writes) }
    }

    /// Adds what a primitive touches.
    pub fn add_call(&mut self, footprint: &Footprint) {
        match footprint {
            Footprint::Everything => self.everything = true,
            Footprint::Of { reads, writes } => {
                self.reads.extend(reads.iter().copied().map(Cell::Part));
                self.writes.extend(writes.iter().copied().map(Cell::Part));
            }
        }
    }

    /// Adds what something else touches. Whether that is more.
    pub fn add(&mut self, other: &Touch) -> bool {
        let before = (self.everything, self.reads.len(), self.writes.len());
        self.everything |= other.everything;
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        before != (self.everything, self.reads.len(), self.writes.len())
    }

    /// Whether nothing is touched.
    fn is_nothing(&self) -> bool {
        !self.everything && self.reads.is_empty() && self.writes.is_empty()
    }

    /// Whether the order of the two can matter: one writes what the other reads or writes.
    pub fn conflicts(&self, other: &Touch) -> bool {
        if self.everything || other.everything {
            return !self.is_nothing() && !other.is_nothing();
        }
        let meet = |these: &BTreeSet<Cell>, those: &BTreeSet<Cell>| {
            let (few, many) = if these.len() < those.len() { (these, those) } else { (those, these) };
            few.iter().any(|cell| many.contains(cell))
        };
        meet(&self.writes, &other.writes)
            || meet(&self.writes, &other.reads)
            || meet(&self.reads, &other.writes)
    }
}
