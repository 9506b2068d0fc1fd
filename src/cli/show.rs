//! `regrain show`: the program as Regrain sees it.

use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::{Claim, scar};
use regrain::frontend;
use regrain::observe::Silent;
use regrain::program::{MemoryModel, Program, ThreadId};
use regrain::proof::Certificate;
use regrain::report::events::EventGraph;
use regrain::report::retell::{self, Retold};
use regrain::report::unrolled::Unrolled;
use regrain::report::{Detail, dot, svg, threads, unfolding};
use regrain::verify::{Engine, Settings, verify};

use super::args::{Passes, Picture, ShowArguments, What};
use super::exit::{Exit, Failure};
use super::job::Job;
use super::{apart, output};

/// How long a proof is looked for.
const SOON: Duration = Duration::from_secs(60);

/// Shows.
pub fn run(arguments: ShowArguments) -> Result<Exit, Failure> {
    let job = Job::new(&arguments.program)?;
    let (what, format, after) = (arguments.what, arguments.format, arguments.after);
    let bound = arguments.program.unwind.unwrap_or(1);
    let text = apart(move || match what {
        What::Cfa => Ok(Some(automata(&program(&job, after)?, format))),
        What::Threads => Ok(Some(created(&program(&job, after)?, format))),
        What::Events => events(&job, format),
        What::Unrolled => unrolled(&job, &program(&job, after)?, bound, format).map(Some),
        What::Unfolding => unfolded(&job, &program(&job, after)?, format),
    })?;
    let Some(text) = text else {
        output::complain(match what {
            What::Unfolding => "no proof by an unfolding was found; `--what unfolding` shows one",
            _ => "no run that violates an assertion was found; `--what events` shows one",
        });
        return Ok(Exit::Unknown);
    };
    match &arguments.output {
        None => output::print(&text)?,
        Some(path) => output::write(path, &text)?,
    }
    Ok(Exit::Done)
}

fn program(job: &Job, after: Option<Passes>) -> Result<Program, Failure> {
    Ok(match after {
        None => frontend::load(&job.file, &job.options)?,
        Some(Passes::None) => frontend::load_raw(&job.file, &job.options)?,
        Some(Passes::Until(stage)) => frontend::load_until(&job.file, &job.options, stage)?,
    })
}

fn automata(program: &Program, format: Picture) -> String {
    let threads: Vec<ThreadId> = program.thread_ids().collect();
    match format {
        Picture::Text => program.to_string(),
        Picture::Dot => dot::automata(program),
        Picture::Svg => svg::partitioned(program, &threads, &[]).document(),
    }
}

fn created(program: &Program, format: Picture) -> String {
    match format {
        Picture::Text => threads::table(program),
        Picture::Dot => dot::creations(program),
        Picture::Svg => svg::creations(program).document(),
    }
}

/// The event order graph of a violating run, if one is found soon.
fn events(job: &Job, format: Picture) -> Result<Option<String>, Failure> {
    let program = frontend::whole(frontend::load_raw(&job.file, &job.options)?, &job.options);
    let model = job.options.memory_model;
    if program.policy.is_some() && model != MemoryModel::Sc {
        let text = "cooperative programs are shown under sequential consistency only: use --memory-model sc";
        return Err(Failure::Unsupported(text.to_owned()));
    }
    let Some(run) = retell::again(&program, model, None, &Budget::unlimited()) else {
        return Ok(None);
    };
    let story = Retold { program, model, run, reduced: false };
    let graph = EventGraph::new(&story.program, &story.run, &story.told(Detail::Shared));
    Ok(Some(match format {
        Picture::Text => graph.text(),
        Picture::Dot => graph.dot(),
        Picture::Svg => svg::event_graph(&graph).document(),
    }))
}

/// The unfolding with which the engine `impact` proves the program, if it does so soon.
fn unfolded(job: &Job, program: &Program, format: Picture) -> Result<Option<String>, Failure> {
    let budget = Budget::unlimited().with_time(SOON);
    let settings = Settings { memory_model: job.options.memory_model, budget, ..Settings::default() };
    let answer = verify(program, Engine::Impact, &settings, &mut Silent)?;
    let Claim::Safe(Certificate::Unfolding(unfolding)) = answer.claim() else { return Ok(None) };
    let tree = unfolding::tree(program, unfolding);
    Ok(Some(match format {
        Picture::Text => tree.text(),
        Picture::Dot => tree.dot(),
        Picture::Svg => svg::unfolding(&tree).document(),
    }))
}

/// The events of the unrolled program.
fn unrolled(job: &Job, program: &Program, bound: u32, format: Picture) -> Result<String, Failure> {
    let model = job.options.memory_model;
    if program.policy.is_some() {
        let text = "engine scar does not know cooperative programs; `--what events` shows a violating run";
        return Err(Failure::Unsupported(text.to_owned()));
    }
    let overview = scar::overview(program, model, bound);
    let overview = overview.map_err(|reason| Failure::Unsupported(reason.summary))?;
    let events = Unrolled::new(program, &overview);
    match format {
        Picture::Text => Ok(events.text()),
        Picture::Dot => Ok(events.dot(model.into())),
        Picture::Svg => {
            Err(Failure::Unsupported("the unrolled program is shown as text or dot, not as svg".to_owned()))
        }
    }
}
