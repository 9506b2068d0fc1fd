//! What threads touch: in their next block, and in all that is still to come.
//!
//! A *block* is what a thread does from getting its turn to giving it up. Which operations these are
//! depends on the state of the scheduler, since a primitive that may block need not: so blocks are found by
//! going through the thread's control flow and having the scheduler execute its calls. Branches that ask
//! for what a call of the block has answered are decided, both branches of all others are followed, so that
//! what is found depends on locations and the scheduler's state alone, never on regions. Whatever another
//! thread changes of what a block reads of the scheduler is in conflict with the block.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::touch::Touch;
use crate::program::{LocId, Program, Role, ThreadId, TransId, guards_cover};
use crate::scheduler::{Footprint, Resource, Scheduler, State};
use crate::term::{Pool, TermId, VarId};

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
    pub fn block(&self, program: &Program, terms: &mut Pool, location: LocId, state: &State) -> Block {
        let awaits = BTreeSet::new;
        let found = Block { touches: Touch::default(), ends: true, awaits: awaits(), goes_on: false };
        let mut walk = Walk { blocks: self, program, terms, found, seen: FxHashMap::default() };
        let thread = state.running.expect("a thread runs");
        match walk.visit(thread, Spot { location, state: state.clone(), answers: BTreeMap::new() }) {
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

/// A place of a block.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Spot {
    location: LocId,
    state: State,
    /// Private variables that have what calls of the block answered.
    answers: BTreeMap<VarId, TermId>,
}

/// A walk through a block.
struct Walk<'a> {
    blocks: &'a Blocks,
    program: &'a Program,
    terms: &'a mut Pool,
    found: Block,
    /// The places that were met, and whether they have been left.
    seen: FxHashMap<Spot, bool>,
}

impl Walk<'_> {
    /// Goes on from a place at which the thread still runs. `None` if there is too much to see, or too
    /// little known.
    fn visit(&mut self, thread: ThreadId, spot: Spot) -> Option<()> {
        if self.program.location(spot.location).is_target() {
            return Some(());
        }
        let mut stack = vec![Visit { next: self.steps(thread, &spot)?, spot }];
        self.seen.insert(stack[0].spot.clone(), false);
        while let Some(top) = stack.last_mut() {
            let Some(spot) = top.next.pop() else {
                self.seen.insert(stack.pop().expect("not empty").spot, true);
                continue;
            };
            if spot.state.running != Some(thread) {
                let next = self.blocks.scheduler.next(&spot.state);
                self.found.goes_on |= next.iter().any(|state| state.running == Some(thread));
                self.found.awaits.extend(self.blocks.scheduler.awaits(&spot.state, thread));
                continue;
            }
            if self.program.location(spot.location).is_target() {
                continue;
            }
            match self.seen.get(&spot) {
                Some(true) => {}
                Some(false) => self.found.ends = false,
                None if self.seen.len() >= MOST_PLACES => return None,
                None => {
                    self.seen.insert(spot.clone(), false);
                    stack.push(Visit { next: self.steps(thread, &spot)?, spot });
                }
            }
        }
        Some(())
    }

    /// Where the steps from a place lead; takes note of what they touch.
    fn steps(&mut self, thread: ThreadId, spot: &Spot) -> Option<Vec<Spot>> {
        self.found.ends &= self.blocks.open[spot.location.index()];
        let mut next = Vec::new();
        for &id in self.program.outgoing(spot.location) {
            let transition = self.program.transition(id);
            let guard = self.terms.substitute(transition.guard, |_, var| spot.answers.get(&var).copied());
            if self.terms.as_bool(guard) == Some(false) {
                continue;
            }
            let arguments = arguments(self.program, id);
            self.found.touches.add(&self.blocks.step(self.program, &spot.state, id, &arguments));
            let (mut location, mut state, mut answer) = (transition.to, spot.state.clone(), None);
            if let Some(call) = &transition.call {
                let arguments: Vec<i64> = arguments.into_iter().collect::<Option<_>>()?;
                match self.blocks.scheduler.execute(&mut state, thread, call.primitive, &arguments) {
                    Ok(result) => answer = call.result.map(|var| (var, result)),
                    Err(_) => (location, state) = (call.misuse, spot.state.clone()),
                }
            }
            let answers = self.answers(spot, id, answer);
            next.push(Spot { location, state, answers });
        }
        Some(next)
    }

    /// What is known of answers after a transition whose call has given one.
    fn answers(&mut self, spot: &Spot, id: TransId, answer: Option<(VarId, i64)>) -> BTreeMap<VarId, TermId> {
        let mut answers = spot.answers.clone();
        for update in &self.program.transition(id).updates {
            let var = update.place.var;
            answers.remove(&var);
            let Some((from, result)) = answer else { continue };
            let is_private = matches!(self.program.variable(var).role, Role::Private(_));
            if is_private && self.terms.as_var(update.value) == Some(from) {
                let word = self.terms.word(update.value);
                answers.insert(var, self.terms.constant(word.wrap(i128::from(result)), word));
            }
        }
        answers
    }
}

/// A place of a block, and those to which it still leads.
struct Visit {
    spot: Spot,
    next: Vec<Spot>,
}
