//! A violating run as a sequence of waypoints: what a validator has to follow to get to the violation.
//!
//! The waypoints come in the order of the run: the creation of each thread, the inputs, what the user's
//! variables that a statement reads hold just before it begins, the way each condition went, and at the end
//! the violated assertion. Every waypoint holds in the run when its turn comes, and a thread passes the place
//! of a waypoint only when the witness says so, because all visits of a place are told alike. The run must be
//! one under sequential consistency: other memory models have no witness format.

use std::collections::{BTreeMap, BTreeSet};

use super::expression::constant;
use super::place::{Place, Places};
use crate::program::{Action, Event, LocId, Origin, Program, Span, ThreadId, Transition};
use crate::replay::{Done, Run, RunStep};
use crate::term::{Datum, Sort, VarId};

use super::super::values::value_text;

/// A place that the run passes, and what holds there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    /// The thread that passes it: 0 is `main`, then threads in the order of their creation.
    pub thread: usize,
    /// Where.
    pub place: Place,
    /// What.
    pub kind: WaypointKind,
}

/// The kinds of waypoints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WaypointKind {
    /// A call that creates a thread.
    Create {
        /// The number of the new thread.
        thread: usize,
        /// The function that it runs.
        function: String,
    },
    /// Before a statement this C expression holds.
    Assumption(String),
    /// The condition behind a keyword was evaluated.
    Branching(bool),
    /// A call of a function returned this value.
    Return {
        /// The function.
        function: String,
        /// The value as a C constant.
        value: String,
    },
    /// The violation comes next.
    Target,
}

/// The names of functions that create threads.
const CREATORS: [&str; 2] = ["pthread_create", "thrd_create"];

/// The waypoints of a run that violates an assertion.
pub(super) fn waypoints(program: &Program, run: &Run, places: &Places) -> Vec<Waypoint> {
    let mut walk = Walk {
        program,
        run,
        places,
        handles: handles(program),
        numbers: program
            .thread_ids()
            .filter(|&thread| program.thread(thread).name == "main")
            .map(|t| (t, 0))
            .collect(),
        current: vec![None; program.threads.len()],
        found: Vec::new(),
    };
    walk.create_beforehand();
    (0..run.steps.len()).for_each(|index| walk.step(index));
    walk.target();
    walk.found
}

/// The variables that thread creation writes: what is in them is our business.
pub(super) fn handles(program: &Program) -> BTreeSet<VarId> {
    let creates = |event: &&Event| matches!(event.action, Action::Create(_));
    let events = || program.transitions.iter().flat_map(|transition| &transition.events);
    let calls: BTreeSet<Span> = events().filter(creates).map(|event| event.span).collect();
    let written =
        events().filter(|event| calls.contains(&event.span)).filter_map(|event| match event.action {
            Action::Write(place) | Action::Update(place) => Some(place.var),
            _ => None,
        });
    written.collect()
}

struct Walk<'a> {
    program: &'a Program,
    run: &'a Run,
    places: &'a Places,
    handles: BTreeSet<VarId>,
    /// The threads that were created so far.
    numbers: BTreeMap<ThreadId, usize>,
    /// The statement that each thread has begun last.
    current: Vec<Option<Span>>,
    found: Vec<Waypoint>,
}

