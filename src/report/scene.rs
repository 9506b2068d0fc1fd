//! The state of a run as people look at it: values of the user's variables, owners of locks, contents of
//! store buffers.
//!
//! Values are those in memory; a write that waits in a store buffer is shown there. A scene holds only the
//! values that are new, so that a long run with many variables stays small.

use std::collections::BTreeSet;

use super::SourcePlace;
use super::turns::Standings;
use super::values::{cell_name, value_text};
use crate::program::{Init, Names, Origin, Program, Role};
use crate::replay::{Cell, Run};
use crate::term::Datum;

/// A variable, or an element of an array, that the run reads or writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watched {
    /// Its name.
    pub name: String,
    /// The thread whose own it is; none for shared memory.
    pub owner: Option<usize>,
    /// Its value at the beginning; empty if anything may be there.
    pub initial: String,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scene {
    /// The variables, as indices into the list of those watched, whose values differ from the scene before.
    pub changes: Vec<(usize, String)>,
    /// The locks that are held.
    pub locks: Vec<Held>,
    /// The writes that wait in store buffers, by thread, oldest first.
    pub buffered: Vec<Pending>,
    /// In a cooperative program: when it is, and what each thread does that cannot go on.
    pub situation: Option<Standings>,
}

/// A lock that is held.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// Its name.
    pub name: String,
    /// Who holds it, several readers of a read-write lock perhaps.
    pub threads: Vec<usize>,
}

/// A write in a store buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    /// Whose buffer.
    pub thread: usize,
    /// What was written.
    pub name: String,
    /// The value.
    pub value: String,
    /// By which line.
    pub place: Option<SourcePlace>,
}

/// What of the user's memory a run uses: shared places first, then those of each thread.
pub(super) fn watched_cells(program: &Program, run: &Run) -> Vec<Cell> {
    let mut cells = BTreeSet::new();
    for step in &run.steps {
        let reads = step.reads.iter().map(|read| (read.var, read.element));
        let writes = step.writes.iter().map(|write| (write.var, write.element));
        let users = |cell: &Cell| program.variable(cell.0).origin == Origin::User;
        cells.extend(reads.chain(writes).filter(users));
    }
    let mut cells: Vec<Cell> = cells.into_iter().collect();
    cells.sort_by_key(|&(var, element)| (owner(program, (var, element)), var, element));
    cells
}

/// The cells with names and initial values.
pub(super) fn watched(program: &Program, names: &Names, run: &Run, cells: &[Cell]) -> Vec<Watched> {
    let shown = |&cell: &Cell| {
        let any = program.variable(cell.0).init == Init::Any;
        let initial = if any { String::new() } else { value(program, run, cell, 0) };
        Watched { name: cell_name(program, names, cell), owner: owner(program, cell), initial }
    };
    cells.iter().map(shown).collect()
}

/// The cells whose values differ between two states of a run, with the later values.
pub(super) fn changes(
    program: &Program,
    run: &Run,
    cells: &[Cell],
    before: usize,
    after: usize,
) -> Vec<(usize, String)> {
    // A value written to memory that had none to show is news even if it is the same by chance.
    let written: BTreeSet<Cell> = run.steps[before..after]
        .iter()
        .flat_map(|step| &step.writes)
        .filter(|write| !write.buffered)
        .map(|write| (write.var, write.element))
        .collect();
    let changed = cells
        .iter()
        .enumerate()
        .filter(|&(_, &(var, element))| written.contains(&(var, element)) || written.contains(&(var, None)));
    changed.map(|(index, &cell)| (index, value(program, run, cell, after))).collect()
}

fn owner(program: &Program, (var, _): Cell) -> Option<usize> {
    match program.variable(var).role {
        Role::Private(thread) => Some(thread.index()),
        Role::Shared | Role::Input => None,
    }
}

fn value(program: &Program, run: &Run, (var, element): Cell, state: usize) -> String {
    let memory = &run.states[state].memory[var.index()];
    match (memory, element) {
        (Datum::Array(values), Some(element)) => match values.get(element as usize) {
            Some(&word) => value_text(program, var, &Datum::Word(word)),
            None => String::new(),
        },
        (whole, _) => value_text(program, var, whole),
    }
}
