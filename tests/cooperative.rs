//! Cooperative programs in C: each rule of each interface, as a program that holds because of it and one that
//! fails, and what is refused. The engine `explore` decides; its answers are checked by replay and by the
//! reference explorer.

use regrain::frontend::{self, Options};
use regrain::program::{Init, Policy};
use regrain::verify::{Engine, Settings};

use crate::answer::{answer, safety};
use crate::command::Scratch;

/// What comes of a text: a verdict, or the message with which it is refused.
fn outcome(name: &str, text: &str, scheduler: Option<Policy>) -> String {
    let scratch = Scratch::new(&format!("cooperative-{name}"));
    let path = scratch.path("p.c");
    std::fs::write(&path, text).expect("a file");
    let options = Options { scheduler, ..Options::default() };
    match frontend::load(&path, &options) {
        Err(diagnostic) => diagnostic.message,
        Ok(program) => {
            assert!(program.policy.is_some(), "{name} is cooperative");
            let answer = answer(&program, Engine::Explore, &Settings::default());
            match safety(&answer) {
                Some(true) => "true".to_owned(),
                Some(false) => "false".to_owned(),
                None => "unknown".to_owned(),
            }
        }
    }
}

// ---- FairThreads

/// A program with two events and these threads, each a body; `x` and `y` are shared.
fn fair_text(threads: &[&str]) -> String {
    let mut text =
        "#include <assert.h>\n#include <fthread.h>\nft_event_t e, f;\nft_thread_t t[8];\nint x, y;\n"
            .to_owned();
    for (index, body) in threads.iter().enumerate() {
        text += &format!("void run{index}(void *arg) {{ {body} }}\n");
    }
    text += "int main(void) {\n  ft_scheduler_t s = ft_scheduler_create();\n  e = ft_event_create(s);\n  f = ft_event_create(s);\n";
    for index in 0..threads.len() {
        text += &format!("  t[{index}] = ft_thread_create(s, run{index}, 0, 0);\n");
    }
    text + "  ft_scheduler_start(s);\n  ft_exit();\n  return 0;\n}\n"
}

#[track_caller]
fn fair(name: &str, expected: &str, threads: &[&str]) {
    assert_eq!(outcome(&format!("fair-{name}"), &fair_text(threads), None), expected, "{name}");
}

#[test]
fn fair_threads_take_turns_in_creation_order() {
    fair(
        "order",
        "true",
        &["x = 1; ft_thread_cooperate(); x = 3;", "assert(x == 1); ft_thread_cooperate(); assert(x == 3);"],
    );
    fair("order-bad", "false", &["ft_thread_cooperate(); x = 1;", "assert(x == 1);"]);
    // Nobody is interrupted.
    fair("whole", "true", &["x = 1; y = 1; x = 0; y = 0;", "assert(x == y);"]);
    let text = fair_text(&["x = 1;", "assert(x == 1);"]);
    assert_eq!(outcome("fair-any", &text, Some(Policy::FairAnyOrder)), "false");
    let text = fair_text(&[
        "x = 1; ft_thread_cooperate(); y = x;",
        "x = 2; ft_thread_cooperate(); assert(y == 0 || y == 1 || y == 2);",
    ]);
    assert_eq!(outcome("fair-any-safe", &text, Some(Policy::FairAnyOrder)), "true");
}

#[test]
fn an_event_is_present_for_its_whole_instant_and_no_longer() {
    fair(
        "await",
        "true",
        &["ft_thread_await(e); assert(x == 1); y = 1;", "x = 1; ft_thread_generate(e); x = 1;"],
    );
    fair(
        "await-late",
        "true",
        &["ft_thread_generate(e);", "ft_thread_await(e); x = 1;", "ft_thread_cooperate(); assert(x == 1);"],
    );
    fair(
        "await-gone",
        "true",
        &["ft_thread_generate(e);", "ft_thread_cooperate(); ft_thread_await(e); assert(0);"],
    );
    fair("await-reached", "false", &["ft_thread_generate(e);", "ft_thread_await(e); assert(0);"]);
}

