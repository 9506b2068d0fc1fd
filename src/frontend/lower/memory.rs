//! Objects of memory: their flat addresses and the variables of their parts.
//!
//! Address space is dealt out in slots, one or more an object, with the object in the middle of its first:
//! every address belongs to at most one object's slots, and arithmetic that leaves an object by less than a
//! quarter of a slot still tells which object was meant. NULL and small numbers belong to none.
//!
//! Objects come into being when lowering first needs their address; what a program does not use is not there.

use std::collections::{BTreeMap, BTreeSet};

use super::layout::{Part, is_library};
use super::{Lower, Result};
use crate::frontend::DataModel;
use crate::frontend::diagnostic::Kind;
use crate::frontend::tree::{self, Defined, FunctionId, GlobalId, Storage, TypeId};
use crate::program::{Init, ObjectKind, Origin, Role, ThreadId, Variable};
use crate::term::{ArraySort, Datum, Pool, Sort, TermId, VarId, Word};

/// More scalars than this in one object are too many.
const PART_LIMIT: u64 = 1 << 22;

/// An object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ObjectId(pub u32);

impl ObjectId {
    /// Position in [`Memory::objects`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An object of memory.
#[derive(Clone, Debug)]
pub(super) struct Object {
    /// Its name for people.
    pub name: String,
    /// What it is.
    pub kind: ObjectKind,
    /// Address of its first byte.
    pub base: u64,
    /// Size in bytes.
    pub size: u64,
    /// Its parts with their variables.
    pub parts: Vec<(Part, VarId)>,
    /// Whether it is alive; only for heap objects that may be freed.
    pub alive: Option<VarId>,
    /// The address at which it lies, and not always at its base (`reuse.rs`).
    pub seat: Option<VarId>,
    /// Who may be given its address now that it is freed (`reuse.rs`).
    pub spare: Option<VarId>,
    /// How many of its bytes are there; only where that is not known beforehand.
    pub extent: Option<VarId>,
    /// Whether nothing is known of what it is made of, except its size.
    pub untyped: bool,
    /// The function, if it is one.
    pub function: Option<FunctionId>,
}

/// All objects.
#[derive(Debug)]
pub(super) struct Memory {
    /// In order of their addresses.
    pub objects: Vec<Object>,
    globals: BTreeMap<(GlobalId, Option<ThreadId>), ObjectId>,
    functions: BTreeMap<FunctionId, ObjectId>,
    /// The objects that may be given an object's address when it is freed.
    pub heirs: BTreeMap<ObjectId, BTreeSet<ObjectId>>,
    /// Number of bits of an offset within a slot.
    shift: u32,
    next_slot: u64,
    limit: u64,
}

impl Memory {
    /// Empty memory.
    pub fn new(data_model: DataModel) -> Memory {
        let (shift, limit) = match data_model {
            DataModel::Ilp32 => (16, 1 << 31),
            DataModel::Lp64 => (20, 1 << 47),
        };
        Memory {
            objects: Vec::new(),
            globals: BTreeMap::new(),
            functions: BTreeMap::new(),
            heirs: BTreeMap::new(),
            shift,
            next_slot: 1,
            limit,
        }
    }

    /// An object.
    pub fn get(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }

    /// Reserves addresses for an object without parts; `None` if there are no more.
    fn reserve(&mut self, name: String, kind: ObjectKind, size: u64) -> Option<ObjectId> {
        let slot = 1u64 << self.shift;
        let base = (self.next_slot << self.shift) + slot / 2;
        let slots = size.checked_add(slot / 2 + slot / 4)?.div_ceil(slot);
        self.next_slot = self.next_slot.checked_add(slots)?;
        if self.next_slot > self.limit >> self.shift {
            return None;
        }
        self.objects.push(Object {
            name,
            kind,
            base,
            size,
            parts: Vec::new(),
            alive: None,
            seat: None,
            spare: None,
            extent: None,
            untyped: false,
            function: None,
        });
        Some(ObjectId(self.objects.len() as u32 - 1))
    }

