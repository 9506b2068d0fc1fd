//! The point that lowering has reached: where the next instruction goes, and what is known there.
//!
//! Invariant: `known` maps private variables to constants that they hold whenever control is at the current
//! node. Paths that meet keep what they agree on; a loop head or label forgets whatever the loop or function
//! assigns. So conditions that are constant in context fold while we lower, which ends recursion and creation
//! loops by themselves, and binds `lock(&m)` to `m`.
//!
//! `depth` counts the atomic sections around the current node; it must not depend on the path taken.
//!
//! At granularity *statement*, the nodes inside a full expression are atomic too (`stretch`); a call of a
//! function with a body interrupts the stretch, and its statements are steps of their own.

use std::collections::BTreeMap;

use super::code::{Node, NodeId, Op};
use super::{Lower, Result};
use crate::frontend::Granularity;
use crate::frontend::diagnostic::{Diagnostic, Kind};
use crate::program::{Action, Barrier, Event, Init, Mark, Origin, Role, Sources, Span, Variable};
use crate::term::{Sort, TermId, VarId};

/// More nodes than this are too many.
const NODE_LIMIT: usize = 2_000_000;

/// A node where paths meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct JoinId(usize);

/// What is known at the current point.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// Constants that private variables hold.
    pub known: BTreeMap<VarId, TermId>,
    /// Atomic sections around.
    pub depth: u32,
    /// Clean-up handlers in force (see `ending.rs`).
    pub handlers: u32,
}

/// A join under construction.
#[derive(Clone, Debug)]
pub(super) struct JoinData {
    node: NodeId,
    /// What all paths so far agree on; `None` before the first.
    state: Option<State>,
}

impl<'a> Lower<'a> {
    // ---- nodes

    /// A node like the current point that nothing leads to yet.
    pub(super) fn fresh(&mut self) -> NodeId {
        let section = self.state.depth > 0;
        self.code.add(Node {
            thread: self.thread,
            span: self.span,
            atomic: self.is_atomic(),
            section,
            op: Op::Stuck,
            events: Vec::new(),
            ranges: Vec::new(),
            begins: None,
        })
    }

    /// A step of its own for what the next step needs to stay in range.
    pub(super) fn settle_ranges(&mut self) -> Result<()> {
        if self.ranges.is_empty() {
            return Ok(());
        }
        self.emit(|next| Op::Step { updates: Vec::new(), barrier: Barrier::None, next })
    }

    /// Notes that a statement of the user begins at the current node. If statements without instructions come
    /// first, the last one counts.
    pub(super) fn begin(&mut self, statement: Span) {
        if self.alive && !self.in_model() && statement.is_some() {
            self.code.get_mut(self.at).begins = Some(statement);
        }
    }

    /// Puts an instruction at the current node and goes on behind it.
    pub(super) fn emit(&mut self, op: impl FnOnce(NodeId) -> Op) -> Result<()> {
        self.emit_with(Vec::new(), op)
    }

    /// Likewise, with events.
    pub(super) fn emit_with(&mut self, actions: Vec<Action>, op: impl FnOnce(NodeId) -> Op) -> Result<()> {
        if !self.alive {
            return Ok(());
        }
        let next = self.fresh();
        self.finish_with(actions, op(next));
        self.at = next;
        self.alive = true;
        if self.code.nodes.len() > NODE_LIMIT {
            let message = "the program is too large once calls and threads are expanded";
            return Err(self.refuse(Kind::TooLarge, message));
        }
        Ok(())
    }

    /// Puts an instruction at the current node after which the current point is unreachable.
    pub(super) fn finish(&mut self, op: Op) {
        self.finish_with(Vec::new(), op);
    }

    fn finish_with(&mut self, actions: Vec<Action>, op: Op) {
        if !self.alive {
            return;
        }
        let (span, section) = (self.span, self.section());
        let announced = self.announce.take().map(Action::Sync);
        let ordered = self.ordered.take().map(Action::Order);
        let ranges = std::mem::take(&mut self.ranges);
        let op = match op {
            // What has no step of its own gets one for the ranges.
            Op::Mark(_) if !ranges.is_empty() => {
                let end = self.fresh();
                self.code.get_mut(end).op = op;
                Op::Step { updates: Vec::new(), barrier: Barrier::None, next: end }
            }
            op => op,
        };
        let node = self.code.get_mut(self.at);
        node.ranges = ranges;
        node.span = span;
        node.section = section;
        node.op = op;
        node.events = announced
            .into_iter()
            .chain(ordered)
            .chain(actions)
            .map(|action| Event { span, action })
            .collect();
        self.alive = false;
    }

    /// Whether the current node is inside an atomic section: its first node is still outside.
    fn section(&self) -> bool {
        self.state.depth > 0
    }

