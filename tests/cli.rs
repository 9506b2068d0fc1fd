//! The command line as scripts see it: verdict lines, exit codes, JSON, limits, signals, pipes.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{Scratch, command, run, snapshot};

const SAFE: &str = "\
#include <assert.h>
#include <pthread.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *add(void *arg) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
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

/// Two threads count up without bound on their own and compare now and then: too many states for any limit
/// here.
const HUGE: &str = "\
#include <assert.h>
#include <pthread.h>
unsigned a, b;
void *left(void *arg) { for (;;) { a++; if (b == 4000000000u) assert(a != 7); } }
void *right(void *arg) { for (;;) { b++; if (a == 4000000000u) assert(b != 7); } }
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, left, 0);
    pthread_create(&t, 0, right, 0);
    pthread_join(s, 0);
    return 0;
}
";

/// Solvers think about this one for as long as they may.
const FERMAT: &str = "\
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    long x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
    if (x > 1 && y > 1 && z > 1 && x < 60000 && y < 60000 && z < 60000)
        assert(x * x * x + y * y * y != z * z * z);
    return 0;
}
";

fn unsafe_program() -> String {
    SAFE.replace("pthread_mutex_lock(&m);", "").replace("pthread_mutex_unlock(&m);", "")
}

#[test]
fn a_proof_ends_in_true_and_exit_code_0() {
    let ran = Scratch::new("proof").with("p.c", SAFE).run("verify p.c");
    assert_eq!((ran.last_line(), ran.code), ("Verdict: true", Some(0)), "{}", ran.seen());
    for name in ["Engine: ", "States: ", "Time: "] {
        assert!(ran.stdout.lines().any(|line| line.starts_with(name)), "{name} in {}", ran.stdout);
    }
}

#[test]
fn a_violation_ends_in_false_and_exit_code_10() {
    let ran = Scratch::new("violation").with("p.c", &unsafe_program()).run("verify p.c");
    assert_eq!((ran.last_line(), ran.code), ("Verdict: false(unreach-call)", Some(10)), "{}", ran.seen());
    assert!(ran.stdout.contains("assertion violated: x == 2 at p.c:13"), "{}", ran.stdout);
}

#[test]
fn the_first_program_of_the_readme() {
    let ran = run(&mut command("verify benchmarks/mutex/peterson.c"));
    assert_eq!((ran.last_line(), ran.code), ("Verdict: true", Some(0)), "{}", ran.seen());
}

#[test]
fn a_task_brings_property_and_data_model() {
    let task = "format_version: '2.0'\ninput_files: p.c\nproperties:\n  - property_file: p.prp\n    \
                expected_verdict: false\noptions:\n  language: C\n  data_model: ILP32\n";
    let program = "void bad(void) {}\nint main(void) { if (sizeof(long) == 4) bad(); return 0; }\n";
    let scratch = Scratch::new("task")
        .with("p.c", program)
        .with("p.prp", "CHECK( init(main()), LTL(G ! call(bad())) )\n")
        .with("t.yml", task);
    // The task's data model wins over the command line's.
    let ran = scratch.run("verify --data-model LP64 t.yml");
    assert_eq!((ran.last_line(), ran.code), ("Verdict: false(unreach-call)", Some(10)), "{}", ran.seen());
    let ran = scratch.run("verify --property p.prp --data-model LP64 p.c");
    assert_eq!(ran.last_line(), "Verdict: true", "{}", ran.seen());
    let ran = scratch.run("verify --property p.prp --data-model ILP32 p.c");
    assert_eq!(ran.last_line(), "Verdict: false(unreach-call)", "{}", ran.seen());
}

#[test]
fn the_memory_model_decides_about_store_buffering() {
    for (model, verdict) in [("sc", "Verdict: true"), ("tso", "Verdict: false(unreach-call)")] {
        let ran = run(&mut command(&format!("verify --mm {model} benchmarks/litmus/SB.c")));
        assert_eq!(ran.last_line(), verdict, "{model}: {}", ran.seen());
        let ran = run(&mut command(&format!("verify --memory-model {model} benchmarks/litmus/SB.yml")));
        assert_eq!(ran.last_line(), verdict, "{model}: {}", ran.seen());
    }
}

#[test]
fn preprocessor_options_arrive() {
    let scratch = Scratch::new("options").with("limit.h", "#define LIMIT 3\n");
    let scratch = scratch.with(
        "p.c",
        "#include <assert.h>\n#include <limit.h>\nint main(void) { assert(VALUE < LIMIT); return 0; }\n",
    );
    assert_eq!(scratch.run("verify -I . -D VALUE=2 p.c").last_line(), "Verdict: true");
    assert_eq!(scratch.run("verify -I. -DVALUE=3 p.c").last_line(), "Verdict: false(unreach-call)");
}

