//! Learning from single mismatches, all at once.
//!
//! A partition that is as small as the history allows gets by with whatever the history does not forbid, and
//! teaching it one spurious path a round takes many rounds. So at the first control refinement of a view we look ahead: which
//! single mismatches lead to an error? All threads are followed exactly, except that once in a path one environment thread may
//! jump, from its location to the source of any of its transitions. If an error is reached without jump, its path is the answer: what is
//! missing are predicates, and finding them here costs little. Else states after the jump, shared by all jumps, are followed, and a
//! backward pass from the errors finds each harmful pair of locations with a shortest path, whose clause is the pair alone:
//! the strongest there is. Where there are very many states, what was found among the first of them counts.
//!
//! The paper has nothing of the kind; its history grows by one path a round.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Interrupt;
use super::view::{View, is_target};
use crate::budget::Budget;
use crate::program::{LocId, Program, TransId};
use crate::reach::abstraction::Abstraction;
use crate::reach::cube::CubeId;
use crate::reach::intern::Interner;

/// Most states that are looked at; what was not found by then the partition learns path by path.
const STATES: usize = 120_000;

/// How often the budget is looked at.
const CHECK_EVERY: usize = 256;

/// The locations of the observed thread and of the environment, exactly.
type Spots = (LocId, Vec<LocId>);

/// For states from which a target is reached: how far it is, and the next step.
type Towards = FxHashMap<usize, (usize, Option<(usize, TransId)>)>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    spots: u32,
    cube: CubeId,
    jumped: bool,
}

/// A shortest path to a target, if it has no mismatch; else, for each pair of locations that was found harmful, a shortest path that
/// jumps from one to the other, in order of length.
pub(super) fn single_mismatch_paths(
    program: &Program,
    abstraction: &mut Abstraction<'_>,
    view: &View,
    budget: &Budget,
) -> Result<Vec<Vec<TransId>>, Interrupt> {
    abstraction.set_precision(&view.predicates);
    let mut search = Search::new(program, view);
    let entry = program.thread(view.observed).entry;
    let at: Vec<LocId> = view.environment.iter().map(|&thread| program.thread(thread).entry).collect();
    let spots = search.spots.number((entry, at));
    for cube in abstraction.initial()? {
        search.node(Key { spots, cube, jumped: false });
    }
    if let Some(target) = search.follow(abstraction, 0, budget)? {
        return Ok(vec![search.path_to(target)]);
    }
    if search.keys.len() <= STATES {
        let real = search.keys.len();
        search.jump(abstraction)?;
        search.follow(abstraction, real, budget)?;
    }
    Ok(search.harmful())
}

/// A transition, and the locations after it.
type Move = (TransId, u32);

