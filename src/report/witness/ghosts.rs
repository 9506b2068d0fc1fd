//! Ghost variables: what an invariant of one thread may say about where the others are.
//!
//! C has no name for another thread's location, so each thread that is alone in running its code gets a
//! variable that tells which of its *marked* statements it has executed last: those that take it from one
//! class of the partition to another. The variable changes together with the statement. Between two marked
//! statements the thread can be at several locations; what holds for one value of the ghost is what holds for
//! any of these. That is weaker than the partition where a class changes in the middle of a statement or by a
//! branch, and always sound.

use std::collections::{BTreeMap, BTreeSet};

use super::place::{Place, Places};
use crate::program::{LocId, Program, Span, ThreadId, TransId};
use crate::proof::Invariant;

/// A ghost variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ghost {
    /// Its name.
    pub name: String,
    /// The values that it gets, and the statements that give it these; at first it is 0.
    pub updates: Vec<(Place, usize)>,
}

/// A ghost variable with the locations that its values stand for.
#[derive(Debug)]
pub(super) struct Marker {
    pub thread: ThreadId,
    pub ghost: Ghost,
    /// The values that the variable can have when the thread is at a location.
    values: BTreeMap<LocId, BTreeSet<usize>>,
}

impl Marker {
    /// The values of the ghost when the thread is somewhere in a class.
    pub fn values(&self, classes: &[(LocId, usize)], class: usize) -> BTreeSet<usize> {
        let locations = classes.iter().filter(|&&(_, own)| own == class).map(|(location, _)| location);
        locations.filter_map(|location| self.values.get(location)).flatten().copied().collect()
    }
}

/// Words that begin statements which cannot be executed together with something else.
const OTHERS: [&str; 24] = [
    "if", "while", "for", "do", "switch", "return", "goto", "break", "continue", "int", "unsigned", "signed",
    "long", "short", "char", "_Bool", "bool", "struct", "union", "enum", "static", "const", "volatile",
    "_Atomic",
];

/// The ghosts of a program's threads. `whole` is the program before anything was removed.
pub(super) fn markers(
    whole: &Program,
    program: &Program,
    invariant: &Invariant,
    places: &Places,
) -> Vec<Marker> {
    let mut owners: BTreeMap<Span, usize> = BTreeMap::new();
    for statement in whole.locations.iter().filter_map(|location| location.begins) {
        *owners.entry(statement).or_default() += 1;
    }
    let candidates = program.thread_ids().map(|thread| {
        let marked = marked(program, invariant, thread).into_iter().filter_map(|location| {
            let statement = program.location(location).begins.filter(|span| owners.get(span) == Some(&1))?;
            let simple = places.word(statement).is_some_and(|word| !OTHERS.contains(&word));
            places.statement(statement).filter(|_| simple).map(|place| (location, place))
        });
        let marked: Vec<(LocId, Place)> = marked.collect();
        Marker {
            thread,
            values: values(program, thread, &marked),
            ghost: Ghost {
                name: format!("regrain_{}", program.thread(thread).name.replace('#', "_")),
                updates: marked.into_iter().zip(1..).map(|((_, place), value)| (place, value)).collect(),
            },
        }
    });
    candidates.filter(|marker| !marker.ghost.updates.is_empty()).collect()
}

/// The locations whose only steps execute the whole statement and lead to another class, in some view.
fn marked(program: &Program, invariant: &Invariant, thread: ThreadId) -> BTreeSet<LocId> {
    let mut found = BTreeSet::new();
    for view in &invariant.views {
        let Some(position) = view.environment.iter().position(|&other| other == thread) else { continue };
        let class: BTreeMap<LocId, usize> = view.classes[position].iter().copied().collect();
        for (&location, own) in &class {
            let targets: Vec<LocId> =
                program.outgoing(location).iter().map(|&id| program.transition(id).to).collect();
            let whole = |&to: &LocId| {
                let to = program.location(to);
                to.mark.is_some()
                    || to.begins.is_some_and(|next| Some(next) != program.location(location).begins)
            };
            let leaves = targets.iter().any(|to| class.get(to).is_some_and(|other| other != own));
            if leaves && targets.iter().all(whole) {
                found.insert(location);
            }
        }
    }
    found
}

/// For each location of a thread, the values that its ghost can have there.
fn values(
    program: &Program,
    thread: ThreadId,
    marked: &[(LocId, Place)],
) -> BTreeMap<LocId, BTreeSet<usize>> {
    let targets = |location: LocId| program.outgoing(location).iter().map(|&id| program.transition(id).to);
    let mut values: BTreeMap<LocId, BTreeSet<usize>> = BTreeMap::new();
    let starts = marked
        .iter()
        .zip(1..)
        .flat_map(|((location, _), value)| targets(*location).map(move |to| (to, value)));
    let mut pending: Vec<(LocId, usize)> = starts.chain([(program.thread(thread).entry, 0)]).collect();
    for ((location, _), value) in marked.iter().zip(1..) {
        // Where not all ways out are left, the thread may have gone one of the others: then it counts as
        // still there.
        let always = |&id: &TransId| program.terms.as_bool(program.transition(id).guard) == Some(true);
        if !program.outgoing(*location).iter().any(always) {
            values.entry(*location).or_default().insert(value);
        }
    }
    while let Some((location, value)) = pending.pop() {
        let stops = marked.iter().any(|(marked, _)| *marked == location);
        if values.entry(location).or_default().insert(value) && !stops {
            pending.extend(targets(location).map(|to| (to, value)));
        }
    }
    values
}
