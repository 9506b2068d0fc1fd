//! Functions that the compiler itself knows: `__builtin_expect` and the like, and the results of undeclared
//! input functions.
//!
//! `__builtin_name` for a known `name` is that function (`__builtin_memcpy`).

use lang_c::ast;
use lang_c::span::Node;

use super::scope::Entity;
use super::types::Types;
use super::wide::{Wide, comma};
use super::{Analyser, Result, make};
use crate::frontend::tree::{BinaryOp, CompareOp, Expr, ExprKind, StepValue, TypeId};
use crate::program::Span;

/// Builtins that have a meaning of their own here, without `__builtin_`; others are functions of the library.
const BUILTINS: [&str; 25] = [
    "add_overflow",
    "sub_overflow",
    "mul_overflow",
    "add_overflow_p",
    "sub_overflow_p",
    "mul_overflow_p",
    "prefetch",
    "va_start",
    "c23_va_start",
    "va_copy",
    "va_end",
    "expect",
    "expect_with_probability",
    "assume_aligned",
    "constant_p",
    "choose_expr",
    "object_size",
    "dynamic_object_size",
    "inf",
    "inff",
    "huge_val",
    "huge_valf",
    "nan",
    "nanf",
    "isinf_sign",
];

/// Bytes from one variable argument to the next.
pub(in crate::frontend) const SLOT: i64 = 8;

