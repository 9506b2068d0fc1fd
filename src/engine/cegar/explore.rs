//! `FindCounterexample` of Fig. 3 for one view: abstract reachability, cheapest paths first.
//!
//! Paths are explored in the order of fewest mismatches, then length, so that the clauses learnt from
//! spurious ones are short and strong. An abstract state that is implied by one already expanded is not
//! expanded again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::view::View;
use crate::budget::Budget;
use crate::program::{LocId, Program, TransId};
use crate::proof::AbstractState;
use crate::reach::abstraction::Abstraction;
use crate::reach::cube::{CubeId, MaskId};
use crate::reach::intern::Interner;
use crate::smt::GaveUp;

/// What an exploration found.
pub(super) enum Found {
    /// A path to a target, a cheapest one, and how many states were visited.
    Path(Vec<TransId>, u64),
    /// No target is reachable from these states, which are all.
    Nothing(Vec<AbstractState>),
}

/// How often an exploration looks at its budget.
const CHECK_EVERY: usize = 256;

/// Searches a path to a target of the observed thread. It ends with the first: an exploration under a
/// partition that is too coarse is several times as large as the last one. Measured: going on for others
/// costs more than the rounds that they save.
pub(super) fn find_counterexample(
    program: &Program,
    abstraction: &mut Abstraction<'_>,
    view: &View,
    budget: &Budget,
) -> Result<Found, GaveUp> {
    abstraction.set_precision(&view.predicates);
    let mut search = Exploration::new(program, view);
    for cube in abstraction.initial()? {
        search.start(cube);
    }
    while let Some(Reverse((mismatches, length, index))) = search.queue.pop() {
        let index = index as usize;
        if !search.is_new(abstraction, index) {
            continue;
        }
        if view.seeks(search.location(index)) {
            return Ok(Found::Path(search.path_to(index), search.expanded.len() as u64));
        }
        search.expand(abstraction, index, mismatches, length)?;
        if search.expanded.len().is_multiple_of(CHECK_EVERY) {
            budget.check()?;
        }
    }
    Ok(Found::Nothing(search.states(abstraction)))
}

/// Location of the observed thread, by its position, and then the class of each other thread.
type Control = Box<[usize]>;

/// A transition to try, and the control that it leads to.
#[derive(Clone, Copy)]
struct Choice {
    transition: TransId,
    target: u32,
    /// The thread of the environment that takes it, by its component.
    component: Option<usize>,
}

struct Node {
    control: u32,
    cube: CubeId,
    /// Where each environment thread would be if its last step had been real.
    spots: u32,
    parent: Option<(usize, TransId)>,
}

/// Nodes to be looked at, by mismatches, then length, then age.
type Queue = BinaryHeap<Reverse<(u32, u32, u32)>>;

/// An exploration under way.
struct Exploration<'a> {
    program: &'a Program,
    view: &'a View,
    controls: Interner<Control>,
    /// What can happen at some controls.
    choices: Vec<Choice>,
    /// For each control, its choices among these, once known.
    choices_at: Vec<Option<Range<usize>>>,
    spots: Interner<Box<[LocId]>>,
    /// Where a step leads the environment, and whether it began elsewhere.
    moves: FxHashMap<(u32, TransId), (u32, u32)>,
    nodes: Vec<Node>,
    queue: Queue,
    /// The states that were expanded.
    visited: FxHashSet<(u32, CubeId)>,
    /// For each control, what the cubes that were expanded there know.
    masks: Vec<Vec<MaskId>>,
    expanded: Vec<usize>,
}

