//! A view: the program as seen from one thread, with its precision and the history of its refinement.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use regrain_partition::{Mismatch, MonotonicPartition, Partition, Partitioner};
use rustc_hash::FxHashSet;

use super::Refinement;
use super::history::History;
use crate::budget::Budget;
use crate::program::{LocId, Program, ThreadId, TransId, movers};
use crate::reach::cube::PredId;

/// Effort for the best of the smallest partitions. Measured: thirty times as much takes as many rounds.
const EFFORT: u64 = 30;

/// The program seen from one thread.
pub(super) struct View {
    /// The thread that is followed exactly.
    pub observed: ThreadId,
    /// The others, in order; each is a component of the partition.
    pub environment: Vec<ThreadId>,
    /// For each of them, its transitions. A target that another thread reaches is another view's business.
    pub transitions: Vec<Vec<TransId>>,
    /// The predicates in use.
    pub predicates: BTreeSet<PredId>,
    /// What happened so far.
    pub history: History,
    /// Locations where the program's meaning ends that are reached for real; no longer sought.
    pub reached: BTreeSet<LocId>,
    /// Pairs of locations that are always separated.
    known: FxHashSet<(LocId, LocId)>,
    /// For each location of the program, its number within its thread.
    numbers: Vec<usize>,
    /// For each environment thread, its locations in the order of those numbers.
    locations: Vec<Vec<LocId>>,
    /// For each environment thread and class, whether all its locations are atomic.
    atomic: Vec<Vec<bool>>,
    /// For each location, whether it is atomic.
    is_atomic: Vec<bool>,
    /// For each location, whether reaching it decides the verdict.
    is_target: Vec<bool>,
    control: Control,
}

enum Control {
    NonMonotonic(Box<Partitioner>),
    Monotonic(MonotonicPartition),
}

/// The views of a program: one for each thread that has something to reach.
pub(super) fn views(program: &Program, refinement: Refinement, budget: &Budget) -> Vec<View> {
    let has_target = |thread: ThreadId| {
        program.locations.iter().any(|location| location.thread == thread && location.is_target())
    };
    program
        .thread_ids()
        .filter(|&thread| has_target(thread))
        .map(|thread| View::new(program, thread, refinement, budget))
        .collect()
}

impl View {
    fn new(program: &Program, observed: ThreadId, refinement: Refinement, budget: &Budget) -> View {
        let environment: Vec<ThreadId> = program.thread_ids().filter(|&thread| thread != observed).collect();
        let mut numbers = vec![0; program.locations.len()];
        let mut locations = Vec::new();
        for &thread in &environment {
            // An environment thread that reaches a target is another view's business, so such locations need
            // no class.
            let own: Vec<LocId> = program
                .location_ids()
                .filter(|&id| program.location(id).thread == thread && !program.location(id).is_target())
                .collect();
            for (number, location) in own.iter().enumerate() {
                numbers[location.index()] = number;
            }
            locations.push(own);
        }
        let leads_on = |&id: &TransId| !program.location(program.transition(id).to).is_target();
        let transitions = environment
            .iter()
            .map(|&thread| {
                let own = program.transition_ids().filter(|&id| program.thread_of(id) == thread);
                own.filter(leads_on).collect()
            })
            .collect();
        let sizes: Vec<usize> = locations.iter().map(Vec::len).collect();
        let control = match refinement {
            Refinement::NonMonotonic => {
                let budget = budget.clone();
                let stop = Arc::new(move || budget.check().is_err());
                let partitioner = Partitioner::new(&sizes).with_effort(EFFORT).with_stop(stop);
                Control::NonMonotonic(Box::new(partitioner))
            }
            Refinement::Monotonic => Control::Monotonic(MonotonicPartition::new(&sizes)),
        };
        let history =
            History { observed, environment: environment.clone(), rounds: Vec::new(), classes: Vec::new() };
        let mut view = View {
            observed,
            environment,
            transitions,
            predicates: BTreeSet::new(),
            history,
            reached: BTreeSet::new(),
            known: FxHashSet::default(),
            numbers,
            locations,
            atomic: Vec::new(),
            is_atomic: program.locations.iter().map(|location| location.atomic).collect(),
            is_target: program.locations.iter().map(|location| location.is_target()).collect(),
            control,
        };
        view.adopt();
        view
    }

