//! What steps touch, and which steps of different threads commute.
//!
//! The [`Footprint`] of a step is what it reads and writes of shared memory. Guards count as reads, so that
//! *independent* includes that neither step enables or prevents the other: a lock is a guard and a write, the
//! end of a thread is a write that joining reads, creation is a write that the child's first step reads.
//! Accesses to elements of one array at indices that are not known conflict unless the indices differ;
//! [`Independence::Where`] says which have to, in the state before both steps.
//!
//! An atomic section is one step to everybody else. A step that enters a section counts as everything that
//! the section may still touch, one that leaves it as everything that it may have touched.
//!
//! Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems" (1996); for conditions on
//! indices, Wang, Yang, Kahlon and Gupta, "Peephole partial order reduction" (2008).

mod vars;
mod waits;

pub use self::vars::Vars;
pub use self::waits::{Condition, Touched, Waits};

use super::{LocId, Place, Program, TransId, Transition};
use crate::term::{Node, Pool, TermId, VarId, Word};

/// Accesses to shared memory. Sorted, without repetition.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// What is read. An array without an index is read at places that are not known.
    pub reads: Vec<Place>,
    /// What is written, likewise.
    pub writes: Vec<Place>,
}

/// Whether two steps of different threads may change places when they follow each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Independence {
    /// In every state.
    Always,
    /// In states where all these pairs of indices differ.
    Where(Vec<(TermId, TermId)>),
    /// Perhaps in none.
    Never,
}

impl Footprint {
    /// What a transition by itself touches.
    pub fn of(program: &Program, transition: &Transition) -> Footprint {
        let roots: Vec<TermId> = transition.terms().collect();
        let mut reads = Vec::new();
        let whole = |term: TermId| program.terms.as_var(term).filter(|&var| program.is_shared(var));
        reads.extend(roots.iter().filter_map(|&root| whole(root)).map(|var| Place { var, index: None }));
        program.terms.visit(&roots, |_, node| match *node {
            Node::Select(array, index) => {
                reads.extend(whole(array).map(|var| Place { var, index: Some(index) }));
                reads.extend(whole(index).map(|var| Place { var, index: None }));
            }
            ref other => reads
                .extend(other.children().into_iter().filter_map(whole).map(|var| Place { var, index: None })),
        });
        let writes = program.shared_writes(transition).collect();
        Footprint { reads, writes }.sorted()
    }

    fn sorted(mut self) -> Footprint {
        for places in [&mut self.reads, &mut self.writes] {
            places.sort_unstable();
            places.dedup();
        }
        self
    }

    /// Adds what another footprint touches, at places that are not known: its indices belong to other states.
    fn add_blurred(&mut self, other: &Footprint) {
        let blurred = |place: &Place| Place { index: None, ..*place };
        self.reads.extend(other.reads.iter().map(blurred));
        self.writes.extend(other.writes.iter().map(blurred));
    }

    /// Whether steps with these footprints commute. `terms` has the indices of both.
    pub fn independent(&self, other: &Footprint, terms: &Pool) -> Independence {
        let mut differ = Vec::new();
        let swapped = |(theirs, ours): (Place, Place)| (ours, theirs);
        let conflicts = same_variable(&self.writes, &other.writes)
            .chain(same_variable(&self.writes, &other.reads))
            .chain(same_variable(&other.writes, &self.reads).map(swapped));
        for (ours, theirs) in conflicts {
            let (Some(ours), Some(theirs)) = (ours.index, theirs.index) else { return Independence::Never };
            match (terms.as_const(ours), terms.as_const(theirs)) {
                (Some(x), Some(y)) if x != y => {}
                (Some(_), Some(_)) => return Independence::Never,
                _ if ours == theirs => return Independence::Never,
                _ => differ.push((ours, theirs)),
            }
        }
        differ.sort_unstable();
        differ.dedup();
        if differ.is_empty() { Independence::Always } else { Independence::Where(differ) }
    }
}

/// The pairs of places of one variable.
fn same_variable<'a>(
    writes: &'a [Place],
    touched: &'a [Place],
) -> impl Iterator<Item = (Place, Place)> + use<'a> {
    writes.iter().flat_map(move |&write| {
        touched.iter().filter(move |place| place.var == write.var).map(move |&place| (write, place))
    })
}

/// The condition that two indices differ, which may be words of different sorts.
pub fn indices_differ(terms: &mut Pool, a: TermId, b: TermId) -> TermId {
    if terms.sort(a) == terms.sort(b) {
        return terms.ne(a, b);
    }
    let wide = Word::unsigned(64);
    let (a, b) = (terms.cast(a, wide), terms.cast(b, wide));
    terms.ne(a, b)
}