    /// Whether no other thread moves at the current point. In a cooperative program none ever does, unless it
    /// is said otherwise.
    fn is_atomic(&self) -> bool {
        self.state.depth > 0 || self.stretch || self.policy.is_some()
    }

    /// Ends the run here with a mark.
    pub(super) fn mark(&mut self, mark: Mark) {
        self.finish(Op::Mark(mark));
    }

    // ---- joins

    /// A join that nothing leads to yet.
    pub(super) fn join(&mut self) -> JoinId {
        let node = self.fresh();
        self.joins.push(JoinData { node, state: None });
        JoinId(self.joins.len() - 1)
    }

    /// The node of a join.
    pub(super) fn join_node(&self, join: JoinId) -> NodeId {
        self.joins[join.0].node
    }

    /// Notes that the current state reaches a join.
    fn meet(&mut self, join: JoinId) -> Result<()> {
        let data = &mut self.joins[join.0];
        match &mut data.state {
            None => data.state = Some(self.state.clone()),
            Some(state) if state.depth != self.state.depth => {
                let message = "an atomic section begins or ends on only some of the paths to this point";
                return Err(self.refuse(Kind::Unsupported, message));
            }
            Some(state) if state.handlers != self.state.handlers => return Err(self.leaves_handler()),
            Some(state) => {
                let known = &self.state.known;
                state.known.retain(|var, value| known.get(var) == Some(value));
            }
        }
        Ok(())
    }

    /// Jumps to a join.
    pub(super) fn jump(&mut self, join: JoinId) -> Result<()> {
        if self.alive {
            self.settle_ranges()?;
            self.meet(join)?;
            self.code.get_mut(self.at).span = self.span;
            self.code.get_mut(self.at).op = Op::Goto(self.joins[join.0].node);
            self.alive = false;
        }
        Ok(())
    }

    /// Goes on at a join, where the current path arrives too.
    pub(super) fn place(&mut self, join: JoinId) -> Result<()> {
        self.jump(join)?;
        let data = &self.joins[join.0];
        self.at = data.node;
        if let Some(state) = data.state.clone() {
            self.state = state;
            self.alive = true;
            self.code.get_mut(self.at).atomic = self.is_atomic();
        }
        Ok(())
    }

    /// Like [`Self::place`], for a join that is jumped to from behind as well: forgets the given variables.
    pub(super) fn place_head(&mut self, join: JoinId, changed: &[VarId]) -> Result<()> {
        self.place(join)?;
        self.forget(join, changed);
        Ok(())
    }

    /// Forgets what is known of variables at a join just placed.
    pub(super) fn forget(&mut self, join: JoinId, changed: &[VarId]) {
        for var in changed {
            self.state.known.remove(var);
        }
        let known = self.state.known.clone();
        if let Some(state) = &mut self.joins[join.0].state {
            state.known = known;
        }
    }

    /// Whether some path reaches a join.
    pub(super) fn reached(&self, join: JoinId) -> bool {
        self.joins[join.0].state.is_some()
    }

    /// Goes on at a join even if nothing is known to lead to it yet.
    pub(super) fn revive(&mut self, join: JoinId) -> Result<()> {
        if self.joins[join.0].state.is_none() && !self.alive {
            self.joins[join.0].state = Some(self.state.clone());
        }
        self.place(join)
    }

    /// Branches on a truth value: to `then` if it holds, else to `otherwise`.
    pub(super) fn branch(&mut self, condition: TermId, then: JoinId, otherwise: JoinId) -> Result<()> {
        match self.builder.terms().as_bool(condition) {
            Some(true) => self.jump(then),
            Some(false) => self.jump(otherwise),
            None if !self.alive => Ok(()),
            None => {
                self.meet(then)?;
                self.meet(otherwise)?;
                let (then, otherwise) = (self.join_node(then), self.join_node(otherwise));
                self.finish(Op::Branch { condition, then, otherwise });
                Ok(())
            }
        }
    }

    /// Goes on only where a condition holds; where it does not, the run leaves to a marked end.
    pub(super) fn require(&mut self, condition: TermId, mark: Mark) -> Result<()> {
        let (fine, bad) = (self.join(), self.join());
        self.branch(condition, fine, bad)?;
        self.place(bad)?;
        self.mark(mark);
        self.place(fine)
    }

    // ---- private variables

    /// A new variable of the current thread.
    pub(super) fn private(&mut self, name: String, sort: Sort, origin: Origin) -> VarId {
        let role = Role::Private(self.thread);
        self.builder.variable(Variable { name, sort, role, init: Init::Any, origin })
    }

    /// A new variable for a value between two steps.
    pub(super) fn temporary(&mut self, sort: Sort) -> VarId {
        self.temporaries += 1;
        let name = format!("t{}", self.temporaries);
        self.private(name, sort, Origin::Internal)
    }

