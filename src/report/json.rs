//! The report for scripts: one JSON document. `docs/src/json.md` describes its fields.
//!
//! `schema_version` grows when a field changes its meaning or goes; new fields do not count.

use std::collections::BTreeMap;

use serde::Serialize;

use super::summary::Value;
use super::{Counterexample, Deed, Line, SourcePlace, Summary, ValueSource};
use crate::engine::Claim;
use crate::frontend::Property;
use crate::program::{Audience, MemoryOrder};

/// The version of the document's form.
pub const SCHEMA_VERSION: u32 = 1;

/// Why there is no verdict.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Error<'a> {
    /// What kind of trouble.
    pub kind: &'static str,
    /// A sentence.
    pub message: &'a str,
    /// Where.
    pub file: Option<&'a str>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column, from 1.
    pub column: Option<u32>,
    /// What to do about it.
    pub help: Option<&'a str>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    tool: Tool,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<Task<'a>>,
    verdict: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<Violation<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    assuming: &'a [&'static str],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    invariant: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<BTreeMap<&'a str, serde_json::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Error<'a>>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Task<'a> {
    file: &'a str,
    property: String,
    memory_model: &'a str,
    granularity: &'a str,
    data_model: &'a str,
}

#[derive(Serialize)]
struct Reason<'a> {
    summary: &'a str,
    details: Vec<&'a String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    advice: &'a [String],
}

#[derive(Serialize)]
struct Violation<'a> {
    assertion: &'a str,
    #[serde(flatten)]
    place: Option<Place<'a>>,
    thread: &'a str,
    values: BTreeMap<&'a str, &'a str>,
    threads: &'a [String],
    steps: usize,
    context_switches: usize,
    reduced: bool,
    trace: Vec<Step<'a>>,
    locks_held: Vec<Lock<'a>>,
    buffered: Vec<Buffered<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<Waiting<'a>>,
}

/// A thread of a cooperative program that waits.
#[derive(Serialize)]
struct Waiting<'a> {
    thread: &'a str,
    what: &'a str,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    line: u32,
    #[serde(skip_serializing_if = "is_zero")]
    column: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    source: &'a str,
}

#[derive(Serialize)]
struct Step<'a> {
    thread: &'a str,
    #[serde(flatten)]
    place: Option<Place<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moment: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    woken: Vec<Waiting<'a>>,
    actions: Vec<serde_json::Value>,
}

#[derive(Serialize)]
struct Lock<'a> {
    lock: &'a str,
    threads: Vec<&'a str>,
}

#[derive(Serialize)]
struct Buffered<'a> {
    thread: &'a str,
    variable: &'a str,
    value: &'a str,
    #[serde(flatten)]
    place: Option<Place<'a>>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

const TOOL: Tool = Tool { name: "regrain", version: env!("CARGO_PKG_VERSION") };

/// The document of a finished run.
pub fn document(summary: &Summary<'_>) -> String {
    let reason = match summary.answer.claim() {
        Claim::Unknown(reason) => Some(Reason {
            summary: &reason.summary,
            details: reason.details.iter().chain(&reason.advice).collect(),
            advice: &reason.advice,
        }),
        Claim::Safe(_) | Claim::Unsafe(_) => None,
    };
    let statistics = summary.values().into_iter().map(|(name, value)| (name, number(value)));
    print(&Document {
        schema_version: SCHEMA_VERSION,
        tool: TOOL,
        task: Some(Task {
            file: summary.file,
            property: property_text(summary.property),
            memory_model: summary.memory_model,
            granularity: summary.granularity,
            data_model: summary.data_model,
        }),
        verdict: Some(summary.verdict_text()),
        reason,
        violation: summary.counterexample.filter(|_| summary.answer.violated().is_some()).map(violation),
        assuming: summary.assuming,
        notes: summary.notes,
        invariant: summary.invariant,
        statistics: Some(statistics.collect()),
        error: None,
    })
}

/// The document of a run that failed before there could be a verdict.
pub fn failure(error: &Error<'_>) -> String {
    print(&Document {
        schema_version: SCHEMA_VERSION,
        tool: TOOL,
        task: None,
        verdict: None,
        reason: None,
        violation: None,
        assuming: &[],
        notes: &[],
        invariant: None,
        statistics: None,
        error: Some(*error),
    })
}

fn print(document: &Document<'_>) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("texts and numbers can be written as JSON");
    text.push('\n');
    text
}

fn number(value: Value) -> serde_json::Value {
    match value {
        Value::Count(count) => count.into(),
        Value::Seconds(seconds) => seconds.into(),
        Value::Text(text) => text.into(),
    }
}

fn property_text(property: &Property) -> String {
    match property {
        Property::Assertions => "assertions".to_owned(),
        Property::UnreachCall(function) => format!("G ! call({function}())"),
        Property::UnreachLabel(label) => format!("G ! label({label})"),
        Property::NoOverflow => "G ! overflow".to_owned(),
    }
}

