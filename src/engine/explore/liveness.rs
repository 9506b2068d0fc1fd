//! What a thread may forget: the value of a private variable that is not live any more is set to zero, so
//! that states do not differ by what nothing depends on.

use crate::program::pass::Liveness;
use crate::program::{Program, Role, TransId};
use crate::term::VarId;

/// The private variables whose value matters before a transition, or is set by it, but does not matter after
/// it.
pub(super) fn forgotten(liveness: &Liveness, program: &Program, id: TransId) -> Vec<VarId> {
    let transition = program.transition(id);
    let thread = program.thread_of(id);
    let written = |var| transition.updates.iter().any(|update| update.place.var == var);
    program
        .variable_ids()
        .filter(|&var| program.variable(var).role == Role::Private(thread))
        .filter(|&var| liveness.is_live(transition.from, var) || written(var))
        .filter(|&var| !liveness.is_live(transition.to, var))
        .collect()
}

/// The private variables whose initial value never matters.
pub(super) fn useless(liveness: &Liveness, program: &Program) -> Vec<VarId> {
    program
        .variable_ids()
        .filter(|&var| match program.variable(var).role {
            Role::Private(thread) => !liveness.is_live(program.thread(thread).entry, var),
            Role::Shared | Role::Input => false,
        })
        .collect()
}
