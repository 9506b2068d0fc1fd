//! Random C programs: the reference, all engines and all memory models say the same of concurrent ones, and
//! engines compute what the native compiler's code computes of sequential ones. `./x fuzz` does the same with
//! as many programs as one likes.

use std::collections::BTreeSet;
use std::time::Duration;

use regrain::verify::Engine;

use crate::fuzz::features::{Feature, Features};
use crate::fuzz::judge::{Finding, Said, judge};
use crate::fuzz::native::Workshop;
use crate::fuzz::plan::Plan;
use crate::fuzz::prelude::{Inputs, Prelude, plain};
use crate::fuzz::tally::Tally;
use crate::fuzz::truth::{Oracle, Truth};
use crate::fuzz::{checksum, generator, reducer, sequential};

/// Long enough for every answer, so that none depends on the speed of the machine.
const TIME: Duration = Duration::from_secs(60);

#[test]
fn concurrent_programs_get_one_verdict() {
    let prelude = Prelude::new();
    let mut tally = Tally::default();
    for number in 0..200 {
        let plan = Plan { time: TIME, ..Plan::of(number) };
        let program = generator::concurrent(number, plan.size, Features::usual());
        let report = judge(&prelude.preprocessed(&program, Inputs::Known), &plan);
        assert!(report.findings.is_empty(), "program {number}: {report:?}\n{}", plain(&program));
        tally.count(&report);
    }
    assert!(tally.truths["clean"] >= 50 && tally.truths["violated"] >= 50, "{tally}");
    let open = tally.truths.get("open").copied().unwrap_or(0);
    let unknown: u64 = tally.unknowns.values().sum();
    assert!(open <= 60 && unknown <= 5, "{tally}");
}

/// The same with memory that is accessed at several widths in each program.
#[test]
fn concurrent_programs_with_bytes_get_one_verdict() {
    let prelude = Prelude::new();
    let features = Features::usual().always(Feature::Unions).always(Feature::Bitfields);
    for number in 10_000..10_060 {
        let plan = Plan { time: TIME, ..Plan::of(number) };
        let program = generator::concurrent(number, plan.size, features);
        let report = judge(&prelude.preprocessed(&program, Inputs::Known), &plan);
        assert!(report.findings.is_empty(), "program {number}: {report:?}\n{}", plain(&program));
    }
}

#[test]
fn sequential_programs_compute_what_the_native_compiler_does() {
    let prelude = Prelude::new();
    let workshop = Workshop::new("test");
    let numbers = 0..100;
    let programs: Vec<_> = numbers
        .clone()
        .map(|number| (sequential::sequential(number, 8, Features::usual()), sequential::entry(number)))
        .collect();
    let results = workshop.results(&programs).expect("the compiler takes the programs");
    let mut tally = Tally::default();
    for ((number, (program, entry)), value) in numbers.zip(&programs).zip(results) {
        let Some(value) = value else { continue };
        let (mut plan, inputs) = checksum::plan(number);
        // Predicates and interpolants over long chains of machine arithmetic take minutes.
        plan.engines.retain(|&engine| engine == Engine::Explore || engine == Engine::Scar);
        let plan = (Plan { time: TIME, ..plan }, inputs);
        let report = checksum::judge(&prelude, program, entry, value, &plan);
        assert!(report.findings.is_empty(), "program {number} gives {value}: {report:?}\n{}", plain(program));
        tally.count(&report);
    }
    assert!(tally.programs >= 60, "{tally}");
    assert!(tally.unknowns.values().sum::<u64>() <= 2, "{tally}");
}

/// What is looked for is kept, and hardly anything else.
#[test]
fn reduced_programs_are_small() {
    let weak = "atomic_compare_exchange_weak";
    let numbers = (0..2000)
        .filter(|&number| plain(&generator::concurrent(number, 4, Features::usual())).contains(weak));
    let mut tried = 0;
    for number in numbers.take(20) {
        let program = generator::concurrent(number, 4, Features::usual());
        let small = reducer::reduce(&program, &mut |candidate| plain(candidate).contains(weak));
        let lines = plain(&small).lines().filter(|line| !line.starts_with('#')).count();
        assert!(plain(&small).contains(weak) && lines <= 9, "{}", plain(&small));
        tried += 1;
    }
    assert_eq!(tried, 20);
}

/// A smaller program is kept only if the same thing is wrong with it.
#[test]
fn findings_are_told_apart() {
    let truth = |violated| Truth { violated, marks: BTreeSet::new(), judge: Oracle::Reference };
    let wrong = |said, violated| Finding::Wrong(Engine::Scar, "sc", said, truth(violated));
    let (missed, invented) = (wrong(Said::Safe, true), wrong(Said::Unsafe, false));
    assert!(missed.same_kind(&missed) && !missed.same_kind(&invented));
    let refused = |text: &str| Finding::Refused(text.to_owned());
    assert!(refused("`a` has 3 members").same_kind(&refused("`b` has 4 members")));
    assert!(!refused("a wrong type").same_kind(&refused("a wrong name")));
}

/// Over a few thousand programs, whatever the generators can make comes up.
#[test]
fn all_parts_of_the_language_come_up() {
    let all: String =
        (0..3000).map(|number| plain(&generator::concurrent(number, 4, Features::usual()))).collect();
    let parts = [
        "_Bool",
        "signed char",
        "unsigned short",
        "long long",
        "_Atomic",
        "_strong",
        "_weak",
        "__atomic_",
        "__sync_",
        "fence",
        "pthread_mutex_lock",
        "trylock",
        "RECURSIVE",
        "ERRORCHECK",
        "cond_wait",
        "sem_wait",
        "rwlock",
        "barrier_wait",
        "pthread_once",
        "spin_lock",
        "a[",
        "struct S",
        "struct N",
        "union U",
        " : 3;",
        "*p",
        "malloc",
        "free",
        "nondet",
        "_Thread_local",
        "for (",
        "while (",
        "do {",
        "switch",
        "goto",
        "change_",
        "choose_",
        "__VERIFIER_atomic_begin",
        "volatile",
        "assert",
        "assume",
    ];
    for part in parts {
        assert!(all.contains(part), "{part}");
    }
}
