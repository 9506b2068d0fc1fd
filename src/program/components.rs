//! Strongly connected components of control flow: the algorithm of Tarjan (1972) with a stack of its own.

use super::{LocId, Program};

const NEW: u32 = u32::MAX;

/// The components of the graph on some locations (sorted), in topological order, each sorted.
pub fn components(program: &Program, members: &[LocId]) -> Vec<Vec<LocId>> {
    let local = |location: LocId| members.binary_search(&location).ok();
    let successors = |from: LocId| program.outgoing(from).iter().map(|&id| program.transition(id).to);
    let edges = members.iter().map(|&from| successors(from).filter_map(local).collect());
    let mut search = Search {
        edges: edges.collect(),
        index: vec![NEW; members.len()],
        low: vec![NEW; members.len()],
        done: vec![false; members.len()],
        open: Vec::new(),
        count: 0,
        found: Vec::new(),
    };
    for start in 0..members.len() {
        if search.index[start] == NEW {
            search.visit(start);
        }
    }
    let located = |component: Vec<usize>| component.into_iter().map(|at| members[at]).collect();
    search.found.into_iter().rev().map(located).collect()
}

struct Search {
    edges: Vec<Vec<usize>>,
    /// When a node was met.
    index: Vec<u32>,
    /// The first node met that is known to be in the same component.
    low: Vec<u32>,
    /// Whether its component is known.
    done: Vec<bool>,
    /// Nodes met whose component is not known.
    open: Vec<usize>,
    count: u32,
    found: Vec<Vec<usize>>,
}

impl Search {
    fn visit(&mut self, start: usize) {
        let mut calls = vec![(start, 0)];
        while let Some((node, next)) = calls.last_mut() {
            let node = *node;
            if *next == 0 {
                (self.index[node], self.low[node]) = (self.count, self.count);
                self.count += 1;
                self.open.push(node);
            }
            if let Some(&child) = self.edges[node].get(*next) {
                *next += 1;
                if self.index[child] == NEW {
                    calls.push((child, 0));
                } else if !self.done[child] {
                    self.low[node] = self.low[node].min(self.index[child]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                self.low[parent] = self.low[parent].min(self.low[node]);
            }
            if self.low[node] == self.index[node] {
                self.close(node);
            }
        }
    }

    /// The component of which this node was met first.
    fn close(&mut self, first: usize) {
        let from = self.open.iter().rposition(|&other| other == first).expect("the node is open");
        let mut component: Vec<usize> = self.open.drain(from..).collect();
        component.iter().for_each(|&at| self.done[at] = true);
        component.sort_unstable();
        self.found.push(component);
    }
}
