//! Among the minimal partitions, one that separates as much as possible.
//!
//! Any minimal partition excludes the paths seen so far, but an arbitrary one invites the next path that
//! confuses the same locations. So each mismatch is also a wish, of the weight of its occurrences, and the
//! weight of the wishes that are not granted is minimised. The paper takes any solution (Fig. 4, line 17).
//!
//! This is weighted partial MaxSAT, solved by its cores (the algorithm OLL of Andres, Kaufmann, Matheis and
//! Schaub, "Unsatisfiability-based optimization in clasp", ICLP 2012): all wishes are assumed; a core is a
//! set of which at least one fails; its smallest weight is paid, and taken from each member; in their place
//! comes the wish, of that weight, that no more than one of them fail; and so on until the rest can hold
//! together.
//!
//! Invariant: for every partition within the encoding's total, the weight of the failing mismatches is what
//! was paid plus the weight of the failing wishes. More paths and more occurrences keep it, so that the work
//! of one round serves the next; a larger total does not, and needs a new [`Wishes`].
//!
//! Heavy wishes come first (stratification), so that there is a good partition early if the effort runs out.

use std::collections::BTreeMap;

use crate::encode::{Encoding, Model};
use crate::sat::{Answer, Interrupted, Lit, Sum};

/// How much work may still be spent: a query costs one, and one more per conflict.
pub(crate) struct Effort(u64);

/// Conflicts to spend on leaving one literal out of a core.
const CONFLICTS_PER_REDUCTION: u64 = 64;

impl Effort {
    pub(crate) fn new(amount: u64) -> Effort {
        Effort(amount)
    }

    /// [`Encoding::query`] with what is left, and no more than `most` of it.
    pub(crate) fn query(
        &mut self,
        encoding: &mut Encoding,
        assumptions: &[Lit],
        most: u64,
    ) -> Result<Answer, Interrupted> {
        let limit = self.0.min(most);
        if limit == 0 {
            return Ok(Answer::Limit);
        }
        let before = encoding.sat.conflicts();
        let answer = encoding.query(assumptions, Some(u32::try_from(limit).unwrap_or(i32::MAX as u32)))?;
        self.0 = self.0.saturating_sub(1 + encoding.sat.conflicts() - before);
        Ok(answer)
    }
}

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// With what is best.
    Best,
    /// With less, perhaps: the effort ran out.
    Limited,
}

/// The wishes that can still be granted together with what was paid.
#[derive(Default)]
pub(crate) struct Wishes {
    /// Never zero.
    weights: BTreeMap<Lit, u64>,
    /// For a wish "at most so many of a core fail": which of `sums`, and how many.
    bounds: BTreeMap<Lit, (usize, usize)>,
    sums: Vec<Sum>,
}

impl Wishes {
    /// Wishes, with additional weight, that `literal` hold.
    pub(crate) fn add(&mut self, literal: Lit, weight: u64) {
        *self.weights.entry(literal).or_default() += weight;
    }

    /// The wishes; all of them, after [`Outcome::Best`], hold in the best partitions alone.
    pub(crate) fn literals(&self) -> Vec<Lit> {
        self.at_least(1)
    }

    /// How many cores were found.
    pub(crate) fn cores(&self) -> usize {
        self.sums.len()
    }

    /// Pays until the wishes can hold together: then the last partition is a best one. `on_model` sees each
    /// partition on the way.
    pub(crate) fn grant(
        &mut self,
        encoding: &mut Encoding,
        effort: &mut Effort,
        mut on_model: impl FnMut(Model),
    ) -> Result<Outcome, Interrupted> {
        let heaviest = self.weights.values().max().copied().unwrap_or(1);
        let mut stratum = 1 << heaviest.ilog2();
        loop {
            match effort.query(encoding, &self.at_least(stratum), u64::MAX)? {
                Answer::Limit => return Ok(Outcome::Limited),
                Answer::Core(core) => {
                    let core = reduce(core, encoding, effort)?;
                    self.pay(&core, encoding);
                }
                Answer::Model => {
                    on_model(encoding.model());
                    if stratum == 1 {
                        return Ok(Outcome::Best);
                    }
                    stratum /= 2;
                }
            }
        }
    }

    fn at_least(&self, stratum: u64) -> Vec<Lit> {
        self.weights.iter().filter(|&(_, &weight)| weight >= stratum).map(|(&literal, _)| literal).collect()
    }

    fn pay(&mut self, core: &[Lit], encoding: &mut Encoding) {
        let weight = core.iter().map(|wish| self.weights[wish]).min();
        let weight = weight.expect("the paths alone can be excluded within the total");
        for wish in core {
            self.take(wish, weight);
            if let Some(&(sum, bound)) = self.bounds.get(wish) {
                self.allow(sum, bound + 1, weight, encoding);
            }
        }
        let mut failing = Sum::default();
        failing.extend(core.iter().map(|&wish| !wish));
        self.sums.push(failing);
        self.allow(self.sums.len() - 1, 1, weight, encoding);
    }

    fn take(&mut self, wish: &Lit, weight: u64) {
        let left = self.weights.get_mut(wish).expect("a core of wishes");
        *left -= weight;
        if *left == 0 {
            self.weights.remove(wish);
        }
    }

    /// Wishes that at most `bound` of a core fail, unless no more can.
    fn allow(&mut self, sum: usize, bound: usize, weight: u64, encoding: &mut Encoding) {
        if let Some(wish) = self.sums[sum].at_most(bound, &mut encoding.sat) {
            self.bounds.insert(wish, (sum, bound));
            self.add(wish, weight);
        }
    }
}

/// Leaves out of a core what it does not need, as far as that is cheap: small cores are paid for more
/// precisely.
fn reduce(mut core: Vec<Lit>, encoding: &mut Encoding, effort: &mut Effort) -> Result<Vec<Lit>, Interrupted> {
    let mut kept = 0;
    while kept < core.len() && core.len() > 1 {
        let mut others = core.clone();
        others.remove(kept);
        match effort.query(encoding, &others, CONFLICTS_PER_REDUCTION)? {
            // The smaller core keeps the order, and all that was found necessary.
            Answer::Core(smaller) => core = smaller,
            Answer::Model | Answer::Limit => kept += 1,
        }
    }
    Ok(core)
}
