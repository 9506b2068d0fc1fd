//! Integers of 128 bits: `__int128` and `unsigned __int128` are structures of two words that the models
//! define, and their operators are calls of the functions in `models/wide.c`.
//!
//! Such an object is read and written word by word, as gcc does it on x86-64. Their rank is above that of all
//! other integers.

use super::convert::is_lvalue;
use super::scope::Tag;
use super::types::Types;
use super::{Analyser, Result, make};
use crate::frontend::tree::{BinaryOp, CompareOp, Expr, ExprKind, StepValue, Type, TypeId, UnaryOp};
use crate::program::Span;

/// What is refused for `_Atomic __int128`.
const ATOMIC: &str = "arithmetic on an atomic `__int128`";

/// Which of the two types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wide {
    Signed,
    Unsigned,
}

impl Wide {
    fn tag(self) -> &'static str {
        match self {
            Wide::Signed => "__regrain_int128",
            Wide::Unsigned => "__regrain_uint128",
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Wide::Signed => "i128",
            Wide::Unsigned => "u128",
        }
    }
}

impl<'a> Analyser<'a> {
    /// The type of that name.
    pub fn wide_type(&mut self, wide: Wide) -> TypeId {
        match self.scopes.tag(wide.tag()) {
            Some(Tag::Record(record)) => self.types.intern(Type::Record(record)),
            _ => self.types.unsupported("__int128", 16),
        }
    }

    /// Which of the two types it is, if it is one.
    pub fn wide(&self, ty: TypeId) -> Option<Wide> {
        let name = &self.types.record(self.types.record_of(ty)?).name;
        [Wide::Signed, Wide::Unsigned].into_iter().find(|wide| wide.tag() == name)
    }

    /// Whether one of these operands has 128 bits and the other is an integer; the common type then.
    pub fn wide_common(&self, a: TypeId, b: TypeId) -> Option<Wide> {
        let integer = |ty| self.wide(ty).is_some() || self.types.is_integer(ty);
        match (self.wide(a), self.wide(b)) {
            _ if !integer(a) || !integer(b) => None,
            (None, None) => None,
            (Some(Wide::Unsigned), _) | (_, Some(Wide::Unsigned)) => Some(Wide::Unsigned),
            _ => Some(Wide::Signed),
        }
    }

    /// A call of a function of `models/wide.c`.
    fn wide_call(
        &mut self,
        wide: Wide,
        name: &str,
        result: TypeId,
        arguments: Vec<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let name = format!("__regrain_{}_{name}", wide.prefix());
        self.plain_intrinsic(&name, result, arguments, span)
    }

