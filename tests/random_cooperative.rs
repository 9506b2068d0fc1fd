//! Small random cooperative programs, each determined by its policy and its seed.
//!
//! `main` prepares what the policy wants, then one to three threads take turns: over two shared words of two
//! bits they store, load, branch, check assertions, and ask things of the scheduler, with arguments that are
//! mostly constants and mostly sensible. Locations at which a thread may have to wait are ordinary, the
//! others atomic. A misused primitive leads to a location marked as undefined.

use regrain::program::{
    Assertion, Barrier, Call, Init, LocId, Mark, Origin, Place, Policy, Program, ProgramBuilder, Role,
    Sources, Span, ThreadId, Transition, Update, Variable,
};
use regrain::scheduler;
use regrain::term::{Datum, Sort, TermId, VarId, Word};

use crate::random::Random;
use crate::random_programs::Features;

const WORD: Word = Word::unsigned(2);
/// The word of arguments.
const NUMBER: Word = Word::signed(32);
/// Events, signals, resources or the like of a program.
const THINGS: usize = 2;

/// What an argument of a primitive is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// One of the things that `main` made.
    Thing,
    /// A thread.
    Thread,
    /// A small number.
    Count,
}

/// A primitive as programs call it.
#[derive(Clone, Copy, Debug)]
pub struct Phrase {
    name: &'static str,
    arguments: &'static [Argument],
    /// How often it is called, compared with others.
    weight: usize,
}

const fn phrase(weight: usize, name: &'static str, arguments: &'static [Argument]) -> Phrase {
    Phrase { name, arguments, weight }
}

const FAIR: &[Phrase] = {
    use Argument::{Count, Thing, Thread};
    &[
        phrase(6, "generate", &[Thing]),
        phrase(2, "generate_value", &[Thing]),
        phrase(2, "broadcast", &[Thing]),
        phrase(1, "broadcast_value", &[Thing]),
        phrase(1, "stop", &[Thread]),
        phrase(1, "suspend", &[Thread]),
        phrase(2, "resume", &[Thread]),
        phrase(6, "cooperate", &[]),
        phrase(2, "cooperate_n", &[Count]),
        phrase(5, "await", &[Thing]),
        phrase(2, "await_n", &[Thing, Count]),
        phrase(2, "watch", &[Thing]),
        phrase(1, "select", &[]),
        phrase(1, "select_n", &[Count]),
        phrase(1, "join", &[Thread]),
        phrase(1, "join_n", &[Thread, Count]),
        phrase(1, "get_value", &[Thing, Count]),
        phrase(4, "outcome", &[]),
        phrase(1, "present", &[Thing]),
    ]
};

const SYSTEMC: &[Phrase] = {
    use Argument::{Count, Thing};
    &[
        phrase(2, "wait", &[]),
        phrase(6, "wait_event", &[Thing]),
        phrase(2, "watch", &[Thing]),
        phrase(1, "wait_any", &[]),
        phrase(1, "wait_all", &[]),
        phrase(5, "wait_time", &[Count]),
        phrase(5, "notify", &[Thing]),
        phrase(4, "notify_delta", &[Thing]),
        phrase(3, "notify_after", &[Thing, Count]),
        phrase(1, "cancel", &[Thing]),
        phrase(2, "side", &[Thing]),
        phrase(4, "write", &[Thing, Count]),
    ]
};

const OSEK: &[Phrase] = {
    use Argument::{Count, Thing, Thread};
    &[
        phrase(5, "activate", &[Thread]),
        phrase(1, "may_end", &[]),
        phrase(1, "chain", &[Thread]),
        phrase(4, "schedule", &[]),
        phrase(1, "task_state", &[Thread]),
        phrase(5, "set_event", &[Thread, Thing]),
        phrase(2, "clear_event", &[Thing]),
        phrase(1, "get_event", &[Thread]),
        phrase(4, "wait_event", &[Thing]),
        phrase(2, "get_resource", &[Thing]),
        phrase(2, "release_resource", &[Thing]),
        phrase(1, "set_alarm", &[Thing, Count]),
        phrase(1, "cancel_alarm", &[Thing]),
        phrase(2, "tick", &[]),
    ]
};

