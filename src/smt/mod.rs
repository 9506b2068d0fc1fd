//! Satisfiability modulo theories, by Z3. This is the only room that names the `z3` crate.
//!
//! A [`Solver`] takes terms of one pool, translates each distinct term once, and answers with terms of that
//! pool. What a signed word is for the solver is the solver's [`IntModel`]; see `translate.rs`.
//!
//! Z3 keeps one context a thread; solvers and their terms must stay in the thread that made them.

mod float;
pub mod horn;
mod interrupt;
mod solver;
mod translate;
mod version;

pub use interrupt::{Watch, interruptible};
pub use solver::{Answer, GaveUp, Solver};
pub use translate::IntModel;
pub use version::{Error, check_version, version};
