//! Cooperative programs as users see them: verdicts, counterexamples with instants, refusals.

use crate::command::{Scratch, snapshot};

/// A consumer that looks at the second item an instant too late; somebody else waits for nothing.
pub const RING: &str = "\
#include <assert.h>
#include <fthread.h>

ft_event_t full, empty, never;
int slot, sum;

void consumer(void *args)
{
    ft_thread_await(full);
    sum = sum + slot;
    ft_thread_generate(empty);
    ft_thread_cooperate();
    assert(slot == 1);
}

void producer(void *args)
{
    slot = 1;
    ft_thread_generate(full);
    ft_thread_await(empty);
    slot = 2;
}

void idler(void *args)
{
    ft_thread_await_n(never, 1);
    ft_thread_await(never);
}

int main(void)
{
    ft_scheduler_t s = ft_scheduler_create();
    full = ft_event_create(s);
    empty = ft_event_create(s);
    never = ft_event_create(s);
    ft_thread_create(s, idler, 0, 0);
    ft_thread_create(s, consumer, 0, 0);
    ft_thread_create(s, producer, 0, 0);
    ft_scheduler_start(s);
    ft_exit();
    return 0;
}
";

/// Waits for an event that was never created.
const LOST: &str = "\
#include <fthread.h>
ft_event_t lost;
void worker(void *args) { lost = (ft_event_t)7; ft_thread_await(lost); }
int main(void)
{
    ft_scheduler_t s = ft_scheduler_create();
    ft_thread_create(s, worker, 0, 0);
    ft_scheduler_start(s);
    ft_exit();
    return 0;
}
";

fn scratch(name: &str) -> Scratch {
    let safe = RING.replace("assert(slot == 1)", "assert(slot == 2)");
    Scratch::new(name).with("ring.c", RING).with("safe.c", &safe).with("lost.c", LOST)
}

/// What the report says, in this order.
const STORY: [&str; 14] = [
    "assertion violated: slot == 1 at ring.c:13, in thread consumer",
    "line  main      idler     consumer  producer",
    "  39  ft_scheduler_start(s);",
    "        has started the scheduler",
    "-- instant 1 --",
    "waits for never, for 1 more instant",
    "waits for full",
    "wakes consumer, which waited for full",
    "wakes producer, which waited for empty",
    "has cooperated",
    "-- instant 2 --",
    "   idler, which waited for never, for 1 more instant, goes on",
    "assertion violated",
    "idler waits for never",
];

#[test]
fn a_counterexample_tells_instants_and_who_waits() {
    let ran = scratch("instants").run("verify -q --engine explore ring.c");
    assert_eq!(ran.code, Some(10), "{}", ran.seen());
    let mut rest = ran.stdout.as_str();
    for expected in STORY {
        let at =
            rest.find(expected).unwrap_or_else(|| panic!("no `{expected}` in its place: {}", ran.stdout));
        rest = &rest[at + expected.len()..];
    }
    assert!(!ran.stdout.contains("__regrain"), "{}", ran.stdout);
}

#[test]
fn a_counterexample_as_text() {
    let ran = scratch("text").run("verify -q --engine esst ring.c");
    assert_eq!(ran.code, Some(10), "{}", ran.seen());
    let story = ran.stdout.split("\nEngine: ").next().expect("the story comes first");
    snapshot("report_cooperative", story);
}

/// Names that only a table or a field gives, and events without one.
#[test]
fn events_have_the_names_of_the_program() {
    let text = "\
#include <assert.h>
#include <sc_coop.h>
sc_event slots[2];
sc_signal line;
void waiter(void *arg) { sc_wait_event(slots[1]); sc_wait_event(sc_signal_event(&line)); assert(0); }
void other(void *arg) { sc_notify_after(slots[1], 1); sc_wait_time(2); sc_signal_write(&line, 1); }
void nameless(void *arg) { sc_wait_event((sc_event)3); }
int main(void)
{
    for (int i = 0; i < 2; i++)
        slots[i] = sc_event_create();
    sc_event_create();
    sc_signal_init(&line, 0);
    sc_thread(waiter, 0);
    sc_thread(other, 0);
    sc_thread(nameless, 0);
    sc_start();
    return 0;
}
";
    let ran = Scratch::new("names").with("names.c", text).run("verify -q --engine explore names.c");
    assert_eq!(ran.code, Some(10), "{}", ran.seen());
    for told in [
        "waits for slots[1]",
        "waits for line.changed",
        "waits for event 3",
        "waiter, which waited for slots[1]",
    ] {
        assert!(ran.stdout.contains(told), "no `{told}`: {}", ran.stdout);
    }
}

