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
mod tests;
