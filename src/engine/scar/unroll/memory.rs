//! The shared cells of a program: its shared scalars and the elements of its shared arrays, numbered for the
//! event order graph.
//!
//! Where some bytes of a variable wait in a store buffer by themselves, its bytes are the cells. A store then
//! is one event that writes several cells, and a read reads several.

use crate::order::CellId;
use crate::program::{Init, Lanes, Program, ThreadId, Update};
use crate::term::{Datum, Pool, Sort, TermId, VarId, Word};

/// The cells.
#[derive(Debug)]
pub struct Memory {
    /// The first cell of each shared variable.
    first: Vec<Option<u32>>,
    /// How many cells each scalar of a variable is: one, or one for each of its bytes.
    widths: Vec<u32>,
    /// Variable, element, byte.
    cells: Vec<(VarId, Option<u32>, u32)>,
    /// The only thread that writes a cell, and the cell's position among those of that thread.
    owners: Vec<Option<(ThreadId, usize)>>,
    /// The cells that each thread alone writes.
    owned: Vec<Vec<CellId>>,
}

/// Which threads write a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writers {
    Nobody,
    One(ThreadId),
    Several,
}

impl Memory {
    /// The cells of a program; the variable with more elements than there may be cells in all, if there is
    /// one.
    pub fn of(program: &Program, limit: usize) -> Result<Memory, VarId> {
        let mut memory = Memory {
            first: Vec::new(),
            widths: widths(program),
            cells: Vec::new(),
            owners: Vec::new(),
            owned: Vec::new(),
        };
        for var in program.variable_ids() {
            if !program.is_shared(var) {
                memory.first.push(None);
                continue;
            }
            let (start, width) = (memory.cells.len(), memory.widths[var.index()]);
            memory.first.push(Some(start as u32));
            match program.variable(var).sort {
                Sort::Array(array) if start + array.len as usize * width as usize > limit => return Err(var),
                Sort::Array(array) => {
                    let bytes = |i| (0..width).map(move |byte| (var, Some(i), byte));
                    memory.cells.extend((0..array.len).flat_map(bytes));
                }
                Sort::Bool | Sort::Word(_) => memory.cells.extend((0..width).map(|byte| (var, None, byte))),
            }
        }
        memory.find_owners(program);
        Ok(memory)
    }

    fn find_owners(&mut self, program: &Program) {
        let mut writers = vec![Writers::Nobody; self.cells.len()];
        for transition in &program.transitions {
            let thread = program.location(transition.from).thread;
            for update in transition.updates.iter().filter(|update| program.is_shared(update.place.var)) {
                for cell in self.written(program, update) {
                    writers[cell] = match writers[cell] {
                        Writers::Nobody => Writers::One(thread),
                        Writers::One(other) if other == thread => Writers::One(thread),
                        _ => Writers::Several,
                    };
                }
            }
        }
        self.owned = vec![Vec::new(); program.threads.len()];
        for (cell, writer) in writers.into_iter().enumerate() {
            self.owners.push(match writer {
                Writers::One(thread) => {
                    self.owned[thread.index()].push(CellId::new(cell));
                    Some((thread, self.owned[thread.index()].len() - 1))
                }
                Writers::Nobody | Writers::Several => None,
            });
        }
    }

    /// The cells that an update may write.
    fn written(&self, program: &Program, update: &Update) -> Vec<usize> {
        let var = update.place.var;
        let elements = match program.variable(var).sort {
            Sort::Bool | Sort::Word(_) => 0..1,
            Sort::Array(array) => match update.place.index.and_then(|index| program.terms.as_const(index)) {
                Some(index) => match u32::try_from(index) {
                    Ok(index) if index < array.len => index..index + 1,
                    _ => 0..0,
                },
                None => 0..array.len,
            },
        };
        let cells = elements.flat_map(|element| self.bytes(var, element, update.lanes));
        cells.map(|(_, cell)| cell.index()).collect()
    }

    /// The cells of some bytes of a scalar or an element, each with the byte's number; one cell if it is not
    /// taken apart.
    pub fn bytes(&self, var: VarId, element: u32, lanes: Lanes) -> Vec<(u32, CellId)> {
        let width = self.widths[var.index()];
        let first = self.first[var.index()].expect("a shared variable") + element * width;
        let written = (0..width).filter(|&byte| lanes.contains(byte as usize));
        written.map(|byte| (byte, CellId::new((first + byte) as usize))).collect()
    }

