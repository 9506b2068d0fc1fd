//! Literals of terms against the values of the terms.

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
        Sort::Array(ArraySort { len, elem }) => Datum::Array((0..len).map(|_| value(random, elem)).collect()),
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
        let sorts = [Sort::Word(sort), Sort::Word(sort), Sort::Bool, Sort::Array(array), Sort::Array(array)];
        let vars = sorts.map(|sort| {
            let var = pool.declare("v", sort);
            pool.var(var)
        });
        let terms = mixed_terms(&mut random, &mut pool, &vars, array);
        let mut bench = Bench::new(pool, terms.into_iter().map(|term| ("random".to_owned(), term)).collect());
        for _ in 0..6 {
            let values = sorts.map(|sort| datum(&mut random, sort));
            bench.check(&values);
        }
    }
}

/// Terms over words, truth values and arrays, each made of the ones before.
fn mixed_terms(random: &mut Random, pool: &mut Pool, vars: &[TermId; 5], array: ArraySort) -> Vec<TermId> {
    let fill = array.elem.wrap(random.next() as i128);
    let mut words = vec![vars[0], vars[1], pool.constant(fill, array.elem)];
    let (mut truths, mut arrays) = (vec![vars[2]], vec![vars[3], vars[4], pool.fill(fill, array)]);
    for _ in 0..25 {
        let (a, b) = (random.pick(&words), random.pick(&words));
        let (c, d) = (random.pick(&truths), random.pick(&truths));
        let (x, y) = (random.pick(&arrays), random.pick(&arrays));
        let index =
            pool.cast(b, random.pick(&[Word::signed(32), Word::unsigned(3), Word::signed(2), array.elem]));
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
