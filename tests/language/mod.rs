//! What C means, construct by construct: small programs with their verdicts, in every engine and memory model
//! that can decide them.
//!
//! Each group has programs that hold and sisters that do not. `docs/src/conformance.md` says what the
//! standard and gcc have to say about each.

mod assembly;
mod attributes;
mod bit_fields;
mod floats;
mod labels;
mod lifetimes;
mod objects;
mod reuse;
mod syntax;
mod wide;
mod widths;

use std::path::PathBuf;
use std::time::Duration;

use regrain::budget::Budget;
use regrain::frontend::{self, DataModel};
use regrain::program::{MemoryModel, Program};
use regrain::verify::{Engine, Settings};

use crate::answer::{answer, safety};

const HEADERS: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n#include <stdint.h>\n";

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// A program as a file that goes away.
struct Source(PathBuf);

impl Source {
    fn new(name: &str, text: &str) -> Source {
        let folder = std::env::temp_dir().join(format!("regrain-language-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the program");
        let path = folder.join(name).with_extension("c");
        std::fs::write(&path, format!("{HEADERS}{text}")).expect("the program is written");
        Source(path)
    }

    fn load(&self, memory_model: MemoryModel, data_model: DataModel) -> Result<Program, String> {
        let options = frontend::Options { memory_model, data_model, ..frontend::Options::default() };
        frontend::load(&self.0, &options).map_err(|diagnostic| diagnostic.message)
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What an engine says within some seconds; what it claims is checked.
fn said(program: &Program, engine: Engine, memory_model: MemoryModel, seconds: u64) -> &'static str {
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
    let settings = Settings { memory_model, budget, unwind: Some(8), ..Settings::default() };
    match safety(&answer(program, engine, &settings)) {
        Some(true) => "true",
        Some(false) => "false",
        None => "unknown",
    }
}

/// The program has this verdict under each model.
#[track_caller]
fn check_models(name: &str, expected: [&str; 3], text: &str) {
    check_data_model(name, DataModel::Lp64, expected, text);
}

#[track_caller]
fn check_data_model(name: &str, data_model: DataModel, expected: [&str; 3], text: &str) {
    let source = Source::new(name, text);
    for (model, expected) in MODELS.into_iter().zip(expected) {
        let program = source.load(model, data_model).unwrap_or_else(|message| panic!("{name}: {message}"));
        assert_eq!(said(&program, Engine::Explore, model, 60), expected, "{name}: explore under {model:?}");
        assert_eq!(said(&program, Engine::Scar, model, 60), expected, "{name}: scar under {model:?}");
    }
}

/// The program has this verdict, whatever the model, and `cegar` does not say otherwise.
#[track_caller]
fn check(name: &str, expected: &str, text: &str) {
    check_models(name, [expected; 3], text);
    let program = Source::new(name, text).load(MemoryModel::Sc, DataModel::Lp64).expect("just loaded");
    let found = said(&program, Engine::Cegar, MemoryModel::Sc, 5);
    assert!(found == expected || found == "unknown", "{name}: cegar says {found}");
}

/// The program is refused with a message that has these words.
#[track_caller]
fn refused(name: &str, words: &str, text: &str) {
    match Source::new(name, text).load(MemoryModel::Sc, DataModel::Lp64) {
        Ok(_) => panic!("{name} is accepted"),
        Err(message) => assert!(message.contains(words), "{name}: {message}"),
    }
}

/// Two threads with these bodies, and what `main` does after both have ended.
fn two_threads(globals: &str, left: &str, right: &str, after: &str) -> String {
    format!(
        "{globals}
         void *left(void *arg) {{ {left} return 0; }}
         void *right(void *arg) {{ {right} return 0; }}
         int main(void) {{
             pthread_t a, b;
             pthread_create(&a, 0, left, 0);
             pthread_create(&b, 0, right, 0);
             pthread_join(a, 0);
             pthread_join(b, 0);
             {after}
             return 0;
         }}"
    )
}
