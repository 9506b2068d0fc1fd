//! The whole way from a file to a [`Program`].
//!
//! This is the only place that knows the order of the front end's parts. Lines of the user's files are kept
//! with the program, so that reports and diagnostics can show them: those of `.c` files as they are on disk,
//! those of preprocessed files as they are in the preprocessed text, since the files that its markers name
//! may be elsewhere or different.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::analyse::Library;
use super::diagnostic::{Diagnostic, Kind};
use super::lines::LineMap;
use super::models::Reached;
use super::parse::{Origin, Parsed, parse};
use super::{DataModel, Options, Property, UndefinedBehaviour, analyse, columns, lower, source};
use crate::program::pass::{self, PassOptions, Stage};
use crate::program::{FileId, Policy, Program, Sources, Span};
use crate::stack::on_large_stack;

/// The file name of our models of the library, should it ever show.
const MODELS: &str = "<library>";

/// Most lines of preprocessed text that are kept, blank ones between markers included.
const KEPT_LINES: usize = 4 << 20;

/// The program in a file, ready for an engine.
///
/// # Errors
/// If the file cannot be read, is not C, or uses something that is not supported.
pub fn load(path: &Path, options: &Options) -> Result<Program, Diagnostic> {
    Ok(reduced(load_raw(path, options)?, options))
}

/// A program as engines like it: what does not matter for the verdict is gone.
pub fn reduced(program: Program, options: &Options) -> Program {
    pass::run(program, &pass_options(options))
}

/// What an answer about a program takes for granted, in words.
pub fn assumptions(program: &Program, options: &Options) -> Vec<&'static str> {
    let mut assumed = Vec::new();
    if program.transitions.iter().any(|transition| !transition.ranges.is_empty()) {
        assumed.push("no signed overflow");
    }
    if options.undefined_behaviour == UndefinedBehaviour::Assume {
        assumed.push("no undefined behaviour");
    }
    assumed
}

/// A program as counterexamples are told of it: all steps are there, and it is known which of them concern
/// one thread only.
pub fn whole(program: Program, options: &Options) -> Program {
    pass::apply(program, &pass_options(options), &[Stage::Fences, Stage::Privatize])
}

/// The program after the passes up to this one, each run once.
///
/// # Errors
/// As for [`load`].
pub fn load_until(path: &Path, options: &Options, stage: Stage) -> Result<Program, Diagnostic> {
    Ok(pass::run_until(load_raw(path, options)?, &pass_options(options), stage))
}

fn pass_options(options: &Options) -> PassOptions {
    PassOptions { memory_model: options.memory_model }
}

/// The program before any pass.
///
/// # Errors
/// As for [`load`].
pub fn load_raw(path: &Path, options: &Options) -> Result<Program, Diagnostic> {
    load_text(path, &source::read(path, options)?, options)
}

/// The program of a preprocessed text, before any pass. The path only names it.
///
/// # Errors
/// As for [`load`], apart from reading.
pub fn load_text(path: &Path, text: &str, options: &Options) -> Result<Program, Diagnostic> {
    on_large_stack(|| program_of(path, text, options))
}

fn program_of(path: &Path, text: &str, options: &Options) -> Result<Program, Diagnostic> {
    let mut sources = Sources::default();
    sources.file(MODELS);
    let parsed =
        parse(text, &path.display().to_string(), Origin::User, &mut sources).map_err(|mut diagnostic| {
            keep_lines(path, text, &mut diagnostic.sources);
            diagnostic
        });
    let mut result = parsed.and_then(|parsed| {
        keep_lines(path, text, &mut sources);
        let asked: &[&str] = match &options.property {
            Property::UnreachCall(name) => &[name],
            _ => &[],
        };
        let library = library(options.data_model, &Reached::from(text, asked));
        let unit = analyse::analyse(&library, &parsed, &sources)?;
        let program = lower::lower(&unit, sources, options)?;
        let program = match options.undefined_behaviour {
            UndefinedBehaviour::Unknown => program,
            UndefinedBehaviour::Assume => pass::without_undefined(program),
        };
        scheduled(program, options.scheduler)
    });
    if !source::is_preprocessed(path) {
        match &mut result {
            Ok(program) => {
                let seen = preprocessed_lines(path, text, program.sources.clone());
                columns::correct(program, &seen);
            }
            Err(diagnostic) => {
                let seen = preprocessed_lines(path, text, diagnostic.sources.clone());
                diagnostic.span = columns::in_file(diagnostic.span, &seen, &diagnostic.sources);
            }
        }
    }
    result
}

/// The program under the policy that was asked for.
fn scheduled(mut program: Program, asked: Option<Policy>) -> Result<Program, Diagnostic> {
    let Some(asked) = asked else { return Ok(program) };
    let open = program.policy.map_or(&[][..], Policy::alternatives);
    if !open.contains(&asked) {
        let message = match program.policy {
            None => "`--scheduler` is for cooperative programs, and this is none".to_owned(),
            Some(policy) => {
                format!("the scheduler of this program is `{}`, not `{}`", policy.name(), asked.name())
            }
        };
        let names: Vec<String> = open.iter().map(|policy| format!("`{}`", policy.name())).collect();
        let help = match names.len() {
            0 => "a program is cooperative if it includes <fthread.h>, <sc_coop.h> or <os_coop.h>".to_owned(),
            1 => "leave the option out: only a program for FairThreads can choose".to_owned(),
            _ => format!("it can be {}", names.join(" or ")),
        };
        let (kind, span, sources) = (Kind::Input, Span::NONE, program.sources);
        return Err(Diagnostic { kind, message, span, help: Some(help), sources });
    }
    program.policy = Some(asked);
    Ok(program)
}

