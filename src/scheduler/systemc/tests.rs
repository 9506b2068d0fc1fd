//! Each rule of SystemC's kernel.

use super::SystemC;
use crate::program::ThreadId;
use crate::scheduler::drive::{run, runs};
use crate::scheduler::{Footprint, Resource, Scheduler, Standing, Wait};

/// `main` of most tests: two events and so many threads.
fn main(threads: usize) -> String {
    let processes: Vec<String> = (1..=threads).map(|process| format!("process {process} 0")).collect();
    format!("event 1; event 2; {}; start", processes.join("; "))
}

fn all(threads: &[&str]) -> Vec<String> {
    let main = main(threads.len());
    runs(&SystemC, &[&[main.as_str()], threads].concat(), 100)
}

fn one(threads: &[&str]) -> String {
    let main = main(threads.len());
    run(&SystemC, &[&[main.as_str()], threads].concat())
}

#[test]
fn any_runnable_process_may_go_first() {
    assert_eq!(all(&["", "", ""]).len(), 6);
    assert_eq!(all(&["wait_time 0", ""]), ["1:wait_time 2:end | 1:end", "2:end 1:wait_time | 1:end"]);
}

#[test]
fn an_immediate_notification_is_lost_if_nobody_waits() {
    assert_eq!(
        all(&["wait_event 1", "notify 1"]),
        ["1:wait_event 2:notify 2:end 1:end", "2:notify 2:end 1:wait_event"]
    );
    // A process does not wake itself.
    assert_eq!(one(&["notify 1; wait_event 1"]), "1:notify 1:wait_event");
}

#[test]
fn a_delta_notification_comes_after_all_have_run() {
    assert_eq!(
        all(&["wait_event 1", "notify_delta 1"]),
        ["1:wait_event 2:notify_delta 2:end | 1:end", "2:notify_delta 2:end 1:wait_event | 1:end"]
    );
}

#[test]
fn timed_notifications_come_in_the_order_of_time_and_together_if_they_are_due_together() {
    assert_eq!(one(&["notify_after 1 5; wait_event 1"]), "1:notify_after 1:wait_event +5 1:end");
    assert_eq!(
        all(&["wait_time 3; wait_time 2", "wait_time 5"])
            .iter()
            .filter(|run| run.contains("+3 1:wait_time +2"))
            .count(),
        4
    );
    // Time 0 is the next delta cycle.
    assert_eq!(one(&["notify_after 1 0; wait_event 1"]), "1:notify_after 1:wait_event | 1:end");
}

#[test]
fn an_event_has_one_pending_notification_the_earliest() {
    let wait = |calls: &str| one(&[&format!("{calls}; wait_event 1")]);
    let told = |text: &str| text.rsplit_once("1:wait_event").map(|(_, rest)| rest.trim().to_owned());
    assert_eq!(told(&wait("notify_after 1 5; notify_after 1 3")).as_deref(), Some("+3 1:end"));
    assert_eq!(told(&wait("notify_after 1 3; notify_after 1 5")).as_deref(), Some("+3 1:end"));
    assert_eq!(told(&wait("notify_after 1 3; notify_delta 1")).as_deref(), Some("| 1:end"));
    assert_eq!(told(&wait("notify_delta 1; notify_after 1 3")).as_deref(), Some("| 1:end"));
    // An immediate one cancels it; so does taking it back.
    assert_eq!(told(&wait("notify_delta 1; notify 1")).as_deref(), Some(""));
    assert_eq!(told(&wait("notify_after 1 3; cancel 1")).as_deref(), Some(""));
    // Only one: it comes once.
    assert_eq!(
        one(&["notify_delta 1; notify_delta 1; wait_event 1; wait_event 1"]).matches("1:end").count(),
        0
    );
}

#[test]
fn waiting_for_any_or_all_of_some_events() {
    let first = |script: &str| one(&[script]);
    assert_eq!(
        first("notify_after 1 1; notify_after 2 2; watch 1; watch 2; wait_any"),
        "1:notify_after 1:notify_after 1:watch 1:watch 1:wait_any +1 1:end"
    );
    assert_eq!(
        first("notify_after 1 1; notify_after 2 2; watch 1; watch 2; wait_all"),
        "1:notify_after 1:notify_after 1:watch 1:watch 1:wait_all +2 1:end"
    );
}

#[test]
fn methods_run_again_when_their_sensitivity_is_notified() {
    let main = "event 1; process 1 1; sensitive 1 1; process 2 0; start";
    let notifier = "wait_time 1; notify 1; wait_time 1; notify 1";
    assert_eq!(
        runs(&SystemC, &[main, "return; return; return", notifier], 100),
        [
            "1:return 2:wait_time +1 2:notify 2:wait_time 1:return +1 2:notify 2:end 1:return",
            "2:wait_time 1:return +1 2:notify 2:wait_time 1:return +1 2:notify 2:end 1:return",
        ]
    );
    // Not at the beginning if it does not want to.
    let main = "event 1; process 1 1; sensitive 1 1; dont_initialize 1; process 2 0; start";
    assert_eq!(run(&SystemC, &[main, "return", "notify 1"]), "2:notify 2:end 1:return");
    assert_eq!(run(&SystemC, &["event 1; process 1 1; start", "wait"]), "! a method waits");
}

