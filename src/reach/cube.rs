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

/// Truth values of predicates: for each 64 of them, which are known, and which of these are true.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    words: Vec<Bits>,
}

/// 64 predicates. What is not known is not true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
struct Bits {
    known: u64,
    truth: u64,
}

impl Cube {
    /// The value of a predicate, if known.
    pub fn get(&self, predicate: PredId) -> Option<bool> {
        let (word, bit) = (predicate.index() / 64, 1u64 << (predicate.index() % 64));
        let bits = self.words.get(word).filter(|bits| bits.known & bit != 0)?;
        Some(bits.truth & bit != 0)
    }

    /// Sets the value of a predicate.
    pub fn set(&mut self, predicate: PredId, value: Option<bool>) {
        let (word, bit) = (predicate.index() / 64, 1u64 << (predicate.index() % 64));
        if self.words.len() <= word {
            if value.is_none() {
                return;
            }
            self.words.resize(word + 1, Bits::default());
        }
        let bits = &mut self.words[word];
        bits.known |= bit;
        bits.truth |= bit;
        if value != Some(true) {
            bits.truth &= !bit;
        }
        if value.is_none() {
            bits.known &= !bit;
            self.trim();
        }
    }

    fn trim(&mut self) {
        while self.words.last().is_some_and(|bits| bits.known == 0) {
            self.words.pop();
        }
    }

    /// What this cube says of the predicates that another one knows.
    pub fn within(&self, mask: &Cube) -> Cube {
        let pairs = self.words.iter().zip(&mask.words);
        let words = pairs
            .map(|(own, mask)| Bits { known: own.known & mask.known, truth: own.truth & mask.known })
            .collect();
        let mut cube = Cube { words };
        cube.trim();
        cube
    }

    /// The cube that knows the same predicates, and has them false.
    fn mask(&self) -> Cube {
        Cube { words: self.words.iter().map(|bits| Bits { truth: 0, ..*bits }).collect() }
    }

    /// Whether every concrete state of this cube is in the other: the other knows nothing that this does not.
    pub fn implies(&self, other: &Cube) -> bool {
        other.words.iter().enumerate().all(|(word, other)| {
            let own = self.words.get(word).copied().unwrap_or_default();
            other.known & !own.known == 0 && (own.truth ^ other.truth) & other.known == 0
        })
    }

    /// The known predicates with their values.
    pub fn literals(&self) -> impl Iterator<Item = (PredId, bool)> + '_ {
        self.words.iter().enumerate().flat_map(move |(word, &bits)| {
            (0..64u32).filter(move |bit| bits.known >> bit & 1 != 0).map(move |bit| {
                let value = bits.truth >> bit & 1 != 0;
                (PredId(word as u32 * 64 + bit), value)
            })
        })
    }
}

/// A cube of a [`Cubes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CubeId(u32);

impl CubeId {
    /// Position among the cubes.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of predicates that cubes of a [`Cubes`] know.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MaskId(u32);

/// Cubes by number.
#[derive(Default)]
pub struct Cubes {
    cubes: Interner<Cube>,
    masks: Interner<Cube>,
    /// For each cube, what it knows.
    mask_of: Vec<MaskId>,
}

impl Cubes {
    /// The number of a cube.
    pub fn id(&mut self, cube: Cube) -> CubeId {
        if let Some(known) = self.cubes.find(&cube) {
            return CubeId(known);
        }
        self.mask_of.push(MaskId(self.masks.number(cube.mask())));
        CubeId(self.cubes.number(cube))
    }

    /// The cube of a number.
    pub fn cube(&self, id: CubeId) -> &Cube {
        self.cubes.value(id.0)
    }

    /// Which predicates a cube knows.
    pub fn mask(&self, id: CubeId) -> MaskId {
        self.mask_of[id.index()]
    }

    /// What a cube says of some predicates, if it knows them all and there is such a cube.
    pub fn weaker(&self, id: CubeId, mask: MaskId) -> Option<CubeId> {
        if self.mask(id) == mask {
            return Some(id);
        }
        let weaker = self.cube(id).within(self.masks.value(mask.0));
        self.cubes.find(&weaker).map(CubeId).filter(|&weaker| self.mask(weaker) == mask)
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
    fn weaker_cubes_are_found_by_what_they_know() {
        let mut cubes = Cubes::default();
        let mut cube = Cube::default();
        cube.set(PredId::new(1), Some(true));
        let weak = cubes.id(cube.clone());
        cube.set(PredId::new(70), Some(false));
        let strong = cubes.id(cube.clone());
        cube.set(PredId::new(1), Some(false));
        let other = cubes.id(cube);
        assert_eq!(cubes.weaker(strong, cubes.mask(weak)), Some(weak));
        assert_eq!(cubes.weaker(other, cubes.mask(weak)), None);
        assert_eq!(cubes.weaker(weak, cubes.mask(strong)), None);
        assert_eq!(cubes.mask(strong), cubes.mask(other));
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
