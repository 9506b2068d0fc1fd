//! `regrain show`: the program as Regrain sees it.

use regrain::frontend;
use regrain::program::ThreadId;
use regrain::report::{dot, svg, threads};

use super::args::{Passes, Picture, ShowArguments, What};
use super::exit::{Exit, Failure};
use super::job::Job;
use super::output;

/// Shows.
pub fn run(arguments: &ShowArguments) -> Result<Exit, Failure> {
    let job = Job::new(&arguments.program)?;
    let program = match arguments.after {
        None => frontend::load(&job.file, &job.options)?,
        Some(Passes::None) => frontend::load_raw(&job.file, &job.options)?,
        Some(Passes::Until(stage)) => frontend::load_until(&job.file, &job.options, stage)?,
    };
    let threads: Vec<ThreadId> = program.thread_ids().collect();
    let text = match (arguments.what, arguments.format) {
        (What::Cfa, Picture::Text) => program.to_string(),
        (What::Cfa, Picture::Dot) => dot::automata(&program),
        (What::Threads, Picture::Text) => threads::table(&program),
        (What::Cfa, Picture::Svg) => svg::partitioned(&program, &threads, &[]).document(),
        (What::Threads, Picture::Dot) => dot::creations(&program),
        (What::Threads, Picture::Svg) => svg::creations(&program).document(),
    };
    match &arguments.output {
        None => output::print(&text)?,
        Some(path) => output::write(path, &text)?,
    }
    Ok(Exit::Done)
}
