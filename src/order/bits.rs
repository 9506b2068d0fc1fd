//! Sets of small numbers as bits.

/// A subset of `0..n`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bits(Box<[u64]>);

impl Bits {
    /// The empty subset of `0..n`.
    pub fn new(n: usize) -> Bits {
        Bits(vec![0; n.div_ceil(64)].into())
    }

    /// Whether a number is in the set.
    pub fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    /// Whether there is nothing in the set.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Adds a number.
    pub fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    /// Adds another set.
    pub fn union(&mut self, other: &Bits) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        members(self.0.iter().copied())
    }

    /// What is in both of two sets and not in a third, ascending.
    pub fn common_without<'a>(&'a self, other: &'a Bits, not: &'a Bits) -> impl Iterator<Item = usize> + 'a {
        members(self.0.iter().zip(&other.0).zip(&not.0).map(|((a, b), c)| a & b & !c))
    }
}

/// The numbers that the bits of some words stand for, ascending.
pub(super) fn members(words: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    words.enumerate().flat_map(|(i, mut word)| {
        std::iter::from_fn(move || {
            let bit = word.trailing_zeros() as usize;
            word &= word.wrapping_sub(1);
            (bit < 64).then_some(i * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_order() {
        let mut a = Bits::new(200);
        for i in [199, 0, 63, 64, 130] {
            a.insert(i);
        }
        assert_eq!(a.iter().collect::<Vec<_>>(), [0, 63, 64, 130, 199]);
        let mut b = Bits::new(200);
        for i in [0, 1, 63, 130, 199] {
            b.insert(i);
        }
        let mut c = Bits::new(200);
        c.insert(0);
        assert_eq!(a.common_without(&b, &c).collect::<Vec<_>>(), [63, 130, 199]);
        c.union(&b);
        assert!(c.contains(1) && c.contains(130) && !c.contains(2));
    }
}
