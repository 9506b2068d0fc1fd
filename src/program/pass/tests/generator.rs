//! Random raw programs, as fine-grained as the front end makes them.
//!
//! All data are words of one or two bits, so that every index is in range and all inputs can be tried.

use crate::program::{
    Assertion, Barrier, Init, LocId, Mark, Origin, Place, Program, ProgramBuilder, Role, Sources, Span,
    ThreadId, Transition, Update, Variable,
};
use crate::random::Random;
use crate::term::{ArraySort, Datum, Sort, TermId, VarId, Word};

const BIT: Word = Word::BOOL;
const SMALL: Word = Word::unsigned(2);
const ARRAY: ArraySort = ArraySort { len: 2, elem: SMALL };

/// A random program.
pub fn program(random: &mut Random) -> Program {
    let mut generator = Generator::new(random);
    let threads = 2 + generator.random.below(2);
    for number in 0..threads {
        generator.thread(number, threads);
    }
    generator.builder.build()
}

struct Generator<'a> {
    random: &'a mut Random,
    builder: ProgramBuilder,
    /// Shared words of two bits.
    words: Vec<VarId>,
    /// Shared arrays, and an array that everybody only reads.
    arrays: Vec<VarId>,
    mutex: VarId,
    started: Vec<VarId>,
    done: Vec<VarId>,
    inputs: Vec<VarId>,
    /// Private words and bits of the thread being made.
    locals: Vec<VarId>,
    bits: Vec<VarId>,
    own_array: VarId,
    thread: ThreadId,
    at: LocId,
    /// Whether the thread is in an atomic section, and which barrier its steps have.
    section: Option<Barrier>,
    statements: usize,
}

