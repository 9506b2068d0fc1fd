//! Z3's text of a solution, as terms.
//!
//! `(forall ((A Int) (B Bool)) (= (relation!0 A B) ...))` for each relation, joined by `and`; what is missing
//! holds always. Whole numbers are words of 64 bits with sign, wherever they come from. Whatever else may
//! stand there is not understood.

use std::collections::BTreeMap;

use crate::term::{Pool, Sort, TermId, VarId, Word};

/// What whole numbers are.
const WIDE: Word = Word::signed(64);

/// The name of the contradiction, which does not hold.
pub(super) const GOAL: &str = "goal";

/// The name of a relation in the text.
pub(super) fn name(relation: usize) -> String {
    format!("relation!{relation}")
}

/// For each relation, what holds of its variables. `None` for what is not understood.
pub(super) fn solution(pool: &mut Pool, relations: &[Vec<VarId>], text: &str) -> Option<Vec<TermId>> {
    let parsed = parse(text)?;
    let truth = pool.bool(true);
    let mut found = vec![truth; relations.len()];
    let mut parts = vec![&parsed];
    while let Some(part) = parts.pop() {
        if part.head() == Some("and") {
            parts.extend(part.list()?.iter().skip(1));
        } else if part.symbol() != Some("true") {
            definition(pool, relations, part, &mut found)?;
        }
    }
    Some(found)
}

/// `(forall (...) (= (relation ...) body))`, or without variables.
fn definition(pool: &mut Pool, relations: &[Vec<VarId>], part: &Text, found: &mut [TermId]) -> Option<()> {
    let equation = match part.head() {
        Some("forall") => part.at(2)?.without_notes()?,
        _ => part,
    };
    if equation.head() == Some("=") && equation.list()?.len() == 3 {
        let (left, right) = (equation.at(1)?, equation.at(2)?);
        if (left.symbol(), right.symbol()) == (Some(GOAL), Some("false")) {
            return Some(());
        }
        if let Some(relation) = relation_of(left) {
            return define(pool, relations, (relation, left), Some(right), found);
        }
        return define(pool, relations, (relation_of(right)?, right), Some(left), found);
    }
    if equation.head() == Some("not") {
        let atom = equation.at(1)?;
        found[relation_of(atom)?] = pool.bool(false);
        return Some(());
    }
    define(pool, relations, (relation_of(equation)?, equation), None, found)
}

/// Which relation is applied here.
fn relation_of(text: &Text) -> Option<usize> {
    let symbol = text.head().or_else(|| text.symbol())?;
    symbol.strip_prefix("relation!")?.parse().ok()
}

/// The relation holds where the body does, or always.
fn define(
    pool: &mut Pool,
    relations: &[Vec<VarId>],
    (relation, atom): (usize, &Text),
    body: Option<&Text>,
    found: &mut [TermId],
) -> Option<()> {
    let variables = relations.get(relation)?;
    let mut scope = BTreeMap::new();
    for (at, &var) in variables.iter().enumerate() {
        let value = Value::of_var(pool, var);
        scope.insert(atom.at(at + 1)?.symbol()?.to_owned(), value);
    }
    found[relation] = match body {
        Some(body) => Reader { pool, scope }.read(body)?.truth()?,
        None => pool.bool(true),
    };
    Some(())
}

/// Symbols and lists of them.
#[derive(Debug)]
enum Text {
    Symbol(String),
    List(Vec<Text>),
}

impl Text {
    fn symbol(&self) -> Option<&str> {
        match self {
            Text::Symbol(symbol) => Some(symbol),
            Text::List(_) => None,
        }
    }

    fn list(&self) -> Option<&[Text]> {
        match self {
            Text::List(list) => Some(list),
            Text::Symbol(_) => None,
        }
    }

    /// The first symbol of a list.
    fn head(&self) -> Option<&str> {
        self.at(0)?.symbol()
    }

    fn at(&self, at: usize) -> Option<&Text> {
        self.list()?.get(at)
    }

    /// Without `(! ... :note)` around it.
    fn without_notes(&self) -> Option<&Text> {
        if self.head() == Some("!") { self.at(1) } else { Some(self) }
    }
}

fn parse(text: &str) -> Option<Text> {
    let mut open: Vec<Vec<Text>> = vec![Vec::new()];
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '(' => {
                open.push(Vec::new());
                1
            }
            ')' => {
                let list = open.pop()?;
                open.last_mut()?.push(Text::List(list));
                1
            }
            '|' => {
                let end = rest[1..].find('|')? + 2;
                open.last_mut()?.push(Text::Symbol(rest[1..end - 1].to_owned()));
                end
            }
            _ => {
                let end =
                    rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len());
                open.last_mut()?.push(Text::Symbol(rest[..end].to_owned()));
                end
            }
        };
        rest = rest[length..].trim_start();
    }
    let mut all = open.pop().filter(|_| open.is_empty())?;
    all.pop().filter(|_| all.is_empty())
}

