//! The command line as typed: what clap checks, and nothing resolved yet.
//!
//! Names of options and values are a contract with scripts. Help, completions and the manual page come from
//! these definitions.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use regrain::frontend::{DataModel, Granularity, SignedOverflow, Undefined, UndefinedBehaviour};
use regrain::program::pass::Stage;
use regrain::program::{MemoryModel, Policy};
use regrain::report::Detail;
use regrain::verify::Engine;

use super::bench::{self, BenchArguments};
use super::cegar::{CegarArguments, PartitionArguments};
use super::compare::{CompareArguments, TableFormat};
use super::engine::engine_names;
use super::evidence::EvidenceArguments;
use super::exit::Exit;
use super::features::FeaturesArguments;
use super::fit;
use super::impact::ImpactArguments;
use super::pictures::PictureArguments;
use super::scar::ScarArguments;
use super::value::{
    data_model_name, granularity_name, memory_model_name, named, positive_seconds, undefined_name,
};

const EXAMPLES: &str = "\
Examples:
  regrain verify program.c                 is there an interleaving that violates an assertion?
  regrain verify --mm tso program.c        the same on a machine with store buffers
  regrain verify --timeout 60 task.yml     an SV-COMP task: program, property and data model in one file
  regrain verify --format json program.c   the answer for a script
  regrain show --what cfa program.c        the threads as Regrain sees them
  regrain features                         what of C and pthreads is modelled

Exit codes: 0 true, 10 false, 5 unknown, 2 wrong usage, 3 the input cannot be read or is not
supported, 70 internal error.";

const VERIFY_EXAMPLES: &str = "\
The last line of the output is one of
  Verdict: true
  Verdict: false(unreach-call)
  Verdict: unknown (REASON)

Examples:
  regrain verify program.c
  regrain verify --mm pso --trace full program.c
  regrain verify --property unreach-call.prp --data-model ILP32 program.i
  regrain verify --timeout 900 --memory-limit 15000 task.yml
  regrain verify --witness witness.yml program.c";

/// The commands that have a manual page.
pub const WITH_MANUAL: [&str; 8] =
    ["verify", "compare", "partition", "show", "bench", "features", "completions", "man"];

/// Verifies concurrent C programs: proves that no interleaving of the threads violates an assertion, or
/// prints a schedule that does
#[derive(Parser, Debug)]
#[command(name = "regrain", version, after_help = EXAMPLES, max_term_width = 100)]
#[command(arg_required_else_help = true, subcommand_required = true, propagate_version = false)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Verify a program
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyArguments),
    /// Compare monotonic and non-monotonic refinement
    Compare(CompareArguments),
    /// Print the partition of control locations that verifies a program
    Partition(PartitionArguments),
    /// Print the program as Regrain sees it
    Show(ShowArguments),
    /// Run many tasks and compare the answers with the expected ones
    #[command(after_help = bench::EXAMPLES)]
    Bench(BenchArguments),
    /// Print what of C, its libraries and properties is modelled
    Features(FeaturesArguments),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of the program, or of one of its commands
    Man {
        /// The command
        #[arg(value_parser = WITH_MANUAL)]
        command: Option<String>,

        /// Form: a manual page, or the reference of all commands as Markdown
        #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
        format: Manual,
    },
}

/// Form of the manual.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Manual {
    /// A page for `man`
    #[default]
    Roff,
    /// A page of the book
    Markdown,
}

impl Command {
    /// How failures are reported.
    pub fn format(&self) -> Format {
        match self {
            Command::Verify(verify) => verify.format,
            Command::Partition(partition) => partition.format,
            Command::Features(features) => features.format,
            Command::Compare(compare) if compare.format == TableFormat::Json => Format::Json,
            Command::Compare(_)
            | Command::Show(_)
            | Command::Bench(_)
            | Command::Completions { .. }
            | Command::Man { .. } => Format::Human,
        }
    }

    /// Whether an unfit solver library matters.
    pub fn needs_solvers(&self) -> bool {
        match self {
            Command::Verify(_) | Command::Compare(_) | Command::Partition(_) => true,
            // Each run of a benchmark looks for itself.
            Command::Show(_)
            | Command::Bench(_)
            | Command::Features(_)
            | Command::Completions { .. }
            | Command::Man { .. } => false,
        }
    }
}

#[derive(Args, Debug)]
pub struct VerifyArguments {
    #[command(flatten)]
    pub program: ProgramArguments,

