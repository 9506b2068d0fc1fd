//! Certificates made by hand: the right one is accepted, and each damage to it is noticed.

use super::{AbstractState, Flaw, Invariant, ViewInvariant, check};
use crate::budget::{Budget, Stop};
use crate::program::{
    Action, Assertion, Event, Init, LocId, Mark, Origin, Place, Program, ProgramBuilder, Role, Sources, Span,
    ThreadId, Transition, Update, Variable,
};
use crate::smt::{GaveUp, IntModel};
use crate::term::{Datum, Sort, TermId, VarId, Word};

const INT: Word = Word::signed(32);

/// Two threads with a critical section each: take the lock, count up, see that nobody else has, count down,
/// give the lock back.
struct Example {
    program: Program,
    /// The locations of each thread, in that order.
    locations: [Vec<LocId>; 2],
    /// `lock == 0`, `inside == 0`, `inside == 1`: terms of the program's pool.
    free: TermId,
    none: TermId,
    one: TermId,
    /// Something that is no part of the state.
    input: VarId,
}

fn variable(builder: &mut ProgramBuilder, name: &str) -> VarId {
    builder.variable(Variable {
        name: name.to_owned(),
        sort: Sort::Word(INT),
        role: Role::Shared,
        init: Init::Value(Datum::Word(0)),
        origin: Origin::User,
    })
}

fn step(
    builder: &mut ProgramBuilder,
    from: LocId,
    guard: TermId,
    update: Option<(VarId, TermId)>,
    to: LocId,
) {
    let updates = update.map(|(var, value)| Update::whole(Place { var, index: None }, value));
    let events = vec![Event { span: Span::NONE, action: Action::Compute }];
    let updates = updates.into_iter().collect();
    builder.transition(Transition { updates, events, ..Transition::silent(from, to, guard) });
}

fn example() -> Example {
    let mut builder = ProgramBuilder::new(Sources::default());
    let [lock, inside] = ["lock", "inside"].map(|name| variable(&mut builder, name));
    let input = builder.input("input", Sort::Word(INT));
    let threads = ["left", "right"].map(|name| builder.thread(name, Span::NONE));
    let terms = builder.terms();
    let (always, zero, unit) = (terms.bool(true), terms.constant(0, INT), terms.constant(1, INT));
    let (held, number) = (terms.var(lock), terms.var(inside));
    let (free, none, one) = (terms.eq(held, zero), terms.eq(number, zero), terms.eq(number, unit));
    let (up, down, crowd) = (terms.add(number, unit), terms.sub(number, unit), terms.not(one));
    let locations = threads.map(|thread| {
        let entry = builder.program().thread(thread).entry;
        let mut at = vec![entry];
        at.extend((0..3).map(|_| builder.location(thread, Span::NONE)));
        step(&mut builder, at[0], free, Some((lock, unit)), at[1]);
        step(&mut builder, at[1], always, Some((inside, up)), at[2]);
        step(&mut builder, at[2], one, Some((inside, down)), at[3]);
        step(&mut builder, at[3], always, Some((lock, zero)), at[0]);
        at
    });
    let assertion = builder.assertion(Assertion::new(Span::NONE, "inside == 1"));
    let error = builder.marked_location(threads[0], Mark::Error(assertion), Span::NONE);
    step(&mut builder, locations[0][2], crowd, None, error);
    Example { program: builder.build(), locations, free, none, one, input }
}

impl Example {
    /// What proves it: seen from the left thread, with a class for each location of the right one.
    fn invariant(&self) -> Invariant {
        let [here, there] = &self.locations;
        let state = |at: usize, class: usize, literals: [(TermId, bool); 2]| AbstractState {
            location: here[at],
            classes: vec![class],
            literals: literals.to_vec(),
        };
        let (taken, none, one) = ((self.free, false), (self.none, true), (self.one, true));
        let states = vec![
            state(0, 0, [(self.free, true), none]),
            state(1, 0, [taken, none]),
            state(2, 0, [taken, one]),
            state(3, 0, [taken, none]),
            state(0, 1, [taken, none]),
            state(0, 2, [taken, one]),
            state(0, 3, [taken, none]),
        ];
        let classes = there.iter().enumerate().map(|(class, &location)| (location, class)).collect();
        let (observed, environment) = (ThreadId::new(0), vec![ThreadId::new(1)]);
        let view = ViewInvariant { observed, environment, classes: vec![classes], states };
        Invariant { views: vec![view], terms: self.program.terms.clone() }
    }

    fn check(&self, invariant: &Invariant) -> Result<(), Flaw> {
        let models = [IntModel::Integer, IntModel::BitVector];
        let [first, second] =
            models.map(|model| check(&self.program, invariant, model, &Budget::unlimited()));
        assert_eq!(first.clone().err(), second.err(), "both kinds of integers agree here");
        first.map(|_| ())
    }

    /// What is said of the invariant with one change.
    #[track_caller]
    fn damaged(&self, damage: impl FnOnce(&mut Invariant)) -> Flaw {
        let mut invariant = self.invariant();
        damage(&mut invariant);
        self.check(&invariant).expect_err("damage is noticed")
    }
}

fn left() -> ThreadId {
    ThreadId::new(0)
}

