//! The partitions of the protocols in Table 1 of the paper, as `regrain partition` shows them, and the counts
//! of `regrain compare`.

use std::path::Path;
use std::time::Duration;

use regrain::engine::cegar::Refinement;
use regrain::frontend::{self, Granularity};
use regrain::observe::Statistics;
use regrain::program::Program;
use regrain::report::compare::{Comparison, Mode, Row};
use regrain::report::partition::{Extent, Shown};
use regrain::verify::{Engine, Settings, verify};

use crate::answer::{answer, safety};

fn load(name: &str) -> Program {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks").join(name);
    let options = frontend::Options { granularity: Granularity::Statement, ..frontend::Options::default() };
    frontend::load(&file, &options).unwrap_or_else(|diagnostic| panic!("{name}: {}", diagnostic.message))
}

fn shown(name: &str, extent: Extent) -> String {
    let program = load(name);
    Shown::new(&program, &answer(&program, Engine::Cegar, &Settings::default()), extent).text()
}

fn assert_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn final_partitions() {
    for name in ["bakery_atomic", "bakery"] {
        assert_snapshot(&format!("classes_{name}"), &shown(&format!("mutex/{name}.c"), Extent::Final));
    }
    for name in ["bluetooth", "mozilla_order", "time_varying_mutex"] {
        assert_snapshot(&format!("classes_{name}"), &shown(&format!("drivers/{name}.c"), Extent::Final));
    }
}

#[test]
fn histories() {
    for name in ["bakery_atomic", "bakery"] {
        assert_snapshot(&format!("history_{name}"), &shown(&format!("mutex/{name}.c"), Extent::History));
    }
    for name in ["bluetooth", "mozilla_order", "time_varying_mutex"] {
        assert_snapshot(&format!("history_{name}"), &shown(&format!("drivers/{name}.c"), Extent::History));
    }
}

fn mode(program: &Program, refinement: Refinement) -> Mode {
    let mut statistics = Statistics::default();
    let settings = Settings { refinement, ..Settings::default() };
    let found = verify(program, Engine::Cegar, &settings, &mut statistics).expect("no fault");
    let [reach, refine] = [Duration::ZERO; 2];
    Mode { reach, refine, ..Mode::new(&found, Duration::ZERO, &statistics) }
}

/// What `regrain compare` shows of the protocols, but for the times.
#[test]
fn comparison() {
    let names = [
        "mutex/bakery_atomic",
        "mutex/bakery",
        "drivers/bluetooth",
        "drivers/mozilla_order",
        "drivers/time_varying_mutex",
    ];
    let row = |name: &&str| {
        let program = load(&format!("{name}.c"));
        let [old, new] = [Refinement::Monotonic, Refinement::NonMonotonic].map(|kind| mode(&program, kind));
        Row::new((*name).to_owned(), vec![(old, new)])
    };
    let comparison = Comparison { rows: names.iter().map(row).collect() };
    assert_snapshot("comparison", &format!("{}\n{}", comparison.text(), comparison.csv()));
}

/// No more classes than the paper has in its table, and no more than the baseline.
#[test]
fn class_counts_of_the_papers_table() {
    let programs = [
        ("mutex/bakery_atomic.c", 7, 8),
        ("mutex/bakery.c", 10, 15),
        ("drivers/bluetooth.c", 5, 7),
        ("drivers/mozilla_order.c", 3, 5),
        ("drivers/time_varying_mutex.c", 7, 10),
    ];
    for (name, nonmonotonic, monotonic) in programs {
        let program = load(name);
        let classes = |refinement| {
            let mut statistics = Statistics::default();
            let settings = Settings { refinement, ..Settings::default() };
            let found = verify(&program, Engine::Cegar, &settings, &mut statistics).expect("no fault");
            assert_eq!(safety(&found), Some(true), "{name}: {:?}", found.claim());
            statistics.counts["Classes"]
        };
        let (new, old) = (classes(Refinement::NonMonotonic), classes(Refinement::Monotonic));
        assert!(new <= nonmonotonic && old <= monotonic && new <= old, "{name}: {new} and {old} classes");
    }
}
