//! Intervals of the values that terms can have, given those of the variables.
//!
//! Invariant: whenever each variable has a value in its interval, each term has a value (as [`Pool::eval`]
//! says) in the interval found for it. A truth value is 0 or 1; the interval of an array is that of all its
//! elements. What may leave the range of its sort, and so wrap, gets the whole range.

use super::{Node, Pool, Sort, TermId, VarId, Word};

/// The numbers from `least` to `most`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The least number.
    pub least: i128,
    /// The greatest number, not below the least.
    pub most: i128,
}

impl Interval {
    /// One number.
    pub fn only(value: i128) -> Interval {
        Interval { least: value, most: value }
    }

    /// All values of a sort.
    pub fn of(sort: Sort) -> Interval {
        match sort {
            Sort::Bool => Interval { least: 0, most: 1 },
            Sort::Word(word) => Interval::of_word(word),
            Sort::Array(array) => Interval::of_word(array.elem),
        }
    }

    fn of_word(word: Word) -> Interval {
        Interval { least: word.min(), most: word.max() }
    }

    /// Whether a number is inside.
    pub fn contains(self, value: i128) -> bool {
        (self.least..=self.most).contains(&value)
    }

    /// Whether another interval is inside.
    pub fn includes(self, other: Interval) -> bool {
        self.least <= other.least && other.most <= self.most
    }

    /// The smallest interval around two.
    pub fn hull(self, other: Interval) -> Interval {
        Interval { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// The number inside, if there is only one.
    pub fn single(self) -> Option<i128> {
        (self.least == self.most).then_some(self.least)
    }

    /// This interval, or the whole range of a word if a value may be outside of that.
    fn within(self, word: Word) -> Interval {
        let all = Interval::of_word(word);
        if all.includes(self) { self } else { all }
    }

    /// The smallest interval around some numbers.
    fn around(values: impl IntoIterator<Item = i128>) -> Interval {
        let each = values.into_iter().map(Interval::only);
        each.reduce(Interval::hull).expect("at least one number")
    }

    /// The results of a function that is monotone in each argument, for all arguments between the corners.
    fn corners(self, other: Interval, f: impl Fn(i128, i128) -> i128) -> Interval {
        let [a, b] = [self, other].map(|it| [it.least, it.most]);
        Interval::around(a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b))).map(|(a, b)| f(a, b)))
    }
}

/// The intervals of some terms and all terms below them.
#[derive(Debug)]
pub struct Intervals {
    /// Ascending, and so each after those below it.
    terms: Vec<TermId>,
    /// Indexed by term.
    found: Vec<Interval>,
}

impl Intervals {
    /// Nothing known yet about the terms at and below some roots.
    pub fn new(pool: &Pool, roots: &[TermId]) -> Intervals {
        let mut terms = Vec::new();
        pool.visit(roots, |term, _| terms.push(term));
        terms.sort_unstable();
        let size = terms.last().map_or(0, |last| last.index() + 1);
        Intervals { terms, found: vec![Interval::only(0); size] }
    }

    /// Finds the intervals of all terms from those of the variables.
    pub fn find(&mut self, pool: &Pool, var: impl Fn(VarId) -> Interval) {
        for &term in &self.terms {
            self.found[term.index()] = pool.interval(term, &var, |below| self.found[below.index()]);
        }
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The interval of a term at or below the roots.
    pub fn of(&self, term: TermId) -> Interval {
        self.found[term.index()]
    }
}

/// How far down a term is looked at for its bounds.
const DEPTH: usize = 5;

impl Pool {
    /// An interval of the values that a term can have, whatever its variables are. The term is not looked at
    /// to the bottom.
    pub fn bounds(&self, term: TermId) -> Interval {
        self.bounds_within(term, DEPTH)
    }

    fn bounds_within(&self, term: TermId, depth: usize) -> Interval {
        match depth.checked_sub(1) {
            None => Interval::of(self.sort(term)),
            Some(depth) => self.interval(
                term,
                |var| Interval::of(self.var_sort(var)),
                |below| self.bounds_within(below, depth),
            ),
        }
    }

