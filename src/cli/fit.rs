//! Which options mean something to which engines. One that would do nothing is refused: who types it expects
//! something of it.

use clap::ArgMatches;
use clap::parser::ValueSource;
use regrain::verify::Engine;

use super::args::VerifyArguments;

const EVERY_STATE: &[Engine] = &[Engine::Auto, Engine::Explore, Engine::Scar];
const WITH_INVARIANTS: &[Engine] = &[Engine::Auto, Engine::Cegar, Engine::Impact];
const ABSTRACTING: &[Engine] = &[Engine::Auto, Engine::Cegar, Engine::Impact, Engine::Esst];
const CEGAR: &[Engine] = &[Engine::Auto, Engine::Cegar];
const SCAR: &[Engine] = &[Engine::Auto, Engine::Scar];
const REDUCING: &[Engine] = &[Engine::Auto, Engine::Impact, Engine::Esst];

/// Options of `verify` that some engines do not know: the names of the definitions, and who knows them.
const KNOWN: [(&str, &[Engine]); 10] = [
    ("recheck", EVERY_STATE),
    ("invariant", WITH_INVARIANTS),
    ("refinement", CEGAR),
    ("prefer", CEGAR),
    ("int_model", ABSTRACTING),
    ("por", REDUCING),
    ("force_cover", &[Engine::Impact]),
    ("validation", SCAR),
    ("order", SCAR),
    ("encoding", SCAR),
];

/// Why an option that was typed would do nothing, if one would.
pub fn misfit(arguments: &VerifyArguments, typed: &ArgMatches) -> Option<String> {
    let engine = arguments.engine;
    let idle = |(name, engines): &&(&str, &[Engine])| {
        !engines.contains(&engine) && typed.value_source(name) == Some(ValueSource::CommandLine)
    };
    let Some((name, engines)) = KNOWN.iter().find(idle) else { return arguments.impact.misfit(engine) };
    let engines: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
    let option = name.replace('_', "-");
    Some(format!("--{option} means nothing to engine {}, only to {}", engine.name(), engines.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::KNOWN;
    use crate::cli::args;

    #[test]
    fn the_options_are_those_of_verify() {
        let command = args::command();
        let verify = command.find_subcommand("verify").expect("the command");
        for (name, _) in KNOWN {
            assert!(verify.get_arguments().any(|argument| argument.get_id() == name), "{name}");
        }
    }
}
