//! Derived orders: rules 1 to 3 of the SC paper (Section 4.2, Algorithm 1), kept to a fixpoint.
//!
//! For a link `w ◁ r` and any other write `w'` of the cell, `w'` is not between them:
//!
//! * rule 2: `w' < r` gives `w' < w`;
//! * rule 3: `w < w'` gives `r < w'`;
//! * own stores: if `w'` precedes `r` in their thread then `w' < w`, even where the model does not order
//!   `w' < r` (the store buffer would have answered with `w'`).
//!
//! Rule 1 is the closure's. Invariant: the edges that are kept are acyclic, and the closure is theirs. An
//! edge that would close a cycle is set aside as a [`Edge`] of `conflicts` and derives nothing, where the
//! paper goes on through the cycle: what follows from a contradiction has longer reasons than the
//! contradiction itself. Edges are derived level by level, all that the last level allows before any that
//! needs this one, so that each gets a short derivation; `kernel.rs` reads the reasons off them.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::bits::Bits;
use super::closure::Closure;
use super::eog::{CellId, Graph, Link, NodeId};
use super::model::Model;
use super::program_order::{Density, program_order};
use super::reason::{Atom, Reason};

/// An order and where it comes from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// Comes first.
    pub from: NodeId,
    /// Comes later.
    pub to: NodeId,
    /// Why.
    pub origin: Origin,
}

/// Where an order comes from. Numbers are positions in [`Graph::links`] and [`Graph::required`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// Program order, or the initial state.
    Program,
    /// The caller requires it.
    Required(u32),
    /// A read-from link.
    ReadFrom(u32),
    /// A link whose reader wrote the cell earlier itself: that write, `from`, comes before the link's.
    OwnStore(u32),
    /// Rule 2 for a link and another write, `from`.
    Rule2(u32),
    /// Rule 3 for a link and another write, `to`.
    Rule3(u32),
    /// A case of the exact validation, with its literal.
    Split(Atom),
    /// The other case of a refuted split, with the reason for it.
    Refuted(Rc<Reason>),
}

/// How much work was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Edges of program order and required ones.
    pub base: u64,
    /// Orders derived.
    pub derived: u64,
    /// Levels of derivation.
    pub levels: u64,
    /// Edges set aside because they close a cycle.
    pub conflicts: u64,
    /// Partial paths looked at for reasons.
    pub labels: u64,
    /// Case splits of exact validation.
    pub splits: u64,
}

/// The orders of a graph under a memory model.
#[derive(Debug)]
pub struct Orders<'g> {
    pub(super) graph: &'g Graph,
    pub(super) model: Model,
    pub(super) closure: Closure,
    pub(super) edges: Vec<Edge>,
    /// Outgoing edges of each node, ascending.
    pub(super) outgoing: Vec<Vec<u32>>,
    pub(super) conflicts: Vec<Edge>,
    known_conflicts: FxHashSet<Edge>,
    /// For each cell, the nodes that write it.
    writers: Vec<Bits>,
    /// For each selector, the guards that it implies.
    pub(super) implied: FxHashMap<Atom, Vec<Atom>>,
    /// Reasons of a prefix of the edges.
    pub(super) reasons: Vec<Rc<Reason>>,
    pub(super) work: Work,
}

impl<'g> Orders<'g> {
    /// The program order, required orders and links of a graph; nothing derived yet.
    pub fn new(graph: &'g Graph, model: Model, density: Density) -> Orders<'g> {
        let mut orders = Orders {
            graph,
            model,
            closure: Closure::new(graph.len()),
            edges: Vec::new(),
            outgoing: vec![Vec::new(); graph.len()],
            conflicts: Vec::new(),
            known_conflicts: FxHashSet::default(),
            writers: writers(graph),
            implied: implied(graph),
            reasons: Vec::new(),
            work: Work::default(),
        };
        for (from, to) in program_order(graph, model, density) {
            orders.insert_always(Edge { from, to, origin: Origin::Program });
        }
        for (i, required) in graph.required().iter().enumerate() {
            let origin = Origin::Required(i as u32);
            orders.insert_always(Edge { from: required.before, to: required.after, origin });
        }
        orders.work.base = orders.edges.len() as u64;
        for i in 0..graph.links().len() {
            orders.insert_link(i as u32);
        }
        orders
    }

    /// The graph.
    pub fn graph(&self) -> &'g Graph {
        self.graph
    }

