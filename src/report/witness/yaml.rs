//! Witnesses in the YAML format: a list of entries with metadata and content.
//!
//! Texts are double-quoted as in JSON, which YAML reads alike; above all `format_version` must not become a
//! number.

use std::fmt::Write;

use super::ghosts::Ghost;
use super::invariants::{Correctness, InvariantKind};
use super::metadata::uuid;
use super::place::Place;
use super::violation::{Waypoint, WaypointKind};
use super::{Claim, Threads, Witness};

/// The file.
pub(super) fn text(witness: &Witness) -> String {
    match &witness.claim {
        Claim::Violation { waypoints, threads } => {
            let version = match threads {
                Threads::One => "2.0",
                Threads::Several => "2.2",
            };
            let segments: String = waypoints.iter().map(|waypoint| segment(waypoint, *threads)).collect();
            entry(witness, "violation_sequence", version, &segments)
        }
        Claim::Correctness(correctness) => proof(witness, correctness),
    }
}

fn proof(witness: &Witness, correctness: &Correctness) -> String {
    let mut content = String::new();
    for invariant in &correctness.invariants {
        let kind = match invariant.kind {
            InvariantKind::Loop => "loop_invariant",
            InvariantKind::Location => "location_invariant",
        };
        content += "  - invariant:\n";
        let _ = writeln!(content, "      type: {kind}");
        content += &location(&invariant.place, "      ");
        let _ = writeln!(content, "      value: {}", quoted(&invariant.value));
        content += "      format: c_expression\n";
    }
    if correctness.ghosts.is_empty() {
        return entry(witness, "invariant_set", "2.0", &content);
    }
    // All entries of a file have one version.
    entry(witness, "ghost_instrumentation", "2.1", &ghosts(&correctness.ghosts))
        + &entry(witness, "invariant_set", "2.1", &content)
}

fn ghosts(ghosts: &[Ghost]) -> String {
    let mut content = "    ghost_variables:\n".to_owned();
    for ghost in ghosts {
        let _ = writeln!(content, "    - name: {}", quoted(&ghost.name));
        content += "      scope: global\n      type: int\n      initial:\n";
        content += "        value: \"0\"\n        format: c_expression\n";
    }
    content += "    ghost_updates:\n";
    for (ghost, (place, value)) in ghosts.iter().flat_map(|g| g.updates.iter().map(move |update| (g, update)))
    {
        content += &location(place, "    ")
            .replacen("    location", "    - location", 1)
            .replace("\n    ", "\n      ");
        content += "      updates:\n";
        let _ = writeln!(content, "      - variable: {}", quoted(&ghost.name));
        let _ = writeln!(content, "        value: \"{value}\"");
        content += "        format: c_expression\n";
    }
    content
}

fn segment(waypoint: &Waypoint, threads: Threads) -> String {
    let (kind, constraint) = match &waypoint.kind {
        WaypointKind::Create { .. } => ("function_enter", None),
        WaypointKind::Assumption(value) => ("assumption", Some((value.clone(), Some("c_expression")))),
        WaypointKind::Branching(held) => ("branching", Some((held.to_string(), None))),
        WaypointKind::Return { value, .. } => {
            ("function_return", Some((format!("\\result == {value}"), Some("acsl_expression"))))
        }
        WaypointKind::Target => ("target", None),
    };
    let mut text = "  - segment:\n    - waypoint:\n".to_owned();
    let _ = writeln!(text, "        type: {kind}\n        action: follow");
    if threads == Threads::Several {
        let _ = writeln!(text, "        thread_id: {}", waypoint.thread);
    }
    if let Some((value, format)) = constraint {
        let _ = writeln!(text, "        constraint:\n          value: {}", quoted(&value));
        if let Some(format) = format {
            let _ = writeln!(text, "          format: {format}");
        }
    }
    text + &location(&waypoint.place, "        ")
}

fn location(place: &Place, indent: &str) -> String {
    let mut text = format!("{indent}location:\n");
    let _ = writeln!(text, "{indent}  file_name: {}", quoted(&place.file));
    let _ = writeln!(text, "{indent}  line: {}", place.line);
    if let Some(column) = place.column {
        let _ = writeln!(text, "{indent}  column: {column}");
    }
    if let Some(function) = &place.function {
        let _ = writeln!(text, "{indent}  function: {}", quoted(function));
    }
    text
}

fn entry(witness: &Witness, kind: &str, version: &str, content: &str) -> String {
    let task = &witness.task;
    let (file, hash) = (quoted(&task.file), task.hash());
    let id = uuid(&[kind, version, &hash, &task.specification, task.data_model(), content].join("\n"));
    let mut text = format!("- entry_type: {kind}\n  metadata:\n");
    let _ = writeln!(text, "    format_version: {}", quoted(version));
    let _ = writeln!(text, "    uuid: {}", quoted(&id));
    let _ = writeln!(text, "    creation_time: {}", quoted(&task.creation_time));
    let _ = writeln!(text, "    producer:\n      name: \"Regrain\"");
    let _ = writeln!(text, "      version: {}", quoted(env!("CARGO_PKG_VERSION")));
    let _ = writeln!(text, "      description: {}", quoted(&witness.note));
    let _ = writeln!(text, "    task:\n      input_files:\n      - {file}");
    let _ = writeln!(text, "      input_file_hashes:\n        {file}: {}", quoted(&hash));
    let _ = writeln!(text, "      specification: {}", quoted(&task.specification));
    let _ = writeln!(text, "      data_model: {}\n      language: C", task.data_model());
    text + "  content:\n" + content
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
