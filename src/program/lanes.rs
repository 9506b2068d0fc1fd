//! Some bytes of a scalar: what a store buffer holds of a store that is narrower than its cell.
//!
//! Cells have at most eight bytes. Byte 0 is the one with the lowest bits, as on every machine that we model.

/// A set of bytes of one cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lanes(u8);

impl Lanes {
    /// The whole cell, however wide it is.
    pub const ALL: Lanes = Lanes(u8::MAX);

    /// `count` bytes from byte `first` on; all of them for a cell of `width` bytes that they fill.
    pub fn new(first: u64, count: u64, width: u64) -> Lanes {
        match count < width {
            true => Lanes((((1u16 << count) - 1) << first) as u8),
            false => Lanes::ALL,
        }
    }

    /// The set of bytes with these numbers.
    pub fn of(bytes: impl IntoIterator<Item = usize>) -> Lanes {
        Lanes(bytes.into_iter().fold(0, |set, byte| set | 1 << byte))
    }

    /// The set as a number, byte 0 the lowest bit.
    pub fn code(self) -> u8 {
        self.0
    }

    /// The set with this number.
    pub fn from_code(code: u8) -> Lanes {
        Lanes(code)
    }

    /// Whether it is the whole cell.
    pub fn is_all(self) -> bool {
        self == Lanes::ALL
    }

    /// Whether a byte is among them.
    pub fn contains(self, byte: usize) -> bool {
        self.0 >> byte & 1 == 1
    }

    /// Whether two sets have a byte in common.
    pub fn overlaps(self, other: Lanes) -> bool {
        self.0 & other.0 != 0
    }

    /// The bytes of both.
    pub fn union(self, other: Lanes) -> Lanes {
        Lanes(self.0 | other.0)
    }

    /// The bits of these bytes.
    pub fn mask(self) -> u64 {
        (0..8).filter(|&byte| self.contains(byte)).fold(0, |mask, byte| mask | 0xff << (8 * byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_their_bits() {
        let middle = Lanes::new(1, 2, 4);
        assert_eq!(middle.mask(), 0x00ff_ff00);
        assert!(middle.contains(1) && middle.contains(2) && !middle.contains(0) && !middle.contains(3));
        assert!(middle.overlaps(Lanes::of([2])) && !middle.overlaps(Lanes::of([0, 3])));
        assert_eq!(Lanes::new(0, 4, 4), Lanes::ALL);
        assert_eq!(Lanes::of([1]).union(Lanes::of([2])), middle);
        assert_eq!(Lanes::ALL.mask(), u64::MAX);
    }
}
