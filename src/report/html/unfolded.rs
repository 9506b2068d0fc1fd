//! The part of a page that shows an unfolding: its labels at the lines of the source, and the tree.

use std::fmt::Write;

use super::proof::conditions;
use super::source::Notes;
use crate::program::Program;
use crate::proof::Unfolding;
use crate::report::svg::{self, escaped};
use crate::report::unfolding::{self, LabelsAt};

/// Labels shown for one place; others are in the tree.
const CASES: usize = 12;

/// Nodes named for one label.
const NODES: usize = 6;

/// What the notes are.
pub(super) const EXPLAINED: &str = "<p>Below a line: what the labels of the unfolding say where the named thread is about to execute it. Open a note to see what they \
     say in addition at single nodes. They hold along the interleavings that are followed; every other one differs from one of these in the \
     order of independent steps alone.</p>\n";

/// Adds what the labels say at each line.
pub(super) fn notes(program: &Program, unfolding: &Unfolding, notes: &mut Notes) {
    for place in unfolding::labels(program, unfolding) {
        let span = program.location(place.location).span;
        if span.is_some() {
            *notes.entry((span.file, span.line)).or_default() += &note(program, &place);
        }
    }
}

fn note(program: &Program, place: &LabelsAt) -> String {
    let name = escaped(&program.thread(program.location(place.location).thread).name);
    let mut out = format!(
        "<details class=\"note\"><summary><b>{name}</b> <span class=\"where\">L{}</span> {}</summary>\n<ul>\n",
        place.location.index(),
        conditions(&place.always, "nothing at every node")
    );
    for case in place.cases.iter().take(CASES) {
        let mut nodes: Vec<String> = case.nodes.iter().take(NODES).map(|node| format!("n{node}")).collect();
        if case.nodes.len() > NODES {
            nodes.push(format!("{} more", case.nodes.len() - NODES));
        }
        let _ = writeln!(
            out,
            "<li>{} <small>at {}</small></li>",
            conditions(&case.facts, "nothing more"),
            nodes.join(", ")
        );
    }
    if place.cases.len() > CASES {
        let _ = writeln!(out, "<li>and {} other labels</li>", place.cases.len() - CASES);
    }
    out + "</ul></details>\n"
}

/// The tree.
pub(super) fn section(program: &Program, unfolding: &Unfolding) -> String {
    let tree = unfolding::tree(program, unfolding);
    format!(
        "<section class=\"graph\" aria-labelledby=\"unfolding\">\n<h2 id=\"unfolding\">Unfolding</h2>\n\
         <p>A row is a node: who moved to get there, the line, the step, and the label, which holds in every state that reaches the node. \
         Rows are indented where there is a choice. A node with a dashed arc is covered: its label implies that of the node which the arc \
         leads to, and whatever follows it follows there.</p>\n\
         <div class=\"scroll\" tabindex=\"0\">\n{}</div>\n</section>\n",
        svg::unfolding(&tree).element()
    )
}
