//! Completions and the manual page, from the definitions of the arguments.

use super::args;
use super::exit::{Exit, Failure};
use super::output;

/// Prints a completion script.
pub fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "regrain", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// Prints the manual page of the program, and those of its sub-commands after it.
pub fn man() -> Result<Exit, Failure> {
    let mut page = Vec::new();
    let mut command = args::command();
    command.build();
    let visible = command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help");
    let pages = std::iter::once(command.clone()).chain(visible.cloned());
    for each in pages {
        let rendered = clap_mangen::Man::new(each).render(&mut page);
        rendered.map_err(|error| Failure::Output(format!("cannot write the manual page: {error}")))?;
    }
    output::print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Done)
}
