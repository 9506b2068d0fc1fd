//! Terms to Z3.
//!
//! Under [`IntModel::BitVector`] words are bit vectors and everything is exact. Under [`IntModel::Integer`]
//! words are mathematical integers: in words that [overflow](Word::overflows) arithmetic is that of whole
//! numbers, all other arithmetic and every conversion is exact by an explicit wrap. That is what terms mean
//! wherever the program's ranges hold. Variables carry their range, but not those of words that overflow,
//! because protocols such as Bakery count without bound.
//!
//! Wraps are written as case splits where few are possible and as `mod` otherwise: linear arithmetic likes
//! the former.

use rustc_hash::FxHashMap;
use z3::Sort as Z3Sort;
use z3::ast::{Array, Ast, BV, Bool, Dynamic, Int};

use super::float::Floats;
use crate::term::{ArraySort, Node, Pool, Sort, TermId, VarId, Word};

/// What words are for the solver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum IntModel {
    /// Mathematical integers; unsigned arithmetic and conversions wrap explicitly.
    #[default]
    Integer,
    /// Bit vectors.
    BitVector,
}

/// How deep conversions and sums are looked through.
const LOOK: usize = 6;

/// A whole number that is congruent to a term, and between which ends it is.
struct Congruent {
    int: Int,
    low: i128,
    high: i128,
}

/// Translates terms of one pool, each once.
pub(super) struct Translator {
    model: IntModel,
    terms: FxHashMap<TermId, Dynamic>,
    vars: FxHashMap<VarId, Dynamic>,
    /// Facts about variables met since they were last taken: their ranges.
    facts: Vec<Bool>,
    floats: Floats,
}

impl Translator {
    pub(super) fn new(model: IntModel) -> Translator {
        Translator {
            model,
            terms: FxHashMap::default(),
            vars: FxHashMap::default(),
            facts: Vec::new(),
            floats: Floats::default(),
        }
    }

    pub(super) fn model(&self) -> IntModel {
        self.model
    }

    /// A truth value.
    pub(super) fn truth(&mut self, pool: &Pool, term: TermId) -> Bool {
        self.term(pool, term).as_bool().expect("a truth value")
    }

    /// Facts that hold for variables translated since the last call; they must be asserted for good.
    pub(super) fn take_facts(&mut self) -> Vec<Bool> {
        std::mem::take(&mut self.facts)
    }

    /// A variable.
    pub(super) fn var(&mut self, pool: &Pool, var: VarId) -> Dynamic {
        if let Some(known) = self.vars.get(&var) {
            return known.clone();
        }
        // Names repeat in a pool, ids do not.
        let name = format!("{}!{}", pool.var_name(var), var.index());
        let made: Dynamic = match (pool.var_sort(var), self.model) {
            (Sort::Bool, _) => Bool::new_const(name).into(),
            (Sort::Word(word), IntModel::BitVector) => BV::new_const(name, u32::from(word.bits())).into(),
            (Sort::Word(word), IntModel::Integer) => {
                let int = Int::new_const(name);
                if !word.overflows() {
                    self.facts.push(in_range(&int, word));
                }
                int.into()
            }
            (Sort::Array(array), _) => {
                let (index, element) = self.array_sorts(array);
                Array::new_const(name, &index, &element).into()
            }
        };
        self.vars.insert(var, made.clone());
        made
    }

    /// An element of an array, in the range of its type.
    fn element(&mut self, pool: &Pool, array: TermId, index: TermId) -> Dynamic {
        let element = self.array(&array).select(&self.index(pool, index));
        let (Sort::Array(sort), Some(int)) = (pool.sort(array), element.as_int()) else { return element };
        if !sort.elem.overflows() {
            self.facts.push(in_range(&int, sort.elem));
        }
        element
    }

    fn array_sorts(&self, array: ArraySort) -> (Z3Sort, Z3Sort) {
        match self.model {
            IntModel::Integer => (Z3Sort::int(), Z3Sort::int()),
            IntModel::BitVector => (Z3Sort::bitvector(64), Z3Sort::bitvector(u32::from(array.elem.bits()))),
        }
    }

    /// Any term. Works upwards through the ids, so that deep terms need no stack.
    pub(super) fn term(&mut self, pool: &Pool, term: TermId) -> Dynamic {
        if !self.terms.contains_key(&term) {
            let mut missing = self.missing(pool, term);
            missing.sort_unstable();
            for id in missing {
                let made = self.node(pool, id);
                self.terms.insert(id, made);
            }
        }
        self.terms[&term].clone()
    }

