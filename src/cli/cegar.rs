//! Options of the engine `cegar`, and `regrain partition`.

use clap::Args;
use regrain::engine::cegar::{Options, Preference, Refinement};
use regrain::frontend;
use regrain::observe::Silent;
use regrain::report::partition::{self, Extent};
use regrain::smt::IntModel;

use super::args::{Format, ProgramArguments, budget, named, positive_seconds};
use super::exit::{Exit, Failure};
use super::job::Job;
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
pub fn partition(arguments: &PartitionArguments) -> Result<Exit, Failure> {
    let job = Job::new(&arguments.program)?;
    let options = Options {
        refinement: arguments.cegar.refinement,
        prefer: arguments.cegar.common.prefer,
        int_model: arguments.cegar.common.int_model,
        memory_model: job.options.memory_model,
        budget: budget(arguments.timeout, None),
    };
    let extent = if arguments.history { Extent::History } else { Extent::Final };
    let format = arguments.format;
    let (text, exit) = on_large_stack(move || -> Result<(String, Exit), Failure> {
        let program = frontend::load(&job.file, &job.options)?;
        let (verdict, report) = regrain::engine::cegar::check(&program, &options, &mut Silent);
        let shown = partition::Shown::new(&program, &verdict, &report, extent);
        let text = match format {
            Format::Human => shown.text(),
            Format::Json => shown.json(),
        };
        Ok((text, Exit::from(&verdict)))
    })?;
    output::print(&text)?;
    Ok(exit)
}
