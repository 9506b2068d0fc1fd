//! `--html`, `--dot` and `--svg`: the evidence as a page and as pictures.
//!
//! What needs the program is drawn by the working thread ([`PictureArguments::draw`]); the files are written
//! at the end, when the statistics are known, and after the report, so that a file that cannot be written
//! costs no result.

use std::path::PathBuf;

use clap::Args;
use regrain::engine::cegar::Report;
use regrain::engine::{Claim, Story};
use regrain::program::{Program, ThreadId};
use regrain::proof::Certificate;
use regrain::report::events::EventGraph;
use regrain::report::html::{self, Part, Proof};
use regrain::report::retell::Retold;
use regrain::report::svg::{self, Classes};
use regrain::report::{Counterexample, Detail, Summary, dot, unfolding};
use regrain::verify::Checked;

use super::exit::Failure;
use super::output;

/// Where pictures go.
#[derive(Args, Clone, Debug, Default)]
pub struct PictureArguments {
    /// Write a page to this file: a violation to step through, or the invariants and rounds of a proof, or
    /// its unfolding
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Write a graph for Graphviz: the event order graph of a violation, the control-flow automata, coloured
    /// by the partition of a proof, or the unfolding that proves the program
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,

    /// Write the same graph as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// What was drawn; nothing if nothing was asked for.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    part: Part,
    dot: String,
    svg: String,
}

impl PictureArguments {
    fn none(&self) -> bool {
        self.html.is_none() && self.dot.is_none() && self.svg.is_none()
    }

    /// Draws a violation.
    pub fn violation(&self, story: &Retold, told: &Counterexample, detail: Detail) -> Drawn {
        if self.none() {
            return Drawn::default();
        }
        let retold = match detail {
            Detail::None => Some(story.told(Detail::Shared)),
            Detail::Full | Detail::Shared => None,
        };
        let told = retold.as_ref().unwrap_or(told);
        let graph = EventGraph::new(&story.program, &story.run, told);
        Drawn {
            part: html::violation(&story.program, told, &graph),
            dot: graph.dot(),
            svg: svg::event_graph(&graph.folded().unwrap_or(graph)).document(),
        }
    }

    /// Draws a proof, or what there is of one.
    pub fn proof(&self, program: &Program, answer: &Checked) -> Drawn {
        if self.none() {
            return Drawn::default();
        }
        let report = match answer.story() {
            Story::Cegar(report) => Some(report),
            Story::Nothing => None,
        };
        let mut proof = Proof { program, invariant: None, unfolding: None, forest: None, report };
        match answer.claim() {
            Claim::Safe(Certificate::Views(invariant)) => proof.invariant = Some(invariant),
            Claim::Safe(Certificate::Unfolding(unfolding)) => proof.unfolding = Some(unfolding),
            Claim::Safe(Certificate::Forest(forest)) => proof.forest = Some(forest),
            _ => {}
        }
        let part = html::proof(&proof);
        let unfolding = proof.unfolding;
        if let Some(unfolding) = unfolding {
            let tree = unfolding::tree(program, unfolding);
            return Drawn { part, dot: tree.dot(), svg: svg::unfolding(&tree).document() };
        }
        let views = classes(report);
        let threads: Vec<ThreadId> = program.thread_ids().collect();
        Drawn {
            part,
            dot: dot::partitioned(program, &views),
            svg: svg::partitioned(program, &threads, &views).document(),
        }
    }

    /// Writes the files.
    pub fn write(&self, drawn: &Drawn, summary: &Summary<'_>) -> Result<(), Failure> {
        let write = |path: &Option<PathBuf>, text: &dyn Fn() -> String| match path {
            Some(path) => output::write(path, &text()),
            None => Ok(()),
        };
        let files = [
            write(&self.html, &|| html::page(summary, &drawn.part)),
            write(&self.dot, &|| drawn.dot.clone()),
            write(&self.svg, &|| drawn.svg.clone()),
        ];
        files.into_iter().collect()
    }
}

/// For each verified thread, the classes of the others' locations.
fn classes(report: Option<&Report>) -> Vec<(ThreadId, Classes)> {
    let views = report.map_or(&[][..], |report| &report.views);
    let of_view = |classes: &[Vec<Vec<regrain::program::LocId>>]| {
        let numbered = classes.iter().flat_map(|thread| thread.iter().enumerate());
        numbered
            .flat_map(|(class, places)| places.iter().map(move |&place| (place, class)))
            .collect::<Classes>()
    };
    views.iter().map(|view| (view.observed, of_view(&view.classes))).collect()
}
