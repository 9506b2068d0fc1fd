//! The smart constructors: every term is built here, in normal form.
//!
//! Each rewrite preserves the concrete semantics of `eval.rs` exactly, wrap-around included. In words that
//! [overflow](Word::overflows) it also preserves what the term means for whole numbers, where all sums,
//! products and negations that the term was built from fit the word: engines may read it so. Sums have their
//! normal form in `linear.rs`, arrays theirs in `array.rs`. `a < b` is `!(b <= a)`.
//!
//! The constructors look a bounded number of steps below their operands, so that building a term of any depth
//! neither overflows the stack nor takes quadratic time.

use super::pool::{Node, Pool, TermId, VarId};
use super::sort::{Sort, Word};

/// How many nested choices with a constant branch a comparison or conversion moves into.
const MAX_CHOICES: usize = 64;

/// Longer conjunctions and disjunctions are not taken apart to be merged into others.
const MAX_FLATTENED: usize = 256;

impl Pool {
    // ---- leaves

    /// A truth constant.
    pub fn bool(&mut self, value: bool) -> TermId {
        self.intern(Node::Bool(value))
    }

    /// The word constant congruent to `value`.
    pub fn constant(&mut self, value: i128, word: Word) -> TermId {
        self.intern(Node::Const(word.wrap(value), word))
    }

    /// A variable as a term.
    pub fn var(&mut self, var: VarId) -> TermId {
        self.intern(Node::Var(var))
    }

    // ---- truth values

    /// Negation.
    pub fn not(&mut self, a: TermId) -> TermId {
        match self.node(a) {
            Node::Bool(value) => {
                let value = !value;
                self.bool(value)
            }
            Node::Not(inner) => *inner,
            _ => self.intern(Node::Not(a)),
        }
    }

    /// Conjunction of any number of truth values.
    pub fn and(&mut self, terms: &[TermId]) -> TermId {
        match self.flatten(terms, Connective::And) {
            Some(list) if list.is_empty() => self.bool(true),
            Some(list) if list.len() == 1 => list[0],
            Some(list) => self.intern(Node::And(list.into())),
            None => self.bool(false),
        }
    }

    /// Disjunction of any number of truth values.
    pub fn or(&mut self, terms: &[TermId]) -> TermId {
        match self.flatten(terms, Connective::Or) {
            Some(list) if list.is_empty() => self.bool(false),
            Some(list) if list.len() == 1 => list[0],
            Some(list) => self.intern(Node::Or(list.into())),
            None => self.bool(true),
        }
    }

