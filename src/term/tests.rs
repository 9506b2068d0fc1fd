//! Terms against an independent reference.
//!
//! Random expressions of every width are built twice: through the smart constructors, and as a plain tree
//! that is evaluated on bit patterns, sharing no code with `eval.rs`. Both must agree under every valuation.

use super::*;
use crate::random::Random;

/// A value of a word, often at a border of its range.
fn border_value(random: &mut Random, word: Word) -> i128 {
    match random.below(8) {
        0 | 1 => word.wrap(0),
        2 => word.wrap(1),
        3 => word.wrap(-1),
        4 => word.min(),
        5 => word.max(),
        6 => word.wrap(random.below(5) as i128 - 2),
        _ => word.wrap(i128::from(random.next())),
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Op {
    Not,
    And,
    Or,
    Implies,
    Eq,
    Ne,
    Le,
    Lt,
    Ite,
    Add,
    Sub,
    Neg,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    BitNot,
    Cast,
    Select,
    Store,
    ToWord,
    ToTruth,
}

/// A plain expression tree; words carry their sort.
#[derive(Clone, Debug)]
enum Tree {
    Truth(bool),
    Const(i128, Word),
    Fill(i128, ArraySort),
    Var(usize, Sort),
    Apply(Op, Sort, Vec<Tree>),
}

impl Tree {
    fn sort(&self) -> Sort {
        match self {
            Tree::Truth(_) => Sort::Bool,
            Tree::Const(_, word) => Sort::Word(*word),
            Tree::Fill(_, array) => Sort::Array(*array),
            Tree::Var(_, sort) | Tree::Apply(_, sort, _) => *sort,
        }
    }

    fn build(&self, pool: &mut Pool) -> TermId {
        let (op, sort, parts) = match self {
            Tree::Truth(value) => return pool.bool(*value),
            Tree::Const(value, word) => return pool.constant(*value, *word),
            Tree::Fill(value, array) => return pool.fill(*value, *array),
            Tree::Var(var, _) => return pool.var(VarId::new(*var)),
            Tree::Apply(op, sort, parts) => (*op, *sort, parts),
        };
        let t: Vec<TermId> = parts.iter().map(|part| part.build(pool)).collect();
        match op {
            Op::Not => pool.not(t[0]),
            Op::And => pool.and(&t),
            Op::Or => pool.or(&t),
            Op::Implies => pool.implies(t[0], t[1]),
            Op::Eq => pool.eq(t[0], t[1]),
            Op::Ne => pool.ne(t[0], t[1]),
            Op::Le => pool.le(t[0], t[1]),
            Op::Lt => pool.lt(t[0], t[1]),
            Op::Ite => pool.ite(t[0], t[1], t[2]),
            Op::Add => pool.add(t[0], t[1]),
            Op::Sub => pool.sub(t[0], t[1]),
            Op::Neg => pool.neg(t[0]),
            Op::Mul => pool.mul(t[0], t[1]),
            Op::Div => pool.div(t[0], t[1]),
            Op::Rem => pool.rem(t[0], t[1]),
            Op::Shl => pool.shl(t[0], t[1]),
            Op::Shr => pool.shr(t[0], t[1]),
            Op::BitAnd => pool.bit_and(t[0], t[1]),
            Op::BitOr => pool.bit_or(t[0], t[1]),
            Op::BitXor => pool.bit_xor(t[0], t[1]),
            Op::BitNot => pool.bit_not(t[0]),
            Op::Cast => pool.cast(t[0], sort.as_word().unwrap()),
            Op::Select => pool.select(t[0], t[1]),
            Op::Store => pool.store(t[0], t[1], t[2]),
            Op::ToWord => pool.truth_to_word(t[0], sort.as_word().unwrap()),
            Op::ToTruth => pool.word_to_truth(t[0]),
        }
    }

    /// Value by the tree: truth values are 0 or 1, arrays lists, everything else one number.
    fn value(&self, values: &[Vec<i128>]) -> Vec<i128> {
        let (op, sort, parts) = match self {
            Tree::Truth(value) => return vec![i128::from(*value)],
            Tree::Const(value, word) => return vec![from_bits(*value as u128, *word)],
            Tree::Fill(value, array) => {
                return vec![from_bits(*value as u128, array.elem); array.len as usize];
            }
            Tree::Var(var, _) => return values[*var].clone(),
            Tree::Apply(op, sort, parts) => (*op, *sort, parts),
        };
        let v: Vec<Vec<i128>> = parts.iter().map(|part| part.value(values)).collect();
        let word = |i: usize| v[i][0];
        let truth = |value: bool| vec![i128::from(value)];
        match op {
            Op::Not => truth(word(0) == 0),
            Op::And => truth(v.iter().all(|v| v[0] == 1)),
            Op::Or => truth(v.iter().any(|v| v[0] == 1)),
            Op::Implies => truth(word(0) == 0 || word(1) == 1),
            Op::Eq => truth(v[0] == v[1]),
            Op::Ne => truth(v[0] != v[1]),
            Op::Le => truth(word(0) <= word(1)),
            Op::Lt => truth(word(0) < word(1)),
            Op::Ite => v[if word(0) == 1 { 1 } else { 2 }].clone(),
            Op::ToTruth => truth(word(0) != 0),
            Op::Select => vec![v[0][usize::try_from(word(1)).unwrap()]],
            Op::Store => {
                let mut list = v[0].clone();
                list[usize::try_from(word(1)).unwrap()] = word(2);
                list
            }
            _ => vec![arithmetic(op, word(0), v.get(1).map_or(0, |v| v[0]), sort.as_word().unwrap())],
        }
    }
}

/// The low bits of a number, read in a word.
fn from_bits(bits: u128, word: Word) -> i128 {
    let modulus = 1u128 << word.bits();
    let bits = bits % modulus;
    if word.is_signed() && bits >= modulus / 2 { bits as i128 - modulus as i128 } else { bits as i128 }
}

/// C's arithmetic on bit patterns.
fn arithmetic(op: Op, a: i128, b: i128, word: Word) -> i128 {
    let (x, y) = (a as u128, b as u128);
    let amount = if (0..i128::from(word.bits())).contains(&b) { Some(b as u32) } else { None };
    let quotient = |a: i128, b: i128| {
        let size = a.unsigned_abs() / b.unsigned_abs();
        if (a < 0) == (b < 0) { size } else { size.wrapping_neg() }
    };
    from_bits(
        match op {
            Op::Add => x.wrapping_add(y),
            Op::Sub => x.wrapping_sub(y),
            Op::Neg => x.wrapping_neg(),
            Op::Mul => x.wrapping_mul(y),
            Op::Div if b == 0 => 0,
            Op::Div => quotient(a, b),
            Op::Rem if b == 0 => x,
            Op::Rem => x.wrapping_sub(quotient(a, b).wrapping_mul(y)),
            Op::Shl => amount.map_or(0, |n| x << n),
            Op::Shr => amount.map_or(if a < 0 { u128::MAX } else { 0 }, |n| a.div_euclid(1 << n) as u128),
            Op::BitAnd => x & y,
            Op::BitOr => x | y,
            Op::BitXor => x ^ y,
            Op::BitNot => !x,
            Op::Cast | Op::ToWord => x,
            other => panic!("{other:?} is not arithmetic"),
        },
        word,
    )
}

/// The variables of a round: of each sort some, with the sorts that expressions of the round use.
struct Vocabulary {
    sorts: Vec<Sort>,
    words: [Word; 3],
    array: ArraySort,
}

impl Vocabulary {
    fn new(random: &mut Random, word: Word) -> Vocabulary {
        let widths: Vec<u8> = (1..=64).collect();
        let other = match random.below(3) {
            0 => Word::signed(random.pick(&widths)),
            1 => Word::unsigned(random.pick(&widths)),
            _ if word.is_signed() => Word::unsigned(word.bits()),
            _ => Word::signed(word.bits()),
        };
        let array = ArraySort { len: 3, elem: word };
        let words = [word, word, other];
        let sorts = vec![
            Sort::Bool,
            Sort::Bool,
            Sort::Word(word),
            Sort::Word(word),
            Sort::Word(other),
            Sort::Array(array),
            // Indices: always in range.
            Sort::Word(Word::unsigned(8)),
            Sort::Word(Word::signed(32)),
        ];
        Vocabulary { sorts, words, array }
    }

    fn values(&self, random: &mut Random) -> Vec<Vec<i128>> {
        let index = self.sorts.len() - 2;
        let value = |(i, sort): (usize, &Sort)| match sort {
            Sort::Bool => vec![random.below(2) as i128],
            Sort::Word(_) if i >= index => vec![random.below(3) as i128],
            Sort::Word(word) => vec![border_value(random, *word)],
            Sort::Array(array) => (0..array.len).map(|_| border_value(random, array.elem)).collect(),
        };
        self.sorts.iter().enumerate().map(value).collect()
    }

    fn truth(&self, random: &mut Random, depth: usize) -> Tree {
        let op = match random.below(if depth == 0 { 2 } else { 12 }) {
            0 => return Tree::Truth(random.below(2) == 1),
            1 | 2 => return Tree::Var(random.below(2), Sort::Bool),
            3 => Op::Not,
            4 => Op::ToTruth,
            5 => Op::Ite,
            _ => random.pick(&[Op::And, Op::Or, Op::Implies, Op::Eq, Op::Ne, Op::Le, Op::Lt]),
        };
        let word = random.pick(&self.words);
        let parts = match op {
            Op::Not => vec![self.truth(random, depth - 1)],
            Op::ToTruth => vec![self.word(random, word, depth - 1)],
            Op::Ite => (0..3).map(|_| self.truth(random, depth - 1)).collect(),
            Op::And | Op::Or => (0..random.below(4)).map(|_| self.truth(random, depth - 1)).collect(),
            Op::Implies => (0..2).map(|_| self.truth(random, depth - 1)).collect(),
            Op::Eq | Op::Ne if random.below(6) == 0 => {
                (0..2).map(|_| self.truth(random, depth - 1)).collect()
            }
            Op::Eq | Op::Ne if random.below(8) == 0 => (0..2).map(|_| self.list(random, depth - 1)).collect(),
            _ => self.twins(random, word, depth - 1),
        };
        Tree::Apply(op, Sort::Bool, parts)
    }

    /// Two operands of one sort that often share something, so that there is something to cancel.
    fn twins(&self, random: &mut Random, word: Word, depth: usize) -> Vec<Tree> {
        let a = self.word(random, word, depth);
        let b = match random.below(5) {
            0 => a.clone(),
            1 => {
                let more = self.word(random, word, depth);
                Tree::Apply(random.pick(&[Op::Add, Op::Sub]), Sort::Word(word), vec![a.clone(), more])
            }
            2 => Tree::Const(border_value(random, word), word),
            _ => self.word(random, word, depth),
        };
        if random.below(2) == 0 { vec![a, b] } else { vec![b, a] }
    }

    fn word(&self, random: &mut Random, word: Word, depth: usize) -> Tree {
        let sort = Sort::Word(word);
        let op = match random.below(if depth == 0 { 2 } else { 16 }) {
            0 => return Tree::Const(border_value(random, word), word),
            1 => {
                let vars: Vec<usize> = (2..5).filter(|&i| self.sorts[i] == sort).collect();
                return Tree::Var(random.pick(&vars), sort);
            }
            2 | 3 => Op::Ite,
            4 => Op::Cast,
            5 => Op::ToWord,
            6 if word == self.array.elem => Op::Select,
            7 => Op::Neg,
            8 => Op::BitNot,
            _ => random.pick(&[
                Op::Add,
                Op::Add,
                Op::Sub,
                Op::Sub,
                Op::Mul,
                Op::Mul,
                Op::Div,
                Op::Rem,
                Op::Shl,
                Op::Shr,
                Op::BitAnd,
                Op::BitOr,
                Op::BitXor,
            ]),
        };
        let parts = match op {
            Op::Ite => {
                let mut parts = vec![self.truth(random, depth - 1)];
                parts.extend(self.twins(random, word, depth - 1));
                parts
            }
            Op::Cast => {
                let source = random.pick(&self.words);
                vec![self.word(random, source, depth - 1)]
            }
            Op::ToWord => vec![self.truth(random, depth - 1)],
            Op::Select => vec![self.list(random, depth - 1), self.index(random)],
            Op::Neg | Op::BitNot => vec![self.word(random, word, depth - 1)],
            _ => self.twins(random, word, depth - 1),
        };
        Tree::Apply(op, sort, parts)
    }

    fn list(&self, random: &mut Random, depth: usize) -> Tree {
        let sort = Sort::Array(self.array);
        match random.below(if depth == 0 { 2 } else { 6 }) {
            0 => Tree::Fill(border_value(random, self.array.elem), self.array),
            1 => Tree::Var(5, sort),
            2 => {
                let parts = vec![
                    self.truth(random, depth - 1),
                    self.list(random, depth - 1),
                    self.list(random, depth - 1),
                ];
                Tree::Apply(Op::Ite, sort, parts)
            }
            _ => {
                let parts = vec![
                    self.list(random, depth - 1),
                    self.index(random),
                    self.word(random, self.array.elem, depth - 1),
                ];
                Tree::Apply(Op::Store, sort, parts)
            }
        }
    }

    fn index(&self, random: &mut Random) -> Tree {
        let word = random.pick(&[Word::unsigned(8), Word::signed(32)]);
        match random.below(2) {
            0 => Tree::Const(random.below(3) as i128, word),
            _ => {
                let first = self.sorts.len() - 2;
                Tree::Var(first + usize::from(word.is_signed()), Sort::Word(word))
            }
        }
    }
}

fn datum(value: &[i128], sort: Sort) -> Datum {
    match sort {
        Sort::Bool => Datum::Bool(value[0] == 1),
        Sort::Word(_) => Datum::Word(value[0]),
        Sort::Array(_) => Datum::Array(value.into()),
    }
}

fn all_words() -> impl Iterator<Item = Word> {
    (1..=64).flat_map(|bits| [Word::signed(bits), Word::unsigned(bits)])
}

/// Calls `f` with random expressions over fresh pools, all widths and both signs.
#[expect(clippy::print_stdout, reason = "a failing test shows its seed")]
fn for_random_trees(seed: u64, each: usize, mut f: impl FnMut(&mut Random, &Vocabulary, &mut Pool, &Tree)) {
    println!("seed {seed:#x}");
    let mut random = Random::new(seed);
    for word in all_words() {
        for round in 0..each {
            let vocabulary = Vocabulary::new(&mut random, word);
            let mut pool = Pool::new();
            for (i, &sort) in vocabulary.sorts.iter().enumerate() {
                pool.declare(format!("v{i}"), sort);
            }
            let tree = match round % 5 {
                0 => vocabulary.list(&mut random, 3),
                1 | 2 => vocabulary.truth(&mut random, 4),
                _ => vocabulary.word(&mut random, word, 4),
            };
            f(&mut random, &vocabulary, &mut pool, &tree);
        }
    }
}

#[test]
fn smart_constructors_keep_the_value() {
    for_random_trees(0x5eed_0001, 250, |random, vocabulary, pool, tree| {
        let term = tree.build(pool);
        assert_eq!(pool.sort(term), tree.sort(), "{tree:?}");
        for _ in 0..6 {
            let values = vocabulary.values(random);
            let valuation = |var: VarId| datum(&values[var.index()], vocabulary.sorts[var.index()]);
            let expected = datum(&tree.value(&values), tree.sort());
            assert_eq!(pool.eval(term, &valuation), expected, "{tree:?}\n{}\n{values:?}", pool.display(term));
        }
    });
}

#[test]
fn normal_forms_are_fixed_points() {
    for_random_trees(0x5eed_0002, 100, |_, _, pool, tree| {
        let term = tree.build(pool);
        // Replacing each variable by a new one and back rebuilds every node.
        let fresh: Vec<VarId> =
            (0..pool.var_count()).map(|i| pool.declare("n", pool.var_sort(VarId::new(i)))).collect();
        let count = fresh.len();
        let there = pool.substitute(term, |pool, var| Some(pool.var(fresh[var.index()])));
        let back = pool.substitute(there, |pool, var| Some(pool.var(VarId::new(var.index() - count))));
        assert_eq!(back, term, "{}\n{}", pool.display(term), pool.display(back));
    });
}

#[test]
fn substitution_is_evaluation_in_another_state() {
    for_random_trees(0x5eed_0003, 60, |random, vocabulary, pool, tree| {
        let term = tree.build(pool);
        let word = vocabulary.words[0];
        let replacement = vocabulary.word(random, word, 3);
        let new = replacement.build(pool);
        let substituted = pool.substitute(term, |_, var| (var.index() == 2).then_some(new));
        for _ in 0..4 {
            let values = vocabulary.values(random);
            let mut changed = values.clone();
            changed[2] = replacement.value(&values);
            let valuation = |var: VarId| datum(&values[var.index()], vocabulary.sorts[var.index()]);
            let expected = datum(&tree.value(&changed), tree.sort());
            assert_eq!(pool.eval(substituted, &valuation), expected, "{tree:?} with {replacement:?}");
        }
    });
}

/// A pool with `x y z: i32`, `u v: u8`, `b: bool`, `p q` truth values, `a: i32[4]`, and the terms of these.
fn small() -> (Pool, [TermId; 9]) {
    let mut pool = Pool::new();
    let (int, byte) = (Word::signed(32), Word::unsigned(8));
    let array = ArraySort { len: 4, elem: int };
    let sorts = [("x", Sort::Word(int)), ("y", Sort::Word(int)), ("z", Sort::Word(int))]
        .into_iter()
        .chain([("u", Sort::Word(byte)), ("v", Sort::Word(byte)), ("b", Sort::Word(Word::BOOL))])
        .chain([("p", Sort::Bool), ("q", Sort::Bool), ("a", Sort::Array(array))]);
    let terms: Vec<TermId> = sorts
        .map(|(name, sort)| {
            let var = pool.declare(name, sort);
            pool.var(var)
        })
        .collect();
    (pool, terms.try_into().unwrap())
}

#[track_caller]
fn check(build: impl FnOnce(&mut Pool, [TermId; 9]) -> TermId, text: &str) {
    let (mut pool, vars) = small();
    let term = build(&mut pool, vars);
    assert_eq!(pool.display(term).to_string(), text);
}

#[test]
fn sums_print_as_people_write_them() {
    check(|p, [x, y, ..]| p.sub(x, y), "x - y");
    check(
        |p, [x, y, ..]| {
            let two = p.constant(2, Word::signed(32));
            let double = p.mul(two, y);
            let difference = p.sub(x, double);
            p.sub(difference, two)
        },
        "x - 2 * y - 2",
    );
    check(|p, [_, _, _, u, v, ..]| p.sub(u, v), "u - v");
    check(
        |p, [.., u, _, _, _, _, _]| {
            let one = p.constant(1, Word::unsigned(8));
            p.sub(u, one)
        },
        "u - 1",
    );
    check(
        |p, [x, y, z, ..]| {
            let product = p.mul(x, y);
            p.sub(z, product)
        },
        "z - y * x",
    );
    check(
        |p, [x, y, z, ..]| {
            let sum = p.add(x, y);
            p.mul(sum, z)
        },
        "(x + y) * z",
    );
    check(|p, [x, ..]| p.neg(x), "-x");
    check(|p, [x, ..]| p.bit_not(x), "-x - 1");
}

#[test]
fn comparisons_print_without_double_negation() {
    check(|p, [x, y, ..]| p.lt(x, y), "x < y");
    check(|p, [x, y, ..]| p.ne(x, y), "x != y");
    check(
        |p, [x, y, ..]| {
            let lt = p.lt(x, y);
            p.not(lt)
        },
        "y <= x",
    );
    check(
        |p, [x, y, ..]| {
            let (one, three) = (p.constant(1, Word::signed(32)), p.constant(3, Word::signed(32)));
            let (a, b) = (p.add(x, one), p.add(y, three));
            p.eq(a, b)
        },
        "x == y + 2",
    );
    check(
        |p, [_, _, _, u, ..]| {
            let zero = p.constant(0, Word::unsigned(8));
            p.lt(zero, u)
        },
        "u != 0",
    );
}

#[test]
fn a_single_bit_is_compared_with_zero() {
    let one = |p: &mut Pool| p.constant(1, Word::BOOL);
    check(
        |p, [_, _, _, _, _, b, ..]| {
            let one = one(p);
            p.eq(b, one)
        },
        "b != 0",
    );
    check(
        |p, [_, _, _, _, _, b, ..]| {
            let one = one(p);
            p.ne(one, b)
        },
        "b == 0",
    );
}

#[test]
fn precedence_decides_the_parentheses() {
    check(
        |p, [x, y, _, _, _, _, q, r, _]| {
            let (le, or) = (p.le(x, y), p.or(&[q, r]));
            p.and(&[le, or])
        },
        "x <= y && (p || q)",
    );
    check(
        |p, [.., q, r, _]| {
            let and = p.and(&[q, r]);
            p.not(and)
        },
        "!(p && q)",
    );
    check(
        |p, [x, _, _, u, ..]| {
            let wide = p.cast(u, Word::signed(32));
            p.add(wide, x)
        },
        "x + (i32)u",
    );
    check(
        |p, [x, y, _, _, _, _, q, _, a]| {
            let (chosen, index) = (p.ite(q, x, y), p.constant(1, Word::signed(32)));
            let stored = p.store(a, index, chosen);
            p.select(stored, x)
        },
        "a[1 := p ? x : y][x]",
    );
}

/// Runs on a thread with a small stack, so that recursion over the depth of a term fails.
fn on_small_stack(f: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 * 1024).spawn(f).unwrap().join().unwrap();
}

const DEEP: usize = 20_000;

/// Uses a term in every way there is.
fn exercise(pool: &mut Pool, term: TermId) {
    let sorts: Vec<Sort> = (0..pool.var_count()).map(|i| pool.var_sort(VarId::new(i))).collect();
    let zero = |var: VarId| Datum::zero(sorts[var.index()]);
    pool.eval(term, &zero);
    pool.vars(term);
    assert!(pool.display(term).to_string().len() < 100_000);
    let var = pool.declare("n", sorts[0]);
    let renamed = pool.substitute(term, |pool, v| (v.index() == 0).then(|| pool.var(var)));
    pool.eval(renamed, &|v: VarId| if v == var { Datum::zero(sorts[0]) } else { zero(v) });
}

#[test]
fn deep_choices_do_not_overflow_the_stack() {
    on_small_stack(|| {
        let (mut pool, [x, y, .., p, _, _]) = small();
        let mut term = y;
        for i in 0..DEEP {
            let value = pool.constant(i as i128, Word::signed(32));
            let condition = pool.le(x, value);
            term = pool.ite(condition, value, term);
            term = if i % 100 == 0 { pool.ite(p, x, term) } else { term };
        }
        exercise(&mut pool, term);
        let seven = pool.constant(7, Word::signed(32));
        for comparison in [pool.eq(term, seven), pool.le(term, seven), pool.le(seven, term)] {
            exercise(&mut pool, comparison);
        }
        let narrow = pool.cast(term, Word::unsigned(8));
        exercise(&mut pool, narrow);
    });
}

#[test]
fn deep_arithmetic_does_not_overflow_the_stack() {
    on_small_stack(|| {
        let (mut pool, [x, y, ..]) = small();
        let (mut product, mut square, mut mixed) = (y, x, y);
        for _ in 0..DEEP {
            product = pool.mul(product, x);
            square = pool.mul(square, square);
            let shifted = pool.shr(mixed, x);
            mixed = pool.bit_xor(shifted, y);
        }
        for term in [product, square, mixed] {
            exercise(&mut pool, term);
        }
    });
}

#[test]
fn deep_stores_do_not_overflow_the_stack() {
    on_small_stack(|| {
        let (mut pool, [x, y, .., a]) = small();
        let mut array = a;
        for i in 0..DEEP {
            // Alternate between indices that are known to differ and those that are not.
            let index =
                if i % 2 == 0 { pool.constant(i as i128 % 4, Word::signed(32)) } else { pool.add(x, y) };
            array = pool.store(array, index, y);
        }
        let element = pool.select(array, x);
        exercise(&mut pool, element);
    });
}

#[test]
fn long_sums_and_conjunctions_stay_cheap() {
    let mut pool = Pool::new();
    let vars: Vec<TermId> = (0..DEEP)
        .map(|i| {
            let var = pool.declare(format!("s{i}"), Sort::Word(Word::signed(32)));
            pool.var(var)
        })
        .collect();
    let zero = pool.constant(0, Word::signed(32));
    // Backwards is the bad order: every new summand comes before all others.
    let mut sum = zero;
    let mut all = pool.bool(true);
    for &var in vars.iter().rev() {
        sum = pool.add(sum, var);
        let is_zero = pool.eq(var, zero);
        all = pool.and(&[is_zero, all]);
    }
    let ones = |_: VarId| Datum::Word(1);
    assert_eq!(pool.eval(sum, &ones), Datum::Word(DEEP as i128));
    assert_eq!(pool.eval(all, &ones), Datum::Bool(false));
    // Quadratic growth would be two hundred million.
    assert!(pool.term_count() < 200 * DEEP, "{} terms", pool.term_count());
}
