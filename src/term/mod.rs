//! Hash-consed, typed terms.
//!
//! A [`Pool`] owns the terms; a [`TermId`] is a `Copy` index into it, and within one pool equal ids mean
//! equal terms. All construction goes through the pool's smart constructors (`simplify.rs`), which
//! normalise as they build: constants fold, commutative operands are ordered, `a < b` becomes
//! `!(b <= a)`. So syntactic equality after normalisation is a cheap first answer to many questions
//! that would otherwise go to a solver.
//!
//! The sorts are those of C seen from below (`sort.rs`): truth values, machine integers of 1 to 64 bits that
//! know their signedness, and arrays of them; floating point is operations on words (`float.rs`). The
//! signedness sits in the sort because it decides what arithmetic means: on unsigned words it wraps, on
//! signed words it overflows, which is undefined in C. The concrete semantics (`eval.rs`) wraps in both
//! cases; a translation to mathematical integers (`smt/`) uses the difference.
//!
//! A pool may be cloned; ids of the original stay valid in the clone, so an engine clones the program's
//! pool and grows its own.

mod array;
mod datum;
mod eval;
pub mod float;
mod interval;
mod linear;
mod parts;
mod pool;
mod print;
mod simplify;
mod sort;
mod substitute;

pub use eval::{Datum, Valuation};
pub use float::{FloatMap, FloatOp, FloatOrder};
pub use interval::{Interval, Intervals};
pub use pool::{Node, Pool, TermId, VarId};
pub use print::Printed;
pub use sort::{ArraySort, Sign, Sort, Word};

#[cfg(test)]
mod tests;
