//! Images of cubes under transitions, once known: each is a stretch of one long list.

use rustc_hash::FxHashMap;

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

/// With so many transitions a cube meets most of them; long programs have cubes that meet a few.
const FEW: usize = 200;

/// Images by cube and transition.
pub(super) struct Images {
    known: Known,
    cubes: Vec<CubeId>,
}

/// Which images are known.
enum Known {
    /// Rows of images, one for each transition.
    Dense { transitions: usize, rows: Vec<u32>, table: Vec<Image> },
    /// Those that were asked for.
    Sparse(FxHashMap<(CubeId, TransId), Image>),
}

impl Images {
    /// No images, for so many transitions.
    pub(super) fn new(transitions: usize) -> Images {
        let known = match transitions <= FEW {
            true => Known::Dense { transitions, rows: Vec::new(), table: Vec::new() },
            false => Known::Sparse(FxHashMap::default()),
        };
        Images { known, cubes: Vec::new() }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        match &mut self.known {
            Known::Dense { rows, table, .. } => {
                rows.clear();
                table.clear();
            }
            Known::Sparse(images) => images.clear(),
        }
        self.cubes.clear();
    }

    /// The image of a cube, if known.
    pub(super) fn find(&self, transition: TransId, cube: CubeId) -> Option<Image> {
        match &self.known {
            Known::Dense { transitions, rows, table } => {
                let row = *rows.get(cube.index()).filter(|row| **row != NO_ROW)?;
                let image = table[row as usize * transitions + transition.index()];
                (image != UNKNOWN).then_some(image)
            }
            Known::Sparse(images) => images.get(&(cube, transition)).copied(),
        }
    }

    /// Keeps the image of a cube.
    pub(super) fn insert(&mut self, transition: TransId, cube: CubeId, cubes: &[CubeId]) -> Image {
        let start = number(self.cubes.len());
        self.cubes.extend_from_slice(cubes);
        let image = Image { start, end: number(self.cubes.len()) };
        match &mut self.known {
            Known::Dense { transitions, rows, table } => {
                if rows.len() <= cube.index() {
                    rows.resize(cube.index() + 1, NO_ROW);
                }
                if rows[cube.index()] == NO_ROW {
                    rows[cube.index()] = number(table.len() / *transitions);
                    table.resize(table.len() + *transitions, UNKNOWN);
                }
                table[rows[cube.index()] as usize * *transitions + transition.index()] = image;
            }
            Known::Sparse(images) => {
                images.insert((cube, transition), image);
            }
        }
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
        for mut images in [Images::new(2), Images::new(FEW + 1)] {
            let nothing = images.insert(first, ids[2], &[]);
            let two = images.insert(second, ids[0], &ids[1..]);
            assert_eq!((images.cubes(nothing), images.cubes(two)), (&[][..], &ids[1..]));
            assert_eq!((images.find(first, ids[2]), images.find(second, ids[0])), (Some(nothing), Some(two)));
            assert_eq!((images.find(first, ids[0]), images.find(second, ids[1])), (None, None));
            images.clear();
            assert_eq!(images.find(first, ids[2]), None);
        }
    }
}
