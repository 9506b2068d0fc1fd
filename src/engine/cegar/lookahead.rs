//! Learning from single mismatches, all at once.
//!
//! A partition that is as small as the history allows gets by with whatever the history does not forbid, and
//! teaching it one spurious path a round takes many rounds. So before the views are explored we look ahead:
//! which single mismatches lead to an error? Concrete runs tell (`reach/valuation.rs`): all threads are
//! followed exactly, except that once in a run one thread may jump, from its location to the source of any of
//! its transitions. States after the jump, shared by all jumps and all views, are followed, and for each view
//! a backward pass from its errors finds each harmful pair of locations with a shortest path, whose clause is
//! the pair alone: the strongest there is. No predicate excludes such a path, since its data are real; so
//! every partition that proves the program separates the pair.
//!
//! Where there are very many states, what was found among the first of them counts.
//!
//! The paper has nothing of the kind; its history grows by one path a round.

use std::collections::BTreeMap;

use super::graph::{Edge, Graph, Key, NodeId, Way};
use super::spots::{Packing, Spots};
use crate::budget::Budget;
use crate::program::{LocId, Program, ThreadId, TransId, movers};
use crate::reach::valuation::Valuations;
use crate::smt::GaveUp;

/// Most states without jump that are looked at.
const RUNS: usize = 2_000;

/// Most states in all.
const STATES: usize = 30_000;

/// How often the budget is looked at.
const CHECK_EVERY: u32 = 256;

/// What runs with at most one jump show.
pub(super) struct LookAhead<'p> {
    program: &'p Program,
    packing: Packing,
    /// For each thread, the transitions that lead on and not to a target.
    ordinary: Vec<Vec<TransId>>,
    graph: Graph,
}

