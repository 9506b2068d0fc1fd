//! `regrain verify`: one program, one verdict.
//!
//! The work happens in a thread of its own. The main thread shows progress and watches the limits: an engine that does not
//! stop in time, deep in a solver, is left behind, and the verdict is `unknown` with what it had told until then.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use regrain::budget::{Budget, resident_megabytes};
use regrain::engine::{Evidence, Reason, Verdict, Violation};
use regrain::frontend;
use regrain::observe::{Observer, Progress};
use regrain::program::Program;
use regrain::proof::{self, Flaw};
use regrain::replay;
use regrain::report::retell::{self, Story};
use regrain::report::{Counterexample, Detail, Layout, Summary, json, sarif, schedule};
use regrain::smt::IntModel;

use super::args::{Format, VerifyArguments, budget, data_model_name, granularity_name, memory_model_name};
use super::engine::{Engine, Settings};
use super::evidence::{EvidenceArguments, Files, Finished};
use super::exit::{Exit, Failure};
use super::job::Job;
use super::pictures::{Drawn, PictureArguments};
use super::progress::{Display, Seen, Style};
use super::{STACK, output, signals};

/// How often the main thread looks.
const TICK: Duration = Duration::from_millis(100);

/// How long an engine may take to notice that it has to stop.
const GRACE: Duration = Duration::from_secs(2);

/// The result of the work.
struct Finding {
    verdict: Verdict,
    counterexample: Option<Counterexample>,
    /// Likewise with the usual detail, for files.
    shared: Option<Counterexample>,
    /// The invariant as text, if there is one and it is asked for.
    invariant: Option<String>,
    /// The pictures that are asked for.
    drawn: Drawn,
    /// Files to write.
    files: Files,
    /// Whether the working thread is still busy.
    left_behind: bool,
}

