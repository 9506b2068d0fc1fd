//! A check of invariants that shares nothing with the search that found them: its terms are the program's
//! own, into which those of the invariant are copied; it has its own substitution and its own solver
//! (`states.rs`), one question for each transition and control state. Abstract states whose successors are in
//! the invariant as it is written, every condition being among those that hold before, are left out of the
//! question; most are.
//!
//! An invariant holds if, for each view,
//! - the initial state is in it;
//! - each step of the observed thread leads from it into it, and none leads to a target;
//! - each step of an environment thread, enabled where the class of its source is the thread's class, leads
//!   into it.
//!
//! Steps of environment threads to targets are left out: each thread with a target must have a view of its
//! own, and in a shortest run to any target the last step is the first one to reach a target. While a thread
//! stands at an atomic location the others wait; that is used where the observed thread's location is atomic,
//! or every location of an environment thread's class.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::states::States;
use super::{Flaw, Invariant, ViewInvariant};
use crate::budget::Budget;
use crate::program::{LocId, Program, ThreadId, TransId};
use crate::smt::{IntModel, Watch, interruptible};
use crate::term::{Pool, TermId};

/// What a successful check took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Questions to the solver.
    pub queries: u64,
    /// Steps that were checked: pairs of a control state and a transition.
    pub steps: u64,
}

/// Checks the invariants of all views.
///
/// # Errors
/// The first flaw found.
pub fn check(
    program: &Program,
    invariant: &Invariant,
    int_model: IntModel,
    budget: &Budget,
) -> Result<Checked, Flaw> {
    let observed: BTreeSet<ThreadId> = invariant.views.iter().map(|view| view.observed).collect();
    let mut targets = program.locations.iter().filter(|location| location.is_target());
    if let Some(location) = targets.find(|location| !observed.contains(&location.thread)) {
        return Err(Flaw::NoView(location.thread));
    }
    interruptible(budget, |watch| {
        let mut checked = Checked::default();
        for view in &invariant.views {
            let mut checker = Checker::new(program, &invariant.terms, view, int_model, watch)?;
            checker.initial()?;
            checker.closed(budget)?;
            checked.queries += checker.states.solver.queries();
            checked.steps += checker.steps;
        }
        Ok(checked)
    })
}

/// Location of the observed thread, class of each other thread.
type Control = (LocId, Vec<usize>);

struct Checker<'a> {
    program: &'a Program,
    view: &'a ViewInvariant,
    states: States<'a>,
    /// For each location of an environment thread, the thread's position among them and the location's class.
    classes: BTreeMap<LocId, (usize, usize)>,
    /// The states at a control state, each by its literals.
    regions: BTreeMap<Control, Vec<Vec<TermId>>>,
    /// Conditions on the state after a transition, as ones on the state before.
    before: FxHashMap<(TransId, TermId), TermId>,
    steps: u64,
}

