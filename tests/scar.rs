//! The engine `scar`: what it must not overlook, what it says at a bound, and how small it keeps formulas.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::Claim;
use regrain::engine::scar::{self, Formulation, Validation};
use regrain::frontend::{self, task};
use regrain::observe::Statistics;
use regrain::program::{MemoryModel, Program};
use regrain::report::unrolled::Unrolled;
use regrain::verify::{Checked, Engine, Examination, Recheck, Settings, verify};

use crate::answer::answer;

const HEADERS: &str = "#include <assert.h>\n#include <pthread.h>\n";

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

fn load(name: &str, text: &str, memory_model: MemoryModel) -> Program {
    let folder = std::env::temp_dir().join(format!("regrain-scar-{}-{memory_model:?}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the program");
    let path = folder.join(name).with_extension("c");
    std::fs::write(&path, format!("{HEADERS}{text}")).expect("the program is written");
    let options = frontend::Options { memory_model, ..frontend::Options::default() };
    let program = frontend::load(&path, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    std::fs::remove_file(&path).expect("the program is removed");
    program
}

fn settings(model: MemoryModel) -> Settings {
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    Settings { memory_model: model, budget, unwind: Some(8), ..Settings::default() }
}

/// The verdict in words; `unknown` comes with its reason.
fn said(answer: &Checked) -> String {
    match answer.claim() {
        Claim::Safe(_) => "true".to_owned(),
        Claim::Unsafe(_) => "false".to_owned(),
        Claim::Unknown(reason) => format!("unknown ({})", reason.summary),
    }
}

/// The verdict and the statistics of a benchmark under SC.
fn benchmark(file: &str, settings: &Settings) -> (String, Statistics) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks").join(file);
    let loading = frontend::Options { memory_model: settings.memory_model, ..frontend::Options::default() };
    let program = frontend::load(&path, &loading).unwrap_or_else(|error| panic!("{error}"));
    let mut statistics = Statistics::default();
    let found = verify(&program, Engine::Scar, settings, &mut statistics).expect("no fault");
    (said(&found), statistics)
}

#[track_caller]
fn check(name: &str, expected: &str, text: &str) {
    for model in MODELS {
        let program = load(name, text, model);
        let found = answer(&program, Engine::Scar, &settings(model));
        assert_eq!(said(&found), expected, "{name} {model:?}");
    }
}

/// Threads `left` and `right` with the bodies given.
fn two_threads(globals: &str, left: &str, right: &str) -> String {
    format!(
        "{globals} pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
         void *left(void *arg) {{ {left} return 0; }}
         void *right(void *arg) {{ {right} return 0; }}
         int main(void) {{
             pthread_t a, b;
             pthread_create(&a, 0, left, 0);
             pthread_create(&b, 0, right, 0);
             pthread_join(a, 0);
             pthread_join(b, 0);
             return 0;
         }}"
    )
}

#[test]
fn a_thread_that_waits_for_ever_hides_no_violation() {
    // The left thread never gets the lock, and nobody is ever joined.
    let waiting = two_threads(
        "int x;",
        "pthread_mutex_lock(&m); x = 2;",
        "pthread_mutex_lock(&m); x = 1; assert(x == 0);",
    );
    check("waits_for_lock", "false", &waiting);
    let spinning = two_threads("volatile int go, x;", "while (!go); x = 2;", "x = 1; assert(x != 1);");
    check("spins", "false", &spinning);
    let deadlock = two_threads(
        "int x;",
        "pthread_mutex_lock(&m); x = 1; pthread_mutex_lock(&n); x = 0;",
        "pthread_mutex_lock(&n); assert(x == 0); pthread_mutex_lock(&m);",
    );
    check("deadlock", "false", &deadlock);
    check("ends_never", "true", &two_threads("int x;", "while (1);", "x = 1; assert(x == 1);"));
}

#[test]
fn an_assumption_that_fails_in_an_atomic_section_hides_no_violation() {
    let text = two_threads(
        "int x; extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void); \
         void assume(int c) { if (!c) while (1); }",
        "__VERIFIER_atomic_begin(); x = 1; assume(x == 2); x = 3; __VERIFIER_atomic_end();",
        "int r = x; assert(r != 1 && r != 3); assert(r != 0);",
    );
    for model in MODELS {
        let program = load("stuck_section", &text, model);
        let found = answer(&program, Engine::Scar, &settings(model));
        let Claim::Unsafe(violation) = found.claim() else { panic!("{found:?}") };
        assert_eq!(program.assertions[violation.assertion.index()].text, "r != 0", "{model:?}");
    }
}

#[test]
fn a_violation_inside_an_atomic_section_is_found() {
    let text = two_threads(
        "int x; extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);",
        "x = 1;",
        "__VERIFIER_atomic_begin(); int r = x; assert(r == 0); assert(x == r); __VERIFIER_atomic_end();",
    );
    check("in_section", "false", &text);
}

#[test]
fn loops_that_are_cut_are_named() {
    let text = two_threads("int x;", "x = 0;", "\nwhile (x < 1000) { x = x + 1; }\n assert(x != 999);");
    let program = load("long", &text, MemoryModel::Sc);
    let limited = Settings { unwind: Some(3), ..settings(MemoryModel::Sc) };
    let text = said(&answer(&program, Engine::Scar, &limited));
    assert!(text.starts_with("unknown (no violation up to bound 3; loops cut: right at "), "{text}");
    assert!(text.contains("long.c:6"), "{text}");
}

#[test]
fn threads_that_are_cut_in_the_same_loop_stand_together() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint x;\n\
        void *count(void *arg)\n{\n    while (x < 1000)\n        x = x + 1;\n    return 0;\n}\n\
        int main(void)\n{\n    pthread_t a, b;\n    pthread_create(&a, 0, count, 0);\n    pthread_create(&b, 0, count, 0);\n    \
        assert(x != 999);\n    return 0;\n}\n";
    let program = load("together", text, MemoryModel::Sc);
    let limited = Settings { unwind: Some(2), ..settings(MemoryModel::Sc) };
    let text = said(&answer(&program, Engine::Scar, &limited));
    assert_eq!(text.matches("together.c").count(), 1, "{text}");
    assert!(text.contains("count, ") || text.contains(", count)"), "{text}");
    assert!(text.contains("count#2"), "{text}");
}

