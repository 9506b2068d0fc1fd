//! Lvalues: where they are, and reading and writing them.

use super::code::{Access, By, Op, Show};
use super::memory::Contents;
use super::record::Value;
use super::{Lower, Result};
use crate::frontend::tree::{BitField, Expr, ExprKind, LocalId, TypeId};
use crate::program::{Barrier, MemoryModel, MemoryOrder, ObjectKind, Origin};
use crate::term::{Sort, TermId, VarId};

/// Where an lvalue is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A scalar local that has no address.
    Private(VarId),
    /// A parameter that always has this value; never written.
    Bound(TermId),
    /// Memory.
    Memory(TermId),
}

/// An lvalue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lvalue {
    /// Where it is.
    pub place: Place,
    /// Its type.
    pub ty: TypeId,
    /// Where it is in its unit if it is a bit-field.
    pub bits: Option<BitField>,
}

/// What a local of a call instance is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding {
    /// Not needed yet.
    Unbound,
    /// See [`Place`].
    At(Place),
}

impl<'a> Lower<'a> {
    /// The place that an lvalue expression designates. A record value is put into an object of its own.
    pub(super) fn lvalue(&mut self, expr: &'a Expr) -> Result<Lvalue> {
        self.locate(expr.span);
        let ty = expr.ty;
        let place = match &expr.kind {
            ExprKind::Local(local) => self.local(*local)?,
            ExprKind::Global(global) => {
                let object = self.global(*global)?;
                Place::Memory(self.base(object))
            }
            ExprKind::Deref(pointer) => Place::Memory(self.scalar(pointer)?),
            ExprKind::Member(inner, index) => return self.member(inner, *index, ty),
            ExprKind::CompoundLiteral(local, init) => {
                self.local(*local)?;
                self.comes_to_life(*local)?;
                self.initialise(*local, init)?;
                self.local(*local)?
            }
            ExprKind::Unsupported(what) => return Err(self.unsupported(what)),
            _ => {
                let value = self.value(expr)?;
                let object = self.object("temporary", ObjectKind::Local, ty, &Contents::Any)?;
                let address = self.base(object);
                let target = Lvalue { place: Place::Memory(address), ty, bits: None };
                self.write(target, &value)?;
                Place::Memory(address)
            }
        };
        Ok(Lvalue { place, ty, bits: None })
    }

    fn member(&mut self, inner: &'a Expr, index: u32, ty: TypeId) -> Result<Lvalue> {
        let record = self.lvalue(inner)?;
        let Place::Memory(address) = record.place else { unreachable!("records are in memory") };
        let fields = self.layout.record(inner.ty).and_then(|record| record.fields.as_ref());
        let field = fields.and_then(|fields| fields.get(index as usize));
        let Some(field) = field else { return Err(self.unsupported("a member of an incomplete structure")) };
        let address = self.offset(address, i128::from(field.offset));
        Ok(Lvalue { place: Place::Memory(address), ty, bits: field.bits })
    }

    /// An address plus a number of bytes.
    pub(super) fn offset(&mut self, address: TermId, bytes: i128) -> TermId {
        let word = self.layout.pointer();
        let bytes = self.builder.terms().constant(bytes, word);
        self.builder.terms().add(address, bytes)
    }

    /// Where a local of the current call instance is, made on first use.
    pub(super) fn local(&mut self, local: LocalId) -> Result<Place> {
        let frame = self.frames.last().expect("locals are used in functions");
        if let Binding::At(place) = frame.locals[local.index()] {
            return Ok(place);
        }
        let (function, ty) = (frame.function, frame.function.locals[local.index()].ty);
        let name = format!("{}::{}", function.name, function.locals[local.index()].name);
        let taken = self.facts.functions[frame.id.index()].taken.contains(&local);
        let place = match self.layout.word(ty) {
            Some(word) if !taken => {
                let origin = if self.in_model() { Origin::Internal } else { Origin::User };
                let var = self.private(name, Sort::Word(word), origin);
                if self.layout.is_float(ty) {
                    self.builder.float(var);
                }
                Place::Private(var)
            }
            _ => {
                let object = self.object(&name, ObjectKind::Local, ty, &Contents::Any)?;
                Place::Memory(self.base(object))
            }
        };
        self.bind(local, place);
        Ok(place)
    }

    /// Says where a local of the current call instance is.
    pub(super) fn bind(&mut self, local: LocalId, place: Place) {
        let frame = self.frames.last_mut().expect("locals are used in functions");
        frame.locals[local.index()] = Binding::At(place);
        if let Place::Private(var) = place {
            frame.privates.push(var);
        }
    }

