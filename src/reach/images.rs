//! Images of states of data under transitions, once known: each is a stretch of one long list.

use crate::program::TransId;

/// The states of data after a transition, in ascending order; [`Images::states`] has them. It lasts until
/// they are cleared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Image {
    start: u32,
    end: u32,
}

/// No image ends before it starts.
const UNKNOWN: Image = Image { start: 1, end: 0 };

/// No row: the state was not asked about.
const NO_ROW: u32 = u32::MAX;

/// Images by state and transition. States have numbers.
pub struct Images<S> {
    transitions: usize,
    /// For each state, its row in the table.
    rows: Vec<u32>,
    /// Rows of images, one for each transition.
    table: Vec<Image>,
    states: Vec<S>,
}

impl<S: Copy> Images<S> {
    /// No images, for so many transitions.
    pub fn new(transitions: usize) -> Images<S> {
        Images { transitions, rows: Vec::new(), table: Vec::new(), states: Vec::new() }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.table.clear();
        self.states.clear();
    }

    /// The image of the state of this number, if known.
    pub fn find(&self, transition: TransId, state: usize) -> Option<Image> {
        let row = *self.rows.get(state).filter(|row| **row != NO_ROW)?;
        let image = self.table[row as usize * self.transitions + transition.index()];
        (image != UNKNOWN).then_some(image)
    }

    /// Keeps the image of the state of this number.
    pub fn insert(&mut self, transition: TransId, state: usize, after: &[S]) -> Image {
        if self.rows.len() <= state {
            self.rows.resize(state + 1, NO_ROW);
        }
        if self.rows[state] == NO_ROW {
            self.rows[state] = number(self.table.len() / self.transitions);
            self.table.resize(self.table.len() + self.transitions, UNKNOWN);
        }
        let start = number(self.states.len());
        self.states.extend_from_slice(after);
        let image = Image { start, end: number(self.states.len()) };
        self.table[self.rows[state] as usize * self.transitions + transition.index()] = image;
        image
    }

    /// The states of an image.
    pub fn states(&self, image: Image) -> &[S] {
        &self.states[image.start as usize..image.end as usize]
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).expect("memory runs out before")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_found_again_until_all_are_forgotten() {
        let [first, second] = [0, 1].map(TransId::new);
        let mut images = Images::new(2);
        let nothing = images.insert(first, 2, &[]);
        let two = images.insert(second, 0, &[10, 20]);
        assert_eq!((images.states(nothing), images.states(two)), (&[][..], &[10, 20][..]));
        assert_eq!((images.find(first, 2), images.find(second, 0)), (Some(nothing), Some(two)));
        assert_eq!((images.find(first, 0), images.find(second, 1)), (None, None));
        images.clear();
        assert_eq!(images.find(first, 2), None);
    }
}
