//! The procedure agrees with the solver on random questions.

use std::collections::BTreeSet;

use super::*;
use crate::random::Random;
use crate::smt::{Answer, IntModel, Solver, Watch};
use crate::term::Word;

/// Random truth terms over integers with and without sign.
struct Maker {
    pool: Pool,
    random: Random,
    vars: Vec<VarId>,
}

impl Maker {
    fn new(seed: u64) -> Maker {
        let mut pool = Pool::new();
        let sorts =
            [Word::signed(32), Word::signed(32), Word::signed(32), Word::unsigned(8), Word::unsigned(8)];
        let mut vars: Vec<VarId> = sorts.iter().map(|&word| pool.declare("v", Sort::Word(word))).collect();
        vars.push(pool.declare("b", Sort::Bool));
        Maker { pool, random: Random::new(seed), vars }
    }

    fn word(&mut self, word: Word) -> TermId {
        let offset = self.random.below(7) as i128 - 3;
        let constant = self.pool.constant(offset, word);
        let alike: Vec<VarId> =
            self.vars.iter().copied().filter(|&var| self.pool.var_sort(var) == Sort::Word(word)).collect();
        let var = alike[self.random.below(alike.len())];
        let var = self.pool.var(var);
        match self.random.below(10) {
            0 | 1 => constant,
            2..=4 => var,
            5 | 6 => self.pool.add(var, constant),
            7 if word.is_signed() => {
                let small = self.word(Word::unsigned(8));
                self.pool.cast(small, word)
            }
            7 => {
                let other = self.pool.var(alike[0]);
                let difference = self.pool.sub(var, other);
                self.pool.add(difference, constant)
            }
            8 if word.is_signed() => {
                let unsigned = self.pool.cast(var, Word::unsigned(32));
                let constant = self.pool.cast(constant, Word::unsigned(32));
                let wrapped = self.pool.add(unsigned, constant);
                self.pool.cast(wrapped, word)
            }
            _ => {
                let condition = self.truth(0);
                self.pool.ite(condition, var, constant)
            }
        }
    }

    fn truth(&mut self, depth: u32) -> TermId {
        let kind = if depth == 0 { self.random.below(8) } else { self.random.below(11) };
        match kind {
            0 => self.pool.var(self.vars[5]),
            1..=7 => {
                let word = if self.random.below(3) == 0 { Word::unsigned(8) } else { Word::signed(32) };
                let (a, b) = (self.word(word), self.word(word));
                let atom = if self.random.below(2) == 0 { self.pool.le(a, b) } else { self.pool.eq(a, b) };
                if self.random.below(3) == 0 { self.pool.not(atom) } else { atom }
            }
            _ => {
                let parts = [self.truth(depth - 1), self.truth(depth - 1)];
                if kind == 8 { self.pool.and(&parts) } else { self.pool.or(&parts) }
            }
        }
    }

    fn truths(&mut self, most: usize) -> Vec<TermId> {
        (0..self.random.below(most + 1)).map(|_| self.truth(1)).collect()
    }
}

fn by_solver(pool: &mut Pool, holds: &[TermId], asked: &[TermId], in_range: VarId) -> BTreeSet<Vec<bool>> {
    let mut solver = Solver::new(IntModel::Integer, &Watch::none());
    solver.assert_in_range(pool, in_range);
    for &term in holds {
        solver.assert(pool, term);
    }
    let mut found = BTreeSet::new();
    while solver.check(pool, &[]) == Answer::Sat {
        let values: Vec<bool> =
            asked.iter().map(|&term| solver.truth(pool, term).expect("a model")).collect();
        let other: Vec<TermId> = asked
            .iter()
            .zip(&values)
            .map(|(&term, &value)| if value { pool.not(term) } else { term })
            .collect();
        let other = pool.or(&other);
        solver.assert(pool, other);
        found.insert(values);
    }
    found
}

