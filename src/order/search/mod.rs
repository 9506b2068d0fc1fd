//! Orders while a solver searches: what `derive.rs` does with a whole model, done with each literal as it is
//! assigned, and undone when the solver goes back.
//!
//! The graph has every step that may happen and every link that may be selected. Literals that become true
//! select links and let steps and writes happen; rules 1 to 3 are kept to a fixpoint. A cycle gives its
//! reason at once, when a few links are selected, and the solver never makes the rest of such a model. Links
//! that would close a cycle, or that have a write between their ends already, are excluded before they are
//! tried. The papers check models when they are complete; this is the order theory inside the solver that
//! their successors have (He, Sun, Fan: *Satisfiability Modulo Ordering Consistency Theory*, PLDI 2021), with
//! derived orders instead of variables for the order of writes.
//!
//! # Steps that do not happen
//!
//! Program order holds between steps whether they happen or not: a step that does not happen has no links,
//! and can be put anywhere. Only a path through a barrier that does not happen would say too much, or one
//! through a store of several cells where stores overtake each other, which is a barrier here too. So the
//! orders into a barrier hold if it happens, unless the model keeps them all anyway, and pairs around it that
//! the model keeps have an edge of their own.
//!
//! # Critical sections
//!
//! Sections of one lock do not overlap ([`Exclusion`]; the caller knows why). If one is acquired before
//! another is acquired or released, it is released before the other is acquired. The rules above find this
//! out only when the locks' links are selected, one order of all sections after the other.
//!
//! As always, no cycle does not mean that there is an order; [`Orders::validate`](super::Orders::validate)
//! has the last word.

mod explain;
mod prepare;
mod rules;
mod sections;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;

use self::explain::Explainer;
use self::prepare::cell_count;
use self::sections::Lock;
use super::eog::{CellId, Graph, NodeId};
use super::model::Model;
use super::reason::{Atom, Reason};
use super::relation::{Relation, contains, remove};

/// A link that may be selected.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    write: u32,
    read: u32,
    cell: u32,
    selector: Option<Atom>,
    /// Whether the link orders its ends: not if the reader's own store buffer may answer.
    ordered: bool,
    /// If it was excluded: when, and the write between its ends.
    excluded: (u32, Option<u32>),
}

/// What a literal brings about.
#[derive(Clone, Copy, Debug)]
enum Effect {
    /// A link is selected.
    Link(u32),
    /// A node writes a cell.
    Write { cell: u32, node: u32 },
    /// A barrier happens.
    Barrier(u32),
    /// A section begins.
    Begin { cell: u32, node: u32, literal: Option<Atom> },
    /// Sections exclude each other.
    Exclude,
    /// The section that began at a node ends at another.
    End { cell: u32, node: u32, at: u32, literal: Option<Atom> },
}

/// An order and where it comes from; numbers are positions of links.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    origin: Origin,
}

#[derive(Clone, Copy, Debug)]
enum Origin {
    /// Program order, into a barrier that happens under a literal.
    Program(Option<Atom>),
    ReadFrom(u32),
    /// The write `from` precedes the link's reader in its thread.
    OwnStore(u32),
    /// The write `from` comes before the link's read.
    Rule2(u32),
    /// The write `to` comes after the link's write.
    Rule3(u32),
    /// Two sections, because of this order and these literals.
    Section {
        from: u32,
        to: u32,
        literals: [Option<Atom>; 2],
    },
}

/// What is to be undone.
#[derive(Clone, Copy, Debug)]
enum Done {
    Edge,
    Link(u32),
    Write { cell: u32, node: u32 },
    Begin { cell: u32, node: u32 },
    End { cell: u32, node: u32, at: u32 },
    Exclude,
}

/// A critical section: while it lasts no other section of the cell does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exclusion {
    /// The lock.
    pub cell: CellId,
    /// Where it begins.
    pub acquire: NodeId,
    /// The literal that it does.
    pub begun: Option<Atom>,
    /// Where it may end, each with the literal that it begins and ends there.
    pub ends: Vec<(NodeId, Option<Atom>)>,
}

/// How much work was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Cycles found.
    pub cycles: u64,
    /// Links excluded before they were tried.
    pub excluded: u64,
    /// Literals in the reasons of cycles.
    pub literals: u64,
}

