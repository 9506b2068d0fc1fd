//! The part of a page that shows the proof of a cooperative program: what holds at the lines of the source
//! when a thread goes on there, by what the others do meanwhile.

use std::fmt::Write;

use super::proof::conditions;
use super::source::Notes;
use crate::program::Program;
use crate::proof::Forest;
use crate::report::forest::{self, TurnCase, TurnFacts};
use crate::report::svg::escaped;

/// Situations shown for one place.
const CASES: usize = 24;

/// What the notes are.
pub(super) const EXPLAINED: &str = "<p>Below a line: what holds whenever the named thread goes on there. Open a note to see what holds in addition, \
     depending on what the other threads do meanwhile. With a reduction this holds in the orders that are followed; every other one differs from one \
     of these in the order of independent turns alone.</p>\n";

/// Adds what holds at each line.
pub(super) fn notes(program: &Program, forest: &Forest, notes: &mut Notes) {
    for place in forest::facts(program, forest) {
        let span = program.location(place.location).span;
        if span.is_some() {
            *notes.entry((span.file, span.line)).or_default() += &note(program, &place);
        }
    }
}

fn note(program: &Program, place: &TurnFacts) -> String {
    let name = escaped(&program.thread(place.thread).name);
    let mut out = format!(
        "<details class=\"note\"><summary><b>{name}</b> <span class=\"where\">L{}</span> {}</summary>\n<ul>\n",
        place.location.index(),
        conditions(&place.always, "nothing in every case")
    );
    for case in place.cases.iter().take(CASES) {
        let _ = writeln!(out, "<li>{}</li>", case_text(case));
    }
    if place.cases.len() > CASES {
        let _ = writeln!(out, "<li>and {} other situations</li>", place.cases.len() - CASES);
    }
    out + "</ul></details>\n"
}

fn case_text(case: &TurnCase) -> String {
    let others = match case.others.is_empty() {
        true => "all others can go next".to_owned(),
        false => escaped(&case.others.join("; ")),
    };
    let nodes = if case.nodes == 1 { String::new() } else { format!(" <small>{} nodes</small>", case.nodes) };
    format!("<span class=\"situation\">{others}</span>: {}{nodes}", conditions(&case.facts, "nothing more"))
}
