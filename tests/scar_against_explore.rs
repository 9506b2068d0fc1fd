//! The engines `scar` and `explore` never disagree on random programs, under any memory model; what `scar`
//! refutes is replayed.
//!
//! Every test run takes 40 programs;
//! `REGRAIN_RANDOM_PROGRAMS=5000 cargo test --release --test tests scar_and_explore` is a full run.

use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::scar::{Formulation, Validation};
use regrain::order::Density;
use regrain::program::MemoryModel;
use regrain::verify::{Engine, Examination, Recheck, Settings};

use crate::answer::{answer, safety};

use crate::random_programs::{Features, random_program};

/// How often each verdict was agreed on.
#[derive(Debug, Default)]
struct Agreed {
    safe: usize,
    /// Safe ones that were re-examined.
    examined: usize,
    violated: usize,
    undecided: usize,
}

/// All combinations of options get their share of the programs.
fn settings(seed: u64, model: MemoryModel) -> Settings {
    Settings {
        memory_model: model,
        budget: Budget::unlimited().with_time(Duration::from_secs(20)),
        unwind: Some(6),
        validation: match seed % 5 {
            0 => Validation::Constraint,
            1 => Validation::Model,
            _ => Validation::Graph,
        },
        density: if seed.is_multiple_of(2) { Density::Minimal } else { Density::Intuitive },
        encoding: if seed.is_multiple_of(7) { Formulation::Monolithic } else { Formulation::Scar },
        ..Settings::default()
    }
}

fn compare(seed: u64, features: Features, model: MemoryModel, agreed: &mut Agreed) {
    let program = random_program(seed, features);
    let context = || format!("seed {seed} {features:?} {model:?}\n{program}");
    let settings = settings(seed, model);
    let expected = answer(&program, Engine::Explore, &settings);
    let found = answer(&program, Engine::Scar, &Settings { recheck: Recheck::Full, ..settings });
    match (safety(&found), safety(&expected)) {
        (Some(true), Some(true)) => {
            agreed.safe += 1;
            agreed.examined += usize::from(matches!(found.examination(), Examination::Refutation(_)));
        }
        (Some(false), Some(false)) => agreed.violated += 1,
        (None, _) | (_, None) => agreed.undecided += 1,
        _ => panic!("scar says {found:?}, explore says {expected:?}: {}", context()),
    }
}

#[test]
fn scar_and_explore_give_random_programs_one_verdict() {
    let asked = std::env::var("REGRAIN_RANDOM_PROGRAMS").ok();
    let count: u64 = asked.map_or(40, |number| number.parse().expect("REGRAIN_RANDOM_PROGRAMS is a number"));
    for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        let mut agreed = Agreed::default();
        for seed in 0..count {
            let features = if seed.is_multiple_of(5) { Features::Open } else { Features::Closed };
            compare(seed, features, model, &mut agreed);
        }
        let few = count as usize / 10;
        assert!(agreed.safe >= few && agreed.violated >= few, "{model:?} {agreed:?}");
        assert_eq!(agreed.examined, agreed.safe, "{model:?} {agreed:?}");
    }
}
