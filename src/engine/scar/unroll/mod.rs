//! Unrolls each thread to a bound: guarded single assignment over the points of its automaton (Section 3 of
//! the SC paper).
//!
//! Points are visited in topological order (`loops.rs`), each once, when everything that leads to it is
//! known: conditions meet in a disjunction, private variables in a choice of values. Paths are never
//! enumerated. A transition whose guard is false by constant propagation is not followed, so a loop with a
//! known number of rounds ends by itself. A round of a loop counts towards the bound only if control might
//! have left the loop in it. A round that changes neither memory nor a private variable that is used later is
//! left out, since the thread might as well not have made it: waiting in a loop needs no bound. Nor does a
//! round that only takes locks and gives them back (`program/locks.rs`). At the bound the thread stops, and the place
//! becomes a [`Target::Loop`].
//!
//! Unrolling to a greater bound makes the same variables for the same points, and so, terms being
//! hash-consed, the same terms wherever nothing changed: one solver serves all bounds.
//!
//! # Which runs are there
//!
//! A thread need not finish: it may be stuck at a guard, stop at the bound, or stand before a marked location
//! that is not a violation. So no thread can hide what another does. That every thread goes on as long as its
//! reads allow loses nothing: after a violation the rest of any thread's steps may still happen, and
//! replaying stops at the violation.

mod access;
mod block;
mod event;
pub mod guard;
mod loops;
mod memory;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::budget::Budget;
use crate::order::{CellId, Model};
use crate::program::locks::Locks;
use crate::program::pass::Liveness;
use crate::program::{Init, LocId, Program, Role, ThreadId, Transition};
use crate::term::{Pool, Sort, TermId, VarId};

pub use self::event::{Access, Event, Goal, Stable, Target, Unrolling};
pub use self::loops::{LoopId, Loops};
pub use super::obstacle::Obstacle;

use self::guard::{Names, choose};
use self::loops::{Point, Round};
use self::memory::Memory;

/// Rounds of a loop that no exit was seen in count all the same after so many.
const FORCED_ROUNDS: u32 = 2_000;

/// Points visited between two looks at the budget.
const POINTS_PER_CHECK: usize = 64;

/// What a thread knows at a point.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The values of its private variables, indexed by [`Unroller::slots`].
    pub(super) locals: Vec<TermId>,
    /// The values of the cells that it alone writes, in the order of [`Memory::owned`].
    pub(super) own: Vec<TermId>,
    /// For each loop around the point: that the thread has changed memory in this round, other than locks
    /// that it does not hold when a round begins.
    pub(super) changed: Vec<TermId>,
}

/// What leads to a point: under which condition, in which state.
pub(super) type Arrivals = Vec<(TermId, State)>;

/// Makes unrollings of one program, each deeper than the last.
#[derive(Debug)]
pub struct Unroller<'p> {
    pub(super) program: &'p Program,
    pub(super) model: Model,
    pub(super) memory: Memory,
    pub(super) loops: Loops,
    pub(super) locks: Locks,
    /// All terms of all unrollings.
    pub pool: Pool,
    pub(super) names: Names,
    /// The position of each private variable among those of its thread.
    pub(super) slots: Vec<usize>,
    liveness: Liveness,
    /// The transitions that lead back to their location and change nothing.
    pub(super) idle: Vec<bool>,
    stable: FxHashMap<(Stable, Vec<u32>), Stable>,
    variables: FxHashMap<(Stable, u32), VarId>,
}

/// The work on one thread.
pub(super) struct Walk {
    pub(super) thread: ThreadId,
    pub(super) bound: u32,
    /// Points to come, by key.
    pub(super) pending: BTreeMap<Vec<u32>, (Point, Arrivals)>,
    /// Rounds begun: how many before them counted, and whether control may leave the loop in them.
    rounds: FxHashMap<Round, (u32, Exit)>,
    /// The private variables when a round began, and the cells that the thread alone writes.
    heads: FxHashMap<Round, (Vec<TermId>, Vec<TermId>)>,
}

