//! The abstract reachability tree: nodes with a location vector, a label, and the step that leads to them.
//!
//! A label is a set of truth terms over program variables, all of which hold in every state that reaches the
//! node along its path. Invariant: labels are inductive along edges, and labels only ever grow.

use crate::program::{LocId, Program, TransId};
use crate::reach::intern::Interner;
use crate::reach::symbolic::{Condition, SymbolicState};
use crate::reach::tree::{NodeId, Tree};
use crate::term::{Pool, TermId};

/// A vector of locations, one for each thread, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct VectorId(u32);

impl VectorId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node is besides its place in the tree.
pub(super) struct Node {
    /// Where the threads are.
    pub vector: VectorId,
    /// The step from the parent.
    pub edge: Option<TransId>,
    /// What holds here. Sorted.
    pub label: Vec<TermId>,
    /// The values of the variables on the path to here.
    pub state: SymbolicState,
    /// The conditions of the step from the parent.
    pub conditions: Vec<Condition>,
    /// The path to here was found to be infeasible when the node was made.
    pub infeasible: bool,
    /// The steps that have been followed from here: there is a child, or the label excludes the step.
    pub expanded: Vec<TransId>,
}

/// What a node is before it has a label: nothing is known of the states that reach it.
fn unlabelled(vector: VectorId, state: SymbolicState) -> Node {
    let (edge, label, conditions, expanded) = (None, Vec::new(), Vec::new(), Vec::new());
    Node { vector, edge, label, state, conditions, infeasible: false, expanded }
}

/// The tree.
pub(super) struct Unfolding {
    pub tree: Tree,
    nodes: Vec<Node>,
    vectors: Interner<Vec<LocId>>,
    /// For each vector, the nodes that have it, oldest first.
    at: Vec<Vec<NodeId>>,
}

impl Unfolding {
    /// The root alone, at the threads' entries.
    pub fn new(program: &Program, state: SymbolicState) -> Unfolding {
        let mut unfolding = Unfolding {
            tree: Tree::default(),
            nodes: Vec::new(),
            vectors: Interner::default(),
            at: Vec::new(),
        };
        let vector = unfolding.vector(program.threads.iter().map(|thread| thread.entry).collect());
        unfolding.put(Tree::ROOT, unlabelled(vector, state));
        unfolding
    }

    fn put(&mut self, id: NodeId, node: Node) {
        self.at[node.vector.index()].push(id);
        self.nodes.push(node);
        debug_assert_eq!(self.nodes.len(), id.index() + 1);
    }

    fn vector(&mut self, locations: Vec<LocId>) -> VectorId {
        let id = VectorId(self.vectors.number(locations));
        self.at.resize_with(self.vectors.len(), Vec::new);
        id
    }

    /// A new node below another.
    pub fn add(
        &mut self,
        program: &Program,
        parent: NodeId,
        edge: TransId,
        (conditions, state): (Vec<Condition>, SymbolicState),
        infeasible: bool,
    ) -> NodeId {
        let mut locations = self.locations(parent).to_vec();
        locations[program.thread_of(edge).index()] = program.transition(edge).to;
        let vector = self.vector(locations);
        let id = self.tree.add(parent);
        let node = Node { edge: Some(edge), conditions, infeasible, ..unlabelled(vector, state) };
        self.put(id, node);
        self.nodes[parent.index()].expanded.push(edge);
        id
    }

    /// Removes a node that nothing reaches, if it is the youngest: the label before it excludes the step to
    /// it. Whether it did; its number will then be that of another node.
    pub fn forget(&mut self, id: NodeId) -> bool {
        let goes = self.tree.is_closed(id) && id.index() + 1 == self.nodes.len();
        if goes {
            self.tree.remove_youngest();
            let node = self.nodes.pop().expect("not empty");
            self.at[node.vector.index()].pop();
        }
        goes
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// Where the threads are at a node.
    pub fn locations(&self, id: NodeId) -> &[LocId] {
        self.vectors.value(self.node(id).vector.0)
    }

    /// Nodes older than this one with its locations that are open, oldest first.
    pub fn older_alike(&self, id: NodeId) -> Vec<NodeId> {
        let alike = self.at[self.node(id).vector.index()].iter().copied();
        alike.take_while(|&other| other < id).filter(|&other| self.tree.is_open(other)).collect()
    }

    /// The steps and conditions of the path to a node from one above it.
    pub fn path(&self, from: NodeId, to: NodeId) -> (Vec<NodeId>, Vec<TransId>) {
        let mut nodes = vec![to];
        while *nodes.last().expect("not empty") != from {
            nodes.push(self.tree.parent(*nodes.last().expect("not empty")).expect("`from` is above `to`"));
        }
        nodes.reverse();
        let steps = nodes[1..].iter().map(|&node| self.node(node).edge.expect("not the root")).collect();
        (nodes, steps)
    }

    /// Whether a label says that nothing reaches the node.
    pub fn is_false(&self, terms: &Pool, id: NodeId) -> bool {
        self.node(id).label.iter().any(|&fact| terms.as_bool(fact) == Some(false))
    }
}