    /// `a -> b`.
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or(&[not_a, b])
    }

    /// The operands of a connective, flattened, sorted, without the neutral element; `None` if they
    /// contain the absorbing element or a term and its negation.
    fn flatten(&mut self, terms: &[TermId], connective: Connective) -> Option<Vec<TermId>> {
        let mut list = Vec::with_capacity(terms.len());
        for &term in terms {
            match (self.node(term), connective) {
                (Node::And(inner), Connective::And) | (Node::Or(inner), Connective::Or)
                    if inner.len() <= MAX_FLATTENED =>
                {
                    list.extend(inner.iter())
                }
                (Node::Bool(value), _) if *value == connective.neutral() => {}
                (Node::Bool(_), _) => return None,
                _ => list.push(term),
            }
        }
        list.sort_unstable();
        list.dedup();
        let clash = list.iter().any(|&term| match self.node(term) {
            Node::Not(inner) => list.binary_search(inner).is_ok(),
            _ => false,
        });
        (!clash).then_some(list)
    }

    // ---- comparisons

    /// Equality of two words or two truth values.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        assert_eq!(self.sort(a), self.sort(b), "equality of one sort");
        if a == b {
            return self.bool(true);
        }
        match self.sort(a) {
            Sort::Bool => self.eq_truth(a, b),
            Sort::Word(word) => self.eq_word(a, b, word),
            Sort::Array(_) => {
                let (a, b) = (a.min(b), a.max(b));
                self.intern(Node::Eq(a, b))
            }
        }
    }

    fn eq_truth(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), _) => return b,
            (_, Some(true)) => return a,
            (Some(false), _) => return self.not(b),
            (_, Some(false)) => return self.not(a),
            _ => {}
        }
        // `!a == b` is `!(a == b)`.
        let (inner_a, inner_b) = (self.without_negation(a), self.without_negation(b));
        let equal = match inner_a == inner_b {
            true => self.bool(true),
            false => self.intern(Node::Eq(inner_a.min(inner_b), inner_a.max(inner_b))),
        };
        if (inner_a == a) == (inner_b == b) { equal } else { self.not(equal) }
    }

    fn without_negation(&self, truth: TermId) -> TermId {
        match *self.node(truth) {
            Node::Not(inner) => inner,
            _ => truth,
        }
    }

    fn eq_word(&mut self, a: TermId, b: TermId, word: Word) -> TermId {
        if let Some(value) = self.as_const(b)
            && let Some(term) = self.eq_const(a, value)
        {
            return term;
        }
        if let Some(value) = self.as_const(a)
            && let Some(term) = self.eq_const(b, value)
        {
            return term;
        }
        if let (&Node::Cast(x, _), &Node::Cast(y, _)) = (self.node(a), self.node(b))
            && self.sort(x) == self.sort(y)
            && self.word(x).bits() <= word.bits()
        {
            return self.eq(x, y);
        }
        self.eq_linear(a, b, word)
    }

    /// `a == value` where the shape of `a` decides it or makes it simpler.
    pub(super) fn eq_const(&mut self, a: TermId, value: i128) -> Option<TermId> {
        match *self.node(a) {
            Node::Const(other, _) => Some(self.bool(other == value)),
            Node::Ite(condition, x, y) if self.moves_into(a) => {
                let word = self.word(a);
                let value = self.constant(value, word);
                let (x, y) = (self.eq(x, value), self.eq(y, value));
                Some(self.ite(condition, x, y))
            }
            // Different values stay different.
            Node::Cast(x, word) if self.word(x).bits() <= word.bits() => {
                let source = self.word(x);
                let before = source.wrap(value);
                if word.wrap(before) == value {
                    let before = self.constant(before, source);
                    Some(self.eq(x, before))
                } else {
                    Some(self.bool(false))
                }
            }
            _ => None,
        }
    }

    /// Whether an operation is worth moving into this choice: one branch of it, and of the choices in the
    /// other branch, is a constant. Few choices only, so that the constructors' recursion stays shallow.
    fn moves_into(&self, choice: TermId) -> bool {
        let mut rest = choice;
        for nested in 0..MAX_CHOICES {
            rest = match *self.node(rest) {
                Node::Ite(_, x, y) if self.as_const(x).is_some() => y,
                Node::Ite(_, x, y) if self.as_const(y).is_some() => x,
                _ => return nested > 0,
            };
        }
        false
    }

    /// Whether converting `x` to `word` keeps every value.
    fn preserves(&self, x: TermId, word: Word) -> bool {
        let source = self.word(x);
        word.contains(source.min()) && word.contains(source.max())
    }

    /// `a != b`.
    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let eq = self.eq(a, b);
        self.not(eq)
    }

    /// `a <= b` in the order of their sort.
    pub fn le(&mut self, a: TermId, b: TermId) -> TermId {
        let word = self.word(a);
        assert_eq!(word, self.word(b), "comparison of one sort");
        let (ca, cb) = (self.as_const(a), self.as_const(b));
        match (ca, cb) {
            _ if a == b => return self.bool(true),
            (Some(x), Some(y)) => return self.bool(x <= y),
            (Some(x), _) if x == word.min() => return self.bool(true),
            (_, Some(y)) if y == word.max() => return self.bool(true),
            (Some(x), _) if x == word.max() => return self.eq(a, b),
            (_, Some(y)) if y == word.min() => return self.eq(a, b),
            _ => {}
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Ite(c, x, y), _) if cb.is_some() && self.moves_into(a) => {
                let (x, y) = (self.le(x, b), self.le(y, b));
                self.ite(c, x, y)
            }
            (_, Node::Ite(c, x, y)) if ca.is_some() && self.moves_into(b) => {
                let (x, y) = (self.le(a, x), self.le(a, y));
                self.ite(c, x, y)
            }
            (Node::Cast(x, _), Node::Cast(y, _))
                if self.sort(x) == self.sort(y) && self.preserves(x, word) =>
            {
                self.le(x, y)
            }
            (Node::Cast(x, _), Node::Const(bound, _)) if self.preserves(x, word) => {
                let source = self.word(x);
                if bound < source.min() {
                    return self.bool(false);
                }
                let bound = self.constant(bound.min(source.max()), source);
                self.le(x, bound)
            }
            (Node::Const(bound, _), Node::Cast(y, _)) if self.preserves(y, word) => {
                let source = self.word(y);
                if bound > source.max() {
                    return self.bool(false);
                }
                let bound = self.constant(bound.max(source.min()), source);
                self.le(bound, y)
            }
            _ => self.intern(Node::Le(a, b)),
        }
    }

    /// `a < b` in the order of their sort.
    pub fn lt(&mut self, a: TermId, b: TermId) -> TermId {
        let ge = self.le(b, a);
        self.not(ge)
    }

    /// `if c then a else b`.
    pub fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        assert_eq!(self.sort(a), self.sort(b), "branches of one sort");
        if a == b {
            return a;
        }
        if let Some(value) = self.as_bool(c) {
            return if value { a } else { b };
        }
        if let Node::Not(inner) = *self.node(c) {
            return self.ite(inner, b, a);
        }
        if self.sort(a) == Sort::Bool {
            let no = self.not(c);
            return match (self.as_bool(a), self.as_bool(b)) {
                (Some(true), _) => self.or(&[c, b]),
                (Some(false), _) => self.and(&[no, b]),
                (_, Some(true)) => self.or(&[no, a]),
                (_, Some(false)) => self.and(&[c, a]),
                _ => {
                    let (then, other) = (self.and(&[c, a]), self.and(&[no, b]));
                    self.or(&[then, other])
                }
            };
        }
        // Nested choices on the same condition.
        if let Node::Ite(inner, x, _) = *self.node(a)
            && inner == c
        {
            return self.ite(c, x, b);
        }
        if let Node::Ite(inner, _, y) = *self.node(b)
            && inner == c
        {
            return self.ite(c, a, y);
        }
        self.intern(Node::Ite(c, a, b))
    }

    /// 1 or 0 of a word sort, as a truth value decides.
    pub fn truth_to_word(&mut self, truth: TermId, word: Word) -> TermId {
        let (one, zero) = (self.constant(1, word), self.constant(0, word));
        self.ite(truth, one, zero)
    }

    /// Whether a word is not zero.
    pub fn word_to_truth(&mut self, term: TermId) -> TermId {
        let word = self.word(term);
        let zero = self.constant(0, word);
        self.ne(term, zero)
    }

    // ---- arithmetic

    /// Quotient rounded towards zero; `a / 0 = 0`.
    pub fn div(&mut self, a: TermId, b: TermId) -> TermId {
        let word = self.common_word(a, b);
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => {
                let value = if y == 0 { 0 } else { x / y };
                self.constant(value, word)
            }
            (_, Some(1)) => a,
            _ => self.intern(Node::Div(a, b)),
        }
    }

    /// Remainder with the dividend's sign; `a % 0 = a`.
    pub fn rem(&mut self, a: TermId, b: TermId) -> TermId {
        let word = self.common_word(a, b);
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => {
                let value = if y == 0 { x } else { x % y };
                self.constant(value, word)
            }
            (_, Some(1)) => self.constant(0, word),
            _ => self.intern(Node::Rem(a, b)),
        }
    }

    /// Shift left by an amount of the same sort.
    pub fn shl(&mut self, a: TermId, amount: TermId) -> TermId {
        let word = self.common_word(a, amount);
        match self.as_const(amount) {
            Some(n) if (0..i128::from(word.bits())).contains(&n) => {
                let factor = self.constant(1 << n, word);
                self.mul(a, factor)
            }
            Some(_) => self.constant(0, word),
            None => self.intern(Node::Shl(a, amount)),
        }
    }

    /// Shift right by an amount of the same sort; arithmetic on signed words.
    pub fn shr(&mut self, a: TermId, amount: TermId) -> TermId {
        let word = self.common_word(a, amount);
        match (self.as_const(a), self.as_const(amount)) {
            (_, Some(0)) => a,
            (Some(x), Some(n)) => self.constant(shift_right(x, n, word), word),
            _ => self.intern(Node::Shr(a, amount)),
        }
    }

    /// Bitwise conjunction.
    pub fn bit_and(&mut self, a: TermId, b: TermId) -> TermId {
        let word = self.common_word(a, b);
        let (a, b) = self.constant_last(a, b);
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => self.constant(x & y, word),
            (_, Some(0)) => b,
            (_, Some(y)) if y == word.wrap(-1) => a,
            _ if a == b => a,
            _ => self.intern(Node::BitAnd(a, b)),
        }
    }

    /// Bitwise disjunction.
    pub fn bit_or(&mut self, a: TermId, b: TermId) -> TermId {
        let word = self.common_word(a, b);
        let (a, b) = self.constant_last(a, b);
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => self.constant(x | y, word),
            (_, Some(0)) => a,
            (_, Some(y)) if y == word.wrap(-1) => b,
            _ if a == b => a,
            _ => self.intern(Node::BitOr(a, b)),
        }
    }

    /// Bitwise exclusive disjunction.
    pub fn bit_xor(&mut self, a: TermId, b: TermId) -> TermId {
        let word = self.common_word(a, b);
        let (a, b) = self.constant_last(a, b);
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => self.constant(x ^ y, word),
            (_, Some(0)) => a,
            _ if a == b => self.constant(0, word),
            _ => self.intern(Node::BitXor(a, b)),
        }
    }

    /// C's conversion to another integer type: the congruent value.
    pub fn cast(&mut self, a: TermId, word: Word) -> TermId {
        let source = self.word(a);
        if source == word {
            return a;
        }
        match *self.node(a) {
            Node::Const(value, _) => self.constant(value, word),
            Node::Cast(inner, middle) if middle.bits() >= word.bits() || self.preserves(inner, middle) => {
                self.cast(inner, word)
            }
            Node::Ite(c, x, y) if self.moves_into(a) => {
                let (x, y) = (self.cast(x, word), self.cast(y, word));
                self.ite(c, x, y)
            }
            _ => self.intern(Node::Cast(a, word)),
        }
    }

    // ---- operands

    pub(super) fn common_word(&self, a: TermId, b: TermId) -> Word {
        let word = self.word(a);
        assert_eq!(word, self.word(b), "operands of one sort");
        word
    }

    fn constant_last(&self, a: TermId, b: TermId) -> (TermId, TermId) {
        match (self.as_const(a), self.as_const(b)) {
            (Some(_), None) => (b, a),
            (None, Some(_)) => (a, b),
            _ => (a.min(b), a.max(b)),
        }
    }
}

#[derive(Clone, Copy)]
enum Connective {
    And,
    Or,
}

impl Connective {
    fn neutral(self) -> bool {
        matches!(self, Connective::And)
    }
}

/// Shift right as [`Node::Shr`] means it.
pub(super) fn shift_right(value: i128, amount: i128, word: Word) -> i128 {
    let everything = i128::from(word.bits());
    let amount = if (0..everything).contains(&amount) { amount } else { 127 };
    value >> amount
}
