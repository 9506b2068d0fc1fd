//! Evidence of safety, and its check by somebody who did not find it.

pub mod bounded;
mod certificate;
mod check;
mod flaw;
mod forest;
mod invariant;
pub mod lrat;
mod states;
mod unfolding;

pub use bounded::{BoundedProof, Happening, Reading, Writing};
pub use certificate::{Backing, Certificate};
pub use check::{Checked, check};
pub use flaw::{Defect, Flaw};
pub use forest::{Forest, ForestEdge, ForestNode, check_forest};
pub use invariant::{AbstractState, Invariant, ViewInvariant};
pub(crate) use invariant::{Conjunction, merged};
pub use unfolding::{Unfolding, UnfoldingNode, check_unfolding};

#[cfg(test)]
mod tests;
