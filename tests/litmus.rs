//! Classic litmus tests: which outcomes each memory model allows.
//!
//! A test is written in one line: threads between `||`, statements between `;`, then the outcome in question
//! after `~`. `x=1` writes, `r=x` reads (registers begin with `r`), `r=xchg x 1` exchanges indivisibly,
//! `fence` and `wfence` are the full and the store-store fence. Each thread ends with a full fence and
//! publishes its registers; a last thread waits for all and finds the outcome. The expectation lists the
//! models that allow it.

use std::collections::BTreeMap;

use regrain::program::{
    Assertion, Barrier, Init, LocId, Mark, MemoryModel, Origin, Place, Program, ProgramBuilder, Role,
    Sources, Span, Transition, Update, Variable,
};
use regrain::term::{Datum, Sort, TermId, VarId, Word};
use regrain::verify::{Engine, Settings};

use crate::answer::{answer, safety};

const INT: Word = Word::signed(32);

/// Builds the program of a litmus test: it violates its assertion if and only if the outcome is possible.
fn litmus(text: &str) -> Program {
    let (threads, outcome) = text.split_once('~').expect("an outcome");
    let mut builder = Builder { builder: ProgramBuilder::new(Sources::default()), vars: BTreeMap::new() };
    let done: Vec<VarId> = threads.split("||").enumerate().map(|(i, text)| builder.thread(i, text)).collect();
    builder.observer(&done, outcome);
    builder.builder.build()
}

struct Builder {
    builder: ProgramBuilder,
    /// Shared variables by name.
    vars: BTreeMap<String, VarId>,
}

impl Builder {
    fn shared(&mut self, name: &str) -> VarId {
        if let Some(&var) = self.vars.get(name) {
            return var;
        }
        let var = self.declare(name, Role::Shared);
        self.vars.insert(name.to_owned(), var);
        var
    }

    fn declare(&mut self, name: &str, role: Role) -> VarId {
        let init = Init::Value(Datum::Word(0));
        let name = name.to_owned();
        self.builder.variable(Variable { name, sort: Sort::Word(INT), role, init, origin: Origin::User })
    }

    fn constant(&mut self, text: &str) -> TermId {
        let value = text.parse().expect("a number");
        self.builder.terms().constant(value, INT)
    }

    fn step(&mut self, from: LocId, to: LocId, updates: &[(VarId, TermId)], barrier: Barrier) {
        let guard = self.builder.terms().bool(true);
        let updates =
            updates.iter().map(|&(var, value)| Update::whole(Place { var, index: None }, value)).collect();
        self.builder.transition(Transition { updates, barrier, ..Transition::silent(from, to, guard) });
    }

    /// Adds a thread; returns the variable that it sets at its end.
    fn thread(&mut self, number: usize, text: &str) -> VarId {
        let thread = self.builder.thread(format!("P{number}"), Span::NONE);
        let mut registers = BTreeMap::new();
        let mut here = self.builder.program().thread(thread).entry;
        for statement in text.split(';').map(str::trim) {
            let next = self.builder.location(thread, Span::NONE);
            let (updates, barrier) = match statement.split_once('=') {
                None if statement == "fence" => (Vec::new(), Barrier::Full),
                None if statement == "wfence" => (Vec::new(), Barrier::StoreStore),
                None => panic!("not a statement: {statement}"),
                Some((register, source)) if register.starts_with('r') => {
                    let register = *registers.entry(register.to_owned()).or_insert_with_key(|name| {
                        self.declare(&format!("own {name}"), Role::Private(thread))
                    });
                    self.read(register, source)
                }
                Some((var, value)) => {
                    let (var, value) = (self.shared(var), self.constant(value));
                    (vec![(var, value)], Barrier::None)
                }
            };
            self.step(here, next, &updates, barrier);
            here = next;
        }
        let end = self.builder.marked_location(thread, Mark::End, Span::NONE);
        let done = self.shared(&format!("done {number}"));
        let mut publish = vec![(done, self.constant("1"))];
        for (name, register) in registers {
            publish.push((self.shared(&name), self.builder.terms().var(register)));
        }
        self.step(here, end, &publish, Barrier::Full);
        done
    }

