//! The decisive test of the passes: they change what is reachable nowhere.

mod corners;
mod effects;
mod explorer;
mod generator;
mod large;
pub mod text;

use super::{PassOptions, Stage, run};
use crate::program::{MemoryModel, Program};
use crate::random::Random;
use explorer::reachable_marks;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// Compares the reachable marks of random programs before and after a transformation.
#[expect(clippy::print_stdout, reason = "a failing test shows its seed and how much it compared")]
fn compare(seed: u64, programs: usize, transform: impl Fn(usize, Program, &PassOptions) -> Program) {
    println!("seed {seed:#x}");
    let mut random = Random::new(seed);
    let (mut compared, mut reached) = (0, 0);
    for number in 0..programs {
        let before = generator::program(&mut random);
        for memory_model in MODELS {
            let Some(expected) = reachable_marks(&before, memory_model) else { continue };
            let after = transform(number, before.clone(), &PassOptions { memory_model });
            let Some(found) = reachable_marks(&after, memory_model) else { continue };
            assert_eq!(
                found, expected,
                "program {number}, {memory_model:?}\n{before}\n=== becomes ===\n{after}"
            );
            compared += 1;
            reached += usize::from(!expected.is_empty());
        }
    }
    println!("{compared} comparisons, {reached} with a reachable mark");
    assert!(compared > programs * 2, "most programs are small enough");
    assert!(reached > compared / 5 && reached < compared * 19 / 20, "both answers occur");
}

#[test]
fn all_passes_keep_the_reachable_marks() {
    compare(0x5eed_0010, 150, |_, program, options| run(program, options));
}

#[test]
fn each_pass_keeps_the_reachable_marks() {
    compare(0x5eed_0011, 150, |number, program, options| {
        let program = Stage::Fences.apply(program, options);
        Stage::ALL[number % Stage::ALL.len()].apply(program, options)
    });
}
