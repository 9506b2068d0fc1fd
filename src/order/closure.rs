//! Reachability of an acyclic graph under insertion of edges (rule 1, transitivity).
//!
//! Two bit matrices, one of successors and one of predecessors, transitively closed at all times. An
//! insertion touches only the rows that change. Rows are shared between copies until they change, so that a
//! search may keep a copy at each of its branches.

use std::rc::Rc;

use super::bits::Bits;
use super::eog::NodeId;

/// The strict order that the inserted edges generate. Never cyclic.
#[derive(Clone, Debug)]
pub struct Closure {
    after: Vec<Rc<Bits>>,
    before: Vec<Rc<Bits>>,
}

impl Closure {
    /// No order among `n` nodes.
    pub fn new(n: usize) -> Closure {
        let empty = Rc::new(Bits::new(n));
        Closure { after: vec![Rc::clone(&empty); n], before: vec![empty; n] }
    }

    /// Whether `a < b`.
    pub fn ordered(&self, a: NodeId, b: NodeId) -> bool {
        self.after[a.index()].contains(b.index())
    }

    /// What comes after a node.
    pub fn after(&self, node: NodeId) -> &Bits {
        &self.after[node.index()]
    }

    /// What comes before a node.
    pub fn before(&self, node: NodeId) -> &Bits {
        &self.before[node.index()]
    }

    /// Adds `a < b` and all that follows.
    ///
    /// # Panics
    /// If `a` is `b` or comes after it.
    pub fn insert(&mut self, a: NodeId, b: NodeId) {
        assert!(a != b && !self.ordered(b, a), "the order stays acyclic");
        if !self.ordered(a, b) {
            spread(&mut self.after, &self.before[a.index()], a, b);
            // The other direction, from the rows as they were: `after[b]` has not changed.
            let later = Rc::clone(&self.after[b.index()]);
            spread(&mut self.before, &later, b, a);
        }
    }
}

/// In the rows of `a` and of its `sources`, adds `b` and the row of `b`.
fn spread(rows: &mut [Rc<Bits>], sources: &Bits, a: NodeId, b: NodeId) {
    let gained = Rc::clone(&rows[b.index()]);
    let is_last = gained.is_empty();
    for i in sources.iter().chain([a.index()]) {
        if !rows[i].contains(b.index()) {
            let row = Rc::make_mut(&mut rows[i]);
            row.insert(b.index());
            // Program order is inserted front to back, with nothing behind yet.
            if !is_last {
                row.union(&gained);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn random_insertions_agree_with_plain_closure() {
        let mut random = Random::new(7);
        for _ in 0..50 {
            let n = 3 + random.below(80);
            let mut closure = Closure::new(n);
            let mut plain = vec![vec![false; n]; n];
            for _ in 0..2 * n {
                let (a, b) = (random.below(n), random.below(n));
                if a == b || plain[b][a] {
                    continue;
                }
                let copy = closure.clone();
                closure.insert(NodeId::new(a), NodeId::new(b));
                assert_eq!(copy.ordered(NodeId::new(a), NodeId::new(b)), plain[a][b]);
                for i in (0..n).filter(|&i| i == a || plain[i][a]).collect::<Vec<_>>() {
                    for j in (0..n).filter(|&j| j == b || plain[b][j]).collect::<Vec<_>>() {
                        plain[i][j] = true;
                    }
                }
            }
            for (i, row) in plain.iter().enumerate() {
                for (j, &expected) in row.iter().enumerate() {
                    assert_eq!(closure.ordered(NodeId::new(i), NodeId::new(j)), expected);
                    assert_eq!(closure.before(NodeId::new(j)).contains(i), expected);
                }
            }
        }
    }
}
