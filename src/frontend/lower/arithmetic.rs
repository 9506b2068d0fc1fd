//! Arithmetic, and what happens where signed arithmetic overflows (C11 6.5, paragraph 5).
//!
//! | `--signed-overflow` | `a + b` of `int` becomes |
//! |---|---|
//! | `assume` | the sum, and a range for the next step: runs end where it does not hold |
//! | `wrap` | the sum of `unsigned`, converted back |
//! | `error` | the sum, behind a branch to a violation where it does not fit |
//!
//! The condition is written in a wider word, or as bounds of one operand where the other is constant; it is
//! gone where the operands' types exclude an overflow, as for `short` operands. Arithmetic in narrower words
//! than `int` and conversions never overflow. Shifting a negative number to the left, or a one into the sign
//! bit and beyond, counts as an overflow.
//!
//! Where an operand of `&&`, `||` or `?:` is part of one term with the others it is computed only under a
//! condition, and so is its range.

use super::{Lower, Result};
use crate::frontend::SignedOverflow;
use crate::frontend::tree::BinaryOp;
use crate::program::{Mark, Range};
use crate::term::{Interval, Pool, TermId, Word};

impl<'a> Lower<'a> {
    /// `left op right`; shifts take an amount of any word.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, left: TermId, right: TermId) -> Result<TermId> {
        let right = self.defined(op, left, right)?;
        let word = self.builder.terms().word(left);
        if word.overflows() {
            if self.options.overflow() == SignedOverflow::Wrap {
                return Ok(wrapping(self.builder.terms(), op, left, right));
            }
            let holds = in_range(self.builder.terms(), op, left, right);
            self.stay_in_range(holds)?;
        }
        Ok(plain(self.builder.terms(), op, left, right))
    }

    /// `left op right` where C wants it to wrap whatever the sign: C11 7.17.7.5 for atomic operations.
    pub(super) fn wrapping_arithmetic(
        &mut self,
        op: BinaryOp,
        left: TermId,
        right: TermId,
    ) -> Result<TermId> {
        let right = self.defined(op, left, right)?;
        Ok(wrapping(self.builder.terms(), op, left, right))
    }

    /// `-operand`.
    pub(super) fn negated(&mut self, operand: TermId) -> Result<TermId> {
        let word = self.builder.terms().word(operand);
        let zero = self.builder.terms().constant(0, word);
        self.arithmetic(BinaryOp::Sub, zero, operand)
    }

    /// A number or pointer after `++` or `--`.
    pub(super) fn increment(&mut self, old: TermId, amount: i64) -> Result<TermId> {
        let terms = self.builder.terms();
        let word = terms.word(old);
        // `_Bool` becomes true whatever is added, and `b--` toggles.
        if word == Word::BOOL {
            let one = terms.constant(1, word);
            return Ok(if amount > 0 { one } else { terms.bit_xor(old, one) });
        }
        let amount = terms.constant(i128::from(amount), word);
        match word.overflows() {
            true => self.arithmetic(BinaryOp::Add, old, amount),
            // What C does in `int` and converts back wraps, as this does.
            false => Ok(terms.add(old, amount)),
        }
    }

    /// Where an operation is not defined, whatever the sign of its operands, the run ends. The right operand,
    /// in the left one's word.
    fn defined(&mut self, op: BinaryOp, left: TermId, right: TermId) -> Result<TermId> {
        match op {
            BinaryOp::Div | BinaryOp::Rem => {
                let fine = self.builder.terms().word_to_truth(right);
                self.require(fine, Mark::Undefined("division by zero".to_owned()))?;
                Ok(right)
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let terms = self.builder.terms();
                let (word, amount) = (terms.word(left), terms.word(right));
                let last = terms.constant(i128::from(word.bits()) - 1, amount);
                let zero = terms.constant(0, amount);
                let (low, high) = (terms.le(zero, right), terms.le(right, last));
                let fine = terms.and(&[low, high]);
                let text = "shift by a negative or too large amount".to_owned();
                self.require(fine, Mark::Undefined(text))?;
                Ok(self.builder.terms().cast(right, word))
            }
            _ => Ok(right),
        }
    }

    // ---- ranges

    /// Runs go on only where arithmetic stays in range.
    fn stay_in_range(&mut self, holds: TermId) -> Result<()> {
        if self.alive && self.builder.terms().as_bool(holds) != Some(true) {
            self.ranges.push(Range { holds, span: self.span });
            if self.choices == 0 {
                self.refuse_overflow()?;
            }
        }
        Ok(())
    }

    /// Where overflow is a violation, what has to stay in range is asked for now; else by the next step.
    fn refuse_overflow(&mut self) -> Result<()> {
        if self.options.overflow() != SignedOverflow::Error {
            return Ok(());
        }
        for Range { holds, span } in std::mem::take(&mut self.ranges) {
            let here = std::mem::replace(&mut self.span, span);
            self.forbid_overflow(holds)?;
            self.span = here;
        }
        Ok(())
    }

    /// Lowers part of a term that is computed only where a condition holds.
    pub(super) fn only_if<T>(
        &mut self,
        condition: TermId,
        lower: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let first = self.ranges.len();
        self.choices += 1;
        let value = lower(self);
        self.choices -= 1;
        for range in &mut self.ranges[first..] {
            range.holds = self.builder.terms().implies(condition, range.holds);
        }
        let value = value?;
        if self.choices == 0 {
            self.refuse_overflow()?;
        }
        Ok(value)
    }
}

