//! Turns a run into a counterexample: the values of a replayed [`Run`] and the events of the transitions, put
//! together.

use std::collections::BTreeSet;

use crate::program::{
    Action, AssertionId, Event, Init, Mark, MemoryModel, MemoryOrder, Names, Origin, Place, Program, Role,
    Span, ThreadId, TransId,
};
use crate::replay::{Cell, Done, ReadValue, Run, RunStep, Source};
use crate::term::{Datum, Sort, VarId};

use super::Detail;
use super::counterexample::{
    Access, Counterexample, Deed, Line, SourcePlace, Trouble, ValueSource, Violated,
};
use super::scene::{self, Held, Pending, Scene, Watched};
use super::signals::Signals;
use super::turns::Turns;
use super::values::{bytes_name, bytes_value, cell_name, value_text};

impl Counterexample {
    /// Tells a run that ends in a violation, or in undefined behaviour.
    ///
    /// # Panics
    /// If the run ends in neither.
    pub fn new(program: &Program, model: MemoryModel, run: &Run, detail: Detail) -> Counterexample {
        let turns = Turns::new(program, run);
        let (names, signals) = (Names::new(program), Signals::new(program, run));
        let (lines, uninitialised) = (Vec::new(), BTreeSet::new());
        let mut teller =
            Teller { program, run, detail, names, signals, turns, lines, uninitialised, decided: false };
        (0..run.steps.len()).for_each(|step| teller.step(step));
        let violated = teller.violated();
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
            steps: run.steps.iter().filter(|step| step.done != Done::Schedule).count(),
            switches: movers.windows(2).filter(|pair| pair[0] != pair[1]).count(),
            locks: end.locks,
            pending: end.buffered,
            policy: program.policy,
            waiting: teller.turns.as_ref().map_or_else(Vec::new, |turns| turns.waiting(run.steps.len())),
        }
    }
}

struct Teller<'a> {
    program: &'a Program,
    run: &'a Run,
    detail: Detail,
    names: Names,
    signals: Signals,
    turns: Option<Turns<'a>>,
    lines: Vec<Line>,
    /// What threads read of their own that nobody had given a value, and was told.
    uninitialised: BTreeSet<Cell>,
    /// Whether the scheduler has decided since the last deed.
    decided: bool,
}

