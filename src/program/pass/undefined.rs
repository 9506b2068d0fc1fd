//! Steps to undefined behaviour go: runs are considered up to it.
//!
//! No pass of the list, since it changes what is reachable: whoever asks for it takes undefined behaviour for
//! something that does not happen. Who would take such a step stops, inside of atomic sections too.

use std::sync::Arc;

use super::super::{Mark, Program};

/// The program without the steps to undefined behaviour.
pub fn without_undefined(mut program: Program) -> Program {
    let Program { transitions, locations, .. } = &mut program;
    transitions
        .retain(|transition| !matches!(locations[transition.to.index()].mark, Some(Mark::Undefined(_))));
    for call in transitions.iter().filter_map(|transition| transition.call.as_ref()) {
        locations[call.misuse.index()].mark = None;
    }
    program.reindex();
    program.unbounded =
        program.unbounded.map(|unbounded| Arc::new(without_undefined(Arc::unwrap_or_clone(unbounded))));
    program
}
