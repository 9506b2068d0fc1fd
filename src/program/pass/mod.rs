//! Transformations of programs, one a file, each pure `Program -> Program`.
//!
//! # What they keep
//!
//! Under the memory model in use, a mark ([`Mark::Error`](super::Mark::Error),
//! [`Mark::Undefined`](super::Mark::Undefined), [`Mark::Cut`](super::Mark::Cut)) is reachable after a pass if
//! and only if it was before, where a run ends as soon as some thread reaches one.
//! [`Mark::End`](super::Mark::End), blocked threads and endless loops are not kept: who looks for deadlocks
//! must look in the raw program.
//!
//! There is one exception: `slice` drops [ranges](super::Range) of variables that nothing else needs, and
//! sets [`Program::unchecked`]. Runs are considered up to their first signed overflow; such a program
//! considers some runs further. What is unreachable in it is unreachable, but a mark that is reached may lie
//! behind an overflow, and is told only after it was reached in the program before the passes, which has all
//! ranges (`report/retell.rs`).
//!
//! Identifiers (threads, locations, variables, inputs) are those of the new program; assertions keep theirs.
//!
//! # The list
//!
//! The passes run in the order of [`Stage::ALL`], again and again while they make the program smaller:
//!
//! 1. [`fences`](Stage::Fences): what the memory model gives no meaning goes.
//! 2. [`constants`](Stage::Constants): constants are folded along the control flow; what is never reached
//!    goes.
//! 3. [`split`](Stage::Split): arrays that are accessed at known indices only become scalars.
//! 4. [`privatize`](Stage::Privatize): shared variables of one thread become its own.
//! 5. [`values`](Stage::Values): constants that nobody can tell apart become one.
//! 6. [`scaffold`](Stage::Scaffold): first steps that have only one outcome become the initial state; in a
//!    cooperative program, those of `main`.
//! 7. [`slice`](Stage::Slice): steps and variables that no mark depends on go.
//! 8. [`merge`](Stage::Merge): atomic sections, local steps and waiting are composed into single transitions.
//! 9. [`dead`](Stage::Dead): updates that nobody reads go, and with them unused variables, locations, threads
//!    and terms.

mod access;
mod compact;
mod compose;
mod constants;
mod covers;
mod cycles;
mod dead;
mod fences;
mod flags;
mod liveness;
mod merge;
mod movers;
mod prelude;
mod privatize;
mod ranges;
mod scaffold;
mod slice;
mod split;
mod undefined;
mod values;

#[cfg(test)]
pub(crate) mod tests;

pub(super) use covers::covers;
pub(crate) use liveness::Liveness;
pub use undefined::without_undefined;

use super::{MemoryModel, Program};

/// What the passes need to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PassOptions {
    /// The memory model under which marks stay reachable or unreachable.
    pub memory_model: MemoryModel,
}

/// A point in the list of passes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// Barriers without meaning are gone.
    Fences,
    /// Constants are folded.
    Constants,
    /// Arrays accessed at known indices only are scalars.
    Split,
    /// Shared variables of one thread are private.
    Privatize,
    /// Constants that nobody can tell apart are one.
    Values,
    /// The deterministic beginning has been executed.
    Scaffold,
    /// What no mark depends on is gone.
    Slice,
    /// Local steps and atomic sections are composed.
    Merge,
    /// Dead updates are gone, everything is numbered anew.
    Dead,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Stage; 9] = [
        Stage::Fences,
        Stage::Constants,
        Stage::Split,
        Stage::Privatize,
        Stage::Values,
        Stage::Scaffold,
        Stage::Slice,
        Stage::Merge,
        Stage::Dead,
    ];

    /// The name that users know the stage by.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Fences => "fences",
            Stage::Constants => "constants",
            Stage::Split => "split",
            Stage::Privatize => "privatize",
            Stage::Values => "values",
            Stage::Scaffold => "scaffold",
            Stage::Slice => "slice",
            Stage::Merge => "merge",
            Stage::Dead => "dead",
        }
    }

    /// The stage of that name.
    pub fn from_name(name: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.name() == name)
    }

    fn apply(self, program: Program, options: &PassOptions) -> Program {
        match self {
            Stage::Fences => fences::run(program, options.memory_model),
            Stage::Constants => constants::run(program),
            Stage::Split => split::run(program),
            Stage::Privatize => privatize::run(program),
            Stage::Values => values::run(program),
            Stage::Scaffold if program.policy.is_some() => prelude::run(program),
            Stage::Scaffold => scaffold::run(program, options.memory_model),
            Stage::Slice => slice::run(program),
            Stage::Merge => merge::run(program, options.memory_model),
            Stage::Dead => dead::run(program),
        }
    }
}

/// The list is repeated at most so often. Each round that changes something makes the program smaller, and
/// what is gained after the first three rounds is little.
const MAX_ROUNDS: usize = 6;

/// Applies all passes until nothing changes any more.
pub fn run(mut program: Program, options: &PassOptions) -> Program {
    for _ in 0..MAX_ROUNDS {
        let before = size(&program);
        program = run_until(program, options, Stage::Dead);
        if size(&program) == before {
            break;
        }
    }
    program
}

/// Applies the passes once, up to and including a stage: what `regrain show` prints.
pub fn run_until(program: Program, options: &PassOptions, stage: Stage) -> Program {
    let stages: Vec<Stage> = Stage::ALL.into_iter().take_while(|&each| each <= stage).collect();
    apply(program, options, &stages)
}

/// Applies these passes alone, once.
pub fn apply(program: Program, options: &PassOptions, stages: &[Stage]) -> Program {
    stages.iter().fold(program, |program, stage| stage.apply(program, options))
}

/// What passes make smaller.
fn size(program: &Program) -> [usize; 5] {
    let updates = program.transitions.iter().map(|transition| transition.updates.len()).sum();
    [
        program.threads.len(),
        program.variables.len(),
        program.locations.len(),
        program.transitions.len(),
        updates,
    ]
}
