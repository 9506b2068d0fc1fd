//! Expressions: the dispatch, names, members, `sizeof`, `_Generic` and the like (C11 6.5). Operators, calls
//! and literals have files of their own.

use lang_c::ast;
use lang_c::span::Node;

use super::convert::is_lvalue;
use super::scope::Entity;
use super::types::Types;
use super::{Analyser, Result, make};
use crate::frontend::tree::{BinaryOp, Expr, ExprKind, LocalId, Stmt, StmtKind, Type, TypeId};
use crate::program::Span;

/// More operands of one comma expression are refused, since the typed tree nests them.
const MAX_COMMAS: usize = 1000;

impl<'a> Analyser<'a> {
    /// An expression as it is: lvalues are not read, arrays do not decay.
    pub fn expression(&mut self, node: &'a Node<ast::Expression>) -> Result<Expr> {
        let span = self.span(node);
        match &node.node {
            ast::Expression::Identifier(name) => self.identifier(&name.node.name, span),
            ast::Expression::Constant(constant) => self.constant(&constant.node, span),
            ast::Expression::StringLiteral(literal) => self.string_literal(&literal.node, span),
            ast::Expression::GenericSelection(generic) => self.generic(&generic.node, span),
            ast::Expression::Member(member) => self.member(&member.node, span),
            ast::Expression::Call(call) => self.call(&call.node, span),
            ast::Expression::CompoundLiteral(literal) => self.compound_literal(&literal.node, span),
            ast::Expression::SizeOfTy(of) => {
                let (ty, lengths) = self.variable_type_name(&of.node.0)?;
                let size = self.size_of(ty, span)?;
                Ok(measured(lengths, size))
            }
            ast::Expression::SizeOfVal(of) => self.size_of_value(&of.node.0, span),
            ast::Expression::AlignOf(of) => {
                let (ty, align) = self.aligned_type_name(&of.node.0)?;
                let align = align.unwrap_or_else(|| self.types.align(ty));
                Ok(self.int(i128::from(align), self.types.size_type(), span))
            }
            ast::Expression::UnaryOperator(operator) => self.unary(&operator.node, span),
            ast::Expression::Cast(cast) => {
                let (ty, lengths) = self.variable_type_name(&cast.node.type_name)?;
                let operand = self.expression(&cast.node.expression)?;
                let cast = self.cast(operand, ty, span)?;
                Ok(measured(lengths, cast))
            }
            ast::Expression::BinaryOperator(operator) => self.binary(&operator.node, span),
            ast::Expression::Conditional(conditional) => self.conditional(&conditional.node, span),
            ast::Expression::Comma(operands) => self.comma(operands, span),
            ast::Expression::OffsetOf(offset) => self.offset_of(&offset.node, span),
            ast::Expression::VaArg(argument) => {
                let ty = self.type_name(&argument.node.type_name)?;
                let list = self.expression(&argument.node.va_list)?;
                Ok(self.next_argument(list, ty, span))
            }
            ast::Expression::Statement(statement) => self.statement_expression(statement, span),
        }
    }

    /// The value of an expression.
    pub fn value(&mut self, node: &'a Node<ast::Expression>) -> Result<Expr> {
        let expr = self.expression(node)?;
        Ok(self.rvalue(expr))
    }

    /// A scalar value for a condition.
    pub fn condition(&mut self, node: &'a Node<ast::Expression>) -> Result<Expr> {
        let value = self.value(node)?;
        let value = self.wide_truth(value)?;
        self.scalar(value)
    }

