//! `regrain bench` as scripts see it: tables, files, exit codes, other verifiers, limits, interruption.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::command::{Ran, Scratch, command, run, snapshot};

const SAFE: &str = "#include <assert.h>\nint x;\nint main(void) { x = 1; assert(x == 1); return 0; }\n";

/// Counts for ever without repeating a state soon.
const HUGE: &str = "\
#include <assert.h>
unsigned long x;
int main(void) { for (;;) { x++; assert(x != 1000000000000); } }
";

fn task(program: &str, expected: bool) -> String {
    format!(
        "format_version: '2.0'\ninput_files: {program}\nproperties:\n  - property_file: p.prp\n    \
         expected_verdict: {expected}\noptions: {{language: C, data_model: LP64}}\n"
    )
}

/// A folder with a safe, an unsafe and an endless program.
fn folder(name: &str) -> Scratch {
    Scratch::new(name)
        .with("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
        .with("safe.c", SAFE)
        .with("unsafe.c", &SAFE.replace("x == 1", "x == 2"))
        .with("huge.c", HUGE)
        .with("safe.yml", &task("safe.c", true))
        .with("unsafe.yml", &task("unsafe.c", false))
}

/// The lines of a CSV file as `task contestant verdict mark score`.
fn runs(scratch: &Scratch, file: &str) -> Vec<String> {
    let csv = std::fs::read_to_string(scratch.path(file)).expect("the file is written");
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        [0, 1, 4, 5, 6].map(|column| fields[column]).join(" ")
    };
    csv.lines().skip(1).map(line).collect()
}

/// The words of the table's line about a task.
fn row<'a>(ran: &'a Ran, task: &str) -> Vec<&'a str> {
    let line = ran.stdout.lines().find(|line| line.starts_with(&format!("{task} ")));
    line.unwrap_or_else(|| panic!("no {task} in {}", ran.stdout)).split_whitespace().collect()
}

#[test]
fn a_folder_of_tasks_gives_a_table_and_files() {
    let scratch = folder("bench-folder").with("witness.yml", "- entry_type: invariant_set\n");
    let ran = scratch
        .run("bench . --timeout 60 --statistics Engine,States --csv b.csv --json b.json --html b.html");
    assert_eq!(ran.code, Some(0), "{}", ran.seen());
    assert_eq!(row(&ran, "safe")[..4], ["safe", "true", "true", "2"]);
    assert_eq!(row(&ran, "unsafe")[..4], ["unsafe", "false", "false(unreach-call)", "1"]);
    assert!(row(&ran, "safe").contains(&"explore"), "{}", ran.stdout);
    assert_eq!(ran.last_line(), "Runs: 2; correct 2, wrong 0, without a verdict 0");
    let expected = ["safe regrain true correct 2", "unsafe regrain false(unreach-call) correct 1"];
    assert_eq!(runs(&scratch, "b.csv"), expected);

    let json = std::fs::read_to_string(scratch.path("b.json")).expect("the file is written");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["complete"], &json["contestants"][0]["score"]), (&true.into(), &3.into()));
    let safe = &json["runs"][0];
    assert!(safe["statistics"]["States"].as_u64().is_some_and(|states| states > 0), "{safe}");
    for (name, least, most) in
        [("wall_seconds", 0.0, 60.0), ("cpu_seconds", 0.0, 60.0), ("memory_mb", 5.0, 1000.0)]
    {
        let value = safe[name].as_f64().expect("a number");
        assert!(value > least && value < most, "{name} {value}");
    }
    let html = std::fs::read_to_string(scratch.path("b.html")).expect("the file is written");
    assert!(html.contains("<title>unsafe: ") && html.contains("<polyline") && html.ends_with("</html>\n"));
}

#[test]
fn sets_memory_models_and_the_order_of_rows() {
    let arguments =
        "bench benchmarks/litmus/SB.yml benchmarks/litmus/MP.yml benchmarks/sets/table1.set --quiet -j 3";
    let mut command = command(arguments);
    command.args(["--compare", "sc: --mm sc", "--compare", "pso: --mm pso", "--", "--engine", "explore"]);
    let ran = run(&mut command);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.seen());
    // Each memory model has its own expected verdict; where none is stated, there is nothing to score.
    let verdicts = |name| {
        row(&ran, name)
            .into_iter()
            .filter(|word| word.contains("true") || word.contains("false"))
            .collect::<Vec<_>>()
    };
    assert_eq!(verdicts("litmus/SB"), ["true/false", "true", "false(unreach-call)"]);
    assert_eq!(verdicts("litmus/MP"), ["true/false", "true", "false(unreach-call)"]);
    let names =
        ran.stdout.lines().filter(|line| line.contains("true")).filter_map(|line| line.split(' ').next());
    let order = ["litmus/SB", "litmus/MP", "mutex/bakery_atomic", "mutex/bakery", "drivers/bluetooth"];
    assert_eq!(names.take(5).collect::<Vec<_>>(), order);
    assert!(ran.stdout.contains("pso against sc: "), "{}", ran.stdout);
}

