//! Reads truth terms as combinations of bounds on differences, where they are that.
//!
//! The meaning is that of the solver under [`IntModel::Integer`](crate::smt::IntModel): words that
//! [overflow](Word::overflows) are mathematical integers, other arithmetic and conversions wrap. A wrap is a
//! case split: the value as computed, in the range of its word or some turns away from it.

use super::form::{Form, Truth};
use super::zone::Bound;
use crate::term::{Node, Pool, Sort, TermId, VarId, Word};

/// A sum of variables with factors, and a constant.
#[derive(Clone, Debug, Default)]
struct Sum {
    parts: Vec<(usize, i128)>,
    constant: i128,
}

impl Sum {
    fn add(&mut self, other: &Sum, factor: i128) -> Option<()> {
        for &(variable, coefficient) in &other.parts {
            let coefficient = coefficient.checked_mul(factor)?;
            match self.parts.iter_mut().find(|(known, _)| *known == variable) {
                Some((_, known)) => *known = known.checked_add(coefficient)?,
                None => self.parts.push((variable, coefficient)),
            }
        }
        self.parts.retain(|&(_, coefficient)| coefficient != 0);
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        (self.constant.unsigned_abs() < 1 << 80).then_some(())
    }

    /// The sum as `left - right + constant`, if it is one.
    fn difference(&self) -> Option<(usize, usize)> {
        match *self.parts {
            [] => Some((0, 0)),
            [(left, 1)] => Some((left, 0)),
            [(right, -1)] => Some((0, right)),
            [(left, 1), (right, -1)] | [(right, -1), (left, 1)] => Some((left, right)),
            _ => None,
        }
    }

    /// `sum <= limit`.
    fn at_most(&self, limit: i128) -> Option<Truth> {
        let (left, right) = self.difference()?;
        let limit = limit - self.constant;
        if left == right {
            return Some(Truth::constant(0 <= limit));
        }
        let bound = Bound { left, right, limit };
        Some(Truth { holds: Form::Bound(bound), fails: Form::Bound(bound.negated()) })
    }

    /// `sum == 0`.
    fn is_zero(&self) -> Option<Truth> {
        let (left, right) = self.difference()?;
        if left == right {
            return Some(Truth::constant(self.constant == 0));
        }
        let difference = -self.constant;
        let below = Form::Bound(Bound { left, right, limit: difference });
        let above = Form::Bound(Bound { left: right, right: left, limit: -difference });
        let (left, right, difference) =
            if left > right { (left, right, difference) } else { (right, left, -difference) };
        Some(Truth { holds: Form::All(vec![below, above]), fails: Form::Differs(left, right, difference) })
    }
}

/// A word: what it is in each of some cases that exclude each other and leave nothing out.
type Cases = Vec<(Form, Sum)>;

/// More cases than this are left to the solver.
const CASES: usize = 12;

/// Deeper terms are left to the solver.
const DEPTH: usize = 40;

/// Reads terms of one pool; variables have their positions in the pool, from 1.
pub struct Reader<'a> {
    pool: &'a Pool,
}

