//! The engines `cegar` and `explore` never disagree on random programs; what `cegar` proves is checked, what it refutes is replayed.
//!
//! Every test run takes 120 programs; `REGRAIN_RANDOM_PROGRAMS=2000 cargo test --release --test tests cegar_against_explore` is the full run.

use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::cegar::{self, Preference, Refinement};
use regrain::engine::{Evidence, Verdict, explore};
use regrain::observe::Silent;
use regrain::program::{MemoryModel, Program};
use regrain::smt::IntModel;
use regrain::{proof, replay};

use crate::random_programs::{Features, random_program};

/// How often each verdict was agreed on.
#[derive(Debug, Default)]
struct Agreed {
    safe: usize,
    violated: usize,
    undecided: usize,
}

/// All combinations of options get their share of the programs. Words of two bits wrap around all the time, but they are unsigned, and
/// what the signed elements of arrays are given fits: mathematical integers must give the answers of the machine too.
fn options(seed: u64) -> cegar::Options {
    cegar::Options {
        refinement: if seed.is_multiple_of(2) { Refinement::NonMonotonic } else { Refinement::Monotonic },
        prefer: if seed.is_multiple_of(3) { Preference::Control } else { Preference::Data },
        int_model: if (seed / 2).is_multiple_of(2) { IntModel::BitVector } else { IntModel::Integer },
        memory_model: MemoryModel::Sc,
        budget: Budget::unlimited().with_time(Duration::from_secs(5)),
    }
}

fn compare(seed: u64, features: Features, agreed: &mut Agreed) {
    let program = random_program(seed, features);
    let context = || format!("seed {seed} {features:?}\n{program}");
    let options = options(seed);
    let expected = explore::check(&program, &explore::Options::default(), &mut Silent);
    let (found, _) = cegar::check(&program, &options, &mut Silent);
    match (&found, &expected) {
        (Verdict::Safe(evidence), Verdict::Safe(_)) => {
            check_proof(&program, evidence, options.int_model, &context);
            agreed.safe += 1;
        }
        (Verdict::Unsafe(violation), Verdict::Unsafe(_)) => {
            let run = replay::run(&program, MemoryModel::Sc, &violation.trace).expect("a possible run");
            assert_eq!(run.violation(&program), Some(violation.assertion), "{}", context());
            agreed.violated += 1;
        }
        (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => agreed.undecided += 1,
        _ => panic!("cegar says {found:?}, explore says {expected:?}: {}", context()),
    }
}

fn check_proof(program: &Program, evidence: &Evidence, int_model: IntModel, context: &dyn Fn() -> String) {
    let Evidence::Invariant(invariant) = evidence else { panic!("{evidence:?}: {}", context()) };
    let checked = proof::check(program, invariant, int_model, &Budget::unlimited());
    assert!(checked.is_ok(), "{checked:?}: {}", context());
}

fn compare_all(count: u64) -> Agreed {
    let mut agreed = Agreed::default();
    for seed in 0..count {
        let features = if seed.is_multiple_of(5) { Features::Open } else { Features::Closed };
        compare(seed, features, &mut agreed);
    }
    agreed
}

#[test]
fn random_programs_get_one_verdict() {
    let asked = std::env::var("REGRAIN_RANDOM_PROGRAMS").ok();
    let count = asked.map_or(120, |number| number.parse().expect("REGRAIN_RANDOM_PROGRAMS is a number"));
    let agreed = compare_all(count);
    let few = count as usize / 6;
    assert!(agreed.safe >= few && agreed.violated >= few && agreed.undecided <= 2 * few, "{agreed:?}");
}
