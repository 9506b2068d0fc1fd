//! Sums in normal form: `c1*t1 + ... + cn*tn + c`, modulo 2^bits.
//!
//! In words that [overflow](Word::overflows) the same sum is to hold for whole numbers: `(x + MAX) + 1`,
//! where it does not overflow, is not `x + MIN`. So coefficients are whole numbers while a sum is put
//! together, and a sum with one that does not fit the word is computed in the unsigned word, which wraps for
//! everybody.
//!
//! The `ti` are distinct, in order of their ids, and none is a sum; the `ci` are not zero and the constant
//! comes last. So equal linear expressions are equal terms, and equations cancel what both sides share. Sums
//! of more than [`MAX_MONOMIALS`] monomials are left as they were built, and count as a `ti` when they are
//! added to something.

use super::pool::{Node, Pool, TermId};
use super::sort::Word;

/// Up to so many monomials a sum is kept in normal form.
const MAX_MONOMIALS: usize = 64;

/// A sum of monomials with a constant; coefficients are non-zero, terms distinct and sorted. Modulo 2^bits in
/// words that wrap, else whole numbers.
struct Linear {
    word: Word,
    monomials: Vec<(TermId, i128)>,
    constant: i128,
    /// Whether a number became too large even for this.
    lost: bool,
}

impl Pool {
    /// Sum.
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        self.common_word(a, b);
        let mut sum = self.linear(a);
        let right = self.linear(b);
        sum.add(&right, 1);
        self.sum(sum)
    }

    /// Difference.
    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        self.common_word(a, b);
        let mut sum = self.linear(a);
        let right = self.linear(b);
        sum.add(&right, -1);
        self.sum(sum)
    }

    /// Negation of a word.
    pub fn neg(&mut self, a: TermId) -> TermId {
        let mut sum = Linear::zero(self.word(a));
        let negated = self.linear(a);
        sum.add(&negated, -1);
        self.sum(sum)
    }

    /// Bitwise complement: `-a - 1`.
    pub fn bit_not(&mut self, a: TermId) -> TermId {
        let mut sum = Linear::zero(self.word(a));
        let negated = self.linear(a);
        sum.add(&negated, -1);
        sum.add_constant(-1);
        self.sum(sum)
    }

    /// A sum with the terms in it replaced, all at once: what some of them add up to need not fit the word.
    pub(super) fn sum_of_images(&mut self, sum: TermId, image: impl Fn(TermId) -> TermId) -> TermId {
        let old = self.linear(sum);
        let mut new = Linear::zero(old.word);
        for (term, coefficient) in old.monomials {
            // A sum that is too long to be taken apart.
            let term = if term == sum { return self.add_images(sum, image) } else { image(term) };
            let part = self.linear(term);
            new.add(&part, coefficient);
        }
        new.add_constant(old.constant);
        self.sum(new)
    }

    fn add_images(&mut self, sum: TermId, image: impl Fn(TermId) -> TermId) -> TermId {
        let Node::Add(a, b) = *self.node(sum) else { unreachable!("only sums are long") };
        self.add(image(a), image(b))
    }

    /// Product.
    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        let word = self.common_word(a, b);
        let (a, b) = if self.as_const(a).is_some() { (b, a) } else { (a, b) };
        if let Some(factor) = self.as_const(b) {
            let mut sum = Linear::zero(word);
            let left = self.linear(a);
            sum.add(&left, factor);
            return self.sum(sum);
        }
        let (a, b) = (a.min(b), a.max(b));
        self.intern(Node::Mul(a, b))
    }

    /// `a == b` as an equation between sums: what both sides share cancels, positive monomials go left,
    /// negative ones and the constant right.
    pub(super) fn eq_linear(&mut self, a: TermId, b: TermId, word: Word) -> TermId {
        let mut difference = self.linear(a);
        let right = self.linear(b);
        difference.add(&right, -1);
        let Some(&(_, first)) = difference.monomials.first() else {
            return self.bool(word.wrap(difference.constant) == 0);
        };
        if word.overflows() && !difference.is_small() {
            return self.intern(Node::Eq(a.min(b), a.max(b)));
        }
        // The least signed value is its own negation; it counts as positive.
        let negative = |c: i128| word.wrap(-c) != c && Word::signed(word.bits()).wrap(c) < 0;
        if negative(first) {
            let mut negated = Linear::zero(word);
            negated.add(&difference, -1);
            difference = negated;
        }
        let (right, left): (Vec<_>, Vec<_>) = difference.monomials.iter().partition(|&&(_, c)| negative(c));
        let right = right.into_iter().map(|(term, c)| (term, word.wrap(-c))).collect();
        let left = self.sum(Linear { monomials: left, ..Linear::zero(word) });
        let constant = word.wrap(-difference.constant);
        let right = self.sum(Linear { monomials: right, constant, ..Linear::zero(word) });
        match self.as_const(right) {
            Some(value) => self.eq_const(left, value).unwrap_or_else(|| self.eq_bit(left, right)),
            None => self.intern(Node::Eq(left, right)),
        }
    }

    /// `a == value` for a constant; a single bit is compared with 0 only.
    fn eq_bit(&mut self, a: TermId, value: TermId) -> TermId {
        let word = self.word(a);
        if word.bits() > 1 || self.as_const(value) == Some(0) {
            return self.intern(Node::Eq(a, value));
        }
        let zero = self.constant(0, word);
        let is_zero = self.intern(Node::Eq(a, zero));
        self.not(is_zero)
    }

    /// Reads a term in normal form as a sum of monomials.
    fn linear(&self, term: TermId) -> Linear {
        let mut sum = Linear::zero(self.word(term));
        let mut rest = term;
        loop {
            if sum.monomials.len() > MAX_MONOMIALS {
                return Linear { monomials: vec![(term, 1)], ..Linear::zero(sum.word) };
            }
            let (next, last) = match *self.node(rest) {
                Node::Add(left, right) => (Some(left), right),
                _ => (None, rest),
            };
            match *self.node(last) {
                Node::Const(value, _) => sum.constant = value,
                Node::Mul(inner, factor) if self.as_const(factor).is_some() => {
                    sum.monomials.push((inner, self.as_const(factor).expect("just seen")));
                }
                _ => sum.monomials.push((last, 1)),
            }
            match next {
                Some(left) => rest = left,
                None => break,
            }
        }
        sum.monomials.reverse();
        sum
    }

    /// The term in normal form of a sum: monomials in order, the constant last.
    fn sum(&mut self, sum: Linear) -> TermId {
        let word = sum.word;
        if word.overflows() && !sum.fits() {
            return self.wrapping_sum(sum);
        }
        let mut total = None;
        for (term, coefficient) in sum.monomials {
            let monomial = if coefficient == 1 {
                term
            } else {
                let factor = self.constant(coefficient, word);
                self.intern(Node::Mul(term, factor))
            };
            total = Some(match total {
                None => monomial,
                Some(left) => self.intern(Node::Add(left, monomial)),
            });
        }
        match total {
            None => self.constant(sum.constant, word),
            Some(total) if sum.constant == 0 => total,
            Some(total) => {
                let constant = self.constant(sum.constant, word);
                self.intern(Node::Add(total, constant))
            }
        }
    }
}