    /// The object in whose slots an address lies, and the distance from its first byte.
    pub fn owner(&self, address: i128) -> Option<(ObjectId, i64)> {
        let address = u64::try_from(address).ok()?;
        let after = self.objects.partition_point(|object| self.first(object) <= address);
        let object = self.objects.get(after.checked_sub(1)?)?;
        let end = self.objects.get(after).map_or(self.next_slot << self.shift, |next| self.first(next));
        (address < end).then(|| (ObjectId(after as u32 - 1), address.wrapping_sub(object.base) as i64))
    }

    /// The objects that an address can belong to, going by the one whose slots it is in.
    pub fn residents(&self, id: ObjectId) -> impl Iterator<Item = ObjectId> {
        std::iter::once(id).chain(self.heirs.get(&id).into_iter().flatten().copied())
    }

    /// Whether an object can lie where another one has its base.
    pub fn fits(&self, new: ObjectId, old: ObjectId) -> bool {
        self.get(new).size <= self.get(old).size.max((1u64 << self.shift) / 2)
    }

    /// First address of an object's slots.
    fn first(&self, object: &Object) -> u64 {
        object.base - (1u64 << self.shift) / 2
    }

    /// The function at an address.
    pub fn function_at(&self, address: i128) -> Option<FunctionId> {
        match self.owner(address)? {
            (id, 0) => self.get(id).function,
            _ => None,
        }
    }
}

/// The initial contents of an object.
pub(super) enum Contents {
    /// Anything.
    Any,
    /// Zero, except for constants at offsets.
    Constants(BTreeMap<u64, i128>),
}

impl Object {
    /// The address so many bytes from where the object begins.
    pub fn at(&self, pool: &mut Pool, offset: i128, word: Word) -> TermId {
        match self.seat {
            None => pool.constant(i128::from(self.base) + offset, word),
            Some(seat) => {
                let (start, offset) = (pool.var(seat), pool.constant(offset, word));
                let start = pool.cast(start, word);
                pool.add(start, offset)
            }
        }
    }
}

impl<'a> Lower<'a> {
    /// A new object, its parts not yet made.
    pub(super) fn reserve(&mut self, name: &str, kind: ObjectKind, size: u64) -> Result<ObjectId> {
        self.memory
            .reserve(name.to_owned(), kind, size)
            .ok_or_else(|| self.refuse(Kind::TooLarge, format!("no address space is left for `{name}`")))
    }

    /// Gives an object its parts.
    pub(super) fn furnish(
        &mut self,
        id: ObjectId,
        parts: Vec<Part>,
        contents: &Contents,
        origin: Origin,
    ) -> Result<()> {
        for part in parts {
            let name = format!("{}{}", self.memory.get(id).name, part.suffix);
            if part.count() > PART_LIMIT {
                return Err(self.refuse(Kind::TooLarge, format!("`{name}` has {} elements", part.count())));
            }
            let sort = match part.dims.is_empty() {
                true => Sort::Word(part.word),
                false => Sort::Array(ArraySort { len: part.count() as u32, elem: part.word }),
            };
            let (init, origin) = (part_init(&part, contents), part.origin.max(origin));
            let part = Part { origin, ..part };
            let var = self.builder.variable(Variable { name, sort, role: Role::Shared, init, origin });
            self.memory.objects[id.index()].parts.push((part, var));
        }
        Ok(())
    }

    /// Notes which parts of an object made of one or more values of a type are floating-point numbers.
    pub(super) fn note_floats(&mut self, id: ObjectId, ty: TypeId) {
        let size = self.layout.size(ty).max(1);
        for (part, var) in &self.memory.objects[id.index()].parts {
            if self.layout.is_float_at(ty, part.offset % size) {
                self.builder.float(*var);
            }
        }
    }

    /// Says what an object holds when the program begins.
    pub(super) fn set_contents(&mut self, id: ObjectId, contents: &Contents) {
        for (part, var) in &self.memory.objects[id.index()].parts {
            self.builder.set_init(*var, part_init(part, contents));
        }
    }

