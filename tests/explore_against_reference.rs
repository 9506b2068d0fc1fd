//! The explorer and the plain reference agree on thousands of random programs under every memory model, with
//! every reduction, and whether or not threads that are alike are told apart.
//!
//! `REGRAIN_RANDOM_PROGRAMS=5000 cargo test --release --test tests explore_against_reference` takes so many of
//! each kind.

use regrain::engine::explore::{Early, Exploration, Gap, Limits, Options, Outcome, Reduction, explore};
use regrain::observe::Silent;
use regrain::program::symmetry::{Symmetry, groups};
use regrain::program::{LocId, Mark, MemoryModel, Program, Trace};
use regrain::replay::reference::{self, Explored};
use regrain::replay::{run, tidy};

use crate::random_programs::{Features, random_alike_program, random_program};

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];
/// Writes in a buffer; small, so that loops stay finite.
const BUFFER: usize = 3;
/// Programs with more states are left out.
const STATES: usize = 300;

fn options(model: MemoryModel, reduction: Reduction) -> Options {
    let limits = Limits { buffer: BUFFER, ..Limits::default() };
    Options { model, reduction, limits, symmetry: Symmetry::Off, ..Options::default() }
}

/// How many programs to take: this many, or as many as were asked for.
fn count(usual: u64) -> u64 {
    let asked = std::env::var("REGRAIN_RANDOM_PROGRAMS").ok();
    asked.map_or(usual, |number| number.parse().expect("REGRAIN_RANDOM_PROGRAMS is a number"))
}

/// Length of the run found, marks, whether a buffer was full. The run must be one.
fn summary(program: &Program, model: MemoryModel, found: &Exploration) -> (Option<usize>, Vec<LocId>, bool) {
    match &found.outcome {
        Outcome::Violation(assertion, trace) => {
            let run = run(program, model, trace).expect("a possible run");
            assert_eq!(run.violation(program), Some(*assertion));
            assert_tidy(program, model, trace);
            (Some(trace.moves.len()), Vec::new(), false)
        }
        Outcome::Clean { marks, gaps, stop } => {
            assert_eq!(*stop, None::<Early>);
            assert!(gaps.iter().all(|gap| matches!(gap, Gap::Buffer(_))), "{gaps:?}");
            (None, marks.iter().copied().collect(), !gaps.is_empty())
        }
    }
}

/// Tidying makes a run to the same violation that is no longer.
fn assert_tidy(program: &Program, model: MemoryModel, trace: &Trace) {
    let violation = |trace| run(program, model, trace).expect("a possible run").violation(program);
    let tidied = tidy(program, model, trace);
    assert_eq!(violation(&tidied), violation(trace));
    assert!(tidied.moves.len() <= trace.moves.len());
}

/// What the reference finds, unless there are too many states. Every run that it shows is one.
fn expected(program: &Program, model: MemoryModel) -> Option<Explored> {
    let options = reference::Options { model, buffer: BUFFER, states: STATES, ..Default::default() };
    let found = reference::explore(program, &options);
    if found.stop.is_some() {
        return None;
    }
    assert!(found.gaps.iter().all(|gap| matches!(gap, reference::Gap::Buffer(_))), "{:?}", found.gaps);
    for (location, trace) in &found.reached {
        let run = run(program, model, trace).expect("a possible run");
        assert!(run.last().locations.contains(location));
    }
    Some(found)
}

/// The same about the reference.
fn expected_summary(program: &Program, found: &Explored) -> (Option<usize>, Vec<LocId>, bool) {
    match shortest(program, found) {
        Some(length) => (Some(length), Vec::new(), false),
        None => (None, found.reached.keys().copied().collect(), !found.gaps.is_empty()),
    }
}

/// Length of the shortest run that violates an assertion.
fn shortest(program: &Program, found: &Explored) -> Option<usize> {
    let violations = found
        .reached
        .iter()
        .filter(|(location, _)| matches!(program.location(**location).mark, Some(Mark::Error(_))));
    violations.map(|(_, trace)| trace.moves.len()).min()
}

