//! A state of the explorer while it is worked on, and its packed form.
//!
//! Packing is injective: equal bytes of all components mean equal states. A cell that is open (has no value
//! yet) holds 0.

use std::ops::Range;

use crate::program::{Lanes, LocId, Program, ThreadId};
use crate::replay::{Buffer, Pending};
use crate::scheduler;

use super::compile::{OpenCells, wrap};
use super::layout::{Layout, number};
use crate::program::regions::Interval;

/// A state, with the input cells as working space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    /// Where each thread is.
    pub locations: Vec<LocId>,
    /// The value of each cell.
    pub cells: Vec<i64>,
    /// The cells whose value has not been chosen yet, with the values that they may get: inputs, and initial
    /// values that nobody has used so far. Empty when no variable of the program can be open.
    pub open: OpenCells,
    /// The store buffer of each thread.
    pub buffers: Vec<Buffer<u32, i64>>,
    /// The state of the scheduler, if the program is cooperative.
    pub scheduler: Option<scheduler::State>,
}

/// What a cell holds; 0 and the values it may get if it is open.
pub(super) type Content = (i64, Option<Interval>);

/// What a thread's view hides.
#[derive(Debug)]
pub(super) struct Hidden {
    thread: ThreadId,
    buffer: Buffer<u32, i64>,
    cells: Vec<(u32, Content)>,
}

/// A packed cell that has a value; an open one that may get any; an open one followed by the ends of its
/// interval.
const CLOSED: u8 = 0;
const WIDE_OPEN: u8 = 1;
const OPEN: u8 = 2;

/// A packed barrier of a store buffer.
const BARRIER: u32 = u32::MAX;

/// The packed form of a shared cell of the thread's own: this, and how far it is from the first one.
const OWN: u32 = 1 << 31;

impl State {
    /// All threads at their entries, all cells zero.
    pub fn new(program: &Program, layout: &Layout) -> State {
        State {
            locations: program.threads.iter().map(|thread| thread.entry).collect(),
            cells: vec![0; layout.cells()],
            open: Vec::new(),
            buffers: vec![Buffer::default(); program.threads.len()],
            scheduler: program.policy.map(|policy| scheduler::of(policy).initial(program.threads.len())),
        }
    }

    /// Puts a value into a cell, or opens it; returns what was there.
    pub fn replace(&mut self, cell: u32, (value, open): Content) -> Content {
        let old = std::mem::replace(&mut self.cells[cell as usize], value);
        let was_open = self.open.get_mut(cell as usize).and_then(|slot| std::mem::replace(slot, open));
        (old, was_open)
    }

    /// What a cell holds with some bytes of another value in their places. An open cell is never written in
    /// part (`step.rs`).
    pub fn with_bytes(&self, layout: &Layout, cell: u32, lanes: Lanes, value: i64) -> i64 {
        match lanes.is_all() {
            true => value,
            false => {
                let mask = lanes.mask() as i64;
                wrap(self.cells[cell as usize] & !mask | value & mask, layout.word_of(cell))
            }
        }
    }

    /// Shows memory as a thread sees it, its buffered writes on top, until [`Self::leave_view`].
    pub fn enter_view(&mut self, layout: &Layout, thread: ThreadId) -> Hidden {
        let buffer = std::mem::take(&mut self.buffers[thread.index()]);
        let mut cells = Vec::new();
        for (cell, lanes, value) in buffer.writes() {
            let value = self.with_bytes(layout, cell, lanes, value);
            cells.push((cell, self.replace(cell, (value, None))));
        }
        Hidden { thread, buffer, cells }
    }

    /// Undoes [`Self::enter_view`].
    pub fn leave_view(&mut self, hidden: Hidden) {
        for &(cell, old) in hidden.cells.iter().rev() {
            self.replace(cell, old);
        }
        self.buffers[hidden.thread.index()] = hidden.buffer;
    }

    /// Appends what belongs to one thread: the same for threads that are alike and in the same state.
    pub fn pack_thread(&self, layout: &Layout, thread: ThreadId, bytes: &mut Vec<u8>) {
        let t = thread.index();
        bytes.extend(layout.number_of(self.locations[t]).to_le_bytes());
        self.pack_cells(layout, layout.private(thread), bytes);
        self.pack_cells(layout, layout.own(thread), bytes);
        for pending in self.buffers[t].pending() {
            let (cell, lanes, value) = match *pending {
                Pending::Write(cell, lanes, value) if layout.own(thread).contains(&(cell as usize)) => {
                    (OWN | (cell - layout.own(thread).start as u32), lanes, value)
                }
                Pending::Write(cell, lanes, value) => (cell, lanes, value),
                Pending::Barrier => (BARRIER, Lanes::ALL, 0),
            };
            bytes.extend(cell.to_le_bytes());
            bytes.extend(value.to_le_bytes());
            bytes.push(lanes.code());
        }
    }