    /// Takes note of a new partition.
    fn adopt(&mut self) {
        let members = self.members();
        let all_atomic = |class: &Vec<LocId>| class.iter().all(|at| self.is_atomic[at.index()]);
        self.atomic = members.iter().map(|classes| classes.iter().map(all_atomic).collect()).collect();
        self.history.classes = members;
    }

    /// Whether this location of the observed thread is looked for.
    pub fn seeks(&self, location: LocId) -> bool {
        self.is_target[location.index()] && !self.reached.contains(&location)
    }

    /// Whether some environment thread is certainly in an atomic section, so that the observed thread waits.
    pub fn excludes_observed(&self, classes: &[usize]) -> bool {
        classes.iter().enumerate().any(|(component, &class)| self.atomic[component][class])
    }

    /// The components that may move: all, unless some thread is certainly in an atomic section.
    pub fn movable(&self, observed: LocId, classes: &[usize]) -> Range<usize> {
        if self.is_atomic[observed.index()] {
            return 0..0;
        }
        movers(classes.len(), |component| self.atomic[component][classes[component]])
    }

    /// Whether a pair of locations is always separated: a clause of its own says so.
    pub fn knows(&self, a: LocId, b: LocId) -> bool {
        self.known.contains(&(a.min(b), a.max(b)))
    }

    /// The partition in use.
    pub fn partition(&self) -> &Partition {
        match &self.control {
            Control::NonMonotonic(partitioner) => partitioner.partition(),
            Control::Monotonic(monotonic) => monotonic.partition(),
        }
    }

    /// The component of an environment thread.
    pub fn component(&self, thread: ThreadId) -> Option<usize> {
        self.environment.iter().position(|&other| other == thread)
    }

    /// The class of a location of an environment thread.
    pub fn class(&self, component: usize, location: LocId) -> usize {
        self.partition().class(component, self.numbers[location.index()])
    }

    /// For each environment thread, the locations of each class.
    fn members(&self) -> Vec<Vec<Vec<LocId>>> {
        (0..self.environment.len())
            .map(|component| {
                let classes = self.partition().members(component);
                classes
                    .iter()
                    .map(|class| class.iter().map(|&number| self.locations[component][number]).collect())
                    .collect()
            })
            .collect()
    }

    /// For each environment thread, the class of each of its locations.
    pub fn classes(&self) -> Vec<Vec<(LocId, usize)>> {
        self.locations
            .iter()
            .enumerate()
            .map(|(component, locations)| {
                locations.iter().map(|&at| (at, self.class(component, at))).collect()
            })
            .collect()
    }

    /// The mismatches of a path: where an environment thread's steps do not follow each other. Without
    /// repetition.
    pub fn mismatches(&self, program: &Program, path: &[TransId]) -> Vec<(LocId, LocId)> {
        let mut at: Vec<LocId> = program.threads.iter().map(|thread| thread.entry).collect();
        let mut found = Vec::new();
        for &id in path {
            let step = program.transition(id);
            let thread = program.location(step.from).thread;
            let here = std::mem::replace(&mut at[thread.index()], step.to);
            if thread != self.observed && here != step.from && !found.contains(&(here, step.from)) {
                found.push((here, step.from));
            }
        }
        found
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
        match &mut self.control {
            Control::NonMonotonic(partitioner) => partitioner.add_path(pairs),
            Control::Monotonic(monotonic) => {
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
        let solved = match &mut self.control {
            Control::NonMonotonic(partitioner) => partitioner.solve().is_ok(),
            Control::Monotonic(_) => true,
        };
        self.adopt();
        solved
    }
}
