//! Locations that nobody needs to see go: the transitions into them and out of them are composed
//! (`compose.rs`).
//!
//! This is Lipton's reduction (1975) in its simplest form. A location goes when no other thread can tell that
//! this thread ever stood there:
//!
//! - *Atomic*: nobody else moves while a thread is at an atomic location. If the thread gets stuck there
//!   everybody does, and such a run reaches nothing that it would not reach by stopping one step earlier.
//! - *Before*: all steps into it are local. They may as well happen together with the step out of it; if that
//!   never happens they need not have happened.
//! - *After*: all steps out of it are local and lead to ordinary locations. They may as well happen together
//!   with the step into it. If that step is visible to others (it writes shared memory or leaves an atomic
//!   section) it must not be prevented by a step out of it that blocks or overflows, and must not end the run
//!   by a mark: so one of the steps out is always possible, and none leads to a mark.
//!
//! Instead of being local it is enough *before* that the steps may as well happen later, and *after* that they
//! may as well happen earlier (`movers.rs`). So what is done under a lock becomes one step, together with one
//! access to something else; so does joining many threads, or creating them.
//!
//! Entries, marked locations, locations with a loop to themselves and those without a way out stay; so do
//! those whose removal would multiply transitions or make huge ones. At granularity access a transition still
//! makes at most one shared access, because one of the two composed steps is local; what nobody else can
//! access at that time, locks and flags are left aside.

use std::collections::BTreeSet;

use super::super::{Barrier, LocId, Mark, MemoryModel, Program, Transition};
use super::access::Mentions;
use super::compose::Composer;
use super::covers::covers;
use super::movers::{Movers, Moves};
use crate::term::{Pool, TermId, VarId};

/// A local location goes if it has at most so many ways through, or if there are not more of them than
/// transitions.
const MAX_WAYS: usize = 6;
/// The same for atomic locations, which are worth more.
const MAX_ATOMIC_WAYS: usize = 512;
/// Size of the largest transition, in terms and events, that local composition makes.
const MAX_WEIGHT: usize = 200;
/// The same where steps that touch shared memory are composed, under a lock or where threads are joined.
const MAX_MOVED_WEIGHT: usize = 2_000;
/// The same for atomic sections.
const MAX_ATOMIC_WEIGHT: usize = 20_000;

pub(super) fn run(program: Program, model: MemoryModel) -> Program {
    let mut merge = Merge::new(program, model);
    while let Some(location) = merge.pending.pop_first() {
        merge.visit(location);
    }
    merge.finish()
}

/// A transition with what is asked about it again and again.
#[derive(Clone)]
struct Step {
    transition: Transition,
    local: bool,
    /// Whether it may as well happen later or earlier.
    moves: Moves,
    writes: bool,
    /// Upper bound of the number of terms and events.
    weight: usize,
    /// Whether it has not been replaced.
    alive: bool,
}

struct Merge {
    program: Program,
    mentions: Mentions,
    movers: Movers,
    model: MemoryModel,
    steps: Vec<Step>,
    /// May still list steps that have been replaced.
    incoming: Vec<Vec<usize>>,
    outgoing: Vec<Vec<usize>>,
    entry: Vec<bool>,
    pending: BTreeSet<LocId>,
}

/// Why a location may go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Atomic,
    Before,
    After,
}

impl Merge {
    fn new(mut program: Program, model: MemoryModel) -> Merge {
        let locations = program.locations.len();
        let mut entry = vec![false; locations];
        program.threads.iter().for_each(|thread| entry[thread.entry.index()] = true);
        let pending = program.location_ids().collect();
        let movers = Movers::of(&program, model);
        let transitions = std::mem::take(&mut program.transitions);
        let mut merge = Merge {
            program,
            movers,
            mentions: Mentions::default(),
            model,
            steps: Vec::with_capacity(transitions.len()),
            incoming: vec![Vec::new(); locations],
            outgoing: vec![Vec::new(); locations],
            entry,
            pending,
        };
        for transition in transitions {
            let weight = merge.weight(&transition);
            let at = merge.outgoing[transition.from.index()].len();
            merge.insert(transition, weight, at);
        }
        merge
    }

