//! What a thread may touch before it has to wait for others.
//!
//! A *condition* is a conjunct of a guard that asks something of shared memory alone: that a mutex is free,
//! that a thread has been created or has ended. While it does not hold, and nobody writes what it reads, no
//! thread gets past a step whose guard demands it. So what a thread can do meanwhile is what it meets in its
//! control flow up to such steps.

use rustc_hash::FxHashSet;

use super::{Footprints, Vars};
use crate::program::{LocId, Program, TransId};
use crate::term::{Node, TermId, VarId};

/// At most so many conditions are told apart from one location on; others count as if they held.
const FEW: usize = 64;

/// Shared variables that may be read and written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Touched {
    /// What is read.
    pub reads: Vars,
    /// What is written.
    pub writes: Vars,
}

impl Touched {
    /// Nothing of so many variables.
    pub fn new(count: usize) -> Touched {
        Touched { reads: Vars::new(count), writes: Vars::new(count) }
    }

    /// Adds what a step touches, with the section that it enters or leaves.
    pub fn add_step(&mut self, footprints: &Footprints, step: TransId) {
        let footprint = footprints.step(step);
        footprint.reads.iter().for_each(|place| self.reads.insert(place.var));
        footprint.writes.iter().for_each(|place| self.writes.insert(place.var));
    }

    /// Adds what others touch.
    pub fn add(&mut self, others: &Touched) {
        self.reads.add(&others.reads);
        self.writes.add(&others.writes);
    }

    /// Whether one writes what the other reads or writes.
    pub fn conflicts(&self, other: &Touched) -> bool {
        self.writes.meets(&other.writes) || self.writes.meets(&other.reads) || self.reads.meets(&other.writes)
    }
}

/// A conjunct of guards over shared memory alone.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The truth value.
    pub holds: TermId,
    /// What it reads.
    pub reads: Vec<VarId>,
}

/// The conditions of a program, and who waits for them.
#[derive(Debug)]
pub struct Waits {
    conditions: Vec<Condition>,
    /// For each transition, the conditions that its guard demands, by position.
    demanded: Vec<Vec<u32>>,
    /// For each location, the conditions that steps from there on demand.
    ahead: Vec<Vec<u32>>,
}

impl Waits {
    /// Finds them.
    pub fn of(program: &Program) -> Waits {
        let mut waits = Waits { conditions: Vec::new(), demanded: Vec::new(), ahead: Vec::new() };
        for id in program.transition_ids() {
            let parts = program.terms.conjuncts(program.transition(id).guard);
            let demanded = parts.into_iter().filter_map(|part| waits.number(program, part)).collect();
            waits.demanded.push(demanded);
        }
        waits.ahead = ahead(program, &waits.demanded);
        waits
    }

    /// The position of a condition, if a term is one.
    fn number(&mut self, program: &Program, holds: TermId) -> Option<u32> {
        if let Some(known) = self.conditions.iter().position(|condition| condition.holds == holds) {
            return Some(known as u32);
        }
        let reads = program.terms.vars(holds);
        let mut plain = !reads.is_empty() && reads.iter().all(|&var| program.is_shared(var));
        program.terms.visit(&[holds], |_, node| {
            plain &= !matches!(node, Node::Select(_, index) if program.terms.as_const(*index).is_none());
        });
        plain.then(|| {
            self.conditions.push(Condition { holds, reads });
            self.conditions.len() as u32 - 1
        })
    }

    /// The conditions.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Those of the conditions that `fails` names that matter from a location on, as bits.
    pub fn mask(&self, location: LocId, fails: impl Fn(usize) -> bool) -> u64 {
        let ahead = self.ahead[location.index()].iter().enumerate();
        ahead.filter(|(_, condition)| fails(**condition as usize)).fold(0, |mask, (bit, _)| mask | 1 << bit)
    }

    /// What a thread may touch from a location on while the conditions of a [mask](Self::mask) fail.
    pub fn touched(&self, program: &Program, footprints: &Footprints, from: LocId, mask: u64) -> Touched {
        let ahead = &self.ahead[from.index()];
        let fails = |condition: &u32| ahead.binary_search(condition).is_ok_and(|bit| mask >> bit & 1 != 0);
        let mut touched = Touched::new(program.variables.len());
        let (mut open, mut seen) = (vec![from], FxHashSet::from_iter([from]));
        while let Some(location) = open.pop() {
            for &step in program.outgoing(location) {
                if self.demanded[step.index()].iter().any(fails) {
                    continue;
                }
                touched.add_step(footprints, step);
                for to in program.transition(step).destinations() {
                    if seen.insert(to) {
                        open.push(to);
                    }
                }
            }
        }
        touched
    }
}

/// For each location the conditions that transitions from there on demand, sorted; few of them.
fn ahead(program: &Program, demanded: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut ahead: Vec<Vec<u32>> = vec![Vec::new(); program.locations.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for id in program.transition_ids().collect::<Vec<_>>().into_iter().rev() {
            let transition = program.transition(id);
            let later = ahead[transition.to.index()].clone();
            for condition in demanded[id.index()].iter().copied().chain(later) {
                let here = &mut ahead[transition.from.index()];
                if let Err(at) = here.binary_search(&condition)
                    && here.len() < FEW
                {
                    here.insert(at, condition);
                    changed = true;
                }
            }
        }
    }
    ahead
}