    /// The value of a private variable.
    pub(super) fn read(&mut self, var: VarId) -> TermId {
        match self.state.known.get(&var) {
            Some(value) => *value,
            None => self.builder.terms().var(var),
        }
    }

    /// Assigns a private variable.
    pub(super) fn assign(&mut self, var: VarId, value: TermId) -> Result<()> {
        let actions = if self.in_model() { Vec::new() } else { vec![Action::Compute] };
        self.emit_with(actions, |next| Op::Step {
            updates: vec![(var, value)],
            barrier: Barrier::None,
            next,
        })?;
        self.learn(var, value);
        Ok(())
    }

    /// Notes that a private variable has just been assigned a value.
    fn learn(&mut self, var: VarId, value: TermId) {
        let terms = self.builder.terms();
        if self.alive && (terms.as_const(value).is_some() || terms.as_bool(value).is_some()) {
            self.state.known.insert(var, value);
        } else {
            self.state.known.remove(&var);
        }
    }

    /// Assigns any value of its sort.
    pub(super) fn havoc(&mut self, var: VarId, name: &str) -> Result<()> {
        let sort = self.builder.program().variable(var).sort;
        let input = self.builder.input(name, sort);
        let value = self.builder.terms().var(input);
        self.emit_with(vec![Action::Input(input)], |next| Op::Step {
            updates: vec![(var, value)],
            barrier: Barrier::None,
            next,
        })?;
        self.state.known.remove(&var);
        Ok(())
    }

    /// Keeps a value as it is now, whatever happens to the variables in it.
    pub(super) fn snapshot(&mut self, value: TermId) -> Result<TermId> {
        if self.builder.terms().vars(value).is_empty() {
            return Ok(value);
        }
        let sort = self.builder.terms().sort(value);
        let copy = self.temporary(sort);
        self.assign(copy, value)?;
        Ok(self.read(copy))
    }

    // ---- fences, sections, stretches

    /// A fence.
    pub(super) fn fence(&mut self, barrier: Barrier) -> Result<()> {
        let actions = if self.in_model() { Vec::new() } else { vec![Action::Fence] };
        self.emit_with(actions, |next| Op::Step { updates: Vec::new(), barrier, next })
    }

    /// Begins an atomic section.
    pub(super) fn begin_section(&mut self) -> Result<()> {
        if self.state.depth > 0 || !self.alive {
            self.state.depth += 1;
            return Ok(());
        }
        let from = self.at;
        self.state.depth = 1;
        self.emit(|next| Op::Step { updates: Vec::new(), barrier: Barrier::Full, next })?;
        self.code.get_mut(from).section = false;
        Ok(())
    }

    /// Ends an atomic section.
    pub(super) fn end_section(&mut self) -> Result<()> {
        if !self.alive {
            self.state.depth = self.state.depth.saturating_sub(1);
            return Ok(());
        }
        if self.state.depth == 0 {
            return Err(self.refuse(Kind::Unsupported, "the end of an atomic section that does not begin"));
        }
        self.settle_ranges()?;
        self.state.depth -= 1;
        self.code.get_mut(self.at).atomic = self.is_atomic();
        Ok(())
    }

    /// Lowers a full expression: at granularity *statement* one step.
    pub(super) fn full<T>(&mut self, lower: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outer = self.stretch;
        self.stretch = self.options.granularity == Granularity::Statement;
        let value = lower(self);
        if self.stretch {
            self.settle_ranges()?;
        }
        self.set_stretch(outer);
        value
    }

    /// Lowers accesses that are one step.
    pub(super) fn indivisible<T>(&mut self, lower: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outer = std::mem::replace(&mut self.stretch, true);
        let value = lower(self);
        self.set_stretch(outer);
        value
    }

    /// Lowers something that has steps of its own inside an expression.
    pub(super) fn interrupted<T>(&mut self, lower: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outer = self.stretch;
        self.set_stretch(false);
        let value = lower(self);
        self.stretch = outer;
        value
    }

    fn set_stretch(&mut self, stretch: bool) {
        self.stretch = stretch;
        if self.alive && !stretch {
            self.code.get_mut(self.at).atomic = self.is_atomic();
        }
    }

    // ---- places and refusals

    /// Takes note of the user's place; inside library models it stays that of the user's call.
    pub(super) fn locate(&mut self, span: Span) {
        if !self.in_model() && span.is_some() {
            self.span = span;
        }
    }

    /// A diagnostic at the current place.
    pub(super) fn refuse(&self, kind: Kind, message: impl Into<String>) -> Diagnostic {
        let message = message.into();
        Diagnostic { kind, message, span: self.span, help: None, sources: Sources::default() }
    }

    /// A construct that is not supported.
    pub(super) fn unsupported(&self, construct: &str) -> Diagnostic {
        self.refuse(Kind::Unsupported, format!("{construct} is not supported"))
    }
}