#[test]
fn agrees_with_the_solver() {
    let (mut read, mut empty) = (0, 0);
    for seed in 0..2500 {
        let mut maker = Maker::new(seed);
        let (premises, facts, asked) = (maker.truths(2), maker.truths(5), maker.truths(3));
        let values: Vec<Option<bool>> = facts
            .iter()
            .map(|_| match maker.random.below(5) {
                0 => None,
                n => Some(n % 2 == 0),
            })
            .collect();
        let in_range = maker.vars[0];
        let step = Step::new(&mut Readings::default(), &maker.pool, &premises, &facts, &asked, |var| {
            var == in_range
        });
        let Some(step) = step else { continue };
        let found = step.outcomes(values.iter().copied()).expect("few alternatives");
        let mut holds = premises.clone();
        for (&fact, value) in facts.iter().zip(&values) {
            match value {
                None => {}
                Some(true) => holds.push(fact),
                Some(false) => holds.push(maker.pool.not(fact)),
            }
        }
        let expected = by_solver(&mut maker.pool, &holds, &asked, in_range);
        read += 1;
        empty += usize::from(expected.is_empty());
        let shown: Vec<String> =
            holds.iter().chain(&asked).map(|&term| maker.pool.display(term).to_string()).collect();
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "seed {seed}: {shown:?}");
    }
    assert!(read > 1500 && empty > 200, "{read} read, {empty} empty");
}

/// Pigeons in holes, all of them apart.
fn pigeons(count: usize, holes: i128) -> Step {
    let mut pool = Pool::new();
    let word = Word::signed(32);
    let vars: Vec<TermId> = (0..count)
        .map(|_| {
            let var = pool.declare("x", Sort::Word(word));
            pool.var(var)
        })
        .collect();
    let (one, last) = (pool.constant(1, word), pool.constant(holes, word));
    let mut premises = Vec::new();
    for (position, &var) in vars.iter().enumerate() {
        premises.extend([pool.le(one, var), pool.le(var, last)]);
        for &other in &vars[..position] {
            premises.push(pool.ne(var, other));
        }
    }
    Step::new(&mut Readings::default(), &pool, &premises, &[], &[], |_| false).expect("differences")
}

#[test]
fn differences_in_a_small_range_are_counted() {
    // Four pigeons do not fit into three holes, three do.
    assert_eq!(pigeons(4, 3).outcomes([]), Some(Vec::new()));
    assert_eq!(pigeons(3, 3).outcomes([]), Some(vec![Vec::new()]));
}

/// Twelve pigeons have more ways of not fitting into eleven holes than can be tried.
#[test]
fn too_many_alternatives_are_left_to_the_solver() {
    assert_eq!(pigeons(12, 11).outcomes([]), None);
}

/// Wrapping differences are case splits; trying each combination of forty answers would not end.
#[test]
fn impossible_combinations_are_not_tried() {
    let mut pool = Pool::new();
    let word = Word::unsigned(32);
    let [x, y] = ["x", "y"].map(|name| {
        let var = pool.declare(name, Sort::Word(word));
        pool.var(var)
    });
    let difference = pool.sub(x, y);
    let asked: Vec<TermId> = (0..40)
        .map(|limit| {
            let limit = pool.constant(limit, word);
            pool.le(difference, limit)
        })
        .collect();
    let step = Step::new(&mut Readings::default(), &pool, &[], &[], &asked, |_| false).expect("differences");
    let expected: Vec<Vec<bool>> =
        (0..=40).rev().map(|first| (0..40).map(|limit| limit >= first).collect()).collect();
    assert_eq!(step.outcomes([]).as_deref(), Some(&expected[..]));
}

#[test]
fn products_and_long_sums_are_left_to_the_solver() {
    let mut pool = Pool::new();
    let word = Word::signed(32);
    let [x, y, z] = ["x", "y", "z"].map(|name| {
        let var = pool.declare(name, Sort::Word(word));
        pool.var(var)
    });
    let (product, sum) = (pool.mul(x, y), pool.add(x, y));
    for term in [pool.le(product, z), pool.eq(sum, z)] {
        assert!(Step::new(&mut Readings::default(), &pool, &[term], &[], &[], |_| false).is_none());
    }
}
