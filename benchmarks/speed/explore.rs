//! Measures the explorer: how many states a second, how many bytes a state.
//!
//! `cargo run --release --example explore-speed [sc|tso|pso] [states]`
//!
//! Four threads count with private counters and add to shared ones under two locks, for ever modulo 50, so
//! that there are more states than anybody asks for; the exploration stops at the limit (5,000,000 unless
//! given).

use std::process::ExitCode;
use std::time::Instant;

use regrain::engine::explore::{Exploration, Limits, Options, Reduction, explore};
use regrain::observe::Silent;
use regrain::program::{
    Barrier, Init, LocId, MemoryModel, Origin, Place, Program, ProgramBuilder, Role, Sources, Span,
    Transition, Update, Variable,
};
use regrain::term::{Datum, Sort, TermId, VarId, Word};

const INT: Word = Word::signed(32);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let model = match arguments.next().as_deref() {
        None | Some("sc") => MemoryModel::Sc,
        Some("tso") => MemoryModel::Tso,
        Some("pso") => MemoryModel::Pso,
        Some(other) => return refuse(other),
    };
    let states = match arguments.next().map(|text| text.parse()) {
        None => 5_000_000,
        Some(Ok(states)) => states,
        Some(Err(_)) => return refuse("not a number of states"),
    };
    let program = counters();
    let limits = Limits { states, ..Limits::default() };
    let options = Options { model, limits, reduction: Reduction::None, ..Options::default() };
    let start = Instant::now();
    let found = explore(&program, &options, &mut Silent);
    report(&found, start.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

#[expect(clippy::print_stderr, reason = "a program of its own")]
fn refuse(what: &str) -> ExitCode {
    eprintln!("{what}: usage: explore-speed [sc|tso|pso] [states]");
    ExitCode::FAILURE
}

#[expect(clippy::print_stdout, reason = "a program of its own")]
fn report(found: &Exploration, seconds: f64) {
    println!("States:          {}", found.states);
    println!("Transitions:     {}", found.transitions);
    println!("Seconds:         {seconds:.2}");
    println!("States/s:        {:.0}", found.states as f64 / seconds);
    println!("Bytes/state:     {:.1}", found.memory as f64 / found.states as f64);
}

/// Four threads; two share a lock and a counter.
fn counters() -> Program {
    let mut counters = Counters { builder: ProgramBuilder::new(Sources::default()) };
    let groups: Vec<(VarId, VarId)> = (0..2)
        .map(|i| {
            let lock = counters.variable(format!("lock{i}"), Role::Shared);
            (lock, counters.variable(format!("sum{i}"), Role::Shared))
        })
        .collect();
    for i in 0..4 {
        let (lock, sum) = groups[i % 2];
        counters.thread(i, lock, sum);
    }
    counters.builder.build()
}

struct Counters {
    builder: ProgramBuilder,
}

impl Counters {
    fn variable(&mut self, name: String, role: Role) -> VarId {
        let init = Init::Value(Datum::Word(0));
        self.builder.variable(Variable { name, sort: Sort::Word(INT), role, init, origin: Origin::User })
    }

    fn step(&mut self, ends: (LocId, LocId), guard: TermId, update: (VarId, TermId), barrier: Barrier) {
        let (from, to) = ends;
        let updates = vec![Update::whole(Place { var: update.0, index: None }, update.1)];
        self.builder.transition(Transition {
            from,
            to,
            guard,
            ranges: Vec::new(),
            updates,
            call: None,
            barrier,
            events: Vec::new(),
        });
    }

    /// `for (;;) { lock(); t = sum; sum = (t + 1) % 50; unlock(); n = (n + 1) % 50; }`
    fn thread(&mut self, number: usize, lock: VarId, sum: VarId) {
        let thread = self.builder.thread(format!("t{number}"), Span::NONE);
        let t = self.variable(format!("t{number}::t"), Role::Private(thread));
        let n = self.variable(format!("t{number}::n"), Role::Private(thread));
        let entry = self.builder.program().thread(thread).entry;
        let l: Vec<LocId> = (0..4).map(|_| self.builder.location(thread, Span::NONE)).collect();
        let next_of = |terms: &mut regrain::term::Pool, var| {
            let (var, one, fifty) = (terms.var(var), terms.constant(1, INT), terms.constant(50, INT));
            let next = terms.add(var, one);
            terms.rem(next, fifty)
        };
        let terms = self.builder.terms();
        let always = terms.bool(true);
        let (zero, one, lock_value) = (terms.constant(0, INT), terms.constant(1, INT), terms.var(lock));
        let free = terms.eq(lock_value, zero);
        let (read, plus, count) = (terms.var(sum), next_of(terms, t), next_of(terms, n));
        self.step((entry, l[0]), free, (lock, one), Barrier::Full);
        self.step((l[0], l[1]), always, (t, read), Barrier::None);
        self.step((l[1], l[2]), always, (sum, plus), Barrier::None);
        self.step((l[2], l[3]), always, (lock, zero), Barrier::Full);
        self.step((l[3], entry), always, (n, count), Barrier::None);
    }
}
