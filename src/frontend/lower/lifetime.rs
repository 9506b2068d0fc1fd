//! Which ends of locals matter: those after which an address may still be used.
//!
//! An object whose address no variable holds can only be accessed where its name is in scope, or by a thread
//! that was handed the address. So an end matters if another thread accesses the object, or if an access can
//! be reached from the end without the object coming to life in between. All other ends are nothing; for
//! those that matter a variable tells whether the object is there.

use std::collections::{BTreeMap, BTreeSet};

use super::Lower;
use super::code::{NodeId, Op};
use super::memory::ObjectId;
use super::points_to::PointsTo;
use crate::program::ThreadId;

/// What happens to one object.
#[derive(Default)]
struct Uses {
    /// Where its life ends.
    ends: Vec<NodeId>,
    /// Where it may be accessed.
    accesses: BTreeSet<NodeId>,
    /// Who accesses it.
    threads: BTreeSet<ThreadId>,
}

impl<'a> Lower<'a> {
    /// The locals whose ends matter.
    pub(super) fn mortal(&self, points: &PointsTo, nodes: &[NodeId]) -> BTreeSet<ObjectId> {
        let mut uses: BTreeMap<ObjectId, Uses> = BTreeMap::new();
        for &node in nodes {
            if let Op::Dead { object, .. } = self.code.get(node).op {
                uses.entry(object).or_default().ends.push(node);
            }
        }
        if uses.is_empty() {
            return BTreeSet::new();
        }
        for &node in nodes {
            let (Op::Load { from: access, .. } | Op::Store { to: access, .. }) = self.code.get(node).op
            else {
                continue;
            };
            let targets = points.targets(&self.builder.program().terms, &self.memory, access.address);
            for object in targets.keys() {
                if let Some(uses) = uses.get_mut(object) {
                    uses.accesses.insert(node);
                    uses.threads.insert(self.code.get(node).thread);
                }
            }
        }
        let held = points.held();
        uses.retain(|object, uses| {
            held.contains(object) && self.may_outlive(*object, uses) || shared(self, uses)
        });
        uses.into_keys().collect()
    }

    /// Whether an access can follow an end of the object.
    fn may_outlive(&self, object: ObjectId, uses: &Uses) -> bool {
        let mut seen = BTreeSet::new();
        let mut stack = uses.ends.clone();
        while let Some(node) = stack.pop() {
            for next in self.code.get(node).op.next() {
                let next = self.code.skip(next);
                let lives =
                    matches!(self.code.get(next).op, Op::Live { object: other, .. } if other == object);
                if lives || !seen.insert(next) {
                    continue;
                }
                if uses.accesses.contains(&next) {
                    return true;
                }
                stack.push(next);
            }
        }
        false
    }

    /// Takes out the ends of all other objects.
    pub(super) fn forget_ends(&mut self, mortal: &BTreeSet<ObjectId>) {
        for node in &mut self.code.nodes {
            if let Op::Dead { object, next } | Op::Live { object, next } = node.op
                && !mortal.contains(&object)
            {
                node.op = Op::Goto(next);
            }
        }
    }
}

/// Whether a thread accesses the object whose life another one ends.
fn shared(lower: &Lower<'_>, uses: &Uses) -> bool {
    uses.ends.iter().any(|end| uses.threads.iter().any(|thread| *thread != lower.code.get(*end).thread))
}