/// Compares on the programs of some seeds; returns how many were small enough, and how many of those were
/// unsafe.
fn compare(seeds: std::ops::Range<u64>, features: Features) -> (usize, usize) {
    let (mut compared, mut unsafe_ones) = (0, 0);
    for seed in seeds {
        let program = random_program(seed, features);
        for model in MODELS {
            let Some(expect) = expected(&program, model) else { continue };
            let violated = shortest(&program, &expect).is_some();
            let context = || format!("seed {seed} {features:?} {model:?}\n{program}");
            let full = explore(&program, &options(model, Reduction::None), &mut Silent);
            assert_eq!(summary(&program, model, &full), expected_summary(&program, &expect), "{}", context());
            if features == Features::Closed && !violated {
                assert_eq!(full.states, expect.states as u64, "{}", context());
            }
            for reduction in [Reduction::Static, Reduction::Persistent] {
                let reduced = explore(&program, &options(model, reduction), &mut Silent);
                assert_reduced(&program, model, &reduced, &expect, &context);
                assert!(reduced.states <= full.states || violated, "{}", context());
            }
            compared += 1;
            unsafe_ones += usize::from(violated);
        }
    }
    (compared, unsafe_ones)
}

/// A reduced exploration answers the same question: is an assertion violated, and if not, which marks are
/// reached, and were buffers full?
fn assert_reduced(
    program: &Program,
    model: MemoryModel,
    reduced: &Exploration,
    expect: &Explored,
    context: &dyn Fn() -> String,
) {
    let (violation, marks, full) = summary(program, model, reduced);
    assert_eq!(violation.is_some(), shortest(program, expect).is_some(), "{}", context());
    if violation.is_none() {
        let certain = marks.is_empty() && !full;
        assert_eq!(certain, expect.reached.is_empty() && expect.gaps.is_empty(), "{}", context());
        if expect.gaps.is_empty() {
            assert_eq!(marks, expect.reached.keys().copied().collect::<Vec<_>>(), "{}", context());
        }
    }
}

#[test]
fn closed_programs_have_the_same_states_and_verdicts() {
    let (compared, unsafe_ones) = compare(0..count(1500), Features::Closed);
    assert!(compared > 2000, "{compared} were small enough");
    assert!(unsafe_ones > 300 && unsafe_ones < compared - 500, "{unsafe_ones} of {compared} are unsafe");
}

#[test]
fn programs_with_open_values_have_the_same_verdicts() {
    let (compared, unsafe_ones) = compare(10_000..10_000 + count(500), Features::Open);
    assert!(compared > 500, "{compared} were small enough");
    assert!(unsafe_ones > 100, "{unsafe_ones} of {compared} are unsafe");
}

/// Programs with threads that are alike: states that differ by who does what are one, with and without other
/// reductions; nothing is missed, and runs that are told are runs of the program.
#[test]
fn threads_that_are_alike_need_not_be_told_apart() {
    let (mut compared, mut unsafe_ones, mut grouped, mut fewer) = (0, 0, 0, 0);
    for seed in 20_000..20_000 + count(1000) {
        let features = if seed.is_multiple_of(3) { Features::Open } else { Features::Closed };
        let program = random_alike_program(seed, features);
        grouped += usize::from(!groups(&program).is_empty());
        for model in MODELS {
            let Some(expect) = expected(&program, model) else { continue };
            let violated = shortest(&program, &expect).is_some();
            let context = || format!("seed {seed} {features:?} {model:?}\n{program}");
            for reduction in [Reduction::None, Reduction::Static, Reduction::Persistent] {
                let told = options(model, reduction);
                let apart = explore(&program, &told, &mut Silent);
                let alike = explore(&program, &Options { symmetry: Symmetry::On, ..told }, &mut Silent);
                assert_reduced(&program, model, &alike, &expect, &context);
                assert!(alike.states <= apart.states || violated, "{}", context());
                fewer += usize::from(alike.states < apart.states);
                if reduction == Reduction::None {
                    let length = |found: &Exploration| summary(&program, model, found).0;
                    assert_eq!(length(&alike), length(&apart), "{}", context());
                }
            }
            compared += 1;
            unsafe_ones += usize::from(violated);
        }
    }
    assert!(grouped * 10 > count(1000) as usize * 9, "{grouped} programs with groups");
    assert!(compared > count(1000) as usize, "{compared} were small enough");
    assert!(unsafe_ones > compared / 10 && unsafe_ones < compared * 9 / 10, "{unsafe_ones} are unsafe");
    assert!(fewer > compared, "{fewer} explorations were smaller");
}
