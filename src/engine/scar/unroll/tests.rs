//! What unrolling makes of small programs: rounds and bounds, blocks and their events, locks, loops,
//! conditions.

use super::super::CELLS;
use super::guard::{exclusive, includes};
use super::*;
use crate::program::pass::tests::text::parse;
use crate::program::{Barrier, MemoryModel};
use crate::term::Pool;

fn unrolled(program: &Program, model: MemoryModel, bound: u32) -> Unrolling {
    let mut unroller = Unroller::new(program, model.into(), CELLS).expect("small enough");
    unroller.unroll(bound, &Budget::unlimited()).expect("nothing special")
}

fn writes(unrolling: &Unrolling) -> usize {
    unrolling.events.iter().map(|event| event.writes.len()).sum()
}

fn cut_loops(unrolling: &Unrolling) -> usize {
    unrolling.goals.iter().filter(|goal| matches!(goal.target, Target::Loop(_))).count()
}

/// A second thread writes the cell too, so that the first one does not know it by heart.
const OTHER: &str = "thread 1 other from L9
           L9:
             -> L10 { x := 7 }
           L10: end";

/// Writes `x` in each round; goes on while `more` holds.
fn loop_while(more: &str, no_more: &str) -> Program {
    parse(&format!(
        "shared x: i32 = 0
         private(0) i: i32 = 0
         input go: truth
         thread 0 main from L0
           L0:
             -> L1 [{more}] {{ x := i }}
             -> L2 [{no_more}]
           L1:
             -> L0 {{ i := i + 1 }}
           L2:
             -> L3 {{ x := 9 }}
           L3: end
         {OTHER}"
    ))
}

#[test]
fn rounds_that_are_certain_do_not_count() {
    let program = loop_while("i < 30", "30 <= i");
    let unrolling = unrolled(&program, MemoryModel::Sc, 1);
    assert_eq!((writes(&unrolling), cut_loops(&unrolling)), (30 + 1 + 1, 0));
}

#[test]
fn rounds_that_an_input_decides_about_count() {
    let program = loop_while("go", "!go");
    for bound in 1..5 {
        let unrolling = unrolled(&program, MemoryModel::Sc, bound);
        // A write in each of the rounds 0 to the bound, one after the loop, and one of the other thread.
        assert_eq!((writes(&unrolling), cut_loops(&unrolling)), (bound as usize + 1 + 1 + 1, 1));
    }
}

#[test]
fn rounds_that_change_nothing_are_left_out() {
    let program = parse(
        "shared x: i32 = 0
         private(0) r: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { r := x }
           L1:
             -> L0 [r == 0]
             -> L2 [r != 0] { x := 2 }
           L2: end
         thread 1 other from L9
           L9:
             -> L10 { x := 7 }
           L10: end",
    );
    let unrolling = unrolled(&program, MemoryModel::Sc, 1);
    assert_eq!(cut_loops(&unrolling), 0, "waiting needs no bound");
}

#[test]
fn an_atomic_section_is_one_event() {
    let program = parse(
        "shared x: i32 = 0
         shared y: i32 = 0
         private(0) r: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { r := x } full
           L1 atomic:
             -> L2 { x := r + 1 }
           L2 atomic:
             -> L3 { y := r } full
           L3: end
         thread 1 other from L9
           L9:
             -> L10 { x := 7 }
           L10:
             -> L11 { y := 7 }
           L11: end",
    );
    for model in [MemoryModel::Sc, MemoryModel::Tso] {
        let unrolling = unrolled(&program, model, 1);
        let own: Vec<&Event> = unrolling.events.iter().filter(|event| event.thread.index() == 0).collect();
        assert_eq!(own.len(), 1, "{model:?}");
        assert_eq!((own[0].reads.len(), own[0].writes.len()), (1, 2), "{model:?}");
    }
}

#[test]
fn a_store_buffer_takes_a_step_apart() {
    let program = parse(
        "shared x: i32 = 0
         shared y: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { x := y }
           L1:
             -> L2 { y := 1 } full
           L2: end
         thread 1 other from L9
           L9:
             -> L10 { y := 7 }
           L10:
             -> L11 { x := 7 }
           L11: end",
    );
    let shape = |model: MemoryModel| -> Vec<(usize, usize, Barrier)> {
        let unrolling = unrolled(&program, model, 1);
        let own = unrolling.events.iter().filter(|event| event.thread.index() == 0);
        own.map(|event| (event.reads.len(), event.writes.len(), event.barrier)).collect()
    };
    assert_eq!(shape(MemoryModel::Sc), [(1, 1, Barrier::None), (0, 1, Barrier::None)]);
    let apart = [(1, 0, Barrier::None), (0, 1, Barrier::None), (0, 1, Barrier::Full)];
    assert_eq!(shape(MemoryModel::Tso), apart);
    assert_eq!(shape(MemoryModel::Pso), apart);
}

