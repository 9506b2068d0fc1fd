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
//! Where we deviate: before the first round a view looks ahead for single mismatches (`lookahead.rs`).
//!
//! The monotonic baseline is the same loop, but a control refinement splits the classes it has, and so there
//! is no history and nothing to look ahead for (`lookahead.rs`).

mod explore;
mod graph;
mod history;
mod lookahead;
mod real;
mod refine;
mod spots;
mod view;

use std::time::{Duration, Instant};

use crate::budget::Budget;
use crate::engine::{Answer, Claim, Reason, Story, Violation};
use crate::observe::{Observer, Progress};
use crate::program::{LocId, Mark, MemoryModel, Names, Program};
use crate::proof::{AbstractState, Certificate, Invariant, ViewInvariant};
use crate::reach::abstraction::Abstraction;
use crate::smt::{GaveUp, IntModel, Watch, interruptible};
use explore::Found;
pub use history::{Cause, History, Round, Spurious};
use refine::{Learnt, Refined, Refiner};
use view::View;

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
            .advising("use another engine for programs on machines with store buffers");
        return Claim::Unknown(reason);
    }
    let mut abstraction = Abstraction::new(program, options.int_model, watch);
    // What the history says in words is for users.
    Names::new(program).put_into(&mut abstraction.terms);
    let mut totals = Totals::default();
    let mut invariant = Invariant { views: Vec::new(), terms: crate::term::Pool::new() };
    let mut blocked: Option<Reason> = None;
    for mut view in view::views(program, options.refinement, &options.budget) {
        let verification = Verification {
            program,
            options,
            watch,
            abstraction: &mut abstraction,
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

/// How the verification of one view ended.
enum Ended {
    Proved(ViewInvariant),
    Violated(Violation),
    GaveUp(Reason),
}

/// The verification of one view.
struct Verification<'a, 'p> {
    program: &'p Program,
    options: &'a Options,
    watch: &'a Watch<'a>,
    abstraction: &'a mut Abstraction<'p>,
    view: &'a mut View,
    totals: &'a mut Totals,
    observer: &'a mut dyn Observer,
}

impl<'p> Verification<'_, 'p> {
    /// The loop of Fig. 3. Before it begins, non-monotonic refinement looks ahead.
    fn run(mut self) -> Result<Ended, GaveUp> {
        if self.options.refinement == Refinement::NonMonotonic
            && let Some(ended) = self.refine(|refiner| refiner.look_ahead())?
        {
            return Ok(ended);
        }
        loop {
            self.options.budget.check()?;
            match self.explore()? {
                Found::Nothing(states) => return Ok(ended(self.program, self.view, states)),
                Found::Path(path, _) => {
                    if let Some(ended) = self.refine(|refiner| refiner.refine(&path))? {
                        return Ok(ended);
                    }
                }
            }
        }
    }

    fn explore(&mut self) -> Result<Found, GaveUp> {
        self.observer.notice(Progress::Phase("reach"));
        let begin = Instant::now();
        let budget = &self.options.budget;
        let found = explore::find_counterexample(self.program, self.abstraction, self.view, budget);
        self.totals.reach += begin.elapsed();
        self.totals.states += match &found {
            Ok(Found::Nothing(states)) => states.len() as u64,
            Ok(Found::Path(_, states)) => *states,
            Err(_) => 0,
        };
        found
    }

    /// A round of refinement; how the verification ends, if it does.
    fn refine(
        &mut self,
        by: impl FnOnce(Refiner<'_, 'p>) -> Result<Refined, GaveUp>,
    ) -> Result<Option<Ended>, GaveUp> {
        self.observer.notice(Progress::Phase("refine"));
        let begin = Instant::now();
        let refined = by(Refiner {
            program: self.program,
            options: self.options,
            watch: self.watch,
            abstraction: self.abstraction,
            view: self.view,
            round: Round::default(),
        });
        self.totals.refine += begin.elapsed();
        match refined? {
            Refined::Spurious(Learnt { data, control }) => {
                self.totals.data += u64::from(data);
                self.totals.control += u64::from(control);
                self.totals.rounds += 1;
            }
            Refined::Nothing => {}
            Refined::Real(violation) => return Ok(Some(Ended::Violated(violation))),
            Refined::Stuck(reason) => return Ok(Some(Ended::GaveUp(reason))),
        }
        announce(self.totals, self.abstraction, self.observer);
        Ok(None)
    }
}

/// Nothing sought is reachable; but what was reached before and is no longer sought stands in the way of a
/// proof.
fn ended(program: &Program, view: &View, states: Vec<AbstractState>) -> Ended {
    let mut complaints = view.reached.iter().map(|&location| program.complaint(location));
    if let Some(first) = complaints.next() {
        let reason = complaints.fold(Reason::new(first), Reason::with);
        let is_undefined = |at: &LocId| matches!(program.location(*at).mark, Some(Mark::Undefined(_)));
        return Ended::GaveUp(Reason { undefined: view.reached.iter().any(is_undefined), ..reason });
    }
    Ended::Proved(ViewInvariant {
        observed: view.observed,
        environment: view.environment.clone(),
        classes: view.classes(),
        states,
    })
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
