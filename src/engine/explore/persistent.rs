//! Persistent sets: of the threads that may move only some are let move.
//!
//! A set of threads is *persistent* in a state if nothing that the others can do before one of the set moves
//! conflicts with the next moves of the set. What they can do is a fixed point: a thread goes on until a step
//! whose guard fails, or a condition that fails (`program/footprint/waits.rs`), and nobody outside the set
//! writes what that reads. A thread outside that conflicts joins the set. A buffered write counts as a write
//! that the buffer's thread may make at any moment, and as one of its next moves.
//!
//! Why it suffices to let a persistent set move: take a run from the state to a mark. If threads of the set
//! move in it, the first such move commutes with all before it, so it may come first, and what is left of the
//! run is shorter. If none does, the run is still possible after any move of the set, provided that this
//! neither ends the run nor enters an atomic section; and provided that it leads to a state that is expanded
//! later than this one, nothing is put off for ever (Bosnacki and Holzmann, "Improving SPIN's partial-order
//! reduction for breadth-first search", 2005). `search.rs` sees to both, and to values that are chosen only
//! when they are read: choosing one for a shared cell is a write that others notice.
//!
//! Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems" (1996), chapter 4; Valmari,
//! "Stubborn sets for reduced state space generation" (1990), from which we take what waits for what.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::program::footprint::{Footprints, Touched, Vars, Waits};
use crate::program::{LocId, Program, ThreadId, TransId};
use crate::term::VarId;

use super::compile::{Code, Compiler, Reg};
use super::layout::Layout;
use super::machine::Machine;
use super::state::State;

/// So many situations are remembered at once.
const REMEMBERED: usize = 1 << 17;

/// All that the choice of sets depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Situation {
    locations: Vec<LocId>,
    /// The next steps whose guards fail.
    stuck: Vec<TransId>,
    /// Whether each condition fails.
    fails: Vec<bool>,
    /// For each thread, the variables in its store buffer.
    buffered: Vec<Vec<VarId>>,
}

/// Threads that may move instead of all.
pub(super) type Sets = Rc<[Vec<ThreadId>]>;

/// What is needed to choose.
#[derive(Debug)]
pub(super) struct Persistent<'a> {
    program: &'a Program,
    layout: &'a Layout,
    footprints: Footprints,
    waits: Waits,
    /// The conditions, compiled.
    codes: Vec<(Code, Reg)>,
    regs: Vec<i64>,
    /// The shared variables that the guard of each transition reads.
    guards: Vec<Vec<VarId>>,
    /// What a thread may touch from a location on while some conditions fail.
    ahead: FxHashMap<(LocId, u64), Rc<Touched>>,
    known: FxHashMap<Situation, Sets>,
    situation: Situation,
}

