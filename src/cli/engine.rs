//! The engines by the names that users give them: the one list, and the one match.

use clap::ValueEnum;
use regrain::budget::Budget;
use regrain::engine::{Verdict, explore};
use regrain::observe::Observer;
use regrain::program::{MemoryModel, Program};

/// An engine.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// Whatever suits the program
    #[default]
    Auto,
    /// Visit every state; for small finite programs
    Explore,
}

/// What every engine is told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The memory model.
    pub memory_model: MemoryModel,
    /// The limits.
    pub budget: Budget,
}

impl Engine {
    /// The name of the engine that does the work.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto | Engine::Explore => "explore",
        }
    }

    /// Decides a program.
    pub fn check(self, program: &Program, settings: &Settings, observer: &mut dyn Observer) -> Verdict {
        match self {
            Engine::Auto | Engine::Explore => {
                let (model, budget) = (settings.memory_model, settings.budget.clone());
                explore::check(program, &explore::Options { model, budget, ..Default::default() }, observer)
            }
        }
    }
}
