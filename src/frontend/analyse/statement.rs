//! Statements (C11 6.8).

use lang_c::ast;
use lang_c::span::Node;

use super::function::Switch;
use super::types::Types;
use super::{Analyser, Result};
use crate::frontend::tree::{Expr, Stmt, StmtKind};
use crate::program::Span;

impl<'a> Analyser<'a> {
    pub fn statement(&mut self, node: &'a Node<ast::Statement>) -> Result<Stmt> {
        let span = self.span(node);
        let kind = match &node.node {
            ast::Statement::Labeled(labelled) => self.labelled(&labelled.node)?,
            ast::Statement::Compound(items) => {
                self.scopes.enter();
                let block = self.block_items(items, span);
                self.scopes.leave();
                return block;
            }
            ast::Statement::Expression(None) => StmtKind::Empty,
            ast::Statement::Expression(Some(expression)) => match basic_asm(&expression.node) {
                Some(text) => self.assembly(text, &[], &[])?,
                None => StmtKind::Expr(self.value(expression)?),
            },
            ast::Statement::If(node) => self.if_statement(&node.node)?,
            ast::Statement::Switch(node) => self.switch(&node.node)?,
            ast::Statement::While(node) => {
                let condition = self.condition(&node.node.expression)?;
                StmtKind::While(condition, self.loop_body(&node.node.statement)?)
            }
            ast::Statement::DoWhile(node) => {
                let body = self.loop_body(&node.node.statement)?;
                StmtKind::DoWhile(body, self.condition(&node.node.expression)?)
            }
            ast::Statement::For(node) => {
                self.scopes.enter();
                let kind = self.for_statement(&node.node);
                self.scopes.leave();
                kind?
            }
            ast::Statement::Goto(label) => StmtKind::Goto(self.label(&label.node.name, span)?),
            ast::Statement::Continue if self.body_mut(span)?.loops == 0 => {
                return self.error(span, "`continue` outside a loop");
            }
            ast::Statement::Continue => StmtKind::Continue,
            ast::Statement::Break if self.body_mut(span)?.breakable() => StmtKind::Break,
            ast::Statement::Break => return self.error(span, "`break` outside a loop or `switch`"),
            ast::Statement::Return(value) => self.return_statement(value.as_deref(), span)?,
            ast::Statement::Asm(assembly) => self.asm_statement(&assembly.node)?,
        };
        Ok(Stmt { kind, span })
    }

    /// The items of a block whose scope is open.
    pub fn block_items(&mut self, items: &'a [Node<ast::BlockItem>], span: Span) -> Result<Stmt> {
        let mut statements = Vec::new();
        for item in items {
            match &item.node {
                ast::BlockItem::Declaration(declaration) => {
                    self.block_declaration(declaration, &mut statements)?;
                }
                ast::BlockItem::StaticAssert(assertion) => self.static_assert(assertion)?,
                ast::BlockItem::Statement(statement) => statements.push(self.statement(statement)?),
            }
        }
        Ok(Stmt { kind: StmtKind::Block(statements), span })
    }

    /// A statement in a scope of its own, as the parts of `if` and loops are (C11 6.8.4, 6.8.5).
    fn scoped(&mut self, node: &'a Node<ast::Statement>) -> Result<Box<Stmt>> {
        self.scopes.enter();
        let statement = self.statement(node);
        self.scopes.leave();
        statement.map(Box::new)
    }

    fn loop_body(&mut self, node: &'a Node<ast::Statement>) -> Result<Box<Stmt>> {
        let span = self.span(node);
        self.body_mut(span)?.loops += 1;
        let body = self.scoped(node);
        self.body_mut(span)?.loops -= 1;
        body
    }

    fn if_statement(&mut self, node: &'a ast::IfStatement) -> Result<StmtKind> {
        let condition = self.condition(&node.condition)?;
        let then = self.scoped(&node.then_statement)?;
        let otherwise = match &node.else_statement {
            Some(statement) => Some(self.scoped(statement)?),
            None => None,
        };
        Ok(StmtKind::If(condition, then, otherwise))
    }

    fn for_statement(&mut self, node: &'a ast::ForStatement) -> Result<StmtKind> {
        let span = self.span(&node.initializer);
        let kind = match &node.initializer.node {
            ast::ForInitializer::Empty => None,
            ast::ForInitializer::Expression(expression) => Some(StmtKind::Expr(self.value(expression)?)),
            ast::ForInitializer::Declaration(declaration) => {
                let mut statements = Vec::new();
                self.block_declaration(declaration, &mut statements)?;
                Some(StmtKind::Block(statements))
            }
            ast::ForInitializer::StaticAssert(assertion) => {
                self.static_assert(assertion)?;
                None
            }
        };
        let init = kind.map(|kind| Box::new(Stmt { kind, span }));
        let condition = match &node.condition {
            Some(condition) => Some(self.condition(condition)?),
            None => None,
        };
        let step = match &node.step {
            Some(step) => Some(self.value(step)?),
            None => None,
        };
        let body = self.loop_body(&node.statement)?;
        Ok(StmtKind::For { init, condition, step, body })
    }

