//! Expressions: their values and side effects.

use super::condition::Pure;
use super::place::{Lvalue, Place};
use super::record::Value;
use super::{Lower, Result};
use crate::frontend::diagnostic::Kind;
use crate::frontend::tree::{BinaryOp, Defined, Expr, ExprKind, StepValue, Stmt, StmtKind, TypeId, UnaryOp};
use crate::program::MemoryOrder;
use crate::term::{TermId, Word};

impl<'a> Lower<'a> {
    /// The word of an expression's type.
    pub(super) fn word(&self, ty: TypeId) -> Result<Word> {
        self.layout
            .word(ty)
            .ok_or_else(|| self.unsupported(&format!("a value of type {}", self.type_text(ty))))
    }

    /// The value of a scalar expression, of the word of its type.
    pub(super) fn scalar(&mut self, expr: &'a Expr) -> Result<TermId> {
        match self.value(expr)? {
            Value::Scalar(term) => Ok(term),
            Value::Void | Value::Record(_) => {
                self.locate(expr.span);
                Err(self.unsupported(&format!("a value of type {} here", self.type_text(expr.ty))))
            }
        }
    }

    /// The value of a constant expression, as a natural number of its type's width.
    pub(super) fn constant_value(&mut self, expr: &'a Expr) -> Result<i128> {
        let alive = std::mem::replace(&mut self.alive, false);
        let value = self.scalar(expr);
        self.alive = alive;
        let value = value?;
        let word = self.builder.terms().word(value);
        match self.builder.terms().as_const(value) {
            Some(value) => Ok(Word::unsigned(word.bits()).wrap(value)),
            None => {
                self.locate(expr.span);
                Err(self.refuse(Kind::Type, "the initialiser is not a constant"))
            }
        }
    }

    /// The value of an expression, after its side effects.
    pub(super) fn value(&mut self, expr: &'a Expr) -> Result<Value> {
        self.locate(expr.span);
        let ty = expr.ty;
        let term = match &expr.kind {
            ExprKind::Int(value) => {
                let word = self.word(ty)?;
                self.builder.terms().constant(*value, word)
            }
            ExprKind::Function(id) => {
                let function = &self.unit.functions[id.index()];
                if function.weak && function.body.is_none() {
                    let what = format!("the address of `{}`, a weak reference,", function.name);
                    return Err(self.unsupported(&what));
                }
                self.function(*id)?
            }
            ExprKind::Load(place) => return self.load_value(place),
            ExprKind::AddressOf(place) | ExprKind::Decay(place) => self.address_of(place)?,
            ExprKind::Unary(UnaryOp::Not, _)
            | ExprKind::Compare(..)
            | ExprKind::And(..)
            | ExprKind::Or(..) => {
                let truth = self.truth(expr)?;
                let word = self.word(ty)?;
                self.builder.terms().truth_to_word(truth, word)
            }
            ExprKind::Unary(op, operand) => {
                let operand = self.scalar(operand)?;
                match op {
                    UnaryOp::Neg => self.negative(operand, ty)?,
                    UnaryOp::BitNot | UnaryOp::Not => self.builder.terms().bit_not(operand),
                }
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.scalar(left)?;
                let right = self.scalar(right)?;
                self.operation(*op, left, right, ty)?
            }
            ExprKind::PointerAdd(pointer, number, size) => {
                let pointer = self.scalar(pointer)?;
                let number = self.scalar(number)?;
                self.advance(pointer, number, *size)
            }
            ExprKind::PointerDiff(left, right, size) => {
                let left = self.scalar(left)?;
                let right = self.scalar(right)?;
                self.pointer_difference(left, right, *size, ty)?
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                return self.conditional(condition, then, otherwise, ty);
            }
            ExprKind::Cast(inner) => return self.cast(inner, ty),
            ExprKind::Assign(target, value) => {
                let target = self.lvalue(target)?;
                let value = self.value(value)?;
                return self.write(target, &value);
            }
            ExprKind::AssignOp { target, op, value, compute } => {
                return self.compound_assignment(target, *op, value, *compute);
            }
            ExprKind::PointerAssign(target, number, size) => {
                let target = self.lvalue(target)?;
                let number = self.scalar(number)?;
                return Ok(Value::Scalar(
                    self.modify(target, StepValue::New, |lower, old| Ok(lower.advance(old, number, *size)))?,
                ));
            }
            ExprKind::Step { target, amount, value } => {
                let target = self.lvalue(target)?;
                self.modify(target, *value, |lower, old| lower.stepped(old, *amount, ty))?
            }
            ExprKind::Comma(first, second) => {
                self.effect(first)?;
                return self.value(second);
            }
            ExprKind::Call(callee, args) => return self.call(expr, callee, args),
            ExprKind::Statement(list) => return self.statement_value(list),
            ExprKind::Global(_)
            | ExprKind::Local(_)
            | ExprKind::Deref(_)
            | ExprKind::Member(..)
            | ExprKind::CompoundLiteral(..) => return self.load_value(expr),
            ExprKind::Unsupported(what) => return Err(self.unsupported(what)),
        };
        Ok(Value::Scalar(term))
    }

