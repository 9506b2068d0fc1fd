//! Learning from single mismatches, all at once.
//!
//! A partition that is as small as the history allows gets by with whatever the history does not forbid, and
//! teaching it one spurious path a round takes many rounds. So at the first control refinement of a view we look ahead: which
//! single mismatches lead to an error? All threads are followed exactly, except that once in a path one environment thread may
//! jump, from its location to the source of any of its transitions. States after the jump are shared by all jumps, so this costs
//! about as much as two explorations without control abstraction. A backward pass from the errors then finds each harmful
//! pair of locations with a shortest path, whose clause is the pair alone: the strongest there is.
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

/// Most states that are looked at; beyond, the partition learns path by path.
const STATES: usize = 60_000;

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

/// A shortest path to a target, if it has no mismatch; else for each harmful pair of locations a shortest path that jumps from one to the
/// other, in order of length. `None` if there are too many states.
pub(super) fn single_mismatch_paths(
    program: &Program,
    abstraction: &mut Abstraction<'_>,
    view: &View,
    budget: &Budget,
) -> Result<Option<Vec<Vec<TransId>>>, Interrupt> {
    abstraction.set_precision(&view.predicates);
    let mut search = Search::new(program, view);
    let entry = program.thread(view.observed).entry;
    let at: Vec<LocId> = view.environment.iter().map(|&thread| program.thread(thread).entry).collect();
    let spots = search.spots.number((entry, at));
    for cube in abstraction.initial()? {
        search.node(Key { spots, cube, jumped: false });
    }
    let mut next = 0;
    while next < search.keys.len() {
        if search.keys.len() > STATES {
            return Ok(None);
        }
        if next.is_multiple_of(CHECK_EVERY) {
            budget.check()?;
        }
        if view.seeks(search.location(next)) {
            if !search.keys[next].jumped {
                return Ok(Some(vec![search.path_to(next)]));
            }
            search.targets.push(next);
        } else {
            search.expand(abstraction, next)?;
        }
        next += 1;
    }
    Ok(Some(search.harmful()))
}

/// Transitions with the locations after them: of threads that are where these start, and of threads that are elsewhere.
#[derive(Default)]
struct Moves {
    real: Vec<(TransId, u32)>,
    jumps: Vec<(TransId, u32)>,
}

struct Search<'a> {
    program: &'a Program,
    view: &'a View,
    /// For each environment thread, its transitions.
    environment: Vec<Vec<TransId>>,
    spots: Interner<Spots>,
    moves: FxHashMap<u32, Rc<Moves>>,
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
            moves: FxHashMap::default(),
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

    fn expand(&mut self, abstraction: &mut Abstraction<'_>, node: usize) -> Result<(), Interrupt> {
        let Key { spots, cube, jumped } = self.keys[node];
        let moves = self.moves(spots);
        for &(id, after) in &moves.real {
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
        for &(id, after) in moves.jumps.iter().filter(|_| !jumped) {
            for &cube in abstraction.image(id, cube)?.iter() {
                let next = self.node(Key { spots: after, cube, jumped: true });
                self.jumps.push((node, id, next));
            }
        }
        Ok(())
    }

    /// What can happen where all threads are at these locations.
    fn moves(&mut self, spots: u32) -> Rc<Moves> {
        if let Some(known) = self.moves.get(&spots) {
            return Rc::clone(known);
        }
        let (location, at) = self.spots.value(spots).clone();
        let atomic = |at: &LocId| self.program.location(*at).atomic;
        let alone = at.iter().position(atomic);
        let mut moves = Moves::default();
        if alone.is_none() {
            for &id in self.program.outgoing(location) {
                let after = (self.program.transition(id).to, at.clone());
                moves.real.push((id, self.spots.number(after)));
            }
        }
        let may_move =
            |component: &usize| !atomic(&location) && alone.is_none_or(|alone| alone == *component);
        for component in (0..at.len()).filter(may_move) {
            for &id in &self.environment[component] {
                let step = self.program.transition(id);
                let mut after = at.clone();
                after[component] = step.to;
                let after = (id, self.spots.number((location, after)));
                match step.from == at[component] {
                    true => moves.real.push(after),
                    false if self.view.knows(at[component], step.from) => {}
                    false => moves.jumps.push(after),
                }
            }
        }
        let moves = Rc::new(moves);
        self.moves.insert(spots, Rc::clone(&moves));
        moves
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
            let from = self.program.transition(id).from;
            let at = self.at(node, from);
            let candidate = (depths[node] + distance, number);
            let known = best.entry((at.min(from), at.max(from))).or_insert(candidate);
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