impl<'a> Persistent<'a> {
    pub fn new(program: &'a Program, layout: &'a Layout) -> Persistent<'a> {
        let waits = Waits::of(program);
        let compiled = |condition: &crate::program::footprint::Condition| {
            let mut compiler = Compiler::new(&program.terms, layout);
            let holds = compiler.term(condition.holds);
            (compiler.finish(), holds)
        };
        let guard = |transition: &crate::program::Transition| {
            let mut vars = program.terms.vars(transition.guard);
            vars.retain(|&var| program.is_shared(var));
            vars
        };
        Persistent {
            program,
            layout,
            footprints: Footprints::new(program),
            codes: waits.conditions().iter().map(compiled).collect(),
            waits,
            regs: Vec::new(),
            guards: program.transitions.iter().map(guard).collect(),
            ahead: FxHashMap::default(),
            known: FxHashMap::default(),
            situation: Situation::default(),
        }
    }

    /// Sets of threads of which each suffices, the smallest first; none if there is none but all.
    /// Threads that are the `twin` of another one are not tried as a beginning.
    pub fn sets(
        &mut self,
        machine: &mut Machine<'_>,
        state: &State,
        twin: &dyn Fn(ThreadId) -> bool,
    ) -> Sets {
        self.look(machine, state);
        if let Some(known) = self.known.get(&self.situation) {
            return Rc::clone(known);
        }
        if self.known.len() == REMEMBERED {
            self.known.clear();
        }
        let situation = self.situation.clone();
        let sets: Sets = self.choose(&situation, twin).into();
        self.known.insert(situation, Rc::clone(&sets));
        sets
    }

    /// Takes down the situation of a state.
    fn look(&mut self, machine: &mut Machine<'_>, state: &State) {
        let situation = &mut self.situation;
        situation.locations.clone_from(&state.locations);
        situation.stuck.clear();
        for thread in self.program.thread_ids() {
            for &step in self.program.outgoing(state.locations[thread.index()]) {
                if !machine.may_fire(state, thread, step) {
                    situation.stuck.push(step);
                }
            }
        }
        situation.fails.clear();
        for (code, holds) in &self.codes {
            let done = code.run(0..code.len(), &state.cells, &state.open, &mut self.regs);
            situation.fails.push(done.is_ok() && self.regs[*holds as usize] == 0);
        }
        situation.buffered.clear();
        for buffer in &state.buffers {
            let vars = buffer.writes().map(|(cell, ..)| self.layout.place_of(cell).0);
            let mut vars: Vec<VarId> = vars.collect();
            vars.sort_unstable();
            vars.dedup();
            situation.buffered.push(vars);
        }
    }

    fn choose(&mut self, situation: &Situation, twin: &dyn Fn(ThreadId) -> bool) -> Vec<Vec<ThreadId>> {
        let threads = situation.locations.len();
        let moves = |thread: usize| {
            let steps = self.program.outgoing(situation.locations[thread]);
            !situation.buffered[thread].is_empty() || steps.iter().any(|step| !situation.stuck.contains(step))
        };
        let movers: Vec<usize> = (0..threads).filter(|&thread| moves(thread)).collect();
        let mut sets: Vec<Vec<ThreadId>> = Vec::new();
        for &first in movers.iter().filter(|&&thread| !twin(ThreadId::new(thread))) {
            let inside = self.closure(situation, first);
            let set: Vec<ThreadId> =
                movers.iter().copied().filter(|&thread| inside[thread]).map(ThreadId::new).collect();
            if set.len() < movers.len() && !sets.contains(&set) {
                sets.push(set);
            }
        }
        sets.sort_by_key(Vec::len);
        sets
    }

    /// The smallest persistent set with a thread in it.
    fn closure(&mut self, situation: &Situation, first: usize) -> Vec<bool> {
        let mut inside = vec![false; situation.locations.len()];
        inside[first] = true;
        loop {
            let (outside, written) = self.outside(situation, &inside);
            let next = self.next_moves(situation, &inside, &written);
            let conflicts = |thread: &usize| !inside[*thread] && next.conflicts(&outside[*thread]);
            let joining: Vec<usize> = (0..inside.len()).filter(conflicts).collect();
            if joining.is_empty() {
                return inside;
            }
            joining.into_iter().for_each(|thread| inside[thread] = true);
        }
    }

    /// What the threads outside of a set may touch before the set moves, each and what they write together.
    fn outside(&mut self, situation: &Situation, inside: &[bool]) -> (Vec<Touched>, Vars) {
        let mut written = Vars::new(self.program.variables.len());
        let mut touched = vec![Touched::new(self.program.variables.len()); inside.len()];
        loop {
            let mut changed = false;
            for thread in (0..inside.len()).filter(|&thread| !inside[thread]) {
                self.reach(situation, thread, &written, &mut touched[thread]);
                changed |= written.add(&touched[thread].writes);
            }
            if !changed {
                return (touched, written);
            }
        }
    }

    /// Adds what a thread may touch if some variables are written.
    fn reach(&mut self, situation: &Situation, thread: usize, written: &Vars, touched: &mut Touched) {
        situation.buffered[thread].iter().for_each(|&var| touched.writes.insert(var));
        for &step in self.program.outgoing(situation.locations[thread]) {
            if self.stays_stuck(situation, step, written) {
                continue;
            }
            touched.add_step(&self.footprints, step);
            for to in self.program.transition(step).destinations() {
                let mask = self.waits.mask(to, |condition| {
                    let reads = &self.waits.conditions()[condition].reads;
                    situation.fails[condition] && !reads.iter().any(|&var| written.contains(var))
                });
                let (program, waits, footprints) = (self.program, &self.waits, &self.footprints);
                let ahead = self.ahead.entry((to, mask));
                touched.add(ahead.or_insert_with(|| Rc::new(waits.touched(program, footprints, to, mask))));
            }
        }
    }

    /// Whether the guard of a next step fails and goes on failing if some variables are written.
    fn stays_stuck(&self, situation: &Situation, step: TransId, written: &Vars) -> bool {
        situation.stuck.contains(&step) && !self.guards[step.index()].iter().any(|&var| written.contains(var))
    }

    /// What the next moves of a set touch, if others write these variables before.
    fn next_moves(&self, situation: &Situation, inside: &[bool], written: &Vars) -> Touched {
        let mut next = Touched::new(self.program.variables.len());
        for thread in (0..inside.len()).filter(|&thread| inside[thread]) {
            situation.buffered[thread].iter().for_each(|&var| next.writes.insert(var));
            for &step in self.program.outgoing(situation.locations[thread]) {
                if !self.stays_stuck(situation, step, written) {
                    next.add_step(&self.footprints, step);
                }
            }
        }
        next
    }
}
