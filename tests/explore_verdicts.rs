//! What the engine `explore` answers, in words: inputs too large to enumerate, marks, limits; and the runs it
//! shows.

use std::fmt::Write as _;
use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::Claim;
use regrain::engine::explore::{Limits, Reduction};
use regrain::observe::Statistics;
use regrain::program::{
    Action, Assertion, Event, Init, LocId, Mark, MemoryModel, Move, Origin, Place, Program, ProgramBuilder,
    Role, Sources, Span, ThreadId, Transition, Update, Variable,
};
use regrain::proof::Certificate;
use regrain::term::{ArraySort, Datum, Pool, Sort, TermId, VarId, Word};
use regrain::verify::{Engine, Settings, verify};

use crate::answer::answer;

const INT: Word = Word::signed(32);

/// One thread under construction, as a row of steps.
struct Straight {
    builder: ProgramBuilder,
    thread: ThreadId,
    here: LocId,
    line: u32,
}

impl Straight {
    fn new() -> Straight {
        let mut sources = Sources::default();
        sources.file("p.c");
        let mut builder = ProgramBuilder::new(sources);
        let thread = builder.thread("main", Span::NONE);
        let here = builder.program().thread(thread).entry;
        Straight { builder, thread, here, line: 0 }
    }

    fn next_thread(&mut self, name: &str) {
        self.thread = self.builder.thread(name, Span::NONE);
        self.here = self.builder.program().thread(self.thread).entry;
    }

    fn private(&mut self, name: &str) -> VarId {
        let role = Role::Private(self.thread);
        self.variable(name, Sort::Word(INT), role, Init::Value(Datum::Word(0)))
    }

    fn variable(&mut self, name: &str, sort: Sort, role: Role, init: Init) -> VarId {
        let name = name.to_owned();
        self.builder.variable(Variable { name, sort, role, init, origin: Origin::User })
    }

    fn span(&self) -> Span {
        Span { line: self.line, column: 3, ..Span::NONE }
    }

    /// `var = term` on a line of its own.
    fn assign(&mut self, var: VarId, value: impl FnOnce(&mut Pool) -> TermId) {
        self.assign_at(Place { var, index: None }, value);
    }

    fn assign_at(&mut self, place: Place, value: impl FnOnce(&mut Pool) -> TermId) {
        self.line += 1;
        let value = value(self.builder.terms());
        let guard = self.builder.terms().bool(true);
        let (from, span) = (self.here, self.span());
        self.here = self.builder.location(self.thread, span);
        let events = vec![Event { span, action: Action::Compute }];
        let updates = vec![Update::whole(place, value)];
        self.builder.transition(Transition { updates, events, ..Transition::silent(from, self.here, guard) });
    }

    /// `if (term) <mark>;`
    fn stop_if(&mut self, condition: impl FnOnce(&mut Pool) -> TermId, mark: Mark) {
        self.line += 1;
        let condition = condition(self.builder.terms());
        let otherwise = self.builder.terms().not(condition);
        let (from, span) = (self.here, self.span());
        let stop = self.builder.marked_location(self.thread, mark, span);
        self.here = self.builder.location(self.thread, span);
        self.builder.branch(from, condition, stop);
        self.builder.branch(from, otherwise, self.here);
    }

    /// `assert(!term);`
    fn never(&mut self, condition: impl FnOnce(&mut Pool) -> TermId) {
        let span = self.span();
        let assertion = self.builder.assertion(Assertion::new(span, "never".to_owned()));
        self.stop_if(condition, Mark::Error(assertion));
    }

    #[track_caller]
    fn answers(self, expected: &str) {
        let program = self.builder.build();
        for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
            let settings = Settings { memory_model: model, ..Settings::default() };
            let answer = answer(&program, Engine::Explore, &settings);
            assert_eq!(describe(&program, answer.claim()), expected, "{model:?}\n{program}");
        }
    }
}

/// `safe`, `unsafe in=3`, or `unknown: why`.
fn describe(program: &Program, claim: &Claim) -> String {
    match claim {
        Claim::Safe(_) => "safe".to_owned(),
        Claim::Unknown(reason) => format!("unknown: {}", reason.summary),
        Claim::Unsafe(violation) => {
            let mut text = "unsafe".to_owned();
            let steps = violation.trace.moves.iter().filter_map(|step| match step {
                Move::Step { inputs, .. } => Some(inputs),
                Move::Schedule { .. } | Move::Flush { .. } => None,
            });
            for (var, value) in violation.trace.initial.iter().chain(steps.flatten()) {
                let name = &program.variable(*var).name;
                match value {
                    Datum::Word(value) => write!(text, " {name}={value}").unwrap(),
                    other => write!(text, " {name}={other:?}").unwrap(),
                }
            }
            text
        }
    }
}

