//! Programs whose states can be counted by hand.

use std::time::Duration;

use crate::program::{
    Assertion, Barrier, Mark, Origin, Place, ProgramBuilder, Sources, Span, Transition, Update, Variable,
};
use crate::replay::run;
use crate::term::{Sort, TermId, Word};

use super::*;

const SC: MemoryModel = MemoryModel::Sc;
const TSO: MemoryModel = MemoryModel::Tso;
const PSO: MemoryModel = MemoryModel::Pso;
const BIT: Sort = Sort::Word(Word::unsigned(1));

/// A program under construction; threads go on from where their last step led.
struct Maker {
    builder: ProgramBuilder,
    at: Vec<LocId>,
}

impl Maker {
    fn new(threads: usize) -> Maker {
        let mut builder = ProgramBuilder::new(Sources::default());
        let threads = (0..threads).map(|i| builder.thread(format!("t{i}"), Span::NONE));
        let threads: Vec<ThreadId> = threads.collect();
        let at = threads.iter().map(|&thread| builder.program().thread(thread).entry).collect();
        Maker { builder, at }
    }

    fn variable(&mut self, name: &str, sort: Sort, role: Role, init: Init) -> VarId {
        self.builder.variable(Variable { name: name.to_owned(), sort, role, init, origin: Origin::User })
    }

    fn shared(&mut self, name: &str) -> VarId {
        self.variable(name, BIT, Role::Shared, Init::Value(Datum::Word(0)))
    }

    fn private(&mut self, thread: usize, name: &str) -> VarId {
        let role = Role::Private(ThreadId::new(thread));
        self.variable(name, BIT, role, Init::Value(Datum::Word(0)))
    }

    fn var(&mut self, var: VarId) -> TermId {
        self.builder.terms().var(var)
    }

    fn one(&mut self) -> TermId {
        self.builder.terms().constant(1, Word::unsigned(1))
    }

    fn always(&mut self) -> TermId {
        self.builder.terms().bool(true)
    }

    fn step_to(
        &mut self,
        from: LocId,
        to: LocId,
        guard: TermId,
        update: Option<(VarId, TermId)>,
        barrier: Barrier,
    ) {
        let place = |var| Place { var, index: None };
        let updates = update.into_iter().map(|(var, value)| Update::whole(place(var), value)).collect();
        self.builder.transition(Transition { updates, barrier, ..Transition::silent(from, to, guard) });
    }

    /// The thread writes a value, or only moves on.
    fn step(&mut self, thread: usize, update: Option<(VarId, TermId)>, barrier: Barrier) {
        let (id, guard) = (ThreadId::new(thread), self.always());
        let to = self.builder.location(id, Span::NONE);
        self.step_to(self.at[thread], to, guard, update, barrier);
        self.at[thread] = to;
    }

    /// The thread goes to a location with a mark if a condition holds.
    fn mark_if(&mut self, thread: usize, condition: TermId, mark: Mark) -> LocId {
        let marked = self.builder.marked_location(ThreadId::new(thread), mark, Span::NONE);
        self.step_to(self.at[thread], marked, condition, None, Barrier::None);
        marked
    }

    fn error_if(&mut self, thread: usize, condition: TermId) -> LocId {
        let assertion = Assertion::new(Span::NONE, "a condition");
        let assertion = self.builder.assertion(assertion);
        self.mark_if(thread, condition, Mark::Error(assertion))
    }
}

/// Explores; every run that comes out leads where it should.
fn explored(program: &Program, options: Options) -> Explored {
    let found = explore(program, &options);
    for (location, trace) in &found.reached {
        let run = run(program, options.model, trace).expect("a possible run");
        assert!(run.last().locations.contains(location));
    }
    found
}

fn under(program: &Program, model: MemoryModel) -> Explored {
    explored(program, Options { model, ..Options::default() })
}

#[test]
fn writes_wait_in_buffers_as_the_model_says() {
    // One thread writes x, then y.
    let writer = |barrier| {
        let mut maker = Maker::new(1);
        let (x, y, one) = (maker.shared("x"), maker.shared("y"), maker.one());
        maker.step(0, Some((x, one)), Barrier::None);
        maker.step(0, Some((y, one)), barrier);
        maker.builder.build()
    };
    let states = |barrier, model| under(&writer(barrier), model).states;
    // Before; after x, buffered or not; after both: nothing, y, or both buffered, and under PSO x alone too.
    assert_eq!([SC, TSO, PSO].map(|model| states(Barrier::None, model)), [3, 6, 7]);
    assert_eq!([SC, TSO, PSO].map(|model| states(Barrier::StoreStore, model)), [3, 6, 6]);
    // y is written when x is in memory, and at once.
    assert_eq!([SC, TSO, PSO].map(|model| states(Barrier::Full, model)), [3, 4, 4]);
}

