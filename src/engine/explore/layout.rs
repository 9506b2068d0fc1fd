//! Where each variable lives in the explorer's state: a flat row of 64-bit cells.
//!
//! A scalar has one cell, an array one cell an element. Shared variables come first, of these the ones that
//! belong to threads that are alike last (`symmetry.rs`), then the private ones thread by thread, then the
//! inputs, which are not part of the state. Threads that are alike have the same cells at the same distance
//! from the first, and their locations have the same numbers. A cell holds the value modulo 2^64:
//! signed words sign-extended, unsigned words zero-extended, truth values 0 or 1. Only for unsigned words of
//! 64 bits does this differ from the value as an `i64`, and the compiled operations know it.

use std::ops::Range;

use crate::program::symmetry::Group;
use crate::program::{LocId, Program, Role, ThreadId};
use crate::term::{Datum, Sort, VarId, Word};

use crate::program::regions::Interval;

/// The cells of one variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Field {
    pub base: u32,
    pub len: u32,
    pub sort: Sort,
}

impl Field {
    /// The numbers of the cells.
    pub fn cells(self) -> Range<u32> {
        self.base..self.base + self.len
    }
}

/// The cells of all variables of a program.
#[derive(Debug)]
pub(super) struct Layout {
    fields: Vec<Field>,
    /// The variable of each cell.
    owners: Vec<VarId>,
    /// The word of each cell.
    words: Vec<Word>,
    pub shared: Range<usize>,
    /// The shared cells that belong to no thread of a group.
    pub common: Range<usize>,
    /// The shared cells of each thread of a group.
    own: Vec<Range<usize>>,
    /// The number of each location.
    numbers: Vec<u32>,
    /// For each thread of a group, the location of each number.
    places: Vec<Vec<LocId>>,
    /// Private cells of each thread.
    pub private: Vec<Range<usize>>,
}

impl Layout {
    /// Lays out the variables of a program of which some threads are alike. `Err` is the number of cells that
    /// it would take, if that is more than `limit`.
    pub fn new(program: &Program, limit: u64, groups: &[Group]) -> Result<Layout, u64> {
        let cells: u64 = program.variables.iter().map(|variable| u64::from(length(variable.sort))).sum();
        if cells > limit {
            return Err(cells);
        }
        let empty = Field { base: 0, len: 0, sort: Sort::Bool };
        let mut layout = Layout {
            fields: vec![empty; program.variables.len()],
            owners: Vec::new(),
            words: Vec::new(),
            shared: 0..0,
            common: 0..0,
            own: vec![0..0; program.threads.len()],
            numbers: (0..program.locations.len() as u32).collect(),
            places: vec![Vec::new(); program.threads.len()],
            private: Vec::new(),
        };
        layout.place_shared(program, groups);
        for thread in program.thread_ids() {
            let section = layout.place(program, with_role(program, Role::Private(thread)));
            layout.private.push(section);
        }
        layout.place(program, with_role(program, Role::Input));
        Ok(layout)
    }

    /// Gives cells to the shared variables, and numbers to the locations of threads that are alike.
    fn place_shared(&mut self, program: &Program, groups: &[Group]) {
        let members = || groups.iter().flat_map(|group| &group.members);
        let owned = |var: &VarId| members().any(|member| member.variables.binary_search(var).is_ok());
        let common = with_role(program, Role::Shared).into_iter().filter(|var| !owned(var)).collect();
        self.common = self.place(program, common);
        for member in members() {
            let mut own = member.variables.clone();
            own.retain(|&var| program.is_shared(var));
            self.own[member.thread.index()] = self.place(program, own);
            self.places[member.thread.index()].clone_from(&member.locations);
            for (number, location) in (0..).zip(&member.locations) {
                self.numbers[location.index()] = number;
            }
        }
        self.shared = 0..self.owners.len();
    }

