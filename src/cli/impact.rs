//! Options of the engine `impact`.

use clap::Args;
use regrain::engine::impact::{ForceCover, Reduction};

use super::args::named;

/// How the program is unfolded.
#[derive(Args, Clone, Copy, Debug)]
pub struct ImpactArguments {
    /// Engine `impact`: which interleavings are left out, none, those of steps that concern no other thread,
    /// or also those of independent steps in the other order
    #[arg(long, value_name = "WHICH", default_value = "dynamic")]
    #[arg(value_parser = named([Reduction::None, Reduction::Static, Reduction::Dynamic], reduction_name))]
    pub por: Reduction,

    /// Engine `impact`: whether a node gets the label of an older one where that holds, so as to be covered
    /// by it
    #[arg(long, value_name = "WHETHER", default_value = "on")]
    #[arg(value_parser = named([ForceCover::On, ForceCover::Off], force_cover_name))]
    pub force_cover: ForceCover,
}

fn reduction_name(reduction: Reduction) -> &'static str {
    match reduction {
        Reduction::None => "none",
        Reduction::Static => "static",
        Reduction::Dynamic => "dynamic",
    }
}

fn force_cover_name(force_cover: ForceCover) -> &'static str {
    match force_cover {
        ForceCover::On => "on",
        ForceCover::Off => "off",
    }
}
