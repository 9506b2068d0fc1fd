//! The violation once more, in the program as it was written.
//!
//! Engines work on a program in which steps that do not matter for the verdict are gone: executed beforehand, sliced away, composed.
//! A run of it is proof enough, but a poor story. So a short run is looked for in the whole program, by visiting its states. That may take too
//! long; then the story is told as the engine found it.

use std::time::Duration;

use crate::budget::Budget;
use crate::observe::Silent;
use crate::program::{MemoryModel, Move, Program, Trace};
use crate::replay::{self, Limits, Options, Outcome, Run};
use crate::term::Datum;

use super::{Counterexample, Detail, schedule};

/// A violating run that is worth telling, and the program that it is a run of.
#[derive(Clone, Debug)]
pub struct Story {
    /// The program.
    pub program: Program,
    /// The memory model.
    pub model: MemoryModel,
    /// The run.
    pub run: Run,
    /// Whether the program lacks steps that do not matter for the verdict.
    pub reduced: bool,
}

impl Story {
    /// The story in terms of the source.
    pub fn told(&self, detail: Detail) -> Counterexample {
        let told = Counterexample::new(&self.program, self.model, &self.run, detail);
        Counterexample { reduced: self.reduced, ..told }
    }
}

/// States that are visited for a better story: about a second's work. The number decides, and not the clock, so that the same violation is told
/// in the same way on any machine.
const STATES: u64 = 400_000;

/// Time after which even a slow machine gives up.
const TIME: Duration = Duration::from_secs(20);

/// A violating run of the whole program, if one is found soon; inputs try the values that they have in the run that was found.
pub fn again(whole: &Program, model: MemoryModel, found: &Trace, budget: &Budget) -> Option<Run> {
    let time = budget.remaining().map_or(TIME, |remaining| remaining.min(TIME));
    let budget = budget.clone().with_time(budget.elapsed() + time);
    let limits = Limits { states: STATES, ..Limits::default() };
    let options = Options { model, budget, limits, hints: hints(found), ..Options::default() };
    let Outcome::Violation(_, trace) = replay::explore(whole, &options, &mut Silent).outcome else {
        return None;
    };
    let run = replay::run(whole, model, &trace).ok()?;
    run.violation(whole)?;
    Some(schedule::readable(whole, model, &trace, run))
}

/// The values of the inputs and of what was not initialised.
fn hints(found: &Trace) -> Vec<i128> {
    let inputs = found.moves.iter().filter_map(|taken| match taken {
        Move::Step { inputs, .. } => Some(inputs),
        Move::Flush { .. } => None,
    });
    let values = inputs.flatten().chain(&found.initial).map(|(_, value)| value);
    let numbers = values.flat_map(|value| match value {
        Datum::Word(number) => vec![*number],
        Datum::Array(numbers) => numbers.to_vec(),
        Datum::Bool(_) => Vec::new(),
    });
    numbers.collect()
}
