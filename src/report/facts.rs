//! An invariant in small pieces that people can read: what holds at a location whatever the others do, then
//! what holds in addition for each combination of the others' classes.
//!
//! The whole invariant is a disjunction of abstract states for each location and is printed by
//! `proof/print.rs`. Here each place gets the literals that all of its states share, so every fact shown
//! follows from the invariant, but not the other way round; how many states are behind it is said. Facts that
//! follow from others are left out.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{LocId, Names, Program, ThreadId};
use crate::proof::{AbstractState, Invariant, ViewInvariant};
use crate::reach::difference::{Readings, Step};
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
    Names::new(program).put_into(&mut terms);
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

/// Literals as text, without those that say nothing or follow from others.
pub(super) fn texts(terms: &mut Pool, literals: Literals) -> Vec<String> {
    let facts = essential(terms, literals);
    let mut texts: Vec<String> = facts.iter().map(|&fact| terms.display(fact).to_string()).collect();
    texts.sort_by_key(|text| (text.len(), text.clone()));
    texts
}

/// Conjunctions of more facts than this are told as they are.
const MANY: usize = 40;

/// Facts that together say what the literals say. What follows from the others, as far as the procedure for
/// integer differences shows, is left out: inequalities before equations, long facts before short ones.
pub(super) fn essential(terms: &mut Pool, literals: Literals) -> Vec<TermId> {
    let literals = literals.into_iter();
    let mut facts: Vec<TermId> =
        literals.map(|(term, value)| if value { term } else { terms.not(term) }).collect();
    facts.sort_unstable();
    facts.dedup();
    facts.retain(|&fact| terms.as_bool(fact) != Some(true));
    if facts.len() > MANY {
        return facts;
    }
    let mut readings = Readings::default();
    let rank = |&fact: &TermId| {
        let equation = matches!(terms.node(fact), Node::Eq(..));
        (equation, std::cmp::Reverse(terms.display(fact).to_string().len()), fact)
    };
    let mut doubtful = facts.clone();
    doubtful.sort_by_key(rank);
    for fact in doubtful {
        let others: Vec<TermId> = facts.iter().copied().filter(|&other| other != fact).collect();
        if follows(&mut readings, terms, &others, fact) {
            facts = others;
        }
    }
    facts
}

/// Whether a fact follows from others that share variables with it, as far as that shows without a solver.
fn follows(readings: &mut Readings, terms: &Pool, facts: &[TermId], conclusion: TermId) -> bool {
    let mut met: BTreeSet<VarId> = terms.vars(conclusion).into_iter().collect();
    let mut near: Vec<TermId> = Vec::new();
    loop {
        let next = facts
            .iter()
            .copied()
            .find(|fact| !near.contains(fact) && terms.vars(*fact).iter().any(|var| met.contains(var)));
        let Some(next) = next else { break };
        met.extend(terms.vars(next));
        near.push(next);
    }
    let readable = |fact: &TermId| Step::new(readings, terms, &[], &[], &[*fact], |_| false).is_some();
    near.retain(readable);
    let question = Step::new(readings, terms, &near, &[], &[conclusion], |_| false);
    question.and_then(|question| question.outcomes([])) == Some(vec![vec![true]])
}