    /// How to find the answer
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = engine_names())]
    pub engine: Engine,

    #[command(flatten)]
    pub cegar: CegarArguments,

    #[command(flatten)]
    pub impact: ImpactArguments,

    #[command(flatten)]
    pub scar: ScarArguments,

    /// Re-examine a `true` of the engines `explore` and `scar` to the end, however long it takes; by default
    /// states are visited again as far as time allows. Other answers are always checked in full
    #[arg(long)]
    pub recheck: bool,

    /// Print the invariant that proves the program, if there is one
    #[arg(long)]
    pub invariant: bool,

    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds)]
    pub timeout: Option<f64>,

    /// Stop when the process has grown to this many megabytes
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory_limit: Option<u64>,

    /// How much of a counterexample to print: every step, steps that other threads can notice, or the
    /// violated assertion alone
    #[arg(long, value_name = "DETAIL", default_value = "shared")]
    #[arg(value_parser = named(Detail::ALL, Detail::name))]
    pub trace: Detail,

    #[command(flatten)]
    pub pictures: PictureArguments,

    #[command(flatten)]
    pub evidence: EvidenceArguments,

    /// Form of the output; `json` is one document with a schema version
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: Format,

    /// No progress on stderr
    #[arg(short, long)]
    pub quiet: bool,

    /// More on stderr about what is being done
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,

    /// Colours
    #[arg(long, value_name = "WHEN", default_value_t)]
    pub color: ColorChoice,
}

#[derive(Args, Debug)]
pub struct ShowArguments {
    #[command(flatten)]
    pub program: ProgramArguments,

    /// What to show: the control-flow automata, a table of the threads, the event order graph of a violation,
    /// the unrolled program, or the unfolding of a proof
    #[arg(long, value_enum, default_value_t)]
    pub what: What,

    /// Show the program after this pass instead of after all; `none` is before any
    #[arg(long, value_name = "PASS", value_parser = pass_names())]
    pub after: Option<Passes>,

    /// Form of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: Picture,

    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// What determines the program that is looked at.
#[derive(Args, Debug)]
pub struct ProgramArguments {
    /// A C program, a preprocessed C program (.i), or an SV-COMP task (.yml)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// What one step of a thread is: an access to shared memory, as C behaves, or a whole statement, as
    /// papers state protocols
    #[arg(long, value_name = "STEP", default_value = "access")]
    #[arg(value_parser = named([Granularity::Access, Granularity::Statement], granularity_name))]
    pub granularity: Granularity,

    /// How writes of one thread reach the others [alias: --mm]
    #[arg(long, alias = "mm", value_name = "MODEL", default_value = "sc")]
    #[arg(value_parser = named([MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso], memory_model_name))]
    pub memory_model: MemoryModel,

    /// Who goes next in a cooperative program whose interface leaves it open, as FairThreads does: threads in
    /// the order of their creation, as the library has it, or in any order that is then kept [default: fair]
    #[arg(long, value_name = "POLICY")]
    #[arg(value_parser = named([Policy::Fair, Policy::FairAnyOrder], Policy::name))]
    pub scheduler: Option<Policy>,

    /// How often loops go round, counting rounds in which a loop might have ended (others are followed all
    /// the same): engine `scar` stops at this bound instead of raising it as long as it can; recursion, and
    /// loops that create threads or allocate memory, are followed so far by every engine [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub unwind: Option<u32>,

    /// SV-COMP property file; by default assertions, `reach_error` and the like must hold
    #[arg(long, value_name = "FILE.prp")]
    pub property: Option<PathBuf>,

    /// Sizes of `int`, `long` and pointers; what a task file says wins
    #[arg(long, value_name = "MODEL", default_value = "LP64")]
    #[arg(value_parser = named([DataModel::Ilp32, DataModel::Lp64], data_model_name))]
    pub data_model: DataModel,

    /// What calling a function without a body means: refuse the program, any result, or result zero
    #[arg(long, value_name = "CHOICE", default_value = "error")]
    #[arg(value_parser = named([Undefined::Error, Undefined::Havoc, Undefined::Ignore], undefined_name))]
    pub undefined: Undefined,

    /// What signed arithmetic that overflows means: runs are considered up to it, it wraps, or it is a
    /// violation (`no-overflow`)
    #[arg(long, value_name = "MEANING", default_value = "assume")]
    #[arg(value_parser = named(SignedOverflow::ALL, SignedOverflow::name))]
    pub signed_overflow: SignedOverflow,

    /// What other undefined behaviour means, such as an invalid access or a division by zero: where it is
    /// reachable there is no answer, or runs are considered up to it
    #[arg(long, value_name = "MEANING", default_value = "unknown")]
    #[arg(value_parser = named(UndefinedBehaviour::ALL, UndefinedBehaviour::name))]
    pub undefined_behaviour: UndefinedBehaviour,

    /// Let `malloc` and its like give NULL at any time; otherwise there is always memory
    #[arg(long)]
    pub malloc_may_fail: bool,

    /// Directory with headers, for the C preprocessor
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,

