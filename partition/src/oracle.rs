//! What the answer must be, found by trying every partition; and random problems to compare on.
//!
//! Shares nothing with the search but the types [`Partition`] and [`Mismatch`].

use std::collections::{BTreeMap, BTreeSet};

use crate::partition::{Mismatch, Partition};
use crate::random::Random;

/// Components by their sizes, and paths.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) sizes: Vec<usize>,
    pub(crate) paths: Vec<Vec<Mismatch>>,
}

impl Problem {
    /// How many mismatches a partition separates, counted by occurrence.
    pub(crate) fn weight(&self, partition: &Partition) -> usize {
        let wishes = self.paths.iter().flat_map(|path| path.iter().collect::<BTreeSet<_>>());
        wishes.filter(|mismatch| partition.separates(mismatch)).count()
    }

    pub(crate) fn excluded_by(&self, partition: &Partition) -> bool {
        self.paths.iter().all(|path| path.iter().any(|mismatch| partition.separates(mismatch)))
    }

    /// Of the partitions that exclude all paths with the fewest classes, and of these separate the most, the
    /// lexicographically first.
    pub(crate) fn best(&self, strings: &mut GrowthStrings) -> Partition {
        let choices: Vec<Vec<Vec<usize>>> = self.sizes.iter().map(|&n| strings.of(n).to_vec()).collect();
        let mut digits = vec![0; choices.len()];
        let mut best: Option<((usize, isize), Partition)> = None;
        loop {
            let mut partition = Partition::coarsest(&self.sizes);
            for (component, &digit) in digits.iter().enumerate() {
                partition.assign(component, &choices[component][digit]);
            }
            let rank = (partition.total(), -(self.weight(&partition) as isize));
            if self.excluded_by(&partition) && best.as_ref().is_none_or(|(known, _)| rank < *known) {
                best = Some((rank, partition));
            }
            // The next combination in lexicographic order: the last component runs fastest.
            let Some(turn) = (0..digits.len()).rev().find(|&c| digits[c] + 1 < choices[c].len()) else {
                return best.expect("the finest partition excludes all paths").1;
            };
            digits[turn] += 1;
            digits[turn + 1..].fill(0);
        }
    }
}

/// Canonical class names of all partitions of `n` locations, in lexicographic order: restricted growth
/// strings.
#[derive(Default)]
pub(crate) struct GrowthStrings(BTreeMap<usize, Vec<Vec<usize>>>);

impl GrowthStrings {
    pub(crate) fn of(&mut self, n: usize) -> &[Vec<usize>] {
        self.0.entry(n).or_insert_with(|| {
            let mut strings = vec![Vec::new()];
            for _ in 0..n {
                strings = strings.iter().flat_map(|prefix: &Vec<usize>| longer(prefix)).collect();
            }
            strings
        })
    }
}

fn longer(prefix: &[usize]) -> Vec<Vec<usize>> {
    let next = prefix.iter().max().map_or(0, |&highest| highest + 1);
    (0..=next).map(|class| prefix.iter().copied().chain([class]).collect()).collect()
}

/// Random problems, each determined by its seed.
pub(crate) struct Problems(Random);

impl Problems {
    pub(crate) fn new(seed: u64) -> Problems {
        Problems(Random::new(seed))
    }

    /// A number in `range`.
    pub(crate) fn within(&mut self, range: std::ops::RangeInclusive<usize>) -> usize {
        range.start() + self.0.below(range.end() - range.start() + 1)
    }

    pub(crate) fn mismatch(&mut self, sizes: &[usize]) -> Mismatch {
        let sized: Vec<(usize, usize)> = sizes.iter().copied().enumerate().collect();
        let (component, size) = self.0.pick(&sized);
        let (l, other) = (self.0.below(size), self.0.below(size - 1));
        Mismatch::new(component, l, if other < l { other } else { other + 1 })
    }

    /// `paths` paths of up to `longest` mismatches each. All sizes are at least 2.
    pub(crate) fn problem(&mut self, sizes: &[usize], paths: usize, longest: usize) -> Problem {
        let path = |random: &mut Problems| {
            let length = random.within(1..=longest);
            (0..length).map(|_| random.mismatch(sizes)).collect()
        };
        Problem { sizes: sizes.to_vec(), paths: (0..paths).map(|_| path(self)).collect() }
    }
}

#[test]
fn there_are_as_many_growth_strings_as_partitions() {
    let mut strings = GrowthStrings::default();
    let counts: Vec<usize> = (0..8).map(|n| strings.of(n).len()).collect();
    assert_eq!(counts, [1, 1, 2, 5, 15, 52, 203, 877], "the Bell numbers");
    assert_eq!(strings.of(3), [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]);
}
