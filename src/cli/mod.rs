//! Arguments to a task, a run, a report, an exit code; nothing else.
//!
//! ```text
//! argv ──args.rs──▶ Arguments (as typed) ──job.rs──▶ Job (files read, options settled)
//!      ──verify.rs, compare.rs, cegar.rs, show.rs, bench/──▶ report on stdout ──exit.rs──▶ exit code
//! ```
//!
//! stdout holds the report and nothing else; progress, warnings and errors go to stderr. This room is the
//! only one that prints (`output.rs`, `progress.rs`), the only one that names clap, and the only one that
//! knows signals.

mod advice;
mod args;
mod bench;
mod cegar;
mod compare;
mod engine;
mod evidence;
mod exit;
mod features;
mod fit;
mod impact;
mod job;
mod output;
mod pictures;
mod progress;
mod reference;
mod scar;
mod shell;
mod show;
mod signals;
mod value;
mod verify;
mod watch;

use std::panic::{AssertUnwindSafe, catch_unwind};

use args::{Arguments, Command};
pub use exit::Exit;
use exit::Failure;
use regrain::stack;

/// Runs the command line of this process.
pub fn main() -> Exit {
    output::explain_panics();
    let arguments = match args::parse() {
        Ok(arguments) => arguments,
        Err(exit) => return exit,
    };
    let format = arguments.command.format();
    let done = catch_unwind(AssertUnwindSafe(|| run(arguments)));
    match done.unwrap_or(Err(Failure::Panic)) {
        Ok(exit) => exit,
        Err(failure) => output::fail(&failure, format),
    }
}

fn run(arguments: Arguments) -> Result<Exit, Failure> {
    if arguments.command.needs_solvers() {
        regrain::smt::check_version().map_err(|error| Failure::Solver(error.to_string()))?;
    }
    match arguments.command {
        Command::Verify(verify) => verify::run(verify),
        Command::Compare(compare) => compare::run(compare),
        Command::Partition(partition) => cegar::partition(partition),
        Command::Show(show) => show::run(show),
        Command::Bench(bench) => bench::run(&bench),
        Command::Features(arguments) => features::run(&arguments),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man { command, format: args::Manual::Roff } => shell::man(command.as_deref()),
        Command::Man { command, format: args::Manual::Markdown } => reference::print(command.as_deref()),
    }
}

/// Does some work on a large stack; a panic is a failure.
fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    stack::spawn(work).join().unwrap_or(Err(Failure::Panic))
}
