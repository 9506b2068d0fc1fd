//! The violation once more, in the program as it was written.
//!
//! Engines work on a program in which steps that do not matter for the verdict are gone: executed beforehand,
//! sliced away, composed. A run of it is proof enough, but a poor story. So a run is looked for in the whole
//! program, by visiting its states: a shortest one, or one that does what the run did that was found
//! (`engine/explore/guide.rs`) if that has no detours (`detours.rs`). Neither may be found soon; then the
//! story is told as the engine found it.

use std::time::Duration;

use crate::budget::Budget;
use crate::engine::explore::{self, Guide, Limits, Options, Outcome};
use crate::observe::Silent;
use crate::program::{MemoryModel, Program, Trace};
use crate::replay::{self, Run};

use super::{Counterexample, Detail, detours, schedule};

/// A violating run that is worth telling, and the program that it is a run of.
#[derive(Clone, Debug)]
pub struct Retold {
    /// The program.
    pub program: Program,
    /// The memory model.
    pub model: MemoryModel,
    /// The run.
    pub run: Run,
    /// Whether the program lacks steps that do not matter for the verdict.
    pub reduced: bool,
}

impl Retold {
    /// The story in terms of the source.
    pub fn told(&self, detail: Detail) -> Counterexample {
        let told = Counterexample::new(&self.program, self.model, &self.run, detail);
        Counterexample { reduced: self.reduced, ..told }
    }
}

/// States that are visited for a shortest run before the one that was found is followed. Such numbers decide,
/// and not the clock, so that the same violation is told in the same way on any machine.
const FEW: u64 = 10_000;

/// States that are visited around the run that was found.
const NEAR: u64 = 40_000;

/// States that are visited for a shorter run than one that could be followed.
const MORE: u64 = 100_000;

/// States that are visited for any run where none could be followed: about a second's work.
const MANY: u64 = 400_000;

/// Time after which even a slow machine gives up.
const TIME: Duration = Duration::from_secs(20);

/// A violating run of the whole program, if one is found soon: a shortest one, or one like the run that was
/// found. Inputs try the values that they have there.
pub fn again(
    whole: &Program,
    model: MemoryModel,
    found: Option<(&Program, &Trace, &Run)>,
    budget: &Budget,
) -> Option<Run> {
    let time = budget.remaining().map_or(TIME, |remaining| remaining.min(TIME));
    let budget = budget.clone().with_time(budget.elapsed() + time);
    let hints = found.map_or(Vec::new(), |(_, trace, _)| trace.numbers());
    let options = |states| {
        let limits = Limits { states, ..Limits::default() };
        Options { model, budget: budget.clone(), limits, hints: hints.clone(), ..Options::default() }
    };
    let shortest = |states| {
        let explored = explore::explore(whole, &options(states), &mut Silent);
        violating(whole, model, explored.outcome)
    };
    if let Some(run) = shortest(FEW) {
        return Some(run);
    }
    let followed = found.and_then(|(program, _, run)| {
        let guide = Guide::new(program, run);
        violating(whole, model, explore::follow(whole, &options(NEAR), &guide, &mut Silent).outcome)
    });
    match followed {
        Some(run) if detours::goes_straight(whole, &run) => Some(run),
        Some(run) => shortest(MORE).or(Some(run)),
        None => shortest(MANY),
    }
}

/// A run of the whole program to undefined behaviour, if one is found soon.
pub fn undefined(whole: &Program, model: MemoryModel, budget: &Budget) -> Option<Run> {
    let limits = Limits { states: FEW, ..Limits::default() };
    let options = Options { model, budget: budget.clone(), limits, ..Options::default() };
    let trace = explore::explore(whole, &options, &mut Silent).undefined?;
    replay::run(whole, model, &trace).ok()
}

fn violating(program: &Program, model: MemoryModel, outcome: Outcome) -> Option<Run> {
    let Outcome::Violation(_, trace) = outcome else { return None };
    let run = replay::run(program, model, &trace).ok()?;
    run.violation(program)?;
    Some(schedule::readable(program, model, &trace, run))
}
