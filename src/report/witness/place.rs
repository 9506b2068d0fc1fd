//! Locations as witnesses give them: file, line, column of a character, and the function around it.
//!
//! A preprocessed file is its own program: its lines are counted as they are in the file, whatever its line
//! markers say. Columns count characters, not bytes; where the preprocessor hid the column there is none,
//! which the formats take as the leftmost fitting place of the line.

use std::collections::BTreeMap;
use std::path::Path;

use super::syntax::{Branching, Position, Syntax};
use crate::frontend::lines::LineMap;
use crate::frontend::source::is_preprocessed;
use crate::program::{FileId, Program, Sources, Span};

/// A location.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: Option<u32>,
    /// The offset of the character in the file, from 0.
    pub offset: Option<usize>,
    /// The function around it.
    pub function: Option<String>,
}

/// The input file, to find places in.
#[derive(Debug)]
pub(super) struct Places {
    name: String,
    syntax: Syntax,
    /// The file under the names that spans give it.
    own: Vec<FileId>,
    /// Of a preprocessed file: the real line of each line that markers tell of.
    physical: Option<BTreeMap<(FileId, u32), u32>>,
}

impl Places {
    /// Prepares for a program that was read from a file with this name and text.
    pub fn new(program: &Program, name: &str, text: &str) -> Places {
        let mut sources = program.sources.clone();
        let physical = is_preprocessed(Path::new(name)).then(|| physical_lines(name, text, &mut sources));
        let own = program.sources.files().filter(|(_, file)| *file == name).map(|(id, _)| id).collect();
        Places { name: name.to_owned(), syntax: Syntax::new(text.to_owned()), own, physical }
    }

    /// Where a span starts in the input file; `None` if it is elsewhere.
    pub fn position(&self, span: Span) -> Option<Position> {
        let line = match &self.physical {
            Some(lines) => *lines.get(&(span.file, span.line))?,
            None => self.own.contains(&span.file).then_some(span.line)?,
        };
        span.is_some().then_some(Position { line, column: span.column })
    }

    /// The place at which a span starts.
    pub fn start(&self, span: Span) -> Option<Place> {
        self.position(span).map(|position| self.place(position))
    }

    /// The place at which a statement starts; `None` if statements cannot start there, or if the column is
    /// hidden behind a macro: without a column the place would be that of the line's first statement.
    pub fn statement(&self, span: Span) -> Option<Place> {
        let position = self.position(span)?;
        let start = self.syntax.statement_start(position)?;
        self.syntax.is_in_block(start).then(|| self.place(start))
    }

    /// The place of the last character of a span.
    pub fn end(&self, span: Span) -> Option<Place> {
        let start = self.position(span).filter(|_| span.column > 0 && span.len > 0)?;
        Some(self.place(Position { column: start.column + span.len - 1, ..start }))
    }

    /// The closing parenthesis of the call of a function that a span begins with.
    pub fn call_end(&self, span: Span, function: &str) -> Option<Place> {
        let start = self.position(span)?;
        self.syntax.call_end(start, function).map(|position| self.place(position))
    }

    /// The `if`, `while` or `for` in whose condition a span starts.
    pub fn branching(&self, span: Span) -> Option<Branching<'_>> {
        self.syntax.branching_at(self.position(span)?)
    }

    /// Whether a span starts in a condition.
    pub fn is_inside(&self, branching: &Branching<'_>, span: Span) -> bool {
        self.position(span).is_some_and(|at| self.syntax.is_inside(branching, at))
    }

    /// The word that a span starts with.
    pub fn word(&self, span: Span) -> Option<&str> {
        self.syntax.word_at(self.position(span)?)
    }

    /// The first place in the body of a function.
    pub fn first_statement(&self, function: &str) -> Option<Place> {
        self.syntax.first_statement(function).map(|position| self.place(position))
    }

    /// A position with everything that is known of it.
    pub fn place(&self, at: Position) -> Place {
        let before = at.column.checked_sub(1).map(|bytes| bytes as usize);
        let line = self.syntax.line(at.line).unwrap_or("");
        let column = before.and_then(|bytes| line.get(..bytes)).map(|text| text.chars().count() as u32 + 1);
        let offset = column.and_then(|_| self.syntax.offset(at));
        let somewhere = Position { column: at.column.max(1), ..at };
        let function = self.syntax.function_at(somewhere).map(str::to_owned);
        Place { file: self.name.clone(), line: at.line, column, offset, function }
    }
}

fn physical_lines(name: &str, text: &str, sources: &mut Sources) -> BTreeMap<(FileId, u32), u32> {
    let map = LineMap::new(text, name, sources);
    let mut lines = BTreeMap::new();
    let mut offset = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let span = map.span(offset, offset);
        offset += line.len();
        if !line.starts_with('#') {
            lines.entry((span.file, span.line)).or_insert(number);
        }
    }
    lines
}
