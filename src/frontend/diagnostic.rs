//! What the front end tells the user when it cannot go on: a sentence, the place, what to do.

use std::fmt;

use crate::program::{Sources, Span};

/// Why an input is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What kind of trouble.
    pub kind: Kind,
    /// One sentence without a final stop, naming the construct: "`double` is not supported".
    pub message: String,
    /// Where; [`Span::NONE`] if nowhere in particular.
    pub span: Span,
    /// What the user can do about it, if we know.
    pub help: Option<String>,
    /// The files the span points into.
    pub sources: Sources,
}

/// Kinds of trouble.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A file cannot be read, or the preprocessor fails.
    Input,
    /// The text is not C.
    Syntax,
    /// The C is wrong: an undeclared name, a type error.
    Type,
    /// A construct that we do not support.
    Unsupported,
    /// A function without a body and without a model is called.
    UndefinedFunction,
    /// The program grows beyond what we handle when calls and threads are expanded.
    TooLarge,
}

impl std::error::Error for Diagnostic {}

impl fmt::Display for Diagnostic {
    /// `p.c:12:5: error: ...`, the source line with the place underlined, and the help.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.span.is_some() {
            write!(f, "{}: ", self.sources.display(self.span))?;
        }
        write!(f, "error: {}", self.message)?;
        if let Some(line) = self.sources.line(self.span.file, self.span.line) {
            let number = self.span.line.to_string();
            let gutter = " ".repeat(number.len());
            write!(f, "\n {gutter} |\n {number} | {}", line.trim_end())?;
            if self.span.column > 0 {
                let before: String = line
                    .bytes()
                    .take(self.span.column as usize - 1)
                    .map(|byte| if byte == b'\t' { '\t' } else { ' ' })
                    .collect();
                write!(f, "\n {gutter} | {before}{}", "^".repeat(self.span.len.max(1) as usize))?;
            }
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}