    fn finish(mut self) -> Program {
        let order = std::mem::take(&mut self.outgoing);
        self.program.transitions =
            order.into_iter().flatten().map(|step| self.steps[step].transition.clone()).collect();
        self.program.reindex();
        self.program
    }

    fn visit(&mut self, location: LocId) {
        let at = location.index();
        if self.entry[at] || self.outgoing[at].is_empty() {
            return;
        }
        self.incoming[at].retain(|&step| self.steps[step].alive);
        if self.incoming[at].is_empty() {
            self.drop_outgoing(location);
            return;
        }
        if self.has_loop(location) {
            return;
        }
        for rule in self.rules(location) {
            if let Some(composed) = self.compose_through(location, rule) {
                self.replace(location, composed);
                return;
            }
        }
    }

    fn has_loop(&self, location: LocId) -> bool {
        self.outgoing[location.index()].iter().any(|&step| self.steps[step].transition.to == location)
    }

    fn rules(&self, location: LocId) -> Vec<Rule> {
        let at = location.index();
        if self.program.location(location).atomic {
            return vec![Rule::Atomic];
        }
        let is_atomic = |location: LocId| self.program.location(location).atomic;
        let mut rules = Vec::new();
        let before = self.incoming[at].iter().map(|&step| &self.steps[step]);
        if before.into_iter().all(|step| step.moves.right && !is_atomic(step.transition.from)) {
            rules.push(Rule::Before);
        }
        let after = self.outgoing[at].iter().map(|&step| &self.steps[step]);
        if after.into_iter().all(|step| step.moves.left && !is_atomic(step.transition.to)) {
            rules.push(Rule::After);
        }
        rules
    }

    /// For each step into the location, the compositions with the steps out of it; `None` if it must stay.
    fn compose_through(&mut self, location: LocId, rule: Rule) -> Option<Vec<(usize, Vec<Weighted>)>> {
        let (before, after) =
            (self.incoming[location.index()].clone(), self.outgoing[location.index()].clone());
        let (ways, limit) = match rule {
            Rule::Atomic => (MAX_ATOMIC_WAYS, MAX_ATOMIC_WEIGHT),
            Rule::Before | Rule::After => (MAX_WAYS, MAX_WEIGHT),
        };
        let all_local = |steps: &[usize]| steps.iter().all(|&step| self.steps[step].local);
        let limit = if all_local(&before) || all_local(&after) { limit } else { limit.max(MAX_MOVED_WEIGHT) };
        if before.len() * after.len() > ways.max(before.len() + after.len()) {
            return None;
        }
        let mut all = Vec::new();
        for first in before {
            let visible =
                self.steps[first].writes || self.program.location(self.steps[first].transition.from).atomic;
            if rule == Rule::After && visible && after.iter().any(|&second| self.ends_run(second)) {
                return None;
            }
            let composed = self.compose_with_each(first, &after, limit)?;
            if rule == Rule::After && visible {
                let terms = &mut self.program.terms;
                let guards: Vec<_> =
                    composed.iter().map(|(transition, _)| fires(terms, transition)).collect();
                let given = fires(terms, &self.steps[first].transition);
                if !covers(&mut self.program.terms, given, &guards) {
                    return None;
                }
            }
            all.push((first, composed));
        }
        Some(all)
    }

