//! The parts of truth terms.

use super::{Node, Pool, TermId};

impl Pool {
    /// The conjuncts of a truth term; none of `true`.
    pub fn conjuncts(&self, term: TermId) -> Vec<TermId> {
        match self.node(term) {
            Node::Bool(true) => Vec::new(),
            Node::And(list) => list.to_vec(),
            _ => vec![term],
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::term::Sort;

    use super::*;

    #[test]
    fn a_term_is_the_conjunction_of_its_conjuncts() {
        let mut pool = Pool::new();
        let [a, b] = ["a", "b"].map(|name| pool.declare(name, Sort::Bool)).map(|var| pool.var(var));
        let (both, either) = (pool.and(&[a, b]), pool.or(&[a, b]));
        let [always, never] = [true, false].map(|value| pool.bool(value));
        assert_eq!(pool.conjuncts(both).len(), 2);
        for term in [a, both, either, always, never] {
            let conjuncts = pool.conjuncts(term);
            assert_eq!(pool.and(&conjuncts), term);
        }
    }
}
