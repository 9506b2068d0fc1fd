//! A complete forest of regions of a cooperative program, as a proof that no error is reached.
//!
//! Each node has regions of its threads, a global one, and a state of the scheduler. With partial-order
//! reduction the regions are no inductive invariant: orders of blocks are missing. The certificate is the
//! forest itself. `check.rs` says when it proves something.

mod check;
mod cycles;
mod reduction;
mod touch;
mod walk;

pub use check::check_forest;

use crate::program::{LocId, ThreadId, TransId};
use crate::scheduler::State;
use crate::term::{Pool, TermId};

/// A forest.
#[derive(Clone, Debug)]
pub struct Forest {
    /// The nodes, parents before their children; the first is the initial one.
    pub nodes: Vec<ForestNode>,
    /// Whether it is for the runs of a looser scheduler, which are more.
    pub loose: bool,
    /// Whether it is for runs in which signed arithmetic goes on where it overflows, too.
    pub beyond_overflow: bool,
    /// The pool of the regions; grown from the program's.
    pub terms: Pool,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForestNode {
    /// Where the threads are.
    pub locations: Vec<LocId>,
    /// The state of the scheduler.
    pub scheduler: State,
    /// For each thread, what holds of its variables and shared ones, all of it.
    pub threads: Vec<Vec<TermId>>,
    /// What holds of all variables, all of it.
    pub global: Vec<TermId>,
    /// The threads whose next blocks need not be followed from here. Sorted.
    pub sleep: Vec<ThreadId>,
    /// Where nobody runs: the threads that suffice, if these are not all. Sorted.
    pub persistent: Option<Vec<ThreadId>>,
    /// Its parent, and the edge from there. Only the initial node has none.
    pub parent: Option<(usize, ForestEdge)>,
    /// A node that stands for whatever follows.
    pub covered_by: Option<usize>,
}

/// A transition, and the arguments of its call.
pub type Step = (TransId, Vec<i64>);

/// How a node comes from its parent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ForestEdge {
    /// The running thread takes some transitions, each with the arguments of its call if it has one; nobody
    /// stops to look in between.
    Steps(Vec<Step>),
    /// The scheduler goes to the state of the node.
    Schedule,
}

impl ForestNode {
    /// Everything that holds here.
    pub fn label(&self) -> impl Iterator<Item = TermId> + '_ {
        self.threads.iter().flatten().chain(&self.global).copied()
    }
}
