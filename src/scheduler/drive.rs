//! For tests: runs threads that are nothing but lists of calls, and writes down who did what.

use super::{Clock, Scheduler, State};
use crate::program::ThreadId;

/// Calls of a thread, as `name` or `name 1 2`, separated by `;`.
type Script<'a> = &'a [&'a str];

/// All runs of threads with these calls; `main` is the first. Each run is a text like `1:cooperate
/// 2:await=0`, with `|` where a round begins and `+5` where time passes; it ends with `!` and a reason if a
/// primitive is misused. A run has at most so many calls.
pub(super) fn runs(scheduler: &dyn Scheduler, scripts: Script, calls: usize) -> Vec<String> {
    let scripts: Vec<Vec<Vec<&str>>> = scripts.iter().map(|script| parse(script)).collect();
    let mut runs = Vec::new();
    let start = Run {
        state: scheduler.initial(scripts.len()),
        places: vec![0; scripts.len()],
        clock: Clock::default(),
        log: Vec::new(),
    };
    explore(scheduler, &scripts, start, calls, &mut runs);
    runs
}

/// The one run of threads whose scheduler has no choice.
pub(super) fn run(scheduler: &dyn Scheduler, scripts: Script) -> String {
    let runs = runs(scheduler, scripts, 100);
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs[0].clone()
}

fn parse(script: &str) -> Vec<Vec<&str>> {
    script
        .split(';')
        .map(|call| call.split_whitespace().collect())
        .filter(|call: &Vec<&str>| !call.is_empty())
        .collect()
}

#[derive(Clone)]
struct Run {
    state: State,
    places: Vec<usize>,
    clock: Clock,
    log: Vec<String>,
}

fn explore(
    scheduler: &dyn Scheduler,
    scripts: &[Vec<Vec<&str>>],
    mut run: Run,
    calls: usize,
    runs: &mut Vec<String>,
) {
    while let Some(thread) = run.state.running {
        if run.log.len() > calls || !step(scheduler, scripts, &mut run, thread) {
            runs.push(run.log.join(" "));
            return;
        }
    }
    let next = scheduler.next(&run.state);
    if next.is_empty() {
        runs.push(run.log.join(" "));
    }
    for state in next {
        let mut run = run.clone();
        let clock = scheduler.advance(run.clock, &run.state, &state);
        let main = state.running == Some(ThreadId::new(0));
        if clock.time != run.clock.time && !main {
            run.log.push(format!("+{}", clock.time - run.clock.time));
        }
        if clock.rounds != run.clock.rounds && !main {
            run.log.push("|".to_owned());
        }
        (run.state, run.clock) = (state, clock);
        explore(scheduler, scripts, run, calls, runs);
    }
}

/// The next call of the running thread; a thread without one ends. Whether the run goes on.
fn step(scheduler: &dyn Scheduler, scripts: &[Vec<Vec<&str>>], run: &mut Run, thread: ThreadId) -> bool {
    let index = thread.index();
    let call = scripts[index].get(run.places[index]);
    let (name, rest) = call.map_or(("end", &[][..]), |call| (call[0], &call[1..]));
    run.places[index] += 1;
    let arguments: Vec<i64> = rest.iter().map(|text| text.parse().expect("a number")).collect();
    let primitive = scheduler.primitive(name).unwrap_or_else(|| panic!("there is no {name}"));
    match scheduler.execute(&mut run.state, thread, primitive, &arguments) {
        Ok(result) => {
            let result = if result == 0 { String::new() } else { format!("={result}") };
            if index > 0 {
                run.log.push(format!("{index}:{name}{result}"));
            }
            assert!(
                run.state.running.is_none_or(|runs| runs == thread),
                "a call gives the turn to nobody else"
            );
            assert!(run.state.running.is_some() || scheduler.may_block(primitive), "{name} can block");
            true
        }
        Err(misuse) => {
            run.log.push(format!("! {}", misuse.0));
            false
        }
    }
}
