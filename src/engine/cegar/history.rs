//! What happened while a view was refined: plain data for reports.

use crate::program::{LocId, ThreadId, TransId};

/// The rounds of one view.
#[derive(Clone, Debug)]
pub struct History {
    /// The observed thread.
    pub observed: ThreadId,
    /// The environment threads.
    pub environment: Vec<ThreadId>,
    /// The rounds in order.
    pub rounds: Vec<Round>,
    /// The classes at the end: for each environment thread the locations of each class.
    pub classes: Vec<Vec<Vec<LocId>>>,
}

/// A refinement.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// The spurious paths that it learnt from.
    pub spurious: Vec<Spurious>,
    /// The predicates that are new, as C text.
    pub predicates: Vec<String>,
    /// The partition, if it is new: for each environment thread, the locations of each class.
    pub classes: Option<Vec<Vec<Vec<LocId>>>>,
}

/// A spurious path.
#[derive(Clone, Debug)]
pub struct Spurious {
    /// Its steps.
    pub path: Vec<TransId>,
    /// The pairs of locations where steps of a thread do not follow each other.
    pub mismatches: Vec<(LocId, LocId)>,
    /// What it was blamed for.
    pub cause: Cause,
}

/// Why a path is spurious.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Its guards contradict each other.
    Data,
    /// Its mismatches.
    Control,
    /// A thread moves while another one is in an atomic section.
    Atomicity,
}
