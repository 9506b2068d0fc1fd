//! All messages in one list, so that they can be read in one go: why there is no answer, what was established,
//! what to try, what is refused, what is undefined. A snapshot: who adds one sees it among the others.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command::snapshot;

/// What stands before a message in the sources.
const BEFORE: [&str; 14] = [
    "Reason::new(",
    ".with(",
    ".advising(",
    ".explained(",
    ".advised(",
    "advice.push(",
    "unsupported(",
    ".refuse(",
    "Mark::Undefined(",
    "Mark::Cut(",
    "Failure::Unsupported(",
    "message: ",
    "help: ",
    "let summary = ",
];

/// What stands before a message in the models of the library.
const IN_MODELS: [&str; 2] = ["__regrain_undefined(", "__regrain_refused("];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => sources(&path, found),
            Some("rs" | "c") if !path.ends_with("tests.rs") => found.push(path),
            _ => {}
        }
    }
}

/// The text of the string literal that an argument begins with, if it does.
fn literal(text: &str) -> Option<String> {
    let start = text.find('"')?;
    let before = &text[..start];
    if before.len() > 60 || before.contains([';', '}']) {
        return None;
    }
    let mut out = String::new();
    let mut chars = text[start + 1..].chars();
    loop {
        match chars.next()? {
            '"' => return Some(out),
            '\\' => match chars.next()? {
                '\n' => {
                    let rest = chars.as_str().trim_start();
                    chars = rest.chars();
                }
                other => out.push(other),
            },
            other => out.push(other),
        }
    }
}

#[test]
fn all_messages_in_one_list() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let mut messages = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a source");
        let text = text.split("#[cfg(test)]").next().unwrap_or("");
        let before = if file.extension().is_some_and(|extension| extension == "c") {
            &IN_MODELS[..]
        } else {
            &BEFORE[..]
        };
        for mark in before {
            let follows = text.match_indices(mark).map(|(at, _)| &text[at + mark.len()..]);
            messages.extend(follows.filter_map(literal).filter(|message| message.contains(' ')));
        }
    }
    assert!(messages.len() > 100, "{}", messages.len());
    snapshot("messages", &messages.into_iter().collect::<Vec<_>>().join("\n"));
}
