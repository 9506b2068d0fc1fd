//! Where the threads of a view are, packed into one number: some bits for each thread, the observed one first.

use super::view::View;
use crate::program::{LocId, Program};

/// A location for each thread of a view.
pub(super) type Spots = u128;

/// How locations are packed.
pub(super) struct Packing {
    /// Of each location, its number among those of its thread.
    numbers: Vec<Spots>,
    threads: Vec<Field>,
}

/// The bits of a thread.
#[derive(Default)]
struct Field {
    locations: Vec<LocId>,
    shift: u32,
    mask: Spots,
}

impl Packing {
    /// The packing for a view, if there are bits enough.
    pub fn of(program: &Program, view: &View) -> Option<Packing> {
        let mut packing = Packing { numbers: vec![0; program.locations.len()], threads: Vec::new() };
        packing.threads.resize_with(view.environment.len() + 1, Field::default);
        for location in program.location_ids() {
            let thread = program.location(location).thread;
            let place = if thread == view.observed { Some(0) } else { view.component(thread).map(|i| i + 1) };
            let Some(place) = place else { continue };
            let locations = &mut packing.threads[place].locations;
            packing.numbers[location.index()] = locations.len() as Spots;
            locations.push(location);
        }
        let mut used = 0;
        for field in &mut packing.threads {
            let bits = usize::BITS - field.locations.len().leading_zeros();
            (field.shift, field.mask) = (used, (1 << bits) - 1);
            used += bits;
            if used > Spots::BITS {
                return None;
            }
        }
        Some(packing)
    }

    /// Where all threads begin.
    pub fn entry(&self, program: &Program, view: &View) -> Spots {
        let spots = self.observe(0, program.thread(view.observed).entry);
        view.environment.iter().enumerate().fold(spots, |spots, (component, &thread)| {
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
        self.threads[0].set(spots, self.numbers[location.index()])
    }

    /// With an environment thread at a location.
    pub fn moved(&self, spots: Spots, component: usize, location: LocId) -> Spots {
        self.threads[component + 1].set(spots, self.numbers[location.index()])
    }
}

impl Field {
    fn get(&self, spots: Spots) -> LocId {
        self.locations[((spots >> self.shift) & self.mask) as usize]
    }

    fn set(&self, spots: Spots, number: Spots) -> Spots {
        spots & !(self.mask << self.shift) | number << self.shift
    }
}
