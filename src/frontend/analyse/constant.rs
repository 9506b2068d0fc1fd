//! Constant expressions (C11 6.6): evaluation of typed expressions.
//!
//! Addresses count as constants only when they are made from constant pointers, as in
//! `&((struct s *)0)->field`.

use lang_c::ast;
use lang_c::span::Node;

use super::{Analyser, Result};
use crate::frontend::tree::{BinaryOp, CompareOp, Expr, ExprKind, TypeId, UnaryOp};
use crate::term::{FloatMap, FloatOp, FloatOrder, Word, float};

impl<'a> Analyser<'a> {
    /// The value of an integer constant expression.
    pub fn constant_expression(&mut self, node: &'a Node<ast::Expression>) -> Result<i128> {
        let value = self.value(node)?;
        match self.fold(&value) {
            Some(constant) if self.types.is_integer(value.ty) => Ok(constant),
            _ => self.error(self.span(node), "this must be an integer constant"),
        }
    }

    /// The value of a scalar expression, if it is constant.
    pub fn fold(&self, expr: &Expr) -> Option<i128> {
        let value = match &expr.kind {
            ExprKind::Int(value) => *value,
            ExprKind::Unary(UnaryOp::Not, a) => i128::from(!self.fold_truth(a)?),
            ExprKind::Unary(UnaryOp::Neg, a) if self.types.is_float(expr.ty) => {
                self.fold(a)? ^ (1 << (self.types.float(expr.ty)?.bits() - 1))
            }
            ExprKind::Unary(op, a) => unary(*op, self.fold(a)?),
            ExprKind::Binary(op, a, b) if self.types.is_float(expr.ty) => {
                let (a, b) = (self.fold(a)? as u64, self.fold(b)? as u64);
                i128::from(float::arithmetic(float_op(*op)?, a, b, self.types.float(expr.ty)?.bits()))
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.fold(a)?, self.fold(b)?);
                binary(*op, a, b, self.types.word(expr.ty)?.bits())?
            }
            ExprKind::Compare(op, a, b) if self.types.is_float(a.ty) => {
                let bits = self.types.float(a.ty)?.bits();
                let (a, b) = (self.fold(a)? as u64, self.fold(b)? as u64);
                i128::from(float_compare(*op, a, b, bits))
            }
            ExprKind::Compare(op, a, b) => i128::from(compare(*op, self.fold(a)?, self.fold(b)?)),
            ExprKind::And(a, b) => match self.fold_truth(a)? {
                false => 0,
                true => i128::from(self.fold_truth(b)?),
            },
            ExprKind::Or(a, b) => match self.fold_truth(a)? {
                false => i128::from(self.fold_truth(b)?),
                true => 1,
            },
            ExprKind::Conditional(c, a, b) => match self.fold_truth(c)? {
                false => self.fold(b)?,
                true => self.fold(a)?,
            },
            ExprKind::Cast(a) if self.types.is_scalar(expr.ty) => {
                self.converted_constant(self.fold(a)?, a.ty, expr.ty)?
            }
            ExprKind::PointerAdd(a, b, size) => {
                self.fold(a)?.checked_add(self.fold(b)?.checked_mul(i128::from(*size))?)?
            }
            ExprKind::PointerDiff(a, b, size) => (self.fold(a)? - self.fold(b)?) / i128::from((*size).max(1)),
            ExprKind::AddressOf(lvalue) | ExprKind::Decay(lvalue) => self.address(lvalue)?,
            _ => return None,
        };
        Some(self.types.wrap(expr.ty, value))
    }

    /// Whether a constant is not zero.
    fn fold_truth(&self, expr: &Expr) -> Option<bool> {
        let value = self.fold(expr)?;
        Some(match self.types.float(expr.ty) {
            Some(word) => !float::compare(FloatOrder::Equal, value as u64, 0, word.bits()),
            None => value != 0,
        })
    }

    /// A constant in another scalar type; `None` if the type is no scalar, or cannot hold it.
    pub fn converted_constant(&self, value: i128, from: TypeId, to: TypeId) -> Option<i128> {
        if !self.types.is_scalar(to) {
            return None;
        }
        let pointer = Word::unsigned(self.types.pointer_bits());
        match (self.types.float(from), self.types.float(to)) {
            (None, None) => Some(self.types.wrap(to, value)),
            (Some(a), Some(b)) if a == b => Some(value),
            (Some(a), Some(b)) => Some(float::map(FloatMap::Resize, value, a, b)),
            (None, Some(b)) => {
                let word = self.types.word(from).unwrap_or(pointer);
                Some(float::map(FloatMap::FromWord, value, word, b))
            }
            (Some(a), None) if self.types.word(to) == Some(Word::BOOL) => {
                Some(i128::from(!float::compare(FloatOrder::Equal, value as u64, 0, a.bits())))
            }
            (Some(a), None) => {
                let word = self.types.word(to)?;
                // Zero stands for what does not fit, too; then the run decides.
                let magnitude = value & !(1 << (a.bits() - 1));
                let one = float::map(FloatMap::FromWord, 1, word, a);
                let small = float::compare(FloatOrder::Less, magnitude as u64, one as u64, a.bits());
                let whole = float::map(FloatMap::ToWord, value, a, word);
                (whole != 0 || small).then_some(whole)
            }
        }
    }

    /// The address of an lvalue below a constant pointer.
    fn address(&self, lvalue: &Expr) -> Option<i128> {
        match &lvalue.kind {
            ExprKind::Deref(pointer) => self.fold(pointer),
            ExprKind::Member(base, index) => {
                let field = self.types.field(self.types.record_of(base.ty)?, *index);
                self.address(base)?.checked_add(i128::from(field.offset))
            }
            _ => None,
        }
    }

    /// The constant, written as one; what is not constant stays as it is.
    pub fn folded(&self, expr: Expr) -> Expr {
        match self.fold(&expr) {
            Some(value) => Expr { kind: ExprKind::Int(value), ..expr },
            None => expr,
        }
    }

    /// A constant of the given type.
    pub fn int(&self, value: i128, ty: TypeId, span: crate::program::Span) -> Expr {
        super::make(ExprKind::Int(self.types.wrap(ty, value)), ty, span)
    }
}

