//! Updates that nobody reads go.
//!
//! An update of a private variable goes where the variable is not live (`liveness.rs`); an update of a shared
//! variable goes when no thread reads the variable anywhere. What was written does not matter, so
//! nondeterministic updates go too. The transitions stay as steps. Then the program is numbered anew without
//! what is unused (`compact.rs`).

use super::super::Program;
use super::access::Accesses;
use super::compact;
use super::liveness::Liveness;

pub(super) fn run(mut program: Program) -> Program {
    drop_unread(&mut program);
    let liveness = Liveness::of(&program);
    let shared: Vec<bool> = program.variable_ids().map(|var| program.is_shared(var)).collect();
    for transition in &mut program.transitions {
        let to = transition.to;
        transition.updates.retain(|update| {
            let var = update.place.var;
            shared[var.index()] || liveness.is_live(to, var)
        });
    }
    compact::run(program)
}

/// Drops the updates of variables that nobody reads anywhere.
fn drop_unread(program: &mut Program) {
    let accesses = Accesses::of(program);
    let mut read = vec![false; program.variables.len()];
    for thread in program.thread_ids() {
        accesses.reads(thread).iter().for_each(|var| read[var.index()] = true);
    }
    for transition in &mut program.transitions {
        transition.updates.retain(|update| read[update.place.var.index()]);
    }
}
