//! Function definitions, and what is known of the function being analysed.

use std::sync::Arc;

use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::FxHashMap;

use super::declarator::Param;
use super::scope::Entity;
use super::{Analyser, Result, make};
use crate::frontend::tree::{
    Expr, ExprKind, FunctionId, LabelId, Local, LocalId, Stmt, StmtKind, Type, TypeId, Variadic,
};
use crate::program::Span;

/// A definition whose body is still to be analysed.
#[derive(Clone)]
pub(super) struct Pending<'a> {
    pub function: FunctionId,
    params: Vec<Param>,
    statement: &'a Node<ast::Statement>,
}

/// The function being analysed.
#[derive(Clone)]
pub(super) struct Body {
    pub name: String,
    pub result: TypeId,
    pub locals: Vec<Local>,
    pub labels: Vec<Label>,
    label_ids: FxHashMap<String, LabelId>,
    /// The switches around.
    pub switches: Vec<Switch>,
    /// Loops around.
    pub loops: u32,
}

/// A `switch` whose cases are being read.
#[derive(Clone)]
pub(super) struct Switch {
    /// The promoted type of what is switched on.
    pub ty: TypeId,
    /// Least and greatest value of each case.
    pub cases: Vec<(i128, i128)>,
    pub has_default: bool,
}

/// A label of the function.
#[derive(Clone)]
pub(super) struct Label {
    name: String,
    pub defined: bool,
    /// Where it is first mentioned.
    span: Span,
    /// The number of its address, if that is taken.
    pub address: Option<u32>,
}

impl<'a> Analyser<'a> {
    /// Declares a function that is defined here; its body waits until all of the file is declared.
    pub fn begin_function(&mut self, node: &'a Node<ast::FunctionDefinition>) -> Result<()> {
        let definition = &node.node;
        let base = self.declaration_specifiers(&definition.specifiers, self.span(node))?;
        let declared = self.declarator(&definition.declarator, base.ty)?;
        let (start, end) = (self.bytes(node.span).0, self.bytes(definition.statement.span).0);
        let given = self.given_between(start, end)?;
        self.no_cleanup(&given)?;
        let Type::Function { result, variadic, .. } = *self.types.get(declared.ty) else {
            return self
                .error(declared.span, format!("`{}` has a body but is not a function", declared.name));
        };
        let mut params = declared.params.unwrap_or_default();
        let mut ty = declared.ty;
        if variadic == Variadic::Unspecified {
            self.old_style(&definition.declarations, &mut params)?;
            ty = self.types.function(result, params.iter().map(|param| param.ty).collect(), variadic);
        }
        let function = self.declare_function(&declared.name, ty, declared.span)?;
        if !self.defined.insert(function) {
            return self.error(declared.span, format!("function `{}` is defined twice", declared.name));
        }
        self.scopes.set_name(&declared.name, Entity::Function(function));
        self.mark_function(function, &given);
        let model = self.is_models();
        let entry = &mut self.functions[function.index()];
        (entry.ty, entry.span, entry.model, entry.body) = (ty, declared.span, model, None);
        self.pending.push(Pending { function, params, statement: &definition.statement });
        Ok(())
    }

    /// Types of the parameters of `f(a, b) int a; char *b; { ... }`.
    fn old_style(&mut self, declarations: &'a [Node<ast::Declaration>], params: &mut [Param]) -> Result<()> {
        for declaration in declarations {
            let base = self.declaration_specifiers(&declaration.node.specifiers, self.span(declaration))?;
            for init in &declaration.node.declarators {
                let declared = self.declarator(&init.node.declarator, base.ty)?;
                let ty = self.adjusted(declared.ty);
                match params.iter_mut().find(|param| param.name == declared.name) {
                    Some(param) => param.ty = ty,
                    None => {
                        return self.error(declared.span, format!("`{}` is not a parameter", declared.name));
                    }
                }
            }
        }
        Ok(())
    }

