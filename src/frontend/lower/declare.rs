//! Declarations of locals and their initialisers.

use std::collections::BTreeMap;

use super::code::{Access, Op, Show};
use super::condition::Pure;
use super::memory::{Contents, ObjectId};
use super::place::{Binding, Lvalue, Place};
use super::record::Value;
use super::{Lower, Result};
use crate::frontend::tree::{Expr, Init, LocalId, Type};
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
        match init {
            Some(init) => self.initialise(local, init),
            None => self.declare_uninitialised(local),
        }
    }

    /// Whether the current statement of the current call instance runs at most once.
    fn declared_once(&mut self) -> bool {
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
        let Type::Array(elem, _) = *self.layout.get(declared.ty) else {
            return Err(self.unsupported("a variable length here"));
        };
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
        let base = self.base(object);
        self.bind(local, Place::Memory(base));
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
    fn object_at(&mut self, address: TermId) -> ObjectId {
        let address = self.builder.terms().as_const(address).expect("a local's address is constant");
        self.memory.owner(address).expect("a local is an object").0
    }

    /// Initialises a local.
    pub(super) fn initialise(&mut self, local: LocalId, init: &'a Init) -> Result<()> {
        let function = self.frame().function;
        let ty = function.locals[local.index()].ty;
        if self.layout.word(ty).is_some() {
            let value = match init.parts.first() {
                Some((_, value)) => self.value(value)?,
                None => self.zero(ty)?,
            };
            let place = self.local(local)?;
            return self.write(Lvalue { place, ty, bits: None }, &value).map(drop);
        }
        if self.initialised_from_the_start(local, init)? {
            return Ok(());
        }
        let values: Vec<(u64, Value)> = init
            .parts
            .iter()
            .map(|(offset, expr)| Ok((*offset, self.value(expr)?)))
            .collect::<Result<_>>()?;
        let Place::Memory(address) = self.local(local)? else { unreachable!("aggregates are in memory") };
        let object = self.object_at(address);
        self.clear(object, &values)?;
        for ((offset, value), (_, expr)) in values.iter().zip(&init.parts) {
            let address = self.offset(address, i128::from(*offset));
            self.write(Lvalue { place: Place::Memory(address), ty: expr.ty, bits: None }, value)?;
        }
        Ok(())
    }

    /// An aggregate that is declared once with constants is so from the start: nobody looks earlier.
    fn initialised_from_the_start(&mut self, local: LocalId, init: &'a Init) -> Result<bool> {
        let unbound = matches!(self.frame().locals[local.index()], Binding::Unbound);
        let pure = init.parts.iter().all(|(_, expr)| self.purity(expr) == Pure::Yes);
        if !unbound || !pure || !self.declared_once() {
            return Ok(false);
        }
        let mut constants = BTreeMap::new();
        for (offset, expr) in &init.parts {
            let term = self.scalar(expr)?;
            let word = self.builder.terms().word(term);
            let Some(value) = self.builder.terms().as_const(term) else { return Ok(false) };
            constants.insert(*offset, Word::unsigned(word.bits()).wrap(value));
        }
        let function = self.frame().function;
        let Some(declared) = function.locals.get(local.index()) else { return Ok(false) };
        let name = format!("{}::{}", function.name, declared.name);
        let object = self.object(&name, ObjectKind::Local, declared.ty, &Contents::Constants(constants))?;
        let base = self.base(object);
        self.bind(local, Place::Memory(base));
        Ok(true)
    }

    /// Zeroes the parts of an object that are not among those assigned next.
    fn clear(&mut self, object: ObjectId, assigned: &[(u64, Value)]) -> Result<()> {
        let base = self.base(object);
        for (part, var) in self.memory.get(object).parts.clone() {
            if !part.dims.is_empty() {
                let sort = ArraySort { len: part.count() as u32, elem: part.word };
                let value = self.builder.terms().fill(0, sort);
                self.emit(|next| Op::Fill { part: var, value, next })?;
                continue;
            }
            debug_assert!(matches!(self.builder.program().variable(var).sort, Sort::Word(_)));
            if !assigned.iter().any(|(offset, _)| *offset == part.offset) {
                let address = self.offset(base, i128::from(part.offset));
                let zero = self.builder.terms().constant(0, part.word);
                let to = Access { address, word: part.word, size: part.size };
                self.store(to, zero, Barrier::None, Show::Plain)?;
            }
        }
        Ok(())
    }
}
