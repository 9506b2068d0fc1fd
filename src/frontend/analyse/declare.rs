//! Declarations: typedefs, globals, functions, locals (C11 6.7, 6.9).

use lang_c::ast;
use lang_c::span::Node;

use super::attribute::Given;
use super::declarator::Declared;
use super::scope::Entity;
use super::specifier::{Base, Class};
use super::types::Types;
use super::{Analyser, Result};
use crate::frontend::tree::{
    BinaryOp, Defined, Expr, ExprKind, Function, FunctionId, Global, GlobalId, Init, InitPart, LocalId,
    RecordKind, Stmt, StmtKind, Storage, Type, TypeId, Variadic,
};
use crate::program::Span;

impl<'a> Analyser<'a> {
    /// A declaration outside functions.
    pub fn file_declaration(&mut self, node: &'a Node<ast::Declaration>) -> Result<()> {
        let (base, common) = self.base(node)?;
        for at in 0..node.node.declarators.len() {
            let (declared, given) = self.declared(node, at, &base, &common)?;
            self.no_cleanup(&given)?;
            if base.class == Class::Typedef {
                self.typedef(&base, declared, &given)?;
            } else if self.types.is_function(declared.ty) {
                self.function_declaration(&declared, &given)?;
            } else {
                self.only_for_functions(&given, "a variable")?;
                self.global(&base, declared, node.node.declarators[at].node.initializer.as_ref(), &given)?;
            }
        }
        Ok(())
    }

    fn function_declaration(&mut self, declared: &Declared, given: &Given) -> Result<()> {
        let id = self.declare_function(&declared.name, declared.ty, declared.span)?;
        self.mark_function(id, given);
        self.scopes.set_name(&declared.name, Entity::Function(id));
        Ok(())
    }

    /// Takes note of what attributes say of a function.
    pub fn mark_function(&mut self, id: FunctionId, given: &Given) {
        let function = &mut self.functions[id.index()];
        function.constructor = given.constructor.or(function.constructor);
        function.destructor = given.destructor.or(function.destructor);
        function.weak |= given.weak;
    }

    /// One declarator of a declaration, with its attributes and those of the whole.
    fn declared(
        &mut self,
        node: &'a Node<ast::Declaration>,
        at: usize,
        base: &Base,
        common: &Given,
    ) -> Result<(Declared, Given)> {
        let init = &node.node.declarators[at].node;
        let mut declared = self.declarator(&init.declarator, base.ty)?;
        let (start, _) = self.bytes(init.declarator.span);
        let end = match (&init.initializer, node.node.declarators.get(at + 1)) {
            (Some(initializer), _) => self.bytes(initializer.span).0,
            (None, Some(next)) => self.bytes(next.span).0,
            (None, None) => self.bytes(node.span).1,
        };
        let own = self.given_between(start, end)?;
        let given = common.clone().and(own);
        declared.ty = self.with_mode(declared.ty, &given)?;
        Ok((declared, given))
    }

    /// A declaration in a block: the statements that bring its locals to life.
    pub fn block_declaration(&mut self, node: &'a Node<ast::Declaration>, out: &mut Vec<Stmt>) -> Result<()> {
        let (base, common) = self.base(node)?;
        for at in 0..node.node.declarators.len() {
            let (declared, given) = self.declared(node, at, &base, &common)?;
            let initializer = node.node.declarators[at].node.initializer.as_ref();
            let is_local = base.class == Class::Plain && !base.thread_local;
            if !is_local || self.types.is_function(declared.ty) {
                self.no_cleanup(&given)?;
            }
            if base.class == Class::Typedef {
                self.keep_lengths(&declared.lengths, out);
                self.typedef(&base, declared, &given)?;
            } else if self.types.is_function(declared.ty) {
                self.function_declaration(&declared, &given)?;
            } else if base.class == Class::Extern {
                self.global(&base, declared, initializer, &given)?;
            } else if !is_local {
                self.only_for_functions(&given, "a variable")?;
                self.static_local(&base, declared, initializer)?;
            } else {
                self.only_for_functions(&given, "a variable")?;
                self.local(declared, initializer, &given, out)?;
            }
        }
        Ok(())
    }

