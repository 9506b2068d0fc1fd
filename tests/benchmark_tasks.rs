//! Every finite task of `benchmarks/` gets its expected verdict from the explorer, under each memory model
//! for which the task states one; so do the cooperative ones, under the policy that they come with.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use regrain::engine::explore::Limits;
use regrain::frontend::{self, Options, task};
use regrain::program::MemoryModel;
use regrain::verify::{Engine, Settings};

use crate::answer::{answer, safety};

/// Where an exploration gives up. Larger tasks are for the command line, with an optimised build.
const STATES: u64 = 250_000;

/// Tasks with more states than that under some model.
const LARGE: [&str; 6] = [
    "litmus/butterfly",
    "litmus/three-thread-split",
    "mutex/peterson3_loop",
    "mutex/peterson3_loop_unsafe",
    "mutex/peterson3_unsafe",
    "puzzles/fib_5_unsafe",
];

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// What a task is expected to be and what it was found to be; `None` is unknown.
fn outcome(path: &Path, model: MemoryModel) -> Option<(bool, Option<bool>)> {
    let task = task::read_task(path).expect("a task");
    let expected = task.expected_under(model)?;
    let options = Options {
        memory_model: model,
        property: task.property,
        data_model: task.data_model.unwrap_or_default(),
        ..Options::default()
    };
    let program = frontend::load(&task.input, &options).unwrap_or_else(|error| panic!("{error}"));
    let limits = Limits { states: STATES, ..Limits::default() };
    let settings = Settings { memory_model: model, limits, ..Settings::default() };
    Some((expected, safety(&answer(&program, Engine::Explore, &settings))))
}

#[test]
fn finite_tasks_get_their_verdicts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks");
    let mut tasks = task::read_set(&root.join("sets/all.set")).expect("the set of all tasks");
    tasks.retain(|path| std::fs::read_to_string(path).expect("a task").contains("state_space: finite"));
    assert!(tasks.len() > 300, "only {} finite tasks", tasks.len());
    let work: Mutex<Vec<(PathBuf, MemoryModel)>> =
        Mutex::new(tasks.iter().rev().flat_map(|task| MODELS.map(|model| (task.clone(), model))).collect());
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((path, model)) = work.lock().expect("no panic").pop() else { break };
                    let Some((expected, found)) = outcome(&path, model) else { continue };
                    let large = LARGE.iter().any(|name| path.ends_with(format!("{name}.yml")));
                    if found != Some(expected) && !(large && found.is_none()) {
                        let line =
                            format!("{} {model:?}: expected {expected}, found {found:?}", path.display());
                        wrong.lock().expect("no panic").push(line);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How many transmitters are still few enough to try all their orders.
const TRANSMITTERS: u32 = 4;

/// The number in the name of a task that is one of a family.
fn size(path: &Path) -> Option<u32> {
    let name = path.file_stem()?.to_str()?;
    name.split('_').filter_map(|part| part.parse().ok()).next_back()
}

#[test]
fn cooperative_tasks_get_their_verdicts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks");
    let mut tasks = task::read_set(&root.join("sets/cooperative.set")).expect("the set of cooperative tasks");
    tasks.retain(|path| std::fs::read_to_string(path).expect("a task").contains("state_space: finite"));
    let small = |path: &PathBuf| size(path).is_none_or(|size| size <= TRANSMITTERS);
    tasks.retain(small);
    assert!(tasks.len() > 30, "only {} finite tasks", tasks.len());
    let wrong: Vec<String> = tasks
        .iter()
        .filter_map(|path| {
            let (expected, found) = outcome(path, MemoryModel::Sc)?;
            (found != Some(expected)).then(|| format!("{}: {found:?}", path.display()))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
