//! The finished tree as a certificate: what counts of it, in plain data.

use super::search::Search;
use crate::proof::{Unfolding, UnfoldingNode};
use crate::reach::tree::NodeId;

impl Search<'_> {
    /// The nodes that are open or covered. Of those that nothing reaches, the labels before them tell.
    pub(super) fn certificate(self) -> Unfolding {
        let tree = &self.unfolding.tree;
        let counts = |node: &NodeId| !tree.is_shadowed(*node) && !tree.is_closed(*node);
        let kept: Vec<NodeId> = tree.ids().filter(counts).collect();
        let position = |node: NodeId| kept.binary_search(&node).expect("parents and coverers count");
        let nodes = kept
            .iter()
            .map(|&id| {
                let node = self.unfolding.node(id);
                UnfoldingNode {
                    locations: self.unfolding.locations(id).to_vec(),
                    label: node.label.clone(),
                    parent: tree.parent(id).map(position).zip(node.edge),
                    covered_by: tree.covered_by(id).map(position),
                    alone: self.reducer.alone(node.vector),
                }
            })
            .collect();
        Unfolding { nodes, order: self.reducer.order, terms: self.terms }
    }
}
