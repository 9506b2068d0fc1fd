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
    pub fn from_pending(pending: impl Iterator<Item = Pending<P, V>>) -> Buffer<P, V> {
        Buffer { pending: pending.collect() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, VecDeque};

    use crate::random::Random;

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

    /// Buffers as textbooks have them: one queue for TSO; for PSO a queue for each place, whose writes are numbered by the barriers
    /// before them.
    #[derive(Default)]
    struct Textbook {
        queue: VecDeque<(usize, u32)>,
        queues: BTreeMap<usize, VecDeque<(usize, u32)>>,
        barriers: usize,
    }

    impl Textbook {
        fn push(&mut self, place: usize, value: u32) {
            self.queue.push_back((place, value));
            self.queues.entry(place).or_default().push_back((self.barriers, value));
        }

        fn flushable(&self, model: MemoryModel) -> Vec<usize> {
            let oldest = self.queues.values().flatten().map(|(number, _)| *number).min();
            let first = |queue: &VecDeque<(usize, u32)>| queue.front().map(|(number, _)| *number);
            match model {
                Pso => {
                    let ready =
                        self.queues.iter().filter(|(_, queue)| oldest.is_some() && first(queue) == oldest);
                    ready.map(|(place, _)| *place).collect()
                }
                _ => self.queue.front().map(|(place, _)| *place).into_iter().collect(),
            }
        }

        fn flush(&mut self, place: usize) -> u32 {
            let at = self.queue.iter().position(|(at, _)| *at == place).expect("buffered");
            self.queue.remove(at);
            self.queues.get_mut(&place).and_then(VecDeque::pop_front).expect("buffered").1
        }

        fn youngest(&self, place: usize) -> Option<u32> {
            self.queues.get(&place)?.back().map(|(_, value)| *value)
        }
    }

    #[test]
    fn buffers_are_those_of_the_textbooks() {
        for (seed, model) in (0..400).flat_map(|seed| [(seed, Tso), (seed, Pso)]) {
            let mut random = Random::new(seed);
            let (mut buffer, mut textbook) = (Buffer::default(), Textbook::default());
            for value in 0..30 {
                match random.below(5) {
                    0 | 1 => {
                        let place = random.below(3);
                        buffer.push(model, place, value);
                        textbook.push(place, value);
                    }
                    2 => {
                        buffer.store_store(model);
                        textbook.barriers += 1;
                    }
                    _ => {
                        let flushable = buffer.flushable(model);
                        assert_eq!(flushable, textbook.flushable(model), "seed {seed} {model:?}");
                        if !flushable.is_empty() {
                            let place = random.pick(&flushable);
                            assert_eq!(buffer.flush(place), textbook.flush(place), "seed {seed} {model:?}");
                        }
                    }
                }
                assert_eq!([0, 1, 2].map(|at| buffer.forward(at)), [0, 1, 2].map(|at| textbook.youngest(at)));
                assert_eq!(buffer.is_empty(), textbook.queue.is_empty(), "seed {seed} {model:?}");
            }
        }
    }
}