impl Walk<'_> {
    fn step(&mut self, index: usize) {
        let step = &self.run.steps[index];
        let Done::Step(id) = step.done else { return };
        let transition = self.program.transition(id);
        if let Some(statement) = self.program.location(transition.from).begins {
            self.current[step.thread.index()] = Some(statement);
            self.assume(index, step.thread, statement);
        }
        for event in &transition.events {
            self.event(index, step.thread, transition, event);
        }
    }

    /// Threads whose creation is not a step of the run, because it was executed beforehand.
    fn create_beforehand(&mut self) {
        let events = |step: &RunStep| match step.done {
            Done::Step(id) => self.program.transition(id).events.as_slice(),
            Done::Schedule | Done::Flush { .. } => &[],
        };
        let created = self.run.steps.iter().flat_map(events).filter_map(|event| match event.action {
            Action::Create(thread) => Some(thread),
            _ => None,
        });
        let created: BTreeSet<ThreadId> = created.collect();
        let movers: BTreeSet<ThreadId> = self.run.steps.iter().map(|step| step.thread).collect();
        for thread in movers.difference(&created).copied().collect::<Vec<ThreadId>>() {
            if !self.numbers.contains_key(&thread) {
                self.create(0, thread, self.program.thread(thread).span);
            }
        }
    }

    fn push(&mut self, thread: ThreadId, place: Place, kind: WaypointKind) {
        // A thread that nobody was seen to create has no number, and no waypoints.
        if let Some(&thread) = self.numbers.get(&thread) {
            self.found.push(Waypoint { thread, place, kind });
        }
    }

    fn event(&mut self, index: usize, thread: ThreadId, transition: &Transition, event: &Event) {
        match &event.action {
            Action::Create(created) => {
                if let Some(&creator) = self.numbers.get(&thread) {
                    self.create(creator, *created, event.span);
                }
            }
            Action::Branch(held) => self.branch(thread, *held, event.span, transition.to),
            Action::Input(input) => self.input(index, thread, *input, event.span),
            _ => {}
        }
    }

    fn create(&mut self, creator: usize, created: ThreadId, span: Span) {
        let place = CREATORS.iter().find_map(|name| self.places.call_end(span, name));
        let Some(place) = place.or_else(|| self.places.start(span)) else { return };
        let others =
            self.found.iter().filter(|waypoint| matches!(waypoint.kind, WaypointKind::Create { .. }));
        let thread = others.count() + 1;
        let name = &self.program.thread(created).name;
        let function = name.split('#').next().unwrap_or(name).to_owned();
        let kind = WaypointKind::Create { thread, function };
        self.found.push(Waypoint { thread: creator, place, kind });
        self.numbers.insert(created, thread);
    }

    /// An input that a call in the source gives.
    fn input(&mut self, index: usize, thread: ThreadId, input: VarId, span: Span) {
        let value = self.run.steps[index].inputs.iter().find(|(var, _)| *var == input);
        let (Some((_, Datum::Word(value))), Sort::Word(word)) = (value, self.program.variable(input).sort)
        else {
            return;
        };
        let function = self.places.word(span).filter(|name| name.contains("nondet"));
        if let (Some(function), Some(place)) = (function, self.places.end(span)) {
            let (function, value) = (function.to_owned(), constant(*value, word));
            self.push(thread, place, WaypointKind::Return { function, value });
        }
    }

    /// The last part of a condition to be evaluated decides it, unless there are negations.
    fn branch(&mut self, thread: ThreadId, held: bool, span: Span, to: LocId) {
        let Some(branching) = self.places.branching(span) else { return };
        let next = self.program.location(to);
        if next.begins.is_none() && next.mark.is_none() && self.places.is_inside(&branching, next.span) {
            return;
        }
        let negated = branching.condition.replace("!=", "").contains('!');
        let place = self.places.place(branching.keyword);
        if !negated {
            self.push(thread, place, WaypointKind::Branching(held));
        }
    }

    /// What the variables hold that a statement is going to read.
    fn assume(&mut self, index: usize, thread: ThreadId, statement: Span) {
        // A loop begins once; what holds at its head in each round cannot be said of the statement.
        let is_loop = matches!(self.places.word(statement), Some("while" | "for" | "do"));
        let Some(place) = self.places.statement(statement).filter(|_| !is_loop) else { return };
        let mut facts: Vec<String> = Vec::new();
        for read in self.reads(index, thread) {
            if let Some(fact) = self.fact(index, read, place.function.as_deref())
                && !facts.contains(&fact)
            {
                facts.push(fact);
            }
        }
        if !facts.is_empty() {
            self.push(thread, place, WaypointKind::Assumption(facts.join(" && ")));
        }
    }

    /// The variables and elements that a thread reads from a step on until its next statement begins, before
    /// it writes them.
    fn reads(&self, index: usize, thread: ThreadId) -> Vec<(VarId, Option<u32>)> {
        let begins = |step: usize| match self.run.steps[step].done {
            Done::Step(id) => self.program.location(self.program.transition(id).from).begins.is_some(),
            Done::Schedule | Done::Flush { .. } => false,
        };
        let own = (index..self.run.steps.len()).filter(|&step| self.run.steps[step].thread == thread);
        let (mut reads, mut written) = (Vec::new(), BTreeSet::new());
        for step in own.take_while(|&step| step == index || !begins(step)) {
            let step = &self.run.steps[step];
            let cells = step.reads.iter().map(|read| (read.var, read.element));
            reads.extend(cells.filter(|cell| !written.contains(cell)));
            written.extend(step.writes.iter().map(|write| (write.var, write.element)));
        }
        reads
    }

    /// `x == 3`, if the user can say so in a function.
    fn fact(
        &self,
        index: usize,
        (var, element): (VarId, Option<u32>),
        function: Option<&str>,
    ) -> Option<String> {
        let variable = self.program.variable(var);
        let nested = element.is_some() && has_nested_arrays(self.program, &variable.name);
        if variable.origin != Origin::User || self.handles.contains(&var) || nested {
            return None;
        }
        let name = name_in(function, &self.program.place_name(var, element))?;
        let value = &self.run.states[index].memory[var.index()];
        let (number, word) = match (value, variable.sort, element) {
            (Datum::Word(number), Sort::Word(word), _) => (*number, word),
            (Datum::Array(values), Sort::Array(array), Some(element)) => {
                (*values.get(element as usize)?, array.elem)
            }
            _ => return None,
        };
        let text = match value_text(self.program, var, &Datum::Word(number)) {
            address if address.starts_with('&') => format!("&{}", name_in(function, &address[1..])?),
            plain if plain.parse::<i128>().is_ok() => constant(number, word),
            _ => return None,
        };
        Some(format!("{name} == {text}"))
    }

    /// The violation: where the last statement began.
    fn target(&mut self) {
        let Some(last) = self.run.steps.last() else { return };
        let assertion = self.run.violation(self.program).expect("the run violates an assertion");
        let statement = self.current[last.thread.index()].and_then(|span| self.places.statement(span));
        let assertion = self.places.start(self.program.assertions[assertion.index()].span);
        // The statement is told by where it begins; an assertion in another line is in a function that it
        // calls.
        let place = match (statement, assertion) {
            (Some(statement), Some(assertion)) if statement.line != assertion.line => Some(assertion),
            (statement, assertion) => statement.or(assertion),
        };
        let Some(place) = place else { return };
        // What holds there is implied by the violation, and two waypoints cannot be passed at one place.
        let assumed =
            |last: &Waypoint| last.place == place && matches!(last.kind, WaypointKind::Assumption(_));
        self.found.pop_if(|last| assumed(last));
        self.push(last.thread, place, WaypointKind::Target);
    }
}

/// Whether a variable belongs to an object with arrays of arrays, whose elements we number through.
pub(super) fn has_nested_arrays(program: &Program, name: &str) -> bool {
    let base = name.split(['.', '[']).next();
    let mut objects = program.objects.iter().filter(|object| Some(object.name.as_str()) == base);
    objects.any(|object| object.parts.iter().any(|part| part.dims.len() > 1))
}

/// A variable's name in the program as it is called in a function; `None` if it cannot be named there.
pub(super) fn name_in(function: Option<&str>, name: &str) -> Option<String> {
    let plain = match name.split_once("::") {
        Some((owner, local)) => (function == Some(owner)).then_some(local)?,
        None => name,
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || "_.[]".contains(c);
    // Arrays of records are taken apart: `nodes.next[3]` is our name for `nodes[3].next`, or for an array in
    // a record.
    let taken_apart = plain.find('.').zip(plain.rfind('[')).is_some_and(|(dot, bracket)| dot < bracket);
    let begins = plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (begins && !taken_apart && plain.chars().all(fits)).then(|| plain.to_owned())
}
