//! The event order graph for Graphviz: one cluster a thread, relations by colour, the cycle drawn thick.

use std::fmt::Write;

use super::{EventGraph, EventKind, Relation};
use crate::report::dot::quoted;

impl EventGraph {
    /// The graph in the dot language.
    pub fn dot(&self) -> String {
        let mut out = String::from("digraph events {\n");
        out += "  node [shape=box, style=rounded, fontname=\"monospace\", fontsize=10];\n";
        out += "  edge [fontname=\"monospace\", fontsize=9];\n";
        for (thread, name) in self.threads.iter().enumerate() {
            let own: Vec<usize> =
                (0..self.events.len()).filter(|&e| self.events[e].thread == thread).collect();
            if own.is_empty() {
                continue;
            }
            let _ = writeln!(out, "  subgraph cluster_{thread} {{\n    label={};", quoted(name));
            own.into_iter().for_each(|event| self.node(event, &mut out));
            out += "  }\n";
        }
        for arrow in &self.arrows {
            let colour = if arrow.in_cycle { "red" } else { colour(arrow.relation) };
            let width = if arrow.in_cycle { ", penwidth=2.5" } else { "" };
            let label = match arrow.relation {
                Relation::Program => String::new(),
                relation => format!(", label=\"{}\", constraint=false, fontcolor={colour}", relation.short()),
            };
            let _ = writeln!(out, "  e{} -> e{} [color={colour}{width}{label}];", arrow.from, arrow.to);
        }
        out + "}\n"
    }

    fn node(&self, index: usize, out: &mut String) {
        let event = &self.events[index];
        let line = if event.line == 0 { String::new() } else { format!("\nline {}", event.line) };
        let fill = match event.kind {
            EventKind::Violation => ", style=\"rounded,filled\", fillcolor=indianred1",
            EventKind::Sync => ", style=\"rounded,filled\", fillcolor=grey90",
            EventKind::Read | EventKind::Write | EventKind::Update => "",
        };
        let _ = writeln!(out, "    e{index} [label={}{fill}];", quoted(&format!("{}{line}", event.text)));
    }
}

fn colour(relation: Relation) -> &'static str {
    match relation {
        Relation::Program => "black",
        Relation::ReadFrom => "forestgreen",
        Relation::Coherence => "royalblue",
        Relation::FromRead => "darkorange3",
        Relation::Synchronisation => "grey50",
    }
}