    fn missing(&self, pool: &Pool, root: TermId) -> Vec<TermId> {
        let mut missing = rustc_hash::FxHashSet::default();
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if !self.terms.contains_key(&term) && missing.insert(term) {
                stack.extend(pool.node(term).children());
            }
        }
        missing.into_iter().collect()
    }

    fn node(&mut self, pool: &Pool, id: TermId) -> Dynamic {
        match pool.node(id) {
            Node::Bool(value) => Bool::from_bool(*value).into(),
            Node::Var(var) => self.var(pool, *var),
            Node::Not(a) => self.known_truth(a).not().into(),
            Node::And(list) => {
                Bool::and(&list.iter().map(|part| self.known_truth(part)).collect::<Vec<_>>()).into()
            }
            Node::Or(list) => {
                Bool::or(&list.iter().map(|part| self.known_truth(part)).collect::<Vec<_>>()).into()
            }
            Node::Eq(a, b) => Ast::eq(&self.terms[a], &self.terms[b]).into(),
            Node::Ite(c, a, b) => self.known_truth(c).ite(&self.terms[a], &self.terms[b]),
            Node::Fill(value, array) => {
                let (index, _) = self.array_sorts(*array);
                Array::const_array(&index, &self.constant(*value, array.elem)).into()
            }
            Node::Select(array, index) => self.element(pool, *array, *index),
            Node::Store(array, index, value) => {
                self.array(array).store(&self.index(pool, *index), &self.terms[value]).into()
            }
            Node::Float(op, a, b) => {
                let bits = pool.word(id).bits();
                let (a, b) = (self.pattern(pool, *a), self.pattern(pool, *b));
                let result = self.floats.arithmetic(*op, &a, &b, bits);
                self.word_of(&result, pool.word(id))
            }
            Node::FloatCompare(order, a, b) => {
                let bits = pool.word(*a).bits();
                let (a, b) = (self.pattern(pool, *a), self.pattern(pool, *b));
                self.floats.compare(*order, &a, &b, bits).into()
            }
            Node::FloatMap(operation, a, to) => {
                let operand = self.pattern(pool, *a);
                let result = self.floats.map(*operation, &operand, pool.word(*a), *to);
                self.word_of(&result, *to)
            }
            node => match self.model {
                IntModel::Integer => self.integer_node(pool, id, node),
                IntModel::BitVector => self.bitvector_node(pool, id, node),
            },
        }
    }

    fn known_truth(&self, term: &TermId) -> Bool {
        self.terms[term].as_bool().expect("a truth value")
    }

    fn array(&self, term: &TermId) -> Array {
        self.terms[term].as_array().expect("an array")
    }

    fn index(&self, pool: &Pool, index: TermId) -> Dynamic {
        match self.model {
            IntModel::Integer => self.terms[&index].clone(),
            IntModel::BitVector => extend(&self.bits(&index), pool.word(index), 64).into(),
        }
    }

    fn constant(&self, value: i128, word: Word) -> Dynamic {
        match self.model {
            IntModel::Integer => Int::from_i128(value).into(),
            IntModel::BitVector => bits_of(value, word).into(),
        }
    }

    fn int(&self, term: &TermId) -> Int {
        self.terms[term].as_int().expect("an integer")
    }

    fn bits(&self, term: &TermId) -> BV {
        self.terms[term].as_bv().expect("a bit vector")
    }

    /// The bits of a word.
    fn pattern(&self, pool: &Pool, term: TermId) -> BV {
        match self.model {
            IntModel::Integer => BV::from_int(&self.int(&term), u32::from(pool.word(term).bits())),
            IntModel::BitVector => self.bits(&term),
        }
    }

    /// The word with these bits.
    fn word_of(&self, bits: &BV, word: Word) -> Dynamic {
        match self.model {
            IntModel::Integer => bits.to_int(word.is_signed()).into(),
            IntModel::BitVector => bits.clone().into(),
        }
    }

    // ---- mathematical integers

    fn integer_node(&self, pool: &Pool, id: TermId, node: &Node) -> Dynamic {
        let int = |t: &TermId| self.int(t);
        let made = match node {
            Node::Const(value, _) => Int::from_i128(*value),
            Node::Le(a, b) => return int(a).le(int(b)).into(),
            Node::Add(..) | Node::Mul(..) => self.integer_sum(pool, id),
            Node::Div(a, b) => {
                let (quotient, word) = (truncated_quotient(&int(a), &int(b)), pool.word(id));
                if word.overflows() { quotient } else { wrap(&quotient, word, word.min(), word.max() + 1) }
            }
            Node::Rem(a, b) => {
                let (a, b) = (int(a), int(b));
                let zero = Int::from_i64(0);
                Ast::eq(&b, &zero)
                    .ite(&a, &Int::sub(&[a.clone(), Int::mul(&[b.clone(), truncated_quotient(&a, &b)])]))
            }
            Node::Cast(a, word) => self.converted(pool, *a, *word),
            Node::Shl(a, b) => self.by_bits(pool, id, *a, *b, shift_left),
            Node::Shr(a, b) => self.by_bits(pool, id, *a, *b, shift_right),
            Node::BitAnd(a, b) => self.by_bits(pool, id, *a, *b, |a, b, _| a.bvand(b)),
            Node::BitOr(a, b) => self.by_bits(pool, id, *a, *b, |a, b, _| a.bvor(b)),
            Node::BitXor(a, b) => self.by_bits(pool, id, *a, *b, |a, b, _| a.bvxor(b)),
            other => unreachable!("{other:?} is not a word operation"),
        };
        made.into()
    }

    /// A sum or product: of whole numbers where its word overflows, else brought into range.
    fn integer_sum(&self, pool: &Pool, id: TermId) -> Int {
        let word = pool.word(id);
        let whole = |part: TermId| Congruent { int: self.int(&part), low: word.min(), high: word.max() };
        if word.overflows() {
            return self.summed(pool, id, whole).int;
        }
        let Congruent { int, low, high } =
            self.summed(pool, id, |part| self.congruent(pool, part, word.bits(), LOOK));
        wrap(&int, word, low, high)
    }

    /// A sum or product, computed without wrapping from coefficients read as signed numbers.
    fn summed(&self, pool: &Pool, id: TermId, read: impl Fn(TermId) -> Congruent) -> Congruent {
        let centred = Word::signed(pool.word(id).bits());
        let mut parts = Vec::new();
        let (mut low, mut high) = (0i128, 0i128);
        let mut rest = Some(id);
        while let Some(term) = rest {
            let (next, last) = match *pool.node(term) {
                Node::Add(left, right) => (Some(left), right),
                _ => (None, term),
            };
            let part = monomial(pool, last, centred, &read);
            parts.push(part.int);
            low = low.saturating_add(part.low);
            high = high.saturating_add(part.high);
            rest = next;
        }
        parts.reverse();
        let int = if parts.len() == 1 { parts.remove(0) } else { Int::add(&parts) };
        Congruent { int, low, high }
    }

    /// Something congruent to a term modulo 2^bits. Conversions and sums of wider words are looked through,
    /// so that `(int)((unsigned)x + 1)` is `x + 1` or one turn away from it; not to any depth.
    fn congruent(&self, pool: &Pool, term: TermId, bits: u8, depth: usize) -> Congruent {
        let word = pool.word(term);
        match *pool.node(term) {
            Node::Const(value, _) => Congruent { int: Int::from_i128(value), low: value, high: value },
            Node::Cast(a, target) if target.bits() >= bits && depth > 0 => {
                self.congruent(pool, a, bits, depth - 1)
            }
            Node::Add(..) | Node::Mul(..) if word.bits() >= bits && !word.overflows() && depth > 0 => {
                self.summed(pool, term, |part| self.congruent(pool, part, bits, depth - 1))
            }
            _ => Congruent { int: self.int(&term), low: word.min(), high: word.max() },
        }
    }

    /// C's conversion of a value of the source. A whole number beyond that is no value of any run, and may
    /// become anything.
    fn converted(&self, pool: &Pool, term: TermId, target: Word) -> Int {
        let source = pool.word(term);
        if target.contains(source.min()) && target.contains(source.max()) {
            return self.int(&term);
        }
        let Congruent { int, low, high } = self.congruent(pool, term, target.bits(), LOOK);
        wrap(&int, target, low, high)
    }

    /// An operation on bits, through bit vectors and back.
    fn by_bits(
        &self,
        pool: &Pool,
        id: TermId,
        a: TermId,
        b: TermId,
        operation: fn(&BV, &BV, Word) -> BV,
    ) -> Int {
        let word = pool.word(id);
        let bits = u32::from(word.bits());
        let result = operation(&BV::from_int(&self.int(&a), bits), &BV::from_int(&self.int(&b), bits), word);
        result.to_int(word.is_signed())
    }

    // ---- bit vectors

    fn bitvector_node(&self, pool: &Pool, id: TermId, node: &Node) -> Dynamic {
        let bits = |t: &TermId| self.bits(t);
        let made = match node {
            Node::Const(value, word) => bits_of(*value, *word),
            Node::Le(a, b) => {
                let signed = pool.word(*a).is_signed();
                return if signed { bits(a).bvsle(bits(b)) } else { bits(a).bvule(bits(b)) }.into();
            }
            Node::Add(a, b) => bits(a).bvadd(bits(b)),
            Node::Mul(a, b) => bits(a).bvmul(bits(b)),
            Node::Div(a, b) => {
                let (a, b, word) = (bits(a), bits(b), pool.word(id));
                let quotient = if word.is_signed() { a.bvsdiv(&b) } else { a.bvudiv(&b) };
                Ast::eq(&b, bits_of(0, word)).ite(&bits_of(0, word), &quotient)
            }
            Node::Rem(a, b) => {
                let (a, b, word) = (bits(a), bits(b), pool.word(id));
                let remainder = if word.is_signed() { a.bvsrem(&b) } else { a.bvurem(&b) };
                Ast::eq(&b, bits_of(0, word)).ite(&a, &remainder)
            }
            Node::Shl(a, b) => shift_left(&bits(a), &bits(b), pool.word(id)),
            Node::Shr(a, b) => shift_right(&bits(a), &bits(b), pool.word(id)),
            Node::BitAnd(a, b) => bits(a).bvand(bits(b)),
            Node::BitOr(a, b) => bits(a).bvor(bits(b)),
            Node::BitXor(a, b) => bits(a).bvxor(bits(b)),
            Node::Cast(a, word) => {
                let source = pool.word(*a);
                if word.bits() <= source.bits() {
                    bits(a).extract(u32::from(word.bits()) - 1, 0)
                } else {
                    extend(&bits(a), source, word.bits())
                }
            }
            other => unreachable!("{other:?} is not a word operation"),
        };
        made.into()
    }
}

