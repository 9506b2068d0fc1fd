//! The states that a look ahead has seen, and the steps between them.
//!
//! States are numbered as they come. Those without jump know where they were first reached from, which makes
//! a tree of shortest paths; of those after a jump all steps are kept, to be followed back from the targets.

use std::collections::VecDeque;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::spots::Spots;
use crate::program::TransId;
use crate::reach::cube::CubeId;

/// A state by number.
pub(super) type NodeId = u32;

/// What tells states apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// Where all threads are.
    pub spots: Spots,
    /// The data.
    pub cube: CubeId,
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
    /// Targets after a jump.
    pub targets: Vec<NodeId>,
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

    /// Forgets all, but keeps the room.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.numbers.clear();
        self.parents.clear();
        self.steps.clear();
        self.jumps.clear();
        self.targets.clear();
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

    /// For each state after a jump that reaches a target, a shortest way there.
    pub fn ways(&self) -> Vec<Option<Way>> {
        let mut ways = vec![None; self.keys.len()];
        if self.targets.is_empty() {
            return ways;
        }
        let (firsts, steps) = self.steps_by_end();
        let mut queue: VecDeque<NodeId> = self.targets.iter().copied().collect();
        for &target in &self.targets {
            ways[target as usize] = Some(Way { distance: 0, next: None });
        }
        while let Some(node) = queue.pop_front() {
            let distance = ways[node as usize].expect("in the queue because it is known").distance + 1;
            let ends = firsts[node as usize] as usize..firsts[node as usize + 1] as usize;
            for &(previous, transition) in &steps[ends] {
                let way = &mut ways[previous as usize];
                if way.is_none() {
                    *way = Some(Way { distance, next: Some((node, transition)) });
                    queue.push_back(previous);
                }
            }
        }
        ways
    }

    /// The steps after a jump by the state where they end: where those of each state begin, and then start
    /// and transition of each.
    fn steps_by_end(&self) -> (Vec<u32>, Vec<(NodeId, TransId)>) {
        let mut firsts = vec![0; self.keys.len() + 1];
        for step in &self.steps {
            firsts[step.to as usize + 1] += 1;
        }
        for end in 0..self.keys.len() {
            firsts[end + 1] += firsts[end];
        }
        let mut free = firsts.clone();
        let mut sorted = vec![(0, TransId::new(0)); self.steps.len()];
        for step in &self.steps {
            let place = &mut free[step.to as usize];
            sorted[*place as usize] = (step.from, step.transition);
            *place += 1;
        }
        (firsts, sorted)
    }
}
