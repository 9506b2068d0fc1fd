//! `regrain compare`: monotonic and non-monotonic refinement side by side.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use regrain::budget::{Budget, Stop};
use regrain::engine::Reason;
use regrain::engine::cegar::Refinement;
use regrain::frontend::{self, DataModel, Granularity, SignedOverflow, Undefined, UndefinedBehaviour, task};
use regrain::observe::Statistics;
use regrain::program::{MemoryModel, Program};
use regrain::report::compare::{Comparison, Mode, Row};
use regrain::verify::{Checked, Engine, verify};

use super::args::ProgramArguments;
use super::cegar::{CegarArguments, CommonArguments};
use super::engine::cegar_settings;
use super::exit::{Exit, Failure};
use super::job::Job;
use super::value::{budget, granularity_name, named, positive_seconds};
use super::watch::{Watched, end_at_once, watched};
use super::{output, signals};

/// A program runs again and again for so long: one run of a few microseconds says little.
const ENOUGH: Duration = Duration::from_millis(200);

/// The arguments of `regrain compare`.
#[derive(Args, Debug)]
pub struct CompareArguments {
    /// C programs, tasks (.yml), or sets of tasks (.set)
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub cegar: CommonArguments,

    /// What one step of a thread is; statements are what the paper's table is about
    #[arg(long, value_name = "STEP", default_value = "statement")]
    #[arg(value_parser = named([Granularity::Access, Granularity::Statement], granularity_name))]
    pub granularity: Granularity,

    /// Run each mode at least so many times, in turns, and show the run of median time and the median saving;
    /// short programs run more often
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub runs: u32,

    /// Stop each run after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds)]
    pub timeout: Option<f64>,

    /// Stop each run when the process has grown to this many megabytes
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory_limit: Option<u64>,

    /// Form of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: TableFormat,
}

/// Form of a table.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TableFormat {
    /// Columns
    #[default]
    Human,
    /// One document
    Json,
    /// Comma-separated values
    Csv,
}

/// Compares.
pub fn run(arguments: CompareArguments) -> Result<Exit, Failure> {
    let mut jobs = Vec::new();
    for file in &arguments.files {
        for file in members(file)? {
            jobs.push(Job::new(&program_arguments(file, arguments.granularity))?);
        }
    }
    let format = arguments.format;
    let budget = budget(arguments.timeout, arguments.memory_limit);
    signals::cancel(&budget);
    let mut measurement = Measurement { arguments, budget, left_behind: false };
    let told = measurement.rows(&jobs).and_then(|rows| {
        let comparison = Comparison { rows };
        let exit = if comparison.complete() { Exit::Done } else { Exit::Unknown };
        output::print(&match format {
            TableFormat::Human => comparison.text(),
            TableFormat::Json => comparison.json(),
            TableFormat::Csv => comparison.csv(),
        })?;
        Ok(exit)
    });
    if measurement.left_behind {
        end_at_once(told);
    }
    told
}

fn members(file: &Path) -> Result<Vec<PathBuf>, Failure> {
    match file.extension().is_some_and(|extension| extension == "set") {
        true => Ok(task::read_set(file)?),
        false => Ok(vec![file.to_owned()]),
    }
}

fn program_arguments(file: PathBuf, granularity: Granularity) -> ProgramArguments {
    ProgramArguments {
        file,
        granularity,
        memory_model: MemoryModel::Sc,
        scheduler: None,
        unwind: None,
        property: None,
        data_model: DataModel::default(),
        undefined: Undefined::default(),
        signed_overflow: SignedOverflow::default(),
        undefined_behaviour: UndefinedBehaviour::default(),
        malloc_may_fail: false,
        include: Vec::new(),
        define: Vec::new(),
    }
}

/// Runs under way.
struct Measurement {
    arguments: CompareArguments,
    /// The limits of each run, and the interruption of all.
    budget: Budget,
    /// Whether some run did not stop at its limit.
    left_behind: bool,
}

impl Measurement {
    fn rows(&mut self, jobs: &[Job]) -> Result<Vec<Row>, Failure> {
        jobs.iter().map(|job| self.row(job)).collect()
    }

    fn row(&mut self, job: &Job) -> Result<Row, Failure> {
        let name = job.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let loaded = job.clone();
        let load = move || Ok(Arc::new(frontend::load(&loaded.file, &loaded.options)?));
        let program = match watched(&self.budget.afresh(), || {}, load)? {
            Watched::Done(program) => program,
            Watched::LeftBehind(stop) => {
                self.left_behind = true;
                return Ok(Row::new(name, vec![(stopped(stop), stopped(stop))]));
            }
        };
        let mut runs = Vec::new();
        let begin = Instant::now();
        while runs.len() < self.arguments.runs as usize || begin.elapsed() < ENOUGH {
            // Neither mode is always the one that finds the caches cold.
            let (old, new) = if runs.len().is_multiple_of(2) {
                let old = self.mode(&program, Refinement::Monotonic)?;
                (old, self.mode(&program, Refinement::NonMonotonic)?)
            } else {
                let new = self.mode(&program, Refinement::NonMonotonic)?;
                (self.mode(&program, Refinement::Monotonic)?, new)
            };
            runs.push((old, new));
            if self.left_behind || self.budget.cancellation().load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(Row::new(name, runs))
    }

    /// One run, under limits of its own.
    fn mode(&mut self, program: &Arc<Program>, refinement: Refinement) -> Result<Mode, Failure> {
        let cegar = CegarArguments { refinement, common: self.arguments.cegar };
        let budget = self.budget.afresh();
        let settings = cegar_settings(cegar, MemoryModel::Sc, budget.clone());
        let program = Arc::clone(program);
        let run = move || {
            let mut statistics = Statistics::default();
            let begin = Instant::now();
            let answer = verify(&program, Engine::Cegar, &settings, &mut statistics)?;
            // What the check of a proof took is not refinement's.
            let check = statistics.times.get("Proof check time").copied().unwrap_or_default();
            Ok(Mode::new(&answer, begin.elapsed() - check, &statistics))
        };
        Ok(match watched(&budget, || {}, run)? {
            Watched::Done(mode) => mode,
            Watched::LeftBehind(stop) => {
                self.left_behind = true;
                stopped(stop)
            }
        })
    }
}

/// A run that did not stop at its limit.
fn stopped(stop: Stop) -> Mode {
    let answer = Checked::undecided(Engine::Cegar, Reason::new(stop.to_string()));
    Mode::new(&answer, Duration::ZERO, &Statistics::default())
}
