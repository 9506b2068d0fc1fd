//! Reads the event order graph off a run that was told.

use std::collections::BTreeMap;

use super::{Arrow, EventGraph, EventKind, GraphEvent, Relation};
use crate::program::{Audience, Origin, Program};
use crate::replay::{Cell, Done, Run, Source};
use crate::report::counterexample::{Counterexample, Deed};

impl EventGraph {
    /// The graph of a run that was told.
    pub fn new(program: &Program, run: &Run, told: &Counterexample) -> EventGraph {
        let mut builder = Builder::new(program, run, told);
        builder.program_order();
        builder.memory();
        builder.synchronisation();
        builder.arrows.sort_unstable();
        builder.arrows.dedup();
        let mut graph = EventGraph {
            model: told.model,
            threads: told.threads.clone(),
            events: builder.events,
            arrows: builder.arrows,
        };
        graph.mark_cycle();
        graph
    }
}

struct Builder<'a> {
    run: &'a Run,
    told: &'a Counterexample,
    events: Vec<GraphEvent>,
    /// For each event the step that reads, what it accesses, and the deed's position in its line.
    origins: Vec<(usize, Option<Cell>, usize)>,
    arrows: Vec<Arrow>,
    /// The event that wrote a place in a step.
    writers: BTreeMap<(usize, Cell), usize>,
}

impl<'a> Builder<'a> {
    fn new(program: &Program, run: &'a Run, told: &'a Counterexample) -> Builder<'a> {
        let mut builder = Builder {
            run,
            told,
            events: Vec::new(),
            origins: Vec::new(),
            arrows: Vec::new(),
            writers: BTreeMap::new(),
        };
        for (index, line) in told.lines.iter().enumerate() {
            for (position, (deed, access)) in line.deeds.iter().zip(&line.accesses).enumerate() {
                let shared = |cell: &Cell| {
                    program.is_shared(cell.0) && program.variable(cell.0).origin == Origin::User
                };
                let Some((kind, text)) = described(told, deed) else { continue };
                if access.cell.is_some_and(|cell| !shared(&cell)) {
                    continue;
                }
                if let (EventKind::Write | EventKind::Update, Some(cell)) = (kind, access.cell) {
                    builder.writers.insert((access.step, cell), builder.events.len());
                }
                let number = line.place.as_ref().map_or(0, |place| place.line);
                let event = GraphEvent { thread: line.thread, kind, text, line: number, told: index };
                builder.events.push(event);
                builder.origins.push((access.read, access.cell, position));
            }
        }
        builder
    }

    fn arrow(&mut self, from: usize, to: usize, relation: Relation) {
        self.arrows.push(Arrow { from, to, relation, in_cycle: false });
    }

    /// An arrow between threads; within one, program order says it already.
    fn across(&mut self, from: usize, to: usize, relation: Relation) {
        if self.events[from].thread != self.events[to].thread {
            self.arrow(from, to, relation);
        }
    }

    fn program_order(&mut self) {
        let mut last: BTreeMap<usize, usize> = BTreeMap::new();
        for event in 0..self.events.len() {
            if let Some(before) = last.insert(self.events[event].thread, event) {
                self.arrow(before, event, Relation::Program);
            }
        }
    }

    /// Read-from, coherence and from-read.
    fn memory(&mut self) {
        let chains = self.coherence();
        for chain in chains.values() {
            chain.pairs().for_each(|(from, to)| self.across(from, to, Relation::Coherence));
        }
        for event in 0..self.events.len() {
            let (step, Some(cell), _) = self.origins[event] else { continue };
            if !matches!(self.events[event].kind, EventKind::Read | EventKind::Update) {
                continue;
            }
            let reads = &self.run.steps[step].reads;
            let Some(read) = reads.iter().find(|read| (read.var, read.element) == cell) else { continue };
            let writer = match read.source {
                Source::Initial => None,
                Source::Memory(from) => self.writers.get(&(from, cell)).copied(),
                Source::Buffer(from) => {
                    let writer = self.writers.get(&(from, cell)).copied();
                    // The thread reads its own store before others can: worth an arrow of its own.
                    writer.into_iter().for_each(|from| self.arrow(from, event, Relation::ReadFrom));
                    continue;
                }
            };
            if writer.is_none() && read.source != Source::Initial {
                continue;
            }
            writer.into_iter().for_each(|from| self.across(from, event, Relation::ReadFrom));
            let overwriting = chains.get(&cell).map_or_else(Vec::new, |chain| chain.after(writer));
            for to in overwriting.into_iter().filter(|&to| to != event) {
                self.across(event, to, Relation::FromRead);
            }
        }
    }

    /// For each place the order of its writes.
    fn coherence(&self) -> BTreeMap<Cell, Chain> {
        let mut chains: BTreeMap<Cell, Chain> = BTreeMap::new();
        for (index, step) in self.run.steps.iter().enumerate() {
            for write in step.writes.iter().filter(|write| !write.buffered) {
                let cell = (write.var, write.element);
                let writer = match step.done {
                    Done::Step(_) | Done::Schedule => index,
                    Done::Flush { buffered } => buffered,
                };
                if let Some(&event) = self.writers.get(&(writer, cell)) {
                    chains.entry(cell).or_default().memory.push(event);
                }
            }
        }
        for buffer in &self.run.last().buffers {
            let mut own: BTreeMap<Cell, Vec<usize>> = BTreeMap::new();
            for (cell, _, (_, step)) in buffer.writes() {
                own.entry(cell).or_default().extend(self.writers.get(&(step, cell)));
            }
            for (cell, events) in own.into_iter().filter(|(_, events)| !events.is_empty()) {
                chains.entry(cell).or_default().waiting.push(events);
            }
        }
        chains
    }

    /// Creation, joining, locks.
    fn synchronisation(&mut self) {
        let mut released: BTreeMap<&'a str, usize> = BTreeMap::new();
        for event in 0..self.events.len() {
            let (_, _, position) = self.origins[event];
            let before = match &self.told.lines[self.events[event].told].deeds[position] {
                Deed::Create { thread } => {
                    let first = (event..self.events.len()).find(|&e| self.thread_name(e) == thread);
                    first.into_iter().for_each(|to| self.across(event, to, Relation::Synchronisation));
                    None
                }
                Deed::Wake { thread, .. } => {
                    let next = (event..self.events.len()).find(|&e| self.events[e].thread == *thread);
                    next.into_iter().for_each(|to| self.across(event, to, Relation::Synchronisation));
                    None
                }
                Deed::Join { thread } => (0..event).rev().find(|&e| self.thread_name(e) == thread),
                Deed::Unlock { name } => {
                    released.insert(name, event);
                    None
                }
                Deed::Lock { name } => released.get(name.as_str()).copied(),
                _ => None,
            };
            before.into_iter().for_each(|from| self.across(from, event, Relation::Synchronisation));
        }
    }

    fn thread_name(&self, event: usize) -> &'a str {
        &self.told.threads[self.events[event].thread]
    }
}

