//! A violating run told in terms of the source: who did what, at which line, with which values.
//!
//! A replayed [`Run`] knows every value; a transition's events know what it was in C. Put together they give a list of [`Line`]s: one
//! thread, one source line, and what it did there ([`Deed`]s). Consecutive deeds of a thread at one line
//! share a line until one of them repeats, as in a loop that spins.
//!
//! A transition may be composed of several steps of the source. Its values are those before and after the whole, so
//! a place that it writes is not shown as read afterwards, and of several writes to a place only the last is shown.
//! After each line the state is known as well (`scene.rs`): values, owners of locks, contents of store buffers.

use std::collections::BTreeSet;

use crate::program::{
    Action, AssertionId, Event, Init, Mark, MemoryModel, Origin, Place, Program, Span, ThreadId, TransId,
};
use crate::replay::{Cell, Done, ReadValue, Run, RunStep, Source};
use crate::term::{Datum, Sort, VarId};

use super::Detail;
use super::scene::{self, Held, Pending, Scene, Watched};
use super::values::{cell_name, value_text};

/// A counterexample. Threads are indices into `threads`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// The memory model of the run.
    pub model: MemoryModel,
    /// The names of all threads of the program.
    pub threads: Vec<String>,
    /// The variables that the run uses, with their initial values.
    pub watched: Vec<Watched>,
    /// What went wrong.
    pub violated: Violated,
    /// What happened, in execution order.
    pub lines: Vec<Line>,
    /// Whether steps may be missing that the engine found irrelevant.
    pub reduced: bool,
    /// Number of steps of the whole run, also of those not told.
    pub steps: usize,
    /// How often another thread went on in the whole run.
    pub switches: usize,
    /// The locks that are held at the end.
    pub locks: Vec<Held>,
    /// The writes that have not reached memory at the end.
    pub pending: Vec<Pending>,
}

/// The violated assertion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violated {
    /// Its condition, or the call that must not be reached.
    pub text: String,
    /// Where it is.
    pub place: Option<SourcePlace>,
    /// Who violated it.
    pub thread: usize,
    /// The values that decided: names and values.
    pub values: Vec<(String, String)>,
}

/// A source line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourcePlace {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
    /// The text of the line without leading blanks; empty if unknown.
    pub text: String,
}

/// What a thread did at a source line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Who.
    pub thread: usize,
    /// Where; nowhere for a write that reaches memory.
    pub place: Option<SourcePlace>,
    /// What, in order.
    pub deeds: Vec<Deed>,
    /// For each deed, where in the run it happened.
    pub(super) accesses: Vec<Access>,
    /// The state when all that was done.
    pub after: Scene,
}

/// Where in a run a deed happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Access {
    /// Index of the step.
    pub step: usize,
    /// What it accessed.
    pub cell: Option<Cell>,
}

/// A thing done. Names and values are texts for people.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields are named after what they are")]
pub enum Deed {
    /// A shared place was read.
    Read { name: String, value: String, source: ValueSource },
    /// A shared place was written; a buffered write is not in memory yet.
    Write { name: String, value: String, buffered: bool },
    /// A shared place was read and written indivisibly.
    Update { name: String, old: String, source: ValueSource, new: String },
    /// A buffered write reached memory.
    Flush { name: String, value: String, written: Option<SourcePlace> },
    /// A private variable changed.
    Assign { name: String, value: String },
    /// A condition was decided; its text is empty if unknown.
    Branch { condition: String, held: bool },
    /// An assumption was passed.
    Assume,
    /// An assertion was checked.
    Assert { held: bool },
    /// A fence.
    Fence,
    /// A lock was acquired.
    Lock { name: String },
    /// A lock was released.
    Unlock { name: String },
    /// Another synchronisation operation, as a call.
    Sync { call: String },
    /// A thread was created.
    Create { thread: String },
    /// A thread was found to have ended.
    Join { thread: String },
    /// The thread began.
    Start,
    /// The thread ended.
    Exit,
    /// An input was chosen.
    Input { name: String, value: String },
}

/// Where a value that was read comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields are named after what they are")]
pub enum ValueSource {
    /// The initial value.
    Initial,
    /// Nobody wrote it: any value is possible.
    Uninitialised,
    /// A write that had reached memory.
    Write { thread: usize, place: Option<SourcePlace> },
    /// A write of the same thread that is still in its store buffer.
    Buffer { place: Option<SourcePlace> },
}

