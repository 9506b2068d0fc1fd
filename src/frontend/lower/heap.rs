//! Allocation: each instance of an allocation has objects of its own.
//!
//! An allocation that may run several times has `unroll` objects, used one after another; a private counter
//! tells which is next, and when they run out the run is cut. So no object is allocated twice, and its first
//! contents are the initial values of its variables. Its address may be that of one which was freed
//! (`reuse.rs`).
//!
//! The type of an object is that of the pointer to which the result of the allocation is converted; failing
//! that, `untyped.rs` looks at how it is used. An object whose size is not known here has room for `unroll`
//! elements, and a variable that says how many bytes there really are.

use super::code::Op;
use super::layout::Part;
use super::memory::{Contents, ObjectId};
use super::untyped;
use super::{Lower, Result, Settling};
use crate::frontend::tree::{Type, TypeId};
use crate::program::{Barrier, Init, Mark, ObjectKind, Origin, Role, Variable};
use crate::term::{Datum, Sort, TermId, VarId, Word};

/// How much is allocated.
#[derive(Clone, Copy, Debug)]
enum Size {
    /// So many bytes.
    Known(u64),
    /// As many bytes as the term says, up to a capacity.
    Bounded(TermId, u64),
}

impl Size {
    fn capacity(self) -> u64 {
        match self {
            Size::Known(size) | Size::Bounded(_, size) => size,
        }
    }
}

impl<'a> Lower<'a> {
    /// Allocates `size` bytes; the address.
    pub(super) fn allocate(&mut self, size: TermId, contents: &Contents) -> Result<TermId> {
        let word = self.layout.pointer();
        if !self.alive {
            return Ok(self.builder.terms().constant(0, word));
        }
        let size = self.convert(size, word);
        let size = match self.builder.terms().as_const(size) {
            Some(size) => Size::Known(u64::try_from(size).unwrap_or(0)),
            None => {
                let unit = self.hint.map_or(1, |ty| self.layout.size(ty).max(1));
                let size = self.snapshot(size)?;
                let capacity = self.capacity(size, unit, "an allocation")?;
                Size::Bounded(size, capacity)
            }
        };
        if self.runs_once() {
            let object = self.heap_object(size.capacity(), contents)?;
            self.set_extent(object, size)?;
            return Ok(self.base(object));
        }
        let count = self.options.unroll.max(1);
        let objects: Vec<ObjectId> =
            (0..count).map(|_| self.heap_object(size.capacity(), contents)).collect::<Result<_>>()?;
        self.choose(&objects, size)
    }

    /// Whether the program gives memory back.
    pub(super) fn frees(&self) -> bool {
        self.uses("free") || self.uses("__builtin_free")
    }

    /// Decides where a new object lies; the address that it has from now on.
    pub(super) fn settle(&mut self, address: TermId) -> Result<TermId> {
        if !self.frees() {
            return Ok(address);
        }
        let open = match &self.settling {
            Settling::Everywhere => true,
            Settling::At(places) => places.contains(&self.span),
        };
        let to = open.then(|| self.temporary(Sort::Word(self.layout.pointer())));
        self.emit(|next| Op::Settle { address, to, next })?;
        Ok(to.map_or(address, |to| self.builder.terms().var(to)))
    }

    /// The bytes that are set aside for something whose size is not known: `unroll` elements; larger ones are
    /// cut.
    pub(super) fn capacity(&mut self, size: TermId, unit: u64, what: &str) -> Result<u64> {
        let elements = u64::from(self.options.unroll.max(1));
        let capacity = elements * unit;
        let word = self.builder.terms().word(size);
        let limit = self.builder.terms().constant(i128::from(capacity), word);
        let fine = self.builder.terms().le(size, limit);
        let text = format!("{what} of unknown size has more than {elements} elements; raise --unwind");
        self.require(fine, Mark::Cut(text))?;
        Ok(capacity)
    }

    /// Notes how much of its capacity an object has.
    fn set_extent(&mut self, object: ObjectId, size: Size) -> Result<()> {
        match size {
            Size::Known(_) => Ok(()),
            Size::Bounded(size, _) => self.limit_extent(object, size),
        }
    }

