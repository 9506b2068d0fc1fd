//! Pieces that several unbounded engines share: path formulas, predicates from infeasible paths, predicate abstraction.

pub mod abstraction;
mod connected;
pub mod cube;
pub mod difference;
pub mod intern;
pub mod live;
pub mod path;
pub mod predicate;
pub mod relation;
