//! Variables that some term connects: a union-find, so that what shares no variable can be asked for
//! separately.

use crate::term::VarId;

/// Variables joined into classes; each is known by its first variable.
#[derive(Clone)]
pub(super) struct Connected {
    parent: Vec<VarId>,
}

impl Connected {
    /// So many variables, each a class of its own.
    pub(super) fn new(variables: usize) -> Connected {
        Connected { parent: (0..variables).map(VarId::new).collect() }
    }

    fn root(&mut self, mut var: VarId) -> VarId {
        while self.parent[var.index()] != var {
            let above = self.parent[self.parent[var.index()].index()];
            self.parent[var.index()] = above;
            var = above;
        }
        var
    }

    /// The class of a set of joined variables; `None` for the empty set.
    pub(super) fn root_of(&mut self, vars: &[VarId]) -> Option<VarId> {
        vars.first().map(|&var| self.root(var))
    }

    /// Joins the variables of a term.
    pub(super) fn join_all(&mut self, vars: &[VarId]) {
        for pair in vars.windows(2) {
            let (a, b) = (self.root(pair[0]), self.root(pair[1]));
            self.parent[a.max(b).index()] = a.min(b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_known_by_their_first_variable() {
        let vars: Vec<VarId> = (0..6).map(VarId::new).collect();
        let mut connected = Connected::new(vars.len());
        connected.join_all(&[vars[5], vars[3]]);
        connected.join_all(&[vars[4], vars[1], vars[5]]);
        for joined in [1, 3, 4, 5] {
            assert_eq!(connected.root_of(&[vars[joined]]), Some(vars[1]));
        }
        assert_eq!(connected.root_of(&[vars[0]]), Some(vars[0]));
        assert_eq!(connected.root_of(&[vars[2]]), Some(vars[2]));
        assert_eq!(connected.root_of(&[]), None);
    }
}