/// The orders of a graph under a partial assignment.
#[derive(Debug)]
pub struct PartialOrders {
    relation: Relation,
    links: Vec<Candidate>,
    effects: FxHashMap<Atom, Vec<Effect>>,
    /// Orders into barriers that may or may not happen: from where, under which literal.
    into_barriers: FxHashMap<u32, (Atom, Vec<u32>)>,
    /// The literals of writes that may or may not happen, by cell and node.
    write_guards: FxHashMap<(u32, u32), Atom>,
    /// Thread and position of each node.
    places: Vec<(u32, u32)>,
    own_stores: bool,
    /// For each cell the nodes that write it, as far as they happen.
    writers: Vec<Vec<u64>>,
    /// The cells that are locks, the cells that a node acquires, and what must hold for sections to exclude
    /// each other.
    locks: BTreeMap<u32, Lock>,
    acquired: FxHashMap<u32, Vec<u32>>,
    exclusive: Option<Atom>,
    /// Whether it does.
    excluding: bool,
    edges: Vec<Edge>,
    outgoing: Vec<Vec<u32>>,
    /// Selected links by their write, their read and their cell.
    by_write: Vec<Vec<u32>>,
    by_read: Vec<Vec<u32>>,
    by_cell: Vec<Vec<u32>>,
    /// All links by their write, their read and their cell.
    candidates_by_write: Vec<Vec<u32>>,
    candidates_by_read: Vec<Vec<u32>>,
    candidates_by_cell: Vec<Vec<u32>>,
    selected: Vec<bool>,
    done: Vec<Done>,
    levels: Vec<usize>,
    /// Orders that follow and are not inserted yet.
    queue: VecDeque<Edge>,
    /// Where links may have become impossible.
    touched: Touched,
    explainer: Explainer,
    effort: Effort,
}

/// Nodes whose successors or predecessors have changed, and cells with a new write.
#[derive(Debug, Default)]
struct Touched {
    after: Vec<u32>,
    before: Vec<u32>,
    cells: Vec<u32>,
}

impl PartialOrders {
    /// Nothing is assigned yet; what depends on no literal is there. Sections exclude each other if a literal
    /// holds.
    ///
    /// # Panics
    /// If even that has no order, or the graph has orders that are required for a reason.
    pub fn new(
        graph: &Graph,
        model: Model,
        sections: &[Exclusion],
        exclusive: Option<Atom>,
    ) -> PartialOrders {
        let unconditional = graph.required().iter().all(|required| required.reason.is_empty());
        assert!(unconditional, "conditional orders come from program order and links alone");
        let (n, cells) = (graph.len(), cell_count(graph));
        let relation = Relation::new(n);
        let width = relation.width();
        let mut search = PartialOrders {
            relation,
            links: Vec::new(),
            effects: FxHashMap::default(),
            into_barriers: FxHashMap::default(),
            write_guards: FxHashMap::default(),
            places: vec![(u32::MAX, 0); n],
            own_stores: model.has_store_buffers(),
            writers: vec![vec![0; width]; cells],
            locks: BTreeMap::new(),
            acquired: FxHashMap::default(),
            exclusive,
            excluding: false,
            edges: Vec::new(),
            outgoing: vec![Vec::new(); n],
            by_write: vec![Vec::new(); n],
            by_read: vec![Vec::new(); n],
            by_cell: vec![Vec::new(); cells],
            candidates_by_write: vec![Vec::new(); n],
            candidates_by_read: vec![Vec::new(); n],
            candidates_by_cell: vec![Vec::new(); cells],
            selected: Vec::new(),
            done: Vec::new(),
            levels: Vec::new(),
            queue: VecDeque::new(),
            touched: Touched::default(),
            explainer: Explainer::new(n),
            effort: Effort::default(),
        };
        search.program_order(graph, model);
        let origin = Origin::Program(None);
        let required = graph.required().iter().map(|it| (it.before.index() as u32, it.after.index() as u32));
        search.queue.extend(required.map(|(from, to)| Edge { from, to, origin }));
        let mut certain = Vec::new();
        search.writes(graph, &mut certain);
        search.candidates(graph, model, &mut certain);
        search.sections(sections, &mut certain);
        for effect in certain {
            search.happen(effect);
        }
        search.settle().expect("what is certain has an order");
        search
    }

    /// Opens a level.
    pub fn push(&mut self) {
        self.levels.push(self.done.len());
        self.relation.push();
    }