    fn identifier(&mut self, name: &str, span: Span) -> Result<Expr> {
        match self.scopes.name(name) {
            Some(Entity::Local(id)) => {
                let ty = self.body_mut(span)?.locals[id.index()].ty;
                Ok(make(ExprKind::Local(id), ty, span))
            }
            Some(Entity::Global(id)) => Ok(make(ExprKind::Global(id), self.globals[id.index()].ty, span)),
            Some(Entity::Function(id)) => {
                let ty = self.types.pointer(self.functions[id.index()].ty);
                Ok(make(ExprKind::Function(id), ty, span))
            }
            Some(Entity::Constant(value, ty)) => Ok(self.int(value, ty, span)),
            Some(Entity::Typedef(..)) => self.error(span, format!("`{name}` is a type, not a value")),
            None if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") => {
                let function = self.body_mut(span)?.name.clone();
                Ok(self.text(&function, span))
            }
            None => self.error(span, format!("`{name}` is not declared")),
        }
    }

    fn member(&mut self, node: &'a ast::MemberExpression, span: Span) -> Result<Expr> {
        let name = &node.identifier.node.name;
        let base = match node.operator.node {
            ast::MemberOperator::Direct => self.expression(&node.expression)?,
            ast::MemberOperator::Indirect => {
                let pointer = self.value(&node.expression)?;
                self.dereference(pointer, span)?
            }
        };
        self.select(base, name, span)
    }

    /// The member of that name.
    pub fn select(&mut self, base: Expr, name: &str, span: Span) -> Result<Expr> {
        if let Some(refused) = self.refused_operand(&[&base], Types::INT, span) {
            return Ok(refused);
        }
        let Some(record) = self.types.record_of(base.ty) else {
            let ty = self.show(base.ty);
            return self.error(span, format!("`{ty}` has no members: it is not a structure or union"));
        };
        if self.types.record(record).fields.is_none() {
            let ty = self.show(base.ty);
            return self.error(span, format!("`{ty}` is incomplete here"));
        }
        let Some(path) = self.types.find_field(record, name) else {
            let ty = self.show(base.ty);
            return self.error(span, format!("`{ty}` has no member `{name}`"));
        };
        Ok(path.into_iter().fold(base, |base, index| self.member_at(base, index, span)))
    }

    /// The member with that index of a record.
    pub fn member_at(&self, base: Expr, index: u32, span: Span) -> Expr {
        let record = self.types.record_of(base.ty).expect("only records have members");
        let ty = self.types.field(record, index).ty;
        make(ExprKind::Member(Box::new(base), index), ty, span)
    }

    /// `*pointer`; of a function, the function itself.
    pub fn dereference(&mut self, pointer: Expr, span: Span) -> Result<Expr> {
        if let Some(refused) = self.refused_operand(&[&pointer], Types::INT, span) {
            return Ok(refused);
        }
        let Some(to) = self.types.pointee(pointer.ty) else {
            let ty = self.show(pointer.ty);
            return self.error(span, format!("`{ty}` is not a pointer"));
        };
        match pointer.kind {
            _ if self.types.is_function(to) => Ok(pointer),
            // `*&x` is `x`.
            ExprKind::AddressOf(operand) => Ok(Expr { span, ..*operand }),
            _ => Ok(make(ExprKind::Deref(Box::new(pointer)), to, span)),
        }
    }

    /// `&operand`.
    pub fn address_of(&mut self, operand: Expr, span: Span) -> Result<Expr> {
        match &operand.kind {
            ExprKind::Unsupported(_) => Ok(operand),
            // A function is already a pointer.
            ExprKind::Function(_) => Ok(Expr { span, ..operand }),
            _ if self.types.pointee(operand.ty).is_some_and(|to| self.types.is_function(to))
                && !is_lvalue(&operand) =>
            {
                Ok(operand)
            }
            // `&*p` is `p` (C11 6.5.3.2).
            ExprKind::Deref(_) => {
                let ExprKind::Deref(pointer) = operand.kind else { unreachable!("just matched") };
                Ok(Expr { span, ..*pointer })
            }
            ExprKind::Member(base, index) if self.is_bit_field(base, *index) => {
                self.error(span, "the address of a bit-field")
            }
            _ if is_lvalue(&operand) => {
                let pointer = self.types.pointer(operand.ty);
                Ok(make(ExprKind::AddressOf(Box::new(operand)), pointer, span))
            }
            _ => self.error(span, "the address of something that is not an object"),
        }
    }

    /// Whether a member is a bit-field.
    pub fn is_bit_field(&self, base: &Expr, index: u32) -> bool {
        self.types.record_of(base.ty).is_some_and(|record| self.types.field(record, index).bits.is_some())
    }

    fn size_of_value(&mut self, node: &'a Node<ast::Expression>, span: Span) -> Result<Expr> {
        let operand = self.expression(node)?;
        match (operand.kind, &node.node) {
            (ExprKind::Function(_), ast::Expression::Identifier(_)) => self.size_of(Types::VOID, span),
            _ => self.size_of(operand.ty, span),
        }
    }

    pub fn size_of(&mut self, ty: TypeId, span: Span) -> Result<Expr> {
        let size_type = self.types.size_type();
        if self.types.is_variable(ty) {
            return self.variable_size(ty, span);
        }
        let size = match self.types.get(ty) {
            // GNU: so that arithmetic on `void *` counts bytes.
            Type::Void | Type::Function { .. } => 1,
            _ => match (self.types.size(ty), self.types.unsupported_name(ty)) {
                (Some(size), _) => size,
                (None, Some(name)) => {
                    return Ok(make(ExprKind::Unsupported(format!("`{name}`")), size_type, span));
                }
                (None, None) => {
                    let ty = self.show(ty);
                    return self.error(span, format!("the size of `{ty}` is not known"));
                }
            },
        };
        Ok(self.int(i128::from(size), size_type, span))
    }

    /// The size of an array that is known only when the program runs.
    fn variable_size(&mut self, ty: TypeId, span: Span) -> Result<Expr> {
        let size_type = self.types.size_type();
        let (count, element) = match *self.types.get(ty) {
            Type::VariableArray(element, kept) => {
                (self.rvalue(make(ExprKind::Local(kept), size_type, span)), element)
            }
            Type::Array(element, Some(length)) => (self.int(i128::from(length), size_type, span), element),
            _ => return self.error(span, format!("the size of `{}` is not known", self.show(ty))),
        };
        let size = self.size_of(element, span)?;
        Ok(make(ExprKind::Binary(BinaryOp::Mul, Box::new(count), Box::new(size)), size_type, span))
    }

    fn offset_of(&mut self, node: &'a ast::OffsetOfExpression, span: Span) -> Result<Expr> {
        let ty = self.type_name(&node.type_name)?;
        let pointer = self.types.pointer(ty);
        let null = self.int(0, pointer, span);
        let mut place = make(ExprKind::Deref(Box::new(null)), ty, span);
        place = self.select(place, &node.designator.node.base.node.name, span)?;
        for member in &node.designator.node.members {
            place = match &member.node {
                ast::OffsetMember::Member(name) => self.select(place, &name.node.name, span)?,
                ast::OffsetMember::IndirectMember(name) => {
                    let pointer = self.rvalue(place);
                    let place = self.dereference(pointer, span)?;
                    self.select(place, &name.node.name, span)?
                }
                ast::OffsetMember::Index(index) => {
                    let index = self.value(index)?;
                    let pointer = self.rvalue(place);
                    self.index(pointer, index, span)?
                }
            };
        }
        let address = self.address_of(place, span)?;
        let size_type = self.types.size_type();
        let offset = self.convert_unchecked(address, size_type);
        Ok(self.folded(offset))
    }

    fn generic(&mut self, node: &'a ast::GenericSelection, span: Span) -> Result<Expr> {
        let control = self.value(&node.expression)?;
        let mut default = None;
        for association in &node.associations {
            match &association.node {
                ast::GenericAssociation::Default(expression) => default = Some(expression),
                ast::GenericAssociation::Type(association) => {
                    if self.type_name(&association.node.type_name)? == control.ty {
                        return self.expression(&association.node.expression);
                    }
                }
            }
        }
        match default {
            Some(expression) => self.expression(expression),
            None => {
                let ty = self.show(control.ty);
                self.error(span, format!("`_Generic` has no case for `{ty}`"))
            }
        }
    }

    fn comma(&mut self, operands: &'a [Node<ast::Expression>], span: Span) -> Result<Expr> {
        if operands.len() > MAX_COMMAS {
            return self.too_large(span, format!("more than {MAX_COMMAS} expressions are joined by commas"));
        }
        let mut values = Vec::new();
        for operand in operands {
            values.push(self.value(operand)?);
        }
        let joined = values.into_iter().reduce(|first, second| {
            let ty = second.ty;
            make(ExprKind::Comma(Box::new(first), Box::new(second)), ty, span)
        });
        match joined {
            Some(expr) => Ok(expr),
            None => self.error(span, "an expression is missing"),
        }
    }

    /// `({ ... })`.
    fn statement_expression(&mut self, node: &'a Node<ast::Statement>, span: Span) -> Result<Expr> {
        self.body_mut(span)?;
        let mut statements = match self.statement(node)? {
            Stmt { kind: StmtKind::Block(statements), .. } => statements,
            other => vec![other],
        };
        let mut ty = Types::VOID;
        if let Some(Stmt { kind: StmtKind::Expr(last), .. }) = statements.last_mut() {
            ty = last.ty;
        }
        Ok(make(ExprKind::Statement(std::mem::take(&mut statements)), ty, span))
    }
}

/// An expression before which lengths are evaluated.
fn measured(lengths: Vec<(LocalId, Expr)>, expr: Expr) -> Expr {
    let span = expr.span;
    lengths.into_iter().rev().fold(expr, |expr, (kept, length)| {
        let ty = length.ty;
        let target = Box::new(make(ExprKind::Local(kept), ty, span));
        let keep = make(ExprKind::Assign(target, Box::new(length)), ty, span);
        let ty = expr.ty;
        make(ExprKind::Comma(Box::new(keep), Box::new(expr)), ty, span)
    })
}
