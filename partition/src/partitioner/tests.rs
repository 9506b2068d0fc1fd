//! Partitions of histories, small and large.

use super::*;
use crate::oracle::{GrowthStrings, Problem, Problems};
use std::sync::atomic::{AtomicBool, Ordering};

fn solve(problem: &Problem) -> Partition {
    solve_in(problem, DEFAULT_STEPS)
}

fn solve_in(problem: &Problem, steps: u64) -> Partition {
    let mut partitioner = Partitioner::new(&problem.sizes).with_steps(steps);
    problem.paths.iter().for_each(|path| partitioner.add_path(path.iter().copied()));
    partitioner.solve().expect("no stop").clone()
}

/// Each round: a line of mismatches, the partition that excludes all lines so far.
fn history(problem: &Problem) -> String {
    let mut partitioner = Partitioner::new(&problem.sizes);
    let mut text = String::new();
    for path in &problem.paths {
        partitioner.add_path(path.iter().copied());
        let mismatches: Vec<String> = path.iter().map(Mismatch::to_string).collect();
        let partition = partitioner.solve().expect("no stop");
        text += &format!("{}  =>  {partition}\n", mismatches.join(" "));
    }
    text
}

fn assert_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Section 2 of the paper; its locations 11 to 20 are 0 to 9 here, and 1 to 10 are component 0.
fn bakery() -> Problem {
    let mismatch = |l, other| Mismatch::new(1, l, other);
    let paths = vec![vec![mismatch(0, 2), mismatch(3, 6)], vec![mismatch(1, 5)], vec![mismatch(0, 1)]];
    Problem { sizes: vec![10, 10], paths }
}

#[test]
fn the_papers_example() {
    assert_snapshot("partition_bakery", &history(&bakery()));
}

#[test]
fn rounds_of_two_components() {
    let seed = 20;
    assert_snapshot("partition_rounds", &history(&Problems::new(seed).problem(&[6, 5], 12, 3)));
}

#[test]
fn without_paths_one_class_each() {
    let mut partitioner = Partitioner::new(&[3, 0, 1]);
    assert_eq!(partitioner.solve().expect("no stop").total(), 2);
    assert_eq!(partitioner.statistics(), Statistics::default());
}

#[test]
fn a_clique_needs_all_classes() {
    for n in 2..=7 {
        let pairs = (0..n).flat_map(|l| (0..l).map(move |other| vec![Mismatch::new(0, l, other)]));
        let partition = solve(&Problem { sizes: vec![n], paths: pairs.collect() });
        assert_eq!(partition.total(), n);
    }
}

/// Excluding all within component 0 would take four classes there; one more in component 1 saves two of
/// them.
#[test]
fn connected_components_are_minimised_together() {
    let way_out = Mismatch::new(1, 0, 1);
    let mut paths = vec![vec![Mismatch::new(0, 0, 1)]];
    for (l, other) in [(0, 2), (1, 2), (0, 3), (1, 3), (2, 3)] {
        paths.push(vec![Mismatch::new(0, l, other), way_out]);
    }
    let partition = solve(&Problem { sizes: vec![4, 2], paths });
    assert_eq!(partition.to_string(), "{0,2} {1,3} | {0} {1}");
}

/// Minimum, preference and names, exactly, on small random problems.
#[test]
fn equals_the_oracle() {
    let seed = 1;
    let mut random = Problems::new(seed);
    let mut strings = GrowthStrings::default();
    let shapes: [&[usize]; 8] = [&[2], &[4], &[6], &[7], &[5, 4], &[3, 6], &[4, 3, 3], &[2, 3, 2, 4]];
    for number in 0..4_000 {
        let sizes = shapes[number % shapes.len()];
        let (paths, longest) = (random.within(1..=14), random.within(1..=4));
        let problem = random.problem(sizes, paths, longest);
        let best = problem.best(&mut strings);
        // By trying alone, by the solver alone.
        for steps in [u64::MAX, 0] {
            let found = solve_in(&problem, steps);
            let weights = (problem.weight(&found), problem.weight(&best));
            assert_eq!(found, best, "seed {seed}, problem {number}, weights {weights:?}: {problem:?}");
        }
    }
}

