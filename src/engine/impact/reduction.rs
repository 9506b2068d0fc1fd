//! Which steps are followed from a node: SKIP of Algorithm 2, and the static reduction.
//!
//! *Static*: where all next steps of a thread touch nothing that any other thread may touch from where it
//! stands, lead forward in the thread's control flow and neither into an atomic section nor to where the
//! program's meaning ends, and one of them can always be taken, this thread alone goes. Which thread that is
//! depends on the location vector alone.
//!
//! *Dynamic*: of two steps that follow each other, belong to different threads and may change places, the
//! smaller thread's goes first; the other order is skipped. Threads have the order of the program, which does
//! not depend on the order in which they are created. Nothing is skipped after a step of a thread that went
//! alone, as there the other order was not followed. Why that loses no error: let `n` be the least number of
//! steps from a state to any error, and among the first steps of all such shortest runs take one of the
//! smallest thread. It is not skipped, and after it no shortest run begins with a step that is skipped: with
//! the two exchanged there would be a shortest run that begins with a smaller thread. A thread that goes
//! alone brings the error no further away, and only finitely often in a row no nearer.
//!
//! Indices of array elements must differ for steps to be independent where they cannot be told apart by
//! looking. That is then made part of the label before the first of the two steps, so that it holds for
//! everything that a label stands for (Section IV.D).

use rustc_hash::FxHashMap;

use super::Reduction;
use super::search::Search;
use super::unfolding::VectorId;
use crate::program::footprint::{Footprints, Independence, indices_differ};
use crate::program::{LocId, Program, ThreadId, TransId, forward_order, guards_cover};
use crate::reach::interpolant::{Goal, Interpolated};
use crate::reach::tree::{NodeId, Tree};
use crate::smt::GaveUp;
use crate::term::{Pool, TermId};

/// What is needed to decide.
pub(super) struct Reducer {
    reduction: Reduction,
    footprints: Footprints,
    /// For each location, its number in an order in which control mostly goes forward.
    pub order: Vec<u32>,
    /// For each location, whether one of the steps that leave it can always be taken, all lead forward, and
    /// none into an atomic section.
    steady: Vec<bool>,
    /// For each vector, the thread that goes alone.
    alone: FxHashMap<VectorId, Option<ThreadId>>,
    independent: FxHashMap<(TransId, TransId), Independence>,
}

impl Reducer {
    pub fn new(program: &Program, terms: &mut Pool, reduction: Reduction) -> Reducer {
        let order = forward_order(program);
        let steady = program.location_ids().map(|location| is_steady(program, terms, &order, location));
        Reducer {
            reduction,
            footprints: Footprints::new(program),
            steady: steady.collect(),
            order,
            alone: FxHashMap::default(),
            independent: FxHashMap::default(),
        }
    }

    /// The thread that goes alone at these locations, where all may move, if there is one.
    fn choose(&mut self, program: &Program, vector: VectorId, locations: &[LocId]) -> Option<ThreadId> {
        if self.reduction == Reduction::None {
            return None;
        }
        if let Some(&known) = self.alone.get(&vector) {
            return known;
        }
        let found = program.thread_ids().find(|&thread| self.is_quiet(program, locations, thread));
        self.alone.insert(vector, found);
        found
    }

    /// The thread that goes alone at a vector from which steps were followed.
    pub fn alone(&self, vector: VectorId) -> Option<ThreadId> {
        self.alone.get(&vector).copied().flatten()
    }

    /// Whether a thread's next steps concern nobody else.
    fn is_quiet(&self, program: &Program, locations: &[LocId], thread: ThreadId) -> bool {
        let here = locations[thread.index()];
        let others = || locations.iter().enumerate().filter(|(other, _)| *other != thread.index());
        self.steady[here.index()]
            && program
                .outgoing(here)
                .iter()
                .all(|&step| others().all(|(_, &there)| self.footprints.unconcerned(step, there)))
    }
}

fn is_steady(program: &Program, terms: &mut Pool, order: &[u32], location: LocId) -> bool {
    let steps = program.outgoing(location).iter().map(|&step| program.transition(step));
    let leads_on = |to: LocId| {
        let target = program.location(to);
        order[to.index()] > order[location.index()] && !target.atomic && !target.ends_meaning()
    };
    let guards: Vec<TermId> = steps.clone().map(|step| step.guard).collect();
    let never_overflows = steps.clone().all(|step| step.ranges.is_empty());
    never_overflows
        && !guards.is_empty()
        && steps.map(|step| step.to).all(leads_on)
        && guards_cover(terms, &guards)
}

impl Search<'_> {
    /// The steps to be followed from a node, in the order of threads.
    pub(super) fn steps(&mut self, node: NodeId) -> Result<Vec<TransId>, GaveUp> {
        let locations = self.unfolding.locations(node).to_vec();
        let vector = self.unfolding.node(node).vector;
        let movers = self.program.movers(&locations);
        if movers.len() < locations.len() {
            let steps = locations[movers].iter().flat_map(|&location| self.program.outgoing(location));
            return Ok(steps.copied().collect());
        }
        if let Some(thread) = self.reducer.choose(self.program, vector, &locations) {
            return Ok(self.program.outgoing(locations[thread.index()]).to_vec());
        }
        let mut steps = Vec::new();
        for &location in &locations {
            for &step in self.program.outgoing(location) {
                if !self.is_skipped(node, step)? {
                    steps.push(step);
                }
            }
        }
        Ok(steps)
    }

    /// SKIP: whether a step may change places with the last one, and the other order was followed.
    fn is_skipped(&mut self, node: NodeId, step: TransId) -> Result<bool, GaveUp> {
        let (Some(last), Some(parent)) = (self.unfolding.node(node).edge, self.unfolding.tree.parent(node))
        else {
            return Ok(false);
        };
        if self.reducer.reduction != Reduction::Dynamic
            || self.program.thread_of(step) >= self.program.thread_of(last)
            || self.reducer.alone(self.unfolding.node(parent).vector).is_some()
        {
            return Ok(false);
        }
        let (footprints, program) = (&self.reducer.footprints, self.program);
        let independence = self
            .reducer
            .independent
            .entry((last, step))
            .or_insert_with(|| footprints.independent(program, last, step));
        match independence {
            Independence::Always => Ok(true),
            Independence::Never => Ok(false),
            Independence::Where(pairs) => {
                let pairs = pairs.clone();
                self.differ(parent, &pairs)
            }
        }
    }

    /// Whether pairs of indices differ in all states of a node; if they do, its label says so afterwards.
    fn differ(&mut self, node: NodeId, pairs: &[(TermId, TermId)]) -> Result<bool, GaveUp> {
        for &(a, b) in pairs {
            let condition = indices_differ(&mut self.terms, a, b);
            let label = &self.unfolding.node(node).label;
            if self.entailment.implies(&mut self.terms, label, condition)? {
                continue;
            }
            let (nodes, _) = self.unfolding.path(Tree::ROOT, node);
            let state = self.unfolding.node(node).state.clone();
            let goal = Goal { original: condition, image: state.value(&mut self.terms, condition) };
            match self.interpolate(&nodes, goal)? {
                Interpolated::Sequence(sequence) => self.strengthen(&nodes, &sequence)?,
                Interpolated::Possible | Interpolated::Inexpressible => return Ok(false),
            }
        }
        Ok(true)
    }
}
