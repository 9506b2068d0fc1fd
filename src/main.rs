//! The command line of Regrain.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main().into()
}