    /// Macro, for the C preprocessor
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
}

/// Form of a report.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// For people; the last line is the verdict
    #[default]
    Human,
    /// One document
    Json,
}

/// Form of a shown program.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Picture {
    /// Lines
    #[default]
    Text,
    /// A graph for Graphviz
    Dot,
    /// A picture
    Svg,
}

/// What of a program is shown.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum What {
    /// Variables, locations and transitions
    #[default]
    Cfa,
    /// A table of the threads
    Threads,
    /// What the threads do to shared memory in a run that violates an assertion, and in which order
    Events,
    /// The reads and writes that engine `scar` starts from, loops unrolled to `--unwind` (default 1)
    Unrolled,
    /// The tree with which engine `impact` proves the program: nodes with their labels, and covers
    Unfolding,
}

/// Which passes run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passes {
    /// None.
    None,
    /// Those up to this one, once.
    Until(Stage),
}

impl Passes {
    fn name(self) -> &'static str {
        match self {
            Passes::None => "none",
            Passes::Until(stage) => stage.name(),
        }
    }
}

fn pass_names() -> impl clap::builder::TypedValueParser<Value = Passes> {
    let mut passes = vec![Passes::None];
    passes.extend(Stage::ALL.map(Passes::Until));
    named(passes, Passes::name)
}

/// Our version and those of the solvers.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let z3 = regrain::smt::version();
    // Z3 names its build in a fourth number and more; three numbers are what its releases are called.
    let z3: Vec<&str> = z3.split([' ', '.']).take(3).collect();
    let (own, z3, cadical) = (env!("CARGO_PKG_VERSION"), z3.join("."), regrain::sat::version());
    format!("{own} (Z3 {z3}, CaDiCaL {cadical}, BatSat {})", env!("REGRAIN_BATSAT"))
});

/// The definitions with the versions of the solvers.
pub fn command() -> clap::Command {
    Arguments::command().version(VERSION.as_str())
}

/// Parses the arguments of this process; prints help, versions and usage errors itself.
pub fn parse() -> Result<Arguments, Exit> {
    let matches = command().try_get_matches();
    let arguments = matches.and_then(|matches| {
        let arguments = Arguments::from_arg_matches(&matches);
        let arguments = arguments.and_then(|arguments| consistent(arguments, &matches));
        arguments.map_err(|error| error.format(&mut command()))
    });
    arguments.map_err(|error| {
        // What cannot be printed, as to a closed pipe, is lost; the exit code still tells.
        let _ = error.print();
        match error.kind() {
            ErrorKind::DisplayVersion => version_exit(),
            ErrorKind::DisplayHelp => Exit::Done,
            _ => Exit::Usage,
        }
    })
}

/// Refuses options that do not fit together.
fn consistent(arguments: Arguments, matches: &ArgMatches) -> Result<Arguments, clap::Error> {
    let misfit = match (&arguments.command, matches.subcommand()) {
        (Command::Verify(verify), Some((_, typed))) => fit::misfit(verify, typed),
        _ => None,
    };
    match misfit {
        Some(misfit) => Err(clap::Error::raw(ErrorKind::ValueValidation, misfit)),
        None => Ok(arguments),
    }
}

/// A version is only good if its solvers are.
fn version_exit() -> Exit {
    match regrain::smt::check_version() {
        Ok(()) => Exit::Done,
        Err(error) => {
            super::output::complain(&format!("error: {error}"));
            Exit::Internal
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        command().debug_assert();
    }

    #[test]
    fn the_version_is_one_line_with_the_solvers() {
        let version = command().render_version();
        let version = version.trim_end();
        assert!(version.starts_with("regrain 0.1.0 (Z3 5."), "{version}");
        assert!(
            version.contains(", CaDiCaL ") && version.ends_with(')') && !version.contains('\n'),
            "{version}"
        );
    }

    #[test]
    fn defaults_are_those_of_the_contract() {
        let arguments = Arguments::try_parse_from(["regrain", "verify", "p.c"]).expect("these are right");
        let Command::Verify(verify) = arguments.command else { panic!("another command") };
        assert_eq!(verify.engine, Engine::Auto);
        assert_eq!(verify.program.granularity, Granularity::Access);
        assert_eq!(verify.program.memory_model, MemoryModel::Sc);
        assert_eq!(verify.program.data_model, DataModel::Lp64);
        assert_eq!(verify.program.undefined, Undefined::Error);
        assert_eq!((verify.format, verify.trace), (Format::Human, Detail::Shared));
    }

    #[test]
    fn mm_is_short_for_memory_model() {
        let arguments = Arguments::try_parse_from(["regrain", "show", "--mm", "pso", "p.c"]).expect("right");
        let Command::Show(show) = arguments.command else { panic!("another command") };
        assert_eq!(show.program.memory_model, MemoryModel::Pso);
    }
}
