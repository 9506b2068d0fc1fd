//! The shared cells of a program: its shared scalars and the elements of its shared arrays, numbered for the
//! event order graph.

use crate::order::CellId;
use crate::program::{Init, Place, Program, ThreadId};
use crate::term::{Datum, Pool, Sort, TermId, VarId};

/// The cells.
#[derive(Debug)]
pub struct Memory {
    /// The first cell of each shared variable.
    first: Vec<Option<u32>>,
    cells: Vec<(VarId, Option<u32>)>,
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
        let mut memory =
            Memory { first: Vec::new(), cells: Vec::new(), owners: Vec::new(), owned: Vec::new() };
        for var in program.variable_ids() {
            if !program.is_shared(var) {
                memory.first.push(None);
                continue;
            }
            memory.first.push(Some(memory.cells.len() as u32));
            match program.variable(var).sort {
                Sort::Array(array) if memory.cells.len() + array.len as usize > limit => return Err(var),
                Sort::Array(array) => memory.cells.extend((0..array.len).map(|i| (var, Some(i)))),
                Sort::Bool | Sort::Word(_) => memory.cells.push((var, None)),
            }
        }
        memory.find_owners(program);
        Ok(memory)
    }

    fn find_owners(&mut self, program: &Program) {
        let mut writers = vec![Writers::Nobody; self.cells.len()];
        for transition in &program.transitions {
            let thread = program.location(transition.from).thread;
            for place in program.shared_writes(transition) {
                for cell in self.written(program, place) {
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

    /// The cells that a place may be.
    fn written(&self, program: &Program, place: Place) -> std::ops::Range<usize> {
        let first = self.first[place.var.index()].expect("a shared variable") as usize;
        let len = match program.variable(place.var).sort {
            Sort::Array(array) => array.len as usize,
            Sort::Bool | Sort::Word(_) => return first..first + 1,
        };
        match place.index.and_then(|index| program.terms.as_const(index)) {
            Some(index) => match usize::try_from(index) {
                Ok(index) if index < len => first + index..first + index + 1,
                _ => first..first,
            },
            None => first..first + len,
        }
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

    /// The cell of a shared scalar.
    pub fn scalar(&self, var: VarId) -> CellId {
        self.element(var, 0)
    }

    /// The cell of an element of a shared array.
    pub fn element(&self, var: VarId, index: u32) -> CellId {
        CellId::new((self.first[var.index()].expect("a shared variable") + index) as usize)
    }

    /// The variable of a cell, and the element if that is an array.
    pub fn place(&self, cell: CellId) -> (VarId, Option<u32>) {
        self.cells[cell.index()]
    }

    /// All cells.
    pub fn cells(&self) -> impl Iterator<Item = CellId> + use<> {
        (0..self.cells.len()).map(CellId::new)
    }

    /// A cell as users know it: `x`, `flag[1]`.
    pub fn name(&self, program: &Program, cell: CellId) -> String {
        match self.place(cell) {
            (var, Some(element)) => format!("{}[{element}]", program.variable(var).name),
            (var, None) => program.variable(var).name.clone(),
        }
    }

    /// The sort of what a cell holds.
    pub fn sort(&self, program: &Program, cell: CellId) -> Sort {
        match program.variable(self.place(cell).0).sort {
            Sort::Array(array) => Sort::Word(array.elem),
            scalar => scalar,
        }
    }

    /// What a cell holds initially, if that is known.
    pub fn initial(&self, program: &Program, pool: &mut Pool, cell: CellId) -> Option<TermId> {
        let (var, element) = self.place(cell);
        let Init::Value(value) = &program.variable(var).init else { return None };
        Some(match (value, element) {
            (Datum::Array(values), Some(i)) => {
                pool.datum(&Datum::Word(values[i as usize]), self.sort(program, cell))
            }
            (value, _) => pool.datum(value, self.sort(program, cell)),
        })
    }
}

/// The sort of indices that we make ourselves.
pub const INDEX: crate::term::Word = crate::term::Word::unsigned(32);