/// The library of this process: what its first program reaches, and all of it from the first program on that
/// reaches more. Which of the two makes no difference to a program.
#[derive(Default)]
struct Known {
    reached: Reached,
    parsed: Option<Parsed>,
    /// For each data model.
    libraries: [Option<Arc<Library>>; 2],
}

/// A library with these functions of the models at least. They are the first of the source files.
pub(super) fn library(data_model: DataModel, reached: &Reached) -> Arc<Library> {
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if !known.reached.contains(reached) || known.parsed.is_none() {
        let first = known.parsed.is_none();
        let reached = if first { reached.clone() } else { Reached::all() };
        *known = Known { reached, ..Known::default() };
    }
    let parsed = known.parsed.get_or_insert_with(|| models(&known.reached));
    let library = &mut known.libraries[data_model as usize];
    library.get_or_insert_with(|| Arc::new(library_of(parsed, data_model))).clone()
}

fn models(reached: &Reached) -> Parsed {
    let parsed = parse(&reached.text(), MODELS, Origin::Models, &mut Sources::default());
    parsed.unwrap_or_else(|diagnostic| unreachable!("the models are C: {diagnostic}"))
}

fn library_of(models: &Parsed, data_model: DataModel) -> Library {
    let library = Library::new(models, data_model);
    library.unwrap_or_else(|diagnostic| unreachable!("the models are C: {diagnostic}"))
}

/// The functions that the models define, without those for themselves.
pub(super) fn model_functions() -> Vec<String> {
    let library = library_of(&models(&Reached::all()), DataModel::default());
    let defined = library.functions().map(|function| function.name.clone());
    defined.filter(|name| !name.starts_with("__regrain_")).collect()
}

/// Gives the source files their text.
fn keep_lines(path: &Path, text: &str, sources: &mut Sources) {
    if source::is_preprocessed(path) {
        *sources = preprocessed_lines(path, text, std::mem::take(sources));
        return;
    }
    let files: Vec<(FileId, String)> = sources.files().map(|(id, name)| (id, name.to_owned())).collect();
    for (file, name) in files {
        if let Ok(text) = std::fs::read(&name) {
            sources.set_text(file, &String::from_utf8_lossy(&text));
        }
    }
}

/// The files with the lines of preprocessed text, each where its marker puts it.
fn preprocessed_lines(path: &Path, text: &str, mut sources: Sources) -> Sources {
    let map = LineMap::new(text, &path.display().to_string(), &mut sources);
    let mut files: BTreeMap<FileId, Vec<String>> = BTreeMap::new();
    let (mut offset, mut room) = (0, KEPT_LINES);
    for line in text.split_inclusive('\n') {
        let span = map.span(offset, offset);
        offset += line.len();
        let (lines, number) = (files.entry(span.file).or_default(), span.line as usize);
        let new = number.saturating_sub(lines.len());
        if number == 0 || new > room || line.starts_with('#') {
            continue;
        }
        room -= new;
        lines.resize(number.max(lines.len()), String::new());
        // A piece of a line that others belong to as well goes where they end.
        let known = &mut lines[number - 1];
        known.truncate((span.column as usize).saturating_sub(1));
        known.push_str(&" ".repeat((span.column as usize).saturating_sub(known.len() + 1)));
        known.push_str(line.trim_end_matches(['\n', '\r']));
    }
    for (file, lines) in files {
        sources.set_text(file, &lines.join("\n"));
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::features::{CONSTRUCTS, Support};

    fn lowered(text: &str, reached: &Reached) -> String {
        on_large_stack(|| {
            let mut sources = Sources::default();
            sources.file(MODELS);
            let parsed = parse(text, "p.c", Origin::User, &mut sources).expect("C");
            let library = library_of(&models(reached), DataModel::default());
            let unit = analyse::analyse(&library, &parsed, &sources).expect("a unit");
            lower::lower(&unit, sources, &Options::default()).expect("a program").to_string()
        })
    }

    #[test]
    fn programs_are_the_same_with_all_of_the_library() {
        let constructs = CONSTRUCTS.iter().filter(|construct| construct.support != Support::Refused);
        let plain = constructs.map(|construct| construct.sample).filter(|text| !text.contains("#include"));
        let more = [
            "int main(void) { int x; return __builtin_mul_overflow(3, 4, &x); }",
            "void f(void); int main(void) { atexit(f); } void f(void) { __VERIFIER_assert(0); }",
            "void f(void) __attribute__((destructor)); void f(void) {} int main(void) { exit(1); }",
            "typedef unsigned long pthread_t; typedef struct m { int x; } pthread_mutex_t;
             pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); return a; }
             int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return pthread_join(t, 0); }",
        ];
        for text in plain.chain(more) {
            let reached = Reached::from(text, &[]);
            assert!(!reached.contains(&Reached::all()), "{text}");
            assert_eq!(lowered(text, &reached), lowered(text, &Reached::all()), "{text}");
        }
    }
}
