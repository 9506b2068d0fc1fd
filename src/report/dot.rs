//! Programs as graphs for Graphviz.
//!
//! One cluster a thread; locations with their source lines; edges with the guard, the updates and what they are in C. Locations
//! that a verifier looks for are coloured: violations red, undefined behaviour and cuts orange.

use std::fmt::Write;

use crate::program::{Action, LocId, Mark, Program, ThreadId, Transition};

/// The control-flow automata.
pub fn automata(program: &Program) -> String {
    let mut out = String::from("digraph program {\n");
    out += "  node [shape=box, style=rounded, fontname=\"monospace\", fontsize=10];\n";
    out += "  edge [fontname=\"monospace\", fontsize=9];\n";
    for thread in program.thread_ids() {
        let _ = writeln!(out, "  subgraph cluster_{} {{", thread.index());
        let _ = writeln!(out, "    label={};", quoted(&program.thread(thread).name));
        for location in program.location_ids().filter(|&id| program.location(id).thread == thread) {
            node(program, location, &mut out);
        }
        let entry = program.thread(thread).entry.index();
        let _ = writeln!(out, "    start{0} [shape=point]; start{0} -> L{entry};", thread.index());
        for &transition in program
            .location_ids()
            .filter(|&id| program.location(id).thread == thread)
            .flat_map(|id| program.outgoing(id))
        {
            edge(program, program.transition(transition), &mut out);
        }
        out += "  }\n";
    }
    out + "}\n"
}

/// Which thread creates which.
pub fn creations(program: &Program) -> String {
    let mut out = String::from("digraph threads {\n  node [shape=box, style=rounded];\n");
    for thread in program.thread_ids() {
        let _ = writeln!(out, "  T{} [label={}];", thread.index(), quoted(&program.thread(thread).name));
    }
    for (creator, created, line) in created(program) {
        let _ = writeln!(out, "  T{} -> T{} [label=\"line {line}\"];", creator.index(), created.index());
    }
    out + "}\n"
}

/// Creator, created thread and line of each creation, without repetition.
fn created(program: &Program) -> Vec<(ThreadId, ThreadId, u32)> {
    let mut found = Vec::new();
    for id in program.transition_ids() {
        for event in &program.transition(id).events {
            if let Action::Create(thread) = event.action {
                found.push((program.thread_of(id), thread, event.span.line));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn node(program: &Program, id: LocId, out: &mut String) {
    let location = program.location(id);
    let mut label = format!("L{}", id.index());
    if location.span.is_some() {
        let _ = write!(label, " line {}", location.span.line);
        if let Some(text) = program.sources.line(location.span.file, location.span.line) {
            let _ = write!(label, "\n{}", text.trim());
        }
    }
    let colour = match &location.mark {
        Some(Mark::Error(assertion)) => {
            let _ = write!(label, "\nviolated: {}", program.assertions[assertion.index()].text);
            Some("indianred1")
        }
        Some(Mark::Undefined(what) | Mark::Cut(what)) => {
            let _ = write!(label, "\n{what}");
            Some("orange")
        }
        Some(Mark::End) => Some("grey90"),
        None if location.atomic => Some("lightblue"),
        None => None,
    };
    let fill = colour.map(|colour| format!(", style=\"rounded,filled\", fillcolor={colour}"));
    let _ = writeln!(out, "    L{} [label={}{}];", id.index(), quoted(&label), fill.unwrap_or_default());
}

fn edge(program: &Program, transition: &Transition, out: &mut String) {
    let text = program.transition_text(transition);
    // The target is what the arrow points to.
    let label = text.split_once(' ').and_then(|(_, rest)| rest.split_once(' ')).map_or("", |(_, rest)| rest);
    let label = label.trim_start().replace("  ", "\n");
    let _ = writeln!(
        out,
        "    L{} -> L{} [label={}];",
        transition.from.index(),
        transition.to.index(),
        quoted(&label)
    );
}

/// A string of the dot language; line feeds become left-justified lines.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l");
    let end = if text.contains('\n') { "\\l" } else { "" };
    format!("\"{escaped}{end}\"")
}