impl<'p> LookAhead<'p> {
    /// Looks at the first states of a program; none if it has too many threads for that.
    pub fn new(
        program: &'p Program,
        valuations: &mut Valuations<'p>,
        budget: &Budget,
    ) -> Result<Option<LookAhead<'p>>, GaveUp> {
        let Some(packing) = Packing::of(program) else { return Ok(None) };
        let mut graph = Graph::new();
        let (spots, data) = (packing.entry(program), valuations.initial());
        graph.node(Key { spots, data, jumped: false }, None);
        let mut ordinary = vec![Vec::new(); program.threads.len()];
        for transition in program.transition_ids() {
            if !program.location(program.transition(transition).to).is_target() {
                ordinary[program.thread_of(transition).index()].push(transition);
            }
        }
        let mut ahead = LookAhead { program, packing, ordinary, graph };
        ahead.follow(valuations, 0, RUNS, budget)?;
        let real = ahead.graph.len() as NodeId;
        ahead.jump(valuations);
        ahead.follow(valuations, real, STATES, budget)?;
        Ok(Some(ahead))
    }

    /// Takes steps from the states from this one on, until there are no more, or too many.
    fn follow(
        &mut self,
        valuations: &mut Valuations<'_>,
        first: NodeId,
        most: usize,
        budget: &Budget,
    ) -> Result<(), GaveUp> {
        let mut next = first;
        while (next as usize) < self.graph.len() && self.graph.len() <= most {
            if next.is_multiple_of(CHECK_EVERY) {
                budget.check()?;
            }
            match self.at_target(self.graph.key(next).spots) {
                Some(thread) => self.graph.targets.push((thread, next)),
                None => self.step(valuations, next),
            }
            next += 1;
        }
        Ok(())
    }

    /// A thread that is at a target.
    fn at_target(&self, spots: Spots) -> Option<ThreadId> {
        let is_target =
            |thread: &ThreadId| self.program.location(self.packing.at(spots, *thread)).is_target();
        self.program.thread_ids().find(is_target)
    }

    fn step(&mut self, valuations: &mut Valuations<'_>, from: NodeId) {
        let Key { spots, data, jumped } = self.graph.key(from);
        for thread in self.movers(spots) {
            for &transition in self.program.outgoing(self.packing.at(spots, thread)) {
                let spots = self.packing.moved(spots, thread, self.program.transition(transition).to);
                let image = valuations.image(transition, data);
                for &data in valuations.valuations(image) {
                    let key = Key { spots, data, jumped };
                    if jumped {
                        let to = self.graph.node(key, None);
                        self.graph.steps.push(Edge { from, transition, to });
                    } else {
                        self.graph.node(key, Some((from, transition)));
                    }
                }
            }
        }
    }

    /// Jumps from the states without jump: to where transitions start, but for those that lead to a target,
    /// which are for the view of their own thread.
    fn jump(&mut self, valuations: &mut Valuations<'_>) {
        for from in 0..self.graph.len() as NodeId {
            let Key { spots, data, .. } = self.graph.key(from);
            if self.at_target(spots).is_some() {
                continue;
            }
            for thread in self.movers(spots) {
                let here = self.packing.at(spots, thread);
                for &transition in &self.ordinary[thread.index()] {
                    let step = self.program.transition(transition);
                    if step.from == here {
                        continue;
                    }
                    let spots = self.packing.moved(spots, thread, step.to);
                    let image = valuations.image(transition, data);
                    for &data in valuations.valuations(image) {
                        let to = self.graph.node(Key { spots, data, jumped: true }, None);
                        self.graph.jumps.push(Edge { from, transition, to });
                    }
                }
            }
        }
    }

    /// The threads that may move.
    fn movers(&self, spots: Spots) -> impl Iterator<Item = ThreadId> + use<> {
        let atomic = |thread| self.program.location(self.packing.at(spots, ThreadId::new(thread))).atomic;
        movers(self.program.threads.len(), atomic).map(ThreadId::new)
    }

    /// A shortest path by which a thread reaches a target, if there is one without mismatch; else, for each
    /// pair of locations of another thread that was found harmful, a shortest path that jumps from one to the
    /// other, in order of length.
    pub fn paths(&self, observed: ThreadId) -> Vec<Vec<TransId>> {
        let mut targets = self.graph.targets.iter();
        let is_real =
            |(thread, node): &&(ThreadId, NodeId)| *thread == observed && !self.graph.key(*node).jumped;
        match targets.find(is_real) {
            Some(&(_, node)) => vec![self.graph.path_to(node)],
            None => self.harmful(observed),
        }
    }

    fn harmful(&self, observed: ThreadId) -> Vec<Vec<TransId>> {
        let ways = self.graph.ways(observed, &self.graph.steps_by_end());
        let depths = self.graph.depths();
        let mut best: BTreeMap<(LocId, LocId), (u32, usize)> = BTreeMap::new();
        for (number, &jump) in self.graph.jumps.iter().enumerate() {
            let Some(way) = ways[jump.to as usize] else { continue };
            if self.program.thread_of(jump.transition) == observed {
                continue;
            }
            let candidate = (depths[jump.from as usize] + way.distance, number);
            let known = best.entry(self.pair(jump)).or_insert(candidate);
            *known = candidate.min(*known);
        }
        let mut order: Vec<(u32, usize)> = best.into_values().collect();
        order.sort_unstable();
        order.into_iter().map(|(_, jump)| self.path_through(self.graph.jumps[jump], &ways)).collect()
    }

    /// The pair of locations that a jump confuses.
    fn pair(&self, jump: Edge) -> (LocId, LocId) {
        let from = self.program.transition(jump.transition).from;
        let thread = self.program.thread_of(jump.transition);
        let at = self.packing.at(self.graph.key(jump.from).spots, thread);
        (at.min(from), at.max(from))
    }

    /// The path to a jump and from there to a target.
    fn path_through(&self, jump: Edge, ways: &[Option<Way>]) -> Vec<TransId> {
        let mut path = self.graph.path_to(jump.from);
        path.push(jump.transition);
        let mut here = jump.to;
        while let Some(Way { next: Some((following, transition)), .. }) = ways[here as usize] {
            path.push(transition);
            here = following;
        }
        path
    }
}
