//! Terms as literals: every term of a pool becomes one literal (truth values), a vector of them (words), or
//! the vectors of its elements one after the other (arrays), once.
//!
//! The meaning is that of [`Pool::eval`]: under any valuation of the variables' bits the literals of a term
//! have the bits of its value. The tests check exactly this. A [`Blaster`] serves one growing pool; terms are
//! never forgotten, so later calls only pay for what is new.

mod translate;

use rustc_hash::FxHashMap;

use super::circuit::{self, Bits};
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

    /// Makes a truth value hold wherever a literal does. Conjunctions and disjunctions at the top need no
    /// gates.
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

    /// Lets a variable stand for a term: they have the same literals. No term that mentions the variable may
    /// have been translated yet.
    ///
    /// # Panics
    /// If one was.
    pub fn define(&mut self, pool: &Pool, var: VarId, term: TermId) {
        assert_eq!(pool.var_sort(var), pool.sort(term), "a name of the term's sort");
        assert!(!self.is_translated(var), "a variable is defined before it is used");
        self.meanings.insert(var, term);
    }

    /// Leaves out bits of a word or truth value that are known because it is in an interval: at least the
    /// values in the interval stay possible. No term that mentions the variable may have been translated yet.
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
mod tests;