impl<'a> Reader<'a> {
    /// A reader.
    pub fn new(pool: &'a Pool) -> Reader<'a> {
        Reader { pool }
    }

    /// A truth term; `None` if it is no combination of differences, or a large one.
    pub fn truth(&self, term: TermId) -> Option<Truth> {
        self.truth_within(term, DEPTH)
    }

    fn truth_within(&self, term: TermId, depth: usize) -> Option<Truth> {
        let depth = depth.checked_sub(1)?;
        let pool = self.pool;
        match pool.node(term) {
            Node::Bool(value) => Some(Truth::constant(*value)),
            Node::Var(var) => {
                let variable = number(*var);
                Sum { parts: vec![(variable, -1)], constant: 1 }.at_most(0)
            }
            Node::Not(a) => self.truth_within(*a, depth).map(Truth::not),
            Node::And(list) => self.truths(list, depth).map(Truth::all),
            Node::Or(list) => self.truths(list, depth).map(Truth::any),
            Node::Eq(a, b) if pool.sort(*a) == Sort::Bool => {
                let (a, b) = (self.truth_within(*a, depth)?, self.truth_within(*b, depth)?);
                Some(Truth::by_cases(vec![(a.holds, b.clone()), (a.fails, b.not())]))
            }
            Node::Ite(c, a, b) => {
                let (c, a) = (self.truth_within(*c, depth)?, self.truth_within(*a, depth)?);
                let b = self.truth_within(*b, depth)?;
                Some(Truth::by_cases(vec![(c.holds, a), (c.fails, b)]))
            }
            Node::Eq(a, b) => self.compare(*a, *b, depth, Sum::is_zero),
            Node::Le(a, b) => self.compare(*a, *b, depth, |difference| difference.at_most(0)),
            _ => None,
        }
    }

    fn truths(&self, list: &[TermId], depth: usize) -> Option<Vec<Truth>> {
        list.iter().map(|&term| self.truth_within(term, depth)).collect()
    }

    fn compare(
        &self,
        a: TermId,
        b: TermId,
        depth: usize,
        holds: impl Fn(&Sum) -> Option<Truth>,
    ) -> Option<Truth> {
        let (left, right) = (self.word(a, depth)?, self.word(b, depth)?);
        let mut cases = Vec::new();
        for (condition, sum) in &left {
            for (other, subtrahend) in &right {
                let mut difference = sum.clone();
                difference.add(subtrahend, -1)?;
                cases.push((condition.clone().and(other.clone()), holds(&difference)?));
            }
        }
        (cases.len() <= CASES).then(|| Truth::by_cases(cases))
    }

    fn word(&self, term: TermId, depth: usize) -> Option<Cases> {
        let depth = depth.checked_sub(1)?;
        let pool = self.pool;
        match *pool.node(term) {
            Node::Const(value, _) => Some(always(Sum { parts: Vec::new(), constant: value })),
            Node::Var(var) => {
                let variable = number(var);
                Some(always(Sum { parts: vec![(variable, 1)], constant: 0 }))
            }
            Node::Add(..) | Node::Mul(..) => self.sum(term, depth),
            Node::Cast(a, target) => {
                let source = pool.word(a);
                if target.contains(source.min()) && target.contains(source.max()) {
                    return self.word(a, depth);
                }
                let (value, range) = self.congruent(a, target.bits(), depth)?;
                wrap(value, target, range)
            }
            Node::Ite(c, a, b) => {
                let c = self.truth_within(c, depth)?;
                let (a, b) = (self.word(a, depth)?, self.word(b, depth)?);
                let under = |condition: Form, cases: Cases| {
                    cases.into_iter().map(move |(other, sum)| (condition.clone().and(other), sum))
                };
                Some(under(c.holds, a).chain(under(c.fails, b)).collect())
            }
            _ => None,
        }
    }

    /// A sum or product: of whole numbers where its word overflows, else brought into range.
    fn sum(&self, term: TermId, depth: usize) -> Option<Cases> {
        let word = self.pool.word(term);
        let (cases, range) = self.summed(term, depth, |part| {
            let range = (word.min(), word.max());
            match word.overflows() {
                true => Some((self.word(part, depth)?, range)),
                false => self.congruent(part, word.bits(), depth),
            }
        })?;
        if word.overflows() { Some(cases) } else { wrap(cases, word, range) }
    }

    /// Something congruent to a term modulo 2^bits, and a range that it is in. Conversions and sums of wider
    /// words are looked through, so that `(int)((unsigned)x + 1)` is `x + 1` or one turn away from it.
    fn congruent(&self, term: TermId, bits: u8, depth: usize) -> Option<(Cases, (i128, i128))> {
        let depth = depth.checked_sub(1)?;
        let word = self.pool.word(term);
        match *self.pool.node(term) {
            Node::Const(value, _) => {
                Some((always(Sum { parts: Vec::new(), constant: value }), (value, value)))
            }
            Node::Cast(a, target) if target.bits() >= bits => self.congruent(a, bits, depth),
            Node::Add(..) | Node::Mul(..) if word.bits() >= bits && !word.overflows() => {
                self.summed(term, depth, |part| self.congruent(part, bits, depth))
            }
            _ => Some((self.word(term, depth)?, (word.min(), word.max()))),
        }
    }

    /// A sum or product, computed without wrapping from coefficients read as signed numbers, with the range
    /// that follows from those of its parts.
    fn summed(
        &self,
        term: TermId,
        depth: usize,
        read: impl Fn(TermId) -> Option<(Cases, (i128, i128))>,
    ) -> Option<(Cases, (i128, i128))> {
        depth.checked_sub(1)?;
        let centred = Word::signed(self.pool.word(term).bits());
        let mut cases = always(Sum::default());
        let (mut low, mut high) = (0i128, 0i128);
        let mut rest = Some(term);
        while let Some(term) = rest {
            let (next, last) = match *self.pool.node(term) {
                Node::Add(left, right) => (Some(left), right),
                _ => (None, term),
            };
            let one = || (always(Sum { parts: Vec::new(), constant: 1 }), (1, 1));
            let ((part, range), factor) = match *self.pool.node(last) {
                Node::Const(value, _) => (one(), centred.wrap(value)),
                Node::Mul(a, b) => (read(a)?, centred.wrap(self.pool.as_const(b)?)),
                _ => (read(last)?, 1),
            };
            let ends = [factor.checked_mul(range.0)?, factor.checked_mul(range.1)?];
            low = low.checked_add(ends[0].min(ends[1]))?;
            high = high.checked_add(ends[0].max(ends[1]))?;
            cases = plus(cases, &part, factor)?;
            rest = next;
        }
        Some((cases, (low, high)))
    }
}

/// The number of a variable in what is read.
fn number(var: VarId) -> usize {
    var.index() + 1
}

fn always(sum: Sum) -> Cases {
    vec![(Form::constant(true), sum)]
}

fn plus(cases: Cases, part: &Cases, factor: i128) -> Option<Cases> {
    let mut sums = Vec::new();
    for (condition, sum) in &cases {
        for (other, summand) in part {
            let mut sum = sum.clone();
            sum.add(summand, factor)?;
            sums.push((condition.clone().and(other.clone()), sum));
        }
    }
    (sums.len() <= CASES).then_some(sums)
}

/// The value of `word` that is congruent to a sum between some ends.
fn wrap(cases: Cases, word: Word, (low, high): (i128, i128)) -> Option<Cases> {
    let modulus = 1i128 << word.bits();
    let first = low.checked_sub(word.min())?.div_euclid(modulus);
    let last = high.checked_sub(word.min())?.div_euclid(modulus);
    if last - first > 3 {
        return None;
    }
    let mut wrapped = Vec::new();
    for (condition, sum) in &cases {
        for turn in first..=last {
            let (from, to) = (word.min() + turn * modulus, word.max() + turn * modulus);
            let mut here = vec![condition.clone()];
            if turn > first {
                here.push(sum.at_most(from - 1)?.fails);
            }
            if turn < last {
                here.push(sum.at_most(to)?.holds);
            }
            let mut value = sum.clone();
            value.constant -= turn * modulus;
            wrapped.push((Form::all(here), value));
        }
    }
    (wrapped.len() <= CASES).then_some(wrapped)
}
