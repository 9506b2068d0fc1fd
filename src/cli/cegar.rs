//! Options of the engine `cegar`, and `regrain partition`.

use clap::Args;
use regrain::budget::resident_megabytes;
use regrain::engine::cegar::{Options, Preference, Refinement};
use regrain::frontend;
use regrain::observe::Statistics;
use regrain::report::Summary;
use regrain::report::partition::{self, Extent};
use regrain::smt::IntModel;

use super::args::{
    Format, ProgramArguments, budget, data_model_name, granularity_name, memory_model_name, named,
    positive_seconds,
};
use super::exit::{Exit, Failure};
use super::job::Job;
use super::pictures::PictureArguments;
use super::verify::checked;
use super::{on_large_stack, output};

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

    /// Engine `cegar`: what signed integers are, mathematical integers (their overflow is undefined in C) or bits
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

/// The name of an integer model, in arguments and reports.
pub fn int_model_name(model: IntModel) -> &'static str {
    match model {
        IntModel::Integer => "integer",
        IntModel::BitVector => "bitvector",
    }
}

/// Shows the partition that verifies a program.
pub fn partition(arguments: PartitionArguments) -> Result<Exit, Failure> {
    on_large_stack(move || partition_of(&arguments))
}

fn partition_of(arguments: &PartitionArguments) -> Result<Exit, Failure> {
    let job = Job::new(&arguments.program)?;
    let common = arguments.cegar.common;
    let options = Options {
        refinement: arguments.cegar.refinement,
        prefer: common.prefer,
        int_model: common.int_model,
        memory_model: job.options.memory_model,
        budget: budget(arguments.timeout, None),
    };
    let extent = if arguments.history { Extent::History } else { Extent::Final };
    let program = frontend::load(&job.file, &job.options)?;
    let mut statistics = Statistics::default();
    let (verdict, report) = regrain::engine::cegar::check(&program, &options, &mut statistics);
    let (verdict, _) = checked(&program, verdict, common.int_model, &options.budget)?;
    let shown = partition::Shown::new(&program, &verdict, &report, extent);
    let printed = output::print(&match arguments.format {
        Format::Human => shown.text(),
        Format::Json => shown.json(),
    });
    let summary = Summary {
        file: &job.file.display().to_string(),
        engine: "cegar",
        memory_model: memory_model_name(job.options.memory_model),
        granularity: granularity_name(job.options.granularity),
        data_model: data_model_name(job.options.data_model),
        property: &job.options.property,
        verdict: &verdict,
        counterexample: None,
        invariant: None,
        statistics: &statistics,
        time: options.budget.elapsed(),
        memory: resident_megabytes(),
    };
    let drawn = arguments.pictures.proof(&program, &verdict, Some(&report));
    printed.and(arguments.pictures.write(&drawn, &summary))?;
    Ok(Exit::from(&verdict))
}
