//! What engines and checks are told: plain data.

use crate::budget::Budget;
use crate::engine::cegar::{Preference, Refinement};
use crate::engine::esst;
use crate::engine::explore::{Limits, Reduction};
use crate::engine::impact::{self, ForceCover};
use crate::engine::scar::{Formulation, Validation};
use crate::order::Density;
use crate::program::MemoryModel;
use crate::program::symmetry::Symmetry;
use crate::smt::IntModel;

/// How to look for an answer, and how to check it.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The memory model.
    pub memory_model: MemoryModel,
    /// Time, memory, interruption.
    pub budget: Budget,
    /// How thoroughly a `true` is re-examined.
    pub recheck: Recheck,
    /// Engine `explore`: how far it goes.
    pub limits: Limits,
    /// Engine `explore`: which states it may leave out.
    pub reduction: Reduction,
    /// Engines `explore`, `scar` and `cegar`: whether threads that are alike are told apart.
    pub symmetry: Symmetry,
    /// Engine `cegar`: whether classes may be merged again.
    pub refinement: Refinement,
    /// Engine `cegar`: what is refined first.
    pub prefer: Preference,
    /// Engines `cegar`, `impact` and `esst`: what signed integers are.
    pub int_model: IntModel,
    /// Engine `impact`: which interleavings it leaves out.
    pub por: impact::Reduction,
    /// Engine `esst`: which orders of blocks it leaves out.
    pub blocks: esst::Reduction,
    /// Engine `impact`: whether nodes are made to be covered.
    pub force_cover: ForceCover,
    /// Engine `scar`: the greatest bound, if there is one.
    pub unwind: Option<u32>,
    /// Engine `scar`: how orders of events are ruled out.
    pub validation: Validation,
    /// Engine `scar`: how many edges of program order a graph has.
    pub density: Density,
    /// Engine `scar`: what is encoded for the solver.
    pub encoding: Formulation,
}

/// How thoroughly a `true` is re-examined whose certificate is not an invariant. Invariants are always
/// checked in full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Recheck {
    /// For at most as long as the answer took, or a moment, whichever is more.
    #[default]
    Brief,
    /// As long as the budget lasts.
    Full,
}
