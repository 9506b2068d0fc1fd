//! Inductive invariants, one for each thread with something to reach.
//!
//! The invariant of a view is a set of abstract states: location of the observed thread, class of the
//! location of every other thread, and facts about the data. It proves that the observed thread reaches no
//! error if it holds initially, every step of every thread leads from a state of the set into the set, and no
//! state of it stands at an error.

use crate::program::{LocId, ThreadId};
use crate::term::{Pool, TermId};

/// The invariants of all views. Facts are terms of `terms`.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// One for each thread with something to reach.
    pub views: Vec<ViewInvariant>,
    /// The pool of the facts; grown from the program's.
    pub terms: Pool,
}

/// The invariant of one view.
#[derive(Clone, Debug)]
pub struct ViewInvariant {
    /// The thread whose location is known exactly.
    pub observed: ThreadId,
    /// The other threads.
    pub environment: Vec<ThreadId>,
    /// For each of them, the class of each location; locations at errors have none.
    pub classes: Vec<Vec<(LocId, usize)>>,
    /// The states.
    pub states: Vec<AbstractState>,
}

/// A set of concrete states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractState {
    /// Location of the observed thread.
    pub location: LocId,
    /// Class of each environment thread's location.
    pub classes: Vec<usize>,
    /// Predicates with their truth values.
    pub literals: Vec<(TermId, bool)>,
}

/// Literals of a conjunction, sorted.
pub(crate) type Conjunction = Vec<(TermId, bool)>;

/// Two conjunctions that differ in the sign of one literal become one without it, as long as there are such.
pub(crate) fn merged(mut states: Vec<Conjunction>) -> Vec<Conjunction> {
    'again: loop {
        for i in 0..states.len() {
            for j in i + 1..states.len() {
                if let Some(both) = union(&states[i], &states[j]) {
                    states.swap_remove(j);
                    states[i] = both;
                    continue 'again;
                }
            }
        }
        states.sort_unstable();
        return states;
    }
}

/// The conjunction that stands for both, if they are equal or differ in one sign.
fn union(a: &[(TermId, bool)], b: &[(TermId, bool)]) -> Option<Conjunction> {
    let same_atoms = a.len() == b.len() && a.iter().zip(b).all(|((s, _), (t, _))| s == t);
    let differing = same_atoms.then(|| a.iter().zip(b).filter(|(x, y)| x.1 != y.1).count())?;
    (differing <= 1).then(|| a.iter().zip(b).filter(|(x, y)| x.1 == y.1).map(|(x, _)| *x).collect())
}
