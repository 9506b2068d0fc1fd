//! The room that answers: it runs engines, alone or side by side, and checks what they claim.
//!
//! ```text
//! engine/*  ── Answer { claim, story } ──▶  verify/  ── Checked ──▶  report/, cli/, tests
//!                                             │
//!                                   replay/ (runs)   proof/ (certificates)
//! ```
//!
//! [`verify()`] is the only way to an answer, and a [`Checked`] can be made nowhere else, so that whatever is
//! reported was checked: a run is replayed move by move, an invariant is examined by `proof/`, a state space
//! that was exhausted is visited again by the reference explorer as far as time allows. What does not hold is
//! a [`Fault`], which is no verdict:
//!
//! ```compile_fail,E0451
//! use regrain::engine::{Claim, Reason, Story};
//! use regrain::verify::{Checked, Engine, Examination};
//! let claim = Claim::Unknown(Reason::new("made up"));
//! let (run, examination) = (None, Examination::Checked);
//! let forged = Checked { claim, story: Story::Nothing, engine: Engine::Scar, run, violated: None, examination };
//! ```

mod check;
mod confirm;
mod engine;
mod entrants;
mod fault;
mod portfolio;
mod reasons;
mod recheck;
mod settings;

pub use check::Checked;
pub use engine::{Engine, int_model_name};
pub use fault::Fault;
pub use recheck::{Examination, Extent, Omission};
pub use settings::{Recheck, Settings};

use std::time::Instant;

use crate::observe::{Observer, Progress};
use crate::program::Program;

/// Decides a program.
///
/// # Errors
/// If an engine is caught with a claim that does not hold, or engines contradict each other: a bug of ours.
pub fn verify(
    program: &Program,
    engine: Engine,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Checked, Fault> {
    if let Some(reason) = engine::refusal(engine, program, settings.memory_model) {
        return Ok(Checked::undecided(engine, reason));
    }
    if let Some(policy) = program.policy {
        observer.notice(Progress::Note("Scheduler", policy.name().to_owned()));
    }
    match engine {
        Engine::Auto => portfolio::verify(program, settings, observer),
        engine => alone(program, engine, settings, observer),
    }
}

/// Asks one engine and checks its answer.
fn alone(
    program: &Program,
    engine: Engine,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Checked, Fault> {
    let begin = Instant::now();
    let answer = engine::ask(engine, program, settings, observer);
    let took = begin.elapsed();
    check::checked(program, engine, answer, took, settings, observer)
}
