//! What the engine `impact` leaves behind for people and for other verifiers: trees, pages, witnesses.

use regrain::budget::Budget;
use regrain::engine::Claim;
use regrain::frontend;
use regrain::proof::{Certificate, Invariant, check};
use regrain::smt::IntModel;
use regrain::verify::{Engine, Settings};

use crate::answer::answer;
use crate::command::{Scratch, command, run, snapshot};

/// One thread, whose loop ends when it likes.
const TOGETHER: &str = "\
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int first = 0, second = 0;
    while (__VERIFIER_nondet_int()) {
        if (first < 1000) {
            first = first + 1;
            second = second + 1;
        } else {
            first = 0;
            second = 0;
        }
    }
    assert(first == second);
    return 0;
}
";

/// Two clients take slots whose numbers are inputs. The number of the other one's slot has to be eliminated
/// from what is known of the table: whether it is one's own is looked at both ways.
const SLOTS: &str = "\
#include <assert.h>
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int owner[64];
void *client(void *arg)
{
    int me = (int)(long)arg;
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        int taken = 0;
        if (k >= 64)
            continue;
        pthread_mutex_lock(&m);
        if (owner[k] == 0) {
            owner[k] = me;
            taken = 1;
        }
        pthread_mutex_unlock(&m);
        if (taken) {
            pthread_mutex_lock(&m);
            assert(owner[k] == me);
            owner[k] = 0;
            pthread_mutex_unlock(&m);
        }
    }
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, client, (void *)1);
    pthread_create(&b, 0, client, (void *)2);
    return 0;
}
";

#[test]
fn indices_that_are_inputs_are_eliminated() {
    let scratch = Scratch::new("impact_slots").with("slots.c", SLOTS);
    let ran = scratch.run("verify --engine impact slots.c");
    assert!(ran.stdout.ends_with("Verdict: true\n"), "{}", ran.stdout);
    let careless = SLOTS.replace("owner[k] == 0", "owner[k] != me");
    let scratch = Scratch::new("impact_slots_unsafe").with("slots.c", &careless);
    let ran = scratch.run("verify --engine impact slots.c");
    assert!(ran.stdout.ends_with("Verdict: false(unreach-call)\n"), "{}", ran.stdout);
}

/// A program whose proof is small enough to be read.
const MUTEX: &str = "benchmarks/drivers/time_varying_mutex.c";

#[test]
fn a_tree_is_shown_as_text() {
    let shown = run(&mut command(&format!("show --what unfolding {MUTEX}")));
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    snapshot("impact_tree", &shown.stdout);
    let printed = run(&mut command(&format!("verify --engine impact --invariant {MUTEX}")));
    assert!(printed.stdout.contains(&shown.stdout), "{}", printed.stdout);
}

/// Every node and every cover is in the pictures.
#[test]
fn trees_are_drawn_with_their_covers() {
    let text = run(&mut command(&format!("show --what unfolding {MUTEX}"))).stdout;
    let (nodes, covers) = (text.lines().count() - 1, text.matches("covered by").count());
    assert!(nodes > 10 && covers > 2, "{text}");
    let scratch = Scratch::new("impact_drawn");
    let file = |name: &str| std::fs::read_to_string(scratch.path(name)).expect("it was written");
    let program = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(MUTEX);
    let files = "--svg t.svg --dot t.dot --html t.html";
    let ran = scratch.run(&format!("verify --engine impact {} {files}", program.display()));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for picture in [file("t.svg"), file("t.html")] {
        assert_eq!(picture.matches("<g class=\"unfolded").count(), nodes);
        assert_eq!(picture.matches("<g class=\"cover\">").count(), covers);
    }
    let dot = file("t.dot");
    assert_eq!(dot.matches("constraint=false").count(), covers);
    assert_eq!(dot.matches(" -> ").count(), covers + nodes - 1);
    let shown = scratch.run(&format!("show --what unfolding --format svg {}", program.display())).stdout;
    assert_eq!(shown, file("t.svg"));
}

/// The label that makes the critical sections exclude each other stands below the line where it matters.
#[test]
fn labels_are_shown_at_source_lines() {
    let scratch = Scratch::new("impact_labels");
    let program = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(MUTEX);
    scratch.run(&format!("verify --engine impact {} --html t.html", program.display()));
    let page = std::fs::read_to_string(scratch.path("t.html")).expect("it was written");
    assert!(page.contains("Source with labels"));
    let notes: Vec<&str> = page.split("<details class=\"note\"><summary>").skip(1).collect();
    let tells =
        |note: &&str| note.starts_with("<b>allocator</b>") && note.contains("<code>block == 1</code>");
    assert!(notes.iter().any(tells), "{notes:?}");
}

fn invariant(program: &regrain::program::Program) -> Invariant {
    let found = answer(program, Engine::Impact, &Settings::default());
    let Claim::Safe(Certificate::Unfolding(unfolding)) = found.claim() else { panic!("{:?}", found.claim()) };
    unfolding.invariant(program).expect("one thread")
}

/// With one thread nothing is left out, and the labels are an invariant that the other checker accepts.
#[test]
fn labels_of_one_thread_are_an_invariant() {
    let scratch = Scratch::new("impact_invariant").with("together.c", TOGETHER);
    let program = frontend::load(&scratch.path("together.c"), &frontend::Options::default()).expect("C");
    let mut found = invariant(&program);
    let budget = Budget::unlimited();
    check(&program, &found, IntModel::Integer, &budget).expect("it is inductive");
    let with_facts = |state: &&mut regrain::proof::AbstractState| !state.literals.is_empty();
    let state = found.views[0].states.iter_mut().rfind(with_facts).expect("something is known somewhere");
    state.literals.clear();
    assert!(check(&program, &found, IntModel::Integer, &budget).is_err());
}

#[test]
fn witnesses_of_one_thread_have_invariants() {
    let scratch = Scratch::new("impact_witness").with("together.c", TOGETHER);
    let ran = scratch.run("verify --engine impact together.c --witness w.yml");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let witness = std::fs::read_to_string(scratch.path("w.yml")).expect("it was written");
    assert!(witness.contains("value: \"first == second\""), "{witness}");
    let ran = scratch
        .run(&format!("verify --engine impact {}/{MUTEX} --witness w.yml", env!("CARGO_MANIFEST_DIR")));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let witness = std::fs::read_to_string(scratch.path("w.yml")).expect("it was written");
    assert!(witness.contains("value: \"1\"") && witness.contains("has no invariants"), "{witness}");
}

#[test]
fn what_is_not_proved_has_no_tree() {
    let shown = run(&mut command("show --what unfolding benchmarks/drivers/time_varying_mutex_unsafe.c"));
    assert_eq!((shown.code, shown.stdout.as_str()), (Some(5), ""), "{}", shown.stderr);
    assert!(shown.stderr.contains("no proof by an unfolding"), "{}", shown.stderr);
}
