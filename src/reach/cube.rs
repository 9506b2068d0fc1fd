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

/// Truth values of predicates: for each 64 of them, which are known, and which of these are true. The first
/// 64 are at hand without an allocation; most programs need no more.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    first: Bits,
    /// The last of them knows something.
    rest: Vec<Bits>,
}

/// 64 predicates. What is not known is not true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
struct Bits {
    known: u64,
    truth: u64,
}

impl Bits {
    fn within(self, mask: Bits) -> Bits {
        Bits { known: self.known & mask.known, truth: self.truth & mask.known }
    }

    fn without(self, mask: Bits) -> Bits {
        Bits { known: self.known & !mask.known, truth: self.truth & !mask.known }
    }

    fn with(self, change: Bits) -> Bits {
        let kept = self.without(change);
        Bits { known: kept.known | change.known, truth: kept.truth | change.truth }
    }

    fn implies(self, other: Bits) -> bool {
        other.known & !self.known == 0 && (self.truth ^ other.truth) & other.known == 0
    }
}

impl Cube {
    fn word(&self, word: usize) -> Bits {
        match word.checked_sub(1) {
            None => self.first,
            Some(further) => self.rest.get(further).copied().unwrap_or_default(),
        }
    }

    fn words(&self) -> impl Iterator<Item = Bits> + '_ {
        std::iter::once(self.first).chain(self.rest.iter().copied())
    }

    /// The value of a predicate, if known.
    pub fn get(&self, predicate: PredId) -> Option<bool> {
        let (word, bit) = predicate.place();
        let bits = self.word(word);
        (bits.known & bit != 0).then_some(bits.truth & bit != 0)
    }

    /// Sets the value of a predicate.
    pub fn set(&mut self, predicate: PredId, value: Option<bool>) {
        let (word, bit) = predicate.place();
        let bits = match word.checked_sub(1) {
            None => &mut self.first,
            Some(further) => {
                if self.rest.len() <= further {
                    if value.is_none() {
                        return;
                    }
                    self.rest.resize(further + 1, Bits::default());
                }
                &mut self.rest[further]
            }
        };
        *bits = bits.without(Bits { known: bit, truth: 0 });
        match value {
            Some(true) => *bits = bits.with(Bits { known: bit, truth: bit }),
            Some(false) => *bits = bits.with(Bits { known: bit, truth: 0 }),
            None => self.trim(),
        }
    }

    fn trim(&mut self) {
        while self.rest.last().is_some_and(|bits| bits.known == 0) {
            self.rest.pop();
        }
    }

    /// Sets the predicates that another cube knows to its values.
    pub fn change(&mut self, change: &Cube) {
        self.first = self.first.with(change.first);
        if self.rest.len() < change.rest.len() {
            self.rest.resize(change.rest.len(), Bits::default());
        }
        for (own, change) in self.rest.iter_mut().zip(&change.rest) {
            *own = own.with(*change);
        }
    }

    /// Forgets the predicates that another cube knows.
    pub fn forget(&mut self, mask: &Cube) {
        self.first = self.first.without(mask.first);
        for (own, mask) in self.rest.iter_mut().zip(&mask.rest) {
            *own = own.without(*mask);
        }
        self.trim();
    }

    /// What this cube says of the predicates that another one knows.
    pub fn within(&self, mask: &Cube) -> Cube {
        let rest = self.rest.iter().zip(&mask.rest).map(|(own, mask)| own.within(*mask)).collect();
        let mut cube = Cube { first: self.first.within(mask.first), rest };
        cube.trim();
        cube
    }

    /// The cube that knows the same predicates, and has them false.
    fn mask(&self) -> Cube {
        let mask = |bits: &Bits| Bits { truth: 0, ..*bits };
        Cube { first: mask(&self.first), rest: self.rest.iter().map(mask).collect() }
    }

    /// Whether every concrete state of this cube is in the other: the other knows nothing that this does not.
    pub fn implies(&self, other: &Cube) -> bool {
        other.words().enumerate().all(|(word, other)| self.word(word).implies(other))
    }

    /// The known predicates with their values.
    pub fn literals(&self) -> impl Iterator<Item = (PredId, bool)> + '_ {
        self.words().enumerate().flat_map(move |(word, bits)| {
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

    /// Where a cube keeps it: which 64, and the bit among them.
    fn place(self) -> (usize, u64) {
        (self.index() / 64, 1 << (self.index() % 64))
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
    fn changes_and_what_is_forgotten() {
        let cube = |literals: &[(usize, bool)]| {
            let mut cube = Cube::default();
            literals.iter().for_each(|&(index, value)| cube.set(PredId::new(index), Some(value)));
            cube
        };
        let mut changed = cube(&[(0, true), (1, true)]);
        changed.change(&cube(&[(1, false), (63, true), (130, false)]));
        assert_eq!(changed, cube(&[(0, true), (1, false), (63, true), (130, false)]));
        changed.forget(&cube(&[(0, false), (2, true), (130, true)]));
        assert_eq!(changed, cube(&[(1, false), (63, true)]));
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