/// Whether control may leave a loop in a round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Exit {
    NotSeen,
    /// A loop inside was cut, and what lies behind may lead out.
    Behind,
    Seen,
}

impl<'p> Unroller<'p> {
    /// Prepares for a program.
    ///
    /// # Errors
    /// If its arrays are too large.
    pub fn new(program: &'p Program, model: Model, cells: usize) -> Result<Unroller<'p>, Obstacle> {
        let memory = Memory::of(program, cells).map_err(|var| {
            let variable = program.variable(var);
            Obstacle::Unsupported(format!("{} ({}) is too large an array", variable.name, variable.sort))
        })?;
        let mut counts = vec![0; program.threads.len()];
        let slots = program.variables.iter().map(|variable| match variable.role {
            Role::Private(thread) => {
                counts[thread.index()] += 1;
                counts[thread.index()] - 1
            }
            Role::Shared | Role::Input => usize::MAX,
        });
        let slots = slots.collect();
        let locks = Locks::of(program, |barrier| model.is_one_step(barrier));
        let (loops, pool, names) = (Loops::of(program, &locks), Pool::new(), Names::default());
        let liveness = Liveness::of(program);
        let idle =
            program.transitions.iter().map(|transition| idle(program, &liveness, transition)).collect();
        let (stable, variables) = (FxHashMap::default(), FxHashMap::default());
        Ok(Unroller {
            program,
            model,
            memory,
            loops,
            locks,
            pool,
            names,
            slots,
            liveness,
            idle,
            stable,
            variables,
        })
    }

    /// The memory model.
    pub fn model(&self) -> Model {
        self.model
    }

    /// The shared cells.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The loops.
    pub fn loops(&self) -> &Loops {
        &self.loops
    }

    /// The names of long conditions.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Unrolls all threads: no loop goes round more often than the bound, other than with certainty.
    ///
    /// # Errors
    /// If the budget ends or the program uses something that is not supported.
    pub fn unroll(&mut self, bound: u32, budget: &Budget) -> Result<Unrolling, Obstacle> {
        let mut unrolling = Unrolling::default();
        for thread in self.program.thread_ids() {
            self.thread(thread, bound, budget, &mut unrolling)?;
        }
        Ok(unrolling)
    }

    fn thread(
        &mut self,
        thread: ThreadId,
        bound: u32,
        budget: &Budget,
        unrolling: &mut Unrolling,
    ) -> Result<(), Obstacle> {
        let mut walk = Walk {
            thread,
            bound,
            pending: BTreeMap::new(),
            rounds: FxHashMap::default(),
            heads: FxHashMap::default(),
        };
        let entry = self.loops.entry(self.program.thread(thread).entry);
        let (start, unchanged) = (self.pool.bool(true), self.pool.bool(false));
        let changed = vec![unchanged; entry.rounds.len()];
        let own = self.memory.owned(thread).to_vec();
        let own = own.into_iter().map(|cell| self.initial_value(cell)).collect();
        let start = (start, State { locals: self.initial_locals(thread), own, changed });
        walk.pending.insert(self.loops.key(&entry), (entry, vec![start]));
        let mut visited = 0usize;
        while let Some((key, (point, arrivals))) = walk.pending.pop_first() {
            visited += 1;
            if visited.is_multiple_of(POINTS_PER_CHECK) {
                budget.check()?;
            }
            let (guard, state) = self.meet(arrivals);
            if self.cut(&mut walk, &point, (guard, &state), unrolling) {
                continue;
            }
            if let Some(round) = self.loops.begins(&point) {
                walk.heads.insert(round, (state.locals.clone(), state.own.clone()));
            }
            let name = self.stable(thread.index() as Stable, key);
            self.visit(&mut walk, name, &point, (guard, state), unrolling)?;
        }
        Ok(())
    }

    /// What holds at a point, from what leads there.
    pub(super) fn meet(&mut self, mut arrivals: Arrivals) -> (TermId, State) {
        if arrivals.len() == 1 {
            return arrivals.remove(0);
        }
        let guards: Vec<TermId> = arrivals.iter().map(|(guard, _)| *guard).collect();
        let mut merged = |part: &dyn Fn(&State) -> &Vec<TermId>| {
            let each = (0..part(&arrivals[0].1).len()).map(|slot| {
                let cases: Vec<_> =
                    arrivals.iter().map(|(guard, state)| (*guard, part(state)[slot])).collect();
                choose(&mut self.pool, &cases)
            });
            each.collect()
        };
        let locals = merged(&|state| &state.locals);
        let (own, changed) = (merged(&|state| &state.own), merged(&|state| &state.changed));
        let state = State { locals, own, changed };
        (self.names.join(&mut self.pool, &guards), state)
    }

    /// Stops at the head of a loop that has gone round often enough.
    pub(super) fn cut(
        &mut self,
        walk: &mut Walk,
        point: &Point,
        (guard, state): (TermId, &State),
        unrolling: &mut Unrolling,
    ) -> bool {
        let Some(round) = self.loops.begins(point) else { return false };
        let number = *round.1.last().expect("a loop has rounds");
        let counted = match number.checked_sub(1) {
            None => 0,
            Some(last) => {
                let mut before = round.clone();
                *before.1.last_mut().expect("a loop has rounds") = last;
                let (counted, exit) = walk.rounds.get(&before).copied().unwrap_or((0, Exit::Seen));
                let open = exit == Exit::Behind || !self.loops.has_exit(round.0);
                let counts = exit == Exit::Seen
                    || open && !self.counts_up(walk, &before, state)
                    || self.stalls(walk, &before, point.location, state)
                    || number > FORCED_ROUNDS;
                counted + u32::from(counts)
            }
        };
        if counted > walk.bound {
            let target = Target::Loop(round.0);
            unrolling.goals.push(Goal { target, condition: guard });
            // What lies behind may leave the loops around.
            for round in self.loops.rounds(point) {
                walk.rounds.entry(round).and_modify(|(_, exit)| *exit = (*exit).max(Exit::Behind));
            }
            return true;
        }
        walk.rounds.insert(round, (counted, Exit::NotSeen));
        false
    }

    /// Whether a guard of the loop asks something of nothing but private variables with known values, of
    /// which one has changed in a round. Then such guards will end the loop, even if what comes after it was
    /// of no interest and is gone.
    fn counts_up(&self, walk: &Walk, before: &Round, state: &State) -> bool {
        let Some((old, _)) = walk.heads.get(before) else { return false };
        let program = self.program;
        let inside = |transition: &&Transition| self.loops.contains(before.0, transition.from);
        let guards = program.transitions.iter().filter(inside).map(|transition| transition.guard);
        guards.flat_map(|guard| program.terms.conjuncts(guard)).any(|part| {
            let vars = program.terms.vars(part);
            let values = |locals: &[TermId]| -> Option<Vec<i128>> {
                vars.iter().map(|var| self.pool.as_const(*locals.get(self.slots[var.index()])?)).collect()
            };
            values(old).zip(values(&state.locals)).is_some_and(|(old, new)| old != new)
        })
    }

    /// Whether a thread knows no more and no less than when a round began: what did not end the loop then
    /// will not end it now.
    fn stalls(&self, walk: &Walk, before: &Round, head: LocId, state: &State) -> bool {
        let Some((locals, own)) = walk.heads.get(before) else { return false };
        let slots = self.liveness.at(head).iter().map(|var| self.slots[var.index()]);
        *own == state.own && slots.into_iter().all(|slot| locals[slot] == state.locals[slot])
    }

    /// Lets control go from a point to a location.
    pub(super) fn arrive(&mut self, walk: &mut Walk, from: &Point, to: LocId, guard: TermId, state: State) {
        let point = self.loops.step(from, to);
        self.left(walk, from, &point);
        let Some((guard, state)) = self.follow(walk, from, &point, guard, state) else { return };
        let key = self.loops.key(&point);
        walk.pending.entry(key).or_insert_with(|| (point, Vec::new())).1.push((guard, state));
    }

    /// What arrives at a point from another. A round of a loop that changed nothing is no arrival: whatever
    /// is possible after it was possible before it.
    fn follow(
        &mut self,
        walk: &Walk,
        from: &Point,
        to: &Point,
        guard: TermId,
        mut state: State,
    ) -> Option<(TermId, State)> {
        let (mut guard, mut shared) = (guard, self.loops.shared(from, to));
        if let Some(round) = self.loops.repeats(from, to) {
            shared -= 1;
            let mut different = vec![state.changed[shared]];
            if let Some((before, _)) = walk.heads.get(&round) {
                for &var in self.liveness.at(to.location) {
                    let slot = self.slots[var.index()];
                    different.push(self.pool.ne(before[slot], state.locals[slot]));
                }
            } else {
                different.push(self.pool.bool(true));
            }
            let different = self.pool.or(&different);
            guard = self.names.and(&mut self.pool, &[guard, different]);
            if self.pool.as_bool(guard) == Some(false) {
                return None;
            }
        }
        state.changed.truncate(shared);
        state.changed.resize(to.rounds.len(), self.pool.bool(false));
        Some((guard, state))
    }

    /// Notes that control may leave the loops that a step leads out of.
    pub(super) fn left(&self, walk: &mut Walk, from: &Point, to: &Point) {
        for round in self.loops.leaves(from, to) {
            if let Some((_, exit)) = walk.rounds.get_mut(&round) {
                *exit = Exit::Seen;
            }
        }
    }

    fn initial_locals(&mut self, thread: ThreadId) -> Vec<TermId> {
        let program = self.program;
        let own = program.variable_ids().filter(|&var| program.variable(var).role == Role::Private(thread));
        own.map(|var| match &program.variable(var).init {
            Init::Value(value) => self.pool.datum(value, program.variable(var).sort),
            Init::Any => self.initially(var.index() as u32, program.variable(var).sort),
        })
        .collect()
    }

    /// The variable for an unknown initial value: of a private variable, or, counted from the number of
    /// variables on, of a shared cell.
    pub(super) fn initially(&mut self, number: u32, sort: Sort) -> TermId {
        let name = self.stable(Stable::MAX, Vec::new());
        let var = self.variable(name, number, &format!("initial#{number}"), sort);
        self.pool.var(var)
    }

    /// What a shared cell holds initially.
    pub fn initial_value(&mut self, cell: CellId) -> TermId {
        if let Some(value) = self.memory.initial(self.program, &mut self.pool, cell) {
            return value;
        }
        let sort = self.memory.sort(self.program, cell);
        self.initially((self.program.variables.len() + cell.index()) as u32, sort)
    }

    /// The variables of unknown initial values: of private variables and of shared cells.
    pub fn initial_variable(&self, number: usize) -> Option<VarId> {
        let name = self.stable.get(&(Stable::MAX, Vec::new()))?;
        self.variables.get(&(*name, number as u32)).copied()
    }

    /// The number of something that belongs to something else and is told apart by a key.
    pub(super) fn stable(&mut self, of: Stable, key: Vec<u32>) -> Stable {
        let next = (self.program.threads.len() + self.stable.len()) as Stable;
        *self.stable.entry((of, key)).or_insert(next)
    }

    /// The variable of something, by a number.
    pub(super) fn variable(&mut self, of: Stable, number: u32, what: &str, sort: Sort) -> VarId {
        let pool = &mut self.pool;
        *self.variables.entry((of, number)).or_insert_with(|| pool.declare(what, sort))
    }
}

/// Whether a transition leads back to where it starts and changes nothing that matters there.
fn idle(program: &Program, liveness: &Liveness, transition: &Transition) -> bool {
    let location = transition.from;
    let harmless = |var: VarId| !program.is_shared(var) && !liveness.is_live(location, var);
    transition.to == location
        && !program.location(location).atomic
        && transition.updates.iter().all(|update| harmless(update.place.var))
}
