//! Re-examination of a `true` that comes without an invariant: what was looked at once more, and what was
//! not.
//!
//! All states that were visited are visited again by the reference explorer, which knows none of the tricks
//! of the one that answered. It is slower, so by default it goes only as far as it comes in the time that the
//! answer took; the states that it has seen by then are free of errors, which is said. Values that it cannot
//! try one by one are represented by a few: what it finds with them is real all the same.
//!
//! A bounded refutation is examined where it was asked for, since making one costs more than the answer.

use std::fmt;
use std::time::{Duration, Instant};

use crate::budget::{Budget, Stop};
use crate::observe::{Observer, Progress};
use crate::program::Program;
use crate::proof::Backing;
use crate::proof::bounded::{self, Examined, Objection};
use crate::replay::reference::{self, Early, Explored, Starts};

use super::{Engine, Fault, Recheck, Settings};

/// Time that a brief re-examination has in any case.
const BRIEF: Duration = Duration::from_millis(100);

/// States that a brief re-examination visits at most: a state is kept whole.
const BRIEF_STATES: usize = 200_000;

/// What inputs take that have too many values.
const SAMPLES: [i128; 5] = [0, 1, -1, 2, 7];

/// What was re-examined of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Examination {
    /// All there is: the run was replayed, or the invariant checked. This is always done.
    Checked,
    /// The refutation of all runs up to a bound that is none.
    Refutation(Examined),
    /// So many states, visited once more by the reference explorer, and whether they are all.
    Visited(usize, Extent),
    /// Nothing.
    Omitted(Omission),
}

/// How much of a state space was visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All of it.
    Whole,
    /// As much as time allows.
    TimeAllows,
    /// All but what follows from values that were not tried, or from fuller store buffers.
    ValuesAllow,
}

/// Why a `true` was not re-examined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Omission {
    /// It was not asked for.
    NotAsked,
    /// The budget ended first.
    Stopped(Stop),
    /// An order lemma is too large for the plain check.
    TooLarge,
}

impl fmt::Display for Examination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Examination::Checked => write!(f, "checked"),
            Examination::Refutation(Examined { lemmas, steps }) => {
                write!(f, "yes: {lemmas} order lemmas one by one, {steps} steps of a refutation")
            }
            Examination::Visited(states, Extent::Whole) => write!(f, "yes: all {states} states, one by one"),
            Examination::Visited(states, Extent::TimeAllows) => {
                write!(f, "in part: {states} states, as many as time allowed")
            }
            Examination::Visited(states, Extent::ValuesAllow) => {
                write!(f, "in part: {states} states, with a few values of each input")
            }
            Examination::Omitted(Omission::NotAsked) => write!(f, "no: not asked for"),
            Examination::Omitted(Omission::Stopped(stop)) => write!(f, "no: {stop}"),
            Examination::Omitted(Omission::TooLarge) => {
                write!(f, "no: an order lemma is too large for the plain check")
            }
        }
    }
}

/// Visits a state space once more that an engine says it has exhausted, in this time, without an error.
pub(super) fn exhausted(
    program: &Program,
    engine: Engine,
    took: Duration,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Examination, Fault> {
    observer.notice(Progress::Phase("visit again"));
    let (budget, states) = match settings.recheck {
        Recheck::Brief => (settings.budget.at_most(took.max(BRIEF)), BRIEF_STATES),
        Recheck::Full => (settings.budget.clone(), usize::MAX),
    };
    let options = reference::Options {
        model: settings.memory_model,
        budget,
        states,
        samples: SAMPLES.to_vec(),
        starts: Starts::InTurn,
        ..reference::Options::default()
    };
    let begin = Instant::now();
    let explored = reference::explore(program, &options);
    observer.notice(Progress::Time("Re-examination time", begin.elapsed()));
    match explored.reached.keys().next() {
        Some(&location) => Err(Fault::Reached(engine, program.complaint(location))),
        None => Ok(Examination::Visited(explored.states, extent(&explored))),
    }
}

fn extent(explored: &Explored) -> Extent {
    match explored.stop {
        Some(Early::Budget(_) | Early::States(_)) => Extent::TimeAllows,
        None if explored.gaps.is_empty() => Extent::Whole,
        None => Extent::ValuesAllow,
    }
}

/// Examines what a bounded answer rests on.
pub(super) fn bounded(
    engine: Engine,
    backing: &Backing,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Examination, Fault> {
    let proof = match backing {
        Backing::NotAsked => return Ok(Examination::Omitted(Omission::NotAsked)),
        Backing::Stopped(stop) => return Ok(Examination::Omitted(Omission::Stopped(*stop))),
        Backing::Proof(proof) => proof,
    };
    observer.notice(Progress::Phase("check proof"));
    let begin = Instant::now();
    let result = bounded::check(proof, budget);
    observer.notice(Progress::Time("Proof check time", begin.elapsed()));
    match result {
        Ok(examined) => Ok(Examination::Refutation(examined)),
        Err(Objection::Stopped(stop)) => Ok(Examination::Omitted(Omission::Stopped(stop))),
        Err(Objection::TooLarge(_)) => Ok(Examination::Omitted(Omission::TooLarge)),
        Err(objection @ (Objection::Refutation(_) | Objection::Lemma(_))) => {
            Err(Fault::Refutation(engine, objection))
        }
    }
}
