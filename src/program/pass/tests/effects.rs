//! What each pass does, text in, text out.

use super::text::parse;
use crate::program::pass::{PassOptions, Stage, run};
use crate::program::{MemoryModel, Program};

/// The text without the indentation that it has in this file.
fn plain(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

#[track_caller]
fn check_with(transform: impl FnOnce(Program) -> Program, before: &str, after: &str) {
    let found = transform(parse(before)).to_string();
    assert_eq!(plain(&found), plain(after), "\n{found}");
}

/// Applies one pass under SC, then removes what it left unused.
#[track_caller]
fn check(stage: Stage, before: &str, after: &str) {
    let options = PassOptions::default();
    check_with(|program| super::super::compact::run(stage.apply(program, &options)), before, after);
}

#[test]
fn a_thread_that_nobody_starts_goes_and_what_it_would_write_is_constant() {
    check(
        Stage::Constants,
        "shared started: bool = 0
         shared x: i32 = 5
         private(0) r: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { r := x }
           L1:
             -> L2 [r == 5]
             -> L3 [r != 5]
           L2:
             -> L2 { x := r }
           L3: error 0 `r == 5`
         thread 1 worker from L4
           L4:
             -> L5 [started != 0]
           L5:
             -> L6 { x := 6 }
           L6: end",
        "private(0) r: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { r := 5 }
           L1:
             -> L2
           L2:
             -> L2",
    );
}

#[test]
fn constants_follow_the_control_flow_and_guards() {
    check(
        Stage::Constants,
        "shared x: i32 = 0
         shared y: i32 = 0
         private(0) p: u64 = any
         private(0) r: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 [p == 4096] { r := 1 }
             -> L1 [p == 8192] { r := 1 }
           L1:
             -> L2 [p == 4096] { x := r }
             -> L2 [p == 8192] { y := r }
           L2:
             -> L3 [r == 0] { r := 7 }
             -> L3 [r == 1] { x := r + 2 }
           L3:
             -> L3 { r := r + x + y }
         thread 1 other from L4
           L4:
             -> L4 { x := y + 1 ; y := x }",
        "shared x: i32 = 0
         shared y: i32 = 0
         private(0) p: u64 = any
         private(0) r: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 [p == 4096] { r := 1 }
             -> L1 [p == 8192] { r := 1 }
           L1:
             -> L2 [p == 4096] { x := 1 }
             -> L2 [p == 8192] { y := 1 }
           L2:
             -> L3 { x := 3 }
           L3:
             -> L3 { r := r + x + y }
         thread 1 other from L4
           L4:
             -> L4 { x := y + 1; y := x }",
    );
}

#[test]
fn a_variable_of_one_thread_becomes_private() {
    check(
        Stage::Privatize,
        "shared x: i32 = 0
         shared y: i32 = 0
         thread 0 main from L0
           L0:
             -> L0 { x := x + y }
         thread 1 other from L1
           L1:
             -> L1 { y := 1 }",
        "private(0) x: i32 = 0
         shared y: i32 = 0
         thread 0 main from L0
           L0:
             -> L0 { x := x + y }
         thread 1 other from L1
           L1:
             -> L1 { y := 1 }",
    );
}

const SCAFFOLDED: &str = "
         shared a: i32[4] = {0...}
         shared started: bool = 0
         shared done: bool = 0
         private(0) i: i32 = any
         private(1) r: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { i := 0 }
           L1:
             -> L2 [i < 4]
             -> L4 [!(i < 4)]
           L2:
             -> L3 { a[i] := 2 * i }
           L3:
             -> L1 { i := i + 1 }
           L4:
             -> L5 { started := 1 } full
           L5:
             -> L6 [done != 0] full
           L6: end
         thread 1 worker from L7
           L7:
             -> L8 [started != 0] full
           L8:
             -> L9 { r := a[3] }
           L9:
             -> L10 [r == 6] { a[0] := r }
             -> L11 [r != 6]
           L10:
             -> L8 { done := 1 } full
           L11: error 0 `r == 6`";

#[test]
fn the_beginning_of_main_becomes_the_initial_state() {
    check(
        Stage::Scaffold,
        SCAFFOLDED,
        "shared a: i32[4] = {0, 2, 4, 6}
         shared done: bool = 0
         private(1) r: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 [done != 0] full
           L1: end
         thread 1 worker from L2
           L2:
             -> L3 { r := a[3] }
           L3:
             -> L4 [r == 6] { a[0] := r }
             -> L5 [r != 6]
           L4:
             -> L2 { done := 1 } full
           L5: error 0 `r == 6`",
    );
}

#[test]
fn a_main_that_only_starts_and_joins_costs_nothing() {
    check_with(
        |program| run(program, &PassOptions::default()),
        SCAFFOLDED,
        "thread 0 worker from L0
           L0: stuck",
    );
}

#[test]
fn local_steps_join_the_neighbouring_access() {
    check(
        Stage::Merge,
        "shared x: i32 = 0
         shared y: i32 = 0
         private(0) t: i32 = 0
         private(0) u: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { t := x }
           L1:
             -> L2 { u := t + 1 }
           L2:
             -> L3 { y := u }
           L3:
             -> L4 { t := x }
           L4:
             -> L5 [t == 1]
             -> L6 [t != 1]
           L5:
             -> L0
           L6: error 0 `x == 1`",
        "shared x: i32 = 0
         shared y: i32 = 0
         private(0) t: i32 = 0
         private(0) u: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { t := x; u := x + 1 }
           L1:
             -> L2 { y := u }
           L2:
             -> L0 [x == 1] { t := x }
             -> L3 [x != 1] { t := x }
           L3: error 0 `x == 1`",
    );
}

#[test]
fn a_write_is_kept_apart_from_a_step_that_may_block_or_end_the_run() {
    check(
        Stage::Merge,
        "shared x: i32 = 0
         private(0) t: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { x := 1 }
           L1:
             -> L2 [t == 0]
           L2:
             -> L3 { x := 2 }
           L3:
             -> L4 [t != 1]
             -> L5 [t == 1]
           L4:
             -> L4 { t := x }
           L5: error 0 `t != 1`",
        "shared x: i32 = 0
         private(0) t: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { x := 1 }
           L1:
             -> L2 [t == 0] { x := 2 }
           L2:
             -> L3 [t != 1]
             -> L4 [t == 1]
           L3:
             -> L3 { t := x }
           L4: error 0 `t != 1`",
    );
}

#[test]
fn an_atomic_section_becomes_one_step() {
    check(
        Stage::Merge,
        "shared m: bool = 0
         shared x: i32 = 0
         private(0) t: i32 = 0
         thread 0 main from L0
           L0:
             -> L1
           L1 atomic:
             -> L2 [m == 0]
           L2 atomic:
             -> L3 { m := 1 }
           L3:
             -> L4
           L4 atomic:
             -> L5 { t := x }
           L5 atomic:
             -> L6 [t < 10] { x := t + 1 }
             -> L0 [!(t < 10)]
           L6 atomic:
             -> L0 { x := x + t }",
        "shared m: bool = 0
         shared x: i32 = 0
         private(0) t: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 [m == 0] { m := 1 }
           L1:
             -> L0 [x < 10] { t := x; x := 2 * x + 1 }
             -> L0 [10 <= x] { t := x }",
    );
}

#[test]
fn elements_that_may_be_the_same_make_two_cases() {
    check(
        Stage::Merge,
        "shared a: i32[4] = {0...}
         private(0) i: u2 = 0
         private(0) j: u2 = 0
         private(0) r: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { a[i] := 1 }
           L1 atomic:
             -> L2 { a[j] := 2 }
           L2 atomic:
             -> L3 { a[j + 1] := 3 }
           L3 atomic:
             -> L0 { r := a[j] }",
        "shared a: i32[4] = {0...}
         private(0) i: u2 = 0
         private(0) j: u2 = 0
         private(0) r: i32 = 0
         thread 0 main from L0
           L0:
             -> L0 [j == i] { a[j] := 2; a[j + 1] := 3; r := a[j := 2][j + 1 := 3][j] }
             -> L0 [j != i && j == i - 1] { a[j] := 2; a[j + 1] := 3; r := a[j := 2][j + 1 := 3][j] }
             -> L0 [j != i && j != i - 1] { a[i] := 1; a[j] := 2; a[j + 1] := 3; r := a[i := 1][j := 2][j + 1 := 3][j] }",
    );
}

#[test]
fn barriers_stay_where_one_cannot_stand_for_two() {
    let before = "
         shared x: i32 = 0
         shared y: i32 = 0
         private(0) r: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { x := 1 } full
           L1 atomic:
             -> L2 { r := x }
           L2 atomic:
             -> L3 { y := 1 }
           L3:
             -> L4 { x := 2 }
           L4 atomic:
             -> L0 { r := x } full";
    let merge = |memory_model| {
        move |program| {
            let options = PassOptions { memory_model };
            let program = Stage::Merge.apply(Stage::Fences.apply(program, &options), &options);
            super::super::compact::run(program)
        }
    };
    check_with(
        merge(MemoryModel::Sc),
        before,
        "shared x: i32 = 0
         shared y: i32 = 0
         private(0) r: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { x := 1; r := 1; y := 1 }
           L1:
             -> L0 { x := 2; r := 2 }",
    );
    check_with(
        merge(MemoryModel::Tso),
        before,
        "shared x: i32 = 0
         shared y: i32 = 0
         private(0) r: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { x := 1; r := 1 } full
           L1 atomic:
             -> L2 { y := 1 }
           L2:
             -> L0 { x := 2; r := 2 } full",
    );
}

#[test]
fn what_no_mark_depends_on_goes() {
    check(
        Stage::Slice,
        "shared x: i32 = 0
         shared log: i32 = 0
         shared done: bool = 0
         private(0) r: i32 = 0
         private(0) n: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { r := x; n := n + 1; log := n }
           L1:
             -> L2 [r == 3]
             -> L3 [r != 3]
             -> L0 [n == 5]
           L2: error 0 `r != 3`
           L3:
             -> L4 [done != 0]
           L4: end
         thread 1 writer from L5
           L5:
             -> L6 { x := x + 1 }
           L6:
             -> L5
             -> L7 [log == 2]
           L7:
             -> L8 { done := 1 }
           L8: end",
        "shared x: i32 = 0
         private(0) r: i32 = 0
         private(0) n: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { r := x; n := n + 1 }
           L1:
             -> L2 [r == 3]
             -> L0 [n == 5]
           L2: error 0 `r != 3`
         thread 1 writer from L3
           L3:
             -> L4 { x := x + 1 }
           L4:
             -> L3",
    );
}

#[test]
fn updates_that_nobody_reads_go() {
    check(
        Stage::Dead,
        "shared x: i32 = 0
         shared log: i32 = 0
         input n: i32
         private(0) r: i32 = 0
         private(0) t: i32 = 0
         private(0) count: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { t := n; log := r; count := count + 1 }
           L1:
             -> L2 { t := x; r := 2 }
           L2:
             -> L0 { x := t + 1; r := 1 }
         thread 1 other from L3
           L3:
             -> L3 { x := 2; log := 1 }",
        "shared x: i32 = 0
         private(0) t: i32 = 0
         thread 0 main from L0
           L0:
             -> L1
           L1:
             -> L2 { t := x }
           L2:
             -> L0 { x := t + 1 }
         thread 1 other from L3
           L3:
             -> L3 { x := 2 }",
    );
}

#[test]
fn arrays_with_known_indices_become_scalars() {
    check(
        Stage::Split,
        "shared flag: bool[2] = {0...}
         shared a: i32[2] = {3, 4}
         private(0) i: u1 = 0
         thread 0 main from L0
           L0:
             -> L1 { flag[0] := 1 }
           L1:
             -> L2 [flag[1] == 0]
           L2:
             -> L0 { flag[0] := 0; a[i] := a[0] }
         thread 1 other from L3
           L3:
             -> L4 [flag[0] == 0] { flag[1] := 1 }
           L4:
             -> L3 { a[1] := 2 }",
        "shared a: i32[2] = {3, 4}
         private(0) i: bool = 0
         shared flag[0]: bool = 0
         shared flag[1]: bool = 0
         thread 0 main from L0
           L0:
             -> L1 { flag[0] := 1 }
           L1:
             -> L2 [flag[1] == 0]
           L2:
             -> L0 { flag[0] := 0; a[i] := a[0] }
         thread 1 other from L3
           L3:
             -> L4 [flag[0] == 0] { flag[1] := 1 }
           L4:
             -> L3 { a[1] := 2 }",
    );
}

#[test]
fn store_buffering_is_left_with_its_accesses_alone() {
    let before = "
         shared x: i32 = 0
         shared y: i32 = 0
         shared s1: bool = 0
         shared s2: bool = 0
         shared d1: bool = 0
         shared d2: bool = 0
         shared r1: i32 = 0
         shared r2: i32 = 0
         private(0) a: i32 = any
         private(0) b: i32 = any
         private(1) t: i32 = any
         private(2) u: i32 = any
         thread 0 main from L0
           L0:
             -> L1 { s1 := 1 } full
           L1:
             -> L2 { s2 := 1 } full
           L2:
             -> L3 [d1 != 0] full
           L3:
             -> L4 [d2 != 0] full
           L4:
             -> L5 { a := r1 }
           L5:
             -> L6 [a == 0]
             -> L9 [a != 0]
           L6:
             -> L7 { b := r2 }
           L7:
             -> L8 [b == 0]
             -> L9 [b != 0]
           L8: error 0 `r1 == 1 || r2 == 1`
           L9: end
         thread 1 one from L10
           L10:
             -> L11 [s1 != 0] full
           L11:
             -> L12 { x := 1 }
           L12:
             -> L13 { t := y }
           L13:
             -> L14 { r1 := t }
           L14:
             -> L15 { d1 := 1 } full
           L15: end
         thread 2 two from L16
           L16:
             -> L17 [s2 != 0] full
           L17:
             -> L18 { y := 1 }
           L18:
             -> L19 { u := x }
           L19:
             -> L20 { r2 := u }
           L20:
             -> L21 { d2 := 1 } full
           L21: end";
    check_with(
        |program| run(program, &PassOptions { memory_model: MemoryModel::Sc }),
        before,
        "shared x: i32 = 0
         shared y: i32 = 0
         shared d1: bool = 0
         shared d2: bool = 0
         shared r1: i32 = 0
         shared r2: i32 = 0
         private(1) t: i32 = any
         private(2) u: i32 = any
         thread 0 main from L0
           L0:
             -> L1 [d1 != 0]
           L1:
             -> L2 [d2 != 0]
           L2:
             -> L3 [r1 == 0]
           L3:
             -> L4 [r2 == 0]
           L4: error 0 `r1 == 1 || r2 == 1`
         thread 1 one from L5
           L5:
             -> L6 { x := 1 }
           L6:
             -> L7 { t := y }
           L7:
             -> L8 { r1 := t }
           L8:
             -> L9 { d1 := 1 }
           L9: end
         thread 2 two from L10
           L10:
             -> L11 { y := 1 }
           L11:
             -> L12 { u := x }
           L12:
             -> L13 { r2 := u }
           L13:
             -> L14 { d2 := 1 }
           L14: end",
    );
    check_with(
        |program| run(program, &PassOptions { memory_model: MemoryModel::Tso }),
        before,
        "shared x: i32 = 0
         shared y: i32 = 0
         shared d1: bool = 0
         shared d2: bool = 0
         shared r1: i32 = 0
         shared r2: i32 = 0
         private(1) t: i32 = any
         private(2) u: i32 = any
         thread 0 main from L0
           L0:
             -> L1 [d1 != 0] full
           L1:
             -> L2 [d2 != 0] full
           L2:
             -> L3 [r1 == 0]
           L3:
             -> L4 [r2 == 0]
           L4: error 0 `r1 == 1 || r2 == 1`
         thread 1 one from L5
           L5:
             -> L6 { x := 1 }
           L6:
             -> L7 { t := y }
           L7:
             -> L8 { r1 := t }
           L8:
             -> L9 { d1 := 1 } full
           L9: end
         thread 2 two from L10
           L10:
             -> L11 { y := 1 }
           L11:
             -> L12 { u := x }
           L12:
             -> L13 { r2 := u }
           L13:
             -> L14 { d2 := 1 } full
           L14: end",
    );
}
