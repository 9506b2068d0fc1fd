//! Who may move: the one place that knows what atomic locations mean.
//!
//! A thread may move unless another one stands at an atomic location. So a thread in an atomic section moves
//! alone. Two threads that stand at atomic locations exclude each other, and nobody moves any more. That can
//! only be so from the beginning, at atomic entries, since nobody enters a section while another thread is in
//! one.

use std::ops::Range;

use super::{LocId, Program};

/// Of so many threads those that may move, when `atomic` tells who stands at an atomic location: all, one, or
/// none.
pub fn movers(threads: usize, mut atomic: impl FnMut(usize) -> bool) -> Range<usize> {
    match (0..threads).find(|&thread| atomic(thread)) {
        None => 0..threads,
        Some(alone) if (alone + 1..threads).any(atomic) => 0..0,
        Some(alone) => alone..alone + 1,
    }
}

impl Program {
    /// The positions of the threads that may move when each stands here.
    pub fn movers(&self, locations: &[LocId]) -> Range<usize> {
        movers(locations.len(), |thread| self.location(locations[thread]).atomic)
    }
}

#[cfg(test)]
mod tests {
    use super::movers;

    #[test]
    fn a_thread_in_an_atomic_section_excludes_all_others() {
        let of = |atomic: [bool; 3]| movers(3, |thread| atomic[thread]);
        assert_eq!(of([false, false, false]), 0..3);
        assert_eq!(of([false, true, false]), 1..2);
        assert_eq!(of([false, false, true]), 2..3);
        assert_eq!(of([true, false, true]), 0..0);
        assert_eq!(of([true, true, true]), 0..0);
    }
}
