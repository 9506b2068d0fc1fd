//! Which writes a read may take its value from: pairs that can never hold are dropped before anything is encoded.
//!
//! Of the reader's own thread only earlier writes count, and no write that another one certainly overwrites before the read. Writes of any
//! thread are dropped when their condition excludes the read's, or their value cannot be the one read.

use crate::order::CellId;
use crate::program::ThreadId;

use super::encode::initial_name;
use super::event::{Access, Unrolling};
use super::guard::{exclusive, includes};
use super::unroll::Unroller;

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

/// The pairs of an unrolling.
#[derive(Debug)]
pub struct Pairs {
    /// For each read of each event.
    sources: Vec<Vec<Vec<Source>>>,
    /// For each cell.
    initial: Vec<Access>,
}

/// A write of a cell.
#[derive(Clone, Copy)]
struct Writer {
    thread: ThreadId,
    event: usize,
    write: usize,
    access: Access,
}

impl Pairs {
    /// Finds the pairs that may hold.
    pub fn of(unroller: &mut Unroller<'_>, unrolling: &Unrolling) -> Pairs {
        let cells: Vec<CellId> = unroller.memory().cells().collect();
        let initial = cells.iter().map(|&cell| {
            let (value, guard) = (unroller.initial_value(cell), unroller.pool.bool(true));
            Access { name: initial_name(cell), cell, guard, value }
        });
        let initial: Vec<Access> = initial.collect();
        let mut writers: Vec<Vec<Writer>> = vec![Vec::new(); cells.len()];
        for (event, it) in unrolling.events.iter().enumerate() {
            for (write, &access) in it.writes.iter().enumerate() {
                writers[access.cell.index()].push(Writer { thread: it.thread, event, write, access });
            }
        }
        let mut sources = Vec::with_capacity(unrolling.events.len());
        for (event, it) in unrolling.events.iter().enumerate() {
            let of_read = |read: &Access| {
                let (first, writers) = (&initial[read.cell.index()], &writers[read.cell.index()]);
                sources_of(unroller, (it.thread, event, read), first, writers)
            };
            sources.push(it.reads.iter().map(of_read).collect());
        }
        Pairs { sources, initial }
    }

    /// For each read of an event the writes that it may read from.
    pub fn sources(&self, event: usize) -> impl Iterator<Item = &[Source]> {
        self.sources[event].iter().map(Vec::as_slice)
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

fn sources_of(
    unroller: &mut Unroller<'_>,
    (thread, event, read): (ThreadId, usize, &Access),
    initial: &Access,
    writers: &[Writer],
) -> Vec<Source> {
    let mut sources = Vec::new();
    let own: Vec<&Writer> =
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