    /// `a op b`, if it is one of 128 bits.
    pub fn wide_arithmetic(&mut self, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> Result<Option<Expr>> {
        let Some(mut common) = self.wide_common(a.ty, b.ty) else { return Ok(None) };
        let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let right = match (shift, self.wide(a.ty)) {
            (true, Some(left)) => {
                common = left;
                Types::INT
            }
            (true, None) => {
                let amount = self.convert(b.clone(), Types::INT, span)?;
                return self.arithmetic(op, a.clone(), amount, span).map(Some);
            }
            (false, _) => self.wide_type(common),
        };
        let ty = self.wide_type(common);
        let (a, b) = (self.convert(a.clone(), ty, span)?, self.convert(b.clone(), right, span)?);
        self.wide_call(common, operation(op), ty, vec![a, b], span).map(Some)
    }

    /// A comparison, if it is one of 128 bits.
    pub fn wide_compare(&mut self, op: CompareOp, a: &Expr, b: &Expr, span: Span) -> Result<Option<Expr>> {
        let Some(common) = self.wide_common(a.ty, b.ty) else { return Ok(None) };
        let ty = self.wide_type(common);
        let (a, b) = (self.convert(a.clone(), ty, span)?, self.convert(b.clone(), ty, span)?);
        let (name, arguments, negated) = match op {
            CompareOp::Eq => ("equal", vec![a, b], false),
            CompareOp::Ne => ("equal", vec![a, b], true),
            CompareOp::Lt => ("less", vec![a, b], false),
            CompareOp::Ge => ("less", vec![a, b], true),
            CompareOp::Gt => ("less", vec![b, a], false),
            CompareOp::Le => ("less", vec![b, a], true),
        };
        let holds = self.wide_call(common, name, Types::BOOL, arguments, span)?;
        let holds = self.convert_unchecked(holds, Types::INT);
        Ok(Some(match negated {
            true => make(ExprKind::Unary(UnaryOp::Not, Box::new(holds)), Types::INT, span),
            false => holds,
        }))
    }

    /// `-a` and `~a` of 128 bits.
    pub fn wide_unary(&mut self, op: UnaryOp, operand: Expr, span: Span) -> Result<Expr> {
        let number = self.int(if op == UnaryOp::Neg { 0 } else { -1 }, Types::INT, span);
        match op {
            UnaryOp::Neg => self.arithmetic(BinaryOp::Sub, number, operand, span),
            UnaryOp::BitNot | UnaryOp::Not => self.arithmetic(BinaryOp::Xor, operand, number, span),
        }
    }

    /// Whether a number of 128 bits is not zero; others stay as they are.
    pub fn wide_truth(&mut self, expr: Expr) -> Result<Expr> {
        let span = expr.span;
        match self.wide(expr.ty) {
            Some(wide) => self.wide_call(wide, "truth", Types::BOOL, vec![expr], span),
            None => Ok(expr),
        }
    }

    /// A conversion from or to 128 bits; `None` if it is none.
    pub fn wide_convert(&mut self, expr: &Expr, ty: TypeId, span: Span) -> Result<Option<Expr>> {
        let (from, to) = (self.wide(expr.ty), self.wide(ty));
        if expr.ty == ty || from.is_none() && to.is_none() {
            return Ok(None);
        }
        if self.types.is_float(expr.ty) || self.types.is_float(ty) {
            let what = "a conversion between `__int128` and floating point".to_owned();
            return Ok(Some(make(ExprKind::Unsupported(what), ty, span)));
        }
        match (from, to) {
            (Some(_), None) if self.types.plain(ty) == Types::BOOL => {
                let truth = self.wide_truth(expr.clone())?;
                Ok(Some(truth))
            }
            (Some(_), None) if self.types.is_scalar(ty) => {
                let low = self.member_at(expr.clone(), 0, span);
                let low = if is_lvalue(&low) { self.rvalue(low) } else { low };
                Ok(Some(self.convert_unchecked(low, ty)))
            }
            (Some(source), Some(target)) => {
                let name = format!("from_{}", source.prefix());
                self.wide_call(target, &name, ty, vec![expr.clone()], span).map(Some)
            }
            (None, Some(target)) if self.types.is_scalar(expr.ty) => {
                let signed = self.types.word(expr.ty).is_some_and(|word| word.is_signed());
                let (name, word) = match signed {
                    true => ("from_i", Types::LONG_LONG),
                    false => ("from_u", Types::ULONG_LONG),
                };
                let value = self.convert_unchecked(expr.clone(), word);
                self.wide_call(target, name, ty, vec![value], span).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// `target op= value` where one of them has 128 bits: the target is found once.
    pub fn wide_assign(
        &mut self,
        target: Expr,
        op: BinaryOp,
        value: Expr,
        span: Span,
    ) -> Result<Option<Expr>> {
        let ty = self.types.plain(target.ty);
        if self.wide_common(ty, value.ty).is_none() {
            return Ok(None);
        }
        if ty != target.ty {
            return Ok(Some(make(ExprKind::Unsupported(ATOMIC.to_owned()), ty, span)));
        }
        let (keep, target) = self.found_once(target, span)?;
        let old = self.rvalue(target.clone());
        let new = self.arithmetic(op, old, value, span)?;
        let store = self.assign(target, None, new, span)?;
        Ok(Some(comma(keep, store, span)))
    }

    /// `++` and `--` of 128 bits.
    pub fn wide_step(&mut self, target: Expr, sign: i64, value: StepValue, span: Span) -> Result<Expr> {
        let ty = self.types.plain(target.ty);
        if ty != target.ty {
            return Ok(make(ExprKind::Unsupported(ATOMIC.to_owned()), ty, span));
        }
        let (keep, target) = self.found_once(target, span)?;
        let copy = self.new_local("<old>".to_owned(), ty, span)?;
        let copy = make(ExprKind::Local(copy), ty, span);
        let old = self.rvalue(target.clone());
        let save = self.assign(copy.clone(), None, old, span)?;
        let (amount, old) = (self.int(i128::from(sign), Types::INT, span), self.rvalue(copy));
        let new = self.arithmetic(BinaryOp::Add, old.clone(), amount, span)?;
        let store = self.assign(target, None, new, span)?;
        let stepped = comma(comma(keep, save, span), store, span);
        Ok(match value {
            StepValue::New => stepped,
            StepValue::Old => comma(stepped, old, span),
        })
    }

    /// An lvalue that can be named twice, and what has to be evaluated before.
    fn found_once(&mut self, target: Expr, span: Span) -> Result<(Option<Expr>, Expr)> {
        if matches!(target.kind, ExprKind::Local(_) | ExprKind::Global(_)) {
            return Ok((None, target));
        }
        let address = self.address_of(target, span)?;
        let ty = address.ty;
        let local = self.new_local("<place>".to_owned(), ty, span)?;
        let local = make(ExprKind::Local(local), ty, span);
        let keep = self.assign(local.clone(), None, address, span)?;
        let pointer = self.rvalue(local);
        Ok((Some(keep), self.dereference(pointer, span)?))
    }
}

/// `first, second`.
pub(super) fn comma(first: impl Into<Option<Expr>>, second: Expr, span: Span) -> Expr {
    let ty = second.ty;
    match first.into() {
        Some(first) => make(ExprKind::Comma(Box::new(first), Box::new(second)), ty, span),
        None => second,
    }
}

fn operation(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::Div => "div",
        BinaryOp::Rem => "rem",
        BinaryOp::Shl => "shl",
        BinaryOp::Shr => "shr",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Xor => "xor",
    }
}
