//! The history of spurious paths, and the partition that excludes them all.
//!
//! Components are grouped into clusters: two of them belong together when some path has mismatches in both.
//! Clusters are solved independently, which is exact since no path, class or mismatch is shared. A path that
//! connects clusters merges them into a new one, with a new solver and all their paths; that happens less
//! often than there are components.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::minimal::Cluster;
use crate::partition::{Mismatch, Partition};
use crate::sat::{Interrupted, Stop};

/// Effort of a preference unless said otherwise: conflicts and queries, per cluster and solution.
const DEFAULT_EFFORT: u64 = 1_000;

/// Steps of the search without a SAT solver unless said otherwise.
const DEFAULT_STEPS: u64 = 3_000;

/// What the search took.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Statistics {
    /// Queries to the SAT solver.
    pub queries: u64,
    /// Conflicts in them.
    pub conflicts: u64,
    /// Sets of mismatches found not to be separable together.
    pub cores: u64,
    /// Solutions, minimal as always, that are not known to be the best or of the least names: the effort ran
    /// out.
    pub limited: u64,
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Statistics) {
        self.queries += other.queries;
        self.conflicts += other.conflicts;
        self.cores += other.cores;
        self.limited += other.limited;
    }
}

/// Keeps all spurious paths (the paper's `Paths`) and finds the smallest partition that excludes them.
pub struct Partitioner {
    sizes: Vec<usize>,
    /// By the lowest component of each.
    clusters: BTreeMap<usize, Cluster>,
    /// The key of a component's cluster; none while no path concerns it.
    cluster_of: Vec<Option<usize>>,
    partition: Partition,
    steps: u64,
    effort: u64,
    stop: Stop,
    /// Of clusters that were merged into others.
    retired: Statistics,
}

impl Partitioner {
    /// No paths yet: one class for each component. `sizes` are the components' numbers of locations.
    pub fn new(sizes: &[usize]) -> Partitioner {
        Partitioner {
            sizes: sizes.to_vec(),
            clusters: BTreeMap::new(),
            cluster_of: vec![None; sizes.len()],
            partition: Partition::coarsest(sizes),
            steps: DEFAULT_STEPS,
            effort: DEFAULT_EFFORT,
            stop: Arc::new(|| false),
            retired: Statistics::default(),
        }
    }

    /// With so many steps of trying, per cluster and solution, before a SAT solver is set up for the cluster.
    pub fn with_steps(self, steps: u64) -> Partitioner {
        Partitioner { steps, ..self }
    }

    /// With so many conflicts and queries, per cluster and solution, for finding the best of the minimal
    /// partitions; as many again for a good one if that fails, and for the least class names. The minimum
    /// itself has no limit.
    pub fn with_effort(self, effort: u64) -> Partitioner {
        Partitioner { effort, ..self }
    }

    /// With a question that is asked now and then in [`Partitioner::solve`], and ends it with `true`.
    pub fn with_stop(self, stop: Stop) -> Partitioner {
        assert!(self.clusters.is_empty(), "set before the first path");
        Partitioner { stop, ..self }
    }

    /// Adds a spurious path, given by its mismatches; one that is named repeatedly counts once.
    ///
    /// # Panics
    ///
    /// If there is no mismatch (no partition excludes such a path), or a location does not exist.
    pub fn add_path(&mut self, mismatches: impl IntoIterator<Item = Mismatch>) {
        let mut path: Vec<Mismatch> = mismatches.into_iter().collect();
        path.sort_unstable();
        path.dedup();
        assert!(!path.is_empty(), "a spurious path has a mismatch");
        for mismatch in &path {
            let [_, high] = mismatch.locations();
            assert!(high < self.sizes[mismatch.component()], "no such location: {mismatch}");
        }
        self.cluster(&path).add_path(path);
    }

    /// The best partition that excludes all paths added so far; see the [crate] for what is best.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the stop question was answered with `true`. Clusters that were finished
    /// by then are up to date in [`Partitioner::partition`]; calling it again goes on with the rest.
    pub fn solve(&mut self) -> Result<&Partition, Interrupted> {
        for cluster in self.clusters.values_mut() {
            cluster.solve(self.steps, self.effort, &mut self.partition)?;
        }
        Ok(&self.partition)
    }

    /// The latest solution, without looking for a new one.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// What all solutions together took.
    pub fn statistics(&self) -> Statistics {
        let mut statistics = self.retired.clone();
        for cluster in self.clusters.values() {
            statistics += cluster.statistics();
        }
        statistics
    }

    /// The cluster of a path's components, which is created or merged if need be.
    fn cluster(&mut self, path: &[Mismatch]) -> &mut Cluster {
        let mut keys = path.iter().map(|mismatch| self.cluster_of[mismatch.component()]);
        let first = keys.next().flatten();
        let key = match first {
            Some(key) if keys.all(|other| other == first) => key,
            _ => self.merge(path),
        };
        self.clusters.get_mut(&key).expect("clusters are found by their keys")
    }

