//! Witnesses: their structure, that their places are those of the source, and that a validator confirms them.

use serde_json::{Value, json};

use crate::command::{Ran, Scratch};
use crate::validator::{offset, with_invariants, with_waypoints, yaml};

/// A benchmark's text, in a directory of its own, with the witness of a run.
struct Case {
    text: String,
    ran: Ran,
    witness: Value,
}

fn benchmark(path: &str) -> String {
    let path = format!("{}/benchmarks/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Verifies a program and reads its witness.
fn case(test: &str, text: &str, options: &str) -> Case {
    let scratch = Scratch::new(test).with("p.c", text);
    let ran = scratch.run(&format!("verify -q --timeout 120 {options} --witness w.yml p.c"));
    let written = std::fs::read_to_string(scratch.path("w.yml"));
    let witness = written.unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr));
    Case { text: text.to_owned(), ran, witness: yaml(&witness) }
}

/// Checks what all entries have.
fn check_metadata(case: &Case, version: &str) {
    for entry in case.witness.as_array().expect("a list of entries") {
        let keys: Vec<&String> = entry.as_object().expect("an entry").keys().collect();
        assert_eq!(keys, ["content", "entry_type", "metadata"]);
        let metadata = &entry["metadata"];
        assert_eq!(metadata["format_version"], json!(version), "a text, not a number");
        let uuid = metadata["uuid"].as_str().expect("a text");
        let lengths: Vec<usize> = uuid.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{uuid}");
        let time = metadata["creation_time"].as_str().expect("a text");
        assert!(time.len() == 20 && time.as_bytes()[10] == b'T' && time.ends_with('Z'), "{time}");
        assert_eq!(metadata["producer"]["name"], "Regrain");
        assert_eq!(metadata["producer"]["version"], env!("CARGO_PKG_VERSION"));
        let task = &metadata["task"];
        assert_eq!(task["input_files"], json!(["p.c"]));
        let hash = task["input_file_hashes"]["p.c"].as_str().expect("a hash");
        assert!(hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{hash}");
        assert!(
            task["specification"]
                .as_str()
                .is_some_and(|text| text.starts_with("CHECK( init(main()), LTL(G ! "))
        );
        assert_eq!((&task["data_model"], &task["language"]), (&json!("LP64"), &json!("C")));
    }
}

/// Checks a location; gives the text that it points at.
fn pointed<'a>(case: &'a Case, location: &Value) -> &'a str {
    assert_eq!(location["file_name"], "p.c");
    let function = location["function"].as_str().expect("our programs have no statements outside functions");
    let at = offset(&case.text, location);
    let before = &case.text[..at];
    assert!(before.contains(&format!("{function}(")), "{function} begins before the place");
    &case.text[at..]
}

