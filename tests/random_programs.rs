//! Small random concurrent programs, each determined by its seed.
//!
//! Two to four threads over a few shared scalars and one array, all of two or three bits, so that even loops
//! have few states. A thread is a row of locations; each gets one kind of statement: write, read, exchange,
//! branch, computation, atomic section, assertion... About one branch in four goes backwards. Every program
//! is well-formed in the sense of `program/mod.rs`: array indices are masked, and atomic sections are entered
//! by a full barrier.

use regrain::program::{
    Assertion, AssertionId, Barrier, Init, LocId, Mark, Origin, Place, Program, ProgramBuilder, Role,
    Sources, Span, ThreadId, Transition, Update, Variable,
};
use regrain::term::{ArraySort, Datum, Sort, TermId, VarId, Word};

use crate::random::Random;

/// What random programs may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Features {
    /// Everything but open values.
    Closed,
    /// Also inputs and variables without an initial value.
    Open,
}

const WORD: Word = Word::unsigned(2);
const ARRAY: ArraySort = ArraySort { len: 2, elem: Word::signed(3) };

/// The program of a seed.
pub fn random_program(seed: u64, features: Features) -> Program {
    let mut generator = Generator::new(seed, features);
    generator.declare_shared();
    let threads = generator.random.pick(&[2, 2, 2, 3, 3, 4]);
    for i in 0..threads {
        let length = 2 + generator.random.below(8 / threads + 1);
        generator.thread(i, length);
    }
    generator.builder.build()
}

/// The program of a seed with two to four threads that are alike, another one half of the time, and sometimes
/// one that waits for the end of those that are alike.
pub fn random_alike_program(seed: u64, features: Features) -> Program {
    let mut generator = Generator::new(seed, features);
    generator.declare_shared();
    let copies = generator.random.pick(&[2, 2, 3, 3, 4]);
    let length = 1 + generator.random.below(6 / copies + 1);
    let waits = generator.random.below(2) == 0;
    let first = Random::new(generator.random.next());
    let mut ends = Vec::new();
    for i in 0..copies {
        let rest = std::mem::replace(&mut generator.random, first.clone());
        generator.reused = Some(0);
        let last = generator.thread(i, length);
        if waits {
            ends.push(generator.ends(i, last));
        }
        generator.random = rest;
    }
    generator.reused = None;
    if generator.random.below(2) == 0 {
        let length = 1 + generator.random.below(3);
        generator.thread(copies, length);
    }
    if waits {
        generator.waiter(&ends);
    }
    generator.builder.build()
}

struct Generator {
    random: Random,
    builder: ProgramBuilder,
    features: Features,
    shared: Vec<VarId>,
    array: Option<VarId>,
    /// Private variables of the current thread.
    private: Vec<VarId>,
    input: Option<VarId>,
    /// The assertions so far; threads that are alike share theirs, from this one on.
    assertions: Vec<AssertionId>,
    reused: Option<usize>,
}

impl Generator {
    fn new(seed: u64, features: Features) -> Generator {
        Generator {
            random: Random::new(seed),
            builder: ProgramBuilder::new(Sources::default()),
            features,
            shared: Vec::new(),
            array: None,
            private: Vec::new(),
            input: None,
            assertions: Vec::new(),
            reused: None,
        }
    }

    /// Has a thread set a variable of its own when it has ended.
    fn ends(&mut self, number: usize, last: LocId) -> VarId {
        let init = Init::Value(Datum::Bool(false));
        let (role, origin) = (Role::Shared, Origin::Internal);
        let name = format!("t{number}.done");
        let done = self.builder.variable(Variable { name, sort: Sort::Bool, role, init, origin });
        let thread = self.builder.program().location(last).thread;
        let end = self.builder.marked_location(thread, Mark::End, Span::NONE);
        let guard = self.always();
        let place = Place { var: done, index: None };
        self.step(last, end, guard, vec![Update::whole(place, guard)], Barrier::Full);
        done
    }

    /// A thread that waits until others have ended, and then asserts something.
    fn waiter(&mut self, ends: &[VarId]) {
        let thread = self.builder.thread("waiter", Span::NONE);
        let r = self.variable("waiter::r", Sort::Word(WORD), Role::Private(thread));
        self.private = vec![r];
        let entry = self.builder.program().thread(thread).entry;
        let [awake, read] = [(); 2].map(|()| self.builder.location(thread, Span::NONE));
        let end = self.builder.marked_location(thread, Mark::End, Span::NONE);
        let terms = self.builder.terms();
        let ends: Vec<TermId> = ends.iter().map(|&end| terms.var(end)).collect();
        let all = terms.and(&ends);
        self.step(entry, awake, all, Vec::new(), Barrier::Full);
        self.load(awake, read);
        self.assertion(thread, read, end);
    }

