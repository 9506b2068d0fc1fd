//! The event order graph of a run: what the threads did to shared memory, and what came before what.
//!
//! Nodes are the deeds of a [`Counterexample`](super::Counterexample) that other threads can notice.
//! Relations between them are read off the run, so they are facts whatever engine found it: program order
//! within a thread, read-from, coherence (the order in which writes of one place reach memory) and from-read
//! (a read comes before the write that overwrites what it read). The last two are what event order graphs
//! call derived orders. A buffered write that never reached memory comes after all that did; between those of
//! different threads nothing is claimed.
//!
//! A run is sequentially consistent if and only if these relations have no cycle (Shasha and Snir, 1988), so
//! under TSO and PSO a cycle is shown as the reason why the run needs a store buffer.

mod build;
mod dot;
mod fold;
mod text;

use std::collections::{BTreeMap, VecDeque};

use crate::program::MemoryModel;

/// The graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventGraph {
    /// The memory model of the run.
    pub model: MemoryModel,
    /// The names of the threads.
    pub threads: Vec<String>,
    /// In execution order.
    pub events: Vec<GraphEvent>,
    /// Sorted, without repetition.
    pub arrows: Vec<Arrow>,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphEvent {
    /// Whose.
    pub thread: usize,
    /// What kind.
    pub kind: EventKind,
    /// What, as in `W x = 1`.
    pub text: String,
    /// The source line, 0 if unknown.
    pub line: u32,
    /// The line of the counterexample that tells it.
    pub told: usize,
}

/// The kinds of nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EventKind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// Both, indivisibly.
    Update,
    /// Fences, locks, creation and joining.
    Sync,
    /// The violated assertion.
    Violation,
}

/// An edge: `from` comes before `to`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Arrow {
    /// Index of an event.
    pub from: usize,
    /// Index of an event.
    pub to: usize,
    /// Why.
    pub relation: Relation,
    /// Whether it belongs to the cycle that is shown.
    pub in_cycle: bool,
}

/// Why an event comes before another one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relation {
    /// It stands before it in its thread.
    Program,
    /// It wrote what the other one read.
    ReadFrom,
    /// Both write a place, and this write reaches memory first.
    Coherence,
    /// It read what the other one overwrites.
    FromRead,
    /// It created the thread, ended it before it was joined, or released the lock.
    Synchronisation,
}

impl Relation {
    /// All of them.
    pub const ALL: [Relation; 5] = [
        Relation::Program,
        Relation::ReadFrom,
        Relation::Coherence,
        Relation::FromRead,
        Relation::Synchronisation,
    ];

    /// The usual abbreviation.
    pub fn short(self) -> &'static str {
        match self {
            Relation::Program => "po",
            Relation::ReadFrom => "rf",
            Relation::Coherence => "co",
            Relation::FromRead => "fr",
            Relation::Synchronisation => "sync",
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Program => "program order",
            Relation::ReadFrom => "is read by",
            Relation::Coherence => "reaches memory before",
            Relation::FromRead => "reads before it is overwritten by",
            Relation::Synchronisation => "creates, releases for, ends before",
        }
    }
}

impl EventGraph {
    /// Whether a cycle is shown.
    pub fn has_cycle(&self) -> bool {
        self.arrows.iter().any(|arrow| arrow.in_cycle)
    }

    /// Marks a shortest cycle, the first of these.
    fn mark_cycle(&mut self) {
        let shortest =
            (0..self.events.len()).filter_map(|event| self.cycle_through(event)).min_by_key(Vec::len);
        for index in shortest.unwrap_or_default() {
            self.arrows[index].in_cycle = true;
        }
    }

    /// The arrows of a shortest cycle through an event.
    fn cycle_through(&self, event: usize) -> Option<Vec<usize>> {
        let mut reached_by: BTreeMap<usize, usize> = BTreeMap::new();
        let mut queue = VecDeque::from([event]);
        while let Some(from) = queue.pop_front() {
            let outgoing = self.arrows.partition_point(|arrow| arrow.from < from);
            for (index, arrow) in
                self.arrows.iter().enumerate().skip(outgoing).take_while(|(_, a)| a.from == from)
            {
                if reached_by.contains_key(&arrow.to) {
                    continue;
                }
                reached_by.insert(arrow.to, index);
                if arrow.to == event {
                    return Some(self.walk_back(event, &reached_by));
                }
                queue.push_back(arrow.to);
            }
        }
        None
    }

    fn walk_back(&self, event: usize, reached_by: &BTreeMap<usize, usize>) -> Vec<usize> {
        let mut cycle = vec![reached_by[&event]];
        while self.arrows[*cycle.last().expect("begun")].from != event {
            let at = self.arrows[*cycle.last().expect("begun")].from;
            cycle.push(reached_by[&at]);
        }
        cycle
    }
}