/// A directory's name of its own for each validation.
fn validator_name() -> String {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    format!("validated-{}", COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
}

/// Checks a violation witness against the table of its format, and validates it.
fn check_violation(case: &Case, version: &str) {
    assert_eq!((case.ran.code, case.ran.last_line()), (Some(10), "Verdict: false(unreach-call)"));
    check_metadata(case, version);
    assert_eq!(case.witness[0]["entry_type"], "violation_sequence");
    let segments = case.witness[0]["content"].as_array().expect("segments");
    let mut threads = 1;
    for (i, segment) in segments.iter().enumerate() {
        let waypoints = segment["segment"].as_array().expect("waypoints");
        assert_eq!(waypoints.len(), 1, "one waypoint to follow");
        let waypoint = &waypoints[0]["waypoint"];
        assert_eq!(waypoint["action"], "follow");
        let known = ["type", "action", "thread_id", "constraint", "location"];
        assert!(waypoint.as_object().expect("a map").keys().all(|key| known.contains(&key.as_str())));
        let (kind, place) =
            (waypoint["type"].as_str().expect("a type"), pointed(case, &waypoint["location"]));
        assert_eq!(kind == "target", i + 1 == segments.len(), "the target comes last");
        match version {
            "2.2" => assert!(waypoint["thread_id"].as_u64().expect("a number") < threads, "{waypoint}"),
            _ => assert_eq!(waypoint["thread_id"], Value::Null),
        }
        let constraint = &waypoint["constraint"];
        match kind {
            "function_enter" => {
                assert!(place.starts_with(')'), "{place}");
                threads += 1;
            }
            "function_return" => {
                assert!(place.starts_with(')'), "{place}");
                assert_eq!(constraint["format"], "acsl_expression");
                assert!(constraint["value"].as_str().is_some_and(|value| value.starts_with("\\result == ")));
            }
            "branching" => {
                let keyword = place.split([' ', '(']).next();
                assert!(matches!(keyword, Some("if" | "while" | "for")), "{place}");
                assert!(matches!(constraint["value"].as_str(), Some("true" | "false")), "{constraint}");
                assert_eq!(constraint["format"], Value::Null);
            }
            "assumption" => assert_eq!(constraint["format"], "c_expression"),
            "target" => assert_eq!(*constraint, Value::Null),
            other => panic!("unknown type {other}"),
        }
    }
    let validated = with_waypoints(&case.text, &case.witness);
    let scratch = Scratch::new(&validator_name()).with("v.c", &validated);
    let ran = scratch.run("verify -q --engine explore --timeout 120 v.c");
    assert_eq!(ran.last_line(), "Verdict: false(unreach-call)", "{}{}\n{validated}", ran.stdout, ran.stderr);
}

/// Checks a correctness witness against the table of its format, and validates it; the number of invariants
/// that were checked.
fn check_proof(case: &Case) -> usize {
    assert_eq!((case.ran.code, case.ran.last_line()), (Some(0), "Verdict: true"), "{}", case.ran.stderr);
    let entries = case.witness.as_array().expect("entries");
    let has_ghosts = entries.len() == 2;
    check_metadata(case, if has_ghosts { "2.1" } else { "2.0" });
    if has_ghosts {
        let ghosts = &entries[0]["content"];
        assert_eq!(entries[0]["entry_type"], "ghost_instrumentation");
        for ghost in ghosts["ghost_variables"].as_array().expect("variables") {
            assert_eq!((&ghost["scope"], &ghost["type"]), (&json!("global"), &json!("int")));
            assert_eq!(ghost["initial"], json!({"value": "0", "format": "c_expression"}));
        }
        for update in ghosts["ghost_updates"].as_array().expect("updates") {
            assert!(pointed(case, &update["location"]).contains(';'));
            assert_eq!(update["updates"][0]["format"], "c_expression");
        }
    }
    let set = entries.last().expect("an entry");
    assert_eq!(set["entry_type"], "invariant_set");
    let invariants = set["content"].as_array().expect("invariants");
    assert!(!invariants.is_empty());
    for invariant in invariants {
        let invariant = &invariant["invariant"];
        let place = pointed(case, &invariant["location"]);
        let is_loop = place.starts_with("while") || place.starts_with("for");
        assert_eq!(invariant["type"], if is_loop { "loop_invariant" } else { "location_invariant" });
        assert_eq!(invariant["format"], "c_expression");
    }
    let (validated, count) = with_invariants(&case.text, &case.witness);
    let scratch = Scratch::new(&validator_name()).with("v.c", &validated);
    let ran = scratch.run("verify -q --engine explore --timeout 120 v.c");
    assert_eq!(ran.last_line(), "Verdict: true", "{}{}\n{validated}", ran.stdout, ran.stderr);
    count
}

#[test]
fn violations_of_the_protocols_are_confirmed() {
    for name in
        ["peterson_unsafe", "dekker_unsafe", "szymanski_unsafe", "bakery_unsafe", "ticket_lock_unsafe"]
    {
        check_violation(&case(name, &benchmark(&format!("mutex/{name}.c")), ""), "2.2");
    }
}

#[test]
fn proofs_of_the_protocols_are_confirmed() {
    for name in ["peterson", "dekker", "burns", "test_and_set"] {
        let case = case(name, &benchmark(&format!("mutex/{name}.c")), "--engine cegar");
        assert!(check_proof(&case) >= 4, "{name}: {}", case.witness);
    }
}

#[test]
fn violations_of_other_programs_are_confirmed() {
    let programs = [
        "mutex/dekker_loop_unsafe",
        "mutex/burns3_unsafe",
        "drivers/bluetooth_unsafe",
        "drivers/mozilla_order_unsafe",
        "locks/locked_counter_unsafe",
        "features/nondet_total_unsafe",
        "features/struct_copy_unsafe",
        "features/pointer_swap_unsafe",
        "lockfree/treiber_push_unsafe",
        "lockfree/ms_queue_enqueue_unsafe",
    ];
    for path in programs {
        let name = path.replace('/', "-");
        check_violation(&case(&name, &benchmark(&format!("{path}.c")), ""), "2.2");
    }
}

#[test]
fn proofs_of_other_programs_are_confirmed() {
    let programs = [
        "drivers/bluetooth",
        "drivers/bluetooth_loop",
        "drivers/mozilla_order",
        "drivers/time_varying_mutex",
    ];
    for path in programs {
        let case = case(&path.replace('/', "-"), &benchmark(&format!("{path}.c")), "--engine cegar");
        check_proof(&case);
    }
}

/// `main` alone, with inputs.
const SEQUENTIAL: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) {}
int total; /* ä */

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 3 || n > 20) abort();
    for (int i = 0; i < 2; i++) {
        /* ü */ total = total + n;
    }
    if (total == 14) {
        reach_error();
    }
    return 0;
}
";