impl<'a> Exploration<'a> {
    fn new(program: &'a Program, view: &'a View) -> Exploration<'a> {
        Exploration {
            program,
            view,
            controls: Interner::default(),
            choices: Vec::new(),
            choices_at: Vec::new(),
            spots: Interner::default(),
            moves: FxHashMap::default(),
            nodes: Vec::new(),
            queue: Queue::default(),
            visited: FxHashSet::default(),
            masks: Vec::new(),
            expanded: Vec::new(),
        }
    }

    fn start(&mut self, cube: CubeId) {
        let entry = self.program.thread(self.view.observed).entry;
        let at: Vec<LocId> =
            self.view.control.threads.iter().map(|&thread| self.program.thread(thread).entry).collect();
        let classes = at.iter().enumerate().map(|(component, &at)| self.view.control.class(component, at));
        let control = std::iter::once(entry.index()).chain(classes).collect();
        let (control, spots) = (self.controls.number(control), self.spots.number(at.into()));
        self.push((0, 0), Node { control, cube, spots, parent: None });
    }

    fn push(&mut self, (mismatches, length): (u32, u32), node: Node) {
        let index = u32::try_from(self.nodes.len()).expect("memory runs out before");
        self.queue.push(Reverse((mismatches, length, index)));
        self.nodes.push(node);
    }

    fn location(&self, index: usize) -> LocId {
        location(self.controls.value(self.nodes[index].control))
    }

    /// Whether no expanded state contains this one; it then counts as visited.
    fn is_new(&mut self, abstraction: &Abstraction<'_>, index: usize) -> bool {
        let Node { control, cube, .. } = self.nodes[index];
        if self.masks.len() <= control as usize {
            self.masks.resize(self.controls.len(), Vec::new());
        }
        let masks = &mut self.masks[control as usize];
        let visited = |&mask: &MaskId| {
            let weaker = abstraction.weaker(cube, mask);
            weaker.is_some_and(|weaker| self.visited.contains(&(control, weaker)))
        };
        if masks.iter().any(visited) {
            return false;
        }
        self.visited.insert((control, cube));
        let mask = abstraction.mask(cube);
        if !masks.contains(&mask) {
            masks.push(mask);
        }
        true
    }

    fn expand(
        &mut self,
        abstraction: &mut Abstraction<'_>,
        index: usize,
        mismatches: u32,
        length: u32,
    ) -> Result<(), GaveUp> {
        self.expanded.push(index);
        let Node { control, cube, spots, .. } = self.nodes[index];
        for position in self.choices(control) {
            let choice = self.choices[position];
            let image = abstraction.image(choice.transition, cube)?;
            for &cube in abstraction.cubes(image) {
                if self.visited.contains(&(choice.target, cube)) {
                    continue;
                }
                let (spots, cost) = self.moved(spots, choice);
                let parent = Some((index, choice.transition));
                let node = Node { control: choice.target, cube, spots, parent };
                self.push((mismatches + cost, length + 1), node);
            }
        }
        Ok(())
    }

    /// Where the environment is after a step, and whether that step began elsewhere.
    fn moved(&mut self, spots: u32, choice: Choice) -> (u32, u32) {
        let Some(component) = choice.component else { return (spots, 0) };
        let key = (spots, choice.transition);
        if let Some(&known) = self.moves.get(&key) {
            return known;
        }
        let step = self.program.transition(choice.transition);
        let mut at = self.spots.value(spots).clone();
        let before = std::mem::replace(&mut at[component], step.to);
        let moved = (self.spots.number_of(&at[..]), u32::from(before != step.from));
        self.moves.insert(key, moved);
        moved
    }

    /// What can happen at a control, as positions among the choices.
    fn choices(&mut self, control: u32) -> Range<usize> {
        if let Some(Some(known)) = self.choices_at.get(control as usize) {
            return known.clone();
        }
        let first = self.choices.len();
        let here = self.controls.value(control).clone();
        let (location, classes) = (location(&here), &here[1..]);
        let mut after = here.clone();
        if !self.view.excludes_observed(classes) {
            for &transition in self.program.outgoing(location) {
                after[0] = self.program.transition(transition).to.index();
                let target = self.controls.number_of(&after[..]);
                self.choices.push(Choice { transition, target, component: None });
            }
            after[0] = here[0];
        }
        for component in self.view.movable(location, classes) {
            for &transition in &self.view.transitions[component] {
                let step = self.program.transition(transition);
                if self.view.control.class(component, step.from) == classes[component] {
                    after[component + 1] = self.view.control.class(component, step.to);
                    let target = self.controls.number_of(&after[..]);
                    self.choices.push(Choice { transition, target, component: Some(component) });
                }
            }
            after[component + 1] = classes[component];
        }
        let found = first..self.choices.len();
        self.choices_at.resize(self.controls.len(), None);
        self.choices_at[control as usize] = Some(found.clone());
        found
    }

    fn path_to(&self, mut index: usize) -> Vec<TransId> {
        let mut path = Vec::new();
        while let Some((parent, transition)) = self.nodes[index].parent {
            path.push(transition);
            index = parent;
        }
        path.reverse();
        path
    }

    /// The expanded states.
    fn states(&self, abstraction: &Abstraction<'_>) -> Vec<AbstractState> {
        let state = |&index: &usize| {
            let node = &self.nodes[index];
            let control = self.controls.value(node.control);
            let (location, classes) = (location(control), control[1..].to_vec());
            let literals = abstraction.cube(node.cube).literals();
            let literals = literals.map(|(predicate, value)| (abstraction.atom(predicate), value)).collect();
            AbstractState { location, classes, literals }
        };
        self.expanded.iter().map(state).collect()
    }
}

/// Where the observed thread is.
fn location(control: &Control) -> LocId {
    LocId::new(control[0])
}