/// `min <= int <= max` of a word.
pub(super) fn in_range(int: &Int, word: Word) -> Bool {
    Bool::and(&[int.ge(Int::from_i128(word.min())), int.le(Int::from_i128(word.max()))])
}

fn bits_of(value: i128, word: Word) -> BV {
    let pattern = Word::unsigned(word.bits()).wrap(value);
    BV::from_u64(u64::try_from(pattern).expect("at most 64 bits"), u32::from(word.bits()))
}

fn extend(bits: &BV, source: Word, to: u8) -> BV {
    let more = u32::from(to - source.bits());
    if source.is_signed() { bits.sign_ext(more) } else { bits.zero_ext(more) }
}

/// A negative amount is a huge one when read without sign, so that both shift everything out, as our terms
/// want it.
fn shift_left(a: &BV, b: &BV, _: Word) -> BV {
    a.bvshl(b)
}

fn shift_right(a: &BV, b: &BV, word: Word) -> BV {
    if word.is_signed() { a.bvashr(b) } else { a.bvlshr(b) }
}

/// The value of `word` congruent to an integer between `low` and `high`.
fn wrap(value: &Int, word: Word, low: i128, high: i128) -> Int {
    let modulus = 1i128 << word.bits();
    let first = (low.saturating_sub(word.min())).div_euclid(modulus);
    let last = (high.saturating_sub(word.min())).div_euclid(modulus);
    if last.saturating_sub(first) > 3 {
        // `mod` counts from zero.
        let offset = Int::from_i128(word.min());
        let shifted = Int::sub(&[value.clone(), offset.clone()]).modulo(Int::from_i128(modulus));
        return Int::add(&[shifted, offset]);
    }
    let mut result = shifted_by(value, last, modulus);
    for turn in (first..last).rev() {
        let limit = Int::from_i128(word.max() + turn * modulus);
        result = value.le(limit).ite(&shifted_by(value, turn, modulus), &result);
    }
    result
}

