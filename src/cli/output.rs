//! Writing to stdout, stderr and files.
//!
//! Whoever reads our stdout may stop at any time (`regrain ... | head -1`): a closed pipe is no error, and
//! the exit code is the same as if everything had been read.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::panic::PanicHookInfo;
use std::path::Path;

use clap::ColorChoice;
use regrain::report::json;

use super::args::Format;
use super::exit::{Exit, Failure};

/// Prints to stdout.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Output(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes to a file.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text)
        .map_err(|error| Failure::Output(format!("cannot write {}: {error}", path.display())))
}

/// Two results of writing: what failed first counts, what failed later is reported.
pub fn both(first: Result<(), Failure>, second: Result<(), Failure>) -> Result<(), Failure> {
    match (first, second) {
        (Err(first), Err(second)) => {
            complain(&second.to_string());
            Err(first)
        }
        (first, second) => first.and(second),
    }
}

/// Prints a line to stderr, if anybody is there to read it.
pub fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Reports a failure on stderr, and as a document on stdout for who expects one.
pub fn fail(failure: &Failure, format: Format) -> Exit {
    match failure {
        // The panic hook has spoken.
        Failure::Panic => {}
        Failure::Check(_) => complain(&format!("{failure}\n{REQUEST}")),
        _ => complain(&failure.to_string()),
    }
    if format == Format::Json
        && !matches!(failure, Failure::Output(_))
        && let Err(failure) = print(&json::failure(&described(failure)))
    {
        complain(&failure.to_string());
    }
    failure.exit()
}

/// A failure for scripts.
pub fn described(failure: &Failure) -> json::Error<'_> {
    let plain = |message| json::Error { message, ..json::Error::default() };
    let described = match failure {
        Failure::Program(diagnostic) => {
            let span = diagnostic.span;
            let file = span.is_some().then(|| diagnostic.sources.name(span.file));
            let [line, column] = [span.line, span.column].map(|number| (number > 0).then_some(number));
            let help = diagnostic.help.as_deref();
            json::Error { message: &diagnostic.message, file, line, column, help, ..json::Error::default() }
        }
        Failure::Task(error) => json::Error {
            message: &error.message,
            file: error.file.to_str(),
            line: u32::try_from(error.line).ok().filter(|&line| line > 0),
            ..json::Error::default()
        },
        Failure::Output(message)
        | Failure::Unsupported(message)
        | Failure::Solver(message)
        | Failure::Check(message) => plain(message),
        Failure::Panic => plain("internal error; stderr has the details"),
    };
    json::Error { kind: failure.kind(), ..described }
}

const REQUEST: &str = "\
This is a bug in Regrain, not in your program. There is no verdict. Please report it together with
the command line and the program.";

/// Makes a panic say what users can do about it.
pub fn explain_panics() {
    std::panic::set_hook(Box::new(|panic: &PanicHookInfo<'_>| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let place = panic.location().map(|place| format!(" at {place}")).unwrap_or_default();
        complain(&format!("internal error{place}: {}\n{REQUEST}", text.unwrap_or("no message")));
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            complain(&trace.to_string());
        }
    }));
}

/// Whether to colour stdout.
pub fn colours(choice: ColorChoice) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never,
    }
}

/// The width that stdout has, in characters. What goes to a file or another program has a width that fits
/// everywhere, however wide the terminal is, unless `COLUMNS` says otherwise.
pub fn width() -> usize {
    let stated = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal_width(io::stdout()).or_else(stated).filter(|&width| width > 0).unwrap_or(80)
}

/// The width that stderr has, for progress on a terminal.
pub fn progress_width() -> usize {
    terminal_width(io::stderr()).unwrap_or(80)
}

fn terminal_width(stream: impl AsFd) -> Option<usize> {
    terminal_size::terminal_size_of(stream).map(|(width, _)| usize::from(width.0))
}
