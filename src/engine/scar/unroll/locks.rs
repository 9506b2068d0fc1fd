//! Variables that are locks, by how the automata use them: so that taking a lock, looking, and giving it back
//! counts as doing nothing.
//!
//! A shared variable is a lock here if nobody holds it initially, every step that reads it demands that it is
//! free and takes it (by another constant), every other step that writes it frees it, and a thread frees it
//! only where it holds it on every way there. What distinguishes this from `schedule/sections.rs`: nobody can
//! see that the lock is held, other than by waiting.
//!
//! Then a round of a loop that begins and ends without the lock, in the same private state, and changes
//! nothing but the lock, might as well not have been made: without it the lock is free for longer, which
//! hinders nobody. So waiting for a condition variable, and polling under a lock, need no bound. A loop
//! around a wait has its head where the lock is not held (`loops.rs`).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::order::Model;
use crate::program::{Init, LocId, Program, Role, TransId, Transition};
use crate::term::{Datum, Node, Pool, TermId, VarId};

/// What a transition does to a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    Take,
    Free,
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
pub struct Locks {
    /// For each lock and location; nothing for locations that are not reached.
    held: BTreeMap<VarId, Vec<Option<Held>>>,
}

impl Locks {
    /// Finds the locks of a program.
    pub fn of(program: &Program, model: Model) -> Locks {
        let mut locks = Locks::default();
        for (var, users) in users(program) {
            if let Some(free) = initially(program, var)
                && let Some(uses) = uses(program, model, (var, free), &users)
                && let Some(held) = held(program, &uses)
            {
                locks.held.insert(var, held);
            }
        }
        locks
    }

    /// Whether a variable is a lock that the thread of a location does not hold there.
    pub fn is_free_at(&self, var: VarId, location: LocId) -> bool {
        self.held.get(&var).is_some_and(|held| held[location.index()] == Some(Held::No))
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
    model: Model,
    (var, free): (VarId, i128),
    users: &[TransId],
) -> Option<FxHashMap<TransId, Use>> {
    let terms = &program.terms;
    let mentions = |term: TermId| terms.vars(term).contains(&var);
    let mut uses = FxHashMap::default();
    for &id in users {
        let transition = program.transition(id);
        // The guard is looked at below.
        if transition.terms().skip(1).any(mentions) {
            return None;
        }
        let guards: Vec<TermId> =
            terms.conjuncts(transition.guard).into_iter().filter(|&part| mentions(part)).collect();
        let mut written = transition.updates.iter().filter(|update| update.place.var == var);
        let (Some(update), None) = (written.next(), written.next()) else { return None };
        let value = terms.as_const(update.value)?;
        let is_one_step = model.is_one_step(transition.barrier);
        uses.insert(
            id,
            match guards[..] {
                [] if value == free => Use::Free,
                [guard] if value != free && is_one_step && demands(terms, guard, var, free) => Use::Take,
                _ => return None,
            },
        );
    }
    uses.values().any(|&it| it == Use::Take).then_some(uses)
}

/// Whether a condition says that a variable has a value.
fn demands(terms: &Pool, condition: TermId, var: VarId, value: i128) -> bool {
    let Node::Eq(a, b) = *terms.node(condition) else { return false };
    let says = |a: TermId, b: TermId| terms.as_var(a) == Some(var) && terms.as_const(b) == Some(value);
    says(a, b) || says(b, a)
}

/// Where the lock is held, if it is freed only there.
fn held(program: &Program, uses: &FxHashMap<TransId, Use>) -> Option<Vec<Option<Held>>> {
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
                None => here,
                Some(Use::Take) => Held::Yes,
                Some(Use::Free) => Held::No,
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
    let is_wrong = |(&id, &it): (&TransId, &Use)| {
        let from = program.transition(id).from;
        it == Use::Free && matches!(held[from.index()], Some(Held::No | Held::Perhaps))
    };
    (!uses.iter().any(is_wrong)).then_some(held)
}
