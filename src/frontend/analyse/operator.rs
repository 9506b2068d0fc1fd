//! Unary, binary, assignment and conditional operators (C11 6.5.3 to 6.5.16).

use lang_c::ast;

use super::types::Types;
use super::{Analyser, Result, make};
use crate::frontend::tree::{BinaryOp, CompareOp, Expr, ExprKind, StepValue, Type, TypeId, UnaryOp};
use crate::program::Span;

/// The three kinds of binary operators.
enum Operator {
    Arithmetic(BinaryOp),
    Compare(CompareOp),
    And,
    Or,
    Index,
    /// `=`, or with an operation.
    Assign(Option<BinaryOp>),
}

fn classify(operator: &ast::BinaryOperator) -> Operator {
    use ast::BinaryOperator as B;
    match operator {
        B::Index => Operator::Index,
        B::Multiply => Operator::Arithmetic(BinaryOp::Mul),
        B::Divide => Operator::Arithmetic(BinaryOp::Div),
        B::Modulo => Operator::Arithmetic(BinaryOp::Rem),
        B::Plus => Operator::Arithmetic(BinaryOp::Add),
        B::Minus => Operator::Arithmetic(BinaryOp::Sub),
        B::ShiftLeft => Operator::Arithmetic(BinaryOp::Shl),
        B::ShiftRight => Operator::Arithmetic(BinaryOp::Shr),
        B::BitwiseAnd => Operator::Arithmetic(BinaryOp::And),
        B::BitwiseXor => Operator::Arithmetic(BinaryOp::Xor),
        B::BitwiseOr => Operator::Arithmetic(BinaryOp::Or),
        B::Less => Operator::Compare(CompareOp::Lt),
        B::Greater => Operator::Compare(CompareOp::Gt),
        B::LessOrEqual => Operator::Compare(CompareOp::Le),
        B::GreaterOrEqual => Operator::Compare(CompareOp::Ge),
        B::Equals => Operator::Compare(CompareOp::Eq),
        B::NotEquals => Operator::Compare(CompareOp::Ne),
        B::LogicalAnd => Operator::And,
        B::LogicalOr => Operator::Or,
        B::Assign => Operator::Assign(None),
        B::AssignMultiply => Operator::Assign(Some(BinaryOp::Mul)),
        B::AssignDivide => Operator::Assign(Some(BinaryOp::Div)),
        B::AssignModulo => Operator::Assign(Some(BinaryOp::Rem)),
        B::AssignPlus => Operator::Assign(Some(BinaryOp::Add)),
        B::AssignMinus => Operator::Assign(Some(BinaryOp::Sub)),
        B::AssignShiftLeft => Operator::Assign(Some(BinaryOp::Shl)),
        B::AssignShiftRight => Operator::Assign(Some(BinaryOp::Shr)),
        B::AssignBitwiseAnd => Operator::Assign(Some(BinaryOp::And)),
        B::AssignBitwiseXor => Operator::Assign(Some(BinaryOp::Xor)),
        B::AssignBitwiseOr => Operator::Assign(Some(BinaryOp::Or)),
    }
}

impl<'a> Analyser<'a> {
    pub fn binary(&mut self, node: &'a ast::BinaryOperatorExpression, span: Span) -> Result<Expr> {
        let operator = classify(&node.operator.node);
        if let Operator::Assign(op) = operator {
            let target = self.expression(&node.lhs)?;
            let value = self.value(&node.rhs)?;
            return self.assign(target, op, value, span);
        }
        let (a, b) = (self.value(&node.lhs)?, self.value(&node.rhs)?);
        match operator {
            Operator::Arithmetic(op) => self.arithmetic(op, a, b, span),
            Operator::Compare(op) => self.compare(op, a, b, span),
            Operator::And | Operator::Or => {
                let (a, b) = (self.wide_truth(a)?, self.wide_truth(b)?);
                let (a, b) = (Box::new(self.scalar(a)?), Box::new(self.scalar(b)?));
                let kind =
                    if matches!(operator, Operator::And) { ExprKind::And(a, b) } else { ExprKind::Or(a, b) };
                Ok(make(kind, Types::INT, span))
            }
            Operator::Index => self.index(a, b, span),
            Operator::Assign(_) => unreachable!("handled above"),
        }
    }

