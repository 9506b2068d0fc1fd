//! Random C programs that everybody is asked about; `./x fuzz` runs it for as long as one likes.

pub mod ast;
pub mod checksum;
mod expressions;
pub mod features;
pub mod generator;
pub mod judge;
pub mod native;
pub mod plan;
pub mod prelude;
pub mod print;
pub mod reducer;
pub mod sequential;
mod settle;
mod statements;
mod synchronisation;
pub mod tally;
pub mod truth;
