//! Engines as users name them, and what users say to them as settings.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use regrain::budget::Budget;
use regrain::program::MemoryModel;
use regrain::verify::{Engine, Settings};

use super::cegar::CegarArguments;
use super::impact::{ImpactArguments, Por};
use super::scar::ScarArguments;

/// A parser of engines' names.
pub fn engine_names() -> impl TypedValueParser<Value = Engine> {
    let named = Engine::ALL.map(|engine| PossibleValue::new(engine.name()).help(about(engine)));
    PossibleValuesParser::new(named).map(|given| {
        let known = Engine::ALL.into_iter().find(|engine| engine.name() == given);
        known.expect("clap accepts only these names")
    })
}

/// What an engine is for.
pub fn about(engine: Engine) -> &'static str {
    match engine {
        Engine::Auto => {
            "Visit the states of a small program; where they are too many, prove and look for violations side by side"
        }
        Engine::Explore => "Visit every state; for small finite programs",
        Engine::Cegar => {
            "Prove without a bound: predicates, and classes of control locations that are refined non-monotonically"
        }
        Engine::Impact => {
            "Prove without a bound: an unfolding of the program labelled by interpolants, with partial-order reduction"
        }
        Engine::Esst => {
            "Prove cooperative programs without a bound: the scheduler is executed, the threads are abstracted, with partial-order reduction"
        }
        Engine::Scar => {
            "Bounded, for bugs and for programs whose loops end: models of the data first, event orders after"
        }
    }
}

/// What is typed for `cegar`, and nothing special for the others.
pub fn cegar_settings(arguments: CegarArguments, memory_model: MemoryModel, budget: Budget) -> Settings {
    Settings {
        memory_model,
        budget,
        refinement: arguments.refinement,
        prefer: arguments.common.prefer,
        int_model: arguments.common.int_model,
        ..Settings::default()
    }
}

/// Likewise with what is typed for `impact` and `esst`, and for `explore` of interleavings.
pub fn with_impact(settings: Settings, arguments: ImpactArguments) -> Settings {
    Settings {
        reduction: arguments.por.and_then(Por::of_explore).unwrap_or_default(),
        por: arguments.por.and_then(Por::of_impact).unwrap_or_default(),
        blocks: arguments.por.and_then(Por::of_esst).unwrap_or_default(),
        symmetry: arguments.symmetry,
        force_cover: arguments.force_cover,
        ..settings
    }
}

/// Likewise with what is typed for `scar`.
pub fn with_scar(settings: Settings, arguments: ScarArguments, unwind: Option<u32>) -> Settings {
    Settings {
        unwind,
        validation: arguments.validation,
        density: arguments.order,
        encoding: arguments.encoding,
        ..settings
    }
}
