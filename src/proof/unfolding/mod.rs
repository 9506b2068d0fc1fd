//! A complete unfolding of a program, as a proof that no error is reached.
//!
//! With partial-order reduction the labels of an unfolding are no inductive invariant: interleavings are
//! missing, and what the labels say holds only along the ones that are there. The certificate is the
//! unfolding itself. `check.rs` says when it proves something.

mod check;
mod commute;

pub use check::check_unfolding;

use super::{AbstractState, Invariant, ViewInvariant};
use crate::program::{LocId, Program, ThreadId, TransId};
use crate::term::{Pool, TermId};

/// An unfolding.
#[derive(Clone, Debug)]
pub struct Unfolding {
    /// The nodes, parents before their children; the first is the root.
    pub nodes: Vec<UnfoldingNode>,
    /// For each location of the program a number; a thread that goes alone comes to greater ones.
    pub order: Vec<u32>,
    /// The pool of the labels; grown from the program's.
    pub terms: Pool,
}

impl Unfolding {
    /// The labels at each location, one or the other of which always holds: an inductive invariant if there
    /// is one thread, where no interleavings are missing. None for several threads.
    pub fn invariant(&self, program: &Program) -> Option<Invariant> {
        let [only] = &program.threads[..] else { return None };
        let observed = program.location(only.entry).thread;
        let states = self.nodes.iter().filter(|node| node.covered_by.is_none()).map(|node| AbstractState {
            location: node.locations[0],
            classes: Vec::new(),
            literals: node.label.iter().map(|&fact| (fact, true)).collect(),
        });
        let view = ViewInvariant {
            observed,
            environment: Vec::new(),
            classes: Vec::new(),
            states: states.collect(),
        };
        Some(Invariant { views: vec![view], terms: self.terms.clone() })
    }
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnfoldingNode {
    /// Where the threads are.
    pub locations: Vec<LocId>,
    /// What holds of the data, all of it.
    pub label: Vec<TermId>,
    /// Its parent, and the step from there. Only the root has none.
    pub parent: Option<(usize, TransId)>,
    /// An older node that stands for whatever follows.
    pub covered_by: Option<usize>,
    /// The thread that alone is followed from here, as its next steps concern nobody else.
    pub alone: Option<ThreadId>,
}