    fn declare_shared(&mut self) {
        for name in ["x", "y", "z"].iter().take(2 + self.random.below(2)) {
            let var = self.variable(name, Sort::Word(WORD), Role::Shared);
            self.shared.push(var);
        }
        if self.random.below(3) == 0 {
            self.array = Some(self.variable("a", Sort::Array(ARRAY), Role::Shared));
        }
        if self.features == Features::Open && self.random.below(2) == 0 {
            self.input = Some(self.builder.input("in", Sort::Word(WORD)));
        }
    }

    fn variable(&mut self, name: &str, sort: Sort, role: Role) -> VarId {
        let init = match sort {
            _ if self.features == Features::Open && self.random.below(5) == 0 => Init::Any,
            Sort::Word(word) => Init::Value(Datum::Word(word.wrap(self.random.below(2) as i128))),
            other => Init::Value(Datum::zero(other)),
        };
        self.builder.variable(Variable { name: name.to_owned(), sort, role, init, origin: Origin::User })
    }

    /// A thread of so many statements; gives the location after the last.
    fn thread(&mut self, number: usize, length: usize) -> LocId {
        let thread = self.builder.thread(format!("t{number}"), Span::NONE);
        self.private.clear();
        for name in ["r", "s"].iter().take(1 + self.random.below(2)) {
            let var = self.variable(&format!("t{number}::{name}"), Sort::Word(WORD), Role::Private(thread));
            self.private.push(var);
        }
        let mut row = vec![self.builder.program().thread(thread).entry];
        row.extend((1..length).map(|_| self.builder.location(thread, Span::NONE)));
        row.push(match self.reused {
            None => self.builder.marked_location(thread, Mark::End, Span::NONE),
            Some(_) => self.builder.location(thread, Span::NONE),
        });
        for i in 0..length {
            self.statement(thread, &row, i);
        }
        row[length]
    }

    fn statement(&mut self, thread: ThreadId, row: &[LocId], i: usize) {
        let (from, to) = (row[i], row[i + 1]);
        match self.random.below(20) {
            0..=4 => self.store(from, to),
            5..=8 => self.load(from, to),
            9..=10 => self.exchange(from, to),
            11..=13 => self.choice(row, i),
            14 => self.compute(from, to),
            15 => self.atomic_section(thread, from, to),
            16 => self.wait(from, to),
            17 => self.fence(from, to),
            _ => self.assertion(thread, from, to),
        }
    }

