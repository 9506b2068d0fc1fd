//! The engine `impact` in all its configurations and `explore` never disagree on random programs; what
//! `impact` proves is checked, what it refutes is replayed.
//!
//! Every test run takes 60 programs; `REGRAIN_RANDOM_PROGRAMS=10000 cargo test --release --test tests
//! impact_against_explore` is the full run.

use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::impact::{ForceCover, Reduction};
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

/// How often each verdict was agreed on, and how often `impact` had none although `explore` had one.
#[derive(Debug, Default)]
struct Agreed {
    safe: usize,
    violated: usize,
    meaningless: usize,
    undecided: Vec<String>,
}

fn compare(seed: u64, agreed: &mut Agreed) {
    let features = if seed.is_multiple_of(5) { Features::Open } else { Features::Closed };
    let program = random_program(seed, features);
    let expected = answer(&program, Engine::Explore, &Settings::default());
    for (por, force_cover) in CONFIGURATIONS {
        let int_model = if (seed / 2).is_multiple_of(2) { IntModel::BitVector } else { IntModel::Integer };
        let budget = Budget::unlimited().with_time(Duration::from_secs(60));
        let settings = Settings { por, force_cover, int_model, budget, ..Settings::default() };
        let found = answer(&program, Engine::Impact, &settings);
        let context = || format!("seed {seed} {features:?} {por:?} {force_cover:?}\n{program}");
        match (safety(&found), safety(&expected)) {
            (Some(true), Some(true)) => agreed.safe += 1,
            (Some(false), Some(false)) => agreed.violated += 1,
            (None, None) => agreed.meaningless += 1,
            (None, _) => agreed.undecided.push(format!("{:?}: {}", found.claim(), context())),
            _ => {
                panic!("impact says {:?}, explore says {:?}: {}", found.claim(), expected.claim(), context())
            }
        }
    }
}

#[test]
fn random_programs_get_one_verdict() {
    let asked = std::env::var("REGRAIN_RANDOM_PROGRAMS").ok();
    let count: u64 = asked.map_or(60, |number| number.parse().expect("REGRAIN_RANDOM_PROGRAMS is a number"));
    let mut agreed = Agreed::default();
    (0..count).for_each(|seed| compare(seed, &mut agreed));
    let few = CONFIGURATIONS.len() * count as usize / 6;
    assert!(agreed.safe >= few && agreed.violated >= few && agreed.undecided.is_empty(), "{agreed:?}");
}
