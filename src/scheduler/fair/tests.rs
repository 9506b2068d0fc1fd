//! Each rule of FairThreads, as the library follows it.

use super::{ANY_ORDER, CREATION_ORDER};
use crate::program::ThreadId;
use crate::scheduler::drive::{run, runs};
use crate::scheduler::{Clock, Footprint, Resource, Scheduler, Standing, Wait};

/// `main` of most tests: two events and so many threads.
fn main(threads: usize) -> String {
    let links: Vec<String> = (1..=threads).map(|thread| format!("link {thread}")).collect();
    format!("scheduler; event 1; event 2; {}; start", links.join("; "))
}

fn fair(threads: &[&str]) -> String {
    let main = main(threads.len());
    run(&CREATION_ORDER, &[&[main.as_str()], threads].concat())
}

#[test]
fn threads_have_turns_in_the_order_of_their_creation_in_every_instant() {
    assert_eq!(
        fair(&["cooperate; cooperate", "cooperate"]),
        "| 1:cooperate 2:cooperate | 1:cooperate 2:end | 1:end"
    );
    let main = "scheduler; link 2; link 1; start";
    assert_eq!(run(&CREATION_ORDER, &[main, "cooperate", ""]), "| 2:end 1:cooperate | 1:end");
}

#[test]
fn an_event_is_there_for_the_whole_instant() {
    // Before it is awaited and after, earlier in the order and later.
    assert_eq!(fair(&["generate 1", "await 1"]), "| 1:generate 1:end 2:await 2:end");
    assert_eq!(fair(&["await 1", "generate 1"]), "| 1:await 2:generate 2:end 1:end");
    // Not in the next.
    assert_eq!(fair(&["generate 1", "cooperate; await 1"]), "| 1:generate 1:end 2:cooperate | 2:await");
}

#[test]
fn a_woken_thread_runs_in_this_pass_if_its_place_is_to_come_else_in_the_next_pass() {
    assert_eq!(
        fair(&["await 1; generate 2", "cooperate; generate 1", "await 1"]),
        "| 1:await 2:cooperate 3:await | 2:generate 2:end 3:end 1:generate 1:end"
    );
}

#[test]
fn zero_instants_pass_without_a_turn_and_others_by_turns() {
    assert_eq!(
        fair(&["cooperate_n 0; cooperate_n 2", "cooperate"]),
        "| 1:cooperate_n 1:cooperate_n 2:cooperate | 2:end | 1:end"
    );
    // Instants in which nothing happens are counted.
    let main = main(1);
    let state = CREATION_ORDER.initial(2);
    assert_eq!(run(&CREATION_ORDER, &[&main, "cooperate_n 1000000000"]), "| 1:cooperate_n | 1:end");
    assert_eq!(state.running, Some(ThreadId::new(0)));
}

#[test]
fn a_deadline_comes_before_presence() {
    assert_eq!(
        fair(&["generate 1", "await_n 1 0; outcome"]),
        "| 1:generate 1:end 2:await_n 2:outcome=-3 2:end"
    );
    assert_eq!(fair(&["await_n 1 2; outcome"]), "| 1:await_n | 1:outcome=-3 1:end");
    // The event comes in the instant of the deadline: too late.
    assert_eq!(
        fair(&["cooperate; generate 1", "await_n 1 1; outcome"]),
        "| 1:cooperate 2:await_n | 1:generate 1:end 2:outcome=-3 2:end"
    );
    assert_eq!(
        fair(&["cooperate; generate 1", "await_n 1 2; outcome"]),
        "| 1:cooperate 2:await_n | 1:generate 1:end 2:outcome 2:end"
    );
}

#[test]
fn a_thread_made_by_a_thread_starts_in_the_next_instant() {
    let main = "scheduler; link 1; link 2; start";
    assert_eq!(
        run(&CREATION_ORDER, &[main, "link 3", "cooperate", ""]),
        "| 1:link 1:end 2:cooperate | 2:end 3:end"
    );
}

#[test]
fn joining_waits_for_the_end() {
    assert_eq!(fair(&["join 2", "cooperate"]), "| 1:join 2:cooperate | 2:end 1:end");
    assert_eq!(fair(&["join 2", ""]), "| 1:join 2:end 1:end");
    assert_eq!(fair(&["", "join 1"]), "| 1:end 2:join 2:end");
    assert_eq!(fair(&["join_n 2 3; outcome", "await 1"]), "| 1:join_n 2:await | 1:outcome=-3 1:end");
    // For ever, if it must be: nobody has a turn any more, and that is found out.
    assert_eq!(fair(&["join 2", "await 1"]), "| 1:join 2:await");
}

