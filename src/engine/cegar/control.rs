//! The control abstraction of a view: into which classes the locations of the other threads fall.

use std::sync::Arc;

use regrain_partition::{Mismatch, MonotonicPartition, Partition, Partitioner};
use rustc_hash::FxHashSet;

use super::Refinement;
use crate::budget::Budget;
use crate::program::{LocId, Program, ThreadId};

/// Effort for the best of the smallest partitions. Measured: thirty times as much takes as many rounds.
const EFFORT: u64 = 30;

/// A partition of the locations of some threads that only gets finer, or smaller but for what it excludes.
pub(super) struct Control {
    /// The threads in order; each is a component of the partition.
    pub threads: Vec<ThreadId>,
    /// Pairs of locations that are always separated.
    known: FxHashSet<(LocId, LocId)>,
    /// For each location of the program, its number within its thread.
    numbers: Vec<usize>,
    /// For each of the threads, its locations in the order of those numbers. An environment thread that
    /// reaches a target is another view's business, so such locations need no class.
    locations: Vec<Vec<LocId>>,
    classes: Classes,
}

enum Classes {
    NonMonotonic(Box<Partitioner>),
    Monotonic(MonotonicPartition),
}

impl Control {
    /// All locations of a thread in one class.
    pub fn new(
        program: &Program,
        threads: Vec<ThreadId>,
        refinement: Refinement,
        budget: &Budget,
    ) -> Control {
        let mut numbers = vec![0; program.locations.len()];
        let mut locations = Vec::new();
        for &thread in &threads {
            let own: Vec<LocId> = program
                .location_ids()
                .filter(|&id| program.location(id).thread == thread && !program.location(id).is_target())
                .collect();
            for (number, location) in own.iter().enumerate() {
                numbers[location.index()] = number;
            }
            locations.push(own);
        }
        let sizes: Vec<usize> = locations.iter().map(Vec::len).collect();
        let classes = match refinement {
            Refinement::NonMonotonic => {
                let budget = budget.clone();
                let stop = Arc::new(move || budget.check().is_err());
                let partitioner = Partitioner::new(&sizes).with_effort(EFFORT).with_stop(stop);
                Classes::NonMonotonic(Box::new(partitioner))
            }
            Refinement::Monotonic => Classes::Monotonic(MonotonicPartition::new(&sizes)),
        };
        Control { threads, known: FxHashSet::default(), numbers, locations, classes }
    }

    /// Whether a pair of locations is always separated: a clause of its own says so.
    pub fn knows(&self, a: LocId, b: LocId) -> bool {
        self.known.contains(&(a.min(b), a.max(b)))
    }

    /// The partition in use.
    pub fn partition(&self) -> &Partition {
        match &self.classes {
            Classes::NonMonotonic(partitioner) => partitioner.partition(),
            Classes::Monotonic(monotonic) => monotonic.partition(),
        }
    }

    /// The component of a thread.
    pub fn component(&self, thread: ThreadId) -> Option<usize> {
        self.threads.iter().position(|&other| other == thread)
    }

    /// The class of a location.
    pub fn class(&self, component: usize, location: LocId) -> usize {
        self.partition().class(component, self.numbers[location.index()])
    }

    /// For each thread, the locations of each class.
    pub fn members(&self) -> Vec<Vec<Vec<LocId>>> {
        (0..self.threads.len())
            .map(|component| {
                let classes = self.partition().members(component);
                classes
                    .iter()
                    .map(|class| class.iter().map(|&number| self.locations[component][number]).collect())
                    .collect()
            })
            .collect()
    }

    /// For each thread, the class of each of its locations.
    pub fn classes(&self) -> Vec<Vec<(LocId, usize)>> {
        self.locations
            .iter()
            .enumerate()
            .map(|(component, locations)| {
                locations.iter().map(|&at| (at, self.class(component, at))).collect()
            })
            .collect()
    }

    /// Adds a spurious path to the history; [`Self::repartition`] then excludes it.
    pub fn remember(&mut self, program: &Program, mismatches: &[(LocId, LocId)]) {
        if let [(a, b)] = *mismatches {
            self.known.insert((a.min(b), a.max(b)));
        }
        let pairs: Vec<Mismatch> = mismatches
            .iter()
            .map(|&(a, b)| {
                let component =
                    self.component(program.location(a).thread).expect("a location of the environment");
                Mismatch::new(component, self.numbers[a.index()], self.numbers[b.index()])
            })
            .collect();
        match &mut self.classes {
            Classes::NonMonotonic(partitioner) => partitioner.add_path(pairs),
            Classes::Monotonic(monotonic) => {
                // Measured on Bakery: 14 classes if the location that is entered goes, 16 if the one that is
                // left does.
                let (_, entered) = mismatches[0];
                monotonic.exclude(&pairs, self.numbers[entered.index()]);
            }
        }
    }

    /// Separates an atomic location from all locations of its thread that are not atomic.
    pub fn isolate(&mut self, program: &Program, atomic: LocId) {
        let thread = program.location(atomic).thread;
        let component = self.component(thread).expect("a location of the environment");
        for other in self.locations[component].clone() {
            if !program.location(other).atomic && !self.knows(atomic, other) {
                self.remember(program, &[(other, atomic)]);
            }
        }
    }

    /// The smallest partition that excludes every path of the history. False if the search was interrupted.
    pub fn repartition(&mut self) -> bool {
        match &mut self.classes {
            Classes::NonMonotonic(partitioner) => partitioner.solve().is_ok(),
            Classes::Monotonic(_) => true,
        }
    }
}