impl Counterexample {
    /// Tells a run that ends in a violation.
    ///
    /// # Panics
    /// If the run violates nothing.
    pub fn new(program: &Program, model: MemoryModel, run: &Run, detail: Detail) -> Counterexample {
        let assertion = run.violation(program).expect("a counterexample violates an assertion");
        let mut teller = Teller { program, run, detail, lines: Vec::new() };
        (0..run.steps.len()).for_each(|step| teller.step(step));
        let violated = teller.violated(assertion);
        let movers: Vec<ThreadId> = run.steps.iter().map(|step| step.thread).collect();
        let mut told = match detail {
            Detail::Full | Detail::Shared => std::mem::take(&mut teller.lines),
            Detail::None => Vec::new(),
        };
        let watched = teller.scenes(&mut told);
        let end = teller.scene(run.steps.len());
        Counterexample {
            model,
            threads: program.threads.iter().map(|thread| thread.name.clone()).collect(),
            watched,
            violated,
            lines: told,
            reduced: false,
            steps: run.steps.len(),
            switches: movers.windows(2).filter(|pair| pair[0] != pair[1]).count(),
            locks: end.locks,
            pending: end.buffered,
        }
    }
}

struct Teller<'a> {
    program: &'a Program,
    run: &'a Run,
    detail: Detail,
    lines: Vec<Line>,
}