#[test]
fn loops_with_a_known_number_of_rounds_need_no_bound() {
    let text = two_threads(
        "int x;",
        "for (int i = 0; i < 20; i++) { pthread_mutex_lock(&m); x = i; pthread_mutex_unlock(&m); }",
        "pthread_mutex_lock(&m); assert(x < 20); pthread_mutex_unlock(&m);",
    );
    let program = load("twenty", &text, MemoryModel::Sc);
    let limited = Settings { unwind: Some(1), ..settings(MemoryModel::Sc) };
    assert_eq!(said(&answer(&program, Engine::Scar, &limited)), "true");
}

/// The bound counts rounds in which control might have left the loop: thirty rounds that are certain are
/// followed at bound 1, rounds that an input decides about are counted one by one.
#[test]
fn the_bound_counts_rounds_in_which_a_loop_might_have_ended() {
    let certain = two_threads("int x;", "for (int i = 0; i < 30; i++) x = i;", "assert(x != 29);");
    let program = load("thirty", &certain, MemoryModel::Sc);
    let limited = |bound| Settings { unwind: Some(bound), ..settings(MemoryModel::Sc) };
    assert_eq!(said(&answer(&program, Engine::Scar, &limited(1))), "false");
    let open = two_threads(
        "int x; extern int __VERIFIER_nondet_int(void);",
        "int i = 0; while (__VERIFIER_nondet_int()) i++; x = i;",
        "assert(x != 3);",
    );
    let program = load("open", &open, MemoryModel::Sc);
    let found = answer(&program, Engine::Scar, &limited(2));
    let Claim::Unknown(reason) = found.claim() else { panic!("{found:?}") };
    assert!(reason.summary.starts_with("no violation up to bound 2; loops cut: "), "{reason:?}");
    assert!(reason.details.iter().any(|line| line.starts_with("the bound counts rounds")), "{reason:?}");
    assert_eq!(said(&answer(&program, Engine::Scar, &limited(3))), "false");
}

