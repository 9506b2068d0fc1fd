//! Counterexamples and shown programs as users see them.

use crate::command::{Scratch, command, run, snapshot};

/// A bank account without a lock around reading and writing back.
pub const RACE: &str = "\
#include <assert.h>
#include <pthread.h>

int balance = 10;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *pay(void *arg)
{
    int before;
    pthread_mutex_lock(&lock);
    before = balance;
    pthread_mutex_unlock(&lock);
    if (before >= 6) {
        pthread_mutex_lock(&lock);
        balance = balance - 6; /* before may be old news */
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, pay, 0);
    pthread_create(&second, 0, pay, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(balance >= 0);
    return 0;
}
";

/// Dekker's handshake without fences.
pub const HANDSHAKE: &str = "\
#include <pthread.h>
void reach_error(void) {}

int want[2], inside;

void *enter(void *arg)
{
    int me = arg != 0;
    want[me] = 1;
    if (!want[1 - me]) {
        inside++;
        if (inside > 1)
            reach_error();
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, enter, (void *)1);
    enter(0);
    return 0;
}
";

/// Inputs, pointers, a semaphore and a condition in a macro.
const MIXED: &str = "\
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#define SMALL(n) ((n) < 3)

extern int __VERIFIER_nondet_int(void);
struct cell { int key; struct cell *next; };
struct cell cells[2], *head;
sem_t ready;

void *producer(void *arg)
{
    int n = __VERIFIER_nondet_int();
    if (SMALL(n) && n >= 0) {
        cells[1].key = n;
        head = &cells[1];
        sem_post(&ready);
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, 0, producer, 0);
    sem_wait(&ready);
    assert(head->key != 2);
    return 0;
}
";

fn told(name: &str, program: &str, options: &str) -> String {
    let scratch = Scratch::new(&format!("report-{name}")).with("p.c", program);
    let ran = scratch.run(&format!("verify --trace {options} p.c"));
    assert_eq!(ran.code, Some(10), "{}", ran.seen());
    ran.seen()
}

#[test]
fn a_schedule_has_one_column_a_thread() {
    snapshot("report_race", &told("race", RACE, "shared"));
}

#[test]
fn the_book_shows_what_is_printed() {
    let ran = Scratch::new("report-readme").with("account.c", RACE).run("verify account.c");
    let report = ran.stdout.split("Engine: ").next().expect("a report");
    let book = include_str!("../docs/src/reports.md");
    assert!(book.contains(report), "docs/src/reports.md should have\n{report}");
    for line in RACE.lines().skip(6).take(13).filter(|line| !line.is_empty()) {
        assert!(book.contains(line), "docs/src/reports.md should have {line}");
    }
}

#[test]
fn in_full_every_step_is_told() {
    snapshot("report_race_full", &told("race-full", RACE, "full"));
}

#[test]
fn without_trace_only_the_assertion_is_told() {
    snapshot("report_race_none", &told("race-none", RACE, "none"));
}

#[test]
fn store_buffers_are_told() {
    snapshot("report_handshake_tso", &told("tso", HANDSHAKE, "shared --mm tso"));
}

#[test]
fn inputs_pointers_and_synchronisation_are_told() {
    snapshot("report_mixed", &told("mixed", MIXED, "shared"));
}

#[test]
fn any_width_will_do() {
    let scratch = Scratch::new("report-width").with("p.c", RACE);
    for width in [40, 60, 80, 200] {
        let ran = run(scratch.command("verify p.c").env("COLUMNS", width.to_string()));
        let table = ran
            .stdout
            .lines()
            .skip_while(|line| !line.starts_with("line "))
            .take_while(|line| !line.is_empty());
        let longest = table.map(str::len).max();
        assert!(longest.is_some_and(|longest| longest <= width), "{width}: {longest:?}\n{}", ran.stdout);
    }
    assert_eq!(run(scratch.command("verify p.c").env("COLUMNS", "1")).code, Some(10));
    let ran = run(scratch.command("verify p.c").env("COLUMNS", "48"));
    snapshot("report_race_narrow", &ran.seen());
}

#[test]
fn the_document_of_a_violation() {
    let scratch = Scratch::new("report-json").with("p.c", HANDSHAKE);
    let mut document = scratch.run("verify --format json --mm tso p.c").json();
    let statistics = document["statistics"].as_object_mut().expect("an object");
    statistics.retain(|name, _| name != "Time" && name != "Memory");
    let mut text = serde_json::to_string_pretty(&document).expect("JSON");
    text.push('\n');
    snapshot("report_json", &text);
}

#[test]
fn a_program_is_shown_before_and_after_the_passes() {
    let program =
        "int x, y;\nint main(void)\n{\n    y = 2;\n    if (x == 1)\n        x = y + 1;\n    return 0;\n}\n";
    let scratch = Scratch::new("show").with("p.c", program);
    snapshot("show_raw", &scratch.run("show --after none p.c").stdout);
    let error = "#include <assert.h>\n#include <pthread.h>\nint x;\nvoid *f(void *a)\n{\n    x = 1;\n    return 0;\n}\n\
                 int main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, f, 0);\n    assert(x == 0);\n    return 0;\n}\n";
    let scratch = scratch.with("e.c", error);
    snapshot("show_cfa", &scratch.run("show e.c").stdout);
    snapshot("show_dot", &scratch.run("show --format dot e.c").stdout);
    snapshot("show_threads", &scratch.run("show --what threads --after none e.c").stdout);
    let ran = scratch.run("show --what threads --format dot --after none -o t.dot e.c");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{}", ran.seen());
    let dot = std::fs::read_to_string(scratch.path("t.dot")).expect("it was written");
    assert!(dot.contains("T0 -> T1 [label=\"line 12\"]"), "{dot}");
}

#[test]
fn every_pass_can_be_shown() {
    let mut text = String::new();
    for pass in ["none", "fences", "constants", "privatize", "values", "scaffold", "slice", "merge", "dead"] {
        let ran = run(&mut command(&format!("show --after {pass} benchmarks/mutex/peterson.c")));
        assert_eq!(ran.code, Some(0), "{pass}: {}", ran.seen());
        assert!(ran.stdout.contains("thread 0 main"), "{pass}: {}", ran.stdout);
        assert!(text.is_empty() || ran.stdout.len() <= 2 * text.len(), "{pass} blows the program up");
        text = ran.stdout;
    }
}

#[test]
fn steps_that_the_passes_execute_beforehand_are_told() {
    let program = "#include <assert.h>\n#include <pthread.h>\nint x;\nvoid *f(void *a)\n{\n    x = 1;\n    return 0;\n}\n\
                   int main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, f, 0);\n    assert(x == 0);\n    return 0;\n}\n";
    snapshot("report_whole", &told("whole", program, "shared"));
}

/// A thread is interrupted while it holds a lock that the other one does not ask for.
const CARELESS: &str = "\
#include <assert.h>
#include <pthread.h>

int parts = 2;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    parts = parts - 1;
    parts = parts + 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    assert(parts == 2);
    return 0;
}
";

