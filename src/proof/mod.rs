//! Evidence of safety, and its check by somebody who did not find it.

pub mod bounded;
mod certificate;
mod check;
mod crowd;
mod flaw;
mod forest;
mod invariant;
pub mod lrat;
mod print;
mod unfolding;

pub use bounded::{BoundedProof, Happening, Reading, Writing};
pub use certificate::{Backing, Certificate};
pub use check::{Checked, check};
pub use crowd::{Counter, Crowd, PrintedCrowd, Standing, check_crowd, single_threads};
pub use flaw::{Defect, Flaw};
pub use forest::{Forest, ForestEdge, ForestNode, check_forest};
pub use invariant::{AbstractState, Invariant, ViewInvariant};
pub use print::Printed;
pub(crate) use print::{Conjunction, merged};
pub use unfolding::{Unfolding, UnfoldingNode, check_unfolding};

#[cfg(test)]
mod tests;
