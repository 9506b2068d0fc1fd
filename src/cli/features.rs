//! `regrain features`: what can be followed, from the tables that are followed.

use clap::Args;
use regrain::program::MemoryModel;
use regrain::report::features::{self, Offer};
use regrain::verify::Engine;

use super::args::Format;
use super::engine::about;
use super::exit::{Exit, Failure};
use super::output;
use super::value::memory_model_name;

/// The arguments of `regrain features`.
#[derive(Args, Debug)]
pub struct FeaturesArguments {
    /// Form of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: Format,
}

/// Prints what is modelled.
pub fn run(arguments: &FeaturesArguments) -> Result<Exit, Failure> {
    let offer = Offer {
        memory_models: [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso].map(memory_model_name).to_vec(),
        engines: Engine::ALL.map(|engine| (engine.name().to_owned(), about(engine).to_owned())).to_vec(),
    };
    output::print(&match arguments.format {
        Format::Human => features::text(&offer),
        Format::Json => features::json(&offer),
    })?;
    Ok(Exit::Done)
}
