//! The finished forest as a certificate: what counts of it, in plain data.

use super::forest::Edge;
use super::search::{Allows, Search};
use crate::program::ThreadId;
use crate::proof::{Forest, ForestEdge, ForestNode};
use crate::reach::tree::NodeId;
use crate::term::TermId;

impl Search<'_> {
    /// The nodes that are open or covered.
    pub(super) fn certificate(mut self) -> Forest {
        let tree = &self.forest.tree;
        let counts = |node: &NodeId| !tree.is_shadowed(*node) && !tree.is_closed(*node);
        let kept: Vec<NodeId> = tree.ids().filter(counts).collect();
        let nodes = kept.iter().map(|&id| self.certified(id, &kept)).collect();
        let loose = self.allows == Allows::More;
        let beyond_overflow = self.operations.ignores_ranges();
        Forest { nodes, loose, beyond_overflow, terms: self.terms }
    }

    fn certified(&mut self, id: NodeId, kept: &[NodeId]) -> ForestNode {
        let persistent = self.persistent(id);
        let position = |node: NodeId| kept.binary_search(&node).expect("parents and coverers count");
        let (tree, node) = (&self.forest.tree, self.forest.node(id));
        let control = self.forest.control(node.control);
        let edge = |edge: Edge| match edge {
            Edge::Choice(_) => ForestEdge::Schedule,
            Edge::Operation(operation) => {
                let arguments = self.operations.arguments(operation).to_vec();
                ForestEdge::Step(self.operations.origin(operation), arguments)
            }
        };
        let mut regions: Vec<Vec<TermId>> =
            node.regions.iter().map(|&region| self.forest.facts(region).to_vec()).collect();
        let global = regions.pop().expect("the global region is the last");
        ForestNode {
            locations: control.locations.clone(),
            scheduler: control.scheduler.clone(),
            threads: regions,
            global,
            sleep: node.sleep.iter().map(|sleeper| sleeper.thread).collect(),
            persistent,
            parent: tree.parent(id).map(position).zip(node.edge.map(edge)),
            covered_by: tree.covered_by(id).map(position),
        }
    }

    /// The threads that suffice at a node where nobody runs, if these are not all.
    fn persistent(&mut self, id: NodeId) -> Option<Vec<ThreadId>> {
        let control = self.forest.control_of(id).clone();
        if control.scheduler.running.is_some() || !self.forest.tree.is_open(id) {
            return None;
        }
        let decision = self.reducer.decision(self.program, self.forest.node(id).control, &control);
        let all = decision.chosen.len() == decision.states.len();
        let mut threads: Vec<ThreadId> =
            decision.chosen.iter().map(|&choice| decision.thread(choice)).collect();
        threads.sort_unstable();
        (!all).then_some(threads)
    }
}