#[test]
fn an_invariant_is_accepted_also_in_a_pool_of_its_own() {
    let example = example();
    let invariant = example.invariant();
    assert_eq!(example.check(&invariant), Ok(()));
    // The engine's pool has other terms and variables besides, and the same terms under other numbers.
    let mut grown = Invariant { terms: crate::term::Pool::new(), ..invariant.clone() };
    for var in example.program.variable_ids() {
        let variable = example.program.variable(var);
        grown.terms.declare(variable.name.clone(), variable.sort);
    }
    let scratch = grown.terms.declare("scratch", Sort::Word(INT));
    let (own, many) = (grown.terms.var(scratch), grown.terms.constant(99, INT));
    grown.terms.eq(own, many);
    let mut images = rustc_hash::FxHashMap::default();
    for state in &mut grown.views[0].states {
        for (atom, _) in &mut state.literals {
            *atom = grown.terms.import(&invariant.terms, *atom, &mut images, |var| var);
        }
    }
    assert_ne!(grown.views[0].states, invariant.views[0].states, "other numbers");
    assert_eq!(example.check(&grown), Ok(()));
}

#[test]
fn a_state_that_is_dropped_is_missed() {
    let example = example();
    let states = example.invariant().views[0].states.len();
    for dropped in 0..states {
        let flaw = example.damaged(|invariant| drop(invariant.views[0].states.remove(dropped)));
        match dropped {
            0 => assert_eq!(flaw, Flaw::Initial(left())),
            _ => assert!(matches!(flaw, Flaw::Step(..)), "{dropped}: {flaw}"),
        }
    }
}

/// A proof may not count an error among the states that it expects.
#[test]
fn an_error_is_no_state_of_an_invariant() {
    let example = example();
    let mut locations = example.program.location_ids();
    let error = locations.find(|&location| example.program.location(location).is_target()).expect("an error");
    let flaw = example.damaged(|invariant| {
        let states = &mut invariant.views[0].states;
        states[2].literals.truncate(1);
        let beyond = AbstractState { location: error, ..states[2].clone() };
        states.push(beyond);
    });
    assert!(matches!(flaw, Flaw::Step(..)), "{flaw}");
}

#[test]
fn a_literal_that_is_flipped_is_noticed() {
    let example = example();
    for (state, literal) in (0..7).flat_map(|state| (0..2).map(move |literal| (state, literal))) {
        let flaw = example.damaged(|invariant| {
            let (_, value) = &mut invariant.views[0].states[state].literals[literal];
            *value = !*value;
        });
        assert!(matches!(flaw, Flaw::Initial(_) | Flaw::Step(..)), "{state} {literal}: {flaw}");
    }
}

#[test]
fn a_literal_that_is_missing_may_be_missed() {
    let example = example();
    // Without `inside == 0` the left thread may find more than itself when it has counted up.
    let flaw = example.damaged(|invariant| invariant.views[0].states[1].literals.truncate(1));
    assert!(matches!(flaw, Flaw::Step(..)), "{flaw}");
}

#[test]
fn classes_that_are_merged_are_noticed() {
    let example = example();
    for (kept, merged) in [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)] {
        let flaw = example.damaged(|invariant| {
            let view = &mut invariant.views[0];
            let into = |class: &mut usize| {
                if *class == merged {
                    *class = kept;
                }
            };
            view.classes[0].iter_mut().for_each(|(_, class)| into(class));
            view.states.iter_mut().for_each(|state| into(&mut state.classes[0]));
        });
        assert!(matches!(flaw, Flaw::Step(..)), "{kept} {merged}: {flaw}");
    }
}

#[test]
fn views_and_their_parts_have_to_be_there() {
    let example = example();
    assert_eq!(example.damaged(|invariant| invariant.views.clear()), Flaw::NoView(left()));
    let malformed = Flaw::Malformed(left());
    assert_eq!(example.damaged(|invariant| invariant.views[0].environment.clear()), malformed);
    assert_eq!(example.damaged(|invariant| invariant.views[0].classes.clear()), malformed);
    assert_eq!(example.damaged(|invariant| invariant.views[0].classes[0].truncate(2)), malformed);
    assert_eq!(example.damaged(|invariant| invariant.views[0].states[3].classes.clear()), malformed);
    let other = |invariant: &mut Invariant| invariant.views[0].observed = ThreadId::new(1);
    assert_eq!(example.damaged(other), Flaw::NoView(left()));
}

#[test]
fn facts_are_about_the_state_alone() {
    let example = example();
    let with = |atom: fn(&mut Invariant, &Example) -> TermId| {
        example.damaged(|invariant| {
            let atom = atom(invariant, &example);
            invariant.views[0].states[0].literals.push((atom, true));
        })
    };
    // An input has another value in the next step, however often it is called the same.
    let input = |invariant: &mut Invariant, example: &Example| {
        let terms = &mut invariant.terms;
        let (input, zero) = (terms.var(example.input), terms.constant(0, INT));
        terms.eq(input, zero)
    };
    assert_eq!(with(input), Flaw::Malformed(left()));
    let unknown = |invariant: &mut Invariant, _: &Example| {
        let unknown = invariant.terms.declare("unknown", Sort::Bool);
        invariant.terms.var(unknown)
    };
    assert_eq!(with(unknown), Flaw::Malformed(left()));
    let number = |invariant: &mut Invariant, _: &Example| invariant.terms.constant(1, INT);
    assert_eq!(with(number), Flaw::Malformed(left()));
}

#[test]
fn what_cannot_be_checked_in_time_is_not_accepted() {
    let example = example();
    let limit = std::time::Duration::ZERO;
    let budget = Budget::unlimited().with_time(limit);
    let result = check(&example.program, &example.invariant(), IntModel::Integer, &budget);
    assert_eq!(result, Err(Flaw::GaveUp(GaveUp::Stopped(Stop::Time(limit)))));
}
