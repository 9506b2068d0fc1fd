//! Programs on which a pass that is a little too bold changes what is reachable.
//!
//! Each says which marks are reachable under which memory model, and every pass alone and all together must
//! agree.

use super::explorer::reachable_marks;
use super::text::parse;
use crate::program::MemoryModel::{self, Pso, Sc, Tso};
use crate::program::pass::{PassOptions, Stage, run};

#[track_caller]
fn check(text: &str, models: &[MemoryModel], marks: &[&str]) {
    let program = parse(text);
    for memory_model in [Sc, Tso, Pso] {
        let expected: Vec<&str> = if models.contains(&memory_model) { marks.to_vec() } else { Vec::new() };
        let options = PassOptions { memory_model };
        let raw = Stage::Fences.apply(program.clone(), &options);
        let mut versions = vec![program.clone(), run(program.clone(), &options)];
        versions.extend(Stage::ALL.map(|stage| stage.apply(raw.clone(), &options)));
        for version in versions {
            let found = reachable_marks(&version, memory_model).expect("few states");
            assert_eq!(
                found.iter().map(String::as_str).collect::<Vec<_>>(),
                expected,
                "{memory_model:?}\n{version}"
            );
        }
    }
}

#[test]
fn a_section_is_left_before_the_next_step_blocks() {
    check(
        "shared x: bool = 0
         shared y: bool = 0
         private(0) c: u2 = any
         thread 0 main from L0
           L0:
             -> L1 { y := 1 } full
           L1 atomic:
             -> L1 [c != 0] { c := c - 1 }
             -> L2 [c == 0]
           L2:
             -> L3 [x != 0]
           L3: error 0 `x == 0`
         thread 1 other from L4
           L4:
             -> L5 [y != 0]
           L5:
             -> L6 { x := 1 }
           L6: end",
        &[Sc, Tso, Pso],
        &["error 0"],
    );
}

#[test]
fn others_move_before_a_section_is_entered() {
    check(
        "shared x: bool = 0
         shared y: bool = 0
         private(0) c: u2 = any
         thread 0 main from L0
           L0:
             -> L1 { x := 1 } full
           L1:
             -> L2
           L2 atomic:
             -> L2 [c != 0] { c := c - 1 }
             -> L3 [c == 0 && y != 0]
           L3: error 0 `y == 0`
         thread 1 other from L4
           L4:
             -> L5 [x != 0]
           L5:
             -> L6 { y := 1 } full
           L6: end",
        &[Sc, Tso, Pso],
        &["error 0"],
    );
}

#[test]
fn others_see_a_write_before_the_next_step_blocks_or_ends_the_run() {
    check(
        "shared x: u2 = 0
         private(0) c: u2 = any
         thread 0 main from L0
           L0:
             -> L1 [c == 0] { x := 1 }
             -> L2 [c == 1] { x := 2 }
           L1:
             -> L3 [c == 3]
           L2:
             -> L4 [c == 1]
           L3: end
           L4: undefined `after`
         thread 1 other from L5
           L5:
             -> L6 [x == 1]
             -> L7 [x == 2]
           L6: error 0 `x != 1`
           L7: error 1 `x != 2`",
        &[Sc, Tso, Pso],
        &["error 0", "error 1", "undefined after"],
    );
}

#[test]
fn a_write_after_a_barrier_stays_in_the_buffer() {
    check(
        "shared f: bool = 0
         shared z: bool = 0
         shared w: bool = 0
         shared r0: bool = 1
         shared r1: bool = 1
         thread 0 main from L0
           L0:
             -> L1 { f := 1 } full
           L1 atomic:
             -> L2 { z := 1 }
           L2:
             -> L3 [w == 0]
           L3:
             -> L4 { r0 := 0 } full
           L4: end
         thread 1 other from L5
           L5:
             -> L6 { w := 1 } full
           L6:
             -> L7 [z == 0]
           L7:
             -> L8 [r0 == 0 && f != 0]
           L8: error 0 `w || z`",
        &[Tso, Pso],
        &["error 0"],
    );
}

#[test]
fn a_store_barrier_does_not_move_over_a_write() {
    check(
        "shared x: bool = 0
         shared y: bool = 0
         private(1) t: bool = 0
         thread 0 main from L0
           L0:
             -> L1 { x := 1 }
           L1 atomic:
             -> L2 store-store
           L2 atomic:
             -> L3 { y := 1 }
           L3: end
         thread 1 other from L4
           L4:
             -> L5 { t := y }
           L5:
             -> L6 [t != 0]
           L6:
             -> L7 [x == 0]
           L7: error 0 `x`",
        &[],
        &[],
    );
}

#[test]
fn a_hidden_write_is_seen_on_its_way_through_the_buffer() {
    check(
        "shared x: u2 = 0
         thread 0 main from L0
           L0:
             -> L1 { x := 1 }
           L1 atomic:
             -> L2 { x := 2 }
           L2: end
         thread 1 other from L3
           L3:
             -> L4 [x == 1]
           L4: error 0 `x != 1`",
        &[Tso, Pso],
        &["error 0"],
    );
}

#[test]
fn an_input_takes_a_value_each_time() {
    check(
        "input n: bool
         private(0) a: bool = 0
         private(0) b: bool = 0
         thread 0 main from L0
           L0:
             -> L1 { a := n }
           L1:
             -> L2 { b := n }
           L2:
             -> L3 [a != b]
           L3: error 0 `a == b`",
        &[Sc, Tso, Pso],
        &["error 0"],
    );
}

#[test]
fn main_does_not_run_ahead_of_a_thread_that_watches() {
    check(
        "shared started: bool = 0
         shared x: u2 = 0
         private(0) r: u2 = 0
         thread 0 main from L0
           L0:
             -> L1 { x := 1 } full
           L1:
             -> L2 { started := 1 } full
           L2:
             -> L3 { r := x }
           L3:
             -> L4 { x := 2 }
             -> L5 [r == 3]
           L4: end
           L5: error 0 `r != 3`
         thread 1 other from L6
           L6:
             -> L7 [started != 0]
           L7:
             -> L8 [x == 1]
             -> L9 [x == 0]
           L8:
             -> L10 { x := 3 }
           L9: error 1 `x != 0`
           L10: end",
        &[Sc, Tso, Pso],
        &["error 0"],
    );
}

#[test]
fn a_thread_started_through_the_buffer_may_see_old_values() {
    check(
        "shared started: bool = 0
         shared x: bool = 0
         thread 0 main from L0
           L0:
             -> L1 { x := 1 }
           L1:
             -> L2 { started := 1 }
           L2:
             -> L3 full
           L3: end
         thread 1 other from L4
           L4:
             -> L5 [started != 0]
           L5:
             -> L6 [x == 0]
           L6: error 0 `x`",
        &[Pso],
        &["error 0"],
    );
}

#[test]
fn whoever_stops_in_a_section_stops_everybody() {
    check(
        "shared x: bool = 0
         shared log: bool = 0
         private(0) c: bool = any
         thread 0 main from L0
           L0:
             -> L1 { x := 1 } full
           L1 atomic:
             -> L2 { log := 1 } full
           L2: end
         thread 1 other from L3
           L3:
             -> L4 [x != 0]
           L4: error 0 `!x`",
        &[Sc, Tso, Pso],
        &["error 0"],
    );
}
