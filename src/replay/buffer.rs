//! The store buffer of one thread, for TSO and PSO.
//!
//! Writes wait here in program order until they are flushed to memory. Under TSO only the oldest may be
//! flushed. Under PSO any may be, unless an older write has a byte in common with it or a store-store barrier
//! stands before it.
//!
//! Invariant: a barrier is never first and never follows another one; under PSO the writes between two
//! barriers stand in the least order (by place, then bytes) that writes with common bytes allow. Equal
//! buffers then mean equal futures and the other way round, which is what merging states needs.

use crate::program::{Lanes, MemoryModel};

/// What waits in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pending<P, V> {
    /// A write of a value to these bytes of a place.
    Write(P, Lanes, V),
    /// A store-store barrier; PSO only.
    Barrier,
}

/// A store buffer over places `P` and values `V`, oldest first.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Buffer<P, V> {
    pending: Vec<Pending<P, V>>,
}

impl<P: Clone, V: Clone> Clone for Buffer<P, V> {
    fn clone(&self) -> Buffer<P, V> {
        Buffer { pending: self.pending.clone() }
    }

    /// Without new memory where the old is enough.
    fn clone_from(&mut self, source: &Buffer<P, V>) {
        self.pending.clone_from(&source.pending);
    }
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

    /// The buffered writes, oldest first; of two to the same bytes the later one comes later.
    pub fn writes(&self) -> impl Iterator<Item = (P, Lanes, V)> + '_ {
        self.pending.iter().filter_map(|pending| match *pending {
            Pending::Write(place, lanes, value) => Some((place, lanes, value)),
            Pending::Barrier => None,
        })
    }

    /// The thread's youngest buffered write of a place, or of some of its bytes.
    pub fn forward(&self, place: P) -> Option<V> {
        self.writes().filter(|(at, ..)| *at == place).last().map(|(.., value)| value)
    }

    /// Buffers a write.
    pub fn push(&mut self, model: MemoryModel, (place, lanes): (P, Lanes), value: V) {
        let mut at = self.pending.len();
        if model == MemoryModel::Pso {
            let passes = |pending: &Pending<P, V>| match *pending {
                Pending::Write(other, bytes, _) => other != place || !bytes.overlaps(lanes),
                Pending::Barrier => false,
            };
            let first = self.pending.iter().rposition(|pending| !passes(pending)).map_or(0, |last| last + 1);
            let greater = |pending: &Pending<P, V>| match *pending {
                Pending::Write(other, bytes, _) => (other, bytes) > (place, lanes),
                Pending::Barrier => false,
            };
            at = self.pending[first..].iter().position(greater).map_or(at, |ahead| first + ahead);
        }
        self.pending.insert(at, Pending::Write(place, lanes, value));
    }

    /// Orders all buffered writes before all later ones. TSO does so anyway.
    pub fn store_store(&mut self, model: MemoryModel) {
        if model == MemoryModel::Pso && matches!(self.pending.last(), Some(Pending::Write(..))) {
            self.pending.push(Pending::Barrier);
        }
    }

    /// The places and bytes whose buffered write may reach memory now, without repetition.
    pub fn flushable(&self, model: MemoryModel) -> Vec<(P, Lanes)> {
        let candidates = match model {
            MemoryModel::Sc | MemoryModel::Tso => 1,
            MemoryModel::Pso => self.pending.len(),
        };
        let writes = self.pending.iter().take(candidates).map_while(|pending| match *pending {
            Pending::Write(place, lanes, _) => Some((place, lanes)),
            Pending::Barrier => None,
        });
        let is_first = |&(at, (place, lanes)): &(usize, (P, Lanes))| {
            let older = &self.pending[..at];
            !older.iter().any(|older| matches!(*older, Pending::Write(other, bytes, _) if other == place && bytes.overlaps(lanes)))
        };
        writes.enumerate().filter(is_first).map(|(_, write)| write).collect()
    }

    /// Takes out the oldest write of [flushable](Self::flushable) bytes of a place.
    pub fn flush(&mut self, (place, lanes): (P, Lanes)) -> V {
        let is_it = |pending: &Pending<P, V>| matches!(pending, Pending::Write(at, bytes, _) if *at == place && *bytes == lanes);
        let at = self.pending.iter().position(is_it);
        let Pending::Write(.., value) = self.pending.remove(at.expect("the place is buffered")) else {
            unreachable!("the position of a write")
        };
        if matches!(self.pending.first(), Some(Pending::Barrier)) {
            self.pending.remove(0);
        }
        value
    }

    /// Makes it the buffer that holds this, which was [`Self::pending`] in another.
    pub fn refill(&mut self, pending: impl Iterator<Item = Pending<P, V>>) {
        self.pending.clear();
        self.pending.extend(pending);
    }
}