/// Waiting for a condition, and polling under a lock, need no bound: a round that only takes the lock and
/// gives it back changes nothing.
#[test]
fn waiting_under_a_lock_needs_no_bound() {
    let waiting = two_threads(
        "int ready, x; pthread_cond_t c = PTHREAD_COND_INITIALIZER;",
        "pthread_mutex_lock(&m); x = 1; ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); assert(x == 1); pthread_mutex_unlock(&m);",
    );
    check("waiting", "true", &waiting);
    check(
        "waiting_in_vain",
        "false",
        &waiting.replace("x = 1; ready = 1;", "ready = 1; pthread_cond_wait(&c, &m); x = 1;"),
    );
    let polling = two_threads(
        "int full, item;",
        "for (int i = 1; i <= 2;) { pthread_mutex_lock(&m); if (!full) { item = i++; full = 1; } pthread_mutex_unlock(&m); }",
        "for (int i = 1; i <= 2;) { pthread_mutex_lock(&m); if (full) { assert(item == i++); full = 0; } pthread_mutex_unlock(&m); }",
    );
    check("polling", "true", &polling);
    check(
        "polling_wrongly",
        "false",
        &polling.replace("item = i++; full = 1;", "item = i--; full = 1;").replace(
            "i <= 2;) { pthread_mutex_lock(&m); if (!full)",
            "i >= 0;) { pthread_mutex_lock(&m); if (!full)",
        ),
    );
}

/// A loop whose exit is never taken does not pass for one with a known number of rounds.
#[test]
fn loops_that_cannot_end_are_cut_at_the_bound() {
    let text = two_threads(
        "int never, l;",
        "int r = 0; while (r == 0) { while (__atomic_exchange_n(&l, 1, 5)) ; if (never) r = 1; l = 0; }",
        "int s = l; assert(s < 2);",
    );
    let program = load("endless", &text, MemoryModel::Sc);
    let mut statistics = Statistics::default();
    let text =
        said(&verify(&program, Engine::Scar, &settings(MemoryModel::Sc), &mut statistics).expect("no fault"));
    assert!(text.starts_with("unknown (no violation up to bound 8; loops cut: left at "), "{text}");
    assert!(statistics.counts["Events"] < 200, "{statistics:?}");
}

/// If somebody can see that a lock is held, rounds that only take it and give it back matter.
#[test]
fn locks_that_others_look_at_are_no_mere_waiting() {
    let rounds = "while (1) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }";
    let seen = "if (pthread_mutex_trylock(&m)) if (!pthread_mutex_trylock(&m)) { pthread_mutex_unlock(&m);
                if (pthread_mutex_trylock(&m)) assert(0); }";
    check("held_twice", "false", &two_threads("", rounds, seen));
    // Giving back what another thread has taken lets a third one in.
    let freed = "pthread_mutex_lock(&m); inside++; assert(inside == 1); inside--; pthread_mutex_unlock(&m);";
    let other =
        "pthread_mutex_unlock(&m); pthread_mutex_lock(&m); inside++; inside--; pthread_mutex_unlock(&m);";
    check("freed_by_another", "false", &two_threads("int inside;", freed, other));
}

/// Sections that never overlap, whatever their locks are made of; a thread that does not keep to the rules
/// spoils it.
#[test]
fn critical_sections_exclude_each_other() {
    let section = "x = x + 1; assert(x == 1); x = x - 1;";
    for (name, lock, unlock) in [
        ("mutex", "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"),
        ("exchange", "while (__atomic_exchange_n(&l, 1, 5)) ;", "__atomic_store_n(&l, 0, 5);"),
        ("compare", "while (!__sync_bool_compare_and_swap(&l, 0, 7)) ;", "__sync_lock_release(&l);"),
    ] {
        let both = |left: &str, right: &str| {
            let twice = |inside: &str| format!("{lock} {inside} {unlock} {lock} {section} {unlock}");
            two_threads("int x, l;", &twice(left), &twice(right))
        };
        check(name, "true", &both(section, section));
        check(&format!("{name}_early"), "false", &both(section, &format!("{unlock} {section}")));
        check(
            &format!("{name}_or"),
            "true",
            &both(section, &format!("if (x) {{ {unlock} return 0; }} {section}")),
        );
    }
}

