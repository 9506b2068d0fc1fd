//! What labels the engine `impact` finds: where interpolants are well chosen, trees stay small.

use std::path::Path;
use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::impact::{ForceCover, Strength};
use regrain::frontend;
use regrain::observe::Statistics;
use regrain::program::Program;
use regrain::verify::{Engine, Settings, verify};

use crate::answer::{answer, safety};
use crate::command::Scratch;

/// A counter that goes up as often as another one lets it, and down at will. That it is not 6 needs that it
/// is not 7, not 8, and so on, unless labels speak of inequalities.
const COUNTER: &str = "\
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int pushed = 0, top = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            if (pushed < 5) {
                pushed = pushed + 1;
                top = top + 1;
            }
        } else if (top > 0) {
            top = top - 1;
        }
        assert(top != 6);
    }
    return 0;
}
";

fn benchmark(name: &str) -> Program {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks").join(name);
    frontend::load(&file, &frontend::Options::default()).expect("C")
}

/// So that a test fails that would not end.
fn limited() -> Settings {
    let budget = Budget::unlimited().with_time(Duration::from_secs(120));
    Settings { budget, ..Settings::default() }
}

fn load(name: &str, text: &str) -> Program {
    let scratch = Scratch::new(name).with("program.c", text);
    frontend::load(&scratch.path("program.c"), &frontend::Options::default()).expect("C")
}

/// Proves a program with so many nodes.
fn nodes(program: &Program, settings: &Settings) -> u64 {
    let mut statistics = Statistics::default();
    let found = verify(program, Engine::Impact, settings, &mut statistics).expect("no fault");
    assert_eq!(safety(&found), Some(true), "{:?}", found.claim());
    statistics.counts["Nodes"]
}

#[test]
fn equations_that_come_back_become_inequalities() {
    let nodes = nodes(&load("impact_counter", COUNTER), &limited());
    assert!(nodes < 400, "{nodes}");
}

#[test]
fn strongest_postconditions_prove_as_well() {
    for name in ["mutex/peterson.c", "locks/read_write_lock.c", "drivers/time_varying_mutex.c"] {
        let program = benchmark(name);
        for force_cover in [ForceCover::Off, ForceCover::On] {
            nodes(&program, &Settings { interpolants: Strength::Strongest, force_cover, ..limited() });
        }
    }
}

/// Tables under locks, where neither the index nor what is written is known beforehand.
#[test]
fn tables_are_decided() {
    for (name, safe) in [
        ("display", true),
        ("escrow", true),
        ("last_used", true),
        ("snapshot", true),
        ("undo", true),
        ("display_unsafe", false),
        ("escrow_unsafe", false),
    ] {
        let found = answer(&benchmark(&format!("tables/{name}.c")), Engine::Impact, &limited());
        assert_eq!(safety(&found), Some(safe), "{name}: {:?}", found.claim());
    }
}
