//! The result as SARIF 2.1.0, for continuous integration and editors that show findings in the source.
//!
//! A violated assertion is a result with one code flow: a thread flow for each thread of the run, and
//! `executionOrder` over all of them. A proof is a run without results. What could not be decided, or refused
//! input, is a notification of the tool.

use serde_json::{Value, json};

use super::words::Words;
use super::{Counterexample, Line, SourcePlace, Summary, Trouble};
use crate::engine::Claim;
use crate::program::AssertionKind;

/// What the file says besides the verdict.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The rules that violations break, in the order of their numbers.
const RULES: [(AssertionKind, &str, &str); 2] = [
    (
        AssertionKind::Reach,
        "UnreachCall",
        "No interleaving of the threads violates an assertion or reaches an error",
    ),
    (
        AssertionKind::Overflow,
        "NoOverflow",
        "No interleaving of the threads makes signed arithmetic overflow",
    ),
];

/// The document of a finished run, with the code that the process exits with.
pub fn document(summary: &Summary<'_>, told: Option<&Counterexample>, exit_code: u8) -> String {
    let results: Vec<Value> = told.iter().map(|told| result(told)).collect();
    let notifications = match summary.answer.claim() {
        Claim::Unknown(reason) => {
            let details = reason.details.iter().map(|detail| format!("\n{detail}"));
            let text = format!("{}{}", summary.verdict_text(), details.collect::<String>());
            vec![json!({"level": "warning", "message": {"text": text}})]
        }
        Claim::Safe(_) | Claim::Unsafe(_) => Vec::new(),
    };
    let properties = json!({
        "verdict": summary.verdict_text(),
        "engine": summary.answer.engine().name(),
        "memoryModel": summary.memory_model,
        "granularity": summary.granularity,
        "dataModel": summary.data_model,
    });
    let invocation = json!({
        "executionSuccessful": true,
        "exitCode": exit_code,
        "toolExecutionNotifications": notifications,
    });
    let artifacts = json!([{"location": {"uri": uri(summary.file)}, "sourceLanguage": "c"}]);
    print(
        &json!({"invocations": [invocation], "artifacts": artifacts, "results": results, "properties": properties}),
    )
}

/// The document of a run that has no verdict.
pub fn failure(error: &super::json::Error<'_>, exit_code: u8) -> String {
    let place = error.file.map(|file| {
        let region = error.line.map(|line| match error.column {
            Some(column) => json!({"startLine": line, "startColumn": column}),
            None => json!({"startLine": line}),
        });
        match region {
            Some(region) => {
                json!({"physicalLocation": {"artifactLocation": {"uri": uri(file)}, "region": region}})
            }
            None => json!({"physicalLocation": {"artifactLocation": {"uri": uri(file)}}}),
        }
    });
    let notification = json!({
        "level": "error",
        "message": {"text": error.message},
        "descriptor": {"id": error.kind},
        "locations": place.into_iter().collect::<Vec<Value>>(),
    });
    let invocation = json!({
        "executionSuccessful": false,
        "exitCode": exit_code,
        "toolExecutionNotifications": [notification],
    });
    print(&json!({"invocations": [invocation], "results": []}))
}

/// A log with one run, which has these members besides the tool's description.
fn print(members: &Value) -> String {
    let rules = RULES.map(|(kind, name, text)| {
        json!({
            "id": kind.name(),
            "name": name,
            "shortDescription": {"text": text},
            "defaultConfiguration": {"level": "error"},
        })
    });
    let driver = json!({"name": "Regrain", "version": env!("CARGO_PKG_VERSION"), "rules": rules});
    let mut run = json!({"tool": {"driver": driver}, "columnKind": "unicodeCodePoints"});
    if let (Some(run), Some(members)) = (run.as_object_mut(), members.as_object()) {
        run.extend(members.clone());
    }
    let log = json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]});
    serde_json::to_string_pretty(&log).expect("JSON can always be printed") + "\n"
}

fn result(told: &Counterexample) -> Value {
    let violated = &told.violated;
    let rule = match violated.kind {
        Trouble::Violation(kind) => Some(kind),
        Trouble::Undefined => None,
    };
    let values: Vec<String> =
        violated.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let values = if values.is_empty() { String::new() } else { format!(" with {}", values.join(", ")) };
    let text = format!("violated in thread {}: {}{values}", told.threads[violated.thread], violated.text);
    let locations: Vec<Value> =
        violated.place.iter().map(|place| json!({"physicalLocation": physical(place)})).collect();
    let flows: Vec<Value> = (0..told.threads.len()).filter_map(|thread| thread_flow(told, thread)).collect();
    json!({
        "ruleId": rule.map(AssertionKind::name),
        "ruleIndex": RULES.iter().position(|(kind, ..)| Some(*kind) == rule),
        "kind": "fail",
        "level": "error",
        "message": {"text": text},
        "locations": locations,
        "codeFlows": [{
            "message": {"text": format!("a run of {} steps with {} context switches", told.steps, told.switches)},
            "threadFlows": flows,
        }],
    })
}

/// What a thread does in the run, if it does anything.
fn thread_flow(told: &Counterexample, thread: usize) -> Option<Value> {
    let own = (1..).zip(&told.lines).filter(|(_, line)| line.thread == thread);
    let steps: Vec<Value> = own.map(|(order, line)| step(told, line, order)).collect();
    (!steps.is_empty()).then(|| json!({"id": told.threads[thread], "locations": steps}))
}

fn step(told: &Counterexample, line: &Line, order: usize) -> Value {
    let words = Words::new(told);
    let said: Vec<String> = line.deeds.iter().filter_map(|deed| words.deed(line, deed)).collect();
    let moment = line.after.situation.iter().map(|situation| situation.moment.clone());
    let said = moment.chain([said.join("; ")]).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
    let text = match &line.place {
        Some(place) if said.is_empty() => place.text.clone(),
        _ => said,
    };
    let mut location = json!({"message": {"text": text}});
    if let Some(place) = &line.place {
        location["physicalLocation"] = physical(place);
    }
    json!({"location": location, "executionOrder": order, "importance": "essential"})
}

fn physical(place: &SourcePlace) -> Value {
    let mut region = json!({"startLine": place.line});
    // Columns are bytes here and characters there; they are the same as long as the line is ASCII.
    if place.column > 0 && place.text.is_ascii() {
        region["startColumn"] = json!(place.column);
    }
    if !place.text.is_empty() {
        region["snippet"] = json!({"text": place.text});
    }
    json!({"artifactLocation": {"uri": uri(&place.file)}, "region": region})
}

/// A path as a URI reference.
fn uri(path: &str) -> String {
    let absolute = if path.starts_with('/') { "file://" } else { "" };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-~+@,=".contains(&byte);
    let encoded = path.bytes().map(|byte| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    absolute.to_owned() + &encoded.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("src/p.c"), "src/p.c");
        assert_eq!(uri("/tmp/a b#1.c"), "file:///tmp/a%20b%231.c");
        assert_eq!(uri("ü.c"), "%C3%BC.c");
    }
}