    /// `a[b]`: either may be the pointer.
    pub fn index(&mut self, a: Expr, b: Expr, span: Span) -> Result<Expr> {
        let sum = self.arithmetic(BinaryOp::Add, a, b, span)?;
        self.dereference(sum, span)
    }

    pub fn arithmetic(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> Result<Expr> {
        let (a_points, b_points) = (self.types.is_pointer(a.ty), self.types.is_pointer(b.ty));
        let result = if b_points { b.ty } else { a.ty };
        if let Some(refused) = self.refused_operand(&[&a, &b], result, span) {
            return Ok(refused);
        }
        match op {
            BinaryOp::Add if a_points && !b_points => return self.pointer_add(a, b, 1, span),
            BinaryOp::Add if b_points && !a_points => return self.pointer_add(b, a, 1, span),
            BinaryOp::Sub if a_points && b_points => return self.pointer_difference(a, b, span),
            BinaryOp::Sub if a_points => return self.pointer_add(a, b, -1, span),
            _ => {}
        }
        if let Some(wide) = self.wide_arithmetic(op, &a, &b, span)? {
            return Ok(wide);
        }
        if !self.takes(op, a.ty) || !self.takes(op, b.ty) {
            let (a, b) = (self.show(a.ty), self.show(b.ty));
            return self.error(span, format!("this operator does not take `{a}` and `{b}`"));
        }
        let (a, b) = match op {
            BinaryOp::Shl | BinaryOp::Shr => (self.promote(a), self.promote(b)),
            _ => self.usual(a, b),
        };
        let ty = a.ty;
        Ok(make(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty, span))
    }

    /// Whether an operator takes numbers of a type.
    pub fn takes(&self, op: BinaryOp, ty: TypeId) -> bool {
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => self.types.is_arithmetic(ty),
            _ => self.types.is_integer(ty),
        }
    }

    /// Size of what a pointer points to; `None` if it cannot be known.
    pub fn element_size(&self, pointer: TypeId, span: Span) -> Result<Option<i64>> {
        let to = self.types.pointee(pointer).expect("called for pointers");
        match self.types.get(to) {
            Type::Void | Type::Function { .. } => Ok(Some(1)),
            Type::Array(..) | Type::VariableArray(..) | Type::Unsupported { .. } => {
                Ok(self.types.size(to).map(|size| size as i64))
            }
            _ => match self.types.size(to) {
                Some(size) => Ok(Some(size as i64)),
                None => self.error(span, format!("`{}` is incomplete here", self.show(to))),
            },
        }
    }

    fn pointer_add(&mut self, pointer: Expr, index: Expr, sign: i64, span: Span) -> Result<Expr> {
        if !self.types.is_integer(index.ty) {
            let ty = self.show(index.ty);
            return self.error(span, format!("`{ty}` cannot be added to a pointer"));
        }
        let ty = pointer.ty;
        match self.element_size(ty, span)? {
            None if self.points_to_variable(ty) => {
                let (bytes, chars) = (self.bytes_of(index, ty, span)?, self.types.pointer(Types::CHAR));
                let start = Box::new(self.convert_unchecked(pointer, chars));
                let moved = make(ExprKind::PointerAdd(start, Box::new(bytes), sign), chars, span);
                Ok(self.convert_unchecked(moved, ty))
            }
            None => Ok(make(ExprKind::Unsupported(VARIABLE.to_owned()), ty, span)),
            Some(size) => {
                let index = self.promote(index);
                Ok(make(ExprKind::PointerAdd(Box::new(pointer), Box::new(index), sign * size), ty, span))
            }
        }
    }

    fn points_to_variable(&self, pointer: TypeId) -> bool {
        self.types.pointee(pointer).is_some_and(|to| self.types.is_variable(to))
    }

    /// So many elements of what a pointer points to, in bytes.
    fn bytes_of(&mut self, count: Expr, pointer: TypeId, span: Span) -> Result<Expr> {
        let ty = self.types.difference_type();
        let size = self.size_of(self.types.pointee(pointer).expect("a pointer"), span)?;
        let [count, size] = [count, size].map(|factor| Box::new(self.convert_unchecked(factor, ty)));
        Ok(make(ExprKind::Binary(BinaryOp::Mul, count, size), ty, span))
    }

