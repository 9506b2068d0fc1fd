//! The engines `cegar` and `explore` never disagree on random programs; what `cegar` proves is checked, what
//! it refutes is replayed.
//!
//! Every test run takes 120 programs;
//! `REGRAIN_RANDOM_PROGRAMS=2000 cargo test --release --test tests cegar_against_explore` is the full run.

use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::cegar::{Preference, Refinement};
use regrain::smt::IntModel;
use regrain::verify::{Engine, Settings};

use crate::answer::{answer, safety};

use crate::random_programs::{Features, random_program};

/// How often each verdict was agreed on.
#[derive(Debug, Default)]
struct Agreed {
    safe: usize,
    violated: usize,
    undecided: usize,
}

/// All combinations of options get their share of the programs. Words of two bits wrap around all the time,
/// but they are unsigned, and what the signed elements of arrays are given fits: mathematical integers must
/// give the answers of the machine too.
fn settings(seed: u64) -> Settings {
    Settings {
        refinement: if seed.is_multiple_of(2) { Refinement::NonMonotonic } else { Refinement::Monotonic },
        prefer: if seed.is_multiple_of(3) { Preference::Control } else { Preference::Data },
        int_model: if (seed / 2).is_multiple_of(2) { IntModel::BitVector } else { IntModel::Integer },
        budget: Budget::unlimited().with_time(Duration::from_secs(5)),
        ..Settings::default()
    }
}

fn compare(seed: u64, features: Features, agreed: &mut Agreed) {
    let program = random_program(seed, features);
    let context = || format!("seed {seed} {features:?}\n{program}");
    let settings = settings(seed);
    let expected = answer(&program, Engine::Explore, &settings);
    let found = answer(&program, Engine::Cegar, &settings);
    match (safety(&found), safety(&expected)) {
        (Some(true), Some(true)) => agreed.safe += 1,
        (Some(false), Some(false)) => agreed.violated += 1,
        (None, _) | (_, None) => agreed.undecided += 1,
        _ => panic!("cegar says {found:?}, explore says {expected:?}: {}", context()),
    }
}

fn compare_all(count: u64) -> Agreed {
    let mut agreed = Agreed::default();
    for seed in 0..count {
        let features = if seed.is_multiple_of(5) { Features::Open } else { Features::Closed };
        compare(seed, features, &mut agreed);
    }
    agreed
}

#[test]
fn random_programs_get_one_verdict() {
    let asked = std::env::var("REGRAIN_RANDOM_PROGRAMS").ok();
    let count = asked.map_or(120, |number| number.parse().expect("REGRAIN_RANDOM_PROGRAMS is a number"));
    let agreed = compare_all(count);
    let few = count as usize / 6;
    assert!(agreed.safe >= few && agreed.violated >= few && agreed.undecided <= 2 * few, "{agreed:?}");
}
