//! Pieces that several unbounded engines share: path formulas, predicates from infeasible paths, predicate
//! abstraction.

pub mod abstraction;
pub mod components;
mod connected;
pub mod cube;
pub mod difference;
pub mod eliminate;
pub mod entail;
pub mod images;
pub mod intern;
pub mod interpolant;
pub mod path;
pub mod predicate;
pub mod real;
pub mod relation;
pub mod symbolic;
pub mod tree;
pub mod valuation;