/// A term by what it is for Z3.
#[derive(Clone, Copy, Debug)]
enum Value {
    Truth(TermId),
    /// Of the sort [`WIDE`].
    Number(TermId),
    Array(TermId),
}

impl Value {
    fn of_var(pool: &mut Pool, var: VarId) -> Value {
        let term = pool.var(var);
        match pool.var_sort(var) {
            Sort::Bool => Value::Truth(term),
            Sort::Word(_) => Value::Number(pool.cast(term, WIDE)),
            Sort::Array(_) => Value::Array(term),
        }
    }

    fn truth(self) -> Option<TermId> {
        match self {
            Value::Truth(term) => Some(term),
            Value::Number(_) | Value::Array(_) => None,
        }
    }

    fn number(self) -> Option<TermId> {
        match self {
            Value::Number(term) => Some(term),
            Value::Truth(_) | Value::Array(_) => None,
        }
    }
}

struct Reader<'a> {
    pool: &'a mut Pool,
    scope: BTreeMap<String, Value>,
}

impl Reader<'_> {
    fn read(&mut self, text: &Text) -> Option<Value> {
        match text {
            Text::Symbol(symbol) => self.symbol(symbol),
            Text::List(list) => match text.head()? {
                "let" => self.bound(text),
                "!" => self.read(text.at(1)?),
                operation => {
                    let operands: Option<Vec<Value>> =
                        list[1..].iter().map(|operand| self.read(operand)).collect();
                    self.apply(operation, &operands?)
                }
            },
        }
    }

    fn symbol(&mut self, symbol: &str) -> Option<Value> {
        if let Some(&value) = self.scope.get(symbol) {
            return Some(value);
        }
        match symbol {
            "true" => Some(Value::Truth(self.pool.bool(true))),
            "false" => Some(Value::Truth(self.pool.bool(false))),
            number => {
                let value: i128 = number.parse().ok()?;
                WIDE.contains(value).then(|| Value::Number(self.pool.constant(value, WIDE)))
            }
        }
    }

    /// `(let ((name value)...) body)`; the values do not see the names.
    fn bound(&mut self, text: &Text) -> Option<Value> {
        let mut bound = Vec::new();
        for binding in text.at(1)?.list()? {
            bound.push((binding.at(0)?.symbol()?.to_owned(), self.read(binding.at(1)?)?));
        }
        let outer = self.scope.clone();
        self.scope.extend(bound);
        let value = self.read(text.at(2)?);
        self.scope = outer;
        value
    }

    fn apply(&mut self, operation: &str, operands: &[Value]) -> Option<Value> {
        let truths = || operands.iter().map(|value| value.truth()).collect::<Option<Vec<TermId>>>();
        let numbers = || operands.iter().map(|value| value.number()).collect::<Option<Vec<TermId>>>();
        let pool = &mut *self.pool;
        Some(match operation {
            "and" => Value::Truth(pool.and(&truths()?)),
            "or" => Value::Truth(pool.or(&truths()?)),
            "not" => Value::Truth(pool.not(*truths()?.first()?)),
            "=>" => {
                let &[given, then] = &truths()?[..] else { return None };
                Value::Truth(pool.implies(given, then))
            }
            "=" => Value::Truth(self.equal(operands)?),
            "distinct" => {
                let equal = self.equal(operands)?;
                Value::Truth(self.pool.not(equal))
            }
            "<=" | ">=" | "<" | ">" => Value::Truth(self.compared(operation, &numbers()?)?),
            "+" | "*" => {
                let numbers = numbers()?;
                let (&first, rest) = numbers.split_first()?;
                let combine = |whole, &part| match operation {
                    "+" => pool.add(whole, part),
                    _ => pool.mul(whole, part),
                };
                Value::Number(rest.iter().fold(first, combine))
            }
            "-" => match numbers()?[..] {
                [a] => Value::Number(pool.neg(a)),
                [a, b] => Value::Number(pool.sub(a, b)),
                _ => return None,
            },
            "mod" | "div" => self.divided(operation, &numbers()?)?,
            "ite" => self.chosen(operands)?,
            "select" => self.element(operands)?,
            "store" => self.stored(operands)?,
            _ => return None,
        })
    }

    fn equal(&mut self, operands: &[Value]) -> Option<TermId> {
        let [a, b] = operands else { return None };
        Some(match (*a, *b) {
            (Value::Truth(a), Value::Truth(b)) | (Value::Number(a), Value::Number(b)) => self.pool.eq(a, b),
            (Value::Array(a), Value::Array(b)) if self.pool.sort(a) == self.pool.sort(b) => {
                self.pool.eq(a, b)
            }
            _ => return None,
        })
    }

    fn compared(&mut self, operation: &str, numbers: &[TermId]) -> Option<TermId> {
        let &[a, b] = numbers else { return None };
        Some(match operation {
            "<=" => self.pool.le(a, b),
            ">=" => self.pool.le(b, a),
            "<" => self.pool.lt(a, b),
            _ => self.pool.lt(b, a),
        })
    }

    /// Z3 rounds so that the remainder is not negative. By positive constants only.
    fn divided(&mut self, operation: &str, numbers: &[TermId]) -> Option<Value> {
        let &[a, b] = numbers else { return None };
        self.pool.as_const(b).filter(|&value| value > 0)?;
        let pool = &mut *self.pool;
        let rest = pool.rem(a, b);
        let positive = pool.add(rest, b);
        let rest = pool.rem(positive, b);
        if operation == "mod" {
            return Some(Value::Number(rest));
        }
        let whole = pool.sub(a, rest);
        Some(Value::Number(pool.div(whole, b)))
    }

    fn chosen(&mut self, operands: &[Value]) -> Option<Value> {
        let &[condition, then, otherwise] = operands else { return None };
        let condition = condition.truth()?;
        Some(match (then, otherwise) {
            (Value::Truth(a), Value::Truth(b)) => Value::Truth(self.pool.ite(condition, a, b)),
            (Value::Number(a), Value::Number(b)) => Value::Number(self.pool.ite(condition, a, b)),
            (Value::Array(a), Value::Array(b)) if self.pool.sort(a) == self.pool.sort(b) => {
                Value::Array(self.pool.ite(condition, a, b))
            }
            _ => return None,
        })
    }

    fn element(&mut self, operands: &[Value]) -> Option<Value> {
        let &[Value::Array(array), Value::Number(index)] = operands else { return None };
        let element = self.pool.select(array, index);
        Some(Value::Number(self.pool.cast(element, WIDE)))
    }

    fn stored(&mut self, operands: &[Value]) -> Option<Value> {
        let &[Value::Array(array), Value::Number(index), Value::Number(value)] = operands else {
            return None;
        };
        let Sort::Array(sort) = self.pool.sort(array) else { return None };
        let value = self.pool.cast(value, sort.elem);
        Some(Value::Array(self.pool.store(array, index, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Datum;

    /// Two relations, the second over a truth value; the first by this text, in which its variable is `A`.
    fn read(body: &str) -> (Pool, VarId, Vec<TermId>) {
        let mut pool = Pool::new();
        let x = pool.declare("x", Sort::Word(Word::signed(32)));
        let p = pool.declare("p", Sort::Bool);
        let text = format!(
            "(and (= goal false) (forall ((A Int)) (! (= (relation!0 A) {body}) :weight 0))
                  (forall ((B Bool)) (= (relation!1 B) B)))"
        );
        let found = solution(&mut pool, &[vec![x], vec![p]], &text).expect("understood");
        (pool, x, found)
    }

    #[test]
    fn formulas_mean_what_they_say() {
        let at = |body: &str, value: i128| {
            let (pool, _, found) = read(body);
            pool.eval(found[0], &|_: VarId| Datum::Word(value)).truth()
        };
        assert!(at("(let ((a!1 (* (- 2) A))) (and (>= a!1 (- 6)) (not (= A 0))))", 3));
        assert!(!at("(let ((a!1 (* (- 2) A))) (and (>= a!1 (- 6)) (not (= A 0))))", 4));
        assert!(at("(= (mod A 3) 1)", -2) && !at("(= (mod A 3) 1)", 2));
        assert!(at("(= (div A 3) (- 1))", -2) && at("(=> (< A 0) (> A 5))", 7));
        assert!(at("(ite (<= A 1) false true)", 2));
    }

    #[test]
    fn what_is_not_understood_is_no_solution() {
        let mut pool = Pool::new();
        for text in
            ["(forall ((A Int)) (= (relation!0 A) (exists ((B Int)) (< A B))))", "(and", "relation!0)"]
        {
            let x = pool.declare("x", Sort::Word(Word::signed(32)));
            assert!(solution(&mut pool, &[vec![x]], text).is_none(), "{text}");
        }
    }
}
