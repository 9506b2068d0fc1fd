//! The second step of the arguments: task and property files are read, and every option has its final value.

use std::path::{Path, PathBuf};

use regrain::frontend::{Allocation, Options, task};

use super::args::ProgramArguments;
use super::exit::Failure;

/// A program and how to look at it.
#[derive(Clone, Debug)]
pub struct Job {
    /// The C file.
    pub file: PathBuf,
    /// How it is read.
    pub options: Options,
}

impl Job {
    /// Resolves the arguments. A property on the command line wins over the task's; the task's data model
    /// wins over the command line's.
    pub fn new(arguments: &ProgramArguments) -> Result<Job, Failure> {
        let mut job = Job {
            file: arguments.file.clone(),
            options: Options {
                data_model: arguments.data_model,
                granularity: arguments.granularity,
                memory_model: arguments.memory_model,
                scheduler: arguments.scheduler,
                undefined: arguments.undefined,
                signed_overflow: arguments.signed_overflow,
                undefined_behaviour: arguments.undefined_behaviour,
                allocation: match arguments.malloc_may_fail {
                    true => Allocation::MayFail,
                    false => Allocation::Succeeds,
                },
                unroll: arguments.unwind.unwrap_or(Options::default().unroll),
                include: arguments.include.clone(),
                define: arguments.define.clone(),
                ..Options::default()
            },
        };
        if is_task(&arguments.file) {
            let task = task::read_task(&arguments.file)?;
            job.file = task.input;
            job.options.property = task.property;
            job.options.data_model = task.data_model.unwrap_or(arguments.data_model);
        }
        if let Some(property) = &arguments.property {
            job.options.property = task::read_property(property)?;
        }
        Ok(job)
    }
}

fn is_task(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml")
}
