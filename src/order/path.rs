//! Paths of a graph with few literals: a best-first search from one node to another.
//!
//! A path's cost is the number of literals of its edges, counted along the path; what two edges share is
//! counted twice, which only makes the search prefer other paths. Costs are small numbers, so the queue is a
//! list of lists.
//!
//! A stretch of program order within a path needs the guards of its two ends only, if the model preserves it
//! as a whole, and not those of the nodes that the minimal edges pass through. So each partial path knows
//! where its last stretch began.

use super::derive::{Edge, Orders, Origin};
use super::eog::NodeId;
use super::reason::Reason;

/// A path with its reason.
pub(super) struct Path {
    pub(super) reason: Reason,
    pub(super) nodes: Vec<NodeId>,
}

/// A path from the start of a search, by its last edge and the path before.
#[derive(Clone, Copy)]
struct Label {
    node: NodeId,
    /// Where the stretch of program order that ends at `node` began; `node` itself if there is none.
    run: NodeId,
    cost: u32,
    edge: u32,
    parent: u32,
}

/// Stands for the edge and parent of the empty path.
const NONE: u32 = u32::MAX;

/// Partial paths, waiting by cost.
struct PathSearch {
    labels: Vec<Label>,
    waiting: Vec<Vec<u32>>,
    cheapest: usize,
    /// How many paths were followed from each node.
    followed: Vec<u8>,
    limit: u8,
}

impl PathSearch {
    fn new(nodes: usize, from: NodeId, limit: u8) -> PathSearch {
        let start = Label { node: from, run: from, cost: 0, edge: NONE, parent: NONE };
        PathSearch {
            labels: vec![start],
            waiting: vec![vec![0]],
            cheapest: 0,
            followed: vec![0; nodes],
            limit,
        }
    }

    fn push(&mut self, label: Label) {
        if self.followed[label.node.index()] >= self.limit {
            return;
        }
        let cost = label.cost as usize;
        self.waiting.resize_with(self.waiting.len().max(cost + 1), Vec::new);
        self.waiting[cost].push(self.labels.len() as u32);
        self.labels.push(label);
    }

    /// The next path to follow, the latest of the cheapest.
    fn next(&mut self) -> Option<u32> {
        while let Some(list) = self.waiting.get_mut(self.cheapest) {
            let Some(index) = list.pop() else {
                self.cheapest += 1;
                continue;
            };
            let count = &mut self.followed[self.labels[index as usize].node.index()];
            if *count < self.limit {
                *count += 1;
                return Some(index);
            }
        }
        None
    }
}

impl Orders<'_> {
    /// Up to `limit` paths over edges before the `bound`-th, cheapest first.
    pub(super) fn paths(&mut self, from: NodeId, to: NodeId, bound: usize, limit: u8) -> Vec<Path> {
        let mut search = PathSearch::new(self.graph.len(), from, limit);
        let mut found = Vec::new();
        while found.len() < usize::from(limit)
            && let Some(index) = search.next()
        {
            if search.labels[index as usize].node == to {
                found.push(self.path(&search.labels, index));
            } else {
                self.follow(&mut search, index, to, bound);
            }
        }
        self.work.labels += search.labels.len() as u64;
        found
    }

    /// Extends a path by every edge that leads on to the target.
    fn follow(&self, search: &mut PathSearch, index: u32, to: NodeId, bound: usize) {
        let label = search.labels[index as usize];
        let outgoing = &self.outgoing[label.node.index()];
        for &e in outgoing.iter().take_while(|&&e| (e as usize) < bound) {
            let edge = &self.edges[e as usize];
            if edge.to == to || self.closure.ordered(edge.to, to) {
                search.push(self.extended(label, index, edge, e));
            }
        }
    }

    fn extended(&self, label: Label, index: u32, edge: &Edge, e: u32) -> Label {
        let closed = label.cost + self.run_guards(label).count() as u32;
        let (run, cost) = match edge.origin {
            Origin::Program if self.model.preserves(self.graph, label.run, edge.to) => {
                (label.run, label.cost)
            }
            // The stretch does not hold as a whole: the node where it is cut orders it.
            Origin::Program => (label.node, closed),
            _ => (edge.to, closed + self.reasons[e as usize].len() as u32),
        };
        Label { node: edge.to, run, cost, edge: e, parent: index }
    }

    /// The guards that the last stretch of program order needs.
    fn run_guards(&self, label: Label) -> impl Iterator<Item = super::Atom> {
        let ends = if label.run == label.node { [None; 2] } else { [Some(label.run), Some(label.node)] };
        ends.into_iter().flatten().filter_map(|node| self.graph.step(node).guard())
    }

    fn path(&self, labels: &[Label], index: u32) -> Path {
        let last = labels[index as usize];
        let mut reason: Reason = self.run_guards(last).collect();
        let mut nodes = vec![last.node];
        let mut label = last;
        while label.parent != NONE {
            let parent = labels[label.parent as usize];
            let stretch_ends = label.run != parent.run;
            if stretch_ends {
                self.run_guards(parent).for_each(|guard| reason.insert(guard));
            }
            if self.edges[label.edge as usize].origin != Origin::Program {
                reason.extend(&self.reasons[label.edge as usize]);
            }
            nodes.push(parent.node);
            label = parent;
        }
        nodes.reverse();
        Path { reason, nodes }
    }
}
