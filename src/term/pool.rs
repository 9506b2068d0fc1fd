//! The arena of terms and the table of variables.
//!
//! Invariant: a node stored here is in the normal form of `simplify.rs`, its children have smaller ids,
//! and no node is stored twice. Only the smart constructors call [`Pool::intern`].

use rustc_hash::{FxHashMap, FxHashSet};

use super::float::{FloatMap, FloatOp, FloatOrder};
use super::sort::{ArraySort, Sort, Word};

/// So many terms are found again by looking at all of them.
const FEW: usize = 16;

/// A term of one [`Pool`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(u32);

impl TermId {
    /// Position in the pool; children come before their parents.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable of one [`Pool`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(u32);

impl VarId {
    /// Position in the table of variables; the program's own come first, in its order.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The variable at a position of the table.
    pub fn new(index: usize) -> VarId {
        VarId(u32::try_from(index).expect("fewer than 2^32 variables"))
    }
}

/// The head of a term. Binary word operations take operands of one common sort, which is the result's too.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// `true` or `false`.
    Bool(bool),
    /// A word constant; the value is in the word's range.
    Const(i128, Word),
    /// A variable of any sort.
    Var(VarId),
    /// Negation of a truth value; never of another negation or a constant.
    Not(TermId),
    /// Conjunction: at least two distinct, sorted conjuncts, none a constant, none the negation of another,
    /// and none a conjunction unless it is a very long one.
    And(Box<[TermId]>),
    /// Disjunction: likewise.
    Or(Box<[TermId]>),
    /// Equality of two words or two truth values.
    Eq(TermId, TermId),
    /// `a <= b` in the order of the operands' sort.
    Le(TermId, TermId),
    /// `if c then a else b`; `a` and `b` of one sort.
    Ite(TermId, TermId, TermId),
    /// Sum modulo 2^bits.
    Add(TermId, TermId),
    /// Product modulo 2^bits.
    Mul(TermId, TermId),
    /// Quotient rounded towards zero; `a / 0 = 0`.
    Div(TermId, TermId),
    /// Remainder with the dividend's sign; `a % 0 = a`.
    Rem(TermId, TermId),
    /// Shift left; an amount outside `0..bits` gives 0.
    Shl(TermId, TermId),
    /// Shift right, arithmetic on signed words; an amount outside `0..bits` shifts everything out.
    Shr(TermId, TermId),
    /// Bitwise conjunction.
    BitAnd(TermId, TermId),
    /// Bitwise disjunction.
    BitOr(TermId, TermId),
    /// Bitwise exclusive disjunction.
    BitXor(TermId, TermId),
    /// The value of another word sort that is congruent modulo 2^bits: C's integer conversion.
    Cast(TermId, Word),
    /// The array whose elements all have this constant value.
    Fill(i128, ArraySort),
    /// Element of an array at an index (any word sort).
    Select(TermId, TermId),
    /// The array with one element replaced: array, index, value.
    Store(TermId, TermId, TermId),
    /// Arithmetic on the bits of two floats of one width.
    Float(FloatOp, TermId, TermId),
    /// A comparison of two floats of one width.
    FloatCompare(FloatOrder, TermId, TermId),
    /// An operation with one operand that is a float or gives one, of the word given.
    FloatMap(FloatMap, TermId, Word),
}

impl Node {
    /// The terms directly below, left to right.
    pub fn children(&self) -> Vec<TermId> {
        let mut children = Vec::new();
        self.push_children(&mut children);
        children
    }

    /// Whether all terms directly below are such.
    pub fn all_children(&self, mut is: impl FnMut(TermId) -> bool) -> bool {
        match self {
            Node::Bool(_) | Node::Const(..) | Node::Var(_) | Node::Fill(..) => true,
            Node::Not(a) | Node::Cast(a, _) | Node::FloatMap(_, a, _) => is(*a),
            Node::And(list) | Node::Or(list) => list.iter().all(|&child| is(child)),
            Node::Eq(a, b)
            | Node::Le(a, b)
            | Node::Add(a, b)
            | Node::Mul(a, b)
            | Node::Div(a, b)
            | Node::Rem(a, b)
            | Node::Shl(a, b)
            | Node::Shr(a, b)
            | Node::BitAnd(a, b)
            | Node::BitOr(a, b)
            | Node::BitXor(a, b)
            | Node::Float(_, a, b)
            | Node::FloatCompare(_, a, b)
            | Node::Select(a, b) => is(*a) && is(*b),
            Node::Ite(a, b, c) | Node::Store(a, b, c) => is(*a) && is(*b) && is(*c),
        }
    }

    /// Adds the terms directly below to a list, left to right.
    pub fn push_children(&self, onto: &mut Vec<TermId>) {
        match self {
            Node::Bool(_) | Node::Const(..) | Node::Var(_) | Node::Fill(..) => {}
            Node::Not(a) | Node::Cast(a, _) | Node::FloatMap(_, a, _) => onto.push(*a),
            Node::And(list) | Node::Or(list) => onto.extend_from_slice(list),
            Node::Eq(a, b)
            | Node::Le(a, b)
            | Node::Add(a, b)
            | Node::Mul(a, b)
            | Node::Div(a, b)
            | Node::Rem(a, b)
            | Node::Shl(a, b)
            | Node::Shr(a, b)
            | Node::BitAnd(a, b)
            | Node::BitOr(a, b)
            | Node::BitXor(a, b)
            | Node::Float(_, a, b)
            | Node::FloatCompare(_, a, b)
            | Node::Select(a, b) => onto.extend([*a, *b]),
            Node::Ite(a, b, c) | Node::Store(a, b, c) => onto.extend([*a, *b, *c]),
        }
    }
}

