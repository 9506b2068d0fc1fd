//! Which addresses of freed memory allocations give out again (ISO 9899:2011, 7.22.3), where anybody can tell.
//!
//! Every heap object has cells and a base of its own. One whose address may be that of a freed object has a
//! *seat* besides, a variable with the address at which it lies, and every access to it compares with that. A
//! freed object is *spare* until its address is given out; an address belongs to one live or one spare object at
//! most. An allocation gets its own base or the address of something spare, by choice.
//!
//! A run notices that only if it compares, or mixes, an address that it kept with that of a later allocation:
//! all other uses of a kept address are undefined, and are found where the address is not given out again. So
//! objects that nobody compares share no addresses, and most programs have no seats at all. The comparisons
//! are read off the points-to analysis; what each pair of them can share, all objects connected by pairs can.
//!
//! Under TSO and PSO a free says which thread may have the address, as an allocator that hands memory over
//! does, so that two threads never take it at once and no fence is needed.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{NodeId, Op};
use super::memory::ObjectId;
use super::points_to::{PointsTo, Targets};
use super::{Lower, Settling};
use crate::program::{Init, ObjectKind, Origin, Role, Span, ThreadId, Variable};
use crate::term::{Datum, Node, Pool, Sort, TermId, VarId, Word};

/// Who may have the address of a freed object: nobody (0), or a thread by its number and 1.
pub(super) const HOLDER: Word = Word::unsigned(16);

/// Where heap objects begin and end.
struct Lives {
    /// By object: where it is freed.
    freed: BTreeMap<ObjectId, Vec<NodeId>>,
    /// By object: where it is allocated.
    settled: BTreeMap<ObjectId, Vec<NodeId>>,
}

/// Which addresses meet.
#[derive(Default)]
struct Meetings {
    /// In a comparison or an operation on both, and where.
    pairs: BTreeSet<(ObjectId, ObjectId, NodeId)>,
    /// Those of which something is computed that may be compared with what is computed of others.
    mixed: BTreeSet<ObjectId>,
}