struct Search<'a> {
    program: &'a Program,
    view: &'a View,
    /// For each environment thread, its transitions.
    environment: Vec<Vec<TransId>>,
    spots: Interner<Spots>,
    steps: FxHashMap<u32, Rc<[Move]>>,
    jumps_from: FxHashMap<u32, Rc<[Move]>>,
    keys: Vec<Key>,
    numbers: FxHashMap<Key, usize>,
    /// Where a state without jump was first reached from.
    parents: Vec<Option<(usize, TransId)>>,
    /// Where a state after a jump was reached from, after the jump too.
    before: Vec<Vec<(usize, TransId)>>,
    /// From a state without jump, by a transition that starts elsewhere, to a state after a jump.
    jumps: Vec<(usize, TransId, usize)>,
    targets: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, view: &'a View) -> Search<'a> {
        let mut environment = vec![Vec::new(); view.environment.len()];
        for id in program.transition_ids() {
            if let Some(component) = view.component(program.thread_of(id))
                && !is_target(program.location(program.transition(id).to).mark.as_ref())
            {
                environment[component].push(id);
            }
        }
        Search {
            program,
            view,
            environment,
            spots: Interner::default(),
            steps: FxHashMap::default(),
            jumps_from: FxHashMap::default(),
            keys: Vec::new(),
            numbers: FxHashMap::default(),
            parents: Vec::new(),
            before: Vec::new(),
            jumps: Vec::new(),
            targets: Vec::new(),
        }
    }

    fn node(&mut self, key: Key) -> usize {
        *self.numbers.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.parents.push(None);
            self.before.push(Vec::new());
            self.keys.len() - 1
        })
    }

    fn location(&self, node: usize) -> LocId {
        self.spots.value(self.keys[node].spots).0
    }

    /// Takes steps from the states from this one on, until there are no more, or too many. A target without jump, if there is one.
    fn follow(
        &mut self,
        abstraction: &mut Abstraction<'_>,
        first: usize,
        budget: &Budget,
    ) -> Result<Option<usize>, Interrupt> {
        let mut next = first;
        while next < self.keys.len() && self.keys.len() <= STATES {
            if next.is_multiple_of(CHECK_EVERY) {
                budget.check()?;
            }
            if !self.view.seeks(self.location(next)) {
                self.step(abstraction, next)?;
            } else if self.keys[next].jumped {
                self.targets.push(next);
            } else {
                return Ok(Some(next));
            }
            next += 1;
        }
        Ok(None)
    }

    fn step(&mut self, abstraction: &mut Abstraction<'_>, node: usize) -> Result<(), Interrupt> {
        let Key { spots, cube, jumped } = self.keys[node];
        for &(id, after) in self.steps(spots).iter() {
            for &cube in abstraction.image(id, cube)?.iter() {
                let count = self.keys.len();
                let next = self.node(Key { spots: after, cube, jumped });
                if jumped {
                    self.before[next].push((node, id));
                } else if next == count {
                    self.parents[next] = Some((node, id));
                }
            }
        }
        Ok(())
    }

    /// Jumps from the states without jump.
    fn jump(&mut self, abstraction: &mut Abstraction<'_>) -> Result<(), Interrupt> {
        for node in 0..self.keys.len() {
            let Key { spots, cube, .. } = self.keys[node];
            for &(id, after) in self.jumps_from(spots).iter() {
                for &cube in abstraction.image(id, cube)?.iter() {
                    let next = self.node(Key { spots: after, cube, jumped: true });
                    self.jumps.push((node, id, next));
                }
            }
        }
        Ok(())
    }

    /// The pair of locations that a jump confuses.
    fn pair(&self, node: usize, id: TransId) -> (LocId, LocId) {
        let from = self.program.transition(id).from;
        let at = self.at(node, from);
        (at.min(from), at.max(from))
    }

    /// The steps that can happen where all threads are at these locations.
    fn steps(&mut self, spots: u32) -> Rc<[Move]> {
        if let Some(known) = self.steps.get(&spots) {
            return Rc::clone(known);
        }
        let (location, at) = self.spots.value(spots).clone();
        let mut steps = Vec::new();
        if !at.iter().any(|&at| self.program.location(at).atomic) {
            for &id in self.program.outgoing(location) {
                let after = (self.program.transition(id).to, at.clone());
                steps.push((id, self.spots.number(after)));
            }
        }
        self.environment_moves((location, &at), |from, here| from == here, &mut steps);
        let steps: Rc<[Move]> = steps.into();
        self.steps.insert(spots, Rc::clone(&steps));
        steps
    }

    /// The jumps that are not known to be excluded.
    fn jumps_from(&mut self, spots: u32) -> Rc<[Move]> {
        if let Some(known) = self.jumps_from.get(&spots) {
            return Rc::clone(known);
        }
        let (location, at) = self.spots.value(spots).clone();
        let mut jumps = Vec::new();
        let view = self.view;
        self.environment_moves(
            (location, &at),
            |from, here| from != here && !view.knows(from, here),
            &mut jumps,
        );
        let jumps: Rc<[Move]> = jumps.into();
        self.jumps_from.insert(spots, Rc::clone(&jumps));
        jumps
    }

    /// Adds the transitions of environment threads that may move, as far as their source and the thread's location fit.
    fn environment_moves(
        &mut self,
        (location, at): (LocId, &[LocId]),
        fits: impl Fn(LocId, LocId) -> bool,
        moves: &mut Vec<Move>,
    ) {
        let atomic = |at: &LocId| self.program.location(*at).atomic;
        let alone = at.iter().position(atomic);
        if atomic(&location) {
            return;
        }
        for component in (0..at.len()).filter(|component| alone.is_none_or(|alone| alone == *component)) {
            for &id in &self.environment[component] {
                let step = self.program.transition(id);
                if fits(step.from, at[component]) {
                    let mut after = at.to_vec();
                    after[component] = step.to;
                    moves.push((id, self.spots.number((location, after))));
                }
            }
        }
    }

    /// The first path found to a state without jump.
    fn path_to(&self, mut node: usize) -> Vec<TransId> {
        let mut path = Vec::new();
        while let Some((parent, transition)) = self.parents[node] {
            path.push(transition);
            node = parent;
        }
        path.reverse();
        path
    }

    /// For each state after a jump that reaches a target: how far it is, and the next step.
    fn towards_targets(&self) -> Towards {
        let mut known = Towards::default();
        let mut queue: VecDeque<usize> = self.targets.iter().copied().collect();
        known.extend(self.targets.iter().map(|&target| (target, (0, None))));
        while let Some(node) = queue.pop_front() {
            let distance = known[&node].0;
            for &(previous, transition) in &self.before[node] {
                known.entry(previous).or_insert_with(|| {
                    queue.push_back(previous);
                    (distance + 1, Some((node, transition)))
                });
            }
        }
        known
    }

    /// A shortest path for each harmful pair.
    fn harmful(&self) -> Vec<Vec<TransId>> {
        let towards = self.towards_targets();
        let mut depths = vec![0; self.keys.len()];
        for node in 0..self.keys.len() {
            depths[node] = self.parents[node].map_or(0, |(parent, _)| depths[parent] + 1);
        }
        let mut best: BTreeMap<(LocId, LocId), (usize, usize)> = BTreeMap::new();
        for (number, &(node, id, next)) in self.jumps.iter().enumerate() {
            let Some(&(distance, _)) = towards.get(&next) else { continue };
            let candidate = (depths[node] + distance, number);
            let known = best.entry(self.pair(node, id)).or_insert(candidate);
            *known = candidate.min(*known);
        }
        let mut order: Vec<(usize, usize)> = best.into_values().collect();
        order.sort_unstable();
        order.into_iter().map(|(_, jump)| self.path_through(jump, &towards)).collect()
    }

    /// The path to a jump and from there to a target.
    fn path_through(&self, jump: usize, towards: &Towards) -> Vec<TransId> {
        let (node, id, mut here) = self.jumps[jump];
        let mut path = self.path_to(node);
        path.push(id);
        while let Some((following, transition)) = towards[&here].1 {
            path.push(transition);
            here = following;
        }
        path
    }

    /// Where the thread of a location is in a state.
    fn at(&self, node: usize, location: LocId) -> LocId {
        let thread = self.program.location(location).thread;
        let component = self.view.component(thread).expect("a thread of the environment");
        self.spots.value(self.keys[node].spots).1[component]
    }
}
