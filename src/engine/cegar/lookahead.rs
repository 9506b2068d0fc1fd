//! Learning from single mismatches, all at once.
//!
//! A partition that is as small as the history allows gets by with whatever the history does not forbid, and
//! teaching it one spurious path a round takes many rounds. So before a view is explored we look ahead: which
//! single mismatches lead to an error? All threads are followed exactly, except that once in a path one
//! environment thread may jump, from its location to the source of any of its transitions. If an error is
//! reached without jump, its path is the answer: what is missing are predicates, and finding them here costs
//! little. Else states after the jump, shared by all jumps, are followed, and a backward pass from the errors
//! finds each harmful pair of locations with a shortest path, whose clause is the pair alone: the strongest
//! there is. Where there are very many states, what was found among the first of them counts.
//!
//! The paper has nothing of the kind; its history grows by one path a round.

use std::collections::BTreeMap;

use super::graph::{Edge, Graph, Key, NodeId, Way};
use super::spots::{Packing, Spots};
use super::view::View;
use crate::budget::Budget;
use crate::program::{LocId, Program, TransId, movers};
use crate::reach::abstraction::Abstraction;
use crate::smt::GaveUp;

/// Most states that are looked at; what was not found by then the partition learns path by path.
const STATES: usize = 120_000;

/// How often the budget is looked at.
const CHECK_EVERY: u32 = 256;

/// A shortest path to a target, if it has no mismatch; else, for each pair of locations that was found
/// harmful, a shortest path that jumps from one to the other, in order of length. `graph` gives the room.
pub(super) fn single_mismatch_paths(
    program: &Program,
    abstraction: &mut Abstraction<'_>,
    view: &View,
    graph: &mut Graph,
    budget: &Budget,
) -> Result<Vec<Vec<TransId>>, GaveUp> {
    let Some(packing) = &view.packing else { return Ok(Vec::new()) };
    abstraction.set_precision(&view.predicates);
    graph.clear();
    let spots = packing.entry(program, view);
    for cube in abstraction.initial()? {
        graph.node(Key { spots, cube, jumped: false }, None);
    }
    let mut search = LookAhead { program, view, packing, graph };
    if let Some(target) = search.follow(abstraction, 0, budget)? {
        return Ok(vec![search.graph.path_to(target)]);
    }
    if search.graph.len() <= STATES {
        let real = search.graph.len() as NodeId;
        search.jump(abstraction)?;
        search.follow(abstraction, real, budget)?;
    }
    Ok(search.harmful())
}

struct LookAhead<'a> {
    program: &'a Program,
    view: &'a View,
    packing: &'a Packing,
    graph: &'a mut Graph,
}

