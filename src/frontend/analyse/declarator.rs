//! Declarators and type names: pointers, arrays, functions (C11 6.7.6, 6.7.7).

use lang_c::ast;
use lang_c::span::Node;

use super::layout::MAX_SIZE;
use super::types::Types;
use super::{Analyser, Result};
use crate::frontend::tree::{Expr, LocalId, Type, TypeId, Variadic};
use crate::program::Span;

/// What a declarator declares.
pub(super) struct Declared {
    /// Empty if it is abstract.
    pub name: String,
    pub ty: TypeId,
    pub span: Span,
    /// If it declares a function, the parameters.
    pub params: Option<Vec<Param>>,
    /// The lengths of variable-length arrays in it, and the locals that are to hold them.
    pub lengths: Vec<(LocalId, Expr)>,
}

/// A parameter.
#[derive(Clone)]
pub(super) struct Param {
    pub name: String,
    pub ty: TypeId,
    pub span: Span,
}

/// Derivations in one type; typedefs could pile up more.
const MAX_DERIVATIONS: u32 = 200;

impl<'a> Analyser<'a> {
    pub fn declarator(&mut self, node: &'a Node<ast::Declarator>, base: TypeId) -> Result<Declared> {
        let (mut node, span) = (node, self.span(node));
        let mut declared =
            Declared { name: String::new(), ty: base, span, params: None, lengths: Vec::new() };
        loop {
            let derived = &node.node.derived;
            let is_pointer = |part: &&Node<ast::DerivedDeclarator>| {
                matches!(part.node, ast::DerivedDeclarator::Pointer(_) | ast::DerivedDeclarator::Block(_))
            };
            for part in derived.iter().filter(is_pointer) {
                self.derive(&mut declared, part)?;
            }
            for part in derived.iter().rev().filter(|part| !is_pointer(part)) {
                self.derive(&mut declared, part)?;
            }
            match &node.node.kind.node {
                ast::DeclaratorKind::Abstract => break,
                ast::DeclaratorKind::Identifier(name) => {
                    declared.name.clone_from(&name.node.name);
                    declared.span = self.span(name);
                    break;
                }
                ast::DeclaratorKind::Declarator(inner) => node = inner,
            }
        }
        Ok(declared)
    }

    /// A type name: a type with an abstract declarator.
    pub fn type_name(&mut self, node: &'a Node<ast::TypeName>) -> Result<TypeId> {
        self.aligned_type_name(node).map(|(ty, _)| ty)
    }

    /// Likewise, with the alignment that a typedef name gave the type.
    pub fn aligned_type_name(&mut self, node: &'a Node<ast::TypeName>) -> Result<(TypeId, Option<u64>)> {
        let (base, align) = self.qualified_specifiers(&node.node.specifiers, self.span(node))?;
        match &node.node.declarator {
            None => Ok((base, align)),
            Some(declarator) => {
                let declared = self.declarator(declarator, base)?;
                let align = align.filter(|_| self.keeps_alignment(declared.ty, base));
                match declared.lengths[..] {
                    [] => Ok((declared.ty, align)),
                    _ => Ok((self.types.unsupported("variable-length array type", 0), None)),
                }
            }
        }
    }

    /// A type name that may have variable lengths, which are to be evaluated first.
    pub fn variable_type_name(
        &mut self,
        node: &'a Node<ast::TypeName>,
    ) -> Result<(TypeId, Vec<(LocalId, Expr)>)> {
        let (base, _) = self.qualified_specifiers(&node.node.specifiers, self.span(node))?;
        match &node.node.declarator {
            None => Ok((base, Vec::new())),
            Some(declarator) => {
                let declared = self.declarator(declarator, base)?;
                Ok((declared.ty, declared.lengths))
            }
        }
    }

    /// Whether a type derived from another is aligned as that is: the type itself, or an array of it.
    pub fn keeps_alignment(&self, derived: TypeId, base: TypeId) -> bool {
        match *self.types.get(derived) {
            _ if derived == base => true,
            Type::Array(element, _) | Type::VariableArray(element, _) => self.keeps_alignment(element, base),
            _ => false,
        }
    }

