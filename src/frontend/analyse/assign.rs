//! Assignment, compound assignment, increment and decrement (C11 6.5.2.4, 6.5.3.1, 6.5.16).

use lang_c::ast;
use lang_c::span::Node;

use super::convert::is_lvalue;
use super::operator::VARIABLE;
use super::types::Types;
use super::{Analyser, Result, make};
use crate::frontend::tree::{BinaryOp, Expr, ExprKind, StepValue, Type, TypeId};
use crate::program::Span;

impl<'a> Analyser<'a> {
    pub fn assign(&mut self, target: Expr, op: Option<BinaryOp>, value: Expr, span: Span) -> Result<Expr> {
        let ty = self.types.plain(target.ty);
        if let Some(refused) = self.refused_operand(&[&target, &value], ty, span) {
            return Ok(refused);
        }
        self.check_target(&target, span)?;
        let Some(op) = op else {
            let value = self.convert(value, ty, span)?;
            return Ok(make(ExprKind::Assign(Box::new(target), Box::new(value)), ty, span));
        };
        if let Some(wide) = self.wide_assign(target.clone(), op, value.clone(), span)? {
            return Ok(wide);
        }
        if self.types.is_pointer(ty) {
            return self.pointer_assign(target, op, value, span);
        }
        if !self.takes(op, ty) || !self.takes(op, value.ty) && !self.types.is_pointer(value.ty) {
            let (a, b) = (self.show(ty), self.show(value.ty));
            return self.error(span, format!("this operator does not take `{a}` and `{b}`"));
        }
        let value =
            if self.types.is_pointer(value.ty) { self.convert_unchecked(value, Types::ULONG) } else { value };
        let value = self.promote(value);
        let own = self.target_type(&target);
        let (compute, value) = match op {
            BinaryOp::Shl | BinaryOp::Shr => (own, value),
            _ => {
                let compute = self.types.common(own, value.ty);
                (compute, self.convert_unchecked(value, compute))
            }
        };
        let kind = ExprKind::AssignOp { target: Box::new(target), op, value: Box::new(value), compute };
        Ok(make(kind, ty, span))
    }

    /// The promoted type of an lvalue's value.
    fn target_type(&mut self, target: &Expr) -> TypeId {
        let read = self.rvalue(target.clone());
        self.promote(read).ty
    }

    fn pointer_assign(&mut self, target: Expr, op: BinaryOp, value: Expr, span: Span) -> Result<Expr> {
        let sign = match op {
            BinaryOp::Add => 1,
            BinaryOp::Sub => -1,
            _ => return self.error(span, "this operator does not take pointers"),
        };
        if !self.types.is_integer(value.ty) {
            return self.error(span, "only integers can be added to a pointer");
        }
        let ty = self.types.plain(target.ty);
        match self.element_size(ty, span)? {
            None => Ok(make(ExprKind::Unsupported(VARIABLE.to_owned()), ty, span)),
            Some(size) => {
                let value = self.promote(value);
                Ok(make(ExprKind::PointerAssign(Box::new(target), Box::new(value), sign * size), ty, span))
            }
        }
    }

    fn check_target(&self, target: &Expr, span: Span) -> Result<()> {
        if !is_lvalue(target)
            || matches!(self.types.get(target.ty), Type::Array(..) | Type::VariableArray(..))
        {
            return self.error(span, "only an object can be assigned to");
        }
        match self.types.size(target.ty) {
            Some(_) => Ok(()),
            None => self.error(span, format!("`{}` cannot be assigned", self.show(target.ty))),
        }
    }

    pub fn step(
        &mut self,
        operand: &'a Node<ast::Expression>,
        sign: i64,
        value: StepValue,
        span: Span,
    ) -> Result<Expr> {
        let target = self.expression(operand)?;
        let ty = self.types.plain(target.ty);
        if let Some(refused) = self.refused_operand(&[&target], ty, span) {
            return Ok(refused);
        }
        self.check_target(&target, span)?;
        if self.wide(ty).is_some() {
            return self.wide_step(target, sign, value, span);
        }
        let amount = match self.types.is_pointer(ty) {
            true => self.element_size(ty, span)?,
            false if self.types.is_arithmetic(ty) => Some(1),
            false => return self.error(span, format!("`{}` is not a number", self.show(ty))),
        };
        let kind = match amount {
            Some(amount) => ExprKind::Step { target: Box::new(target), amount: sign * amount, value },
            None => ExprKind::Unsupported(VARIABLE.to_owned()),
        };
        Ok(make(kind, ty, span))
    }
}
