//! The engines by the names that users give them: the one list, and the one match.

use clap::ValueEnum;
use regrain::budget::Budget;
use regrain::engine::{Verdict, cegar, explore};
use regrain::observe::{Observer, Progress};
use regrain::program::{MemoryModel, Program};

use super::cegar::{CegarArguments, int_model_name};

/// An engine.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// Whatever suits the program
    #[default]
    Auto,
    /// Visit every state; for small finite programs
    Explore,
    /// Prove without a bound: predicates, and classes of control locations that are refined non-monotonically
    Cegar,
}

/// What every engine is told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The memory model.
    pub memory_model: MemoryModel,
    /// For engine `cegar`.
    pub cegar: CegarArguments,
    /// The limits.
    pub budget: Budget,
}

impl Engine {
    /// The name of the engine that does the work.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto | Engine::Explore => "explore",
            Engine::Cegar => "cegar",
        }
    }

    /// Decides a program.
    pub fn check(self, program: &Program, settings: &Settings, observer: &mut dyn Observer) -> Verdict {
        match self {
            Engine::Auto | Engine::Explore => {
                let (model, budget) = (settings.memory_model, settings.budget.clone());
                explore::check(program, &explore::Options { model, budget, ..Default::default() }, observer)
            }
            Engine::Cegar => {
                let int_model = settings.cegar.common.int_model;
                observer.notice(Progress::Note("Int model", int_model_name(int_model).to_owned()));
                let options = cegar::Options {
                    refinement: settings.cegar.refinement,
                    prefer: settings.cegar.common.prefer,
                    int_model,
                    memory_model: settings.memory_model,
                    budget: settings.budget.clone(),
                };
                cegar::check(program, &options, observer).0
            }
        }
    }
}