/// The owner of terms and variables.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    ids: FxHashMap<Node, TermId>,
    vars: Vec<(String, Sort)>,
}

impl Pool {
    /// An empty pool.
    pub fn new() -> Pool {
        Pool::default()
    }

    /// A new variable, different from all others even when the name is taken.
    pub fn declare(&mut self, name: impl Into<String>, sort: Sort) -> VarId {
        let id = VarId::new(self.vars.len());
        self.vars.push((name.into(), sort));
        id
    }

    /// The name a variable was declared with.
    pub fn var_name(&self, var: VarId) -> &str {
        &self.vars[var.index()].0
    }

    /// Gives a variable another name, if it is there.
    pub fn rename(&mut self, var: VarId, name: &str) {
        if let Some((known, _)) = self.vars.get_mut(var.index()) {
            name.clone_into(known);
        }
    }

    /// The sort of a variable.
    pub fn var_sort(&self, var: VarId) -> Sort {
        self.vars[var.index()].1
    }

    /// Number of variables declared.
    pub fn var_count(&self) -> usize {
        self.vars.len()
    }

    /// Number of terms built.
    pub fn term_count(&self) -> usize {
        self.nodes.len()
    }

    /// The head of a term.
    pub fn node(&self, term: TermId) -> &Node {
        &self.nodes[term.index()]
    }

    /// The sort of a term.
    pub fn sort(&self, term: TermId) -> Sort {
        self.sorts[term.index()]
    }

    /// The word sort of a term.
    ///
    /// # Panics
    /// If the term is not a word.
    pub fn word(&self, term: TermId) -> Word {
        self.sort(term).as_word().expect("a word")
    }

    /// The value of a constant word.
    pub fn as_const(&self, term: TermId) -> Option<i128> {
        match self.node(term) {
            Node::Const(value, _) => Some(*value),
            _ => None,
        }
    }

    /// The value of a constant truth value.
    pub fn as_bool(&self, term: TermId) -> Option<bool> {
        match self.node(term) {
            Node::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The variable, if the term is one.
    pub fn as_var(&self, term: TermId) -> Option<VarId> {
        match self.node(term) {
            Node::Var(var) => Some(*var),
            _ => None,
        }
    }

    /// The variables that occur in a term, sorted, without repetition.
    pub fn vars(&self, term: TermId) -> Vec<VarId> {
        let mut found = Vec::new();
        self.visit(&[term], |_, node| {
            if let Node::Var(var) = node {
                found.push(*var);
            }
        });
        found.sort_unstable();
        found
    }

    /// Calls `f` once for each distinct term at or below `roots`, in no particular order.
    pub fn visit(&self, roots: &[TermId], mut f: impl FnMut(TermId, &Node)) {
        // Most terms are small; the set is for those that are not.
        let mut first = [TermId(0); FEW];
        let (mut count, mut further) = (0, FxHashSet::default());
        let mut stack = roots.to_vec();
        while let Some(term) = stack.pop() {
            if first[..count].contains(&term) {
                continue;
            }
            let is_new = match first.get_mut(count) {
                Some(free) => {
                    (*free, count) = (term, count + 1);
                    true
                }
                None => further.insert(term),
            };
            if is_new {
                let node = self.node(term);
                f(term, node);
                node.push_children(&mut stack);
            }
        }
    }

    /// The id of a node in normal form.
    pub(super) fn intern(&mut self, node: Node) -> TermId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = TermId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.sorts.push(self.sort_of(&node));
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    fn sort_of(&self, node: &Node) -> Sort {
        match node {
            Node::Bool(_)
            | Node::Not(_)
            | Node::And(_)
            | Node::Or(_)
            | Node::Eq(..)
            | Node::Le(..)
            | Node::FloatCompare(..) => Sort::Bool,
            Node::Const(_, word) | Node::Cast(_, word) | Node::FloatMap(_, _, word) => Sort::Word(*word),
            Node::Fill(_, array) => Sort::Array(*array),
            Node::Var(var) => self.var_sort(*var),
            Node::Ite(_, a, _) | Node::Store(a, ..) => self.sort(*a),
            Node::Select(array, _) => match self.sort(*array) {
                Sort::Array(array) => Sort::Word(array.elem),
                other => panic!("selecting from {other}"),
            },
            Node::Add(a, b)
            | Node::Mul(a, b)
            | Node::Div(a, b)
            | Node::Rem(a, b)
            | Node::Shl(a, b)
            | Node::Shr(a, b)
            | Node::BitAnd(a, b)
            | Node::BitOr(a, b)
            | Node::BitXor(a, b)
            | Node::Float(_, a, b) => {
                assert_eq!(self.sort(*a), self.sort(*b), "operands of one sort");
                self.sort(*a)
            }
        }
    }
}
