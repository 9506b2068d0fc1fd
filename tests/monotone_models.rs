//! A program that violates its property under a strong memory model does so under every weaker one: SC, then
//! TSO, then PSO.
//!
//! Looked at with the engine `scar` on the tasks of `benchmarks/`. Every test run takes the litmus tests and
//! every tenth program; `REGRAIN_ALL_TASKS=1 cargo test --release --test tests weaker_models` takes all of
//! them. Limits of time can only leave a program undecided.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use regrain::budget::Budget;
use regrain::frontend::{self, Options, task};
use regrain::program::MemoryModel;
use regrain::verify::{Engine, Settings};

use crate::answer::{answer, safety};

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

fn verdict(path: &Path, memory_model: MemoryModel) -> Option<bool> {
    let task = task::read_task(path).expect("a task");
    let data_model = task.data_model.unwrap_or_default();
    let options = Options { memory_model, property: task.property, data_model, ..Options::default() };
    let program = frontend::load(&task.input, &options).unwrap_or_else(|error| panic!("{error}"));
    let budget = Budget::unlimited().with_time(Duration::from_secs(10));
    let settings = Settings { memory_model, budget, unwind: Some(2), ..Settings::default() };
    safety(&answer(&program, Engine::Scar, &settings))
}

/// What is wrong with the verdicts of a task, if anything, and how many there are.
fn look(path: &Path) -> Result<usize, String> {
    let task = task::read_task(path).expect("a task");
    let mut violated = None;
    let mut decided = 0;
    for model in MODELS {
        let Some(found) = verdict(path, model) else { continue };
        decided += 1;
        if let Some(expected) = task.expected_under(model)
            && expected != found
        {
            return Err(format!("{} under {model:?}: expected {expected}, found {found}", path.display()));
        }
        match (found, violated) {
            (true, Some(stronger)) => {
                let name = path.display();
                return Err(format!("{name}: a violation under {stronger:?}, but none under {model:?}"));
            }
            (true, None) => {}
            (false, _) => violated = Some(model),
        }
    }
    Ok(decided)
}

#[test]
fn weaker_models_only_add_violations() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks/sets");
    let set = |name: &str| task::read_set(&root.join(name)).expect("a set of tasks");
    let step = if std::env::var_os("REGRAIN_ALL_TASKS").is_some() { 1 } else { 10 };
    let mut tasks: Vec<PathBuf> = set("programs.set").into_iter().step_by(step).collect();
    tasks.extend(set("litmus.set"));
    let count = tasks.len();
    let (work, wrong, decided) = (Mutex::new(tasks), Mutex::new(Vec::new()), Mutex::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(path) = work.lock().expect("no panic").pop() else { break };
                    match look(&path) {
                        Ok(number) => *decided.lock().expect("no panic") += number,
                        Err(message) => wrong.lock().expect("no panic").push(message),
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let decided = decided.into_inner().expect("no panic");
    assert!(decided > 2 * count, "of {count} tasks only {decided} verdicts");
}
