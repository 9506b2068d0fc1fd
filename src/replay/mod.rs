//! The concrete semantics of programs: one move, single runs, and an explorer of all runs that can be
//! trusted.
//!
//! [`run()`] follows one [`Trace`](crate::program::Trace) step by step and says what every step read and
//! wrote; every counterexample of every engine goes through it. [`mod@reference`] visits all states of a
//! small program by the same moves (`semantics.rs`); engines are compared with it, the engine `explore` with
//! its own moves above all. Only the store buffer is the same there, which is held against a textbook's.
//!
//! # Store buffers
//!
//! Under TSO and PSO each thread has a buffer (`buffer.rs`). A write to a whole shared array is buffered as
//! one write for each element. A thread at an atomic location excludes the others' flushes too, as they would
//! be moves of others in the middle of its section.

mod buffer;
mod domain;
mod interpret;
mod reads;
pub mod reference;
mod run;
mod semantics;
mod tidy;

pub use buffer::{Buffer, Pending};
pub use interpret::run;
pub use run::{Cause, Cell, Done, Locks, ReadValue, Run, RunError, RunStep, Source, WrittenValue};
pub use semantics::State;
pub use tidy::tidy;