    fn pointer_difference(&mut self, a: Expr, b: Expr, span: Span) -> Result<Expr> {
        let ty = self.types.difference_type();
        match self.element_size(a.ty, span)? {
            None if self.points_to_variable(a.ty) => {
                let one = self.int(1, ty, span);
                let (size, chars) = (self.bytes_of(one, a.ty, span)?, self.types.pointer(Types::CHAR));
                let [a, b] = [a, b].map(|end| Box::new(self.convert_unchecked(end, chars)));
                let bytes = make(ExprKind::PointerDiff(a, b, 1), ty, span);
                Ok(make(ExprKind::Binary(BinaryOp::Div, Box::new(bytes), Box::new(size)), ty, span))
            }
            None | Some(0) => Ok(make(ExprKind::Unsupported(VARIABLE.to_owned()), ty, span)),
            Some(size) => {
                let b = self.convert_unchecked(b, a.ty);
                Ok(make(ExprKind::PointerDiff(Box::new(a), Box::new(b), size as u64), ty, span))
            }
        }
    }

    pub fn compare(&mut self, op: CompareOp, a: Expr, b: Expr, span: Span) -> Result<Expr> {
        if let Some(refused) = self.refused_operand(&[&a, &b], Types::INT, span) {
            return Ok(refused);
        }
        if let Some(wide) = self.wide_compare(op, &a, &b, span)? {
            return Ok(wide);
        }
        let (a, b) = (self.scalar(a)?, self.scalar(b)?);
        let (a, b) = match (self.types.is_pointer(a.ty), self.types.is_pointer(b.ty)) {
            (false, false) => self.usual(a, b),
            (a_points, b_points)
                if (a_points || b_points) && (self.types.is_float(a.ty) || self.types.is_float(b.ty)) =>
            {
                return self.error(span, "a pointer is compared with a floating-point number");
            }
            (true, _) => {
                let b = self.convert_unchecked(b, a.ty);
                (a, b)
            }
            (false, true) => {
                let a = self.convert_unchecked(a, b.ty);
                (a, b)
            }
        };
        Ok(make(ExprKind::Compare(op, Box::new(a), Box::new(b)), Types::INT, span))
    }

    pub fn unary(&mut self, node: &'a ast::UnaryOperatorExpression, span: Span) -> Result<Expr> {
        use ast::UnaryOperator as U;
        match node.operator.node {
            U::PostIncrement => self.step(&node.operand, 1, StepValue::Old, span),
            U::PostDecrement => self.step(&node.operand, -1, StepValue::Old, span),
            U::PreIncrement => self.step(&node.operand, 1, StepValue::New, span),
            U::PreDecrement => self.step(&node.operand, -1, StepValue::New, span),
            U::Address => {
                let operand = self.expression(&node.operand)?;
                self.address_of(operand, span)
            }
            U::Indirection => {
                let operand = self.value(&node.operand)?;
                self.dereference(operand, span)
            }
            U::Plus | U::Minus | U::Complement | U::Negate => {
                let operand = self.value(&node.operand)?;
                self.sign(&node.operator.node, operand, span)
            }
        }
    }

    fn sign(&mut self, operator: &ast::UnaryOperator, operand: Expr, span: Span) -> Result<Expr> {
        if *operator == ast::UnaryOperator::Negate {
            let operand = self.wide_truth(operand)?;
            let operand = self.scalar(operand)?;
            return Ok(make(ExprKind::Unary(UnaryOp::Not, Box::new(operand)), Types::INT, span));
        }
        if let Some(refused) = self.refused_operand(&[&operand], operand.ty, span) {
            return Ok(refused);
        }
        if self.wide(operand.ty).is_some() {
            return match operator {
                ast::UnaryOperator::Minus => self.wide_unary(UnaryOp::Neg, operand, span),
                ast::UnaryOperator::Complement => self.wide_unary(UnaryOp::BitNot, operand, span),
                _ => Ok(Expr { span, ..operand }),
            };
        }
        let complement = *operator == ast::UnaryOperator::Complement;
        if !self.types.is_arithmetic(operand.ty) || complement && self.types.is_float(operand.ty) {
            return self.error(span, format!("`{}` is not a number", self.show(operand.ty)));
        }
        let operand = self.promote(operand);
        let ty = operand.ty;
        let op = match operator {
            ast::UnaryOperator::Minus => UnaryOp::Neg,
            ast::UnaryOperator::Complement => UnaryOp::BitNot,
            _ => return Ok(Expr { span, ..operand }),
        };
        if let (ExprKind::Int(value), UnaryOp::Neg, false) = (&operand.kind, op, self.types.is_float(ty)) {
            return Ok(self.int(-value, ty, span));
        }
        Ok(make(ExprKind::Unary(op, Box::new(operand)), ty, span))
    }

