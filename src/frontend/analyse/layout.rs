//! Sizes, alignments and the layout of records, as gcc has them on x86.
//!
//! Deviations: every bit-field has storage of its own (see `Field::bits`), and alignment attributes are ignored.

use super::types::Types;
use crate::frontend::DataModel;
use crate::frontend::tree::{Field, RecordId, RecordKind, Type, TypeId};

/// Objects of more bytes are refused.
pub(super) const MAX_SIZE: u64 = 1 << 40;

impl Types {
    /// Size in bytes; `None` for an incomplete type, a function, or `void`.
    pub fn size(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            Type::Void | Type::Function { .. } => None,
            Type::Int { word, .. } => Some(u64::from(word.bits()).div_ceil(8)),
            Type::Pointer(_) => Some(u64::from(self.pointer_bits()) / 8),
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
            Type::Array(element, _) => self.align(*element),
            Type::Record(record) => self.record(*record).align.max(1),
            Type::Atomic(inner) => self.align(*inner),
            Type::Unsupported { size, .. } if !size.is_power_of_two() => most.min(8),
            _ => self.size(id).unwrap_or(1).clamp(1, most),
        }
    }

    /// Completes a record; the offsets given are ignored. `None` if it is too large.
    pub fn complete(&mut self, id: RecordId, mut fields: Vec<Field>) -> Option<()> {
        let kind = self.record(id).kind;
        let (mut size, mut align) = (0_u64, 1_u64);
        for field in &mut fields {
            // A flexible array member has no size of its own.
            let bytes = self.size(field.ty).unwrap_or(0);
            let boundary = self.align(field.ty);
            align = align.max(boundary);
            match kind {
                RecordKind::Union => size = size.max(bytes),
                RecordKind::Struct => {
                    field.offset = size.next_multiple_of(boundary);
                    size = field.offset.checked_add(bytes)?;
                }
            }
            if size > MAX_SIZE {
                return None;
            }
        }
        let record = &mut self.records[id.index()];
        record.size = size.next_multiple_of(align);
        record.align = align;
        record.fields = Some(fields);
        Some(())
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
