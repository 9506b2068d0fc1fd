//! Programs without a bound on their runs: what `cegar` says of them, an access a step, with its proofs
//! checked.

use std::path::Path;

use regrain::engine::Claim;
use regrain::engine::cegar::Refinement;
use regrain::frontend;
use regrain::program::Program;
use regrain::proof::Certificate;
use regrain::verify::{Engine, Settings};

use crate::answer::answer;

fn load(name: &str) -> Program {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks").join(name);
    frontend::load(&file, &frontend::Options::default())
        .unwrap_or_else(|diagnostic| panic!("{name}: {}", diagnostic.message))
}

fn assert_proved(name: &str) {
    let program = load(name);
    for refinement in [Refinement::NonMonotonic, Refinement::Monotonic] {
        let settings = Settings { refinement, ..Settings::default() };
        let found = answer(&program, Engine::Cegar, &settings);
        assert!(
            matches!(found.claim(), Claim::Safe(Certificate::Views(_))),
            "{name}, {refinement:?}: {:?}",
            found.claim()
        );
    }
}

fn assert_refuted(name: &str) {
    let found = answer(&load(name), Engine::Cegar, &Settings::default());
    assert!(matches!(found.claim(), Claim::Unsafe(_)), "{name}: {:?}", found.claim());
}

/// The same program but for the type of its counter: signed overflow is undefined, unsigned arithmetic wraps.
#[test]
fn signed_and_unsigned_counters_differ() {
    assert_proved("puzzles/signed_counter_loop.c");
    assert_refuted("puzzles/unsigned_counter_loop_unsafe.c");
}

/// Positions that wrap around: their differences are what counts, and comparing them is the mistake.
#[test]
fn unsigned_positions_of_a_ring() {
    assert_proved("puzzles/unsigned_ring.c");
    assert_refuted("puzzles/unsigned_ring_unsafe.c");
}

#[test]
fn a_counter_under_a_lock_for_ever() {
    assert_proved("locks/counter_loop.c");
    assert_proved("locks/counter_bound_loop.c");
    assert_refuted("locks/counter_loop_unsafe.c");
    assert_refuted("locks/counter_bound_loop_unsafe.c");
}

#[test]
fn producer_and_consumer_for_ever() {
    assert_proved("locks/producer_consumer_loop.c");
    assert_refuted("locks/producer_consumer_loop_unsafe.c");
}

#[test]
fn protocols_with_unbounded_tickets() {
    assert_proved("mutex/bakery_atomic_loop.c");
    assert_refuted("mutex/bakery_atomic_loop_unsafe.c");
    assert_refuted("mutex/bakery_loop_unsafe.c");
}
