//! Concrete evaluation: what a term means under a valuation of its variables.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::float;
use super::pool::{Node, Pool, TermId, VarId};
use super::simplify::shift_right;
use super::sort::{ArraySort, Sort};

/// A concrete value of some sort.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Datum {
    /// A truth value.
    Bool(bool),
    /// A word; in the range of its sort.
    Word(i128),
    /// The elements of an array.
    Array(Arc<[i128]>),
}

impl Datum {
    /// Zero of a sort: `false`, `0`, all elements `0`.
    pub fn zero(sort: Sort) -> Datum {
        match sort {
            Sort::Bool => Datum::Bool(false),
            Sort::Word(_) => Datum::Word(0),
            Sort::Array(ArraySort { len, .. }) => Datum::Array(vec![0; len as usize].into()),
        }
    }

    /// The truth value.
    ///
    /// # Panics
    /// If this is not one.
    pub fn truth(&self) -> bool {
        match self {
            Datum::Bool(value) => *value,
            other => panic!("a truth value, not {other:?}"),
        }
    }

    /// The word.
    ///
    /// # Panics
    /// If this is not one.
    pub fn word(&self) -> i128 {
        match self {
            Datum::Word(value) => *value,
            other => panic!("a word, not {other:?}"),
        }
    }
}

/// Gives variables their values.
pub trait Valuation {
    /// The value of a variable, of the variable's sort.
    fn value(&self, var: VarId) -> Datum;
}

impl<F: Fn(VarId) -> Datum> Valuation for F {
    fn value(&self, var: VarId) -> Datum {
        self(var)
    }
}

/// Terms that are not deeper than this are evaluated without bookkeeping, shared parts more than once.
const SHALLOW: usize = 5;

impl Pool {
    /// The value of a term.
    pub fn eval(&self, term: TermId, valuation: &dyn Valuation) -> Datum {
        if self.is_shallow(term, SHALLOW) {
            return self.eval_shallow(term, valuation);
        }
        // Children have smaller ids than their parents, so ascending order evaluates bottom-up without
        // recursion.
        let mut below = Vec::new();
        self.visit(&[term], |id, _| below.push(id));
        below.sort_unstable();
        let mut values: FxHashMap<TermId, Datum> = FxHashMap::default();
        for id in below {
            let value = self.eval_node(id, &|child| values[&child].clone(), valuation);
            values.insert(id, value);
        }
        values.remove(&term).expect("the root was evaluated")
    }

    fn is_shallow(&self, term: TermId, depth: usize) -> bool {
        let below = |child: &TermId| self.is_shallow(*child, depth - 1);
        match self.node(term) {
            Node::Bool(_) | Node::Const(..) | Node::Var(_) | Node::Fill(..) => true,
            _ if depth == 0 => false,
            Node::And(list) | Node::Or(list) => list.len() <= SHALLOW && list.iter().all(below),
            node => node.all_children(|child| below(&child)),
        }
    }

    fn eval_shallow(&self, term: TermId, valuation: &dyn Valuation) -> Datum {
        self.eval_node(term, &|child| self.eval_shallow(child, valuation), valuation)
    }

    fn eval_node(&self, id: TermId, value: &dyn Fn(TermId) -> Datum, valuation: &dyn Valuation) -> Datum {
        let word = |t: &TermId| value(*t).word();
        let truth = |t: &TermId| value(*t).truth();
        let wrap = |value: i128| Datum::Word(self.word(id).wrap(value));
        match self.node(id) {
            Node::Bool(truth) => Datum::Bool(*truth),
            Node::Const(word, _) => Datum::Word(*word),
            Node::Var(var) => valuation.value(*var),
            Node::Not(a) => Datum::Bool(!truth(a)),
            Node::And(list) => Datum::Bool(list.iter().all(truth)),
            Node::Or(list) => Datum::Bool(list.iter().any(truth)),
            Node::Eq(a, b) => Datum::Bool(value(*a) == value(*b)),
            Node::Le(a, b) => Datum::Bool(word(a) <= word(b)),
            Node::Ite(c, a, b) => value(if truth(c) { *a } else { *b }),
            Node::Add(a, b) => wrap(word(a) + word(b)),
            Node::Mul(a, b) => wrap(word(a).wrapping_mul(word(b))),
            Node::Div(a, b) => wrap(word(a).checked_div(word(b)).unwrap_or(0)),
            Node::Rem(a, b) => {
                let a = word(a);
                wrap(a.checked_rem(word(b)).unwrap_or(a))
            }
            Node::Shl(a, b) => {
                let amount = word(b);
                let inside = (0..i128::from(self.word(id).bits())).contains(&amount);
                wrap(if inside { word(a) << amount } else { 0 })
            }
            Node::Shr(a, b) => wrap(shift_right(word(a), word(b), self.word(id))),
            Node::BitAnd(a, b) => wrap(word(a) & word(b)),
            Node::BitOr(a, b) => wrap(word(a) | word(b)),
            Node::BitXor(a, b) => wrap(word(a) ^ word(b)),
            Node::Cast(a, _) => wrap(word(a)),
            Node::Float(op, a, b) => {
                let bits = self.word(id).bits();
                Datum::Word(float::arithmetic(*op, word(a) as u64, word(b) as u64, bits).into())
            }
            Node::FloatCompare(order, a, b) => {
                let bits = self.word(*a).bits();
                Datum::Bool(float::compare(*order, word(a) as u64, word(b) as u64, bits))
            }
            Node::FloatMap(operation, a, to) => {
                Datum::Word(float::map(*operation, word(a), self.word(*a), *to))
            }
            Node::Fill(element, array) => Datum::Array(vec![*element; array.len as usize].into()),
            Node::Select(array, index) => {
                let Datum::Array(elements) = value(*array) else { panic!("selecting from a word") };
                let element = usize::try_from(word(index)).ok().and_then(|i| elements.get(i));
                Datum::Word(element.copied().unwrap_or(0))
            }
            Node::Store(array, index, element) => {
                let Datum::Array(elements) = value(*array) else { panic!("storing into a word") };
                let mut elements = elements.to_vec();
                if let Some(slot) = usize::try_from(word(index)).ok().and_then(|i| elements.get_mut(i)) {
                    *slot = word(element);
                }
                Datum::Array(elements.into())
            }
        }
    }
}
