//! `regrain compare`: monotonic and non-monotonic refinement side by side.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use regrain::engine::Verdict;
use regrain::engine::cegar::{self, Options, Refinement};
use regrain::frontend::{self, DataModel, Granularity, Undefined, task};
use regrain::observe::Statistics;
use regrain::program::{MemoryModel, Program};
use regrain::report::compare::{Comparison, Mode, Row};

use super::args::{ProgramArguments, budget, granularity_name, named, positive_seconds};
use super::cegar::CommonArguments;
use super::exit::{Exit, Failure};
use super::job::Job;
use super::{on_large_stack, output};

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

    /// Run each mode at least so many times, in turns, and show the run of median time and the median saving; short programs run more often
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub runs: u32,

    /// Stop each run after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds)]
    pub timeout: Option<f64>,

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
    let comparison = on_large_stack(move || -> Result<Comparison, Failure> {
        let rows = jobs.iter().map(|job| row(job, &arguments));
        Ok(Comparison { rows: rows.collect::<Result<_, _>>()? })
    })?;
    let exit = if comparison.complete() { Exit::Done } else { Exit::Unknown };
    output::print(&match format {
        TableFormat::Human => comparison.text(),
        TableFormat::Json => comparison.json(),
        TableFormat::Csv => comparison.csv(),
    })?;
    Ok(exit)
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
        unwind: None,
        property: None,
        data_model: DataModel::default(),
        undefined: Undefined::default(),
        include: Vec::new(),
        define: Vec::new(),
    }
}

fn row(job: &Job, arguments: &CompareArguments) -> Result<Row, Failure> {
    let program = frontend::load(&job.file, &job.options)?;
    let run = |refinement| mode(&program, arguments, refinement);
    let mut runs = Vec::new();
    let begin = Instant::now();
    while runs.len() < arguments.runs as usize || begin.elapsed() < ENOUGH {
        // Neither mode is always the one that finds the caches cold.
        runs.push(if runs.len().is_multiple_of(2) {
            let old = run(Refinement::Monotonic);
            (old, run(Refinement::NonMonotonic))
        } else {
            let new = run(Refinement::NonMonotonic);
            (run(Refinement::Monotonic), new)
        });
    }
    let name = job.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Row::new(name, runs))
}

fn mode(program: &Program, arguments: &CompareArguments, refinement: Refinement) -> Mode {
    let options = Options {
        refinement,
        prefer: arguments.cegar.prefer,
        int_model: arguments.cegar.int_model,
        memory_model: MemoryModel::Sc,
        budget: budget(arguments.timeout, None),
    };
    let mut statistics = Statistics::default();
    let begin = Instant::now();
    let (verdict, _) = cegar::check(program, &options, &mut statistics);
    let total = begin.elapsed();
    let count = |name: &str| statistics.counts.get(name).copied().unwrap_or(0);
    let time = |name: &str| statistics.times.get(name).copied().unwrap_or(Duration::ZERO);
    Mode {
        verdict: match verdict {
            Verdict::Safe(_) => "true",
            Verdict::Unsafe(_) => "false",
            Verdict::Unknown(_) => "unknown",
        },
        total,
        reach: time("Reach time"),
        refine: time("Refine time"),
        rounds: count("Refinements"),
        predicates: count("Predicates"),
        classes: count("Classes"),
        states: count("States"),
        queries: count("Solver queries"),
        differences: count("Difference queries"),
    }
}