#[test]
fn json_is_one_document_with_the_same_verdict() {
    let scratch = Scratch::new("json").with("p.c", &unsafe_program()).with("safe.c", SAFE);
    let ran = scratch.run("verify --format json p.c");
    let document = ran.json();
    assert_eq!(ran.code, Some(10));
    assert_eq!(document["schema_version"], 1);
    assert_eq!(document["verdict"], "false(unreach-call)");
    assert_eq!(document["task"]["file"], "p.c");
    assert_eq!(document["violation"]["assertion"], "x == 2");
    assert_eq!(document["violation"]["line"], 13);
    assert_eq!(document["violation"]["values"]["x"], "1");
    let trace = document["violation"]["trace"].as_array().expect("a list of steps");
    assert!(trace.iter().any(|step| step["thread"] == "add" && step["line"] == 5), "{document}");
    assert!(document["statistics"]["States"].as_u64().is_some_and(|states| states > 0), "{document}");
    assert!(document["statistics"]["Time"].as_f64().is_some(), "{document}");

    let safe = scratch.run("verify --format json safe.c");
    assert_eq!((safe.json()["verdict"].as_str(), safe.code), (Some("true"), Some(0)));
    assert!(safe.json().get("violation").is_none());

    let missing = scratch.run("verify --format json gone.c");
    assert_eq!(missing.code, Some(3));
    assert_eq!(missing.json()["verdict"], serde_json::Value::Null);
    assert_eq!(missing.json()["error"]["kind"], "input");
    assert!(missing.stderr.contains("cannot read gone.c"), "{}", missing.stderr);
}

#[test]
fn json_errors_have_places() {
    let scratch = Scratch::new("json-error").with("p.c", "int main(void) { return f(); }\n");
    let ran = scratch.run("verify --format json p.c");
    let error = &ran.json()["error"];
    assert_eq!(ran.code, Some(3));
    assert_eq!((&error["kind"], &error["line"]), (&"undefined-function".into(), &1.into()), "{error}");
    assert!(error["help"].as_str().is_some_and(|help| help.contains("--undefined")), "{error}");
}

#[test]
fn a_time_limit_gives_unknown_with_what_was_established() {
    let scratch = Scratch::new("timeout").with("p.c", HUGE);
    let start = Instant::now();
    let ran = scratch.run("verify --engine explore --timeout 1 p.c");
    assert_eq!(ran.last_line(), "Verdict: unknown (time limit of 1 s reached)", "{}", ran.seen());
    assert_eq!(ran.code, Some(5));
    assert!(ran.stdout.contains("states were visited, none violates an assertion"), "{}", ran.stdout);
    assert!(ran.stdout.contains("the end came while visiting states"), "{}", ran.stdout);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    let document = scratch.run("verify --engine explore --timeout 0.5 --format json p.c").json();
    assert_eq!(document["verdict"], "unknown (time limit of 0.5 s reached)");
    assert_eq!(document["reason"]["summary"], "time limit of 0.5 s reached");
    assert!(document["reason"]["details"].as_array().is_some_and(|details| !details.is_empty()));
}

#[test]
fn a_memory_limit_gives_unknown() {
    let ran = Scratch::new("memory").with("p.c", HUGE).run("verify --engine explore --memory-limit 40 p.c");
    assert_eq!(ran.last_line(), "Verdict: unknown (memory limit of 40 MB reached)", "{}", ran.seen());
}

/// Every command that verifies obeys its limits and says so.
#[test]
fn limits_hold_for_every_command() {
    let scratch = Scratch::new("limits").with("huge.c", HUGE).with("fermat.c", FERMAT);
    for file in ["huge.c", "fermat.c"] {
        for command in ["verify", "verify --engine cegar", "verify --engine scar", "partition"] {
            let ran = scratch.run(&format!("{command} --timeout 1 {file}"));
            assert_eq!(ran.code, Some(5), "{command} {file}: {}", ran.seen());
            let says_so = ran.last_line().starts_with("Verdict: unknown (time limit of 1 s reached");
            assert!(says_so, "{command} {file}: {}", ran.seen());
        }
        let ran = scratch.run(&format!("compare --timeout 1 {file}"));
        assert_eq!(ran.code, Some(5), "{}", ran.seen());
        assert!(ran.last_line().ends_with("unknown (time limit of 1 s reached)"), "{}", ran.seen());
    }
    let memory = "unknown (memory limit of 20 MB reached)";
    let ran = scratch.run("partition --memory-limit 20 huge.c");
    assert!(ran.last_line().ends_with(memory), "{}", ran.seen());
    let ran = scratch.run("compare --memory-limit 20 huge.c");
    assert!(ran.last_line().ends_with(memory), "{}", ran.seen());
}