#[test]
fn deadlines_are_told_by_codes() {
    fair(
        "timeout",
        "true",
        &[
            "assert(ft_thread_await_n(e, 2) == ETIMEOUT); assert(x == 2);",
            "x++; ft_thread_cooperate(); x++; ft_thread_cooperate(); x++;",
        ],
    );
    fair(
        "in-time",
        "true",
        &["assert(ft_thread_await_n(e, 2) == OK);", "ft_thread_cooperate(); ft_thread_generate(e);"],
    );
    fair("zero", "true", &["ft_thread_generate(e); assert(ft_thread_await_n(e, 0) == ETIMEOUT);"]);
    fair("cooperate-0", "true", &["x = 1; ft_thread_cooperate_n(0); x = 0;", "assert(x == 0);"]);
    fair(
        "cooperate-n",
        "true",
        &["ft_thread_cooperate_n(3); assert(x == 3);", "while (x < 5) { x++; ft_thread_cooperate(); }"],
    );
}

#[test]
fn joining_selecting_and_values() {
    fair(
        "join",
        "true",
        &["assert(ft_thread_join(t[1]) == OK); assert(x == 1);", "ft_thread_cooperate(); x = 1;"],
    );
    fair("join-n", "true", &["assert(ft_thread_join_n(t[1], 2) == ETIMEOUT);", "ft_thread_cooperate_n(5);"]);
    fair(
        "select",
        "true",
        &[
            "ft_event_t a[2] = {e, f}; int m[2]; ft_thread_select(2, a, m); assert(!m[0] && m[1]);",
            "ft_thread_cooperate(); ft_thread_generate(f);",
        ],
    );
    fair(
        "select-n",
        "true",
        &[
            "ft_event_t a[2] = {e, f}; int m[2]; assert(ft_thread_select_n(2, a, m, 2) == ETIMEOUT); assert(!m[0]);",
        ],
    );
    fair(
        "value",
        "true",
        &[
            "void *p = 0; assert(ft_thread_get_value(e, 0, &p) == OK); assert(p == &x);",
            "ft_thread_generate_value(e, &x);",
        ],
    );
    fair(
        "value-next",
        "true",
        &[
            "void *p = 0; assert(ft_thread_get_value(e, 0, &p) == ENEXT); assert(p == 0);",
            "ft_thread_generate(e);",
        ],
    );
    fair(
        "broadcast-value",
        "true",
        &[
            "void *p; ft_scheduler_broadcast_value(e, &x); ft_scheduler_broadcast_value(e, &y); ft_thread_cooperate(); \
        assert(ft_thread_get_value(e, 0, &p) == OK && p == &y); assert(ft_thread_get_value(e, 1, &p) == OK && p == &x);",
        ],
    );
}

#[test]
fn orders_are_followed_when_the_next_instant_begins() {
    fair("broadcast", "true", &["ft_thread_await(e); assert(x == 1);", "ft_scheduler_broadcast(e); x = 1;"]);
    fair(
        "suspend",
        "true",
        &[
            "while (y < 9) { x++; ft_thread_cooperate(); y++; }",
            "ft_scheduler_suspend(t[0]); ft_thread_cooperate_n(4); assert(x == 1); ft_scheduler_resume(t[0]); ft_thread_cooperate(); assert(x == 2);",
        ],
    );
    let stopped = "#include <assert.h>\n#include <fthread.h>\nint x;\nft_thread_t a;\n\
        void clean(void *arg) { assert(arg == &x); x = 7; }\n\
        void wait(void *arg) { for (;;) ft_thread_cooperate(); }\n\
        void stop(void *arg) { ft_scheduler_stop(a); ft_thread_join(a); assert(x == 7); }\n\
        int main(void) { ft_scheduler_t s = ft_scheduler_create(); a = ft_thread_create(s, wait, clean, &x);\n\
        ft_thread_create(s, stop, 0, 0); ft_scheduler_start(s); ft_exit(); return 0; }\n";
    assert_eq!(outcome("fair-stop", stopped, None), "true");
    assert_eq!(outcome("fair-stop-bad", &stopped.replace("x == 7", "x == 8"), None), "false");
}

