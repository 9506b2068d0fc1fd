//! Options of the engine `scar`.

use clap::Args;
use regrain::engine::scar::{Formulation, Validation};
use regrain::order::Density;

use super::value::named;

/// How event orders are found.
#[derive(Args, Clone, Copy, Debug)]
pub struct ScarArguments {
    /// Engine `scar`: how orders of events are ruled out, by cycles in the graph of what is assigned while
    /// the solver searches, by all cycles in the graph of a whole model, or by an exact search in it
    #[arg(long, value_name = "HOW", default_value = "graph")]
    #[arg(value_parser = named([Validation::Graph, Validation::Model, Validation::Constraint], validation_name))]
    pub validation: Validation,

    /// Engine `scar`: edges of program order in the graphs of whole models, those that no others imply or all
    #[arg(long, value_name = "EDGES", default_value = "minimal")]
    #[arg(value_parser = named([Density::Minimal, Density::Intuitive], density_name))]
    pub order: Density,

    /// Engine `scar`: what the solver gets, all but the order of events, or that too as clocks
    #[arg(long, value_name = "WHAT", default_value = "scar")]
    #[arg(value_parser = named([Formulation::Scar, Formulation::Monolithic], encoding_name))]
    pub encoding: Formulation,
}

fn encoding_name(encoding: Formulation) -> &'static str {
    match encoding {
        Formulation::Scar => "scar",
        Formulation::Monolithic => "monolithic",
    }
}

fn validation_name(validation: Validation) -> &'static str {
    match validation {
        Validation::Graph => "graph",
        Validation::Model => "model",
        Validation::Constraint => "constraint",
    }
}

fn density_name(density: Density) -> &'static str {
    match density {
        Density::Minimal => "minimal",
        Density::Intuitive => "intuitive",
    }
}
