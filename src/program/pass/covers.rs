//! Whether one of several guards always holds.
//!
//! A propositional question only: comparisons are atoms. That decides the shapes that front ends make, `g`
//! and `!g`, or `p == 1`, `p == 2`, `p != 1 && p != 2`. Answers `false` when in doubt.

use crate::term::{Node, Pool, TermId};

/// How often a disjunction is split into cases before giving up.
const MAX_SPLITS: usize = 64;

/// Whether, whenever `given` holds, one of the guards does.
pub(in crate::program) fn covers(terms: &mut Pool, given: TermId, guards: &[TermId]) -> bool {
    let mut facts = vec![given];
    for &guard in guards {
        facts.push(terms.not(guard));
    }
    refuted(terms, facts, &mut { MAX_SPLITS })
}

/// Whether the conjunction of the facts is propositionally unsatisfiable.
fn refuted(terms: &mut Pool, mut facts: Vec<TermId>, splits: &mut usize) -> bool {
    loop {
        let all = terms.and(&facts);
        if let Some(value) = terms.as_bool(all) {
            return !value;
        }
        facts = terms.conjuncts(all);
        let simpler = facts.iter().map(|&fact| simplified(terms, fact, &facts)).collect::<Vec<_>>();
        if simpler == facts {
            break;
        }
        facts = simpler;
    }
    let Some(cases) = facts.iter().filter_map(|&fact| disjuncts(terms, fact)).min_by_key(Vec::len) else {
        return false;
    };
    *splits = splits.saturating_sub(1);
    *splits > 0 && cases.into_iter().all(|case| refuted(terms, [facts.as_slice(), &[case]].concat(), splits))
}

/// A disjunction without the disjuncts that the other facts rule out; `true` if they imply it.
fn simplified(terms: &mut Pool, fact: TermId, facts: &[TermId]) -> TermId {
    let Some(cases) = disjuncts(terms, fact) else { return fact };
    if cases.iter().any(|case| facts.binary_search(case).is_ok()) {
        return terms.bool(true);
    }
    let possible: Vec<TermId> = cases
        .into_iter()
        .filter(|&case| {
            let opposite = terms.not(case);
            facts.binary_search(&opposite).is_err()
        })
        .collect();
    terms.or(&possible)
}

/// The cases of a fact that is a disjunction.
fn disjuncts(terms: &mut Pool, fact: TermId) -> Option<Vec<TermId>> {
    match terms.node(fact) {
        Node::Or(list) => Some(list.to_vec()),
        Node::Not(inner) => match terms.node(*inner) {
            Node::And(list) => {
                let list = list.to_vec();
                Some(list.into_iter().map(|conjunct| terms.not(conjunct)).collect())
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Sort, Word};

    fn word(terms: &mut Pool) -> TermId {
        let var = terms.declare("x", Sort::Word(Word::signed(32)));
        terms.var(var)
    }

    fn is(terms: &mut Pool, x: TermId, value: i128) -> TermId {
        let value = terms.constant(value, Word::signed(32));
        terms.eq(x, value)
    }

    #[test]
    fn a_switch_with_default_covers() {
        let mut terms = Pool::new();
        let (x, yes) = (word(&mut terms), terms.bool(true));
        let mut cases: Vec<TermId> = (0..40).map(|i| is(&mut terms, x, i)).collect();
        assert!(!covers(&mut terms, yes, &cases));
        let others: Vec<TermId> = cases.iter().map(|&case| terms.not(case)).collect();
        cases.push(terms.and(&others));
        assert!(covers(&mut terms, yes, &cases));
        assert!(!covers(&mut terms, yes, &cases[1..]));
        assert!(covers(&mut terms, cases[7], &cases[5..9]));
    }

    #[test]
    fn nested_conditions_cover() {
        let mut terms = Pool::new();
        let (x, yes) = (word(&mut terms), terms.bool(true));
        let (a, b) = (is(&mut terms, x, 1), is(&mut terms, x, 2));
        let (na, nb) = (terms.not(a), terms.not(b));
        let cases = [terms.and(&[a, b]), terms.and(&[a, nb]), terms.and(&[na, b]), terms.and(&[na, nb])];
        assert!(covers(&mut terms, yes, &cases));
        assert!(!covers(&mut terms, yes, &cases[..3]));
        assert!(!covers(&mut terms, yes, &[]));
    }
}
