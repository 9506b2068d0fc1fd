//! Sums in normal form: `c1*t1 + ... + cn*tn + c`, modulo 2^bits.
//!
//! The `ti` are distinct, in order of their ids, and none is a sum; the `ci` are not zero and the constant comes
//! last. So equal linear expressions are equal terms, and equations cancel what both sides share. Sums
//! of more than [`MAX_MONOMIALS`] monomials are left as they were built, and count as a `ti` when they are added to something.

use super::pool::{Node, Pool, TermId};
use super::sort::Word;

/// Up to so many monomials a sum is kept in normal form.
const MAX_MONOMIALS: usize = 64;

/// A sum of monomials with a constant, modulo 2^bits; coefficients are non-zero, terms distinct and sorted.
struct Linear {
    monomials: Vec<(TermId, i128)>,
    constant: i128,
}

impl Pool {
    /// Sum.
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        let word = self.common_word(a, b);
        let mut sum = self.linear(a);
        let right = self.linear(b);
        sum.add(&right, 1, word);
        self.sum(sum, word)
    }

    /// Difference.
    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        let word = self.common_word(a, b);
        let mut sum = self.linear(a);
        let right = self.linear(b);
        sum.subtract(&right, word);
        self.sum(sum, word)
    }

    /// Negation of a word.
    pub fn neg(&mut self, a: TermId) -> TermId {
        let word = self.word(a);
        let mut sum = self.linear(a);
        sum.negate(word);
        self.sum(sum, word)
    }

    /// Product.
    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        let word = self.common_word(a, b);
        let (a, b) = if self.as_const(a).is_some() { (b, a) } else { (a, b) };
        if let Some(factor) = self.as_const(b) {
            let mut sum = Linear { monomials: Vec::new(), constant: 0 };
            let left = self.linear(a);
            sum.add(&left, factor, word);
            return self.sum(sum, word);
        }
        let (a, b) = (a.min(b), a.max(b));
        self.intern(Node::Mul(a, b))
    }

    /// `a == b` as an equation between sums: what both sides share cancels, positive monomials go left, negative
    /// ones and the constant right.
    pub(super) fn eq_linear(&mut self, a: TermId, b: TermId, word: Word) -> TermId {
        let mut difference = self.linear(a);
        let right = self.linear(b);
        difference.subtract(&right, word);
        let Some(&(_, first)) = difference.monomials.first() else {
            return self.bool(difference.constant == 0);
        };
        // The least signed value is its own negation; it counts as positive.
        let negative = |c: i128| word.wrap(-c) != c && Word::signed(word.bits()).wrap(c) < 0;
        if negative(first) {
            difference.negate(word);
        }
        let (right, left): (Vec<_>, Vec<_>) = difference.monomials.iter().partition(|&&(_, c)| negative(c));
        let right = right.into_iter().map(|(term, c)| (term, word.wrap(-c))).collect();
        let left = self.sum(Linear { monomials: left, constant: 0 }, word);
        let right = self.sum(Linear { monomials: right, constant: word.wrap(-difference.constant) }, word);
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
        let mut sum = Linear { monomials: Vec::new(), constant: 0 };
        let mut rest = term;
        loop {
            if sum.monomials.len() > MAX_MONOMIALS {
                return Linear { monomials: vec![(term, 1)], constant: 0 };
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
    fn sum(&mut self, sum: Linear, word: Word) -> TermId {
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

impl Linear {
    fn add(&mut self, other: &Linear, factor: i128, word: Word) {
        for &(term, coefficient) in &other.monomials {
            let coefficient = coefficient.wrapping_mul(factor);
            match self.monomials.binary_search_by_key(&term, |&(t, _)| t) {
                Ok(at) => self.monomials[at].1 = word.wrap(self.monomials[at].1.wrapping_add(coefficient)),
                Err(at) => self.monomials.insert(at, (term, word.wrap(coefficient))),
            }
        }
        self.monomials.retain(|&(_, coefficient)| coefficient != 0);
        self.constant = word.wrap(self.constant.wrapping_add(other.constant.wrapping_mul(factor)));
    }

    fn subtract(&mut self, other: &Linear, word: Word) {
        self.add(other, -1, word);
    }

    fn negate(&mut self, word: Word) {
        for (_, coefficient) in &mut self.monomials {
            *coefficient = word.wrap(-*coefficient);
        }
        self.constant = word.wrap(-self.constant);
    }
}