impl LookAhead<'_> {
    /// Takes steps from the states from this one on, until there are no more, or too many. A target without
    /// jump, if there is one.
    fn follow(
        &mut self,
        abstraction: &mut Abstraction<'_>,
        first: NodeId,
        budget: &Budget,
    ) -> Result<Option<NodeId>, GaveUp> {
        let mut next = first;
        while (next as usize) < self.graph.len() && self.graph.len() <= STATES {
            if next.is_multiple_of(CHECK_EVERY) {
                budget.check()?;
            }
            let Key { spots, jumped, .. } = self.graph.key(next);
            if !self.view.seeks(self.packing.observed(spots)) {
                self.step(abstraction, next)?;
            } else if jumped {
                self.graph.targets.push(next);
            } else {
                return Ok(Some(next));
            }
            next += 1;
        }
        Ok(None)
    }

    fn step(&mut self, abstraction: &mut Abstraction<'_>, node: NodeId) -> Result<(), GaveUp> {
        let program = self.program;
        let spots = self.graph.key(node).spots;
        let observed = self.packing.observed(spots);
        if !(0..self.view.control.threads.len()).any(|component| self.is_atomic(spots, component)) {
            for &id in program.outgoing(observed) {
                let after = self.packing.observe(spots, program.transition(id).to);
                self.take(abstraction, (node, id), after)?;
            }
        }
        for component in self.movable(observed, spots) {
            for &id in program.outgoing(self.packing.at(spots, component)) {
                if is_ordinary(program, id) {
                    let after = self.packing.moved(spots, component, program.transition(id).to);
                    self.take(abstraction, (node, id), after)?;
                }
            }
        }
        Ok(())
    }

    /// Takes a transition from a state; these are the locations after it.
    fn take(
        &mut self,
        abstraction: &mut Abstraction<'_>,
        (from, transition): (NodeId, TransId),
        after: Spots,
    ) -> Result<(), GaveUp> {
        let Key { cube, jumped, .. } = self.graph.key(from);
        let image = abstraction.image(transition, cube)?;
        for &cube in abstraction.cubes(image) {
            let key = Key { spots: after, cube, jumped };
            if jumped {
                let to = self.graph.node(key, None);
                self.graph.steps.push(Edge { from, transition, to });
            } else {
                self.graph.node(key, Some((from, transition)));
            }
        }
        Ok(())
    }

    /// Jumps from the states without jump: to where transitions start that are not known to be told apart
    /// from where a thread is.
    fn jump(&mut self, abstraction: &mut Abstraction<'_>) -> Result<(), GaveUp> {
        for from in 0..self.graph.len() as NodeId {
            let Key { spots, cube, .. } = self.graph.key(from);
            for component in self.movable(self.packing.observed(spots), spots) {
                let here = self.packing.at(spots, component);
                for &transition in &self.view.transitions[component] {
                    let step = self.program.transition(transition);
                    if step.from == here || self.view.control.knows(step.from, here) {
                        continue;
                    }
                    let after = self.packing.moved(spots, component, step.to);
                    let image = abstraction.image(transition, cube)?;
                    for &cube in abstraction.cubes(image) {
                        let to = self.graph.node(Key { spots: after, cube, jumped: true }, None);
                        self.graph.jumps.push(Edge { from, transition, to });
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether an environment thread stands at an atomic location.
    fn is_atomic(&self, spots: Spots, component: usize) -> bool {
        self.program.location(self.packing.at(spots, component)).atomic
    }

    /// The environment threads that may move.
    fn movable(&self, observed: LocId, spots: Spots) -> std::ops::Range<usize> {
        match self.program.location(observed).atomic {
            true => 0..0,
            false => movers(self.view.control.threads.len(), |component| self.is_atomic(spots, component)),
        }
    }

    /// The pair of locations that a jump confuses.
    fn pair(&self, jump: Edge) -> (LocId, LocId) {
        let from = self.program.transition(jump.transition).from;
        let thread = self.program.thread_of(jump.transition);
        let component = self.view.control.component(thread).expect("a thread of the environment");
        let at = self.packing.at(self.graph.key(jump.from).spots, component);
        (at.min(from), at.max(from))
    }

    /// A shortest path for each harmful pair.
    fn harmful(&self) -> Vec<Vec<TransId>> {
        let (ways, depths) = (self.graph.ways(), self.graph.depths());
        let mut best: BTreeMap<(LocId, LocId), (u32, usize)> = BTreeMap::new();
        for (number, &jump) in self.graph.jumps.iter().enumerate() {
            let Some(way) = ways[jump.to as usize] else { continue };
            let candidate = (depths[jump.from as usize] + way.distance, number);
            let known = best.entry(self.pair(jump)).or_insert(candidate);
            *known = candidate.min(*known);
        }
        let mut order: Vec<(u32, usize)> = best.into_values().collect();
        order.sort_unstable();
        order.into_iter().map(|(_, jump)| self.path_through(self.graph.jumps[jump], &ways)).collect()
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

/// Whether a transition leads on, and not to something that is looked for.
fn is_ordinary(program: &Program, id: TransId) -> bool {
    !program.location(program.transition(id).to).is_target()
}
