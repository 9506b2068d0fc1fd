//! Programs as graphs for Graphviz.
//!
//! One cluster a thread; locations with their source lines; edges with the guard, the updates and what they
//! are in C. Locations that a verifier looks for are coloured: violations red, undefined behaviour and cuts
//! orange.

use std::fmt::Write;

use super::svg::Classes;
use crate::program::{Action, LocId, Mark, Program, ThreadId, Transition};

const HEAD: &str = "  node [shape=box, style=rounded, fontname=\"monospace\", fontsize=10];\n  edge \
                    [fontname=\"monospace\", fontsize=9];\n";

/// Colours of classes, used in turn.
const COLOURS: [&str; 12] = [
    "#d6e6fb", "#fde2c4", "#d3f0d5", "#f6d5e8", "#e5dcfa", "#fbf0b4", "#ccefee", "#f8d4cf", "#e2ecc0",
    "#dfe3ea", "#f0dcc8", "#cfe0d8",
];

/// The control-flow automata.
pub fn automata(program: &Program) -> String {
    let threads: Vec<ThreadId> = program.thread_ids().collect();
    format!("digraph program {{\n{HEAD}{}}}\n", clusters(program, &threads, "", &Classes::new()))
}

/// For each verified thread the automata of the others, coloured by the classes of their locations; the plain
/// automata if there are no classes.
pub fn partitioned(program: &Program, views: &[(ThreadId, Classes)]) -> String {
    if views.is_empty() {
        return automata(program);
    }
    let mut out = format!("digraph partition {{\n{HEAD}");
    for (index, (observed, classes)) in views.iter().enumerate() {
        let label = quoted(&format!("seen from {}", program.thread(*observed).name));
        let _ = writeln!(out, "  subgraph cluster_view{index} {{\n    label={label};");
        let others: Vec<ThreadId> = program.thread_ids().filter(|thread| thread != observed).collect();
        out += &clusters(program, &others, &format!("v{index}"), classes);
        out += "  }\n";
    }
    out + "}\n"
}

/// A cluster for each thread; the names of nodes begin with the prefix.
fn clusters(program: &Program, threads: &[ThreadId], prefix: &str, classes: &Classes) -> String {
    let mut out = String::new();
    for &thread in threads {
        let _ = writeln!(out, "  subgraph cluster_{prefix}{} {{", thread.index());
        let _ = writeln!(out, "    label={};", quoted(&program.thread(thread).name));
        let own = || program.location_ids().filter(move |&id| program.location(id).thread == thread);
        own().for_each(|location| node(program, location, prefix, classes.get(&location).copied(), &mut out));
        let entry = program.thread(thread).entry.index();
        let _ = writeln!(
            out,
            "    {prefix}start{0} [shape=point]; {prefix}start{0} -> {prefix}L{entry};",
            thread.index()
        );
        for &transition in own().flat_map(|id| program.outgoing(id)) {
            edge(program, program.transition(transition), prefix, &mut out);
        }
        out += "  }\n";
    }
    out
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
pub(super) fn created(program: &Program) -> Vec<(ThreadId, ThreadId, u32)> {
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

fn node(program: &Program, id: LocId, prefix: &str, class: Option<usize>, out: &mut String) {
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
    if let Some(class) = class {
        let _ = write!(label, "\nclass {class}");
    }
    let colour = class.map_or(colour, |class| Some(COLOURS[class % COLOURS.len()]));
    let fill = colour.map(|colour| format!(", style=\"rounded,filled\", fillcolor=\"{colour}\""));
    let _ =
        writeln!(out, "    {prefix}L{} [label={}{}];", id.index(), quoted(&label), fill.unwrap_or_default());
}

fn edge(program: &Program, transition: &Transition, prefix: &str, out: &mut String) {
    let text = program.transition_text(transition);
    // The target is what the arrow points to.
    let label = text.split_once(' ').and_then(|(_, rest)| rest.split_once(' ')).map_or("", |(_, rest)| rest);
    let label = label.trim_start().replace("  ", "\n");
    let _ = writeln!(
        out,
        "    {prefix}L{} -> {prefix}L{} [label={}];",
        transition.from.index(),
        transition.to.index(),
        quoted(&label)
    );
    if let Some(call) = &transition.call {
        let (from, to) = (transition.from.index(), call.misuse.index());
        let _ = writeln!(out, "    {prefix}L{from} -> {prefix}L{to} [label=\"misuse\", style=dashed];");
    }
}

/// A string of the dot language; line feeds become left-justified lines.
pub(super) fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l");
    let end = if text.contains('\n') { "\\l" } else { "" };
    format!("\"{escaped}{end}\"")
}
