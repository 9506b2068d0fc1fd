//! The explorer and the plain reference agree on thousands of random programs under every memory model.

use regrain::observe::Silent;
use regrain::program::{LocId, MemoryModel, Program, Trace};
use regrain::replay::{Early, Exploration, Gap, Limits, Options, Outcome, Reduction, explore, run, tidy};

use crate::random_programs::{Features, random_program};
use crate::reference::{Found, reference};

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

fn expected(found: &Found) -> (Option<usize>, Vec<LocId>, bool) {
    match found.violation {
        Some(length) => (Some(length), Vec::new(), false),
        None => (None, found.marks.iter().copied().collect(), found.full),
    }
}

/// Compares on the programs of some seeds; returns how many were small enough, and how many of those were unsafe.
fn compare(seeds: std::ops::Range<u64>, features: Features) -> (usize, usize) {
    let (mut compared, mut unsafe_ones) = (0, 0);
    for seed in seeds {
        let program = random_program(seed, features);
        for model in MODELS {
            let Some(expect) = reference(&program, model, BUFFER, STATES) else { continue };
            let context = || format!("seed {seed} {features:?} {model:?}\n{program}");
            let full = explore(&program, &options(model, Reduction::None), &mut Silent);
            assert_eq!(summary(&program, model, &full), expected(&expect), "{}", context());
            if features == Features::Closed && expect.violation.is_none() {
                assert_eq!(full.states, expect.states, "{}", context());
            }
            let reduced = explore(&program, &options(model, Reduction::Standard), &mut Silent);
            assert_reduced(&program, model, &reduced, &expect, &context);
            assert!(reduced.states <= full.states || expect.violation.is_some(), "{}", context());
            compared += 1;
            unsafe_ones += usize::from(expect.violation.is_some());
        }
    }
    (compared, unsafe_ones)
}

/// A reduced exploration answers the same question: is an assertion violated, and if not, is the answer certain?
fn assert_reduced(
    program: &Program,
    model: MemoryModel,
    reduced: &Exploration,
    expect: &Found,
    context: &dyn Fn() -> String,
) {
    let (violation, marks, full) = summary(program, model, reduced);
    assert_eq!(violation.is_some(), expect.violation.is_some(), "{}", context());
    if violation.is_none() {
        let certain = marks.is_empty() && !full;
        assert_eq!(certain, expect.marks.is_empty() && !expect.full, "{}", context());
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
