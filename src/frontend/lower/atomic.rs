//! Atomic operations: C11 `<stdatomic.h>`, `__atomic_*`, `__sync_*` and `_Atomic` objects, by way of the
//! `__regrain_atomic_*` intrinsics.
//!
//! | operation | becomes |
//! |---|---|
//! | load, any order | a plain read |
//! | store, relaxed | a plain write |
//! | store, release | a write that follows all earlier writes (store-store) |
//! | store, seq_cst | a release store, then a full fence |
//! | exchange, compare-exchange, fetch-op, any order | one indivisible step on memory with an empty store buffer |
//! | fence, relaxed, consume or acquire | nothing |
//! | fence, release or acq_rel | a store-store fence |
//! | fence, seq_cst | a full fence |
//!
//! Under SC these differ in nothing but indivisibility; TSO and PSO never delay a read, so acquire is free;
//! an RMW is `lock`-prefixed on x86. A weak compare-exchange may fail for no reason, a strong one not. The
//! expected value is read before and, on failure, written after the indivisible step.

use super::code::{Access, By, Show};
use super::flow::JoinId;
use super::record::Value;
use super::{Lower, Result};
use crate::frontend::diagnostic::Kind;
use crate::frontend::tree::{BinaryOp, Expr, ExprKind, TypeId};
use crate::program::{Barrier, MemoryOrder};
use crate::term::{Sort, TermId, VarId};

impl<'a> Lower<'a> {
    /// An atomic operation by its name behind `__regrain_atomic_`.
    pub(super) fn atomic(&mut self, operation: &str, args: &'a [Expr], expr: &'a Expr) -> Result<Value> {
        match (operation, args) {
            ("fence", [order]) => {
                let order = self.order(order)?;
                if let Some(barrier) = fence(order) {
                    self.order_next(Some(order));
                    self.weak_fence(barrier)?;
                    self.ordered = None;
                }
                Ok(Value::Void)
            }
            ("load", [pointer, order]) => {
                let access = self.atomic_access(pointer)?;
                self.order_next(Some(stated(order)));
                let value = self.load(access, Show::Plain)?;
                self.typed(value, expr.ty)
            }
            ("store", [pointer, value, order]) => {
                let access = self.atomic_access(pointer)?;
                let value = self.atomic_operand(value, access)?;
                let order = self.order(order)?;
                let barrier = fence(order).map_or(Barrier::None, |_| Barrier::StoreStore);
                self.order_next(Some(order));
                self.store(access, value, barrier, Show::Plain)?;
                if order == MemoryOrder::SeqCst {
                    self.weak_fence(Barrier::Full)?;
                }
                Ok(Value::Void)
            }
            ("exchange", [pointer, value, order]) => {
                let access = self.atomic_access(pointer)?;
                let value = self.atomic_operand(value, access)?;
                let (old, _) = self.read_modify_write(access, stated(order), |_, _| Ok(value))?;
                self.typed(old, expr.ty)
            }
            ("compare_exchange", [pointer, expected, value, weak, order]) => {
                self.compare_exchange([pointer, expected, value, weak], stated(order), expr.ty)
            }
            (_, [pointer, value, order]) => self.fetch_and(operation, [pointer, value, order], expr.ty),
            _ => {
                Err(self
                    .refuse(Kind::Type, format!("wrong arguments for the atomic operation `{operation}`")))
            }
        }
    }

    /// A value as the result of an atomic operation.
    fn typed(&mut self, value: TermId, ty: TypeId) -> Result<Value> {
        match self.layout.word(ty) {
            Some(word) => Ok(Value::Scalar(self.convert(value, word))),
            None => Ok(Value::Void),
        }
    }

    /// A memory order; one that is not constant counts as the strongest.
    fn order(&mut self, order: &'a Expr) -> Result<MemoryOrder> {
        let order = self.scalar(order)?;
        Ok(numbered(self.builder.terms().as_const(order)))
    }

    /// The scalar that a pointer argument points to, whatever it was converted to for the call.
    fn atomic_access(&mut self, pointer: &'a Expr) -> Result<Access> {
        let address = self.scalar(pointer)?;
        let mut typed = pointer;
        while self.layout.pointee(typed.ty).is_none_or(|ty| self.layout.word(ty).is_none()) {
            match &typed.kind {
                ExprKind::Cast(inner) => typed = inner,
                _ => return Err(self.unsupported("an atomic operation on something that is not a scalar")),
            }
        }
        let ty = self.layout.pointee(typed.ty).expect("just seen");
        Ok(Access { by: By::One, ..self.access(address, ty)? })
    }

    fn atomic_operand(&mut self, value: &'a Expr, access: Access) -> Result<TermId> {
        let value = self.scalar(value)?;
        Ok(self.convert(value, access.word))
    }

    /// Reads a scalar and writes what `update` makes of it, indivisibly; the old and the new value.
    pub(super) fn read_modify_write(
        &mut self,
        access: Access,
        order: MemoryOrder,
        update: impl FnOnce(&mut Self, TermId) -> Result<TermId>,
    ) -> Result<(TermId, TermId)> {
        self.begin_section()?;
        let old = self.load(access, Show::Hidden)?;
        let new = update(self, old)?;
        let new = self.builder.terms().cast(new, access.word);
        self.order_next(Some(order));
        self.store(access, new, Barrier::Full, Show::Update)?;
        self.end_section()?;
        Ok((old, new))
    }

