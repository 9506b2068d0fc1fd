//! Trees whose nodes may cover one another: the shape of an unfolding.
//!
//! A node that is covered needs no children: whatever follows it follows its coverer too. It may have some
//! all the same, from before it was covered; these are in its *shadow* and count no more than it does, until
//! it loses its cover. A node can also be closed for good, when nothing reaches it. Nodes that are neither
//! covered, closed nor in a shadow are *open*.
//!
//! Invariant: every coverer is open, and older than what it covers. Who takes a cover away, or casts a shadow
//! on a coverer, is told which nodes are open again, and has to look at them once more (the printed algorithm
//! of Wachter, Kroening and Ouaknine forgets them).

/// A node; the smaller the number, the older the node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// Position among all nodes, in the order of their creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug, Default)]
struct Node {
    parent: Option<NodeId>,
    depth: u32,
    children: Vec<NodeId>,
    covered_by: Option<NodeId>,
    covers: Vec<NodeId>,
    /// Nothing reaches it.
    closed: bool,
    /// Some node above it is covered or closed.
    shadowed: bool,
}

/// A tree with covers. There is always a root.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree { nodes: vec![Node::default()] }
    }
}

impl Tree {
    /// The oldest node.
    pub const ROOT: NodeId = NodeId(0);

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: there is always a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes, oldest first.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// A new node below an open one.
    pub fn add(&mut self, parent: NodeId) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes"));
        let depth = self.node(parent).depth + 1;
        self.nodes.push(Node { parent: Some(parent), depth, ..Node::default() });
        self.node_mut(parent).children.push(id);
        id
    }

    /// Removes the youngest node, which covers nothing and is not covered.
    pub fn remove_youngest(&mut self) {
        let node = self.nodes.pop().expect("not empty");
        debug_assert!(node.covers.is_empty() && node.covered_by.is_none() && node.children.is_empty());
        let parent = node.parent.expect("the root stays");
        self.node_mut(parent).children.pop();
    }

    /// The node above.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.node(node).parent
    }

    /// The nodes directly below, oldest first.
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        &self.node(node).children
    }

    /// Number of edges from the root.
    pub fn depth(&self, node: NodeId) -> usize {
        self.node(node).depth as usize
    }

    /// What covers a node.
    pub fn covered_by(&self, node: NodeId) -> Option<NodeId> {
        self.node(node).covered_by
    }

    /// The nodes that a node covers.
    pub fn covers(&self, node: NodeId) -> &[NodeId] {
        &self.node(node).covers
    }

    /// Whether nothing reaches a node.
    pub fn is_closed(&self, node: NodeId) -> bool {
        self.node(node).closed
    }

    /// Whether a node is neither covered, closed, nor below one that is.
    pub fn is_open(&self, node: NodeId) -> bool {
        let node = self.node(node);
        !node.closed && !node.shadowed && node.covered_by.is_none()
    }

    /// Whether a node is below one that is covered or closed.
    pub fn is_shadowed(&self, node: NodeId) -> bool {
        self.node(node).shadowed
    }

    /// The nodes from the root to this one.
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = std::iter::successors(Some(node), |&at| self.parent(at)).collect();
        path.reverse();
        path
    }

    /// The deepest node that is above or equal to both.
    pub fn common_ancestor(&self, a: NodeId, b: NodeId) -> NodeId {
        let (mut a, mut b) = (a, b);
        while a != b {
            // A parent is older than its children, so the younger one of two is not above the other.
            let younger = if a > b { &mut a } else { &mut b };
            *younger = self.parent(*younger).expect("two nodes have the root in common");
        }
        a
    }

    /// Covers an open node by an older open one that is not in its subtree. Gives the nodes that are open
    /// again because their coverer is not any more.
    pub fn cover(&mut self, node: NodeId, by: NodeId) -> Vec<NodeId> {
        debug_assert!(self.is_open(node) && self.is_open(by) && by < node, "{by:?} may not cover {node:?}");
        self.node_mut(node).covered_by = Some(by);
        self.node_mut(by).covers.push(node);
        self.darken(node)
    }

    /// Closes a node for good. Gives the nodes that are open again because their coverer is not any more.
    pub fn close(&mut self, node: NodeId) -> Vec<NodeId> {
        self.node_mut(node).closed = true;
        if let Some(by) = self.node_mut(node).covered_by.take() {
            self.node_mut(by).covers.retain(|&covered| covered != node);
        }
        self.darken(node)
    }

    /// Takes away the cover of a node, if it has one. Gives the nodes that are open again.
    pub fn uncover(&mut self, node: NodeId) -> Vec<NodeId> {
        let mut open = Vec::new();
        if let Some(by) = self.node_mut(node).covered_by.take() {
            self.node_mut(by).covers.retain(|&covered| covered != node);
            self.lighten(node, &mut open);
        }
        open
    }

    /// A node and everything below it cover no more, and what is below is shadowed.
    fn darken(&mut self, node: NodeId) -> Vec<NodeId> {
        let mut lost = std::mem::take(&mut self.node_mut(node).covers);
        let mut below = self.node(node).children.clone();
        while let Some(at) = below.pop() {
            let at = self.node_mut(at);
            lost.append(&mut at.covers);
            if !at.shadowed {
                at.shadowed = true;
                below.extend(&at.children);
            }
        }
        for &node in &lost {
            self.node_mut(node).covered_by = None;
        }
        let mut open = Vec::new();
        for node in lost {
            self.lighten(node, &mut open);
        }
        open
    }

    /// Takes the shadow from everything below a node that has lost its cover, and adds what is open now.
    fn lighten(&mut self, node: NodeId, open: &mut Vec<NodeId>) {
        if !self.is_open(node) {
            return;
        }
        open.push(node);
        let mut below = self.node(node).children.clone();
        while let Some(at) = below.pop() {
            self.node_mut(at).shadowed = false;
            if self.is_open(at) {
                open.push(at);
                below.extend(&self.node(at).children);
            }
        }
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The invariant of the file, computed from nothing but parents and covers.
    fn check(tree: &Tree) {
        for node in tree.ids() {
            let ends = |at: NodeId| tree.is_closed(at) || tree.covered_by(at).is_some();
            let above = std::iter::successors(tree.parent(node), |&at| tree.parent(at));
            assert_eq!(tree.is_shadowed(node), above.into_iter().any(ends), "{node:?}: {tree:?}");
            if let Some(by) = tree.covered_by(node) {
                assert!(
                    by < node && tree.is_open(by) && tree.covers(by).contains(&node),
                    "{node:?}: {tree:?}"
                );
            }
            assert!(tree.covers(node).iter().all(|&covered| tree.covered_by(covered) == Some(node)));
        }
    }

    /// Random operations; whoever is open afterwards and was not before is told.
    #[test]
    fn shadows_come_and_go_with_covers() {
        let mut random = Random::new(3);
        for _ in 0..300 {
            let mut tree = Tree::default();
            for _ in 0..60 {
                let before: Vec<NodeId> = tree.ids().filter(|&node| tree.is_open(node)).collect();
                let all: Vec<NodeId> = tree.ids().collect();
                let (a, b) = (random.pick(&all), random.pick(&all));
                let told = match random.below(6) {
                    0..=2 if tree.is_open(a) => {
                        tree.add(a);
                        continue;
                    }
                    3 if a < b && tree.is_open(a) && tree.is_open(b) => tree.cover(b, a),
                    4 => tree.uncover(a),
                    5 if a != Tree::ROOT && random.below(4) == 0 => tree.close(a),
                    _ => continue,
                };
                check(&tree);
                let new: Vec<NodeId> =
                    tree.ids().filter(|node| tree.is_open(*node) && !before.contains(node)).collect();
                let mut told: Vec<NodeId> = told;
                told.sort_unstable();
                assert_eq!(told, new, "{tree:?}");
            }
        }
    }

    #[test]
    fn the_nearest_common_ancestor_is_found() {
        let mut tree = Tree::default();
        let left = tree.add(Tree::ROOT);
        let right = tree.add(Tree::ROOT);
        let below = tree.add(left);
        let leaf = tree.add(below);
        assert_eq!(tree.common_ancestor(leaf, right), Tree::ROOT);
        assert_eq!(tree.common_ancestor(leaf, left), left);
        assert_eq!(tree.common_ancestor(below, below), below);
        assert_eq!(tree.path(leaf), [Tree::ROOT, left, below, leaf]);
        assert_eq!(tree.depth(leaf), 3);
    }
}