/// What threads say to a scheduler.
fn phrases(policy: Policy) -> &'static [Phrase] {
    match policy {
        Policy::Fair | Policy::FairAnyOrder => FAIR,
        Policy::SystemC => SYSTEMC,
        Policy::Osek => OSEK,
    }
}

/// What a thread does when it has done everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Last {
    /// It says this and ends.
    Ends(&'static str),
    /// It says this and begins again, when it may.
    Repeats(&'static str),
}

/// The program of a policy and a seed.
pub fn random_cooperative(policy: Policy, seed: u64, features: Features) -> Program {
    let mut builder = ProgramBuilder::new(Sources::default());
    builder.set_policy(policy);
    let (random, shared) = (Random::new(seed), Vec::new());
    let mut generator =
        Generator { policy, random, builder, features, shared, private: Vec::new(), input: None, threads: 0 };
    generator.declare_shared();
    generator.threads = generator.random.pick(&[1, 2, 2, 2, 3]);
    let last = generator.main();
    for (number, last) in (1..).zip(last) {
        let length = 2 + generator.random.below(9 / generator.threads + 1);
        generator.thread(number, length, last);
    }
    generator.builder.build()
}

/// What happens at a location.
#[derive(Clone, Copy)]
enum Kind {
    Store,
    Load,
    Compute,
    Choice,
    Assume,
    Assertion,
    Call(Phrase),
}

struct Generator {
    policy: Policy,
    random: Random,
    builder: ProgramBuilder,
    features: Features,
    shared: Vec<VarId>,
    /// Private variables of the current thread.
    private: Vec<VarId>,
    input: Option<VarId>,
    threads: usize,
}

impl Generator {
    fn declare_shared(&mut self) {
        for name in ["x", "y"] {
            let var = self.variable(name, Role::Shared);
            self.shared.push(var);
        }
        if self.features == Features::Open && self.random.below(2) == 0 {
            self.input = Some(self.builder.input("in", Sort::Word(WORD)));
        }
    }

    fn variable(&mut self, name: &str, role: Role) -> VarId {
        let init = match self.features {
            Features::Open if self.random.below(5) == 0 => Init::Any,
            _ => Init::Value(Datum::Word(self.random.below(2) as i128)),
        };
        let sort = Sort::Word(WORD);
        self.builder.variable(Variable { name: name.to_owned(), sort, role, init, origin: Origin::User })
    }

    /// `main` makes things and threads and starts the scheduler. Gives what each thread does at its end.
    fn main(&mut self) -> Vec<Last> {
        let main = self.builder.thread("main", Span::NONE);
        let (sentences, last) = self.preparations();
        let misuse = self.misuse(main);
        let mut from = self.builder.program().thread(main).entry;
        for (name, arguments) in sentences {
            let to = self.builder.location(main, Span::NONE);
            let arguments =
                arguments.iter().map(|&value| self.builder.terms().constant(value, NUMBER)).collect();
            self.call((from, to), name, arguments, misuse);
            from = to;
        }
        last
    }

    fn preparations(&mut self) -> (Vec<(&'static str, Vec<i128>)>, Vec<Last>) {
        let threads = 1..=self.threads as i128;
        let things = 1..=THINGS as i128;
        let mut said: Vec<(&str, Vec<i128>)> = Vec::new();
        let mut last = Vec::new();
        match self.policy {
            Policy::Fair | Policy::FairAnyOrder => {
                said.push(("scheduler", Vec::new()));
                said.extend(things.map(|event| ("event", vec![event])));
                for thread in threads {
                    said.push(("link", vec![thread]));
                    last.push(Last::Ends("end"));
                }
            }
            Policy::SystemC => {
                for thing in things {
                    said.push(("event", vec![thing]));
                    said.push(("signal", vec![thing, thing]));
                }
                for thread in threads {
                    let method = self.random.below(5) == 0;
                    said.push(("process", vec![thread, i128::from(method)]));
                    if method || self.random.below(3) == 0 {
                        said.push(("sensitive", vec![thread, 1 + self.random.below(THINGS) as i128]));
                    }
                    if self.random.below(4) == 0 {
                        said.push(("dont_initialize", vec![thread]));
                    }
                    last.push(if method { Last::Repeats("return") } else { Last::Ends("end") });
                }
            }
            Policy::Osek => {
                for thread in threads.clone() {
                    let (priority, limit) = (self.random.below(3), 1 + self.random.below(2));
                    let autostart = self.random.below(3) > 0;
                    let numbers = [priority, limit, usize::from(autostart)].map(|number| number as i128);
                    said.push(("task", [&[thread][..], &numbers].concat()));
                    last.push(Last::Repeats("terminate"));
                }
                for thing in things {
                    let task = 1 + self.random.below(self.threads) as i128;
                    said.push(("resource", vec![thing]));
                    said.push(("alarm", vec![thing, task, self.random.below(3) as i128]));
                }
                if self.random.below(3) == 0 {
                    said.push(("set_alarm", vec![1, self.random.below(2) as i128]));
                }
            }
        }
        said.push(("start", Vec::new()));
        (said, last)
    }

    fn misuse(&mut self, thread: ThreadId) -> LocId {
        self.builder.marked_location(thread, Mark::Undefined("misuse".to_owned()), Span::NONE)
    }

    fn thread(&mut self, number: usize, length: usize, last: Last) {
        let thread = self.builder.thread(format!("t{number}"), Span::NONE);
        self.private.clear();
        for name in ["r", "s"].iter().take(1 + self.random.below(2)) {
            let var = self.variable(&format!("t{number}::{name}"), Role::Private(thread));
            self.private.push(var);
        }
        let kinds: Vec<Kind> = (0..length).map(|_| self.kind()).collect();
        let misuse = self.misuse(thread);
        let mut row = vec![self.builder.program().thread(thread).entry];
        for kind in &kinds {
            row.push(match kind {
                Kind::Call(phrase) if self.may_block(phrase.name) => {
                    self.builder.location(thread, Span::NONE)
                }
                _ => self.builder.atomic_location(thread, Span::NONE),
            });
        }
        for (i, kind) in kinds.into_iter().enumerate() {
            self.statement(thread, kind, &row, (i, misuse));
        }
        let (name, to) = match last {
            Last::Ends(name) => (name, self.builder.marked_location(thread, Mark::End, Span::NONE)),
            Last::Repeats(name) => (name, row[0]),
        };
        self.call((row[length], to), name, Vec::new(), misuse);
    }

    fn may_block(&self, name: &str) -> bool {
        let scheduler = scheduler::of(self.policy);
        scheduler.may_block(scheduler.primitive(name).expect("a primitive of the scheduler"))
    }

    fn kind(&mut self) -> Kind {
        match self.random.below(22) {
            0..=3 => Kind::Store,
            4..=6 => Kind::Load,
            7 => Kind::Compute,
            8..=10 => Kind::Choice,
            11 => Kind::Assume,
            12..=13 => Kind::Assertion,
            _ => {
                let phrases = phrases(self.policy);
                let mut at = self.random.below(phrases.iter().map(|phrase| phrase.weight).sum());
                let fits = |phrase: &&Phrase| match at.checked_sub(phrase.weight) {
                    Some(rest) => {
                        at = rest;
                        false
                    }
                    None => true,
                };
                Kind::Call(*phrases.iter().find(fits).expect("weights add up"))
            }
        }
    }

    fn statement(&mut self, thread: ThreadId, kind: Kind, row: &[LocId], (i, misuse): (usize, LocId)) {
        let (from, to) = (row[i], row[i + 1]);
        let (shared, private) = (self.random.pick(&self.shared), self.random.pick(&self.private));
        match kind {
            Kind::Store => {
                let value = self.value();
                self.assign((from, to), shared, value);
            }
            Kind::Load => {
                let value = self.builder.terms().var(shared);
                self.assign((from, to), private, value);
            }
            Kind::Compute => {
                let value = self.value();
                self.assign((from, to), private, value);
            }
            Kind::Choice => self.choice(row, i),
            Kind::Assume => {
                let condition = self.condition();
                self.builder.branch(from, condition, to);
            }
            Kind::Assertion => self.assertion(thread, from, to),
            Kind::Call(phrase) => {
                let arguments = phrase.arguments.iter().map(|&argument| self.argument(argument)).collect();
                self.call((from, to), phrase.name, arguments, misuse);
            }
        }
    }

    fn assign(&mut self, (from, to): (LocId, LocId), var: VarId, value: TermId) {
        let guard = self.builder.terms().bool(true);
        let updates = vec![Update::whole(Place { var, index: None }, value)];
        self.step(from, to, guard, updates, None);
    }

    fn step(&mut self, from: LocId, to: LocId, guard: TermId, updates: Vec<Update>, call: Option<Call>) {
        let (ranges, barrier, events) = (Vec::new(), Barrier::None, Vec::new());
        self.builder.transition(Transition { from, to, guard, ranges, updates, call, barrier, events });
    }

    /// A call, whose result often goes to a variable of the thread.
    fn call(&mut self, (from, to): (LocId, LocId), name: &str, arguments: Vec<TermId>, misuse: LocId) {
        let primitive = scheduler::of(self.policy).primitive(name).expect("a primitive of the scheduler");
        let guard = self.builder.terms().bool(true);
        let mut updates = Vec::new();
        let mut result = None;
        if !self.private.is_empty() && self.random.below(6) == 0 {
            let (var, value) = (self.random.pick(&self.shared), self.value());
            updates.push(Update::whole(Place { var, index: None }, value));
        }
        if !self.private.is_empty() && self.random.below(2) == 0 {
            let input = self.builder.input("result", Sort::Word(NUMBER));
            let var = self.random.pick(&self.private);
            let terms = self.builder.terms();
            let value = terms.var(input);
            let value = terms.cast(value, WORD);
            updates.push(Update::whole(Place { var, index: None }, value));
            result = Some(input);
        }
        self.step(from, to, guard, updates, Some(Call { primitive, arguments, result, misuse }));
    }

    /// Something for a primitive, sometimes computed, and then sometimes senseless.
    fn argument(&mut self, argument: Argument) -> TermId {
        let (least, number) = match argument {
            Argument::Thing => (1, THINGS),
            Argument::Thread => (1, self.threads),
            Argument::Count => (0, 3),
        };
        if self.random.below(8) == 0 {
            let value = self.value();
            let terms = self.builder.terms();
            let (value, one) = (terms.cast(value, NUMBER), terms.constant(least.min(1), NUMBER));
            return terms.add(value, one);
        }
        let value = least + self.random.below(number) as i128;
        self.builder.terms().constant(value, NUMBER)
    }

    /// A term over private variables, constants and the input.
    fn value(&mut self) -> TermId {
        let var = self.random.pick(&self.private);
        let value = self.random.below(4) as i128;
        let kind = self.random.below(4);
        let terms = self.builder.terms();
        match (kind, self.input) {
            (0, Some(input)) => terms.var(input),
            (0 | 1, _) => terms.constant(value, WORD),
            (2, _) => terms.var(var),
            (_, _) => {
                let (var, constant) = (terms.var(var), terms.constant(value, WORD));
                terms.add(var, constant)
            }
        }
    }

    fn condition(&mut self) -> TermId {
        let var = match self.random.below(2) {
            0 => self.random.pick(&self.shared),
            _ => self.random.pick(&self.private),
        };
        let (value, operator) = (self.value(), self.random.below(3));
        let terms = self.builder.terms();
        let word = terms.var(var);
        match operator {
            0 => terms.eq(word, value),
            1 => terms.le(word, value),
            _ => terms.le(value, word),
        }
    }

    /// A branch, sometimes backwards.
    fn choice(&mut self, row: &[LocId], i: usize) {
        let condition = self.condition();
        let target = match self.random.below(3) {
            0 => row[self.random.below(i + 1)],
            _ => row[i + 1 + self.random.below(row.len() - i - 1)],
        };
        let otherwise = self.builder.terms().not(condition);
        self.builder.branch(row[i], condition, target);
        self.builder.branch(row[i], otherwise, row[i + 1]);
    }

    fn assertion(&mut self, thread: ThreadId, from: LocId, to: LocId) {
        let assertion = self.builder.assertion(Assertion::new(Span::NONE, "a condition".to_owned()));
        let bad = self.builder.marked_location(thread, Mark::Error(assertion), Span::NONE);
        let (first, second) = (self.condition(), self.condition());
        let terms = self.builder.terms();
        let violated = terms.and(&[first, second]);
        let holds = terms.not(violated);
        self.builder.branch(from, violated, bad);
        self.builder.branch(from, holds, to);
    }
}