    pub fn conditional(&mut self, node: &'a ast::ConditionalExpression, span: Span) -> Result<Expr> {
        if let ast::Expression::Identifier(name) = &node.then_expression.node
            && name.node.name == "__regrain_same"
        {
            return self.conditional_same(node, span);
        }
        let condition = self.condition(&node.condition)?;
        let (a, b) = (self.value(&node.then_expression)?, self.value(&node.else_expression)?);
        let (a, b) = self.branches(a, b, span)?;
        let ty = a.ty;
        Ok(make(ExprKind::Conditional(Box::new(condition), Box::new(a), Box::new(b)), ty, span))
    }

    /// GNU's `a ?: b`, which the pre-pass writes `a ? __regrain_same : b`: `a` is computed once, into a
    /// local.
    fn conditional_same(&mut self, node: &'a ast::ConditionalExpression, span: Span) -> Result<Expr> {
        let condition = self.condition(&node.condition)?;
        if self.fold(&condition).is_some() {
            let other = self.value(&node.else_expression)?;
            let (a, b) = self.branches(condition.clone(), other, span)?;
            let ty = a.ty;
            return Ok(make(ExprKind::Conditional(Box::new(condition), Box::new(a), Box::new(b)), ty, span));
        }
        let copy = self.new_local("<condition>".to_owned(), condition.ty, span)?;
        let copy = make(ExprKind::Local(copy), condition.ty, span);
        let ty = condition.ty;
        let keep = make(ExprKind::Assign(Box::new(copy.clone()), Box::new(condition)), ty, span);
        let read = self.rvalue(copy);
        let other = self.value(&node.else_expression)?;
        let (a, b) = self.branches(read.clone(), other, span)?;
        let ty = a.ty;
        let choice = make(ExprKind::Conditional(Box::new(read), Box::new(a), Box::new(b)), ty, span);
        Ok(make(ExprKind::Comma(Box::new(keep), Box::new(choice)), ty, span))
    }

    /// The operands in the type of the conditional expression (C11 6.5.15).
    fn branches(&mut self, a: Expr, b: Expr, span: Span) -> Result<(Expr, Expr)> {
        if a.ty == b.ty && !self.types.is_arithmetic(a.ty) {
            return Ok((a, b));
        }
        if let Some(common) = self.wide_common(a.ty, b.ty) {
            let ty = self.wide_type(common);
            return Ok((self.convert(a, ty, span)?, self.convert(b, ty, span)?));
        }
        if self.types.is_arithmetic(a.ty) && self.types.is_arithmetic(b.ty) {
            return Ok(self.usual(a, b));
        }
        if a.ty == Types::VOID || b.ty == Types::VOID {
            return Ok((self.cast(a, Types::VOID, span)?, self.cast(b, Types::VOID, span)?));
        }
        let ty = match (self.types.pointee(a.ty), self.types.pointee(b.ty)) {
            (Some(_), Some(_)) if self.is_null(&a) => b.ty,
            (Some(_), Some(_)) if self.is_null(&b) => a.ty,
            (Some(_), Some(Types::VOID)) => b.ty,
            (None, Some(_)) => b.ty,
            _ if self.types.unsupported_name(b.ty).is_some() => b.ty,
            _ => a.ty,
        };
        Ok((self.convert(a, ty, span)?, self.convert(b, ty, span)?))
    }
}

/// What is refused for pointers to variable-length arrays.
pub(super) const VARIABLE: &str = "arithmetic on pointers to a type of variable size";
