//! Kernel reasons (SC paper, Section 5.3): which literals make the orders of a cycle hold.
//!
//! The reason of an edge is that of its origin, with the reason of the premise for derived ones; the reason
//! of an order that only transitivity gives is the union over a path. Both are found by a best-first search
//! over paths, fewest literals first. The reason of an edge uses only edges inserted before it, so that no
//! order explains itself.
//!
//! The paper keeps all minimal reasons of all orders. We keep one short reason of each edge, several paths
//! for each cycle, and drop what is subsumed in the end. Two things shorten reasons further: program order
//! from `a` to `b` needs the guards of these two only, not those of the nodes that the minimal edges pass
//! through; and a guard goes when a selector in the same reason implies it.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::derive::{Edge, Orders, Origin};
use super::eog::NodeId;
use super::path::Path;
use super::reason::{Atom, Reason, core_reasons};

/// Paths kept for each node when the reasons of a cycle are looked for.
const PATHS: u8 = 4;

/// After so many partial paths no more cycles are looked at, if one was found.
const LABELS: u64 = 300_000;

/// Why there is no total order: a cycle and the literals that make it hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// These literals cannot all hold.
    pub reason: Reason,
    /// The nodes of the cycle, each before the next, the last before the first. At least two.
    pub cycle: Vec<NodeId>,
}

impl Orders<'_> {
    /// The core kernel reasons of the conflicts, at most `limit`, shortest first.
    pub fn kernels(&mut self, limit: usize) -> Vec<Kernel> {
        self.explain_edges();
        let mut found = Vec::new();
        let stop = self.work.labels + LABELS;
        for edge in self.conflicts.clone() {
            if self.work.labels > stop && !found.is_empty() || found.len() > 4 * limit {
                break;
            }
            found.extend(self.cycles(&edge));
        }
        let mut core = core_reasons(found, |kernel| &kernel.reason);
        core.truncate(limit);
        core
    }

    /// Cycles that an edge closes.
    fn cycles(&mut self, edge: &Edge) -> Vec<Kernel> {
        let whys = self.premises(edge, usize::MAX, PATHS);
        let paths = self.paths(edge.to, edge.from, usize::MAX, PATHS);
        let mut found = Vec::new();
        for path in &paths {
            for why in &whys {
                let mut reason = path.reason.clone();
                reason.extend(why);
                self.drop_implied(&mut reason);
                found.push(Kernel { reason, cycle: path.nodes.clone() });
            }
        }
        core_reasons(found, |kernel| &kernel.reason)
    }

    /// The reason why an established order holds.
    ///
    /// # Panics
    /// If it is not established.
    pub fn reason(&mut self, from: NodeId, to: NodeId) -> Reason {
        self.explain_edges();
        let mut paths = self.paths(from, to, usize::MAX, 1);
        paths.pop().expect("an established order has a path").reason
    }

    /// Finds the reasons of the edges that have none yet.
    fn explain_edges(&mut self) {
        for i in self.reasons.len()..self.edges.len() {
            let edge = self.edges[i].clone();
            let reason = self.premises(&edge, i, 1).pop().expect("a premise has a path");
            self.reasons.push(Rc::new(reason));
        }
    }

    /// Reasons of an edge, from edges before the `bound`-th: that of its origin with up to `limit` of its
    /// premise.
    fn premises(&mut self, edge: &Edge, bound: usize, limit: u8) -> Vec<Reason> {
        let graph = self.graph;
        let link = |i: u32| &graph.links()[i as usize];
        let guards = || graph.step(edge.from).guard().into_iter().chain(graph.step(edge.to).guard());
        let (origin, premise): (Reason, _) = match &edge.origin {
            Origin::Program => (guards().collect(), None),
            Origin::Required(i) => {
                let required = &graph.required()[*i as usize];
                (guards().chain(required.reason.atoms().iter().copied()).collect(), None)
            }
            Origin::ReadFrom(i) => (link(*i).selector.into_iter().collect(), None),
            Origin::OwnStore(i) => (self.with_other(*i, edge.from), None),
            Origin::Rule2(i) => (self.with_other(*i, edge.from), Some((edge.from, link(*i).read))),
            Origin::Rule3(i) => (self.with_other(*i, edge.to), Some((link(*i).write, edge.to))),
            Origin::Split(atom) => ([*atom].into_iter().collect(), None),
            Origin::Refuted(reason) => (Reason::clone(reason), None),
        };
        let Some((from, to)) = premise else { return vec![origin] };
        let paths = self.paths(from, to, bound, limit);
        let with_origin = |mut path: Path| {
            path.reason.extend(&origin);
            self.drop_implied(&mut path.reason);
            path.reason
        };
        paths.into_iter().map(with_origin).collect()
    }

    /// That a link is selected and another node writes its cell.
    pub(super) fn with_other(&self, link: u32, other: NodeId) -> Reason {
        let link = &self.graph.links()[link as usize];
        self.graph.write_guards(other, link.cell).chain(link.selector).collect()
    }

    /// Removes guards that selectors in the same reason imply.
    fn drop_implied(&self, reason: &mut Reason) {
        let selected = reason.atoms().iter().filter_map(|atom| self.implied.get(atom));
        let implied: FxHashSet<Atom> = selected.flatten().copied().collect();
        // A guard that is a selector too stays: it may be what implies the others.
        reason.retain(|atom| !implied.contains(atom) || self.implied.contains_key(atom));
    }
}
