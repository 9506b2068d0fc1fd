//! The engine on the paper's example, built by hand.

use std::collections::BTreeSet;

use super::lookahead::LookAhead;
use super::*;
use crate::budget::Budget;
use crate::observe::Statistics;
use crate::program::{
    Action, Assertion, Barrier, Event, Init, LocId, Mark, Origin, Place, ProgramBuilder, Role, Sources, Span,
    ThreadId, Transition, Update, Variable,
};
use crate::proof::{self, AbstractState};
use crate::reach::path::{Demand, Feasibility, run as run_path};
use crate::term::{Datum, Sort, TermId, VarId, Word};

const INT: Word = Word::signed(32);

/// Builds threads statement by statement.
struct Sketch {
    builder: ProgramBuilder,
}

impl Sketch {
    fn new() -> Sketch {
        Sketch { builder: ProgramBuilder::new(Sources::default()) }
    }

    fn variable(&mut self, name: &str, role: Role) -> VarId {
        self.builder.variable(Variable {
            name: name.to_owned(),
            sort: Sort::Word(INT),
            role,
            init: Init::Value(Datum::Word(0)),
            origin: Origin::User,
        })
    }

    fn read(&mut self, var: VarId) -> TermId {
        self.builder.terms().var(var)
    }

    fn int(&mut self, value: i128) -> TermId {
        self.builder.terms().constant(value, INT)
    }

    fn step(&mut self, from: LocId, guard: TermId, updates: &[(VarId, TermId)], to: LocId) {
        let updates =
            updates.iter().map(|&(var, value)| Update::whole(Place { var, index: None }, value)).collect();
        let events = vec![Event { span: Span::NONE, action: Action::Compute }];
        self.builder.transition(Transition {
            from,
            to,
            guard,
            ranges: Vec::new(),
            updates,
            call: None,
            barrier: Barrier::None,
            events,
        });
    }

    fn assign(&mut self, from: LocId, var: VarId, value: TermId, to: LocId) {
        let always = self.builder.terms().bool(true);
        self.step(from, always, &[(var, value)], to);
    }
}

/// Bakery of Fig. 2, a statement a step.
fn bakery() -> Program {
    let mut sketch = Sketch::new();
    let threads = [0, 1].map(|i| sketch.builder.thread(format!("thr{}", i + 1), Span::NONE));
    let [t1, t2, c1, c2, x] =
        ["t1", "t2", "choosing1", "choosing2", "x"].map(|name| sketch.variable(name, Role::Shared));
    for (i, thread) in threads.into_iter().enumerate() {
        let (mine, other, flag, their_flag) = if i == 0 { (t1, t2, c1, c2) } else { (t2, t1, c2, c1) };
        let tmp = sketch.variable("tmp", Role::Private(thread));
        bakery_thread(&mut sketch, thread, [mine, other, flag, their_flag, x, tmp], i as i128);
    }
    sketch.builder.build()
}

fn bakery_thread(
    sketch: &mut Sketch,
    thread: ThreadId,
    [mine, other, flag, their_flag, x, tmp]: [VarId; 6],
    number: i128,
) {
    let entry = sketch.builder.program().thread(thread).entry;
    let mut locations = vec![entry];
    locations.extend((0..9).map(|_| sketch.builder.location(thread, Span::NONE)));
    let (zero, one) = (sketch.int(0), sketch.int(1));
    sketch.assign(locations[0], flag, one, locations[1]);
    let ticket = sketch.read(other);
    let next = sketch.builder.terms().add(ticket, one);
    sketch.assign(locations[1], tmp, next, locations[2]);
    let next = sketch.read(tmp);
    sketch.assign(locations[2], mine, next, locations[3]);
    sketch.assign(locations[3], flag, zero, locations[4]);
    let theirs = sketch.read(their_flag);
    let choosing = sketch.builder.terms().word_to_truth(theirs);
    let chosen = sketch.builder.terms().not(choosing);
    sketch.step(locations[4], choosing, &[], locations[4]);
    sketch.step(locations[4], chosen, &[], locations[5]);
    let (own, theirs) = (sketch.read(mine), sketch.read(other));
    let (late, present) =
        (sketch.builder.terms().le(theirs, own), sketch.builder.terms().word_to_truth(theirs));
    let wait = sketch.builder.terms().and(&[late, present]);
    let enter = sketch.builder.terms().not(wait);
    sketch.step(locations[5], wait, &[], locations[5]);
    sketch.step(locations[5], enter, &[], locations[6]);
    let value = sketch.int(number);
    sketch.assign(locations[6], x, value, locations[7]);
    let assertion = sketch.builder.assertion(Assertion::new(Span::NONE, format!("x == {number}")));
    let error = sketch.builder.marked_location(thread, Mark::Error(assertion), Span::NONE);
    let seen = sketch.read(x);
    let good = match number {
        0 => sketch.builder.terms().le(seen, value),
        _ => sketch.builder.terms().le(value, seen),
    };
    let bad = sketch.builder.terms().not(good);
    sketch.step(locations[7], bad, &[], error);
    sketch.step(locations[7], good, &[], locations[8]);
    sketch.assign(locations[8], mine, zero, locations[9]);
}

