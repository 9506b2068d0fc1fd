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
use regrain::program::{MemoryModel, Program};
use regrain::proof::{self, Flaw};
use regrain::replay;
use regrain::report::{Counterexample, Layout, Summary, json};

use super::args::{Format, VerifyArguments, budget, data_model_name, granularity_name, memory_model_name};
use super::engine::Settings;
use super::exit::{Exit, Failure};
use super::job::Job;
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
    /// The invariant as text, if there is one and it is asked for.
    invariant: Option<String>,
    /// Whether the working thread is still busy.
    left_behind: bool,
}

/// Verifies.
pub fn run(arguments: VerifyArguments) -> Result<Exit, Failure> {
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
    let exit = Exit::from(&finding.verdict);
    let told = tell(&arguments, &job, &budget, &seen, &finding);
    if finding.left_behind {
        // Returning would run the solver's clean-up while it works.
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
    let (job, mut seen, engine, detail) = (job.clone(), seen.clone(), arguments.engine, arguments.trace);
    let (memory_model, cegar) = (job.options.memory_model, arguments.cegar);
    let settings = Settings { memory_model, cegar, budget: budget.clone() };
    let (loud, with_invariant) = (arguments.verbose, arguments.invariant);
    let work = move || -> Result<Finding, Failure> {
        seen.notice(Progress::Phase("read"));
        let program = frontend::load(&job.file, &job.options)?;
        if loud {
            output::complain(&format!("regrain: {}", size_text(&program, settings.budget.elapsed())));
        }
        let verdict = engine.check(&program, &settings, &mut seen);
        let verdict = checked(&program, &settings, verdict, &mut seen)?;
        let invariant = match &verdict {
            Verdict::Safe(Evidence::Invariant(invariant)) if with_invariant => {
                Some(invariant.display(&program).to_string())
            }
            _ => None,
        };
        let counterexample = match &verdict {
            Verdict::Unsafe(violation) => Some(replayed(&program, settings.memory_model, violation, detail)?),
            Verdict::Safe(_) | Verdict::Unknown(_) => None,
        };
        Ok(Finding { verdict, counterexample, invariant, left_behind: false })
    };
    let work = move || {
        let finding = catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Failure::Panic));
        // Nobody listens any more if the main thread has given up waiting.
        let _ = sender.send(finding);
    };
    let thread = thread::Builder::new().name("verify".to_owned()).stack_size(STACK).spawn(work);
    thread.expect("the system lets us start a thread");
    receiver
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

/// Follows the run once more, independently of the engine that found it.
fn replayed(
    program: &Program,
    model: MemoryModel,
    violation: &Violation,
    detail: regrain::report::Detail,
) -> Result<Counterexample, Failure> {
    let run = replay::run(program, model, &violation.trace)
        .map_err(|error| Failure::Check(format!("the counterexample is not a run: {error}")))?;
    if run.violation(program) != Some(violation.assertion) {
        return Err(Failure::Check("the counterexample does not violate the assertion".to_owned()));
    }
    Ok(Counterexample::new(program, model, &run, detail))
}

/// Checks an invariant once more, with a fresh solver. What cannot be checked is not answered.
fn checked(
    program: &Program,
    settings: &Settings,
    verdict: Verdict,
    seen: &mut Seen,
) -> Result<Verdict, Failure> {
    let Verdict::Safe(Evidence::Invariant(invariant)) = &verdict else { return Ok(verdict) };
    seen.notice(Progress::Phase("check proof"));
    let begin = Instant::now();
    let result = proof::check(program, invariant, settings.cegar.common.int_model, &settings.budget);
    seen.notice(Progress::Time("Proof check time", begin.elapsed()));
    match result {
        Ok(checked) => {
            seen.notice(Progress::Count("Proof check queries", checked.queries));
            Ok(verdict)
        }
        Err(flaw @ (Flaw::Solver(_) | Flaw::Stopped(_))) => {
            let reason = Reason::new(format!("a proof was found but not checked: {flaw}"));
            Ok(Verdict::Unknown(reason))
        }
        Err(flaw) => Err(Failure::Check(format!("the proof is wrong: {flaw}"))),
    }
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
                return Ok(Finding {
                    verdict: Verdict::Unknown(reason),
                    counterexample: None,
                    invariant: None,
                    left_behind: true,
                });
            }
        }
    }
}

/// Prints the report.
fn tell(
    arguments: &VerifyArguments,
    job: &Job,
    budget: &Budget,
    seen: &Seen,
    finding: &Finding,
) -> Result<(), Failure> {
    let summary = Summary {
        file: &job.file.display().to_string(),
        engine: arguments.engine.name(),
        memory_model: memory_model_name(job.options.memory_model),
        granularity: granularity_name(job.options.granularity),
        data_model: data_model_name(job.options.data_model),
        property: &job.options.property,
        verdict: &finding.verdict,
        counterexample: finding.counterexample.as_ref(),
        invariant: finding.invariant.as_deref(),
        statistics: &seen.now(),
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
    printed
}
