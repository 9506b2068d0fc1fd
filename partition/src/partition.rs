//! Partitions of control locations, and the mismatches that ask for them.
//!
//! The paper's `f≡` is [`Partition::class`], one function per component. Class names are canonical: the first
//! location of a component is in class 0, and each later one is in a class that occurred before it or in the
//! next new one. Equal partitions therefore have equal names, and `==` compares partitions, not names.

use std::fmt;

/// `ℓ ≢ ℓ'`: two different locations of one component that a spurious path confuses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Mismatch {
    component: usize,
    low: usize,
    high: usize,
}

impl Mismatch {
    /// The mismatch of two locations, in either order.
    ///
    /// # Panics
    ///
    /// If the locations are the same: nothing separates a location from itself.
    pub fn new(component: usize, l: usize, other: usize) -> Mismatch {
        assert_ne!(l, other, "a location does not mismatch itself");
        Mismatch { component, low: l.min(other), high: l.max(other) }
    }

    /// The component that both locations belong to.
    pub fn component(&self) -> usize {
        self.component
    }

    /// The two locations, the smaller one first.
    pub fn locations(&self) -> [usize; 2] {
        [self.low, self.high]
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}≢{}", self.component, self.low, self.high)
    }
}

/// A partition of the locations of each component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    /// Per component, per location: its class.
    classes: Vec<Vec<usize>>,
}

impl Partition {
    /// The coarsest one: per component a single class. `sizes` are the numbers of locations.
    pub fn coarsest(sizes: &[usize]) -> Partition {
        Partition { classes: sizes.iter().map(|&n| vec![0; n]).collect() }
    }

    /// The class of a location.
    pub fn class(&self, component: usize, location: usize) -> usize {
        self.classes[component][location]
    }

    /// How many components there are.
    pub fn components(&self) -> usize {
        self.classes.len()
    }

    /// How many classes a component has. Their names are the numbers below.
    pub fn classes_of(&self, component: usize) -> usize {
        self.classes[component].iter().max().map_or(0, |&highest| highest + 1)
    }

    /// The number of classes of all components together.
    pub fn total(&self) -> usize {
        (0..self.components()).map(|component| self.classes_of(component)).sum()
    }

    /// The locations of each class of a component, ascending.
    pub fn members(&self, component: usize) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.classes_of(component)];
        for (location, &class) in self.classes[component].iter().enumerate() {
            members[class].push(location);
        }
        members
    }

    /// Whether the two locations are in different classes.
    pub fn separates(&self, mismatch: &Mismatch) -> bool {
        let classes = &self.classes[mismatch.component];
        classes[mismatch.low] != classes[mismatch.high]
    }

    /// Replaces the classes of one component; `codes` are arbitrary names of its classes.
    pub(crate) fn assign(&mut self, component: usize, codes: &[usize]) {
        debug_assert_eq!(self.classes[component].len(), codes.len());
        let mut seen: Vec<usize> = Vec::new();
        for (class, code) in self.classes[component].iter_mut().zip(codes) {
            *class = seen.iter().position(|known| known == code).unwrap_or_else(|| {
                seen.push(*code);
                seen.len() - 1
            });
        }
    }
}

/// `{0,3} {1} {2,4}`; a bar between components.
impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for component in 0..self.components() {
            if component > 0 {
                write!(f, " | ")?;
            }
            for (class, members) in self.members(component).iter().enumerate() {
                let members: Vec<String> = members.iter().map(usize::to_string).collect();
                let space = if class > 0 { " " } else { "" };
                write!(f, "{space}{{{}}}", members.join(","))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_canonical() {
        let mut one = Partition::coarsest(&[5]);
        let mut other = one.clone();
        one.assign(0, &[7, 2, 9, 7, 9]);
        other.assign(0, &[1, 0, 4, 1, 4]);
        assert_eq!(one, other);
        assert_eq!(one.to_string(), "{0,3} {1} {2,4}");
        assert_eq!((one.classes_of(0), one.total()), (3, 3));
    }

    #[test]
    fn components_are_counted_together() {
        let mut partition = Partition::coarsest(&[3, 0, 2]);
        assert_eq!(partition.total(), 2);
        partition.assign(2, &[0, 1]);
        assert_eq!(partition.total(), 3);
        assert_eq!(partition.to_string(), "{0,1,2} |  | {0} {1}");
        assert!(partition.separates(&Mismatch::new(2, 1, 0)));
        assert!(!partition.separates(&Mismatch::new(0, 1, 0)));
    }

    #[test]
    #[should_panic(expected = "does not mismatch itself")]
    fn a_location_does_not_mismatch_itself() {
        Mismatch::new(0, 4, 4);
    }
}