impl Lower<'_> {
    /// The points-to sets, with addresses that are given out again.
    pub(super) fn points_to(&mut self, nodes: &[NodeId]) -> PointsTo {
        loop {
            let program = self.builder.program();
            let points = PointsTo::new(program, &self.memory, &self.code, nodes, &self.threads);
            if !self.find_heirs(&points, nodes) {
                return points;
            }
        }
    }

    /// Finds out which objects can be given whose addresses; whether there is anything new.
    fn find_heirs(&mut self, points: &PointsTo, nodes: &[NodeId]) -> bool {
        let lives = self.lives(points, nodes);
        if lives.freed.is_empty() || lives.settled.is_empty() {
            return false;
        }
        let mut order = Order::new(self, nodes);
        let meetings = self.meetings(points, nodes, &lives);
        let mut pairs = BTreeSet::new();
        for &(old, new, node) in &meetings.pairs {
            let settled = &lives.settled[&new];
            if !pairs.contains(&(old, new))
                && settled.iter().any(|at| order.may_follow(*at, node))
                && order.any_follows(&lives.freed[&old], settled)
            {
                pairs.insert((old, new));
            }
        }
        for &old in meetings.mixed.iter().filter(|old| lives.freed.contains_key(old)) {
            for &new in meetings.mixed.iter().filter(|new| **new != old && lives.settled.contains_key(new)) {
                if order.any_follows(&lives.freed[&old], &lives.settled[&new]) {
                    pairs.insert((old, new));
                }
            }
        }
        let groups = groups(&pairs);
        let mut found = Vec::new();
        for (old, freed) in &lives.freed {
            for (new, settled) in &lives.settled {
                let together =
                    old != new && groups.get(old).is_some_and(|group| groups.get(new) == Some(group));
                if together && self.memory.fits(*new, *old) && order.any_follows(freed, settled) {
                    found.push((*old, *new));
                }
            }
        }
        let heirs = &mut self.memory.heirs;
        found
            .into_iter()
            .fold(false, |changed, (old, new)| heirs.entry(old).or_default().insert(new) || changed)
    }

    fn lives(&self, points: &PointsTo, nodes: &[NodeId]) -> Lives {
        let mut lives = Lives { freed: BTreeMap::new(), settled: BTreeMap::new() };
        let terms = &self.builder.program().terms;
        for &node in nodes {
            let (map, address) = match self.code.get(node).op {
                Op::Free { address, .. } => (&mut lives.freed, address),
                Op::Settle { address, .. } => (&mut lives.settled, address),
                _ => continue,
            };
            let targets = points.targets(terms, &self.memory, address);
            for object in targets.into_keys().filter(|id| self.memory.get(*id).kind == ObjectKind::Heap) {
                map.entry(object).or_default().push(node);
            }
        }
        lives
    }

    /// Which addresses meet where.
    fn meetings(&self, points: &PointsTo, nodes: &[NodeId], lives: &Lives) -> Meetings {
        let terms = &self.builder.program().terms;
        let heap = |term: TermId| -> Targets {
            let mut targets = points.targets(terms, &self.memory, term);
            targets.retain(|id, _| self.memory.get(*id).kind == ObjectKind::Heap);
            targets
        };
        let mut meetings = Meetings::default();
        for &node in nodes {
            terms.visit(&self.terms_at(node), |_, term| {
                let Some((left, right)) = operands(terms, term) else { return };
                let (left, right) = (heap(left), right.map(heap).unwrap_or_default());
                if mixes(term) {
                    meetings.mixed.extend(left.keys().chain(right.keys()).copied());
                }
                for (one, other) in left.keys().flat_map(|one| right.keys().map(move |other| (*one, *other)))
                {
                    for (old, new) in [(one, other), (other, one)] {
                        if old != new && lives.freed.contains_key(&old) && lives.settled.contains_key(&new) {
                            meetings.pairs.insert((old, new, node));
                        }
                    }
                }
            });
        }
        meetings
    }

    /// The terms that are computed at a node.
    fn terms_at(&self, node: NodeId) -> Vec<TermId> {
        let node = self.code.get(node);
        let mut terms: Vec<TermId> = node.ranges.iter().map(|range| range.holds).collect();
        match &node.op {
            Op::Step { updates, .. } | Op::Create { values: updates, .. } => {
                terms.extend(updates.iter().map(|(_, value)| *value));
            }
            Op::Load { from, .. } => terms.push(from.address),
            Op::Store { to, value, .. } => terms.extend([to.address, *value]),
            Op::Branch { condition, .. } | Op::Assume { condition, .. } => terms.push(*condition),
            Op::Fill { value, .. } => terms.push(*value),
            Op::Exit { result } => terms.push(*result),
            Op::Call { ask, .. } => terms.extend(&ask.arguments),
            Op::Join { thread, .. } | Op::Peek { thread, .. } | Op::Cancel { thread, .. } => {
                terms.push(*thread);
            }
            _ => {}
        }
        terms
    }

    /// The places of allocations whose objects need a seat, and whose addresses were constants or open for a
    /// look.
    pub(super) fn unsettled(&self, points: &PointsTo, nodes: &[NodeId]) -> BTreeSet<Span> {
        let terms = &self.builder.program().terms;
        let heirs: BTreeSet<ObjectId> = self.memory.heirs.values().flatten().copied().collect();
        let look = matches!(self.settling, Settling::Everywhere);
        let mut spans = BTreeSet::new();
        for node in nodes.iter().map(|node| self.code.get(*node)) {
            if let Op::Settle { address, to, .. } = node.op
                && (look || to.is_none())
                && points.targets(terms, &self.memory, address).keys().any(|object| heirs.contains(object))
            {
                spans.insert(node.span);
            }
        }
        spans
    }

    /// Gives objects seats, and freed ones a note of who may have their address.
    pub(super) fn seat(&mut self) {
        let heirs = self.memory.heirs.clone();
        for new in heirs.values().flatten().copied().collect::<BTreeSet<ObjectId>>() {
            let base = i128::from(self.memory.get(new).base);
            let seat = self.note(new, "address", self.layout.pointer(), base);
            self.memory.objects[new.index()].seat = Some(seat);
        }
        for &old in heirs.keys() {
            let spare = self.note(old, "spare", HOLDER, 0);
            self.memory.objects[old.index()].spare = Some(spare);
        }
    }

    /// Which threads allocate which objects.
    pub(super) fn settlers(&self, points: &PointsTo, nodes: &[NodeId]) -> BTreeSet<(ObjectId, ThreadId)> {
        let settled = self.lives(points, nodes).settled.into_iter();
        let each = |(object, at): (ObjectId, Vec<NodeId>)| at.into_iter().map(move |node| (object, node));
        settled.flat_map(each).map(|(object, node)| (object, self.code.get(node).thread)).collect()
    }

    fn note(&mut self, object: ObjectId, what: &str, word: Word, value: i128) -> VarId {
        let name = format!("{}.{what}", self.memory.get(object).name);
        let (role, origin) = (Role::Shared, Origin::Internal);
        let init = Init::Value(Datum::Word(value));
        self.builder.variable(Variable { name, sort: Sort::Word(word), role, init, origin })
    }
}

