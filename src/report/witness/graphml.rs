//! Witnesses as GraphML 1.0: automata that a validator runs along with the program.
//!
//! There are no XML comments, which some readers trip over. A violation is a path: each edge is one waypoint.
//! A proof is a state for each invariant, entered at its statement. Ghost variables cannot be said, so the
//! invariants are those without.

use std::fmt::Write;

use super::invariants::{Correctness, InvariantKind};
use super::place::Place;
use super::violation::{Waypoint, WaypointKind};
use super::{Claim, Witness};
use crate::frontend::DataModel;

/// The keys that nodes and edges use: name, type, and what they belong to.
const KEYS: [(&str, &str, &str); 27] = [
    ("witness-type", "string", "graph"),
    ("sourcecodelang", "string", "graph"),
    ("producer", "string", "graph"),
    ("specification", "string", "graph"),
    ("programfile", "string", "graph"),
    ("programhash", "string", "graph"),
    ("architecture", "string", "graph"),
    ("creationtime", "string", "graph"),
    ("entry", "boolean", "node"),
    ("sink", "boolean", "node"),
    ("violation", "boolean", "node"),
    ("invariant", "string", "node"),
    ("invariant.scope", "string", "node"),
    ("startline", "int", "edge"),
    ("endline", "int", "edge"),
    ("startoffset", "int", "edge"),
    ("endoffset", "int", "edge"),
    ("assumption", "string", "edge"),
    ("assumption.scope", "string", "edge"),
    ("assumption.resultfunction", "string", "edge"),
    ("control", "string", "edge"),
    ("enterFunction", "string", "edge"),
    ("returnFromFunction", "string", "edge"),
    ("enterLoopHead", "boolean", "edge"),
    ("threadId", "string", "edge"),
    ("createThread", "string", "edge"),
    ("cyclehead", "boolean", "node"),
];

/// The keys that are true or false, false where they are absent.
const DEFAULTS: [&str; 5] = ["entry", "sink", "violation", "enterLoopHead", "cyclehead"];

/// Names and texts of an element's data.
type Data<'a> = Vec<(&'a str, String)>;

/// The file.
pub(super) fn text(witness: &Witness) -> String {
    let mut graph = Graph::default();
    graph.node(vec![("entry", "true".to_owned())]);
    let kind = match &witness.claim {
        Claim::Violation { waypoints, .. } => {
            violation(&mut graph, waypoints);
            "violation_witness"
        }
        Claim::Correctness(correctness) => {
            proof(&mut graph, correctness);
            "correctness_witness"
        }
    };
    document(witness, kind, &graph.text)
}

fn document(witness: &Witness, kind: &str, body: &str) -> String {
    let task = &witness.task;
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n".to_owned();
    text += "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n";
    for (name, kind, owner) in KEYS {
        let head = format!("<key id=\"{name}\" attr.name=\"{name}\" attr.type=\"{kind}\" for=\"{owner}\"");
        let _ = match DEFAULTS.contains(&name) {
            true => writeln!(text, "  {head}><default>false</default></key>"),
            false => writeln!(text, "  {head}/>"),
        };
    }
    let architecture = match task.data_model {
        DataModel::Ilp32 => "32bit",
        DataModel::Lp64 => "64bit",
    };
    text += "  <graph edgedefault=\"directed\">\n";
    let head = vec![
        ("witness-type", kind.to_owned()),
        ("sourcecodelang", "C".to_owned()),
        ("producer", format!("Regrain {}", env!("CARGO_PKG_VERSION"))),
        ("specification", task.specification.clone()),
        ("programfile", task.file.clone()),
        ("programhash", task.hash()),
        ("architecture", architecture.to_owned()),
        ("creationtime", task.creation_time.clone()),
    ];
    text + &data(&head, "    ") + body + "  </graph>\n</graphml>\n"
}

fn violation(graph: &mut Graph, waypoints: &[Waypoint]) {
    graph.step(vec![("enterFunction", "main".to_owned()), ("threadId", "0".to_owned())], Vec::new());
    for waypoint in waypoints {
        let mut edge = position(&waypoint.place);
        edge.push(("threadId", waypoint.thread.to_string()));
        let mut node = Vec::new();
        match &waypoint.kind {
            WaypointKind::Create { thread, .. } => edge.push(("createThread", thread.to_string())),
            WaypointKind::Assumption(value) => edge.extend(assumption(value, &waypoint.place)),
            WaypointKind::Branching(held) => edge.push(("control", format!("condition-{held}"))),
            WaypointKind::Return { function, value } => {
                edge.extend(assumption(&format!("\\result == {value}"), &waypoint.place));
                edge.push(("assumption.resultfunction", function.clone()));
            }
            WaypointKind::Target => node.push(("violation", "true".to_owned())),
        }
        graph.step(edge, node);
        if let WaypointKind::Create { thread, function } = &waypoint.kind {
            graph.step(
                vec![("enterFunction", function.clone()), ("threadId", thread.to_string())],
                Vec::new(),
            );
        }
    }
}

fn assumption(value: &str, place: &Place) -> Data<'static> {
    let scope = place.function.iter().map(|function| ("assumption.scope", function.clone()));
    [("assumption", format!("{value};"))].into_iter().chain(scope).collect()
}

fn proof(graph: &mut Graph, correctness: &Correctness) {
    for invariant in &correctness.invariants {
        let mut edge = position(&invariant.place);
        if invariant.kind == InvariantKind::Loop {
            edge.push(("enterLoopHead", "true".to_owned()));
        }
        let scope = invariant.place.function.iter().map(|function| ("invariant.scope", function.clone()));
        let node = graph.node([("invariant", invariant.plain.clone())].into_iter().chain(scope).collect());
        graph.edge(0, node, &edge);
    }
}

fn position(place: &Place) -> Data<'static> {
    let mut data = vec![("startline", place.line.to_string()), ("endline", place.line.to_string())];
    if let Some(offset) = place.offset {
        data.extend([("startoffset", offset.to_string()), ("endoffset", offset.to_string())]);
    }
    data
}

/// A graph under construction.
#[derive(Default)]
struct Graph {
    nodes: usize,
    text: String,
}

impl Graph {
    fn node(&mut self, of: Data<'_>) -> usize {
        let _ = writeln!(self.text, "    <node id=\"N{}\">", self.nodes);
        self.text += &data(&of, "      ");
        self.text += "    </node>\n";
        self.nodes += 1;
        self.nodes - 1
    }

    fn edge(&mut self, from: usize, to: usize, of: &[(&str, String)]) {
        let _ = writeln!(self.text, "    <edge source=\"N{from}\" target=\"N{to}\">");
        self.text += &data(of, "      ");
        self.text += "    </edge>\n";
    }

    /// An edge from the last node to a new one.
    fn step(&mut self, edge: Data<'_>, node: Data<'_>) {
        let from = self.nodes - 1;
        let to = self.node(node);
        self.edge(from, to, &edge);
    }
}

fn data(of: &[(&str, String)], indent: &str) -> String {
    let one =
        |(key, value): &(&str, String)| format!("{indent}<data key=\"{key}\">{}</data>\n", escaped(value));
    of.iter().map(one).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
