//! What every engine is: a function from a program to an [`Answer`].
//!
//! A claim is never rounded up. A cut loop, a bound, a limit, a solver's "unknown", a part of C that was not
//! followed: each gives [`Claim::Unknown`] with the reason and what was established. Engines never import one
//! another, and nobody outside the library can call one: `verify/` runs them and checks what they claim.

pub mod cegar;
pub mod crowd;
pub mod esst;
pub mod explore;
pub mod impact;
pub mod scar;

use crate::program::{AssertionId, Trace};
use crate::proof::Certificate;

/// What an engine comes back with. Nobody may report it before `verify/` has checked it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What it says about the program.
    pub claim: Claim,
    /// What it has to tell besides.
    pub story: Story,
}

/// What an engine says about a program.
#[derive(Clone, Debug)]
pub enum Claim {
    /// No run of any length violates an assertion.
    Safe(Certificate),
    /// This run does.
    Unsafe(Violation),
    /// Neither was established.
    Unknown(Reason),
}

/// What an engine has to tell besides its claim; each engine has a type of its own.
#[derive(Clone, Debug, Default)]
pub enum Story {
    /// Nothing.
    #[default]
    Nothing,
    /// The rounds of a refinement.
    Cegar(cegar::Report),
}

impl From<Claim> for Answer {
    fn from(claim: Claim) -> Answer {
        Answer { claim, story: Story::Nothing }
    }
}

/// A violated assertion and how to get there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Which.
    pub assertion: AssertionId,
    /// The run; its last step reaches the assertion's error location.
    pub trace: Trace,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// One line, as it stands in the verdict: `no violation up to bound 4; loops cut: worker at p.c:12`.
    pub summary: String,
    /// What was established and what the user can do, a sentence a line.
    pub details: Vec<String>,
    /// A run that shows it, where there is one: its last step reaches a location where the program's meaning
    /// ends.
    pub run: Option<Trace>,
    /// Whether it says that undefined behaviour is reachable; then a run is looked for where the engine gives
    /// none.
    pub undefined: bool,
}

impl Reason {
    /// A reason without details.
    pub fn new(summary: impl Into<String>) -> Reason {
        Reason { summary: summary.into(), details: Vec::new(), run: None, undefined: false }
    }

    /// With one more line of detail.
    pub fn with(mut self, detail: impl Into<String>) -> Reason {
        self.details.push(detail.into());
        self
    }

    /// Shown by a run.
    pub fn shown_by(mut self, run: Trace) -> Reason {
        self.run = Some(run);
        self
    }
}
