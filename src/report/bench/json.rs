//! The benchmark for scripts: one document. `docs/src/bench.md` describes its fields.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Benchmark, Cell, Contestant, megabytes};
use crate::report::json::SCHEMA_VERSION;

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    limits: Limits,
    complete: bool,
    contestants: Vec<Summary<'a>>,
    runs: Vec<Run<'a>>,
}

#[derive(Serialize)]
struct Limits {
    wall_seconds: f64,
    memory_mb: Option<u64>,
}

#[derive(Serialize)]
struct Summary<'a> {
    name: &'a str,
    command: &'a str,
    memory_model: &'a str,
    runs: usize,
    score: i64,
    best_score: i64,
    correct_true: usize,
    correct_false: usize,
    wrong: usize,
    unjudged: usize,
    unknown: usize,
    limits: usize,
    failures: usize,
    wall_seconds: f64,
    cpu_seconds: f64,
    memory_mb: f64,
}

#[derive(Serialize)]
struct Run<'a> {
    task: &'a str,
    contestant: &'a str,
    expected: Option<bool>,
    verdict: &'a str,
    mark: &'a str,
    score: i64,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    wall_seconds: f64,
    cpu_seconds: f64,
    memory_mb: f64,
    statistics: &'a BTreeMap<String, serde_json::Value>,
}

impl Benchmark {
    /// One JSON document. Runs that were not made are left out, and `complete` is false then.
    ///
    /// # Panics
    /// Never: plain data can always be written.
    pub fn json(&self) -> String {
        let document = Document {
            schema_version: SCHEMA_VERSION,
            limits: Limits { wall_seconds: self.limits.time.as_secs_f64(), memory_mb: self.limits.memory },
            complete: self.is_complete(),
            contestants: (0..self.contestants.len()).map(|index| self.summary(index)).collect(),
            runs: self.runs(),
        };
        serde_json::to_string_pretty(&document).expect("plain data") + "\n"
    }

    fn summary(&self, index: usize) -> Summary<'_> {
        let Contestant { name, command, memory_model } = &self.contestants[index];
        let totals = self.totals(index);
        Summary {
            name,
            command,
            memory_model,
            runs: totals.runs,
            score: totals.score,
            best_score: totals.best_score,
            correct_true: totals.correct_true,
            correct_false: totals.correct_false,
            wrong: totals.wrong,
            unjudged: totals.unjudged,
            unknown: totals.unknown,
            limits: totals.limits,
            failures: totals.failures,
            wall_seconds: totals.wall.as_secs_f64(),
            cpu_seconds: totals.cpu.as_secs_f64(),
            memory_mb: megabytes(totals.memory),
        }
    }

    fn runs(&self) -> Vec<Run<'_>> {
        let cells = self.rows.iter().flat_map(|row| {
            self.contestants.iter().zip(&row.cells).map(|(contestant, cell)| (&row.task, contestant, cell))
        });
        cells.filter_map(|(task, contestant, cell)| run(task, &contestant.name, cell)).collect()
    }
}

fn run<'a>(task: &'a str, contestant: &'a str, cell: &'a Cell) -> Option<Run<'a>> {
    let (run, mark) = (cell.run.as_ref()?, cell.mark()?);
    Some(Run {
        task,
        contestant,
        expected: cell.expected,
        verdict: run.answer.text(),
        mark: mark.name(),
        score: mark.score(),
        reason: &run.reason,
        wall_seconds: run.wall.as_secs_f64(),
        cpu_seconds: run.cpu.as_secs_f64(),
        memory_mb: megabytes(run.memory),
        statistics: &run.statistics,
    })
}
