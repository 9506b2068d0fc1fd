//! Checks of what engines claim. What an engine says besides, its story, is believed: no verdict depends on
//! it.

use std::time::{Duration, Instant};

use crate::engine::{Answer, Claim, Reason, Story};
use crate::observe::{Observer, Progress};
use crate::program::{AssertionKind, Program, Trace};
use crate::proof::{self, Certificate, Flaw};
use crate::replay::{self, Run};
use crate::smt::GaveUp;

use super::recheck::{self, Examination};
use super::{Engine, Fault, Settings, confirm};

/// A claim that was checked. Only this room makes one.
#[derive(Clone, Debug)]
pub struct Checked {
    claim: Claim,
    story: Story,
    engine: Engine,
    run: Option<Run>,
    examination: Examination,
    violated: Option<AssertionKind>,
}

impl Checked {
    /// An answer that says nothing about the program, as when an engine had to be left behind.
    pub fn undecided(engine: Engine, reason: Reason) -> Checked {
        Checked::unknown(engine, Reason { run: None, ..reason }, None)
    }

    /// Likewise, with the run of the reason as it was replayed.
    pub(super) fn unknown(engine: Engine, reason: Reason, run: Option<Run>) -> Checked {
        let examination = Examination::Checked;
        Checked {
            claim: Claim::Unknown(reason),
            story: Story::Nothing,
            engine,
            run,
            violated: None,
            examination,
        }
    }

    /// The claim, and the run.
    pub(super) fn into_parts(self) -> (Claim, Option<Run>) {
        (self.claim, self.run)
    }

    /// What holds.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// What the engine has to tell besides.
    pub fn story(&self) -> &Story {
        &self.story
    }

    /// What kind of property is violated, if one is.
    pub fn violated(&self) -> Option<AssertionKind> {
        self.violated
    }

    /// The engine that found it.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The run that violates the property, or that shows why there is no answer.
    pub fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }

    /// What of it was re-examined.
    pub fn examination(&self) -> Examination {
        self.examination
    }

    /// With one more line of detail, if there is no answer.
    pub fn explained(mut self, detail: impl Into<String>) -> Checked {
        if let Claim::Unknown(reason) = &mut self.claim {
            reason.details.push(detail.into());
        }
        self
    }
}

/// Checks an answer that took this long.
pub(super) fn checked(
    program: &Program,
    engine: Engine,
    answer: Answer,
    took: Duration,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Checked, Fault> {
    let Answer { mut claim, story } = answer;
    if let Claim::Unknown(reason @ Reason { run: None, undefined: true, .. }) = &mut claim {
        reason.run = confirm::undefined(program, settings);
    }
    let mut run = None;
    let mut examination = Examination::Checked;
    match &claim {
        Claim::Unsafe(violation) => {
            let replayed = replayed(program, engine, &violation.trace, settings)?;
            if replayed.violation(program) != Some(violation.assertion) {
                return Err(Fault::End(engine));
            }
            match confirm::doubt(program, &replayed, &violation.trace, settings) {
                Some(reason) => claim = Claim::Unknown(reason),
                None => run = Some(replayed),
            }
        }
        Claim::Unknown(Reason { run: Some(trace), .. }) => {
            let replayed = replayed(program, engine, trace, settings)?;
            if !loses_meaning(program, &replayed) {
                return Err(Fault::End(engine));
            }
            run = Some(replayed);
        }
        Claim::Safe(Certificate::Views(invariant)) => {
            let check = || proof::check(program, invariant, settings.int_model, &settings.budget);
            if let Some(reason) = doubt(engine, check, observer)? {
                claim = Claim::Unknown(reason);
            }
        }
        Claim::Safe(Certificate::Unfolding(unfolding)) => {
            let check = || proof::check_unfolding(program, unfolding, settings.int_model, &settings.budget);
            if let Some(reason) = doubt(engine, check, observer)? {
                claim = Claim::Unknown(reason);
            }
        }
        Claim::Safe(Certificate::Crowd(crowd)) => {
            let check = || proof::check_crowd(program, crowd, settings.int_model, &settings.budget);
            match doubt(engine, check, observer)? {
                Some(reason) => claim = Claim::Unknown(reason),
                None => observer.notice(Progress::Note("Proved", "for any number of threads".to_owned())),
            }
        }
        Claim::Safe(Certificate::Forest(forest)) => {
            let check = || proof::check_forest(program, forest, settings.int_model, &settings.budget);
            if let Some(reason) = doubt(engine, check, observer)? {
                claim = Claim::Unknown(reason);
            }
        }
        Claim::Safe(Certificate::Bounded { backing, .. }) => {
            examination = recheck::bounded(engine, backing, &settings.budget, observer)?;
            observer.notice(Progress::Note("Re-examined", examination.to_string()));
        }
        Claim::Safe(Certificate::Exhausted { .. }) => {
            examination = recheck::exhausted(program, engine, took, settings, observer)?;
            observer.notice(Progress::Note("Re-examined", examination.to_string()));
        }
        Claim::Unknown(_) => {}
    }
    let violated = match &claim {
        Claim::Unsafe(violation) => Some(program.assertions[violation.assertion.index()].kind),
        Claim::Safe(_) | Claim::Unknown(_) => None,
    };
    Ok(Checked { claim, story, engine, run, violated, examination })
}

/// Follows a trace, independently of the engine that found it.
fn replayed(program: &Program, engine: Engine, trace: &Trace, settings: &Settings) -> Result<Run, Fault> {
    replay::run(program, settings.memory_model, trace).map_err(|error| Fault::Run(engine, error))
}

/// Whether a run ends where the program's meaning does.
fn loses_meaning(program: &Program, run: &Run) -> bool {
    run.last().locations.iter().any(|&location| program.location(location).ends_meaning())
}

/// The limit that was reached comes first, as in all reasons.
fn not_checked(gave_up: GaveUp) -> Reason {
    match gave_up {
        GaveUp::Stopped(stop) => Reason::new(format!("{stop}; a proof was found but not checked")),
        GaveUp::Solver(_) => Reason::new(format!("a proof was found but not checked: {gave_up}")),
    }
}

/// Has a proof checked with a fresh solver, and tells what that cost. Why it could not be done, if so: then
/// there is no answer.
fn doubt(
    engine: Engine,
    check: impl FnOnce() -> Result<proof::Checked, Flaw>,
    observer: &mut dyn Observer,
) -> Result<Option<Reason>, Fault> {
    observer.notice(Progress::Phase("check proof"));
    let begin = Instant::now();
    let result = check();
    observer.notice(Progress::Time("Proof check time", begin.elapsed()));
    match result {
        Ok(checked) => {
            observer.notice(Progress::Count("Proof check queries", checked.queries));
            Ok(None)
        }
        Err(Flaw::GaveUp(gave_up)) => Ok(Some(not_checked(gave_up))),
        Err(flaw) => Err(Fault::Proof(engine, flaw)),
    }
}