    fn switch(&mut self, node: &'a ast::SwitchStatement) -> Result<StmtKind> {
        let span = self.span(&node.expression);
        let value = self.value(&node.expression)?;
        if !self.types.is_integer(value.ty) && self.types.unsupported_name(value.ty).is_none() {
            return self
                .error(span, format!("`{}` is switched on, but only integers can be", self.show(value.ty)));
        }
        let value = self.promote(value);
        let switch = Switch { ty: value.ty, cases: Vec::new(), has_default: false };
        self.body_mut(span)?.switches.push(switch);
        let body = self.scoped(&node.statement);
        let switch = self.body_mut(span)?.switches.pop().expect("pushed above");
        let body = body?;
        let mut cases = switch.cases;
        cases.sort_unstable();
        if let Some(pair) = cases.windows(2).find(|pair| pair[1].0 <= pair[0].1) {
            return self.error(span, format!("two cases of this `switch` have the value {}", pair[1].0));
        }
        Ok(StmtKind::Switch(value, body))
    }

    fn labelled(&mut self, node: &'a ast::LabeledStatement) -> Result<StmtKind> {
        let span = self.span(&node.label);
        match &node.label.node {
            ast::Label::Identifier(name) => {
                let id = self.label(&name.node.name, span)?;
                let label = &mut self.body_mut(span)?.labels[id.index()];
                if std::mem::replace(&mut label.defined, true) {
                    return self.error(span, format!("label `{}` is defined twice", name.node.name));
                }
                Ok(StmtKind::Labelled(id, Box::new(self.statement(&node.statement)?)))
            }
            ast::Label::Case(value) => {
                let value = self.case_value(value, span)?;
                self.case(value, value, &node.statement, span)
            }
            ast::Label::CaseRange(range) => {
                let low = self.case_value(&range.node.low, span)?;
                let high = self.case_value(&range.node.high, span)?;
                self.case(low, high, &node.statement, span)
            }
            ast::Label::Default => {
                if std::mem::replace(&mut self.innermost_switch(span)?.has_default, true) {
                    return self.error(span, "two `default` in one `switch`");
                }
                Ok(StmtKind::Default(Box::new(self.statement(&node.statement)?)))
            }
        }
    }

    fn case(
        &mut self,
        low: i128,
        high: i128,
        statement: &'a Node<ast::Statement>,
        span: Span,
    ) -> Result<StmtKind> {
        // An empty range is allowed and matches nothing.
        if low <= high {
            self.innermost_switch(span)?.cases.push((low, high));
        }
        Ok(StmtKind::Case(low, high, Box::new(self.statement(statement)?)))
    }

    /// The constant of a case, converted to the switched type.
    fn case_value(&mut self, node: &'a Node<ast::Expression>, span: Span) -> Result<i128> {
        let ty = self.innermost_switch(span)?.ty;
        let value = self.constant_expression(node)?;
        Ok(self.types.wrap(ty, value))
    }

    fn innermost_switch(&mut self, span: Span) -> Result<&mut Switch> {
        if self.body_mut(span)?.switches.is_empty() {
            return self.error(span, "a case outside `switch`");
        }
        Ok(self.body_mut(span)?.switches.last_mut().expect("just tested"))
    }

    fn return_statement(&mut self, value: Option<&'a Node<ast::Expression>>, span: Span) -> Result<StmtKind> {
        let result = self.body_mut(span)?.result;
        let Some(value) = value else { return Ok(StmtKind::Return(None)) };
        let value = self.value(value)?;
        let place = value.span;
        let value: Expr = match result {
            // gcc warns of `return f();` in a `void` function; the value is computed and dropped.
            Types::VOID => self.cast(value, Types::VOID, place)?,
            _ => self.convert(value, result, place)?,
        };
        Ok(StmtKind::Return(Some(value)))
    }
}

/// `asm("...")` without `volatile`, which lang-c takes for a call.
fn basic_asm(expression: &ast::Expression) -> Option<&[String]> {
    let ast::Expression::Call(call) = expression else { return None };
    let ast::Expression::Identifier(name) = &call.node.callee.node else { return None };
    match (name.node.name.as_str(), call.node.arguments.as_slice()) {
        ("asm" | "__asm" | "__asm__", [only]) => match &only.node {
            ast::Expression::StringLiteral(text) => Some(&text.node),
            _ => None,
        },
        _ => None,
    }
}
