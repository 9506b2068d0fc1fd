//! Floating point: IEEE 754 binary32 and binary64, as operations on words that hold the bits.
//!
//! A float is an unsigned word of 32 or 64 bits; equality of data, memory, unions and states are those of
//! words, so that `-0.0` and `0.0` and the many NaNs are different data. Only the operations here know
//! better. They round to nearest, ties to even, and compute natively; Rust says what the bits are unless the
//! result is NaN, and then this file does, as SSE has it: the first operand that is NaN, made quiet, else the
//! default NaN, whose sign is set. Negation, absolute values and signs are operations on bits and need
//! nothing here.

use super::pool::{Node, Pool, TermId};
use super::sort::Word;

/// Arithmetic of two floats.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient; by zero it is infinite or NaN.
    Div,
}

/// Comparisons of two floats; none holds if one of them is NaN.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatOrder {
    /// `a == b`; zeros of both signs are equal.
    Equal,
    /// `a < b`.
    Less,
    /// `a <= b`.
    LessEqual,
}

/// Operations on one operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatMap {
    /// The square root.
    Sqrt,
    /// A float as one of the other width, rounded.
    Resize,
    /// An integer as a float, rounded.
    FromWord,
    /// A float as an integer, towards zero. What does not fit, and NaN, gives 0: whoever builds the term
    /// guards it.
    ToWord,
}

impl FloatOp {
    /// A name to print.
    pub const fn name(self) -> &'static str {
        match self {
            FloatOp::Add => "fadd",
            FloatOp::Sub => "fsub",
            FloatOp::Mul => "fmul",
            FloatOp::Div => "fdiv",
        }
    }
}

impl FloatOrder {
    /// A name to print.
    pub const fn name(self) -> &'static str {
        match self {
            FloatOrder::Equal => "feq",
            FloatOrder::Less => "flt",
            FloatOrder::LessEqual => "fle",
        }
    }
}

impl FloatMap {
    /// A name to print; the sort of the result follows.
    pub const fn name(self) -> &'static str {
        match self {
            FloatMap::Sqrt => "fsqrt",
            FloatMap::Resize => "fresize",
            FloatMap::FromWord => "float",
            FloatMap::ToWord => "trunc",
        }
    }
}

/// The width of a float's exponent, and of its significand without the leading bit.
pub const fn format(bits: u8) -> (u32, u32) {
    if bits == 32 { (8, 23) } else { (11, 52) }
}

/// The NaN that an invalid operation gives.
pub const fn default_nan(bits: u8) -> u64 {
    if bits == 32 { 0xffc0_0000 } else { 0xfff8_0000_0000_0000 }
}

/// The bit that makes a NaN quiet.
pub const fn quiet_bit(bits: u8) -> u64 {
    1 << (format(bits).1 - 1)
}

fn is_nan(value: u64, bits: u8) -> bool {
    let (exponent, significand) = format(bits);
    let infinite = ((1 << exponent) - 1) << significand;
    value & !(1 << (bits - 1)) > infinite
}

/// The number that the bits of a float of any width are; exact.
fn number(value: u64, bits: u8) -> f64 {
    if bits == 32 { f64::from(f32::from_bits(value as u32)) } else { f64::from_bits(value) }
}

