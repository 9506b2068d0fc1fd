//! Reads whose value follows from what their thread did before: nobody else can have written in between.
//!
//! If every write of the cell by another thread is known (`known.rs`) to come before an earlier access of the
//! reader's own thread, which happens whenever the read does, or after the read, then the read returns what
//! that access read or wrote, or what the thread has written since. This also holds with store buffers, since
//! a thread sees its own writes at once. So what a thread does when all others are joined, or not yet
//! created, is a sequential program, and costs no read-from pairs.
//!
//! A settled read has no link in the event order graph: orders that are known hold in every order that the
//! graph allows.

use rustc_hash::FxHashMap;

use crate::budget::{Budget, Stop};
use crate::order::CellId;
use crate::program::ThreadId;
use crate::term::{Pool, TermId, VarId};

use super::super::unroll::{Access, Unroller, Unrolling};
use super::known::{Implications, Known, Occurrence};
use super::pairs::{Pairs, Source};

/// The values of variables that stand for settled reads.
#[derive(Debug, Default)]
pub struct Settled(FxHashMap<VarId, TermId>);

/// An access of a cell by the thread that is looked at.
#[derive(Clone, Copy)]
enum Past {
    Read(usize, Access),
    Write(usize, Access),
}

/// What a thread did to a cell so far.
#[derive(Clone, Copy)]
struct OwnPast<'a> {
    /// What the cell held initially.
    initial: TermId,
    accesses: &'a [Past],
}

impl Settled {
    /// Finds the settled reads and takes their read-from pairs away.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn of(
        unroller: &mut Unroller<'_>,
        unrolling: &Unrolling,
        pairs: &mut Pairs,
        known: &Known,
        budget: &Budget,
    ) -> Result<Settled, Stop> {
        let Unroller { pool, names, .. } = unroller;
        let mut settled = Settled::default();
        let mut implications = Implications::new(names);
        let writers = writers(unrolling);
        let mut past: FxHashMap<(ThreadId, CellId), Vec<Past>> = FxHashMap::default();
        for (event, it) in unrolling.events.iter().enumerate() {
            budget.check()?;
            for (position, &read) in it.reads.iter().enumerate() {
                let own = past.entry((it.thread, read.cell)).or_default();
                let foreign = writers.get(&read.cell).into_iter().flatten();
                let foreign =
                    foreign.filter(|(thread, write)| *thread != it.thread && !known.before(event, *write));
                let foreign: Vec<usize> = foreign.map(|&(_, write)| write).collect();
                let initial = pairs.write(unrolling, Source::Initial, read.cell).value;
                let past = OwnPast { initial, accesses: own };
                let reading = Occurrence { event, guard: read.guard };
                if let Some(var) = pool.as_var(read.value)
                    && let Some(value) = value(pool, &mut implications, known, past, reading, &foreign)
                {
                    settled.0.insert(var, value);
                    pairs.settle(event, position);
                }
                own.push(Past::Read(event, read));
            }
            for &write in &it.writes {
                past.entry((it.thread, write.cell)).or_default().push(Past::Write(event, write));
            }
        }
        Ok(settled)
    }

    /// The value of a settled read.
    pub fn get(&self, var: VarId) -> Option<TermId> {
        self.0.get(&var).copied()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (VarId, TermId)> {
        self.0.iter().map(|(&var, &value)| (var, value))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

fn writers(unrolling: &Unrolling) -> FxHashMap<CellId, Vec<(ThreadId, usize)>> {
    let mut writers: FxHashMap<CellId, Vec<(ThreadId, usize)>> = FxHashMap::default();
    for (event, it) in unrolling.events.iter().enumerate() {
        for write in &it.writes {
            writers.entry(write.cell).or_default().push((it.thread, event));
        }
    }
    writers
}

/// The value of a read, if it is settled.
fn value(
    pool: &mut Pool,
    implications: &mut Implications<'_>,
    known: &Known,
    past: OwnPast<'_>,
    reading: Occurrence,
    foreign: &[usize],
) -> Option<TermId> {
    let OwnPast { initial, accesses: past } = past;
    let start = past.iter().rposition(|access| {
        let (Past::Read(earlier, it) | Past::Write(earlier, it)) = *access;
        foreign.iter().all(|&write| known.before(write, earlier))
            && known.implies(pool, implications, reading, it.guard)
    });
    let (first, since) = match start {
        Some(start) => {
            let (Past::Read(_, it) | Past::Write(_, it)) = past[start];
            (it.value, &past[start + 1..])
        }
        None if foreign.is_empty() => (initial, past),
        None => return None,
    };
    let writes = since.iter().filter_map(|access| match access {
        Past::Write(_, write) => Some(write),
        Past::Read(..) => None,
    });
    Some(writes.fold(first, |value, write| pool.ite(write.guard, write.value, value)))
}