#[test]
fn a_wrong_verdict_is_shown_and_is_exit_code_10() {
    let scratch = folder("bench-wrong").with("lie.yml", &task("safe.c", false));
    let ran = scratch.run("bench safe.yml lie.yml --csv b.csv");
    assert_eq!(ran.code, Some(10), "{}", ran.seen());
    assert_eq!(row(&ran, "lie")[..5], ["lie", "false", "true", "WRONG", "-32"]);
    assert!(ran.stdout.contains("lie, regrain: WRONG: true, expected false\n"), "{}", ran.stdout);
    assert_eq!(runs(&scratch, "b.csv"), ["safe regrain true correct 2", "lie regrain true wrong -32"]);
    let scratch = folder("bench-wrong2").with("lie.yml", &task("unsafe.c", true));
    let ran = scratch.run("bench lie.yml");
    assert_eq!((ran.code, &row(&ran, "lie")[3..5]), (Some(10), &["WRONG", "-16"][..]), "{}", ran.seen());
}

#[test]
fn a_task_that_is_refused_spoils_its_row_only() {
    let scratch = folder("bench-refused")
        .with("odd.c", "int main(void) { return f(); }\n")
        .with("odd.yml", &task("odd.c", true))
        .with("broken.yml", "input_files: [\n");
    let ran = scratch.run("bench .");
    assert_eq!(ran.code, Some(3), "{}", ran.seen());
    assert!(ran.stdout.contains("odd, regrain: refused: odd.c:1: "), "{}", ran.stdout);
    assert!(ran.stdout.contains("broken, regrain: refused: broken.yml"), "{}", ran.stdout);
    assert_eq!(ran.last_line(), "Runs: 4; correct 2, wrong 0, without a verdict 2");
    let missing = scratch.run("bench nothing.set");
    assert_eq!(missing.code, Some(3));
    assert!(missing.stderr.contains("nothing.set: error: cannot read this file"), "{}", missing.stderr);
}

#[test]
fn a_limit_ends_a_run() {
    let scratch = folder("bench-limits").with("huge.yml", &task("huge.c", true));
    let ran = scratch.run("bench huge.yml --timeout 1 --csv time.csv -- --engine explore");
    assert_eq!(ran.code, Some(0), "{}", ran.seen());
    assert_eq!(runs(&scratch, "time.csv"), ["huge regrain timeout open 0"]);
    let ran =
        scratch.run("bench huge.yml --timeout 60 --memory-limit 60 --csv memory.csv -- --engine explore");
    assert_eq!(ran.code, Some(0), "{}", ran.seen());
    assert_eq!(runs(&scratch, "memory.csv"), ["huge regrain out of memory open 0"]);
}

/// A verifier that believes in names: `unsafe` is false, `huge` takes for ever, the rest is true.
const ORACLE: &str = "\
case $2 in
  *unsafe*) echo 'looking at' $2; echo \"FALSE\" ;;
  *huge*) touch started; while :; do sleep 1; done ;;
  *odd*) echo 'cannot read this' >&2; exit 9 ;;
  *) echo \"Verdict: true\" ;;
esac
";

#[test]
fn another_verifier_takes_part() {
    let scratch = folder("bench-tool")
        .with("oracle.sh", ORACLE)
        .with("odd.c", SAFE)
        .with("huge.yml", &task("huge.c", true))
        .with("odd.yml", &task("odd.c", true));
    let oracle = ["--tool", "oracle=sh oracle.sh {model} {file}", "--", "--engine", "explore"];
    let ran = run(scratch.command("bench safe.yml unsafe.yml odd.yml --csv b.csv").args(oracle));
    assert_eq!(ran.code, Some(70), "one run of the oracle crashes: {}", ran.seen());
    assert!(ran.stdout.contains("odd, oracle: crashed: exit code 9: cannot read this\n"), "{}", ran.stdout);
    let expected = [
        "safe oracle true correct 2",
        "unsafe oracle false(unreach-call) correct 1",
        "odd oracle crashed open 0",
    ];
    assert_eq!(runs(&scratch, "b.csv").into_iter().skip(1).step_by(2).collect::<Vec<_>>(), expected);
    // One that takes too long is ended.
    let ran = run(scratch.command("bench huge.yml --timeout 2 --csv b.csv").args(oracle));
    assert_eq!(ran.code, Some(0), "{}", ran.seen());
    assert_eq!(runs(&scratch, "b.csv")[1], "huge oracle timeout open 0");
}

