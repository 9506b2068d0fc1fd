//! Bit-fields: reading and writing them by way of their storage units.
//!
//! A read loads the unit, a write loads it, changes some of its bits and stores all of it: two accesses,
//! between which another thread's write to a neighbour is lost (C11 3.14: neighbouring bit-fields are one
//! memory location). `x.a++` loads once.

use super::code::{Access, By, Show};
use super::{Lower, Result};
use crate::frontend::tree::{BitField, StepValue, TypeId};
use crate::program::Barrier;
use crate::term::{TermId, Word};

impl<'a> Lower<'a> {
    /// The value of a bit-field whose unit is at an address.
    pub(super) fn load_bits(&mut self, address: TermId, ty: TypeId, bits: BitField) -> Result<TermId> {
        let unit = self.load(unit(address, bits), Show::Plain)?;
        self.extract(unit, ty, bits)
    }

    /// Writes a bit-field; the value that it has then.
    pub(super) fn store_bits(
        &mut self,
        address: TermId,
        ty: TypeId,
        bits: BitField,
        value: TermId,
    ) -> Result<TermId> {
        let access = unit(address, bits);
        let old = self.load(access, Show::Plain)?;
        self.store_into(access, old, ty, bits, value)
    }

    /// Reads a bit-field and writes what `update` makes of it.
    pub(super) fn modify_bits(
        &mut self,
        address: TermId,
        ty: TypeId,
        bits: BitField,
        which: StepValue,
        update: impl FnOnce(&mut Self, TermId) -> Result<TermId>,
    ) -> Result<TermId> {
        let access = unit(address, bits);
        let whole = self.load(access, Show::Plain)?;
        let old = self.extract(whole, ty, bits)?;
        let new = update(self, old)?;
        let new = self.store_into(access, whole, ty, bits, new)?;
        Ok(if which == StepValue::New { new } else { old })
    }

    /// Stores a unit with other contents of a bit-field; the field's value.
    fn store_into(
        &mut self,
        access: Access,
        old: TermId,
        ty: TypeId,
        bits: BitField,
        value: TermId,
    ) -> Result<TermId> {
        let (wide, narrow) = (access.word, Word::unsigned(bits.width));
        let terms = self.builder.terms();
        let mask = ((1i128 << bits.width) - 1) << bits.shift;
        let keep = terms.constant(!mask, wide);
        let kept = terms.bit_and(old, keep);
        let value = terms.cast(value, narrow);
        let value = terms.cast(value, wide);
        let amount = terms.constant(i128::from(bits.shift), wide);
        let moved = terms.shl(value, amount);
        let new = terms.bit_or(kept, moved);
        self.store(access, new, Barrier::None, Show::Plain)?;
        self.extract(new, ty, bits)
    }

    /// A bit-field's value, of the word of its declared type.
    fn extract(&mut self, unit: TermId, ty: TypeId, bits: BitField) -> Result<TermId> {
        let word = self.word(ty)?;
        let terms = self.builder.terms();
        let wide = terms.word(unit);
        let amount = terms.constant(i128::from(bits.shift), wide);
        let low = terms.shr(unit, amount);
        let narrow = if word.is_signed() { Word::signed(bits.width) } else { Word::unsigned(bits.width) };
        let value = terms.cast(low, narrow);
        Ok(terms.cast(value, word))
    }
}

/// The access to a storage unit.
fn unit(address: TermId, bits: BitField) -> Access {
    Access { address, word: Word::unsigned(8 * bits.unit), size: u64::from(bits.unit), by: By::Machine }
}
