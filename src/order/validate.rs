//! Exact validation: whether a total order exists, and which, or why not.
//!
//! A fixpoint without conflict does not mean that there is an order (the "butterfly", SC paper Fig. 6). The
//! search takes a linear extension; if it puts a write `w'` between the ends of a link `w ◁ r`, it splits:
//! `w' < w`, or else `r < w'`, and saturates. A refuted case leaves its reason, and the other case then holds
//! for that reason together with the link's. So the search needs no splits on what no extension breaks, jumps
//! back over splits that a refutation does not use, and in the end its reason is made of the caller's
//! literals alone: this replaces the paper's constraint solver and its unsatisfiable core.

use std::rc::Rc;

use super::closure::Closure;
use super::derive::{Edge, Orders, Origin};
use super::eog::NodeId;
use super::linear::{Between, broken};
use super::reason::{Atom, Reason};
use crate::budget::{Budget, Stop};

/// Conflicts that are compared for the shortest reason before a case is given up.
const CONFLICTS: usize = 8;

/// Whether the orders of a graph can be made total.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Validity {
    /// Yes, in this way; the initial state is left out.
    Total(Vec<NodeId>),
    /// No: these literals cannot all hold.
    Impossible(Reason),
}

/// An open case split.
struct Split {
    between: Between,
    atom: Atom,
    closure: Closure,
    edges: usize,
}

impl Orders<'_> {
    /// Decides whether there is a total order of the nodes that respects every order and link of the graph.
    /// Works with or without saturating first. Afterwards the orders include the cases that the search chose:
    /// use them to print, not to go on.
    ///
    /// # Errors
    /// If the budget ends first.
    pub fn validate(&mut self, budget: &Budget) -> Result<Validity, Stop> {
        let mut splits: Vec<Split> = Vec::new();
        loop {
            budget.check()?;
            if self.saturate(CONFLICTS) {
                let order = self.extension();
                match broken(self.graph, &order) {
                    None => return Ok(Validity::Total(order)),
                    Some(between) => splits.push(self.split(between, splits.len())),
                }
            } else {
                let reason = self.kernels(1).swap_remove(0).reason;
                if let Some(reason) = self.backtrack(&mut splits, reason) {
                    return Ok(Validity::Impossible(reason));
                }
            }
        }
    }

    /// Enters the first case of a split.
    fn split(&mut self, between: Between, depth: usize) -> Split {
        self.work.splits += 1;
        let atom = Atom::split(depth);
        let state = Split { between, atom, closure: self.closure.clone(), edges: self.edges.len() };
        let to = self.graph.links()[between.link as usize].write;
        self.insert(Edge { from: between.other, to, origin: Origin::Split(atom) });
        state
    }

    /// Returns to the last split that a refutation uses and enters its other case; if there is none, gives
    /// the refutation back.
    fn backtrack(&mut self, splits: &mut Vec<Split>, mut reason: Reason) -> Option<Reason> {
        while let Some(Split { between, atom, closure, edges }) = splits.pop() {
            if reason.contains(atom) {
                self.restore(closure, edges);
                reason.retain(|&other| other != atom);
                reason.extend(&self.with_other(between.link, between.other));
                let from = self.graph.links()[between.link as usize].read;
                self.insert(Edge { from, to: between.other, origin: Origin::Refuted(Rc::new(reason)) });
                return None;
            }
        }
        Some(reason)
    }
}
