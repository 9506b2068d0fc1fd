//! Flags: shared truth values that are false at first, become true and stay so, like that a thread has been
//! created or has ended.

use rustc_hash::FxHashSet;

use super::super::{Init, Program, Transition};
use crate::term::{Datum, Pool, Sort, TermId, VarId};

/// The flags of a program.
#[derive(Debug, Default)]
pub(super) struct Flags {
    /// Nobody takes them back.
    rising: FxHashSet<VarId>,
    /// And nobody asks anything but whether they are true, as a conjunct of a guard.
    awaited: FxHashSet<VarId>,
}

impl Flags {
    pub fn of(program: &Program) -> Flags {
        let falls_never = |var: &VarId| {
            let variable = program.variable(*var);
            program.is_shared(*var)
                && variable.sort == Sort::Bool
                && variable.init == Init::Value(Datum::Bool(false))
        };
        let mut rising: FxHashSet<VarId> = program.variable_ids().filter(falls_never).collect();
        for update in program.transitions.iter().flat_map(|transition| &transition.updates) {
            if program.terms.as_bool(update.value) != Some(true) || update.place.index.is_some() {
                rising.remove(&update.place.var);
            }
        }
        let mut awaited = rising.clone();
        for transition in &program.transitions {
            let asked = other_terms(&program.terms, transition, &rising);
            for var in asked.into_iter().flat_map(|term| program.terms.vars(term)) {
                awaited.remove(&var);
            }
        }
        Flags { rising, awaited }
    }

    /// Whether a variable is one.
    pub fn contains(&self, var: VarId) -> bool {
        self.rising.contains(&var)
    }

    /// The flags that a step waits for.
    pub fn demanded(&self, program: &Program, transition: &Transition) -> Vec<VarId> {
        let parts = program.terms.conjuncts(transition.guard).into_iter();
        parts.filter_map(|part| program.terms.as_var(part)).filter(|&var| self.contains(var)).collect()
    }

    /// Whether all that a step does with a variable is to wait for it. It still holds later, so the step may as
    /// well happen later.
    pub fn waits_for(&self, program: &Program, transition: &Transition, var: VarId) -> bool {
        let mentions = |term: TermId| program.terms.vars(term).contains(&var);
        self.contains(var)
            && transition.updates.iter().all(|update| update.place.var != var)
            && !other_terms(&program.terms, transition, &self.rising).into_iter().any(mentions)
    }

    /// Whether all that a step does with a variable is to raise it, and others only wait for it. That hinders
    /// nobody, so the step may as well happen earlier.
    pub fn announces(&self, program: &Program, transition: &Transition, var: VarId) -> bool {
        self.awaited.contains(&var) && transition.terms().all(|term| !program.terms.vars(term).contains(&var))
    }
}

/// The conjuncts of a guard that are not simply flags, and all other terms of a transition.
fn other_terms(terms: &Pool, transition: &Transition, flags: &FxHashSet<VarId>) -> Vec<TermId> {
    let mut parts = terms.conjuncts(transition.guard);
    parts.retain(|&part| terms.as_var(part).is_none_or(|var| !flags.contains(&var)));
    parts.extend(transition.terms().skip(1));
    parts
}
