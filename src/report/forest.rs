//! A proof of a cooperative program, told: what holds when a thread goes on somewhere, by what the others do
//! meanwhile.
//!
//! Every node of the forest at which a thread runs belongs to the place of that thread; what its own region
//! and the global one say holds there. A place gets what all of its nodes share, and for each situation of
//! the other threads what holds in addition. With partial-order reduction that holds in the orders that are
//! followed; every other one differs from one of these in the order of independent blocks alone.

use std::collections::BTreeMap;

use super::facts::{self, Literals};
use super::standing::Names;
use crate::program::{LocId, Program, ThreadId};
use crate::proof::{Forest, ForestNode};
use crate::scheduler::{self, Clock, Scheduler};

/// What holds when a thread goes on at a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnFacts {
    /// The thread.
    pub thread: ThreadId,
    /// Where it goes on.
    pub location: LocId,
    /// In any case, as conditions in C.
    pub always: Vec<String>,
    /// In addition, depending on what the others do.
    pub cases: Vec<TurnCase>,
}

/// One situation of the other threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnCase {
    /// Those who cannot go next, with what they do: "consumer waits for full".
    pub others: Vec<String>,
    /// What holds in addition.
    pub facts: Vec<String>,
    /// Number of nodes.
    pub nodes: usize,
}

/// The facts of a forest, in the order of the source.
pub fn facts(program: &Program, forest: &Forest) -> Vec<TurnFacts> {
    let Some(policy) = program.policy else { return Vec::new() };
    let (scheduler, names) = (scheduler::of(policy), Names::of_none(program));
    let mut terms = forest.terms.clone();
    let mut places: BTreeMap<(ThreadId, LocId), BTreeMap<Vec<String>, Vec<Literals>>> = BTreeMap::new();
    for node in forest.nodes.iter().filter(|node| node.covered_by.is_none()) {
        let Some(thread) = node.scheduler.running else { continue };
        let others = others(scheduler, &names, program, node, thread);
        let literals = node.threads[thread.index()].iter().chain(&node.global).map(|&fact| (fact, true));
        let place = places.entry((thread, node.locations[thread.index()])).or_default();
        place.entry(others).or_default().push(literals.collect());
    }
    let mut told: Vec<TurnFacts> = Vec::new();
    for ((thread, location), cases) in places {
        let shared: Vec<Literals> = cases.values().map(|nodes| common(nodes)).collect();
        let always = common(&shared);
        let cases = cases.iter().zip(&shared).map(|((others, nodes), own)| TurnCase {
            others: others.clone(),
            facts: facts::texts(&mut terms, own - &always),
            nodes: nodes.len(),
        });
        let cases = cases.collect();
        told.push(TurnFacts { thread, location, always: facts::texts(&mut terms, always), cases });
    }
    told.sort_by_key(|place| {
        let span = program.location(place.location).span;
        (span.file, span.line, span.column, place.location)
    });
    told
}

fn common(all: &[Literals]) -> Literals {
    let mut all = all.iter();
    let first = all.next().cloned().unwrap_or_default();
    all.fold(first, |common, own| &common & own)
}

/// What those do who cannot go next while a thread runs.
fn others(
    scheduler: &dyn Scheduler,
    names: &Names<'_>,
    program: &Program,
    node: &ForestNode,
    thread: ThreadId,
) -> Vec<String> {
    let standings = scheduler.situation(&node.scheduler, Clock::default()).threads;
    let told = program.thread_ids().zip(standings).filter(|(other, _)| *other != thread);
    told.filter_map(|(other, standing)| {
        Some(format!("{} {}", program.thread(other).name, names.now(&standing?)))
    })
    .collect()
}
