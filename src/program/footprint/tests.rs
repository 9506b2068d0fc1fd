//! Footprints of small programs.

use super::*;
use crate::program::{
    Barrier, Init, Origin, ProgramBuilder, Role, Sources, Span, ThreadId, Update, Variable,
};
use crate::term::{ArraySort, Datum, Sort};

const INT: Word = Word::signed(32);

struct Sketch {
    builder: ProgramBuilder,
}

impl Sketch {
    fn variable(&mut self, name: &str, sort: Sort) -> VarId {
        let init = Init::Value(Datum::zero(sort));
        let (role, origin) = (Role::Shared, Origin::User);
        self.builder.variable(Variable { name: name.to_owned(), sort, role, init, origin })
    }

    fn int(&mut self, name: &str) -> VarId {
        self.variable(name, Sort::Word(INT))
    }

    fn step(&mut self, from: LocId, to: LocId, guard: TermId, updates: Vec<Update>) -> TransId {
        let (barrier, events) = (Barrier::None, Vec::new());
        self.builder.transition(Transition {
            updates,
            barrier,
            events,
            ..Transition::silent(from, to, guard)
        })
    }

    /// One step of a new thread.
    fn alone(&mut self, guard: TermId, updates: Vec<Update>) -> TransId {
        let thread = self.builder.thread("t", Span::NONE);
        let (from, to) =
            (self.builder.program().thread(thread).entry, self.builder.location(thread, Span::NONE));
        self.step(from, to, guard, updates)
    }
}

fn sketch() -> Sketch {
    Sketch { builder: ProgramBuilder::new(Sources::default()) }
}

fn write(var: VarId, index: Option<TermId>, value: TermId) -> Vec<Update> {
    vec![Update::whole(Place { var, index }, value)]
}

/// Lock and unlock of one mutex, creation and the first step of the child: what one writes is the other's
/// guard.
#[test]
fn guards_are_reads() {
    let mut sketch = sketch();
    let (m, other) = (sketch.int("m"), sketch.int("other"));
    let terms = sketch.builder.terms();
    let (zero, one, yes, tm) =
        (terms.constant(0, INT), terms.constant(1, INT), terms.bool(true), terms.var(m));
    let free = terms.eq(tm, zero);
    let lock = sketch.alone(free, write(m, None, one));
    let unlock = sketch.alone(yes, write(m, None, zero));
    let failed = {
        let busy = sketch.builder.terms().not(free);
        sketch.alone(busy, Vec::new())
    };
    let elsewhere = sketch.alone(yes, write(other, None, one));
    let program = sketch.builder.build();
    let footprints = Footprints::new(&program);
    let independent = |a, b| footprints.independent(&program, a, b);
    for (a, b) in [(lock, unlock), (unlock, failed), (lock, lock), (failed, lock)] {
        assert_eq!(independent(a, b), Independence::Never);
    }
    for step in [lock, unlock, failed] {
        assert_eq!(independent(step, elsewhere), Independence::Always);
        assert_eq!(independent(elsewhere, step), Independence::Always);
    }
    assert_eq!(independent(failed, failed), Independence::Always, "two reads");
}

#[test]
fn elements_conflict_unless_their_indices_differ() {
    let mut sketch = sketch();
    let a = sketch.variable("a", Sort::Array(ArraySort { len: 8, elem: INT }));
    let (i, j, x) = (sketch.int("i"), sketch.int("j"), sketch.int("x"));
    let terms = sketch.builder.terms();
    let (ti, tj, ta, yes) = (terms.var(i), terms.var(j), terms.var(a), terms.bool(true));
    let (one, two) = (terms.constant(1, INT), terms.constant(2, INT));
    let (at_j, nested) = (terms.select(ta, tj), terms.select(ta, ti));
    let deep = terms.select(ta, nested);
    let to_i = sketch.alone(yes, write(a, Some(ti), one));
    let from_j = sketch.alone(yes, write(x, None, at_j));
    let [to_one, to_two] = [one, two].map(|index| sketch.alone(yes, write(a, Some(index), one)));
    let whole = sketch.alone(yes, write(a, None, ta));
    let through = sketch.alone(yes, write(x, None, deep));
    let moves_j = sketch.alone(yes, write(j, None, one));
    let program = sketch.builder.build();
    let footprints = Footprints::new(&program);
    let independent = |a, b| footprints.independent(&program, a, b);
    assert_eq!(independent(to_i, from_j), Independence::Where(vec![(ti, tj)]));
    assert_eq!(independent(from_j, to_i), Independence::Where(vec![(tj, ti)]));
    assert_eq!(independent(to_one, to_two), Independence::Always);
    assert_eq!(independent(to_one, to_one), Independence::Never);
    assert_eq!(independent(whole, to_one), Independence::Never);
    assert_eq!(independent(moves_j, from_j), Independence::Never, "the index is read");
    assert_eq!(independent(to_two, through), Independence::Where(vec![(two, ti), (two, nested)]));
}

#[test]
fn one_input_has_two_values_in_two_steps() {
    let mut sketch = sketch();
    let a = sketch.variable("a", Sort::Array(ArraySort { len: 8, elem: INT }));
    let [one, other] = ["in", "other"].map(|name| sketch.builder.input(name, Sort::Word(INT)));
    let terms = sketch.builder.terms();
    let (yes, number) = (terms.bool(true), terms.constant(1, INT));
    let (here, apart) = (terms.var(one), terms.var(other));
    let next = terms.add(here, number);
    let [here, next, apart] =
        [here, next, apart].map(|index| (sketch.alone(yes, write(a, Some(index), number)), index));
    let program = sketch.builder.build();
    let footprints = Footprints::new(&program);
    assert_eq!(footprints.independent(&program, here.0, next.0), Independence::Never);
    let differ = Independence::Where(vec![(next.1, apart.1)]);
    assert_eq!(footprints.independent(&program, next.0, apart.0), differ);
}

/// Nobody sees the inside of a section: entering it counts as all of it, leaving it too.
#[test]
fn sections_are_one_step() {
    let mut sketch = sketch();
    let (x, y) = (sketch.int("x"), sketch.int("y"));
    let terms = sketch.builder.terms();
    let (one, yes) = (terms.constant(1, INT), terms.bool(true));
    let thread = sketch.builder.thread("section", Span::NONE);
    let from = sketch.builder.program().thread(thread).entry;
    let inside = [(); 2].map(|()| sketch.builder.atomic_location(thread, Span::NONE));
    let to = sketch.builder.location(thread, Span::NONE);
    let enter = sketch.step(from, inside[0], yes, Vec::new());
    sketch.step(inside[0], inside[1], yes, write(x, None, one));
    let leave = sketch.step(inside[1], to, yes, Vec::new());
    let after = sketch.builder.location(thread, Span::NONE);
    let later = sketch.step(to, after, yes, Vec::new());
    let [to_x, to_y] = [x, y].map(|var| sketch.alone(yes, write(var, None, one)));
    let program = sketch.builder.build();
    let footprints = Footprints::new(&program);
    for step in [enter, leave] {
        assert_eq!(footprints.independent(&program, step, to_x), Independence::Never);
        assert_eq!(footprints.independent(&program, to_x, step), Independence::Never);
        assert_eq!(footprints.independent(&program, step, to_y), Independence::Always);
    }
    assert_eq!(footprints.independent(&program, later, to_x), Independence::Always);
    let entry = program.thread(ThreadId::new(0)).entry;
    assert!(!footprints.unconcerned(to_x, entry) && footprints.unconcerned(to_y, entry));
    assert!(footprints.unconcerned(to_x, to), "the section is over");
}