#[test]
fn threads_may_create_threads_which_start_in_the_next_instant() {
    let text = "#include <assert.h>\n#include <fthread.h>\nint x;\n\
        void child(void *arg) { assert(x == 1); x = 2; }\n\
        void parent(void *arg) { ft_thread_create(ft_thread_scheduler(), child, 0, 0); ft_thread_cooperate(); assert(x == 1); }\n\
        void other(void *arg) { x = 1; }\n\
        int main(void) { ft_scheduler_t s = ft_scheduler_create(); ft_thread_create(s, parent, 0, 0);\n\
        ft_thread_create(s, other, 0, 0); ft_scheduler_start(s); ft_exit(); return 0; }\n";
    assert_eq!(outcome("fair-create", text, None), "true");
    let many = "#include <assert.h>\n#include <fthread.h>\nft_event_t e[3]; int x;\n\
        void run(void *arg) { int i = (int)(long)arg; ft_thread_await(e[i]); x++; if (i < 2) ft_thread_generate(e[i + 1]); else assert(x == 3); }\n\
        void first(void *arg) { ft_thread_generate(e[0]); }\n\
        int main(void) { ft_scheduler_t s = ft_scheduler_create(); for (int i = 0; i < 3; i++) e[i] = ft_event_create(s);\n\
        for (long i = 0; i < 3; i++) ft_thread_create(s, run, 0, (void *)i); ft_thread_create(s, first, 0, 0);\n\
        ft_scheduler_start(s); ft_exit(); return 0; }\n";
    assert_eq!(outcome("fair-loop", many, None), "true");
    assert_eq!(outcome("fair-loop-bad", &many.replace("x == 3", "x == 2"), None), "false");
}

#[test]
fn what_is_outside_of_the_interface_is_refused_by_name() {
    let refused = |name: &str, from: &str, to: &str| {
        let text = fair_text(&["x = 1;", "y = 1;"]).replacen(from, to, 1);
        outcome(&format!("fair-refused-{name}"), &text, None)
    };
    assert_eq!(refused("unlink", "x = 1;", "ft_thread_unlink();"), "`ft_thread_unlink` has no body");
    assert_eq!(
        refused("create", "ft_exit();", "ft_thread_create(s, run0, 0, 0);"),
        "`main` creates a thread after it has started the scheduler, which is not supported"
    );
    assert_eq!(
        refused("shared", "ft_exit();", "x = 5;"),
        "`main` uses memory that its threads use after it has started the scheduler, which is not supported"
    );
    assert_eq!(
        refused("check", "ft_exit();", "int i; for (i = 0; i < 3; i++); assert(i == 3);"),
        "`main` checks something after it has started the scheduler, which is not supported"
    );
    let text = fair_text(&["pthread_mutex_t m; pthread_mutex_lock(&m);"])
        .replace("#include <ft", "#include <pthread.h>\n#include <ft");
    assert_eq!(
        outcome("fair-refused-mutex", &text, None),
        "`pthread_mutex_lock` in a cooperative program is not supported"
    );
    // What `main` does without anybody noticing is fine.
    assert_eq!(refused("quiet", "ft_exit();", "for (;;);"), "true");
    let text = fair_text(&["ft_thread_generate(e);", "ft_thread_await(e);"]);
    let reads = text.replacen("ft_exit();", "while (e == 0);", 1);
    assert_eq!(outcome("fair-reads", &reads, None), "true", "`main` reads what nobody writes");
    // A second scheduler, an event that is none: no meaning, so no verdict.
    assert_eq!(refused("second", "ft_exit();", "").as_str(), "true");
    assert_eq!(refused("schedulers", "e = ", "ft_scheduler_create(); e = "), "unknown");
    assert_eq!(refused("nonsense", "x = 1;", "ft_thread_await((ft_event_t)77);"), "unknown");
}

// ---- SystemC

/// A program with two events and these threads, each a body.
fn systemc_text(threads: &[&str], more: &str) -> String {
    let mut text =
        "#include <assert.h>\n#include <sc_coop.h>\nsc_event e, f;\nsc_signal s;\nint x, y;\n".to_owned();
    for (index, body) in threads.iter().enumerate() {
        text += &format!("void run{index}(void *arg) {{ {body} }}\n");
    }
    text += "int main(void) {\n  sc_process p;\n  e = sc_event_create();\n  f = sc_event_create();\n  sc_signal_init(&s, 0);\n";
    for index in 0..threads.len() {
        text += &format!("  sc_thread(run{index}, 0);\n");
    }
    text + more + "\n  return 0;\n}\n"
}

