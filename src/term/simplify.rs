//! The smart constructors: every term is built here, in normal form.
//!
//! Each rewrite preserves the concrete semantics of `eval.rs` exactly, wrap-around included; nothing here
//! assumes that signed arithmetic does not overflow. Sums are kept as `c1*t1 + ... + cn*tn + c` with the
//! `ti` in order of their ids, so that equal linear expressions are equal terms, and equations cancel what
//! both sides share. `a < b` is `!(b <= a)`.

use super::pool::{Node, Pool, TermId, VarId};
use super::sort::{ArraySort, Sort, Word};

/// A sum of monomials with a constant, modulo 2^bits; coefficients are non-zero, terms distinct and sorted.
struct Linear {
    monomials: Vec<(TermId, i128)>,
    constant: i128,
}

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

    /// The array with the same constant everywhere.
    pub fn fill(&mut self, value: i128, array: ArraySort) -> TermId {
        self.intern(Node::Fill(array.elem.wrap(value), array))
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
                (Node::And(inner), Connective::And) | (Node::Or(inner), Connective::Or) => {
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
        let (na, nb) = (self.not(a), self.not(b));
        if na == b {
            return self.bool(false);
        }
        // Of the two equal forms `a == b` and `!a == !b`, keep the one without negations on the left.
        let (a, b) = if na < a { (na, nb) } else { (a, b) };
        let (a, b) = (a.min(b), a.max(b));
        self.intern(Node::Eq(a, b))
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
            && self.preserves(x, word)
        {
            return self.eq(x, y);
        }
        // Cancel what both sides share, then put positive monomials left and negative ones right.
        let mut difference = self.linear(a);
        let right = self.linear(b);
        difference.subtract(&right, word);
        if difference.monomials.is_empty() {
            return self.bool(difference.constant == 0);
        }
        let signed = Word::signed(word.bits());
        if signed.wrap(difference.monomials[0].1) < 0 {
            difference.negate(word);
        }
        let (left, right): (Vec<_>, Vec<_>) =
            difference.monomials.iter().partition(|&&(_, coefficient)| signed.wrap(coefficient) > 0);
        let right = right.into_iter().map(|(term, coefficient)| (term, word.wrap(-coefficient))).collect();
        let left = self.sum(Linear { monomials: left, constant: 0 }, word);
        let right = self.sum(Linear { monomials: right, constant: word.wrap(-difference.constant) }, word);
        if let Some(value) = self.as_const(right)
            && let Some(term) = self.eq_const(left, value)
        {
            return term;
        }
        self.intern(Node::Eq(left, right))
    }

    /// `a == value` where the shape of `a` decides it or makes it simpler.
    fn eq_const(&mut self, a: TermId, value: i128) -> Option<TermId> {
        match *self.node(a) {
            Node::Const(other, _) => Some(self.bool(other == value)),
            Node::Ite(condition, x, y) if self.as_const(x).is_some() || self.as_const(y).is_some() => {
                let word = self.word(a);
                let value = self.constant(value, word);
                let (x, y) = (self.eq(x, value), self.eq(y, value));
                Some(self.ite(condition, x, y))
            }
            Node::Cast(x, word) if self.preserves(x, word) => {
                let source = self.word(x);
                if source.contains(value) {
                    let value = self.constant(value, source);
                    Some(self.eq(x, value))
                } else {
                    Some(self.bool(false))
                }
            }
            _ => None,
        }
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
            (Node::Ite(c, x, y), _)
                if cb.is_some() && (self.as_const(x).is_some() || self.as_const(y).is_some()) =>
            {
                let (x, y) = (self.le(x, b), self.le(y, b));
                self.ite(c, x, y)
            }
            (_, Node::Ite(c, x, y))
                if ca.is_some() && (self.as_const(x).is_some() || self.as_const(y).is_some()) =>
            {
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

    /// Bitwise complement: `-a - 1`.
    pub fn bit_not(&mut self, a: TermId) -> TermId {
        let word = self.word(a);
        let negated = self.neg(a);
        let minus_one = self.constant(-1, word);
        self.add(negated, minus_one)
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
            Node::Ite(c, x, y) if self.as_const(x).is_some() || self.as_const(y).is_some() => {
                let (x, y) = (self.cast(x, word), self.cast(y, word));
                self.ite(c, x, y)
            }
            _ => self.intern(Node::Cast(a, word)),
        }
    }

    // ---- arrays

    /// Element of an array.
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        let Sort::Array(sort) = self.sort(array) else { panic!("selecting from a word") };
        match *self.node(array) {
            Node::Store(_, at, value) if at == index => return value,
            Node::Store(rest, at, value) => {
                // Indices may be of different sorts, so equal constants can be different terms.
                if let (Some(x), Some(y)) = (self.as_const(at), self.as_const(index)) {
                    return if x == y { value } else { self.select(rest, index) };
                }
            }
            Node::Fill(value, _) => {
                let inside = self.as_const(index).is_some_and(|i| (0..i128::from(sort.len)).contains(&i));
                if inside || value == 0 {
                    return self.constant(value, sort.elem);
                }
            }
            _ => {}
        }
        self.intern(Node::Select(array, index))
    }

    /// The array with one element replaced.
    pub fn store(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        let Sort::Array(sort) = self.sort(array) else { panic!("storing into a word") };
        assert_eq!(self.sort(value), Sort::Word(sort.elem), "element of the array's sort");
        if let Node::Store(rest, at, _) = *self.node(array)
            && at == index
        {
            return self.store(rest, index, value);
        }
        self.intern(Node::Store(array, index, value))
    }

    // ---- sums

    fn common_word(&self, a: TermId, b: TermId) -> Word {
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

    /// Reads a term in normal form as a sum of monomials.
    fn linear(&self, term: TermId) -> Linear {
        let mut sum = Linear { monomials: Vec::new(), constant: 0 };
        let mut rest = term;
        loop {
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