#[test]
fn a_known_verifier_is_called_with_its_own_options() {
    let scratch = folder("bench-cbmc").with(
        "cbmc",
        "#!/bin/sh\necho \"$@\" > arguments\necho '[main.assertion.1] line 3 assertion x == 2: FAILURE'\n\
         echo VERIFICATION FAILED\nexit 10\n",
    );
    let script = scratch.path("cbmc");
    let executable = std::process::Command::new("chmod").arg("+x").arg(&script).status();
    assert!(executable.expect("chmod can be started").success());
    let path = format!("{}:{}", scratch.path("").display(), std::env::var("PATH").expect("there is one"));
    let mut command = scratch.command("bench unsafe.yml --csv b.csv");
    command.args(["--tool", "cbmc: --unwind 4", "--", "--mm", "tso"]).env("PATH", path);
    let ran = run(&mut command);
    assert_eq!(ran.code, Some(0), "{}", ran.seen());
    let arguments = std::fs::read_to_string(scratch.path("arguments")).expect("it was called");
    assert_eq!(arguments, "--mm tso --64 --unwinding-assertions --unwind 4 unsafe.c\n");
    assert_eq!(runs(&scratch, "b.csv")[1], "unsafe cbmc false(unreach-call) unjudged 0");
}

#[test]
fn an_interruption_reports_what_was_done() {
    // The oracle takes for ever for a task that Regrain decides at once.
    let scratch = folder("bench-signal")
        .with("oracle.sh", ORACLE)
        .with("huge.c", SAFE)
        .with("huge.yml", &task("huge.c", true));
    let mut command = scratch.command("bench safe.yml huge.yml unsafe.yml -j 1 --timeout 300 --csv b.csv");
    command.args(["--tool", "oracle=sh oracle.sh {model} {file}"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let begin = Instant::now();
    while !scratch.path("started").exists() {
        assert!(begin.elapsed() < Duration::from_secs(100), "the oracle was never asked");
        std::thread::sleep(Duration::from_millis(20));
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill can be started").success());
    let output = child.wait_with_output().expect("it ends");
    let stdout = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(5), "{stdout}");
    assert_eq!(
        stdout.lines().last(),
        Some("Runs: 3 of 6, interrupted; correct 3, wrong 0, without a verdict 0"),
        "{stdout}"
    );
    assert!(stdout.contains("not run"), "{stdout}");
    assert_eq!(runs(&scratch, "b.csv").len(), 3);
    assert!(begin.elapsed() < Duration::from_secs(100), "the oracle was ended");
}

#[test]
fn bad_options_are_usage_errors() {
    let scratch = folder("bench-usage");
    let mut seen = String::new();
    for arguments in [
        &["bench"][..],
        &["bench", "safe.yml", "--compare", "x: --engine magic"],
        &["bench", "safe.yml", "--compare", "x: --timeout 3"],
        &["bench", "safe.yml", "--compare", "x: 'open"],
        &["bench", "safe.yml", "--compare", "x: --mm sc", "--compare", "x: --mm tso"],
        &["bench", "safe.yml", "--tool", "magic"],
        &["bench", "safe.yml", "--tool", "mine=no-such-command {file}"],
        &["bench", "safe.yml", "--tool", "esbmc", "--", "--mm", "pso"],
        &["bench", "safe.yml", "--jobs", "0"],
    ] {
        let ran = run(scratch.command("").args(arguments));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{arguments:?}: {}", ran.seen());
        let message = ran.stderr.lines().next().unwrap_or_default();
        seen += &format!("$ regrain {}\n{message}\n\n", arguments.join(" "));
    }
    snapshot("bench_usage", &seen);
    snapshot("cli_help_bench", &run(&mut command("bench --help")).stdout);
}

#[test]
fn a_file_that_cannot_be_written_does_not_cost_the_table() {
    let scratch = folder("bench-output");
    let ran = scratch.run("bench safe.yml --csv /nowhere/b.csv --json b.json");
    assert_eq!(ran.code, Some(2), "{}", ran.seen());
    assert!(ran.stderr.contains("cannot write /nowhere/b.csv"), "{}", ran.stderr);
    assert_eq!(ran.last_line(), "Runs: 1; correct 1, wrong 0, without a verdict 0");
    assert!(scratch.path("b.json").exists());
}
