//! The verification of one view: rounds of exploration and refinement.

use std::time::Instant;

use super::explore::{self, Found};
use super::history::Round;
use super::lookahead::LookAhead;
use super::refine::{Learnt, Refined, Refiner};
use super::view::View;
use super::{Options, Refinement, Totals, announce};
use crate::engine::{Reason, Violation};
use crate::observe::{Observer, Progress};
use crate::program::{LocId, Mark, Program};
use crate::proof::{AbstractState, ViewInvariant};
use crate::reach::abstraction::Abstraction;
use crate::reach::valuation::Valuations;
use crate::smt::{GaveUp, Watch};

/// What runs with one mismatch show, if the partition is made from a history.
pub(super) fn look_ahead<'p>(
    program: &'p Program,
    options: &Options,
    valuations: &mut Valuations<'p>,
    totals: &mut Totals,
) -> Result<Option<LookAhead<'p>>, GaveUp> {
    if options.refinement == Refinement::Monotonic {
        return Ok(None);
    }
    let begin = Instant::now();
    let ahead = LookAhead::new(program, valuations, &options.budget);
    totals.refine += begin.elapsed();
    ahead
}

/// How the verification of one view ended.
pub(super) enum Ended {
    Proved(ViewInvariant),
    Violated(Violation),
    GaveUp(Reason),
}

/// The verification of one view.
pub(super) struct Verification<'a, 'p> {
    pub program: &'p Program,
    pub options: &'a Options,
    pub watch: &'a Watch<'a>,
    pub abstraction: &'a mut Abstraction<'p>,
    pub valuations: &'a mut Valuations<'p>,
    pub ahead: Option<&'a LookAhead<'p>>,
    pub view: &'a mut View,
    pub totals: &'a mut Totals,
    pub observer: &'a mut dyn Observer,
}

impl<'p> Verification<'_, 'p> {
    /// The loop of Fig. 3. Non-monotonic refinement looks ahead before it begins, and tries its partitions.
    pub fn run(mut self) -> Result<Ended, GaveUp> {
        if let Some(ahead) = self.ahead {
            let begin = Instant::now();
            let paths = ahead.paths(self.view.observed);
            self.totals.refine += begin.elapsed();
            if let Some(ended) = self.refine_and_try(|refiner| refiner.refine_by_all(&paths))? {
                return Ok(ended);
            }
        }
        loop {
            self.options.budget.check()?;
            match self.explore()? {
                Found::Nothing(states) => return Ok(ended(self.program, self.view, states)),
                Found::Path(path, _) => {
                    if let Some(ended) = self.refine_and_try(|refiner| refiner.refine(&path))? {
                        return Ok(ended);
                    }
                }
            }
        }
    }

    /// A round of refinement. Then, where the partition is made from a history and changed, it is tried on
    /// concrete runs, and refined until they find nothing wrong with it. That costs little, and saves
    /// explorations under partitions that will not do.
    fn refine_and_try(
        &mut self,
        by: impl FnOnce(Refiner<'_, 'p>) -> Result<Refined, GaveUp>,
    ) -> Result<Option<Ended>, GaveUp> {
        let control = self.totals.control;
        let mut ended = self.refine(by)?;
        let tries = self.options.refinement == Refinement::NonMonotonic && self.totals.control > control;
        while tries && ended.is_none() {
            self.options.budget.check()?;
            let begin = Instant::now();
            let budget = &self.options.budget;
            let paths = explore::find_runs(self.program, self.valuations, self.view, budget);
            self.totals.refine += begin.elapsed();
            let paths = paths?;
            if paths.is_empty() {
                break;
            }
            ended = self.refine(|refiner| refiner.refine_by_all(&paths))?;
        }
        Ok(ended)
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
