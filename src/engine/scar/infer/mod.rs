//! What is known of an unrolling before anything is solved: which writes reads may take their values from,
//! which events are ordered whatever happens, which reads have but one value, and how large values become.
//!
//! Everything here is about all runs of one unrolling; nothing depends on a model of the formula. What is
//! found makes the formula smaller (fewer pairs, fewer bits) and is given to the solver as clauses
//! (`schedule/contradiction.rs`).

mod alike;
mod known;
mod pairs;
mod range;
mod settled;
#[cfg(test)]
mod tests;

pub use self::alike::in_turn;
pub use self::known::{Implications, Known, Occurrence};
pub use self::pairs::{Pairs, Source};
pub use self::range::Ranges;
pub use self::settled::Settled;