#[test]
fn a_program_without_threads_has_a_witness_of_version_2_0() {
    let case = case("sequential", SEQUENTIAL, "");
    check_violation(&case, "2.0");
    let waypoints = case.witness[0]["content"].as_array().expect("segments");
    let input = &waypoints[0]["segment"][0]["waypoint"];
    assert_eq!(input["constraint"]["value"], "\\result == 7");
    assert!(pointed(&case, &input["location"]).starts_with(");\n    if (n < 3"));
    let target = &waypoints.last().expect("a target")["segment"][0]["waypoint"];
    assert!(pointed(&case, &target["location"]).starts_with("reach_error();"));
    let specification = &case.witness[0]["metadata"]["task"]["specification"];
    assert_eq!(specification, "CHECK( init(main()), LTL(G ! call(reach_error())) )");
}

#[test]
fn a_proof_by_visiting_all_states_says_so() {
    let case = case("exhausted", &benchmark("mutex/peterson.c"), "--engine explore");
    assert_eq!(check_proof(&case), 1);
    let invariant = &case.witness[0]["content"][0]["invariant"];
    assert_eq!(invariant["value"], "1");
    assert!(pointed(&case, &invariant["location"]).starts_with("pthread_t a, b;"));
    let note = case.witness[0]["metadata"]["producer"]["description"].as_str().expect("a text");
    assert!(note.contains("states were visited"), "{note}");
}

#[test]
fn the_same_run_gives_the_same_witness() {
    let scratch = Scratch::new("reproducible").with("p.c", &benchmark("mutex/dekker_unsafe.c"));
    let witness = |name: &str| {
        let mut command = scratch.command(&format!("verify -q --witness {name} p.c"));
        let status = command.env("SOURCE_DATE_EPOCH", "1000000000").output().expect("it runs").status;
        assert_eq!(status.code(), Some(10));
        std::fs::read_to_string(scratch.path(name)).expect("a witness")
    };
    let first = witness("1.yml");
    assert!(first.contains("creation_time: \"2001-09-09T01:46:40Z\""), "{first}");
    assert_eq!(first, witness("2.yml"));
}