    /// The specifiers; `struct s;` alone declares a new tag in an inner scope.
    fn base(&mut self, declaration: &'a Node<ast::Declaration>) -> Result<(Base, Given)> {
        let node = &declaration.node;
        let span = node.specifiers.first().map_or(Span::NONE, |first| self.span(first));
        if node.declarators.is_empty()
            && let [only] = node.specifiers.as_slice()
            && let ast::DeclarationSpecifier::TypeSpecifier(ty) = &only.node
            && let ast::TypeSpecifier::Struct(record) = &ty.node
            && let (Some(tag), None) = (&record.node.identifier, &record.node.declarations)
            && self.scopes.tag_here(&tag.node.name).is_none()
        {
            let kind = match record.node.kind.node {
                ast::StructKind::Struct => RecordKind::Struct,
                ast::StructKind::Union => RecordKind::Union,
            };
            self.new_record(Some(&tag.node.name), kind);
        }
        let base = self.declaration_specifiers(&node.specifiers, span)?;
        let (start, end) = self.bytes(declaration.span);
        let end = node.declarators.first().map_or(end, |first| self.bytes(first.span).0);
        let given = self.given_between(start, end)?;
        Ok((base, given))
    }

    fn typedef(&mut self, base: &Base, declared: Declared, given: &Given) -> Result<()> {
        self.only_for_functions(given, "a type")?;
        let align = base.align.filter(|_| self.keeps_alignment(declared.ty, base.ty));
        let align = given.align.or(align);
        let name = declared.name;
        if self.scopes.is_file() {
            if self.is_models() {
                self.model_typedefs.insert(name.clone());
            } else if self.model_typedefs.contains(&name) {
                return Ok(());
            }
        }
        let ty = declared.ty;
        match self.scopes.name_here(&name) {
            Some(Entity::Typedef(known, _)) if known == ty || self.is_opaque(known) && self.is_opaque(ty) => {
                return Ok(());
            }
            None => {}
            Some(_) => {
                return self
                    .error(declared.span, format!("`{name}` is declared twice, with different meanings"));
            }
        }
        if let Some(record) = self.types.record_of(ty)
            && self.types.record(record).name.starts_with('<')
        {
            self.types.records[record.index()].name.clone_from(&name);
        }
        self.scopes.set_name(&name, Entity::Typedef(ty, align));
        Ok(())
    }

    /// Whether it is a structure of which nobody says what is in it: headers of different origin give `FILE`
    /// different tags.
    fn is_opaque(&self, ty: TypeId) -> bool {
        self.types.record_of(ty).is_some_and(|record| self.types.record(record).fields.is_none())
    }

    /// A variable with linkage.
    fn global(
        &mut self,
        base: &Base,
        declared: Declared,
        initializer: Option<&'a Node<ast::Initializer>>,
        given: &Given,
    ) -> Result<()> {
        let (name, span) = (declared.name, declared.span);
        if declared.ty == Types::VOID {
            return self.error(span, format!("variable `{name}` has type `void`"));
        }
        let id = match self.linked_globals.get(&name) {
            Some(&id) => {
                self.merge_global(id, declared.ty, span)?;
                id
            }
            None => {
                let storage = if base.thread_local { Storage::ThreadLocal } else { Storage::Static };
                let id = self.new_global(name.clone(), declared.ty, storage, span);
                self.globals[id.index()].defined = Defined::Elsewhere;
                self.linked_globals.insert(name.clone(), id);
                id
            }
        };
        if base.thread_local {
            self.globals[id.index()].storage = Storage::ThreadLocal;
        }
        let is_function = matches!(self.scopes.name_here(&name), Some(Entity::Function(_)));
        let by_user = self.linked_functions.get(&name).is_some_and(|id| !self.functions[id.index()].model);
        if is_function && by_user {
            return self.error(span, format!("`{name}` is declared as a function before"));
        }
        self.scopes.set_name(&name, Entity::Global(id));
        if let Some(initializer) = initializer {
            let (ty, init) = self.initialiser(self.globals[id.index()].ty, initializer)?;
            let global = &mut self.globals[id.index()];
            (global.ty, global.init, global.span) = (ty, Some(init), span);
            global.defined = Defined::Here;
        } else if base.class != Class::Extern {
            self.globals[id.index()].span = span;
            self.globals[id.index()].defined = Defined::Here;
        } else if let (true, Some(span)) = (given.weak, given.span) {
            return self.refuse(span, format!("`{name}`, a weak reference, is not supported"));
        }
        Ok(())
    }