impl<'a> Checker<'a> {
    fn new(
        program: &'a Program,
        terms: &Pool,
        view: &'a ViewInvariant,
        int_model: IntModel,
        watch: &Watch<'_>,
    ) -> Result<Checker<'a>, Flaw> {
        let mut classes = BTreeMap::new();
        for (position, list) in view.classes.iter().enumerate() {
            classes.extend(list.iter().map(|&(location, class)| (location, (position, class))));
        }
        let states = States::new(program, int_model, watch);
        let (regions, before) = (BTreeMap::new(), FxHashMap::default());
        let mut checker = Checker { program, view, states, classes, regions, before, steps: 0 };
        if !checker.well_formed() || checker.collect_regions(terms).is_none() {
            return Err(Flaw::Malformed(view.observed));
        }
        Ok(checker)
    }

    /// Whether the environment is all other threads, and every location of theirs that is no target has a
    /// class.
    fn well_formed(&self) -> bool {
        let others: Vec<ThreadId> =
            self.program.thread_ids().filter(|&thread| thread != self.view.observed).collect();
        let has_class = |location: LocId| {
            let thread = self.program.location(location).thread;
            let position = self.view.environment.iter().position(|&other| other == thread);
            position == self.classes.get(&location).map(|(position, _)| *position)
        };
        let needs_class = |location: &LocId| {
            let location = self.program.location(*location);
            location.thread != self.view.observed && !location.is_target()
        };
        self.view.environment == others
            && self.view.classes.len() == others.len()
            && self.program.location_ids().filter(needs_class).all(has_class)
            && self.view.states.iter().all(|state| state.classes.len() == others.len())
    }

    /// Copies the states of the invariant, whose facts are terms of this pool; `None` if some are no
    /// conditions on states.
    fn collect_regions(&mut self, terms: &Pool) -> Option<()> {
        let mut images = FxHashMap::default();
        for state in &self.view.states {
            let atoms = state.literals.iter().map(|&(atom, _)| atom);
            let mut literals = self.states.import(terms, atoms, &mut images)?;
            for (literal, &(_, value)) in literals.iter_mut().zip(&state.literals) {
                *literal = if value { *literal } else { self.states.terms.not(*literal) };
            }
            self.regions.entry((state.location, state.classes.clone())).or_default().push(literals);
        }
        Some(())
    }

    /// The disjunction of some states.
    fn region<'s>(&mut self, states: impl IntoIterator<Item = &'s Vec<TermId>>) -> TermId {
        let states: Vec<TermId> =
            states.into_iter().map(|literals| self.states.terms.and(literals)).collect();
        self.states.terms.or(&states)
    }

    fn initial(&mut self) -> Result<(), Flaw> {
        let entry = |thread: &ThreadId| self.program.thread(*thread).entry;
        let class = |thread: &ThreadId| self.classes.get(&entry(thread)).map(|(_, class)| *class);
        let classes: Option<Vec<usize>> = self.view.environment.iter().map(class).collect();
        // A thread that begins at a target has no class there.
        let classes = classes.ok_or(Flaw::Initial(self.view.observed))?;
        let states = self.regions.get(&(entry(&self.view.observed), classes)).cloned().unwrap_or_default();
        let region = self.region(&states);
        match self.states.holds_initially(region)? {
            true => Ok(()),
            false => Err(Flaw::Initial(self.view.observed)),
        }
    }

    fn closed(&mut self, budget: &Budget) -> Result<(), Flaw> {
        let regions = self.regions.clone();
        for (control, states) in &regions {
            budget.check().map_err(|stop| Flaw::GaveUp(stop.into()))?;
            for id in self.program.transition_ids() {
                if let Some(target) = self.target(control, id) {
                    let is_target = self.program.location(target.0).is_target();
                    let wanted = regions.get(&target).filter(|_| !is_target);
                    self.step(states, id, wanted.map_or(&[], |wanted| &wanted[..]))?;
                }
            }
        }
        Ok(())
    }

    /// Where a transition leads from a control state, if it can be taken there.
    fn target(&self, control: &Control, id: TransId) -> Option<Control> {
        let (location, classes) = control;
        let step = self.program.transition(id);
        let thread = self.program.thread_of(id);
        let mut others = self.view.environment.iter().enumerate().filter(|(_, other)| **other != thread);
        if others.any(|(position, _)| self.is_atomic(position, classes[position])) {
            return None;
        }
        if thread == self.view.observed {
            return (step.from == *location).then(|| (step.to, classes.clone()));
        }
        if self.program.location(*location).atomic || self.program.location(step.to).is_target() {
            return None;
        }
        // A run ends at a target; those have no class.
        let &(position, class) = self.classes.get(&step.from)?;
        let mut after = classes.clone();
        after[position] = self.classes[&step.to].1;
        (classes[position] == class).then_some((*location, after))
    }

    /// Whether a thread in this class is certainly at an atomic location.
    fn is_atomic(&self, position: usize, class: usize) -> bool {
        let members = self.view.classes[position].iter().filter(|(_, other)| *other == class);
        members.map(|(location, _)| *location).all(|location| self.program.location(location).atomic)
    }

    /// Whether a transition leads from some states into the wanted ones.
    fn step(&mut self, states: &[Vec<TermId>], id: TransId, wanted: &[Vec<TermId>]) -> Result<(), Flaw> {
        self.steps += 1;
        let open: Vec<&Vec<TermId>> =
            states.iter().filter(|state| !self.stays_as_written(state, id, wanted)).collect();
        if open.is_empty() {
            return Ok(());
        }
        let guard = self.program.transition(id).guard;
        let (region, wanted) = (self.region(open), self.region(wanted));
        let inside = self.after(id, wanted);
        let outside = self.states.terms.not(inside);
        let known = self.states.terms.and(&[region, guard, outside]);
        if self.states.terms.as_bool(known) == Some(false) || !self.states.possible(&[known])? {
            return Ok(());
        }
        // Most steps need not know that they do not overflow.
        let mut facts = vec![known];
        facts.extend(self.program.transition(id).ranges.iter().map(|range| range.holds));
        if facts.len() > 1 && !self.states.possible(&facts)? {
            return Ok(());
        }
        Err(Flaw::Step(self.view.observed, id))
    }

    /// Whether a state cannot take a transition, or has all that some wanted state asks for, as it is
    /// written.
    fn stays_as_written(&mut self, state: &[TermId], id: TransId, wanted: &[Vec<TermId>]) -> bool {
        let guard = self.program.transition(id).guard;
        let mut known: FxHashSet<TermId> = state.iter().copied().collect();
        for conjunct in self.states.terms.conjuncts(guard) {
            let contrary = self.states.terms.not(conjunct);
            if known.contains(&contrary) {
                return true;
            }
            known.insert(conjunct);
        }
        wanted.iter().any(|wanted| {
            wanted.iter().all(|&literal| {
                let before = self.after(id, literal);
                self.states.terms.as_bool(before) == Some(true) || known.contains(&before)
            })
        })
    }

    /// A condition on the state after a transition, as one on the state before.
    fn after(&mut self, id: TransId, condition: TermId) -> TermId {
        if let Some(&known) = self.before.get(&(id, condition)) {
            return known;
        }
        let before = self.states.before(self.program.transition(id), condition);
        self.before.insert((id, condition), before);
        before
    }
}
