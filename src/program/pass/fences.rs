//! Barriers that mean nothing go.
//!
//! Under SC there is no store buffer, so every barrier goes. Under TSO writes reach memory in order anyway,
//! so store-store barriers go. The steps stay, as local steps if they did nothing else, for `merge` to
//! absorb.

use super::super::{Barrier, MemoryModel, Program};

pub(super) fn run(mut program: Program, model: MemoryModel) -> Program {
    for transition in &mut program.transitions {
        transition.barrier = match (model, transition.barrier) {
            (MemoryModel::Sc, _) | (MemoryModel::Tso, Barrier::StoreStore) => Barrier::None,
            (_, barrier) => barrier,
        };
    }
    program
}
