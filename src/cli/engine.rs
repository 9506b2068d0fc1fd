//! The engines by the names that users give them: the one list, and the one match.

use clap::ValueEnum;
use regrain::budget::Budget;
use regrain::engine::{Verdict, cegar, explore, scar};
use regrain::observe::{Observer, Progress};
use regrain::program::{MemoryModel, Program};

use super::cegar::{CegarArguments, int_model_name};
use super::portfolio;
use super::scar::ScarArguments;

/// An engine.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// Visit the states of a small program; where they are too many, prove and look for violations side by side
    #[default]
    Auto,
    /// Visit every state; for small finite programs
    Explore,
    /// Prove without a bound: predicates, and classes of control locations that are refined non-monotonically
    Cegar,
    /// Bounded, for bugs and for programs whose loops end: models of the data first, event orders after
    Scar,
}

/// What every engine is told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The memory model.
    pub memory_model: MemoryModel,
    /// For engine `cegar`.
    pub cegar: CegarArguments,
    /// For engine `scar`.
    pub scar: ScarArguments,
    /// The greatest bound, if there is one.
    pub unwind: Option<u32>,
    /// The limits.
    pub budget: Budget,
}

impl Engine {
    /// The name of the engine that does the work; `auto` tells which one it took as the note `Engine`.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Explore => "explore",
            Engine::Cegar => "cegar",
            Engine::Scar => "scar",
        }
    }

    /// Decides a program. The rounds of a refinement come along, where there was one.
    pub fn check(
        self,
        program: &Program,
        settings: &Settings,
        observer: &mut dyn Observer,
    ) -> (Verdict, Option<cegar::Report>) {
        match self {
            Engine::Auto => portfolio::check(program, settings, observer),
            Engine::Explore => (visit(program, settings, explore::Limits::default(), observer), None),
            Engine::Cegar => prove(program, settings, observer),
            Engine::Scar => (search(program, settings, observer), None),
        }
    }
}

/// Visits states.
pub fn visit(
    program: &Program,
    settings: &Settings,
    limits: explore::Limits,
    observer: &mut dyn Observer,
) -> Verdict {
    let (model, budget) = (settings.memory_model, settings.budget.clone());
    explore::check(program, &explore::Options { model, budget, limits, ..Default::default() }, observer)
}

fn prove(
    program: &Program,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> (Verdict, Option<cegar::Report>) {
    let int_model = settings.cegar.common.int_model;
    observer.notice(Progress::Note("Int model", int_model_name(int_model).to_owned()));
    let options = cegar::Options {
        refinement: settings.cegar.refinement,
        prefer: settings.cegar.common.prefer,
        int_model,
        memory_model: settings.memory_model,
        budget: settings.budget.clone(),
    };
    let (verdict, report) = cegar::check(program, &options, observer);
    (verdict, Some(report))
}

fn search(program: &Program, settings: &Settings, observer: &mut dyn Observer) -> Verdict {
    let options = scar::Options {
        model: settings.memory_model,
        budget: settings.budget.clone(),
        unwind: settings.unwind,
        validation: settings.scar.validation,
        density: settings.scar.order,
        encoding: settings.scar.encoding,
    };
    scar::check(program, &options, observer)
}
