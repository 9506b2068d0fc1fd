//! The families of growing programs: their verdicts, and what `benchmarks/families/run.py` says about growth.

use std::process::Command;

use crate::command::{Scratch, run};

#[test]
fn families_are_measured() {
    let scratch = Scratch::new("families");
    let mut command = Command::new("python3");
    command.arg("benchmarks/families/run.py").current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args([
        "--regrain",
        env!("CARGO_BIN_EXE_regrain"),
        "--sizes",
        "1,2",
        "--jobs",
        "2",
        "--timeout",
        "100",
    ]);
    command.arg("--csv").arg(scratch.path("f.csv")).arg("--html").arg(scratch.path("f.html"));
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    let ran = run(&mut command);
    assert_eq!(ran.code, Some(0), "{}", ran.seen());
    let csv = std::fs::read_to_string(scratch.path("f.csv")).expect("the file is written");
    let verdict = |start: &str| {
        let line =
            csv.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start} in {csv}"));
        line.split(',').nth(3).expect("a verdict").to_owned()
    };
    // Every verdict is as expected, and each family has its own.
    assert!(csv.lines().skip(1).all(|line| line.split(',').nth(4) == Some("correct")), "{csv}");
    for (start, expected) in [
        ("sb,2,graph,", "true"),
        ("sb,2,tso,", "false(unreach-call)"),
        ("mp,2,tso,", "true"),
        ("mp,2,pso,", "false(unreach-call)"),
        ("fib,2,constraint,", "true"),
        ("fib_unsafe,2,graph,", "false(unreach-call)"),
        ("reorder,1,pso,", "false(unreach-call)"),
        ("reorder_locked,2,graph,", "true"),
        ("indexer,2,graph,", "true"),
        ("stack,2,graph,", "true"),
        ("ticket,2,pso,", "true"),
    ] {
        assert_eq!(verdict(start), expected, "{start}");
    }
    // Larger programs have more clauses, and refinement by constraints alone needs no fewer rounds.
    let number = |start: &str, column: usize| -> u64 {
        let line = csv.lines().find(|line| line.starts_with(start)).expect("a run");
        line.split(',').nth(column).expect("a column").parse().expect("a number")
    };
    assert_eq!(
        csv.lines().next(),
        Some("family,n,variant,verdict,mark,seconds,solving,clauses,added,rounds,events,memory_mb")
    );
    assert!(number("stack,1,graph,", 7) < number("stack,2,graph,", 7), "{csv}");
    assert!(number("stack,2,graph,", 9) <= number("stack,2,constraint,", 9), "{csv}");
    assert!(ran.stdout.contains("constraint / graph on 17 programs; time "), "{}", ran.stdout);
    assert!(ran.stdout.contains("pso / graph on 17 programs; time "), "{}", ran.stdout);
    let html = std::fs::read_to_string(scratch.path("f.html")).expect("the file is written");
    assert_eq!(html.matches("<svg").count(), 2 * 11, "time and clauses of each family");
    assert!(html.contains("<title>graph, N = 2: ") && !html.contains("http"));
}
