//! Declaration specifiers to a type and a storage class (C11 6.7.1 to 6.7.3).

use lang_c::ast;
use lang_c::span::Node;

use super::scope::Entity;
use super::types::Types;
use super::wide::Wide;
use super::{Analyser, Result};
use crate::frontend::DataModel;
use crate::frontend::tree::{ExprKind, Type, TypeId};
use crate::program::Span;

/// What the specifiers of a declaration say.
#[derive(Clone, Copy)]
pub(super) struct Base {
    pub ty: TypeId,
    /// The alignment that a typedef name gave the type.
    pub align: Option<u64>,
    pub class: Class,
    pub thread_local: bool,
}

/// Storage classes, as far as they differ for us.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// None, `auto` or `register`.
    Plain,
    Typedef,
    Extern,
    Static,
}

/// How often each keyword occurs.
#[derive(Default)]
struct Words {
    signed: u32,
    unsigned: u32,
    short: u32,
    long: u32,
    int: u32,
    complex: u32,
    /// Atomic qualifier.
    atomic: bool,
    /// The alignment that a typedef name gave the type.
    align: Option<u64>,
    /// Any other type, which excludes a second one.
    other: Option<Other>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Other {
    Char,
    Double,
    Type(TypeId),
}

impl<'a> Analyser<'a> {
    pub fn declaration_specifiers(
        &mut self,
        list: &'a [Node<ast::DeclarationSpecifier>],
        span: Span,
    ) -> Result<Base> {
        let (mut words, mut class, mut thread_local) = (Words::default(), Class::Plain, false);
        for specifier in list {
            match &specifier.node {
                ast::DeclarationSpecifier::TypeSpecifier(ty) => self.type_specifier(ty, &mut words)?,
                ast::DeclarationSpecifier::TypeQualifier(qualifier) => words.qualify(&qualifier.node),
                ast::DeclarationSpecifier::StorageClass(storage) => match storage.node {
                    ast::StorageClassSpecifier::Typedef => class = Class::Typedef,
                    ast::StorageClassSpecifier::Extern => class = Class::Extern,
                    ast::StorageClassSpecifier::Static => class = Class::Static,
                    ast::StorageClassSpecifier::ThreadLocal => thread_local = true,
                    ast::StorageClassSpecifier::Auto | ast::StorageClassSpecifier::Register => {}
                },
                ast::DeclarationSpecifier::Function(_)
                | ast::DeclarationSpecifier::Alignment(_)
                | ast::DeclarationSpecifier::Extension(_) => {}
            }
        }
        let align = words.align;
        Ok(Base { ty: self.combine(words, span)?, align, class, thread_local })
    }

    pub fn qualified_specifiers(
        &mut self,
        list: &'a [Node<ast::SpecifierQualifier>],
        span: Span,
    ) -> Result<(TypeId, Option<u64>)> {
        let mut words = Words::default();
        for specifier in list {
            match &specifier.node {
                ast::SpecifierQualifier::TypeSpecifier(ty) => self.type_specifier(ty, &mut words)?,
                ast::SpecifierQualifier::TypeQualifier(qualifier) => words.qualify(&qualifier.node),
                ast::SpecifierQualifier::Extension(_) => {}
            }
        }
        let align = words.align;
        Ok((self.combine(words, span)?, align))
    }

    fn type_specifier(&mut self, node: &'a Node<ast::TypeSpecifier>, words: &mut Words) -> Result<()> {
        let span = self.span(node);
        let other = match &node.node {
            ast::TypeSpecifier::Signed => return words.count(|words| &mut words.signed),
            ast::TypeSpecifier::Unsigned => return words.count(|words| &mut words.unsigned),
            ast::TypeSpecifier::Short => return words.count(|words| &mut words.short),
            ast::TypeSpecifier::Long => return words.count(|words| &mut words.long),
            ast::TypeSpecifier::Int => return words.count(|words| &mut words.int),
            ast::TypeSpecifier::Complex => return words.count(|words| &mut words.complex),
            ast::TypeSpecifier::Char => Other::Char,
            ast::TypeSpecifier::Double => Other::Double,
            ast::TypeSpecifier::Void => Other::Type(Types::VOID),
            ast::TypeSpecifier::Bool => Other::Type(Types::BOOL),
            ast::TypeSpecifier::Float => Other::Type(Types::FLOAT),
            ast::TypeSpecifier::TS18661Float(float) => Other::Type(self.extended_float(float)),
            ast::TypeSpecifier::Atomic(name) => {
                let inner = self.type_name(name)?;
                Other::Type(self.atomic(inner))
            }
            ast::TypeSpecifier::Struct(record) => Other::Type(self.record(record)?),
            ast::TypeSpecifier::Enum(enumeration) => Other::Type(self.enumeration(enumeration)?),
            ast::TypeSpecifier::TypedefName(name) => match self.scopes.name(&name.node.name) {
                Some(Entity::Typedef(ty, align)) => {
                    words.align = align;
                    Other::Type(ty)
                }
                _ => return self.error(span, format!("`{}` is not a type", name.node.name)),
            },
            ast::TypeSpecifier::TypeOf(of) => Other::Type(match &of.node {
                ast::TypeOf::Type(name) => self.type_name(name)?,
                ast::TypeOf::Expression(expression) if is_auto(&expression.node) => self.auto_type,
                ast::TypeOf::Expression(expression) => match self.named_type(&expression.node) {
                    Some((ty, align)) => {
                        words.align = align;
                        ty
                    }
                    None => self.type_of(expression)?,
                },
            }),
        };
        if words.other.is_some() {
            return self.error(span, "two types in one declaration");
        }
        words.other = Some(other);
        Ok(())
    }

