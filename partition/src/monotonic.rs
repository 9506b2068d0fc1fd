//! The baseline that the paper compares with: monotonic refinement (Section 2, last paragraph).
//!
//! A mismatch `ℓ ≢ ℓ'` splits one of its locations off the class that both are in, for good. Each partition
//! refines the one before it. The paper's example gives both locations classes of their own; one is enough to
//! exclude the path, and only so does the baseline come to the class counts of the paper's table.

use crate::partition::{Mismatch, Partition};

/// A partition that is only ever refined.
#[derive(Clone, Debug)]
pub struct MonotonicPartition {
    /// Per component, per location: whether it has a class of its own.
    single: Vec<Vec<bool>>,
    partition: Partition,
}

impl MonotonicPartition {
    /// The coarsest partition of components with these numbers of locations.
    pub fn new(sizes: &[usize]) -> MonotonicPartition {
        let single = sizes.iter().map(|&locations| vec![false; locations]).collect();
        MonotonicPartition { single, partition: Partition::coarsest(sizes) }
    }

    /// The present partition.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// Excludes a spurious path, unless it is excluded already: `alone`, one of the locations of its first
    /// mismatch, gets a class of its own. Returns whether it did.
    ///
    /// # Panics
    ///
    /// If the path has no mismatch (no partition excludes it), or `alone` is not a location of the first one.
    pub fn exclude(&mut self, path: &[Mismatch], alone: usize) -> bool {
        let first = *path.first().expect("a spurious path has a mismatch");
        assert!(first.locations().contains(&alone), "{alone} is not in {first}");
        if path.iter().any(|mismatch| self.partition.separates(mismatch)) {
            return false;
        }
        let single = &mut self.single[first.component()];
        single[alone] = true;
        // Locations name their own classes; the number after the last one names the class of the rest.
        let rest = single.len();
        let codes: Vec<usize> = single
            .iter()
            .enumerate()
            .map(|(location, &single)| if single { location } else { rest })
            .collect();
        self.partition.assign(first.component(), &codes);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mismatch(l: usize, other: usize) -> Mismatch {
        Mismatch::new(0, l, other)
    }

    /// The locations 11 to 20 of the paper are 0 to 9 here.
    #[test]
    fn the_papers_example() {
        let mut monotonic = MonotonicPartition::new(&[10]);
        assert!(monotonic.exclude(&[mismatch(0, 2), mismatch(3, 6)], 2));
        assert_eq!(monotonic.partition().to_string(), "{0,1,3,4,5,6,7,8,9} {2}");
        assert!(monotonic.exclude(&[mismatch(1, 5)], 5));
        assert_eq!(monotonic.partition().to_string(), "{0,1,3,4,6,7,8,9} {2} {5}");
        assert!(monotonic.exclude(&[mismatch(0, 1)], 0));
        assert_eq!(monotonic.partition().to_string(), "{0} {1,3,4,6,7,8,9} {2} {5}");
    }

    #[test]
    fn an_excluded_path_splits_nothing() {
        let mut monotonic = MonotonicPartition::new(&[3, 4]);
        monotonic.exclude(&[Mismatch::new(1, 0, 3)], 3);
        let before = monotonic.partition().clone();
        assert!(!monotonic.exclude(&[mismatch(0, 2), Mismatch::new(1, 3, 1)], 2));
        assert_eq!(*monotonic.partition(), before);
        assert_eq!(before.to_string(), "{0,1,2} | {0,1,2} {3}");
    }

    /// Each partition refines the one before, and excludes all paths so far.
    #[test]
    fn separations_are_for_good() {
        let mut random = crate::oracle::Problems::new(3);
        for _ in 0..200 {
            let problem = random.problem(&[7, 5], 8, 3);
            let mut monotonic = MonotonicPartition::new(&problem.sizes);
            for path in &problem.paths {
                let before = monotonic.partition().clone();
                monotonic.exclude(path, path[0].locations()[1]);
                let separated = |m: &&Mismatch| before.separates(m);
                let kept = problem.paths.iter().flatten().filter(separated);
                assert!(kept.clone().all(|m| monotonic.partition().separates(m)), "{problem:?}");
            }
            assert!(problem.excluded_by(monotonic.partition()), "{problem:?}");
        }
    }
}
