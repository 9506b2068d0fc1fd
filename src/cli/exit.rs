//! The table of exit codes, and what can go wrong besides a verdict.

use std::fmt;
use std::process::ExitCode;

use regrain::engine::Claim;
use regrain::frontend::diagnostic::Diagnostic;
use regrain::frontend::task::TaskError;
use regrain::verify::{Checked, Fault};

/// How the process ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// The job is done; for `verify`, the program is safe.
    Done,
    /// The program violates its property.
    Violated,
    /// No answer, within the limits or at all.
    Unknown,
    /// The command line is wrong, or output cannot be written where it asks for it.
    Usage,
    /// The input cannot be read, parsed, or is not supported.
    Input,
    /// Regrain itself failed.
    Internal,
}

impl Exit {
    /// The exit code; scripts rely on these.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Violated => 10,
            Exit::Unknown => 5,
            Exit::Usage => 2,
            Exit::Input => 3,
            Exit::Internal => 70,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

impl From<&Checked> for Exit {
    fn from(answer: &Checked) -> Exit {
        match answer.claim() {
            Claim::Safe(_) => Exit::Done,
            Claim::Unsafe(_) => Exit::Violated,
            Claim::Unknown(_) => Exit::Unknown,
        }
    }
}

/// Why there is no verdict at all.
#[derive(Debug)]
pub enum Failure {
    /// A file for output cannot be written.
    Output(String),
    /// What is asked for is not possible for this program or in this form.
    Unsupported(String),
    /// The program is refused.
    Program(Box<Diagnostic>),
    /// The task or property is refused.
    Task(TaskError),
    /// A solver library that cannot be used.
    Solver(String),
    /// A check of our own failed; the text says which.
    Check(String),
    /// Something panicked; the panic hook has said what.
    Panic,
}

impl Failure {
    /// How the process ends on it.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Output(_) => Exit::Usage,
            Failure::Unsupported(_) => Exit::Input,
            Failure::Program(_) | Failure::Task(_) => Exit::Input,
            Failure::Solver(_) | Failure::Check(_) | Failure::Panic => Exit::Internal,
        }
    }

    /// The kind's name in JSON.
    pub fn kind(&self) -> &'static str {
        use regrain::frontend::diagnostic::Kind;
        match self {
            Failure::Output(_) => "output",
            Failure::Unsupported(_) => "unsupported",
            Failure::Program(diagnostic) => match diagnostic.kind {
                Kind::Input => "input",
                Kind::Syntax => "syntax",
                Kind::Type => "type",
                Kind::Unsupported => "unsupported",
                Kind::UndefinedFunction => "undefined-function",
                Kind::TooLarge => "too-large",
            },
            Failure::Task(_) => "task",
            Failure::Solver(_) | Failure::Check(_) | Failure::Panic => "internal",
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Failure {
        Failure::Program(Box::new(diagnostic))
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        Failure::Check(fault.to_string())
    }
}

impl From<TaskError> for Failure {
    fn from(error: TaskError) -> Failure {
        Failure::Task(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Output(message) | Failure::Unsupported(message) | Failure::Solver(message) => {
                write!(f, "error: {message}")
            }
            Failure::Program(diagnostic) => diagnostic.fmt(f),
            Failure::Task(error) => error.fmt(f),
            Failure::Check(message) => write!(f, "internal error: {message}"),
            Failure::Panic => write!(f, "internal error"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regrain::engine::Reason;
    use regrain::verify::Engine;

    #[test]
    fn the_codes_are_those_that_scripts_rely_on() {
        let undecided = Checked::undecided(Engine::Auto, Reason::new("limit"));
        assert_eq!(Exit::from(&undecided).code(), 5);
        assert_eq!([Exit::Done.code(), Exit::Violated.code()], [0, 10]);
        let failures = [Failure::Output(String::new()), Failure::Solver(String::new()), Failure::Panic];
        assert_eq!(failures.map(|failure| failure.exit().code()), [2, 70, 70]);
        let missing = TaskError { file: "t.yml".into(), line: 0, message: "gone".to_owned() };
        assert_eq!(Failure::from(missing).exit().code(), 3);
    }
}
