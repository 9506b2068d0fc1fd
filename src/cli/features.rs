//! `regrain features`: what can be followed, from the tables that are followed.

use clap::{Args, ValueEnum};
use regrain::program::MemoryModel;
use regrain::report::features::{self, Offer};

use super::args::{Format, memory_model_name};
use super::engine::Engine;
use super::exit::{Exit, Failure};
use super::output;

/// The arguments of `regrain features`.
#[derive(Args, Debug)]
pub struct FeaturesArguments {
    /// Form of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: Format,
}

/// Prints what is modelled.
pub fn run(arguments: &FeaturesArguments) -> Result<Exit, Failure> {
    let engine = |engine: &Engine| {
        let value = engine.to_possible_value().expect("every engine can be asked for");
        (value.get_name().to_owned(), value.get_help().map(ToString::to_string).unwrap_or_default())
    };
    let offer = Offer {
        memory_models: [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso].map(memory_model_name).to_vec(),
        engines: Engine::value_variants().iter().map(engine).collect(),
    };
    output::print(&match arguments.format {
        Format::Human => features::text(&offer),
        Format::Json => features::json(&offer),
    })?;
    Ok(Exit::Done)
}
