//! Terms and values as C expressions that mean the same in C.
//!
//! A term that C cannot say without a change of meaning has no expression: arithmetic on words narrower than
//! `int` (C computes it in `int`), shifts and divisions that C leaves undefined, whole arrays, and variables
//! that the user cannot name.

use crate::term::{Node, Pool, Sort, TermId, VarId, Word};

/// Deeper terms are not written.
const DEPTH: usize = 40;

/// How tightly an operator binds: a looser one inside a tighter one needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Or,
    And,
    Comparison,
    Arithmetic,
    Primary,
}

/// A term as a C expression; `name` gives a variable's name where the expression stands.
pub(super) fn expression(
    pool: &Pool,
    term: TermId,
    name: &dyn Fn(VarId) -> Option<String>,
) -> Option<String> {
    Writer { pool, name }.open(term, 0).map(|(text, _)| text)
}

/// A word's value as a C constant of its value's type.
pub(super) fn constant(value: i128, word: Word) -> String {
    let (int_max, long_min) = (i128::from(i32::MAX), i128::from(i64::MIN));
    let suffix = match word.is_signed() {
        _ if (-int_max..=int_max).contains(&value) => "",
        true => "LL",
        false if value <= i128::from(u32::MAX) => "U",
        false => "ULL",
    };
    match value == long_min {
        true => format!("({}LL - 1)", value + 1),
        false => format!("{value}{suffix}"),
    }
}

struct Writer<'a> {
    pool: &'a Pool,
    name: &'a dyn Fn(VarId) -> Option<String>,
}

impl Writer<'_> {
    /// A term with parentheses around it if it binds less tightly than wanted.
    fn term(&self, term: TermId, wanted: Level, depth: usize) -> Option<String> {
        let (text, level) = self.open(term, depth)?;
        Some(if level < wanted { format!("({text})") } else { text })
    }

    fn open(&self, term: TermId, depth: usize) -> Option<(String, Level)> {
        if depth > DEPTH {
            return None;
        }
        let depth = depth + 1;
        match self.pool.node(term) {
            Node::Bool(value) => Some((u8::from(*value).to_string(), Level::Primary)),
            Node::Const(value, word) => Some((constant(*value, *word), Level::Primary)),
            Node::Var(var) => {
                matches!(self.pool.sort(term), Sort::Word(_)).then(|| (self.name)(*var))?.map(primary)
            }
            Node::Not(inner) => self.negated(*inner, depth),
            Node::And(list) => self.list(list, " && ", Level::And, depth),
            Node::Or(list) => self.list(list, " || ", Level::Or, depth),
            Node::Eq(a, b) => self.compared(*a, "==", *b, depth),
            Node::Le(a, b) => self.compared(*a, "<=", *b, depth),
            Node::Ite(c, a, b) => {
                let [c, a, b] = [*c, *a, *b].map(|part| self.term(part, Level::Or, depth));
                Some((format!("{} ? {} : {}", c?, a?, b?), Level::Choice))
            }
            Node::Add(a, b) => self.arithmetic(*a, "+", *b, depth),
            Node::Mul(a, b) => self.arithmetic(*a, "*", *b, depth),
            Node::BitAnd(a, b) => self.arithmetic(*a, "&", *b, depth),
            Node::BitOr(a, b) => self.arithmetic(*a, "|", *b, depth),
            Node::BitXor(a, b) => self.arithmetic(*a, "^", *b, depth),
            Node::Div(a, b) if self.is_harmless_divisor(*b) => self.arithmetic(*a, "/", *b, depth),
            Node::Rem(a, b) if self.is_harmless_divisor(*b) => self.arithmetic(*a, "%", *b, depth),
            Node::Cast(inner, word) => {
                let inner = self.term(*inner, Level::Primary, depth)?;
                Some((format!("({}){inner}", type_name(*word)), Level::Arithmetic))
            }
            Node::Select(array, index) => {
                let Node::Var(var) = self.pool.node(*array) else { return None };
                let (array, index) = ((self.name)(*var)?, self.term(*index, Level::Choice, depth)?);
                Some(primary(format!("{array}[{index}]")))
            }
            Node::Div(..) | Node::Rem(..) | Node::Shl(..) | Node::Shr(..) => None,
            Node::Fill(..) | Node::Store(..) => None,
            Node::Float(..) | Node::FloatCompare(..) | Node::FloatMap(..) => None,
        }
    }

    fn negated(&self, inner: TermId, depth: usize) -> Option<(String, Level)> {
        match *self.pool.node(inner) {
            Node::Eq(a, b) => self.compared(a, "!=", b, depth),
            Node::Le(a, b) => self.compared(b, "<", a, depth),
            _ => Some((format!("!{}", self.term(inner, Level::Primary, depth)?), Level::Arithmetic)),
        }
    }

    fn list(&self, list: &[TermId], operator: &str, level: Level, depth: usize) -> Option<(String, Level)> {
        // Compilers warn of `&&` in `||` without parentheses.
        let inner = Level::Comparison;
        let parts: Option<Vec<String>> = list.iter().map(|&part| self.term(part, inner, depth)).collect();
        Some((parts?.join(operator), level))
    }

    fn compared(&self, a: TermId, operator: &str, b: TermId, depth: usize) -> Option<(String, Level)> {
        let (a, b) = (self.term(a, Level::Arithmetic, depth)?, self.term(b, Level::Arithmetic, depth)?);
        Some((format!("{a} {operator} {b}"), Level::Comparison))
    }

    fn arithmetic(&self, a: TermId, operator: &str, b: TermId, depth: usize) -> Option<(String, Level)> {
        if self.pool.word(a).bits() < 32 {
            return None;
        }
        let (a, b) = (self.term(a, Level::Primary, depth)?, self.term(b, Level::Primary, depth)?);
        Some((format!("({a} {operator} {b})"), Level::Primary))
    }

    fn is_harmless_divisor(&self, term: TermId) -> bool {
        self.pool.as_const(term).is_some_and(|value| value > 0)
    }
}