    /// A second declaration may complete an array.
    fn merge_global(&mut self, id: GlobalId, ty: TypeId, span: Span) -> Result<()> {
        let known = self.globals[id.index()].ty;
        match (self.types.get(known), self.types.get(ty)) {
            _ if known == ty => {}
            (Type::Array(a, _), Type::Array(b, None)) if a == b => {}
            (Type::Array(a, None), Type::Array(b, _)) if a == b => self.globals[id.index()].ty = ty,
            _ => {
                let name = &self.globals[id.index()].name;
                return self.error(span, format!("`{name}` is declared before with another type"));
            }
        }
        Ok(())
    }

    pub fn new_global(&mut self, name: String, ty: TypeId, storage: Storage, span: Span) -> GlobalId {
        let id = GlobalId(u32::try_from(self.globals.len()).expect("fewer than 2^32 globals"));
        self.globals.push(Global { name, ty, storage, init: None, defined: Defined::Here, span });
        id
    }

    fn static_local(
        &mut self,
        base: &Base,
        declared: Declared,
        initializer: Option<&'a Node<ast::Initializer>>,
    ) -> Result<()> {
        let storage = if base.thread_local { Storage::ThreadLocal } else { Storage::Static };
        let function = self.body.as_ref().map_or("", |body| body.name.as_str());
        let name = format!("{function}::{}", declared.name);
        let id = self.new_global(name, declared.ty, storage, declared.span);
        self.scopes.set_name(&declared.name, Entity::Global(id));
        if let Some(initializer) = initializer {
            let (ty, init) = self.initialiser(declared.ty, initializer)?;
            (self.globals[id.index()].ty, self.globals[id.index()].init) = (ty, Some(init));
        }
        if !declared.lengths.is_empty() {
            return self.error(declared.span, "a static array needs a constant length");
        }
        self.check_complete(self.globals[id.index()].ty, &declared.name, declared.span)
    }

    fn local(
        &mut self,
        declared: Declared,
        initializer: Option<&'a Node<ast::Initializer>>,
        given: &Given,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let span = declared.span;
        if matches!(self.scopes.name_here(&declared.name), Some(Entity::Local(_))) {
            return self.error(span, format!("`{}` is declared twice in this block", declared.name));
        }
        let variable = self.types.is_variable(declared.ty);
        self.keep_lengths(&declared.lengths, out);
        let local = self.new_local(declared.name.clone(), declared.ty, span)?;
        self.scopes.set_name(&declared.name, Entity::Local(local));
        let mut init = None;
        if let Some(initializer) = initializer {
            let (ty, parts) = self.initialiser(declared.ty, initializer)?;
            self.body_mut(span)?.locals[local.index()].ty = ty;
            init = Some(parts);
        }
        if !variable {
            let ty = self.body_mut(span)?.locals[local.index()].ty;
            self.check_complete(ty, &declared.name, span)?;
        }
        let length = variable.then(|| self.element_count(declared.ty, span));
        out.push(Stmt { kind: StmtKind::Declare { local, length, init }, span });
        if let Some((function, place)) = &given.cleanup {
            let call = self.cleanup_call(local, function, *place)?;
            out.push(Stmt { kind: StmtKind::AtExit(call), span });
        }
        Ok(())
    }