    // ---- scalars in memory

    /// The access of a scalar of some type at an address.
    pub(super) fn access(&self, address: TermId, ty: TypeId) -> Result<Access> {
        let Some(word) = self.layout.word(ty) else { return Err(self.unsupported(&self.type_text(ty))) };
        // A floating-point register is wide enough for every such number.
        let whole = self.layout.is_atomic(ty) || self.layout.is_float(ty);
        let by = if whole { By::One } else { By::Machine };
        Ok(Access { address, word, size: self.layout.size(ty), by })
    }

    /// The value of a scalar in memory.
    pub(super) fn load(&mut self, from: Access, show: Show) -> Result<TermId> {
        let to = self.temporary(Sort::Word(from.word));
        self.emit(|next| Op::Load { to, from, show, next })?;
        Ok(self.builder.terms().var(to))
    }

    /// Writes a scalar in memory.
    pub(super) fn store(&mut self, to: Access, value: TermId, barrier: Barrier, show: Show) -> Result<()> {
        self.emit(|next| Op::Store { to, value, barrier, show, next })
    }

    // ---- values of any type

    /// The value of an lvalue.
    pub(super) fn fetch(&mut self, from: Lvalue) -> Result<Value> {
        match from.place {
            Place::Private(var) => Ok(Value::Scalar(self.read(var))),
            Place::Bound(term) => Ok(Value::Scalar(term)),
            Place::Memory(address) if self.layout.word(from.ty).is_some() => match from.bits {
                None => {
                    let access = self.access(address, from.ty)?;
                    let order = self.layout.is_atomic(from.ty).then_some(MemoryOrder::SeqCst);
                    self.order_next(order);
                    Ok(Value::Scalar(self.load(access, Show::Plain)?))
                }
                Some(bits) => Ok(Value::Scalar(self.load_bits(address, from.ty, bits)?)),
            },
            Place::Memory(address) if self.layout.is_atomic(from.ty) => {
                self.load_atomic_record(address, from.ty)
            }
            Place::Memory(address) => self.load_record(address, from.ty),
        }
    }

    /// Assigns an lvalue. The new value as later expressions see it.
    pub(super) fn write(&mut self, to: Lvalue, value: &Value) -> Result<Value> {
        match (to.place, value) {
            (Place::Private(var), Value::Scalar(term)) => {
                self.assign(var, *term)?;
                Ok(Value::Scalar(self.read(var)))
            }
            (Place::Memory(address), Value::Scalar(term)) => {
                if let Some(bits) = to.bits {
                    return Ok(Value::Scalar(self.store_bits(address, to.ty, bits, *term)?));
                }
                let access = self.access(address, to.ty)?;
                let stored = self.builder.terms().cast(*term, access.word);
                if self.layout.is_atomic(to.ty) {
                    self.order_next(Some(MemoryOrder::SeqCst));
                    self.store(access, stored, Barrier::StoreStore, Show::Plain)?;
                    self.weak_fence(Barrier::Full)?;
                } else {
                    self.store(access, stored, Barrier::None, Show::Plain)?;
                }
                let word = self.builder.terms().word(*term);
                Ok(Value::Scalar(self.builder.terms().cast(stored, word)))
            }
            (Place::Memory(address), Value::Record(pieces)) if self.layout.is_atomic(to.ty) => {
                // One exchange, or a lock of the library's.
                self.begin_section()?;
                self.store_record(address, pieces)?;
                self.end_section()?;
                Ok(value.clone())
            }
            (Place::Memory(address), Value::Record(pieces)) => {
                self.store_record(address, pieces)?;
                Ok(value.clone())
            }
            (_, Value::Void) => Ok(Value::Void),
            (Place::Bound(_), _) | (Place::Private(_), Value::Record(_)) => {
                unreachable!("bound parameters are not assigned, records are in memory")
            }
        }
    }

    /// Notes the memory order of the access that follows at once. That of library code is its own business.
    pub(super) fn order_next(&mut self, order: Option<MemoryOrder>) {
        self.ordered = order.filter(|_| self.alive && !self.in_model());
    }

    /// A fence that only matters where writes are delayed.
    pub(super) fn weak_fence(&mut self, barrier: Barrier) -> Result<()> {
        match self.options.memory_model {
            MemoryModel::Sc => Ok(()),
            MemoryModel::Tso | MemoryModel::Pso => self.fence(barrier),
        }
    }
}
