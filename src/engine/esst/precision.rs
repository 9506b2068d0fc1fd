//! Precisions: which predicates the regions may speak of (Section 4.1).
//!
//! A predicate belongs to a location, to a thread with all its locations, or to the global region. Which of
//! them it is given to is decided in `refine.rs`; a predicate that was given to several locations of a thread
//! is given to the whole thread. The global region alone takes predicates over private variables of several
//! threads.

use std::collections::BTreeSet;

use crate::program::{LocId, Program};
use crate::term::TermId;

/// A predicate at so many locations of a thread belongs to the whole thread.
const LOCATIONS: usize = 4;

/// The precisions of a program.
pub(super) struct Precision {
    locations: Vec<Vec<TermId>>,
    threads: Vec<Vec<TermId>>,
    global: Vec<TermId>,
    /// Grows whenever anything changes.
    version: u32,
}

/// Adds a predicate to a sorted list; whether it is new there.
fn add(list: &mut Vec<TermId>, predicate: TermId) -> bool {
    match list.binary_search(&predicate) {
        Ok(_) => false,
        Err(at) => {
            list.insert(at, predicate);
            true
        }
    }
}

impl Precision {
    /// No predicates.
    pub fn new(program: &Program) -> Precision {
        let (locations, threads) = (program.locations.len(), program.threads.len());
        let (locations, threads) = (vec![Vec::new(); locations], vec![Vec::new(); threads]);
        Precision { locations, threads, global: Vec::new(), version: 0 }
    }

    /// The number of changes so far.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The predicates for the region of a thread at one of its locations.
    pub fn at(&self, program: &Program, location: LocId) -> impl Iterator<Item = TermId> + '_ {
        let thread = program.location(location).thread;
        self.locations[location.index()].iter().chain(&self.threads[thread.index()]).copied()
    }

    /// The predicates for the global region.
    pub fn global(&self) -> &[TermId] {
        &self.global
    }

    /// Gives a predicate to the global region.
    pub fn add_global(&mut self, predicate: TermId) {
        self.version += u32::from(add(&mut self.global, predicate));
    }

    /// Gives a predicate to a location, or to its thread if it is at several locations already.
    pub fn add_at(&mut self, program: &Program, location: LocId, predicate: TermId) {
        let thread = program.location(location).thread;
        if self.threads[thread.index()].binary_search(&predicate).is_ok() {
            return;
        }
        if !add(&mut self.locations[location.index()], predicate) {
            return;
        }
        self.version += 1;
        let own = |id: &LocId| program.location(*id).thread == thread;
        let has = |id: LocId| self.locations[id.index()].binary_search(&predicate).is_ok();
        if program.location_ids().filter(own).filter(|&id| has(id)).count() >= LOCATIONS {
            add(&mut self.threads[thread.index()], predicate);
            for id in program.location_ids().filter(own) {
                self.locations[id.index()].retain(|&other| other != predicate);
            }
        }
    }

    /// How many predicates there are.
    pub fn len(&self) -> usize {
        let all = self.locations.iter().chain(&self.threads).flatten().chain(&self.global);
        all.collect::<BTreeSet<_>>().len()
    }
}