    /// Notes that only so many bytes of an object are there. The note is no write of the program's, so it
    /// does not wait in a store buffer.
    pub(super) fn limit_extent(&mut self, object: ObjectId, size: TermId) -> Result<()> {
        let extent = match self.memory.get(object).extent {
            Some(extent) => extent,
            None => {
                let sort = Sort::Word(self.layout.pointer());
                let name = format!("{}.size", self.memory.get(object).name);
                let extent = self.flag(name, sort);
                self.memory.objects[object.index()].extent = Some(extent);
                extent
            }
        };
        self.emit(|next| Op::Fill { part: extent, value: size, next })?;
        self.weak_fence(Barrier::Full)
    }

    /// The next of several objects.
    fn choose(&mut self, objects: &[ObjectId], size: Size) -> Result<TermId> {
        let word = Word::unsigned(32);
        let counter = self.counter(word);
        let chosen = self.temporary(Sort::Word(self.layout.pointer()));
        let used = self.builder.terms().var(counter);
        let end = self.join();
        for (index, &object) in objects.iter().enumerate() {
            let (here, other) = (self.join(), self.join());
            let number = self.builder.terms().constant(index as i128, word);
            let first = self.builder.terms().eq(used, number);
            self.branch(first, here, other)?;
            self.place(here)?;
            let base = self.base(object);
            let more = self.builder.terms().constant(index as i128 + 1, word);
            self.emit(|next| Op::Step {
                updates: vec![(chosen, base), (counter, more)],
                barrier: Barrier::None,
                next,
            })?;
            self.set_extent(object, size)?;
            self.jump(end)?;
            self.place(other)?;
        }
        let text = format!("an allocation runs more than {} times; raise --unwind", objects.len());
        self.mark(Mark::Cut(text));
        self.place(end)?;
        Ok(self.builder.terms().var(chosen))
    }

    /// A private variable that counts from 0.
    fn counter(&mut self, word: Word) -> VarId {
        self.temporaries += 1;
        self.builder.variable(Variable {
            name: format!("allocated{}", self.temporaries),
            sort: Sort::Word(word),
            role: Role::Private(self.thread),
            init: Init::Value(Datum::Word(0)),
            origin: Origin::Internal,
        })
    }

    fn heap_object(&mut self, size: u64, contents: &Contents) -> Result<ObjectId> {
        let name = match self.hint.and_then(|ty| self.layout.record(ty)) {
            Some(record) => format!("{}@{}", record.name, self.span.line),
            None => format!("malloc@{}", self.span.line),
        };
        let object = self.reserve(&name, ObjectKind::Heap, size)?;
        let origin = self.hint.map_or(Origin::User, |ty| self.origin(ty));
        let parts = self.heap_parts(size);
        self.memory.objects[object.index()].untyped = parts.is_none();
        self.furnish(object, parts.unwrap_or_else(|| untyped::bytes(size)), contents, origin)?;
        if let Some(ty) = self.hint {
            self.note_floats(object, ty);
        }
        Ok(object)
    }

    /// What `size` bytes are made of, going by the pointer that they are for; `None` if that says nothing.
    fn heap_parts(&self, size: u64) -> Option<Vec<Part>> {
        let ty = self.hint.filter(|ty| self.layout.size(*ty) > 0)?;
        let unit = self.layout.size(ty);
        Some(match size / unit {
            0 => self.layout.parts(ty).into_iter().filter(|part| part.end() <= size).collect(),
            1 if size == unit => self.layout.parts(ty),
            1 => self.with_tail(ty, size),
            count => self.layout.repeated(ty, count),
        })
    }

    /// A structure whose last member, an array without length, fills the rest.
    fn with_tail(&self, ty: TypeId, size: u64) -> Vec<Part> {
        let mut parts = self.layout.parts(ty);
        let fields = self.layout.record(ty).and_then(|record| record.fields.as_ref());
        if let Some(field) = fields.and_then(|fields| fields.last())
            && let Type::Array(elem, None | Some(0)) = *self.layout.get(field.ty)
            && self.layout.size(elem) > 0
        {
            let count = size.saturating_sub(field.offset) / self.layout.size(elem);
            for mut part in self.layout.repeated(elem, count) {
                part.offset += field.offset;
                part.suffix = format!(".{}{}", field.name, part.suffix);
                parts.push(part);
            }
        }
        parts
    }
}
