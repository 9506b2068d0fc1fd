//! Accesses that a machine makes in two: plain 64-bit loads and stores on a machine with words of 32 bits.
//!
//! The compiler chooses which half comes first, so both orders are there. Only objects that several threads
//! access are concerned, and only accesses outside of atomic sections; nobody could tell otherwise. Atomic
//! accesses are made at once. Which object an address falls on is decided with the first half.

use std::collections::{BTreeMap, BTreeSet};

use super::super::code::{Access, By, NodeId, Op};
use super::super::narrow;
use super::super::resolve::Case;
use super::super::{Lower, memory::ObjectId};
use super::{Emit, PointsTo, scalar_update};
use crate::frontend::DataModel;
use crate::program::{
    Action, Barrier, Event, Init, LocId, Origin, Role, ThreadId, Transition, Update, Variable,
};
use crate::term::{Datum, Sort, TermId, VarId, Word};

/// What such a machine loads and stores at once.
const HALF: Word = Word::unsigned(32);

/// Bits below the first and the second half that is accessed.
const ORDERS: [[i128; 2]; 2] = [[0, 32], [32, 0]];

impl Lower<'_> {
    /// The user's variables of which other threads may see half a store.
    pub(super) fn torn(&self, points: &PointsTo, nodes: &[NodeId]) -> BTreeSet<VarId> {
        let mut users: BTreeMap<ObjectId, BTreeSet<ThreadId>> = BTreeMap::new();
        if self.options.data_model != DataModel::Ilp32 {
            return BTreeSet::new();
        }
        for node in nodes.iter().map(|id| self.code.get(*id)) {
            if let Op::Load { from: access, .. } | Op::Store { to: access, .. } = node.op {
                let targets = points.targets(&self.builder.program().terms, &self.memory, access.address);
                for object in targets.into_keys() {
                    users.entry(object).or_default().insert(node.thread);
                }
            }
        }
        let shared = users.into_iter().filter(|(_, threads)| threads.len() > 1);
        let vars = shared.flat_map(|(id, _)| self.memory.get(id).parts.iter().map(|(_, var)| *var));
        vars.filter(|var| self.builder.program().variable(*var).origin == Origin::User).collect()
    }
}

impl Emit {
    /// Whether a case of an access is made in two halves.
    pub(super) fn is_halved(&self, id: NodeId, access: Access, case: &Case) -> bool {
        let node = self.code.get(id);
        access.by == By::Machine
            && access.size == 8
            && case.shift.is_none()
            && !node.atomic
            && !node.section
            && self.torn.contains(&case.place.var)
    }

    /// Loads one half and then the other.
    pub(super) fn load_halves(&mut self, id: NodeId, (to, word): (VarId, Word), case: &Case, next: NodeId) {
        let half = self.half(id);
        let wide = Word::unsigned(64);
        for [first, second] in ORDERS {
            let pool = self.builder.terms();
            let whole = narrow::current(pool, case);
            let bits = pool.cast(whole, wide);
            let shifts = [first, second].map(|shift| pool.constant(shift, wide));
            let parts = shifts.map(|shift| {
                let moved = pool.shr(bits, shift);
                pool.cast(moved, HALF)
            });
            let held = pool.var(half);
            let [low, high] = [(held, shifts[0]), (parts[1], shifts[1])].map(|(part, shift)| {
                let part = pool.cast(part, wide);
                pool.shl(part, shift)
            });
            let value = pool.bit_or(low, high);
            let value = pool.cast(value, word);
            let actions = vec![Action::Read(case.place)];
            let middle = self.middle(id);
            let update = scalar_update(half, parts[0]);
            self.add_to(id, middle, case.guard, vec![update], Barrier::None, actions.clone());
            self.second(middle, id, next, scalar_update(to, value), actions);
        }
    }

    /// Stores one half and then the other.
    pub(super) fn store_halves(&mut self, id: NodeId, to: Access, value: TermId, case: &Case, next: NodeId) {
        let half = self.half(id);
        let wide = Word::unsigned(64);
        for [first, second] in ORDERS {
            let pool = self.builder.terms();
            let bits = pool.cast(value, wide);
            let shifts = [first, second].map(|shift| pool.constant(shift, wide));
            let parts = shifts.map(|shift| {
                let moved = pool.shr(bits, shift);
                pool.cast(moved, HALF)
            });
            let rest = pool.var(half);
            let how = (self.model, Barrier::None);
            let to = Access { word: HALF, size: 4, ..to };
            let [one, other] = [(shifts[0], parts[0]), (shifts[1], rest)].map(|(shift, part)| {
                let case = Case { shift: Some(shift), ..*case };
                narrow::store(pool, &case, to, part, how)[0].1
            });
            let actions = vec![Action::Write(case.place)];
            let middle = self.middle(id);
            let updates = vec![one, scalar_update(half, parts[1])];
            self.add_to(id, middle, case.guard, updates, Barrier::None, actions.clone());
            self.second(middle, id, next, other, actions);
        }
    }

    /// A variable for half a value, of the node's thread.
    fn half(&mut self, id: NodeId) -> VarId {
        let (role, origin) = (Role::Private(self.code.get(id).thread), Origin::Internal);
        let (sort, init) = (Sort::Word(HALF), Init::Value(Datum::Word(0)));
        self.builder.variable(Variable { name: "half".to_owned(), sort, role, init, origin })
    }

    /// Where a thread is between the halves.
    fn middle(&mut self, id: NodeId) -> LocId {
        let node = self.code.get(id);
        self.builder.location(node.thread, node.span)
    }

    fn second(&mut self, from: LocId, id: NodeId, next: NodeId, update: Update, actions: Vec<Action>) {
        let (span, to) = (self.code.get(id).span, self.to(next));
        let events = actions.into_iter().map(|action| Event { span, action }).collect();
        let guard = self.builder.terms().bool(true);
        let (ranges, updates, barrier) = (Vec::new(), vec![update], Barrier::None);
        self.builder.transition(Transition { from, to, guard, ranges, updates, call: None, barrier, events });
    }
}
