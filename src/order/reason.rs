//! Why an order holds: sets of literals that the caller owns.

use std::fmt;

/// A literal of the caller's formula; the graph only compares it. Codes from 2^31 on are taken by the graph
/// itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atom(u32);

impl Atom {
    const OWN: u32 = 1 << 31;

    /// The literal with a code.
    ///
    /// # Panics
    /// If the code is 2^31 or more.
    pub fn new(code: u32) -> Atom {
        assert!(code < Atom::OWN, "codes of literals are below 2^31");
        Atom(code)
    }

    /// The code.
    pub fn code(self) -> u32 {
        self.0
    }

    /// The graph's own literal for its `n`-th case split.
    pub(super) fn split(n: usize) -> Atom {
        Atom(Atom::OWN + u32::try_from(n).expect("fewer than 2^31 splits"))
    }
}

impl fmt::Debug for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.checked_sub(Atom::OWN) {
            None => write!(f, "{}", self.0),
            Some(split) => write!(f, "split {split}"),
        }
    }
}

/// A set of literals that together imply something; sorted, without repetition.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Reason(Vec<Atom>);

impl Reason {
    /// No reason needed.
    pub fn always() -> Reason {
        Reason::default()
    }

    /// The literals.
    pub fn atoms(&self) -> &[Atom] {
        &self.0
    }

    /// Number of literals.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no literal is needed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a literal is in the set.
    pub fn contains(&self, atom: Atom) -> bool {
        self.0.binary_search(&atom).is_ok()
    }

    /// Whether every literal is in the other set too; then the other says nothing more.
    pub fn is_subset(&self, other: &Reason) -> bool {
        if self.len() > other.len() {
            return false;
        }
        let mut rest = other.0.iter();
        self.0.iter().all(|atom| rest.find(|&other| other >= atom) == Some(atom))
    }

    /// Adds a literal.
    pub fn insert(&mut self, atom: Atom) {
        if let Err(at) = self.0.binary_search(&atom) {
            self.0.insert(at, atom);
        }
    }

    /// Adds the literals of another set.
    pub fn extend(&mut self, other: &Reason) {
        if self.is_empty() {
            self.0.extend(&other.0);
        } else {
            other.0.iter().for_each(|&atom| self.insert(atom));
        }
    }

    /// Keeps the literals that satisfy a condition.
    pub fn retain(&mut self, keep: impl FnMut(&Atom) -> bool) {
        self.0.retain(keep);
    }
}

impl FromIterator<Atom> for Reason {
    fn from_iter<T: IntoIterator<Item = Atom>>(atoms: T) -> Reason {
        let mut atoms: Vec<Atom> = atoms.into_iter().collect();
        atoms.sort_unstable();
        atoms.dedup();
        Reason(atoms)
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// The smallest of some reasons: those of which no other one is a subset, shortest first.
pub fn core_reasons<T>(mut all: Vec<T>, reason: impl Fn(&T) -> &Reason) -> Vec<T> {
    all.sort_by(|a, b| {
        let (a, b) = (reason(a), reason(b));
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    });
    all.dedup_by(|a, b| reason(a) == reason(b));
    let mut core: Vec<T> = Vec::new();
    for candidate in all {
        if !core.iter().any(|kept| reason(kept).is_subset(reason(&candidate))) {
            core.push(candidate);
        }
    }
    core
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(atoms: &[u32]) -> Reason {
        atoms.iter().map(|&atom| Atom::new(atom)).collect()
    }

    #[test]
    fn sets_are_sets() {
        let mut a = set(&[5, 1, 5, 3]);
        assert_eq!(a, set(&[1, 3, 5]));
        assert!(set(&[1, 5]).is_subset(&a) && set(&[]).is_subset(&a) && a.is_subset(&a));
        assert!(!set(&[1, 2]).is_subset(&a) && !set(&[6]).is_subset(&a) && !set(&[0]).is_subset(&a));
        a.extend(&set(&[4, 5]));
        assert_eq!(a, set(&[1, 3, 4, 5]));
    }

    #[test]
    fn subsumed_reasons_go() {
        let all = vec![set(&[1, 2, 3]), set(&[2, 3]), set(&[4]), set(&[1, 4]), set(&[2, 3]), set(&[1, 5])];
        assert_eq!(core_reasons(all, |r| r), vec![set(&[4]), set(&[1, 5]), set(&[2, 3])]);
    }
}
