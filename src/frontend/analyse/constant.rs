//! Constant expressions (C11 6.6): evaluation of typed expressions.
//!
//! Addresses count as constants only when they are made from constant pointers, as in `&((struct s *)0)->field`.

use lang_c::ast;
use lang_c::span::Node;

use super::{Analyser, Result};
use crate::frontend::tree::{BinaryOp, CompareOp, Expr, ExprKind, TypeId, UnaryOp};

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
            ExprKind::Unary(op, a) => unary(*op, self.fold(a)?),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.fold(a)?, self.fold(b)?);
                binary(*op, a, b, self.types.word(expr.ty)?.bits())?
            }
            ExprKind::Compare(op, a, b) => i128::from(compare(*op, self.fold(a)?, self.fold(b)?)),
            ExprKind::And(a, b) => match self.fold(a)? {
                0 => 0,
                _ => i128::from(self.fold(b)? != 0),
            },
            ExprKind::Or(a, b) => match self.fold(a)? {
                0 => i128::from(self.fold(b)? != 0),
                _ => 1,
            },
            ExprKind::Conditional(c, a, b) => match self.fold(c)? {
                0 => self.fold(b)?,
                _ => self.fold(a)?,
            },
            ExprKind::Cast(a) if self.types.is_scalar(expr.ty) => self.fold(a)?,
            ExprKind::PointerAdd(a, b, size) => {
                self.fold(a)?.checked_add(self.fold(b)?.checked_mul(i128::from(*size))?)?
            }
            ExprKind::PointerDiff(a, b, size) => (self.fold(a)? - self.fold(b)?) / i128::from((*size).max(1)),
            ExprKind::AddressOf(lvalue) | ExprKind::Decay(lvalue) => self.address(lvalue)?,
            _ => return None,
        };
        Some(self.types.wrap(expr.ty, value))
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
