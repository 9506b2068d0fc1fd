//! Options of the engine `cegar`, and `regrain partition`.

use clap::Args;
use regrain::budget::{Budget, resident_megabytes};
use regrain::engine::Reason;
use regrain::engine::cegar::{Preference, Refinement};
use regrain::frontend;
use regrain::report::partition::{Extent, Shown};
use regrain::report::{Amount, Summary};
use regrain::smt::IntModel;
use regrain::verify::{Checked, Engine, int_model_name, verify};

use super::args::{Format, ProgramArguments};
use super::engine::cegar_settings;
use super::exit::{Exit, Failure};
use super::job::Job;
use super::pictures::{Drawn, PictureArguments};
use super::progress::Seen;
use super::value::{budget, data_model_name, granularity_name, memory_model_name, named, positive_seconds};
use super::watch::{Watched, end_at_once, watched};
use super::{output, signals};

/// How classes and predicates are found.
#[derive(Args, Clone, Copy, Debug)]
pub struct CegarArguments {
    /// Engine `cegar`: whether classes of locations may be merged again
    #[arg(long, value_name = "KIND", default_value = "nonmonotonic")]
    #[arg(value_parser = named([Refinement::NonMonotonic, Refinement::Monotonic], refinement_name))]
    pub refinement: Refinement,

    #[command(flatten)]
    pub common: CommonArguments,
}

/// What both kinds of refinement have in common.
#[derive(Args, Clone, Copy, Debug)]
pub struct CommonArguments {
    /// Engine `cegar`: what is refined when a path is spurious for its data and for its control flow
    #[arg(long, value_name = "WHAT", default_value = "data")]
    #[arg(value_parser = named([Preference::Data, Preference::Control], preference_name))]
    pub prefer: Preference,

    /// Engine `cegar`: what integers are for its solver, mathematical integers that wrap where C says so, or
    /// bits
    #[arg(long, value_name = "MODEL", default_value = "integer")]
    #[arg(value_parser = named([IntModel::Integer, IntModel::BitVector], int_model_name))]
    pub int_model: IntModel,
}

/// The arguments of `regrain partition`.
#[derive(Args, Debug)]
pub struct PartitionArguments {
    #[command(flatten)]
    pub program: ProgramArguments,

    #[command(flatten)]
    pub cegar: CegarArguments,

    /// Show every round: the spurious paths, their mismatches, the new predicates or the new partition
    #[arg(long)]
    pub history: bool,

    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds)]
    pub timeout: Option<f64>,

    /// Stop when the process has grown to this many megabytes
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory_limit: Option<u64>,

    #[command(flatten)]
    pub pictures: PictureArguments,

    /// Form of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: Format,
}

fn refinement_name(refinement: Refinement) -> &'static str {
    match refinement {
        Refinement::NonMonotonic => "nonmonotonic",
        Refinement::Monotonic => "monotonic",
    }
}

fn preference_name(preference: Preference) -> &'static str {
    match preference {
        Preference::Data => "data",
        Preference::Control => "control",
    }
}

/// What the working thread of `regrain partition` comes back with.
struct Partitioned {
    answer: Checked,
    assuming: Vec<&'static str>,
    shown: Shown,
    drawn: Drawn,
}

/// Shows the partition that verifies a program.
pub fn partition(arguments: PartitionArguments) -> Result<Exit, Failure> {
    let job = Job::new(&arguments.program)?;
    let budget = budget(arguments.timeout, arguments.memory_limit);
    signals::cancel(&budget);
    let seen = Seen::default();
    let work = {
        let settings = cegar_settings(arguments.cegar, job.options.memory_model, budget.clone());
        let extent = if arguments.history { Extent::History } else { Extent::Final };
        let (job, pictures, mut seen) = (job.clone(), arguments.pictures.clone(), seen.clone());
        move || {
            let program = frontend::load(&job.file, &job.options)?;
            let answer = verify(&program, Engine::Cegar, &settings, &mut seen)?;
            let shown = Shown::new(&program, &answer, extent);
            let assuming = frontend::assumptions(&program, &job.options);
            Ok(Partitioned { assuming, shown, drawn: pictures.proof(&program, &answer), answer })
        }
    };
    match watched(&budget, || {}, work)? {
        Watched::Done(partitioned) => tell(&arguments, &job, &budget, &seen, &partitioned),
        Watched::LeftBehind(stop) => {
            let answer = Checked::undecided(Engine::Cegar, Reason::new(stop.to_string()));
            let shown = Shown::without_views(&answer);
            let partitioned = Partitioned { answer, assuming: Vec::new(), shown, drawn: Drawn::default() };
            end_at_once(tell(&arguments, &job, &budget, &seen, &partitioned))
        }
    }
}

fn tell(
    arguments: &PartitionArguments,
    job: &Job,
    budget: &Budget,
    seen: &Seen,
    partitioned: &Partitioned,
) -> Result<Exit, Failure> {
    let Partitioned { answer, assuming, shown, drawn } = partitioned;
    let printed = output::print(&match arguments.format {
        Format::Human => shown.text(),
        Format::Json => shown.json(),
    });
    let summary = Summary {
        file: &job.file.display().to_string(),
        memory_model: memory_model_name(job.options.memory_model),
        granularity: granularity_name(job.options.granularity),
        data_model: data_model_name(job.options.data_model),
        property: &job.options.property,
        assuming,
        answer,
        counterexample: None,
        invariant: None,
        notes: &[],
        amount: Amount::All,
        statistics: &seen.now(),
        time: budget.elapsed(),
        memory: resident_megabytes(),
    };
    printed.and(arguments.pictures.write(drawn, &summary))?;
    Ok(Exit::from(answer))
}
