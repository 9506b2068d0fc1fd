//! Who takes part in a proof for any number of copies, and under which names.
//!
//! Of copies only a few are looked at: those that the invariant speaks of, and one more that moves. The first
//! has the names of first twins, the second those of second twins, the third names of its own.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::program::{LocId, Program, Renaming, Role, ThreadId, TransId};
use crate::proof::single_threads;
use crate::term::{Pool, Sort, TermId, VarId, Word};

/// What is counted with: whole numbers.
pub(super) const COUNT: Word = Word::signed(64);

/// A copy under its number, at a location of a first twin.
pub(super) type Copied = (usize, LocId);

/// The program without bound, and names for what it has many of.
#[derive(Debug)]
pub(super) struct Stage<'a> {
    pub program: &'a Program,
    pub terms: Pool,
    pub singles: Vec<ThreadId>,
    /// The entries of first twins.
    pub entries: Vec<LocId>,
    /// The locations of first twins at which copies can stand, in order; targets are none.
    pub locations: Vec<LocId>,
    /// The steps of first twins, in order.
    pub steps: Vec<TransId>,
    /// The second twins' names of locations.
    pub second: FxHashMap<LocId, LocId>,
    /// For each copy, its names of the variables of first twins.
    names: Vec<FxHashMap<VarId, VarId>>,
    /// The shared variables.
    pub shared: Vec<VarId>,
}

impl<'a> Stage<'a> {
    /// `None` if the twins do not do the same.
    pub fn of(program: &'a Program) -> Option<Stage<'a>> {
        let renaming = Renaming::of(program)?;
        let mut terms = program.terms.clone();
        let owned: BTreeSet<VarId> = renaming.variables.keys().copied().collect();
        let same = owned.iter().map(|&var| (var, var)).collect();
        let third = owned.iter().map(|&var| (var, renamed(&mut terms, program, var))).collect();
        let stays = |location: &LocId| !program.location(*location).is_target();
        let locations: BTreeSet<LocId> = renaming.locations.keys().copied().filter(stays).collect();
        let steps: BTreeSet<TransId> = renaming.transitions.keys().copied().collect();
        let entry = |threads: [ThreadId; 2]| program.thread(threads[0]).entry;
        let is_shared = |var: &VarId| program.variable(*var).role == Role::Shared;
        Some(Stage {
            program,
            terms,
            singles: single_threads(program),
            entries: program.twins.iter().map(|twins| entry(twins.threads)).collect(),
            locations: locations.into_iter().collect(),
            steps: steps.into_iter().collect(),
            second: renaming.locations,
            names: vec![same, renaming.variables, third],
            shared: program.variable_ids().filter(is_shared).collect(),
        })
    }

    /// The name that a copy has for a variable of the program.
    pub fn name(&self, copy: usize, var: VarId) -> VarId {
        self.names[copy].get(&var).copied().unwrap_or(var)
    }

    /// A term of a first twin as a copy has it.
    pub fn of_copy(&mut self, copy: usize, term: TermId) -> TermId {
        let names = &self.names[copy];
        self.terms.substitute(term, |terms, var| names.get(&var).map(|&name| terms.var(name)))
    }

    /// A term of the first two copies with each in the place of the other.
    pub fn swapped(&mut self, term: TermId) -> TermId {
        let pairs = self.names[1].iter().flat_map(|(&one, &other)| [(one, other), (other, one)]);
        let names: FxHashMap<VarId, VarId> = pairs.collect();
        self.terms.substitute(term, |terms, var| names.get(&var).map(|&name| terms.var(name)))
    }

    /// A new counter.
    pub fn counter(&mut self, number: usize) -> VarId {
        self.terms.declare(format!("count{}", number + 1), Sort::Word(COUNT))
    }
}

fn renamed(terms: &mut Pool, program: &Program, var: VarId) -> VarId {
    let variable = program.variable(var);
    terms.declare(variable.name.clone(), variable.sort)
}
