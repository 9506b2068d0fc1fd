//! The explorer and the plain reference agree on random cooperative programs, before and after the passes.

use regrain::engine::explore::{Exploration, Options, Outcome, Reduction, explore};
use regrain::observe::Silent;
use regrain::program::pass::{self, PassOptions};
use regrain::program::{AssertionId, LocId, Mark, MemoryModel, Move, Policy, Program, Trace};
use regrain::replay::reference::{self, Explored};
use regrain::replay::{Cause, run};

use crate::random_cooperative::random_cooperative;
use crate::random_programs::Features;

/// Programs with more states are left out.
const STATES: usize = 2_000;

/// What an exploration shows: a violated assertion, how far it is, how many marks end the program's meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Shown {
    violated: bool,
    marks: usize,
}

fn shown(program: &Program, found: &Exploration) -> Shown {
    match &found.outcome {
        Outcome::Violation(assertion, trace) => {
            let run = run(program, MemoryModel::Sc, trace).expect("a possible run");
            assert_eq!(run.violation(program), Some(*assertion));
            Shown { violated: true, marks: 0 }
        }
        Outcome::Clean { marks, gaps, stop } => {
            assert!(gaps.is_empty() && stop.is_none(), "{gaps:?} {stop:?}");
            Shown { violated: false, marks: marks.len() }
        }
    }
}

/// What the reference finds, unless there are too many states. Every run that it shows is one.
fn expected(program: &Program) -> Option<Explored> {
    let found =
        reference::explore(program, &reference::Options { states: STATES, ..reference::Options::default() });
    for (location, trace) in &found.reached {
        let run = run(program, MemoryModel::Sc, trace).expect("a possible run");
        assert!(run.last().locations.contains(location));
        assert_eq!(run.steps.last().is_some_and(|step| step.misuse.is_some()), is_misuse(program, *location));
        refuses_other_turns(program, trace);
    }
    found.stop.is_none().then_some(found)
}

fn is_misuse(program: &Program, location: LocId) -> bool {
    program
        .transitions
        .iter()
        .any(|transition| transition.call.as_ref().is_some_and(|call| call.misuse == location))
}

/// Nobody moves without a turn, and the scheduler decides only while nobody has one.
fn refuses_other_turns(program: &Program, trace: &Trace) {
    let cause = |trace: &Trace| run(program, MemoryModel::Sc, trace).map(|_| ()).map_err(|error| error.cause);
    for (position, action) in trace.moves.iter().enumerate() {
        let mut other = trace.clone();
        match action {
            Move::Schedule { .. } => {
                other.moves.remove(position);
                assert_eq!(cause(&other), Err(Cause::NotRunning));
                other.moves.insert(position, Move::Schedule { choice: 1_000 });
            }
            _ => other.moves.insert(position, Move::Schedule { choice: 0 }),
        }
        assert_eq!(cause(&other), Err(Cause::NotNext));
    }
}

fn violations(program: &Program, found: &Explored) -> Vec<(AssertionId, usize)> {
    let violated = found.reached.iter().filter_map(|(at, trace)| match program.location(*at).mark {
        Some(Mark::Error(assertion)) => Some((assertion, trace.moves.len())),
        _ => None,
    });
    violated.collect()
}

/// The length of a shortest violating run.
fn shortest(program: &Program, found: &Explored) -> Option<usize> {
    violations(program, found).into_iter().map(|(_, length)| length).min()
}

fn expected_shown(program: &Program, found: &Explored) -> Shown {
    let violated = shortest(program, found).is_some();
    Shown { violated, marks: if violated { 0 } else { found.reached.len() } }
}

fn explored(program: &Program, reduction: Reduction) -> Exploration {
    explore(program, &Options { reduction, ..Options::default() }, &mut Silent)
}

/// How many programs were compared, how many are unsafe, and how many have a misuse and no violation.
#[derive(Debug, Default)]
struct Compared {
    all: usize,
    violated: usize,
    misused: usize,
}

fn compare(policy: Policy, seeds: std::ops::Range<u64>, features: Features) -> Compared {
    let mut compared = Compared::default();
    for seed in seeds {
        let program = random_cooperative(policy, seed, features);
        let Some(expect) = expected(&program) else { continue };
        let context = || format!("{} seed {seed} {features:?}\n{program}", policy.name());
        let shows = expected_shown(&program, &expect);
        let full = explored(&program, Reduction::None);
        assert_eq!(shown(&program, &full), shows, "{}", context());
        match &full.outcome {
            Outcome::Violation(_, trace) => {
                assert_eq!(Some(trace.moves.len()), shortest(&program, &expect), "{}", context());
            }
            Outcome::Clean { .. } if features == Features::Closed => {
                assert_eq!(full.states, expect.states as u64, "{}", context());
            }
            Outcome::Clean { .. } => {}
        }
        let reduced = explored(&program, Reduction::Static);
        assert_eq!(shown(&program, &reduced), shows, "reduced: {}", context());
        assert!(reduced.states <= full.states || shows.violated, "{}", context());
        compare_passed(&program, &expect, &context);
        compared.all += 1;
        compared.violated += usize::from(shows.violated);
        compared.misused += usize::from(shows.marks > 0);
    }
    compared
}

/// After the passes the same assertions can be violated, and the program's meaning ends or does not as
/// before.
fn compare_passed(program: &Program, expect: &Explored, context: &dyn Fn() -> String) {
    let passed = pass::run(program.clone(), &PassOptions::default());
    let found = expected(&passed).unwrap_or_else(|| panic!("more states after the passes: {}", context()));
    let assertions = |program: &Program, found: &Explored| {
        let mut list: Vec<AssertionId> =
            violations(program, found).into_iter().map(|(assertion, _)| assertion).collect();
        list.sort_unstable();
        list
    };
    assert_eq!(assertions(&passed, &found), assertions(program, expect), "{}\n{passed}", context());
    let ends = |program: &Program, found: &Explored| {
        found.reached.keys().filter(|at| program.location(**at).ends_meaning()).count()
    };
    assert_eq!(ends(&passed, &found), ends(program, expect), "{}\n{passed}", context());
    let reduced = explored(&passed, Reduction::Static);
    assert_eq!(shown(&passed, &reduced), expected_shown(&passed, &found), "{}\n{passed}", context());
}

/// Compares so many programs with and without open values, and expects that enough of each kind are among
/// them.
fn compare_both(policy: Policy, programs: u64) {
    for (first, features) in [(0, Features::Closed), (1_000_000, Features::Open)] {
        let compared = compare(policy, first..first + programs, features);
        let enough = programs as usize / 2;
        assert!(compared.all > enough, "{compared:?}");
        assert!(compared.violated > enough / 10, "{compared:?}");
        // OSEK answers nearly everything that makes no sense with a code.
        assert!(compared.misused > 0 || policy == Policy::Osek, "{compared:?}");
    }
}

#[test]
fn programs_for_fair_threads_mean_the_same_everywhere() {
    compare_both(Policy::Fair, 500);
}

#[test]
fn programs_for_fair_threads_in_any_order_mean_the_same_everywhere() {
    compare_both(Policy::FairAnyOrder, 500);
}

#[test]
fn programs_for_systemc_mean_the_same_everywhere() {
    compare_both(Policy::SystemC, 500);
}

#[test]
fn programs_for_osek_mean_the_same_everywhere() {
    compare_both(Policy::Osek, 500);
}