fn unary(op: UnaryOp, a: i128) -> i128 {
    match op {
        UnaryOp::Neg => -a,
        UnaryOp::BitNot => !a,
        UnaryOp::Not => i128::from(a == 0),
    }
}

/// Not constant if it is undefined; operands have at most 64 bits, so that nothing overflows here.
fn binary(op: BinaryOp, a: i128, b: i128, bits: u8) -> Option<i128> {
    Some(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div => a.checked_div(b)?,
        BinaryOp::Rem => a.checked_rem(b)?,
        BinaryOp::Shl if (0..i128::from(bits)).contains(&b) => a << b,
        BinaryOp::Shr if (0..i128::from(bits)).contains(&b) => a >> b,
        BinaryOp::Shl | BinaryOp::Shr => return None,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    })
}

/// What has no meaning for floats is not constant.
fn float_op(op: BinaryOp) -> Option<FloatOp> {
    Some(match op {
        BinaryOp::Add => FloatOp::Add,
        BinaryOp::Sub => FloatOp::Sub,
        BinaryOp::Mul => FloatOp::Mul,
        BinaryOp::Div => FloatOp::Div,
        _ => return None,
    })
}

fn float_compare(op: CompareOp, a: u64, b: u64, bits: u8) -> bool {
    match op {
        CompareOp::Eq => float::compare(FloatOrder::Equal, a, b, bits),
        CompareOp::Ne => !float::compare(FloatOrder::Equal, a, b, bits),
        CompareOp::Lt => float::compare(FloatOrder::Less, a, b, bits),
        CompareOp::Le => float::compare(FloatOrder::LessEqual, a, b, bits),
        CompareOp::Gt => float::compare(FloatOrder::Less, b, a, bits),
        CompareOp::Ge => float::compare(FloatOrder::LessEqual, b, a, bits),
    }
}

fn compare(op: CompareOp, a: i128, b: i128) -> bool {
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::Lt => a < b,
        CompareOp::Le => a <= b,
        CompareOp::Gt => a > b,
        CompareOp::Ge => a >= b,
    }
}
