//! The explorer and the plain reference agree on thousands of random programs under every memory model.

use regrain::engine::explore::{Early, Exploration, Gap, Limits, Options, Outcome, Reduction, explore};
use regrain::observe::Silent;
use regrain::program::{LocId, Mark, MemoryModel, Program, Trace};
use regrain::replay::reference::{self, Explored};
use regrain::replay::{run, tidy};

use crate::random_programs::{Features, random_program};

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];
/// Writes in a buffer; small, so that loops stay finite.
const BUFFER: usize = 3;
/// Programs with more states are left out.
const STATES: usize = 300;

fn options(model: MemoryModel, reduction: Reduction) -> Options {
    let limits = Limits { buffer: BUFFER, ..Limits::default() };
    Options { model, reduction, limits, ..Options::default() }
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
            let reduced = explore(&program, &options(model, Reduction::Standard), &mut Silent);
            assert_reduced(&program, model, &reduced, &expect, &context);
            assert!(reduced.states <= full.states || violated, "{}", context());
            compared += 1;
            unsafe_ones += usize::from(violated);
        }
    }
    (compared, unsafe_ones)
}

/// A reduced exploration answers the same question: is an assertion violated, and if not, is the answer
/// certain?
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
    }
}

#[test]
fn closed_programs_have_the_same_states_and_verdicts() {
    let (compared, unsafe_ones) = compare(0..1500, Features::Closed);
    assert!(compared > 2000, "{compared} were small enough");
    assert!(unsafe_ones > 300 && unsafe_ones < compared - 500, "{unsafe_ones} of {compared} are unsafe");
}

#[test]
fn programs_with_open_values_have_the_same_verdicts() {
    let (compared, unsafe_ones) = compare(10_000..10_500, Features::Open);
    assert!(compared > 500, "{compared} were small enough");
    assert!(unsafe_ones > 100, "{unsafe_ones} of {compared} are unsafe");
}
