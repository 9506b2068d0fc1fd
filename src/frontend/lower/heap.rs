//! Allocation: each instance of an allocation has objects of its own.
//!
//! An allocation that may run several times has `unroll` objects, used one after another; a private counter tells which
//! is next, and when they run out the run is cut. So no object is allocated twice, and its first contents are the
//! initial values of its variables.
//!
//! The type of an object is that of the pointer to which the result of the allocation is converted.

use super::code::Op;
use super::layout::Part;
use super::memory::{Contents, ObjectId};
use super::{Lower, Result};
use crate::frontend::tree::{Type, TypeId};
use crate::program::{Mark, ObjectKind, Origin};
use crate::term::{Sort, TermId, Word};

impl<'a> Lower<'a> {
    /// Allocates `size` bytes; the address.
    pub(super) fn allocate(&mut self, size: TermId, contents: &Contents) -> Result<TermId> {
        if !self.alive {
            let word = self.layout.pointer();
            return Ok(self.builder.terms().constant(0, word));
        }
        let Some(size) = self.builder.terms().as_const(size) else {
            return Err(self.unsupported("an allocation whose size is not known here"));
        };
        let size = u64::try_from(size).unwrap_or(0);
        if self.runs_once() {
            let object = self.heap_object(size, contents)?;
            return Ok(self.base(object));
        }
        let count = self.options.unroll.max(1);
        let objects: Vec<ObjectId> =
            (0..count).map(|_| self.heap_object(size, contents)).collect::<Result<_>>()?;
        self.choose(&objects)
    }

    /// The next of several objects.
    fn choose(&mut self, objects: &[ObjectId]) -> Result<TermId> {
        let word = Word::unsigned(32);
        let counter = self.counter(word);
        let used = self.builder.terms().var(counter);
        let limit = self.builder.terms().constant(objects.len() as i128, word);
        let fine = self.builder.terms().lt(used, limit);
        let text = format!("an allocation runs more than {} times; raise --unwind", objects.len());
        self.require(fine, Mark::Cut(text))?;
        let mut address = self.base(objects[objects.len() - 1]);
        for (index, &object) in objects.iter().enumerate().rev().skip(1) {
            let base = self.base(object);
            let terms = self.builder.terms();
            let number = terms.constant(index as i128, word);
            let here = terms.eq(used, number);
            address = terms.ite(here, base, address);
        }
        let chosen = self.temporary(Sort::Word(self.layout.pointer()));
        let one = self.builder.terms().constant(1, word);
        let more = self.builder.terms().add(used, one);
        self.emit(|next| Op::Step {
            updates: vec![(chosen, address), (counter, more)],
            barrier: crate::program::Barrier::None,
            next,
        })?;
        Ok(self.builder.terms().var(chosen))
    }

    /// A private variable that counts from 0.
    fn counter(&mut self, word: Word) -> crate::term::VarId {
        self.temporaries += 1;
        self.builder.variable(crate::program::Variable {
            name: format!("allocated{}", self.temporaries),
            sort: Sort::Word(word),
            role: crate::program::Role::Private(self.thread),
            init: crate::program::Init::Value(crate::term::Datum::Word(0)),
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
        self.furnish(object, parts, contents, origin)?;
        Ok(object)
    }

    /// What `size` bytes are made of, going by the pointer that they are for.
    fn heap_parts(&self, size: u64) -> Vec<Part> {
        let hint = self.hint.filter(|ty| self.layout.size(*ty) > 0);
        let Some(ty) = hint else { return untyped(size) };
        let unit = self.layout.size(ty);
        match size / unit {
            0 => self.layout.parts(ty).into_iter().filter(|part| part.end() <= size).collect(),
            1 if size == unit => self.layout.parts(ty),
            1 => self.with_tail(ty, size),
            count => self.layout.repeated(ty, count),
        }
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

/// Memory of which nothing is known: words as wide as its size allows.
fn untyped(size: u64) -> Vec<Part> {
    let width = [8, 4, 2, 1].into_iter().find(|width| size > 0 && size.is_multiple_of(*width));
    let Some(width) = width else { return Vec::new() };
    let dims = vec![super::layout::Dim { count: size / width, stride: width }];
    let word = Word::unsigned(8 * width as u8);
    vec![Part { offset: 0, size: width, word, dims, suffix: String::new() }]
}
