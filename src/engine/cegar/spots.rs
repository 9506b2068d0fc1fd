//! Where the threads of a view are, packed into one number: some bits for each thread, the observed one
//! first.

use super::view::View;
use crate::program::{LocId, Program, ThreadId};

/// A location for each thread of a view.
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
    /// The packing for an observed thread and its environment, if there are bits enough.
    pub fn of(program: &Program, observed: ThreadId, environment: &[ThreadId]) -> Option<Packing> {
        let mut packing = Packing { placed: vec![0; program.locations.len()], threads: Vec::new() };
        let mut shift = 0;
        for &thread in std::iter::once(&observed).chain(environment) {
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
    pub fn entry(&self, program: &Program, view: &View) -> Spots {
        let spots = self.observe(0, program.thread(view.observed).entry);
        view.control.threads.iter().enumerate().fold(spots, |spots, (component, &thread)| {
            self.moved(spots, component, program.thread(thread).entry)
        })
    }

    /// Where the observed thread is.
    pub fn observed(&self, spots: Spots) -> LocId {
        self.threads[0].get(spots)
    }

    /// Where an environment thread is.
    pub fn at(&self, spots: Spots, component: usize) -> LocId {
        self.threads[component + 1].get(spots)
    }

    /// With the observed thread at a location.
    pub fn observe(&self, spots: Spots, location: LocId) -> Spots {
        spots & !self.threads[0].mask | self.placed[location.index()]
    }

    /// With an environment thread at a location.
    pub fn moved(&self, spots: Spots, component: usize, location: LocId) -> Spots {
        spots & !self.threads[component + 1].mask | self.placed[location.index()]
    }
}

impl Field {
    fn get(&self, spots: Spots) -> LocId {
        self.locations[((spots & self.mask) >> self.shift) as usize]
    }
}
