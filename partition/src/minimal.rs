//! The smallest partition that excludes all paths (paper, Fig. 4), for components that paths connect.
//!
//! The number `m` of classes starts at the previous minimum, since further paths never lower it, and grows
//! until the paths can be excluded. It counts the classes of all components of the cluster together: where a
//! path has mismatches in several components, which of them pays for a class is part of the search. The paper
//! counts from 2 and over all threads at once; components that no path connects do not constrain each other,
//! and are different clusters.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::canonical;
use crate::direct::{Search, Tried};
use crate::encode::{Encoding, Model};
use crate::partition::{Mismatch, Partition};
use crate::partitioner::Statistics;
use crate::prefer::{Effort, Outcome, Wishes};
use crate::sat::{Answer, Interrupted, Lit, Stop};

/// Conflicts to spend on separating one more mismatch after the effort for the best partition ran out.
const CONFLICTS_PER_IMPROVEMENT: u64 = 64;

/// Components that paths connect, and these paths.
pub(crate) struct Cluster {
    /// The number of locations of each component.
    components: BTreeMap<usize, usize>,
    /// In the order in which they came.
    paths: Vec<Vec<Mismatch>>,
    /// In how many paths a mismatch occurs.
    occurrences: BTreeMap<Mismatch, u64>,
    /// A lower bound of the number of classes.
    total: usize,
    stop: Stop,
    /// Once the problem is too large to be solved without.
    encoded: Option<Encoded>,
    /// Whether no path came since the last solution.
    solved: bool,
    /// Cores, and solutions that the effort limited; queries and conflicts are the solver's.
    statistics: Statistics,
}

impl Cluster {
    /// `total` is a lower bound of the number of classes, at least one for each component.
    pub(crate) fn new(components: BTreeMap<usize, usize>, total: usize, stop: Stop) -> Cluster {
        Cluster {
            components,
            paths: Vec::new(),
            occurrences: BTreeMap::new(),
            total,
            stop,
            encoded: None,
            solved: false,
            statistics: Statistics::default(),
        }
    }

    pub(crate) fn components(&self) -> &BTreeMap<usize, usize> {
        &self.components
    }

    pub(crate) fn paths(&self) -> &[Vec<Mismatch>] {
        &self.paths
    }

    /// A lower bound of the number of classes: the minimum, once solved.
    pub(crate) fn total(&self) -> usize {
        self.encoded.as_ref().map_or(self.total, |encoded| encoded.encoding.total())
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let mut statistics = self.statistics.clone();
        if let Some(Encoded { encoding, .. }) = &self.encoded {
            statistics.queries += encoding.sat.queries();
            statistics.conflicts += encoding.sat.conflicts();
        }
        statistics
    }

    /// Adds a path: different mismatches, all of components of this cluster.
    pub(crate) fn add_path(&mut self, path: Vec<Mismatch>) {
        for mismatch in &path {
            *self.occurrences.entry(*mismatch).or_default() += 1;
        }
        if let Some(encoded) = &mut self.encoded {
            encoded.add_path(&path);
        }
        self.paths.push(path);
        self.solved = false;
    }

    /// Brings the cluster's part of `partition` up to date.
    pub(crate) fn solve(
        &mut self,
        steps: u64,
        effort: u64,
        partition: &mut Partition,
    ) -> Result<(), Interrupted> {
        if self.solved {
            return Ok(());
        }
        let model = match self.try_directly(steps)? {
            Some(model) => model,
            None => self.search(effort)?,
        };
        for (&component, codes) in &model.0 {
            partition.assign(component, codes);
        }
        self.solved = true;
        Ok(())
    }

    /// The best partition, if it is found without an encoding in so many steps; if not, that is not tried
    /// again.
    fn try_directly(&mut self, steps: u64) -> Result<Option<Model>, Interrupted> {
        if self.encoded.is_some() {
            return Ok(None);
        }
        let mut paths: Vec<&[Mismatch]> = self.paths.iter().map(Vec::as_slice).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut search = Search::new(&self.components, &paths, &self.occurrences);
        loop {
            if (self.stop)() {
                return Err(Interrupted);
            }
            match search.run(self.total, steps) {
                Tried::Best(model) => return Ok(Some(model)),
                Tried::None => self.total += 1,
                Tried::Limit => {
                    let mut encoded = Encoded::new(&self.components, self.total, &self.stop);
                    self.paths.iter().for_each(|path| encoded.add_path(path));
                    self.encoded = Some(encoded);
                    return Ok(None);
                }
            }
        }
    }

