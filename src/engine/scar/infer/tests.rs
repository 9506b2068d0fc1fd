//! What is inferred of small programs: known orders, read-from pairs, settled reads, ranges.

use super::super::CELLS;
use super::super::unroll::{Unroller, Unrolling};
use super::*;
use crate::budget::Budget;
use crate::program::pass::tests::text::parse;
use crate::program::{MemoryModel, Program};
use crate::term::Interval;

/// Everything that is inferred of a program at bound 1.
struct Inferred<'p> {
    unroller: Unroller<'p>,
    unrolling: Unrolling,
    pairs: Pairs,
    known: Known,
    settled: Settled,
}

fn inferred<'p>(program: &'p Program, model: MemoryModel) -> Inferred<'p> {
    let budget = Budget::unlimited();
    let mut unroller = Unroller::new(program, model.into(), CELLS).expect("small enough");
    let unrolling = unroller.unroll(1, &budget).expect("nothing special");
    let (mut pairs, known) = Pairs::of(&mut unroller, &unrolling, &[], &budget).expect("an unlimited budget");
    let settled = Settled::of(&mut unroller, &unrolling, &mut pairs, &known, &budget);
    Inferred { unroller, unrolling, pairs, known, settled: settled.expect("an unlimited budget") }
}

impl Inferred<'_> {
    /// The sources of the only read of an event, as events.
    fn sources(&self, event: usize) -> Vec<Option<usize>> {
        let mut reads = self.pairs.sources(event);
        let sources = reads.next().expect("it reads").iter().map(|source| source.event()).collect();
        assert!(reads.next().is_none(), "one read");
        sources
    }

    /// The first event that reads `x`, by its thread.
    fn reader(&self, thread: usize) -> usize {
        let reads = |it: &super::super::unroll::Event| it.thread.index() == thread && !it.reads.is_empty();
        self.unrolling.events.iter().position(reads).expect("a reader")
    }
}

/// One thread writes `x` twice and then `f`; the other waits for `f`, or does not, and reads `x`.
fn passing(wait: &str) -> Program {
    parse(&format!(
        "shared x: i32 = 0
         shared f: i32 = 0
         private(1) r: i32 = 0
         thread 0 sender from L0
           L0:
             -> L1 {{ x := 1 }}
           L1:
             -> L2 {{ x := 2 }}
           L2:
             -> L3 {{ f := 1 }}
           L3: end
         thread 1 receiver from L4
           L4:
             -> L5 {wait}
           L5:
             -> L6 {{ r := x }}
           L6:
             -> L7 [r != 2]
             -> L8 [r == 2]
           L7: error 0 `r == 2`
           L8: end"
    ))
}

#[test]
fn waiting_for_the_only_write_orders_what_is_before_and_after() {
    let program = passing("[f == 1]");
    let found = inferred(&program, MemoryModel::Sc);
    // Events: three writes; the read of f, the read of x.
    assert_eq!(found.unrolling.events.len(), 5);
    assert!((0..4).all(|event| found.known.before(event, 4)), "all comes before the last read");
    assert!(!found.known.before(4, 0) && !found.known.before(0, 0));
    assert_eq!(
        found.sources(4),
        [Some(1)],
        "the second write overwrites the first, and both the initial value"
    );
}

#[test]
fn without_waiting_nothing_is_known_of_other_threads() {
    let program = passing("");
    let found = inferred(&program, MemoryModel::Sc);
    let reader = found.reader(1);
    assert!((0..reader).all(|event| !found.known.before(event, reader)));
    assert_eq!(found.sources(reader), [None, Some(0), Some(1)]);
}

