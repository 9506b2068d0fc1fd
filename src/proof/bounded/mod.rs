//! Certificates of bounded proofs, and their check: no run of an unrolled program reaches any of its goals.
//!
//! The unrolled program is given as *happenings*, the steps of its threads on shared memory, and as a
//! *formula* over literals that say which of them take place, with which values, and which write each read
//! takes its value from. The formula says nothing about the order of happenings, so it has models that are no
//! runs. *Lemmas* exclude these: each says that some literals cannot hold together in any run, because what
//! they say cannot happen one after the other. The *refutation* shows that nothing is left.
//!
//! Checked are the refutation (`lrat.rs`), and of each lemma that it rests on that its literals really cannot
//! hold together (`orders.rs`, which shares nothing with the code that finds lemmas). Believed is that the
//! formula is the program's: that unrolling and the bits of terms are right. What is pruned, settled,
//! narrowed or excluded to find an answer fast takes no part in a certificate: every read may take its value
//! from every write of its cell.

mod orders;
#[cfg(test)]
mod tests;

use std::fmt;

use self::orders::{Meaning, Settled};
use super::lrat::{self, Gap};
use crate::budget::{Budget, Stop};
use crate::program::{Barrier, MemoryModel, ThreadId};
use crate::sat::{Derived, Lit};

/// Why no run of an unrolled program reaches a goal.
#[derive(Clone, Debug)]
pub struct BoundedProof {
    /// What program order means.
    pub model: MemoryModel,
    /// In program order for each thread.
    pub happenings: Vec<Happening>,
    /// The values, the conditions, the choice of writes to read from, and that a goal is reached.
    pub formula: Vec<Vec<Lit>>,
    /// Clauses that hold in all runs.
    pub lemmas: Vec<Vec<Lit>>,
    /// The empty clause, from the formula and then the lemmas.
    pub refutation: Vec<Derived>,
}

/// An indivisible step of a thread on shared memory: it reads, then it writes.
#[derive(Clone, Debug)]
pub struct Happening {
    /// Whose.
    pub thread: ThreadId,
    /// That it takes place.
    pub guard: Lit,
    /// What it asks of the store buffer.
    pub barrier: Barrier,
    /// The cells that it may read.
    pub reads: Vec<Reading>,
    /// The cells that it may write.
    pub writes: Vec<Writing>,
}

/// A read of a cell.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The cell.
    pub cell: usize,
    /// What it may take its value from: a happening, or none for the initial state; and the literal that it
    /// does, and so that both take place.
    pub sources: Vec<(Lit, Option<usize>)>,
}

/// A write of a cell.
#[derive(Clone, Debug)]
pub struct Writing {
    /// The cell.
    pub cell: usize,
    /// That it takes place, and so its happening.
    pub happens: Lit,
}

/// What was examined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Examined {
    /// Lemmas that the refutation rests on, all of which hold.
    pub lemmas: u64,
    /// Derived clauses that it rests on.
    pub steps: u64,
}

/// Why a certificate was not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Objection {
    /// The refutation is none.
    Refutation(Gap),
    /// The literals of a lemma, by its position, can hold together.
    Lemma(usize),
    /// A lemma, by its position, is too large for the plain check; nothing is known to be wrong.
    TooLarge(usize),
    /// The budget ended; nothing is known to be wrong.
    Stopped(Stop),
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objection::Refutation(gap) => gap.fmt(f),
            Objection::Lemma(lemma) => write!(f, "order lemma {lemma} does not hold"),
            Objection::TooLarge(lemma) => write!(f, "order lemma {lemma} is too large for the plain check"),
            Objection::Stopped(stop) => stop.fmt(f),
        }
    }
}

/// Examines a certificate.
///
/// # Errors
/// If it is not one, or that could not be found out.
pub fn check(proof: &BoundedProof, budget: &Budget) -> Result<Examined, Objection> {
    let all: Vec<&[Lit]> = proof.formula.iter().chain(&proof.lemmas).map(Vec::as_slice).collect();
    let rests = lrat::check(&all, &proof.refutation).map_err(Objection::Refutation)?;
    let meaning = Meaning::of(proof);
    let mut examined = Examined { lemmas: 0, steps: rests.steps };
    for clause in rests.clauses {
        let Some(lemma) = clause.checked_sub(proof.formula.len()) else { continue };
        budget.check().map_err(Objection::Stopped)?;
        match meaning.settle(&proof.lemmas[lemma]) {
            Settled::Impossible => examined.lemmas += 1,
            Settled::Possible => return Err(Objection::Lemma(lemma)),
            Settled::TooLarge => return Err(Objection::TooLarge(lemma)),
        }
    }
    Ok(examined)
}
