//! `FindCounterexample` of Fig. 3 for one view: abstract reachability, cheapest paths first. Its data are
//! abstract, or, to try a partition, concrete (`data.rs`).
//!
//! Paths are explored in the order of fewest mismatches, then length, so that the clauses learnt from
//! spurious ones are short and strong. An abstract state that is implied by one already expanded is not
//! expanded again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::data::Data;
use super::view::View;
use crate::budget::Budget;
use crate::program::{LocId, Program, TransId};
use crate::proof::AbstractState;
use crate::reach::abstraction::Abstraction;
use crate::reach::intern::Interner;
use crate::reach::valuation::Valuations;
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
    search.start(abstraction)?;
    Ok(match search.run(abstraction, usize::MAX, budget)? {
        Some(target) => Found::Path(search.path_to(target), search.expanded.len() as u64),
        None => Found::Nothing(search.states(abstraction)),
    })
}

/// Most states that a search for runs visits.
const STATES: usize = 1_000;

/// Most runs that it finds: going on costs less than a new partition.
const RUNS: usize = 16;

/// The same on concrete data, among few states, for several paths. No predicate excludes them.
pub(super) fn find_runs(
    program: &Program,
    valuations: &mut Valuations<'_>,
    view: &View,
    budget: &Budget,
) -> Result<Vec<Vec<TransId>>, GaveUp> {
    let mut search = Exploration::new(program, view);
    search.start(valuations)?;
    let mut found = Vec::new();
    while found.len() < RUNS
        && let Some(target) = search.run(valuations, STATES, budget)?
    {
        found.push(search.path_to(target));
    }
    Ok(found)
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

struct Node<S> {
    control: u32,
    data: S,
    /// Where each environment thread would be if its last step had been real.
    spots: u32,
    parent: Option<(usize, TransId)>,
}

/// Nodes to be looked at, by mismatches, then length, then age.
type Queue = BinaryHeap<Reverse<(u32, u32, u32)>>;

/// An exploration under way.
struct Exploration<'a, D: Data> {
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
    nodes: Vec<Node<D::State>>,
    queue: Queue,
    /// The states that were expanded.
    visited: FxHashSet<(u32, D::State)>,
    /// For each control, the shapes of the data that were expanded there.
    shapes: Vec<Vec<D::Shape>>,
    expanded: Vec<usize>,
}

impl<'a, D: Data> Exploration<'a, D> {
    fn new(program: &'a Program, view: &'a View) -> Exploration<'a, D> {
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
            shapes: Vec::new(),
            expanded: Vec::new(),
        }
    }

    /// Goes on until a target is found, or there are no more states, or too many.
    fn run(&mut self, data: &mut D, most: usize, budget: &Budget) -> Result<Option<usize>, GaveUp> {
        while let Some(Reverse((mismatches, length, index))) = self.queue.pop() {
            let index = index as usize;
            if !self.is_new(data, index) {
                continue;
            }
            if self.view.seeks(self.location(index)) {
                return Ok(Some(index));
            }
            if self.expanded.len() == most {
                return Ok(None);
            }
            self.expand(data, index, mismatches, length)?;
            if self.expanded.len().is_multiple_of(CHECK_EVERY) {
                budget.check()?;
            }
        }
        Ok(None)
    }

    /// From the initial states.
    fn start(&mut self, data: &mut D) -> Result<(), GaveUp> {
        let entry = self.program.thread(self.view.observed).entry;
        let at: Vec<LocId> =
            self.view.environment.iter().map(|&thread| self.program.thread(thread).entry).collect();
        let classes = at.iter().enumerate().map(|(component, &at)| self.view.class(component, at));
        let control = std::iter::once(entry.index()).chain(classes).collect();
        let (control, spots) = (self.controls.number(control), self.spots.number(at.into()));
        for data in data.initial()? {
            self.push((0, 0), Node { control, data, spots, parent: None });
        }
        Ok(())
    }

    fn push(&mut self, (mismatches, length): (u32, u32), node: Node<D::State>) {
        let index = u32::try_from(self.nodes.len()).expect("memory runs out before");
        self.queue.push(Reverse((mismatches, length, index)));
        self.nodes.push(node);
    }

    fn location(&self, index: usize) -> LocId {
        location(self.controls.value(self.nodes[index].control))
    }

    /// Whether no expanded state contains this one; it then counts as visited.
    fn is_new(&mut self, data: &D, index: usize) -> bool {
        let Node { control, data: state, .. } = self.nodes[index];
        if self.shapes.len() <= control as usize {
            self.shapes.resize(self.controls.len(), Vec::new());
        }
        let shapes = &mut self.shapes[control as usize];
        let visited = |&shape: &D::Shape| {
            let weaker = data.weaker(state, shape);
            weaker.is_some_and(|weaker| self.visited.contains(&(control, weaker)))
        };
        if shapes.iter().any(visited) {
            return false;
        }
        self.visited.insert((control, state));
        let shape = data.shape(state);
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
        true
    }

    fn expand(&mut self, data: &mut D, index: usize, mismatches: u32, length: u32) -> Result<(), GaveUp> {
        self.expanded.push(index);
        let Node { control, data: state, spots, .. } = self.nodes[index];
        for position in self.choices(control) {
            let choice = self.choices[position];
            let image = data.image(choice.transition, state)?;
            for &data in data.states(image) {
                if self.visited.contains(&(choice.target, data)) {
                    continue;
                }
                let (spots, cost) = self.moved(spots, choice);
                let parent = Some((index, choice.transition));
                let node = Node { control: choice.target, data, spots, parent };
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
                if self.view.class(component, step.from) == classes[component] {
                    after[component + 1] = self.view.class(component, step.to);
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
}

impl<'p> Exploration<'_, Abstraction<'p>> {
    /// The expanded states.
    fn states(&self, abstraction: &Abstraction<'p>) -> Vec<AbstractState> {
        let state = |&index: &usize| {
            let node = &self.nodes[index];
            let control = self.controls.value(node.control);
            let (location, classes) = (location(control), control[1..].to_vec());
            let literals = abstraction.cube(node.data).literals();
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