/// The order of the writes of one place.
#[derive(Default)]
struct Chain {
    /// Those that reached memory, in that order.
    memory: Vec<usize>,
    /// For each thread those that did not.
    waiting: Vec<Vec<usize>>,
}

impl Chain {
    /// Each write with the next ones.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let memory = self.memory.windows(2).map(|pair| (pair[0], pair[1]));
        let last = self.memory.last().copied();
        let first = self.waiting.iter().map(|own| own[0]);
        let between = last.into_iter().flat_map(move |last| first.clone().map(move |first| (last, first)));
        memory.chain(between)
    }

    /// The writes directly after one, or the first if there is none.
    fn after(&self, writer: Option<usize>) -> Vec<usize> {
        let next = match writer {
            None => 0,
            Some(writer) => match self.memory.iter().position(|&event| event == writer) {
                Some(position) => position + 1,
                None => return Vec::new(),
            },
        };
        match self.memory.get(next) {
            Some(&event) => vec![event],
            None => self.waiting.iter().map(|own| own[0]).collect(),
        }
    }
}

/// Kind and text of a deed that is a node.
fn described(told: &Counterexample, deed: &Deed) -> Option<(EventKind, String)> {
    Some(match deed {
        Deed::Read { name, value, .. } => (EventKind::Read, format!("R {name} = {value}")),
        Deed::Write { name, value, .. } => (EventKind::Write, format!("W {name} = {value}")),
        Deed::Update { name, old, new, .. } => (EventKind::Update, format!("RW {name} = {old} → {new}")),
        Deed::Fence { .. } => (EventKind::Sync, "fence".to_owned()),
        Deed::Lock { name } => (EventKind::Sync, format!("lock {name}")),
        Deed::Unlock { name } => (EventKind::Sync, format!("unlock {name}")),
        Deed::Sync { call } => (EventKind::Sync, call.clone()),
        Deed::Await { condition } => (EventKind::Sync, format!("wait {condition}")),
        Deed::Awake { condition, .. } => (EventKind::Sync, format!("awake {condition}")),
        Deed::Signal { condition, audience: Audience::One, .. } => {
            (EventKind::Sync, format!("signal {condition}"))
        }
        Deed::Signal { condition, audience: Audience::All, .. } => {
            (EventKind::Sync, format!("broadcast {condition}"))
        }
        Deed::Create { thread } => (EventKind::Sync, format!("create {thread}")),
        Deed::Join { thread } => (EventKind::Sync, format!("join {thread}")),
        Deed::Wake { thread, .. } => (EventKind::Sync, format!("wake {}", told.threads[*thread])),
        Deed::Assert { held: false } => (EventKind::Violation, format!("✗ {}", told.violated.text)),
        Deed::Assert { held: true }
        | Deed::Assume
        | Deed::Branch { .. }
        | Deed::Flush { .. }
        | Deed::Wait { .. }
        | Deed::Misuse { .. }
        | Deed::Assign { .. }
        | Deed::Start
        | Deed::Exit
        | Deed::Input { .. } => return None,
    })
}
