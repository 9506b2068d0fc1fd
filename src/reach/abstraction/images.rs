//! Images of cubes under transitions, once known: each is a stretch of one long list.

use crate::program::TransId;
use crate::reach::cube::CubeId;

/// The cubes after a transition, in ascending order: [`Abstraction::cubes`](super::Abstraction::cubes) has
/// them. It lasts until the predicates change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Image {
    start: u32,
    end: u32,
}

/// No image ends before it starts.
const UNKNOWN: Image = Image { start: 1, end: 0 };

/// No row: the cube was not asked about.
const NO_ROW: u32 = u32::MAX;

/// Images by cube and transition.
pub(super) struct Images {
    transitions: usize,
    /// For each cube, its row in the table.
    rows: Vec<u32>,
    /// Rows of images, one for each transition.
    table: Vec<Image>,
    cubes: Vec<CubeId>,
}

impl Images {
    /// No images, for so many transitions.
    pub(super) fn new(transitions: usize) -> Images {
        Images { transitions, rows: Vec::new(), table: Vec::new(), cubes: Vec::new() }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.table.clear();
        self.cubes.clear();
    }

    /// The image of a cube, if known.
    pub(super) fn find(&self, transition: TransId, cube: CubeId) -> Option<Image> {
        let row = *self.rows.get(cube.index()).filter(|row| **row != NO_ROW)?;
        let image = self.table[row as usize * self.transitions + transition.index()];
        (image != UNKNOWN).then_some(image)
    }

    /// Keeps the image of a cube.
    pub(super) fn insert(&mut self, transition: TransId, cube: CubeId, cubes: &[CubeId]) -> Image {
        if self.rows.len() <= cube.index() {
            self.rows.resize(cube.index() + 1, NO_ROW);
        }
        if self.rows[cube.index()] == NO_ROW {
            self.rows[cube.index()] = number(self.table.len() / self.transitions);
            self.table.resize(self.table.len() + self.transitions, UNKNOWN);
        }
        let start = number(self.cubes.len());
        self.cubes.extend_from_slice(cubes);
        let image = Image { start, end: number(self.cubes.len()) };
        self.table[self.rows[cube.index()] as usize * self.transitions + transition.index()] = image;
        image
    }

    /// The cubes of an image.
    pub(super) fn cubes(&self, image: Image) -> &[CubeId] {
        &self.cubes[image.start as usize..image.end as usize]
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).expect("memory runs out before")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::cube::{Cube, Cubes, PredId};

    #[test]
    fn images_are_found_again_until_all_are_forgotten() {
        let mut cubes = Cubes::default();
        let ids: Vec<CubeId> = (0..3)
            .map(|number| {
                let mut cube = Cube::default();
                cube.set(PredId::new(number), Some(true));
                cubes.id(cube)
            })
            .collect();
        let [first, second] = [0, 1].map(TransId::new);
        let mut images = Images::new(2);
        let nothing = images.insert(first, ids[2], &[]);
        let two = images.insert(second, ids[0], &ids[1..]);
        assert_eq!((images.cubes(nothing), images.cubes(two)), (&[][..], &ids[1..]));
        assert_eq!((images.find(first, ids[2]), images.find(second, ids[0])), (Some(nothing), Some(two)));
        assert_eq!((images.find(first, ids[0]), images.find(second, ids[1])), (None, None));
        images.clear();
        assert_eq!(images.find(first, ids[2]), None);
    }
}