/// Adding the paths one by one, solving each time, comes to the same as adding them at once in another
/// order.
#[test]
fn rounds_and_order_do_not_matter() {
    let seed = 2;
    let mut random = Problems::new(seed);
    for number in 0..150 {
        let mut problem = random.problem(&[9, 6, 7], 20, 3);
        let mut partitioner = Partitioner::new(&problem.sizes).with_steps(0);
        let mut previous = 0;
        for path in &problem.paths {
            partitioner.add_path(path.iter().copied());
            let total = partitioner.solve().expect("no stop").total();
            assert!(total >= previous, "the minimum never falls");
            previous = total;
        }
        assert_eq!(partitioner.statistics().limited, 0);
        problem.paths.reverse();
        assert_eq!(*partitioner.partition(), solve(&problem), "seed {seed}, problem {number}: {problem:?}");
    }
}

/// However little effort: all paths are excluded with the fewest classes.
#[test]
fn the_minimum_is_exact_with_any_effort() {
    let seed = 4;
    let mut random = Problems::new(seed);
    let mut strings = GrowthStrings::default();
    let mut limited = 0;
    for number in 0..600 {
        let problem = random.problem(&[5, 4], 12, 3);
        let mut partitioner =
            Partitioner::new(&problem.sizes).with_steps(number % 20).with_effort(number % 6);
        problem.paths.iter().for_each(|path| partitioner.add_path(path.iter().copied()));
        let found = partitioner.solve().expect("no stop").clone();
        let best = problem.best(&mut strings);
        assert!(problem.excluded_by(&found), "seed {seed}, problem {number}: {problem:?}");
        assert_eq!(found.total(), best.total(), "seed {seed}, problem {number}: {problem:?}");
        limited += partitioner.statistics().limited;
        assert!(found == best || partitioner.statistics().limited > 0, "a limit is reported");
    }
    assert!(limited > 300, "the limits were tested: {limited}");
}

/// A large problem in 150 rounds, with limits; twice the same.
#[test]
fn sixty_locations() {
    let problem = Problems::new(60).problem(&[60], 150, 3);
    let run = || {
        let mut partitioner = Partitioner::new(&problem.sizes).with_effort(100);
        for path in &problem.paths {
            partitioner.add_path(path.iter().copied());
            partitioner.solve().expect("no stop");
        }
        (partitioner.partition().clone(), partitioner.statistics())
    };
    let (partition, statistics) = run();
    assert!(problem.excluded_by(&partition));
    assert_eq!(partition.total(), 3);
    let mismatches: usize = problem.paths.iter().map(Vec::len).sum();
    assert!(problem.weight(&partition) * 10 >= mismatches * 8, "{} separated", problem.weight(&partition));
    assert!(statistics.queries < 15_000 && statistics.conflicts < 40_000, "{statistics:?}");
    assert!((1..150).contains(&statistics.limited), "{statistics:?}");
    assert_eq!(run(), (partition, statistics));
}

#[test]
fn a_stop_interrupts_and_can_be_lifted() {
    let stopped = Arc::new(AtomicBool::new(true));
    let asked = Arc::clone(&stopped);
    let mut partitioner = Partitioner::new(&[3]).with_stop(Arc::new(move || asked.load(Ordering::Relaxed)));
    partitioner.add_path([Mismatch::new(0, 0, 1)]);
    assert_eq!(partitioner.solve(), Err(Interrupted));
    stopped.store(false, Ordering::Relaxed);
    assert_eq!(partitioner.solve().map(Partition::total), Ok(2));
}

#[test]
#[should_panic(expected = "has a mismatch")]
fn a_path_without_mismatch_is_refused() {
    Partitioner::new(&[3]).add_path([]);
}

#[test]
#[should_panic(expected = "no such location: 0:1≢3")]
fn an_unknown_location_is_refused() {
    Partitioner::new(&[3]).add_path([Mismatch::new(0, 3, 1)]);
}
