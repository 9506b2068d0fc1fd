//! Completions and manual pages, from the definitions of the arguments.

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

/// Prints the manual page of the program, or of a command.
pub fn man(name: Option<&str>) -> Result<Exit, Failure> {
    let mut program = args::command();
    program.build();
    let command = match name {
        None => &program,
        Some(name) => program.find_subcommand(name).expect("the parser knows the commands"),
    };
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut page);
    rendered.map_err(|error| Failure::Output(format!("cannot write the manual page: {error}")))?;
    output::print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::args;

    #[test]
    fn every_command_has_a_manual_page() {
        let command = args::command();
        assert!(command.get_subcommands().map(|command| command.get_name()).eq(args::WITH_MANUAL));
    }
}