    /// An expression for its effects.
    pub(super) fn effect(&mut self, expr: &'a Expr) -> Result<()> {
        self.locate(expr.span);
        match &expr.kind {
            ExprKind::Step { target, amount, .. } => {
                let target = self.lvalue(target)?;
                let ty = expr.ty;
                self.modify(target, StepValue::New, |lower, old| lower.stepped(old, *amount, ty)).map(drop)
            }
            ExprKind::Comma(first, second) => {
                self.effect(first)?;
                self.effect(second)
            }
            ExprKind::Cast(inner) if self.layout.size(expr.ty) == 0 => self.effect(inner),
            _ => self.value(expr).map(drop),
        }
    }

    fn load_value(&mut self, place: &'a Expr) -> Result<Value> {
        if let ExprKind::Global(global) = place.kind
            && self.facts.constant.contains(&global)
            && self.unit.globals[global.index()].defined == Defined::Here
            && let Some(word) = self.layout.word(place.ty)
        {
            let init = self.unit.globals[global.index()].init.as_ref();
            let value = match init.and_then(|init| init.parts.first()) {
                Some(part) => self.constant_value(&part.value)?,
                None => 0,
            };
            return Ok(Value::Scalar(self.builder.terms().constant(value, word)));
        }
        let place = self.lvalue(place)?;
        self.fetch(place)
    }

    fn address_of(&mut self, place: &'a Expr) -> Result<TermId> {
        match self.lvalue(place)?.place {
            Place::Memory(address) => Ok(address),
            Place::Private(_) | Place::Bound(_) => {
                unreachable!("locals whose address is taken are in memory")
            }
        }
    }

    // ---- pointers

    /// A pointer moved by a number of elements.
    pub(super) fn advance(&mut self, pointer: TermId, number: TermId, size: i64) -> TermId {
        let word = self.layout.pointer();
        let terms = self.builder.terms();
        let number = terms.cast(number, word);
        let size = terms.constant(i128::from(size), word);
        let bytes = terms.mul(number, size);
        terms.add(pointer, bytes)
    }

    fn pointer_difference(&mut self, left: TermId, right: TermId, size: u64, ty: TypeId) -> Result<TermId> {
        let word = self.word(ty)?;
        let terms = self.builder.terms();
        let bytes = terms.sub(left, right);
        let bytes = terms.cast(bytes, word);
        let size = terms.constant(i128::from(size.max(1)), word);
        Ok(terms.div(bytes, size))
    }

    // ---- conversions

    fn cast(&mut self, inner: &'a Expr, ty: TypeId) -> Result<Value> {
        let outer = self.hint;
        if let Some(pointee) = self.layout.pointee(ty)
            && self.layout.size(pointee) > 0
        {
            self.hint = Some(pointee);
        }
        let value = self.value(inner);
        self.hint = outer;
        match (value?, self.layout.word(ty)) {
            (Value::Scalar(term), Some(_)) => Ok(Value::Scalar(self.converted(term, inner.ty, ty)?)),
            (value @ Value::Record(_), _) if self.layout.record(ty).is_some() => Ok(value),
            (_, None) if self.layout.size(ty) == 0 => Ok(Value::Void),
            _ => Err(self.unsupported(&format!("conversion to {}", self.type_text(ty)))),
        }
    }