    fn step(&mut self, from: LocId, to: LocId, guard: TermId, updates: Vec<Update>, barrier: Barrier) {
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

    fn always(&mut self) -> TermId {
        self.builder.terms().bool(true)
    }

    /// A term over private variables, constants and the input.
    fn private_value(&mut self) -> TermId {
        let var = self.random.pick(&self.private);
        match (self.random.below(4), self.input) {
            (0, Some(input)) => self.builder.terms().var(input),
            (0 | 1, _) => {
                let value = self.random.below(4) as i128;
                self.builder.terms().constant(value, WORD)
            }
            (2, _) => self.builder.terms().var(var),
            (_, _) => {
                let value = self.random.below(4) as i128;
                let terms = self.builder.terms();
                let (var, constant) = (terms.var(var), terms.constant(value, WORD));
                terms.add(var, constant)
            }
        }
    }

    /// A condition over a word.
    fn condition_on(&mut self, word: TermId) -> TermId {
        let value = self.private_value();
        let operator = self.random.below(3);
        let terms = self.builder.terms();
        match operator {
            0 => terms.eq(word, value),
            1 => terms.le(word, value),
            _ => terms.le(value, word),
        }
    }

    fn private_condition(&mut self) -> TermId {
        let var = self.random.pick(&self.private);
        let word = self.builder.terms().var(var);
        self.condition_on(word)
    }

    /// A shared place, with its value cast to the common word.
    fn shared_place(&mut self) -> (Place, TermId, Word) {
        let scalar = self.random.pick(&self.shared);
        let index = self.random.pick(&self.private);
        let in_array = self.random.below(3) == 0;
        let terms = self.builder.terms();
        match self.array {
            Some(array) if in_array => {
                let (index, one) = (terms.var(index), terms.constant(1, WORD));
                let index = terms.bit_and(index, one);
                let whole = terms.var(array);
                let element = terms.select(whole, index);
                (Place { var: array, index: Some(index) }, terms.cast(element, WORD), ARRAY.elem)
            }
            _ => (Place { var: scalar, index: None }, terms.var(scalar), WORD),
        }
    }

    fn barrier(&mut self) -> Barrier {
        self.random.pick(&[
            Barrier::None,
            Barrier::None,
            Barrier::None,
            Barrier::None,
            Barrier::StoreStore,
            Barrier::Full,
        ])
    }

    fn store(&mut self, from: LocId, to: LocId) {
        let (place, _, word) = self.shared_place();
        let value = self.private_value();
        let value = self.builder.terms().cast(value, word);
        let (guard, barrier) = (self.always(), self.barrier());
        self.step(from, to, guard, vec![Update::whole(place, value)], barrier);
    }

    fn load(&mut self, from: LocId, to: LocId) {
        let (_, value, _) = self.shared_place();
        let var = self.random.pick(&self.private);
        let (guard, barrier) = (self.always(), self.barrier());
        let place = Place { var, index: None };
        self.step(from, to, guard, vec![Update::whole(place, value)], barrier);
    }

    /// Reads a place and changes it, usually indivisibly.
    fn exchange(&mut self, from: LocId, to: LocId) {
        let (place, old, word) = self.shared_place();
        let by = self.private_value();
        let terms = self.builder.terms();
        let sum = terms.add(old, by);
        let value = terms.cast(sum, word);
        let var = self.random.pick(&self.private);
        let read = Update::whole(Place { var, index: None }, old);
        let guard = self.always();
        let barrier = self.random.pick(&[Barrier::Full, Barrier::Full, Barrier::None]);
        self.step(from, to, guard, vec![read, Update::whole(place, value)], barrier);
    }

    /// A branch, sometimes on a shared variable, sometimes backwards.
    fn choice(&mut self, row: &[LocId], i: usize) {
        let condition = match self.random.below(3) {
            0 => {
                let (_, value, _) = self.shared_place();
                self.condition_on(value)
            }
            _ => self.private_condition(),
        };
        let target = match self.random.below(4) {
            0 => row[self.random.below(i + 1)],
            _ => row[i + 1 + self.random.below(row.len() - i - 1)],
        };
        let otherwise = self.builder.terms().not(condition);
        self.builder.branch(row[i], condition, target);
        self.builder.branch(row[i], otherwise, row[i + 1]);
    }

    fn compute(&mut self, from: LocId, to: LocId) {
        let var = self.random.pick(&self.private);
        let value = self.private_value();
        let guard = self.always();
        self.step(from, to, guard, vec![Update::whole(Place { var, index: None }, value)], Barrier::None);
    }

    /// Two stores or loads that nobody else comes between.
    fn atomic_section(&mut self, thread: ThreadId, from: LocId, to: LocId) {
        let inside: Vec<LocId> = (0..3).map(|_| self.builder.atomic_location(thread, Span::NONE)).collect();
        let guard = self.always();
        self.step(from, inside[0], guard, Vec::new(), Barrier::Full);
        for pair in inside.windows(2) {
            match self.random.below(2) {
                0 => self.store(pair[0], pair[1]),
                _ => self.load(pair[0], pair[1]),
            }
        }
        self.step(inside[2], to, guard, Vec::new(), Barrier::Full);
    }

    /// Waits for a condition on a shared variable.
    fn wait(&mut self, from: LocId, to: LocId) {
        let (_, value, _) = self.shared_place();
        let condition = self.condition_on(value);
        let barrier = self.barrier();
        self.step(from, to, condition, Vec::new(), barrier);
    }

    fn fence(&mut self, from: LocId, to: LocId) {
        let guard = self.always();
        let barrier = self.random.pick(&[Barrier::StoreStore, Barrier::Full]);
        self.step(from, to, guard, Vec::new(), barrier);
    }

    fn next_assertion(&mut self) -> AssertionId {
        let at = self.reused.unwrap_or(self.assertions.len());
        if at == self.assertions.len() {
            let assertion = Assertion::new(Span::NONE, "a condition".to_owned());
            self.assertions.push(self.builder.assertion(assertion));
        }
        self.reused = self.reused.map(|_| at + 1);
        self.assertions[at]
    }

    /// An assertion; sometimes, instead, a place where the meaning of the program ends.
    fn assertion(&mut self, thread: ThreadId, from: LocId, to: LocId) {
        let mark = match self.random.below(12) {
            0 => Mark::Undefined("something undefined".to_owned()),
            1 => Mark::Cut("some bound".to_owned()),
            _ => Mark::Error(self.next_assertion()),
        };
        let bad = self.builder.marked_location(thread, mark, Span::NONE);
        let first = self.private_condition();
        let second = self.private_condition();
        let terms = self.builder.terms();
        let violated = terms.and(&[first, second]);
        let holds = terms.not(violated);
        self.builder.branch(from, violated, bad);
        self.builder.branch(from, holds, to);
    }
}
