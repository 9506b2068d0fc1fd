//! The abstract reachability forest: nodes with regions, a state of the scheduler, and a sleep set.
//!
//! A [region](RegionId) is a conjunction of predicates, kept once. Invariant: what a node's regions say holds
//! in every state that some state of its parent leads to by the edge; they never change. A node whose regions
//! have to is closed, and a new one takes its place.

use std::rc::Rc;

use super::stretch::StretchId;
use super::touch::Touch;
use crate::program::{LocId, Program, ThreadId};
use crate::reach::intern::Interner;
use crate::reach::tree::{NodeId, Tree};
use crate::scheduler::State;
use crate::term::TermId;

/// Where the threads are, and the state of the scheduler: by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ControlId(u32);

impl ControlId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where the threads are, and the state of the scheduler.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Control {
    pub locations: Vec<LocId>,
    pub scheduler: State,
}

/// A conjunction of predicates, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct RegionId(u32);

/// How a node comes from its parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge {
    /// Where nobody runs at the parent: the decision of the scheduler, by its position among all (rule E2, a
    /// connector).
    pub choice: Option<u32>,
    /// What the running thread then did (rule E1).
    pub stretch: StretchId,
}

/// A decision of the scheduler that is followed, and who sleeps after it.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub choice: u32,
    pub sleep: Rc<[Sleeper]>,
}

/// A thread whose next block need not be followed, and what that block touches.
#[derive(Clone, Debug)]
pub(super) struct Sleeper {
    pub thread: ThreadId,
    pub touches: Rc<Touch>,
}

/// The regions of a node: one for each thread, and the global one last.
pub(super) type Regions = Rc<[RegionId]>;

/// What a node is besides its place in the tree.
pub(super) struct Node {
    pub control: ControlId,
    /// The edge from the parent.
    pub edge: Option<Edge>,
    pub regions: Regions,
    /// In the order of threads.
    pub sleep: Rc<[Sleeper]>,
    /// Where nobody runs, once it is expanded.
    pub turns: Vec<Turn>,
}

/// The forest.
pub(super) struct Forest {
    pub tree: Tree,
    nodes: Vec<Node>,
    controls: Interner<Control>,
    regions: Interner<Vec<TermId>>,
    /// For each control, the nodes that have it, oldest first.
    at: Vec<Vec<NodeId>>,
}

impl Forest {
    /// The initial node alone.
    pub fn new(program: &Program, scheduler: State) -> Forest {
        let mut forest = Forest {
            tree: Tree::default(),
            nodes: Vec::new(),
            controls: Interner::default(),
            regions: Interner::default(),
            at: Vec::new(),
        };
        let nothing = forest.region(Vec::new());
        let regions = vec![nothing; program.threads.len() + 1].into();
        let locations = program.threads.iter().map(|thread| thread.entry).collect();
        let control = forest.control_id(Control { locations, scheduler });
        forest.put(Tree::ROOT, Node { control, edge: None, regions, sleep: Rc::new([]), turns: Vec::new() });
        forest
    }

    /// The forest with nothing but its root, which has other regions.
    pub fn restart(&mut self, regions: Regions) {
        let control = self.nodes[0].control;
        self.tree = Tree::default();
        self.nodes.clear();
        self.at.iter_mut().for_each(Vec::clear);
        self.put(Tree::ROOT, Node { control, edge: None, regions, sleep: Rc::new([]), turns: Vec::new() });
    }

    fn put(&mut self, id: NodeId, node: Node) {
        self.at[node.control.index()].push(id);
        self.nodes.push(node);
        debug_assert_eq!(self.nodes.len(), id.index() + 1);
    }

    /// A new node below another.
    pub fn add(&mut self, parent: NodeId, edge: Edge, node: Node) -> NodeId {
        let id = self.tree.add(parent);
        self.put(id, Node { edge: Some(edge), ..node });
        id
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// A decision of the scheduler is to be followed at a node.
    pub fn add_turn(&mut self, id: NodeId, turn: Turn) {
        self.nodes[id.index()].turns.push(turn);
    }

    /// The number of a control.
    pub fn control_id(&mut self, control: Control) -> ControlId {
        let id = ControlId(self.controls.number(control));
        self.at.resize_with(self.controls.len(), Vec::new);
        id
    }

    pub fn control(&self, id: ControlId) -> &Control {
        self.controls.value(id.0)
    }

    /// Where the threads are at a node, and the state of the scheduler.
    pub fn control_of(&self, id: NodeId) -> &Control {
        self.control(self.node(id).control)
    }

    /// The number of a region: its predicates, sorted.
    pub fn region(&mut self, facts: Vec<TermId>) -> RegionId {
        RegionId(self.regions.number(facts))
    }

    /// The predicates of a region, sorted.
    pub fn facts(&self, region: RegionId) -> &[TermId] {
        self.regions.value(region.0)
    }

    /// What some regions of a node say together, sorted.
    pub fn union(&self, regions: impl IntoIterator<Item = RegionId>) -> Vec<TermId> {
        let mut facts: Vec<TermId> =
            regions.into_iter().flat_map(|region| self.facts(region).iter().copied()).collect();
        facts.sort_unstable();
        facts.dedup();
        facts
    }

    /// Nodes older than this one with its control that are open, oldest first.
    pub fn older_alike(&self, id: NodeId) -> Vec<NodeId> {
        let alike = self.at[self.node(id).control.index()].iter().copied();
        alike.take_while(|&other| other < id).filter(|&other| self.tree.is_open(other)).collect()
    }

    /// The nodes below a node that still count.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.tree.children(id).iter().copied().filter(|&child| !self.tree.is_closed(child))
    }
}