#[cfg(test)]
mod tests {
    use crate::random::Random;

    use super::*;
    use MemoryModel::{Pso, Tso};

    const ALL: Lanes = Lanes::ALL;

    #[test]
    fn tso_flushes_in_program_order_and_forwards_the_youngest() {
        let mut buffer = Buffer::default();
        for (place, value) in [('y', 1), ('x', 2), ('y', 3)] {
            buffer.push(Tso, (place, ALL), value);
        }
        buffer.store_store(Tso);
        assert_eq!(buffer.forward('y'), Some(3));
        assert_eq!(buffer.flushable(Tso), [('y', ALL)]);
        assert_eq!(buffer.flush(('y', ALL)), 1);
        assert_eq!(buffer.flushable(Tso), [('x', ALL)]);
        buffer.flush(('x', ALL));
        buffer.flush(('y', ALL));
        assert!(buffer.is_empty());
    }

    #[test]
    fn pso_orders_one_place_and_respects_barriers() {
        let mut buffer = Buffer::default();
        buffer.store_store(Pso);
        assert!(buffer.is_empty(), "a barrier with nothing before it is nothing");
        for (place, value) in [('y', 1), ('x', 2), ('y', 3)] {
            buffer.push(Pso, (place, ALL), value);
        }
        buffer.store_store(Pso);
        buffer.store_store(Pso);
        buffer.push(Pso, ('a', ALL), 4);
        assert_eq!(buffer.pending().len(), 5);
        assert_eq!(buffer.flushable(Pso), [('x', ALL), ('y', ALL)]);
        assert_eq!(buffer.flush(('y', ALL)), 1);
        assert_eq!(buffer.forward('y'), Some(3));
        assert_eq!(buffer.flush(('x', ALL)), 2);
        assert_eq!(buffer.flushable(Pso), [('y', ALL)], "the barrier holds back a");
        assert_eq!(buffer.flush(('y', ALL)), 3);
        assert_eq!(buffer.flushable(Pso), [('a', ALL)]);
    }

    #[test]
    fn pso_buffers_that_behave_alike_are_equal() {
        let mut one = Buffer::default();
        let mut two = Buffer::default();
        one.push(Pso, ('x', ALL), 1);
        one.push(Pso, ('y', ALL), 2);
        two.push(Pso, ('y', ALL), 2);
        two.push(Pso, ('x', ALL), 1);
        assert_eq!(one, two);
    }

    /// Buffers as textbooks have them, byte by byte: a write is a number that knows which writes it must wait
    /// for.
    #[derive(Default)]
    struct Textbook {
        /// Number, barriers before it, place, bytes, value.
        waiting: Vec<(usize, usize, usize, Lanes, u32)>,
        barriers: usize,
        count: usize,
    }

    impl Textbook {
        fn push(&mut self, (place, lanes): (usize, Lanes), value: u32) {
            self.count += 1;
            self.waiting.push((self.count, self.barriers, place, lanes, value));
        }