/// The operands of something that compares or computes.
fn operands(pool: &Pool, node: &Node) -> Option<(TermId, Option<TermId>)> {
    match *node {
        Node::Eq(a, b)
        | Node::Le(a, b)
        | Node::Add(a, b)
        | Node::Mul(a, b)
        | Node::Div(a, b)
        | Node::Rem(a, b)
        | Node::Shl(a, b)
        | Node::Shr(a, b)
        | Node::BitAnd(a, b)
        | Node::BitOr(a, b)
        | Node::BitXor(a, b)
        | Node::Float(_, a, b)
        | Node::FloatCompare(_, a, b)
            if pool.sort(a) != Sort::Bool =>
        {
            Some((a, Some(b)))
        }
        Node::Cast(a, word) if word.bits() < pool.word(a).bits() => Some((a, None)),
        Node::FloatMap(_, a, _) => Some((a, None)),
        _ => None,
    }
}

/// Whether the result is neither an address nor the outcome of a comparison.
fn mixes(node: &Node) -> bool {
    !matches!(node, Node::Eq(..) | Node::Le(..) | Node::FloatCompare(..) | Node::Add(..))
}

/// The number of each object's group: those that pairs connect.
fn groups(pairs: &BTreeSet<(ObjectId, ObjectId)>) -> BTreeMap<ObjectId, ObjectId> {
    let mut groups: BTreeMap<ObjectId, ObjectId> = BTreeMap::new();
    for &(one, other) in pairs {
        let one = *groups.entry(one).or_insert(one);
        let other = *groups.entry(other).or_insert(other);
        groups.values_mut().filter(|group| **group == other).for_each(|group| *group = one);
    }
    groups
}

/// What can come after what.
struct Order<'l, 'a> {
    lower: &'l Lower<'a>,
    /// By thread: where it is created.
    created: BTreeMap<ThreadId, Vec<NodeId>>,
    reach: BTreeMap<NodeId, BTreeSet<NodeId>>,
}

impl<'l, 'a> Order<'l, 'a> {
    fn new(lower: &'l Lower<'a>, nodes: &[NodeId]) -> Order<'l, 'a> {
        let mut created: BTreeMap<ThreadId, Vec<NodeId>> = BTreeMap::new();
        for &node in nodes {
            if let Op::Create { thread, .. } = lower.code.get(node).op {
                created.entry(thread).or_default().push(node);
            }
        }
        Order { lower, created, reach: BTreeMap::new() }
    }

    fn any_follows(&mut self, firsts: &[NodeId], seconds: &[NodeId]) -> bool {
        firsts.iter().any(|first| seconds.iter().any(|second| self.may_follow(*first, *second)))
    }

    /// Whether the second node may be executed after the first.
    fn may_follow(&mut self, first: NodeId, second: NodeId) -> bool {
        let other = self.lower.code.get(second).thread;
        let mut first = vec![first];
        // The creator of a thread does something after the thread's begin only if it comes after the creation.
        loop {
            let thread = self.lower.code.get(first[0]).thread;
            if thread == other {
                return first.iter().any(|first| self.reaches(*first, second));
            }
            match self.created.get(&thread) {
                Some(created) => first = created.clone(),
                None => return true,
            }
        }
    }

    /// Whether control can go from one node to another of its thread.
    fn reaches(&mut self, from: NodeId, to: NodeId) -> bool {
        let code = &self.lower.code;
        let reached = self.reach.entry(from).or_insert_with(|| {
            let mut reached = BTreeSet::new();
            let mut stack = vec![from];
            while let Some(node) = stack.pop() {
                for next in code.get(node).op.next() {
                    let next = code.skip(next);
                    if reached.insert(next) {
                        stack.push(next);
                    }
                }
            }
            reached
        });
        reached.contains(&to)
    }
}
