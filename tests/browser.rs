//! The pages of `--html` in a real browser: `browser.py` steps through them with key presses and compares
//! what it sees with the JSON report.
//!
//! Without a Chromium on this machine the test says so and passes, unless `REGRAIN_BROWSER=required` is set,
//! as in `.ci/run`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Scratch, run};
use crate::reports::{HANDSHAKE, RACE};

/// Markup in every place that reaches the page: file name, comments, strings, conditions.
const HOSTILE: &str = "\
#include <assert.h>
#include <pthread.h>
/* </script><script>window.injected = 1</script> <!-- <img src=x onerror='window.injected = 2'> ]]> */
const char *text = \"</code><img src=x onerror=window.injected=3>\"; int x = 1; // &lt;b&gt; \\u003c
void *worker(void *arg) { x = 0 < 1 && \"<script>\"[0] == '<' ? 2 : 3; return 0; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    assert(x < 2 || \"<iframe src=//example.org></iframe>\"[0] == '>'); // </style>
    return 0;
}
";

fn browser() -> Option<PathBuf> {
    if let Some(chosen) = std::env::var_os("REGRAIN_CHROMIUM") {
        return Some(PathBuf::from(chosen));
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut candidates = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates.find(|candidate| candidate.is_file())
}

/// Verifies a program of the scratch directory or of the benchmarks, and keeps page and report.
fn page(scratch: &Scratch, name: &str, arguments: &[&str], code: i32) {
    let mut command = scratch.command("verify --format json --html");
    command.arg(format!("{name}.html")).args(arguments);
    let ran = run(&mut command);
    assert_eq!(ran.code, Some(code), "{name}: {}", ran.seen());
    std::fs::write(scratch.path(&format!("{name}.json")), &ran.stdout).expect("the report is kept");
}

fn benchmark(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks").join(name).display().to_string()
}

#[test]
fn pages_work_in_a_browser() {
    let Some(browser) = browser() else {
        let required = std::env::var_os("REGRAIN_BROWSER").is_some_and(|value| value == "required");
        assert!(!required, "there is no Chromium, and REGRAIN_BROWSER asks for one");
        // Not a print, which the test harness would keep to itself.
        let mut stderr = std::io::stderr().lock();
        let _ =
            writeln!(stderr, "SKIPPED: there is no Chromium here, so the pages were not tried in a browser");
        return;
    };
    let hostile = "<img src=x onerror=window.injected=4>.c";
    let scratch = Scratch::new("browser").with("account.c", RACE).with("handshake.c", HANDSHAKE);
    let scratch = scratch.with(hostile, HOSTILE);
    page(&scratch, "account", &["account.c"], 10);
    page(&scratch, "buffers", &["--mm", "tso", "handshake.c"], 10);
    page(&scratch, "buffers-pso", &["--mm", "pso", &benchmark("litmus/MP.c")], 10);
    page(&scratch, "long", &[&benchmark("mutex/ticket_lock3_unsafe.c")], 10);
    page(&scratch, "hostile", &[hostile], 10);
    page(&scratch, "visited", &[&benchmark("mutex/peterson.c")], 0);
    page(&scratch, "unknown", &["--engine", "cegar", "--mm", "tso", "account.c"], 5);
    let proved = benchmark("drivers/mozilla_order.c");
    let options = ["--granularity", "statement", &proved];
    page(&scratch, "proof", &[&["--engine", "cegar"], &options[..]].concat(), 0);
    let mut history = scratch.command("partition --history --format json");
    let history = run(history.args(options));
    std::fs::write(scratch.path("proof.partition.json"), &history.stdout).expect("the rounds are kept");

    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser.py");
    let mut command = Command::new("python3");
    let ran = run(command.arg(script).arg(browser).arg(scratch.path("")));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stdout.matches("as it should be").count(), 8, "{}", ran.stdout);
}
