//! What threads touch: in their next block, and in all that is still to come.
//!
//! A *block* is what a thread does from getting its turn to giving it up. Which operations these are depends
//! on the state of the scheduler, since a primitive that may block need not: so blocks are found by going
//! through the thread's control flow and having the scheduler execute its calls. Both branches of every
//! branch are followed, so that what is found depends on locations and the scheduler's state alone, never on
//! regions. Whatever another thread changes of what a block reads of the scheduler is in conflict with the
//! block.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::touch::Touch;
use crate::program::{LocId, Program, ThreadId, TransId, guards_cover};
use crate::scheduler::{Footprint, Resource, Scheduler, State};
use crate::term::{Pool, TermId};

/// So many places of a block are looked at before it counts as everything.
const MOST_PLACES: usize = 4096;

/// The next block of a thread.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// What it may touch.
    pub touches: Touch,
    /// Whether it certainly ends: nobody else runs after a block that does not.
    pub ends: bool,
    /// What has to be written before the thread can go on after it.
    pub awaits: BTreeSet<Resource>,
    /// Whether the thread may go on after it although nobody else did anything.
    pub goes_on: bool,
}

/// What the threads of a program touch.
pub(super) struct Blocks {
    scheduler: &'static dyn Scheduler,
    /// For each transition, what it does to variables.
    data: Vec<Touch>,
    /// For each location, whether one of the steps that leave it can always be taken.
    open: Vec<bool>,
    /// For what all calls touch, what threads may touch from each location on.
    futures: Vec<(Vec<Footprint>, Futures)>,
}

/// For each location, what its thread may touch from there on.
pub(super) type Futures = Rc<[Touch]>;

impl Blocks {
    /// For the transitions of a program, with conditions as they count.
    pub fn new(program: &Program, terms: &mut Pool, scheduler: &'static dyn Scheduler) -> Blocks {
        let data = program.transitions.iter().map(|step| Touch::of_data(program, step)).collect();
        let open = program.location_ids().map(|location| is_open(program, terms, location)).collect();
        Blocks { scheduler, data, open, futures: Vec::new() }
    }

    /// What a transition touches in a state of the scheduler, when its call has these arguments.
    pub fn step(&self, program: &Program, state: &State, id: TransId, arguments: &[Option<i64>]) -> Touch {
        let mut touch = self.data[id.index()].clone();
        if let Some(call) = &program.transition(id).call {
            let caller = program.thread_of(id);
            touch.add_call(&self.scheduler.footprint(state, caller, call.primitive, arguments));
        }
        touch
    }

    /// What threads may touch from each location on, in a state of the scheduler.
    pub fn futures(&mut self, program: &Program, state: &State) -> Futures {
        let footprint = |id: TransId| {
            let call = program.transition(id).call.as_ref()?;
            let arguments = arguments(program, id);
            Some(self.scheduler.footprint(state, program.thread_of(id), call.primitive, &arguments))
        };
        let calls: Vec<Footprint> = program.transition_ids().filter_map(footprint).collect();
        if let Some((_, known)) = self.futures.iter().find(|(other, _)| *other == calls) {
            return Rc::clone(known);
        }
        let futures: Futures = self.all_futures(program, state).into();
        self.futures.push((calls, Rc::clone(&futures)));
        futures
    }

    fn all_futures(&self, program: &Program, state: &State) -> Vec<Touch> {
        let step = |id: TransId| self.step(program, state, id, &arguments(program, id));
        let own: Vec<Touch> = program.transition_ids().map(step).collect();
        let mut futures = vec![Touch::default(); program.locations.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for id in program.transition_ids() {
                let transition = program.transition(id);
                let mut touch = own[id.index()].clone();
                transition.destinations().for_each(|to| {
                    touch.add(&futures[to.index()]);
                });
                changed |= futures[transition.from.index()].add(&touch);
            }
        }
        futures
    }

