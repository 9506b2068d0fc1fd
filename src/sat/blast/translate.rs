//! The translation itself: each node of a term by the circuit that belongs to it, children first.

use super::super::circuit::{self, Bits, Direction};
use super::super::gates::Gates;
use super::super::solver::Lit;
use super::{Blaster, width};
use crate::term::{ArraySort, Node, Pool, Sort, TermId};

impl Blaster {
    pub(super) fn blast(&mut self, pool: &Pool, root: TermId) {
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
