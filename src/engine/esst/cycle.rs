//! The cycle condition: no thread is left out for ever (Section 5.1.1).
//!
//! A persistent set leaves threads out for now; on a cycle of the forest, through covers, that could be for
//! ever. So before the forest counts as complete, its strongly connected components are looked at: if some
//! thread may go next at a node of a cyclic one, it is let go at some node of it; a thread that sleeps there
//! is not. If not so, a node is expanded in full; what is added has an empty sleep set, since nothing says
//! that its order was followed elsewhere.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::forest::Turn;
use super::search::{Search, Task};
use crate::program::{ThreadId, components};
use crate::reach::tree::NodeId;

impl Search<'_> {
    /// Expands nodes until the cycle condition holds for those that there are. Whether any had to be.
    pub(super) fn close_cycles(&mut self) -> bool {
        if !self.reducer.reduction.has_persistent_sets() {
            return false;
        }
        let mut added = false;
        for component in self.cycles() {
            if let Some(node) = self.ignorant(&component) {
                self.expand_fully(node);
                added = true;
            }
        }
        added
    }

    /// The nodes of cyclic components that are expanded and at which nobody runs.
    fn cycles(&self) -> Vec<Vec<NodeId>> {
        let tree = &self.forest.tree;
        let ids: Vec<NodeId> = tree.ids().collect();
        let counts = |id: NodeId| !tree.is_closed(id) && !tree.is_shadowed(id);
        let next = |at: usize| -> Vec<usize> {
            let id = ids[at];
            if !counts(id) {
                return Vec::new();
            }
            self.forest.children(id).chain(tree.covered_by(id)).map(NodeId::index).collect()
        };
        let decides =
            |id: &NodeId| tree.is_open(*id) && self.forest.control_of(*id).scheduler.running.is_none();
        let cyclic = components(ids.len(), next).into_iter().filter(|component| component.len() > 1);
        cyclic.map(|component| component.into_iter().map(|at| ids[at]).filter(decides).collect()).collect()
    }

    /// A node at which a thread may go next that is let go nowhere in a component.
    fn ignorant(&mut self, component: &[NodeId]) -> Option<NodeId> {
        let mut let_go: BTreeSet<ThreadId> = BTreeSet::new();
        for &node in component {
            let decision = self.decision(node);
            let_go.extend(self.forest.node(node).turns.iter().map(|turn| decision.thread(turn.choice)));
        }
        component.iter().copied().find(|&node| {
            let decision = self.decision(node);
            decision.all().any(|choice| !let_go.contains(&decision.thread(choice)))
        })
    }

    /// Follows all choices that were left out at a node.
    fn expand_fully(&mut self, node: NodeId) {
        let followed: Vec<u32> = self.forest.node(node).turns.iter().map(|turn| turn.choice).collect();
        for choice in self.decision(node).all().rev().filter(|choice| !followed.contains(choice)) {
            self.forest.add_turn(node, Turn { choice, sleep: Rc::new([]) });
            self.queue.push(Task::Turn(node, choice));
            self.counts.forced += 1;
        }
    }
}
