//! `regrain bench`: many tasks, expected verdicts, one table.
//!
//! ```text
//! paths ──select.rs──▶ tasks ┐
//!                            ├──pool.rs──▶ child.rs: one process a run ──contestant.rs, tool.rs──▶ answers ──▶ report::bench
//! options ──contestant.rs────┘
//! ```
//!
//! Each run is a process of its own, so that one that crashes or outgrows its limits spoils its row only, and
//! so that time and memory are its own.

mod child;
mod contestant;
mod pool;
mod select;
mod tool;
mod words;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ColorChoice};
use regrain::budget::Budget;
use regrain::report::Layout;
use regrain::report::bench::{Answer, Benchmark, Limits};

use self::contestant::{Contestant, Named, common_model};
use self::pool::Pool;
use self::tool::Wanted;
use super::args::command;
use super::exit::{Exit, Failure};
use super::progress::Style;
use super::value::positive_seconds;
use super::{output, signals};

/// Examples for the help.
pub const EXAMPLES: &str = "\
Examples:
  regrain bench benchmarks/mutex
  regrain bench benchmarks/sets/litmus.set -- --mm tso
  regrain bench benchmarks --compare \"explore: --engine explore\" --compare \"cegar: --engine cegar\"
  regrain bench benchmarks --tool cbmc --tool \"mine=run.sh {model} {file}\" --html table.html

Scores are those of SV-COMP: correct true 2, correct false 1, wrong false -16, wrong true -32.

Exit codes: 0 no answer is wrong, 10 an answer is wrong, 70 a run crashed, 3 a task was refused,
5 interrupted, 2 wrong usage.";

/// The arguments of `regrain bench`.
#[derive(Args, Debug)]
pub struct BenchArguments {
    /// Tasks (.yml), sets of tasks (.set), folders with tasks, or programs (.c, .i) without an expected
    /// verdict
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,

    /// Compare Regrain with these options of `verify` beside others; may be repeated
    #[arg(long, value_name = "NAME: OPTIONS", value_parser = Named::parse)]
    pub compare: Vec<Named>,

    /// Compare with another verifier: cbmc, deagle, nidhuggc, cpachecker or esbmc, also with options after a
    /// colon; any other as a command with {file} and perhaps {property}, {model}, {bits}, {seconds},
    /// {megabytes}; or `available` for all of the known ones that are installed
    #[arg(long, value_name = "NAME[: OPTIONS]|NAME=COMMAND", value_parser = Wanted::parse)]
    pub tool: Vec<Wanted>,

    /// Stop each run after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = positive_seconds)]
    pub timeout: f64,

    /// Stop each run when it has grown to this many megabytes
    #[arg(long, value_name = "MB", default_value_t = 4000, value_parser = clap::value_parser!(u64).range(1..))]
    pub memory_limit: u64,

    /// How many runs go on at a time [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// Statistics that get a column in the printed table, by their names
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub statistics: Vec<String>,

    /// Write a table of comma-separated values, with all statistics
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Write a JSON document, with all statistics
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Write a page with a quantile plot and scatter plots
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// No progress on stderr
    #[arg(short, long)]
    pub quiet: bool,

    /// Colours
    #[arg(long, value_name = "WHEN", default_value_t)]
    pub color: ColorChoice,

    /// Options of `verify` for all runs
    #[arg(last = true, value_name = "VERIFY OPTIONS")]
    pub options: Vec<String>,
}

impl BenchArguments {
    fn limits(&self) -> Limits {
        Limits { time: Duration::from_secs_f64(self.timeout), memory: Some(self.memory_limit) }
    }
}

/// Runs the benchmark.
pub fn run(arguments: &BenchArguments) -> Result<Exit, Failure> {
    let contestants = match contestants(arguments) {
        Ok(contestants) => contestants,
        Err(error) => {
            // What cannot be printed is lost; the exit code still tells.
            let _ = error.print();
            return Ok(Exit::Usage);
        }
    };
    let entries = select::entries(&arguments.paths)?;
    let budget = Budget::unlimited();
    signals::cancel(&budget);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let pool = Pool {
        entries: &entries,
        contestants: &contestants,
        limits: arguments.limits(),
        jobs: arguments.jobs.map_or(cores, usize::from),
        cancelled: &budget.cancellation(),
    };
    let style = if arguments.quiet { Style::None } else { Style::for_stderr() };
    let benchmark = pool.run(style);
    tell(arguments, &benchmark)?;
    Ok(exit(&benchmark))
}

/// Who takes part, or what is wrong with the options.
fn contestants(arguments: &BenchArguments) -> Result<Vec<Contestant>, clap::Error> {
    let limits = arguments.limits();
    let model = common_model(&arguments.options, &limits)?;
    let named = match &arguments.compare[..] {
        [] => vec![Named { name: "regrain".to_owned(), options: Vec::new() }],
        several => several.to_vec(),
    };
    let regrain = named.into_iter().map(|named| Contestant::regrain(named, &arguments.options, &limits));
    let mut contestants = regrain.collect::<Result<Vec<_>, _>>()?;
    let refuse = |message: String| command().error(clap::error::ErrorKind::ValueValidation, message);
    for wanted in &arguments.tool {
        let tools = wanted.tools(model).map_err(refuse)?;
        contestants.extend(tools.into_iter().map(|tool| Contestant::tool(tool, model)));
    }
    let names: std::collections::BTreeSet<_> = contestants.iter().map(|one| one.described().name).collect();
    match names.len() == contestants.len() {
        true => Ok(contestants),
        false => Err(refuse("two contestants have the same name".to_owned())),
    }
}

/// Prints the table and writes the files. A file that cannot be written does not keep the rest from being
/// told.
fn tell(arguments: &BenchArguments, benchmark: &Benchmark) -> Result<(), Failure> {
    let layout = Layout { width: output::width(), colour: output::colours(arguments.color) };
    let mut told = output::print(&benchmark.text(&arguments.statistics, &layout));
    if let Some(path) = &arguments.csv {
        told = told.and(output::write(path, &benchmark.csv()));
    }
    if let Some(path) = &arguments.json {
        told = told.and(output::write(path, &benchmark.json()));
    }
    if let Some(path) = &arguments.html {
        told = told.and(output::write(path, &benchmark.html()));
    }
    told
}

fn exit(benchmark: &Benchmark) -> Exit {
    if benchmark.has_wrong() {
        Exit::Violated
    } else if benchmark.has(&Answer::Crashed) {
        Exit::Internal
    } else if benchmark.has(&Answer::Refused) {
        Exit::Input
    } else if !benchmark.is_complete() {
        Exit::Unknown
    } else {
        Exit::Done
    }
}