#[test]
fn a_page_of_a_proof_tells_what_holds_by_turns() {
    let scratch = scratch("turns");
    let ran = scratch.run("verify -q --engine esst --html p.html safe.c");
    assert_eq!(ran.code, Some(0), "{}", ran.seen());
    let page = std::fs::read_to_string(scratch.path("p.html")).expect("the page");
    assert!(page.contains("Source with invariants"), "{page}");
    assert!(page.contains("<span class=\"situation\">"), "{page}");
    assert!(page.contains("consumer waits for "), "{page}");
}

#[test]
fn a_proof_is_visited_again() {
    for engine in ["auto", "explore"] {
        let ran = scratch(&format!("proof-{engine}")).run(&format!("verify -q --engine {engine} safe.c"));
        assert_eq!(ran.code, Some(0), "{}", ran.seen());
        assert!(ran.stdout.contains("Scheduler: fair\n"), "{}", ran.stdout);
        assert!(ran.stdout.contains("Re-examined: "), "{}", ran.stdout);
    }
}

#[test]
fn a_misused_primitive_is_undefined_and_told() {
    let ran = scratch("misuse").run("verify -q lost.c");
    assert_eq!(ran.code, Some(5), "{}", ran.seen());
    assert!(ran.last_line().contains("undefined behaviour is reachable"), "{}", ran.seen());
    assert!(ran.last_line().contains("lost.c:3"), "{}", ran.seen());
    assert!(ran.stdout.contains("an event that was never created"), "{}", ran.stdout);
    let ran = scratch("no-misuse").run("verify -q --undefined-behaviour assume lost.c");
    assert_eq!(ran.last_line(), "Verdict: true", "{}", ran.seen());
}

#[test]
fn engines_without_schedulers_refuse_by_name() {
    let scratch = scratch("refusals");
    for engine in ["cegar", "impact", "scar"] {
        let ran = scratch.run(&format!("verify -q --engine {engine} safe.c"));
        let reason = format!("engine {engine} does not know cooperative programs (scheduler fair)");
        assert_eq!(ran.last_line(), format!("Verdict: unknown ({reason})"), "{}", ran.seen());
        assert!(ran.stdout.contains("engines that do: auto, explore"), "{}", ran.stdout);
    }
    for engine in ["auto", "explore", "scar"] {
        for model in ["tso", "pso"] {
            let ran = scratch.run(&format!("verify -q --engine {engine} --mm {model} safe.c"));
            let reason = "cooperative programs are verified under sequential consistency only";
            assert_eq!(ran.last_line(), format!("Verdict: unknown ({reason})"), "{}", ran.seen());
        }
    }
    let ran = scratch.run("show --what unrolled safe.c");
    assert!(ran.code == Some(3) && ran.stderr.contains("scar does not know cooperative"), "{}", ran.seen());
}

#[test]
fn the_policy_can_be_chosen_where_it_is_open() {
    let plain = "int main(void) { return 0; }\n";
    let scratch = scratch("policy").with("plain.c", plain);
    let ran = scratch.run("verify -q --scheduler fair-any-order ring.c");
    assert_eq!(ran.code, Some(10), "{}", ran.seen());
    assert!(ran.stdout.contains("Scheduler: fair-any-order\n"), "{}", ran.stdout);
    let ran = scratch.run("verify -q --scheduler fair plain.c");
    assert_eq!(ran.code, Some(3), "{}", ran.seen());
    assert!(
        ran.stderr.contains("`--scheduler` is for cooperative programs, and this is none"),
        "{}",
        ran.stderr
    );
    let ran = scratch.run("verify -q --scheduler systemc ring.c");
    assert_eq!(ran.code, Some(2), "{}", ran.seen());
}

#[test]
fn other_forms_of_the_report_tell_the_same() {
    let scratch = scratch("forms");
    let ran = scratch.run("verify -q --witness w.yml --sarif s.sarif --html p.html --svg g.svg ring.c");
    assert_eq!(ran.code, Some(10), "{}", ran.seen());
    assert!(ran.stderr.contains("no witness format for cooperative programs"), "{}", ran.stderr);
    assert!(!scratch.path("w.yml").exists());
    let read = |name: &str| std::fs::read_to_string(scratch.path(name)).expect(name);
    assert!(read("s.sarif").contains("instant 1: "), "{}", read("s.sarif"));
    let page = read("p.html");
    assert!(page.contains("class=\"moment begins\"") && page.contains("<b>instant 2</b>"), "{page}");
    assert!(page.contains("\"turns\":"), "{page}");
    assert!(read("g.svg").contains("wake consumer"), "{}", read("g.svg"));
}
