//! Declarations of locals and their initialisers.

use std::collections::BTreeMap;

use super::code::{Access, By, Op, Show};
use super::condition::Pure;
use super::memory::{Contents, ObjectId, put_constant};
use super::place::{Lvalue, Place};
use super::record::Value;
use super::{Lower, Result};
use crate::frontend::tree::{Expr, Init, InitPart, LocalId};
use crate::program::{Action, Barrier, ObjectKind};
use crate::term::{ArraySort, Sort, TermId, Word};

impl<'a> Lower<'a> {
    /// A local comes to life.
    pub(super) fn declare(
        &mut self,
        local: LocalId,
        length: Option<&'a Expr>,
        init: Option<&'a Init>,
    ) -> Result<()> {
        if let Some(length) = length {
            return self.declare_variable_length(local, length);
        }
        let ty = self.frame().function.locals[local.index()].ty;
        if self.layout.word(ty).is_none() || self.is_taken(local) {
            self.local(local)?;
            self.comes_to_life(local)?;
        }
        match init {
            Some(init) => self.initialise(local, init),
            None => self.declare_uninitialised(local),
        }
    }

    /// Whether a local of the current function needs an address.
    fn is_taken(&mut self, local: LocalId) -> bool {
        let id = self.frame().id;
        self.facts.functions[id.index()].taken.contains(&local)
    }

    /// Whether the current statement of the current call instance runs at most once.
    pub(super) fn declared_once(&mut self) -> bool {
        self.runs_once() && self.frame().unrolled == 0
    }

    fn declare_uninitialised(&mut self, local: LocalId) -> Result<()> {
        let place = self.local(local)?;
        if self.declared_once() {
            return Ok(());
        }
        let function = self.frame().function;
        let name = &function.locals[local.index()].name;
        match place {
            Place::Private(var) => self.havoc(var, name),
            Place::Memory(address) => {
                let object = self.object_at(address);
                self.scramble(object, name)
            }
            Place::Bound(_) => unreachable!("parameters are not declared"),
        }
    }

    /// Gives an object any contents.
    fn scramble(&mut self, object: ObjectId, name: &str) -> Result<()> {
        for (_, var) in self.memory.get(object).parts.clone() {
            let input = self.builder.input(name, self.builder.program().variable(var).sort);
            let value = self.builder.terms().var(input);
            self.emit_with(vec![Action::Input(input)], |next| Op::Fill { part: var, value, next })?;
        }
        Ok(())
    }

    fn declare_variable_length(&mut self, local: LocalId, length: &'a Expr) -> Result<()> {
        let length = self.scalar(length)?;
        let function = self.frame().function;
        let declared = &function.locals[local.index()];
        let elem = self.layout.fixed_part(declared.ty);
        let name = format!("{}::{}", function.name, declared.name);
        let unit = self.layout.size(elem);
        let size = self.advance_by(length, unit);
        let bytes = match self.builder.terms().as_const(size) {
            Some(bytes) => u64::try_from(bytes).unwrap_or(0),
            None => self.capacity(size, unit, "a variable-length array")?,
        };
        let object = self.reserve(&name, ObjectKind::Local, bytes)?;
        let origin = self.origin(elem);
        self.furnish(object, self.layout.repeated(elem, bytes / unit.max(1)), &Contents::Any, origin)?;
        self.note_floats(object, elem);
        let base = self.base(object);
        self.bind(local, Place::Memory(base));
        self.comes_to_life(local)?;
        if !self.declared_once() {
            self.scramble(object, &declared.name)?;
        }
        match self.builder.terms().as_const(size) {
            Some(_) => Ok(()),
            None => self.limit_extent(object, size),
        }
    }

    /// So many elements in bytes.
    fn advance_by(&mut self, length: TermId, unit: u64) -> TermId {
        let word = self.layout.pointer();
        let zero = self.builder.terms().constant(0, word);
        self.advance(zero, length, unit as i64)
    }

    /// The object that a local is, from its address.
    pub(super) fn object_at(&mut self, address: TermId) -> ObjectId {
        let address = self.builder.terms().as_const(address).expect("a local's address is constant");
        self.memory.owner(address).expect("a local is an object").0
    }

    /// Initialises a local.
    pub(super) fn initialise(&mut self, local: LocalId, init: &'a Init) -> Result<()> {
        let function = self.frame().function;
        let ty = function.locals[local.index()].ty;
        if self.layout.word(ty).is_some() {
            let value = match init.parts.first() {
                Some(part) => self.value(&part.value)?,
                None => self.zero(ty)?,
            };
            let place = self.local(local)?;
            return self.write(Lvalue { place, ty, bits: None }, &value).map(drop);
        }
        if self.initialised_from_the_start(local, init)? {
            return Ok(());
        }
        let values: Vec<Value> =
            init.parts.iter().map(|part| self.value(&part.value)).collect::<Result<_>>()?;
        let Place::Memory(address) = self.local(local)? else { unreachable!("aggregates are in memory") };
        let object = self.object_at(address);
        self.clear(object, init)?;
        for (value, part) in values.iter().zip(&init.parts) {
            let address = self.offset(address, i128::from(part.offset));
            let place = Place::Memory(address);
            self.write(Lvalue { place, ty: part.value.ty, bits: part.bits }, value)?;
        }
        Ok(())
    }

    /// An aggregate that is declared once with constants is so from the start: nobody looks earlier.
    fn initialised_from_the_start(&mut self, local: LocalId, init: &'a Init) -> Result<bool> {
        let pure = init.parts.iter().all(|part| self.purity(&part.value) == Pure::Yes);
        if !pure || !self.declared_once() {
            return Ok(false);
        }
        // The object comes first: its initialiser may take its address.
        let Place::Memory(address) = self.local(local)? else { unreachable!("aggregates are in memory") };
        let object = self.object_at(address);
        let mut constants = BTreeMap::new();
        for part in &init.parts {
            let term = self.scalar(&part.value)?;
            let word = self.builder.terms().word(term);
            let Some(value) = self.builder.terms().as_const(term) else { return Ok(false) };
            put_constant(&mut constants, part, Word::unsigned(word.bits()).wrap(value));
        }
        self.set_contents(object, &Contents::Constants(constants));
        Ok(true)
    }

    /// Zeroes the parts of an object that are not among those assigned next.
    fn clear(&mut self, object: ObjectId, init: &Init) -> Result<()> {
        let base = self.base(object);
        for (part, var) in self.memory.get(object).parts.clone() {
            if !part.dims.is_empty() {
                let sort = ArraySort { len: part.count() as u32, elem: part.word };
                let value = self.builder.terms().fill(0, sort);
                self.emit(|next| Op::Fill { part: var, value, next })?;
                continue;
            }
            debug_assert!(matches!(self.builder.program().variable(var).sort, Sort::Word(_)));
            let covers = |next: &InitPart| {
                next.offset == part.offset
                    && next.bits.is_none()
                    && self.layout.size(next.value.ty) >= part.size
            };
            if !init.parts.iter().any(covers) {
                let address = self.offset(base, i128::from(part.offset));
                let zero = self.builder.terms().constant(0, part.word);
                let to = Access { address, word: part.word, size: part.size, by: By::Machine };
                self.store(to, zero, Barrier::None, Show::Plain)?;
            }
        }
        Ok(())
    }
}
