//! Sizes, alignments and the layout of records, as gcc has them on x86 and x86-64 (System V).
//!
//! Bit-fields follow `PCC_BITFIELD_TYPE_MATTERS`: a bit-field does not span more units of its type's
//! alignment than its type does, a named one gives the record its type's alignment, one of width 0 moves on
//! to the next boundary of its type. Packed ones, and all under `#pragma pack`, lie bit behind bit.
//! `units.rs` says which of them are accessed together.

use super::types::Types;
use super::units;
use crate::frontend::DataModel;
use crate::frontend::tree::{Field, RecordId, RecordKind, Type, TypeId};

/// Objects of more bytes are refused.
pub(super) const MAX_SIZE: u64 = 1 << 40;

/// A member of a record that has no place yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Member {
    /// Its name; empty for anonymous records and unnamed bit-fields.
    pub name: String,
    pub ty: TypeId,
    /// Width of a bit-field.
    pub bits: Option<u8>,
    /// The alignment that its type was given by name, in place of its own.
    pub type_align: Option<u64>,
    /// At least this alignment.
    pub align: Option<u64>,
    pub packed: bool,
}

/// What attributes and pragmas say of a record as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Packing {
    /// `packed`.
    pub packed: bool,
    /// `#pragma pack`: members are aligned to at most so many bytes.
    pub most: Option<u64>,
    /// `aligned`: at least so many bytes.
    pub align: Option<u64>,
}

/// Why a record has no layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LayoutError {
    TooLarge,
    /// Bit-fields that share bytes over more than 8 of them.
    WideUnit,
}

/// A record being laid out; positions are bits.
struct Filling {
    packing: Packing,
    end: u64,
    align: u64,
}

impl Types {
    /// Size in bytes; `None` for an incomplete type, a function, or `void`.
    pub fn size(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            Type::Void | Type::Function { .. } | Type::VariableArray(..) => None,
            Type::Int { word, .. } => Some(u64::from(word.bits()).div_ceil(8)),
            Type::Pointer(_) => Some(u64::from(self.pointer_bits()) / 8),
            Type::Float { bits } => Some(u64::from(*bits) / 8),
            Type::Array(element, length) => self.size(*element)?.checked_mul((*length)?),
            Type::Record(record) => {
                let record = self.record(*record);
                record.fields.as_ref().map(|_| record.size)
            }
            Type::Atomic(inner) => self.size(*inner),
            Type::Unsupported { size, .. } => (*size > 0).then_some(*size),
        }
    }

    /// Alignment in bytes; 1 where there is none.
    pub fn align(&self, id: TypeId) -> u64 {
        let most = match self.model {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 16,
        };
        match self.get(id) {
            Type::Array(element, _) | Type::VariableArray(element, _) => self.align(*element),
            Type::Record(record) => self.record(*record).align.max(1),
            // On x86 an atomic object of 8 bytes is aligned so that one instruction can access it.
            Type::Atomic(inner) => match self.size(*inner) {
                Some(size @ (1 | 2 | 4 | 8)) => size.max(self.align(*inner)),
                _ => self.align(*inner),
            },
            Type::Unsupported { size, .. } if !size.is_power_of_two() => most.min(8),
            _ => self.size(id).unwrap_or(1).clamp(1, most),
        }
    }

    /// Completes a record with its members in order.
    pub fn complete(
        &mut self,
        id: RecordId,
        members: &[Member],
        packing: Packing,
    ) -> Result<(), LayoutError> {
        let kind = self.record(id).kind;
        let mut filling = Filling { packing, end: 0, align: packing.align.unwrap_or(1) };
        let (mut starts, mut size) = (Vec::new(), 0);
        for member in members {
            if kind == RecordKind::Union {
                filling.end = 0;
            }
            starts.push(filling.place(self, member).ok_or(LayoutError::TooLarge)?);
            size = size.max(filling.end);
            if size > 8 * MAX_SIZE {
                return Err(LayoutError::TooLarge);
            }
        }
        let fields = self.located(kind, members, &starts, packing)?;
        let record = &mut self.records[id.index()];
        record.size = size.div_ceil(8).next_multiple_of(filling.align);
        record.align = filling.align;
        record.fields = Some(fields);
        Ok(())
    }

    /// The fields of members that start at these bits.
    fn located(
        &self,
        kind: RecordKind,
        members: &[Member],
        starts: &[u64],
        packing: Packing,
    ) -> Result<Vec<Field>, LayoutError> {
        let mut fields = Vec::new();
        let units = units::units(self, kind, members, starts, packing).ok_or(LayoutError::WideUnit)?;
        for ((member, start), unit) in members.iter().zip(starts).zip(units) {
            let (offset, bits) = match unit {
                Some((offset, bits)) => (offset, Some(bits)),
                None => (start / 8, None),
            };
            if member.bits.is_none() || !member.name.is_empty() {
                fields.push(Field { name: member.name.clone(), ty: member.ty, offset, bits });
            }
        }
        Ok(fields)
    }

    /// The path of field indices to a member, through anonymous records.
    pub fn find_field(&self, record: RecordId, name: &str) -> Option<Vec<u32>> {
        let fields = self.record(record).fields.as_ref()?;
        for (index, field) in (0_u32..).zip(fields) {
            if field.name == name {
                return Some(vec![index]);
            }
            if field.name.is_empty()
                && let Some(inner) = self.record_of(field.ty)
                && let Some(mut path) = self.find_field(inner, name)
            {
                path.insert(0, index);
                return Some(path);
            }
        }
        None
    }

    /// A field of a complete record.
    pub fn field(&self, record: RecordId, index: u32) -> &Field {
        let fields = self.record(record).fields.as_ref();
        &fields.expect("the record is complete")[index as usize]
    }
}

impl Filling {
    /// Puts a member behind what is there; its first bit, or nothing if that is too far.
    fn place(&mut self, types: &Types, member: &Member) -> Option<u64> {
        // A flexible array member has no size of its own.
        let bytes = types.size(member.ty).unwrap_or(0);
        let natural = member.type_align.unwrap_or_else(|| types.align(member.ty));
        let packed = member.packed || self.packing.packed;
        let capped = |align: u64| self.packing.most.map_or(align, |most| align.min(most));
        let asked = member.align.unwrap_or(1);
        let (boundary, counts, bits) = match member.bits {
            None => {
                let align = capped(asked.max(if packed { 1 } else { natural }));
                (8 * align, align, bytes.checked_mul(8)?)
            }
            Some(0) => (8 * natural, 1, 0),
            Some(width) => {
                let whole = packed || self.packing.most.is_some();
                let start =
                    self.end.checked_next_multiple_of(if asked > 1 { 8 * capped(asked) } else { 1 })?;
                let moves = !whole && spans_too_much(start, u64::from(width), natural, bytes);
                let own = match (self.packing.most, packed) {
                    _ if member.name.is_empty() => 1,
                    (Some(_), _) => capped(natural),
                    (None, true) => 1,
                    (None, false) => natural,
                };
                self.end = start;
                (if moves { 8 * natural } else { 1 }, own.max(capped(asked)), u64::from(width))
            }
        };
        let start = self.end.checked_next_multiple_of(boundary)?;
        self.align = self.align.max(counts);
        self.end = start.checked_add(bits)?;
        Some(start)
    }
}

/// Whether a bit-field would lie in more units of its type's alignment than its type has.
fn spans_too_much(start: u64, width: u64, align: u64, bytes: u64) -> bool {
    let unit = 8 * align;
    (start % unit + width).div_ceil(unit) > (8 * bytes).div_ceil(unit)
}
