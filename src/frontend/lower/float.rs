//! Floating point: which operations on words the operations of C become, by the types of their operands.
//!
//! A `float` or `double` is the word of its bits (`term/float.rs`). Arithmetic has the precision of its type,
//! as with SSE. A conversion to an integer type that cannot hold the number is undefined (C11 6.3.1.4).

use super::{Lower, Result};
use crate::frontend::tree::{BinaryOp, CompareOp, TypeId};
use crate::program::Mark;
use crate::term::{FloatMap, FloatOp, FloatOrder, TermId, Word};

impl<'a> Lower<'a> {
    /// `left op right` of operands of a type; shifts have an amount of its own type.
    pub(super) fn operation(
        &mut self,
        op: BinaryOp,
        left: TermId,
        right: TermId,
        ty: TypeId,
    ) -> Result<TermId> {
        if !self.layout.is_float(ty) {
            return self.arithmetic(op, left, right);
        }
        let op = match op {
            BinaryOp::Add => FloatOp::Add,
            BinaryOp::Sub => FloatOp::Sub,
            BinaryOp::Mul => FloatOp::Mul,
            BinaryOp::Div => FloatOp::Div,
            _ => return Err(self.unsupported("an operation on bits of a floating-point number")),
        };
        Ok(self.builder.terms().float(op, left, right))
    }

    /// `-operand`; of a float, the other sign.
    pub(super) fn negative(&mut self, operand: TermId, ty: TypeId) -> Result<TermId> {
        if !self.layout.is_float(ty) {
            return self.negated(operand);
        }
        let terms = self.builder.terms();
        let word = terms.word(operand);
        let sign = terms.constant(1 << (word.bits() - 1), word);
        Ok(terms.bit_xor(operand, sign))
    }

    /// A number or pointer after `++` or `--`.
    pub(super) fn stepped(&mut self, old: TermId, amount: i64, ty: TypeId) -> Result<TermId> {
        if !self.layout.is_float(ty) {
            return self.increment(old, amount);
        }
        let terms = self.builder.terms();
        let word = terms.word(old);
        let amount = terms.constant(i128::from(amount), Word::signed(64));
        let amount = terms.float_map(FloatMap::FromWord, amount, word);
        Ok(terms.float(FloatOp::Add, old, amount))
    }

    /// A comparison of two values of one type.
    pub(super) fn ordered(&mut self, op: CompareOp, left: TermId, right: TermId, ty: TypeId) -> TermId {
        if !self.layout.is_float(ty) {
            return self.compare(op, left, right);
        }
        let terms = self.builder.terms();
        match op {
            CompareOp::Eq => terms.float_compare(FloatOrder::Equal, left, right),
            CompareOp::Ne => {
                let equal = terms.float_compare(FloatOrder::Equal, left, right);
                terms.not(equal)
            }
            CompareOp::Lt => terms.float_compare(FloatOrder::Less, left, right),
            CompareOp::Le => terms.float_compare(FloatOrder::LessEqual, left, right),
            CompareOp::Gt => terms.float_compare(FloatOrder::Less, right, left),
            CompareOp::Ge => terms.float_compare(FloatOrder::LessEqual, right, left),
        }
    }

    /// Whether a scalar is not zero; zeros of both signs are, NaN is not.
    pub(super) fn is_true(&mut self, value: TermId, ty: TypeId) -> TermId {
        if !self.layout.is_float(ty) {
            return self.builder.terms().word_to_truth(value);
        }
        let terms = self.builder.terms();
        let zero = terms.constant(0, terms.word(value));
        let equal = terms.float_compare(FloatOrder::Equal, value, zero);
        terms.not(equal)
    }

    /// C's conversion of a scalar from one type to another.
    pub(super) fn converted(&mut self, value: TermId, from: TypeId, to: TypeId) -> Result<TermId> {
        let word = self.word(to)?;
        match (self.layout.is_float(from), self.layout.is_float(to)) {
            (false, false) => Ok(self.convert(value, word)),
            (true, true) if self.builder.terms().word(value) == word => Ok(value),
            (true, true) => Ok(self.builder.terms().float_map(FloatMap::Resize, value, word)),
            (false, true) => Ok(self.builder.terms().float_map(FloatMap::FromWord, value, word)),
            (true, false) if word == Word::BOOL => {
                let truth = self.is_true(value, from);
                Ok(self.builder.terms().truth_to_word(truth, word))
            }
            (true, false) => {
                let fits = self.fits(value, word);
                let text = "a floating-point number that does not fit the integer type".to_owned();
                self.require(fits, Mark::Undefined(text))?;
                Ok(self.builder.terms().float_map(FloatMap::ToWord, value, word))
            }
        }
    }

    /// Whether a float, rounded towards zero, is a value of a word.
    fn fits(&mut self, value: TermId, word: Word) -> TermId {
        let double = Word::unsigned(64);
        let terms = self.builder.terms();
        let value = match terms.word(value) == double {
            true => value,
            false => terms.float_map(FloatMap::Resize, value, double),
        };
        // `min - 1` has a `double` of its own up to 53 bits; beyond, no number lies between it and `min`.
        let (least, order) = match word.bits() <= 53 || !word.is_signed() {
            true => (word.min() - 1, FloatOrder::Less),
            false => (word.min(), FloatOrder::LessEqual),
        };
        let [least, most] =
            [least, word.max() + 1].map(|limit| terms.constant(i128::from((limit as f64).to_bits()), double));
        let low = terms.float_compare(order, least, value);
        let high = terms.float_compare(FloatOrder::Less, value, most);
        terms.and(&[low, high])
    }
}
