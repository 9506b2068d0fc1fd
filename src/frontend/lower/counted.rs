//! `memset`, `memcpy` and the like of a size that only the run tells: loops over elements, then over the
//! bytes that are left.
//!
//! An element is what the pointer pointed to before it was converted to `void *`, or what the memory being
//! allocated will be used as; failing that, a byte. Blocks that overlap are copied from the end that keeps
//! what is still to be read.

use super::code::{Access, By, Show};
use super::{Lower, Result};
use crate::frontend::tree::{Expr, ExprKind};
use crate::program::Barrier;
use crate::term::{Sort, TermId, Word};

/// Offset, size and word of the scalars of an element.
type Scalars = Vec<(u64, u64, Word)>;

/// Which element comes first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

impl<'a> Lower<'a> {
    /// Sets a number of bytes.
    pub(super) fn set_counted(
        &mut self,
        pointer: &'a Expr,
        to: TermId,
        byte: TermId,
        size: TermId,
    ) -> Result<()> {
        let (scalars, unit) = self.element(pointer);
        let byte = self.snapshot(byte)?;
        let set = |lower: &mut Self, scalars: &Scalars, offset: TermId| {
            for &(at, size, word) in scalars {
                let value = lower.repeat(byte, word, size);
                let address = lower.builder.terms().add(to, offset);
                let address = lower.offset(address, i128::from(at));
                lower.store(
                    Access { address, word, size, by: By::Machine },
                    value,
                    Barrier::None,
                    Show::Plain,
                )?;
            }
            Ok(())
        };
        self.over_elements(size, unit, Direction::Up, |lower, offset| set(lower, &scalars, offset))?;
        self.over_rest(size, unit, Direction::Up, |lower, offset| set(lower, &single_byte(), offset))
    }

    /// Copies a number of bytes.
    pub(super) fn copy_counted(
        &mut self,
        args: &'a [Expr],
        to: TermId,
        from: TermId,
        size: TermId,
    ) -> Result<()> {
        let (mut scalars, mut unit) = self.element(&args[0]);
        if unit == 1 {
            (scalars, unit) = self.element(&args[1]);
        }
        let copy = |lower: &mut Self, scalars: &Scalars, offset: TermId| {
            let mut values = Vec::new();
            for &(at, size, word) in scalars {
                let address = lower.builder.terms().add(from, offset);
                let address = lower.offset(address, i128::from(at));
                values.push(lower.load(Access { address, word, size, by: By::Machine }, Show::Plain)?);
            }
            for (&(at, size, word), value) in scalars.iter().zip(values) {
                let address = lower.builder.terms().add(to, offset);
                let address = lower.offset(address, i128::from(at));
                lower.store(
                    Access { address, word, size, by: By::Machine },
                    value,
                    Barrier::None,
                    Show::Plain,
                )?;
            }
            Ok(())
        };
        let (up, down, end) = (self.join(), self.join(), self.join());
        let below = self.builder.terms().le(to, from);
        self.branch(below, up, down)?;
        self.place(up)?;
        self.over_elements(size, unit, Direction::Up, |lower, offset| copy(lower, &scalars, offset))?;
        self.over_rest(size, unit, Direction::Up, |lower, offset| copy(lower, &single_byte(), offset))?;
        self.jump(end)?;
        self.place(down)?;
        self.over_rest(size, unit, Direction::Down, |lower, offset| copy(lower, &single_byte(), offset))?;
        self.over_elements(size, unit, Direction::Down, |lower, offset| copy(lower, &scalars, offset))?;
        self.place(end)
    }

    /// The scalars of an element, and its size.
    fn element(&mut self, pointer: &'a Expr) -> (Scalars, u64) {
        let mut inner = pointer;
        while let ExprKind::Cast(next) = &inner.kind
            && self.layout.pointee(next.ty).is_some()
        {
            inner = next;
        }
        let ty = self.layout.pointee(inner.ty).filter(|ty| self.layout.size(*ty) > 0).or(self.hint);
        let Some(ty) = ty else { return (single_byte(), 1) };
        let unit = self.layout.size(ty);
        let parts = self.layout.parts(ty);
        let mut scalars: Scalars = Vec::new();
        for part in parts {
            scalars.extend(part.offsets().into_iter().map(|offset| (offset, part.size, part.word)));
        }
        match scalars.is_empty() || unit == 0 {
            true => (single_byte(), 1),
            false => (scalars, unit),
        }
    }

    /// For the offset of each whole element.
    fn over_elements(
        &mut self,
        size: TermId,
        unit: u64,
        direction: Direction,
        body: impl FnOnce(&mut Self, TermId) -> Result<()>,
    ) -> Result<()> {
        let terms = self.builder.terms();
        let unit = terms.constant(i128::from(unit), terms.word(size));
        let count = terms.div(size, unit);
        self.counted(count, direction, |lower, index| {
            let offset = lower.builder.terms().mul(index, unit);
            body(lower, offset)
        })
    }

    /// For the offset of each byte behind the last whole element.
    fn over_rest(
        &mut self,
        size: TermId,
        unit: u64,
        direction: Direction,
        body: impl FnOnce(&mut Self, TermId) -> Result<()>,
    ) -> Result<()> {
        if unit == 1 {
            return Ok(());
        }
        let terms = self.builder.terms();
        let unit = terms.constant(i128::from(unit), terms.word(size));
        let rest = terms.rem(size, unit);
        let whole = terms.sub(size, rest);
        self.counted(rest, direction, |lower, index| {
            let offset = lower.builder.terms().add(whole, index);
            body(lower, offset)
        })
    }

    /// A loop over the numbers below a count.
    fn counted(
        &mut self,
        count: TermId,
        direction: Direction,
        body: impl FnOnce(&mut Self, TermId) -> Result<()>,
    ) -> Result<()> {
        let word = self.builder.terms().word(count);
        let done = self.temporary(Sort::Word(word));
        let zero = self.builder.terms().constant(0, word);
        self.assign(done, zero)?;
        let (head, again, exit) = (self.join(), self.join(), self.join());
        self.place_head(head, &[done])?;
        self.loops += 1;
        let terms = self.builder.terms();
        let at = terms.var(done);
        let more = terms.lt(at, count);
        self.branch(more, again, exit)?;
        self.place(again)?;
        let terms = self.builder.terms();
        let one = terms.constant(1, word);
        let next = terms.add(at, one);
        let index = match direction {
            Direction::Up => at,
            Direction::Down => terms.sub(count, next),
        };
        body(self, index)?;
        self.assign(done, next)?;
        self.jump(head)?;
        self.loops -= 1;
        self.place(exit)
    }
}

fn single_byte() -> Scalars {
    vec![(0, 1, Word::unsigned(8))]
}