#[test]
fn lines_of_a_preprocessed_file_are_its_own() {
    let text = format!("# 100 \"elsewhere.c\"\n{SEQUENTIAL}");
    let scratch = Scratch::new("preprocessed").with("p.i", &text);
    assert_eq!(scratch.run("verify -q --data-model ILP32 --witness w.yml p.i").code, Some(10));
    let witness = yaml(&std::fs::read_to_string(scratch.path("w.yml")).expect("a witness"));
    let segments = witness[0]["content"].as_array().expect("segments");
    let target = &segments.last().expect("a target")["segment"][0]["waypoint"]["location"];
    assert_eq!(target["file_name"], "p.i");
    assert!(text[offset(&text, target)..].starts_with("reach_error();"), "{target}");
    assert_eq!(witness[0]["metadata"]["task"]["data_model"], "ILP32");
}

#[test]
fn there_are_no_witnesses_for_other_memory_models_and_without_an_answer() {
    let scratch = Scratch::new("no-witness").with("p.c", &benchmark("litmus/SB.c"));
    let weak = scratch.run("verify -q --mm tso --witness w.yml p.c");
    assert_eq!((weak.code, weak.last_line()), (Some(10), "Verdict: false(unreach-call)"));
    assert!(weak.stderr.contains("w.yml is not written: there is no witness format"), "{}", weak.stderr);
    assert!(!scratch.path("w.yml").exists());
    let scratch = scratch.with(
        "u.c",
        "extern int __VERIFIER_nondet_int(void);\nint main(void) { return 1 / __VERIFIER_nondet_int(); }\n",
    );
    let unknown = scratch.run("verify -q --witness w.yml u.c");
    assert_eq!(unknown.code, Some(5), "{}", unknown.stdout);
    assert!(unknown.stderr.contains("no answer"), "{}", unknown.stderr);
    assert!(!scratch.path("w.yml").exists());
}

#[test]
fn graphml_has_the_elements_of_its_format() {
    let scratch = Scratch::new("graphml").with("p.c", &benchmark("mutex/peterson_unsafe.c"));
    assert_eq!(scratch.run("verify -q --witness w.graphml --witness-format graphml p.c").code, Some(10));
    let text = std::fs::read_to_string(scratch.path("w.graphml")).expect("a witness");
    for expected in [
        "<data key=\"witness-type\">violation_witness</data>",
        "<data key=\"sourcecodelang\">C</data>",
        "<data key=\"programfile\">p.c</data>",
        "<data key=\"architecture\">64bit</data>",
        "<data key=\"entry\">true</data>",
        "<data key=\"createThread\">2</data>",
        "<data key=\"enterFunction\">thr1</data>",
        "<data key=\"control\">condition-false</data>",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    assert_eq!(text.matches("<data key=\"violation\">true</data>").count(), 1);
    let (nodes, edges) = (text.matches("<node ").count(), text.matches("<edge ").count());
    assert_eq!(nodes, edges + 1, "a path");
    assert!(!text.contains("<!--"), "the linter of the format cannot read comments");
    assert_eq!(
        scratch.run("verify -q --engine cegar --witness s.graphml --witness-format graphml p.c").code,
        Some(10)
    );
    let scratch = scratch.with("s.c", &benchmark("mutex/peterson.c"));
    assert_eq!(
        scratch.run("verify -q --engine cegar --witness s.graphml --witness-format graphml s.c").code,
        Some(0)
    );
    let proof = std::fs::read_to_string(scratch.path("s.graphml")).expect("a witness");
    assert!(
        proof.contains("correctness_witness") && proof.contains("<data key=\"invariant.scope\">thr1</data>")
    );
    assert!(proof.contains("<data key=\"enterLoopHead\">true</data>") && !proof.contains("regrain_thr"));
}
