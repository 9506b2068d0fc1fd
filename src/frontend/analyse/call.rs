//! Function calls (C11 6.5.2.2).
//!
//! A name that nobody declares is looked for among the builtins; else it is declared implicitly, as in C89.

use lang_c::ast;

use super::scope::Entity;
use super::types::Types;
use super::{Analyser, Result, make};
use crate::frontend::tree::{Expr, ExprKind, FunctionId, Type, TypeId, Variadic};
use crate::program::Span;

/// The address of the first label: in the page of NULL, where no object is.
const FIRST_LABEL: i128 = 0x100;

impl<'a> Analyser<'a> {
    pub fn call(&mut self, node: &'a ast::CallExpression, span: Span) -> Result<Expr> {
        if let ast::Expression::Identifier(name) = &node.callee.node
            && !matches!(self.scopes.name(&name.node.name), Some(Entity::Local(_) | Entity::Global(_)))
            && let Some(expr) = self.builtin(&name.node.name, node, span)?
        {
            return Ok(expr);
        }
        if let Some(label) = self.label_address(node, span)? {
            return Ok(label);
        }
        let callee = match &node.callee.node {
            ast::Expression::Identifier(name) if self.scopes.name(&name.node.name).is_none() => {
                self.implicit_function(&name.node.name, self.span(&node.callee))?
            }
            _ => self.value(&node.callee)?,
        };
        let mut arguments = Vec::new();
        for argument in &node.arguments {
            arguments.push(self.value(argument)?);
        }
        self.apply(callee, arguments, span)
    }

    /// `__regrain_label(name)`, which the pre-pass writes for `&&name`: a number of its own for each label of
    /// the program, which is no address of an object.
    fn label_address(&mut self, node: &'a ast::CallExpression, span: Span) -> Result<Option<Expr>> {
        let ast::Expression::Identifier(callee) = &node.callee.node else { return Ok(None) };
        let ("__regrain_label", [argument]) = (callee.node.name.as_str(), node.arguments.as_slice()) else {
            return Ok(None);
        };
        let ast::Expression::Identifier(name) = &argument.node else { return Ok(None) };
        let label = self.label(&name.node.name, span)?;
        let count = self.addressed_labels;
        let address = *self.body_mut(span)?.labels[label.index()].address.get_or_insert(count);
        self.addressed_labels = self.addressed_labels.max(address + 1);
        let pointer = self.types.pointer(Types::VOID);
        Ok(Some(self.int(FIRST_LABEL + i128::from(address), pointer, span)))
    }

    /// A call of a function value; the arguments are converted to the parameters' types.
    pub fn apply(&mut self, callee: Expr, arguments: Vec<Expr>, span: Span) -> Result<Expr> {
        if let ExprKind::Unsupported(_) = callee.kind {
            return Ok(Expr { span, ..callee });
        }
        let function = self.types.pointee(callee.ty).map(|to| self.types.get(to).clone());
        let Some(Type::Function { result, params, variadic }) = function else {
            let ty = self.show(callee.ty);
            return self.error(span, format!("`{ty}` is called but is not a function"));
        };
        let more = match &callee.kind {
            ExprKind::Function(id) => variadic != Variadic::No || self.functions[id.index()].model,
            _ => variadic != Variadic::No,
        };
        if arguments.len() < params.len() && variadic != Variadic::Unspecified {
            return self.error(
                span,
                format!("{} arguments are too few: the function takes {}", arguments.len(), params.len()),
            );
        }
        if arguments.len() > params.len() && !more {
            return self.error(
                span,
                format!("{} arguments are too many: the function takes {}", arguments.len(), params.len()),
            );
        }
        let mut converted = Vec::new();
        for (index, argument) in arguments.into_iter().enumerate() {
            let place = argument.span;
            converted.push(match params.get(index) {
                Some(&param) => self.convert(argument, param, place)?,
                None if argument.ty == Types::VOID => {
                    return self.error(place, "`void` is passed as an argument");
                }
                None => self.promote_argument(argument),
            });
        }
        let result = self.types.plain(result);
        Ok(make(ExprKind::Call(Box::new(callee), converted), result, span))
    }

    /// Declares `int name();`, or with the result that the name of a verifier's input function tells.
    fn implicit_function(&mut self, name: &str, span: Span) -> Result<Expr> {
        let result = self.nondeterministic_result(name).unwrap_or(Types::INT);
        let id = self.unspecified_function(name, result, span)?;
        Ok(self.function_value(id, span))
    }

    /// A function `result name()`, visible from now on.
    pub fn unspecified_function(&mut self, name: &str, result: TypeId, span: Span) -> Result<FunctionId> {
        let ty = self.types.function(result, Vec::new(), Variadic::Unspecified);
        let id = self.declare_function(name, ty, span)?;
        self.scopes.set_name_in_file(name, Entity::Function(id));
        Ok(id)
    }

    pub fn function_value(&mut self, id: FunctionId, span: Span) -> Expr {
        let ty = self.types.pointer(self.functions[id.index()].ty);
        make(ExprKind::Function(id), ty, span)
    }
}