impl Teller<'_> {
    /// Tells one step of the run.
    fn step(&mut self, index: usize) {
        match self.run.steps[index].done {
            Done::Flush { buffered } => self.flush(index, buffered),
            Done::Step(id) => self.transition(index, id),
        }
    }

    fn flush(&mut self, index: usize, buffered: usize) {
        let step = &self.run.steps[index];
        for write in &step.writes {
            if !self.is_told(write.var) {
                continue;
            }
            let cell = (write.var, write.element);
            let deed = Deed::Flush {
                name: cell_name(self.program, cell),
                value: value_text(self.program, write.var, &write.value),
                written: self.writer(buffered, cell),
            };
            let access = Access { step: index, cell: Some(cell) };
            self.lines.push(Line::new(step.thread.index(), None, deed, access));
        }
    }

    fn transition(&mut self, index: usize, id: TransId) {
        let (program, step) = (self.program, &self.run.steps[index]);
        let transition = program.transition(id);
        let start = program.location(transition.from).span;
        let cells: Vec<Option<Cell>> =
            transition.events.iter().map(|event| self.event_cell(index, event)).collect();
        let mut written = BTreeSet::new();
        for (i, event) in transition.events.iter().enumerate() {
            let again = |later: usize| is_write(&transition.events[later].action) && cells[later] == cells[i];
            let overwritten = (i + 1..cells.len()).any(again);
            let stale = cells[i].is_some_and(|cell| written.contains(&cell));
            let known = Known { read: !stale, written: !overwritten };
            if let Some(deed) = self.deed(index, event, cells[i], known) {
                let span = if event.span.is_some() { event.span } else { start };
                self.push(index, span, deed, cells[i]);
            }
            if is_write(&event.action) {
                written.extend(cells[i]);
            }
        }
        if self.detail == Detail::Full {
            let span = transition.events.last().map_or(start, |event| event.span);
            let rest = step.writes.iter().filter(|write| !written.contains(&(write.var, write.element)));
            for write in rest {
                let name = cell_name(program, (write.var, write.element));
                let value = value_text(program, write.var, &write.value);
                self.push(index, span, Deed::Assign { name, value }, None);
            }
        }
    }

    /// Adds a deed to the last line if it belongs there, else to a new one.
    fn push(&mut self, step: usize, span: Span, deed: Deed, cell: Option<Cell>) {
        let (thread, place) = (self.run.steps[step].thread.index(), self.place(span));
        let access = Access { step, cell };
        let same_line = |line: &Line| {
            let place_of =
                |place: &Option<SourcePlace>| place.as_ref().map(|place| (place.file.clone(), place.line));
            line.thread == thread && line.place.is_some() && place_of(&line.place) == place_of(&place)
        };
        match self.lines.last_mut() {
            Some(line) if same_line(line) && !line.deeds.contains(&deed) => {
                line.deeds.push(deed);
                line.accesses.push(access);
            }
            _ => self.lines.push(Line::new(thread, place, deed, access)),
        }
    }

    /// What an event was, with values; `None` if it is not told.
    fn deed(&self, index: usize, event: &Event, cell: Option<Cell>, known: Known) -> Option<Deed> {
        let (program, step) = (self.program, &self.run.steps[index]);
        let thread_name = |thread: ThreadId| program.thread(thread).name.clone();
        let full = self.detail == Detail::Full;
        match &event.action {
            Action::Read(_) => self.read(step, cell.filter(|_| known.read)?),
            Action::Write(_) => self.written(step, cell.filter(|_| known.written)?),
            Action::Update(_) => self.update(step, cell?, known),
            Action::Branch(held) => {
                Some(Deed::Branch { condition: self.source_text(event.span), held: *held })
            }
            Action::Assume => Some(Deed::Assume),
            Action::Assert(id) => Some(Deed::Assert { held: !self.violates(step, *id) }),
            Action::Fence => Some(Deed::Fence),
            Action::Lock(name) => Some(Deed::Lock { name: name.clone() }),
            Action::Unlock(name) => Some(Deed::Unlock { name: name.clone() }),
            Action::Sync(call) => Some(Deed::Sync { call: call.clone() }),
            Action::Create(thread) => Some(Deed::Create { thread: thread_name(*thread) }),
            Action::Join(thread) => Some(Deed::Join { thread: thread_name(*thread) }),
            Action::Start => full.then_some(Deed::Start),
            Action::Exit => full.then_some(Deed::Exit),
            Action::Input(var) => {
                let (_, value) = step.inputs.iter().find(|(input, _)| input == var)?;
                let (name, value) = (program.variable(*var).name.clone(), value_text(program, *var, value));
                Some(Deed::Input { name, value })
            }
            // In full detail the assignments follow by themselves.
            Action::Compute => None,
        }
    }

    fn violates(&self, step: &RunStep, assertion: AssertionId) -> bool {
        let Done::Step(id) = step.done else { return false };
        let to = self.program.location(self.program.transition(id).to);
        to.mark == Some(Mark::Error(assertion))
    }

    fn read(&self, step: &RunStep, cell: Cell) -> Option<Deed> {
        let read = self.value_read(step, cell)?;
        let (name, value) = (cell_name(self.program, cell), value_text(self.program, cell.0, &read.value));
        Some(Deed::Read { name, value, source: self.source(read) })
    }

    fn written(&self, step: &RunStep, cell: Cell) -> Option<Deed> {
        let write = step.writes.iter().find(|write| (write.var, write.element) == cell)?;
        let value = value_text(self.program, cell.0, &write.value);
        let told = self.is_told(cell.0);
        told.then(|| Deed::Write { name: cell_name(self.program, cell), value, buffered: write.buffered })
    }

    /// Both sides of an indivisible change, or what is known of them.
    fn update(&self, step: &RunStep, cell: Cell, known: Known) -> Option<Deed> {
        let read = if known.read { self.read(step, cell) } else { None };
        let written = if known.written { self.written(step, cell) } else { None };
        match (read, written) {
            (Some(Deed::Read { name, value: old, source }), Some(Deed::Write { value: new, .. })) => {
                Some(Deed::Update { name, old, source, new })
            }
            (read, written) => read.or(written),
        }
    }

    fn value_read<'a>(&self, step: &'a RunStep, cell: Cell) -> Option<&'a ReadValue> {
        self.is_told(cell.0).then(|| step.reads.iter().find(|read| (read.var, read.element) == cell))?
    }

    fn source(&self, read: &ReadValue) -> ValueSource {
        let cell = (read.var, read.element);
        match read.source {
            Source::Initial if self.program.variable(read.var).init == Init::Any => {
                ValueSource::Uninitialised
            }
            Source::Initial => ValueSource::Initial,
            Source::Memory(step) => ValueSource::Write {
                thread: self.run.steps[step].thread.index(),
                place: self.writer(step, cell),
            },
            Source::Buffer(step) => ValueSource::Buffer { place: self.writer(step, cell) },
        }
    }

    /// The line at which a step wrote a place.
    fn writer(&self, step: usize, cell: Cell) -> Option<SourcePlace> {
        let Done::Step(id) = self.run.steps[step].done else { return None };
        let transition = self.program.transition(id);
        let wrote = |event: &&Event| is_write(&event.action) && self.event_cell(step, event) == Some(cell);
        let event = transition.events.iter().rev().find(wrote).or(transition.events.last());
        let span = event.map_or(self.program.location(transition.from).span, |event| event.span);
        self.place(span)
    }

    /// The scalar or element that an event accesses, at a step of the run.
    fn event_cell(&self, step: usize, event: &Event) -> Option<Cell> {
        let (Action::Read(place) | Action::Write(place) | Action::Update(place)) = &event.action else {
            return None;
        };
        self.cell(step, *place)
    }

    fn cell(&self, index: usize, place: Place) -> Option<Cell> {
        let (step, before) = (&self.run.steps[index], &self.run.states[index]);
        match (self.program.variable(place.var).sort, place.index) {
            (Sort::Array(array), Some(term)) => {
                let value = |var: VarId| match step.inputs.iter().find(|(input, _)| *input == var) {
                    Some((_, value)) => value.clone(),
                    None => before.seen_by(step.thread, var),
                };
                let element = u32::try_from(self.program.terms.eval(term, &value).word()).ok()?;
                (element < array.len).then_some((place.var, Some(element)))
            }
            (Sort::Array(_), None) => None,
            _ => Some((place.var, None)),
        }
    }

    /// Whether a variable is spoken of.
    fn is_told(&self, var: VarId) -> bool {
        self.detail == Detail::Full || (self.is_users(var) && self.program.is_shared(var))
    }

    fn is_users(&self, var: VarId) -> bool {
        self.program.variable(var).origin == Origin::User
    }

    /// The source text at a place, if it is known and on one line.
    fn source_text(&self, span: Span) -> String {
        let line = self.program.sources.line(span.file, span.line).unwrap_or("");
        let start = (span.column as usize).wrapping_sub(1);
        let text = line.get(start..start.saturating_add(span.len as usize));
        text.unwrap_or("").trim().to_owned()
    }

    fn place(&self, span: Span) -> Option<SourcePlace> {
        let sources = &self.program.sources;
        span.is_some().then(|| SourcePlace {
            file: sources.name(span.file).to_owned(),
            line: span.line,
            column: span.column,
            text: sources.line(span.file, span.line).unwrap_or("").trim().replace('\t', " "),
        })
    }

    /// The assertion and the values that decided it: those read at its line, else those of the last condition before.
    fn violated(&self, assertion: AssertionId) -> Violated {
        let last = self.run.steps.len().saturating_sub(1);
        let thread = self.run.steps.get(last).map_or(0, |step| step.thread.index());
        let mut values = self.values_read(last);
        if values.is_empty() {
            let decided = (0..last).rev().find(|&index| {
                let branch = |event: &Event| matches!(event.action, Action::Branch(_));
                self.run.steps[index].thread.index() == thread && self.events(index).iter().any(branch)
            });
            values = decided.map_or_else(Vec::new, |index| self.values_read(index));
        }
        let assertion = &self.program.assertions[assertion.index()];
        Violated { text: assertion.text.clone(), place: self.place(assertion.span), thread, values }
    }

    /// The user's variables that were read by a step and the steps of its thread before it at the same source line, with
    /// their values.
    fn values_read(&self, last: usize) -> Vec<(String, String)> {
        let line_of = |event: &Event| (event.span.file, event.span.line);
        let Some(step) = self.run.steps.get(last) else { return Vec::new() };
        let (thread, line) = (step.thread, self.events(last).last().map(line_of));
        let mut values: Vec<(String, String)> = Vec::new();
        let here = |index: usize| {
            index == last || self.events(index).iter().all(|event| Some(line_of(event)) == line)
        };
        let own = (0..=last).rev().filter(|&index| self.run.steps[index].thread == thread);
        for index in own.take_while(|&index| here(index)) {
            for read in self.run.steps[index].reads.iter().filter(|read| self.is_users(read.var)) {
                let name = cell_name(self.program, (read.var, read.element));
                if values.iter().all(|(known, _)| *known != name) {
                    values.push((name, value_text(self.program, read.var, &read.value)));
                }
            }
        }
        values.reverse();
        values
    }

    fn events(&self, step: usize) -> &[Event] {
        match self.run.steps[step].done {
            Done::Step(id) => &self.program.transition(id).events,
            Done::Flush { .. } => &[],
        }
    }

    /// Gives each line the state after it, and says which variables to watch.
    fn scenes(&self, lines: &mut [Line]) -> Vec<Watched> {
        let cells = scene::watched_cells(self.program, self.run);
        let mut before = 0;
        for line in lines {
            let after = line.accesses.last().map_or(before, |access| access.step + 1);
            line.after = self.scene(after);
            line.after.changes = scene::changes(self.program, self.run, &cells, before, after);
            before = after;
        }
        scene::watched(self.program, self.run, &cells)
    }

    /// Locks and store buffers after so many steps.
    fn scene(&self, steps: usize) -> Scene {
        let state = &self.run.states[steps];
        let locks = state.locks.iter().map(|(name, threads)| {
            let mut threads: Vec<usize> = threads.iter().map(|thread| thread.index()).collect();
            threads.dedup();
            Held { name: name.clone(), threads }
        });
        let mut buffered = Vec::new();
        for thread in self.program.thread_ids() {
            for (cell, (value, step)) in state.buffers[thread.index()].writes() {
                if self.is_told(cell.0) {
                    buffered.push(Pending {
                        thread: thread.index(),
                        name: cell_name(self.program, cell),
                        value: value_text(self.program, cell.0, &Datum::Word(value)),
                        place: self.writer(step, cell),
                    });
                }
            }
        }
        Scene { changes: Vec::new(), locks: locks.collect(), buffered }
    }
}

impl Line {
    fn new(thread: usize, place: Option<SourcePlace>, deed: Deed, access: Access) -> Line {
        Line { thread, place, deeds: vec![deed], accesses: vec![access], after: Scene::default() }
    }
}

/// Which values of a composed step belong to an event.
#[derive(Clone, Copy)]
struct Known {
    /// The value before the step is what the event read.
    read: bool,
    /// The value after the step is what the event wrote.
    written: bool,
}

fn is_write(action: &Action) -> bool {
    matches!(action, Action::Write(_) | Action::Update(_))
}
