//! A strict order that grows by edges and shrinks back: transitively closed at all times, as bit matrices.
//!
//! What `closure.rs` is for one graph after the other, this is for a search: a change saves the row that it
//! touches, once a level, and going back restores the saved rows. Rows `0..n` are successors, rows `n..2n`
//! predecessors.

use super::bits::members;

/// A strict order on `0..n`. Never cyclic.
#[derive(Debug)]
pub(super) struct Relation {
    n: usize,
    /// Words a row.
    width: usize,
    rows: Vec<u64>,
    /// For each row the level in which it was saved last.
    stamps: Vec<u64>,
    /// The levels that are open, by numbers that never come again; none is level 0, which is never left.
    levels: Vec<(u64, usize)>,
    next_level: u64,
    /// Rows that were changed, oldest first, with their words in `saved`.
    log: Vec<u32>,
    saved: Vec<u64>,
    /// What the last insertion joined.
    sources: Vec<u64>,
    targets: Vec<u64>,
}

impl Relation {
    pub(super) fn new(n: usize) -> Relation {
        let width = n.div_ceil(64);
        Relation {
            n,
            width,
            rows: vec![0; 2 * n * width],
            stamps: vec![0; 2 * n],
            levels: Vec::new(),
            next_level: 1,
            log: Vec::new(),
            saved: Vec::new(),
            sources: vec![0; width],
            targets: vec![0; width],
        }
    }

    /// Words a set has.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Whether `a < b`.
    pub(super) fn ordered(&self, a: usize, b: usize) -> bool {
        contains(self.after(a), b)
    }

    /// What comes after a node.
    pub(super) fn after(&self, node: usize) -> &[u64] {
        self.row(node)
    }

    /// What comes before a node.
    pub(super) fn before(&self, node: usize) -> &[u64] {
        self.row(self.n + node)
    }

    /// Opens a level.
    pub(super) fn push(&mut self) {
        self.levels.push((self.next_level, self.log.len()));
        self.next_level += 1;
    }

    /// Leaves the last level: what was inserted in it is gone.
    pub(super) fn pop(&mut self) {
        let (_, mark) = self.levels.pop().expect("a level is open");
        for row in self.log.drain(mark..).rev() {
            let (start, saved) = (row as usize * self.width, self.saved.len() - self.width);
            self.rows[start..start + self.width].copy_from_slice(&self.saved[saved..]);
            self.saved.truncate(saved);
            self.stamps[row as usize] = 0;
        }
    }

    /// Adds `a < b` and all that follows. Tells `gained` of each node that has new successors or
    /// predecessors, and which.
    ///
    /// # Panics
    /// If they are ordered already, one way or the other.
    pub(super) fn insert(&mut self, a: usize, b: usize, mut gained: impl FnMut(Gain, usize, &[u64])) {
        assert!(a != b && !self.ordered(b, a) && !self.ordered(a, b), "a new order, and no cycle");
        let (mut sources, mut targets) =
            (std::mem::take(&mut self.sources), std::mem::take(&mut self.targets));
        sources.copy_from_slice(self.before(a));
        insert(&mut sources, a);
        targets.copy_from_slice(self.after(b));
        insert(&mut targets, b);
        let mut news = vec![0; self.width];
        for (base, ends, row_end, others, gain) in
            [(0, &sources, b, &targets, Gain::After), (self.n, &targets, a, &sources, Gain::Before)]
        {
            for node in members(ends.iter().copied()) {
                let row = base + node;
                if contains(self.row(row), row_end) {
                    continue;
                }
                self.save(row);
                let words = &mut self.rows[row * self.width..][..self.width];
                for ((word, other), new) in words.iter_mut().zip(others).zip(&mut news) {
                    *new = other & !*word;
                    *word |= other;
                }
                gained(gain, node, &news);
            }
        }
        (self.sources, self.targets) = (sources, targets);
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.rows[row * self.width..][..self.width]
    }

    fn save(&mut self, row: usize) {
        let Some(&(level, _)) = self.levels.last() else { return };
        if self.stamps[row] != level {
            self.stamps[row] = level;
            self.log.push(row as u32);
            self.saved.extend_from_slice(&self.rows[row * self.width..][..self.width]);
        }
    }
}

/// What a node has more of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Gain {
    /// Successors.
    After,
    /// Predecessors.
    Before,
}

/// Whether a number is in a set.
pub(super) fn contains(set: &[u64], i: usize) -> bool {
    set[i / 64] >> (i % 64) & 1 == 1
}

/// Adds a number to a set.
pub(super) fn insert(set: &mut [u64], i: usize) {
    set[i / 64] |= 1 << (i % 64);
}

/// Takes a number out of a set.
pub(super) fn remove(set: &mut [u64], i: usize) {
    set[i / 64] &= !(1 << (i % 64));
}

/// The numbers in both of two sets.
pub(super) fn common<'a>(a: &'a [u64], b: &'a [u64]) -> impl Iterator<Item = usize> + 'a {
    members(a.iter().zip(b).map(|(a, b)| a & b))
}

#[cfg(test)]
mod tests {
    use super::super::closure::Closure;
    use super::super::eog::NodeId;
    use super::*;
    use crate::random::Random;

    #[test]
    fn random_insertions_and_returns_agree_with_the_plain_closure() {
        let mut random = Random::new(11);
        for _ in 0..30 {
            let n = 2 + random.below(90);
            let mut relation = Relation::new(n);
            let mut plain = vec![Closure::new(n)];
            for _ in 0..8 * n {
                match random.below(8) {
                    0 => {
                        relation.push();
                        plain.push(plain[plain.len() - 1].clone());
                    }
                    1 if plain.len() > 1 => {
                        relation.pop();
                        plain.pop();
                    }
                    _ => {}
                }
                let top = plain.last_mut().expect("level 0 stays");
                let (a, b) = (random.below(n), random.below(n));
                if a == b || relation.ordered(a, b) || relation.ordered(b, a) {
                    continue;
                }
                let mut gains = 0;
                relation.insert(a, b, |_, _, news| gains += members(news.iter().copied()).count());
                let count = |closure: &Closure| -> usize {
                    (0..n).map(|i| closure.after(NodeId::new(i)).iter().count()).sum()
                };
                let before = count(top);
                top.insert(NodeId::new(a), NodeId::new(b));
                assert_eq!(gains, 2 * (count(top) - before), "each new pair is told from both ends");
                for i in 0..n {
                    let after: Vec<usize> = members(relation.after(i).iter().copied()).collect();
                    assert_eq!(after, top.after(NodeId::new(i)).iter().collect::<Vec<_>>());
                    let before: Vec<usize> = members(relation.before(i).iter().copied()).collect();
                    assert_eq!(before, top.before(NodeId::new(i)).iter().collect::<Vec<_>>());
                }
            }
        }
    }
}
