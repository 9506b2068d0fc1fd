//! Strongly connected components (R. Tarjan, "Depth-first search and linear graph algorithms", 1972), with a
//! stack of its own.

use super::{LocId, Program};

const NEW: u32 = u32::MAX;

/// The components of control flow between some locations (sorted), in topological order, each sorted.
pub fn control_components(program: &Program, members: &[LocId]) -> Vec<Vec<LocId>> {
    let local = |location: LocId| members.binary_search(&location).ok();
    let successors = |from: LocId| program.outgoing(from).iter().map(|&id| program.transition(id).to);
    let found = components(members.len(), |from| successors(members[from]).filter_map(local).collect());
    found.into_iter().map(|component| component.into_iter().map(|at| members[at]).collect()).collect()
}

/// The components of a graph with so many nodes, those without cycle too, in topological order, each sorted.
pub fn components(nodes: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    let mut search = Search {
        edges: (0..nodes).map(next).collect(),
        index: vec![NEW; nodes],
        low: vec![NEW; nodes],
        done: vec![false; nodes],
        open: Vec::new(),
        count: 0,
        found: Vec::new(),
    };
    for start in 0..nodes {
        if search.index[start] == NEW {
            search.visit(start);
        }
    }
    search.found.reverse();
    search.found
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Two nodes are in one component if each reaches the other.
    #[test]
    fn components_are_what_reaches_itself() {
        let mut random = Random::new(7);
        for _ in 0..300 {
            let count = 1 + random.below(9);
            let edges: Vec<Vec<usize>> =
                (0..count).map(|_| (0..random.below(3)).map(|_| random.below(count)).collect()).collect();
            let reaches = |from: usize| {
                let mut seen = vec![from];
                let mut at = 0;
                while let Some(&node) = seen.get(at) {
                    at += 1;
                    let new: Vec<usize> =
                        edges[node].iter().copied().filter(|to| !seen.contains(to)).collect();
                    seen.extend(new);
                }
                seen
            };
            let mut found = components(count, |node| edges[node].clone());
            let position = |node| found.iter().position(|component| component.contains(&node));
            for (from, targets) in edges.iter().enumerate() {
                assert!(targets.iter().all(|&to| position(from) <= position(to)), "{edges:?}");
            }
            found.sort();
            let mut expected: Vec<Vec<usize>> = (0..count)
                .map(|a| (0..count).filter(|b| reaches(a).contains(b) && reaches(*b).contains(&a)).collect())
                .collect();
            expected.sort();
            expected.dedup();
            assert_eq!(found, expected, "{edges:?}");
        }
    }
}
