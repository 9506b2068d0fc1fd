//! An invariant in small pieces that people can read: what holds at a location whatever the others do, then
//! what holds in addition for each combination of the others' classes.
//!
//! The whole invariant is a disjunction of abstract states for each location and is printed by
//! `proof/print.rs`. Here each place gets the literals that all of its states share, so every fact shown
//! follows from the invariant, but not the other way round; how many states are behind it is said. Facts that
//! hold for all numbers (`x <= x + 1`), repeat another one, or follow from the value of their only variable
//! are left out.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{LocId, Program, ThreadId};
use crate::proof::{AbstractState, Invariant, ViewInvariant};
use crate::term::{Node, Pool, TermId, VarId};

/// What holds where one thread is followed exactly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViewFacts {
    /// The thread.
    pub observed: ThreadId,
    /// By location.
    pub places: Vec<PlaceFacts>,
}

/// What holds when the observed thread is at a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlaceFacts {
    /// The location.
    pub location: LocId,
    /// In any case, as conditions in C.
    pub always: Vec<String>,
    /// In addition, depending on where the others are.
    pub cases: Vec<Case>,
}

/// One combination of classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The other threads and their classes.
    pub classes: Vec<(ThreadId, usize)>,
    /// What holds in addition.
    pub facts: Vec<String>,
    /// Number of abstract states.
    pub states: usize,
}

pub(super) type Literals = BTreeSet<(TermId, bool)>;

/// The facts of an invariant.
pub fn facts(program: &Program, invariant: &Invariant) -> Vec<ViewFacts> {
    let mut terms = invariant.terms.clone();
    invariant.views.iter().map(|view| view_facts(program, view, &mut terms)).collect()
}

fn view_facts(program: &Program, view: &ViewInvariant, terms: &mut Pool) -> ViewFacts {
    let mut places: BTreeMap<LocId, BTreeMap<&[usize], Vec<&AbstractState>>> = BTreeMap::new();
    for state in &view.states {
        places.entry(state.location).or_default().entry(&state.classes).or_default().push(state);
    }
    let mut shown = Vec::new();
    for (location, cases) in places {
        let common = |states: &[&AbstractState]| {
            let mut states = states.iter().map(|state| state.literals.iter().copied().collect::<Literals>());
            let first = states.next().unwrap_or_default();
            states.fold(first, |all, own| &all & &own)
        };
        let shared: Vec<Literals> = cases.values().map(|states| common(states)).collect();
        let always = shared.iter().skip(1).fold(shared[0].clone(), |all, own| &all & own);
        let cases = cases.iter().zip(&shared).map(|((classes, states), own)| Case {
            classes: view.environment.iter().copied().zip(classes.iter().copied()).collect(),
            facts: texts(terms, own - &always),
            states: states.len(),
        });
        let cases = cases.collect();
        shown.push(PlaceFacts { location, always: texts(terms, always), cases });
    }
    // In the order of the source.
    shown.sort_by_key(|place| {
        let span = program.location(place.location).span;
        (span.file, span.line, span.column, place.location)
    });
    ViewFacts { observed: view.observed, places: shown }
}

/// Literals as text, without those that say nothing or repeat another one.
pub(super) fn texts(terms: &mut Pool, literals: Literals) -> Vec<String> {
    let constants: BTreeSet<VarId> =
        literals.iter().filter_map(|&literal| constant(terms, literal)).collect();
    let mut known: BTreeSet<(TermId, bool)> = BTreeSet::new();
    let mut texts = Vec::new();
    for (term, value) in literals {
        // Where the value of a variable is known, nothing else about it alone is news.
        let evident = matches!(terms.vars(term)[..], [var] if constants.contains(&var));
        if evident && constant(terms, (term, value)).is_none() {
            continue;
        }
        if let Node::Le(a, b) = *terms.node(term)
            && terms.word(a).is_signed()
        {
            let difference = terms.sub(b, a);
            if terms.as_const(difference).is_some() || !known.insert((difference, value)) {
                continue;
            }
        }
        let literal = if value { term } else { terms.not(term) };
        texts.push(terms.display(literal).to_string());
    }
    texts.sort_by_key(|text| (text.len(), text.clone()));
    texts
}

/// The variable whose value a literal tells.
fn constant(terms: &Pool, (term, value): (TermId, bool)) -> Option<VarId> {
    let Node::Eq(a, b) = *terms.node(term) else { return None };
    let pair = terms.as_var(a).filter(|_| terms.as_const(b).is_some());
    pair.or_else(|| terms.as_var(b).filter(|_| terms.as_const(a).is_some())).filter(|_| value)
}
