//! How types lie in memory: sizes, and the scalar parts that objects of a type are made of.
//!
//! A [`Part`] is a scalar at an offset, repeated along the arrays around it: `struct { int k; long v; } t[4]`
//! has the parts `.k` and `.v`, each with four elements 16 bytes apart. Parts never overlap (`overlap.rs`).

use super::overlap;
use crate::frontend::tree::{RecordKind, Type, TypeId, Unit};
use crate::frontend::{DataModel, tree::Record};
use crate::program::Origin;
use crate::term::Word;

/// One level of repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dim {
    /// Number of elements.
    pub count: u64,
    /// Bytes from one to the next.
    pub stride: u64,
}

/// A scalar part of an object, or an array of scalar parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    /// Bytes from the start of the object to the (first) scalar.
    pub offset: u64,
    /// Bytes that each scalar takes.
    pub size: u64,
    /// The scalar; `_Bool` has fewer bits than its bytes.
    pub word: Word,
    /// The arrays around it, outermost first; neighbours that are contiguous are one.
    pub dims: Vec<Dim>,
    /// `.next`; empty for a scalar object.
    pub suffix: String,
    /// Whether it is the user's, or inside a library object such as a mutex.
    pub origin: Origin,
}

impl Part {
    /// Number of scalars.
    pub fn count(&self) -> u64 {
        self.dims.iter().map(|dim| dim.count).product()
    }

    /// Offsets of the scalars, in order of their index.
    pub fn offsets(&self) -> Vec<u64> {
        let mut offsets = vec![self.offset];
        for dim in &self.dims {
            offsets = offsets
                .iter()
                .flat_map(|start| (0..dim.count).map(move |i| start + i * dim.stride))
                .collect();
        }
        offsets
    }

    /// First byte behind the last scalar.
    pub fn end(&self) -> u64 {
        self.offset + self.size + self.dims.iter().map(|dim| (dim.count - 1) * dim.stride).sum::<u64>()
    }

    /// The index of the scalar that covers the byte at `offset`, and the byte's position in it.
    pub fn locate(&self, offset: u64) -> Option<(u64, u64)> {
        let mut rest = offset.checked_sub(self.offset)?;
        let mut index = 0;
        for dim in &self.dims {
            let at = rest / dim.stride;
            if at >= dim.count {
                return None;
            }
            index = index * dim.count + at;
            rest %= dim.stride;
        }
        (rest < self.size).then_some((index, rest))
    }

    fn repeat(mut self, count: u64, stride: u64) -> Part {
        match self.dims.first_mut() {
            Some(inner) if inner.count * inner.stride == stride => inner.count *= count,
            _ => self.dims.insert(0, Dim { count, stride }),
        }
        self
    }
}

/// Answers questions about the types of a unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'a> {
    unit: &'a Unit,
    data_model: DataModel,
}

impl<'a> Layout<'a> {
    /// For the types of a unit.
    pub fn new(unit: &'a Unit, data_model: DataModel) -> Layout<'a> {
        Layout { unit, data_model }
    }

    /// The words that addresses are.
    pub fn pointer(&self) -> Word {
        match self.data_model {
            DataModel::Ilp32 => Word::unsigned(32),
            DataModel::Lp64 => Word::unsigned(64),
        }
    }

    /// The type without `_Atomic`.
    pub fn get(&self, ty: TypeId) -> &'a Type {
        match &self.unit.types[ty.index()] {
            Type::Atomic(inner) => self.get(*inner),
            other => other,
        }
    }

    /// Whether reads and writes of the type are sequentially consistent.
    pub fn is_atomic(&self, ty: TypeId) -> bool {
        matches!(self.unit.types[ty.index()], Type::Atomic(_))
    }

    /// The type that a pointer type points to.
    pub fn pointee(&self, ty: TypeId) -> Option<TypeId> {
        match self.get(ty) {
            Type::Pointer(inner) => Some(*inner),
            _ => None,
        }
    }

    /// What an array of variable size consists of: the type in it whose size is known.
    pub fn fixed_part(&self, ty: TypeId) -> TypeId {
        match *self.get(ty) {
            Type::VariableArray(inner, _) => self.fixed_part(inner),
            Type::Array(inner, Some(_)) if self.fixed_part(inner) != inner => self.fixed_part(inner),
            _ => ty,
        }
    }

