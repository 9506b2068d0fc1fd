//! Terms as text, in C syntax: `t1 <= t2 && t2 != 0`.
//!
//! The text is stable (snapshots show it) and as short as precedence allows. Casts print as `(u8)x`, a choice
//! as `c ? a : b`, an updated array as `a[i := v]`.

use std::fmt;

use super::pool::{Node, Pool, TermId};
use super::sort::{Sort, Word};

/// Deeper terms print an ellipsis instead of their innermost parts.
const MAX_DEPTH: usize = 120;

/// After so many nodes everything is an ellipsis: a term that shares its parts is exponentially longer as
/// text.
const MAX_NODES: usize = 5_000;

/// Precedence levels of C, tightest last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Order,
    Shift,
    Sum,
    Product,
    Unary,
    Primary,
}

/// A term with its pool, ready for `{}`.
pub struct Printed<'a> {
    pool: &'a Pool,
    term: TermId,
}

impl Pool {
    /// The term as C text.
    pub fn display(&self, term: TermId) -> Printed<'_> {
        Printed { pool: self, term }
    }
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { pool: self.pool, f, printed: 0 }.term(self.term, Level::Choice, 0)
    }
}

struct Printer<'a, 'f, 'g> {
    pool: &'a Pool,
    f: &'f mut fmt::Formatter<'g>,
    printed: usize,
}

