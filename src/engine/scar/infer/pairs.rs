//! Which writes a read may take its value from: pairs that can never hold are dropped before anything is
//! encoded.
//!
//! Of the reader's own thread only earlier writes count, and no write that another one certainly overwrites
//! before the read. Writes of any thread are dropped when their condition excludes the read's, their value
//! cannot be the one read, or known orders (`known.rs`) put them after the read or
//! another write in between. A read that is left with one write makes more orders known.

use crate::budget::{Budget, Stop};
use crate::order::CellId;
use crate::program::ThreadId;
use crate::term::{Pool, TermId};

use super::super::unroll::guard::{exclusive, includes};
use super::super::unroll::{Access, Stable, Unroller, Unrolling};
use super::known::{Implications, Known, Occurrence};

/// Where a read takes its value from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// The initial state.
    Initial,
    /// A write of an event, by its position among the event's writes.
    Write {
        /// Position of the event.
        event: usize,
        /// Position of the write.
        write: usize,
    },
}

impl Source {
    /// The event that writes; none for the initial state.
    pub fn event(self) -> Option<usize> {
        match self {
            Source::Initial => None,
            Source::Write { event, .. } => Some(event),
        }
    }
}

/// The pairs of an unrolling.
#[derive(Debug)]
pub struct Pairs {
    /// For each read of each event.
    sources: Vec<Vec<Vec<Source>>>,
    /// For each cell.
    initial: Vec<Access>,
}

/// A write of a cell, and where it is.
#[derive(Clone, Copy)]
struct CellWrite {
    thread: ThreadId,
    event: usize,
    write: usize,
    access: Access,
}

/// A read of a cell, and where it is.
#[derive(Clone, Copy)]
struct Reader<'a> {
    thread: ThreadId,
    event: usize,
    read: &'a Access,
}

impl Pairs {
    /// Finds the pairs that may hold, and the orders that are known; some are given.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn of(
        unroller: &mut Unroller<'_>,
        unrolling: &Unrolling,
        in_turn: &[(usize, usize)],
        budget: &Budget,
    ) -> Result<(Pairs, Known), Stop> {
        let initial = initial_writes(unroller);
        let writers = writers(unrolling, initial.len());
        let mut sources = Vec::with_capacity(unrolling.events.len());
        for (event, it) in unrolling.events.iter().enumerate() {
            budget.check()?;
            let of_read = |read: &Access| {
                let (first, writers) = (&initial[read.cell.index()], &writers[read.cell.index()]);
                sources_of(unroller, Reader { thread: it.thread, event, read }, first, writers)
            };
            sources.push(it.reads.iter().map(of_read).collect());
        }
        let mut pairs = Pairs { sources, initial };
        let mut implications = Implications::new(unroller.names());
        let model = unroller.model();
        loop {
            let known =
                Known::of(&unroller.pool, unrolling, (&pairs, in_turn), model, budget, &mut implications)?;
            if !pairs.prune(&unroller.pool, unrolling, &known, &writers, &mut implications) {
                return Ok((pairs, known));
            }
            budget.check()?;
        }
    }

    /// All pairs of a read and a write of its cell, apart from writes that come later in the reader's own
    /// thread, and its own.
    pub fn all(unroller: &mut Unroller<'_>, unrolling: &Unrolling) -> Pairs {
        let initial = initial_writes(unroller);
        let writers = writers(unrolling, initial.len());
        let of_read = |event: usize, read: &Access| {
            let may =
                |writer: &&CellWrite| writer.event < event || writer.thread != unrolling.events[event].thread;
            let writes = writers[read.cell.index()].iter().filter(may);
            let writes = writes.map(|writer| Source::Write { event: writer.event, write: writer.write });
            std::iter::once(Source::Initial).chain(writes).collect()
        };
        let sources = unrolling
            .events
            .iter()
            .enumerate()
            .map(|(event, it)| it.reads.iter().map(|read| of_read(event, read)).collect());
        Pairs { sources: sources.collect(), initial }
    }

    /// Drops pairs that known orders exclude: a read that comes before the write, or another write between
    /// the two. Tells whether a read is left with one write, from which more orders may be known.
    fn prune(
        &mut self,
        pool: &Pool,
        unrolling: &Unrolling,
        known: &Known,
        writers: &[Vec<CellWrite>],
        implications: &mut Implications<'_>,
    ) -> bool {
        let mut decided = false;
        for (event, it) in unrolling.events.iter().enumerate() {
            for (read, sources) in it.reads.iter().zip(&mut self.sources[event]) {
                let earlier: Vec<&CellWrite> = writers[read.cell.index()]
                    .iter()
                    .filter(|other| known.before(other.event, event))
                    .collect();
                let count = sources.len();
                let mut implied = |occurrence: Occurrence, condition: TermId| {
                    known.implies(pool, implications, occurrence, condition)
                };
                let reading = Occurrence { event, guard: read.guard };
                let mut overwritten = |source: Source| {
                    let writing = match source {
                        Source::Initial => None,
                        Source::Write { event, write } => {
                            Some(Occurrence { event, guard: unrolling.events[event].writes[write].guard })
                        }
                    };
                    earlier.iter().any(|other| {
                        let guard = other.access.guard;
                        writing.is_none_or(|writing| known.before(writing.event, other.event))
                            && (implied(reading, guard) || writing.is_some_and(|it| implied(it, guard)))
                    })
                };
                sources.retain(|&source| match source {
                    Source::Write { event: write, .. } if known.before(event, write) => false,
                    source => !overwritten(source),
                });
                decided |= count > 1 && sources.len() == 1;
            }
        }
        decided
    }

    /// For each read of an event the writes that it may read from.
    pub fn sources(&self, event: usize) -> impl Iterator<Item = &[Source]> {
        self.sources[event].iter().map(Vec::as_slice)
    }

    /// Takes away the pairs of a read of an event.
    pub fn settle(&mut self, event: usize, read: usize) {
        self.sources[event][read].clear();
    }

    /// A write by its source.
    pub fn write(&self, unrolling: &Unrolling, source: Source, cell: CellId) -> Access {
        match source {
            Source::Initial => self.initial[cell.index()],
            Source::Write { event, write } => unrolling.events[event].writes[write],
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sources.iter().flatten().map(Vec::len).sum()
    }
}

