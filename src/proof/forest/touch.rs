//! What blocks touch: the checker's own account, as plain as can be.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{LocId, Program, Role, TransId};
use crate::scheduler::{Footprint, Resource, Scheduler, State};
use crate::term::{Node, Pool, TermId, VarId};

/// A variable, or a part of the scheduler's state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Thing {
    Variable(VarId),
    Part(Resource),
}

/// What is read and written of what threads share.
#[derive(Clone, Default, Debug)]
pub(super) struct Touched {
    all: bool,
    reads: BTreeSet<Thing>,
    writes: BTreeSet<Thing>,
}

/// A place of a block: where its thread is, the state of the scheduler, and the private variables that have
/// what calls of the block have answered.
pub(super) type Place = (LocId, State, BTreeMap<VarId, i128>);

/// A block, and the places through which it leads.
pub(super) struct Block {
    pub touched: Touched,
    /// The places at which the thread runs, with those that come next.
    pub places: BTreeMap<Place, Vec<Place>>,
    /// What is awaited where its turn is over.
    pub awaited: BTreeSet<Resource>,
    /// Whether the thread may then go next again.
    pub again: bool,
}

/// More places than this are not looked at.
const MOST_PLACES: usize = 10_000;

impl Touched {
    /// Perhaps anything.
    pub fn anything() -> Touched {
        Touched { all: true, ..Touched::default() }
    }

    /// What one transition touches in a state of the scheduler, when its call has these arguments.
    pub fn step(
        program: &Program,
        scheduler: &dyn Scheduler,
        state: &State,
        id: TransId,
        arguments: &[Option<i64>],
    ) -> Touched {
        let transition = program.transition(id);
        let mut touched = Touched::default();
        let mut open: Vec<TermId> = transition.terms().collect();
        let mut seen = BTreeSet::new();
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            match *program.terms.node(term) {
                Node::Var(var) => {
                    touched.reads.insert(Thing::Variable(var));
                }
                ref node => open.extend(node.children()),
            }
        }
        touched.writes.extend(transition.updates.iter().map(|update| Thing::Variable(update.place.var)));
        let is_common = |thing: &Thing| match thing {
            Thing::Variable(var) => program.variable(*var).role == Role::Shared,
            Thing::Part(_) => true,
        };
        touched.reads.retain(is_common);
        touched.writes.retain(is_common);
        if let Some(call) = &transition.call {
            match scheduler.footprint(state, program.thread_of(id), call.primitive, arguments) {
                Footprint::Everything => touched.all = true,
                Footprint::Of { reads, writes } => {
                    touched.reads.extend(reads.into_iter().map(Thing::Part));
                    touched.writes.extend(writes.into_iter().map(Thing::Part));
                }
            }
        }
        touched
    }

    fn add(&mut self, other: Touched) {
        self.all |= other.all;
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
    }

    /// Everything that a thread may touch from a location on.
    pub fn future(program: &Program, scheduler: &dyn Scheduler, state: &State, location: LocId) -> Touched {
        let mut touched = Touched::default();
        let (mut open, mut seen) = (vec![location], BTreeSet::from([location]));
        while let Some(at) = open.pop() {
            for &id in program.outgoing(at) {
                touched.add(Touched::step(program, scheduler, state, id, &constants(program, id)));
                open.extend(program.transition(id).destinations().filter(|&to| seen.insert(to)));
            }
        }
        touched
    }

    /// What the thread that runs in a state touches until it does not. `None` if that cannot be told.
    pub fn block(
        program: &Program,
        terms: &mut Pool,
        scheduler: &dyn Scheduler,
        start: (LocId, State),
    ) -> Option<Block> {
        let (touched, places, awaited) = (Touched::default(), BTreeMap::new(), BTreeSet::new());
        let mut block = Block { touched, places, awaited, again: false };
        let thread = start.1.running?;
        let mut open = vec![(start.0, start.1, BTreeMap::new())];
        while let Some(place) = open.pop() {
            let (location, state, answers) = &place;
            if state.running != Some(thread) {
                block.awaited.extend(scheduler.awaits(state, thread));
                block.again |= scheduler.next(state).iter().any(|after| after.running == Some(thread));
                continue;
            }
            let over = program.location(*location).is_target();
            if over || block.places.contains_key(&place) {
                continue;
            }
            let mut next = Vec::new();
            for &id in program.outgoing(*location) {
                if is_excluded(program, terms, id, answers) {
                    continue;
                }
                let arguments = constants(program, id);
                block.touched.add(Touched::step(program, scheduler, state, id, &arguments));
                let (mut to, mut after, mut answer) = (program.transition(id).to, state.clone(), None);
                if let Some(call) = &program.transition(id).call {
                    let arguments: Vec<i64> = arguments.into_iter().collect::<Option<_>>()?;
                    match scheduler.execute(&mut after, thread, call.primitive, &arguments) {
                        Ok(value) => answer = call.result.zip(Some(value)),
                        Err(_) => (to, after) = (call.misuse, state.clone()),
                    }
                }
                next.push((to, after, answered(program, id, answers.clone(), answer)));
            }
            open.extend(next.iter().cloned());
            block.places.insert(place, next);
            if block.places.len() > MOST_PLACES {
                return None;
            }
        }
        Some(block)
    }

    /// Whether the two may be done in either order.
    pub fn commutes(&self, other: &Touched) -> bool {
        let idle = |touched: &Touched| !touched.all && touched.reads.is_empty() && touched.writes.is_empty();
        if self.all || other.all {
            return idle(self) || idle(other);
        }
        let apart = |writes: &BTreeSet<Thing>, met: &Touched| {
            writes.is_disjoint(&met.reads) && writes.is_disjoint(&met.writes)
        };
        apart(&self.writes, other) && apart(&other.writes, self)
    }

    /// Whether one of these parts may be written.
    pub fn may_write(&self, parts: &BTreeSet<Resource>) -> bool {
        self.all || parts.iter().any(|&part| self.writes.contains(&Thing::Part(part)))
    }

    /// The parts of the scheduler's state that are touched.
    pub fn parts(&self) -> impl Iterator<Item = Resource> + '_ {
        self.reads.iter().chain(&self.writes).filter_map(|thing| match thing {
            Thing::Part(part) => Some(*part),
            Thing::Variable(_) => None,
        })
    }
}

