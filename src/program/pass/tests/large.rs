//! Programs of tens of thousands of transitions: nothing may be quadratic.

use std::fmt::Write;

use super::text::parse;
use crate::program::pass::{PassOptions, run};
use crate::program::{MemoryModel, Program};

/// Threads that go through many blocks of a read, a computation, a case split with a check, a locked
/// increment and a write.
fn blocks(threads: usize, blocks: usize) -> Program {
    let mut text = String::from("shared x: i32 = 0\nshared y: i32 = 0\nshared m: bool = 0\n");
    for thread in 0..threads {
        for block in 0..blocks {
            for temp in ["t", "u", "v"] {
                writeln!(text, "private({thread}) {temp}_{thread}_{block}: i32 = any").unwrap();
            }
        }
    }
    let mut next = 0;
    for thread in 0..threads {
        writeln!(text, "thread {thread} t{thread} from L{next}").unwrap();
        for block in 0..blocks {
            let name = |temp: &str| format!("{temp}_{thread}_{block}");
            let (t, u, v) = (name("t"), name("u"), name("v"));
            let l = |i: usize| format!("L{}", next + i);
            writeln!(text, "{}:\n-> {} {{ {t} := x }}", l(0), l(1)).unwrap();
            writeln!(text, "{}:\n-> {} {{ {u} := {t} + 4 }}", l(1), l(2)).unwrap();
            writeln!(
                text,
                "{}:\n-> {} [{u} == 4]\n-> {} [{u} == 8]\n-> {} [{u} != 4 && {u} != 8]",
                l(2),
                l(3),
                l(4),
                l(5)
            )
            .unwrap();
            writeln!(text, "{}:\n-> {} {{ {v} := {u} * 2 }}", l(3), l(6)).unwrap();
            writeln!(text, "{}:\n-> {} {{ {v} := {u} - 1 }}", l(4), l(6)).unwrap();
            writeln!(text, "{}: undefined `invalid access`", l(5)).unwrap();
            writeln!(text, "{}:\n-> {} [m == 0] full", l(6), l(7)).unwrap();
            writeln!(text, "{} atomic:\n-> {} {{ m := 1 }} full", l(7), l(8)).unwrap();
            writeln!(text, "{}:\n-> {} {{ y := {v} }}", l(8), l(9)).unwrap();
            writeln!(text, "{}:\n-> {} {{ m := 0; x := {t} + 1 }} full", l(9), l(10)).unwrap();
            next += 10;
        }
        writeln!(text, "L{next}: end").unwrap();
        next += 1;
    }
    parse(&text)
}

/// One thread with a long computation on its own variables, then a check.
fn computation(steps: usize) -> Program {
    let mut text = String::from(
        "input n: i32\nprivate(0) a: i32 = any\nprivate(0) b: i32 = any\nthread 0 main from L0\n",
    );
    for step in 0..steps {
        let next = step + 1;
        match step % 3 {
            0 => writeln!(text, "L{step}:\n-> L{next} {{ a := a * b + {step} }}"),
            1 => writeln!(text, "L{step}:\n-> L{next} {{ b := a - b * 3 }}"),
            _ => writeln!(text, "L{step}:\n-> L{next} [a == {step}] {{ b := n }}\n-> L{next} [a != {step}]"),
        }
        .unwrap();
    }
    writeln!(text, "L{steps}:\n-> L{} [a == 7]\nL{}: error 0 `a != 7`", steps + 1, steps + 1).unwrap();
    parse(&text)
}

#[test]
fn many_blocks() {
    let program = blocks(10, 200);
    assert!(program.transitions.len() > 20_000);
    for memory_model in [MemoryModel::Sc, MemoryModel::Pso] {
        let after = run(program.clone(), &PassOptions { memory_model });
        // What is left of a block: the read with its cases, taking the lock, the write, the release.
        assert!(after.locations.len() <= 10 * 200 * 4 + 10, "{} locations", after.locations.len());
    }
}

#[test]
fn a_long_computation() {
    let after = run(computation(15_000), &PassOptions::default());
    assert!(after.locations.len() < 3_000, "{} locations", after.locations.len());
}
