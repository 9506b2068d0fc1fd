//! Variables that some term connects: a union-find, so that what shares no variable can be asked for separately.

use std::collections::BTreeMap;

use crate::term::VarId;

/// Variables joined into classes.
#[derive(Default)]
pub(super) struct Connected {
    parent: BTreeMap<VarId, VarId>,
}

impl Connected {
    fn root(&mut self, var: VarId) -> VarId {
        let parent = *self.parent.entry(var).or_insert(var);
        if parent == var {
            return var;
        }
        let root = self.root(parent);
        self.parent.insert(var, root);
        root
    }

    /// The class of a set of joined variables; `None` for the empty set.
    pub(super) fn root_of(&mut self, vars: &[VarId]) -> Option<VarId> {
        vars.first().map(|&var| self.root(var))
    }

    /// Joins the variables of a term.
    pub(super) fn join_all(&mut self, vars: &[VarId]) {
        for pair in vars.windows(2) {
            let (a, b) = (self.root(pair[0]), self.root(pair[1]));
            self.parent.insert(a.max(b), a.min(b));
        }
    }
}
