//! REFINE: a path to an error is real, or its interpolants become labels.

use super::search::{Search, Task};
use crate::engine::{Reason, Violation};
use crate::program::{Mark, TransId};
use crate::reach::interpolant::{Goal, Interpolated, Walk};
use crate::reach::real::{self, Real};
use crate::reach::symbolic::{Condition, SymbolicState};
use crate::reach::tree::{NodeId, Tree};
use crate::smt::GaveUp;
use crate::term::TermId;

impl Search<'_> {
    /// Refutes the path to a node by labels, or finds that it is real.
    pub(super) fn refine(&mut self, node: NodeId) -> Result<Option<Violation>, GaveUp> {
        let (nodes, path) = self.unfolding.path(Tree::ROOT, node);
        let never = self.terms.bool(false);
        match self.interpolate(&nodes, Goal { original: never, image: never })? {
            Interpolated::Sequence(sequence) => {
                self.counts.refinements += 1;
                self.strengthen(&nodes, &sequence)?;
                self.close_all(&nodes)?;
                if self.unfolding.forget(node) {
                    self.queue.retain(|task| task.node() != node);
                }
                Ok(None)
            }
            Interpolated::Possible => self.real(&path),
            Interpolated::Inexpressible if self.unfolding.node(node).infeasible && !self.is_error(node) => {
                // As good as any other node, then.
                self.unfolding.node_mut(node).infeasible = false;
                self.queue.push(Task::Look(node));
                Ok(None)
            }
            Interpolated::Inexpressible => {
                let text = "a path is infeasible, but no interpolants without its inputs were found";
                self.unclear.get_or_insert_with(|| Reason::new("refinement made no progress").with(text));
                Ok(None)
            }
        }
    }

    /// The interpolants of the path through these nodes from the root.
    pub(super) fn interpolate(&mut self, nodes: &[NodeId], goal: Goal) -> Result<Interpolated, GaveUp> {
        let conditions: Vec<(usize, Condition)> = nodes[1..]
            .iter()
            .enumerate()
            .flat_map(|(step, &node)| {
                self.unfolding.node(node).conditions.iter().map(move |&condition| (step, condition))
            })
            .collect();
        let path: Vec<TransId> =
            nodes[1..].iter().map(|&node| self.unfolding.node(node).edge.expect("not the root")).collect();
        let start = self.unfolding.node(Tree::ROOT).state.clone();
        let walk =
            Walk { program: self.program, start: &start, facts: &[], path: &path, conditions: &conditions };
        self.interpolator.sequence(&mut self.terms, &self.unknowns, &walk, goal)
    }

    /// The interpolants of a path that begins in the middle, where only the label is known.
    pub(super) fn interpolate_below(
        &mut self,
        top: NodeId,
        path: &[TransId],
        goal: TermId,
    ) -> Result<Interpolated, GaveUp> {
        let start = SymbolicState::any(self.program, &mut self.terms);
        let (mut state, mut conditions) = (start.clone(), Vec::new());
        for (step, &id) in path.iter().enumerate() {
            let (new, after) = state.step(self.program, &mut self.terms, &mut self.unknowns, id, step);
            conditions.extend(new.into_iter().map(|condition| (step, condition)));
            state = after;
        }
        let goal = Goal { original: goal, image: state.value(&mut self.terms, goal) };
        let facts = self.unfolding.node(top).label.clone();
        let walk =
            Walk { program: self.program, start: &start, facts: &facts, path, conditions: &conditions };
        self.interpolator.sequence(&mut self.terms, &self.unknowns, &walk, goal)
    }

    /// Adds interpolants to the labels of nodes on one path, from its end up to where they say nothing new.
    /// Nodes that are covered no longer are looked at again.
    pub(super) fn strengthen(&mut self, nodes: &[NodeId], sequence: &[TermId]) -> Result<(), GaveUp> {
        for (&node, &interpolant) in nodes.iter().zip(sequence).rev() {
            let mut is_new = false;
            for fact in self.terms.conjuncts(interpolant) {
                is_new |= self.add_fact(node, fact)?;
            }
            if !is_new {
                return Ok(());
            }
            if self.unfolding.is_false(&self.terms, node) && !self.unfolding.tree.is_closed(node) {
                let open = self.unfolding.tree.close(node);
                self.look_again(open);
            }
        }
        Ok(())
    }

    /// Whether the label did not plainly say so before.
    fn add_fact(&mut self, node: NodeId, fact: TermId) -> Result<bool, GaveUp> {
        let label = &self.unfolding.node(node).label;
        let known = match self.terms.as_bool(fact) {
            // That nothing reaches a node is written down.
            Some(false) => label.contains(&fact),
            _ => self.entailment.plainly_implies(&self.terms, label, fact),
        };
        if known {
            return Ok(false);
        }
        let label = &mut self.unfolding.node_mut(node).label;
        if let Err(at) = label.binary_search(&fact) {
            label.insert(at, fact);
        }
        for covered in self.unfolding.tree.covers(node).to_vec() {
            let allowed = self.allows(covered, &[fact]);
            let label = &self.unfolding.node(covered).label;
            if !allowed || !self.entailment.implies(&mut self.terms, label, fact)? {
                let open = self.unfolding.tree.uncover(covered);
                self.look_again(open);
            }
        }
        Ok(true)
    }

    /// Puts nodes that are open again back into the queue.
    pub(super) fn look_again(&mut self, open: Vec<NodeId>) {
        self.queue.extend(open.into_iter().rev().map(Task::Look));
    }

    /// A path that can be taken: a violation, or a place where the program's meaning ends.
    fn real(&mut self, path: &[TransId]) -> Result<Option<Violation>, GaveUp> {
        let end = self.program.transition(*path.last().expect("no error at the root")).to;
        if !matches!(self.program.location(end).mark, Some(Mark::Error(_))) {
            self.reached.insert(end);
            return Ok(None);
        }
        let int_model = self.options.int_model;
        let (real, _) = real::violation(self.program, &mut self.terms, int_model, self.watch, path);
        match real? {
            Real::Violated(assertion, trace) => Ok(Some(Violation { assertion, trace })),
            Real::Unclear(reason) => {
                let reason = Reason::new("a path to a violation could not be replayed").with(reason);
                self.unclear.get_or_insert(reason);
                Ok(None)
            }
        }
    }
}
