//! `regrain verify`: one program, one verdict.
//!
//! The work happens in a thread of its own (`watch.rs`). An engine that does not stop in time is left behind,
//! and the verdict is `unknown` with what it had told until then.

use std::time::Duration;

use regrain::budget::{Budget, resident_megabytes};
use regrain::engine::{Claim, Reason, Violation};
use regrain::frontend::{self, Allocation};
use regrain::observe::{Observer, Progress};
use regrain::program::Program;
use regrain::proof::Certificate;
use regrain::replay::Run;
use regrain::report::retell::{self, Retold};
use regrain::report::{Counterexample, Detail, Layout, Summary, json, sarif, schedule, unfolding};
use regrain::verify::{Checked, Engine, Recheck, Settings, verify};

use super::args::{Format, VerifyArguments, budget, data_model_name, granularity_name, memory_model_name};
use super::engine::{cegar_settings, with_impact, with_scar};
use super::evidence::{EvidenceArguments, Files, Finished};
use super::exit::{Exit, Failure};
use super::job::Job;
use super::pictures::{Drawn, PictureArguments};
use super::progress::{Display, Seen, Style};
use super::watch::{Watched, end_at_once, watched};
use super::{output, signals};

/// The result of the work.
struct Finding {
    answer: Checked,
    counterexample: Option<Counterexample>,
    /// Likewise with the usual detail, for files.
    shared: Option<Counterexample>,
    /// The invariant as text, if there is one and it is asked for.
    invariant: Option<String>,
    /// What the answer takes for granted.
    assuming: Vec<&'static str>,
    /// The pictures that are asked for.
    drawn: Drawn,
    /// Files to write.
    files: Files,
    /// Whether the working thread is still busy.
    left_behind: bool,
}

impl From<Checked> for Finding {
    fn from(answer: Checked) -> Finding {
        let (drawn, files) = (Drawn::default(), Files::default());
        Finding {
            answer,
            counterexample: None,
            shared: None,
            invariant: None,
            assuming: Vec::new(),
            drawn,
            files,
            left_behind: false,
        }
    }
}

/// Verifies. Who reads SARIF learns of failures there, too.
pub fn run(arguments: VerifyArguments) -> Result<Exit, Failure> {
    let sarif = arguments.evidence.sarif.clone();
    let result = verified(arguments);
    if let (Err(failure), Some(path)) = (&result, sarif)
        && !matches!(failure, Failure::Output(_))
    {
        let text = sarif::failure(&output::described(failure), failure.exit().code());
        if let Err(further) = output::write(&path, &text) {
            output::complain(&further.to_string());
        }
    }
    result
}

fn verified(arguments: VerifyArguments) -> Result<Exit, Failure> {
    let job = Job::new(&arguments.program)?;
    let budget = budget(arguments.timeout, arguments.memory_limit);
    signals::cancel(&budget);
    let seen = Seen::default();
    let style = if arguments.quiet { Style::None } else { Style::for_stderr() };
    let mut display = Display::new(style, seen.clone());
    let work = Work::new(&arguments, &job, &budget, &seen);
    let watched = watched(&budget, || display.tick(), || work.run());
    drop(display);
    let finding = match watched? {
        Watched::Done(finding) => finding,
        Watched::LeftBehind(stop) => {
            let reason =
                Reason::new(stop.to_string()).with("the engine was stopped in the middle of its work");
            let answer = Checked::undecided(arguments.engine, reason);
            Finding { left_behind: true, ..Finding::from(answer) }
        }
    };
    let (exit, left_behind) = (Exit::from(&finding.answer), finding.left_behind);
    let told = tell(&arguments, &job, &budget, &seen, finding).map(|()| exit);
    if left_behind {
        end_at_once(told);
    }
    told
}

/// What the working thread does.
struct Work {
    job: Job,
    settings: Settings,
    engine: Engine,
    detail: Detail,
    pictures: PictureArguments,
    with_invariant: bool,
    evidence: EvidenceArguments,
    loud: bool,
    seen: Seen,
}

impl Work {
    fn new(arguments: &VerifyArguments, job: &Job, budget: &Budget, seen: &Seen) -> Work {
        let settings = cegar_settings(arguments.cegar, job.options.memory_model, budget.clone());
        let recheck = if arguments.recheck { Recheck::Full } else { Recheck::Brief };
        Work {
            job: job.clone(),
            settings: Settings {
                recheck,
                ..with_scar(with_impact(settings, arguments.impact), arguments.scar, arguments.program.unwind)
            },
            engine: arguments.engine,
            detail: arguments.trace,
            pictures: arguments.pictures.clone(),
            with_invariant: arguments.invariant,
            evidence: arguments.evidence.clone(),
            loud: arguments.verbose,
            seen: seen.clone(),
        }
    }