    /// The interval of a term, given those of variables and of the terms directly below.
    fn interval(
        &self,
        term: TermId,
        var: impl Fn(VarId) -> Interval,
        below: impl Fn(TermId) -> Interval,
    ) -> Interval {
        match *self.node(term) {
            Node::Bool(value) => Interval::only(i128::from(value)),
            Node::Const(value, _) | Node::Fill(value, _) => Interval::only(value),
            Node::Var(it) => var(it),
            Node::Not(a) => Interval { least: 1 - below(a).most, most: 1 - below(a).least },
            Node::And(ref list) => {
                let parts = || list.iter().map(|&part| below(part));
                let most = parts().map(|part| part.most).min().unwrap_or(1);
                Interval { least: parts().map(|part| part.least).min().unwrap_or(1), most }
            }
            Node::Or(ref list) => {
                let parts = || list.iter().map(|&part| below(part));
                let most = parts().map(|part| part.most).max().unwrap_or(0);
                Interval { least: parts().map(|part| part.least).max().unwrap_or(0), most }
            }
            Node::Eq(a, b) => equal(below(a), below(b)),
            Node::Le(a, b) => {
                let (a, b) = (below(a), below(b));
                Interval { least: i128::from(a.most <= b.least), most: i128::from(a.least <= b.most) }
            }
            Node::Ite(c, a, b) => match below(c).single() {
                Some(0) => below(b),
                Some(_) => below(a),
                None => below(a).hull(below(b)),
            },
            Node::Cast(a, word) => below(a).within(word),
            Node::Float(..) | Node::FloatCompare(..) | Node::FloatMap(..) => Interval::of(self.sort(term)),
            // Outside of an array there are zeros.
            Node::Select(array, _) => below(array).hull(Interval::only(0)),
            Node::Store(array, _, value) => below(array).hull(below(value)),
            ref node => {
                let &[a, b] = &node.children()[..] else { unreachable!("all other terms have two children") };
                operation(node, self.word(term), below(a), below(b))
            }
        }
    }
}

fn equal(a: Interval, b: Interval) -> Interval {
    let same = a.single().is_some() && a == b;
    let apart = a.most < b.least || b.most < a.least;
    Interval { least: i128::from(same), most: i128::from(!apart) }
}

/// The interval of an operation on words.
fn operation(node: &Node, word: Word, a: Interval, b: Interval) -> Interval {
    let all = Interval::of_word(word);
    let natural = a.least >= 0 && b.least >= 0;
    let found = match node {
        Node::Add(..) => Interval { least: a.least + b.least, most: a.most + b.most },
        Node::Mul(..) => {
            let product = a.corners(b, |a, b| a.saturating_mul(b));
            if all.includes(product) { product } else { all }
        }
        Node::Div(..) => quotient(a, b),
        Node::Rem(..) => remainder(a, b),
        Node::Shl(..) => match b.single() {
            Some(amount) if (0..i128::from(word.bits())).contains(&amount) => {
                a.corners(Interval::only(1 << amount), |a, b| a.saturating_mul(b))
            }
            _ => all,
        },
        Node::Shr(..) => match b.single() {
            Some(amount) if (0..i128::from(word.bits())).contains(&amount) => {
                Interval { least: a.least >> amount, most: a.most >> amount }
            }
            // Towards zero or, for negative numbers, minus one.
            _ => a.hull(Interval::only(if a.least < 0 { -1 } else { 0 })).hull(Interval::only(0)),
        },
        Node::BitAnd(..) if natural => Interval { least: 0, most: a.most.min(b.most) },
        Node::BitAnd(..) if a.least >= 0 => Interval { least: 0, most: a.most },
        Node::BitAnd(..) if b.least >= 0 => Interval { least: 0, most: b.most },
        Node::BitOr(..) | Node::BitXor(..) if natural => {
            let bits = 128 - a.most.max(b.most).leading_zeros();
            Interval { least: 0, most: (1 << bits) - 1 }
        }
        _ => all,
    };
    found.within(word)
}

/// Division towards zero, where dividing by zero gives zero.
fn quotient(a: Interval, b: Interval) -> Interval {
    let divisors =
        [b.least, b.most, 1, -1].into_iter().filter(|&divisor| divisor != 0 && b.contains(divisor));
    let values = divisors.flat_map(|divisor| [a.least / divisor, a.most / divisor]);
    let zero = b.contains(0) || a.contains(0);
    Interval::around(values.chain(zero.then_some(0)))
}

/// The remainder has the dividend's sign and is less than the divisor; by zero it is the dividend.
fn remainder(a: Interval, b: Interval) -> Interval {
    let less = b.least.abs().max(b.most.abs()) - 1;
    let limit = |value: i128| if b.contains(0) { value.abs() } else { value.abs().min(less) };
    Interval {
        least: if a.least < 0 { -limit(a.least) } else { 0 },
        most: if a.most > 0 { limit(a.most) } else { 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::term::Datum;

    type Operation = fn(&mut Pool, TermId, TermId) -> TermId;

    const OPERATIONS: [Operation; 13] = [
        Pool::add,
        Pool::sub,
        Pool::mul,
        Pool::div,
        Pool::rem,
        Pool::shl,
        Pool::shr,
        Pool::bit_and,
        Pool::bit_or,
        Pool::bit_xor,
        |pool, a, b| {
            let condition = pool.le(a, b);
            pool.ite(condition, a, b)
        },
        |pool, a, b| {
            let condition = pool.eq(a, b);
            let other = pool.neg(b);
            pool.ite(condition, a, other)
        },
        |pool, a, b| {
            let (word, narrow) = (pool.word(a), Word::signed(3));
            let cast = pool.cast(a, narrow);
            let cast = pool.cast(cast, word);
            pool.bit_xor(cast, b)
        },
    ];

    /// Two variables with random intervals, random terms over them, all values.
    #[test]
    fn all_values_are_inside() {
        let mut random = Random::new(0x1e7a);
        for round in 0..3_000 {
            let word = if round % 2 == 0 { Word::signed(5) } else { Word::unsigned(5) };
            let mut pool = Pool::new();
            let vars = ["x", "y"].map(|name| pool.declare(name, Sort::Word(word)));
            let mut number = || word.wrap(random.next() as i128);
            let ranges = [0, 1].map(|_| Interval::around([number(), number()]));
            let mut terms = vars.map(|var| pool.var(var)).to_vec();
            terms.push(pool.constant(random.below(9) as i128 - 4, word));
            for _ in 0..4 {
                let (a, b) = (random.pick(&terms), random.pick(&terms));
                terms.push(random.pick(&OPERATIONS)(&mut pool, a, b));
            }
            let mut found = Intervals::new(&pool, &terms);
            found.find(&pool, |var| ranges[vars.iter().position(|&it| it == var).expect("x or y")]);
            for x in ranges[0].least..=ranges[0].most {
                for y in ranges[1].least..=ranges[1].most {
                    let valuation = |var: VarId| Datum::Word(if var == vars[0] { x } else { y });
                    for &term in &terms {
                        let value = pool.eval(term, &valuation).word();
                        let interval = found.of(term);
                        assert!(interval.contains(value), "{}: {value}, {interval:?}", pool.display(term));
                    }
                }
            }
        }
    }

    #[test]
    fn intervals_are_tight_where_they_should_be() {
        let word = Word::signed(32);
        let to = |least, most| Interval { least, most };
        let mut pool = Pool::new();
        let [x, y] = ["x", "y"].map(|name| pool.declare(name, Sort::Word(word)));
        let [x, y] = [x, y].map(|var| pool.var(var));
        let four = pool.constant(4, word);
        let rem = pool.rem(x, four);
        let sum = pool.add(rem, y);
        let less = pool.le(sum, four);
        let mut found = Intervals::new(&pool, &[less]);
        found.find(&pool, |_| to(0, 1));
        assert_eq!(found.of(sum), to(0, 2));
        assert_eq!(found.of(less), Interval::only(1));
    }
}