    fn read(&mut self, register: VarId, source: &str) -> (Vec<(VarId, TermId)>, Barrier) {
        let Some(exchange) = source.strip_prefix("xchg ") else {
            let var = self.shared(source);
            return (vec![(register, self.builder.terms().var(var))], Barrier::None);
        };
        let (var, value) = exchange.split_once(' ').expect("a variable and a value");
        let (var, value) = (self.shared(var), self.constant(value));
        (vec![(register, self.builder.terms().var(var)), (var, value)], Barrier::Full)
    }

    /// Adds the thread that looks for the outcome when all others are done.
    fn observer(&mut self, done: &[VarId], outcome: &str) {
        let thread = self.builder.thread("observer", Span::NONE);
        let assertion = self.builder.assertion(Assertion::new(Span::NONE, format!("not {outcome}")));
        let entry = self.builder.program().thread(thread).entry;
        let error = self.builder.marked_location(thread, Mark::Error(assertion), Span::NONE);
        let mut wanted: Vec<(VarId, &str)> = done.iter().map(|&done| (done, "1")).collect();
        for part in outcome.split_whitespace() {
            let (name, value) = part.split_once('=').expect("name=value");
            assert!(self.vars.contains_key(name), "{name} does not occur");
            wanted.push((self.shared(name), value));
        }
        let conditions: Vec<TermId> = wanted
            .into_iter()
            .map(|(var, value)| {
                let value = self.constant(value);
                let var = self.builder.terms().var(var);
                self.builder.terms().eq(var, value)
            })
            .collect();
        let guard = self.builder.terms().and(&conditions);
        self.builder.branch(entry, guard, error);
    }
}

/// Checks that exactly these models (`""`, `"pso"`, `"tso pso"` or `"sc tso pso"`) allow the outcome.
#[track_caller]
fn allowed(models: &str, text: &str) {
    let program = litmus(text);
    let found: Vec<&str> = [("sc", MemoryModel::Sc), ("tso", MemoryModel::Tso), ("pso", MemoryModel::Pso)]
        .into_iter()
        .filter(|(_, model)| {
            let settings = Settings { memory_model: *model, ..Settings::default() };
            let found = answer(&program, Engine::Explore, &settings);
            !safety(&found).unwrap_or_else(|| panic!("{:?}", found.claim()))
        })
        .map(|(name, _)| name)
        .collect();
    assert_eq!(found.join(" "), models, "{text}");
}

#[test]
fn outcomes_without_reordering() {
    allowed("sc tso pso", "x=1; r1=y || y=1; r2=x ~ r1=1 r2=1");
    allowed("sc tso pso", "x=1; y=1 || r1=y; r2=x ~ r1=0 r2=1");
    allowed("", "x=1 || r1=x ~ r1=2");
}

#[test]
fn store_buffering() {
    allowed("tso pso", "x=1; r1=y || y=1; r2=x ~ r1=0 r2=0");
    allowed("tso pso", "x=1; fence; r1=y || y=1; r2=x ~ r1=0 r2=0");
    allowed("tso pso", "x=1; wfence; r1=y || y=1; wfence; r2=x ~ r1=0 r2=0");
    allowed("", "x=1; fence; r1=y || y=1; fence; r2=x ~ r1=0 r2=0");
    allowed("", "r3=xchg x 1; r1=y || r4=xchg y 1; r2=x ~ r1=0 r2=0");
    // Three threads in a ring.
    allowed("tso pso", "x=1; r1=y || y=1; r2=z || z=1; r3=x ~ r1=0 r2=0 r3=0");
    allowed("", "x=1; fence; r1=y || y=1; fence; r2=z || z=1; fence; r3=x ~ r1=0 r2=0 r3=0");
}

#[test]
fn message_passing() {
    allowed("pso", "x=1; y=1 || r1=y; r2=x ~ r1=1 r2=0");
    allowed("", "x=1; wfence; y=1 || r1=y; r2=x ~ r1=1 r2=0");
    allowed("", "x=1; fence; y=1 || r1=y; r2=x ~ r1=1 r2=0");
    allowed("", "x=1; r3=xchg y 1 || r1=y; r2=x ~ r1=1 r2=0");
    allowed("pso", "x=1; y=1 || r1=y; fence; r2=x ~ r1=1 r2=0");
}