    /// C's conversion between scalars: to `_Bool` means "is not zero".
    pub(super) fn convert(&mut self, term: TermId, word: Word) -> TermId {
        let terms = self.builder.terms();
        if word == Word::BOOL && terms.word(term) != Word::BOOL {
            let truth = terms.word_to_truth(term);
            return terms.truth_to_word(truth, word);
        }
        terms.cast(term, word)
    }

    // ---- assignments

    fn compound_assignment(
        &mut self,
        target: &'a Expr,
        op: BinaryOp,
        value: &'a Expr,
        compute: TypeId,
    ) -> Result<Value> {
        let to = self.lvalue(target)?;
        let value = self.scalar(value)?;
        let new = self.modify(to, StepValue::New, |lower, old| {
            let old = lower.converted(old, target.ty, compute)?;
            let new = lower.operation(op, old, value, compute)?;
            lower.converted(new, compute, target.ty)
        })?;
        Ok(Value::Scalar(new))
    }

    /// Reads a scalar lvalue and writes what `update` makes of it; indivisibly if its type is atomic.
    fn modify(
        &mut self,
        target: Lvalue,
        which: StepValue,
        update: impl FnOnce(&mut Self, TermId) -> Result<TermId>,
    ) -> Result<TermId> {
        if let (Place::Memory(address), true) = (target.place, self.layout.is_atomic(target.ty)) {
            let access = self.access(address, target.ty)?;
            let (old, new) = self.read_modify_write(access, MemoryOrder::SeqCst, update)?;
            return Ok(if which == StepValue::New { new } else { old });
        }
        if let (Place::Memory(address), Some(bits)) = (target.place, target.bits) {
            return self.modify_bits(address, target.ty, bits, which, update);
        }
        let Value::Scalar(mut old) = self.fetch(target)? else {
            return Err(self.unsupported("arithmetic on a structure"));
        };
        if which == StepValue::Old {
            old = self.snapshot(old)?;
        }
        let new = update(self, old)?;
        match self.write(target, &Value::Scalar(new))? {
            Value::Scalar(new) if which == StepValue::New => Ok(new),
            _ => Ok(old),
        }
    }

    // ---- control inside expressions

    fn conditional(
        &mut self,
        condition: &'a Expr,
        then: &'a Expr,
        otherwise: &'a Expr,
        ty: TypeId,
    ) -> Result<Value> {
        if self.purity(then) == Pure::Yes
            && self.purity(otherwise) == Pure::Yes
            && self.layout.word(ty).is_some()
        {
            let condition = self.truth(condition)?;
            let then = self.only_if(condition, |lower| lower.scalar(then))?;
            let fails = self.builder.terms().not(condition);
            let otherwise = self.only_if(fails, |lower| lower.scalar(otherwise))?;
            return Ok(Value::Scalar(self.builder.terms().ite(condition, then, otherwise)));
        }
        let holder = self.holder("choice", ty)?;
        let (yes, no, end) = (self.join(), self.join(), self.join());
        self.condition(condition, yes, no)?;
        for (join, expr) in [(yes, then), (no, otherwise)] {
            self.place(join)?;
            let value = self.value(expr)?;
            self.hold(&holder, &value)?;
            self.jump(end)?;
        }
        self.place(end)?;
        Ok(self.held(&holder))
    }

    /// A statement expression.
    fn statement_value(&mut self, list: &'a [Stmt]) -> Result<Value> {
        let Some((last, rest)) = list.split_last() else { return Ok(Value::Void) };
        self.interrupted(|lower| {
            lower.scoped(list, |lower| {
                for stmt in rest {
                    lower.statement(stmt)?;
                }
                match &last.kind {
                    StmtKind::Expr(expr) => {
                        lower.locate(last.span);
                        lower.full(|lower| {
                            let value = lower.value(expr)?;
                            match value {
                                Value::Scalar(term) => Ok(Value::Scalar(lower.snapshot(term)?)),
                                other => Ok(other),
                            }
                        })
                    }
                    _ => {
                        lower.statement(last)?;
                        Ok(Value::Void)
                    }
                }
            })
        })
    }
}
