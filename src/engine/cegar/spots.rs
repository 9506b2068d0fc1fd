//! Where the threads are, packed into one number: some bits for each.

use crate::program::{LocId, Program, ThreadId};

/// A location for each thread.
pub(super) type Spots = u128;

/// How locations are packed.
pub(super) struct Packing {
    /// Of each location, its number among those of its thread, in the place of the thread.
    placed: Vec<Spots>,
    threads: Vec<Field>,
}

/// The bits of a thread.
struct Field {
    locations: Vec<LocId>,
    shift: u32,
    mask: Spots,
}

impl Packing {
    /// The packing for a program, if there are bits enough.
    pub fn of(program: &Program) -> Option<Packing> {
        let mut packing = Packing { placed: vec![0; program.locations.len()], threads: Vec::new() };
        let mut shift = 0;
        for thread in program.thread_ids() {
            let own = program.location_ids().filter(|&id| program.location(id).thread == thread);
            let locations: Vec<LocId> = own.collect();
            let bits = usize::BITS - locations.len().leading_zeros();
            if shift + bits > Spots::BITS {
                return None;
            }
            for (number, location) in locations.iter().enumerate() {
                packing.placed[location.index()] = (number as Spots) << shift;
            }
            packing.threads.push(Field { locations, shift, mask: ((1 << bits) - 1) << shift });
            shift += bits;
        }
        Some(packing)
    }

    /// Where all threads begin.
    pub fn entry(&self, program: &Program) -> Spots {
        let threads = program.thread_ids();
        threads.fold(0, |spots, thread| self.moved(spots, thread, program.thread(thread).entry))
    }

    /// Where a thread is.
    pub fn at(&self, spots: Spots, thread: ThreadId) -> LocId {
        self.threads[thread.index()].get(spots)
    }

    /// With a thread at a location.
    pub fn moved(&self, spots: Spots, thread: ThreadId, location: LocId) -> Spots {
        spots & !self.threads[thread.index()].mask | self.placed[location.index()]
    }
}

impl Field {
    fn get(&self, spots: Spots) -> LocId {
        self.locations[((spots & self.mask) >> self.shift) as usize]
    }
}
