//! The engines `scar` and `explore` never disagree on random litmus tests written in C, under any memory
//! model, and weaker memory models only add violations.
//!
//! Whatever `scar` calls safe is re-examined: its order lemmas one by one, the rest by a refutation.
//!
//! Every test run takes 200 programs under each model;
//! `REGRAIN_RANDOM_LITMUS=5000 cargo test --release --test tests random_litmus` is the full run. A
//! disagreement is reported with the smallest program that shows it.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::explore::Limits;
use regrain::engine::scar::Validation;
use regrain::frontend::{self, Options};
use regrain::order::Density;
use regrain::program::{MemoryModel, Program};
use regrain::verify::{Engine, Examination, Recheck, Settings};

use crate::answer::{answer, safety};

use crate::random_litmus::Litmus;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// Where an exploration gives up.
const STATES: u64 = 200_000;

/// A file for a program, one for each worker.
struct Workbench {
    file: PathBuf,
}

impl Workbench {
    fn new() -> Workbench {
        let (process, thread) = (std::process::id(), std::thread::current().id());
        let file = std::env::temp_dir().join(format!("regrain-litmus-{process}-{thread:?}.i"));
        Workbench { file }
    }

    fn program(&self, litmus: &Litmus, memory_model: MemoryModel) -> Program {
        std::fs::write(&self.file, litmus.text()).expect("the program is written");
        let options = Options { memory_model, ..Options::default() };
        frontend::load(&self.file, &options).unwrap_or_else(|error| panic!("{error}\n{}", litmus.text()))
    }

    /// What both engines say: scar first.
    fn verdicts(&self, litmus: &Litmus, model: MemoryModel, validation: Validation) -> [Option<bool>; 2] {
        let program = self.program(litmus, model);
        let settings = Settings {
            memory_model: model,
            budget: Budget::unlimited().with_time(Duration::from_secs(60)),
            unwind: Some(2),
            validation,
            density: Density::Minimal,
            limits: Limits { states: STATES, ..Limits::default() },
            ..Settings::default()
        };
        let rechecked = Settings { recheck: Recheck::Full, ..settings.clone() };
        let found = answer(&program, Engine::Scar, &rechecked);
        assert!(
            safety(&found) != Some(true) || matches!(found.examination(), Examination::Refutation(_)),
            "{model:?}: {}\n{}",
            found.examination(),
            litmus.text()
        );
        [safety(&found), safety(&answer(&program, Engine::Explore, &settings))]
    }

    /// What is wrong with the verdicts of a litmus test, if anything; counts what is not.
    fn look(&self, seed: u64, litmus: &Litmus, counts: &Mutex<Counts>) -> Result<(), String> {
        let validation = match seed % 5 {
            0 => Validation::Constraint,
            1 => Validation::Model,
            _ => Validation::Graph,
        };
        let mut before = Some(true);
        for model in MODELS {
            let differ = |litmus: &Litmus| {
                let [scar, explore] = self.verdicts(litmus, model, validation);
                scar.is_some() && explore.is_some() && scar != explore
            };
            let [scar, explore] = self.verdicts(litmus, model, validation);
            if scar.is_some() && explore.is_some() && scar != explore {
                let smallest = litmus.clone().smallest(differ);
                return Err(format!(
                    "seed {seed} {model:?} {validation:?}: scar {scar:?}, explore {explore:?}\n{}",
                    smallest.text()
                ));
            }
            let verdict = scar.or(explore);
            if before == Some(false) && verdict == Some(true) {
                return Err(format!("seed {seed}: safe under {model:?} but not before\n{}", litmus.text()));
            }
            before = verdict.or(before);
            counts.lock().expect("no panic").add(model, scar, explore);
        }
        Ok(())
    }
}

impl Drop for Workbench {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

/// How often each verdict was agreed on, by model.
#[derive(Debug, Default)]
struct Counts {
    safe: [u64; 3],
    violated: [u64; 3],
    undecided: [u64; 3],
}

impl Counts {
    fn add(&mut self, model: MemoryModel, scar: Option<bool>, explore: Option<bool>) {
        let counts = match (scar, explore) {
            (Some(true), Some(true)) => &mut self.safe,
            (Some(false), Some(false)) => &mut self.violated,
            _ => &mut self.undecided,
        };
        counts[MODELS.iter().position(|&one| one == model).expect("a model")] += 1;
    }
}

/// Looks at the tests of many seeds.
fn look_at(count: u64, litmus: impl Fn(u64) -> Litmus + Sync) -> Counts {
    let (next, counts, wrong) = (AtomicU64::new(0), Mutex::new(Counts::default()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let (next, counts, wrong, litmus) = (&next, &counts, &wrong, &litmus);
            scope.spawn(move || {
                let workbench = Workbench::new();
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= count {
                        break;
                    }
                    if let Err(message) = workbench.look(seed, &litmus(seed), counts) {
                        wrong.lock().expect("no panic").push(message);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{} disagreements\n{}", wrong.len(), wrong.join("\n"));
    counts.into_inner().expect("no panic")
}

fn asked_for() -> u64 {
    let asked = std::env::var("REGRAIN_RANDOM_LITMUS").ok();
    asked.map_or(200, |number| number.parse().expect("REGRAIN_RANDOM_LITMUS is a number"))
}

#[test]
fn random_litmus_tests_get_one_verdict() {
    let count = asked_for();
    let counts = look_at(count, Litmus::random);
    // Both verdicts occur, and nearly every program is decided by both engines.
    for model in 0..3 {
        assert!(counts.safe[model] >= count / 10 && counts.violated[model] >= count / 50, "{counts:?}");
        assert!(counts.undecided[model] <= count / 20, "{counts:?}");
    }
    // Each weaker model shows in a tenth of the programs.
    let [sc, tso, pso] = counts.violated;
    assert!(sc + count / 10 <= tso && tso + count / 10 <= pso, "{counts:?}");
}

#[test]
fn random_litmus_tests_with_locks_get_one_verdict() {
    let count = asked_for();
    let counts = look_at(count, Litmus::locked);
    for model in 0..3 {
        assert!(counts.safe[model] >= count / 4 && counts.violated[model] >= count / 20, "{counts:?}");
        assert!(counts.undecided[model] <= count / 10, "{counts:?}");
    }
}
