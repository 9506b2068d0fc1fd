//! Options of the engines `impact` and `esst`, and of all that leave out interleavings.

use clap::Args;
use regrain::engine::impact::ForceCover;
use regrain::engine::{esst, explore, impact};
use regrain::program::symmetry::Symmetry;
use regrain::verify::Engine;

use super::args::named;

/// How the program is unfolded.
#[derive(Args, Clone, Copy, Debug)]
pub struct ImpactArguments {
    /// Which interleavings are left out. Engine `impact`: none, those of steps that concern no other thread
    /// (static), or also those of independent steps in the other order (dynamic, the default). Engine `esst`:
    /// none, by persistent sets, by sleep sets, or by both (the default). Engine `explore`: none, those of steps
    /// that touch nothing shared (static), or also by persistent sets (persistent, the default)
    #[arg(long, value_name = "WHICH", value_parser = named(Por::ALL, Por::name))]
    pub por: Option<Por>,

    /// Engines `explore`, `scar` and `cegar`: whether to profit from threads that nobody can tell apart
    #[arg(long, value_name = "WHETHER", default_value = "on")]
    #[arg(value_parser = named([Symmetry::On, Symmetry::Off], symmetry_name))]
    pub symmetry: Symmetry,

    /// Engine `impact`: whether a node gets the label of an older one where that holds, so as to be covered
    /// by it
    #[arg(long, value_name = "WHETHER", default_value = "on")]
    #[arg(value_parser = named([ForceCover::On, ForceCover::Off], force_cover_name))]
    pub force_cover: ForceCover,
}

/// A partial-order reduction of some engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Por {
    /// Nothing is left out.
    None,
    /// Of `impact` and `explore`.
    Static,
    /// Of `impact`.
    Dynamic,
    /// Of `esst` and `explore`.
    Persistent,
    /// Of `esst`.
    Sleep,
    /// Of `esst`.
    Both,
}

impl Por {
    const ALL: [Por; 6] = [Por::None, Por::Static, Por::Dynamic, Por::Persistent, Por::Sleep, Por::Both];

    /// The name that users know it by.
    pub fn name(self) -> &'static str {
        match self {
            Por::None => "none",
            Por::Static => "static",
            Por::Dynamic => "dynamic",
            Por::Persistent => "persistent",
            Por::Sleep => "sleep",
            Por::Both => "both",
        }
    }

    /// What it is for `impact`, if it is one of its reductions.
    pub fn of_impact(self) -> Option<impact::Reduction> {
        match self {
            Por::None => Some(impact::Reduction::None),
            Por::Static => Some(impact::Reduction::Static),
            Por::Dynamic => Some(impact::Reduction::Dynamic),
            Por::Persistent | Por::Sleep | Por::Both => None,
        }
    }

    /// What it is for `esst`, if it is one of its reductions.
    pub fn of_esst(self) -> Option<esst::Reduction> {
        match self {
            Por::None => Some(esst::Reduction::None),
            Por::Persistent => Some(esst::Reduction::Persistent),
            Por::Sleep => Some(esst::Reduction::Sleep),
            Por::Both => Some(esst::Reduction::Both),
            Por::Static | Por::Dynamic => None,
        }
    }

    /// What it is for `explore`, if it is one of its reductions.
    pub fn of_explore(self) -> Option<explore::Reduction> {
        match self {
            Por::None => Some(explore::Reduction::None),
            Por::Static => Some(explore::Reduction::Static),
            Por::Persistent => Some(explore::Reduction::Persistent),
            Por::Dynamic | Por::Sleep | Por::Both => None,
        }
    }
}

impl ImpactArguments {
    /// Why what is typed makes no sense for an engine, if so.
    pub fn misfit(&self, engine: Engine) -> Option<String> {
        let por = self.por?;
        let names = |fits: fn(Por) -> bool| -> String {
            let names: Vec<&str> = Por::ALL.into_iter().filter(|&por| fits(por)).map(Por::name).collect();
            names.join(", ")
        };
        let (fits, known) = match engine {
            Engine::Impact => (por.of_impact().is_some(), names(|por| por.of_impact().is_some())),
            Engine::Explore => (por.of_explore().is_some(), names(|por| por.of_explore().is_some())),
            Engine::Esst => (por.of_esst().is_some(), names(|por| por.of_esst().is_some())),
            _ => return None,
        };
        let (por, engine) = (por.name(), engine.name());
        (!fits).then(|| format!("--por {por} is not a reduction of engine {engine}: it has {known}"))
    }
}

fn symmetry_name(symmetry: Symmetry) -> &'static str {
    match symmetry {
        Symmetry::On => "on",
        Symmetry::Off => "off",
    }
}

fn force_cover_name(force_cover: ForceCover) -> &'static str {
    match force_cover {
        ForceCover::On => "on",
        ForceCover::Off => "off",
    }
}