#[test]
fn locks_that_a_thread_keeps_are_told() {
    let report = told("careless", CARELESS, "shared");
    snapshot("report_careless", &report);
    assert!(report.contains("still holds lock\n") && report.contains("lock is held by worker\n"), "{report}");
}

/// The text without colours.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.map(|part| part.split_once('m').map_or("", |(_, rest)| rest)).collect::<String>()
}

#[test]
fn eighty_columns_are_enough_with_and_without_colour() {
    let long = "a_folder_with_a_long_name_that_leaves_no_room_for_anything_else";
    let scratch =
        Scratch::new("report-eighty").with("race.c", RACE).with("mixed.c", MIXED).with("tso.c", HANDSHAKE);
    std::fs::create_dir(scratch.path(long)).expect("a folder");
    std::fs::write(scratch.path(&format!("{long}/p.c")), CARELESS).expect("a file");
    for arguments in ["race.c", "mixed.c", "--mm tso tso.c", "--mm pso tso.c", &format!("{long}/p.c")] {
        for trace in ["full", "shared", "none"] {
            let told = |colour: &str| {
                let arguments = format!("verify --trace {trace} --color {colour} {arguments}");
                let ran = run(scratch.command(&arguments).env("COLUMNS", "80"));
                assert_eq!(ran.code, Some(10), "{arguments}: {}", ran.seen());
                ran.stdout.split("\nEngine: ").next().expect("a report").to_owned()
            };
            let (text, coloured) = (told("never"), told("always"));
            assert!(!text.contains('\u{1b}') && coloured.contains('\u{1b}'), "{coloured}");
            let trimmed: Vec<String> =
                plain(&coloured).lines().map(|line| line.trim_end().to_owned()).collect();
            assert_eq!(trimmed, text.lines().collect::<Vec<_>>(), "colours change the text");
            let wide = text.lines().find(|line| line.chars().count() > 80);
            assert_eq!(wide, None, "{arguments} --trace {trace}");
            let shown = text.lines().any(|line| line.starts_with("line "));
            assert_eq!(shown, trace != "none", "{text}");
        }
    }
}

#[test]
fn context_switches_are_few() {
    // `main` creates both threads first and joins them last; in between nothing shorter gets there.
    for (program, model, switches) in
        [("SB", "tso", 4), ("dekker-core", "tso", 5), ("MP", "pso", 4), ("RMW-plain-adds", "sc", 4)]
    {
        let ran =
            run(&mut command(&format!("verify --format json --mm {model} benchmarks/litmus/{program}.c")));
        let found = ran.json()["violation"]["context_switches"].as_u64().expect("a number");
        assert!(found <= switches, "{program}: {found} context switches, {switches} are enough");
    }
}

#[test]
fn a_violation_among_very_many_states_is_told_in_the_whole_program() {
    // Twelve threads in a ring, each with a store that waits in its buffer: far more states than are visited
    // for a story.
    let n = 12;
    let each =
        |text: &dyn Fn(usize) -> String, between: &str| (0..n).map(text).collect::<Vec<_>>().join(between);
    let program = format!(
        "#include <assert.h>\n#include <pthread.h>\n{}\n{}\nint main(void)\n{{\n    pthread_t t[{n}];\n{}\n{}\n    assert({});\n    return 0;\n}}\n",
        each(&|i| format!("int x{i}, r{i};"), "\n"),
        each(&|i| format!("void *t{i}(void *arg) {{ x{i} = 1; r{i} = x{}; return 0; }}", (i + 1) % n), "\n"),
        each(&|i| format!("    pthread_create(&t[{i}], 0, t{i}, 0);"), "\n"),
        each(&|i| format!("    pthread_join(t[{i}], 0);"), "\n"),
        each(&|i| format!("r{i} != 0"), " || "),
    );
    let story = told("ring", &program, "shared --engine scar --mm tso");
    assert!(!story.contains("does not matter"), "{story}");
    assert!(story.contains("pthread_create(&t[11], 0, t11, 0)"), "{story}");
    assert!(story.contains("with 14 context switches"), "{story}");
}