#[test]
fn an_end_that_is_found_at_the_end_of_an_instant_leaves_no_time_for_events() {
    // Thread 1 learns of the end of 3 when the instant is ending. What it awaits then counts from the next
    // instant on.
    assert_eq!(
        fair(&["join 3; await 1", "join 3; generate 1", ""]),
        "| 1:join 2:join 3:end 1:await 2:generate 2:end"
    );
}

#[test]
fn a_broadcast_is_no_news_in_the_first_pass() {
    // Nothing is generated in the first pass, so the instant is ending when threads 1 and 2 learn of the end
    // of 3: thread 1 gives up waiting for a value before 2 generates one.
    let main = "scheduler; event 1; event 2; broadcast 2; link 1; link 2; link 3; start";
    assert_eq!(
        run(&CREATION_ORDER, &[main, "join 3; get_value 1 0; outcome", "join 3; generate_value 1", ""]),
        "| 1:join 2:join 3:end 1:get_value 2:generate_value 2:end | 1:outcome=-2 1:end"
    );
}

#[test]
fn selecting_waits_for_any_event() {
    assert_eq!(
        fair(&["watch 1; watch 2; select; present 1; present 2", "cooperate; generate 2"]),
        "| 1:watch 1:watch 1:select 2:cooperate | 2:generate 2:end 1:present 1:present=1 1:end"
    );
    assert_eq!(fair(&["watch 1; select_n 2; outcome"]), "| 1:watch 1:select_n | 1:outcome=-3 1:end");
}

#[test]
fn broadcasts_are_generated_when_the_next_instant_begins() {
    assert_eq!(fair(&["await 1", "broadcast 1; await 1"]), "| 1:await 2:broadcast 2:await | 1:end 2:end");
    let main = "scheduler; event 1; link 1; broadcast 1; start";
    assert_eq!(run(&CREATION_ORDER, &[main, "await 1"]), "| 1:await 1:end");
}

#[test]
fn values_come_in_order_and_those_of_broadcasts_the_last_first() {
    assert_eq!(
        fair(&["get_value 1 1; outcome", "generate_value 1; generate_value 1"]),
        "| 1:get_value 2:generate_value 2:generate_value=1 2:end 1:outcome=1 1:end"
    );
    // A value that does not come in this instant is told in the next.
    assert_eq!(
        fair(&["get_value 1 0; outcome", "cooperate; generate_value 1"]),
        "| 1:get_value 2:cooperate | 1:outcome=-2 1:end 2:generate_value 2:end"
    );
    let main = "scheduler; event 1; link 1; broadcast_value 1; broadcast_value 1; start";
    assert_eq!(
        run(&CREATION_ORDER, &[main, "get_value 1 0; outcome; get_value 1 1; outcome"]),
        "| 1:get_value 1:outcome=1 1:get_value 1:outcome 1:end"
    );
    // Slots are used again, but not while their values can be read.
    assert_eq!(
        fair(&[
            "generate_value 1; broadcast_value 1; cooperate; generate_value 1; cooperate; generate_value 1"
        ]),
        "| 1:generate_value 1:broadcast_value=1 1:cooperate | 1:generate_value 1:cooperate | 1:generate_value 1:end"
    );
}

#[test]
fn a_stopped_thread_learns_it_at_its_next_turn() {
    assert_eq!(
        fair(&["await 1; outcome", "stop 1; cooperate"]),
        "| 1:await 2:stop 2:cooperate | 1:outcome=-1 1:end 2:end"
    );
    // Not before it has given up its turn once.
    assert_eq!(fair(&["cooperate", "stop 1; cooperate"]), "| 1:cooperate 2:stop 2:cooperate | 1:end 2:end");
    let main = "scheduler; link 1; stop 1; start";
    assert_eq!(
        run(&CREATION_ORDER, &[main, "outcome; cooperate; outcome"]),
        "| 1:outcome 1:cooperate | 1:outcome=-1 1:end"
    );
    // An order to stop alone begins no instant.
    assert_eq!(fair(&["await 1; outcome", "stop 1"]), "| 1:await 2:stop 2:end");
}