#[track_caller]
fn systemc(name: &str, expected: &str, threads: &[&str]) {
    let text = systemc_text(threads, "sc_start();");
    assert_eq!(outcome(&format!("systemc-{name}"), &text, None), expected, "{name}");
}

#[test]
fn processes_run_in_any_order_and_are_not_interrupted() {
    systemc("order", "false", &["x = 1;", "assert(x == 1);"]);
    systemc("whole", "true", &["x = 1; y = 1; x = 0; y = 0;", "assert(x == y);"]);
    systemc("delta", "true", &["x = 1;", "sc_wait_time(0); assert(x == 1);"]);
}

#[test]
fn notifications_are_immediate_delayed_or_lost() {
    systemc(
        "delta-never-lost",
        "true",
        &["sc_wait_event(e); x = 1;", "sc_notify_delta(e); sc_wait_time(1); assert(x == 1);"],
    );
    systemc(
        "immediate-lost",
        "false",
        &["sc_wait_event(e); x = 1;", "sc_notify(e); sc_wait_time(1); assert(x == 1);"],
    );
    systemc(
        "after",
        "true",
        &[
            "sc_wait_time(2); x = 1; sc_wait_time(2); x = 2;",
            "sc_notify_after(e, 3); sc_wait_event(e); assert(x == 1);",
        ],
    );
    systemc(
        "earlier",
        "true",
        &[
            "sc_wait_time(2); x = 1;",
            "sc_notify_after(e, 3); sc_notify_after(e, 1); sc_notify_after(e, 5); sc_wait_event(e); assert(x == 0);",
        ],
    );
    systemc("cancelled", "true", &["sc_notify_after(e, 3); sc_cancel(e); sc_wait_event(e); assert(0);"]);
    systemc("immediate-cancels", "true", &["sc_notify_delta(e); sc_notify(e); sc_wait_event(e); assert(0);"]);
    systemc(
        "any",
        "true",
        &[
            "sc_event a[2] = {e, f}; sc_wait_any(2, a); assert(x == 1);",
            "sc_wait_time(1); x = 1; sc_notify(f); sc_wait_time(1); x = 2; sc_notify(e);",
        ],
    );
    systemc(
        "all",
        "true",
        &[
            "sc_event a[2] = {e, f}; sc_wait_all(2, a); assert(x == 2);",
            "sc_wait_time(1); x = 1; sc_notify(f); sc_wait_time(1); x = 2; sc_notify(e);",
        ],
    );
}

#[test]
fn signals_are_updated_after_evaluation() {
    systemc(
        "signal",
        "true",
        &[
            "sc_signal_write(&s, 5); assert(sc_signal_read(&s) == 0); sc_wait_time(0); assert(sc_signal_read(&s) == 5);",
        ],
    );
    systemc(
        "signal-last",
        "true",
        &[
            "sc_signal_write(&s, 5); sc_signal_write(&s, 6); sc_wait_event(sc_signal_event(&s)); assert(sc_signal_read(&s) == 6);",
        ],
    );
    systemc(
        "signal-same",
        "true",
        &["sc_signal_write(&s, 0); sc_wait_event(sc_signal_event(&s)); assert(0);"],
    );
    systemc(
        "signal-swap",
        "true",
        &[
            "sc_signal_write(&s, 1); sc_wait_time(0); sc_signal_write(&s, 2); sc_wait_time(0); assert(sc_signal_read(&s) == 2);",
            "assert(sc_signal_read(&s) == 0); sc_wait_time(0); assert(sc_signal_read(&s) == 1);",
        ],
    );
    let input = "#include <assert.h>\n#include <sc_coop.h>\n_Bool __VERIFIER_nondet_bool(void);\nsc_signal s;\nint last;\n\
        void in(void *arg) { last = __VERIFIER_nondet_bool() + 1; sc_signal_write(&s, last); }\n\
        void out(void *arg) { sc_wait(); assert(sc_signal_read(&s) == last); }\n\
        int main(void) { sc_process p; sc_signal_init(&s, 0); sc_thread(in, 0); p = sc_thread(out, 0);\n\
        sc_sensitive(p, sc_signal_event(&s)); sc_start(); return 0; }\n";
    assert_eq!(outcome("systemc-input", input, None), "true");
    assert_eq!(outcome("systemc-input-bad", &input.replace("== last)", "== 1)"), None), "false");
}

