//! The states that a look ahead has seen, and the steps between them.
//!
//! States are numbered as they come. Those without jump know where they were first reached from, which makes
//! a tree of shortest paths; of those after a jump all steps are kept, to be followed back from the targets.

use std::collections::VecDeque;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::spots::Spots;
use crate::program::{ThreadId, TransId};
use crate::reach::valuation::ValuationId;

/// A state by number.
pub(super) type NodeId = u32;

/// What tells states apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// Where all threads are.
    pub spots: Spots,
    /// The data.
    pub data: ValuationId,
    /// Whether a thread has jumped.
    pub jumped: bool,
}

/// A transition from a state to a state.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub from: NodeId,
    pub transition: TransId,
    pub to: NodeId,
}

/// The way to a target.
#[derive(Clone, Copy)]
pub(super) struct Way {
    /// How many steps it is.
    pub distance: u32,
    /// The first of them; none at the target.
    pub next: Option<(NodeId, TransId)>,
}

/// There is room for so many states from the start.
const ROOM: usize = 64;

/// States and steps.
pub(super) struct Graph {
    keys: Vec<Key>,
    numbers: FxHashMap<Key, NodeId>,
    /// Where a state without jump was first reached from.
    parents: Vec<Option<(NodeId, TransId)>>,
    /// Steps after a jump.
    pub steps: Vec<Edge>,
    /// From a state without jump, by a transition that starts elsewhere, to a state after a jump.
    pub jumps: Vec<Edge>,
    /// States where a thread is at a target.
    pub targets: Vec<(ThreadId, NodeId)>,
}

impl Graph {
    /// No states.
    pub fn new() -> Graph {
        Graph {
            keys: Vec::with_capacity(ROOM),
            numbers: FxHashMap::with_capacity_and_hasher(ROOM, FxBuildHasher),
            parents: Vec::with_capacity(ROOM),
            steps: Vec::with_capacity(ROOM),
            jumps: Vec::with_capacity(ROOM),
            targets: Vec::new(),
        }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// What is known of a state.
    pub fn key(&self, node: NodeId) -> Key {
        self.keys[node as usize]
    }

    /// The number of a state. If it is new, it was reached from there.
    pub fn node(&mut self, key: Key, parent: Option<(NodeId, TransId)>) -> NodeId {
        *self.numbers.entry(key).or_insert_with(|| {
            let number = NodeId::try_from(self.keys.len()).expect("the number of states is limited");
            self.keys.push(key);
            self.parents.push(parent);
            number
        })
    }

    /// The first path found to a state without jump.
    pub fn path_to(&self, mut node: NodeId) -> Vec<TransId> {
        let mut path = Vec::new();
        while let Some((parent, transition)) = self.parents[node as usize] {
            path.push(transition);
            node = parent;
        }
        path.reverse();
        path
    }

    /// The length of the first path found to each state without jump.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths = Vec::with_capacity(self.keys.len());
        for parent in &self.parents {
            depths.push(parent.map_or(0, |(parent, _)| depths[parent as usize] + 1));
        }
        depths
    }

    /// For each state after a jump from which a thread reaches a target, a shortest way there.
    pub fn ways(&self, thread: ThreadId, steps: &StepsByEnd) -> Vec<Option<Way>> {
        let mut ways = vec![None; self.keys.len()];
        let mut queue = VecDeque::new();
        for &(_, target) in self.targets.iter().filter(|(whose, _)| *whose == thread) {
            ways[target as usize] = Some(Way { distance: 0, next: None });
            queue.push_back(target);
        }
        while let Some(node) = queue.pop_front() {
            let distance = ways[node as usize].expect("in the queue because it is known").distance + 1;
            for &(previous, transition) in steps.to(node) {
                let way = &mut ways[previous as usize];
                if way.is_none() {
                    *way = Some(Way { distance, next: Some((node, transition)) });
                    queue.push_back(previous);
                }
            }
        }
        ways
    }

    /// The steps after a jump by the state where they end.
    pub fn steps_by_end(&self) -> StepsByEnd {
        let mut firsts = vec![0; self.keys.len() + 1];
        for step in &self.steps {
            firsts[step.to as usize + 1] += 1;
        }
        for end in 0..self.keys.len() {
            firsts[end + 1] += firsts[end];
        }
        let mut free = firsts.clone();
        let mut steps = vec![(0, TransId::new(0)); self.steps.len()];
        for step in &self.steps {
            let place = &mut free[step.to as usize];
            steps[*place as usize] = (step.from, step.transition);
            *place += 1;
        }
        StepsByEnd { firsts, steps }
    }
}

/// Steps by the state where they end.
pub(super) struct StepsByEnd {
    /// Where those of each state begin.
    firsts: Vec<u32>,
    /// Start and transition of each.
    steps: Vec<(NodeId, TransId)>,
}

impl StepsByEnd {
    fn to(&self, node: NodeId) -> &[(NodeId, TransId)] {
        &self.steps[self.firsts[node as usize] as usize..self.firsts[node as usize + 1] as usize]
    }
}