impl Teller<'_> {
    /// Tells one step of the run.
    fn step(&mut self, index: usize) {
        match self.run.steps[index].done {
            Done::Flush { buffered } => self.flush(index, buffered),
            Done::Step(id) => self.transition(index, id),
            Done::Schedule => self.decided = true,
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
                name: bytes_name(self.program, &self.names, cell, write.lanes),
                value: value_text(self.program, write.var, &bytes_value(&write.value, write.lanes)),
                written: self.writer(buffered, cell),
            };
            let access = Access { step: index, read: index, cell: Some(cell) };
            self.lines.push(Line::new(step.thread.index(), None, deed, access));
        }
    }

    fn transition(&mut self, index: usize, id: TransId) {
        let (program, step) = (self.program, &self.run.steps[index]);
        let transition = program.transition(id);
        let start = program.location(transition.from).span;
        let cells: Vec<Option<Cell>> =
            transition.events.iter().map(|event| self.event_cell(index, event)).collect();
        self.uninitialised(index, start);
        let mut written = BTreeSet::new();
        for (i, event) in transition.events.iter().enumerate() {
            let again = |later: usize| is_write(&transition.events[later].action) && cells[later] == cells[i];
            let overwritten = (i + 1..cells.len()).any(again);
            let stale = cells[i].is_some_and(|cell| written.contains(&cell));
            let known = Known { read: !stale, written: !overwritten };
            let order = match i.checked_sub(1).map(|before| &transition.events[before].action) {
                Some(Action::Order(order)) => Some(*order),
                _ => None,
            };
            if let Some(deed) = self.deed((index, i), event, cells[i], known) {
                let deed = ordered(deed, order);
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
            for write in rest.filter(|write| program.variable(write.var).origin == Origin::User) {
                let name = cell_name(program, &self.names, (write.var, write.element));
                let value = value_text(program, write.var, &write.value);
                self.push(index, span, Deed::Assign { name, value }, None);
            }
        }
        let span = transition.events.iter().rev().map(|event| event.span).find(|span| span.is_some());
        let deeds =
            self.turns.as_ref().map_or_else(Vec::new, |turns| turns.deeds(index, step.thread.index()));
        let misuse = step.misuse.iter().map(|misuse| Deed::Misuse { what: misuse.0.clone() });
        for deed in deeds.into_iter().chain(misuse) {
            self.push(index, span.unwrap_or(start), deed, None);
        }
    }

    /// Tells of the thread's own variables that a step reads and nobody has given a value.
    fn uninitialised(&mut self, index: usize, place: Span) {
        let program = self.program;
        for read in &self.run.steps[index].reads {
            let variable = program.variable(read.var);
            let nobody = variable.init == Init::Any && read.source == Source::Initial;
            let own = variable.origin == Origin::User && matches!(variable.role, Role::Private(_));
            if nobody && own && self.uninitialised.insert((read.var, read.element)) {
                let name = cell_name(program, &self.names, (read.var, read.element));
                let value = value_text(program, read.var, &read.value);
                let source = ValueSource::Uninitialised;
                self.push(index, place, Deed::Read { name, value, source, order: None }, None);
            }
        }
    }

    /// Adds a deed to the last line if it belongs there, else to a new one.
    fn push(&mut self, step: usize, span: Span, deed: Deed, cell: Option<Cell>) {
        let (thread, place) = (self.run.steps[step].thread.index(), self.place(span));
        let read = cell.map_or(step, |cell| self.reading_step(step, cell));
        let access = Access { step, read, cell };
        let same_line = |line: &Line| {
            let place_of =
                |place: &Option<SourcePlace>| place.as_ref().map(|place| (place.file.clone(), place.line));
            line.thread == thread && line.place.is_some() && place_of(&line.place) == place_of(&place)
        };
        if let Deed::Lock { name } | Deed::Unlock { name } = &deed
            && let Some(line) = self.lines.last_mut().filter(|line| same_line(line))
        {
            line.forget_accesses(name);
        }
        match self.lines.last_mut() {
            Some(line) if same_line(line) && !self.decided && !line.deeds.contains(&deed) => {
                line.deeds.push(deed);
                line.accesses.push(access);
            }
            _ => self.lines.push(Line::new(thread, place, deed, access)),
        }
        self.decided = false;
    }

    /// What an event was, with values; `None` if it is not told.
    fn deed(
        &self,
        (index, number): (usize, usize),
        event: &Event,
        cell: Option<Cell>,
        known: Known,
    ) -> Option<Deed> {
        let (program, step) = (self.program, &self.run.steps[index]);
        if event.action.handle().is_some() {
            return self.about(index, number, &event.action);
        }
        let thread_name = |thread: ThreadId| program.thread(thread).name.clone();
        let full = self.detail == Detail::Full;
        match &event.action {
            Action::Read(_) => self.read(step, cell.filter(|_| known.read)?),
            Action::Write(_) => self.written(step, cell.filter(|_| known.written)?),
            Action::Update(_) => self.update(index, cell?, known),
            Action::Branch(held) => {
                Some(Deed::Branch { condition: self.source_text(event.span), held: *held })
            }
            Action::Assume => Some(Deed::Assume),
            Action::Assert(id) => Some(Deed::Assert { held: !self.violates(step, *id) }),
            Action::Fence => Some(Deed::Fence { order: None }),
            Action::Sync(call) => Some(Deed::Sync { call: call.clone() }),
            Action::Create(thread) => Some(Deed::Create { thread: thread_name(*thread) }),
            Action::Join(thread) => Some(Deed::Join { thread: thread_name(*thread) }),
            Action::Start => full.then_some(Deed::Start),
            Action::Exit => full.then_some(Deed::Exit),
            Action::Input(var) => {
                let (_, value) = step.inputs.iter().find(|(input, _)| input == var)?;
                let (name, value) = (self.names.of(*var).to_owned(), value_text(program, *var, value));
                Some(Deed::Input { name, value })
            }
            // In full detail the assignments follow by themselves.
            Action::Compute | Action::Order(_) => None,
            Action::Lock(_) | Action::Unlock(_) | Action::Wait(_) | Action::Awake(_) | Action::Signal(..) => {
                unreachable!("they have a handle")
            }
        }
    }

    /// What an event was that is about a lock or a condition variable.
    fn about(&self, index: usize, number: usize, action: &Action) -> Option<Deed> {
        let (_, name) = self.run.steps[index].objects.iter().find(|(event, _)| *event == number)?;
        let name = name.clone();
        Some(match action {
            Action::Lock(_) => Deed::Lock { name },
            Action::Unlock(_) => Deed::Unlock { name },
            Action::Wait(_) => Deed::Await { condition: name },
            Action::Awake(_) => {
                let signal = self.signals.woke(index, number).map(|(step, event)| {
                    let span = self.events(step)[event].span;
                    (self.run.steps[step].thread.index(), self.place(span))
                });
                Deed::Awake { condition: name, signal }
            }
            Action::Signal(_, audience) => {
                let waiting = self.signals.waiting(index, number).iter().map(|thread| thread.index());
                Deed::Signal { condition: name, audience: *audience, waiting: waiting.collect() }
            }
            _ => return None,
        })
    }

    fn violates(&self, step: &RunStep, assertion: AssertionId) -> bool {
        let Done::Step(id) = step.done else { return false };
        let to = self.program.location(self.program.transition(id).to);
        to.mark == Some(Mark::Error(assertion))
    }

    fn read(&self, step: &RunStep, cell: Cell) -> Option<Deed> {
        let read = self.value_read(step, cell)?;
        let (name, value) =
            (cell_name(self.program, &self.names, cell), value_text(self.program, cell.0, &read.value));
        Some(Deed::Read { name, value, source: self.source(read), order: None })
    }

    fn written(&self, step: &RunStep, cell: Cell) -> Option<Deed> {
        let write = step.writes.iter().find(|write| (write.var, write.element) == cell)?;
        let value = value_text(self.program, cell.0, &bytes_value(&write.value, write.lanes));
        let (told, name) = (self.is_told(cell.0), bytes_name(self.program, &self.names, cell, write.lanes));
        told.then_some(Deed::Write { name, value, buffered: write.buffered, order: None })
    }

    /// Both sides of an indivisible change, or what is known of them.
    fn update(&self, index: usize, cell: Cell, known: Known) -> Option<Deed> {
        let steps = &self.run.steps;
        let read = if known.read { self.read(&steps[self.reading_step(index, cell)], cell) } else { None };
        let written = if known.written { self.written(&steps[index], cell) } else { None };
        match (read, written) {
            (Some(Deed::Read { name, value: old, source, order }), Some(Deed::Write { value: new, .. })) => {
                Some(Deed::Update { name, old, source, new, order })
            }
            (read, written) => read.or(written),
        }
    }

    /// The step at which an operation read a place: the one that tells of it, or one before it in the same
    /// atomic section that does not tell of reading itself.
    fn reading_step(&self, index: usize, cell: Cell) -> usize {
        let silent = |step: usize| {
            let tells = |event: &Event| {
                matches!(event.action, Action::Read(_)) && self.event_cell(step, event) == Some(cell)
            };
            !self.events(step).iter().any(tells)
        };
        let reads =
            |step: usize| self.run.steps[step].reads.iter().any(|read| (read.var, read.element) == cell);
        let thread = self.run.steps[index].thread;
        let inside = |&step: &usize| {
            let after = self.run.states[step + 1].locations[thread.index()];
            self.run.steps[step].thread == thread && self.program.location(after).atomic
        };
        if reads(index) {
            return index;
        }
        (0..index)
            .rev()
            .take_while(inside)
            .find(|&step| reads(step))
            .filter(|&step| silent(step))
            .unwrap_or(index)
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
                    None => before.seen_by(self.program, step.thread, var),
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
            text: readable(sources.line(span.file, span.line).unwrap_or("")),
        })
    }

    /// What the run ends in, and the values that decided it: those read at its line, else those of the last
    /// condition before.
    fn violated(&self) -> Violated {
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
        let mut locations = self.run.last().locations.iter().map(|&at| self.program.location(at));
        let end =
            locations.find(|location| location.is_target()).expect("a run that is told ends in something");
        let (text, kind, span) = match &end.mark {
            Some(Mark::Error(assertion)) => {
                let assertion = &self.program.assertions[assertion.index()];
                (&assertion.text, Trouble::Violation(assertion.kind), assertion.span)
            }
            Some(Mark::Undefined(what) | Mark::Cut(what)) => (what, Trouble::Undefined, end.span),
            Some(Mark::End) | None => unreachable!("not what anybody looks for"),
        };
        let misuse = self.run.steps.last().and_then(|step| step.misuse.as_ref());
        let text = misuse.map_or_else(|| text.clone(), |misuse| format!("{text}: {}", misuse.0));
        Violated { text, kind, place: self.place(span), thread, values }
    }

    /// The user's variables that were read by a step and the steps of its thread before it at the same source
    /// line, with their values.
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
                let name = cell_name(self.program, &self.names, (read.var, read.element));
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
            Done::Schedule | Done::Flush { .. } => &[],
        }
    }

    /// Gives each line the state after it, and says which variables to watch.
    fn scenes(&self, lines: &mut [Line]) -> Vec<Watched> {
        let cells = scene::watched_cells(self.program, self.run);
        let mut before = 0;
        for line in lines {
            let first = line.accesses.first().map_or(before, |access| access.step);
            line.round = self.turns.as_ref().and_then(|turns| turns.round(self.run, before, first));
            let after = line.accesses.last().map_or(before, |access| access.step + 1);
            line.after = self.scene(after);
            line.after.changes = scene::changes(self.program, self.run, &cells, before, after);
            before = after;
        }
        scene::watched(self.program, &self.names, self.run, &cells)
    }

    /// Locks and store buffers after so many steps.
    fn scene(&self, steps: usize) -> Scene {
        let state = &self.run.states[steps];
        let locks = self.run.locks[steps].iter().map(|(name, threads)| {
            let mut threads: Vec<usize> = threads.iter().map(|thread| thread.index()).collect();
            threads.dedup();
            Held { name: name.clone(), threads }
        });
        let mut buffered = Vec::new();
        for thread in self.program.thread_ids() {
            for (cell, lanes, (value, step)) in state.buffers[thread.index()].writes() {
                if self.is_told(cell.0) {
                    buffered.push(Pending {
                        thread: thread.index(),
                        name: bytes_name(self.program, &self.names, cell, lanes),
                        value: value_text(self.program, cell.0, &bytes_value(&Datum::Word(value), lanes)),
                        place: self.writer(step, cell),
                    });
                }
            }
        }
        let situation = self.turns.as_ref().map(|turns| turns.standings(steps));
        Scene { changes: Vec::new(), locks: locks.collect(), buffered, situation }
    }
}