#[test]
fn methods_run_again_and_main_goes_on() {
    let method = |init: &str, condition: &str| {
        let more =
            format!("  p = sc_method(count, 0); sc_sensitive(p, e); {init} sc_start(); assert({condition});");
        systemc_text(&["for (int i = 0; i < 3; i++) { sc_wait_time(1); sc_notify(e); }"], &more)
            .replace("int main", "void count(void *arg) { int seen = x; x = seen + 1; }\nint main")
    };
    assert_eq!(outcome("systemc-method", &method("", "x == 4"), None), "true");
    assert_eq!(outcome("systemc-dont", &method("sc_dont_initialize(p);", "x == 3"), None), "true");
    assert_eq!(outcome("systemc-method-bad", &method("", "x == 3"), None), "false");
    let waits = method("", "1").replace("x = seen + 1;", "sc_wait();");
    assert_eq!(outcome("systemc-method-waits", &waits, None), "unknown");
}

// ---- OSEK

/// An application of tasks: name, priority, activations, whether it starts by itself, body.
fn osek_text(tasks: &[(&str, u32, u32, bool, &str)], more: &str) -> String {
    let mut text = "#include <assert.h>\n#include <os_coop.h>\nint x, y;\nRESOURCE(R);\nALARM(A);\nEVENT(Go, 0);\nEVENT(Done, 1);\n".to_owned();
    let mut configured = String::new();
    for (name, priority, activations, autostart, _) in tasks {
        text += &format!("DeclareTask({name});\n");
        let auto = if *autostart { "OS_AUTOSTART" } else { "OS_NO_AUTOSTART" };
        configured += &format!("  os_task(&{name}, OS_ENTRY({name}), {priority}, {activations}, {auto});\n");
    }
    text += &format!("OS_APPLICATION {{\n{configured}  os_resource(&R);\n  {more}\n}}\n");
    for (name, _, _, _, body) in tasks {
        text += &format!("TASK({name}) {{ {body} }}\n");
    }
    text + "int main(void) { StartOS(OSDEFAULTAPPMODE); return 0; }\n"
}

#[track_caller]
fn osek(name: &str, expected: &str, tasks: &[(&str, u32, u32, bool, &str)], more: &str) {
    assert_eq!(outcome(&format!("osek-{name}"), &osek_text(tasks, more), None), expected, "{name}");
}

#[test]
fn tasks_go_by_priority_and_age_without_preemption() {
    osek(
        "priority",
        "true",
        &[
            ("Low", 1, 1, true, "assert(x == 1); TerminateTask();"),
            ("High", 2, 1, true, "x = 1; TerminateTask();"),
        ],
        "",
    );
    osek(
        "age",
        "false",
        &[
            ("One", 1, 1, true, "assert(x == 1); TerminateTask();"),
            ("Two", 1, 1, true, "x = 1; TerminateTask();"),
        ],
        "",
    );
    osek(
        "activate",
        "true",
        &[
            ("Low", 1, 1, true, "ActivateTask(High); x = 1; TerminateTask();"),
            ("High", 2, 1, false, "assert(x == 1); TerminateTask();"),
        ],
        "",
    );
    osek(
        "schedule",
        "true",
        &[
            ("Low", 1, 1, true, "ActivateTask(High); Schedule(); assert(x == 1); TerminateTask();"),
            ("High", 2, 1, false, "x = 1; TerminateTask();"),
        ],
        "",
    );
}