/// Arithmetic on bits.
pub fn arithmetic(op: FloatOp, a: u64, b: u64, bits: u8) -> u64 {
    if let Some(&nan) = [a, b].iter().find(|&&it| is_nan(it, bits)) {
        return nan | quiet_bit(bits);
    }
    macro_rules! compute {
        ($a:expr, $b:expr) => {
            match op {
                FloatOp::Add => $a + $b,
                FloatOp::Sub => $a - $b,
                FloatOp::Mul => $a * $b,
                FloatOp::Div => $a / $b,
            }
        };
    }
    let result = match bits {
        32 => u64::from(compute!(f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits()),
        _ => compute!(f64::from_bits(a), f64::from_bits(b)).to_bits(),
    };
    if is_nan(result, bits) { default_nan(bits) } else { result }
}

/// A comparison of bits.
pub fn compare(order: FloatOrder, a: u64, b: u64, bits: u8) -> bool {
    let (a, b) = (number(a, bits), number(b, bits));
    match order {
        FloatOrder::Equal => a == b,
        FloatOrder::Less => a < b,
        FloatOrder::LessEqual => a <= b,
    }
}

/// An operation on one operand, a value of the word `from`; the result is one of `to`.
pub fn map(operation: FloatMap, value: i128, from: Word, to: Word) -> i128 {
    let bits = value as u64;
    match operation {
        FloatMap::Sqrt | FloatMap::Resize if is_nan(bits, from.bits()) => {
            i128::from(resized_nan(bits, from.bits(), to.bits()))
        }
        FloatMap::Sqrt if from.bits() == 32 => known(f32::from_bits(bits as u32).sqrt().to_bits().into(), 32),
        FloatMap::Sqrt => known(f64::from_bits(bits).sqrt().to_bits(), 64),
        FloatMap::Resize if to.bits() == 32 => {
            known(u64::from((number(bits, from.bits()) as f32).to_bits()), 32)
        }
        FloatMap::Resize => known(number(bits, from.bits()).to_bits(), 64),
        FloatMap::FromWord if to.bits() == 32 => i128::from((value as f32).to_bits()),
        FloatMap::FromWord => i128::from((value as f64).to_bits()),
        FloatMap::ToWord => {
            let whole = number(bits, from.bits()) as i128;
            if to.contains(whole) { whole } else { 0 }
        }
    }
}

/// The bits of a result that is NaN only if the operation was invalid.
fn known(result: u64, bits: u8) -> i128 {
    i128::from(if is_nan(result, bits) { default_nan(bits) } else { result })
}

/// A NaN of another width: the sign and the upper bits of the significand stay.
fn resized_nan(value: u64, from: u8, to: u8) -> u64 {
    let sign = value >> (from - 1) << (to - 1);
    let (_, width) = format(from);
    let (exponent, target) = format(to);
    let payload = value & ((1 << width) - 1);
    let payload = if target >= width { payload << (target - width) } else { payload >> (width - target) };
    sign | ((1 << exponent) - 1) << target | payload | quiet_bit(to)
}

impl Pool {
    /// Arithmetic of two floats of one width.
    pub fn float(&mut self, op: FloatOp, a: TermId, b: TermId) -> TermId {
        let word = self.common_word(a, b);
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => {
                let value = arithmetic(op, x as u64, y as u64, word.bits());
                self.constant(i128::from(value), word)
            }
            _ => self.intern(Node::Float(op, a, b)),
        }
    }

    /// A comparison of two floats of one width.
    pub fn float_compare(&mut self, order: FloatOrder, a: TermId, b: TermId) -> TermId {
        let word = self.common_word(a, b);
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => {
                let holds = compare(order, x as u64, y as u64, word.bits());
                self.bool(holds)
            }
            _ => self.intern(Node::FloatCompare(order, a, b)),
        }
    }

    /// An operation with one operand that is a float or gives one.
    pub fn float_map(&mut self, operation: FloatMap, a: TermId, to: Word) -> TermId {
        let from = self.word(a);
        match self.as_const(a) {
            Some(value) => {
                let value = map(operation, value, from, to);
                self.constant(value, to)
            }
            None => self.intern(Node::FloatMap(operation, a, to)),
        }
    }

    /// Whether any term at or below these is about floating point.
    pub fn has_floats(&self, roots: &[TermId]) -> bool {
        let mut found = false;
        self.visit(roots, |_, node| {
            found |= matches!(node, Node::Float(..) | Node::FloatCompare(..) | Node::FloatMap(..));
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const F32: Word = Word::unsigned(32);
    const F64: Word = Word::unsigned(64);

    fn bits(value: f64) -> u64 {
        value.to_bits()
    }

    #[test]
    fn arithmetic_is_exact_and_nans_are_those_of_sse() {
        assert_eq!(arithmetic(FloatOp::Add, bits(0.1), bits(0.2), 64), bits(0.1 + 0.2));
        assert_eq!(arithmetic(FloatOp::Mul, bits(-0.0), bits(1.0), 64), bits(-0.0));
        assert_eq!(arithmetic(FloatOp::Div, bits(1.0), bits(-0.0), 64), bits(f64::NEG_INFINITY));
        assert_eq!(arithmetic(FloatOp::Div, 0, 0, 64), 0xfff8_0000_0000_0000);
        let payload = 0x7ff0_0000_0000_0007;
        assert_eq!(arithmetic(FloatOp::Sub, payload, bits(1.0), 64), 0x7ff8_0000_0000_0007);
        let third = (1.0f32 / 3.0).to_bits();
        assert_eq!(
            arithmetic(FloatOp::Div, 1.0f32.to_bits().into(), 3.0f32.to_bits().into(), 32),
            u64::from(third)
        );
    }

    #[test]
    fn comparisons_know_zeros_and_nans() {
        let nan = default_nan(64);
        assert!(compare(FloatOrder::Equal, bits(0.0), bits(-0.0), 64));
        for order in [FloatOrder::Equal, FloatOrder::Less, FloatOrder::LessEqual] {
            assert!(!compare(order, nan, nan, 64) && !compare(order, bits(1.0), nan, 64));
        }
        assert!(compare(FloatOrder::Less, bits(-1.0), bits(0.5), 64));
    }

    #[test]
    fn conversions_round_once() {
        // Through `double` this would round twice, to the other neighbour.
        let value = (1i128 << 60) + (1 << 36) + 1;
        let long = Word::signed(64);
        assert_eq!(map(FloatMap::FromWord, value, long, F32), i128::from((value as f32).to_bits()));
        assert_ne!((value as f32).to_bits(), (value as f64 as f32).to_bits());
        assert_eq!(map(FloatMap::ToWord, i128::from(bits(-2.9)), F64, Word::signed(32)), -2);
        assert_eq!(map(FloatMap::ToWord, i128::from(bits(3e9)), F64, Word::signed(32)), 0);
        assert_eq!(map(FloatMap::Resize, i128::from(bits(1e300)), F64, F32), f32::INFINITY.to_bits().into());
        assert_eq!(map(FloatMap::Sqrt, i128::from(bits(-1.0)), F64, F64), i128::from(default_nan(64)));
        assert_eq!(map(FloatMap::Resize, 0x7fc0_0001, F32, F64), 0x7ff8_0000_2000_0000);
    }
}