/// What comes before an event that may not happen does not come before what follows it.
#[test]
fn waiting_that_can_be_left_out_orders_nothing() {
    let program = parse(
        "shared x: i32 = 0
         shared f: i32 = 0
         private(1) c: i32 = any
         private(1) r: i32 = 0
         thread 0 sender from L0
           L0:
             -> L1 { x := 1 }
           L1:
             -> L2 { f := 1 }
           L2: end
         thread 1 receiver from L3
           L3:
             -> L4 [c == 1]
             -> L5 [c != 1]
           L4:
             -> L5 [f == 1]
           L5:
             -> L6 { r := x }
           L6:
             -> L7 [r != 1]
             -> L8 [r == 1]
           L7: error 0 `r == 1`
           L8: end",
    );
    let found = inferred(&program, MemoryModel::Sc);
    // Events: two writes; the read of f, the read of x.
    assert_eq!(found.unrolling.events.len(), 4);
    assert!(found.known.before(0, 2) && !found.known.before(0, 3));
    assert_eq!(found.sources(3), [None, Some(0)]);
}

#[test]
fn store_buffers_forget_the_order_of_writes() {
    let program = passing("[f == 1]");
    let sources = [MemoryModel::Tso, MemoryModel::Pso].map(|model| {
        let found = inferred(&program, model);
        found.sources(4)
    });
    assert_eq!(sources[0], [Some(1)]);
    // The writes of x stay in order, but f may arrive before either.
    assert_eq!(sources[1], [None, Some(0), Some(1)]);
}

#[test]
fn all_pairs_are_those_of_the_cell_but_what_the_thread_writes_later() {
    let program = parse(
        "shared x: i32 = 0
         private(0) r: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { r := x }
           L1:
             -> L2 { x := 5 }
           L2: end
         thread 1 other from L3
           L3:
             -> L4 { x := 6 }
           L4: end",
    );
    let mut found = inferred(&program, MemoryModel::Sc);
    found.pairs = Pairs::all(&mut found.unroller, &found.unrolling);
    assert_eq!(found.sources(0), [None, Some(2)]);
}

#[test]
fn a_read_that_nobody_can_have_come_before_is_settled() {
    let program = parse(
        "shared x: i32 = 3
         shared f: i32 = 0
         private(0) r: i32 = 0
         private(0) s: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 [f == 1]
           L1:
             -> L2 { r := x }
           L2:
             -> L3 { s := x }
           L3:
             -> L4 [r != s]
             -> L5 [r == s]
           L4: error 0 `r == s`
           L5: end
         thread 1 other from L6
           L6:
             -> L7 { x := 5 }
           L7:
             -> L8 { f := 1 }
           L8: end",
    );
    let found = inferred(&program, MemoryModel::Sc);
    let values: Vec<_> = found.unrolling.events.iter().filter(|it| it.thread.index() == 0).collect();
    let (first, second) = (&values[1].reads[0], &values[2].reads[0]);
    let var = |term| found.unroller.pool.as_var(term).expect("a variable for what is read");
    assert_eq!(found.settled.get(var(first.value)), None, "the other thread wrote it");
    assert_eq!(found.settled.get(var(second.value)), Some(first.value), "nobody wrote since");
    assert_eq!(found.pairs.sources(2).next().map(<[_]>::len), Some(0), "and so it has no pairs");
}

#[test]
fn ranges_are_what_writes_can_leave() {
    let program = parse(
        "shared x: i32 = 0
         private(0) r: i32 = 0
         private(1) s: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { r := x }
           L1:
             -> L2 { x := r + 3 }
           L2: end
         thread 1 other from L3
           L3:
             -> L4 { s := x }
           L4:
             -> L5 { x := s + 3 }
           L5: end",
    );
    let found = inferred(&program, MemoryModel::Sc);
    let ranges = Ranges::of(
        &found.unroller.pool,
        &found.unrolling,
        &found.pairs,
        &found.settled,
        &Budget::unlimited(),
    );
    let ranges = ranges.expect("an unlimited budget");
    for thread in 0..2 {
        let read = &found.unrolling.events[found.reader(thread)].reads[0];
        let var = found.unroller.pool.as_var(read.value).expect("a variable for what is read");
        // A value passes through each of the two writes once, and one round more is made: at most 9, which
        // has four bits.
        assert_eq!(ranges.range(&found.unroller.pool, var), Interval { least: 0, most: 15 });
    }
}
