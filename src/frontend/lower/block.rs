//! `memset`, `memcpy`, `memmove`, `bzero` of known size, scalar by scalar. For sizes that are not known see
//! `counted.rs`.
//!
//! Which scalars the bytes are comes from the object, if the address is constant, else from the type of the
//! pointer before it was converted to `void *`.

use super::code::{Access, By, Op, Show};
use super::record::Value;
use super::{Lower, Result};
use crate::frontend::diagnostic::Kind;
use crate::frontend::tree::{Expr, ExprKind};
use crate::program::Barrier;
use crate::term::{ArraySort, Sort, TermId, Word};

/// More scalars than this are not copied one by one.
const LIMIT: usize = 4096;

impl<'a> Lower<'a> {
    /// A call of one of these functions; the first argument is the result.
    pub(super) fn block(&mut self, name: &str, args: &'a [Expr], expr: &'a Expr) -> Result<Value> {
        let values: Vec<TermId> = args.iter().map(|arg| self.scalar(arg)).collect::<Result<_>>()?;
        let (to, size) = match values[..] {
            [to, _, size] if name != "bzero" => (to, size),
            [to, size] if name == "bzero" => (to, size),
            _ => return Err(self.refuse(Kind::Type, format!("wrong number of arguments for `{name}`"))),
        };
        let Some(size) = self.builder.terms().as_const(size).and_then(|size| u64::try_from(size).ok()) else {
            let size = self.convert(size, self.layout.pointer());
            let size = self.snapshot(size)?;
            match name {
                "memset" => self.set_counted(&args[0], to, values[1], size)?,
                "bzero" => {
                    let zero = self.builder.terms().constant(0, Word::unsigned(8));
                    self.set_counted(&args[0], to, zero, size)?;
                }
                _ => self.copy_counted(args, to, values[1], size)?,
            }
            return Ok(match self.layout.word(expr.ty) {
                Some(_) => Value::Scalar(to),
                None => Value::Void,
            });
        };
        match name {
            "memset" => self.set(&args[0], to, values[1], size)?,
            "bzero" => {
                let zero = self.builder.terms().constant(0, Word::unsigned(8));
                self.set(&args[0], to, zero, size)?;
            }
            _ => self.copy(args, to, values[1], size)?,
        }
        match self.layout.word(expr.ty) {
            Some(_) => Ok(Value::Scalar(to)),
            None => Ok(Value::Void),
        }
    }

    /// Offset, size and word of the scalars in the first `size` bytes behind a pointer.
    fn scalars(&mut self, pointer: &'a Expr, address: TermId, size: u64) -> Result<Vec<(u64, u64, Word)>> {
        let scalars = match self.scalars_of_object(address, size) {
            Some(scalars) => scalars,
            None => self.scalars_of_type(pointer, size),
        };
        if scalars.len() > LIMIT {
            let message = format!("{} scalars are copied or set at once", scalars.len());
            return Err(self.refuse(Kind::TooLarge, message));
        }
        let bytes: u64 = scalars.iter().map(|(_, size, _)| size).sum();
        match bytes > size || scalars.is_empty() && size > 0 {
            true => Err(self.unsupported("setting or copying part of a scalar")),
            false => Ok(scalars),
        }
    }

    fn scalars_of_object(&mut self, address: TermId, size: u64) -> Option<Vec<(u64, u64, Word)>> {
        let address = self.builder.terms().as_const(address)?;
        let (object, start) = self.memory.owner(address)?;
        let start = u64::try_from(start).ok()?;
        let end = start.checked_add(size)?;
        let mut scalars = Vec::new();
        for (part, _) in &self.memory.get(object).parts {
            let offsets = part.offsets().into_iter().filter(|offset| (start..end).contains(offset));
            scalars.extend(offsets.map(|offset| (offset - start, part.size, part.word)));
        }
        scalars.sort_unstable_by_key(|(offset, ..)| *offset);
        Some(scalars)
    }