impl Line {
    fn new(thread: usize, place: Option<SourcePlace>, deed: Deed, access: Access) -> Line {
        let (deeds, accesses) = (vec![deed], vec![access]);
        Line { thread, place, deeds, accesses, round: None, after: Scene::default() }
    }

    /// Leaves out how the library looks at a lock that is a plain number, such as a spin lock: that it is
    /// acquired or released says it all.
    fn forget_accesses(&mut self, lock: &str) {
        let kept = |deed: &Deed| !matches!(deed, Deed::Read { name, .. } | Deed::Write { name, .. } | Deed::Update { name, .. } if name == lock);
        let deeds = std::mem::take(&mut self.deeds).into_iter().zip(std::mem::take(&mut self.accesses));
        (self.deeds, self.accesses) = deeds.filter(|(deed, _)| kept(deed)).unzip();
    }
}

/// A deed with a memory order, if it is one that can have one.
fn ordered(mut deed: Deed, stated: Option<MemoryOrder>) -> Deed {
    if let Deed::Read { order, .. }
    | Deed::Write { order, .. }
    | Deed::Update { order, .. }
    | Deed::Fence { order } = &mut deed
    {
        *order = stated;
    }
    deed
}

/// A source line as it is shown; what the C library's `assert` expands to is an assertion again.
fn readable(line: &str) -> String {
    let condition = line.split("__assert_fail").nth(1).and_then(|rest| rest.split('"').nth(1));
    match condition {
        Some(condition) => format!("assert({condition});"),
        None => line.trim().replace('\t', " "),
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
