//! CLOSE, with cover expansions and force cover.

use rustc_hash::FxHashMap;

use super::ForceCover;
use super::search::{Search, Task};
use crate::reach::interpolant::{Goal, Interpolated};
use crate::reach::tree::{NodeId, Tree};
use crate::smt::GaveUp;
use crate::term::TermId;

/// So many older nodes are tried for a forced cover.
const TRIES: usize = 8;

/// How often a coverer above a node may become stronger while the node is made to be covered.
const ROUNDS: usize = 16;

/// Interpolants for the nodes of a path.
type Sequence = (Vec<NodeId>, Vec<TermId>);

impl Search<'_> {
    /// CLOSE: covers a node by an older one, if there is one; if need be, by force.
    pub(super) fn close(&mut self, node: NodeId) -> Result<(), GaveUp> {
        let older = self.possible_coverers(node);
        for &by in &older {
            if self.covers(by, node)? {
                return self.cover(node, by);
            }
        }
        if self.options.force_cover == ForceCover::On {
            for &by in older.iter().rev().take(TRIES) {
                if self.force(by, node)? {
                    self.counts.forced += 1;
                    return self.cover(node, by);
                }
            }
        }
        Ok(())
    }

    /// Closes the nodes of a path as far as that needs no force.
    pub(super) fn close_all(&mut self, nodes: &[NodeId]) -> Result<(), GaveUp> {
        for &node in nodes {
            if !self.unfolding.tree.is_open(node) {
                return Ok(());
            }
            for by in self.possible_coverers(node) {
                if self.covers(by, node)? {
                    return self.cover(node, by);
                }
            }
        }
        Ok(())
    }

    /// The older nodes at the same locations whose labels the state on the path to a node does not plainly
    /// contradict.
    fn possible_coverers(&mut self, node: NodeId) -> Vec<NodeId> {
        let mut older = self.unfolding.older_alike(node);
        // Labels have most facts in common.
        let mut known = FxHashMap::default();
        older.retain(|&by| {
            let label = self.unfolding.node(by).label.clone();
            label.into_iter().all(|fact| *known.entry(fact).or_insert_with(|| self.allows(node, &[fact])))
        });
        older
    }

    /// Whether the state on the path to a node does not plainly contradict some facts.
    pub(super) fn allows(&mut self, node: NodeId, facts: &[TermId]) -> bool {
        if self.unfolding.node(node).infeasible {
            return true;
        }
        let state = self.unfolding.node(node).state.clone();
        !facts.iter().any(|&fact| {
            let image = state.value(&mut self.terms, fact);
            self.terms.as_bool(image) == Some(false)
        })
    }

    /// Whether a label implies an older one.
    fn covers(&mut self, by: NodeId, node: NodeId) -> Result<bool, GaveUp> {
        for &wanted in &self.unfolding.node(by).label {
            if !self.entailment.implies(&mut self.terms, &self.unfolding.node(node).label, wanted)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Covers a node. Steps that would be followed at it are followed at the coverer (Section IV.C), but for
    /// those that its label excludes.
    fn cover(&mut self, node: NodeId, by: NodeId) -> Result<(), GaveUp> {
        let (steps, anyway) = (self.steps(node)?, self.steps(by)?);
        // Conditions of independence may have changed labels above both.
        let tree = &self.unfolding.tree;
        if !tree.is_open(node) || !tree.is_open(by) || !self.covers(by, node)? {
            return Ok(());
        }
        self.counts.covers += 1;
        let open = self.unfolding.tree.cover(node, by);
        self.look_again(open);
        for step in steps.into_iter().rev().filter(|step| !anyway.contains(step)) {
            let guard = self.program.transition(step).guard;
            let label = &self.unfolding.node(node).label;
            if !self.entailment.contradict(&mut self.terms, label, guard)? {
                self.queue.push(Task::FollowForCover(by, step));
            }
        }
        Ok(())
    }

    /// Gives a node the label of an older one, if that holds there. Whether it covers it then. Reasons may
    /// strengthen the label of a coverer above the node; then the node has to get that too.
    fn force(&mut self, by: NodeId, node: NodeId) -> Result<bool, GaveUp> {
        for _ in 0..ROUNDS {
            if !self.give_label(by, node)? {
                return Ok(false);
            }
            if !self.unfolding.tree.is_open(node) || !self.unfolding.tree.is_open(by) {
                return Ok(false);
            }
            if self.covers(by, node)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds the label of an older node to that of another, if it holds there.
    fn give_label(&mut self, by: NodeId, node: NodeId) -> Result<bool, GaveUp> {
        let mut found: Vec<Sequence> = Vec::new();
        for fact in self.unfolding.node(by).label.clone() {
            if self.entailment.implies(&mut self.terms, &self.unfolding.node(node).label, fact)? {
                continue;
            }
            match self.reasons_for(by, node, fact)? {
                Some(sequence) => found.push(sequence),
                None => return Ok(false),
            }
        }
        for (nodes, sequence) in found {
            self.strengthen(&nodes, &sequence)?;
        }
        Ok(true)
    }

    /// Interpolants that show a fact at a node. Where its values are known on the path it shows at once;
    /// otherwise what is known at the common ancestor with the coverer is tried, as the paper does, and then
    /// the whole path.
    fn reasons_for(&mut self, by: NodeId, node: NodeId, fact: TermId) -> Result<Option<Sequence>, GaveUp> {
        let state = self.unfolding.node(node).state.clone();
        let whole = Goal { original: fact, image: state.value(&mut self.terms, fact) };
        let known = self.terms.as_bool(whole.image) == Some(true);
        if !known {
            let top = self.unfolding.tree.common_ancestor(by, node);
            let (nodes, path) = self.unfolding.path(top, node);
            if let Interpolated::Sequence(sequence) = self.interpolate_below(top, &path, fact)? {
                return Ok(Some((nodes, sequence)));
            }
        }
        let (nodes, _) = self.unfolding.path(Tree::ROOT, node);
        match self.interpolate(&nodes, whole)? {
            Interpolated::Sequence(sequence) => Ok(Some((nodes, sequence))),
            Interpolated::Possible | Interpolated::Inexpressible => Ok(None),
        }
    }
}