    /// The type that a name stands for; lang-c takes the name of a type for an expression here.
    fn named_type(&self, expression: &ast::Expression) -> Option<(TypeId, Option<u64>)> {
        let ast::Expression::Identifier(name) = expression else { return None };
        match self.scopes.name(&name.node.name) {
            Some(Entity::Typedef(ty, align)) => Some((ty, align)),
            _ => None,
        }
    }

    /// The type of an expression, not converted.
    pub fn type_of(&mut self, expression: &'a Node<ast::Expression>) -> Result<TypeId> {
        let expr = self.expression(expression)?;
        // A function's name is a pointer already; its address is one rightly.
        match (&expr.kind, &expression.node) {
            (ExprKind::Function(_), ast::Expression::Identifier(_)) => {
                Ok(self.types.pointee(expr.ty).unwrap_or(expr.ty))
            }
            _ => Ok(expr.ty),
        }
    }

    fn extended_float(&mut self, float: &ast::TS18661FloatType) -> TypeId {
        let prefix = match float.format {
            ast::TS18661FloatFormat::BinaryInterchange | ast::TS18661FloatFormat::BinaryExtended => "_Float",
            ast::TS18661FloatFormat::DecimalInterchange | ast::TS18661FloatFormat::DecimalExtended => {
                "_Decimal"
            }
        };
        match (prefix, float.width) {
            ("_Float", 32) => return Types::FLOAT,
            ("_Float", 64) => return Types::DOUBLE,
            // The pre-pass writes this for `__int128`.
            ("_Float", 128) if float.format == ast::TS18661FloatFormat::BinaryInterchange => {
                return self.wide_type(Wide::Signed);
            }
            _ => {}
        }
        let name = match (prefix, float.width) {
            ("_Float", 128) => "__float128".to_owned(),
            (prefix, width) => format!("{prefix}{width}"),
        };
        self.types.unsupported(&name, (float.width as u64).div_ceil(8))
    }

    pub fn atomic(&mut self, ty: TypeId) -> TypeId {
        match self.types.get(ty) {
            Type::Int { .. } | Type::Float { .. } | Type::Pointer(_) | Type::Record(_) => {
                self.types.intern(Type::Atomic(ty))
            }
            _ => ty,
        }
    }

    fn combine(&mut self, words: Words, span: Span) -> Result<TypeId> {
        let plain = words.short + words.long + words.signed + words.unsigned + words.int == 0;
        let unsigned = words.unsigned > 0;
        if words.signed > 0 && unsigned
            || words.short > 0 && words.long > 0
            || words.long > 2
            || words.short > 1
        {
            return self.error(span, "these type words do not go together");
        }
        let ty = match words.other {
            Some(Other::Type(ty)) if self.wide(ty).is_some() && words.short + words.long == 0 => {
                match unsigned {
                    true => self.wide_type(Wide::Unsigned),
                    false => ty,
                }
            }
            Some(Other::Type(ty)) if plain || self.types.unsupported_name(ty).is_some() => ty,
            Some(Other::Char) if words.short + words.long + words.int == 0 => match unsigned {
                true => Types::UCHAR,
                false => Types::CHAR,
            },
            Some(Other::Double) if words.short + words.signed + words.unsigned + words.int == 0 => {
                match words.long {
                    0 => Types::DOUBLE,
                    _ => self.long_double(),
                }
            }
            Some(_) => return self.error(span, "these type words do not go together"),
            None if words.complex > 0 => self.types.unsupported("_Complex", 16),
            None if plain => return self.error(span, "a declaration without a type"),
            None => TypeId(words.integer().0 + u32::from(unsigned)),
        };
        let ty = if words.complex > 0 { self.complex(ty) } else { ty };
        Ok(if words.atomic { self.atomic(ty) } else { ty })
    }

    fn complex(&mut self, part: TypeId) -> TypeId {
        let size = 2 * self.types.size(part).unwrap_or(8);
        self.types.unsupported("_Complex", size)
    }

    fn long_double(&mut self) -> TypeId {
        let size = match self.types.model {
            DataModel::Ilp32 => 12,
            DataModel::Lp64 => 16,
        };
        self.types.unsupported("long double", size)
    }
}

/// What the pre-pass writes for `__auto_type`.
fn is_auto(expression: &ast::Expression) -> bool {
    matches!(expression, ast::Expression::Identifier(name) if name.node.name == "__regrain_auto")
}

impl Words {
    fn count(&mut self, of: impl Fn(&mut Words) -> &mut u32) -> Result<()> {
        *of(self) += 1;
        Ok(())
    }

    fn qualify(&mut self, qualifier: &ast::TypeQualifier) {
        self.atomic |= *qualifier == ast::TypeQualifier::Atomic;
    }

    /// The signed type of `short`, `int`, `long` words.
    fn integer(&self) -> TypeId {
        match (self.short, self.long) {
            (0, 0) => Types::INT,
            (0, 1) => Types::LONG,
            (0, _) => Types::LONG_LONG,
            _ => Types::SHORT,
        }
    }
}