fn primary(text: String) -> (String, Level) {
    (text, Level::Primary)
}

fn type_name(word: Word) -> &'static str {
    match (word.bits(), word.is_signed()) {
        (1, _) => "_Bool",
        (2..=8, true) => "signed char",
        (2..=8, false) => "unsigned char",
        (9..=16, true) => "short",
        (9..=16, false) => "unsigned short",
        (17..=32, true) => "int",
        (17..=32, false) => "unsigned int",
        (_, true) => "long long",
        (_, false) => "unsigned long long",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::ArraySort;

    #[test]
    fn constants_have_a_type_that_holds_them() {
        let (int, uint, long, ulong) =
            (Word::signed(32), Word::unsigned(32), Word::signed(64), Word::unsigned(64));
        for (value, word, text) in [
            (-3, int, "-3"),
            (i128::from(i32::MIN), int, "-2147483648LL"),
            (4_294_967_295, uint, "4294967295U"),
            (5_000_000_000, long, "5000000000LL"),
            (i128::from(i64::MIN), long, "(-9223372036854775807LL - 1)"),
            (i128::from(u64::MAX), ulong, "18446744073709551615ULL"),
        ] {
            assert_eq!(constant(value, word), text);
        }
    }

    #[test]
    fn expressions_mean_the_same_in_c() {
        let mut pool = Pool::new();
        let (int, byte) = (Word::signed(32), Word::unsigned(8));
        let array = Sort::Array(ArraySort { len: 4, elem: int });
        let [x, y, hidden] = ["x", "y", "f::hidden"].map(|name| pool.declare(name, Sort::Word(int)));
        let (b, a) = (pool.declare("b", Sort::Word(byte)), pool.declare("a", array));
        let [x, y, hidden, b, a] = [x, y, hidden, b, a].map(|var| pool.var(var));
        let one = pool.constant(1, int);
        let sum = pool.add(x, one);
        let (below, equal) = (pool.le(sum, y), pool.eq(x, y));
        let either = pool.or(&[below, equal]);
        let not_equal = pool.not(equal);
        let both = pool.and(&[either, not_equal]);
        let name = |var: VarId| {
            let name = pool.var_name(var);
            (!name.contains(':')).then(|| name.to_owned())
        };
        let text = |term: TermId| expression(&pool, term, &name);
        let both = text(both).expect("C can say this");
        assert!(both.contains("x != y") && both.contains("((x + 1) <= y || x == y)"), "{both}");
        assert_eq!(text(hidden), None);
        let mut pool = pool.clone();
        let (element, twice, small) = (pool.select(a, x), pool.add(b, b), pool.cast(x, byte));
        let name = |var: VarId| Some(format!("v{}", var.index()));
        assert_eq!(expression(&pool, element, &name).as_deref(), Some("v4[v0]"));
        assert_eq!(expression(&pool, small, &name).as_deref(), Some("(unsigned char)v0"));
        assert_eq!(expression(&pool, twice, &name), None, "C would compute this in int");
    }
}