impl Block {
    /// Whether no place is met twice on a way through the block.
    pub fn has_no_loop(&self) -> bool {
        let mut incoming: BTreeMap<&Place, usize> = self.places.keys().map(|place| (place, 0)).collect();
        for place in self.places.values().flatten() {
            if let Some(count) = incoming.get_mut(place) {
                *count += 1;
            }
        }
        let mut free: Vec<&Place> =
            incoming.iter().filter(|(_, count)| **count == 0).map(|(place, _)| *place).collect();
        let mut left = 0;
        while let Some(place) = free.pop() {
            left += 1;
            for next in &self.places[place] {
                let Some((next, _)) = self.places.get_key_value(next) else { continue };
                let count = incoming.get_mut(next).expect("all places are counted");
                *count -= 1;
                if *count == 0 {
                    free.push(next);
                }
            }
        }
        left == self.places.len()
    }
}

/// Whether a transition cannot be taken where private variables have these values.
fn is_excluded(program: &Program, terms: &mut Pool, id: TransId, answers: &BTreeMap<VarId, i128>) -> bool {
    let guard = terms.substitute(program.transition(id).guard, |terms, var| {
        let word = program.variable(var).sort.as_word()?;
        answers.get(&var).map(|&value| terms.constant(value, word))
    });
    terms.as_bool(guard) == Some(false)
}

/// What is known of answers after a transition, whose call has given one.
fn answered(
    program: &Program,
    id: TransId,
    mut answers: BTreeMap<VarId, i128>,
    answer: Option<(VarId, i64)>,
) -> BTreeMap<VarId, i128> {
    for update in &program.transition(id).updates {
        let var = update.place.var;
        answers.remove(&var);
        let variable = program.variable(var);
        if let Some((from, value)) = answer
            && let (Role::Private(_), Some(word)) = (variable.role, variable.sort.as_word())
            && program.terms.as_var(update.value) == Some(from)
        {
            answers.insert(var, word.wrap(i128::from(value)));
        }
    }
    answers
}

/// The arguments of a transition's call, where they are constants.
fn constants(program: &Program, id: TransId) -> Vec<Option<i64>> {
    let constant = |term: TermId| program.terms.as_const(term).and_then(|value| i64::try_from(value).ok());
    program.transition(id).arguments().map(constant).collect()
}