#[test]
fn both_threads_read_the_old_value_only_with_store_buffers() {
    // x = 1; r = y  beside  y = 1; s = x, then the second thread shows s and says so. The loads wait for the
    // buffer, or do not.
    let program = |barrier: Barrier| {
        let mut maker = Maker::new(2);
        let (x, y) = (maker.shared("x"), maker.shared("y"));
        let (r, s) = (maker.private(0, "r"), maker.private(1, "s"));
        let (done, copy, one) = (maker.shared("done"), maker.shared("copy"), maker.one());
        for (thread, written, read, result) in [(0, x, y, r), (1, y, x, s)] {
            let value = maker.var(read);
            maker.step(thread, Some((written, one)), Barrier::None);
            maker.step(thread, Some((result, value)), barrier);
        }
        let (s_value, r_value) = (maker.var(s), maker.var(r));
        maker.step(1, Some((copy, s_value)), Barrier::Full);
        maker.step(1, Some((done, one)), Barrier::Full);
        let (done, copy) = (maker.var(done), maker.var(copy));
        let terms = maker.builder.terms();
        let zero = terms.constant(0, Word::unsigned(1));
        let bad = [terms.eq(done, one), terms.eq(copy, zero), terms.eq(r_value, zero)];
        let bad = terms.and(&bad);
        maker.error_if(0, bad);
        maker.builder.build()
    };
    let violated = |barrier, model| !under(&program(barrier), model).reached.is_empty();
    assert_eq!([SC, TSO, PSO].map(|model| violated(Barrier::None, model)), [false, true, true]);
    assert_eq!([SC, TSO, PSO].map(|model| violated(Barrier::Full, model)), [false, false, false]);
}

#[test]
fn inputs_take_every_value_and_each_target_has_a_shortest_run() {
    let mut maker = Maker::new(1);
    let truth = maker.builder.input("b", Sort::Bool);
    let word = maker.builder.input("w", Sort::Word(Word::signed(3)));
    let kept = maker.variable("k", Sort::Bool, Role::Private(ThreadId::new(0)), Init::Any);
    let (chosen, word, kept) = (maker.var(truth), maker.var(word), maker.var(kept));
    let terms = maker.builder.terms();
    let (least, never) = (terms.constant(-4, Word::signed(3)), terms.constant(3, Word::signed(3)));
    let both = [terms.eq(word, least), chosen];
    let both = terms.and(&both);
    let (negated, above) = (terms.not(kept), terms.le(word, never));
    let above = terms.not(above);
    let error = maker.error_if(0, both);
    let impossible = maker.error_if(0, above);
    let undefined = maker.mark_if(0, negated, Mark::Undefined("the value was not set".to_owned()));
    maker.step(0, None, Barrier::None);
    let cut = maker.mark_if(0, kept, Mark::Cut("a bound".to_owned()));
    maker.mark_if(0, kept, Mark::End);
    let program = maker.builder.build();
    let found = under(&program, SC);
    assert!(found.is_complete());
    let lengths: BTreeMap<LocId, usize> =
        found.reached.iter().map(|(&location, trace)| (location, trace.moves.len())).collect();
    assert_eq!(lengths, BTreeMap::from([(error, 1), (undefined, 1), (cut, 2)]));
    assert!(!found.reached.contains_key(&impossible));
    let Move::Step { inputs, .. } = &found.reached[&error].moves[0] else { panic!("a step") };
    assert_eq!(
        inputs[..],
        [(truth, Datum::Bool(true)), (program.inputs_of(&program.transitions[0])[1], Datum::Word(-4))]
    );
    // Two initial states; from each the error and the middle; from one the undefined place, from the other
    // bound and end.
    assert_eq!(found.states, 2 + 2 * 2 + 1 + 2);
}

#[test]
fn a_wide_value_is_a_gap_and_samples_find_but_do_not_prove() {
    let mut maker = Maker::new(1);
    let wide = Word::unsigned(9);
    let input = maker.builder.input("w", Sort::Word(wide));
    let value = maker.var(input);
    let wanted = maker.builder.terms().constant(300, wide);
    let wanted = maker.builder.terms().eq(value, wanted);
    let error = maker.error_if(0, wanted);
    let program = maker.builder.build();
    let gaps = BTreeSet::from([Gap::Input(input, TransId::new(0))]);
    let blind = under(&program, SC);
    assert_eq!((blind.reached.len(), &blind.gaps, blind.is_complete()), (0, &gaps, false));
    for (samples, reached) in [(vec![0, 1], false), (vec![0, 300, 600], true)] {
        let found = explored(&program, Options { samples, ..Options::default() });
        assert_eq!((found.reached.contains_key(&error), &found.gaps), (reached, &gaps));
        assert!(!found.is_complete());
    }
    let found = explored(&program, Options { bits: 9, ..Options::default() });
    assert!(found.is_complete() && found.reached.contains_key(&error));
}