fn constant(terms: &mut Pool, value: i128) -> TermId {
    terms.constant(value, INT)
}

/// `low <= var && var <= high`
fn between(terms: &mut Pool, var: VarId, low: i128, high: i128) -> TermId {
    let (var, low, high) = (terms.var(var), constant(terms, low), constant(terms, high));
    let (above, below) = (terms.le(low, var), terms.le(var, high));
    terms.and(&[above, below])
}

fn equals(terms: &mut Pool, var: VarId, value: i128) -> TermId {
    let (var, value) = (terms.var(var), constant(terms, value));
    terms.eq(var, value)
}

fn square(terms: &mut Pool, var: VarId) -> TermId {
    let var = terms.var(var);
    terms.mul(var, var)
}

#[test]
fn an_input_that_is_only_compared_is_decided() {
    let mut p = Straight::new();
    let (r, input) = (p.private("r"), p.builder.input("in", Sort::Word(INT)));
    p.assign(r, |terms| terms.var(input));
    p.never(|terms| between(terms, r, 1000, 999));
    p.never(|terms| {
        let (low, high) = (equals(terms, r, 5), equals(terms, r, 6));
        terms.and(&[low, high])
    });
    p.answers("safe");

    let mut p = Straight::new();
    let (r, s, input) = (p.private("r"), p.private("s"), p.builder.input("in", Sort::Word(INT)));
    p.assign(r, |terms| terms.var(input));
    p.assign(s, |terms| terms.var(r));
    p.never(|terms| equals(terms, s, 123_456));
    p.answers("unsafe in=123456");
}

#[test]
fn an_input_in_a_small_range_is_enumerated() {
    let mut p = Straight::new();
    let (r, s, input) = (p.private("r"), p.private("s"), p.builder.input("in", Sort::Word(INT)));
    p.assign(r, |terms| terms.var(input));
    p.stop_if(
        |terms| {
            let inside = between(terms, r, -20, 20);
            terms.not(inside)
        },
        Mark::End,
    );
    p.assign(s, |terms| square(terms, r));
    p.never(|terms| equals(terms, s, 17));
    p.answers("safe");

    let mut p = Straight::new();
    let (r, s, input) =
        (p.private("r"), p.private("s"), p.builder.input("in", Sort::Word(Word::unsigned(8))));
    p.assign(r, |terms| {
        let input = terms.var(input);
        terms.cast(input, INT)
    });
    p.assign(s, |terms| square(terms, r));
    p.never(|terms| equals(terms, s, 1));
    p.answers("unsafe in=1");
}

#[test]
fn a_range_may_be_found_step_by_step() {
    let mut p = Straight::new();
    let (r, s, input) = (p.private("r"), p.private("s"), p.builder.input("in", Sort::Word(INT)));
    p.assign(r, |terms| terms.var(input));
    p.stop_if(|terms| between(terms, r, INT.min(), -1), Mark::End);
    p.stop_if(|terms| between(terms, r, 30, INT.max()), Mark::End);
    p.assign(s, |terms| square(terms, r));
    p.never(|terms| equals(terms, s, 17));
    p.never(|terms| equals(terms, s, 28 * 28));
    p.answers("unsafe in=28");
}

#[test]
fn an_input_too_large_to_enumerate_is_named() {
    let mut p = Straight::new();
    let (r, s, input) = (p.private("r"), p.private("s"), p.builder.input("in", Sort::Word(INT)));
    p.assign(r, |terms| terms.var(input));
    p.assign(s, |terms| square(terms, r));
    p.never(|terms| equals(terms, s, 17));
    p.answers("unknown: inputs too large to enumerate: in (i32) at p.c:1:3");

    // A bug is found nevertheless, if likely values show it.
    let mut p = Straight::new();
    let (r, s, input) = (p.private("r"), p.private("s"), p.builder.input("in", Sort::Word(INT)));
    p.assign(r, |terms| terms.var(input));
    p.assign(s, |terms| square(terms, r));
    p.never(|terms| {
        let (one, small) = (equals(terms, s, 1), between(terms, r, -100, -1));
        terms.and(&[one, small])
    });
    p.answers("unsafe in=-1");
}

