//! The reference of commands and options as a page of the book, from the definitions of the arguments.

use std::fmt::Write;

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};

use super::args;
use super::exit::{Exit, Failure};
use super::output;

const HEAD: &str = "\
# Commands and options

Written by `regrain man --format markdown`, from the definitions that `--help` and the manual pages are made of.
";

/// Prints the reference of all commands, or of one.
pub fn print(name: Option<&str>) -> Result<Exit, Failure> {
    output::print(&page(name))?;
    Ok(Exit::Done)
}

fn page(name: Option<&str>) -> String {
    let mut program = args::command();
    program.build();
    let mut out = HEAD.to_owned();
    let commands = program.get_subcommands().filter(|command| command.get_name() != "help");
    for command in commands.filter(|command| name.is_none_or(|name| command.get_name() == name)) {
        section(command, &mut out);
    }
    out
}

fn section(command: &Command, out: &mut String) {
    let positional: Vec<&Arg> = command.get_arguments().filter(|arg| arg.is_positional()).collect();
    let names: Vec<String> = positional.iter().map(|arg| value(arg)).collect();
    let _ = writeln!(out, "\n## `regrain {}`\n", command.get_name());
    let _ = writeln!(out, "{}.\n", plain(command.get_long_about().or(command.get_about())));
    let _ = writeln!(out, "```text\nregrain {} [OPTIONS] {}\n```\n", command.get_name(), names.join(" "));
    out.push_str("| option | meaning |\n|---|---|\n");
    let shown =
        |arg: &&&Arg| !arg.is_hide_set() && !matches!(arg.get_action(), ArgAction::Help | ArgAction::Version);
    let options = command.get_arguments().filter(|arg| !arg.is_positional());
    let all: Vec<&Arg> = positional.iter().copied().chain(options).collect();
    for arg in all.iter().filter(shown) {
        let _ = writeln!(out, "| `{}` | {} |", usage(arg), meaning(arg));
    }
    if let Some(after) = command.get_after_help() {
        let _ = writeln!(out, "\n```text\n{}\n```", after.to_string().trim());
    }
}

/// How an argument is written: `-q`, `--quiet`; `--timeout SECONDS`.
fn usage(arg: &Arg) -> String {
    if arg.is_positional() {
        return value(arg);
    }
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    match arg.get_action().takes_values() {
        true => format!("{} {}", names.join("`, `"), value(arg)),
        false => names.join("`, `"),
    }
}

fn value(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    let name = names.first().map_or_else(|| arg.get_id().to_string().to_uppercase(), ToString::to_string);
    let many = matches!(arg.get_action(), ArgAction::Append);
    if arg.is_positional() && many { format!("{name}...") } else { name }
}

/// What an argument means, its values and its default.
fn meaning(arg: &Arg) -> String {
    let mut text = plain(arg.get_long_help().or(arg.get_help()));
    let values = arg.get_possible_values();
    let takes = arg.get_action().takes_values() && !arg.is_hide_possible_values_set();
    if takes && !values.is_empty() {
        let names: Vec<String> = values
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| match value.get_help() {
                Some(help) => format!("`{}` ({})", value.get_name(), plain(Some(help))),
                None => format!("`{}`", value.get_name()),
            })
            .collect();
        let _ = write!(text, ". One of {}", names.join(", "));
    }
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    if takes && !defaults.is_empty() {
        let _ = write!(text, "; default `{}`", defaults.join(" "));
    }
    text
}

/// One line that fits into a table.
fn plain(text: Option<&StyledStr>) -> String {
    let text = text.map_or_else(String::new, ToString::to_string);
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn the_book_has_the_reference() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/src/commands.md");
        let known = std::fs::read_to_string(path).expect("the page");
        let written = "regrain man --format markdown > docs/src/commands.md";
        assert!(known == page(None), "docs/src/commands.md is not what `{written}` writes");
    }
}
