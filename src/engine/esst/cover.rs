//! Coverage (Definition 4.3, with sleep sets).

use super::forest::{Node, Sleeper};
use super::search::Search;
use crate::reach::tree::NodeId;
use crate::smt::GaveUp;
use crate::term::TermId;

impl Search<'_> {
    /// Covers a node by an older one, if there is one. Only nodes that lie on every cycle are looked at:
    /// those where nobody runs, and the heads of loops.
    pub(super) fn cover(&mut self, node: NodeId) -> Result<bool, GaveUp> {
        let control = self.forest.control_of(node);
        if let Some(thread) = control.scheduler.running
            && !self.heads[control.locations[thread.index()].index()]
        {
            return Ok(false);
        }
        for by in self.forest.older_alike(node) {
            if sleeps_less(self.forest.node(by), self.forest.node(node)) && self.implies(node, by)? {
                let open = self.forest.tree.cover(node, by);
                debug_assert!(open.is_empty(), "a node that was not expanded covers nothing");
                self.counts.covers += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the regions of a node imply those of another.
    fn implies(&mut self, node: NodeId, by: NodeId) -> Result<bool, GaveUp> {
        let (ours, theirs) = (self.forest.node(node).regions.clone(), self.forest.node(by).regions.clone());
        if ours == theirs {
            return Ok(true);
        }
        let known = self.forest.union(ours.iter().copied());
        let wanted: Vec<TermId> = self.forest.union(theirs.iter().copied());
        for fact in wanted {
            if known.binary_search(&fact).is_err()
                && !self.entailment.implies(&mut self.terms, &known, fact)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether every thread that sleeps at a node sleeps at another one, too.
fn sleeps_less(node: &Node, other: &Node) -> bool {
    let sleeps = |sleeper: &Sleeper| other.sleep.iter().any(|it| it.thread == sleeper.thread);
    node.sleep.iter().all(sleeps)
}
