//! The engine `scar`: bounded checking by scheduling constraint based abstraction refinement.
//!
//! Yin, Dong, Liu, Wang: *Scheduling Constraint Based Abstraction Refinement for Multi-Threaded Program
//! Verification* (the SC paper), and *... for Weak Memory Models*. Threads are unrolled to a bound
//! (`unroll/`); values and read-from pairs become clauses (`encode.rs`), the order of events does not, except
//! for what is known before anything is solved (`infer/`). The event order graph rules out what cannot happen
//! one after the other, and each of its reasons is a clause that rules out many models at once (`schedule/`).
//!
//! In the papers the graph is that of a whole model, which is looked at when the solver has found it: that is
//! [`Validation::Model`]. By default the graph takes part in the search, and models come out without cycles.
//! Either way `order/` has the last word on a model: a total order is a run, which is replayed; otherwise
//! there is one more reason.
//!
//! The bound grows until no loop can go round more often than it allows: then the answer is `true`. All
//! bounds share one solver, as long as no value outgrows the bits it was given and the same reads are
//! settled. Where the papers ask for the violation only, we ask in a second question which loops are really
//! cut, and whether a mark that ends the program's meaning is reached; so nothing that was cut can be
//! overlooked, and nothing that is unreachable is deepened for.

mod abstraction;
mod certify;
mod encode;
mod infer;
mod obstacle;
mod overview;
mod refinement;
mod schedule;
#[cfg(test)]
mod tests;
mod unroll;
mod work;

use crate::budget::Budget;
use crate::observe::Observer;
use crate::order::Density;
use crate::program::symmetry::Symmetry;
use crate::program::{MemoryModel, Program};

pub use self::overview::{
    AccessOverview, EventOverview, NamedCondition, Overview, ReadOverview, ReadsFrom, overview,
};
pub use self::unroll::{Goal, LoopId, Target};

use self::refinement::Refinement;
use super::{Answer, Claim};

/// Cells of shared memory that a program may have.
const CELLS: usize = 1 << 16;

/// How to check.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The memory model.
    pub model: MemoryModel,
    /// Time, memory, interruption.
    pub budget: Budget,
    /// The greatest bound; without one it grows as long as the budget lasts.
    pub unwind: Option<u32>,
    /// How graphs without a total order are explained.
    pub validation: Validation,
    /// How many edges of program order a graph has.
    pub density: Density,
    /// What is encoded for the solver.
    pub encoding: Formulation,
    /// Whether threads that are alike begin in any order.
    pub symmetry: Symmetry,
    /// Whether a `true` comes with something to examine.
    pub certificate: Certified,
}

impl Options {
    /// Whether orders are looked at while the solver searches.
    fn guided(&self) -> bool {
        self.encoding == Formulation::Scar && self.validation == Validation::Graph
    }
}

/// What is encoded for the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Formulation {
    /// The data and the read-from pairs; orders are found by refinement.
    #[default]
    Scar,
    /// Also the order of all events, by clocks; for comparison.
    Monolithic,
}

/// How graphs without a total order are explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Validation {
    /// By cycles in the graph of what is assigned so far, while the solver searches; exact search decides
    /// graphs without a cycle.
    #[default]
    Graph,
    /// By the kernel reasons of all cycles in the graph of a whole model, as in the papers; exact search
    /// decides graphs without a cycle.
    Model,
    /// By exact search alone, one reason a round.
    Constraint,
}

/// Whether a `true` comes with something to examine (`certify.rs`). It takes as long as the answer, and
/// longer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Certified {
    /// No.
    #[default]
    No,
    /// Yes, if it is made before the budget ends.
    Yes,
}

/// Decides a program as far as the bound allows.
pub(crate) fn check(program: &Program, options: &Options, observer: &mut dyn Observer) -> Answer {
    if has_floats(program) {
        return Claim::Unknown(obstacle::Obstacle::Unsupported("floating point".to_owned()).reason()).into();
    }
    let claim = match Refinement::new(program, options, observer) {
        Ok(refinement) => refinement.decide(),
        Err(obstacle) => Claim::Unknown(obstacle.reason()),
    };
    claim.into()
}

/// Whether a step computes with floating-point numbers, for which there are no circuits.
fn has_floats(program: &Program) -> bool {
    let roots: Vec<_> = program.transitions.iter().flat_map(|transition| transition.terms()).collect();
    program.terms.has_floats(&roots)
}