    /// Whether the bytes of a variable are its cells.
    pub fn is_apart(&self, var: VarId) -> bool {
        self.widths[var.index()] > 1
    }

    /// If a thread is the only one that writes a cell: the cell's position among those. Such a thread always
    /// knows what it would read there, its own last write, under every memory model.
    pub fn own(&self, thread: ThreadId, cell: CellId) -> Option<usize> {
        self.owners[cell.index()].filter(|&(owner, _)| owner == thread).map(|(_, position)| position)
    }

    /// The cells that a thread alone writes.
    pub fn owned(&self, thread: ThreadId) -> &[CellId] {
        &self.owned[thread.index()]
    }

    /// The variable of a cell, and the element if that is an array.
    pub fn place(&self, cell: CellId) -> (VarId, Option<u32>) {
        let (var, element, _) = self.cells[cell.index()];
        (var, element)
    }

    /// The bytes of their place that some of its cells are.
    pub fn lanes(&self, cells: impl IntoIterator<Item = CellId>) -> Lanes {
        let mut bytes = Vec::new();
        for cell in cells {
            let (var, _, byte) = self.cells[cell.index()];
            if !self.is_apart(var) {
                return Lanes::ALL;
            }
            bytes.push((var, byte));
        }
        match bytes.first() {
            Some((var, _)) if bytes.len() < self.widths[var.index()] as usize => {
                Lanes::of(bytes.iter().map(|&(_, byte)| byte as usize))
            }
            _ => Lanes::ALL,
        }
    }

    /// All cells.
    pub fn cells(&self) -> impl Iterator<Item = CellId> + use<> {
        (0..self.cells.len()).map(CellId::new)
    }

    /// A cell as users know it: `x`, `flag[1]`.
    pub fn name(&self, program: &Program, cell: CellId) -> String {
        let (var, element, byte) = self.cells[cell.index()];
        let name = &program.variable(var).name;
        let part = if self.is_apart(var) { format!(".byte{byte}") } else { String::new() };
        match element {
            Some(element) => format!("{name}[{element}]{part}"),
            None => format!("{name}{part}"),
        }
    }

    /// The sort of what a cell holds.
    pub fn sort(&self, program: &Program, cell: CellId) -> Sort {
        let (var, _) = self.place(cell);
        match program.variable(var).sort {
            _ if self.is_apart(var) => Sort::Word(BYTE),
            Sort::Array(array) => Sort::Word(array.elem),
            scalar => scalar,
        }
    }

    /// What a cell holds initially, if that is known.
    pub fn initial(&self, program: &Program, pool: &mut Pool, cell: CellId) -> Option<TermId> {
        let (var, element, byte) = self.cells[cell.index()];
        let Init::Value(value) = &program.variable(var).init else { return None };
        let sort = self.sort(program, cell);
        let value = match (value, element) {
            (Datum::Array(values), Some(i)) => Datum::Word(values[i as usize]),
            (value, _) => value.clone(),
        };
        Some(match (self.is_apart(var), value) {
            (true, Datum::Word(value)) => pool.constant(value >> (8 * byte) & 0xff, BYTE),
            (_, value) => pool.datum(&value, sort),
        })
    }
}

/// How many cells each scalar of each variable is.
fn widths(program: &Program) -> Vec<u32> {
    let mut widths = vec![1; program.variables.len()];
    for update in program.transitions.iter().flat_map(|transition| &transition.updates) {
        if !update.lanes.is_all() && program.is_shared(update.place.var) {
            widths[update.place.var.index()] = match program.variable(update.place.var).sort {
                Sort::Bool => 1,
                Sort::Word(word) => u32::from(word.bits()).div_ceil(8),
                Sort::Array(array) => u32::from(array.elem.bits()).div_ceil(8),
            };
        }
    }
    widths
}

/// What a cell holds that is a byte of something wider.
pub const BYTE: Word = Word::unsigned(8);

/// The sort of indices that we make ourselves.
pub const INDEX: Word = Word::unsigned(32);