#[test]
fn an_initial_value_that_nobody_reads_does_not_matter() {
    let sort = Sort::Array(ArraySort { len: 100, elem: INT });
    let element = |terms: &mut Pool, i| Some(constant(terms, i));
    let mut p = Straight::new();
    let (a, r) = (p.variable("a", sort, Role::Shared, Init::Any), p.private("r"));
    let third = Place { var: a, index: element(p.builder.terms(), 3) };
    p.assign_at(third, |terms| constant(terms, 8));
    p.assign(r, |terms| {
        let (a, index) = (terms.var(a), constant(terms, 3));
        terms.select(a, index)
    });
    p.never(|terms| equals(terms, r, 9));
    p.answers("safe");

    let mut p = Straight::new();
    let (x, r) = (p.variable("x", Sort::Word(INT), Role::Shared, Init::Any), p.private("r"));
    p.assign(r, |terms| terms.var(x));
    p.never(|terms| equals(terms, r, 9));
    p.answers("unsafe x=9");
}

#[test]
fn marks_make_the_answer_unknown_unless_an_assertion_is_violated() {
    let mut p = Straight::new();
    let r = p.private("r");
    p.stop_if(|terms| equals(terms, r, 0), Mark::Undefined("division by zero".to_owned()));
    p.answers("unknown: undefined behaviour is reachable: division by zero at p.c:1:3");

    let mut p = Straight::new();
    let r = p.private("r");
    p.stop_if(|terms| equals(terms, r, 0), Mark::Cut("4 threads created in a loop".to_owned()));
    p.next_thread("other");
    let s = p.private("s");
    p.never(|terms| equals(terms, s, 0));
    p.answers("unsafe");

    let mut p = Straight::new();
    let r = p.private("r");
    p.stop_if(|terms| equals(terms, r, 1), Mark::Undefined("division by zero".to_owned()));
    p.answers("safe");
}

/// Two threads that each write a shared variable of their own, for ever.
fn endless() -> Program {
    let mut p = Straight::new();
    for name in ["one", "two"] {
        if name == "two" {
            p.next_thread(name);
        }
        let init = Init::Value(Datum::Word(0));
        let x = p.variable(name, Sort::Word(INT), Role::Shared, init);
        let start = p.here;
        p.assign(x, |terms| {
            let (x, one) = (terms.var(x), constant(terms, 1));
            terms.add(x, one)
        });
        let (guard, end) = (p.builder.terms().bool(true), p.here);
        p.builder.branch(end, guard, start);
    }
    p.builder.build()
}

#[test]
fn limits_are_named() {
    let program = endless();
    let said = |settings: Settings| describe(&program, answer(&program, Engine::Explore, &settings).claim());
    let limits = |limits| Settings { limits, ..Settings::default() };
    assert_eq!(
        said(limits(Limits { states: 1000, ..Limits::default() })),
        "unknown: limit of 1000 states reached"
    );
    assert_eq!(
        said(limits(Limits { cells: 1, ..Limits::default() })),
        "unknown: 2 scalars and array elements are too many to explore"
    );
    let budget = Budget::unlimited().with_time(Duration::ZERO);
    assert_eq!(said(Settings { budget, ..Settings::default() }), "unknown: time limit of 0 s reached");

    let mut p = Straight::new();
    let x = p.variable("x", Sort::Word(INT), Role::Shared, Init::Value(Datum::Word(0)));
    let start = p.here;
    p.assign(x, |terms| constant(terms, 1));
    let (guard, end) = (p.builder.terms().bool(true), p.here);
    p.builder.branch(end, guard, start);
    let program = p.builder.build();
    let settings = Settings {
        memory_model: MemoryModel::Tso,
        limits: Limits { buffer: 5, ..Limits::default() },
        ..Settings::default()
    };
    let answer = answer(&program, Engine::Explore, &settings);
    assert_eq!(
        describe(&program, answer.claim()),
        "unknown: the store buffer of main holds more than 5 writes"
    );
}

#[test]
fn all_states_are_counted() {
    let mut p = Straight::new();
    for i in 0..3 {
        if i > 0 {
            p.next_thread("other");
        }
        let init = Init::Value(Datum::Word(0));
        let x = p.variable("x", Sort::Word(INT), Role::Shared, init);
        p.assign(x, |terms| constant(terms, 1));
        p.assign(x, |terms| constant(terms, 2));
    }
    let program = p.builder.build();
    let mut statistics = Statistics::default();
    let settings = Settings { reduction: Reduction::None, ..Settings::default() };
    let answer = verify(&program, Engine::Explore, &settings, &mut statistics).expect("no fault");
    assert!(matches!(answer.claim(), Claim::Safe(Certificate::Exhausted { states: 27 })), "{answer:?}");
    assert_eq!((statistics.counts["States"], statistics.counts["Transitions"]), (27, 54));
}
