//! Shared variables that only one thread accesses become private to it.
//!
//! Nobody else observes them, so it makes no difference whether their writes wait in a store buffer: the
//! thread itself always reads its latest write. Accesses to them are local steps from now on.

use super::super::{Program, Role, ThreadId};
use super::access::Accesses;

pub(super) fn run(mut program: Program) -> Program {
    let accesses = Accesses::of(&program);
    let mut users: Vec<Users> = vec![Users::Nobody; program.variables.len()];
    for thread in program.thread_ids() {
        for var in accesses.reads(thread).iter().chain(accesses.writes(thread)) {
            users[var.index()] = match users[var.index()] {
                Users::Nobody => Users::One(thread),
                Users::One(other) if other == thread => Users::One(thread),
                _ => Users::Many,
            };
        }
    }
    for (variable, users) in program.variables.iter_mut().zip(users) {
        if let (Role::Shared, Users::One(thread)) = (variable.role, users) {
            variable.role = Role::Private(thread);
        }
    }
    program
}

#[derive(Clone, Copy)]
enum Users {
    Nobody,
    One(ThreadId),
    Many,
}
