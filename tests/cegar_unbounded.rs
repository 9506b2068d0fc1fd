//! Programs without a bound on their runs: what `cegar` says of them, an access a step, with its proofs checked.

use std::path::Path;

use regrain::budget::Budget;
use regrain::engine::cegar::{self, Options, Refinement};
use regrain::engine::{Evidence, Verdict};
use regrain::observe::Silent;
use regrain::program::Program;
use regrain::smt::IntModel;
use regrain::{frontend, proof};

fn load(name: &str) -> Program {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks").join(name);
    frontend::load(&file, &frontend::Options::default())
        .unwrap_or_else(|diagnostic| panic!("{name}: {}", diagnostic.message))
}

fn assert_proved(name: &str) {
    let program = load(name);
    for refinement in [Refinement::NonMonotonic, Refinement::Monotonic] {
        let (verdict, _) = cegar::check(&program, &Options { refinement, ..Options::default() }, &mut Silent);
        let Verdict::Safe(Evidence::Invariant(invariant)) = verdict else {
            panic!("{name}, {refinement:?}: {verdict:?}")
        };
        let checked = proof::check(&program, &invariant, IntModel::Integer, &Budget::unlimited());
        assert!(checked.is_ok(), "{name}, {refinement:?}: {checked:?}");
    }
}

fn assert_refuted(name: &str) {
    let (verdict, _) = cegar::check(&load(name), &Options::default(), &mut Silent);
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{name}: {verdict:?}");
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
