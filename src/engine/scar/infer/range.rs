//! Ranges of the values that reads can return: an analysis of the unrolled program that keeps words narrow.
//!
//! A read returns what one of its writes has written, and a write what its thread makes of earlier reads. So
//! ranges follow by iteration: first every read returns zero (it stands for reads that do not happen), then
//! the hull of that and what the writes write if reads return what they did in the round before. In a run no
//! value depends on itself, since program order and reading from others have no cycle under any of the models
//! (a read is never delayed). So a value passes through each write at most once, and after as many rounds as
//! there are writes (and settled reads) the ranges hold in all runs, even if they would go on growing; before
//! that, what still grows may be anything. Models outside of the ranges are no runs, and leaving them out is
//! sound.
//!
//! Ranges are rounded up to powers of two from a short ladder, so that they rarely change when the bound
//! grows.

use rustc_hash::FxHashMap;

use crate::budget::{Budget, Stop};
use crate::term::{Interval, Intervals, Pool, TermId, VarId};

use super::super::unroll::Unrolling;
use super::pairs::Pairs;
use super::settled::Settled;

/// Rounds after which what still grows may be anything.
const ROUNDS: usize = 512;

/// Terms looked at in all rounds together before what still grows may be anything.
const WORK: usize = 1 << 23;

/// The numbers of bits that ranges are rounded up to.
const LADDER: [u32; 11] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48];

/// The ranges of variables that stand for reads, as far as they are narrower than the variable's sort.
#[derive(Debug, Default)]
pub struct Ranges(FxHashMap<VarId, Interval>);

/// A read that returns a variable, and what the writes that it may read from write.
struct ReadValue {
    var: VarId,
    writes: Vec<TermId>,
}

impl Ranges {
    /// Finds the ranges of an unrolling.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn of(
        pool: &Pool,
        unrolling: &Unrolling,
        pairs: &Pairs,
        settled: &Settled,
        budget: &Budget,
    ) -> Result<Ranges, Stop> {
        let reads = reads(pool, unrolling, pairs, settled);
        let roots: Vec<TermId> = reads.iter().flat_map(|read| read.writes.iter().copied()).collect();
        let mut values = Intervals::new(pool, &roots);
        let mut ranges: FxHashMap<VarId, Interval> =
            reads.iter().map(|read| (read.var, Interval::only(0))).collect();
        let writes: usize = unrolling.events.iter().map(|event| event.writes.len()).sum();
        let patience = ROUNDS.min(WORK / values.len().max(1));
        for round in 0..=writes + settled.len() {
            budget.check()?;
            values.find(pool, |var| range_of(&ranges, pool, var));
            let mut grown = false;
            for ReadValue { var, writes } in &reads {
                let old = ranges[var];
                let mut new = writes.iter().map(|&write| values.of(write)).fold(old, Interval::hull);
                if new != old && round >= patience {
                    new = Interval::of(pool.var_sort(*var));
                }
                grown |= new != old;
                ranges.insert(*var, new);
            }
            if !grown {
                break;
            }
        }
        let rounded = ranges.into_iter().filter_map(|(var, range)| {
            let (range, all) = (rounded(range), Interval::of(pool.var_sort(var)));
            (all.includes(range) && all != range).then_some((var, range))
        });
        Ok(Ranges(rounded.collect()))
    }

    /// The range of a variable.
    pub fn range(&self, pool: &Pool, var: VarId) -> Interval {
        range_of(&self.0, pool, var)
    }

    /// The variables with a range.
    pub fn iter(&self) -> impl Iterator<Item = (VarId, Interval)> {
        self.0.iter().map(|(&var, &range)| (var, range))
    }
}

fn range_of(ranges: &FxHashMap<VarId, Interval>, pool: &Pool, var: VarId) -> Interval {
    ranges.get(&var).copied().unwrap_or_else(|| Interval::of(pool.var_sort(var)))
}

fn reads(pool: &Pool, unrolling: &Unrolling, pairs: &Pairs, settled: &Settled) -> Vec<ReadValue> {
    let absent = |&var: &VarId| ReadValue { var, writes: Vec::new() };
    let mut reads: Vec<ReadValue> = unrolling.unread.iter().map(absent).collect();
    for (event, it) in unrolling.events.iter().enumerate() {
        for (read, sources) in it.reads.iter().zip(pairs.sources(event)) {
            let Some(var) = pool.as_var(read.value) else { continue };
            let write = |&source| pairs.write(unrolling, source, read.cell).value;
            let writes = sources.iter().map(write).chain(settled.get(var)).collect();
            reads.push(ReadValue { var, writes });
        }
    }
    reads
}

/// The smallest interval of the ladder around another.
fn rounded(range: Interval) -> Interval {
    if range.single().is_some_and(|value| value == 0) {
        return range;
    }
    let steps = LADDER.into_iter().chain([64]);
    let signed = |bits: u32| Interval { least: -(1 << (bits - 1)), most: (1 << (bits - 1)) - 1 };
    let unsigned = |bits: u32| Interval { least: 0, most: (1 << bits) - 1 };
    let mut around = steps.map(|bits| if range.least < 0 { signed(bits) } else { unsigned(bits) });
    around.find(|around| around.includes(range)).unwrap_or(range)
}
