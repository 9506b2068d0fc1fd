//! Conditions of points: conjunctions that are kept short, and disjunctions at joins that simplify again.
//!
//! After `if (c) ... else ...` the paths with `g && c` and `g && !c` meet, and what is known there is `g`
//! again. Conjunctions that grow long get a name: a fresh truth value that is equal to them by
//! [definition](Names::definitions), so that terms do not grow with the length of paths.

use rustc_hash::FxHashMap;

use crate::term::{Node, Pool, Sort, TermId};

/// Conjunctions longer than this get a name.
const LONG: usize = 12;

/// How much is remembered of what a name implies: the oldest conditions, which hold on whole stretches of a
/// thread.
const FACTS: usize = 64;

/// The names of long conditions; the same at every bound.
#[derive(Debug, Default)]
pub struct Names {
    by_term: FxHashMap<TermId, TermId>,
    definitions: Vec<(TermId, TermId)>,
    /// What each name implies, sorted.
    facts: FxHashMap<TermId, Vec<TermId>>,
}

impl Names {
    /// The names given so far, each with the condition that it is equal to.
    pub fn definitions(&self) -> &[(TermId, TermId)] {
        &self.definitions
    }

    /// Conjunction.
    pub fn and(&mut self, pool: &mut Pool, parts: &[TermId]) -> TermId {
        let all = pool.and(parts);
        match pool.node(all) {
            Node::And(list) if list.len() > LONG => self.name(pool, all),
            _ => all,
        }
    }

    /// Disjunction of conditions, of which at most one holds.
    pub fn join(&mut self, pool: &mut Pool, parts: &[TermId]) -> TermId {
        let mut kept: Vec<TermId> = Vec::new();
        for &part in parts {
            let mut part = part;
            // Each merge makes a shorter condition, which may merge again.
            while let Some((at, merged)) =
                kept.iter().enumerate().find_map(|(at, &other)| Some((at, merged(pool, part, other)?)))
            {
                kept.swap_remove(at);
                part = merged;
            }
            kept.push(part);
        }
        let any = pool.or(&kept);
        match pool.node(any) {
            Node::Or(_) => self.name(pool, any),
            _ => any,
        }
    }

    /// Conditions that a condition implies, names among them taken apart; sorted, not all of them if there
    /// are many.
    fn facts(&self, pool: &Pool, term: TermId) -> Vec<TermId> {
        let mut facts = pool.conjuncts(term);
        for part in facts.clone() {
            facts.extend(self.facts.get(&part).into_iter().flatten());
        }
        facts.sort_unstable();
        facts.dedup();
        facts.truncate(FACTS);
        facts
    }

    /// Whether one condition implies another because of their conjuncts, or of what names among these imply.
    pub fn implies(&self, pool: &Pool, term: TermId, weaker: TermId) -> bool {
        let (all, some) = (pool.conjuncts(term), pool.conjuncts(weaker));
        let named = |part: &TermId| {
            let mut facts = all.iter().filter_map(|name| self.facts.get(name));
            facts.any(|facts| facts.binary_search(part).is_ok())
        };
        some.iter().all(|part| all.binary_search(part).is_ok() || named(part))
    }

    fn name(&mut self, pool: &mut Pool, term: TermId) -> TermId {
        if let Some(&name) = self.by_term.get(&term) {
            return name;
        }
        let var = pool.declare(format!("path#{}", self.definitions.len() + 1), Sort::Bool);
        let name = pool.var(var);
        let facts = match pool.node(term) {
            Node::Or(parts) => {
                let each = parts.iter().map(|&part| self.facts(pool, part));
                let common = |a: Vec<TermId>, b: Vec<TermId>| {
                    a.into_iter().filter(|fact| b.binary_search(fact).is_ok()).collect()
                };
                each.reduce(common).unwrap_or_default()
            }
            _ => self.facts(pool, term),
        };
        self.facts.insert(name, facts);
        self.by_term.insert(term, name);
        self.definitions.push((name, term));
        name
    }
}

/// Whether one condition is another with more conjuncts.
pub fn includes(pool: &Pool, term: TermId, weaker: TermId) -> bool {
    let (all, some) = (pool.conjuncts(term), pool.conjuncts(weaker));
    some.iter().all(|part| all.binary_search(part).is_ok())
}

/// Whether two conditions clearly exclude each other: one denies some conjuncts of the other, or they say
/// that something has two different values.
pub fn exclusive(pool: &Pool, a: TermId, b: TermId) -> bool {
    let (a, b) = (pool.conjuncts(a), pool.conjuncts(b));
    let denies = |x: &TermId, list: &[TermId]| match *pool.node(*x) {
        Node::Not(inner) => match pool.node(inner) {
            Node::Or(parts) => parts.iter().any(|part| list.binary_search(part).is_ok()),
            _ => pool.conjuncts(inner).iter().all(|part| list.binary_search(part).is_ok()),
        },
        Node::Bool(value) => !value,
        _ => false,
    };
    let values = |list: &[TermId]| list.iter().filter_map(|&term| fixed(pool, term)).collect::<Vec<_>>();
    let (fixed_a, fixed_b) = (values(&a), values(&b));
    a.iter().any(|x| denies(x, &b))
        || b.iter().any(|y| denies(y, &a))
        || fixed_a
            .iter()
            .any(|(term, value)| fixed_b.iter().any(|(other, known)| term == other && value != known))
}

/// The term and its value, if a condition says that a term has a constant value.
fn fixed(pool: &Pool, condition: TermId) -> Option<(TermId, i128)> {
    let Node::Eq(a, b) = *pool.node(condition) else { return None };
    pool.as_const(b).map(|value| (a, value)).or_else(|| pool.as_const(a).map(|value| (b, value)))
}

/// `g && c` and `g && !c` are `g`; `g && c` and `g` are `g`.
fn merged(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    if includes(pool, a, b) {
        return Some(b);
    }
    if includes(pool, b, a) {
        return Some(a);
    }
    let (x, y) = (pool.conjuncts(a), pool.conjuncts(b));
    if x.len() != y.len() {
        return None;
    }
    let only_x: Vec<TermId> = x.iter().copied().filter(|part| y.binary_search(part).is_err()).collect();
    let only_y: Vec<TermId> = y.iter().copied().filter(|part| x.binary_search(part).is_err()).collect();
    let (&[p], &[q]) = (&only_x[..], &only_y[..]) else { return None };
    if pool.not(p) != q {
        return None;
    }
    let common: Vec<TermId> = x.into_iter().filter(|&part| part != p).collect();
    Some(pool.and(&common))
}

/// A value that depends on which of several conditions holds, where one of them does and no two do.
pub fn choose(pool: &mut Pool, cases: &[(TermId, TermId)]) -> TermId {
    let (&(_, default), rest) = cases.split_first().expect("at least one case");
    let lists: Vec<Vec<TermId>> = cases.iter().map(|&(condition, _)| pool.conjuncts(condition)).collect();
    let common = |part: &TermId| lists.iter().all(|list| list.binary_search(part).is_ok());
    let mut value = default;
    for (list, &(_, other)) in lists[1..].iter().zip(rest).filter(|(_, (_, other))| *other != default) {
        let telling: Vec<TermId> = list.iter().copied().filter(|part| !common(part)).collect();
        let condition = pool.and(&telling);
        value = pool.ite(condition, other, value);
    }
    value
}
