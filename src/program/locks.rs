//! Variables that are locks, by how the automata use them: so that taking a lock, looking, and giving it back
//! counts as doing nothing, and so that steps under a lock can be composed (`pass/movers.rs`).
//!
//! A shared variable is a lock here if nobody holds it initially, every step that reads it demands that it is
//! free and takes it (by another constant), every other step that writes it frees it, and a thread frees it
//! only where it holds it on every way there. A step may also take the lock and give it back at once. What
//! distinguishes this from `schedule/sections.rs` of engine `scar`: nobody can see that the lock is held,
//! other than by waiting.
//!
//! Then a round of a loop that begins and ends without the lock, in the same private state, and changes
//! nothing but the lock, might as well not have been made: without it the lock is free for longer, which
//! hinders nobody. So waiting for a condition variable, and polling under a lock, need no bound. A loop
//! around a wait has its head where the lock is not held (`loops.rs`).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{Barrier, Init, LocId, Program, Role, TransId, Transition};
use crate::term::{Datum, Node, Pool, TermId, VarId};

/// What a transition does to a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LockUse {
    /// Waits until it is free and takes it.
    Take,
    /// Gives it back.
    Free,
    /// Waits until it is free, takes it and gives it back.
    Pass,
}

/// Whether the thread of a location holds a lock there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Held {
    No,
    Yes,
    Perhaps,
}

/// The locks of a program.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    /// The value of each lock while it is free.
    free: BTreeMap<VarId, i128>,
    /// For each lock and location; nothing for locations that are not reached.
    held: BTreeMap<VarId, Vec<Option<Held>>>,
}

impl Locks {
    /// Finds the locks of a program; `one_step` tells whether a step with a barrier acts on memory at once.
    pub fn of(program: &Program, one_step: impl Fn(Barrier) -> bool) -> Locks {
        let mut locks = Locks::default();
        for (var, users) in users(program) {
            if let Some(free) = initially(program, var)
                && let Some(uses) = uses(program, &one_step, (var, free), &users)
                && let Some(held) = held(program, &uses)
            {
                locks.held.insert(var, held);
                locks.free.insert(var, free);
            }
        }
        locks
    }

    /// Whether a variable is one.
    pub fn contains(&self, var: VarId) -> bool {
        self.free.contains_key(&var)
    }

    /// Whether a variable is a lock that the thread of a location does not hold there.
    pub fn is_free_at(&self, var: VarId, location: LocId) -> bool {
        self.held.get(&var).is_some_and(|held| held[location.index()] == Some(Held::No))
    }

    /// The locks that the thread of a location holds there, sorted.
    pub fn held_at(&self, location: LocId) -> Vec<VarId> {
        let held = self.held.iter().filter(|(_, held)| held[location.index()] == Some(Held::Yes));
        held.map(|(&var, _)| var).collect()
    }

    /// The locks that a transition takes, perhaps only for a moment.
    pub fn taken_by(&self, program: &Program, transition: &Transition) -> Vec<VarId> {
        let takes =
            |var: &VarId| matches!(self.used(program, transition, *var), Some(LockUse::Take | LockUse::Pass));
        program.terms.vars(transition.guard).into_iter().filter(takes).collect()
    }

    /// What a transition that mentions a variable does to it, if that is a lock.
    pub fn used(&self, program: &Program, transition: &Transition, var: VarId) -> Option<LockUse> {
        let free = *self.free.get(&var)?;
        lock_use(program, &|_| true, (var, free), transition)
    }

    /// The locks that some transitions change.
    pub fn changed_by<'t>(&self, transitions: impl Iterator<Item = &'t Transition>) -> Vec<VarId> {
        let updates = transitions.flat_map(|transition| &transition.updates);
        let mut vars: Vec<VarId> = updates.map(|update| update.place.var).collect();
        vars.sort_unstable();
        vars.dedup();
        vars.retain(|var| self.held.contains_key(var));
        vars
    }
}

/// The initial value of a shared word.
fn initially(program: &Program, var: VarId) -> Option<i128> {
    let variable = program.variable(var);
    match (&variable.init, variable.role) {
        (Init::Value(Datum::Word(value)), Role::Shared) => Some(*value),
        _ => None,
    }
}

