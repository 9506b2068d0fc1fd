//! Abstract data states: truth values of predicates, as bits, each kept once under a small number.

use super::intern::Interner;

/// A predicate of an [`Abstraction`](super::abstraction::Abstraction).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PredId(u32);

impl PredId {
    /// Position in the list of predicates.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Truth values of predicates: those known, and which of them are true.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    known: Vec<u64>,
    truth: Vec<u64>,
}

impl Cube {
    /// The value of a predicate, if known.
    pub fn get(&self, predicate: PredId) -> Option<bool> {
        let (word, bit) = (predicate.index() / 64, 1u64 << (predicate.index() % 64));
        let known = self.known.get(word).is_some_and(|bits| bits & bit != 0);
        known.then(|| self.truth[word] & bit != 0)
    }

    /// Sets the value of a predicate.
    pub fn set(&mut self, predicate: PredId, value: Option<bool>) {
        let (word, bit) = (predicate.index() / 64, 1u64 << (predicate.index() % 64));
        if self.known.len() <= word {
            if value.is_none() {
                return;
            }
            self.known.resize(word + 1, 0);
            self.truth.resize(word + 1, 0);
        }
        match value {
            None => {
                self.known[word] &= !bit;
                self.truth[word] &= !bit;
                while self.known.last() == Some(&0) {
                    self.known.pop();
                    self.truth.pop();
                }
            }
            Some(true) => {
                self.known[word] |= bit;
                self.truth[word] |= bit;
            }
            Some(false) => {
                self.known[word] |= bit;
                self.truth[word] &= !bit;
            }
        }
    }

    /// Whether every concrete state of this cube is in the other: the other knows nothing that this does not.
    pub fn implies(&self, other: &Cube) -> bool {
        other.known.iter().enumerate().all(|(word, &known)| {
            let (own, own_truth) =
                (self.known.get(word).copied().unwrap_or(0), self.truth.get(word).copied().unwrap_or(0));
            known & !own == 0 && (own_truth ^ other.truth[word]) & known == 0
        })
    }

    /// The known predicates with their values.
    pub fn literals(&self) -> impl Iterator<Item = (PredId, bool)> + '_ {
        self.known.iter().enumerate().flat_map(move |(word, &known)| {
            (0..64u32).filter(move |bit| known >> bit & 1 != 0).map(move |bit| {
                let value = self.truth[word] >> bit & 1 != 0;
                (PredId(word as u32 * 64 + bit), value)
            })
        })
    }
}

/// A cube of a [`Cubes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CubeId(u32);

/// Cubes by number.
#[derive(Default)]
pub struct Cubes {
    cubes: Interner<Cube>,
}

impl Cubes {
    /// The number of a cube.
    pub fn id(&mut self, cube: Cube) -> CubeId {
        CubeId(self.cubes.number(cube))
    }

    /// The cube of a number.
    pub fn cube(&self, id: CubeId) -> &Cube {
        self.cubes.value(id.0)
    }
}

impl PredId {
    /// The predicate at a position.
    pub(super) fn new(index: usize) -> PredId {
        PredId(u32::try_from(index).expect("fewer than 2^32 predicates"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_set_changed_and_forgotten() {
        let mut cube = Cube::default();
        for (index, value) in [(3, true), (70, false), (128, true)] {
            cube.set(PredId::new(index), Some(value));
        }
        cube.set(PredId::new(3), Some(false));
        cube.set(PredId::new(128), None);
        let literals: Vec<(usize, bool)> = cube.literals().map(|(p, value)| (p.index(), value)).collect();
        assert_eq!(literals, [(3, false), (70, false)]);
        assert_eq!(cube.get(PredId::new(70)), Some(false));
        assert_eq!(cube.get(PredId::new(128)), None);
    }

    #[test]
    fn a_cube_implies_those_that_know_less() {
        let mut strong = Cube::default();
        strong.set(PredId::new(1), Some(true));
        let mut weak = strong.clone();
        strong.set(PredId::new(65), Some(false));
        assert!(strong.implies(&weak) && !weak.implies(&strong) && strong.implies(&strong));
        weak.set(PredId::new(1), Some(false));
        assert!(!strong.implies(&weak));
    }

    #[test]
    fn equal_cubes_have_one_number() {
        let mut cubes = Cubes::default();
        let mut cube = Cube::default();
        let empty = cubes.id(cube.clone());
        cube.set(PredId::new(64), Some(true));
        let full = cubes.id(cube.clone());
        cube.set(PredId::new(64), None);
        assert_eq!(cubes.id(cube), empty);
        assert_ne!(full, empty);
        assert_eq!(cubes.cube(empty), &Cube::default());
    }
}