#[test]
fn signals_that_were_written_change_sides_in_the_update_phase_and_tell_if_the_value_differs() {
    let main = "event 1; signal 1 1; process 1 0; start";
    assert_eq!(
        run(&SystemC, &[main, "side 1; write 1 1; side 1; wait_event 1; side 1"]),
        "1:side 1:write 1:side 1:wait_event | 1:side=1 1:end"
    );
    assert_eq!(
        run(&SystemC, &[main, "write 1 0; wait_time 0; side 1"]),
        "1:write 1:wait_time | 1:side=1 1:end"
    );
    // The last write counts.
    assert_eq!(run(&SystemC, &[main, "write 1 1; write 1 0; wait_event 1"]), "1:write 1:write 1:wait_event");
}

#[test]
fn main_goes_on_when_nothing_is_left() {
    let main = "event 1; process 1 0; start; notify_delta 1; start; process 1 0";
    assert_eq!(
        run(&SystemC, &[main, "wait_event 1"]),
        "1:wait_event | 1:end ! something is created or connected after the simulation began"
    );
    // What was notified before the start comes when it begins.
    let main = "event 1; process 1 1; sensitive 1 1; dont_initialize 1; notify_delta 1; start";
    assert_eq!(run(&SystemC, &[main, "return"]), "1:return");
}

#[test]
fn footprints_follow_the_phases() {
    let mut state = SystemC.initial(3);
    let call = |state: &mut _, name: &str, arguments: &[i64]| {
        let primitive = SystemC.primitive(name).expect("it is there");
        SystemC.execute(state, ThreadId::new(0), primitive, arguments).expect("no misuse");
    };
    for (name, arguments) in [
        ("event", &[1][..]),
        ("event", &[2]),
        ("signal", &[1, 2]),
        ("process", &[1, 1]),
        ("process", &[2, 0]),
        ("sensitive", &[1, 2]),
        ("start", &[]),
    ] {
        call(&mut state, name, arguments);
    }
    let of = |thread: usize, name: &str, arguments: &[i64]| {
        let arguments: Vec<Option<i64>> = arguments.iter().copied().map(Some).collect();
        SystemC.footprint(
            &state,
            ThreadId::new(thread),
            SystemC.primitive(name).expect("it is there"),
            &arguments,
        )
    };
    let wait = of(2, "wait_event", &[1]);
    assert!(wait.conflicts(&of(1, "notify", &[1])));
    assert!(!wait.conflicts(&of(1, "notify", &[2])));
    assert!(!wait.conflicts(&of(1, "notify_delta", &[1])), "it comes after this evaluation phase");
    assert!(of(1, "notify", &[1]).conflicts(&of(2, "notify_after", &[1, 3])));
    assert!(of(1, "cancel", &[1]).conflicts(&of(2, "notify_delta", &[1])));
    assert!(of(1, "write", &[1, 1]).conflicts(&of(2, "write", &[1, 0])));
    assert!(!of(1, "side", &[1]).conflicts(&of(2, "write", &[1, 0])));
    assert!(of(1, "return", &[]).conflicts(&of(2, "notify", &[2])), "static sensitivity");
    assert!(!of(1, "return", &[]).conflicts(&of(2, "notify", &[1])));
    let unknown = SystemC.footprint(
        &state,
        ThreadId::new(1),
        SystemC.primitive("notify").expect("it is there"),
        &[None],
    );
    assert_eq!(unknown, Footprint::Everything);
}

#[test]
fn a_waiting_process_needs_notification_or_the_signal() {
    let mut state = SystemC.initial(2);
    for (thread, name, arguments) in
        [(0, "event", &[1][..]), (0, "signal", &[1, 1]), (0, "process", &[1, 0]), (0, "start", &[])]
    {
        let primitive = SystemC.primitive(name).expect("it is there");
        SystemC.execute(&mut state, ThreadId::new(thread), primitive, arguments).expect("no misuse");
    }
    state = SystemC.next(&state).remove(0);
    let wait = SystemC.primitive("wait_event").expect("it is there");
    SystemC.execute(&mut state, ThreadId::new(1), wait, &[1]).expect("no misuse");
    assert_eq!(
        SystemC.awaits(&state, ThreadId::new(1)),
        [Resource::Event(-1), Resource::Event(1), Resource::Signal(1)]
    );
    let standings = SystemC.situation(&state, Default::default()).threads;
    assert_eq!(standings[1], Standing::waits(Wait::OneOf(vec![1])));
}
