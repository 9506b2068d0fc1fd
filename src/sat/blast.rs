//! Terms as literals: every term of a pool becomes one literal (truth values), a vector of them (words), or the vectors
//! of its elements one after the other (arrays), once.
//!
//! The meaning is that of [`Pool::eval`]: under any valuation of the variables' bits the literals of a term have the
//! bits of its value. The tests check exactly this. A [`Blaster`] serves one growing pool; terms are
//! never forgotten, so later calls only pay for what is new.

use rustc_hash::FxHashMap;

use super::circuit::{self, Bits, Direction};
use super::gates::Gates;
use super::solver::{Lit, Solver};
use crate::term::{ArraySort, Datum, Interval, Node, Pool, Sign, Sort, TermId, VarId, Word};

/// A stretch of `Blaster::bits`.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: u32,
    len: u32,
}

/// Translates terms to literals of the solver that it owns.
#[derive(Debug)]
pub struct Blaster {
    gates: Gates,
    bits: Bits,
    terms: Vec<Option<Range>>,
    vars: Vec<Option<Range>>,
    /// What variables are known to be between.
    narrow: FxHashMap<VarId, Interval>,
    /// What variables stand for.
    meanings: FxHashMap<VarId, TermId>,
}

impl Blaster {
    /// Translates into this solver.
    pub fn new(solver: Solver) -> Blaster {
        let gates = Gates::new(solver);
        let (narrow, meanings) = (FxHashMap::default(), FxHashMap::default());
        Blaster { gates, bits: Bits::new(), terms: Vec::new(), vars: Vec::new(), narrow, meanings }
    }

    /// The gates, for propositional structure that has no term.
    pub fn gates(&mut self) -> &mut Gates {
        &mut self.gates
    }

    /// The solver.
    pub fn solver(&self) -> &Solver {
        self.gates.solver()
    }

    /// The solver, to add clauses and to solve.
    pub fn solver_mut(&mut self) -> &mut Solver {
        self.gates.solver_mut()
    }

    /// The literal of a truth value.
    ///
    /// # Panics
    /// If the term is not one.
    pub fn literal(&mut self, pool: &Pool, term: TermId) -> Lit {
        assert_eq!(pool.sort(term), Sort::Bool, "a truth value");
        self.bits(pool, term)[0]
    }

    /// The literals of a term.
    pub fn bits(&mut self, pool: &Pool, term: TermId) -> &[Lit] {
        self.blast(pool, term);
        self.known(term)
    }

    /// Makes a truth value hold.
    pub fn assert(&mut self, pool: &Pool, term: TermId) {
        self.assert_under(pool, Lit::TRUE, term);
    }

