//! What reports call things: by the names that the C program has, and by nothing else.

use std::fs;

use crate::command::Scratch;

/// Locks as members of structures in an array, reached through a pointer.
const BANK: &str = "\
#include <assert.h>
#include <pthread.h>
struct account { pthread_mutex_t lock; int balance; pthread_spinlock_t spin; };
struct account accounts[2];
void *pay(void *arg)
{
    struct account *to = arg;
    pthread_mutex_lock(&to->lock);
    int before = to->balance;
    pthread_mutex_unlock(&to->lock);
    pthread_spin_lock(&to->spin);
    to->balance = before + 1;
    pthread_spin_unlock(&to->spin);
    return 0;
}
int main(void)
{
    pthread_t first, second;
    pthread_mutex_init(&accounts[1].lock, 0);
    pthread_spin_init(&accounts[1].spin, 0);
    pthread_create(&first, 0, pay, &accounts[1]);
    pthread_create(&second, 0, pay, &accounts[1]);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(accounts[1].balance == 2);
    return 0;
}
";

/// A buffer whose consumers wait once and do not look again.
const BUFFER: &str = "\
#include <assert.h>
#include <pthread.h>
struct buffer { pthread_mutex_t lock; pthread_cond_t full; int count; };
struct buffer buffer;
int got;
void *consumer(void *arg)
{
    pthread_mutex_lock(&buffer.lock);
    if (buffer.count == 0)
        pthread_cond_wait(&buffer.full, &buffer.lock);
    got = buffer.count;
    pthread_mutex_unlock(&buffer.lock);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, consumer, 0);
    pthread_mutex_lock(&buffer.lock);
    buffer.count = 1;
    pthread_cond_signal(&buffer.full);
    pthread_mutex_unlock(&buffer.lock);
    pthread_join(thread, 0);
    assert(WANTED);
    return 0;
}
";

/// Store buffering with orders of every kind, and a variable that has no value.
const ORDERS: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y, z;
int seen;
void *other(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_release);
    seen = atomic_load_explicit(&x, memory_order_acquire);
    atomic_fetch_add_explicit(&z, 1, memory_order_acq_rel);
    return 0;
}
int main(void)
{
    pthread_t thread;
    int free;
    pthread_create(&thread, 0, other, 0);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    int mine = atomic_load_explicit(&y, memory_order_relaxed);
    z = 2;
    pthread_join(thread, 0);
    if (free == 3)
        assert(mine == 1 || seen == 1);
    return 0;
}
";

fn told(name: &str, program: &str, options: &str) -> String {
    let ran = Scratch::new(name).with("p.c", program).run(&format!("verify {options} p.c"));
    assert_eq!(ran.code, Some(10), "{}", ran.seen());
    ran.stdout
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "there should be `{part}` in\n{text}");
    }
}

#[track_caller]
fn has_not(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "there should be no `{part}` in\n{text}");
    }
}

/// Parts of library objects, and names of models and of the implementation.
const INTERNAL: [&str; 12] = [
    ".owner",
    ".kind",
    ".unused",
    ".readers",
    "__regrain",
    "LocId",
    "VarId",
    "TermId",
    "Mark(",
    "goal ",
    "::[",
    ".alive",
];

#[test]
fn locks_have_the_names_of_objects() {
    let text = told("narrated-bank", BANK, "");
    has(&text, &["acquires accounts[1].lock", "releases accounts[1].lock"]);
    has(&text, &["acquires accounts[1].spin", "releases accounts[1].spin"]);
    has_not(&text, &["a->lock", "to->lock\n", "writes accounts[1].spin = 1", "reads accounts[1].spin"]);
    has_not(&text, &INTERNAL);
}

#[test]
fn condition_variables_are_narrated() {
    let text = told("narrated-signal", BUFFER, "-D WANTED=got!=1");
    has_not(&text, &INTERNAL);
    // The shortest run has no waiting.
    let text = told("narrated-spurious", BUFFER, "-D WANTED=got!=0");
    has(
        &text,
        &["waits for buffer.full", "releases buffer.lock", "wakes up without a signal for buffer.full"],
    );
    has(&text, &["signals buffer.full, for which nobody waits"]);
    let waited =
        BUFFER.replace("&buffer.lock);\n    got", "&buffer.lock), got = 5 * buffer.count;\n    else got");
    let text = told("narrated-woken", &waited, "-D WANTED=got!=5");
    has(&text, &["waits for buffer.full", "signals buffer.full, for which consumer waits"]);
    has(&text, &["is woken by the signal of main line 21"]);
    has_not(&text, &INTERNAL);
}

#[test]
fn memory_orders_and_missing_values_are_told() {
    let text = told("narrated-orders", ORDERS, "--mm tso");
    has(
        &text,
        &["writes x = 1 (relaxed) to its store buffer", "reads y = 0 (relaxed)", "reads x = 0 (acquire)"],
    );
    has(&text, &["reads main::free = 3 (uninitialised)", "(acq_rel)", "writes z = 2 (seq_cst)"]);
    let scratch =
        Scratch::new("narrated-note").with("p.c", &ORDERS.replace("free == 3", "free == 3 && free == 4"));
    let note = "Note: the program has memory orders weaker than seq_cst (at p.c:";
    has(&scratch.run("verify p.c").stdout, &[note]);
    has_not(&scratch.run("verify --mm pso p.c").stdout, &["Note:"]);
}

