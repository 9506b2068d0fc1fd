//! Conversions: lvalues to values, decay, promotions, assignment and casts (C11 6.3).

use super::types::Types;
use super::{Analyser, Result, make};
use crate::frontend::tree::{Expr, ExprKind, Type, TypeId};
use crate::program::Span;

/// Whether the expression designates an object.
pub(super) fn is_lvalue(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Global(_) | ExprKind::Local(_) | ExprKind::Deref(_) | ExprKind::CompoundLiteral(..) => true,
        ExprKind::Member(base, _) => is_lvalue(base),
        _ => false,
    }
}

impl Analyser<'_> {
    /// The value of an expression: lvalues are read, arrays decay to pointers.
    pub fn rvalue(&mut self, expr: Expr) -> Expr {
        let span = expr.span;
        if let Some(name) = self.types.unsupported_name(expr.ty) {
            let what = format!("`{name}`");
            return self.unsupported(expr, &what);
        }
        if let Type::Array(element, _) | Type::VariableArray(element, _) = *self.types.get(expr.ty) {
            let pointer = self.types.pointer(element);
            // An array that is part of a value (`f().a`) is in an object of temporary lifetime (C11 6.2.4).
            return make(ExprKind::Decay(Box::new(expr)), pointer, span);
        }
        if !is_lvalue(&expr) {
            return expr;
        }
        let ty = self.types.plain(expr.ty);
        make(ExprKind::Load(Box::new(expr)), ty, span)
    }

    /// The same place and type, refused when reached; what is already refused keeps its reason.
    pub fn unsupported(&self, expr: Expr, name: &str) -> Expr {
        match expr.kind {
            ExprKind::Unsupported(_) => expr,
            _ => make(ExprKind::Unsupported(name.to_owned()), expr.ty, expr.span),
        }
    }

    /// If an operand cannot be computed with, an expression of type `ty` that says so.
    pub fn refused_operand(&self, operands: &[&Expr], ty: TypeId, span: Span) -> Option<Expr> {
        operands.iter().find_map(|operand| {
            let name = match &operand.kind {
                ExprKind::Unsupported(name) => name.clone(),
                _ => format!("`{}`", self.types.unsupported_name(operand.ty)?),
            };
            Some(make(ExprKind::Unsupported(name), ty, span))
        })
    }

    /// Integer promotion; a bit-field narrower than `int` becomes `int`.
    pub fn promote(&mut self, expr: Expr) -> Expr {
        let narrow = match &expr.kind {
            ExprKind::Load(lvalue) => match &lvalue.kind {
                ExprKind::Member(base, index) => self.types.record_of(base.ty).is_some_and(|record| {
                    let bits = self.types.field(record, *index).bits;
                    bits.is_some_and(|bits| {
                        bits.width < 32
                            || bits.width == 32 && self.types.word(expr.ty).is_some_and(|w| w.is_signed())
                    })
                }),
                _ => false,
            },
            _ => false,
        };
        let ty = if narrow { Types::INT } else { self.types.promoted(expr.ty) };
        self.convert_unchecked(expr, ty)
    }

    /// Converts without asking whether C allows it.
    pub fn convert_unchecked(&mut self, expr: Expr, ty: TypeId) -> Expr {
        let ty = self.types.plain(ty);
        if expr.ty == ty {
            return expr;
        }
        let span = expr.span;
        if let Some(refused) = self.refused_operand(&[&expr], ty, span) {
            return refused;
        }
        if let Some(name) = self.types.unsupported_name(ty) {
            return make(ExprKind::Unsupported(format!("`{name}`")), ty, span);
        }
        let constant = match expr.kind {
            ExprKind::Int(value) => self.converted_constant(value, expr.ty, ty),
            _ => None,
        };
        match constant {
            Some(value) => make(ExprKind::Int(value), ty, span),
            None => make(ExprKind::Cast(Box::new(expr)), ty, span),
        }
    }

    /// Conversion as by assignment: scalars convert to each other (gcc merely warns), records only to
    /// themselves.
    pub fn convert(&mut self, expr: Expr, ty: TypeId, span: Span) -> Result<Expr> {
        let ty = self.types.plain(ty);
        if let Some(wide) = self.wide_convert(&expr, ty, span)? {
            return Ok(wide);
        }
        let pointers = self.types.is_pointer(expr.ty) || self.types.is_pointer(ty);
        let floats = self.types.is_float(expr.ty) || self.types.is_float(ty);
        let convertible = expr.ty == ty
            || self.types.is_scalar(expr.ty) && self.types.is_scalar(ty) && !(pointers && floats)
            || self.types.unsupported_name(expr.ty).is_some()
            || self.types.unsupported_name(ty).is_some();
        if !convertible {
            let (from, to) = (self.show(expr.ty), self.show(ty));
            return self.error(span, format!("`{from}` cannot be converted to `{to}`"));
        }
        Ok(self.convert_unchecked(expr, ty))
    }

    /// An explicit cast.
    pub fn cast(&mut self, expr: Expr, ty: TypeId, span: Span) -> Result<Expr> {
        let ty = self.types.plain(ty);
        let expr = self.rvalue(expr);
        let mut cast = match ty {
            Types::VOID if expr.ty != Types::VOID => make(ExprKind::Cast(Box::new(expr)), ty, span),
            _ => self.convert(expr, ty, span)?,
        };
        cast.span = span;
        Ok(cast)
    }

    /// Both operands in their common type (C11 6.3.1.8).
    pub fn usual(&mut self, a: Expr, b: Expr) -> (Expr, Expr) {
        let (a, b) = (self.promote(a), self.promote(b));
        let ty = self.types.common(a.ty, b.ty);
        (self.convert_unchecked(a, ty), self.convert_unchecked(b, ty))
    }

    /// Whether it is a null pointer constant (C11 6.3.2.3).
    pub fn is_null(&self, expr: &Expr) -> bool {
        let may_be = self.types.is_integer(expr.ty) || self.types.pointee(expr.ty) == Some(Types::VOID);
        may_be && self.fold(expr) == Some(0)
    }

    /// A scalar value, for conditions.
    pub fn scalar(&self, expr: Expr) -> Result<Expr> {
        match self.types.is_scalar(expr.ty) || self.types.unsupported_name(expr.ty).is_some() {
            true => Ok(expr),
            false => {
                let ty = self.show(expr.ty);
                self.error(expr.span, format!("`{ty}` is used where a number or pointer is needed"))
            }
        }
    }

    /// The default argument promotions (C11 6.5.2.2).
    pub fn promote_argument(&mut self, expr: Expr) -> Expr {
        match self.types.is_float(expr.ty) {
            true => self.convert_unchecked(expr, Types::DOUBLE),
            false if self.types.is_integer(expr.ty) => self.promote(expr),
            false => expr,
        }
    }

    /// The type in C's notation, for messages.
    pub fn show(&self, ty: TypeId) -> String {
        crate::frontend::tree_print::show_type(&self.types.list, &self.types.records, ty)
    }
}