#[test]
fn an_open_initial_value_matters_if_it_is_read() {
    let program = |read: bool| {
        let mut maker = Maker::new(1);
        let open = maker.variable("open", Sort::Word(Word::signed(32)), Role::Shared, Init::Any);
        let private = maker.private(0, "r");
        let value = maker.var(open);
        let value = maker.builder.terms().cast(value, Word::unsigned(1));
        let update = read.then_some((private, value));
        maker.step(0, update, Barrier::None);
        (maker.builder.build(), open)
    };
    let (unread, _) = program(false);
    assert_eq!((under(&unread, SC).states, under(&unread, SC).is_complete()), (2, true));
    let (read, open) = program(true);
    assert_eq!(under(&read, SC).gaps, BTreeSet::from([Gap::Initial(open)]));
    let sampled = explored(&read, Options { samples: vec![4, 7], ..Options::default() });
    assert_eq!((sampled.states, sampled.is_complete()), (4, false));
}

/// With a limit, only starts that are followed one by one show what comes after them; without, both show the
/// same.
#[test]
fn starts_may_be_followed_in_turn() {
    let mut maker = Maker::new(1);
    let open = [0, 1].map(|_| maker.variable("open", Sort::Word(Word::unsigned(6)), Role::Shared, Init::Any));
    let [a, b] = open.map(|var| maker.var(var));
    maker.step(0, None, Barrier::None);
    let same = maker.builder.terms().eq(a, b);
    let error = maker.error_if(0, same);
    let program = maker.builder.build();
    let found = |states, starts| explored(&program, Options { states, starts, ..Options::default() });
    let few = [Starts::Together, Starts::InTurn].map(|starts| found(1000, starts));
    assert_eq!(few.map(|found| found.reached.contains_key(&error)), [false, true]);
    let all = [Starts::Together, Starts::InTurn].map(|starts| found(100_000, starts));
    assert!(all.iter().all(|found| found.is_complete() && found.reached.contains_key(&error)));
    assert_eq!(all[0].states, all[1].states);
}

#[test]
fn nobody_moves_beside_an_atomic_section() {
    let mut maker = Maker::new(2);
    let (x, one) = (maker.shared("x"), maker.one());
    let inside = maker.builder.atomic_location(ThreadId::new(0), Span::NONE);
    let (after, always) = (maker.builder.location(ThreadId::new(0), Span::NONE), maker.always());
    maker.step_to(maker.at[0], inside, always, None, Barrier::None);
    maker.step_to(inside, after, always, None, Barrier::None);
    maker.step(1, Some((x, one)), Barrier::None);
    let program = maker.builder.build();
    // Thread 0 before, inside, after; x not written or written: all six, but the write does not happen
    // inside.
    assert_eq!(under(&program, SC).states, 6);
    // Under TSO the write is nowhere, buffered or in memory; it reaches memory before or after the section
    // only.
    assert_eq!(under(&program, TSO).states, 9);
    let ([enter, leave], write) = ([TransId::new(0), TransId::new(1)], TransId::new(2));
    let step = |transition| Move::Step { transition, inputs: Vec::new() };
    let moves = vec![step(enter), step(write), step(leave)];
    assert!(run(&program, SC, &Trace { initial: Vec::new(), moves }).is_err());
}

#[test]
fn limits_are_told() {
    let mut maker = Maker::new(1);
    let (x, one, always) = (maker.shared("x"), maker.one(), maker.always());
    maker.step_to(maker.at[0], maker.at[0], always, Some((x, one)), Barrier::None);
    let program = maker.builder.build();
    assert_eq!(under(&program, SC).states, 2);
    let full = explored(&program, Options { model: TSO, buffer: 3, ..Options::default() });
    // x is 0 with up to three writes waiting, or 1 with up to three.
    assert_eq!((full.states, full.gaps), (8, BTreeSet::from([Gap::Buffer(ThreadId::new(0))])));
    let few = explored(&program, Options { model: TSO, states: 5, ..Options::default() });
    assert_eq!((few.states, few.stop, few.is_complete()), (5, Some(Early::States(5)), false));
    let budget = Budget::unlimited().with_time(Duration::ZERO);
    let late = explored(&program, Options { budget, ..Options::default() });
    assert!(matches!(late.stop, Some(Early::Budget(Stop::Time(_)))) && !late.is_complete());
}
