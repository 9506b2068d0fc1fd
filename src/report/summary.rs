//! Everything that is said about a finished run: what was asked, the verdict, the evidence, the statistics.

use std::fmt::Write;
use std::time::Duration;

use super::{Counterexample, Layout, Trouble};
use crate::engine::{Claim, Reason};
use crate::frontend::Property;
use crate::observe::Statistics;
use crate::program::AssertionKind;
use crate::verify::Checked;

/// Names of statistics in the order in which they are printed; others follow in alphabetical order.
const ORDER: [&str; 18] = [
    "Refinements",
    "Predicates",
    "Classes",
    "States",
    "Bound",
    "Events",
    "Read-from pairs",
    "Clauses",
    "Contradictions",
    "Clauses added",
    "Rounds",
    "Cycles",
    "Reasons",
    "Mean reason",
    "SAT time",
    "Graph time",
    "Reach time",
    "Refine time",
];

/// A finished run.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// The program's file.
    pub file: &'a str,
    /// The memory model.
    pub memory_model: &'a str,
    /// What a step was.
    pub granularity: &'a str,
    /// Sizes of integers.
    pub data_model: &'a str,
    /// The property.
    pub property: &'a Property,
    /// What the answer takes for granted: `no signed overflow`, `no undefined behaviour`.
    pub assuming: &'a [&'static str],
    /// The answer.
    pub answer: &'a Checked,
    /// The run that violates the property, or shows why there is no answer, if there is one.
    pub counterexample: Option<&'a Counterexample>,
    /// The invariant that proves the property, if it was asked for.
    pub invariant: Option<&'a str>,
    /// What there is to know besides, a sentence a line.
    pub notes: &'a [String],
    /// How much of the statistics people see.
    pub amount: Amount,
    /// What the engine told.
    pub statistics: &'a Statistics,
    /// Time that everything took.
    pub time: Duration,
    /// Memory in use at the end, in megabytes.
    pub memory: Option<u64>,
}

/// How much of the statistics a report for people has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    /// Where there is no answer, those that tell most.
    Telling,
    /// All.
    All,
}

/// Statistics that are shown where there is no answer, unless all are asked for.
const MOST: usize = 10;

/// A statistic's value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    Count(u64),
    Seconds(f64),
    Text(String),
}

impl Summary<'_> {
    /// `true`, `false(unreach-call)` or `unknown (REASON)`: a contract with scripts.
    pub fn verdict_text(&self) -> String {
        let told = self.counterexample.and_then(|told| match told.violated.kind {
            Trouble::Violation(kind) => Some(kind),
            Trouble::Undefined => None,
        });
        let property = told.or(self.answer.violated()).map_or("", AssertionKind::name);
        match self.answer.claim() {
            Claim::Safe(_) => "true".to_owned(),
            Claim::Unsafe(_) => format!("false({property})"),
            Claim::Unknown(reason) => format!("unknown ({})", one_line(&reason.summary)),
        }
    }

    /// The report for people. Its last line is the verdict.
    pub fn text(&self, layout: &Layout) -> String {
        let mut text = String::new();
        if let Some(counterexample) = self.counterexample {
            text += &counterexample.text(layout);
            text.push('\n');
        }
        if let Some(invariant) = self.invariant {
            text += invariant;
            text.push('\n');
        }
        if let Claim::Unknown(reason) = self.answer.claim() {
            text += &unknown(reason);
        }
        for (name, value) in self.shown() {
            let _ = match value {
                Value::Count(count) => writeln!(text, "{name}: {count}"),
                Value::Seconds(seconds) => writeln!(text, "{name}: {seconds:.3} s"),
                Value::Text(note) => writeln!(text, "{name}: {}", one_line(&note)),
            };
        }
        for note in self.notes {
            let _ = writeln!(text, "Note: {}", one_line(note));
        }
        if !self.assuming.is_empty() {
            let _ = writeln!(text, "Assuming: {}", self.assuming.join(", "));
        }
        let _ = writeln!(text, "Verdict: {}", self.verdict_text());
        text
    }

    /// The statistics for people.
    fn shown(&self) -> Vec<(&str, Value)> {
        let mut values = self.values();
        let undecided = matches!(self.answer.claim(), Claim::Unknown(_));
        if undecided && self.amount == Amount::Telling && values.len() > MOST {
            // The first ones, and time and memory, which are the last.
            let end = values.split_off(values.len() - 2);
            values.truncate(MOST - 2);
            values.extend(end);
        }
        values
    }

    /// The statistics by their names, in order.
    pub(super) fn values(&self) -> Vec<(&str, Value)> {
        let mut values = vec![
            ("Engine", Value::Text(self.answer.engine().name().to_owned())),
            ("Memory model", Value::Text(self.memory_model.to_owned())),
        ];
        let Statistics { counts, times, notes, .. } = self.statistics;
        let mut told: Vec<(&str, Value)> = Vec::new();
        told.extend(counts.iter().map(|(&name, &count)| (name, Value::Count(count))));
        told.extend(times.iter().map(|(&name, time)| (name, Value::Seconds(time.as_secs_f64()))));
        told.extend(notes.iter().map(|(&name, note)| (name, Value::Text(note.clone()))));
        told.sort_by_key(|&(name, _)| {
            (ORDER.iter().position(|&known| known == name).unwrap_or(ORDER.len()), name)
        });
        values.append(&mut told);
        values.push(("Time", Value::Seconds(self.time.as_secs_f64())));
        values.extend(self.memory.map(|megabytes| ("Memory", Value::Text(format!("{megabytes} MB")))));
        values
    }
}

/// Why there is no answer, what was established, and what can be tried.
fn unknown(reason: &Reason) -> String {
    let mut text = format!("No answer: {}.\n", one_line(&reason.summary));
    for (heading, sentences) in [("Established:", &reason.details), ("What to try:", &reason.advice)] {
        if !sentences.is_empty() {
            let _ = writeln!(text, "{heading}");
        }
        for sentence in sentences {
            let _ = writeln!(text, "- {}", one_line(sentence));
        }
    }
    text.push('\n');
    text
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}