impl Pool {
    /// The term of a sum whose coefficients do not fit the word: that of the unsigned word, converted.
    fn wrapping_sum(&mut self, sum: Linear) -> TermId {
        let unsigned = Word::unsigned(sum.word.bits());
        let mut wrapping = Linear::zero(unsigned);
        for (term, coefficient) in sum.monomials {
            let term = self.cast(term, unsigned);
            let part = self.linear(term);
            wrapping.add(&part, unsigned.wrap(coefficient));
        }
        wrapping.add_constant(unsigned.wrap(sum.constant));
        let total = self.sum(wrapping);
        self.cast(total, sum.word)
    }
}

impl Linear {
    fn zero(word: Word) -> Linear {
        Linear { word, monomials: Vec::new(), constant: 0, lost: false }
    }

    /// Adds a multiple of another sum; the factor fits the word, or is -1.
    fn add(&mut self, other: &Linear, factor: i128) {
        self.lost |= other.lost;
        for &(term, coefficient) in &other.monomials {
            let coefficient = coefficient.wrapping_mul(factor);
            match self.monomials.binary_search_by_key(&term, |&(t, _)| t) {
                Ok(at) => self.monomials[at].1 = self.plus(self.monomials[at].1, coefficient),
                Err(at) => {
                    let coefficient = self.plus(0, coefficient);
                    self.monomials.insert(at, (term, coefficient));
                }
            }
        }
        self.monomials.retain(|&(_, coefficient)| coefficient != 0);
        self.add_constant(other.constant.wrapping_mul(factor));
    }

    fn add_constant(&mut self, constant: i128) {
        self.constant = self.plus(self.constant, constant);
    }

    fn plus(&mut self, a: i128, b: i128) -> i128 {
        if !self.word.overflows() {
            return self.word.wrap(a.wrapping_add(b));
        }
        self.lost |= a.checked_add(b).is_none();
        a.wrapping_add(b)
    }

    /// Whether coefficients and constant are values of the word.
    fn fits(&self) -> bool {
        let mut numbers = self.monomials.iter().map(|&(_, c)| c).chain([self.constant]);
        !self.lost && numbers.all(|number| self.word.contains(number))
    }

    /// Likewise, and their negations are too.
    fn is_small(&self) -> bool {
        let mut numbers = self.monomials.iter().map(|&(_, c)| c).chain([self.constant]);
        self.fits() && numbers.all(|number| self.word.contains(-number))
    }
}
