//! Elimination of variables that a demand on the state must not speak of.
//!
//! `project` gives a demand without the variable that every state satisfies which satisfies the given one for
//! *some* value of the variable. Where the variable is given by an equation, stands alone between bounds, or
//! is a truth value, nothing else satisfies it; whether an index that it decides is that of a write is looked
//! at both ways. What remains is left out, which asks for less. So the
//! negations of demands, the interpolants, become stronger if anything, and all steps between them still
//! hold.

use crate::term::{Node, Pool, Sort, TermId, VarId, Word};

/// More combinations of alternatives than this are not looked at one by one.
const MOST_CASES: usize = 48;

/// Decisions within decisions are looked at so deep.
const DEEPEST: usize = 6;

/// A demand without a variable: `exists var. demand`, or something weaker.
pub fn project(terms: &mut Pool, demand: TermId, var: VarId) -> TermId {
    if !terms.vars(demand).contains(&var) {
        return demand;
    }
    if terms.var_sort(var) == Sort::Bool {
        let cases = [true, false]
            .map(|value| terms.substitute(demand, |terms, each| (each == var).then(|| terms.bool(value))));
        return terms.or(&cases);
    }
    let (about, mut rest): (Vec<TermId>, Vec<TermId>) =
        terms.conjuncts(demand).into_iter().partition(|&conjunct| terms.vars(conjunct).contains(&var));
    if let Some(cases) = cases(terms, &about, var, 0) {
        let projected: Vec<TermId> = cases.into_iter().map(|case| project_case(terms, case, var)).collect();
        rest.push(terms.or(&projected));
    }
    terms.and(&rest)
}

/// The alternatives of a truth term, where a variable is to be eliminated.
fn alternatives(terms: &mut Pool, term: TermId, var: VarId, depth: usize) -> Vec<TermId> {
    let choices = choices(terms, term);
    match choices[..] {
        [_] if depth < DEEPEST => decision(terms, term, var).map_or(choices, |(part, condition, values)| {
            let contrary = terms.not(condition);
            let with = |terms: &mut Pool, condition: TermId, value: TermId| {
                let whole = replaced(terms, term, part, value);
                terms.and(&[condition, whole])
            };
            vec![with(terms, condition, values.0), with(terms, contrary, values.1)]
        }),
        _ => choices,
    }
}

/// A part of a term that is one value or another, by a condition on the variable: a choice, or an element of
/// an array after a write.
fn decision(terms: &mut Pool, term: TermId, var: VarId) -> Option<(TermId, TermId, (TermId, TermId))> {
    let mut parts = Vec::new();
    terms.visit(&[term], |id, node| match *node {
        Node::Ite(..) => parts.push(id),
        Node::Select(array, _) if matches!(terms.node(array), Node::Store(..)) => parts.push(id),
        _ => {}
    });
    parts.into_iter().find_map(|part| {
        let (condition, values) = match *terms.node(part) {
            Node::Ite(condition, yes, no) => (condition, (yes, no)),
            Node::Select(array, index) => {
                let Node::Store(rest, at, value) = *terms.node(array) else { return None };
                if terms.sort(at) != terms.sort(index) {
                    return None;
                }
                (terms.eq(at, index), (value, terms.select(rest, index)))
            }
            _ => return None,
        };
        terms.vars(condition).contains(&var).then_some((part, condition, values))
    })
}

/// A term with a part of it replaced by something else.
fn replaced(terms: &mut Pool, term: TermId, part: TermId, by: TermId) -> TermId {
    terms.rewrite(term, |_, id| (id == part).then_some(by))
}

fn choices(terms: &mut Pool, term: TermId) -> Vec<TermId> {
    match terms.node(term) {
        Node::Or(list) => list.to_vec(),
        Node::Not(inner) => match *terms.node(*inner) {
            Node::And(ref list) => {
                let list = list.to_vec();
                list.into_iter().map(|each| terms.not(each)).collect()
            }
            Node::Eq(a, b) if matches!(terms.sort(a), Sort::Word(_)) => vec![terms.lt(a, b), terms.lt(b, a)],
            _ => vec![term],
        },
        _ => vec![term],
    }
}