    fn derive(&mut self, declared: &mut Declared, part: &'a Node<ast::DerivedDeclarator>) -> Result<()> {
        let span = self.span(part);
        let inner = declared.ty;
        declared.params = None;
        declared.ty = match &part.node {
            ast::DerivedDeclarator::Pointer(qualifiers) => {
                let pointer = self.types.pointer(inner);
                if qualifiers.iter().any(is_atomic) { self.atomic(pointer) } else { pointer }
            }
            ast::DerivedDeclarator::Block(_) => self.types.unsupported("block", 0),
            ast::DerivedDeclarator::Array(array) => match self.parameter_length(&array.node) {
                Some(parameter) => self.types.intern(Type::VariableArray(inner, parameter)),
                None => match self.array_length(&array.node)? {
                    (length, None) => self.array(inner, length, span)?,
                    (_, Some(length)) => {
                        let size_type = self.types.size_type();
                        let kept = self.new_local("<length>".to_owned(), size_type, span)?;
                        let length = self.convert_unchecked(length, size_type);
                        declared.lengths.push((kept, length));
                        self.types.intern(Type::VariableArray(inner, kept))
                    }
                },
            },
            ast::DerivedDeclarator::Function(function) => {
                let (params, variadic) = self.parameters(&function.node)?;
                let types = params.iter().map(|param| param.ty).collect();
                declared.params = Some(params);
                self.function_type(inner, types, variadic, span)?
            }
            ast::DerivedDeclarator::KRFunction(names) => {
                let param = |name: &Node<ast::Identifier>| Param {
                    name: name.node.name.clone(),
                    ty: Types::INT,
                    span: self.span(name),
                };
                declared.params = Some(names.iter().map(param).collect());
                self.function_type(inner, Vec::new(), Variadic::Unspecified, span)?
            }
        };
        if self.derivations(declared.ty) > MAX_DERIVATIONS {
            return self.too_large(span, "the type is nested too deeply");
        }
        Ok(())
    }

    fn function_type(
        &mut self,
        result: TypeId,
        params: Vec<TypeId>,
        variadic: Variadic,
        span: Span,
    ) -> Result<TypeId> {
        match self.types.get(result) {
            Type::Function { .. } | Type::Array(..) | Type::VariableArray(..) => {
                self.error(span, "a function cannot return this type")
            }
            _ => Ok(self.types.function(result, params, variadic)),
        }
    }

    fn array(&mut self, element: TypeId, length: Option<u64>, span: Span) -> Result<TypeId> {
        let size = self.types.size(element);
        let known = size.is_some()
            || self.types.is_variable(element)
            || self.types.unsupported_name(element).is_some();
        if !known {
            return self.error(span, "an array of an incomplete type");
        }
        let bytes = size.unwrap_or(0).checked_mul(length.unwrap_or(0));
        if bytes.is_none_or(|bytes| bytes > MAX_SIZE) {
            return self.too_large(span, "the array is too large");
        }
        Ok(self.types.intern(Type::Array(element, length)))
    }

    /// The parameter that is the length of an array in a later parameter's type. Anything else that varies
    /// there is refused where the parameter is used.
    fn parameter_length(&self, array: &ast::ArrayDeclarator) -> Option<LocalId> {
        let (ast::ArraySize::VariableExpression(length) | ast::ArraySize::StaticExpression(length)) =
            &array.size
        else {
            return None;
        };
        let ast::Expression::Identifier(name) = &length.node else { return None };
        let index = self.parameters.iter().rposition(|parameter| *parameter == name.node.name)?;
        Some(LocalId(u32::try_from(index).expect("fewer than 2^32 parameters")))
    }

    /// A constant length, or the expression of a variable one.
    fn array_length(&mut self, array: &'a ast::ArrayDeclarator) -> Result<(Option<u64>, Option<Expr>)> {
        let expression = match &array.size {
            ast::ArraySize::Unknown | ast::ArraySize::VariableUnknown => return Ok((None, None)),
            ast::ArraySize::VariableExpression(expression) | ast::ArraySize::StaticExpression(expression) => {
                expression
            }
        };
        let span = self.span(expression);
        let length = self.value(expression)?;
        if !self.types.is_integer(length.ty) && self.types.unsupported_name(length.ty).is_none() {
            return self.error(span, "the length of an array must be an integer");
        }
        match self.fold(&length) {
            Some(value) if value < 0 => self.error(span, "the length of the array is negative"),
            Some(value) => Ok((Some(value as u64), None)),
            None if self.body.is_some() => Ok((None, Some(length))),
            None => self.error(span, "the length of the array is not constant"),
        }
    }