#[test]
fn suspending_wins_over_resuming_and_deadlines_pass_meanwhile() {
    assert_eq!(
        fair(&["cooperate; cooperate", "suspend 1; cooperate; cooperate; resume 1; cooperate"]),
        "| 1:cooperate 2:suspend 2:cooperate | 2:cooperate | 2:resume 2:cooperate | 1:cooperate 2:end | 1:end"
    );
    assert_eq!(
        fair(&["cooperate", "suspend 1; resume 1; cooperate"]),
        "| 1:cooperate 2:suspend 2:resume 2:cooperate | 2:end"
    );
    assert_eq!(
        fair(&["await_n 1 2; outcome", "suspend 1; cooperate_n 4; resume 1; cooperate"]),
        "| 1:await_n 2:suspend 2:cooperate_n | 2:resume 2:cooperate | 1:outcome=-3 1:end 2:end"
    );
}

#[test]
fn any_order_is_chosen_once_and_kept() {
    let main = main(3);
    let all = runs(&ANY_ORDER, &[&main, "cooperate", "cooperate", "cooperate"], 100);
    assert_eq!(all.len(), 6);
    for run in &all {
        let instants: Vec<&str> = run.trim_start_matches("| ").split(" | ").collect();
        let who = |instant: &str| -> Vec<String> {
            instant.split(' ').map(|call| call.split(':').next().unwrap_or_default().to_owned()).collect()
        };
        assert_eq!(who(instants[0]), who(instants[1]), "{run}");
    }
}

#[test]
fn misuse_is_told() {
    let told = |main: &str, thread: &str| run(&CREATION_ORDER, &[main, thread]);
    assert_eq!(told("scheduler; link 1; start", "await 1"), "| ! an event that was never created");
    assert_eq!(told("scheduler; link 1; start", "join 7"), "| ! a thread that was never created");
    assert_eq!(told("scheduler; scheduler", ""), "! creates a second scheduler");
    assert_eq!(told("cooperate", ""), "! `main` is no thread of the scheduler");
}

#[test]
fn generating_conflicts_with_awaiting_and_ending_with_joining() {
    let of = |thread: usize, name: &str, arguments: &[Option<i64>]| {
        let primitive = CREATION_ORDER.primitive(name).expect("it is there");
        let state = CREATION_ORDER.initial(4);
        CREATION_ORDER.footprint(&state, ThreadId::new(thread), primitive, arguments)
    };
    let generate = of(1, "generate", &[Some(1)]);
    for name in ["await", "watch", "present", "get_value", "generate", "broadcast_value"] {
        assert!(of(2, name, &[Some(1), Some(0)]).conflicts(&generate), "{name}");
        assert!(!of(2, name, &[Some(2), Some(0)]).conflicts(&generate), "{name}");
    }
    assert!(!of(1, "await", &[Some(1)]).conflicts(&of(2, "await", &[Some(1)])));
    assert!(of(1, "end", &[]).conflicts(&of(2, "join", &[Some(1)])));
    assert!(!of(3, "end", &[]).conflicts(&of(2, "join", &[Some(1)])));
    assert!(of(1, "stop", &[Some(2)]).conflicts(&of(3, "cooperate", &[])));
    assert_eq!(of(1, "await", &[None]), Footprint::Everything);
}

#[test]
fn what_threads_wait_for_is_told() {
    let mut state = CREATION_ORDER.initial(4);
    let call = |state: &mut _, thread: usize, name: &str, arguments: &[i64]| {
        let primitive = CREATION_ORDER.primitive(name).expect("it is there");
        CREATION_ORDER.execute(state, ThreadId::new(thread), primitive, arguments).expect("no misuse");
    };
    for (name, arguments) in
        [("scheduler", &[][..]), ("event", &[1]), ("link", &[1]), ("link", &[2]), ("start", &[])]
    {
        call(&mut state, 0, name, arguments);
    }
    let before = state.clone();
    state = CREATION_ORDER.next(&state).remove(0);
    let clock = CREATION_ORDER.advance(Clock::default(), &before, &state);
    call(&mut state, 1, "await_n", &[1, 3]);
    state = CREATION_ORDER.next(&state).remove(0);
    call(&mut state, 2, "join", &[1]);
    let told = CREATION_ORDER.situation(&state, clock);
    assert_eq!(told.moment, "instant 1");
    let waits = |wait, limit| Some(Standing::Waits { wait, limit });
    assert_eq!(
        told.threads,
        [
            Some(Standing::Started),
            waits(Wait::OneOf(vec![1]), Some(3)),
            waits(Wait::End(ThreadId::new(1)), None),
            Some(Standing::Absent)
        ]
    );
    assert_eq!(CREATION_ORDER.awaits(&state, ThreadId::new(1)), [Resource::Event(1), Resource::Common]);
    assert_eq!(CREATION_ORDER.awaits(&state, ThreadId::new(2)), [Resource::Thread(1)]);
}
