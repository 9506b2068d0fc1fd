//! Which objects a variable can hold an address of, and at which offsets: flow-insensitive, inclusion-based.
//!
//! Private variables and parts of objects are alike; an array is one variable. Constants inside an object's
//! slots are its addresses, sums with constants move offsets, any other arithmetic may move them anywhere.
//! Inputs point nowhere. An address of an object may be one of those that are given it after it is freed.
//!
//! An address that the analysis misses (made from an input, say) is no harm: `resolve.rs` sends every address
//! without a case to an undefined end.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::code::{Code, NodeId, Op};
use super::memory::{Memory, ObjectId};
use super::thread::ThreadData;
use crate::program::{Init, Program};
use crate::term::{Datum, Node, Pool, TermId, VarId};

/// More offsets than this are any.
const OFFSET_LIMIT: usize = 24;

/// Offsets into one object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Offsets {
    /// These.
    Exact(BTreeSet<i64>),
    /// Any.
    Any,
}

/// Objects with offsets.
pub(super) type Targets = BTreeMap<ObjectId, Offsets>;

/// The result of the analysis.
#[derive(Debug, Default)]
pub(super) struct PointsTo {
    sets: FxHashMap<VarId, Targets>,
}

impl PointsTo {
    /// Analyses the code at `nodes`.
    pub fn new(
        program: &Program,
        memory: &Memory,
        code: &Code,
        nodes: &[NodeId],
        threads: &[ThreadData],
    ) -> PointsTo {
        let mut points = PointsTo::default();
        for (_, var) in memory.objects.iter().flat_map(|object| &object.parts) {
            if let Init::Value(value) = &program.variable(*var).init {
                points.add(*var, initial_targets(value, memory));
            }
        }
        loop {
            let mut changed = false;
            for node in nodes {
                changed |= points.apply(&program.terms, memory, threads, code, *node);
            }
            if !changed {
                return points;
            }
        }
    }

    /// The objects whose addresses variables can hold.
    pub fn held(&self) -> BTreeSet<ObjectId> {
        self.sets.values().flat_map(|targets| targets.keys().copied()).collect()
    }

    /// Adds what one instruction moves; whether that was anything new.
    fn apply(
        &mut self,
        pool: &Pool,
        memory: &Memory,
        threads: &[ThreadData],
        code: &Code,
        node: NodeId,
    ) -> bool {
        let node = code.get(node);
        match &node.op {
            Op::Step { updates, .. } | Op::Create { values: updates, .. } => {
                let mut changed = false;
                for &(var, value) in updates {
                    let targets = self.targets(pool, memory, value);
                    changed |= self.add(var, targets);
                }
                changed
            }
            Op::Start { values, .. } => {
                let mut changed = false;
                for (private, shared) in values {
                    changed |= self.flow(*shared, *private);
                }
                changed
            }
            Op::Load { to, from, .. } => {
                let mut changed = false;
                for part in parts_of(&self.targets(pool, memory, from.address), memory) {
                    changed |= self.flow(part, *to);
                }
                changed
            }
            Op::Store { to, value, .. } => {
                let targets = self.targets(pool, memory, *value);
                if targets.is_empty() {
                    return false;
                }
                let mut changed = false;
                for part in parts_of(&self.targets(pool, memory, to.address), memory) {
                    changed |= self.add(part, targets.clone());
                }
                changed
            }
            Op::Join { to, .. } => {
                let mut changed = false;
                for thread in threads {
                    changed |= self.flow(thread.result, *to);
                }
                changed
            }
            Op::Settle { address, to: Some(to), .. } => {
                let targets = self.targets(pool, memory, *address);
                self.add(*to, targets)
            }
            Op::Exit { result } => {
                let targets = self.targets(pool, memory, *result);
                self.add(threads[node.thread.index()].result, targets)
            }
            _ => false,
        }
    }

    fn flow(&mut self, from: VarId, to: VarId) -> bool {
        match self.sets.get(&from) {
            Some(targets) => {
                let targets = targets.clone();
                self.add(to, targets)
            }
            None => false,
        }
    }

    fn add(&mut self, var: VarId, targets: Targets) -> bool {
        if targets.is_empty() {
            return false;
        }
        join(self.sets.entry(var).or_default(), targets)
    }