    /// Reads what [`Self::pack_thread`] wrote.
    pub fn unpack_thread(&mut self, layout: &Layout, thread: ThreadId, mut bytes: &[u8]) {
        let t = thread.index();
        self.locations[t] = layout.location(thread, take::<4>(&mut bytes) as u32);
        self.unpack_cells(layout, layout.private(thread), &mut bytes);
        self.unpack_cells(layout, layout.own(thread), &mut bytes);
        self.buffers[t] = Buffer::from_pending(bytes.chunks_exact(13).map(|mut entry| {
            let cell = take::<4>(&mut entry) as u32;
            let (value, lanes) = (take::<8>(&mut entry), Lanes::from_code(entry[0]));
            match cell {
                BARRIER => Pending::Barrier,
                cell if cell & OWN != 0 => {
                    Pending::Write(layout.own(thread).start as u32 + (cell & !OWN), lanes, value)
                }
                cell => Pending::Write(cell, lanes, value),
            }
        }));
    }

    /// Appends the shared cells that belong to no thread of a group.
    pub fn pack_shared(&self, layout: &Layout, bytes: &mut Vec<u8>) {
        self.pack_cells(layout, layout.common.clone(), bytes);
    }

    /// Reads what [`Self::pack_shared`] wrote.
    pub fn unpack_shared(&mut self, layout: &Layout, mut bytes: &[u8]) {
        self.unpack_cells(layout, layout.common.clone(), &mut bytes);
    }

    /// Appends the scheduler's state, if there is one.
    pub fn pack_scheduler(&self, bytes: &mut Vec<u8>) {
        let Some(scheduler) = &self.scheduler else { return };
        let running = scheduler.running.map_or(-1, |thread| thread.index() as i32);
        bytes.extend(running.to_le_bytes());
        bytes.extend(scheduler.words.iter().flat_map(|word| word.to_le_bytes()));
    }

    /// Reads what [`Self::pack_scheduler`] wrote.
    pub fn unpack_scheduler(&mut self, bytes: &[u8]) {
        let Some(scheduler) = &mut self.scheduler else { return };
        let mut words =
            bytes.chunks_exact(4).map(|word| i32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        scheduler.running = words.next().and_then(|word| usize::try_from(word).ok()).map(ThreadId::new);
        scheduler.words.clear();
        scheduler.words.extend(words);
    }

    fn pack_cells(&self, layout: &Layout, range: Range<usize>, bytes: &mut Vec<u8>) {
        for cell in range.clone() {
            let value = self.cells[cell];
            match layout.width(cell) {
                1 => bytes.push(value as u8),
                2 => bytes.extend((value as u16).to_le_bytes()),
                4 => bytes.extend((value as u32).to_le_bytes()),
                _ => bytes.extend(value.to_le_bytes()),
            }
        }
        if !self.open.is_empty() {
            for cell in range {
                self.pack_open(layout, cell, bytes);
            }
        }
    }

    fn unpack_cells(&mut self, layout: &Layout, range: Range<usize>, bytes: &mut &[u8]) {
        for cell in range.clone() {
            let residue = match layout.width(cell) {
                1 => take::<1>(bytes),
                2 => take::<2>(bytes),
                4 => take::<4>(bytes),
                _ => take::<8>(bytes),
            };
            self.cells[cell] = wrap(residue, layout.word_of(cell as u32));
        }
        if !self.open.is_empty() {
            for cell in range {
                self.unpack_open(layout, cell, bytes);
            }
        }
    }

    fn pack_open(&self, layout: &Layout, cell: usize, bytes: &mut Vec<u8>) {
        match self.open[cell] {
            None => bytes.push(CLOSED),
            Some(interval) if interval == layout.whole(cell as u32) => bytes.push(WIDE_OPEN),
            Some(Interval { low, high }) => {
                bytes.push(OPEN);
                bytes.extend((low as i64).to_le_bytes());
                bytes.extend((high as i64).to_le_bytes());
            }
        }
    }

    fn unpack_open(&mut self, layout: &Layout, cell: usize, bytes: &mut &[u8]) {
        let word = layout.word_of(cell as u32);
        self.open[cell] = match take::<1>(bytes) as u8 {
            CLOSED => None,
            WIDE_OPEN => Some(layout.whole(cell as u32)),
            _ => {
                let (low, high) = (number(take::<8>(bytes), word), number(take::<8>(bytes), word));
                Some(Interval { low, high })
            }
        };
    }
}

/// The next `N` bytes as a number.
fn take<const N: usize>(bytes: &mut &[u8]) -> i64 {
    let (head, tail) = bytes.split_at(N);
    *bytes = tail;
    let mut number = [0; 8];
    number[..N].copy_from_slice(head);
    i64::from_le_bytes(number)
}