/// Starts a run that does not end by itself, and waits until it works.
fn start_huge(scratch: &Scratch) -> Child {
    start(scratch, "verify -v --engine explore --timeout 100 p.c")
}

fn start(scratch: &Scratch, line: &str) -> Child {
    let mut command = scratch.command(line);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary can be started");
    let stderr = child.stderr.take().expect("it is a pipe");
    let first = BufReader::new(stderr).lines().next().expect("a line").expect("text");
    assert!(first.contains("threads"), "{first}");
    child
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(status.expect("kill can be started").success());
}

/// The first signal is enough, also while a solver works that would rather handle it by itself.
#[test]
fn signals_reach_engines_that_are_deep_in_a_solver() {
    for (name, engine) in [("-INT", "cegar"), ("-TERM", "cegar"), ("-INT", "scar"), ("-INT", "auto")] {
        let scratch = Scratch::new(&format!("deep{name}{engine}")).with("p.c", FERMAT);
        let mut child = start(&scratch, &format!("verify -v --engine {engine} --timeout 100 p.c"));
        std::thread::sleep(Duration::from_secs(1));
        let begin = Instant::now();
        signal(&child, name);
        let mut stdout = String::new();
        child.stdout.take().expect("it is a pipe").read_to_string(&mut stdout).expect("text");
        assert_eq!(child.wait().expect("it ends").code(), Some(5), "{stdout}");
        assert_eq!(stdout.lines().last(), Some("Verdict: unknown (interrupted)"), "{engine}: {stdout}");
        assert!(!stdout.contains("stopped in the middle of its work"), "{engine}: {stdout}");
        assert!(begin.elapsed() < Duration::from_secs(30), "{engine}: {:?}", begin.elapsed());
    }
}

#[test]
fn signals_stop_a_run_with_what_was_established() {
    for name in ["-TERM", "-INT"] {
        let scratch = Scratch::new(&format!("signal{name}")).with("p.c", HUGE);
        let mut child = start_huge(&scratch);
        signal(&child, name);
        let mut stdout = String::new();
        child.stdout.take().expect("it is a pipe").read_to_string(&mut stdout).expect("text");
        assert_eq!(child.wait().expect("it ends").code(), Some(5), "{stdout}");
        assert_eq!(stdout.lines().last(), Some("Verdict: unknown (interrupted)"), "{stdout}");
        assert!(stdout.contains("States: "), "{stdout}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    for arguments in ["verify p.c", "verify --format json p.c", "show p.c", "--help"] {
        let scratch = Scratch::new("pipe").with("p.c", &unsafe_program());
        let mut command = scratch.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().expect("it is a pipe").read_to_string(&mut stderr).expect("text");
        let expected = if arguments.starts_with("verify") { 10 } else { 0 };
        assert_eq!(child.wait().expect("it ends").code(), Some(expected), "{arguments}: {stderr}");
        assert!(!stderr.contains("internal error"), "{arguments}: {stderr}");
    }
}

#[test]
fn a_full_disk_is_an_error_and_the_verdict_is_not_lost() {
    let scratch = Scratch::new("full").with("p.c", SAFE);
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    let ran = run(Command::new(env!("CARGO_BIN_EXE_regrain"))
        .args(["verify", "p.c"])
        .current_dir(scratch.path(""))
        .stdout(full.try_clone().expect("a file"))
        .stderr(Stdio::piped()));
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.stderr,
        "Verdict: true\nerror: cannot write to stdout: No space left on device (os error 28)\n"
    );
}

#[test]
fn progress_is_off_with_quiet_and_talkative_with_verbose() {
    let scratch = Scratch::new("progress").with("p.c", SAFE);
    assert_eq!(scratch.run("verify --quiet p.c").stderr, "");
    assert!(scratch.run("verify -v p.c").stderr.starts_with("regrain: read in "));
}

#[test]
fn colours_come_only_when_asked_for() {
    let scratch = Scratch::new("colours").with("p.c", &unsafe_program());
    let plain = scratch.run("verify p.c");
    assert!(!plain.stdout.contains('\x1b'));
    assert!(scratch.run("verify --color always p.c").stdout.contains("\x1b[1m\x1b[31massertion violated"));
    assert!(!scratch.run("verify --color never p.c").stdout.contains('\x1b'));
}