    /// Makes one cluster of the components of a path and their old clusters. Returns its key.
    fn merge(&mut self, path: &[Mismatch]) -> usize {
        let concerned: BTreeSet<usize> = path.iter().map(Mismatch::component).collect();
        let keys: BTreeSet<usize> = concerned.iter().filter_map(|&c| self.cluster_of[c]).collect();
        let old: Vec<Cluster> = keys.iter().filter_map(|key| self.clusters.remove(key)).collect();
        let mut components: BTreeMap<usize, usize> = concerned.iter().map(|&c| (c, self.sizes[c])).collect();
        let new = concerned.iter().filter(|&&c| self.cluster_of[c].is_none()).count();
        let total = new + old.iter().map(Cluster::total).sum::<usize>();
        components.extend(old.iter().flat_map(Cluster::components));

        let key = *components.keys().next().expect("a path concerns a component");
        for &component in components.keys() {
            self.cluster_of[component] = Some(key);
        }
        let mut merged = Cluster::new(components, total, Arc::clone(&self.stop));
        for cluster in &old {
            self.retired += cluster.statistics();
            cluster.paths().iter().for_each(|path| merged.add_path(path.clone()));
        }
        self.clusters.insert(key, merged);
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{GrowthStrings, Problem, Random};
    use std::sync::atomic::{AtomicBool, Ordering};

    fn solve(problem: &Problem) -> Partition {
        solve_in(problem, DEFAULT_STEPS)
    }

    fn solve_in(problem: &Problem, steps: u64) -> Partition {
        let mut partitioner = Partitioner::new(&problem.sizes).with_steps(steps);
        problem.paths.iter().for_each(|path| partitioner.add_path(path.iter().copied()));
        partitioner.solve().expect("no stop").clone()
    }

    /// Each round: a line of mismatches, the partition that excludes all lines so far.
    fn history(problem: &Problem) -> String {
        let mut partitioner = Partitioner::new(&problem.sizes);
        let mut text = String::new();
        for path in &problem.paths {
            partitioner.add_path(path.iter().copied());
            let mismatches: Vec<String> = path.iter().map(Mismatch::to_string).collect();
            let partition = partitioner.solve().expect("no stop");
            text += &format!("{}  =>  {partition}\n", mismatches.join(" "));
        }
        text
    }

    fn assert_snapshot(name: &str, text: &str) {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots"));
        settings.set_prepend_module_to_snapshot(false);
        settings.bind(|| insta::assert_snapshot!(name, text));
    }

    /// Section 2 of the paper; its locations 11 to 20 are 0 to 9 here, and 1 to 10 are component 0.
    fn bakery() -> Problem {
        let mismatch = |l, other| Mismatch::new(1, l, other);
        let paths = vec![vec![mismatch(0, 2), mismatch(3, 6)], vec![mismatch(1, 5)], vec![mismatch(0, 1)]];
        Problem { sizes: vec![10, 10], paths }
    }

    #[test]
    fn the_papers_example() {
        assert_snapshot("partition_bakery", &history(&bakery()));
    }

    #[test]
    fn rounds_of_two_components() {
        let seed = 20;
        assert_snapshot("partition_rounds", &history(&Random(seed).problem(&[6, 5], 12, 3)));
    }

    #[test]
    fn without_paths_one_class_each() {
        let mut partitioner = Partitioner::new(&[3, 0, 1]);
        assert_eq!(partitioner.solve().expect("no stop").total(), 2);
        assert_eq!(partitioner.statistics(), Statistics::default());
    }

    #[test]
    fn a_clique_needs_all_classes() {
        for n in 2..=7 {
            let pairs = (0..n).flat_map(|l| (0..l).map(move |other| vec![Mismatch::new(0, l, other)]));
            let partition = solve(&Problem { sizes: vec![n], paths: pairs.collect() });
            assert_eq!(partition.total(), n);
        }
    }

    /// Excluding all within component 0 would take four classes there; one more in component 1 saves two of
    /// them.
    #[test]
    fn connected_components_are_minimised_together() {
        let way_out = Mismatch::new(1, 0, 1);
        let mut paths = vec![vec![Mismatch::new(0, 0, 1)]];
        for (l, other) in [(0, 2), (1, 2), (0, 3), (1, 3), (2, 3)] {
            paths.push(vec![Mismatch::new(0, l, other), way_out]);
        }
        let partition = solve(&Problem { sizes: vec![4, 2], paths });
        assert_eq!(partition.to_string(), "{0,2} {1,3} | {0} {1}");
    }

    /// Minimum, preference and names, exactly, on small random problems.
    #[test]
    fn equals_the_oracle() {
        let seed = 1;
        let mut random = Random(seed);
        let mut strings = GrowthStrings::default();
        let shapes: [&[usize]; 8] = [&[2], &[4], &[6], &[7], &[5, 4], &[3, 6], &[4, 3, 3], &[2, 3, 2, 4]];
        for number in 0..4_000 {
            let sizes = shapes[number % shapes.len()];
            let (paths, longest) = (random.within(1..=14), random.within(1..=4));
            let problem = random.problem(sizes, paths, longest);
            let best = problem.best(&mut strings);
            // By trying alone, by the solver alone.
            for steps in [u64::MAX, 0] {
                let found = solve_in(&problem, steps);
                let weights = (problem.weight(&found), problem.weight(&best));
                assert_eq!(found, best, "seed {seed}, problem {number}, weights {weights:?}: {problem:?}");
            }
        }
    }

    /// Adding the paths one by one, solving each time, comes to the same as adding them at once in another
    /// order.
    #[test]
    fn rounds_and_order_do_not_matter() {
        let seed = 2;
        let mut random = Random(seed);
        for number in 0..150 {
            let mut problem = random.problem(&[9, 6, 7], 20, 3);
            let mut partitioner = Partitioner::new(&problem.sizes).with_steps(0);
            let mut previous = 0;
            for path in &problem.paths {
                partitioner.add_path(path.iter().copied());
                let total = partitioner.solve().expect("no stop").total();
                assert!(total >= previous, "the minimum never falls");
                previous = total;
            }
            assert_eq!(partitioner.statistics().limited, 0);
            problem.paths.reverse();
            assert_eq!(
                *partitioner.partition(),
                solve(&problem),
                "seed {seed}, problem {number}: {problem:?}"
            );
        }
    }

    /// However little effort: all paths are excluded with the fewest classes.
    #[test]
    fn the_minimum_is_exact_with_any_effort() {
        let seed = 4;
        let mut random = Random(seed);
        let mut strings = GrowthStrings::default();
        let mut limited = 0;
        for number in 0..600 {
            let problem = random.problem(&[5, 4], 12, 3);
            let mut partitioner =
                Partitioner::new(&problem.sizes).with_steps(number % 20).with_effort(number % 6);
            problem.paths.iter().for_each(|path| partitioner.add_path(path.iter().copied()));
            let found = partitioner.solve().expect("no stop").clone();
            let best = problem.best(&mut strings);
            assert!(problem.excluded_by(&found), "seed {seed}, problem {number}: {problem:?}");
            assert_eq!(found.total(), best.total(), "seed {seed}, problem {number}: {problem:?}");
            limited += partitioner.statistics().limited;
            assert!(found == best || partitioner.statistics().limited > 0, "a limit is reported");
        }
        assert!(limited > 300, "the limits were tested: {limited}");
    }

    /// A large problem in 150 rounds, with limits; twice the same.
    #[test]
    fn sixty_locations() {
        let problem = Random(60).problem(&[60], 150, 3);
        let run = || {
            let mut partitioner = Partitioner::new(&problem.sizes).with_effort(100);
            for path in &problem.paths {
                partitioner.add_path(path.iter().copied());
                partitioner.solve().expect("no stop");
            }
            (partitioner.partition().clone(), partitioner.statistics())
        };
        let (partition, statistics) = run();
        assert!(problem.excluded_by(&partition));
        assert_eq!(partition.total(), 3);
        let mismatches: usize = problem.paths.iter().map(Vec::len).sum();
        assert!(
            problem.weight(&partition) * 10 >= mismatches * 8,
            "{} separated",
            problem.weight(&partition)
        );
        assert!(statistics.queries < 15_000 && statistics.conflicts < 40_000, "{statistics:?}");
        assert!((1..150).contains(&statistics.limited), "{statistics:?}");
        assert_eq!(run(), (partition, statistics));
    }

    #[test]
    fn a_stop_interrupts_and_can_be_lifted() {
        let stopped = Arc::new(AtomicBool::new(true));
        let asked = Arc::clone(&stopped);
        let mut partitioner =
            Partitioner::new(&[3]).with_stop(Arc::new(move || asked.load(Ordering::Relaxed)));
        partitioner.add_path([Mismatch::new(0, 0, 1)]);
        assert_eq!(partitioner.solve(), Err(Interrupted));
        stopped.store(false, Ordering::Relaxed);
        assert_eq!(partitioner.solve().map(Partition::total), Ok(2));
    }

    #[test]
    #[should_panic(expected = "has a mismatch")]
    fn a_path_without_mismatch_is_refused() {
        Partitioner::new(&[3]).add_path([]);
    }

    #[test]
    #[should_panic(expected = "no such location: 0:1≢3")]
    fn an_unknown_location_is_refused() {
        Partitioner::new(&[3]).add_path([Mismatch::new(0, 3, 1)]);
    }
}
