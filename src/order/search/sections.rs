//! Critical sections of locks, as far as they are begun and ended.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::super::bits::members;
use super::super::reason::Atom;
use super::super::relation::{Relation, common, contains, insert, remove};
use super::{Done, Edge, Origin, PartialOrders};

/// The sections of a cell that are begun or ended.
#[derive(Debug, Default)]
pub(super) struct Lock {
    /// The nodes where sections begin and end.
    acquires: Vec<u64>,
    releases: Vec<u64>,
    /// By these nodes, sections that begin there, and those that end there, with the literals.
    begun: FxHashMap<u32, Option<Atom>>,
    ended_at: FxHashMap<u32, Vec<(u32, Option<Atom>)>>,
    /// By where a section begins, where it ends.
    ended: FxHashMap<u32, Vec<(u32, Option<Atom>)>>,
}

impl PartialOrders {
    pub(super) fn begin(&mut self, cell: u32, node: u32, literal: Option<Atom>) {
        let lock = self.locks.get_mut(&cell).expect("a lock");
        if contains(&lock.acquires, node as usize) {
            return;
        }
        insert(&mut lock.acquires, node as usize);
        lock.begun.insert(node, literal);
        self.done.push(Done::Begin { cell, node });
        self.reconsider(cell, node, node);
    }

    pub(super) fn end(&mut self, cell: u32, node: u32, at: u32, literal: Option<Atom>) {
        let lock = self.locks.get_mut(&cell).expect("a lock");
        let ended = lock.ended.entry(node).or_default();
        if ended.iter().any(|&(end, _)| end == at) {
            return;
        }
        ended.push((at, literal));
        insert(&mut lock.releases, at as usize);
        lock.ended_at.entry(at).or_default().push((node, literal));
        self.done.push(Done::End { cell, node, at });
        self.reconsider(cell, node, at);
    }

    /// Looks at a section again that has begun or ended: what comes after it, and what comes before one of
    /// its ends.
    fn reconsider(&mut self, cell: u32, acquire: u32, end: u32) {
        let PartialOrders { locks, relation, queue, excluding, .. } = self;
        if !*excluding {
            return;
        }
        let (lock, is_new) = (&locks[&cell], |edge: &Edge| is_new(relation, edge));
        lock.ordered(acquire, relation.after(acquire as usize), is_new, queue);
        let mut only = vec![0; relation.width()];
        insert(&mut only, end as usize);
        for earlier in common(relation.before(end as usize), &lock.acquires) {
            lock.ordered(earlier as u32, &only, is_new, queue);
        }
    }

    /// Looks at all sections, since they exclude each other now.
    pub(super) fn consider_all(&mut self) {
        let PartialOrders { locks, relation, queue, .. } = self;
        for lock in locks.values() {
            for acquire in members(lock.acquires.iter().copied()) {
                lock.ordered(acquire as u32, relation.after(acquire), |edge| is_new(relation, edge), queue);
            }
        }
    }
}

fn is_new(relation: &Relation, edge: &Edge) -> bool {
    !relation.ordered(edge.from as usize, edge.to as usize)
}

impl Lock {
    /// No section is begun, in a graph whose sets have this many words.
    pub(super) fn new(width: usize) -> Lock {
        Lock { acquires: vec![0; width], releases: vec![0; width], ..Lock::default() }
    }

    /// What follows for sections if one that may have begun, at `acquire`, comes before these nodes, as far
    /// as that is new.
    pub(super) fn ordered(
        &self,
        acquire: u32,
        later: &[u64],
        is_new: impl Fn(&Edge) -> bool,
        queue: &mut VecDeque<Edge>,
    ) {
        let Some(&begun) = self.begun.get(&acquire) else { return };
        let ends = self.ended.get(&acquire).map_or(&[][..], Vec::as_slice);
        for other in common(later, &self.acquires).map(|other| other as u32) {
            let next = self.begun[&other];
            let edges = ends.iter().map(|&(from, ended)| {
                let origin = Origin::Section { from: acquire, to: other, literals: [ended, next] };
                Edge { from, to: other, origin }
            });
            queue.extend(edges.filter(&is_new));
        }
        for release in common(later, &self.releases).map(|release| release as u32) {
            let others = self.ended_at[&release].iter().filter(|(other, _)| *other != acquire);
            let edges = others.map(|&(to, ended)| {
                let origin = Origin::Section { from: acquire, to: release, literals: [begun, ended] };
                Edge { from: acquire, to, origin }
            });
            queue.extend(edges.filter(&is_new));
        }
    }

    /// The section that began at a node has not begun.
    pub(super) fn reopen(&mut self, node: u32) {
        remove(&mut self.acquires, node as usize);
        self.begun.remove(&node);
    }

    /// The section that began at a node has not ended at another.
    pub(super) fn resume(&mut self, node: u32, at: u32) {
        self.ended.get_mut(&node).expect("an ended section").pop();
        let ended = self.ended_at.get_mut(&at).expect("an ended section");
        ended.pop();
        if ended.is_empty() {
            remove(&mut self.releases, at as usize);
        }
    }
}