/// A conjunction as alternatives of literals; `None` if there are too many, or too many within each other.
fn cases(terms: &mut Pool, conjuncts: &[TermId], var: VarId, depth: usize) -> Option<Vec<Vec<TermId>>> {
    if depth > 2 * DEEPEST {
        return None;
    }
    let mut cases: Vec<Vec<TermId>> = vec![Vec::new()];
    let mut open = conjuncts.to_vec();
    while let Some(next) = open.pop() {
        let choices = alternatives(terms, next, var, depth);
        if choices.len() == 1 {
            cases.iter_mut().for_each(|case| case.push(next));
            continue;
        }
        let mut longer = Vec::new();
        for choice in choices {
            let inner = terms.conjuncts(choice);
            let inner = self::cases(terms, &inner, var, depth + 1)?;
            for case in &cases {
                longer.extend(inner.iter().map(|more| [case.as_slice(), more].concat()));
            }
        }
        if longer.len() > MOST_CASES {
            return None;
        }
        cases = longer;
    }
    Some(cases)
}

/// What bounds a variable.
#[derive(Clone, Copy)]
struct Bound {
    by: TermId,
    strict: bool,
}

/// Eliminates a variable from a conjunction of literals.
fn project_case(terms: &mut Pool, literals: Vec<TermId>, var: VarId) -> TermId {
    if let Some((at, value)) =
        literals.iter().enumerate().find_map(|(at, &literal)| Some((at, given_by(terms, literal, var)?)))
    {
        let mut rest = literals;
        rest.remove(at);
        let rest = terms.and(&rest);
        return terms.substitute(rest, |_, each| (each == var).then_some(value));
    }
    let subject = subject(terms, &literals, var);
    let (mut lower, mut upper, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for literal in literals {
        let is_about = |terms: &Pool, term: TermId| terms.vars(term).contains(&var);
        let (inner, negated) = match *terms.node(literal) {
            Node::Not(inner) => (inner, true),
            _ => (literal, false),
        };
        match *terms.node(inner) {
            _ if !is_about(terms, literal) => rest.push(literal),
            Node::Le(a, by) if a == subject && !is_about(terms, by) => {
                // `!(subject <= by)` bounds it from below.
                let list = if negated { &mut lower } else { &mut upper };
                list.push(Bound { by, strict: negated });
            }
            Node::Le(by, b) if b == subject && !is_about(terms, by) => {
                let list = if negated { &mut upper } else { &mut lower };
                list.push(Bound { by, strict: negated });
            }
            _ => {}
        }
    }
    between(terms, subject, var, &lower, &upper, &mut rest);
    terms.and(&rest)
}

/// What an equation says that a variable is.
fn given_by(terms: &mut Pool, literal: TermId, var: VarId) -> Option<TermId> {
    let Node::Eq(a, b) = *terms.node(literal) else { return None };
    if !matches!(terms.sort(a), Sort::Word(word) if Sort::Word(word) == terms.var_sort(var)) {
        return None;
    }
    let alone = terms.var(var);
    for (side, other) in [(a, b), (b, a)] {
        let rest = terms.sub(side, alone);
        let value = terms.sub(other, rest);
        if !terms.vars(value).contains(&var) {
            return Some(value);
        }
    }
    None
}

/// The form in which the literals speak of a variable: a conversion to a wider word if it is always that one,
/// or the variable itself.
fn subject(terms: &mut Pool, literals: &[TermId], var: VarId) -> TermId {
    let alone = terms.var(var);
    let mut form = alone;
    terms.visit(literals, |id, node| match *node {
        Node::Cast(inner, _) if inner == alone => form = id,
        _ => {}
    });
    let widens = match (terms.var_sort(var), terms.sort(form)) {
        (Sort::Word(narrow), Sort::Word(wide)) => wide.min() <= narrow.min() && narrow.max() <= wide.max(),
        _ => false,
    };
    if widens { form } else { alone }
}

/// Adds that there is room for a word between its bounds, and within its own range.
fn between(
    terms: &mut Pool,
    subject: TermId,
    var: VarId,
    lower: &[Bound],
    upper: &[Bound],
    onto: &mut Vec<TermId>,
) {
    let (Sort::Word(own), Sort::Word(word)) = (terms.var_sort(var), terms.sort(subject)) else { return };
    let limit = |terms: &mut Pool, value: i128| Bound { by: terms.constant(value, word), strict: false };
    let (least, greatest) = (limit(terms, own.min()), limit(terms, own.max()));
    for &low in lower.iter().chain([&least]) {
        for &high in upper.iter().chain([&greatest]) {
            room(terms, word, low, high, onto);
        }
    }
}

fn room(terms: &mut Pool, word: Word, low: Bound, high: Bound, onto: &mut Vec<TermId>) {
    match (low.strict, high.strict) {
        (false, false) => onto.push(terms.le(low.by, high.by)),
        (true, true) => {
            onto.push(terms.lt(low.by, high.by));
            let one = terms.constant(1, word);
            let next = terms.add(low.by, one);
            onto.push(terms.ne(next, high.by));
        }
        _ => onto.push(terms.lt(low.by, high.by)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{ArraySort, Datum};

    const WORD: Word = Word::unsigned(3);

    /// A random literal over three words and an array.
    fn literal(
        terms: &mut Pool,
        random: &mut crate::random::Random,
        vars: &[TermId],
        array: TermId,
    ) -> TermId {
        let (a, b) = (random.pick(vars), random.pick(vars));
        let constant = terms.constant(random.below(8) as i128, WORD);
        let b = match random.below(4) {
            0 => constant,
            1 => terms.add(b, constant),
            2 => {
                let after = terms.store(array, random.pick(vars), constant);
                terms.select(after, b)
            }
            _ => b,
        };
        match random.below(5) {
            0 => terms.eq(a, b),
            1 => terms.ne(a, b),
            2 => terms.le(a, b),
            3 => terms.lt(a, b),
            _ => {
                let (left, right) = (terms.le(a, b), terms.eq(b, constant));
                terms.or(&[left, right])
            }
        }
    }

    /// Whoever has a value for the variable satisfies the projection. The other way round holds nearly
    /// always.
    #[test]
    fn projections_are_exact_or_weaker() {
        let mut random = crate::random::Random::new(11);
        let (mut exact, mut weaker) = (0, 0);
        for _ in 0..600 {
            let mut terms = Pool::new();
            let vars = ["in", "x", "y"].map(|name| terms.declare(name, Sort::Word(WORD)));
            let values = vars.map(|var| terms.var(var));
            let array = terms.declare("a", Sort::Array(ArraySort { len: 8, elem: WORD }));
            let array = terms.var(array);
            let elements: Vec<i128> = (0..8).map(|_| random.below(8) as i128).collect();
            let elements = Datum::Array(elements.into());
            let literals: Vec<TermId> =
                (0..1 + random.below(4)).map(|_| literal(&mut terms, &mut random, &values, array)).collect();
            let demand = terms.and(&literals);
            let projected = project(&mut terms, demand, vars[0]);
            assert!(!terms.vars(projected).contains(&vars[0]));
            for (x, y) in (0..8).flat_map(|x| (0..8).map(move |y| (x, y))) {
                let holds = |term: TermId, input: i128| {
                    let value = |var: VarId| match var.index() {
                        3 => elements.clone(),
                        word => Datum::Word([input, x, y][word]),
                    };
                    terms.eval(term, &value).truth()
                };
                let possible = (0..8).any(|input| holds(demand, input));
                assert!(
                    !possible || holds(projected, 0),
                    "{} -> {}",
                    terms.display(demand),
                    terms.display(projected)
                );
                if possible == holds(projected, 0) { exact += 1 } else { weaker += 1 }
            }
        }
        assert!(exact > 5 * weaker, "{exact} exact, {weaker} weaker");
    }
}
