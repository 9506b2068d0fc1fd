//! A complete unfolding of a program, as a proof that no error is reached.
//!
//! With partial-order reduction the labels of an unfolding are no inductive invariant: interleavings are
//! missing, and what the labels say holds only along the ones that are there. The certificate is the
//! unfolding itself. `check.rs` says when it proves something.

mod check;
mod commute;

pub use check::check_unfolding;

use crate::program::{LocId, ThreadId, TransId};
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