#[test]
fn a_section_without_barriers_is_refused_where_there_are_store_buffers() {
    let program = parse(
        "shared x: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 { x := 1 }
           L1 atomic:
             -> L2 { x := 2 }
           L2: end",
    );
    for (model, is_refused) in [(MemoryModel::Sc, false), (MemoryModel::Tso, true)] {
        let mut unroller = Unroller::new(&program, model.into(), CELLS).expect("small enough");
        let found = unroller.unroll(1, &Budget::unlimited());
        assert_eq!(matches!(found, Err(Obstacle::Unsupported(_))), is_refused, "{model:?}");
    }
}

/// Takes `m` by `take` and gives it back, twice.
fn with_lock(take: &str) -> Program {
    let thread = |number: usize, first: usize| {
        format!(
            "thread {number} t{number} from L{first}
               L{first}:
                 -> L{} {take}
               L{}:
                 -> L{} {{ m := 0 }}
               L{}: end\n",
            first + 1,
            first + 1,
            first + 2,
            first + 2
        )
    };
    parse(&format!("shared m: i32 = 0\n{}{}", thread(0, 0), thread(1, 3)))
}

#[test]
fn a_lock_is_what_is_taken_when_free_and_freed_by_who_holds_it() {
    let lock = |program: &Program, model: MemoryModel| {
        let locks = Locks::of(program, |barrier| Model::from(model).is_one_step(barrier));
        let var = program.variable_ids().next().expect("a variable");
        [0, 1].map(|at| locks.is_free_at(var, LocId::new(at)))
    };
    let program = with_lock("[m == 0] { m := 1 } full");
    assert_eq!(lock(&program, MemoryModel::Tso), [true, false], "free before it is taken, held after");
    let program = with_lock("[m == 0] { m := 1 }");
    assert_eq!(lock(&program, MemoryModel::Sc), [true, false]);
    assert_eq!(lock(&program, MemoryModel::Tso), [false, false], "looking and taking are two steps");
    let program = with_lock("[m <= 0] { m := 1 }");
    assert_eq!(lock(&program, MemoryModel::Sc), [false, false], "it is not asked to be free");
}

#[test]
fn inner_loops_are_inside_outer_ones() {
    let program = parse(
        "shared x: i32 = 0
         input go: truth
         thread 0 main from L0
           L0:
             -> L1 [go]
             -> L3 [!go]
           L1:
             -> L1 [go] { x := 1 }
             -> L2 [!go]
           L2:
             -> L0
           L3: end",
    );
    let loops = Loops::of(&program, &Locks::default());
    let around = |at: usize| loops.around(LocId::new(at)).len();
    assert_eq!([0, 1, 2, 3].map(around), [1, 2, 1, 0]);
    let begin = loops.entry(LocId::new(0));
    let inner = loops.step(&begin, LocId::new(1));
    let again = loops.step(&inner, LocId::new(1));
    assert_eq!((inner.rounds.as_slice(), again.rounds.as_slice()), (&[0, 0][..], &[0, 1][..]));
    let back = loops.step(&loops.step(&again, LocId::new(2)), LocId::new(0));
    assert_eq!(back.rounds, [1], "the next round of the outer loop");
    assert!(loops.key(&inner) < loops.key(&again) && loops.key(&again) < loops.key(&back));
}

#[test]
fn conditions_that_meet_again_are_forgotten() {
    let mut pool = Pool::new();
    let [g, c, d] = ["g", "c", "d"].map(|name| {
        let var = pool.declare(name, Sort::Bool);
        pool.var(var)
    });
    let mut names = Names::default();
    let not_c = pool.not(c);
    let (then, otherwise) = (pool.and(&[g, c]), pool.and(&[g, not_c]));
    assert_eq!(names.join(&mut pool, &[then, otherwise]), g);
    assert!(exclusive(&pool, then, otherwise) && includes(&pool, then, g) && !includes(&pool, g, then));
    let other = pool.and(&[g, d]);
    let named = names.join(&mut pool, &[then, other]);
    assert!(names.implies(&pool, named, g) && !names.implies(&pool, named, c), "a name knows what all had");
}