#[test]
fn what_is_joined_is_over() {
    // After joining only the last write of each thread can be read, and the thread that overwrites all has
    // the last word.
    let text = "#include <assert.h>\n#include <pthread.h>\nint x;\n\
        void *first(void *arg) { x = 1; x = 2; return 0; }\nvoid *second(void *arg) { x = 3; x = 4; return 0; }\n\
        int main(void) { pthread_t a, b; pthread_create(&a, 0, first, 0); pthread_join(a, 0);\n\
        pthread_create(&b, 0, second, 0); pthread_join(b, 0); assert(x == 4); return 0; }\n";
    let program = load("joined", text, MemoryModel::Sc);
    let overview = scar::overview(&program, MemoryModel::Sc, 1).expect("a small program");
    let events = Unrolled::new(&program, &overview).text();
    assert!(events.contains("read x = x#10 from e8;"), "{events}");
    assert_eq!(said(&answer(&program, Engine::Scar, &settings(MemoryModel::Sc))), "true");
}

/// When all threads are joined, `main` is a sequential program: the first read of each cell decides, whatever
/// is written and read later.
#[test]
fn after_joining_everybody_reads_are_settled() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint x, y;\n\
        void *left(void *arg) { x = y + 1; return 0; }\nvoid *right(void *arg) { y = x + 1; return 0; }\n\
        int main(void) { pthread_t a, b; pthread_create(&a, 0, left, 0); pthread_create(&b, 0, right, 0);\n\
        pthread_join(a, 0); pthread_join(b, 0); int sum = x + y; x = x + y; if (x > 2) y = 0;\n\
        assert(x == sum); assert(y == 0 || x + y <= 4); assert(x WRONG 2); return 0; }\n";
    for (bound, expected) in [(">=", "true"), (">", "false")] {
        for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
            let program = load("settled", &text.replace("WRONG", bound), model);
            let mut statistics = Statistics::default();
            let found = verify(&program, Engine::Scar, &settings(model), &mut statistics).expect("no fault");
            assert_eq!(said(&found), expected, "{model:?}");
            assert!(statistics.counts["Read-from pairs"] <= 10, "{statistics:?}");
        }
    }
}

/// The range of `x` grows with the bound, past the bits that it got at lower bounds.
#[test]
fn values_may_outgrow_their_ranges_as_the_bound_grows() {
    let text = two_threads(
        "int x, go = 1;",
        "while (go) { int t = x; x = t + 3; }",
        "x = -5; int seen = x; assert(seen != 16); go = 0;",
    );
    check("outgrown", "false", &text);
}

#[test]
fn ranges_know_that_words_wrap() {
    let left = "x = x + 200; x = x + 200;";
    check("wraps", "false", &two_threads("unsigned char x;", left, "assert(x != 144);"));
    check("narrow", "true", &two_threads("unsigned char x;", left, "assert(x != 145);"));
    let left = "int t = x; x = t * -3; t = x; x = t >> 1;";
    check("negative", "false", &two_threads("int x = 5;", left, "x = 7; assert(x != -11);"));
}

#[test]
fn contradictions_said_beforehand_leave_little_to_refine() {
    let (verdict, graph) = benchmark("puzzles/triangular_5.c", &settings(MemoryModel::Sc));
    assert_eq!((verdict.as_str(), graph.counts["Rounds"]), ("true", 0), "{graph:?}");
    assert!(graph.counts["Contradictions"] > 100, "{graph:?}");
}

#[test]
fn elements_at_computed_indices_are_exact() {
    let left = "int k = i; if (k >= 0 && k < 4) { a[k] = 7; done = 1; }";
    check(
        "index_found",
        "false",
        &two_threads("int a[4], i, done;", left, "i = 2; if (done) assert(a[2] != 7);"),
    );
    check(
        "index_absent",
        "true",
        &two_threads("int a[4], i, done;", left, "i = 2; if (done) assert(a[3] != 7);"),
    );
}

#[test]
fn the_running_example_needs_few_rounds() {
    let (verdict, graph) = benchmark("litmus/scar-example.c", &settings(MemoryModel::Sc));
    assert_eq!(verdict, "true");
    assert!(graph.counts["Rounds"] <= 5, "{graph:?}");
    let monolithic = Settings { encoding: Formulation::Monolithic, ..settings(MemoryModel::Sc) };
    let (verdict, clocks) = benchmark("litmus/scar-example.c", &monolithic);
    assert_eq!((verdict.as_str(), clocks.counts["Reasons"]), ("true", 0));
    let said = ["Clauses", "Contradictions", "Clauses added"].map(|name| graph.counts[name]);
    assert!(said.iter().sum::<u64>() < clocks.counts["Clauses"] / 5, "{graph:?} {clocks:?}");
}