fn run(program: &Program, refinement: Refinement) -> (Claim, Statistics) {
    let mut statistics = Statistics::default();
    let options = Options { refinement, ..Options::default() };
    let answer = check(program, &options, &mut statistics);
    (answer.claim, statistics)
}

#[test]
fn bakery_is_proved_with_the_papers_class_counts() {
    let program = bakery();
    for (refinement, classes) in [(Refinement::NonMonotonic, 10..=10), (Refinement::Monotonic, 14..=16)] {
        let (claim, statistics) = run(&program, refinement);
        let Claim::Safe(Certificate::Views(invariant)) = claim else { panic!("{claim:?}") };
        assert!(classes.contains(&statistics.counts["Classes"]), "{refinement:?}: {statistics:?}");
        assert!(statistics.counts["Solver queries"] < 25_000, "{refinement:?}: {statistics:?}");
        let checked = proof::check(&program, &invariant, IntModel::Integer, &Budget::unlimited());
        assert!(checked.as_ref().is_ok_and(|checked| checked.steps > 100), "{checked:?}");
    }
}

/// A clause from such a path is one that no predicate can stand in for.
#[test]
fn paths_that_complete_the_history_have_real_data_and_mismatches() {
    let program = bakery();
    let budget = Budget::unlimited();
    let mut valuations = Valuations::new(&program);
    let ahead = LookAhead::new(&program, &mut valuations, &budget).expect("no limits").expect("two threads");
    for view in view::views(&program, Refinement::NonMonotonic, &budget) {
        let single = ahead.paths(view.observed);
        let several = explore::find_runs(&program, &mut valuations, &view, &budget).expect("no limits");
        assert!(single.len() > 10 && !several.is_empty(), "{} {}", single.len(), several.len());
        assert!(single.iter().all(|path| view.mismatches(&program, path).len() == 1));
        for path in single.iter().chain(&several) {
            assert!(!view.mismatches(&program, path).is_empty());
            let end = program.transition(*path.last().expect("not empty")).to;
            assert!(program.location(end).is_target() && program.location(end).thread == view.observed);
            assert!(matches!(run_path(&program, path, Demand::Guards), Some(Feasibility::Feasible)));
        }
    }
}

/// Every kind of damage that a wrong search could do.
#[test]
fn damaged_invariants_are_rejected() {
    let program = bakery();
    let (claim, _) = run(&program, Refinement::Monotonic);
    let Claim::Safe(Certificate::Views(whole)) = claim else { panic!("{claim:?}") };
    let check =
        |invariant: &Invariant| proof::check(&program, invariant, IntModel::Integer, &Budget::unlimited());
    let damaged = |damage: &dyn Fn(&mut Invariant)| {
        let mut invariant = (*whole).clone();
        damage(&mut invariant);
        check(&invariant).expect_err("damage is noticed")
    };
    let [first, second] = [0, 1].map(|view| whole.views[view].observed);
    assert_eq!(damaged(&|all| drop(all.views.pop())), proof::Flaw::NoView(second));
    assert_eq!(damaged(&|all| drop(all.views[0].states.remove(0))), proof::Flaw::Initial(first));
    assert_eq!(damaged(&|all| all.views[0].classes[0].truncate(3)), proof::Flaw::Malformed(first));
    assert_eq!(damaged(&|all| all.views[1].environment.clear()), proof::Flaw::Malformed(second));
    let step_fails = |flaw: proof::Flaw| assert!(matches!(flaw, proof::Flaw::Step(..)), "{flaw:?}");
    // Every location can be reached, so none may be missing; and at the last one something must be known.
    let locations: BTreeSet<LocId> = whole.views[0].states.iter().map(|state| state.location).collect();
    assert_eq!(locations.len(), 10);
    for &location in locations.iter().skip(1) {
        step_fails(damaged(&|all| all.views[0].states.retain(|state| state.location != location)));
    }
    let asserting = |state: &&mut AbstractState| {
        let outgoing = program.outgoing(state.location).iter();
        outgoing.map(|&id| program.transition(id).to).any(|to| program.location(to).mark.is_some())
    };
    step_fails(damaged(&|all| {
        all.views[0].states.iter_mut().filter(asserting).for_each(|state| state.literals.clear());
    }));
    // All locations in one class: every step is possible anywhere.
    step_fails(damaged(&|all| {
        all.views[0].classes[0].iter_mut().for_each(|(_, class)| *class = 0);
        all.views[0].states.iter_mut().for_each(|state| state.classes = vec![0]);
    }));
}