    /// The block of the thread that runs in a state of the scheduler and stands at a location.
    pub fn block(&self, program: &Program, location: LocId, state: &State) -> Block {
        let awaits = BTreeSet::new;
        let found = Block { touches: Touch::default(), ends: true, awaits: awaits(), goes_on: false };
        let mut walk = Walk { blocks: self, program, found, seen: FxHashMap::default() };
        let thread = state.running.expect("a thread runs");
        match walk.visit(thread, location, state.clone()) {
            Some(()) => walk.found,
            None => Block { touches: Touch::everything(), ends: false, awaits: awaits(), goes_on: true },
        }
    }
}

/// The arguments of a transition's call, as far as they are constants.
fn arguments(program: &Program, id: TransId) -> Vec<Option<i64>> {
    let value = |term: TermId| program.terms.as_const(term).and_then(|value| i64::try_from(value).ok());
    program.transition(id).arguments().map(value).collect()
}

/// Whether one of the steps that leave a location can always be taken.
fn is_open(program: &Program, terms: &mut Pool, location: LocId) -> bool {
    let steps = || program.outgoing(location).iter().map(|&step| program.transition(step));
    let guards: Vec<TermId> = steps().map(|step| step.guard).collect();
    steps().all(|step| step.ranges.is_empty()) && guards_cover(terms, &guards)
}

/// A walk through a block.
struct Walk<'a> {
    blocks: &'a Blocks,
    program: &'a Program,
    found: Block,
    /// The places that were met, and whether they have been left.
    seen: FxHashMap<(LocId, State), bool>,
}

impl Walk<'_> {
    /// Goes on from a place at which the thread still runs. `None` if there is too much to see, or too little
    /// known.
    fn visit(&mut self, thread: ThreadId, location: LocId, state: State) -> Option<()> {
        if self.program.location(location).is_target() {
            return Some(());
        }
        let mut stack =
            vec![Visit { steps: self.steps(thread, location, &state)?, place: (location, state) }];
        self.seen.insert(stack[0].place.clone(), false);
        while let Some(top) = stack.last_mut() {
            let Some((to, after)) = top.steps.pop() else {
                self.seen.insert(stack.pop().expect("not empty").place, true);
                continue;
            };
            if after.running != Some(thread) {
                let next = self.blocks.scheduler.next(&after);
                self.found.goes_on |= next.iter().any(|state| state.running == Some(thread));
                self.found.awaits.extend(self.blocks.scheduler.awaits(&after, thread));
                continue;
            }
            if self.program.location(to).is_target() {
                continue;
            }
            match self.seen.get(&(to, after.clone())) {
                Some(true) => {}
                Some(false) => self.found.ends = false,
                None if self.seen.len() >= MOST_PLACES => return None,
                None => {
                    let steps = self.steps(thread, to, &after)?;
                    self.seen.insert((to, after.clone()), false);
                    stack.push(Visit { steps, place: (to, after) });
                }
            }
        }
        Some(())
    }

    /// Where the steps from a place lead; takes note of what they touch.
    fn steps(&mut self, thread: ThreadId, location: LocId, state: &State) -> Option<Vec<(LocId, State)>> {
        self.found.ends &= self.blocks.open[location.index()];
        let mut next = Vec::new();
        for &id in self.program.outgoing(location) {
            let transition = self.program.transition(id);
            let arguments = arguments(self.program, id);
            self.found.touches.add(&self.blocks.step(self.program, state, id, &arguments));
            let Some(call) = &transition.call else {
                next.push((transition.to, state.clone()));
                continue;
            };
            let arguments: Vec<i64> = arguments.into_iter().collect::<Option<_>>()?;
            let mut after = state.clone();
            match self.blocks.scheduler.execute(&mut after, thread, call.primitive, &arguments) {
                Ok(_) => next.push((transition.to, after)),
                Err(_) => next.push((call.misuse, state.clone())),
            }
        }
        Some(next)
    }
}

/// A place of a block, and where it still leads.
struct Visit {
    place: (LocId, State),
    steps: Vec<(LocId, State)>,
}