    pub fn function_body(&mut self, pending: Pending<'a>) -> Result<()> {
        let function = &self.functions[pending.function.index()];
        let Type::Function { result, .. } = *self.types.get(function.ty) else {
            unreachable!("definitions have function types");
        };
        let locals = pending.params.iter().map(Param::local).collect();
        self.body = Some(Body {
            name: function.name.clone(),
            result,
            locals,
            labels: Vec::new(),
            label_ids: FxHashMap::default(),
            switches: Vec::new(),
            loops: 0,
        });
        self.scopes.enter();
        for (index, param) in (0..).zip(&pending.params) {
            if !param.name.is_empty() {
                self.scopes.set_name(&param.name, Entity::Local(LocalId(index)));
            }
        }
        let lengths = self.parameter_lengths(pending.params.len());
        let statement = self.function_block(pending.statement);
        self.scopes.leave();
        let body = self.body.take().expect("the body is still there");
        let statement = begun_with(lengths, statement?);
        if let Some(label) = body.labels.iter().find(|label| !label.defined) {
            return self.error(label.span, format!("label `{}` is not defined", label.name));
        }
        let end = pending.statement.span.end;
        let end = self.place(lang_c::span::Span::span(end.saturating_sub(1), end));
        let entry = &mut self.functions[pending.function.index()];
        entry.params = u32::try_from(pending.params.len()).expect("fewer than 2^32 parameters");
        entry.locals = body.locals;
        entry.labels = body.labels.into_iter().map(|label| label.name).collect();
        (entry.body, entry.end) = (Some(Arc::new(statement)), end);
        Ok(())
    }

    /// Parameters that point to variable-length arrays: their lengths are evaluated at the function's begin.
    fn parameter_lengths(&mut self, params: usize) -> Vec<Stmt> {
        let mut out = Vec::new();
        for index in 0..params {
            let Some(body) = &self.body else { break };
            let (ty, span) = (body.locals[index].ty, body.locals[index].span);
            let mut lengths = Vec::new();
            let ty = self.with_own_lengths(ty, span, &mut lengths);
            if let Some(body) = &mut self.body {
                body.locals[index].ty = ty;
            }
            self.keep_lengths(&lengths, &mut out);
        }
        out
    }

    /// The type with lengths in locals of their own in the place of parameters, and what goes there.
    fn with_own_lengths(&mut self, ty: TypeId, span: Span, lengths: &mut Vec<(LocalId, Expr)>) -> TypeId {
        match *self.types.get(ty) {
            Type::Pointer(inner) => {
                let inner = self.with_own_lengths(inner, span, lengths);
                self.types.pointer(inner)
            }
            Type::Array(inner, length) => {
                let inner = self.with_own_lengths(inner, span, lengths);
                self.types.intern(Type::Array(inner, length))
            }
            Type::VariableArray(inner, parameter) => {
                let inner = self.with_own_lengths(inner, span, lengths);
                let size_type = self.types.size_type();
                let kept = self.new_local("<length>".to_owned(), size_type, span).expect("in a function");
                let of = self.body.as_ref().expect("in a function").locals[parameter.index()].ty;
                let length = self.rvalue(make(ExprKind::Local(parameter), of, span));
                lengths.push((kept, self.convert_unchecked(length, size_type)));
                self.types.intern(Type::VariableArray(inner, kept))
            }
            _ => ty,
        }
    }

    /// The outermost block, in whose scope the parameters already are.
    fn function_block(&mut self, node: &'a Node<ast::Statement>) -> Result<Stmt> {
        match &node.node {
            ast::Statement::Compound(items) => self.block_items(items, self.span(node)),
            _ => self.statement(node),
        }
    }

    pub fn body_mut(&mut self, span: Span) -> Result<&mut Body> {
        if self.body.is_none() {
            return self.error(span, "this is only possible in a function");
        }
        Ok(self.body.as_mut().expect("just tested"))
    }

    pub fn new_local(&mut self, name: String, ty: TypeId, span: Span) -> Result<LocalId> {
        let locals = &mut self.body_mut(span)?.locals;
        let id = LocalId(u32::try_from(locals.len()).expect("fewer than 2^32 locals"));
        locals.push(Local { name, ty, span });
        Ok(id)
    }

    /// The label of that name, mentioned at `span`.
    pub fn label(&mut self, name: &str, span: Span) -> Result<LabelId> {
        let body = self.body_mut(span)?;
        if let Some(&id) = body.label_ids.get(name) {
            return Ok(id);
        }
        let id = LabelId(u32::try_from(body.labels.len()).expect("fewer than 2^32 labels"));
        body.labels.push(Label { name: name.to_owned(), defined: false, span, address: None });
        body.label_ids.insert(name.to_owned(), id);
        Ok(id)
    }
}

/// A statement after others.
fn begun_with(mut first: Vec<Stmt>, statement: Stmt) -> Stmt {
    if first.is_empty() {
        return statement;
    }
    let span = statement.span;
    first.push(statement);
    Stmt { kind: StmtKind::Block(first), span }
}

impl Body {
    /// Whether `break` has something to leave.
    pub fn breakable(&self) -> bool {
        self.loops > 0 || !self.switches.is_empty()
    }
}

impl Param {
    fn local(&self) -> Local {
        Local { name: self.name.clone(), ty: self.ty, span: self.span }
    }
}
