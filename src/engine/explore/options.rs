//! How to explore, and what an exploration may not have followed.

use crate::budget::Budget;
use crate::program::symmetry::Symmetry;
use crate::program::{MemoryModel, ThreadId, TransId};
use crate::term::VarId;

/// How to explore.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The memory model.
    pub model: MemoryModel,
    /// Time, memory, interruption.
    pub budget: Budget,
    /// How far to go.
    pub limits: Limits,
    /// Which states may be left out.
    pub reduction: Reduction,
    /// Whether threads that nobody can tell apart are told apart.
    pub symmetry: Symmetry,
    /// Values that inputs are likely to need, to be tried where not all can be.
    pub hints: Vec<i128>,
}

/// How far an exploration goes before it gives up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Number of states; at most the default.
    pub states: u64,
    /// Number of writes that wait in one thread's store buffer.
    pub buffer: usize,
    /// Number of combinations of values that one step tries for the inputs that it reads.
    pub choices: u64,
    /// Number of scalars and array elements of the program.
    pub cells: u64,
}

impl Default for Limits {
    /// Four thousand million states, 64 buffered writes, 65536 choices, a million cells.
    fn default() -> Limits {
        Limits { states: 4_000_000_000, buffer: 64, choices: 1 << 16, cells: 1 << 20 }
    }
}

/// Which states an exploration may leave out without changing the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reduction {
    /// None: every interleaving is visited.
    None,
    /// A thread whose next steps concern nobody else goes first (partial-order reduction by singleton ample
    /// sets), and the value of a private variable that will not be read again is forgotten.
    Static,
    /// In addition, of the threads that may move only those of a persistent set do, where that suffices.
    #[default]
    Persistent,
}

/// Something that an exploration did not follow to the end, so that it cannot answer `true`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Gap {
    /// Not all values of this input, or of this variable's initial value, were tried when this transition
    /// read it.
    Choice(VarId, TransId),
    /// This thread's store buffer was full.
    Buffer(ThreadId),
}
