//! The sorts of terms: truth values, machine words, arrays of words.

use std::fmt;

/// Whether a word's values are read as two's complement or as natural numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sign {
    /// Two's complement; arithmetic wraps, but see [`Word::overflows`].
    Signed,
    /// Natural numbers; arithmetic wraps.
    Unsigned,
}

/// A machine integer: 1 to 64 bits and a sign. `_Bool` is the unsigned word of one bit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Word {
    bits: u8,
    sign: Sign,
}

impl Word {
    /// The C `_Bool`: one unsigned bit.
    pub const BOOL: Word = Word::unsigned(1);

    /// A signed word of `bits` bits.
    ///
    /// # Panics
    /// If `bits` is not in `1..=64`.
    pub const fn signed(bits: u8) -> Word {
        assert!(bits >= 1 && bits <= 64);
        Word { bits, sign: Sign::Signed }
    }

    /// An unsigned word of `bits` bits.
    ///
    /// # Panics
    /// If `bits` is not in `1..=64`.
    pub const fn unsigned(bits: u8) -> Word {
        assert!(bits >= 1 && bits <= 64);
        Word { bits, sign: Sign::Unsigned }
    }

    /// The width.
    pub const fn bits(self) -> u8 {
        self.bits
    }

    /// The sign.
    pub const fn sign(self) -> Sign {
        self.sign
    }

    /// Whether values may be negative.
    pub const fn is_signed(self) -> bool {
        matches!(self.sign, Sign::Signed)
    }

    /// Whether C computes in this word and leaves it undefined where the result does not fit: a signed word
    /// as wide as `int` or wider. Narrower ones are converted to `int` before C computes with them, and
    /// conversions wrap.
    ///
    /// Terms wrap in all words. But programs do not go on where such arithmetic overflows
    /// ([ranges](crate::program::Transition::ranges)), so it may be read as that of whole numbers. Rewrites
    /// of terms keep both readings.
    pub const fn overflows(self) -> bool {
        self.is_signed() && self.bits >= 32
    }

    /// The least value.
    pub const fn min(self) -> i128 {
        match self.sign {
            Sign::Signed => -(1 << (self.bits - 1)),
            Sign::Unsigned => 0,
        }
    }

    /// The greatest value.
    pub const fn max(self) -> i128 {
        match self.sign {
            Sign::Signed => (1 << (self.bits - 1)) - 1,
            Sign::Unsigned => (1 << self.bits) - 1,
        }
    }

    /// The value of this word that is congruent to `value` modulo 2^bits.
    pub const fn wrap(self, value: i128) -> i128 {
        let shift = 128 - self.bits as u32;
        match self.sign {
            Sign::Signed => (value << shift) >> shift,
            Sign::Unsigned => (((value as u128) << shift) >> shift) as i128,
        }
    }

    /// Whether `value` is a value of this word.
    pub const fn contains(self, value: i128) -> bool {
        self.min() <= value && value <= self.max()
    }
}

impl fmt::Display for Word {
    /// `i32`, `u8`, and `bool` for the C `_Bool`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sign {
            _ if *self == Word::BOOL => write!(f, "bool"),
            Sign::Signed => write!(f, "i{}", self.bits),
            Sign::Unsigned => write!(f, "u{}", self.bits),
        }
    }
}

/// An array of `len` words, indexed from 0 by terms of any word sort.
///
/// Reading or writing outside `0..len` has no meaning of its own: whoever builds the term guards it.
/// The concrete semantics reads 0 there and ignores the write.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArraySort {
    /// Number of elements.
    pub len: u32,
    /// Sort of each element.
    pub elem: Word,
}

/// The sort of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// A truth value.
    Bool,
    /// A machine integer.
    Word(Word),
    /// An array of machine integers.
    Array(ArraySort),
}

impl Sort {
    /// The word, if this is one.
    pub fn as_word(self) -> Option<Word> {
        match self {
            Sort::Word(word) => Some(word),
            _ => None,
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => write!(f, "truth"),
            Sort::Word(word) => write!(f, "{word}"),
            Sort::Array(array) => write!(f, "{}[{}]", array.elem, array.len),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_stays_in_range_and_is_congruent() {
        for word in [
            Word::BOOL,
            Word::signed(1),
            Word::signed(8),
            Word::unsigned(8),
            Word::signed(64),
            Word::unsigned(64),
        ] {
            for value in
                [-1i128 << 70, -129, -128, -1, 0, 1, 127, 128, 255, 256, 1 << 63, (1 << 64) - 1, 1 << 64]
            {
                let wrapped = word.wrap(value);
                assert!(word.contains(wrapped), "{word} {value}");
                assert_eq!((wrapped - value) % (1 << word.bits()), 0, "{word} {value}");
            }
        }
    }
}
