//! Source files as listings whose lines can be found by the script and carry notes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::highlight::{self, Inside};
use crate::program::{FileId, Program, Sources};
use crate::report::svg::escaped;

/// Files longer than this are shown only round the lines in use.
const WHOLE: u32 = 600;

/// Lines shown round a line in use.
const ROUND: u32 = 12;

/// The lines of the program that are in use, by file.
pub(super) type Used = BTreeMap<FileId, BTreeSet<u32>>;

/// Lines that locations and events of a program name.
pub(super) fn used(program: &Program) -> Used {
    let mut used = Used::new();
    let locations = program.locations.iter().map(|location| location.span);
    let events = program.transitions.iter().flat_map(|transition| &transition.events).map(|event| event.span);
    for span in locations.chain(events).filter(|span| span.is_some()) {
        used.entry(span.file).or_default().insert(span.line);
    }
    used
}

/// What stands below a line, as markup.
pub(super) type Notes = BTreeMap<(FileId, u32), String>;

/// The listings of all files in use.
pub(super) fn listings(sources: &Sources, used: &Used, notes: &Notes) -> String {
    let mut out = String::new();
    for (&file, lines) in used {
        if sources.line(file, 1).is_none() {
            continue;
        }
        let _ = writeln!(
            out,
            "<figure class=\"listing\" data-file=\"{}\"><figcaption>{}</figcaption><div class=\"code\">",
            file.0,
            escaped(sources.name(file))
        );
        listing(sources, file, lines, notes, &mut out);
        out += "</div></figure>\n";
    }
    if out.is_empty() {
        out += "<p class=\"empty\">The source is not available.</p>\n";
    }
    out
}

fn listing(sources: &Sources, file: FileId, lines: &BTreeSet<u32>, notes: &Notes, out: &mut String) {
    let length = (1..).take_while(|&line| sources.line(file, line).is_some()).last().unwrap_or(0);
    let shown = |line: u32| {
        length <= WHOLE
            || lines.range(line.saturating_sub(ROUND)..=line.saturating_add(ROUND)).next().is_some()
    };
    let mut inside = Inside::default();
    let mut hidden = 0;
    for number in 1..=length {
        let text = sources.line(file, number).unwrap_or("");
        let (marked, after) = highlight::line(text, inside);
        inside = after;
        if !shown(number) {
            hidden += 1;
            continue;
        }
        gap(&mut hidden, out);
        let _ = writeln!(
            out,
            "<div class=\"row\" data-line=\"{number}\"><span class=\"no\">{number}</span><span class=\"who\"></span>\
             <code>{marked}</code></div>"
        );
        if let Some(note) = notes.get(&(file, number)) {
            *out += note;
        }
    }
    gap(&mut hidden, out);
}

fn gap(hidden: &mut u32, out: &mut String) {
    if *hidden > 0 {
        let _ = writeln!(out, "<div class=\"gap\">{hidden} lines</div>");
        *hidden = 0;
    }
}
