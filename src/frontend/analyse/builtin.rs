//! Functions that the compiler itself knows: `__builtin_expect` and the like, and the results of undeclared input functions.
//!
//! `__builtin_name` for a known `name` is that function (`__builtin_memcpy`).

use lang_c::ast;
use lang_c::span::Node;

use super::scope::Entity;
use super::types::Types;
use super::{Analyser, Result, make};
use crate::frontend::tree::{Expr, ExprKind, TypeId};
use crate::program::Span;

/// Builtins that have a meaning of their own here, without `__builtin_`; others are functions of the library.
const BUILTINS: [&str; 7] = [
    "expect",
    "expect_with_probability",
    "assume_aligned",
    "constant_p",
    "choose_expr",
    "object_size",
    "dynamic_object_size",
];

/// Likewise, named only to be refused.
const VARIABLE_ARGUMENTS: [&str; 4] = ["va_start", "va_end", "va_copy", "next_arg"];

/// The builtins with a meaning of their own, without `__builtin_`.
pub(in crate::frontend) fn compiler_builtins() -> impl Iterator<Item = &'static str> {
    BUILTINS.into_iter()
}

impl<'a> Analyser<'a> {
    /// The call as a builtin, if it is one.
    pub fn builtin(&mut self, name: &str, node: &'a ast::CallExpression, span: Span) -> Result<Option<Expr>> {
        let arguments = &node.arguments;
        if let Some(atomic) = self.atomic_builtin(name, arguments, span)? {
            return Ok(Some(atomic));
        }
        if self.scopes.name(name).is_some() {
            return Ok(None);
        }
        let Some(plain) = name.strip_prefix("__builtin_") else { return Ok(None) };
        if VARIABLE_ARGUMENTS.contains(&plain) {
            let what = format!("`{plain}`");
            return Ok(Some(make(ExprKind::Unsupported(what), Types::VOID, span)));
        }
        if !BUILTINS.contains(&plain) {
            return self.library_builtin(plain, arguments, span);
        }
        match (plain, arguments.as_slice()) {
            ("expect", [value, _]) | ("expect_with_probability", [value, _, _]) => {
                let value = self.value(value)?;
                Ok(Some(self.convert(value, Types::LONG, span)?))
            }
            ("assume_aligned", [value, ..]) => Ok(Some(self.value(value)?)),
            ("constant_p", [value]) => {
                let value = self.value(value)?;
                let constant = self.fold(&value).is_some();
                Ok(Some(self.int(i128::from(constant), Types::INT, span)))
            }
            ("choose_expr", [condition, then, otherwise]) => match self.constant_expression(condition)? {
                0 => Ok(Some(self.expression(otherwise)?)),
                _ => Ok(Some(self.expression(then)?)),
            },
            ("object_size" | "dynamic_object_size", [_, kind]) => {
                let kind = self.constant_expression(kind)?;
                let unknown = if kind & 2 == 0 { -1 } else { 0 };
                Ok(Some(self.int(unknown, self.types.size_type(), span)))
            }
            _ => self.library_builtin(plain, arguments, span),
        }
    }

    /// `__builtin_name(...)` as `name(...)`.
    fn library_builtin(
        &mut self,
        plain: &str,
        arguments: &'a [Node<ast::Expression>],
        span: Span,
    ) -> Result<Option<Expr>> {
        let Some(Entity::Function(id)) = self.scopes.name_in_file(plain) else { return Ok(None) };
        let callee = self.function_value(id, span);
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.value(argument)?);
        }
        self.apply(callee, values, span).map(Some)
    }

    /// The result of `__VERIFIER_nondet_uint()` and the like when nobody declares it.
    pub fn nondeterministic_result(&mut self, name: &str) -> Option<TypeId> {
        let suffix = name.strip_prefix("__VERIFIER_nondet_").or_else(|| name.strip_prefix("nondet_"))?;
        Some(match suffix {
            "bool" | "_Bool" => Types::BOOL,
            "char" | "schar" => Types::CHAR,
            "uchar" | "u8" => Types::UCHAR,
            "short" => Types::SHORT,
            "ushort" | "u16" => Types::USHORT,
            "uint" | "unsigned" | "u32" => Types::UINT,
            "long" => Types::LONG,
            "ulong" => Types::ULONG,
            "longlong" => Types::LONG_LONG,
            "ulonglong" | "u64" => Types::ULONG_LONG,
            "size_t" | "sizet" => self.types.size_type(),
            "pointer" | "ptr" | "voidp" => self.types.pointer(Types::VOID),
            "charp" | "pchar" => self.types.pointer(Types::CHAR),
            "float" => self.types.unsupported("float", 4),
            "double" => self.types.unsupported("double", 8),
            _ => Types::INT,
        })
    }
}
