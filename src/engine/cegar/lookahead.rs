//! Learning from single mismatches, all at once.
//!
//! A partition that is as small as the history allows gets by with whatever the history does not forbid, and
//! teaching it one spurious path a round takes many rounds. So at the first refinement of a view we look ahead: which
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
use super::spots::{Packing, Spots};
use super::view::{View, is_target};
use crate::budget::Budget;
use crate::program::{LocId, Program, TransId};
use crate::reach::abstraction::Abstraction;
use crate::reach::cube::CubeId;

/// Most states that are looked at; what was not found by then the partition learns path by path.
const STATES: usize = 120_000;

/// How often the budget is looked at.
const CHECK_EVERY: usize = 256;

/// For states from which a target is reached: how far it is, and the next step.
type Towards = Vec<Option<(usize, Option<(usize, TransId)>)>>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    spots: Spots,
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
    let Some(packing) = Packing::of(program, view) else { return Ok(Vec::new()) };
    abstraction.set_precision(&view.predicates);
    let spots = packing.entry(program, view);
    let mut search = Search::new(program, view, packing);
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

struct Search<'a> {
    program: &'a Program,
    view: &'a View,
    packing: Packing,
    /// The jumps that are not known to be excluded, for the location of an environment thread.
    jumps_from: FxHashMap<LocId, Rc<[TransId]>>,
    keys: Vec<Key>,
    numbers: FxHashMap<Key, usize>,
    /// Where a state without jump was first reached from.
    parents: Vec<Option<(usize, TransId)>>,
    /// Steps after a jump: from a state, by a transition, to a state.
    steps: Vec<(usize, TransId, usize)>,
    /// From a state without jump, by a transition that starts elsewhere, to a state after a jump.
    jumps: Vec<(usize, TransId, usize)>,
    targets: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, view: &'a View, packing: Packing) -> Search<'a> {
        Search {
            program,
            view,
            packing,
            jumps_from: FxHashMap::default(),
            keys: Vec::new(),
            numbers: FxHashMap::default(),
            parents: Vec::new(),
            steps: Vec::new(),
            jumps: Vec::new(),
            targets: Vec::new(),
        }
    }

    fn node(&mut self, key: Key) -> usize {
        *self.numbers.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.parents.push(None);
            self.keys.len() - 1
        })
    }

    fn location(&self, node: usize) -> LocId {
        self.packing.observed(self.keys[node].spots)
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
        let program = self.program;
        let spots = self.keys[node].spots;
        let observed = self.packing.observed(spots);
        let alone = self.alone(spots);
        if alone.is_none() {
            for &id in program.outgoing(observed) {
                let after = self.packing.observe(spots, program.transition(id).to);
                self.take(abstraction, (node, id), after)?;
            }
        }
        for component in self.movable(observed, alone) {
            for &id in program.outgoing(self.packing.at(spots, component)) {
                if is_ordinary(program, id) {
                    let after = self.packing.moved(spots, component, program.transition(id).to);
                    self.take(abstraction, (node, id), after)?;
                }
            }
        }
        Ok(())
    }

    /// Takes a transition from a state; these are the locations after it.
    fn take(
        &mut self,
        abstraction: &mut Abstraction<'_>,
        (node, id): (usize, TransId),
        after: Spots,
    ) -> Result<(), Interrupt> {
        let Key { cube, jumped, .. } = self.keys[node];
        let image = abstraction.image(id, cube)?;
        for &cube in abstraction.cubes(image) {
            let count = self.keys.len();
            let next = self.node(Key { spots: after, cube, jumped });
            if jumped {
                self.steps.push((node, id, next));
            } else if next == count {
                self.parents[next] = Some((node, id));
            }
        }
        Ok(())
    }

    /// Jumps from the states without jump.
    fn jump(&mut self, abstraction: &mut Abstraction<'_>) -> Result<(), Interrupt> {
        for node in 0..self.keys.len() {
            let Key { spots, cube, .. } = self.keys[node];
            for component in self.movable(self.packing.observed(spots), self.alone(spots)) {
                for &id in self.jumps_from(component, self.packing.at(spots, component)).iter() {
                    let after = self.packing.moved(spots, component, self.program.transition(id).to);
                    let image = abstraction.image(id, cube)?;
                    for &cube in abstraction.cubes(image) {
                        let next = self.node(Key { spots: after, cube, jumped: true });
                        self.jumps.push((node, id, next));
                    }
                }
            }
        }
        Ok(())
    }

    /// The first environment thread that stands at an atomic location.
    fn alone(&self, spots: Spots) -> Option<usize> {
        let is_atomic = |&component: &usize| self.program.location(self.packing.at(spots, component)).atomic;
        (0..self.view.environment.len()).find(is_atomic)
    }

    /// The environment threads that may move.
    fn movable(&self, observed: LocId, alone: Option<usize>) -> std::ops::Range<usize> {
        match alone {
            _ if self.program.location(observed).atomic => 0..0,
            Some(component) => component..component + 1,
            None => 0..self.view.environment.len(),
        }
    }

    /// The pair of locations that a jump confuses.
    fn pair(&self, node: usize, id: TransId) -> (LocId, LocId) {
        let from = self.program.transition(id).from;
        let component = self.view.component(self.program.thread_of(id)).expect("a thread of the environment");
        let at = self.packing.at(self.keys[node].spots, component);
        (at.min(from), at.max(from))
    }

    /// The transitions of an environment thread that start elsewhere than where it is, and are not known to be told apart.
    fn jumps_from(&mut self, component: usize, here: LocId) -> Rc<[TransId]> {
        let (program, view) = (self.program, self.view);
        let jumps = self.jumps_from.entry(here).or_insert_with(|| {
            let fits = |id: &&TransId| {
                let from = program.transition(**id).from;
                from != here && !view.knows(from, here)
            };
            view.transitions[component].iter().filter(fits).copied().collect()
        });
        Rc::clone(jumps)
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
        let (firsts, before) = self.steps_by_end();
        let mut known: Towards = vec![None; self.keys.len()];
        let mut queue: VecDeque<usize> = self.targets.iter().copied().collect();
        for &target in &self.targets {
            known[target] = Some((0, None));
        }
        while let Some(node) = queue.pop_front() {
            let distance = known[node].expect("in the queue because it is known").0;
            for &(previous, transition) in &before[firsts[node]..firsts[node + 1]] {
                if known[previous].is_none() {
                    known[previous] = Some((distance + 1, Some((node, transition))));
                    queue.push_back(previous);
                }
            }
        }
        known
    }

    /// The steps after a jump by the state where they end: where those of each state begin, and then start and transition of each.
    fn steps_by_end(&self) -> (Vec<usize>, Vec<(usize, TransId)>) {
        let mut firsts = vec![0; self.keys.len() + 1];
        for &(.., end) in &self.steps {
            firsts[end + 1] += 1;
        }
        for end in 0..self.keys.len() {
            firsts[end + 1] += firsts[end];
        }
        let mut free = firsts.clone();
        let mut sorted = vec![(0, TransId::new(0)); self.steps.len()];
        for &(start, id, end) in &self.steps {
            sorted[free[end]] = (start, id);
            free[end] += 1;
        }
        (firsts, sorted)
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
            let Some((distance, _)) = towards[next] else { continue };
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
        while let Some((_, Some((following, transition)))) = towards[here] {
            path.push(transition);
            here = following;
        }
        path
    }
}

/// Whether a transition leads on, and not to something that is looked for.
fn is_ordinary(program: &Program, id: TransId) -> bool {
    !is_target(program.location(program.transition(id).to).mark.as_ref())
}
