//! Regrain verifies concurrent C programs: it proves that no interleaving violates an assertion, or
//! prints a schedule that does.

pub mod sat;
pub mod smt;
