//! Engine `esst` and the plain reference agree on random cooperative programs, under every reduction;
//! certificates pass their check, which `verify` makes.

use regrain::engine::Claim;
use regrain::engine::esst::Reduction;
use regrain::observe::Silent;
use regrain::program::{Mark, Policy, Program};
use regrain::replay::reference;
use regrain::verify::{Engine, Settings, verify};

use crate::random_cooperative::random_cooperative;
use crate::random_programs::Features;

/// Programs with more states are left out.
const STATES: usize = 2_000;

/// What is to be said of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Verdict {
    Safe,
    Unsafe,
    Undefined,
}

/// What the reference says, unless there are too many states.
fn expected(program: &Program) -> Option<Verdict> {
    let options = reference::Options { states: STATES, ..reference::Options::default() };
    let found = reference::explore(program, &options);
    let violated = found.reached.keys().any(|&at| matches!(program.location(at).mark, Some(Mark::Error(_))));
    let verdict = match (violated, found.reached.is_empty()) {
        (true, _) => Verdict::Unsafe,
        (false, true) => Verdict::Safe,
        (false, false) => Verdict::Undefined,
    };
    found.stop.is_none().then_some(verdict)
}

/// Compares so many programs; how many were safe, unsafe, and without meaning.
fn compare(policy: Policy, features: Features, seeds: std::ops::Range<u64>) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in seeds {
        let program = random_cooperative(policy, seed, features);
        let Some(expect) = expected(&program) else { continue };
        counts[expect as usize] += 1;
        for blocks in Reduction::ALL {
            let settings = Settings { blocks, ..Settings::default() };
            let answer = verify(&program, Engine::Esst, &settings, &mut Silent);
            let context = || format!("{} seed {seed} {features:?} {blocks:?}\n{program}", policy.name());
            let answer = answer.unwrap_or_else(|fault| panic!("{fault}\n{}", context()));
            let verdict = match answer.claim() {
                Claim::Safe(_) => Verdict::Safe,
                Claim::Unsafe(_) => Verdict::Unsafe,
                Claim::Unknown(reason) => {
                    assert!(answer.run().is_some(), "{reason:?}\n{}", context());
                    Verdict::Undefined
                }
            };
            assert_eq!(verdict, expect, "{}", context());
        }
    }
    counts
}

/// How many programs are compared: more than a few where somebody asks.
fn programs(few: u64) -> u64 {
    std::env::var("REGRAIN_COOPERATIVE").ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

fn compare_both(policy: Policy) {
    let count = programs(60);
    for (first, features) in [(0, Features::Closed), (1_000_000, Features::Open)] {
        let [safe, violated, undefined] = compare(policy, features, first..first + count);
        let enough = count as usize / 20;
        assert!(
            safe > enough && violated > enough && safe + violated + undefined > 2 * enough,
            "{safe} {violated} {undefined}"
        );
    }
}

#[test]
fn random_programs_for_fair_threads() {
    compare_both(Policy::Fair);
}

#[test]
fn random_programs_for_fair_threads_in_any_order() {
    compare_both(Policy::FairAnyOrder);
}

#[test]
fn random_programs_for_systemc() {
    compare_both(Policy::SystemC);
}

#[test]
fn random_programs_for_osek() {
    compare_both(Policy::Osek);
}