#[test]
fn activations_are_counted_and_lost_beyond_the_limit() {
    osek(
        "limit",
        "true",
        &[
            (
                "Main",
                1,
                1,
                true,
                "assert(ActivateTask(Job) == E_OK); assert(ActivateTask(Job) == E_OK); assert(ActivateTask(Job) == E_OS_LIMIT); ChainTask(End);",
            ),
            ("Job", 2, 2, false, "x++; TerminateTask();"),
            ("End", 0, 1, false, "assert(x == 2); TerminateTask();"),
        ],
        "",
    );
    osek(
        "chain-self",
        "true",
        &[("Again", 1, 1, true, "x++; if (x < 4) ChainTask(Again); assert(x == 4); TerminateTask();")],
        "",
    );
    osek("missing-end", "unknown", &[("Short", 1, 1, true, "x = 1;")], "");
}

#[test]
fn events_and_resources() {
    osek(
        "events",
        "true",
        &[
            (
                "Worker",
                2,
                1,
                true,
                "EventMaskType m; WaitEvent(Go); GetEvent(Worker, &m); assert(m == Go); ClearEvent(Go); x = 1; SetEvent(Boss, Done); TerminateTask();",
            ),
            ("Boss", 1, 1, true, "SetEvent(Worker, Go); WaitEvent(Done); assert(x == 1); TerminateTask();"),
        ],
        "",
    );
    osek(
        "resources",
        "true",
        &[(
            "Only",
            1,
            1,
            true,
            "assert(GetResource(R) == E_OK); assert(GetResource(R) == E_OS_ACCESS); assert(Schedule() == E_OS_RESOURCE); \
        assert(WaitEvent(Go) == E_OS_RESOURCE); assert(TerminateTask() == E_OS_RESOURCE); assert(ReleaseResource(R) == E_OK); TerminateTask();",
        )],
        "",
    );
}

#[test]
fn alarms_may_expire_at_any_time() {
    let tick = "os_alarm_task(&A, Tick); SetRelAlarm(A, 10, 0);";
    osek(
        "alarm",
        "false",
        &[
            ("Tick", 2, 1, false, "x = 1; TerminateTask();"),
            ("Look", 1, 1, true, "assert(x == 0); TerminateTask();"),
        ],
        tick,
    );
    osek(
        "alarm-late",
        "false",
        &[
            ("Tick", 2, 1, false, "x = 1; TerminateTask();"),
            ("Look", 1, 1, true, "assert(x == 1); TerminateTask();"),
        ],
        tick,
    );
    osek(
        "alarm-between",
        "false",
        &[
            ("Tick", 2, 1, false, "TerminateTask();"),
            (
                "Look",
                1,
                1,
                true,
                "TaskStateType a, b; GetTaskState(Tick, &a); GetTaskState(Tick, &b); assert(a == b); TerminateTask();",
            ),
        ],
        tick,
    );
    osek(
        "alarm-once",
        "true",
        &[
            ("Tick", 2, 1, false, "x++; assert(x == 1); TerminateTask();"),
            ("Look", 1, 1, true, "ChainTask(Look);"),
        ],
        tick,
    );
    osek(
        "alarm-cyclic",
        "false",
        &[
            ("Tick", 2, 1, false, "x++; assert(x < 3); TerminateTask();"),
            ("Look", 1, 1, true, "if (x > 3) TerminateTask(); ChainTask(Look);"),
        ],
        "os_alarm_task(&A, Tick); SetRelAlarm(A, 10, 10);",
    );
}

#[test]
fn what_main_creates_is_constant_for_the_threads() {
    let scratch = Scratch::new("cooperative-constants").with(
        "p.c",
        &fair_text(&["ft_thread_await(e); x = 1;", "ft_thread_generate(f); ft_thread_join(t[0]);"]),
    );
    let program = frontend::load(&scratch.path("p.c"), &Options::default()).expect("the program is accepted");
    for transition in &program.transitions {
        assert!(
            transition.arguments().all(|argument| program.terms.as_const(argument).is_some()),
            "{program}"
        );
    }
    // Nor are there variables to try values for.
    assert!(program.variables.iter().all(|variable| variable.init != Init::Any), "{program}");
}

#[test]
fn a_program_has_one_scheduler() {
    let text = "#include <fthread.h>\n#include <sc_coop.h>\nint main(void) { ft_scheduler_create(); sc_start(); return 0; }\n";
    assert_eq!(outcome("two", text, None), "a program for several schedulers is not supported");
}
