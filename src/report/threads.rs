//! The threads of a program as a table.

use crate::program::{Mark, Program, Role, ThreadId};

/// One line a thread: number, name, size, assertions, where it is created.
pub fn table(program: &Program) -> String {
    let mut rows = vec![
        ["", "thread", "locations", "transitions", "private", "assertions", "created at"].map(str::to_owned),
    ];
    rows.extend(program.thread_ids().map(|thread| row(program, thread)));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            // Texts to the left, numbers to the right.
            1 | 6 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        text += line.trim_end();
        text.push('\n');
    }
    let shared = program.variables.iter().filter(|variable| variable.role == Role::Shared).count();
    text + &format!("{shared} shared variables\n")
}

fn row(program: &Program, thread: ThreadId) -> [String; 7] {
    let own = |id: &_| program.location(*id).thread == thread;
    let locations: Vec<_> = program.location_ids().filter(own).collect();
    let transitions: usize = locations.iter().map(|&location| program.outgoing(location).len()).sum();
    let private = program.variables.iter().filter(|variable| variable.role == Role::Private(thread)).count();
    let errors = locations.iter().filter(|&&id| matches!(program.location(id).mark, Some(Mark::Error(_))));
    let span = program.thread(thread).span;
    [
        thread.index().to_string(),
        program.thread(thread).name.clone(),
        locations.len().to_string(),
        transitions.to_string(),
        private.to_string(),
        errors.count().to_string(),
        if thread.index() == 0 { String::new() } else { program.sources.display(span).to_string() },
    ]
}