/// Likewise, named only to be refused.
const REFUSED: [&str; 3] = ["next_arg", "va_arg_pack", "va_arg_pack_len"];

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
        if REFUSED.contains(&plain) {
            let what = format!("`{plain}`");
            return Ok(Some(make(ExprKind::Unsupported(what), Types::VOID, span)));
        }
        if !BUILTINS.contains(&plain) {
            return self.library_builtin(plain, arguments, span);
        }
        match (plain, arguments.as_slice()) {
            ("va_start" | "c23_va_start", [list, ..]) => {
                let list = self.expression(list)?;
                let first = self.variable_arguments(span)?;
                Ok(Some(assigned(list, first, span)))
            }
            ("va_copy", [to, from]) => {
                let (to, from) = (self.expression(to)?, self.value(from)?);
                Ok(Some(assigned(to, from, span)))
            }
            ("va_end", [_]) => {
                let nothing = self.int(0, Types::INT, span);
                Ok(Some(self.cast(nothing, Types::VOID, span)?))
            }
            ("add_overflow" | "sub_overflow" | "mul_overflow", [left, right, result]) => {
                let operands = [self.value(left)?, self.value(right)?, self.value(result)?];
                self.overflow(&plain[..3], operands, span).map(Some)
            }
            ("add_overflow_p" | "sub_overflow_p" | "mul_overflow_p", [left, right, like]) => {
                let operands = [self.value(left)?, self.value(right)?, self.value(like)?];
                self.overflows(&plain[..3], operands, span).map(Some)
            }
            ("prefetch", [address, ..]) => {
                let address = self.value(address)?;
                Ok(Some(self.cast(address, Types::VOID, span)?))
            }
            ("expect", [value, _]) | ("expect_with_probability", [value, _, _]) => {
                let value = self.value(value)?;
                Ok(Some(self.convert(value, Types::LONG, span)?))
            }
            ("inf" | "huge_val", []) => Ok(Some(float(f64::INFINITY.to_bits(), Types::DOUBLE, span))),
            ("inff" | "huge_valf", []) => {
                Ok(Some(float(u64::from(f32::INFINITY.to_bits()), Types::FLOAT, span)))
            }
            // The tag in the text chooses a payload; only the empty one is common.
            ("nan", [_]) => Ok(Some(float(0x7ff8_0000_0000_0000, Types::DOUBLE, span))),
            ("nanf", [_]) => Ok(Some(float(0x7fc0_0000, Types::FLOAT, span))),
            ("isinf_sign", [_]) => self.library_builtin("isinf", arguments, span),
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

    /// `__builtin_add_overflow(a, b, &result)`: the builtin for the result's type, where that type holds every
    /// value of the operands, else by exact arithmetic.
    fn overflow(&mut self, operation: &str, [left, right, result]: [Expr; 3], span: Span) -> Result<Expr> {
        let Some(target) = self.types.pointee(result.ty) else {
            return self.error(span, "the last argument is no pointer");
        };
        let target = self.types.plain(target);
        let suffix = match target {
            Types::INT | Types::UINT => Some(""),
            Types::LONG | Types::ULONG => Some("l"),
            Types::LONG_LONG | Types::ULONG_LONG => Some("ll"),
            _ => None,
        };
        let sign = if matches!(target, Types::INT | Types::LONG | Types::LONG_LONG) { 's' } else { 'u' };
        if let (Some(suffix), true) = (suffix, self.holds(target, &left) && self.holds(target, &right)) {
            let name = format!("__builtin_{sign}{operation}{suffix}_overflow");
            if let Some(Entity::Function(id)) = self.scopes.name_in_file(&name) {
                let callee = self.function_value(id, span);
                return self.apply(callee, vec![left, right, result], span);
            }
        }
        let kept = self.new_local("<result>".to_owned(), result.ty, span)?;
        let kept = make(ExprKind::Local(kept), result.ty, span);
        let keep = self.assign(kept.clone(), None, result, span)?;
        let pointer = self.rvalue(kept);
        let place = self.dereference(pointer, span)?;
        let (exact, value) = self.exact(operation, [left, right], target, span)?;
        let store = self.assign(place, None, value, span)?;
        let outcome = self.differs(&exact.1, target, span)?;
        Ok([keep, exact.0, store].into_iter().rev().fold(outcome, |rest, first| comma(first, rest, span)))
    }

    /// `__builtin_add_overflow_p(a, b, (T)0)`: whether the exact result is none of a type.
    fn overflows(&mut self, operation: &str, [left, right, like]: [Expr; 3], span: Span) -> Result<Expr> {
        let (exact, _) = self.exact(operation, [left, right], like.ty, span)?;
        let outcome = self.differs(&exact.1, like.ty, span)?;
        Ok(comma(exact.0, outcome, span))
    }

    /// The exact result of an operation, of 128 bits: what computes it into a local, and the local; then its
    /// value in a type.
    fn exact(
        &mut self,
        operation: &str,
        [left, right]: [Expr; 2],
        target: TypeId,
        span: Span,
    ) -> Result<((Expr, Expr), Expr)> {
        let word = |ty: TypeId| self.types.word(ty);
        let (Some(a), Some(b), Some(_)) = (word(left.ty), word(right.ty), word(target)) else {
            return self
                .refuse(span, format!("`__builtin_{operation}_overflow` of these types is not supported"));
        };
        let (op, wide) = match operation {
            "add" => (BinaryOp::Add, Wide::Signed),
            "sub" => (BinaryOp::Sub, Wide::Signed),
            // Only products of two unsigned words need the highest bit.
            _ if !a.is_signed() && !b.is_signed() => (BinaryOp::Mul, Wide::Unsigned),
            _ => (BinaryOp::Mul, Wide::Signed),
        };
        let ty = self.wide_type(wide);
        let (left, right) = (self.convert(left, ty, span)?, self.convert(right, ty, span)?);
        let result = self.arithmetic(op, left, right, span)?;
        let local = self.new_local("<exact>".to_owned(), ty, span)?;
        let local = make(ExprKind::Local(local), ty, span);
        let keep = self.assign(local.clone(), None, result, span)?;
        let exact = self.rvalue(local);
        let value = self.convert(exact.clone(), target, span)?;
        Ok(((keep, exact), value))
    }

    /// Whether a number is another one in a type.
    fn differs(&mut self, exact: &Expr, target: TypeId, span: Span) -> Result<Expr> {
        let value = self.convert(exact.clone(), target, span)?;
        let back = self.convert(value, exact.ty, span)?;
        let differs = self.compare(CompareOp::Ne, exact.clone(), back, span)?;
        self.convert(differs, Types::BOOL, span)
    }

    /// Whether a type holds every value that an expression can have.
    fn holds(&self, ty: TypeId, expr: &Expr) -> bool {
        let (Some(wide), Some(narrow)) = (self.types.word(ty), self.types.word(expr.ty)) else {
            return false;
        };
        let value = self.fold(expr);
        match value {
            Some(value) => self.types.wrap(ty, value) == value,
            None if wide.is_signed() == narrow.is_signed() => narrow.bits() <= wide.bits(),
            None => wide.is_signed() && narrow.bits() < wide.bits(),
        }
    }

    /// Where the variable arguments of the function around are.
    fn variable_arguments(&mut self, span: Span) -> Result<Expr> {
        let ty = self.types.pointer(Types::ULONG_LONG);
        self.plain_intrinsic("__regrain_arguments", ty, Vec::new(), span)
    }

    /// `va_arg(list, T)`: the argument at which the list is, which goes on behind it.
    pub fn next_argument(&mut self, list: Expr, ty: TypeId, span: Span) -> Expr {
        if self.types.record_of(ty).is_some() {
            return make(ExprKind::Unsupported("a structure among variable arguments".to_owned()), ty, span);
        }
        let pointer = list.ty;
        let step = ExprKind::Step { target: Box::new(list), amount: SLOT, value: StepValue::Old };
        let step = make(step, pointer, span);
        let typed = self.types.pointer(ty);
        let typed = make(ExprKind::Cast(Box::new(step)), typed, span);
        let place = make(ExprKind::Deref(Box::new(typed)), ty, span);
        self.rvalue(place)
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
            "float" => Types::FLOAT,
            "double" => Types::DOUBLE,
            _ => Types::INT,
        })
    }
}

/// A constant with these bits.
fn float(bits: u64, ty: TypeId, span: Span) -> Expr {
    make(ExprKind::Int(i128::from(bits)), ty, span)
}

/// `to = value` for lists of arguments.
fn assigned(to: Expr, value: Expr, span: Span) -> Expr {
    let ty = to.ty;
    make(ExprKind::Assign(Box::new(to), Box::new(value)), ty, span)
}
