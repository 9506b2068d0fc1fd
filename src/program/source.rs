//! Where things are in the user's files.

use std::fmt;

/// A source file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// A place in a source file. `line` 0 means that there is none (things the front end made up).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1; 0 when unknown.
    pub column: u32,
    /// Length in bytes of the part on this line; 0 when unknown.
    pub len: u32,
}

impl Span {
    /// No place.
    pub const NONE: Span = Span { file: FileId(0), line: 0, column: 0, len: 0 };

    /// Whether this is a place in a file.
    pub fn is_some(self) -> bool {
        self.line != 0
    }
}

/// The source files of a program: names and text, as far as they could be read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct SourceFile {
    name: String,
    lines: Vec<String>,
}

impl Sources {
    /// The file of that name; added without text if it is new.
    pub fn file(&mut self, name: &str) -> FileId {
        let known = self.files.iter().position(|file| file.name == name);
        let index = known.unwrap_or_else(|| {
            self.files.push(SourceFile { name: name.to_owned(), lines: Vec::new() });
            self.files.len() - 1
        });
        FileId(u32::try_from(index).expect("fewer than 2^32 files"))
    }

    /// Gives a file its text.
    pub fn set_text(&mut self, file: FileId, text: &str) {
        self.files[file.0 as usize].lines = text.lines().map(str::to_owned).collect();
    }

    /// The name of a file, as the user or a line marker gave it.
    pub fn name(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("<none>", |file| &file.name)
    }

    /// The text of a line (from 1), if known.
    pub fn line(&self, file: FileId, line: u32) -> Option<&str> {
        let lines = &self.files.get(file.0 as usize)?.lines;
        lines.get((line as usize).checked_sub(1)?).map(String::as_str)
    }

    /// All files with their ids.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &str)> {
        self.files.iter().enumerate().map(|(i, file)| (FileId(i as u32), file.name.as_str()))
    }

    /// `file.c:12:5`, ready for `{}`.
    pub fn display(&self, span: Span) -> impl fmt::Display + '_ {
        Shown { sources: self, span }
    }
}

struct Shown<'a> {
    sources: &'a Sources,
    span: Span,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.span.is_some() {
            return f.write_str("<none>");
        }
        write!(f, "{}:{}", self.sources.name(self.span.file), self.span.line)?;
        match self.span.column {
            0 => Ok(()),
            column => write!(f, ":{column}"),
        }
    }
}