        fn flushable(&self, model: MemoryModel) -> Vec<(usize, Lanes)> {
            let waits = |&&(number, barriers, place, lanes, _): &&(usize, usize, usize, Lanes, u32)| {
                self.waiting.iter().any(|&(other, before, at, bytes, _)| {
                    let common = (0..8).any(|byte| bytes.contains(byte) && lanes.contains(byte));
                    other < number && (model == Tso || before < barriers || at == place && common)
                })
            };
            let mut ready: Vec<_> = self
                .waiting
                .iter()
                .filter(|it| !waits(it))
                .map(|&(_, _, at, lanes, _)| (at, lanes))
                .collect();
            ready.sort_unstable();
            ready
        }

        fn flush(&mut self, spot: (usize, Lanes)) -> u32 {
            let at = self.waiting.iter().position(|&(_, _, at, lanes, _)| (at, lanes) == spot);
            self.waiting.remove(at.expect("buffered")).4
        }

        /// The value of each byte of a place that is buffered.
        fn bytes(&self, place: usize) -> Vec<Option<u32>> {
            let youngest = |byte| {
                let it = self.waiting.iter().rev().find(|it| it.2 == place && it.3.contains(byte));
                it.map(|it| it.4)
            };
            (0..8).map(youngest).collect()
        }
    }

    #[test]
    fn buffers_are_those_of_the_textbooks() {
        let lanes = [ALL, Lanes::of([0]), Lanes::of([1]), Lanes::of([0, 1]), Lanes::of([1, 2])];
        for (seed, model) in (0..400).flat_map(|seed| [(seed, Tso), (seed, Pso)]) {
            let mut random = Random::new(seed);
            let (mut buffer, mut textbook) = (Buffer::default(), Textbook::default());
            for value in 0..30 {
                match random.below(5) {
                    0 | 1 => {
                        let spot = (random.below(3), random.pick(&lanes));
                        buffer.push(model, spot, value);
                        textbook.push(spot, value);
                    }
                    2 => {
                        buffer.store_store(model);
                        textbook.barriers += 1;
                    }
                    _ => {
                        let mut flushable = buffer.flushable(model);
                        flushable.sort_unstable();
                        assert_eq!(flushable, textbook.flushable(model), "seed {seed} {model:?}");
                        if !flushable.is_empty() {
                            let spot = random.pick(&flushable);
                            assert_eq!(buffer.flush(spot), textbook.flush(spot), "seed {seed} {model:?}");
                        }
                    }
                }
                for place in 0..3 {
                    let mut seen = vec![None; 8];
                    for (at, lanes, value) in buffer.writes().filter(|it| it.0 == place) {
                        (0..8).filter(|&byte| lanes.contains(byte)).for_each(|byte| seen[byte] = Some(value));
                        assert_eq!(at, place);
                    }
                    assert_eq!(seen, textbook.bytes(place), "seed {seed} {model:?}");
                }
                assert_eq!(buffer.is_empty(), textbook.waiting.is_empty(), "seed {seed} {model:?}");
            }
        }
    }

    /// Writes without a common byte may be made in any order: the buffer is the same.
    #[test]
    fn pso_buffers_with_the_same_future_are_equal() {
        let lanes = [ALL, Lanes::of([0]), Lanes::of([1]), Lanes::of([0, 1]), Lanes::of([2])];
        for seed in 0..400 {
            let mut random = Random::new(seed);
            let mut writes: Vec<_> =
                (0..6).map(|value| ((random.below(2), random.pick(&lanes)), value)).collect();
            let filled = |writes: &[((usize, Lanes), u32)]| {
                let mut buffer = Buffer::default();
                writes.iter().for_each(|&(spot, value)| buffer.push(Pso, spot, value));
                buffer
            };
            let before = filled(&writes);
            for _ in 0..10 {
                let at = random.below(5);
                let ((a, one), (b, two)) = (writes[at].0, writes[at + 1].0);
                if a != b || !one.overlaps(two) {
                    writes.swap(at, at + 1);
                }
            }
            assert_eq!(before, filled(&writes), "seed {seed}");
        }
    }
}
