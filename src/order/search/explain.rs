//! Why orders hold under a partial assignment: paths of edges, and the literals behind them.
//!
//! An edge that was derived rests on a path of edges that were there before it, so that explanations end.

use std::collections::VecDeque;

use super::super::reason::{Atom, Reason};
use super::{Candidate, Edge, Effect, Origin, PartialOrders};

/// Tables for finding paths, kept between calls.
#[derive(Debug)]
pub(super) struct Explainer {
    /// For each node the edge by which it was reached, in the search with this number.
    reached: Vec<(u32, u32)>,
    distance: Vec<u32>,
    number: u32,
    /// For each edge the explanation that it is part of.
    part_of: Vec<u32>,
    explanation: u32,
    open: VecDeque<u32>,
}

impl PartialOrders {
    /// Why a selector was excluded: literals that cannot hold with it.
    pub fn why_excluded(&mut self, selector: Atom) -> Reason {
        let effects = self.effects.get(&selector).into_iter().flatten();
        let link = effects.copied().find_map(|effect| match effect {
            Effect::Link(i) => Some(self.links[i as usize]),
            _ => None,
        });
        let Candidate { write, read, cell, excluded: (bound, between), .. } =
            link.expect("a link's selector");
        let mut atoms = Vec::new();
        let paths = match between {
            None => vec![(read, write, bound)],
            Some(other) => {
                atoms.extend(self.write_guards.get(&(cell, other)));
                vec![(write, other, bound), (other, read, bound)]
            }
        };
        self.explain(paths, atoms)
    }

    /// Why an edge that closes a cycle cannot be.
    pub(super) fn cycle(&mut self, edge: Edge) -> Reason {
        let mut atoms = Vec::new();
        let bound = self.edges.len() as u32;
        let mut paths = Vec::new();
        if edge.from != edge.to {
            paths.push((edge.to, edge.from, bound));
        }
        paths.extend(self.premise(edge, bound, &mut atoms));
        self.explain(paths, atoms)
    }

    /// The literals behind an edge itself, and the path that it was derived from.
    fn premise(&self, edge: Edge, bound: u32, atoms: &mut Vec<Atom>) -> Option<(u32, u32, u32)> {
        let link = |i: u32| &self.links[i as usize];
        let (i, other) = match edge.origin {
            Origin::Program(guard) => {
                atoms.extend(guard);
                return None;
            }
            Origin::ReadFrom(i) => {
                atoms.extend(link(i).selector);
                return None;
            }
            Origin::Section { from, to, literals } => {
                atoms.extend(literals.into_iter().flatten().chain(self.exclusive));
                return Some((from, to, bound));
            }
            Origin::OwnStore(i) | Origin::Rule2(i) => (i, edge.from),
            Origin::Rule3(i) => (i, edge.to),
        };
        atoms.extend(link(i).selector);
        atoms.extend(self.write_guards.get(&(link(i).cell, other)));
        match edge.origin {
            Origin::Rule2(_) => Some((other, link(i).read, bound)),
            Origin::Rule3(_) => Some((link(i).write, other, bound)),
            _ => None,
        }
    }

    /// The literals that make paths hold, each of edges before a bound, besides some that are known.
    fn explain(&mut self, mut paths: Vec<(u32, u32, u32)>, mut atoms: Vec<Atom>) -> Reason {
        self.explainer.explanation += 1;
        self.explainer.part_of.resize(self.edges.len().max(self.explainer.part_of.len()), 0);
        while let Some((from, to, bound)) = paths.pop() {
            for edge in self.path(from, to, bound) {
                let part = &mut self.explainer.part_of[edge as usize];
                if *part != self.explainer.explanation {
                    *part = self.explainer.explanation;
                    paths.extend(self.premise(self.edges[edge as usize], edge, &mut atoms));
                }
            }
        }
        atoms.into_iter().collect()
    }

    /// A path of edges before a bound, with as few as possible that are not program order.
    fn path(&mut self, from: u32, to: u32, bound: u32) -> Vec<u32> {
        let PartialOrders { explainer, edges, outgoing, relation, .. } = self;
        explainer.begin(from);
        while let Some(node) = explainer.open.pop_front() {
            if node == to {
                break;
            }
            let distance = explainer.distance[node as usize];
            for &i in outgoing[node as usize].iter().take_while(|&&i| i < bound) {
                let edge = &edges[i as usize];
                if edge.to != to && !relation.ordered(edge.to as usize, to as usize) {
                    continue;
                }
                let cost = u32::from(!matches!(edge.origin, Origin::Program(None)));
                explainer.reach(edge.to, i, distance, cost);
            }
        }
        let mut path = Vec::new();
        let mut node = to;
        while node != from {
            let (number, edge) = explainer.reached[node as usize];
            assert_eq!(number, explainer.number, "an order has a path");
            path.push(edge);
            node = edges[edge as usize].from;
        }
        path
    }
}

impl Explainer {
    pub(super) fn new(nodes: usize) -> Explainer {
        Explainer {
            reached: vec![(0, 0); nodes],
            distance: vec![0; nodes],
            number: 0,
            part_of: Vec::new(),
            explanation: 0,
            open: VecDeque::new(),
        }
    }

    fn begin(&mut self, from: u32) {
        self.number += 1;
        self.open.clear();
        self.open.push_back(from);
        self.reached[from as usize] = (self.number, u32::MAX);
        self.distance[from as usize] = 0;
    }

    /// A node can be reached by an edge from another at a distance, for a cost of 0 or 1.
    fn reach(&mut self, node: u32, edge: u32, distance: u32, cost: u32) {
        let at = node as usize;
        if self.reached[at].0 == self.number && self.distance[at] <= distance + cost {
            return;
        }
        self.reached[at] = (self.number, edge);
        self.distance[at] = distance + cost;
        match cost {
            0 => self.open.push_front(node),
            _ => self.open.push_back(node),
        }
    }
}
