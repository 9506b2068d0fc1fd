//! A view: the program as seen from one thread, with its precision and the history of its refinement.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Refinement;
use super::control::Control;
use super::history::History;
use super::spots::Packing;
use crate::budget::Budget;
use crate::program::{LocId, Program, ThreadId, TransId, movers};
use crate::reach::cube::PredId;

/// The program seen from one thread.
pub(super) struct View {
    /// The thread that is followed exactly.
    pub observed: ThreadId,
    /// For each of the others, its transitions. A target that another thread reaches is another view's
    /// business.
    pub transitions: Vec<Vec<TransId>>,
    /// The classes of the others' locations.
    pub control: Control,
    /// The predicates in use.
    pub predicates: BTreeSet<PredId>,
    /// What happened so far.
    pub history: History,
    /// Locations where the program's meaning ends that are reached for real; no longer sought.
    pub reached: BTreeSet<LocId>,
    /// How locations are packed when looking ahead; none if that is not done, or there are too many.
    pub packing: Option<Packing>,
    /// For each environment thread and class, whether all its locations are atomic.
    atomic: Vec<Vec<bool>>,
    /// For each location, whether it is atomic.
    is_atomic: Vec<bool>,
    /// For each location, whether reaching it decides the verdict.
    is_target: Vec<bool>,
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
        let leads_on = |&id: &TransId| !program.location(program.transition(id).to).is_target();
        let transitions = environment
            .iter()
            .map(|&thread| {
                let own = program.transition_ids().filter(|&id| program.thread_of(id) == thread);
                own.filter(leads_on).collect()
            })
            .collect();
        let history =
            History { observed, environment: environment.clone(), rounds: Vec::new(), classes: Vec::new() };
        let packing = match refinement {
            Refinement::NonMonotonic => Packing::of(program, observed, &environment),
            Refinement::Monotonic => None,
        };
        let mut view = View {
            observed,
            transitions,
            control: Control::new(program, environment, refinement, budget),
            predicates: BTreeSet::new(),
            history,
            reached: BTreeSet::new(),
            packing,
            atomic: Vec::new(),
            is_atomic: program.locations.iter().map(|location| location.atomic).collect(),
            is_target: program.locations.iter().map(|location| location.is_target()).collect(),
        };
        view.adopt();
        view
    }

    /// Takes note of a new partition.
    fn adopt(&mut self) {
        let members = self.control.members();
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

    /// The smallest partition that excludes every path of the history. False if the search was interrupted.
    pub fn repartition(&mut self) -> bool {
        let solved = self.control.repartition();
        self.adopt();
        solved
    }
}
