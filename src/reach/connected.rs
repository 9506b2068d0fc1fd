//! Variables that some term connects: a union-find, so that what shares no variable can be asked for separately.

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