    fn compose_with_each(&mut self, first: usize, after: &[usize], limit: usize) -> Option<Vec<Weighted>> {
        let mut all = Vec::new();
        for &second in after {
            let (first, second) = (&self.steps[first], &self.steps[second]);
            let bound = first.weight + second.weight;
            let mut composer =
                Composer { program: &mut self.program, mentions: &mut self.mentions, model: self.model };
            let composed = composer.compose(&first.transition, &second.transition)?;
            for transition in composed {
                let weight = if bound > limit { self.weight(&transition) } else { bound };
                if weight > limit {
                    return None;
                }
                all.push((transition, weight));
            }
        }
        Some(all)
    }

    /// Whether a step leads to a mark at which runs end.
    fn ends_run(&self, step: usize) -> bool {
        !matches!(self.program.location(self.steps[step].transition.to).mark, None | Some(Mark::End))
    }

    fn weight(&self, transition: &Transition) -> usize {
        let roots: Vec<_> = transition.terms().collect();
        let mut nodes = 0;
        self.program.terms.visit(&roots, |_, _| nodes += 1);
        nodes + transition.events.len() + transition.updates.len()
    }

    /// Puts the compositions in place of the location.
    fn replace(&mut self, location: LocId, composed: Vec<(usize, Vec<Weighted>)>) {
        self.drop_outgoing(location);
        for (old, new) in composed {
            let from = self.steps[old].transition.from;
            let list = &mut self.outgoing[from.index()];
            let mut at = list.iter().position(|&step| step == old).expect("a step of its location");
            list.remove(at);
            self.steps[old].alive = false;
            self.pending.insert(from);
            for (transition, weight) in new {
                if !self.absorbed(&transition) {
                    self.insert(transition, weight, at);
                    at += 1;
                }
            }
        }
    }

    fn drop_outgoing(&mut self, location: LocId) {
        for step in std::mem::take(&mut self.outgoing[location.index()]) {
            self.steps[step].alive = false;
            self.pending.insert(self.steps[step].transition.to);
        }
    }

    fn insert(&mut self, transition: Transition, weight: usize, at: usize) {
        let id = self.steps.len();
        self.outgoing[transition.from.index()].insert(at, id);
        self.incoming[transition.to.index()].push(id);
        self.pending.insert(transition.to);
        let writes = self.program.shared_writes(&transition).next().is_some();
        let local = self.is_local(&transition);
        let reads = self.mentions.reads(&self.program.terms, &transition);
        let moves = self.movers.moves(&self.program, &transition, &reads);
        self.steps.push(Step { transition, local, moves, writes, weight, alive: true });
    }

    fn is_local(&mut self, transition: &Transition) -> bool {
        let shared = |var: &VarId| self.program.is_shared(*var);
        transition.barrier == Barrier::None
            && transition.call.is_none()
            && !transition.updates.iter().any(|update| shared(&update.place.var))
            && !self.mentions.reads(&self.program.terms, transition).iter().any(shared)
    }

    /// Whether a parallel step that does the same takes over, because the two guards together are not more
    /// complicated than one.
    fn absorbed(&mut self, new: &Transition) -> bool {
        for at in 0..self.outgoing[new.from.index()].len() {
            let step = self.outgoing[new.from.index()][at];
            let old = &self.steps[step].transition;
            let same = old.to == new.to
                && old.updates == new.updates
                && old.call == new.call
                && old.barrier == new.barrier;
            if !same || old.ranges != new.ranges {
                continue;
            }
            let either = self.program.terms.or(&[old.guard, new.guard]);
            if either == old.guard || either == new.guard || self.program.terms.as_bool(either).is_some() {
                let old = &mut self.steps[step].transition;
                old.guard = either;
                old.events.retain(|event| new.events.contains(event));
                let merged = old.clone();
                self.steps[step].local = self.is_local(&merged);
                return true;
            }
        }
        false
    }
}

/// What must hold for a transition to fire.
fn fires(terms: &mut Pool, transition: &Transition) -> TermId {
    let conditions: Vec<TermId> = transition.conditions().collect();
    terms.and(&conditions)
}

/// A transition and its weight.
type Weighted = (Transition, usize);