/// The footprints of a whole program.
#[derive(Debug)]
pub struct Footprints {
    /// Of each transition, with the section that it enters or leaves.
    steps: Vec<Footprint>,
    /// Of each location: what its thread may still read and write from there.
    reads: Vec<Vars>,
    writes: Vec<Vars>,
}

impl Footprints {
    /// Computes them.
    pub fn new(program: &Program) -> Footprints {
        let own: Vec<Footprint> =
            program.transitions.iter().map(|transition| Footprint::of(program, transition)).collect();
        let incoming = incoming(program);
        let steps = program.transition_ids().map(|id| with_sections(program, &own, &incoming, id)).collect();
        let vars = |places: &[Place]| places.iter().map(|place| place.var).collect();
        let reads = future(program, &incoming, |id| vars(&own[id.index()].reads));
        let writes = future(program, &incoming, |id| vars(&own[id.index()].writes));
        Footprints { steps, reads, writes }
    }

    /// What a transition touches, with the atomic section that it enters or leaves.
    pub fn step(&self, transition: TransId) -> &Footprint {
        &self.steps[transition.index()]
    }

    /// Whether a step of one thread and the next one, of another thread, may change places.
    pub fn independent(&self, program: &Program, first: TransId, second: TransId) -> Independence {
        self.step(first).independent(self.step(second), &program.terms)
    }

    /// Whether what a transition touches is no concern of a thread that stands at a location: neither now nor
    /// later does one write what the other reads or writes.
    pub fn unconcerned(&self, transition: TransId, location: LocId) -> bool {
        let step = self.step(transition);
        let (reads, writes) = (&self.reads[location.index()], &self.writes[location.index()]);
        let untouched = |place: &Place| !reads.contains(place.var) && !writes.contains(place.var);
        step.writes.iter().all(untouched) && step.reads.iter().all(|place| !writes.contains(place.var))
    }
}

/// The transitions into each location.
fn incoming(program: &Program) -> Vec<Vec<TransId>> {
    let mut incoming = vec![Vec::new(); program.locations.len()];
    for id in program.transition_ids() {
        incoming[program.transition(id).to.index()].push(id);
    }
    incoming
}

/// The footprint of a transition, with the section that it enters or leaves.
fn with_sections(program: &Program, own: &[Footprint], incoming: &[Vec<TransId>], id: TransId) -> Footprint {
    let transition = program.transition(id);
    let mut footprint = own[id.index()].clone();
    let onward = section(program, transition.to, |at| program.outgoing(at), |step| step.to);
    let backward = section(program, transition.from, |at| &incoming[at.index()], |step| step.from);
    for step in onward.into_iter().chain(backward) {
        footprint.add_blurred(&own[step.index()]);
    }
    footprint.sorted()
}

/// The transitions that are met by going from a location on through atomic ones; none if it is not atomic
/// itself.
fn section<'a>(
    program: &'a Program,
    from: LocId,
    steps: impl Fn(LocId) -> &'a [TransId],
    beyond: impl Fn(&Transition) -> LocId,
) -> Vec<TransId> {
    let mut met = Vec::new();
    let (mut open, mut seen) = (vec![from], vec![from]);
    open.retain(|&location| program.location(location).atomic);
    while let Some(location) = open.pop() {
        for &id in steps(location) {
            met.push(id);
            let next = beyond(program.transition(id));
            if program.location(next).atomic && !seen.contains(&next) {
                seen.push(next);
                open.push(next);
            }
        }
    }
    met
}

/// For each location, the variables of all transitions that can still follow.
fn future(
    program: &Program,
    incoming: &[Vec<TransId>],
    touched: impl Fn(TransId) -> Vec<VarId>,
) -> Vec<Vars> {
    let mut future = vec![Vars::new(program.variables.len()); program.locations.len()];
    for id in program.transition_ids() {
        let from = program.transition(id).from;
        touched(id).into_iter().for_each(|var| future[from.index()].insert(var));
    }
    let mut open: Vec<LocId> = program.location_ids().collect();
    while let Some(location) = open.pop() {
        let here = future[location.index()].clone();
        for before in incoming[location.index()].iter().map(|&id| program.transition(id).from) {
            if future[before.index()].add(&here) {
                open.push(before);
            }
        }
    }
    future
}

#[cfg(test)]
mod tests;
