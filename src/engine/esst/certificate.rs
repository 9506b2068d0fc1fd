//! The finished forest as a certificate: what counts of it, in plain data. There a decision of the scheduler
//! has a node of its own, so that a check need not know of turns.

use rustc_hash::FxHashMap;

use super::forest::Edge;
use super::search::{Allows, Search};
use crate::program::{ThreadId, TransId};
use crate::proof::{Forest, ForestEdge, ForestNode};
use crate::reach::tree::NodeId;
use crate::term::TermId;

/// Where nodes are in the certificate, and those after each of their choices.
#[derive(Default)]
struct Positions {
    nodes: FxHashMap<NodeId, usize>,
    turns: FxHashMap<(NodeId, u32), usize>,
}

impl Search<'_> {
    /// The nodes that are open or covered.
    pub(super) fn certificate(mut self) -> Forest {
        let tree = &self.forest.tree;
        let counts = |node: &NodeId| !tree.is_shadowed(*node) && !tree.is_closed(*node);
        let kept: Vec<NodeId> = tree.ids().filter(counts).collect();
        let (mut positions, mut count) = (Positions::default(), 0);
        for &id in &kept {
            positions.nodes.insert(id, count);
            let turns = &self.forest.node(id).turns;
            positions.turns.extend((count + 1..).zip(turns).map(|(at, turn)| ((id, turn.choice), at)));
            count += 1 + turns.len();
        }
        let mut nodes = Vec::with_capacity(count);
        for id in kept {
            nodes.push(self.certified(id, &positions));
            for turn in 0..self.forest.node(id).turns.len() {
                let after = self.after_turn(id, turn, &positions);
                nodes.push(after);
            }
        }
        let loose = self.allows == Allows::More;
        let beyond_overflow = self.operations.ignores_ranges();
        Forest { nodes, loose, beyond_overflow, terms: self.terms }
    }

    fn certified(&mut self, id: NodeId, positions: &Positions) -> ForestNode {
        let persistent = self.persistent(id);
        let (tree, node) = (&self.forest.tree, self.forest.node(id));
        let control = self.forest.control(node.control);
        let mut regions: Vec<Vec<TermId>> =
            node.regions.iter().map(|&region| self.forest.facts(region).to_vec()).collect();
        let global = regions.pop().expect("the global region is the last");
        let parent = tree.parent(id).zip(node.edge).map(|(parent, edge)| {
            let position = match edge.choice {
                None => positions.nodes[&parent],
                Some(choice) => positions.turns[&(parent, choice)],
            };
            (position, self.steps(edge))
        });
        ForestNode {
            locations: control.locations.clone(),
            scheduler: control.scheduler.clone(),
            threads: regions,
            global,
            sleep: node.sleep.iter().map(|sleeper| sleeper.thread).collect(),
            persistent,
            parent,
            covered_by: tree.covered_by(id).map(|by| positions.nodes[&by]),
        }
    }

    fn steps(&self, edge: Edge) -> ForestEdge {
        let step = |&operation: &TransId| {
            (self.operations.origin(operation), self.operations.arguments(operation).to_vec())
        };
        ForestEdge::Steps(self.stretches.get(edge.stretch).operations.iter().map(step).collect())
    }

    /// The node after a decision of the scheduler.
    fn after_turn(&mut self, id: NodeId, turn: usize, positions: &Positions) -> ForestNode {
        let node = self.certified(id, positions);
        let decision = self.decision(id);
        let turn = &self.forest.node(id).turns[turn];
        ForestNode {
            scheduler: decision.states[turn.choice as usize].clone(),
            sleep: turn.sleep.iter().map(|sleeper| sleeper.thread).collect(),
            persistent: None,
            parent: Some((positions.nodes[&id], ForestEdge::Schedule)),
            ..node
        }
    }

    /// The threads that suffice at a node where nobody runs, if these are not all.
    fn persistent(&mut self, id: NodeId) -> Option<Vec<ThreadId>> {
        let control = self.forest.control_of(id);
        if control.scheduler.running.is_some() || !self.forest.tree.is_open(id) {
            return None;
        }
        let decision = self.decision(id);
        let all = decision.chosen.len() == decision.states.len();
        let mut threads: Vec<ThreadId> =
            decision.chosen.iter().map(|&choice| decision.thread(choice)).collect();
        threads.sort_unstable();
        (!all).then_some(threads)
    }
}
