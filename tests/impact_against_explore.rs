//! The engine `impact` in all its configurations and the reference explorer, which visits all states, never
//! disagree on random programs; what `impact` proves is checked, what it refutes is replayed. It has a minute
//! for each program, and must decide it.
//!
//! Every test run takes 60 programs; `REGRAIN_RANDOM_PROGRAMS=10000 cargo test --release --test tests
//! impact_against_explore` is the full run, `REGRAIN_RANDOM_FIRST=5000` begins with that program.

use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::impact::{ForceCover, Reduction};
use regrain::program::{Mark, Program};
use regrain::replay::reference;
use regrain::smt::IntModel;
use regrain::verify::{Engine, Settings};

use crate::answer::{answer, safety};
use crate::random_programs::{Features, random_program};

/// Full interleaving, and the four configurations of Table II.
const CONFIGURATIONS: [(Reduction, ForceCover); 5] = [
    (Reduction::None, ForceCover::Off),
    (Reduction::Static, ForceCover::Off),
    (Reduction::Static, ForceCover::On),
    (Reduction::Dynamic, ForceCover::Off),
    (Reduction::Dynamic, ForceCover::On),
];

/// How often each verdict was agreed on, and where `impact` had none although the reference had one.
#[derive(Debug, Default)]
struct Agreed {
    safe: usize,
    violated: usize,
    meaningless: usize,
    undecided: Vec<String>,
}

/// Whether a program is safe; `None` if it is not violated but ends where it has no meaning.
fn expected(program: &Program) -> Option<bool> {
    let found = reference::explore(program, &reference::Options::default());
    assert!(found.is_complete(), "{:?} {:?}\n{program}", found.gaps, found.stop);
    let mut marks = found.reached.keys().map(|&location| &program.location(location).mark);
    match marks.any(|mark| matches!(mark, Some(Mark::Error(_)))) {
        true => Some(false),
        false => found.reached.is_empty().then_some(true),
    }
}

fn compare(seed: u64, agreed: &mut Agreed) {
    let features = if seed.is_multiple_of(5) { Features::Open } else { Features::Closed };
    let program = random_program(seed, features);
    let expected = expected(&program);
    for (por, force_cover) in CONFIGURATIONS {
        let int_model = if (seed / 2).is_multiple_of(2) { IntModel::BitVector } else { IntModel::Integer };
        let budget = Budget::unlimited().with_time(Duration::from_secs(60));
        let settings = Settings { por, force_cover, int_model, budget, ..Settings::default() };
        let found = answer(&program, Engine::Impact, &settings);
        let context = || format!("seed {seed} {features:?} {por:?} {force_cover:?}\n{program}");
        match (safety(&found), expected) {
            (Some(true), Some(true)) => agreed.safe += 1,
            (Some(false), Some(false)) => agreed.violated += 1,
            (None, None) => agreed.meaningless += 1,
            (None, _) => agreed.undecided.push(format!("{:?}: {}", found.claim(), context())),
            _ => panic!("impact says {:?}, the reference {expected:?}: {}", found.claim(), context()),
        }
    }
}

#[test]
fn random_programs_get_one_verdict() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect("a number"));
    let count: u64 = number("REGRAIN_RANDOM_PROGRAMS").unwrap_or(60);
    let first: u64 = number("REGRAIN_RANDOM_FIRST").unwrap_or(0);
    let mut agreed = Agreed::default();
    (first..first + count).for_each(|seed| compare(seed, &mut agreed));
    let few = CONFIGURATIONS.len() * count as usize / 6;
    assert!(agreed.safe >= few && agreed.violated >= few && agreed.undecided.is_empty(), "{agreed:?}");
}

/// Whether an assertion is violated depends on what an array holds initially.
#[test]
fn runs_begin_with_any_elements() {
    let mut agreed = Agreed::default();
    compare(1295, &mut agreed);
    assert_eq!(agreed.violated, CONFIGURATIONS.len(), "{agreed:?}");
}

/// A node that was looked at again was removed, and the task to look at it was left behind.
#[test]
fn no_task_survives_its_node() {
    let mut agreed = Agreed::default();
    compare(787, &mut agreed);
    assert!(agreed.undecided.is_empty(), "{agreed:?}");
}