fn violation(told: &Counterexample) -> Violation<'_> {
    let name = |thread: usize| told.threads[thread].as_str();
    let violated = &told.violated;
    Violation {
        assertion: &violated.text,
        place: violated.place.as_ref().map(place),
        thread: name(violated.thread),
        values: violated.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        threads: &told.threads,
        steps: told.steps,
        context_switches: told.switches,
        reduced: told.reduced,
        trace: told.lines.iter().map(|line| step(told, line)).collect(),
        locks_held: (told.locks.iter())
            .map(|held| Lock { lock: &held.name, threads: held.threads.iter().map(|&t| name(t)).collect() })
            .collect(),
        buffered: (told.pending.iter())
            .map(|write| Buffered {
                thread: name(write.thread),
                variable: &write.name,
                value: &write.value,
                place: write.place.as_ref().map(place),
            })
            .collect(),
        waiting: waiting(told, &told.waiting),
    }
}

fn waiting<'a>(told: &'a Counterexample, list: &'a [(usize, String)]) -> Vec<Waiting<'a>> {
    list.iter().map(|(thread, what)| Waiting { thread: &told.threads[*thread], what }).collect()
}

fn place(place: &SourcePlace) -> Place<'_> {
    Place { file: &place.file, line: place.line, column: place.column, source: &place.text }
}

fn step<'a>(told: &'a Counterexample, line: &'a Line) -> Step<'a> {
    Step {
        thread: &told.threads[line.thread],
        place: line.place.as_ref().map(place),
        moment: line.after.situation.as_ref().map(|situation| situation.moment.as_str()),
        woken: line.round.as_ref().map_or_else(Vec::new, |round| waiting(told, &round.woken)),
        actions: line.deeds.iter().map(|deed| action(told, deed)).collect(),
    }
}

fn action(told: &Counterexample, deed: &Deed) -> serde_json::Value {
    use serde_json::json;
    match deed {
        Deed::Read { name, value, source, order } => {
            let read =
                json!({"action": "read", "variable": name, "value": value, "from": from(told, source)});
            ordered(read, *order)
        }
        Deed::Write { name, value, buffered, order } => {
            let write = json!({"action": "write", "variable": name, "value": value, "buffered": buffered});
            ordered(write, *order)
        }
        Deed::Update { name, old, source, new, order } => {
            let from = from(told, source);
            let update =
                json!({"action": "update", "variable": name, "old": old, "from": from, "value": new});
            ordered(update, *order)
        }
        Deed::Flush { name, value, written } => {
            let written = written.as_ref().map(place);
            json!({"action": "flush", "variable": name, "value": value, "written": written})
        }
        Deed::Assign { name, value } => json!({"action": "assign", "variable": name, "value": value}),
        Deed::Branch { condition, held } => {
            json!({"action": "branch", "condition": condition, "holds": held})
        }
        Deed::Assume => json!({"action": "assume"}),
        Deed::Assert { held } => json!({"action": "assert", "holds": held}),
        Deed::Fence { order } => ordered(json!({"action": "fence"}), *order),
        Deed::Lock { name } => json!({"action": "lock", "lock": name}),
        Deed::Unlock { name } => json!({"action": "unlock", "lock": name}),
        Deed::Await { condition } => json!({"action": "await", "condition": condition}),
        Deed::Awake { condition, signal } => {
            let thread = signal.as_ref().map(|(thread, _)| &told.threads[*thread]);
            let mut awake = json!({"action": "awake", "condition": condition});
            if let Some(thread) = thread {
                awake["signalled"] = thread.as_str().into();
            }
            if let Some(place) = signal.as_ref().and_then(|(_, at)| at.as_ref()).map(place) {
                awake["written"] = json!(place);
            }
            awake
        }
        Deed::Signal { condition, audience, waiting } => {
            let action = match audience {
                Audience::One => "signal",
                Audience::All => "broadcast",
            };
            let waiting: Vec<&str> = waiting.iter().map(|&thread| told.threads[thread].as_str()).collect();
            json!({"action": action, "condition": condition, "waiting": waiting})
        }
        Deed::Sync { call } => json!({"action": "sync", "call": call}),
        Deed::Create { thread } => json!({"action": "create", "created": thread}),
        Deed::Join { thread } => json!({"action": "join", "joined": thread}),
        Deed::Wake { thread, waited } => {
            json!({"action": "wake", "woken": told.threads[*thread], "waited": waited})
        }
        Deed::Wait { what } => json!({"action": "wait", "what": what}),
        Deed::Misuse { what } => json!({"action": "misuse", "what": what}),
        Deed::Start => json!({"action": "start"}),
        Deed::Exit => json!({"action": "exit"}),
        Deed::Input { name, value } => json!({"action": "input", "variable": name, "value": value}),
    }
}

/// An access with its memory order, if it has one.
fn ordered(mut access: serde_json::Value, order: Option<MemoryOrder>) -> serde_json::Value {
    if let Some(order) = order {
        access["order"] = order.name().into();
    }
    access
}

fn from(told: &Counterexample, source: &ValueSource) -> serde_json::Value {
    use serde_json::json;
    match source {
        ValueSource::Initial => json!({"kind": "initial"}),
        ValueSource::Uninitialised => json!({"kind": "uninitialised"}),
        ValueSource::Write { thread, place: written } => {
            json!({"kind": "write", "thread": told.threads[*thread], "written": written.as_ref().map(place)})
        }
        ValueSource::Buffer { place: written } => {
            json!({"kind": "buffer", "written": written.as_ref().map(place)})
        }
    }
}
