//! Liveness of private variables: predicates about values that are never read again only multiply abstract states.

use std::collections::BTreeSet;

use crate::program::{Program, Role};
use crate::term::VarId;

/// For each location, the private variables whose value may still be read.
pub fn live_variables(program: &Program) -> Vec<BTreeSet<VarId>> {
    let mut live: Vec<BTreeSet<VarId>> = vec![BTreeSet::new(); program.locations.len()];
    let private = |var: &VarId| matches!(program.variable(*var).role, Role::Private(_));
    if !program.variable_ids().any(|var| private(&var)) {
        return live;
    }
    let reads: Vec<Vec<VarId>> = program
        .transitions
        .iter()
        .map(|step| step.terms().flat_map(|term| program.terms.vars(term)).filter(private).collect())
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (step, reads) in program.transitions.iter().zip(&reads).rev() {
            let mut before = live[step.to.index()].clone();
            for update in step.updates.iter().filter(|update| update.place.index.is_none()) {
                before.remove(&update.place.var);
            }
            before.extend(reads);
            let here = &mut live[step.from.index()];
            let size = here.len();
            here.extend(before);
            changed |= here.len() != size;
        }
    }
    live
}
