//! The scheduling constraint, which the abstraction leaves out: where and how it is brought back.
//!
//! * Beforehand, as clauses about pairs that exclude each other by what is known (`contradiction.rs`).
//! * While the solver searches, by an event order graph that looks on (`guide.rs`), with critical sections
//!   (`sections.rs`).
//! * When the solver has found a model, by the graph of that model (`execution.rs`), which also makes a run
//!   of it.
//! * For comparison all at once, as clauses about clocks (`clock.rs`).

mod clock;
mod contradiction;
mod execution;
mod guide;
mod sections;

pub use self::clock::constrain;
pub use self::contradiction::contradictions;
pub use self::execution::{Execution, Lives};
pub use self::guide::{Guide, negation};
pub use self::sections::sections;