    fn run(mut self) -> Result<Finding, Failure> {
        self.seen.notice(Progress::Phase("read"));
        if self.job.options.allocation == Allocation::MayFail {
            self.seen.notice(Progress::Note("Allocations", "may fail".to_owned()));
        }
        let raw = frontend::load_raw(&self.job.file, &self.job.options)?;
        let program = frontend::reduced(raw.clone(), &self.job.options);
        if self.loud {
            output::complain(&format!("regrain: {}", size_text(&program, self.settings.budget.elapsed())));
        }
        let answer = verify(&program, self.engine, &self.settings, &mut self.seen)?;
        let invariant = match answer.claim() {
            Claim::Safe(Certificate::Views(invariant)) if self.with_invariant => {
                Some(invariant.display(&program).to_string())
            }
            Claim::Safe(Certificate::Crowd(crowd)) if self.with_invariant => {
                program.unbounded.as_ref().map(|unbounded| crowd.display(unbounded).to_string())
            }
            Claim::Safe(Certificate::Unfolding(unfolding)) if self.with_invariant => {
                Some(unfolding::tree(&program, unfolding).text())
            }
            _ => None,
        };
        let story = match (answer.claim(), answer.run()) {
            (Claim::Unsafe(violation), Some(run)) => Some(self.retold(&raw, &program, violation, run)),
            _ => None,
        };
        let undefined = match (answer.claim(), answer.run()) {
            (Claim::Unknown(_), Some(run)) => Some(self.undefined(&raw, &program, run)),
            _ => None,
        };
        let counterexample = story.as_ref().or(undefined.as_ref()).map(|story| story.told(self.detail));
        let shared = story.as_ref().map(|story| story.told(Detail::Shared));
        let drawn = match (&story, &counterexample) {
            (Some(story), Some(told)) => self.pictures.violation(story, told, self.detail),
            _ => self.pictures.proof(&program, &answer),
        };
        let finished =
            Finished { job: &self.job, raw: &raw, program: &program, answer: &answer, story: story.as_ref() };
        let files = self.evidence.files(&finished);
        let assuming = match answer.claim() {
            Claim::Safe(_) => frontend::assumptions(&program, &self.job.options),
            Claim::Unsafe(_) | Claim::Unknown(_) => Vec::new(),
        };
        let rest = Finding::from(answer);
        Ok(Finding { counterexample, shared, invariant, assuming, drawn, files, ..rest })
    }

    /// A run to undefined behaviour as it is told.
    fn undefined(&self, raw: &Program, program: &Program, run: &Run) -> Retold {
        let model = self.settings.memory_model;
        let whole = frontend::whole(raw.clone(), &self.job.options);
        match retell::undefined(&whole, model, &self.settings.budget) {
            Some(run) => Retold { program: whole, model, run, reduced: false },
            None => Retold { program: program.clone(), model, run: run.clone(), reduced: true },
        }
    }

    /// A violating run as it is told: in the whole program, if it is found there again.
    fn retold(&self, raw: &Program, program: &Program, violation: &Violation, run: &Run) -> Retold {
        let model = self.settings.memory_model;
        let whole = frontend::whole(raw.clone(), &self.job.options);
        let found = Some((program, &violation.trace, run));
        match retell::again(&whole, model, found, &self.settings.budget) {
            Some(run) => Retold { program: whole, model, run, reduced: false },
            None => {
                let run = schedule::readable(program, model, &violation.trace, run.clone());
                Retold { program: program.clone(), model, run, reduced: true }
            }
        }
    }
}

fn size_text(program: &Program, elapsed: Duration) -> String {
    let [threads, locations, transitions, variables] =
        [program.threads.len(), program.locations.len(), program.transitions.len(), program.variables.len()];
    format!(
        "read in {:.2} s: {threads} threads, {locations} locations, {transitions} transitions, \
         {variables} variables",
        elapsed.as_secs_f64()
    )
}

/// Prints the report, then writes the files: none of them costs another.
fn tell(
    arguments: &VerifyArguments,
    job: &Job,
    budget: &Budget,
    seen: &Seen,
    mut finding: Finding,
) -> Result<(), Failure> {
    let statistics = seen.now();
    if let (Some(phase), Err(_)) = (statistics.phase, budget.check()) {
        finding.answer = finding.answer.explained(format!("the end came in phase `{phase}`"));
    }
    let summary = Summary {
        file: &job.file.display().to_string(),
        memory_model: memory_model_name(job.options.memory_model),
        granularity: granularity_name(job.options.granularity),
        data_model: data_model_name(job.options.data_model),
        property: &job.options.property,
        assuming: &finding.assuming,
        answer: &finding.answer,
        counterexample: finding.counterexample.as_ref(),
        invariant: finding.invariant.as_deref(),
        statistics: &statistics,
        time: budget.elapsed(),
        memory: resident_megabytes(),
    };
    let printed = match arguments.format {
        Format::Json => output::print(&json::document(&summary)),
        Format::Human => {
            let layout = Layout { width: output::width(), colour: output::colours(arguments.color) };
            output::print(&summary.text(&layout))
        }
    };
    if printed.is_err() {
        // The result is not lost with the report.
        output::complain(&format!("Verdict: {}", summary.verdict_text()));
    }
    if finding.left_behind {
        finding.files = arguments.evidence.nothing();
    }
    if let Some(path) = &arguments.evidence.sarif {
        let code = Exit::from(&finding.answer).code();
        finding.files.add(path, sarif::document(&summary, finding.shared.as_ref(), code));
    }
    let drawn = arguments.pictures.write(&finding.drawn, &summary);
    [printed, drawn, finding.files.write()].into_iter().fold(Ok(()), output::both)
}
