//! Evidence of safety, and its check by somebody who did not find it.

mod check;
mod invariant;
mod print;

pub use check::{Checked, Flaw, check};
pub use invariant::{AbstractState, Invariant, ViewInvariant};
pub use print::Printed;
pub(crate) use print::{Conjunction, merged};
