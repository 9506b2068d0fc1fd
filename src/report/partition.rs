//! The partition of locations that a verification came to, and how it came to it.

use std::fmt::Write;

use serde::Serialize;

use super::json::SCHEMA_VERSION;
use crate::engine::cegar::{Cause, History, Round, Spurious};
use crate::engine::{Claim, Story};
use crate::program::{LocId, Program, ThreadId};
use crate::verify::Checked;

/// How much is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// The classes at the end.
    Final,
    /// Every round before.
    History,
}

/// A partition as data for people and scripts.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Shown {
    schema_version: u32,
    verdict: String,
    classes: usize,
    views: Vec<ShownView>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct ShownView {
    observed: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rounds: Vec<ShownRound>,
    environment: Vec<ShownThread>,
}

/// A thread with the places of each of its classes.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct ShownThread {
    thread: String,
    classes: Vec<Vec<String>>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct ShownRound {
    spurious: Vec<ShownPath>,
    predicates: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<Vec<ShownThread>>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct ShownPath {
    cause: &'static str,
    steps: Vec<String>,
    mismatches: Vec<[String; 2]>,
}

impl Shown {
    /// What to show of a run that left nothing but its answer.
    pub fn without_views(answer: &Checked) -> Shown {
        let verdict = match answer.claim() {
            Claim::Safe(_) => "true".to_owned(),
            Claim::Unsafe(_) => "false".to_owned(),
            Claim::Unknown(reason) => format!("unknown ({})", reason.summary),
        };
        Shown { schema_version: SCHEMA_VERSION, verdict, classes: 0, views: Vec::new() }
    }

    /// What to show of a run.
    pub fn new(program: &Program, answer: &Checked, extent: Extent) -> Shown {
        let histories: &[History] = match answer.story() {
            Story::Cegar(report) => &report.views,
            Story::Nothing => &[],
        };
        let views: Vec<ShownView> =
            histories.iter().map(|history| shown_view(program, history, extent)).collect();
        let threads = views.iter().flat_map(|view| &view.environment);
        let classes = threads.map(|thread| thread.classes.len()).sum();
        Shown { classes, views, ..Shown::without_views(answer) }
    }

    /// One JSON document.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("texts alone") + "\n"
    }

    /// Text for people; the last line is the verdict.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for view in &self.views {
            let _ = writeln!(text, "Seen from {}:", view.observed);
            for (number, round) in view.rounds.iter().enumerate() {
                let _ = writeln!(text, "  Round {}:", number + 1);
                write_round(&mut text, round);
            }
            if !view.rounds.is_empty() {
                let _ = writeln!(text, "  In the end:");
            }
            write_threads(&mut text, &view.environment, "    ");
        }
        let _ = writeln!(text, "Classes: {}\nVerdict: {}", self.classes, self.verdict);
        text
    }
}

fn write_round(text: &mut String, round: &ShownRound) {
    for path in &round.spurious {
        let _ = writeln!(text, "    spurious by its {}: {}", path.cause, path.steps.join("; "));
        for [left, entered] in &path.mismatches {
            let _ = writeln!(text, "      mismatch: {left} is not {entered}");
        }
    }
    if !round.predicates.is_empty() {
        let _ = writeln!(text, "    new predicates: {}", round.predicates.join(", "));
    }
    if let Some(partition) = &round.partition {
        let _ = writeln!(text, "    new partition:");
        write_threads(text, partition, "      ");
    }
}

fn write_threads(text: &mut String, threads: &[ShownThread], indent: &str) {
    for thread in threads {
        for (class, places) in thread.classes.iter().enumerate() {
            let _ = writeln!(text, "{indent}{} class {class}: {}", thread.thread, places.join(", "));
        }
    }
}

fn shown_view(program: &Program, history: &History, extent: Extent) -> ShownView {
    let rounds = match extent {
        Extent::Final => Vec::new(),
        Extent::History => {
            history.rounds.iter().map(|round| shown_round(program, &history.environment, round)).collect()
        }
    };
    ShownView {
        observed: program.thread(history.observed).name.clone(),
        rounds,
        environment: shown_threads(program, &history.environment, &history.classes),
    }
}

fn shown_threads(program: &Program, threads: &[ThreadId], classes: &[Vec<Vec<LocId>>]) -> Vec<ShownThread> {
    let shown = |(&thread, classes): (&ThreadId, &Vec<Vec<LocId>>)| ShownThread {
        thread: program.thread(thread).name.clone(),
        classes: classes
            .iter()
            .map(|class| class.iter().map(|&location| place(program, location)).collect())
            .collect(),
    };
    threads.iter().zip(classes).map(shown).collect()
}

fn shown_round(program: &Program, threads: &[ThreadId], round: &Round) -> ShownRound {
    ShownRound {
        spurious: round.spurious.iter().map(|spurious| shown_path(program, spurious)).collect(),
        predicates: round.predicates.clone(),
        partition: round.classes.as_ref().map(|classes| shown_threads(program, threads, classes)),
    }
}

fn shown_path(program: &Program, spurious: &Spurious) -> ShownPath {
    let step = |&id: &crate::program::TransId| {
        let thread = &program.thread(program.thread_of(id)).name;
        format!("{thread} {}", place(program, program.transition(id).from))
    };
    ShownPath {
        cause: match spurious.cause {
            Cause::Data => "data",
            Cause::Control => "control flow",
            Cause::Atomicity => "atomic sections",
        },
        steps: spurious.path.iter().map(step).collect(),
        mismatches: spurious
            .mismatches
            .iter()
            .map(|&(a, b)| [place(program, a), place(program, b)])
            .collect(),
    }
}

/// A location by its line and, as several may share a line, its number.
fn place(program: &Program, location: LocId) -> String {
    let span = program.location(location).span;
    match span.is_some() {
        true => format!("line {} (L{})", span.line, location.index()),
        false => format!("L{}", location.index()),
    }
}
