//! Partial-order reduction: Algorithms 1 and 3, persistent sets and sleep sets of blocks.
//!
//! *Persistent*: of the threads that may go next only some are let go, such that whatever the others can do
//! before does not concern the next blocks of these (`persistent.rs`).
//!
//! *Sleep*: a thread that was let go before need not be let go after another one, for as long as nothing is
//! done that its next block depends on. The paper takes a block as a whole here; we look at the operations
//! that were really done.
//!
//! Both rest on what the scheduler says of its primitives. Where it fixes an order of threads for ever by
//! letting one go, the order of two blocks always matters, and there is no reduction.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Reduction;
use super::block::{Block, Blocks};
use super::forest::{Control, ControlId, Sleeper};
use super::persistent::Field;
use super::touch::Touch;
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
    pub fn decision(
        &mut self,
        program: &Program,
        terms: &mut Pool,
        id: ControlId,
        control: &Control,
    ) -> Rc<Decision> {
        if let Some(known) = self.decisions.get(&id) {
            return Rc::clone(known);
        }
        let decision = Rc::new(self.decide(program, terms, control));
        self.decisions.insert(id, Rc::clone(&decision));
        decision
    }

    fn decide(&mut self, program: &Program, terms: &mut Pool, control: &Control) -> Decision {
        let states = self.scheduler.next(&control.scheduler);
        let all: Vec<u32> = (0..states.len() as u32).collect();
        let threads: Vec<ThreadId> =
            states.iter().map(|state| state.running.expect("the scheduler lets a thread run")).collect();
        let distinct = (1..threads.len()).all(|at| !threads[..at].contains(&threads[at]));
        if states.len() < 2 || self.reduction == Reduction::None || !distinct {
            let blocks = vec![None; states.len()];
            return Decision { states, blocks, chosen: all };
        }
        let block = |(thread, state): (&ThreadId, &State)| {
            self.blocks.block(program, terms, control.locations[thread.index()], state)
        };
        let blocks: Vec<Block> = threads.iter().zip(&states).map(block).collect();
        let chosen = match self.reduction.has_persistent_sets() {
            true => {
                let futures = self.blocks.futures(program, &control.scheduler);
                Field::new(self.scheduler, control, &futures, &threads, &blocks).persistent().unwrap_or(all)
            }
            false => all,
        };
        let blocks = blocks.into_iter().map(|block| Some(Rc::new(block.touches))).collect();
        Decision { states, blocks, chosen }
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