    /// The call that `cleanup` asks for: the function on the variable's address.
    fn cleanup_call(&mut self, local: LocalId, function: &str, span: Span) -> Result<Expr> {
        let Some(Entity::Function(id)) = self.scopes.name(function) else {
            return self.error(span, format!("`{function}` is not a function"));
        };
        let ty = self.body_mut(span)?.locals[local.index()].ty;
        let place = super::make(ExprKind::Local(local), ty, span);
        let address = self.address_of(place, span)?;
        let Type::Function { ref params, result, .. } = *self.types.get(self.functions[id.index()].ty) else {
            return self.error(span, format!("`{function}` is not a function"));
        };
        let argument = match params.first() {
            Some(&param) => self.convert_unchecked(address, param),
            None => address,
        };
        let ty = self.types.pointer(self.functions[id.index()].ty);
        let callee = super::make(ExprKind::Function(id), ty, span);
        Ok(super::make(ExprKind::Call(Box::new(callee), vec![argument]), result, span))
    }

    /// Evaluates the lengths of variable-length arrays once, into locals that the types name.
    pub fn keep_lengths(&mut self, lengths: &[(LocalId, Expr)], out: &mut Vec<Stmt>) {
        for (kept, length) in lengths {
            let init = Some(Init { parts: vec![InitPart::at(0, length.clone())] });
            out.push(Stmt {
                kind: StmtKind::Declare { local: *kept, length: None, init },
                span: length.span,
            });
        }
    }

    /// How many elements of known size an array of variable size has.
    fn element_count(&mut self, ty: TypeId, span: Span) -> Expr {
        let size_type = self.types.size_type();
        let (count, element) = match *self.types.get(ty) {
            Type::VariableArray(element, kept) => {
                (self.rvalue(super::make(ExprKind::Local(kept), size_type, span)), element)
            }
            Type::Array(element, length) => {
                (self.int(i128::from(length.unwrap_or(0)), size_type, span), element)
            }
            _ => return self.int(1, size_type, span),
        };
        if !self.types.is_variable(element) {
            return count;
        }
        let inner = self.element_count(element, span);
        super::make(ExprKind::Binary(BinaryOp::Mul, Box::new(count), Box::new(inner)), size_type, span)
    }

    fn check_complete(&self, ty: TypeId, name: &str, span: Span) -> Result<()> {
        match self.types.size(ty).is_some() || self.types.unsupported_name(ty).is_some() {
            true => Ok(()),
            false => self.error(span, format!("variable `{name}` has an incomplete type")),
        }
    }

    /// The function of that name, with the better of the types known for it.
    pub fn declare_function(&mut self, name: &str, ty: TypeId, span: Span) -> Result<FunctionId> {
        if let Some(&id) = self.linked_functions.get(name) {
            let known = &mut self.functions[id.index()];
            let informative = !matches!(self.types.get(ty), Type::Function { variadic: Variadic::Unspecified, params, .. } if params.is_empty());
            let defined = known.body.is_some() || self.defined.contains(&id);
            if !defined && informative {
                known.ty = ty;
            }
            return Ok(id);
        }
        let id = FunctionId(u32::try_from(self.functions.len()).expect("fewer than 2^32 functions"));
        let model = self.is_models();
        self.functions.push(Function {
            name: name.to_owned(),
            ty,
            params: 0,
            locals: Vec::new(),
            labels: Vec::new(),
            body: None,
            span,
            end: span,
            model,
            constructor: None,
            destructor: None,
            weak: false,
        });
        self.linked_functions.insert(name.to_owned(), id);
        Ok(id)
    }

    pub fn static_assert(&mut self, node: &'a Node<ast::StaticAssert>) -> Result<()> {
        if self.constant_expression(&node.node.expression)? == 0 {
            let text = match node.node.message.node.concat().replace("\"\"", "") {
                text if text.is_empty() => text,
                text => format!(": {text}"),
            };
            return self.error(self.span(node), format!("static assertion failed{text}"));
        }
        Ok(())
    }
}