/// The operation on words of one sort; it wraps.
fn plain(terms: &mut Pool, op: BinaryOp, left: TermId, right: TermId) -> TermId {
    match op {
        BinaryOp::Add => terms.add(left, right),
        BinaryOp::Sub => terms.sub(left, right),
        BinaryOp::Mul => terms.mul(left, right),
        BinaryOp::Div => terms.div(left, right),
        BinaryOp::Rem => terms.rem(left, right),
        BinaryOp::And => terms.bit_and(left, right),
        BinaryOp::Or => terms.bit_or(left, right),
        BinaryOp::Xor => terms.bit_xor(left, right),
        BinaryOp::Shl => terms.shl(left, right),
        BinaryOp::Shr => terms.shr(left, right),
    }
}

/// The operation in a form that wraps for everybody, also for who reads signed words as whole numbers.
fn wrapping(terms: &mut Pool, op: BinaryOp, left: TermId, right: TermId) -> TermId {
    let word = terms.word(left);
    let unsigned = Word::unsigned(word.bits());
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl if word.is_signed() => {
            let (left, right) = (terms.cast(left, unsigned), terms.cast(right, unsigned));
            let result = plain(terms, op, left, right);
            terms.cast(result, word)
        }
        BinaryOp::Div if word.is_signed() && terms.bounds(right).contains(-1) => {
            let (minus_one, zero) = (terms.constant(-1, word), terms.constant(0, word));
            let negates = terms.eq(right, minus_one);
            let negated = wrapping(terms, BinaryOp::Sub, zero, left);
            let quotient = terms.div(left, right);
            terms.ite(negates, negated, quotient)
        }
        _ => plain(terms, op, left, right),
    }
}

/// Where the operation on signed words does not overflow.
fn in_range(terms: &mut Pool, op: BinaryOp, left: TermId, right: TermId) -> TermId {
    match op {
        BinaryOp::Add => sum_in_range(terms, left, right),
        BinaryOp::Sub => difference_in_range(terms, left, right),
        BinaryOp::Mul => product_in_range(terms, left, right),
        BinaryOp::Div | BinaryOp::Rem => quotient_in_range(terms, left, right),
        BinaryOp::Shl => shift_in_range(terms, left, right),
        BinaryOp::Shr | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => terms.bool(true),
    }
}

/// Whether a term has at least and at most these values; values outside of its word exclude nothing.
fn between(terms: &mut Pool, term: TermId, limits: Interval) -> TermId {
    let (word, known) = (terms.word(term), terms.bounds(term));
    let mut conditions = Vec::new();
    if known.least < limits.least {
        let least = terms.constant(limits.least.min(word.max()), word);
        conditions.push(terms.le(least, term));
    }
    if known.most > limits.most {
        let most = terms.constant(limits.most.max(word.min()), word);
        conditions.push(terms.le(term, most));
    }
    terms.and(&conditions)
}

/// The values of a word.
fn values(word: Word) -> Interval {
    Interval { least: word.min(), most: word.max() }
}

fn sum_in_range(terms: &mut Pool, a: TermId, b: TermId) -> TermId {
    let word = terms.word(a);
    if let Some(constant) = terms.as_const(a) {
        return sum_in_range_with(terms, b, constant);
    }
    if let Some(constant) = terms.as_const(b) {
        return sum_in_range_with(terms, a, constant);
    }
    if let Some(wide) = wider(word, word.bits() + 1) {
        let (a, b) = (terms.cast(a, wide), terms.cast(b, wide));
        let sum = terms.add(a, b);
        return between(terms, sum, values(word));
    }
    let (zero, least, most) =
        (terms.constant(0, word), terms.constant(word.min(), word), terms.constant(word.max(), word));
    let (positive, negative) = (terms.le(zero, b), terms.le(b, zero));
    let (from, to) = (terms.sub(least, b), terms.sub(most, b));
    let (above, below) = (terms.le(from, a), terms.le(a, to));
    let (above, below) = (terms.or(&[positive, above]), terms.or(&[negative, below]));
    terms.and(&[above, below])
}

