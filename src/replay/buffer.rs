//! The store buffer of one thread, for TSO and PSO.
//!
//! Writes wait here in program order until they are flushed to memory. Under TSO only the oldest may be flushed. Under
//! PSO the oldest write of each place may be, unless a store-store barrier stands before it.
//!
//! Invariant: a barrier is never first and never follows another one; under PSO the writes between two barriers are
//! sorted by place (stably, so that those of one place keep their order). Equal buffers then mean equal
//! futures, which is what merging states needs.

use crate::program::MemoryModel;

/// What waits in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pending<P, V> {
    /// A write of a value to a place.
    Write(P, V),
    /// A store-store barrier; PSO only.
    Barrier,
}

/// A store buffer over places `P` and values `V`, oldest first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Buffer<P, V> {
    pending: Vec<Pending<P, V>>,
}

impl<P, V> Default for Buffer<P, V> {
    fn default() -> Buffer<P, V> {
        Buffer { pending: Vec::new() }
    }
}

impl<P: Copy + Ord, V: Copy> Buffer<P, V> {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// What waits, oldest first; under PSO writes between two barriers stand in order of their places.
    pub fn pending(&self) -> &[Pending<P, V>] {
        &self.pending
    }

    /// The buffered writes, oldest first; of two to the same place the later one comes later.
    pub fn writes(&self) -> impl Iterator<Item = (P, V)> + '_ {
        self.pending.iter().filter_map(|pending| match *pending {
            Pending::Write(place, value) => Some((place, value)),
            Pending::Barrier => None,
        })
    }

    /// The thread's own view of a place: its youngest buffered write.
    pub fn forward(&self, place: P) -> Option<V> {
        self.writes().filter(|(at, _)| *at == place).last().map(|(_, value)| value)
    }

    /// Buffers a write.
    pub fn push(&mut self, model: MemoryModel, place: P, value: V) {
        let mut at = self.pending.len();
        if model == MemoryModel::Pso {
            while let Some(Pending::Write(before, _)) = at.checked_sub(1).map(|i| &self.pending[i])
                && *before > place
            {
                at -= 1;
            }
        }
        self.pending.insert(at, Pending::Write(place, value));
    }

    /// Orders all buffered writes before all later ones. TSO does so anyway.
    pub fn store_store(&mut self, model: MemoryModel) {
        if model == MemoryModel::Pso && matches!(self.pending.last(), Some(Pending::Write(..))) {
            self.pending.push(Pending::Barrier);
        }
    }

    /// The places whose oldest buffered write may reach memory now, in order and without repetition.
    pub fn flushable(&self, model: MemoryModel) -> Vec<P> {
        let candidates = match model {
            MemoryModel::Sc | MemoryModel::Tso => 1,
            MemoryModel::Pso => self.pending.len(),
        };
        let mut places = Vec::new();
        for pending in self.pending.iter().take(candidates) {
            match *pending {
                Pending::Write(place, _) if places.last() != Some(&place) => places.push(place),
                Pending::Write(..) => {}
                Pending::Barrier => break,
            }
        }
        places
    }

    /// Takes out the oldest write of a [flushable](Self::flushable) place.
    pub fn flush(&mut self, place: P) -> V {
        let at =
            self.pending.iter().position(|pending| matches!(pending, Pending::Write(p, _) if *p == place));
        let Pending::Write(_, value) = self.pending.remove(at.expect("the place is buffered")) else {
            unreachable!("the position of a write")
        };
        if matches!(self.pending.first(), Some(Pending::Barrier)) {
            self.pending.remove(0);
        }
        value
    }

    /// Rebuilds a buffer from [`Self::pending`].
    pub(super) fn from_pending(pending: impl Iterator<Item = Pending<P, V>>) -> Buffer<P, V> {
        Buffer { pending: pending.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MemoryModel::{Pso, Tso};

    #[test]
    fn tso_flushes_in_program_order_and_forwards_the_youngest() {
        let mut buffer = Buffer::default();
        for (place, value) in [('y', 1), ('x', 2), ('y', 3)] {
            buffer.push(Tso, place, value);
        }
        buffer.store_store(Tso);
        assert_eq!(buffer.forward('y'), Some(3));
        assert_eq!(buffer.flushable(Tso), ['y']);
        assert_eq!(buffer.flush('y'), 1);
        assert_eq!(buffer.flushable(Tso), ['x']);
        buffer.flush('x');
        buffer.flush('y');
        assert!(buffer.is_empty());
    }

    #[test]
    fn pso_orders_one_place_and_respects_barriers() {
        let mut buffer = Buffer::default();
        buffer.store_store(Pso);
        assert!(buffer.is_empty(), "a barrier with nothing before it is nothing");
        for (place, value) in [('y', 1), ('x', 2), ('y', 3)] {
            buffer.push(Pso, place, value);
        }
        buffer.store_store(Pso);
        buffer.store_store(Pso);
        buffer.push(Pso, 'a', 4);
        assert_eq!(buffer.pending().len(), 5);
        assert_eq!(buffer.flushable(Pso), ['x', 'y']);
        assert_eq!(buffer.flush('y'), 1);
        assert_eq!(buffer.forward('y'), Some(3));
        assert_eq!(buffer.flush('x'), 2);
        assert_eq!(buffer.flushable(Pso), ['y'], "the barrier holds back a");
        assert_eq!(buffer.flush('y'), 3);
        assert_eq!(buffer.flushable(Pso), ['a']);
    }

    #[test]
    fn pso_buffers_that_behave_alike_are_equal() {
        let mut one = Buffer::default();
        let mut two = Buffer::default();
        one.push(Pso, 'x', 1);
        one.push(Pso, 'y', 2);
        two.push(Pso, 'y', 2);
        two.push(Pso, 'x', 1);
        assert_eq!(one, two);
    }
}