fn shifted_by(value: &Int, turns: i128, modulus: i128) -> Int {
    match turns {
        0 => value.clone(),
        _ => Int::sub(&[value.clone(), Int::from_i128(turns * modulus)]),
    }
}

/// A summand, with the range that it has if what it is made of is in its own.
fn monomial(pool: &Pool, term: TermId, centred: Word, read: &impl Fn(TermId) -> Congruent) -> Congruent {
    match *pool.node(term) {
        Node::Const(value, _) => {
            let value = centred.wrap(value);
            Congruent { int: Int::from_i128(value), low: value, high: value }
        }
        Node::Mul(a, b) => match pool.as_const(b) {
            Some(factor) => {
                let (factor, part) = (centred.wrap(factor), read(a));
                let ends = [factor.saturating_mul(part.low), factor.saturating_mul(part.high)];
                let int = Int::mul(&[Int::from_i128(factor), part.int]);
                Congruent { int, low: ends[0].min(ends[1]), high: ends[0].max(ends[1]) }
            }
            None => {
                let int = Int::mul(&[read(a).int, read(b).int]);
                Congruent { int, low: i128::MIN, high: i128::MAX }
            }
        },
        _ => read(term),
    }
}

/// Rounded towards zero; Z3 rounds so that the remainder is not negative. Division by zero gives zero.
fn truncated_quotient(a: &Int, b: &Int) -> Int {
    let zero = Int::from_i64(0);
    let positive = a.div(b.clone());
    let negative = a.unary_minus().div(b.clone()).unary_minus();
    let quotient = a.ge(zero.clone()).ite(&positive, &negative);
    Ast::eq(b, &zero).ite(&zero, &quotient)
}