    /// Gives cells to some variables.
    fn place(&mut self, program: &Program, vars: Vec<VarId>) -> Range<usize> {
        let start = self.owners.len();
        for var in vars {
            let sort = program.variable(var).sort;
            let len = length(sort);
            let base = u32::try_from(self.owners.len()).expect("the number of cells is limited");
            self.fields[var.index()] = Field { base, len, sort };
            self.owners.extend(std::iter::repeat_n(var, len as usize));
            self.words.extend(std::iter::repeat_n(element_word(sort), len as usize));
        }
        start..self.owners.len()
    }

    /// Number of cells, inputs included.
    pub fn cells(&self) -> usize {
        self.owners.len()
    }

    /// The cells of a variable.
    pub fn field(&self, var: VarId) -> Field {
        self.fields[var.index()]
    }

    /// The variable and element of a cell.
    pub fn place_of(&self, cell: u32) -> (VarId, Option<u32>) {
        let var = self.owners[cell as usize];
        let field = self.field(var);
        (var, matches!(field.sort, Sort::Array(_)).then(|| cell - field.base))
    }

    /// The word of a cell.
    pub fn word_of(&self, cell: u32) -> Word {
        self.words[cell as usize]
    }

    /// All values of a cell.
    pub fn whole(&self, cell: u32) -> Interval {
        let word = self.word_of(cell);
        Interval { low: word.min(), high: word.max() }
    }

    /// The bytes that a cell takes when packed: 1, 2, 4 or 8.
    pub fn width(&self, cell: usize) -> usize {
        usize::from(self.words[cell].bits()).div_ceil(8).next_power_of_two()
    }

    /// The cells that belong to a thread alone.
    pub fn private(&self, thread: ThreadId) -> Range<usize> {
        self.private[thread.index()].clone()
    }

    /// The shared cells that belong to a thread of a group.
    pub fn own(&self, thread: ThreadId) -> Range<usize> {
        self.own[thread.index()].clone()
    }

    /// The number of a location, the same for threads that are alike.
    pub fn number_of(&self, location: LocId) -> u32 {
        self.numbers[location.index()]
    }

    /// The location of a thread with a number.
    pub fn location(&self, thread: ThreadId, number: u32) -> LocId {
        let places = &self.places[thread.index()];
        if places.is_empty() { LocId::new(number as usize) } else { places[number as usize] }
    }

    /// Puts a value into a variable's cells.
    pub fn set(&self, cells: &mut [i64], var: VarId, value: &Datum) {
        let field = self.field(var);
        let base = field.base as usize;
        match value {
            Datum::Bool(value) => cells[base] = i64::from(*value),
            Datum::Word(value) => cells[base] = *value as i64,
            Datum::Array(values) => {
                for (cell, value) in cells[base..].iter_mut().zip(values.iter()) {
                    *cell = *value as i64;
                }
            }
        }
    }

    /// The value in a variable's cells.
    pub fn get(&self, cells: &[i64], var: VarId) -> Datum {
        let field = self.field(var);
        let range = field.base as usize..(field.base + field.len) as usize;
        match field.sort {
            Sort::Bool => Datum::Bool(cells[range.start] != 0),
            Sort::Word(word) => Datum::Word(number(cells[range.start], word)),
            Sort::Array(array) => {
                Datum::Array(cells[range].iter().map(|&cell| number(cell, array.elem)).collect())
            }
        }
    }
}

/// The number that a cell stands for.
pub(super) fn number(cell: i64, word: Word) -> i128 {
    if word.is_signed() { i128::from(cell) } else { i128::from(cell as u64) }
}

/// The variables of a role.
fn with_role(program: &Program, role: Role) -> Vec<VarId> {
    program.variable_ids().filter(|&var| program.variable(var).role == role).collect()
}

fn length(sort: Sort) -> u32 {
    match sort {
        Sort::Bool | Sort::Word(_) => 1,
        Sort::Array(array) => array.len,
    }
}

fn element_word(sort: Sort) -> Word {
    match sort {
        Sort::Bool => Word::BOOL,
        Sort::Word(word) => word,
        Sort::Array(array) => array.elem,
    }
}