/// What the cells hold initially, as writes.
fn initial_writes(unroller: &mut Unroller<'_>) -> Vec<Access> {
    let cells = unroller.memory().cells();
    let initial = cells.map(|cell| {
        let (value, guard) = (unroller.initial_value(cell), unroller.pool.bool(true));
        Access { name: initial_name(cell), cell, guard, value }
    });
    initial.collect()
}

/// The writes of each cell.
fn writers(unrolling: &Unrolling, cells: usize) -> Vec<Vec<CellWrite>> {
    let mut writers: Vec<Vec<CellWrite>> = vec![Vec::new(); cells];
    for (event, it) in unrolling.events.iter().enumerate() {
        for (write, &access) in it.writes.iter().enumerate() {
            writers[access.cell.index()].push(CellWrite { thread: it.thread, event, write, access });
        }
    }
    writers
}

fn sources_of(
    unroller: &mut Unroller<'_>,
    reader: Reader<'_>,
    initial: &Access,
    writers: &[CellWrite],
) -> Vec<Source> {
    let Reader { thread, event, read } = reader;
    let mut sources = Vec::new();
    let own: Vec<&CellWrite> =
        writers.iter().filter(|writer| writer.thread == thread && writer.event < event).collect();
    let pool = &mut unroller.pool;
    // The last own write that happens whenever the read does.
    let certain = own.iter().rposition(|writer| includes(pool, read.guard, writer.access.guard));
    let mut possible = |write: &Access| {
        let equal = pool.eq(read.value, write.value);
        pool.as_bool(equal) != Some(false) && !exclusive(pool, read.guard, write.guard)
    };
    if certain.is_none() && possible(initial) {
        sources.push(Source::Initial);
    }
    for writer in writers {
        let visible = match writer.thread == thread {
            true => writer.event < event && certain.is_none_or(|at| own[at].event <= writer.event),
            false => true,
        };
        if visible && possible(&writer.access) {
            sources.push(Source::Write { event: writer.event, write: writer.write });
        }
    }
    sources
}

/// The name of the initial write of a cell, which no access of a thread has.
fn initial_name(cell: CellId) -> Stable {
    Stable::MAX - cell.index() as Stable
}
