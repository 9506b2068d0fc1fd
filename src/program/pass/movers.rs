//! Which steps may as well happen later, or earlier (Lipton, "Reduction: a method of proving properties of
//! parallel programs", 1975).
//!
//! A step moves *right* if it may follow whatever others do next, and *left* if it may precede whatever they
//! did before; nobody can tell the difference. What touches nothing shared moves both ways; waiting for a
//! flag that stays once it is raised (`flags.rs`) moves right; raising a flag that others only wait for moves
//! left: it hinders nobody.

use super::super::{Barrier, MemoryModel, Program, Transition};
use super::flags::Flags;
use crate::term::VarId;

/// Whether a step may happen later, and whether it may happen earlier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moves {
    pub right: bool,
    pub left: bool,
}

/// What is known of a program's steps.
#[derive(Debug)]
pub(super) struct Movers {
    model: MemoryModel,
    flags: Flags,
}

impl Movers {
    pub fn of(program: &Program, model: MemoryModel) -> Movers {
        Movers { model, flags: Flags::of(program) }
    }

    /// How a step moves that reads these variables.
    pub fn moves(&self, program: &Program, transition: &Transition, reads: &[VarId]) -> Moves {
        let mut moves = Moves { right: true, left: true };
        if transition.call.is_some() {
            return Moves { right: false, left: false };
        }
        let mut vars = reads.to_vec();
        vars.retain(|&var| program.is_shared(var));
        vars.extend(program.shared_writes(transition).map(|place| place.var));
        vars.sort_unstable();
        vars.dedup();
        for var in vars {
            moves.right &= self.flags.waits_for(program, transition, var);
            moves.left &= self.flags.announces(program, transition, var);
        }
        // A barrier must not come before what an ordinary access reads.
        moves.left &= self.model == MemoryModel::Sc || transition.barrier != Barrier::Full;
        moves
    }
}
