//! The unrolled program as plain data, for reports: what `regrain show --what unrolled` is made of.

use crate::budget::Budget;
use crate::engine::Reason;
use crate::order::Step;
use crate::program::{Barrier, MemoryModel, Program, ThreadId};
use crate::term::{Pool, TermId};

use super::CELLS;
use super::infer::{Pairs, Settled, Source};
use super::obstacle::Obstacle;
use super::unroll::{Access, Event, Goal, Unroller, Unrolling};

/// The events of a program, unrolled to a bound.
#[derive(Debug)]
pub struct Overview {
    /// The terms that all others are from.
    pub terms: Pool,
    /// In the order of each thread's program.
    pub events: Vec<EventOverview>,
    /// What names of long conditions stand for.
    pub names: Vec<NamedCondition>,
    /// What may be reached.
    pub goals: Vec<Goal>,
    /// Number of read-from pairs.
    pub pairs: usize,
}

/// An event.
#[derive(Debug)]
pub struct EventOverview {
    /// Whose.
    pub thread: ThreadId,
    /// That it happens.
    pub guard: TermId,
    /// What it asks of the store buffer.
    pub barrier: Barrier,
    /// What it may read.
    pub reads: Vec<ReadOverview>,
    /// What it may write.
    pub writes: Vec<AccessOverview>,
    /// As a node of an event order graph.
    pub step: Step,
}

/// A read or write.
#[derive(Debug)]
pub struct AccessOverview {
    /// The cell as users know it: `x`, `flag[1]`.
    pub cell: String,
    /// That it happens.
    pub guard: TermId,
    /// The value.
    pub value: TermId,
}

/// A read and where its value comes from.
#[derive(Debug)]
pub struct ReadOverview {
    /// The read.
    pub access: AccessOverview,
    /// Where from.
    pub from: ReadsFrom,
}

/// Where the value of a read comes from.
#[derive(Debug)]
pub enum ReadsFrom {
    /// From what its thread did before: this value.
    Settled(TermId),
    /// From one of these events; none is the initial state.
    Any(Vec<Option<usize>>),
}

/// A name for a long condition.
#[derive(Debug)]
pub struct NamedCondition {
    /// The name.
    pub name: TermId,
    /// What it is equal to.
    pub condition: TermId,
}

/// Unrolls a program for show.
///
/// # Errors
/// If the program cannot be unrolled.
pub fn overview(program: &Program, model: MemoryModel, bound: u32) -> Result<Overview, Reason> {
    unrolled(program, model, bound).map_err(|obstacle| obstacle.reason())
}

fn unrolled(program: &Program, model: MemoryModel, bound: u32) -> Result<Overview, Obstacle> {
    let budget = Budget::unlimited();
    let mut unroller = Unroller::new(program, model.into(), CELLS)?;
    let unrolling = unroller.unroll(bound, &budget)?;
    let (mut pairs, known) = Pairs::of(&mut unroller, &unrolling, &[], &budget)?;
    let settled = Settled::of(&mut unroller, &unrolling, &mut pairs, &known, &budget)?;
    let events = events(&unroller, &unrolling, &pairs, &settled);
    let names = unroller.names().definitions().iter();
    let names = names.map(|&(name, condition)| NamedCondition { name, condition }).collect();
    let pairs = pairs.len();
    Ok(Overview { events, names, goals: unrolling.goals, pairs, terms: unroller.pool })
}

fn events(
    unroller: &Unroller<'_>,
    unrolling: &Unrolling,
    pairs: &Pairs,
    settled: &Settled,
) -> Vec<EventOverview> {
    let shown = |access: &Access| AccessOverview {
        cell: unroller.memory().name(unroller.program, access.cell),
        guard: access.guard,
        value: access.value,
    };
    let read = |(read, sources): (&Access, &[Source])| {
        let settled = unroller.pool.as_var(read.value).and_then(|var| settled.get(var));
        let from = match settled {
            Some(value) => ReadsFrom::Settled(value),
            None => ReadsFrom::Any(sources.iter().map(|source| source.event()).collect()),
        };
        ReadOverview { access: shown(read), from }
    };
    let event = |(i, event): (usize, &Event)| EventOverview {
        thread: event.thread,
        guard: event.guard,
        barrier: event.barrier,
        reads: event.reads.iter().zip(pairs.sources(i)).map(read).collect(),
        writes: event.writes.iter().map(shown).collect(),
        step: event.full_step(),
    };
    unrolling.events.iter().enumerate().map(event).collect()
}
