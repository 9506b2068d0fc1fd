//! The engines `scar` and `explore` never disagree on random programs, under any memory model; what `scar`
//! refutes is replayed.
//!
//! Every test run takes 40 programs;
//! `REGRAIN_RANDOM_PROGRAMS=5000 cargo test --release --test tests scar_and_explore` is a full run.

use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::scar::{Formulation, Validation};
use regrain::order::Density;
use regrain::program::symmetry::Symmetry;
use regrain::program::{MemoryModel, Program};
use regrain::verify::{Engine, Examination, Recheck, Settings};

use crate::answer::{answer, safety};

use crate::random_programs::{Features, random_alike_program, random_program};

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

fn compare(program: &Program, seed: u64, features: Features, model: MemoryModel, agreed: &mut Agreed) {
    let context = || format!("seed {seed} {features:?} {model:?}\n{program}");
    let settings = settings(seed, model);
    let expected = answer(program, Engine::Explore, &settings);
    let found = answer(program, Engine::Scar, &Settings { recheck: Recheck::Full, ..settings });
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

fn count() -> u64 {
    let asked = std::env::var("REGRAIN_RANDOM_PROGRAMS").ok();
    asked.map_or(40, |number| number.parse().expect("REGRAIN_RANDOM_PROGRAMS is a number"))
}

#[test]
fn scar_and_explore_give_random_programs_one_verdict() {
    let count = count();
    for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        let mut agreed = Agreed::default();
        for seed in 0..count {
            let features = if seed.is_multiple_of(5) { Features::Open } else { Features::Closed };
            compare(&random_program(seed, features), seed, features, model, &mut agreed);
        }
        let few = count as usize / 10;
        assert!(agreed.safe >= few && agreed.violated >= few, "{model:?} {agreed:?}");
        assert_eq!(agreed.examined, agreed.safe, "{model:?} {agreed:?}");
    }
}

/// Threads that are alike begin in the order of the program, which changes no verdict. Whether they do or not
/// takes turns with the explorer's.
#[test]
fn scar_and_explore_agree_on_threads_that_are_alike() {
    let count = count();
    for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        let mut agreed = Agreed::default();
        for seed in 0..count {
            let features = if seed.is_multiple_of(5) { Features::Open } else { Features::Closed };
            let program = random_alike_program(30_000 + seed, features);
            let apart = Settings { symmetry: Symmetry::Off, ..settings(seed, model) };
            let alike = Settings { symmetry: Symmetry::On, ..apart.clone() };
            let expected = safety(&answer(&program, Engine::Explore, &apart));
            let found = safety(&answer(&program, Engine::Scar, &alike));
            match (found, expected) {
                (Some(one), Some(other)) => {
                    assert_eq!(one, other, "seed {seed} {features:?} {model:?}\n{program}");
                    agreed.safe += usize::from(one);
                    agreed.violated += usize::from(!one);
                }
                (None, _) | (_, None) => agreed.undecided += 1,
            }
        }
        let few = count as usize / 10;
        assert!(agreed.safe >= few && agreed.violated >= few, "{model:?} {agreed:?}");
    }
}