    /// A new object of a type.
    pub(super) fn object(
        &mut self,
        name: &str,
        kind: ObjectKind,
        ty: TypeId,
        contents: &Contents,
    ) -> Result<ObjectId> {
        let id = self.reserve(name, kind, self.layout.size(ty))?;
        let origin = if name.starts_with("__regrain") { Origin::Internal } else { self.origin(ty) };
        self.furnish(id, self.layout.parts(ty), contents, origin)?;
        self.note_floats(id, ty);
        Ok(id)
    }

    /// Whether objects of a type are the user's, or a library's.
    pub(super) fn origin(&self, ty: TypeId) -> Origin {
        match self.layout.record(ty) {
            Some(record) if is_library(record) => Origin::Internal,
            _ => Origin::User,
        }
    }

    /// The address of an object's first byte.
    pub(super) fn base(&mut self, id: ObjectId) -> TermId {
        let (base, word) = (self.memory.get(id).base, self.layout.pointer());
        self.builder.terms().constant(i128::from(base), word)
    }

    /// The object of a global; thread-local ones have one for each thread.
    pub(super) fn global(&mut self, id: GlobalId) -> Result<ObjectId> {
        let unit = self.unit;
        let global = &unit.globals[id.index()];
        let thread = (global.storage == Storage::ThreadLocal).then_some(self.thread);
        if let Some(object) = self.memory.globals.get(&(id, thread)) {
            return Ok(*object);
        }
        let kind = match global.storage {
            Storage::Literal => ObjectKind::Literal,
            Storage::Static | Storage::ThreadLocal => ObjectKind::Global,
        };
        // The address comes first: initialisers may refer to one another.
        let object = self.reserve(&global.name, kind, self.layout.size(global.ty))?;
        self.memory.globals.insert((id, thread), object);
        // Whoever uses it first is where it was, and not at the initialiser.
        let span = self.span;
        let contents = match global.defined {
            Defined::Here => Contents::Constants(self.constant_init(global.init.as_ref())?),
            Defined::Elsewhere => Contents::Any,
        };
        self.span = span;
        let origin = match global.name.starts_with("__regrain") {
            true => Origin::Internal,
            false => self.origin(global.ty),
        };
        self.furnish(object, self.layout.parts(global.ty), &contents, origin)?;
        self.note_floats(object, global.ty);
        Ok(object)
    }

    /// The constants of an initialiser by offset.
    fn constant_init(&mut self, init: Option<&'a tree::Init>) -> Result<BTreeMap<u64, i128>> {
        let mut constants = BTreeMap::new();
        for part in init.iter().flat_map(|init| &init.parts) {
            let value = self.constant_value(&part.value)?;
            put_constant(&mut constants, part, value);
        }
        Ok(constants)
    }

    /// The address of a function.
    pub(super) fn function(&mut self, id: FunctionId) -> Result<TermId> {
        if let Some(object) = self.memory.functions.get(&id) {
            return Ok(self.base(*object));
        }
        let object = self.reserve(&self.unit.functions[id.index()].name, ObjectKind::Function, 1)?;
        self.memory.objects[object.index()].function = Some(id);
        self.memory.functions.insert(id, object);
        Ok(self.base(object))
    }
}

/// Adds a value of an initialiser to the constants of an object; a later value for the same place wins.
pub(super) fn put_constant(constants: &mut BTreeMap<u64, i128>, part: &tree::InitPart, value: i128) {
    match part.bits {
        None => {
            constants.insert(part.offset, value);
        }
        Some(bits) => {
            let mask = ((1i128 << bits.width) - 1) << bits.shift;
            let unit = constants.entry(part.offset).or_insert(0);
            *unit = *unit & !mask | value << bits.shift & mask;
        }
    }
}

fn part_init(part: &Part, contents: &Contents) -> Init {
    let Contents::Constants(constants) = contents else { return Init::Any };
    // Narrower members of a union may initialise some bytes of the part.
    let at = |offset: u64| {
        let covered = constants.range(offset..offset + part.size);
        part.word.wrap(covered.fold(0, |sum, (start, value)| sum | (value << (8 * (start - offset)))))
    };
    match part.dims.is_empty() {
        true => Init::Value(Datum::Word(at(part.offset))),
        false => Init::Value(Datum::Array(part.offsets().into_iter().map(at).collect())),
    }
}
