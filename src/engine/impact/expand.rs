//! EXPAND: the steps that leave a node.

use super::search::{Search, Task};
use crate::program::TransId;
use crate::reach::symbolic::Condition;
use crate::reach::tree::{NodeId, Tree};
use crate::smt::GaveUp;
use crate::term::TermId;

impl Search<'_> {
    /// Has the steps that leave a node and are not skipped followed. Those that cannot be taken from here
    /// come last.
    pub(super) fn expand(&mut self, node: NodeId) -> Result<(), GaveUp> {
        let mut possible = Vec::new();
        for step in self.steps(node)? {
            if self.unfolding.node(node).expanded.contains(&step) {
                continue;
            }
            match self.is_excluded_here(node, step) {
                true => self.queue.push(Task::Follow(node, step)),
                false => possible.push(Task::Follow(node, step)),
            }
        }
        self.queue.extend(possible.into_iter().rev());
        Ok(())
    }

    /// Whether a step plainly cannot be taken on the path to a node.
    fn is_excluded_here(&mut self, node: NodeId, step: TransId) -> bool {
        let guard = self.program.transition(step).guard;
        let state = self.unfolding.node(node).state.clone();
        let image = state.value(&mut self.terms, guard);
        self.terms.as_bool(image) == Some(false)
    }

    /// Follows a step from a node; gives the new node, unless the label excludes the step.
    pub(super) fn follow(&mut self, node: NodeId, step: TransId) -> Result<Option<NodeId>, GaveUp> {
        let guard = self.program.transition(step).guard;
        let label = &self.unfolding.node(node).label;
        if self.entailment.contradict(&mut self.terms, label, guard)? {
            self.unfolding.node_mut(node).expanded.push(step);
            return Ok(None);
        }
        let depth = self.unfolding.tree.depth(node);
        let state = self.unfolding.node(node).state.clone();
        let (conditions, state) = state.step(self.program, &mut self.terms, &mut self.unknowns, step, depth);
        let infeasible = !self.is_feasible(node, &conditions)?;
        Ok(Some(self.unfolding.add(self.program, node, step, (conditions, state), infeasible)))
    }

    /// Whether the path to a node can be taken so that these conditions hold at its end.
    fn is_feasible(&mut self, node: NodeId, conditions: &[Condition]) -> Result<bool, GaveUp> {
        let images: Vec<TermId> = conditions.iter().map(|condition| condition.image).collect();
        if images.iter().any(|&image| self.terms.as_bool(image) == Some(false)) {
            return Ok(false);
        }
        if images.is_empty() {
            return Ok(true);
        }
        let (nodes, _) = self.unfolding.path(Tree::ROOT, node);
        let above = nodes.iter().flat_map(|&node| &self.unfolding.node(node).conditions);
        let above: Vec<TermId> = above.map(|condition| condition.image).collect();
        self.interpolator.possible(&self.terms, &self.unknowns, &images, &above)
    }
}