    /// The objects that a term can be an address of.
    pub fn targets(&self, pool: &Pool, memory: &Memory, term: TermId) -> Targets {
        match *pool.node(term) {
            Node::Const(value, _) => match memory.owner(value) {
                Some((object, offset)) => residents(memory, object, offset),
                None => Targets::new(),
            },
            Node::Var(var) => self.sets.get(&var).cloned().unwrap_or_default(),
            Node::Ite(_, a, b) => {
                let mut targets = self.targets(pool, memory, a);
                join(&mut targets, self.targets(pool, memory, b));
                targets
            }
            Node::Cast(a, _) => self.targets(pool, memory, a),
            Node::FloatMap(_, a, _) => anywhere(self.targets(pool, memory, a)),
            Node::Add(a, b) => {
                let left = self.targets(pool, memory, a);
                match pool.as_const(b) {
                    Some(distance) if memory.owner(distance).is_none() => {
                        let word = crate::term::Word::signed(pool.word(b).bits());
                        moved(left, i64::try_from(word.wrap(distance)).expect("at most 64 bits"), memory)
                    }
                    _ => {
                        let mut targets = anywhere(left);
                        join(&mut targets, anywhere(self.targets(pool, memory, b)));
                        targets
                    }
                }
            }
            Node::Mul(a, b)
            | Node::Div(a, b)
            | Node::Rem(a, b)
            | Node::Shl(a, b)
            | Node::Shr(a, b)
            | Node::BitAnd(a, b)
            | Node::BitOr(a, b)
            | Node::BitXor(a, b)
            | Node::Float(_, a, b) => {
                let mut targets = anywhere(self.targets(pool, memory, a));
                join(&mut targets, anywhere(self.targets(pool, memory, b)));
                targets
            }
            _ => Targets::new(),
        }
    }
}

/// What can lie at an offset from the base of an object.
fn residents(memory: &Memory, object: ObjectId, offset: i64) -> Targets {
    let exact = || Offsets::Exact(BTreeSet::from([offset]));
    memory.residents(object).map(|resident| (resident, exact())).collect()
}

fn initial_targets(value: &Datum, memory: &Memory) -> Targets {
    let words: &[i128] = match value {
        Datum::Word(word) => &[*word],
        Datum::Array(words) => words,
        Datum::Bool(_) => &[],
    };
    let mut targets = Targets::new();
    for &word in words.iter().filter(|word| **word != 0) {
        if let Some((object, offset)) = memory.owner(word) {
            join(&mut targets, residents(memory, object, offset));
        }
    }
    targets
}

/// The variables of the parts that targets fall on.
fn parts_of(targets: &Targets, memory: &Memory) -> Vec<VarId> {
    let mut vars = Vec::new();
    for (object, offsets) in targets {
        for (part, var) in &memory.get(*object).parts {
            let hit = match offsets {
                Offsets::Any => true,
                Offsets::Exact(offsets) => offsets
                    .iter()
                    .any(|offset| u64::try_from(*offset).is_ok_and(|offset| part.locate(offset).is_some())),
            };
            if hit {
                vars.push(*var);
            }
        }
    }
    vars
}

fn anywhere(targets: Targets) -> Targets {
    targets.into_keys().map(|object| (object, Offsets::Any)).collect()
}

/// Targets a number of bytes further; what leaves its object by far is forgotten.
fn moved(targets: Targets, distance: i64, memory: &Memory) -> Targets {
    let shift = |(object, offsets): (ObjectId, Offsets)| {
        let size = memory.get(object).size as i64;
        let offsets = match offsets {
            Offsets::Any => Offsets::Any,
            Offsets::Exact(offsets) => {
                let inside = -size - 4096..=2 * size + 4096;
                let moved = offsets.iter().map(|offset| offset.wrapping_add(distance));
                Offsets::Exact(moved.filter(|offset| inside.contains(offset)).collect())
            }
        };
        (object, offsets)
    };
    targets.into_iter().map(shift).collect()
}

/// Adds targets to others; whether that was anything new.
fn join(targets: &mut Targets, more: Targets) -> bool {
    let mut changed = false;
    for (object, offsets) in more {
        let known = targets.entry(object).or_insert_with(|| {
            changed = true;
            Offsets::Exact(BTreeSet::new())
        });
        match (&mut *known, offsets) {
            (Offsets::Any, _) => {}
            (known, Offsets::Any) => {
                *known = Offsets::Any;
                changed = true;
            }
            (Offsets::Exact(all), Offsets::Exact(offsets)) => {
                let before = all.len();
                all.extend(offsets);
                changed |= all.len() != before;
                if all.len() > OFFSET_LIMIT {
                    *known = Offsets::Any;
                }
            }
        }
    }
    changed
}
