//! Non-monotonic refinement of control abstraction (Gupta, Popeea, Rybalchenko), an engine for unbounded
//! proofs.
//!
//! `NonMonCEGAR` of Fig. 3, with `NonMonControlRefine` of Fig. 4 in the crate `regrain-partition`. The paper
//! leaves the reachability that it refines to another paper; ours is this. There is one *view* for each
//! thread with something to reach (`view.rs`): the view's own thread is followed exactly, every other thread,
//! the environment, only up to the class of its location. An abstract state is the observed location, the
//! classes of the others, and truth values of predicates over the data (`explore.rs`). Each view
//! over-approximates all interleavings and answers for the assertions of its own thread.
//!
//! A path to an error is analysed (`refine.rs`): if its guards contradict each other, the interpolants' atoms
//! become predicates. If steps of some thread do not follow each other in its control flow, the pairs of
//! locations where they break are *mismatches*; the path joins the history, and the smallest partition that
//! separates a mismatch of each path of the history replaces the old one. If neither, the path is a real
//! counterexample.
//!
//! Where we deviate: the history does not only grow by paths that an exploration finds. Before the first
//! round we look ahead for single mismatches (`lookahead.rs`), and each partition is tried on concrete runs
//! before it is explored (`explore::find_runs`). Paths found so have real data, so that no predicate excludes
//! them, and every partition that proves the program must: the smallest partition stays as small as it was.
//!
//! The monotonic baseline is the same loop, but a control refinement splits the classes it has for good:
//! there is no history that could be completed.

mod data;
mod explore;
mod graph;
mod history;
mod lookahead;
mod real;
mod refine;
mod spots;
mod verification;
mod view;

use std::time::Duration;

use crate::budget::Budget;
use crate::engine::{Answer, Claim, Reason, Story};
use crate::observe::{Observer, Progress};
use crate::program::{MemoryModel, Program};
use crate::proof::{Certificate, Invariant};
use crate::reach::abstraction::Abstraction;
use crate::reach::valuation::Valuations;
use crate::smt::{IntModel, Watch, interruptible};
pub use history::{Cause, History, Round, Spurious};
use verification::{Ended, Verification, look_ahead};

/// How classes of locations are refined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Refinement {
    /// The partition is found anew in each round, as small as the history allows.
    #[default]
    NonMonotonic,
    /// Classes are only ever split.
    Monotonic,
}

/// What to refine when a path is spurious for its data and for its control flow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Preference {
    /// Predicates, as the paper does: it keeps partitions small.
    #[default]
    Data,
    /// The partition.
    Control,
}

/// Options of the engine.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Monotonic or not.
    pub refinement: Refinement,
    /// What to refine first.
    pub prefer: Preference,
    /// What signed integers are.
    pub int_model: IntModel,
    /// The memory model; only sequential consistency is known here.
    pub memory_model: MemoryModel,
    /// Limits.
    pub budget: Budget,
}

/// What a run has to show besides its verdict.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// For each view, the rounds it took.
    pub views: Vec<History>,
}

/// Counters over all views.
#[derive(Default)]
struct Totals {
    rounds: u64,
    data: u64,
    control: u64,
    classes: u64,
    predicates: u64,
    states: u64,
    reach: Duration,
    refine: Duration,
}

/// Proves a program safe or finds a violation.
pub(crate) fn check(program: &Program, options: &Options, observer: &mut dyn Observer) -> Answer {
    let mut report = Report::default();
    let claim =
        interruptible(&options.budget, |watch| decide(program, options, watch, &mut report, observer));
    Answer { claim, story: Story::Cegar(report) }
}

fn decide(
    program: &Program,
    options: &Options,
    watch: &Watch<'_>,
    report: &mut Report,
    observer: &mut dyn Observer,
) -> Claim {
    if options.memory_model != MemoryModel::Sc {
        let reason = Reason::new("engine cegar knows sequential consistency alone")
            .with("use another engine for programs on machines with store buffers");
        return Claim::Unknown(reason);
    }
    let mut abstraction = Abstraction::new(program, options.int_model, watch);
    let mut totals = Totals::default();
    let mut invariant = Invariant { views: Vec::new(), terms: crate::term::Pool::new() };
    let mut blocked: Option<Reason> = None;
    let mut valuations = Valuations::new(program);
    let ahead = match look_ahead(program, options, &mut valuations, &mut totals) {
        Ok(ahead) => ahead,
        Err(gave_up) => return Claim::Unknown(Reason::new(gave_up.to_string())),
    };
    for mut view in view::views(program, options.refinement, &options.budget) {
        let verification = Verification {
            program,
            options,
            watch,
            abstraction: &mut abstraction,
            valuations: &mut valuations,
            ahead: ahead.as_ref(),
            view: &mut view,
            totals: &mut totals,
            observer,
        };
        let outcome = verification.run();
        totals.classes += view.partition().total() as u64;
        totals.predicates += view.predicates.len() as u64;
        announce(&totals, &abstraction, observer);
        report.views.push(view.history);
        match outcome {
            Ok(Ended::Proved(proved)) => invariant.views.push(proved),
            Ok(Ended::Violated(violation)) => return Claim::Unsafe(violation),
            Ok(Ended::GaveUp(reason)) => blocked = blocked.or(Some(reason)),
            Err(gave_up) => {
                return Claim::Unknown(established(gave_up.to_string(), program, &invariant));
            }
        }
    }
    invariant.terms = abstraction.terms;
    match blocked {
        Some(reason) => Claim::Unknown(reason),
        None => Claim::Safe(Certificate::Views(Box::new(invariant))),
    }
}

fn announce(totals: &Totals, abstraction: &Abstraction<'_>, observer: &mut dyn Observer) {
    let work = abstraction.work();
    for (name, value) in [
        ("Refinements", totals.rounds),
        ("Data refinements", totals.data),
        ("Control refinements", totals.control),
        ("Predicates", totals.predicates),
        ("Classes", totals.classes),
        ("States", totals.states),
        ("Solver queries", work.queries),
        ("Difference queries", work.differences),
        ("Cache hits", work.hits),
    ] {
        observer.notice(Progress::Count(name, value));
    }
    observer.notice(Progress::Time("Reach time", totals.reach));
    observer.notice(Progress::Time("Refine time", totals.refine));
}

/// A reason with the views that were proved before.
fn established(summary: String, program: &Program, invariant: &Invariant) -> Reason {
    let mut reason = Reason::new(summary);
    for view in &invariant.views {
        reason = reason.with(format!("the assertions of {} were proved", program.thread(view.observed).name));
    }
    reason
}

#[cfg(test)]
mod tests;