#[test]
fn load_buffering() {
    allowed("", "r1=x; y=1 || r2=y; x=1 ~ r1=1 r2=1");
    allowed("", "r1=x; fence; y=1 || r2=y; fence; x=1 ~ r1=1 r2=1");
}

#[test]
fn independent_reads_of_independent_writes() {
    allowed("", "x=1 || y=1 || r1=x; r2=y || r3=y; r4=x ~ r1=1 r2=0 r3=1 r4=0");
    // With own stores read back before: the buffers hide x and y from the other reader only.
    allowed("tso pso", "x=1; r1=x; r2=y || y=1; r3=y; r4=x ~ r1=1 r2=0 r3=1 r4=0");
}

#[test]
fn two_plus_two_writes() {
    allowed("pso", "x=1; y=2 || y=1; x=2 ~ x=1 y=1");
    allowed("", "x=1; wfence; y=2 || y=1; wfence; x=2 ~ x=1 y=1");
    allowed("", "x=1; fence; y=2 || y=1; fence; x=2 ~ x=1 y=1");
    allowed("", "r1=xchg x 1; r2=xchg y 2 || r3=xchg y 1; r4=xchg x 2 ~ x=1 y=1");
    allowed("sc tso pso", "x=1; y=2 || y=1; x=2 ~ x=2 y=2");
}

#[test]
fn shape_r() {
    allowed("tso pso", "x=1; y=1 || y=2; r1=x ~ y=2 r1=0");
    allowed("pso", "x=1; y=1 || y=2; fence; r1=x ~ y=2 r1=0");
    allowed("tso pso", "x=1; wfence; y=1 || y=2; r1=x ~ y=2 r1=0");
    allowed("", "x=1; wfence; y=1 || y=2; fence; r1=x ~ y=2 r1=0");
}

#[test]
fn shape_s() {
    allowed("pso", "x=2; y=1 || r1=y; x=1 ~ r1=1 x=2");
    allowed("", "x=2; wfence; y=1 || r1=y; x=1 ~ r1=1 x=2");
}

#[test]
fn store_forwarding() {
    // A thread sees its own store before the others do.
    allowed("tso pso", "x=1; r1=x; r2=y || y=1; r3=y; r4=x ~ r1=1 r2=0 r3=1 r4=0");
    allowed("", "x=1; fence; r1=x; r2=y || y=1; fence; r3=y; r4=x ~ r1=1 r2=0 r3=1 r4=0");
    // It never misses its own store, and sees the youngest.
    allowed("", "x=1; r1=x || x=1 ~ r1=0");
    allowed("", "x=1; x=2; r1=x || y=1 ~ r1=1");
    // But between its own two stores and its read, another thread's may come.
    allowed("sc tso pso", "x=1; r1=x || x=2 ~ r1=2");
}

#[test]
fn intel_n7() {
    allowed("tso pso", "x=1; r1=x; r2=y || y=1; x=2 || r3=y; r4=x ~ r1=1 r2=0 r3=1 r4=0");
    allowed("", "x=1; fence; r1=x; r2=y || y=1; fence; x=2 || r3=y; r4=x ~ r1=1 r2=0 r3=1 r4=0");
}

#[test]
fn coherence() {
    // Writes to one place stay in order, even under PSO.
    allowed("", "x=1; x=2 || r1=x; r2=x ~ r1=2 r2=1");
    allowed("", "x=1 || x=2 || r1=x; r2=x || r3=x; r4=x ~ r1=1 r2=2 r3=2 r4=1");
    allowed("", "x=1; x=2 || y=1 ~ x=1");
}

#[test]
fn causality() {
    // Write-to-read causality: stores become visible to all other threads at once.
    allowed("", "x=1 || r1=x; y=1 || r2=y; r3=x ~ r1=1 r2=1 r3=0");
    // Read-to-write causality.
    allowed("tso pso", "x=1 || r1=x; r2=y || y=1; r3=x ~ r1=1 r2=0 r3=0");
    allowed("", "x=1 || r1=x; r2=y || y=1; fence; r3=x ~ r1=1 r2=0 r3=0");
}