    /// Makes a truth value hold wherever a literal does. Conjunctions and disjunctions at the top need no gates.
    pub fn assert_under(&mut self, pool: &Pool, condition: Lit, term: TermId) {
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            match pool.node(term) {
                Node::And(list) => open.extend(list.iter().rev()),
                Node::Or(list) => {
                    let mut clause = vec![!condition];
                    clause.extend(list.iter().map(|&part| self.literal(pool, part)));
                    self.solver_mut().add(&clause);
                }
                &Node::Eq(a, b) => self.equate_under(pool, condition, a, b),
                _ => {
                    let lit = self.literal(pool, term);
                    self.solver_mut().add(&[!condition, lit]);
                }
            }
        }
    }

    /// Makes two terms of one sort equal wherever a literal holds: two clauses a bit, no gates.
    pub fn equate_under(&mut self, pool: &Pool, condition: Lit, a: TermId, b: TermId) {
        assert_eq!(pool.sort(a), pool.sort(b), "equality of one sort");
        let a = self.bits(pool, a).to_vec();
        let b = self.bits(pool, b).to_vec();
        for (a, b) in a.into_iter().zip(b).filter(|(a, b)| a != b) {
            self.solver_mut().add(&[!condition, !a, b]);
            self.solver_mut().add(&[!condition, a, !b]);
        }
    }

    /// Lets a variable stand for a term: they have the same literals. No term that mentions the variable may have been translated yet.
    ///
    /// # Panics
    /// If one was.
    pub fn define(&mut self, pool: &Pool, var: VarId, term: TermId) {
        assert_eq!(pool.var_sort(var), pool.sort(term), "a name of the term's sort");
        assert!(!self.is_translated(var), "a variable is defined before it is used");
        self.meanings.insert(var, term);
    }

    /// Leaves out bits of a word or truth value that are known because it is in an interval: at least the values in the interval stay
    /// possible. No term that mentions the variable may have been translated yet.
    ///
    /// # Panics
    /// If it was.
    pub fn narrow(&mut self, var: VarId, interval: Interval) {
        assert!(!self.is_translated(var), "a variable is narrowed before it is used");
        self.narrow.insert(var, interval);
    }

    /// Whether a term that mentions a variable has been translated.
    pub fn is_translated(&self, var: VarId) -> bool {
        self.vars.get(var.index()).is_some_and(Option::is_some)
    }

    /// The literals of a variable.
    fn variable(&mut self, sort: Sort, var: VarId) -> Bits {
        let fresh = |blaster: &mut Blaster, n: usize| -> Bits {
            (0..n).map(|_| blaster.solver_mut().fresh()).collect()
        };
        match (self.narrow.get(&var).copied(), sort) {
            (Some(interval), Sort::Bool) if interval.single().is_some() => {
                vec![Lit::constant(interval.least == 1)]
            }
            (Some(interval), Sort::Word(word)) => {
                let sign = if interval.least < 0 { Sign::Signed } else { Sign::Unsigned };
                let needed = bits_of(interval).min(width(word));
                match fresh(self, needed) {
                    none if none.is_empty() => circuit::constant(0, width(word)),
                    bits => circuit::resize(&bits, sign, width(word)),
                }
            }
            (_, sort) => fresh(self, size(sort)),
        }
    }

    /// The value of a variable in the solver's model; zero if no translated term mentions it.
    ///
    /// # Panics
    /// If there is no model.
    pub fn value(&self, pool: &Pool, var: VarId) -> Datum {
        let sort = pool.var_sort(var);
        match self.vars.get(var.index()).copied().flatten() {
            Some(range) => self.datum(sort, self.stretch(range)),
            None => Datum::zero(sort),
        }
    }

    /// The value of a translated term in the solver's model.
    ///
    /// # Panics
    /// If there is no model, or the term was not translated.
    pub fn term_value(&self, pool: &Pool, term: TermId) -> Datum {
        self.datum(pool.sort(term), self.known(term))
    }

    fn datum(&self, sort: Sort, bits: &[Lit]) -> Datum {
        let word = |word: Word, bits: &[Lit]| {
            let value =
                bits.iter().rev().fold(0, |value, &lit| value << 1 | i128::from(self.solver().value(lit)));
            word.wrap(value)
        };
        match sort {
            Sort::Bool => Datum::Bool(self.solver().value(bits[0])),
            Sort::Word(sort) => Datum::Word(word(sort, bits)),
            Sort::Array(ArraySort { elem, .. }) => {
                Datum::Array(bits.chunks(usize::from(elem.bits())).map(|bits| word(elem, bits)).collect())
            }
        }
    }

    fn stretch(&self, range: Range) -> &[Lit] {
        &self.bits[range.start as usize..][..range.len as usize]
    }

    fn known(&self, term: TermId) -> &[Lit] {
        self.stretch(self.terms[term.index()].expect("children come first"))
    }

    fn keep(&mut self, bits: &[Lit]) -> Range {
        let start = u32::try_from(self.bits.len()).expect("fewer than 2^32 bits of terms");
        self.bits.extend(bits);
        Range { start, len: u32::try_from(bits.len()).expect("fewer than 2^32 bits of a term") }
    }

    fn blast(&mut self, pool: &Pool, root: TermId) {
        if self.terms.len() < pool.term_count() {
            self.terms.resize(pool.term_count(), None);
        }
        let mut open = vec![root];
        while let Some(&term) = open.last() {
            if self.terms[term.index()].is_some() {
                open.pop();
                continue;
            }
            let before = open.len();
            let needed = self.needed(pool, term);
            open.extend(needed.into_iter().filter(|child| self.terms[child.index()].is_none()));
            if open.len() == before {
                let bits = self.translate(pool, term);
                let range = self.keep(&bits);
                self.terms[term.index()] = Some(range);
                if let Node::Var(var) = *pool.node(term) {
                    self.vars.resize(self.vars.len().max(var.index() + 1), None);
                    self.vars[var.index()] = Some(range);
                }
                open.pop();
            }
        }
    }

    /// The literals of a term whose needed children are translated.
    fn translate(&mut self, pool: &Pool, term: TermId) -> Bits {
        let get = |blaster: &Blaster, term: TermId| blaster.known(term).to_vec();
        match *pool.node(term) {
            Node::Bool(value) => vec![Lit::constant(value)],
            Node::Const(value, word) => circuit::constant(value, width(word)),
            Node::Fill(value, ArraySort { len, elem }) => {
                circuit::constant(value, width(elem)).repeat(len as usize)
            }
            Node::Var(var) => match self.meanings.get(&var) {
                Some(&meaning) => get(self, meaning),
                None => self.variable(pool.var_sort(var), var),
            },
            Node::Not(a) => circuit::complement(self.known(a)),
            Node::And(ref list) => {
                let inputs: Bits = list.iter().map(|&part| self.known(part)[0]).collect();
                vec![self.gates.all(&inputs)]
            }
            Node::Or(ref list) => {
                let inputs: Bits = list.iter().map(|&part| self.known(part)[0]).collect();
                vec![self.gates.any(&inputs)]
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.known(c)[0], get(self, a), get(self, b));
                circuit::choose(&mut self.gates, c, &a, &b)
            }
            Node::Cast(a, word) => circuit::resize(self.known(a), pool.word(a).sign(), width(word)),
            Node::Store(array, index, value) => {
                let (elements, at, value) = (get(self, array), get(self, index), get(self, value));
                circuit::store(&mut self.gates, &elements, pool.word(index).sign(), &at, &value)
            }
            Node::Select(array, index) => {
                let (elements, at) = (get(self, array), get(self, index));
                let elem = width(pool.word(term));
                circuit::select(&mut self.gates, &elements, elem, pool.word(index).sign(), &at)
            }
            Node::Add(a, b) => self.sum(pool, a, b),
            Node::Mul(a, factor) if pool.as_const(factor).is_some() => {
                let (a, factor) = (get(self, a), pool.as_const(factor).expect("just seen"));
                let zero = circuit::constant(0, a.len());
                circuit::add_multiple(&mut self.gates, &zero, &a, factor)
            }
            ref node => {
                let &[a, b] = &node.children()[..] else { unreachable!("all other terms have two children") };
                let (left, right) = (get(self, a), get(self, b));
                self.binary(pool, node, pool.sort(a), &left, &right)
            }
        }
    }

    /// The terms that must be translated before a term.
    fn needed(&self, pool: &Pool, term: TermId) -> Vec<TermId> {
        match *pool.node(term) {
            Node::Var(var) => self.meanings.get(&var).copied().into_iter().collect(),
            Node::Add(a, b) => {
                let (whole, (part, _)) = addends(pool, a, b);
                vec![whole, part]
            }
            ref node => node.children(),
        }
    }

    fn binary(&mut self, pool: &Pool, node: &Node, sort: Sort, a: &[Lit], b: &[Lit]) -> Bits {
        let gates = &mut self.gates;
        if let Node::Eq(..) = node {
            return vec![circuit::equal(gates, a, b)];
        }
        let sign = sort.as_word().expect("an operation on words").sign();
        match node {
            Node::Le(..) => vec![circuit::less_equal(gates, sign, a, b)],
            Node::Mul(..) => circuit::multiply(gates, a, b),
            Node::Div(..) => circuit::divide(gates, sign, a, b).0,
            Node::Rem(..) => circuit::divide(gates, sign, a, b).1,
            Node::Shl(..) => circuit::shift(gates, Direction::Left, a, b),
            Node::Shr(..) => circuit::shift(gates, Direction::Right(sign), a, b),
            Node::BitAnd(..) => circuit::bitwise(gates, Gates::and, a, b),
            Node::BitOr(..) => circuit::bitwise(gates, Gates::or, a, b),
            Node::BitXor(..) => circuit::bitwise(gates, Gates::xor, a, b),
            other => {
                unreachable!("not a binary operation on words: {other:?} in a pool of {}", pool.term_count())
            }
        }
    }

    /// Products with constants are added digit by digit, so that a difference costs one adder.
    fn sum(&mut self, pool: &Pool, a: TermId, b: TermId) -> Bits {
        let (whole, (part, factor)) = addends(pool, a, b);
        let (whole, part) = (self.known(whole).to_vec(), self.known(part).to_vec());
        circuit::add_multiple(&mut self.gates, &whole, &part, factor)
    }
}