    fn compare_exchange(
        &mut self,
        [pointer, expected, value, weak]: [&'a Expr; 4],
        order: MemoryOrder,
        ty: TypeId,
    ) -> Result<Value> {
        let access = self.atomic_access(pointer)?;
        let expected_address = self.scalar(expected)?;
        let value = self.atomic_operand(value, access)?;
        let weak = self.truth(weak)?;
        let expected = Access { address: expected_address, by: By::Machine, ..access };
        let wanted = self.load(expected, Show::Plain)?;
        let allowed = self.allowed(weak)?;
        let (yes, no, end) = (self.join(), self.join(), self.join());
        let success = self.temporary(Sort::Bool);
        self.begin_section()?;
        self.order_next(Some(order));
        let old = self.load(access, Show::Plain)?;
        let same = self.builder.terms().eq(old, wanted);
        let succeeds = self.builder.terms().and(&[same, allowed]);
        self.branch(succeeds, yes, no)?;
        self.place(yes)?;
        self.order_next(Some(order));
        self.store(access, value, Barrier::Full, Show::Update)?;
        self.end_section()?;
        self.decide_to(success, end, Outcome::Success)?;
        self.place(no)?;
        self.end_section()?;
        self.store(expected, old, Barrier::None, Show::Plain)?;
        self.decide_to(success, end, Outcome::Failure)?;
        self.place(end)?;
        let success = self.read(success);
        let word = self.word(ty)?;
        Ok(Value::Scalar(self.builder.terms().truth_to_word(success, word)))
    }

    /// Whether a compare-exchange may succeed: a weak one may fail for no reason.
    fn allowed(&mut self, weak: TermId) -> Result<TermId> {
        let strong = self.builder.terms().not(weak);
        if self.builder.terms().as_bool(strong) == Some(true) {
            return Ok(strong);
        }
        let lucky = self.temporary(Sort::Bool);
        self.havoc(lucky, "no spurious failure")?;
        let lucky = self.read(lucky);
        Ok(self.builder.terms().or(&[strong, lucky]))
    }

    fn decide_to(&mut self, success: VarId, end: JoinId, outcome: Outcome) -> Result<()> {
        let truth = self.builder.terms().bool(outcome == Outcome::Success);
        self.assign(success, truth)?;
        self.jump(end)
    }

    /// `fetch_add` gives the old value, `add_fetch` the new one.
    fn fetch_and(
        &mut self,
        operation: &str,
        [pointer, value, order]: [&'a Expr; 3],
        ty: TypeId,
    ) -> Result<Value> {
        let (fetched, name) = match (operation.strip_prefix("fetch_"), operation.strip_suffix("_fetch")) {
            (Some(name), _) => (Fetch::Old, name),
            (_, Some(name)) => (Fetch::New, name),
            _ => return Err(self.unsupported(&format!("the atomic operation `{operation}`"))),
        };
        let (op, negated) = match name {
            "add" => (BinaryOp::Add, Negated::No),
            "sub" => (BinaryOp::Sub, Negated::No),
            "and" => (BinaryOp::And, Negated::No),
            "or" => (BinaryOp::Or, Negated::No),
            "xor" => (BinaryOp::Xor, Negated::No),
            "nand" => (BinaryOp::And, Negated::Yes),
            _ => return Err(self.unsupported(&format!("the atomic operation `{operation}`"))),
        };
        let access = self.atomic_access(pointer)?;
        let value = self.atomic_operand(value, access)?;
        let (old, new) = self.read_modify_write(access, stated(order), |lower, old| {
            let new = lower.wrapping_arithmetic(op, old, value)?;
            Ok(match negated {
                Negated::Yes => lower.builder.terms().bit_not(new),
                Negated::No => new,
            })
        })?;
        self.typed(if fetched == Fetch::Old { old } else { new }, ty)
    }
}

/// The memory order that an argument states, without evaluating it.
fn stated(order: &Expr) -> MemoryOrder {
    match &order.kind {
        ExprKind::Cast(inner) => stated(inner),
        ExprKind::Int(number) => numbered(Some(*number)),
        _ => MemoryOrder::SeqCst,
    }
}

fn numbered(order: Option<i128>) -> MemoryOrder {
    match order {
        Some(0) => MemoryOrder::Relaxed,
        Some(1) => MemoryOrder::Consume,
        Some(2) => MemoryOrder::Acquire,
        Some(3) => MemoryOrder::Release,
        Some(4) => MemoryOrder::AcqRel,
        _ => MemoryOrder::SeqCst,
    }
}

/// What a fence of this order is; nothing if reads alone concern it.
fn fence(order: MemoryOrder) -> Option<Barrier> {
    match order {
        MemoryOrder::Relaxed | MemoryOrder::Consume | MemoryOrder::Acquire => None,
        MemoryOrder::Release | MemoryOrder::AcqRel => Some(Barrier::StoreStore),
        MemoryOrder::SeqCst => Some(Barrier::Full),
    }
}

/// How a compare-exchange ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Success,
    Failure,
}

/// Which value an operation gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fetch {
    Old,
    New,
}

/// Whether the result of an operation is complemented.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Negated {
    Yes,
    No,
}