impl Printer<'_, '_, '_> {
    fn term(&mut self, term: TermId, at: Level, depth: usize) -> fmt::Result {
        self.printed += 1;
        if depth > MAX_DEPTH || self.printed > MAX_NODES {
            return self.f.write_str("...");
        }
        let own = self.level(term);
        if own < at {
            self.f.write_str("(")?;
            self.open(term, depth + 1)?;
            self.f.write_str(")")
        } else {
            self.open(term, depth + 1)
        }
    }

    fn level(&self, term: TermId) -> Level {
        match self.pool.node(term) {
            Node::Bool(_)
            | Node::Var(_)
            | Node::Select(..)
            | Node::Store(..)
            | Node::Fill(..)
            | Node::Float(..)
            | Node::FloatCompare(..)
            | Node::FloatMap(..) => Level::Primary,
            Node::Const(value, _) if *value < 0 => Level::Unary,
            Node::Const(..) => Level::Primary,
            Node::Not(a) => match self.pool.node(*a) {
                Node::Eq(..) => Level::Equality,
                Node::Le(..) => Level::Order,
                _ => Level::Unary,
            },
            Node::And(_) => Level::And,
            Node::Or(_) => Level::Or,
            Node::Eq(..) => Level::Equality,
            Node::Le(..) => Level::Order,
            Node::Ite(..) => Level::Choice,
            Node::Add(..) => Level::Sum,
            Node::Mul(_, b) if self.is_minus_one(*b) => Level::Unary,
            Node::Mul(..) | Node::Div(..) | Node::Rem(..) => Level::Product,
            Node::Shl(..) | Node::Shr(..) => Level::Shift,
            Node::BitAnd(..) => Level::BitAnd,
            Node::BitOr(..) => Level::BitOr,
            Node::BitXor(..) => Level::BitXor,
            Node::Cast(..) => Level::Unary,
        }
    }

    fn open(&mut self, term: TermId, depth: usize) -> fmt::Result {
        match self.pool.node(term) {
            Node::Bool(value) => write!(self.f, "{value}"),
            Node::Const(value, _) => write!(self.f, "{value}"),
            Node::Var(var) => self.f.write_str(self.pool.var_name(*var)),
            Node::Not(a) => match *self.pool.node(*a) {
                Node::Eq(x, y) => self.binary(x, " != ", y, Level::Equality, depth),
                Node::Le(x, y) => self.binary(y, " < ", x, Level::Order, depth),
                _ => {
                    self.f.write_str("!")?;
                    self.term(*a, Level::Unary, depth)
                }
            },
            Node::And(list) => self.list(list, " && ", Level::And, depth),
            Node::Or(list) => self.list(list, " || ", Level::Or, depth),
            Node::Eq(a, b) => self.binary(*a, " == ", *b, Level::Equality, depth),
            Node::Le(a, b) => self.binary(*a, " <= ", *b, Level::Order, depth),
            Node::Ite(c, a, b) => {
                self.term(*c, Level::Or, depth)?;
                self.f.write_str(" ? ")?;
                self.term(*a, Level::Or, depth)?;
                self.f.write_str(" : ")?;
                self.term(*b, Level::Choice, depth)
            }
            Node::Add(..) => self.sum(term, depth),
            Node::Mul(a, b) if self.is_minus_one(*b) => {
                self.f.write_str("-")?;
                self.term(*a, Level::Unary, depth)
            }
            Node::Mul(a, b) => self.binary(*b, " * ", *a, Level::Product, depth),
            Node::Div(a, b) => self.binary(*a, " / ", *b, Level::Product, depth),
            Node::Rem(a, b) => self.binary(*a, " % ", *b, Level::Product, depth),
            Node::Shl(a, b) => self.binary(*a, " << ", *b, Level::Shift, depth),
            Node::Shr(a, b) => self.binary(*a, " >> ", *b, Level::Shift, depth),
            Node::BitAnd(a, b) => self.binary(*a, " & ", *b, Level::BitAnd, depth),
            Node::BitOr(a, b) => self.binary(*a, " | ", *b, Level::BitOr, depth),
            Node::BitXor(a, b) => self.binary(*a, " ^ ", *b, Level::BitXor, depth),
            Node::Float(op, a, b) => self.function(op.name(), &[*a, *b], depth),
            Node::FloatCompare(order, a, b) => self.function(order.name(), &[*a, *b], depth),
            Node::FloatMap(operation, a, to) => {
                let name = format!("{}_{to}", operation.name());
                self.function(&name, &[*a], depth)
            }
            Node::Cast(a, word) => {
                write!(self.f, "({word})")?;
                self.term(*a, Level::Unary, depth)
            }
            Node::Fill(value, array) => write!(self.f, "{{{value}...}}[{}]", array.len),
            Node::Select(array, index) => {
                self.term(*array, Level::Primary, depth)?;
                self.f.write_str("[")?;
                self.term(*index, Level::Choice, depth)?;
                self.f.write_str("]")
            }
            Node::Store(array, index, value) => {
                self.term(*array, Level::Primary, depth)?;
                self.f.write_str("[")?;
                self.term(*index, Level::Choice, depth)?;
                self.f.write_str(" := ")?;
                self.term(*value, Level::Choice, depth)?;
                self.f.write_str("]")
            }
        }
    }

    fn binary(&mut self, a: TermId, operator: &str, b: TermId, level: Level, depth: usize) -> fmt::Result {
        self.term(a, level, depth)?;
        self.f.write_str(operator)?;
        self.term(b, tighter(level), depth)
    }

    /// An operation in the notation of a function.
    fn function(&mut self, name: &str, operands: &[TermId], depth: usize) -> fmt::Result {
        write!(self.f, "{name}(")?;
        for (i, &operand) in operands.iter().enumerate() {
            if i > 0 {
                self.f.write_str(", ")?;
            }
            self.term(operand, Level::Choice, depth)?;
        }
        self.f.write_str(")")
    }

    fn list(&mut self, list: &[TermId], operator: &str, level: Level, depth: usize) -> fmt::Result {
        for (i, &term) in list.iter().enumerate() {
            if i > 0 {
                self.f.write_str(operator)?;
            }
            self.term(term, tighter(level), depth)?;
            if self.printed > MAX_NODES {
                break;
            }
        }
        Ok(())
    }

    /// A sum, with negative monomials and constants subtracted.
    fn sum(&mut self, term: TermId, depth: usize) -> fmt::Result {
        let mut parts = Vec::new();
        let mut rest = term;
        while let Node::Add(left, right) = *self.pool.node(rest) {
            parts.push(right);
            rest = left;
        }
        self.term(rest, Level::Sum, depth)?;
        for part in parts.into_iter().rev() {
            if self.printed > MAX_NODES {
                return self.f.write_str(" + ...");
            }
            self.summand(part, depth)?;
        }
        Ok(())
    }

    fn summand(&mut self, part: TermId, depth: usize) -> fmt::Result {
        match *self.pool.node(part) {
            Node::Const(value, word) if reads_negative(value, word) => {
                write!(self.f, " - {}", magnitude(value, word))
            }
            Node::Mul(inner, factor) => match *self.pool.node(factor) {
                Node::Const(value, word) if reads_negative(value, word) => {
                    self.f.write_str(" - ")?;
                    if self.is_minus_one(factor) {
                        return self.term(inner, tighter(Level::Sum), depth);
                    }
                    write!(self.f, "{} * ", magnitude(value, word))?;
                    self.term(inner, tighter(Level::Product), depth)
                }
                _ => {
                    self.f.write_str(" + ")?;
                    self.term(part, Level::Product, depth)
                }
            },
            _ => {
                self.f.write_str(" + ")?;
                self.term(part, Level::Product, depth)
            }
        }
    }

    fn is_minus_one(&self, term: TermId) -> bool {
        match (self.pool.node(term), self.pool.sort(term)) {
            (Node::Const(value, _), Sort::Word(word)) => word.bits() > 1 && *value == word.wrap(-1),
            _ => false,
        }
    }
}

/// Whether a constant added modulo 2^bits is better read as one subtracted.
fn reads_negative(value: i128, word: Word) -> bool {
    word.bits() > 1 && Word::signed(word.bits()).wrap(value) < 0
}

/// The constant to subtract instead.
fn magnitude(value: i128, word: Word) -> i128 {
    -Word::signed(word.bits()).wrap(value)
}

fn tighter(level: Level) -> Level {
    match level {
        Level::Choice => Level::Or,
        Level::Or => Level::And,
        Level::And => Level::BitOr,
        Level::BitOr => Level::BitXor,
        Level::BitXor => Level::BitAnd,
        Level::BitAnd => Level::Equality,
        Level::Equality => Level::Order,
        Level::Order => Level::Shift,
        Level::Shift => Level::Sum,
        Level::Sum => Level::Product,
        Level::Product => Level::Unary,
        Level::Unary | Level::Primary => Level::Primary,
    }
}