impl Generator<'_> {
    fn new(random: &mut Random) -> Generator<'_> {
        let mut builder = ProgramBuilder::new(Sources::default());
        let mut shared = |name: &str, sort: Sort, init: Datum| {
            let (role, init) = (Role::Shared, Init::Value(init));
            builder.variable(Variable { name: name.into(), sort, role, init, origin: Origin::User })
        };
        let words = ["x", "y"].map(|name| shared(name, Sort::Word(SMALL), Datum::Word(0))).to_vec();
        let table: std::sync::Arc<[i128]> = [1, 2].into();
        let arrays = vec![
            shared("a", Sort::Array(ARRAY), Datum::zero(Sort::Array(ARRAY))),
            shared("table", Sort::Array(ARRAY), Datum::Array(table)),
        ];
        let mut flag = |name: String| shared(&name, Sort::Word(BIT), Datum::Word(0));
        let mutex = flag("m".into());
        let started = (0..3).map(|i| flag(format!("started{i}"))).collect();
        let done = (0..3).map(|i| flag(format!("done{i}"))).collect();
        let inputs = vec![builder.input("n", Sort::Word(SMALL)), builder.input("c", Sort::Word(BIT))];
        Generator {
            random,
            builder,
            words,
            arrays,
            mutex,
            started,
            done,
            inputs,
            locals: Vec::new(),
            bits: Vec::new(),
            own_array: mutex,
            thread: ThreadId::new(0),
            at: LocId::new(0),
            section: None,
            statements: 0,
        }
    }

    fn thread(&mut self, number: usize, threads: usize) {
        self.thread = self.builder.thread(format!("t{number}"), Span::NONE);
        self.at = self.builder.program().thread(self.thread).entry;
        self.declare_locals();
        self.statements = 4 + self.random.below(6);
        if number > 0 {
            let guard = self.is(self.started[number], 1);
            self.step(guard, Vec::new(), self.full());
        }
        self.block(2);
        for other in 1..threads {
            if number == 0 && self.chance(85) {
                let one = self.builder.terms().constant(1, BIT);
                self.assign(self.started[other], one, self.full());
                self.block(1);
            }
        }
        for other in 1..threads {
            if number == 0 && self.chance(40) {
                let guard = self.is(self.done[other], 1);
                self.step(guard, Vec::new(), self.full());
                self.statement(1);
            }
        }
        self.assertion();
        if number > 0 {
            let one = self.builder.terms().constant(1, BIT);
            self.assign(self.done[number], one, self.full());
        }
    }

    fn declare_locals(&mut self) {
        let thread = self.thread;
        let open = self.chance(20);
        let mut local = |name: &str, sort: Sort| {
            let init = if open && name == "q" { Init::Any } else { Init::Value(Datum::zero(sort)) };
            let role = Role::Private(thread);
            self.builder.variable(Variable { name: name.into(), sort, role, init, origin: Origin::User })
        };
        self.locals = vec![local("p", Sort::Word(SMALL)), local("q", Sort::Word(SMALL))];
        self.bits = vec![local("b", Sort::Word(BIT))];
        self.own_array = local("own", Sort::Array(ARRAY));
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    fn full(&self) -> Barrier {
        Barrier::Full
    }

    /// A new location after the current one, which becomes the current one.
    fn step(&mut self, guard: TermId, updates: Vec<Update>, barrier: Barrier) {
        let to = self.location();
        self.jump(guard, updates, barrier, to);
        self.at = to;
    }

    fn jump(&mut self, guard: TermId, updates: Vec<Update>, barrier: Barrier, to: LocId) {
        let barrier = match self.section {
            Some(barrier) => barrier,
            None => barrier,
        };
        self.builder.transition(Transition { updates, barrier, ..Transition::silent(self.at, to, guard) });
    }

    fn location(&mut self) -> LocId {
        match self.section {
            Some(_) => self.builder.atomic_location(self.thread, Span::NONE),
            None => self.builder.location(self.thread, Span::NONE),
        }
    }

    fn assign(&mut self, var: VarId, value: TermId, barrier: Barrier) {
        let yes = self.builder.terms().bool(true);
        self.step(yes, vec![Update::whole(Place { var, index: None }, value)], barrier);
    }

    fn is(&mut self, var: VarId, value: i128) -> TermId {
        let terms = self.builder.terms();
        let var = terms.var(var);
        let value = terms.constant(value, terms.word(var));
        terms.eq(var, value)
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        if self.statements == 0 {
            return;
        }
        self.statements -= 1;
        match self.random.below(if depth == 0 { 13 } else { 18 }) {
            0 | 1 => self.read(),
            2 | 3 => self.write(),
            4 => self.compute(),
            5 => self.swap(),
            6 => self.choose(),
            7 => self.assume(),
            8 => self.assertion(),
            9 => self.case_split(),
            10 => self.fence(),
            11 => self.element(),
            12 => self.read_modify_write(),
            13 => self.branch(depth - 1),
            14 => self.cycle(depth - 1),
            15 => self.locked(depth - 1),
            _ => self.atomic(depth - 1),
        }
    }

    /// A private word.
    fn expression(&mut self) -> TermId {
        let (p, q, bit) = (self.locals[0], self.locals[1], self.bits[0]);
        let constant = self.random.below(4) as i128;
        let kind = self.random.below(8);
        let terms = self.builder.terms();
        let (p, q, bit) = (terms.var(p), terms.var(q), terms.var(bit));
        let constant = terms.constant(constant, SMALL);
        match kind {
            0 | 1 => constant,
            2 => p,
            3 => q,
            4 => terms.add(p, constant),
            5 => terms.sub(q, p),
            6 => terms.cast(bit, SMALL),
            _ => {
                let condition = terms.word_to_truth(bit);
                terms.ite(condition, p, constant)
            }
        }
    }

    /// A private condition.
    fn condition(&mut self) -> TermId {
        let (a, b) = (self.expression(), self.expression());
        let bit = self.bits[0];
        let kind = self.random.below(5);
        let terms = self.builder.terms();
        match kind {
            0 | 1 => terms.eq(a, b),
            2 => terms.le(a, b),
            3 => terms.lt(a, b),
            _ => {
                let bit = terms.var(bit);
                terms.word_to_truth(bit)
            }
        }
    }

    /// A private index.
    fn index(&mut self) -> TermId {
        let bit = self.bits[0];
        let constant = self.random.below(2) as i128;
        match self.random.below(2) {
            0 => self.builder.terms().constant(constant, BIT),
            _ => self.builder.terms().var(bit),
        }
    }

    fn read(&mut self) {
        let (target, source) = (self.random.pick(&self.locals), self.random.pick(&self.words));
        let value = self.builder.terms().var(source);
        self.assign(target, value, Barrier::None);
    }

    fn write(&mut self) {
        let target = self.random.pick(&self.words);
        let value = self.expression();
        let barrier = self.random.pick(&[
            Barrier::None,
            Barrier::None,
            Barrier::None,
            Barrier::StoreStore,
            Barrier::Full,
        ]);
        self.assign(target, value, barrier);
    }

    fn compute(&mut self) {
        if self.chance(40) {
            let condition = self.condition();
            let value = self.builder.terms().truth_to_word(condition, BIT);
            return self.assign(self.bits[0], value, Barrier::None);
        }
        let (target, value) = (self.random.pick(&self.locals), self.expression());
        self.assign(target, value, Barrier::None);
    }

    fn swap(&mut self) {
        let (p, q) = (self.locals[0], self.locals[1]);
        let terms = self.builder.terms();
        let (yes, old_p, old_q) = (terms.bool(true), terms.var(p), terms.var(q));
        let update = |var, value| Update::whole(Place { var, index: None }, value);
        self.step(yes, vec![update(p, old_q), update(q, old_p)], Barrier::None);
    }

    fn choose(&mut self) {
        let kind = self.random.below(3);
        let (input, bit) = (self.inputs[0], self.inputs[1]);
        let (p, b) = (self.locals[0], self.bits[0]);
        let terms = self.builder.terms();
        let (input, bit) = (terms.var(input), terms.var(bit));
        match kind {
            0 => self.assign(p, input, Barrier::None),
            1 => self.assign(b, bit, Barrier::None),
            _ => {
                // A guard and an update about the same choice.
                let (two, old) = (terms.constant(2, SMALL), terms.var(p));
                let (guard, value) = (terms.le(two, input), terms.add(old, input));
                self.step(guard, vec![Update::whole(Place { var: p, index: None }, value)], Barrier::None);
            }
        }
    }

    /// A step that may block, on private or on shared data.
    fn assume(&mut self) {
        let guard = match self.random.below(2) {
            0 => self.condition(),
            _ => {
                let word = self.random.pick(&self.words);
                let (a, b) = (self.builder.terms().var(word), self.expression());
                self.builder.terms().ne(a, b)
            }
        };
        self.step(guard, Vec::new(), Barrier::None);
    }

    fn assertion(&mut self) {
        if self.chance(25) {
            let word = self.random.pick(&self.words);
            let (target, value) = (self.locals[0], self.builder.terms().var(word));
            self.assign(target, value, Barrier::None);
        }
        let text = format!("assertion {}", self.builder.program().assertions.len());
        let condition = self.condition();
        let assertion = self.builder.assertion(Assertion::new(Span::NONE, text.clone()));
        let mark = match self.random.below(6) {
            0 => Mark::Undefined(text),
            1 => Mark::Cut(text),
            _ => Mark::Error(assertion),
        };
        let error = self.builder.marked_location(self.thread, mark, Span::NONE);
        let violated = self.builder.terms().not(condition);
        self.jump(violated, Vec::new(), Barrier::None, error);
        self.step(condition, Vec::new(), Barrier::None);
    }

    /// `*p = e`, with a target for each value of `p` but one.
    fn case_split(&mut self) {
        let (pointer, value) = (self.locals[0], self.expression());
        let (zero, one) = (self.is(pointer, 0), self.is(pointer, 1));
        let (no, nor) = (self.builder.terms().not(zero), self.builder.terms().not(one));
        let other = self.builder.terms().and(&[no, nor]);
        let after = self.location();
        for (guard, target) in [(zero, 0), (one, 1)] {
            let place = Place { var: self.words[target], index: None };
            self.jump(guard, vec![Update::whole(place, value)], Barrier::None, after);
        }
        let text = format!("pointer {}", self.builder.program().locations.len());
        let invalid = match self.chance(30) {
            true => self.builder.marked_location(self.thread, Mark::Undefined(text), Span::NONE),
            false => after,
        };
        self.jump(other, Vec::new(), Barrier::None, invalid);
        self.at = after;
    }

    fn fence(&mut self) {
        let yes = self.builder.terms().bool(true);
        let barrier = self.random.pick(&[Barrier::Full, Barrier::StoreStore]);
        self.step(yes, Vec::new(), barrier);
    }

    /// An access to an array.
    fn element(&mut self) {
        let index = self.index();
        let array = match self.random.below(4) {
            0 => self.own_array,
            1 => self.arrays[1],
            _ => self.arrays[0],
        };
        if array == self.arrays[1] || self.chance(50) {
            let target = self.random.pick(&self.locals);
            let terms = self.builder.terms();
            let array = terms.var(array);
            let value = terms.select(array, index);
            return self.assign(target, value, Barrier::None);
        }
        let (yes, value) = (self.builder.terms().bool(true), self.expression());
        let place = Place { var: array, index: Some(index) };
        self.step(yes, vec![Update::whole(place, value)], Barrier::None);
    }

    fn read_modify_write(&mut self) {
        let (word, target) = (self.random.pick(&self.words), self.random.pick(&self.locals));
        let more = self.expression();
        let terms = self.builder.terms();
        let (yes, old) = (terms.bool(true), terms.var(word));
        let new = terms.add(old, more);
        let update = |var, value| Update::whole(Place { var, index: None }, value);
        self.step(yes, vec![update(target, old), update(word, new)], Barrier::Full);
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        let opposite = self.builder.terms().not(condition);
        let (start, after) = (self.at, self.location());
        let yes = self.builder.terms().bool(true);
        for guard in [condition, opposite] {
            self.at = start;
            self.step(guard, Vec::new(), Barrier::None);
            self.block(depth);
            self.jump(yes, Vec::new(), Barrier::None, after);
        }
        self.at = after;
    }

    fn cycle(&mut self, depth: usize) {
        let head = self.at;
        let condition = self.condition();
        let opposite = self.builder.terms().not(condition);
        let after = self.location();
        self.step(condition, Vec::new(), Barrier::None);
        self.block(depth);
        let yes = self.builder.terms().bool(true);
        self.jump(yes, Vec::new(), Barrier::None, head);
        self.at = head;
        self.jump(opposite, Vec::new(), Barrier::None, after);
        self.at = after;
    }

    fn locked(&mut self, depth: usize) {
        let guard = self.is(self.mutex, 0);
        let terms = self.builder.terms();
        let (one, zero) = (terms.constant(1, BIT), terms.constant(0, BIT));
        let place = Place { var: self.mutex, index: None };
        self.step(guard, vec![Update::whole(place, one)], Barrier::Full);
        self.block(depth);
        self.assign(self.mutex, zero, Barrier::Full);
    }

    /// A chain of atomic locations: an atomic section of the program, or a statement that is to be one step.
    fn atomic(&mut self, depth: usize) {
        if self.section.is_some() {
            return self.block(depth);
        }
        let yes = self.builder.terms().bool(true);
        self.section = Some(self.random.pick(&[Barrier::None, Barrier::Full, Barrier::Full]));
        if self.chance(50) {
            self.step(yes, Vec::new(), Barrier::None);
        }
        self.block(depth);
        let after = self.builder.location(self.thread, Span::NONE);
        self.jump(yes, Vec::new(), Barrier::None, after);
        self.section = None;
        self.at = after;
    }
}