/// `a + b` as one summand and a multiple of a term, where one of the two is such a multiple.
fn addends(pool: &Pool, a: TermId, b: TermId) -> (TermId, (TermId, i128)) {
    let multiple = |term: TermId| match *pool.node(term) {
        Node::Mul(inner, factor) => pool.as_const(factor).map(|factor| (inner, factor)),
        _ => None,
    };
    match (multiple(a), multiple(b)) {
        (_, Some(multiple)) => (a, multiple),
        (Some(multiple), None) => (b, multiple),
        (None, None) => (a, (b, 1)),
    }
}

/// How many bits the numbers of an interval need, with a sign if some are negative.
fn bits_of(interval: Interval) -> usize {
    let digits = |value: i128| (128 - value.leading_zeros()) as usize;
    match interval.least < 0 {
        true => 1 + digits(-1 - interval.least).max(digits(interval.most.max(0))),
        false => digits(interval.most),
    }
}

fn width(word: Word) -> usize {
    usize::from(word.bits())
}

/// The number of literals of a term.
fn size(sort: Sort) -> usize {
    match sort {
        Sort::Bool => 1,
        Sort::Word(word) => width(word),
        Sort::Array(ArraySort { len, elem }) => len as usize * width(elem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::random::Random;
    use crate::sat::Answer;

    type Operation = fn(&mut Pool, TermId, TermId) -> TermId;

    const SEED: u64 = 0x5ca2;
    const CHEAP: [(&str, Operation); 14] = [
        ("add", Pool::add),
        ("sub", Pool::sub),
        ("shl", Pool::shl),
        ("shr", Pool::shr),
        ("and", Pool::bit_and),
        ("or", Pool::bit_or),
        ("xor", Pool::bit_xor),
        ("not", |pool, a, _| pool.bit_not(a)),
        ("neg", |pool, a, _| pool.neg(a)),
        ("eq", Pool::eq),
        ("le", Pool::le),
        ("multiple", |pool, a, b| {
            let word = pool.word(a);
            let (five, seven) = (pool.constant(-5, word), pool.constant(7, word));
            let (a, b) = (pool.mul(a, five), pool.mul(b, seven));
            pool.add(a, b)
        }),
        ("max", |pool, a, b| {
            let least = pool.le(a, b);
            pool.ite(least, b, a)
        }),
        ("sum", |pool, a, b| {
            let word = pool.word(a);
            let three = pool.constant(3, word);
            let (less, more) = (pool.sub(three, a), pool.mul(b, three));
            pool.add(less, more)
        }),
    ];
    const DEAR: [(&str, Operation); 3] = [("mul", Pool::mul), ("div", Pool::div), ("rem", Pool::rem)];

    fn word(bits: u8, sign: Sign) -> Word {
        match sign {
            Sign::Signed => Word::signed(bits),
            Sign::Unsigned => Word::unsigned(bits),
        }
    }

    /// A value that is extreme half of the time.
    fn value(random: &mut Random, word: Word) -> i128 {
        let extreme =
            [0, 1, -1, 2, word.min(), word.max(), word.min() + 1, word.max() - 1, i128::from(word.bits())];
        let any = i128::from(random.next());
        let any = if random.below(2) == 0 { any } else { random.pick(&extreme) };
        word.wrap(any)
    }

    fn datum(random: &mut Random, sort: Sort) -> Datum {
        match sort {
            Sort::Bool => Datum::Bool(random.below(2) == 0),
            Sort::Word(word) => Datum::Word(value(random, word)),
            Sort::Array(ArraySort { len, elem }) => {
                Datum::Array((0..len).map(|_| value(random, elem)).collect())
            }
        }
    }

    /// The bits of a value, in the order of a term's literals.
    fn spread(sort: Sort, datum: &Datum) -> Vec<bool> {
        let word = |word: Word, value: i128| (0..word.bits()).map(move |i| value >> i & 1 == 1);
        match (sort, datum) {
            (Sort::Word(sort), &Datum::Word(value)) => word(sort, value).collect(),
            (Sort::Array(ArraySort { elem, .. }), Datum::Array(values)) => {
                values.iter().flat_map(|&value| word(elem, value)).collect()
            }
            (_, datum) => vec![datum.truth()],
        }
    }

    /// Translated terms over some variables.
    struct Bench {
        pool: Pool,
        blaster: Blaster,
        terms: Vec<(String, TermId)>,
    }

    impl Bench {
        fn new(pool: Pool, terms: Vec<(String, TermId)>) -> Bench {
            let mut blaster = Blaster::new(Solver::new(&Budget::unlimited()));
            for &(_, term) in &terms {
                blaster.bits(&pool, term);
            }
            Bench { pool, blaster, terms }
        }

        /// Forces the variables to values and compares each term's literals with its evaluation.
        #[track_caller]
        fn check(&mut self, values: &[Datum]) {
            let mut forced = Vec::new();
            for (i, value) in values.iter().enumerate() {
                let var = self.pool.var(VarId::new(i));
                let sort = self.pool.sort(var);
                let bits = self.blaster.bits(&self.pool, var).iter().copied();
                forced.extend(bits.zip(spread(sort, value)).map(|(lit, bit)| if bit { lit } else { !lit }));
            }
            assert_eq!(self.blaster.solver_mut().solve(&forced), Answer::Sat);
            for (i, value) in values.iter().enumerate() {
                assert_eq!(&self.blaster.value(&self.pool, VarId::new(i)), value);
            }
            for (name, term) in &self.terms {
                let expected = self.pool.eval(*term, &|var: VarId| values[var.index()].clone());
                let actual = self.blaster.term_value(&self.pool, *term);
                assert_eq!(actual, expected, "{name} of {values:?}, seed {SEED:#x}");
            }
        }
    }

    /// All of the operations on two variables of a sort, and casts of the first to and from it.
    fn operations(word: Word, list: &[(&str, Operation)]) -> Bench {
        let mut pool = Pool::new();
        let [a, b] = ["a", "b"].map(|name| {
            let var = pool.declare(name, Sort::Word(word));
            pool.var(var)
        });
        let mut terms: Vec<(String, TermId)> =
            list.iter().map(|(name, make)| (format!("{name} {word}"), make(&mut pool, a, b))).collect();
        for other in [Word::signed(64), Word::unsigned(64), Word::signed(5), Word::BOOL] {
            let there = pool.cast(a, other);
            terms.push((format!("cast {word} {other}"), there));
            terms.push((format!("cast {word} {other} {word}"), pool.cast(there, word)));
        }
        Bench::new(pool, terms)
    }

    #[test]
    fn operations_of_small_words_are_exact_on_all_inputs() {
        let all: Vec<_> = CHEAP.into_iter().chain(DEAR).collect();
        for bits in 1..=3 {
            for sign in [Sign::Signed, Sign::Unsigned] {
                let word = word(bits, sign);
                let mut bench = operations(word, &all);
                for a in word.min()..=word.max() {
                    for b in word.min()..=word.max() {
                        bench.check(&[Datum::Word(a), Datum::Word(b)]);
                    }
                }
            }
        }
    }

    #[test]
    fn operations_of_every_width_agree_with_evaluation() {
        let mut random = Random::new(SEED);
        for bits in 1..=64 {
            for sign in [Sign::Signed, Sign::Unsigned] {
                let word = word(bits, sign);
                let mut list = CHEAP.to_vec();
                if bits <= 10 || [16, 17, 31, 32, 64].contains(&bits) {
                    list.extend(DEAR);
                }
                let mut bench = operations(word, &list);
                for _ in 0..12 {
                    let values = [(); 2].map(|()| Datum::Word(value(&mut random, word)));
                    bench.check(&values);
                }
            }
        }
    }

    #[test]
    fn random_terms_agree_with_evaluation() {
        let mut random = Random::new(SEED);
        for _ in 0..150 {
            let sort = word(1 + random.below(12) as u8, random.pick(&[Sign::Signed, Sign::Unsigned]));
            let array = ArraySort { len: random.below(9) as u32, elem: sort };
            let mut pool = Pool::new();
            let sorts =
                [Sort::Word(sort), Sort::Word(sort), Sort::Bool, Sort::Array(array), Sort::Array(array)];
            let vars = sorts.map(|sort| {
                let var = pool.declare("v", sort);
                pool.var(var)
            });
            let terms = mixed_terms(&mut random, &mut pool, &vars, array);
            let mut bench =
                Bench::new(pool, terms.into_iter().map(|term| ("random".to_owned(), term)).collect());
            for _ in 0..6 {
                let values = sorts.map(|sort| datum(&mut random, sort));
                bench.check(&values);
            }
        }
    }

    /// Terms over words, truth values and arrays, each made of the ones before.
    fn mixed_terms(
        random: &mut Random,
        pool: &mut Pool,
        vars: &[TermId; 5],
        array: ArraySort,
    ) -> Vec<TermId> {
        let fill = array.elem.wrap(random.next() as i128);
        let mut words = vec![vars[0], vars[1], pool.constant(fill, array.elem)];
        let (mut truths, mut arrays) = (vec![vars[2]], vec![vars[3], vars[4], pool.fill(fill, array)]);
        for _ in 0..25 {
            let (a, b) = (random.pick(&words), random.pick(&words));
            let (c, d) = (random.pick(&truths), random.pick(&truths));
            let (x, y) = (random.pick(&arrays), random.pick(&arrays));
            let index = pool
                .cast(b, random.pick(&[Word::signed(32), Word::unsigned(3), Word::signed(2), array.elem]));
            let not = pool.not(d);
            match random.below(9) {
                0 => truths.push(pool.and(&[c, not])),
                1 => truths.push(pool.or(&[c, not])),
                2 => truths.push(pool.eq(c, d)),
                3 => words.push(pool.ite(c, a, b)),
                4 => arrays.push(pool.ite(c, x, y)),
                5 => arrays.push(pool.store(x, index, a)),
                6 => words.push(pool.select(x, index)),
                7 => truths.push(pool.lt(a, b)),
                _ => {
                    let all: Vec<_> = CHEAP.into_iter().chain(DEAR).collect();
                    let term = random.pick(&all).1(pool, a, b);
                    if pool.sort(term) == Sort::Bool { &mut truths } else { &mut words }.push(term);
                }
            }
        }
        words.into_iter().chain(truths).chain(arrays).collect()
    }

    #[test]
    fn assertions_hold_in_models_and_only_where_asked() {
        let mut pool = Pool::new();
        let byte = Word::signed(8);
        let [a, b, c] = ["a", "b", "c"].map(|name| pool.declare(name, Sort::Word(byte)));
        let [x, y, z] = [a, b, c].map(|var| pool.var(var));
        let (three, four) = (pool.constant(3, byte), pool.constant(4, byte));
        let mut blaster = Blaster::new(Solver::new(&Budget::unlimited()));
        let choice = [pool.eq(x, three), pool.eq(x, four)];
        let choice = pool.or(&choice);
        let below = pool.lt(y, x);
        let both = pool.and(&[choice, below]);
        blaster.assert(&pool, both);
        let guard = blaster.solver_mut().fresh();
        blaster.equate_under(&pool, guard, x, y);
        blaster.equate_under(&pool, !guard, z, y);
        assert_eq!(blaster.solver_mut().solve(&[guard]), Answer::Unsat(vec![guard]));
        assert_eq!(blaster.solver_mut().solve(&[]), Answer::Sat);
        let [x, y, z] = [a, b, c].map(|var| blaster.value(&pool, var).word());
        assert!([3, 4].contains(&x) && y < x && z == y, "{x} {y} {z}");
    }

    /// What common terms cost; a change here is a change of the formulas' size.
    #[test]
    fn circuits_are_small() {
        let cost = |make: Operation| {
            let mut pool = Pool::new();
            let [a, b] = ["a", "b"].map(|name| {
                let var = pool.declare(name, Sort::Word(Word::signed(32)));
                pool.var(var)
            });
            let term = make(&mut pool, a, b);
            let mut blaster = Blaster::new(Solver::new(&Budget::unlimited()));
            blaster.bits(&pool, term);
            let size = blaster.solver().size();
            (size.variables - 32 * pool.vars(term).len() as u64, size.clauses)
        };
        let successor: Operation = |pool, a, _| {
            let one = pool.constant(1, Word::signed(32));
            pool.add(a, one)
        };
        let table = [
            cost(Pool::add),
            cost(Pool::sub),
            cost(|pool, a, _| pool.bit_not(a)),
            cost(successor),
            cost(Pool::eq),
            cost(Pool::le),
            cost(Pool::mul),
        ];
        // An adder without carry in and out: 32 + 31 exclusive ors, one conjunction, 30 majorities.
        let adder = (94, 63 * 4 + 3 + 30 * 6);
        assert_eq!(table, [adder, adder, (0, 0), (61, 214), (33, 161), (32, 189), (1954, 8128)]);
    }

    #[test]
    fn narrow_variables_have_exactly_the_values_of_their_bits() {
        let to = |least, most| Interval { least, most };
        for (interval, expected) in
            [(to(0, 0), to(0, 0)), (to(0, 5), to(0, 7)), (to(-1, 0), to(-1, 0)), (to(-3, 4), to(-8, 7))]
        {
            let mut pool = Pool::new();
            let var = pool.declare("x", Sort::Word(Word::signed(6)));
            let x = pool.var(var);
            let mut blaster = Blaster::new(Solver::new(&Budget::unlimited()));
            blaster.narrow(var, interval);
            for value in -32..32 {
                let constant = pool.constant(value, Word::signed(6));
                let equal = pool.eq(x, constant);
                let equal = blaster.literal(&pool, equal);
                let possible = blaster.solver_mut().solve(&[equal]) == Answer::Sat;
                assert_eq!(possible, expected.contains(value), "{value} in {interval:?}");
            }
        }
    }
}