/// What gcc 12 makes of `assert` stands in pieces of one line, each with a marker.
const PIECES: &str = "\
# 0 \"p.c\"
# 1 \"p.c\"
extern void __assert_fail (const char *a, const char *f, unsigned int l, const char *n);
int x;
int main(void)
{
    x = 1;
# 6 \"p.c\" 3 4
   ((void) sizeof ((
# 6 \"p.c\"
   x == 2
# 6 \"p.c\" 3 4
   ) ? 1 : 0), __extension__ ({ if (
# 6 \"p.c\"
   x == 2
# 6 \"p.c\" 3 4
   ) ; else __assert_fail (
# 6 \"p.c\"
   \"x == 2\"
# 6 \"p.c\" 3 4
   , \"p.c\", 6, __extension__ __PRETTY_FUNCTION__); }))
# 6 \"p.c\"
                 ;
    return 0;
}
";

#[test]
fn preprocessed_programs_show_their_lines() {
    let ran = Scratch::new("narrated-pieces").with("p.i", PIECES).run("verify p.i");
    assert_eq!(ran.code, Some(10), "{}", ran.seen());
    has(
        &ran.stdout,
        &["assertion violated: x == 2 at p.c:6", "\n   6  assert(x == 2);\n", "x == 2 is false"],
    );
}

/// Everything that is written for others says nothing of how Regrain works inside.
#[test]
fn no_internal_names_anywhere() {
    let programs =
        [("bank", BANK, ""), ("buffer", BUFFER, "-D WANTED=got!=0"), ("orders", ORDERS, "--mm tso")];
    for (name, program, options) in programs {
        let scratch = Scratch::new(&format!("internal-{name}")).with("p.c", program);
        let files = "--html p.html --sarif p.sarif --svg p.svg --dot p.dot";
        let witness = if options.contains("tso") { "" } else { "--witness p.yml" };
        let ran = scratch.run(&format!("verify --format json --trace full {files} {witness} {options} p.c"));
        assert_eq!(ran.code, Some(10), "{name}: {}", ran.seen());
        has_not(&ran.stdout, &INTERNAL);
        for file in ["p.html", "p.sarif", "p.svg", "p.dot", "p.yml"] {
            if let Ok(text) = fs::read_to_string(scratch.path(file)) {
                // The script of the page is ours.
                has_not(text.split("<script>").next().unwrap_or(""), &INTERNAL);
            }
        }
    }
}

/// Two threads with a local of one name, and values read on the way.
const TWINS: &str = "\
#include <assert.h>
#include <pthread.h>
int x;
void *add(void *arg)
{
    int mine = 0;
    while (1) {
        mine = x;
        if (mine < 5)
            mine = mine;
        assert(mine < 6);
        __VERIFIER_atomic_begin();
        if (x < 5)
            x = x + 1;
        __VERIFIER_atomic_end();
    }
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    return 0;
}
";

#[test]
fn invariants_speak_of_the_program() {
    let scratch = Scratch::new("narrated-invariant").with("p.c", TWINS);
    let ran = scratch.run("verify --engine cegar --invariant --html p.html --timeout 60 p.c");
    assert_eq!(ran.code, Some(0), "{}", ran.seen());
    has(&ran.stdout, &["Invariant of add:", "x < 6"]);
    // No value of a step on its way has a number for a name, and nothing follows from something else.
    let words = ran.stdout.split(|c: char| !c.is_alphanumeric() && c != '_');
    let numbered = |word: &str| word.strip_prefix('t').is_some_and(|rest| rest.parse::<u32>().is_ok());
    assert!(!words.into_iter().any(numbered), "{}", ran.stdout);
    let page = fs::read_to_string(scratch.path("p.html")).expect("the page");
    has(&page, &["<b>add, add#2</b>, alike"]);
}

#[test]
fn a_limit_is_the_reason_and_the_layout_is_fixed() {
    let loops = "void reach_error(void);\nunsigned x; int main(void) { for (;;) { x++; if (x == 4000000000u) reach_error(); } }\n";
    let scratch = Scratch::new("narrated-unknown").with("loop.c", loops);
    for engine in ["auto", "explore", "cegar", "scar", "impact"] {
        let ran = scratch.run(&format!("verify -q --timeout 0.5 --engine {engine} loop.c"));
        assert_eq!(ran.code, Some(5), "{engine}: {}", ran.seen());
        assert!(
            ran.last_line().starts_with("Verdict: unknown (time limit of 0.5 s reached"),
            "{}",
            ran.last_line()
        );
        has_not(&ran.stdout, &["interrupted", "canceled"]);
        let lines: Vec<&str> = ran.stdout.lines().collect();
        assert!(lines[0].starts_with("No answer: time limit of 0.5 s reached"), "{}", lines[0]);
        let at = |heading: &str| lines.iter().position(|line| *line == heading);
        let (established, advice) = (at("Established:"), at("What to try:").expect("advice"));
        assert!(established.is_none_or(|established| established < advice), "{}", ran.stdout);
        let statistics = lines[advice..].iter().filter(|line| line.contains(": ") && !line.starts_with("- "));
        assert!(statistics.count() <= 11, "{}", ran.stdout);
    }
}

#[test]
fn options_that_do_nothing_are_refused() {
    let scratch = Scratch::new("narrated-options").with("p.c", "int main(void) { return 0; }\n");
    for options in [
        "--engine explore --refinement monotonic",
        "--engine cegar --validation model",
        "--engine scar --por static",
        "--por static",
        "--engine explore --invariant",
        "--engine impact --recheck",
        "--engine auto --force-cover off",
        "--witness-format graphml",
    ] {
        let ran = scratch.run(&format!("verify {options} p.c"));
        assert_eq!(ran.code, Some(2), "{options}: {}", ran.seen());
    }
    for options in ["--recheck", "--engine impact --por static", "--engine scar --validation model"] {
        let ran = scratch.run(&format!("verify {options} p.c"));
        assert_eq!(ran.code, Some(0), "{options}: {}", ran.seen());
    }
}
