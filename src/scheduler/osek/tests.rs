//! Each rule of OSEK.

use super::Osek;
use crate::scheduler::drive::{run, runs};

#[test]
fn the_highest_priority_goes_first_and_among_equals_the_oldest() {
    let main = "task 1 1 1 1; task 2 3 1 1; task 3 1 1 1; start";
    assert_eq!(
        order(&run(&Osek, &[main, "terminate", "terminate", "terminate"])),
        ["2:terminate", "1:terminate", "3:terminate"]
    );
    // An activation takes no turn away.
    let main = "task 1 1 1 1; task 2 3 1 0; start";
    assert_eq!(
        order(&run(&Osek, &[main, "activate 2; terminate", "terminate"])),
        ["1:activate", "1:terminate", "2:terminate"]
    );
}

/// The calls of a run, without the marks of rounds.
fn order(run: &str) -> Vec<&str> {
    run.split(' ').filter(|call| *call != "|").collect()
}

#[test]
fn schedule_gives_way_to_higher_priorities_only() {
    let main = "task 1 1 1 1; task 2 3 1 0; task 3 1 1 1; start";
    assert_eq!(
        order(&run(&Osek, &[main, "schedule; activate 2; schedule; terminate", "terminate", "terminate"])),
        ["1:schedule", "1:activate", "1:schedule", "2:terminate", "1:terminate", "3:terminate"]
    );
}

#[test]
fn activations_are_limited_and_queued() {
    let main = "task 1 1 1 1; task 2 2 2 0; start";
    assert_eq!(
        order(&run(
            &Osek,
            &[main, "activate 2; activate 2; activate 2; activate 1; terminate", "terminate; terminate"]
        )),
        [
            "1:activate",
            "1:activate",
            "1:activate=4",
            "1:activate=4",
            "1:terminate",
            "2:terminate",
            "2:terminate"
        ]
    );
}

#[test]
fn chaining_activates_at_the_end() {
    let main = "task 1 1 1 1; task 2 2 1 0; start";
    assert_eq!(
        order(&run(&Osek, &[main, "chain 2; terminate", "terminate"])),
        ["1:chain", "1:terminate", "2:terminate"]
    );
    // Itself, too.
    let main = "task 1 1 1 1; start";
    assert_eq!(
        order(&run(&Osek, &[main, "chain 1; terminate; may_end; terminate"])),
        ["1:chain", "1:terminate", "1:may_end", "1:terminate"]
    );
    let main = "task 1 2 1 1; task 2 1 1 1; start";
    assert_eq!(
        order(&run(&Osek, &[main, "chain 2; terminate", "terminate"])),
        ["1:chain=4", "1:terminate", "2:terminate"]
    );
}

#[test]
fn events_are_waited_for_set_and_cleared() {
    let main = "task 1 2 1 1; task 2 1 1 1; start";
    assert_eq!(
        order(&run(
            &Osek,
            &[
                main,
                "wait_event 3; get_event 1; clear_event 2; get_event 1; terminate",
                "set_event 1 2; schedule; terminate"
            ]
        )),
        [
            "1:wait_event",
            "2:set_event",
            "2:schedule",
            "1:get_event=2",
            "1:clear_event",
            "1:get_event",
            "1:terminate",
            "2:terminate"
        ]
    );
    // An event that is set already is not waited for; a suspended task has none.
    let main = "task 1 1 1 1; task 2 2 1 0; start";
    assert_eq!(
        order(&run(
            &Osek,
            &[main, "set_event 2 1; set_event 1 1; wait_event 1; set_event 9 1; terminate", ""]
        )),
        ["1:set_event=7", "1:set_event", "1:wait_event", "1:set_event=3", "1:terminate"]
    );
    // Activation clears.
    let main = "task 1 1 1 1; task 2 2 1 0; start";
    assert_eq!(
        order(&run(&Osek, &[main, "activate 2; set_event 2 1; terminate", "get_event 2; terminate"])),
        ["1:activate", "1:set_event", "1:terminate", "2:get_event=1", "2:terminate"]
    );
}

#[test]
fn resources_are_told_by_codes() {
    let main = "task 1 1 1 1; resource 1; start";
    assert_eq!(
        order(&run(
            &Osek,
            &[
                main,
                "get_resource 1; get_resource 1; schedule; wait_event 1; may_end; chain 1; release_resource 1; release_resource 1; get_resource 2; terminate"
            ]
        )),
        [
            "1:get_resource",
            "1:get_resource=1",
            "1:schedule=6",
            "1:wait_event=6",
            "1:may_end=6",
            "1:chain=6",
            "1:release_resource",
            "1:release_resource=5",
            "1:get_resource=3",
            "1:terminate"
        ]
    );
}

#[test]
fn states_of_tasks() {
    let main = "task 1 1 1 1; task 2 2 1 1; task 3 1 1 0; start";
    assert_eq!(
        order(&run(
            &Osek,
            &[
                main,
                "task_state 1; task_state 2; task_state 3; activate 3; task_state 3; task_state 7; terminate",
                "wait_event 1",
                "terminate"
            ]
        )),
        [
            "2:wait_event",
            "1:task_state=3",
            "1:task_state=2",
            "1:task_state",
            "1:activate",
            "1:task_state=1",
            "1:task_state=-1",
            "1:terminate",
            "3:terminate"
        ]
    );
}

#[test]
fn alarms_expire_whenever_they_like() {
    // At a decision: before or after the first task; or never.
    let main = "task 1 1 1 1; task 2 2 1 0; alarm 1 2 0; set_alarm 1 0; start";
    let all = runs(&Osek, &[main, "terminate", "terminate"], 100);
    let all: Vec<Vec<&str>> = all.iter().map(|run| order(run)).collect();
    assert_eq!(all, [vec!["1:terminate", "2:terminate"], vec!["2:terminate", "1:terminate"]]);
    // Between two services of a running task.
    let main = "task 1 1 1 1; task 2 2 1 0; alarm 1 2 0; start";
    let all = runs(
        &Osek,
        &[main, "set_alarm 1 0; set_alarm 1 0; tick; task_state 2; cancel_alarm 1; terminate", "terminate"],
        100,
    );
    let all: Vec<String> = all.iter().map(|run| order(run).join(" ")).collect();
    assert!(
        all.contains(
            &"1:set_alarm 1:set_alarm=7 1:tick 1:task_state=1 1:cancel_alarm=5 1:terminate 2:terminate"
                .to_owned()
        ),
        "{all:?}"
    );
    assert!(
        all.contains(&"1:set_alarm 1:set_alarm=7 1:tick 1:task_state 1:cancel_alarm 1:terminate".to_owned()),
        "{all:?}"
    );
    assert_eq!(all.len(), 2);
    // An alarm may set events; a cyclic one again and again.
    let main = "task 1 1 1 1; alarm 1 1 1; set_alarm 1 1; start";
    let all = runs(&Osek, &[main, "wait_event 1; clear_event 1; wait_event 1; terminate"], 100);
    assert!(all.iter().all(|run| run.contains("1:terminate")), "{all:?}");
}

#[test]
fn misuse_is_told() {
    assert_eq!(run(&Osek, &["activate 1", ""]), "! a service before `StartOS`");
    assert_eq!(
        order(&run(&Osek, &["task 1 1 1 1; start", "task 1 1 1 1"])).join(" "),
        "! something is configured after `StartOS`"
    );
    assert_eq!(
        order(&run(&Osek, &["task 1 1 1 1; start", "wait_event 0"])).join(" "),
        "! a task waits for no event"
    );
}
