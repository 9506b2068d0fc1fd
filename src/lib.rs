//! Regrain verifies concurrent C programs: it proves that no interleaving violates an assertion, or
//! prints a schedule that does.

pub mod budget;
pub mod engine;
pub mod frontend;
pub mod observe;
pub mod order;
pub mod program;
pub mod proof;
#[cfg(test)]
mod random;
pub mod reach;
pub mod replay;
pub mod report;
pub mod sat;
pub mod scheduler;
pub mod smt;
pub mod stack;
pub mod term;
pub mod verify;
