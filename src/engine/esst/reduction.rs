//! Partial-order reduction: Algorithms 1 and 3, persistent sets and sleep sets of blocks.
//!
//! *Persistent*: of the threads that may go next only some are let go, such that whatever the others can do before does not
//! concern the next blocks of these. The set is found as a stubborn set of threads: it has, with a thread that could go, all whose future
//! conflicts with its next block; with a thread that could not, all that may bring about what it waits for. It depends on
//! locations and the state of the scheduler alone, so that a node and its coverer have the same. Which one is smallest is
//! found by trying every thread as the first.
//!
//! *Sleep*: a thread that was let go before need not be let go after another one, for as long as nothing is done that its next
//! block depends on. The paper takes a block as a whole here; we look at the operations that were really done.
//!
//! Both rest on what the scheduler says of its primitives. Where it fixes an order of threads for ever by letting one go, the order of two
//! blocks always matters, and there is no reduction.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Reduction;
use super::block::{Block, Blocks};
use super::forest::{Control, ControlId, Sleeper};
use super::touch::{Cell, Touch};
use crate::program::{Program, ThreadId, TransId};
use crate::scheduler::{Scheduler, State};
use crate::term::Pool;

/// What may come next where nobody runs.
pub(super) struct Decision {
    /// The states that the scheduler gives.
    pub states: Vec<State>,
    /// For each of them, what the thread that then runs touches, if that is of use.
    pub blocks: Vec<Option<Rc<Touch>>>,
    /// Those that suffice, by position: all, or those of a persistent set.
    pub chosen: Vec<u32>,
}

impl Decision {
    /// The thread that runs after a choice.
    pub fn thread(&self, choice: u32) -> ThreadId {
        self.states[choice as usize].running.expect("the scheduler lets a thread run")
    }

    /// The positions of all choices.
    pub fn all(&self) -> std::ops::Range<u32> {
        0..self.states.len() as u32
    }
}

/// What is needed to decide.
pub(super) struct Reducer {
    scheduler: &'static dyn Scheduler,
    pub reduction: Reduction,
    blocks: Blocks,
    decisions: FxHashMap<ControlId, Rc<Decision>>,
}

impl Reducer {
    /// For the transitions of a program, with conditions as they count.
    pub fn new(
        program: &Program,
        terms: &mut Pool,
        scheduler: &'static dyn Scheduler,
        reduction: Reduction,
    ) -> Reducer {
        let reduction = if scheduler.leaves_order_open() { reduction } else { Reduction::None };
        let blocks = Blocks::new(program, terms, scheduler);
        Reducer { scheduler, reduction, blocks, decisions: FxHashMap::default() }
    }

    /// What may come next at a control where nobody runs.
    pub fn decision(&mut self, program: &Program, id: ControlId, control: &Control) -> Rc<Decision> {
        if let Some(known) = self.decisions.get(&id) {
            return Rc::clone(known);
        }
        let states = self.scheduler.next(&control.scheduler);
        let decision = Rc::new(self.decide(program, control, states));
        self.decisions.insert(id, Rc::clone(&decision));
        decision
    }

    fn decide(&mut self, program: &Program, control: &Control, states: Vec<State>) -> Decision {
        let all: Vec<u32> = (0..states.len() as u32).collect();
        let threads: Vec<ThreadId> =
            states.iter().map(|state| state.running.expect("the scheduler lets a thread run")).collect();
        let distinct = (1..threads.len()).all(|at| !threads[..at].contains(&threads[at]));
        if states.len() < 2 || self.reduction == Reduction::None || !distinct {
            let blocks = vec![None; states.len()];
            return Decision { states, blocks, chosen: all };
        }
        let block = |(thread, state): (&ThreadId, &State)| {
            self.blocks.block(program, control.locations[thread.index()], state)
        };
        let blocks: Vec<Block> = threads.iter().zip(&states).map(block).collect();
        let chosen = match self.reduction.has_persistent_sets() {
            true => {
                let futures = self.blocks.futures(program, &control.scheduler);
                self.persistent(program, control, &futures, &threads, &blocks).unwrap_or(all)
            }
            false => all,
        };
        let blocks = blocks.into_iter().map(|block| Some(Rc::new(block.touches))).collect();
        Decision { states, blocks, chosen }
    }

    /// Algorithm 1, from every thread; the smallest set that is not all.
    fn persistent(
        &self,
        program: &Program,
        control: &Control,
        futures: &[Touch],
        enabled: &[ThreadId],
        blocks: &[Block],
    ) -> Option<Vec<u32>> {
        let closure = |&first: &ThreadId| self.closure(program, control, futures, enabled, blocks, first);
        let sets = enabled.iter().filter_map(closure);
        sets.min_by_key(Vec::len).filter(|set| set.len() < enabled.len())
    }

    /// The choices of a stubborn set with a thread in it; none if that could never end.
    fn closure(
        &self,
        program: &Program,
        control: &Control,
        futures: &[Touch],
        enabled: &[ThreadId],
        blocks: &[Block],
        first: ThreadId,
    ) -> Option<Vec<u32>> {
        let mut inside = vec![false; program.threads.len()];
        inside[first.index()] = true;
        let mut open = vec![first];
        while let Some(thread) = open.pop() {
            let position = enabled.iter().position(|&other| other == thread);
            if position.is_some_and(|at| !blocks[at].ends) {
                return None;
            }
            let awaited = match position {
                Some(_) => Vec::new(),
                None => self.scheduler.awaits(&control.scheduler, thread),
            };
            for other in program.thread_ids() {
                let future = &futures[control.locations[other.index()].index()];
                let needed = match position {
                    Some(at) => blocks[at].touches.conflicts(future),
                    None => {
                        future.everything
                            || awaited.iter().any(|&part| future.writes.contains(&Cell::Part(part)))
                    }
                };
                if needed && !inside[other.index()] {
                    inside[other.index()] = true;
                    open.push(other);
                }
            }
        }
        Some((0..).zip(enabled).filter(|(_, thread)| inside[thread.index()]).map(|(at, _)| at).collect())
    }

    /// Those of some sleepers that are not concerned by an operation in a state of the scheduler.
    pub fn still_asleep(
        &self,
        program: &Program,
        state: &State,
        (origin, arguments): (TransId, &[i64]),
        sleep: &Rc<[Sleeper]>,
    ) -> Rc<[Sleeper]> {
        if sleep.is_empty() {
            return Rc::clone(sleep);
        }
        let arguments: Vec<Option<i64>> = arguments.iter().copied().map(Some).collect();
        let touches = self.blocks.step(program, state, origin, &arguments);
        let wakes = |sleeper: &Sleeper| sleeper.touches.conflicts(&touches);
        if !sleep.iter().any(wakes) {
            return Rc::clone(sleep);
        }
        sleep.iter().filter(|sleeper| !wakes(sleeper)).cloned().collect()
    }
}