impl From<Verdict> for Finding {
    fn from(verdict: Verdict) -> Finding {
        let (drawn, files) = (Drawn::default(), Files::default());
        Finding {
            verdict,
            counterexample: None,
            shared: None,
            invariant: None,
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
    let result = start(&arguments, &job, &budget, &seen);
    let finding = wait(&result, &budget, &mut display);
    drop(display);
    let finding = finding?;
    let (exit, left_behind) = (Exit::from(&finding.verdict), finding.left_behind);
    let told = tell(&arguments, &job, &budget, &seen, finding);
    if left_behind {
        // Returning would run the solver's clean-up while it works.
        if let Err(failure) = &told {
            output::complain(&failure.to_string());
        }
        signal_hook::low_level::exit(told.map_or_else(|failure| failure.exit(), |()| exit).code().into());
    }
    told.map(|()| exit)
}

/// Starts the work; its result will arrive at the receiver.
fn start(
    arguments: &VerifyArguments,
    job: &Job,
    budget: &Budget,
    seen: &Seen,
) -> Receiver<Result<Finding, Failure>> {
    let (sender, receiver) = mpsc::channel();
    let memory_model = job.options.memory_model;
    let (cegar, scar, unwind) = (arguments.cegar, arguments.scar, arguments.program.unwind);
    let work = Work {
        job: job.clone(),
        settings: Settings { memory_model, cegar, scar, unwind, budget: budget.clone() },
        engine: arguments.engine,
        detail: arguments.trace,
        pictures: arguments.pictures.clone(),
        with_invariant: arguments.invariant,
        evidence: arguments.evidence.clone(),
        loud: arguments.verbose,
        seen: seen.clone(),
    };
    let work = move || {
        let finding = catch_unwind(AssertUnwindSafe(|| work.run())).unwrap_or(Err(Failure::Panic));
        // Nobody listens any more if the main thread has given up waiting.
        let _ = sender.send(finding);
    };
    let thread = thread::Builder::new().name("verify".to_owned()).stack_size(STACK).spawn(work);
    thread.expect("the system lets us start a thread");
    receiver
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
    fn run(mut self) -> Result<Finding, Failure> {
        self.seen.notice(Progress::Phase("read"));
        let raw = frontend::load_raw(&self.job.file, &self.job.options)?;
        let program = frontend::reduced(raw.clone(), &self.job.options);
        if self.loud {
            output::complain(&format!("regrain: {}", size_text(&program, self.settings.budget.elapsed())));
        }
        let (verdict, report) = self.engine.check(&program, &self.settings, &mut self.seen);
        let verdict = self.checked(&program, verdict)?;
        let invariant = match &verdict {
            Verdict::Safe(Evidence::Invariant(invariant)) if self.with_invariant => {
                Some(invariant.display(&program).to_string())
            }
            _ => None,
        };
        let story = match &verdict {
            Verdict::Unsafe(violation) => Some(self.replayed(&raw, &program, violation)?),
            Verdict::Safe(_) | Verdict::Unknown(_) => None,
        };
        let counterexample = story.as_ref().map(|story| story.told(self.detail));
        let shared = story.as_ref().map(|story| story.told(Detail::Shared));
        let drawn = match (&story, &counterexample) {
            (Some(story), Some(told)) => self.pictures.violation(story, told, self.detail),
            _ => self.pictures.proof(&program, &verdict, report.as_ref()),
        };
        let finished = Finished {
            job: &self.job,
            raw: &raw,
            program: &program,
            verdict: &verdict,
            story: story.as_ref(),
        };
        let files = self.evidence.files(&finished);
        Ok(Finding { counterexample, shared, invariant, drawn, files, ..Finding::from(verdict) })
    }

    /// Checks the evidence of a proof, and tells what that cost.
    fn checked(&mut self, program: &Program, verdict: Verdict) -> Result<Verdict, Failure> {
        if !matches!(verdict, Verdict::Safe(Evidence::Invariant(_))) {
            return Ok(verdict);
        }
        self.seen.notice(Progress::Phase("check proof"));
        let begin = Instant::now();
        let int_model = self.settings.cegar.common.int_model;
        let (verdict, queries) = checked(program, verdict, int_model, &self.settings.budget)?;
        self.seen.notice(Progress::Time("Proof check time", begin.elapsed()));
        queries.into_iter().for_each(|queries| {
            self.seen.notice(Progress::Count("Proof check queries", queries));
        });
        Ok(verdict)
    }

    /// Follows a violating run once more, independently of the engine that found it, and makes it a story.
    fn replayed(&self, raw: &Program, program: &Program, violation: &Violation) -> Result<Story, Failure> {
        let model = self.settings.memory_model;
        let run = replay::run(program, model, &violation.trace)
            .map_err(|error| Failure::Check(format!("the counterexample is not a run: {error}")))?;
        if run.violation(program) != Some(violation.assertion) {
            return Err(Failure::Check("the counterexample does not violate the assertion".to_owned()));
        }
        let whole = frontend::whole(raw.clone(), &self.job.options);
        let found = Some((program, &violation.trace, &run));
        Ok(match retell::again(&whole, model, found, &self.settings.budget) {
            Some(run) => Story { program: whole, model, run, reduced: false },
            None => {
                let run = schedule::readable(program, model, &violation.trace, run);
                Story { program: program.clone(), model, run, reduced: true }
            }
        })
    }
}

/// Checks an invariant once more, with a fresh solver, and counts its queries. What cannot be checked is not answered.
pub fn checked(
    program: &Program,
    verdict: Verdict,
    int_model: IntModel,
    budget: &Budget,
) -> Result<(Verdict, Option<u64>), Failure> {
    let Verdict::Safe(Evidence::Invariant(invariant)) = &verdict else { return Ok((verdict, None)) };
    match proof::check(program, invariant, int_model, budget) {
        Ok(checked) => Ok((verdict, Some(checked.queries))),
        Err(flaw @ (Flaw::Solver(_) | Flaw::Stopped(_))) => {
            let reason = Reason::new(format!("a proof was found but not checked: {flaw}"));
            Ok((Verdict::Unknown(reason), None))
        }
        Err(flaw) => Err(Failure::Check(format!("the proof is wrong: {flaw}"))),
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

/// Waits for the result, or until it is clear that none will come in time.
fn wait(
    result: &Receiver<Result<Finding, Failure>>,
    budget: &Budget,
    display: &mut Display,
) -> Result<Finding, Failure> {
    let mut overdue = None;
    loop {
        match result.recv_timeout(TICK) {
            Ok(finding) => return finding,
            Err(RecvTimeoutError::Disconnected) => return Err(Failure::Panic),
            Err(RecvTimeoutError::Timeout) => display.tick(),
        }
        if let Err(stop) = budget.check() {
            let (since, first) = *overdue.get_or_insert((Instant::now(), stop));
            if since.elapsed() > GRACE {
                let reason = Reason::new(first.to_string());
                let verdict =
                    Verdict::Unknown(reason.with("the engine was stopped in the middle of its work"));
                return Ok(Finding { left_behind: true, ..Finding::from(verdict) });
            }
        }
    }
}

/// Prints the report, then writes the files: none of them costs another.
fn tell(
    arguments: &VerifyArguments,
    job: &Job,
    budget: &Budget,
    seen: &Seen,
    mut finding: Finding,
) -> Result<(), Failure> {
    let mut statistics = seen.now();
    if let (Verdict::Unknown(reason), Some(phase), Err(_)) =
        (&mut finding.verdict, statistics.phase, budget.check())
    {
        reason.details.push(format!("the end came in phase `{phase}`"));
    }
    let engine = statistics.notes.remove("Engine").unwrap_or_else(|| arguments.engine.name().to_owned());
    let summary = Summary {
        file: &job.file.display().to_string(),
        engine: &engine,
        memory_model: memory_model_name(job.options.memory_model),
        granularity: granularity_name(job.options.granularity),
        data_model: data_model_name(job.options.data_model),
        property: &job.options.property,
        verdict: &finding.verdict,
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
        let code = Exit::from(&finding.verdict).code();
        finding.files.add(path, sarif::document(&summary, finding.shared.as_ref(), code));
    }
    let drawn = arguments.pictures.write(&finding.drawn, &summary);
    [printed, drawn, finding.files.write()].into_iter().fold(Ok(()), output::both)
}