#[test]
fn the_version_names_the_solvers() {
    let ran = run(&mut command("--version"));
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stdout.lines().count(), 1);
    assert!(
        ran.stdout.starts_with("regrain 0.1.0 (Z3 5.") && ran.stdout.contains(", CaDiCaL "),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stderr, "");
}

#[test]
fn help_has_examples() {
    let ran = run(&mut command("--help"));
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.contains("Examples:\n  regrain verify program.c"), "{}", ran.stdout);
    snapshot("cli_help_verify", &run(&mut command("verify --help")).stdout);
    snapshot("cli_help_show", &run(&mut command("show --help")).stdout);
}

#[test]
fn completions_and_manual_come_from_the_definitions() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = run(&mut command(&format!("completions {shell}")));
        assert!(ran.code == Some(0) && ran.stdout.contains("memory-model"), "{shell}");
    }
    let ran = run(&mut command("man"));
    assert!(ran.code == Some(0) && ran.stdout.contains(".TH regrain 1") && ran.stdout.contains("partition"));
    let ran = run(&mut command("man verify"));
    assert!(ran.code == Some(0) && ran.stdout.contains(".TH regrain-verify 1"), "{}", ran.stdout);
    assert!(ran.stdout.contains("memory\\-model"));
    assert_eq!(run(&mut command("man verfy")).code, Some(2));
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let scratch = Scratch::new("usage").with("p.c", SAFE);
    let mut seen = String::new();
    for arguments in [
        "",
        "verfy p.c",
        "verify",
        "verify --engine magic p.c",
        "verify --mm arm p.c",
        "verify --timeout 0 p.c",
        "verify --timeout soon p.c",
        "verify --unwind 0 p.c",
        "verify --quiet -v p.c",
        "verify --data-model LP32 p.c",
        "show --after everything p.c",
        "show -o /nowhere/p.dot p.c",
    ] {
        let ran = scratch.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{arguments}: {}", ran.seen());
        let message: Vec<&str> = ran.stderr.lines().take_while(|line| !line.starts_with("Usage")).collect();
        seen += &format!("$ regrain {arguments}\n{}\n\n", message.join("\n").trim_end());
    }
    snapshot("cli_usage", &seen);
}

/// Two threads take turns for ever; the number of turns has no bound, so only a proof by abstraction ends.
const ENDLESS: &str = "\
#include <assert.h>
#include <pthread.h>
int turn, turns, x;
void *zero(void *arg) { for (;;) { while (turn != 0); x = 0; assert(x == 0); turns++; turn = 1; } }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, zero, 0);
    for (;;) { while (turn != 1); x = 1; assert(x == 1); turn = 0; }
}
";

#[test]
fn an_abstraction_proves_what_has_no_bound() {
    let scratch = Scratch::new("cegar").with("p.c", ENDLESS);
    for refinement in ["nonmonotonic", "monotonic"] {
        let ran = scratch.run(&format!("verify --engine cegar --refinement {refinement} p.c"));
        assert_eq!((ran.last_line(), ran.code), ("Verdict: true", Some(0)), "{refinement}: {}", ran.seen());
        for name in ["Engine: cegar", "Refinements: ", "Predicates: ", "Classes: ", "Proof check queries: "] {
            assert!(ran.stdout.lines().any(|line| line.starts_with(name)), "{name} in {}", ran.stdout);
        }
    }
    let ran = scratch.run("verify --engine cegar --mm tso p.c");
    assert!(ran.code == Some(5) && ran.last_line().starts_with("Verdict: unknown ("), "{}", ran.seen());
}

#[test]
fn an_abstraction_finds_violations() {
    let ran = Scratch::new("cegar-false").with("p.c", &unsafe_program()).run("verify --engine cegar p.c");
    assert_eq!((ran.last_line(), ran.code), ("Verdict: false(unreach-call)", Some(10)), "{}", ran.seen());
    assert!(ran.stdout.contains("reads x = 0 (initial)"), "{}", ran.stdout);
}

#[test]
fn auto_proves_what_cannot_be_enumerated() {
    let counter = "#include <pthread.h>\n#include <assert.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint x, y;\n\
                   void *f(void *a) { for (;;) { pthread_mutex_lock(&m); x++; y++; pthread_mutex_unlock(&m); } }\n\
                   int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\n\
                   pthread_mutex_lock(&m); assert(x == y); pthread_mutex_unlock(&m); }\n";
    let ran = Scratch::new("auto").with("p.c", counter).run("verify p.c");
    assert_eq!(ran.last_line(), "Verdict: true", "{}", ran.seen());
    assert!(ran.stdout.contains("Engine: cegar"), "{}", ran.stdout);
}