    /// Leaves the last level: its literals are no longer assigned.
    pub fn pop(&mut self) {
        self.forget();
        self.relation.pop();
        let mark = self.levels.pop().expect("a level is open");
        for done in self.done.drain(mark..).rev() {
            match done {
                Done::Edge => {
                    let edge = self.edges.pop().expect("an edge was inserted");
                    self.outgoing[edge.from as usize].pop();
                }
                Done::Link(i) => {
                    let Candidate { write, read, cell, .. } = self.links[i as usize];
                    self.by_write[write as usize].pop();
                    self.by_read[read as usize].pop();
                    self.by_cell[cell as usize].pop();
                    self.selected[i as usize] = false;
                }
                Done::Write { cell, node } => remove(&mut self.writers[cell as usize], node as usize),
                Done::Exclude => self.excluding = false,
                Done::Begin { cell, node } => self.locks.get_mut(&cell).expect("a lock").reopen(node),
                Done::End { cell, node, at } => self.locks.get_mut(&cell).expect("a lock").resume(node, at),
            }
        }
    }

    /// A literal holds now. To say so again changes nothing.
    pub fn assign(&mut self, atom: Atom) {
        for i in 0..self.effects.get(&atom).map_or(0, Vec::len) {
            self.happen(self.effects[&atom][i]);
        }
    }

    /// Derives what follows from the literals assigned.
    ///
    /// # Errors
    /// If there is no order: literals that cannot all hold.
    pub fn settle(&mut self) -> Result<(), Reason> {
        while let Some(edge) = self.queue.pop_front() {
            let (from, to) = (edge.from as usize, edge.to as usize);
            if from == to || self.relation.ordered(to, from) {
                self.forget();
                let reason = self.cycle(edge);
                self.effort.cycles += 1;
                self.effort.literals += reason.len() as u64;
                return Err(reason);
            }
            if !self.relation.ordered(from, to) {
                self.insert(edge);
            }
        }
        Ok(())
    }

    /// Selectors that cannot hold any more, of those that are open.
    pub fn excluded(&mut self, is_open: impl Fn(Atom) -> bool) -> Vec<Atom> {
        let mut touched = std::mem::take(&mut self.touched);
        let mut found = Vec::new();
        let lists = [
            (&mut touched.after, &self.candidates_by_write),
            (&mut touched.before, &self.candidates_by_read),
            (&mut touched.cells, &self.candidates_by_cell),
        ];
        for (places, candidates) in lists {
            places.sort_unstable();
            places.dedup();
            for i in places.drain(..).flat_map(|place| &candidates[place as usize]) {
                let link = &self.links[*i as usize];
                if let Some(selector) = link.selector
                    && !self.selected[*i as usize]
                    && is_open(selector)
                    && let Some(between) = self.impossible(link)
                {
                    self.links[*i as usize].excluded = (self.edges.len() as u32, between);
                    found.push(selector);
                }
            }
        }
        self.touched = touched;
        self.effort.excluded += found.len() as u64;
        found
    }

    /// What was done so far.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Whether a link cannot be selected, and the write between its ends, if that is why.
    fn impossible(&self, link: &Candidate) -> Option<Option<u32>> {
        let (write, read) = (link.write as usize, link.read as usize);
        if link.ordered && self.relation.ordered(read, write) {
            return Some(None);
        }
        let (after, before) = (self.relation.after(write), self.relation.before(read));
        let writers = &self.writers[link.cell as usize];
        let words = after.iter().zip(before).zip(writers).map(|((a, b), c)| a & b & c);
        let (at, word) = words.enumerate().find(|(_, word)| *word != 0)?;
        Some(Some(at as u32 * 64 + word.trailing_zeros()))
    }

    /// Drops what has not been looked at.
    fn forget(&mut self) {
        self.queue.clear();
        self.touched = Touched::default();
    }

    fn happen(&mut self, effect: Effect) {
        match effect {
            Effect::Link(i) if !self.selected[i as usize] => self.select(i),
            Effect::Write { cell, node } if !contains(&self.writers[cell as usize], node as usize) => {
                self.write(cell, node);
            }
            Effect::Link(_) | Effect::Write { .. } => {}
            Effect::Exclude if self.excluding => {}
            Effect::Exclude => {
                self.excluding = true;
                self.done.push(Done::Exclude);
                self.consider_all();
            }
            Effect::Begin { cell, node, literal } => self.begin(cell, node, literal),
            Effect::End { cell, node, at, literal } => self.end(cell, node, at, literal),
            Effect::Barrier(node) => {
                let Some((guard, before)) = self.into_barriers.get(&node) else { return };
                let origin = Origin::Program(Some(*guard));
                self.queue.extend(before.iter().map(|&from| Edge { from, to: node, origin }));
            }
        }
    }
}
