//! What is wrong with a proof.

use std::fmt;

use crate::program::{ThreadId, TransId};
use crate::smt::GaveUp;

/// Why a proof is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// A thread with something to reach has no view.
    NoView(ThreadId),
    /// A view does not speak of all other threads or of all their locations, or of something else than the
    /// program's state.
    Malformed(ThreadId),
    /// The initial state is not in the view of this thread.
    Initial(ThreadId),
    /// In the view of this thread, this transition leads out of the invariant, or to a target.
    Step(ThreadId, TransId),
    /// A node of an unfolding or of a forest is not as it should be.
    Node(usize, Defect),
    /// An invariant for any number of copies is not as it should be.
    Crowd(Defect),
    /// The solver could not tell, or the budget ended.
    GaveUp(GaveUp),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::NoView(thread) => write!(f, "thread {} has no invariant", thread.index()),
            Flaw::Malformed(thread) => write!(f, "the invariant of thread {} is malformed", thread.index()),
            Flaw::Initial(thread) => {
                write!(f, "the invariant of thread {} does not hold initially", thread.index())
            }
            Flaw::Step(thread, transition) => write!(
                f,
                "the invariant of thread {} is not closed under transition {}",
                thread.index(),
                transition.index()
            ),
            Flaw::Crowd(defect) => write!(f, "the invariant for any number of threads: {defect}"),
            Flaw::Node(node, defect) => write!(f, "node {node}: {defect}"),
            Flaw::GaveUp(gave_up) => gave_up.fmt(f),
        }
    }
}

impl std::error::Error for Flaw {}

/// What is wrong with a node of an unfolding or of a forest, or with an invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Defect {
    /// It does not fit to its parent, its coverer or the program.
    Malformed,
    /// There are no threads of which there is any number, or they do not do the same.
    Template,
    /// Some initial state does not have the label of the root, or does not satisfy the invariant.
    Initial,
    /// The step to it does not lead to its label.
    Edge,
    /// This step leads out of the invariant, or to a target.
    Leaves(TransId),
    /// Its label does not imply that of its coverer.
    Cover,
    /// It stands at an error.
    Error,
    /// This step is not followed, and there is no reason to omit it.
    Missing(TransId),
    /// This thread may not go alone from here.
    Alone(ThreadId),
    /// This thread may not sleep here.
    Sleep(ThreadId),
    /// That this thread goes next is not followed, and there is no reason to omit it.
    Choice(ThreadId),
    /// Threads outside of its persistent set may interfere with those inside.
    Persistent,
    /// It is on a cycle on which this thread may go next and never does.
    LeftOut(ThreadId),
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::Malformed => write!(f, "it is malformed"),
            Defect::Template => write!(f, "there are no copies that do the same"),
            Defect::Initial => write!(f, "it does not hold initially"),
            Defect::Edge => write!(f, "the step to it does not lead to its label"),
            Defect::Leaves(step) => write!(f, "transition {} leads out of it", step.index()),
            Defect::Cover => write!(f, "its label does not imply that of its coverer"),
            Defect::Error => write!(f, "it stands at an error"),
            Defect::Missing(step) => write!(f, "transition {} is missing", step.index()),
            Defect::Alone(thread) => write!(f, "thread {} may not go alone", thread.index()),
            Defect::Sleep(thread) => write!(f, "thread {} may not sleep", thread.index()),
            Defect::Choice(thread) => write!(f, "that thread {} goes next is missing", thread.index()),
            Defect::Persistent => write!(f, "the set of threads that go next is not persistent"),
            Defect::LeftOut(thread) => write!(f, "thread {} is left out for ever", thread.index()),
        }
    }
}