    pub(super) fn scalars_of_type(&self, mut pointer: &'a Expr, size: u64) -> Vec<(u64, u64, Word)> {
        while let ExprKind::Cast(inner) = &pointer.kind
            && self.layout.pointee(inner.ty).is_some()
        {
            pointer = inner;
        }
        let Some(ty) = self.layout.pointee(pointer.ty) else { return Vec::new() };
        let unit = self.layout.size(ty);
        if unit == 0 || !size.is_multiple_of(unit) {
            return Vec::new();
        }
        let mut scalars = Vec::new();
        for part in self.layout.repeated(ty, size / unit) {
            scalars.extend(part.offsets().into_iter().map(|offset| (offset, part.size, part.word)));
        }
        scalars.sort_unstable_by_key(|(offset, ..)| *offset);
        scalars
    }

    fn set(&mut self, pointer: &'a Expr, to: TermId, byte: TermId, size: u64) -> Result<()> {
        if self.set_whole(to, byte, size)? {
            return Ok(());
        }
        for (offset, size, word) in self.scalars(pointer, to, size)? {
            let value = self.repeat(byte, word, size);
            let address = self.offset(to, i128::from(offset));
            self.store(Access { address, word, size, by: By::Machine }, value, Barrier::None, Show::Plain)?;
        }
        Ok(())
    }

    /// Sets an array object to a constant as a whole, if that is what is asked for.
    fn set_whole(&mut self, to: TermId, byte: TermId, size: u64) -> Result<bool> {
        let terms = self.builder.terms();
        let (Some(address), Some(byte)) = (terms.as_const(to), terms.as_const(byte)) else {
            return Ok(false);
        };
        let Some((object, 0)) = self.memory.owner(address) else { return Ok(false) };
        let object = self.memory.get(object);
        let arrays = object.parts.iter().all(|(part, _)| !part.dims.is_empty());
        if object.size != size || !arrays {
            return Ok(false);
        }
        for (part, var) in object.parts.clone() {
            let value = repeated(byte, part.size);
            let sort = ArraySort { len: part.count() as u32, elem: part.word };
            debug_assert_eq!(self.builder.program().variable(var).sort, Sort::Array(sort));
            let value = self.builder.terms().fill(value, sort);
            self.emit(|next| Op::Fill { part: var, value, next })?;
        }
        Ok(true)
    }

    /// A word whose bytes are all the same.
    pub(super) fn repeat(&mut self, byte: TermId, word: Word, size: u64) -> TermId {
        let wide = Word::unsigned(8 * size as u8);
        let terms = self.builder.terms();
        let byte = terms.cast(byte, Word::unsigned(8));
        let byte = terms.cast(byte, wide);
        let ones = terms.constant(repeated(1, size), wide);
        let value = terms.mul(byte, ones);
        terms.cast(value, word)
    }

    fn copy(&mut self, args: &'a [Expr], to: TermId, from: TermId, size: u64) -> Result<()> {
        let scalars = match self.scalars(&args[0], to, size) {
            Ok(scalars) => scalars,
            Err(_) => self.scalars(&args[1], from, size)?,
        };
        // All is read before anything is written, so that the blocks may overlap.
        let mut values = Vec::new();
        for &(offset, size, word) in &scalars {
            let address = self.offset(from, i128::from(offset));
            values.push(self.load(Access { address, word, size, by: By::Machine }, Show::Plain)?);
        }
        for (&(offset, size, word), value) in scalars.iter().zip(values) {
            let address = self.offset(to, i128::from(offset));
            self.store(Access { address, word, size, by: By::Machine }, value, Barrier::None, Show::Plain)?;
        }
        Ok(())
    }
}

/// A byte repeated over a number of bytes.
fn repeated(byte: i128, size: u64) -> i128 {
    (0..size).fold(0, |sum, _| sum << 8 | (byte & 0xff))
}