/// The transitions that have to do with each shared variable.
fn users(program: &Program) -> BTreeMap<VarId, Vec<TransId>> {
    let mut users: BTreeMap<VarId, Vec<TransId>> = BTreeMap::new();
    for id in program.transition_ids() {
        let transition = program.transition(id);
        let mut vars: Vec<VarId> = transition.terms().flat_map(|it| program.terms.vars(it)).collect();
        vars.extend(transition.updates.iter().map(|update| update.place.var));
        vars.sort_unstable();
        vars.dedup();
        vars.retain(|&var| program.is_shared(var));
        vars.into_iter().for_each(|var| users.entry(var).or_default().push(id));
    }
    users
}

/// What transitions do to a variable, if that is what is done to locks.
fn uses(
    program: &Program,
    one_step: &impl Fn(Barrier) -> bool,
    lock: (VarId, i128),
    users: &[TransId],
) -> Option<FxHashMap<TransId, LockUse>> {
    let mut uses = FxHashMap::default();
    for &id in users {
        uses.insert(id, lock_use(program, one_step, lock, program.transition(id))?);
    }
    uses.values().any(|&it| it == LockUse::Take).then_some(uses)
}

/// What a transition does to a variable, if it mentions it and that is what is done to locks.
fn lock_use(
    program: &Program,
    one_step: &impl Fn(Barrier) -> bool,
    (var, free): (VarId, i128),
    transition: &Transition,
) -> Option<LockUse> {
    let terms = &program.terms;
    let mentions = |term: TermId| terms.vars(term).contains(&var);
    // The guard is looked at below.
    if transition.terms().skip(1).any(mentions) {
        return None;
    }
    let guards: Vec<TermId> =
        terms.conjuncts(transition.guard).into_iter().filter(|&part| mentions(part)).collect();
    let mut written = transition.updates.iter().filter(|update| update.place.var == var);
    let value = match (written.next(), written.next()) {
        (None, _) => free,
        (Some(update), None) => terms.as_const(update.value)?,
        (Some(_), Some(_)) => return None,
    };
    match guards[..] {
        [] if value == free => Some(LockUse::Free),
        [guard] if one_step(transition.barrier) && demands(terms, guard, var, free) => {
            Some(if value == free { LockUse::Pass } else { LockUse::Take })
        }
        _ => None,
    }
}

/// Whether a condition says that a variable has a value.
fn demands(terms: &Pool, condition: TermId, var: VarId, value: i128) -> bool {
    let Node::Eq(a, b) = *terms.node(condition) else { return false };
    let says = |a: TermId, b: TermId| terms.as_var(a) == Some(var) && terms.as_const(b) == Some(value);
    says(a, b) || says(b, a)
}

/// Where the lock is held, if it is freed only there.
fn held(program: &Program, uses: &FxHashMap<TransId, LockUse>) -> Option<Vec<Option<Held>>> {
    let mut held: Vec<Option<Held>> = vec![None; program.locations.len()];
    let mut open: Vec<LocId> = Vec::new();
    for thread in &program.threads {
        held[thread.entry.index()] = Some(Held::No);
        open.push(thread.entry);
    }
    while let Some(location) = open.pop() {
        let here = held[location.index()].expect("a location that is reached");
        for &id in program.outgoing(location) {
            let after = match uses.get(&id) {
                None | Some(LockUse::Pass) => here,
                Some(LockUse::Take) => Held::Yes,
                Some(LockUse::Free) => Held::No,
            };
            let to = program.transition(id).to;
            let there = &mut held[to.index()];
            let joined = there.map_or(after, |known| if known == after { known } else { Held::Perhaps });
            if *there != Some(joined) {
                *there = Some(joined);
                open.push(to);
            }
        }
    }
    let is_wrong = |(&id, &it): (&TransId, &LockUse)| {
        let from = program.transition(id).from;
        it == LockUse::Free && matches!(held[from.index()], Some(Held::No | Held::Perhaps))
    };
    (!uses.iter().any(is_wrong)).then_some(held)
}