    /// A structure or union with its fields.
    pub fn record(&self, ty: TypeId) -> Option<&'a Record> {
        match self.get(ty) {
            Type::Record(id) => Some(&self.unit.records[id.index()]),
            _ => None,
        }
    }

    /// The word of a scalar type.
    pub fn word(&self, ty: TypeId) -> Option<Word> {
        match self.get(ty) {
            Type::Int { word, .. } => Some(*word),
            Type::Pointer(_) => Some(self.pointer()),
            Type::Float { bits } => Some(Word::unsigned(*bits)),
            _ => None,
        }
    }

    /// Whether it is `float` or `double`.
    pub fn is_float(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Float { .. })
    }

    /// Whether a scalar of a type, so many bytes from its begin, is `float` or `double`; of a union, in its
    /// first member.
    pub fn is_float_at(&self, ty: TypeId, offset: u64) -> bool {
        match self.get(ty) {
            Type::Float { .. } => true,
            Type::Array(elem, _) if self.size(*elem) > 0 => {
                self.is_float_at(*elem, offset % self.size(*elem))
            }
            Type::Record(id) => {
                let fields = self.unit.records[id.index()].fields.iter().flatten();
                let mut fields = fields.filter(|field| {
                    field.bits.is_none()
                        && (field.offset..field.offset + self.size(field.ty)).contains(&offset)
                });
                fields.next().is_some_and(|field| self.is_float_at(field.ty, offset - field.offset))
            }
            _ => false,
        }
    }

    /// Size in bytes; 0 where there is none.
    pub fn size(&self, ty: TypeId) -> u64 {
        match self.get(ty) {
            Type::Void
            | Type::Function { .. }
            | Type::Array(_, None)
            | Type::VariableArray(..)
            | Type::Atomic(_) => 0,
            Type::Int { word, .. } => u64::from(word.bits().div_ceil(8)),
            Type::Pointer(_) => u64::from(self.pointer().bits() / 8),
            Type::Float { bits } => u64::from(bits / 8),
            Type::Array(elem, Some(len)) => self.size(*elem).saturating_mul(*len),
            Type::Record(id) => self.unit.records[id.index()].size,
            Type::Unsupported { size, .. } => *size,
        }
    }

    /// The parts of an object of this type, by offset.
    pub fn parts(&self, ty: TypeId) -> Vec<Part> {
        let mut parts = match self.get(ty) {
            Type::Int { .. } | Type::Pointer(_) | Type::Float { .. } => {
                let word = self.word(ty).expect("a scalar");
                let (size, dims, suffix) = (self.size(ty), Vec::new(), String::new());
                vec![Part { offset: 0, size, word, dims, suffix, origin: Origin::User }]
            }
            Type::Array(elem, Some(len)) if *len > 0 => self.repeated(*elem, *len),
            Type::Record(id) => self.record_parts(&self.unit.records[id.index()]),
            _ => Vec::new(),
        };
        parts.sort_by_key(|part| part.offset);
        parts
    }

    /// The parts of `count` objects of a type in a row.
    pub fn repeated(&self, elem: TypeId, count: u64) -> Vec<Part> {
        let stride = self.size(elem);
        if stride == 0 || count == 0 {
            return Vec::new();
        }
        self.parts(elem).into_iter().map(|part| part.repeat(count, stride)).collect()
    }

    fn record_parts(&self, record: &Record) -> Vec<Part> {
        let mut members: Vec<Vec<Part>> = Vec::new();
        for field in record.fields.iter().flatten() {
            let mut parts = Vec::new();
            for mut part in self.parts(field.ty) {
                part.offset += field.offset;
                if let Some(bits) = field.bits {
                    part.word = Word::unsigned(8 * bits.unit);
                    part.size = u64::from(bits.unit);
                }
                if is_library(record) {
                    part.origin = Origin::Internal;
                }
                let dot = if field.name.is_empty() { "" } else { "." };
                part.suffix = format!("{dot}{}{}", field.name, part.suffix);
                parts.push(part);
            }
            members.push(parts);
        }
        match record.kind {
            RecordKind::Struct => one_part_a_unit(members.into_iter().flatten().collect()),
            RecordKind::Union => overlap::cells(members),
        }
    }
}

/// Whether a structure is one that the models of the library define.
pub(super) fn is_library(record: &Record) -> bool {
    record.name.starts_with("__regrain")
}

/// Bit-fields of one storage unit are one part, with all their names.
fn one_part_a_unit(parts: Vec<Part>) -> Vec<Part> {
    let mut units: Vec<Part> = Vec::new();
    for part in parts {
        match units.last_mut() {
            Some(last) if last.offset == part.offset => {
                last.suffix = format!("{}/{}", last.suffix, part.suffix.trim_start_matches('.'));
            }
            _ => units.push(part),
        }
    }
    units
}