#[test]
fn graphs_without_a_derived_cycle_are_decided_exactly() {
    for file in ["litmus/butterfly.c", "litmus/three-thread-split.c"] {
        for validation in [Validation::Graph, Validation::Model, Validation::Constraint] {
            let options = Settings { validation, ..settings(MemoryModel::Sc) };
            let (verdict, statistics) = benchmark(file, &options);
            assert_eq!(verdict, "true", "{file} {validation:?}");
            assert!(statistics.counts["Reasons"] >= 1, "{file} {validation:?}");
        }
    }
}

#[test]
fn events_are_shown() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks/litmus/SB.c");
    let program = frontend::load(&path, &frontend::Options::default()).expect("a program");
    let overview = scar::overview(&program, MemoryModel::Sc, 1).expect("it can be unrolled");
    let events = Unrolled::new(&program, &overview);
    let text = events.text();
    assert!(text.contains("write x = 1;") && text.contains("read y = y#"), "{text}");
    assert!(text.contains("violated: "), "{text}");
    let dot = events.dot(MemoryModel::Sc.into());
    assert!(dot.starts_with("digraph events {") && dot.contains("[style=dashed]"), "{dot}");
}

/// The expected verdict of a task under a model, and what `scar` says.
fn task_verdict(path: &Path, model: MemoryModel, effort: Effort) -> Option<(bool, String)> {
    let task = task::read_task(path).expect("a task");
    let expected = task.expected_under(model)?;
    let loading = frontend::Options {
        memory_model: model,
        property: task.property,
        data_model: task.data_model.unwrap_or_default(),
        ..frontend::Options::default()
    };
    let program = frontend::load(&task.input, &loading).unwrap_or_else(|error| panic!("{error}"));
    let Effort { unwind, seconds, recheck } = effort;
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
    let settings =
        Settings { memory_model: model, budget, unwind: Some(unwind), recheck, ..Settings::default() };
    let found = answer(&program, Engine::Scar, &settings);
    let is_doubtful = recheck == Recheck::Full
        && matches!(found.claim(), Claim::Safe(_))
        && !matches!(found.examination(), Examination::Refutation(_));
    Some((expected, if is_doubtful { format!("{}", found.examination()) } else { said(&found) }))
}

/// How far a task is looked into.
#[derive(Clone, Copy)]
struct Effort {
    unwind: u32,
    seconds: u64,
    recheck: Recheck,
}

/// What `scar` says about the tasks of a set that is not what the tasks expect.
fn surprises(set: &str, models: &[MemoryModel], effort: Effort) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks/sets");
    let tasks = task::read_set(&root.join(set)).expect("a set of tasks");
    let all = tasks.iter().rev().flat_map(|task| models.iter().map(|&model| (task.clone(), model)));
    let work: Mutex<Vec<(PathBuf, MemoryModel)>> = Mutex::new(all.collect());
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((path, model)) = work.lock().expect("no panic").pop() else { break };
                    let Some((expected, said)) = task_verdict(&path, model, effort) else {
                        continue;
                    };
                    if said != expected.to_string() {
                        let line = format!("{} {model:?}: expected {expected}, {said}", path.display());
                        found.lock().expect("no panic").push(line);
                    }
                }
            });
        }
    });
    found.into_inner().expect("no panic")
}

#[test]
fn litmus_tests_get_their_verdicts_under_each_model() {
    let wrong = surprises("litmus.set", &MODELS, Effort { unwind: 8, seconds: 60, recheck: Recheck::Full });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tasks_are_never_decided_wrongly() {
    let mut others = surprises(
        "programs.set",
        &[MemoryModel::Sc],
        Effort { unwind: 1, seconds: 2, recheck: Recheck::Brief },
    );
    let undecided = others.len();
    others.retain(|line| !line.contains("unknown ("));
    assert!(others.is_empty(), "{}", others.join("\n"));
    assert!(undecided < 110, "{undecided} of the tasks are not decided");
}
