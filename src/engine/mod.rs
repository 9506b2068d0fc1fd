//! What every engine is: a function from a program to a [`Verdict`].
//!
//! A verdict is never rounded up. A cut loop, a bound, a limit, a solver's "unknown", a part of C that was not
//! followed: each gives [`Verdict::Unknown`] with the reason and what was established. Engines never import one another.

pub mod cegar;
pub mod explore;
pub mod scar;

use crate::program::{AssertionId, Trace};
use crate::proof::Invariant;

/// The answer of an engine.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No run of any length violates an assertion.
    Safe(Evidence),
    /// This run does.
    Unsafe(Violation),
    /// Neither was established.
    Unknown(Reason),
}

/// Why a program is safe.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// All states were visited.
    Exhausted {
        /// How many.
        states: u64,
    },
    /// All runs were looked at symbolically; no loop can go round more often than was followed.
    Bounded {
        /// How often a loop went round at most, certain rounds not counted.
        bound: u32,
        /// Number of reads and writes.
        events: u64,
    },
    /// Inductive invariants, to be checked by `proof/`.
    Invariant(Box<Invariant>),
}

/// A violated assertion and how to get there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Which.
    pub assertion: AssertionId,
    /// The run; its last step reaches the assertion's error location. Replayed before it is reported.
    pub trace: Trace,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// One line, as it stands in the verdict: `no violation up to bound 4; loops cut: worker at p.c:12`.
    pub summary: String,
    /// What was established and what the user can do, a sentence a line.
    pub details: Vec<String>,
}

impl Reason {
    /// A reason without details.
    pub fn new(summary: impl Into<String>) -> Reason {
        Reason { summary: summary.into(), details: Vec::new() }
    }

    /// With one more line of detail.
    pub fn with(mut self, detail: impl Into<String>) -> Reason {
        self.details.push(detail.into());
        self
    }
}
