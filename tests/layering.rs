//! The rooms of ARCHITECTURE.md: who may use whom, who may name which package, who may touch the outside.
//! Read off the sources; what stands behind `#[cfg(test)]` and in files of tests may use anything.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each room with the rooms that it may use besides itself, in the order of the list in ARCHITECTURE.md.
const ROOMS: [(&str, &[&str]); 15] = [
    ("budget", &[]),
    ("observe", &[]),
    ("stack", &[]),
    ("term", &[]),
    ("program", &["term"]),
    ("scheduler", &["program"]),
    ("frontend", &["stack", "term", "program", "scheduler"]),
    ("smt", &["budget", "term"]),
    ("sat", &["budget", "term"]),
    ("replay", &["budget", "term", "program", "scheduler"]),
    ("order", &["budget", "program"]),
    ("reach", &["budget", "term", "program", "scheduler", "smt", "replay"]),
    ("proof", &["budget", "term", "program", "scheduler", "smt", "sat", "order"]),
    (
        "engine",
        &[
            "budget",
            "observe",
            "term",
            "program",
            "scheduler",
            "smt",
            "sat",
            "replay",
            "order",
            "reach",
            "proof",
        ],
    ),
    (
        "verify",
        &["budget", "observe", "stack", "program", "smt", "sat", "replay", "order", "proof", "engine"],
    ),
];

/// Packages with the rooms that may name them.
const PACKAGES: [(&str, &[&str]); 6] = [
    ("z3", &["smt"]),
    ("rustsat", &["sat"]),
    ("rustsat_cadical", &["sat"]),
    ("batsat", &["sat"]),
    ("lang_c", &["frontend"]),
    ("clap", &["cli"]),
];

/// The files below `cli/` that read files or start processes.
const OUTSIDE: [&str; 4] = ["budget.rs", "frontend/load.rs", "frontend/source.rs", "frontend/task.rs"];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// A source file without its tests: its path below `src/`, and the lines that are no comments.
struct File {
    path: String,
    lines: Vec<String>,
}

impl File {
    fn room(&self) -> &str {
        let first = self.path.split('/').next().expect("a path has a first part");
        first.trim_end_matches(".rs")
    }

    /// The names that follow a prefix, as in `crate::` or `std::`.
    fn after(&self, prefix: &str) -> BTreeSet<String> {
        let found = self.lines.iter().flat_map(|line| line.split(prefix).skip(1));
        let word = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        found.map(word).filter(|word: &String| !word.is_empty()).collect()
    }

    fn mentions(&self, word: &str) -> bool {
        self.lines.iter().any(|line| line.contains(word))
    }
}

fn files() -> Vec<File> {
    let (mut open, mut files) = (vec![source()], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("the sources can be read") {
            let path = entry.expect("the sources can be read").path();
            let name = path.file_name().expect("an entry has a name").to_string_lossy().into_owned();
            if path.is_dir() && name != "tests" {
                open.push(path);
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && name != "random.rs" {
                let text = fs::read_to_string(&path).expect("sources are text");
                let text = text.split("#[cfg(test)]\nmod").next().expect("a text has a beginning");
                let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
                let path = path.strip_prefix(source()).expect("below src").to_string_lossy().into_owned();
                files.push(File { path, lines: lines.map(str::to_owned).collect() });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

#[test]
fn rooms_use_only_those_before_them() {
    let files = files();
    let rooms: BTreeSet<String> = files.iter().map(|file| file.room().to_owned()).collect();
    let mut wrong = Vec::new();
    for (room, others) in ROOMS {
        let inside: Vec<&File> = files.iter().filter(|file| file.room() == room).collect();
        assert!(!inside.is_empty(), "there is no room {room}");
        for file in inside {
            let used = file.after("crate::").into_iter().filter(|used| rooms.contains(used));
            let foreign = used.filter(|used| used != room && !others.contains(&used.as_str()));
            wrong.extend(foreign.map(|used| format!("{} uses {used}", file.path)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn engines_do_not_use_one_another() {
    let files = files();
    let engines: BTreeSet<String> = files.iter().filter_map(engine_of).collect();
    assert!(engines.len() >= 4, "{engines:?}");
    let mut wrong = Vec::new();
    for file in &files {
        let Some(own) = engine_of(file) else { continue };
        let foreign =
            file.after("engine::").into_iter().filter(|name| engines.contains(name) && *name != own);
        wrong.extend(foreign.map(|name| format!("{} uses {name}", file.path)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn engine_of(file: &File) -> Option<String> {
    let inside = file.path.strip_prefix("engine/")?;
    inside.split_once('/').map(|(engine, _)| engine.to_owned())
}

#[test]
fn packages_are_named_in_their_rooms_alone() {
    let mut wrong = Vec::new();
    for file in files() {
        for (package, rooms) in PACKAGES {
            let uses =
                file.mentions(&format!("use {package}::")) || file.mentions(&format!("use {package};"));
            if uses && !rooms.contains(&file.room()) {
                wrong.push(format!("{} names {package}", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_library_prints_nothing_and_reads_files_where_it_says() {
    let mut wrong = Vec::new();
    for file in files().iter().filter(|file| !["cli", "main"].contains(&file.room())) {
        let prints = ["println!(", "print!(", "dbg!("].into_iter().filter(|word| file.mentions(word));
        wrong.extend(prints.map(|word| format!("{}: {word}", file.path)));
        let outside = ["std::fs", "std::process", "std::net"].into_iter().find(|word| file.mentions(word));
        if outside.is_some() != OUTSIDE.contains(&file.path.as_str()) {
            wrong.push(format!("{}: {outside:?}", file.path));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
