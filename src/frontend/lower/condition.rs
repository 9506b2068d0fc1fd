//! Truth values: comparisons, `!`, `&&`, `||`, and branching on them.
//!
//! `a && b` evaluates `b` only where `a` holds. When `b` neither reads memory nor can go wrong nothing tells
//! the difference, and the conjunction is one term.

use super::flow::JoinId;
use super::place::{Binding, Place};
use super::{Lower, Result};
use crate::frontend::tree::{BinaryOp, CompareOp, Expr, ExprKind, UnaryOp};
use crate::program::{Action, Event};
use crate::term::{Sort, TermId};

/// Whether evaluating an expression is a matter of private variables alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pure {
    /// It takes no step.
    Yes,
    /// It may take steps.
    No,
}

impl<'a> Lower<'a> {
    /// Whether evaluating an expression takes no step.
    pub(super) fn purity(&self, expr: &Expr) -> Pure {
        let both = |a: &Expr, b: &Expr| match self.purity(a) {
            Pure::Yes => self.purity(b),
            Pure::No => Pure::No,
        };
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Function(_) => Pure::Yes,
            ExprKind::Load(place) => self.is_private(place),
            ExprKind::AddressOf(place) | ExprKind::Decay(place) => self.place_purity(place),
            // What does not fit an integer ends the run.
            ExprKind::Cast(a) if self.layout.is_float(a.ty) && !self.layout.is_float(expr.ty) => Pure::No,
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.purity(a),
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr, a, b) => {
                match b.kind {
                    ExprKind::Int(value) if (1..=7).contains(&value) => self.purity(a),
                    _ => Pure::No,
                }
            }
            ExprKind::Binary(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::PointerAdd(a, b, _)
            | ExprKind::PointerDiff(a, b, _)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b) => both(a, b),
            ExprKind::Conditional(a, b, c) => match self.purity(a) {
                Pure::Yes => both(b, c),
                Pure::No => Pure::No,
            },
            _ => Pure::No,
        }
    }

    fn is_private(&self, place: &Expr) -> Pure {
        match &place.kind {
            ExprKind::Local(local) => match self.frames.last().map(|frame| frame.locals[local.index()]) {
                Some(Binding::At(Place::Private(_) | Place::Bound(_))) => Pure::Yes,
                _ => Pure::No,
            },
            ExprKind::Global(global) if self.facts.constant.contains(global) => Pure::Yes,
            _ => Pure::No,
        }
    }

    fn place_purity(&self, place: &Expr) -> Pure {
        match &place.kind {
            ExprKind::Local(_) | ExprKind::Global(_) => Pure::Yes,
            ExprKind::Member(inner, _) => self.place_purity(inner),
            ExprKind::Deref(pointer) => self.purity(pointer),
            _ => Pure::No,
        }
    }

    /// Whether a scalar expression is not zero.
    pub(super) fn truth(&mut self, expr: &'a Expr) -> Result<TermId> {
        self.locate(expr.span);
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => {
                let truth = self.truth(inner)?;
                Ok(self.builder.terms().not(truth))
            }
            ExprKind::Compare(op, left, right) => {
                let ty = left.ty;
                let left = self.scalar(left)?;
                let right = self.scalar(right)?;
                Ok(self.ordered(*op, left, right, ty))
            }
            ExprKind::And(left, right) if self.purity(right) == Pure::Yes => {
                let left = self.truth(left)?;
                let right = self.only_if(left, |lower| lower.truth(right))?;
                Ok(self.builder.terms().and(&[left, right]))
            }
            ExprKind::Or(left, right) if self.purity(right) == Pure::Yes => {
                let left = self.truth(left)?;
                let fails = self.builder.terms().not(left);
                let right = self.only_if(fails, |lower| lower.truth(right))?;
                Ok(self.builder.terms().or(&[left, right]))
            }
            ExprKind::And(..) | ExprKind::Or(..) => self.decided(expr),
            ExprKind::Cast(inner) if self.keeps_truth(expr, inner) => self.truth(inner),
            _ => {
                let value = self.scalar(expr)?;
                Ok(self.is_true(value, expr.ty))
            }
        }
    }

    /// Whether a conversion keeps zero zero and everything else not zero.
    fn keeps_truth(&self, expr: &Expr, inner: &Expr) -> bool {
        match (self.layout.word(expr.ty), self.layout.word(inner.ty)) {
            (Some(to), _) if to.bits() == 1 => true,
            // A number below one becomes zero, one that is too small for `float` likewise.
            (Some(to), Some(from)) if self.layout.is_float(inner.ty) => {
                self.layout.is_float(expr.ty) && to.bits() >= from.bits()
            }
            (Some(_), Some(_)) if self.layout.is_float(expr.ty) => true,
            (Some(to), Some(from)) => to.bits() >= from.bits(),
            _ => false,
        }
    }

    /// A truth value found by branching.
    fn decided(&mut self, expr: &'a Expr) -> Result<TermId> {
        let result = self.temporary(Sort::Bool);
        let (yes, no, end) = (self.join(), self.join(), self.join());
        self.condition(expr, yes, no)?;
        for (join, truth) in [(yes, true), (no, false)] {
            self.place(join)?;
            let truth = self.builder.terms().bool(truth);
            self.assign(result, truth)?;
            self.jump(end)?;
        }
        self.place(end)?;
        Ok(self.read(result))
    }

    /// A comparison of two words of one sort.
    pub(super) fn compare(&mut self, op: CompareOp, left: TermId, right: TermId) -> TermId {
        let terms = self.builder.terms();
        match op {
            CompareOp::Eq => terms.eq(left, right),
            CompareOp::Ne => terms.ne(left, right),
            CompareOp::Lt => terms.lt(left, right),
            CompareOp::Le => terms.le(left, right),
            CompareOp::Gt => terms.lt(right, left),
            CompareOp::Ge => terms.le(right, left),
        }
    }

    /// Evaluates a condition of the source and goes one of two ways.
    pub(super) fn condition(&mut self, expr: &'a Expr, then: JoinId, otherwise: JoinId) -> Result<()> {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.condition(inner, otherwise, then),
            ExprKind::Cast(inner) if self.keeps_truth(expr, inner) => self.condition(inner, then, otherwise),
            ExprKind::And(left, right) if self.purity(right) == Pure::No => {
                let middle = self.join();
                self.condition(left, middle, otherwise)?;
                self.place(middle)?;
                self.condition(right, then, otherwise)
            }
            ExprKind::Or(left, right) if self.purity(right) == Pure::No => {
                let middle = self.join();
                self.condition(left, then, middle)?;
                self.place(middle)?;
                self.condition(right, then, otherwise)
            }
            _ => {
                let truth = self.truth(expr)?;
                self.locate(expr.span);
                let node = (self.alive && !self.in_model()).then_some(self.at);
                self.branch(truth, then, otherwise)?;
                if let Some(node) = node {
                    // Whether it held is decided by the way taken.
                    self.code
                        .get_mut(node)
                        .events
                        .push(Event { span: self.span, action: Action::Branch(true) });
                }
                Ok(())
            }
        }
    }
}