    /// Whether `a < b` is established.
    pub fn ordered(&self, a: NodeId, b: NodeId) -> bool {
        self.closure.ordered(a, b)
    }

    /// The orders established, without those that only transitivity gives.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The derived orders that contradict them.
    pub fn conflicts(&self) -> &[Edge] {
        &self.conflicts
    }

    /// What was done so far.
    pub fn work(&self) -> Work {
        Work { conflicts: self.conflicts.len() as u64, ..self.work }
    }

    /// Derives orders until nothing new follows, or until there are `enough` conflicts. Gives whether there
    /// is none.
    pub fn saturate(&mut self, enough: usize) -> bool {
        while self.conflicts.len() < enough {
            let level = self.derivable();
            if level.is_empty() {
                break;
            }
            self.work.levels += 1;
            for edge in level {
                self.insert(edge);
            }
        }
        self.conflicts.is_empty()
    }

    /// Adds an order, unless it is established; sets it aside if it contradicts.
    pub(super) fn insert(&mut self, edge: Edge) {
        if !self.closure.ordered(edge.from, edge.to) {
            self.insert_always(edge);
        }
    }

    /// Adds an order even if it is established, because it may be a shorter way to say so.
    fn insert_always(&mut self, edge: Edge) {
        if edge.from == edge.to || self.closure.ordered(edge.to, edge.from) {
            if self.known_conflicts.insert(edge.clone()) {
                self.conflicts.push(edge);
            }
            return;
        }
        self.closure.insert(edge.from, edge.to);
        self.outgoing[edge.from.index()].push(self.edges.len() as u32);
        self.work.derived += u64::from(matches!(edge.origin, Origin::Rule2(_) | Origin::Rule3(_)));
        self.edges.push(edge);
    }

    fn insert_link(&mut self, index: u32) {
        let Link { write, read, cell, .. } = self.graph.links()[index as usize];
        if self.model.own_store_orders() || !self.graph.earlier_in_thread(write, read) {
            self.insert_always(Edge { from: write, to: read, origin: Origin::ReadFrom(index) });
        }
        let own = self.graph.writers(cell).iter().rev();
        let own = own.filter(|&&other| other != write && self.graph.earlier_in_thread(other, read));
        for from in own.copied().collect::<Vec<_>>() {
            self.insert(Edge { from, to: write, origin: Origin::OwnStore(index) });
        }
    }

    /// All edges that rules 2 and 3 give from the closure as it is, and that are neither established nor
    /// known conflicts.
    fn derivable(&self) -> Vec<Edge> {
        let mut found = Vec::new();
        for (i, link) in self.graph.links().iter().enumerate() {
            let Some(writers) = self.writers.get(link.cell.index()) else { continue };
            let Link { write, read, .. } = *link;
            let others = |nodes: &'_ Bits, known: &'_ Bits| -> Vec<NodeId> {
                let all = nodes.common_without(writers, known).map(NodeId::new);
                all.filter(|&other| other != write && other != read).collect()
            };
            for from in others(self.closure.before(read), self.closure.before(write)) {
                found.push(Edge { from, to: write, origin: Origin::Rule2(i as u32) });
            }
            for to in others(self.closure.after(write), self.closure.after(read)) {
                found.push(Edge { from: read, to, origin: Origin::Rule3(i as u32) });
            }
        }
        found.retain(|edge| !self.known_conflicts.contains(edge));
        found
    }

    /// Goes back to an earlier state of the edges and the closure, without conflicts.
    pub(super) fn restore(&mut self, closure: Closure, edges: usize) {
        self.closure = closure;
        for edge in self.edges.drain(edges..).rev() {
            self.outgoing[edge.from.index()].pop();
        }
        self.reasons.truncate(edges);
        self.conflicts.clear();
        self.known_conflicts.clear();
    }
}

fn writers(graph: &Graph) -> Vec<Bits> {
    let row = |cell| {
        let mut bits = Bits::new(graph.len());
        graph.writers(CellId::new(cell)).iter().for_each(|node| bits.insert(node.index()));
        bits
    };
    (0..graph.cell_count()).map(row).collect()
}

fn implied(graph: &Graph) -> FxHashMap<Atom, Vec<Atom>> {
    let mut table: FxHashMap<Atom, Vec<Atom>> = FxHashMap::default();
    for link in graph.links() {
        if let Some(selector) = link.selector {
            table.entry(selector).or_default().extend(graph.implied(link));
        }
    }
    table
}
