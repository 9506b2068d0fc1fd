//! Cooperative programs run for real: what they do is what the model allows, and the model allows nothing
//! else.
//!
//! Each program of `tests/real_runs/` notes digits as it goes and has a place where it is over. The native
//! compiler makes it with the runtime of its interface in `benchmarks/cooperative/runtime/`, and it is run
//! with many seeds, which settle what a policy leaves open. Then the explorer is asked: every sequence of
//! digits that was seen has to be possible, and no other. The seeds are always the same, and there are
//! enough of them to see everything.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use regrain::frontend::{self, Options};
use regrain::program::Policy;
use regrain::verify::{Engine, Settings};

use crate::answer::{answer, safety};
use crate::command::Scratch;

/// How many runs of a program are tried where the policy leaves a choice.
const SEEDS: u32 = 150;

/// An interface with its runtime, and the policies under which programs may run.
struct Interface {
    /// How the names of its programs begin.
    prefix: &'static str,
    /// Its runtime.
    runtime: &'static str,
    policies: &'static [Policy],
    /// How many programs there are at least.
    programs: usize,
}

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn programs(prefix: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(project("tests/real_runs")).expect("the programs");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    paths.retain(|path| name(path).starts_with(prefix) && name(path).ends_with(".c"));
    paths.sort();
    paths
}

/// Makes a program; the path of the binary.
fn compiled(scratch: &Scratch, program: &Path, runtime: &str) -> PathBuf {
    let binary = scratch.path(&program.file_stem().expect("a name").to_string_lossy());
    let runtimes = project("benchmarks/cooperative/runtime");
    let mut command = Command::new("cc");
    command.args(["-std=gnu11", "-Wall", "-Werror"]).arg("-I").arg(&runtimes).arg(program);
    let output = command.arg(runtimes.join(runtime)).arg("-o").arg(&binary).output().expect("a C compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    binary
}

/// What the runs of a program note.
fn observed(binary: &Path, policy: Policy) -> BTreeSet<i64> {
    let seeds = if policy == Policy::Fair { 1 } else { SEEDS };
    (1..=seeds).map(|seed| one_run(binary, policy, seed)).collect()
}

fn one_run(binary: &Path, policy: Policy, seed: u32) -> i64 {
    let mut command = Command::new(binary);
    let output = command
        .env("COOP_SCHEDULER", policy.name())
        .env("COOP_SEED", seed.to_string())
        .output()
        .expect("a program that runs");
    let (printed, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    printed.trim().parse().unwrap_or_else(|_| panic!("{} {seed}: {printed}{told}", binary.display()))
}

/// Whether a condition holds wherever a program is over.
fn always(program: &Path, policy: Policy, condition: &str) -> Option<bool> {
    let options = Options {
        define: vec![format!("RESULT()=assert({condition})")],
        scheduler: Some(policy),
        ..Options::default()
    };
    let loaded = frontend::load(program, &options).unwrap_or_else(|error| panic!("{error}"));
    safety(&answer(&loaded, Engine::Explore, &Settings::default()))
}

/// What is wrong with a program under a policy.
fn surprises(program: &Path, binary: &Path, policy: Policy) -> Vec<String> {
    let seen = observed(binary, policy);
    let name = format!("{} {}", program.file_name().expect("a name").to_string_lossy(), policy.name());
    let mut wrong = Vec::new();
    for run in &seen {
        if always(program, policy, &format!("noted != {run}")) != Some(false) {
            wrong.push(format!("{name}: the model does not know the run {run}"));
        }
    }
    let all: Vec<String> = seen.iter().map(|run| format!("noted == {run}")).collect();
    if always(program, policy, &all.join(" || ")) != Some(true) {
        wrong.push(format!("{name}: the model has more runs than {seen:?}"));
    }
    wrong
}

fn compare(interface: &Interface) {
    let scratch = Scratch::new(&format!("real-runs-{}", interface.prefix));
    let programs = programs(interface.prefix);
    assert!(programs.len() >= interface.programs, "only {} programs", programs.len());
    let (work, wrong) = (Mutex::new(programs), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(program) = work.lock().expect("no panic").pop() else { break };
                    let binary = compiled(&scratch, &program, interface.runtime);
                    for &policy in interface.policies {
                        wrong.lock().expect("no panic").extend(surprises(&program, &binary, policy));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn fair_threads() {
    let policies = &[Policy::Fair, Policy::FairAnyOrder];
    compare(&Interface { prefix: "ft_", runtime: "fthread.c", policies, programs: 13 });
}

#[test]
fn systemc() {
    compare(&Interface { prefix: "sc_", runtime: "sc_coop.c", policies: &[Policy::SystemC], programs: 12 });
}

#[test]
fn osek() {
    compare(&Interface { prefix: "os_", runtime: "os_coop.c", policies: &[Policy::Osek], programs: 10 });
}
