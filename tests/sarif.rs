//! SARIF: what editors and continuous integration read.

use serde_json::{Value, json};

use crate::command::{Ran, Scratch};

const RACE: &str = "\
#include <assert.h>
#include <pthread.h>
int x;
void *add(void *arg) { int t = x; x = t + 1; return 0; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
";

/// Verifies a program; the run of the SARIF log with what the process left behind.
fn log(test: &str, text: &str, options: &str) -> (Value, Ran) {
    let scratch = Scratch::new(test).with("my prog.c", text);
    let mut command = scratch.command(&format!("verify -q {options} --sarif out.sarif"));
    let ran = crate::command::run(command.arg("my prog.c"));
    let log = std::fs::read_to_string(scratch.path("out.sarif")).expect("a log");
    let log: Value = serde_json::from_str(&log).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"].as_array().map(Vec::len), Some(1));
    let run = log["runs"][0].clone();
    let driver = &run["tool"]["driver"];
    assert_eq!((&driver["name"], &driver["rules"][0]["id"]), (&json!("Regrain"), &json!("unreach-call")));
    assert_eq!(run["invocations"][0]["exitCode"], json!(ran.code));
    (run, ran)
}

#[test]
fn a_violation_is_a_result_with_a_flow_for_each_thread() {
    let (run, ran) = log("sarif-false", RACE, "");
    assert_eq!((ran.code, ran.last_line()), (Some(10), "Verdict: false(unreach-call)"));
    let result = &run["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("unreach-call"), &json!("error")));
    let text = result["message"]["text"].as_str().expect("a text");
    assert!(text.contains("x == 2") && text.contains("x = 1") && text.contains("main"), "{text}");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "my%20prog.c");
    assert_eq!(place["region"]["startLine"], 12);
    let flows = result["codeFlows"][0]["threadFlows"].as_array().expect("flows");
    let names: Vec<&str> = flows.iter().map(|flow| flow["id"].as_str().expect("a name")).collect();
    assert_eq!(names, ["main", "add", "add#2"]);
    let mut orders = Vec::new();
    for step in flows.iter().flat_map(|flow| flow["locations"].as_array().expect("steps")) {
        orders.push(step["executionOrder"].as_u64().expect("a number"));
        let location = &step["location"];
        assert!(location["message"]["text"].as_str().is_some_and(|text| !text.is_empty()), "{step}");
        let line = location["physicalLocation"]["region"]["startLine"].as_u64().expect("a line") as usize;
        let source = RACE.lines().nth(line - 1).expect("a line of the program").trim();
        assert_eq!(location["physicalLocation"]["region"]["snippet"]["text"], source);
    }
    orders.sort_unstable();
    assert_eq!(orders, (1..=orders.len() as u64).collect::<Vec<u64>>(), "one order of all steps");
}

#[test]
fn a_proof_has_no_results() {
    let (run, ran) = log("sarif-true", &RACE.replace("x == 2", "x >= 1"), "");
    assert_eq!((ran.code, ran.last_line()), (Some(0), "Verdict: true"));
    assert_eq!(run["results"], json!([]));
    assert_eq!(run["invocations"][0]["toolExecutionNotifications"], json!([]));
    assert_eq!(run["properties"]["verdict"], "true");
}

#[test]
fn what_is_unknown_or_refused_is_a_notification() {
    let (run, ran) = log("sarif-unknown", "int *p; int main(void) { return *p; }\n", "");
    assert_eq!(ran.code, Some(5), "{}", ran.stdout);
    let notification = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert!(notification["message"]["text"].as_str().is_some_and(|text| text.starts_with("unknown (")));
    let (run, ran) = log("sarif-refused", "int main(void)\n{ return y; }\n", "");
    assert_eq!(ran.code, Some(3));
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let notification = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(notification["level"], "error");
    let region = &notification["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["startColumn"]), (&json!(2), &json!(10)));
}
