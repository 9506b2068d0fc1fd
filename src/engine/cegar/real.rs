//! Paths whose data and control flow are in order: what they mean.

use crate::program::{LocId, Program, TransId};

/// The atomic location where a thread stands while another one moves, if that happens in a path.
pub(super) fn intrusion(program: &Program, path: &[TransId]) -> Option<LocId> {
    let mut at: Vec<LocId> = program.threads.iter().map(|thread| thread.entry).collect();
    for &id in path {
        let thread = program.thread_of(id);
        let others = at.iter().enumerate().filter(|(other, _)| *other != thread.index());
        if let Some((_, &atomic)) = others.into_iter().find(|(_, at)| program.location(**at).atomic) {
            return Some(atomic);
        }
        at[thread.index()] = program.transition(id).to;
    }
    None
}

/// The last location of a path, if the program's meaning ends there.
pub(super) fn meaning_ends(program: &Program, path: &[TransId]) -> Option<LocId> {
    let last = end(program, path);
    program.location(last).ends_meaning().then_some(last)
}

fn end(program: &Program, path: &[TransId]) -> LocId {
    program.transition(*path.last().expect("an initial location is no target")).to
}
