//! Short texts of expressions and types, for events and messages.

use super::Lower;
use crate::frontend::tree::{BinaryOp, CompareOp, Expr, ExprKind, Function, Storage, Type, TypeId, UnaryOp};

impl<'a> Lower<'a> {
    /// An argument as the user wrote it, nearly; `...` for what is long.
    pub(super) fn expr_text(&self, expr: &Expr, function: Option<&Function>) -> String {
        let text = |expr: &Expr| self.expr_text(expr, function);
        match &expr.kind {
            ExprKind::Int(0) if self.layout.pointee(expr.ty).is_some() => "NULL".to_owned(),
            ExprKind::Int(value) => self.constant_text(*value, expr.ty),
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
            ExprKind::Unary(op, inner) => {
                let sign = match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::BitNot => "~",
                    UnaryOp::Not => "!",
                };
                format!("{sign}{}", self.operand_text(inner, function))
            }
            ExprKind::Binary(op, left, right) => self.infix_text(left, binary_text(*op), right, function),
            ExprKind::Compare(op, left, right) => self.infix_text(left, compare_text(*op), right, function),
            ExprKind::And(left, right) => self.infix_text(left, "&&", right, function),
            ExprKind::Or(left, right) => self.infix_text(left, "||", right, function),
            _ => "...".to_owned(),
        }
    }

    fn infix_text(&self, left: &Expr, op: &str, right: &Expr, function: Option<&Function>) -> String {
        format!("{} {op} {}", self.operand_text(left, function), self.operand_text(right, function))
    }

    /// An operand, in parentheses if it is more than a place or number.
    fn operand_text(&self, expr: &Expr, function: Option<&Function>) -> String {
        let mut inner = expr;
        while let ExprKind::Cast(below) = &inner.kind {
            inner = below;
        }
        let text = self.expr_text(inner, function);
        match inner.kind {
            ExprKind::Binary(..) | ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => {
                format!("({text})")
            }
            _ => text,
        }
    }

    /// A constant as the user might have written it.
    fn constant_text(&self, value: i128, ty: TypeId) -> String {
        match self.layout.get(ty) {
            Type::Float { bits: 32 } => format!("{:?}f", f32::from_bits(value as u32)),
            Type::Float { .. } => format!("{:?}", f64::from_bits(value as u64)),
            _ => value.to_string(),
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
            Type::Float { bits } => format!("a floating-point number of {bits} bits"),
            Type::Array(..) | Type::VariableArray(..) => "an array".to_owned(),
            Type::Record(id) => format!("`{}`", self.unit.records[id.index()].name),
            Type::Function { .. } => "a function".to_owned(),
            Type::Atomic(inner) => self.type_text(*inner),
            Type::Unsupported { name, .. } => format!("`{name}`"),
        }
    }
}

fn binary_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
    }
}

fn compare_text(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}
