//! Invariants for any number of copies.
//!
//! A program with [`twins`](crate::program::Program::twins) has infinitely many copies of some threads
//! (`program/template.rs`). An invariant speaks of a few of them: for every choice of one copy, or of two
//! different ones in either order, it says what holds for the shared variables and theirs, depending on
//! their locations and on those of the single threads. A copy may be one of any template. Besides, it may
//! count: how many of all copies stand at certain locations.
//!
//! That some other copy moves has to be considered with one more copy than the invariant speaks of, of which
//! the invariant holds together with the others: so it is checked with two or three (`check.rs`). This is the
//! rule of Abdulla, Haziza and Holík ("All for the price of few", 2013) and of thread-modular proofs with
//! `k` threads (Hoenicke, Majumdar and Podelski, 2017); counters are auxiliary variables as in Owicki and
//! Gries (1976).

mod check;
mod print;

use std::collections::{BTreeMap, BTreeSet};

pub use check::check_crowd;
pub use print::PrintedCrowd;

use crate::program::{LocId, Program, ThreadId};
use crate::term::{Pool, TermId, VarId};

/// An invariant for any number of copies. Facts are terms of `terms`.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// What may hold, by where everybody stands; nothing is possible where nothing is said. Facts speak of
    /// shared variables, of those of single threads, of those of the copies, and of counters. The first copy
    /// has the variables of first twins, the second one those of second twins.
    pub regions: BTreeMap<Standing, TermId>,
    /// Of how many copies the regions speak: 1 or 2.
    pub copies: usize,
    /// What is counted.
    pub counters: Vec<Counter>,
    /// The pool of the facts; grown from the program's.
    pub terms: Pool,
}

impl Crowd {
    /// What is to be shown of a program without targets: nothing.
    pub fn without_targets(program: &Program) -> Crowd {
        Crowd { regions: BTreeMap::new(), copies: 1, counters: Vec::new(), terms: program.terms.clone() }
    }
}

/// Where everybody stands that an invariant speaks of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Standing {
    /// The single threads, in order.
    pub singles: Vec<LocId>,
    /// The copies: the first one at a location of a first twin, the second one of a second twin.
    pub copies: Vec<LocId>,
}

/// How many copies stand at one of several locations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// Locations of first twins.
    pub locations: BTreeSet<LocId>,
    /// A variable beyond those of the program, of the widest word with sign.
    pub var: VarId,
}

/// The threads of a program that are there once, in order.
pub fn single_threads(program: &Program) -> Vec<ThreadId> {
    let copied = |thread: &ThreadId| program.twins.iter().any(|twins| twins.threads.contains(thread));
    program.thread_ids().filter(|thread| !copied(thread)).collect()
}
