//! Test support: answers of engines, all of them checked.

use regrain::engine::Claim;
use regrain::observe::Silent;
use regrain::program::Program;
use regrain::verify::{Checked, Engine, Settings, verify};

/// What an engine says of a program.
#[track_caller]
pub fn answer(program: &Program, engine: Engine, settings: &Settings) -> Checked {
    verify(program, engine, settings, &mut Silent).unwrap_or_else(|fault| panic!("{fault}\n{program}"))
}

/// Whether a program is safe, if that was decided.
pub fn safety(answer: &Checked) -> Option<bool> {
    match answer.claim() {
        Claim::Safe(_) => Some(true),
        Claim::Unsafe(_) => Some(false),
        Claim::Unknown(_) => None,
    }
}