/// `a + constant`.
fn sum_in_range_with(terms: &mut Pool, a: TermId, constant: i128) -> TermId {
    let Interval { least, most } = values(terms.word(a));
    between(terms, a, Interval { least: least - constant, most: most - constant })
}

fn difference_in_range(terms: &mut Pool, a: TermId, b: TermId) -> TermId {
    let word = terms.word(a);
    let Interval { least, most } = values(word);
    if let Some(constant) = terms.as_const(b) {
        return sum_in_range_with(terms, a, -constant);
    }
    if let Some(constant) = terms.as_const(a) {
        return between(terms, b, Interval { least: constant - most, most: constant - least });
    }
    if let Some(wide) = wider(word, word.bits() + 1) {
        let (a, b) = (terms.cast(a, wide), terms.cast(b, wide));
        let difference = terms.sub(a, b);
        return between(terms, difference, values(word));
    }
    let (zero, least, most) =
        (terms.constant(0, word), terms.constant(least, word), terms.constant(most, word));
    let (positive, negative) = (terms.le(zero, b), terms.le(b, zero));
    let (from, to) = (terms.add(least, b), terms.add(most, b));
    let (above, below) = (terms.le(from, a), terms.le(a, to));
    let (above, below) = (terms.or(&[negative, above]), terms.or(&[positive, below]));
    terms.and(&[above, below])
}

fn product_in_range(terms: &mut Pool, a: TermId, b: TermId) -> TermId {
    let word = terms.word(a);
    if let Some(constant) = terms.as_const(a) {
        return between(terms, b, factors(word, constant));
    }
    if let Some(constant) = terms.as_const(b) {
        return between(terms, a, factors(word, constant));
    }
    if let Some(wide) = wider(word, word.bits().saturating_mul(2)) {
        let (a, b) = (terms.cast(a, wide), terms.cast(b, wide));
        let product = terms.mul(a, b);
        return between(terms, product, values(word));
    }
    wide_product_in_range(terms, a, b)
}

/// The numbers whose product with a constant fits a word.
fn factors(word: Word, constant: i128) -> Interval {
    let Interval { least, most } = values(word);
    match constant {
        0 => values(word),
        1.. => Interval { least: least / constant, most: most / constant },
        _ => Interval { least: most / constant, most: least / constant },
    }
}

/// The product of the widest words, by quotients that fit: they are rounded towards zero.
fn wide_product_in_range(terms: &mut Pool, a: TermId, b: TermId) -> TermId {
    let word = terms.word(a);
    let (zero, least, most) =
        (terms.constant(0, word), terms.constant(word.min(), word), terms.constant(word.max(), word));
    let (a_low, b_low) = (terms.le(a, zero), terms.le(b, zero));
    let (a_high, b_high) = (terms.le(zero, a), terms.le(zero, b));
    let limits = [terms.div(most, b), terms.div(least, a), terms.div(least, b)];
    let both_positive = terms.le(a, limits[0]);
    let left_positive = terms.le(limits[1], b);
    let right_positive = terms.le(limits[2], a);
    let both_negative = terms.le(limits[0], a);
    let cases = [
        [a_low, b_low, both_positive],
        [a_low, b_high, left_positive],
        [a_high, b_low, right_positive],
        [a_high, b_high, both_negative],
    ];
    let cases = cases.map(|case| terms.or(&case));
    terms.and(&cases)
}

fn quotient_in_range(terms: &mut Pool, a: TermId, b: TermId) -> TermId {
    let word = terms.word(a);
    if !terms.bounds(a).contains(word.min()) || !terms.bounds(b).contains(-1) {
        return terms.bool(true);
    }
    let (least, minus_one) = (terms.constant(word.min(), word), terms.constant(-1, word));
    let (is_least, negates) = (terms.eq(a, least), terms.eq(b, minus_one));
    let overflows = terms.and(&[is_least, negates]);
    terms.not(overflows)
}

fn shift_in_range(terms: &mut Pool, a: TermId, amount: TermId) -> TermId {
    let word = terms.word(a);
    if let Some(amount) = terms.as_const(amount) {
        return between(terms, a, Interval { least: 0, most: word.max() >> amount.clamp(0, 64) });
    }
    let (zero, most) = (terms.constant(0, word), terms.constant(word.max(), word));
    let limit = terms.shr(most, amount);
    let (natural, small) = (terms.le(zero, a), terms.le(a, limit));
    terms.and(&[natural, small])
}

/// A signed word of so many bits, if there are such.
fn wider(word: Word, bits: u8) -> Option<Word> {
    (bits > word.bits() && bits <= 64).then(|| Word::signed(bits))
}