    fn parameters(&mut self, function: &'a ast::FunctionDeclarator) -> Result<(Vec<Param>, Variadic)> {
        let mut params = Vec::new();
        let outer = std::mem::take(&mut self.parameters);
        for parameter in &function.parameters {
            let param = self.parameter(parameter)?;
            self.parameters.push(param.name.clone());
            params.push(param);
        }
        self.parameters = outer;
        if let [only] = params.as_slice()
            && only.ty == Types::VOID
            && only.name.is_empty()
        {
            params.clear();
        }
        if let Some(void) = params.iter().find(|param| param.ty == Types::VOID) {
            return self.error(void.span, "a parameter of type `void`");
        }
        let variadic = match function.ellipsis {
            ast::Ellipsis::Some => Variadic::Yes,
            ast::Ellipsis::None => Variadic::No,
        };
        Ok((params, variadic))
    }

    fn parameter(&mut self, node: &'a Node<ast::ParameterDeclaration>) -> Result<Param> {
        let span = self.span(node);
        let base = self.declaration_specifiers(&node.node.specifiers, span)?;
        let Some(declarator) = &node.node.declarator else {
            return Ok(Param { name: String::new(), ty: self.adjusted(base.ty), span });
        };
        // The length of an array parameter means nothing and may name other parameters, which are not in
        // scope here.
        let declared = match outermost_array(declarator) {
            true => self.array_parameter(declarator, base.ty)?,
            false => self.declarator(declarator, base.ty)?,
        };
        Ok(Param { name: declared.name, ty: self.adjusted(declared.ty), span: declared.span })
    }

    /// A parameter `T *name[n][3]`: a pointer to its elements.
    fn array_parameter(&mut self, node: &'a Node<ast::Declarator>, base: TypeId) -> Result<Declared> {
        let name = match &node.node.kind.node {
            ast::DeclaratorKind::Identifier(name) => name.node.name.clone(),
            _ => String::new(),
        };
        let mut declared =
            Declared { name, ty: base, span: self.span(&node.node.kind), params: None, lengths: Vec::new() };
        let is_array =
            |part: &&Node<ast::DerivedDeclarator>| matches!(part.node, ast::DerivedDeclarator::Array(_));
        for part in node.node.derived.iter().filter(|part| !is_array(part)) {
            self.derive(&mut declared, part)?;
        }
        let arrays: Vec<_> = node.node.derived.iter().filter(is_array).collect();
        for part in arrays.iter().skip(1).rev() {
            if self.derive(&mut declared, part).is_err() || !declared.lengths.is_empty() {
                declared.lengths.clear();
                declared.ty = self.types.unsupported("variable-length array type", 0);
            }
        }
        declared.ty = self.types.pointer(declared.ty);
        Ok(declared)
    }

    /// Arrays and functions as parameters are pointers (C11 6.7.6.3).
    pub fn adjusted(&mut self, ty: TypeId) -> TypeId {
        match *self.types.get(ty) {
            Type::Array(element, _) | Type::VariableArray(element, _) => self.types.pointer(element),
            Type::Function { .. } => self.types.pointer(ty),
            _ => ty,
        }
    }

    fn derivations(&self, mut ty: TypeId) -> u32 {
        for count in 0.. {
            ty = match *self.types.get(ty) {
                Type::Pointer(inner)
                | Type::Array(inner, _)
                | Type::VariableArray(inner, _)
                | Type::Atomic(inner) => inner,
                Type::Function { result, .. } => result,
                _ => return count,
            };
        }
        unreachable!("types are finite")
    }
}

/// Whether a parameter is `T name[...]` with nothing but pointers and arrays.
fn outermost_array(node: &Node<ast::Declarator>) -> bool {
    let simple = !matches!(node.node.kind.node, ast::DeclaratorKind::Declarator(_));
    let derived = &node.node.derived;
    let all = derived.iter().all(|part| {
        matches!(part.node, ast::DerivedDeclarator::Pointer(_) | ast::DerivedDeclarator::Array(_))
    });
    simple && all && derived.iter().any(|part| matches!(part.node, ast::DerivedDeclarator::Array(_)))
}

fn is_atomic(qualifier: &Node<ast::PointerQualifier>) -> bool {
    match &qualifier.node {
        ast::PointerQualifier::TypeQualifier(qualifier) => qualifier.node == ast::TypeQualifier::Atomic,
        ast::PointerQualifier::Extension(_) => false,
    }
}
