//! Assignment, compound assignment, increment and decrement (C11 6.5.2.4, 6.5.3.1, 6.5.16).

use lang_c::ast;
use lang_c::span::Node;

use super::convert::is_lvalue;
use super::operator::VARIABLE;
use super::types::Types;
use super::{Analyser, Result, make};
use crate::frontend::tree::{BinaryOp, Expr, ExprKind, StepValue, Type, TypeId, UnaryOp};
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
        if !is_lvalue(target) || matches!(self.types.get(target.ty), Type::Array(..)) {
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
        if ty == Types::BOOL {
            return self.step_bool(target, sign, value, span);
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

    /// `_Bool` does not wrap: `b++` makes it 1, `b--` flips it. The old value of `b--` is therefore `!` the new one; that of
    /// `b++` is lost and needs a copy.
    fn step_bool(&mut self, target: Expr, sign: i64, value: StepValue, span: Span) -> Result<Expr> {
        let amount = Box::new(self.int(i128::from(sign), Types::INT, span));
        let kind = ExprKind::AssignOp {
            target: Box::new(target.clone()),
            op: BinaryOp::Add,
            value: amount,
            compute: Types::INT,
        };
        let new = make(kind, Types::BOOL, span);
        match (value, sign, &target.kind) {
            (StepValue::New, ..) => Ok(new),
            (StepValue::Old, -1, _) => {
                let not = make(ExprKind::Unary(UnaryOp::Not, Box::new(new)), Types::INT, span);
                Ok(self.convert_unchecked(not, Types::BOOL))
            }
            (StepValue::Old, _, ExprKind::Local(_) | ExprKind::Global(_)) if target.ty == Types::BOOL => {
                let copy = self.new_local("<old>".to_owned(), Types::BOOL, span)?;
                let copy = make(ExprKind::Local(copy), Types::BOOL, span);
                let old = self.rvalue(target);
                let keep = make(ExprKind::Assign(Box::new(copy.clone()), Box::new(old)), Types::BOOL, span);
                let read = self.rvalue(copy);
                let rest = make(ExprKind::Comma(Box::new(new), Box::new(read)), Types::BOOL, span);
                Ok(make(ExprKind::Comma(Box::new(keep), Box::new(rest)), Types::BOOL, span))
            }
            _ => Ok(make(
                ExprKind::Unsupported("the old value of a stepped `_Bool`".to_owned()),
                Types::BOOL,
                span,
            )),
        }
    }
}