    /// The best partition by the encoding.
    fn search(&mut self, effort: u64) -> Result<Model, Interrupted> {
        let encoded = self.encoded.as_mut().expect("direct search gave up");
        let minimal = encoded.minimise(&self.occurrences)?;
        let cores = encoded.wishes.cores();
        let (model, assumptions, preference) = encoded.prefer(&self.occurrences, minimal, effort)?;
        self.statistics.cores += (encoded.wishes.cores() - cores) as u64;
        let (model, names) =
            canonical::least(model, assumptions, &mut encoded.encoding, &mut Effort::new(effort))?;
        if [preference, names].contains(&Outcome::Limited) {
            self.statistics.limited += 1;
        }
        Ok(model)
    }
}

/// A problem as clauses.
struct Encoded {
    encoding: Encoding,
    wishes: Wishes,
}

impl Encoded {
    fn new(components: &BTreeMap<usize, usize>, total: usize, stop: &Stop) -> Encoded {
        Encoded { encoding: Encoding::new(components, total, Stop::clone(stop)), wishes: Wishes::default() }
    }

    fn add_path(&mut self, path: &[Mismatch]) {
        self.encoding.add_path(path);
        for mismatch in path {
            self.wishes.add(self.encoding.separation(mismatch), 1);
        }
    }

    /// Allows one class more.
    fn widen(&mut self, occurrences: &BTreeMap<Mismatch, u64>) {
        self.encoding.widen();
        // What was paid for holds only within the old total.
        self.wishes = Wishes::default();
        for (mismatch, &weight) in occurrences {
            self.wishes.add(self.encoding.separation(mismatch), weight);
        }
    }

    /// Raises the total to the minimum; returns some minimal partition.
    fn minimise(&mut self, occurrences: &BTreeMap<Mismatch, u64>) -> Result<Model, Interrupted> {
        loop {
            match self.encoding.query(&[], None)? {
                Answer::Model => return Ok(self.encoding.model()),
                Answer::Core(_) => self.widen(occurrences),
                Answer::Limit => unreachable!("a query without a limit"),
            }
        }
    }

    /// The best of the minimal partitions, if the effort allows, and assumptions that those as good satisfy.
    fn prefer(
        &mut self,
        occurrences: &BTreeMap<Mismatch, u64>,
        minimal: Model,
        effort: u64,
    ) -> Result<(Model, Vec<Lit>, Outcome), Interrupted> {
        let weight = |model: &Model| -> u64 {
            occurrences.iter().filter(|(m, _)| model.separates(m)).map(|(_, weight)| weight).sum()
        };
        let mut best = (weight(&minimal), minimal);
        let outcome = self.wishes.grant(&mut self.encoding, &mut Effort::new(effort), |model| {
            let weight = weight(&model);
            if weight > best.0 {
                best = (weight, model);
            }
        })?;
        let (model, assumptions) = match outcome {
            Outcome::Best => (best.1, self.wishes.literals()),
            Outcome::Limited => self.improve(occurrences, best.1, &mut Effort::new(effort))?,
        };
        Ok((model, assumptions, outcome))
    }

    /// Separates further mismatches, heavy ones first, but gives none up. The assumptions are those that are
    /// separated then.
    fn improve(
        &mut self,
        occurrences: &BTreeMap<Mismatch, u64>,
        mut model: Model,
        effort: &mut Effort,
    ) -> Result<(Model, Vec<Lit>), Interrupted> {
        let mut wishes: Vec<(Mismatch, u64)> = occurrences.iter().map(|(m, w)| (*m, *w)).collect();
        wishes.sort_by_key(|&(mismatch, weight)| (!model.separates(&mismatch), Reverse(weight), mismatch));
        let mut separated = Vec::new();
        for (mismatch, _) in wishes {
            separated.push(self.encoding.separation(&mismatch));
            if model.separates(&mismatch) {
                continue;
            }
            match effort.query(&mut self.encoding, &separated, CONFLICTS_PER_IMPROVEMENT)? {
                Answer::Model => model = self.encoding.model(),
                Answer::Core(_) | Answer::Limit => {
                    separated.pop();
                }
            }
        }
        Ok((model, separated))
    }
}
