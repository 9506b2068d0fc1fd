//! Short texts of expressions and types, for events and messages.

use super::Lower;
use crate::frontend::tree::{Expr, ExprKind, Function, Storage, Type, TypeId};

impl<'a> Lower<'a> {
    /// An argument as the user wrote it, nearly; `...` for what is long.
    pub(super) fn expr_text(&self, expr: &Expr, function: Option<&Function>) -> String {
        let text = |expr: &Expr| self.expr_text(expr, function);
        match &expr.kind {
            ExprKind::Int(0) if self.layout.pointee(expr.ty).is_some() => "NULL".to_owned(),
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Global(id) => {
                let global = &self.unit.globals[id.index()];
                match global.storage {
                    Storage::Literal => format!("\"{}\"", global.name),
                    Storage::Static | Storage::ThreadLocal => global.name.clone(),
                }
            }
            ExprKind::Local(id) => match function {
                Some(function) => function.locals[id.index()].name.clone(),
                None => "...".to_owned(),
            },
            ExprKind::Function(id) => self.unit.functions[id.index()].name.clone(),
            ExprKind::Load(inner) | ExprKind::Cast(inner) | ExprKind::Decay(inner) => text(inner),
            ExprKind::AddressOf(inner) => format!("&{}", text(inner)),
            ExprKind::Deref(pointer) => match &pointer.kind {
                ExprKind::PointerAdd(base, index, _) => format!("{}[{}]", text(base), text(index)),
                _ => format!("*{}", text(pointer)),
            },
            ExprKind::Member(inner, index) => {
                let fields = self.layout.record(inner.ty).and_then(|record| record.fields.as_ref());
                let name = fields.map_or("", |fields| &fields[*index as usize].name);
                match &inner.kind {
                    ExprKind::Deref(pointer) if !matches!(pointer.kind, ExprKind::PointerAdd(..)) => {
                        format!("{}->{name}", text(pointer))
                    }
                    _ => format!("{}.{name}", text(inner)),
                }
            }
            ExprKind::PointerAdd(base, index, _) => format!("{} + {}", text(base), text(index)),
            _ => "...".to_owned(),
        }
    }

    /// What a pointer argument points to: `m` for `&m`, `*p` for `p`.
    pub(super) fn pointee_text(&self, expr: &Expr, function: Option<&Function>) -> String {
        match &expr.kind {
            ExprKind::Cast(inner) => self.pointee_text(inner, function),
            ExprKind::AddressOf(inner) | ExprKind::Decay(inner) => self.expr_text(inner, function),
            ExprKind::PointerAdd(base, index, _) => {
                format!("{}[{}]", self.expr_text(base, function), self.expr_text(index, function))
            }
            _ => format!("*{}", self.expr_text(expr, function)),
        }
    }

    /// A type's name for messages.
    pub(super) fn type_text(&self, ty: TypeId) -> String {
        match self.layout.get(ty) {
            Type::Void => "`void`".to_owned(),
            Type::Int { word, .. } => format!("an integer of {} bits", word.bits()),
            Type::Pointer(_) => "a pointer".to_owned(),
            Type::Array(..) => "an array".to_owned(),
            Type::Record(id) => format!("`{}`", self.unit.records[id.index()].name),
            Type::Function { .. } => "a function".to_owned(),
            Type::Atomic(inner) => self.type_text(*inner),
            Type::Unsupported { name, .. } => format!("`{name}`"),
        }
    }
}
