//! Runs that engines did not give: violations without signed overflow where passes dropped ranges, and ways
//! to undefined behaviour.
//!
//! A program with [`exact`](Program::exact) behind it has runs that overflow in what nobody looks at, and a
//! violation may lie beyond such an overflow. So one is looked for in the program that has all ranges: along
//! the run that was found, and then by visiting states, breadth first. That finds a run wherever the overflow
//! plays no part, unless there is too much to visit.

use crate::engine::Reason;
use crate::engine::explore::{Guide, Limits, Options, Outcome, explore, follow};
use crate::observe::Silent;
use crate::program::{Program, Trace};
use crate::replay::Run;

use super::Settings;

/// States that are visited around the run that was found.
const NEAR: u64 = 40_000;

/// States that are visited for any run.
const MANY: u64 = 400_000;

/// Why a violation is none that counts; `None` if it is one.
pub(super) fn doubt(program: &Program, run: &Run, trace: &Trace, settings: &Settings) -> Option<Reason> {
    let exact = program.exact.as_deref()?;
    let options = |states| Options {
        model: settings.memory_model,
        budget: settings.budget.clone(),
        limits: Limits { states, ..settings.limits.clone() },
        hints: trace.numbers(),
        ..Options::default()
    };
    let guide = Guide::new(program, run);
    let followed = follow(exact, &options(NEAR), &guide, &mut Silent).outcome;
    let violates = |outcome| matches!(outcome, Outcome::Violation(..));
    if violates(followed) || violates(explore(exact, &options(MANY), &mut Silent).outcome) {
        return None;
    }
    let places: Vec<String> =
        program.unchecked.iter().map(|&span| program.sources.display(span).to_string()).collect();
    let summary = format!("a violation may need signed overflow at {}", places.join(", "));
    Some(Reason::new(summary).with("runs are considered up to it; no violation was found that does without"))
}

/// A run to undefined behaviour, if one is found soon.
pub(super) fn undefined(program: &Program, settings: &Settings) -> Option<Trace> {
    let options = Options {
        model: settings.memory_model,
        budget: settings.budget.clone(),
        limits: Limits { states: NEAR, ..settings.limits.clone() },
        ..Options::default()
    };
    explore(program, &options, &mut Silent).undefined
}
