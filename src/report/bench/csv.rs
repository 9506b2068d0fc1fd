//! The benchmark for spreadsheets: a line for each run, a column for each statistic that any run told.

use super::{Benchmark, expected_text, megabytes};
use crate::report::compare::quoted;

const COLUMNS: [&str; 11] = [
    "task",
    "contestant",
    "memory_model",
    "expected",
    "verdict",
    "mark",
    "score",
    "wall_seconds",
    "cpu_seconds",
    "memory_mb",
    "reason",
];

impl Benchmark {
    /// Comma-separated values. Runs that were not made are left out.
    pub fn csv(&self) -> String {
        let statistics = self.statistics();
        let mut text = line(COLUMNS.into_iter().chain(statistics.iter().copied()));
        for row in &self.rows {
            for (contestant, cell) in self.contestants.iter().zip(&row.cells) {
                let (Some(run), Some(mark)) = (&cell.run, cell.mark()) else { continue };
                let mut fields = vec![
                    row.task.clone(),
                    contestant.name.clone(),
                    contestant.memory_model.to_owned(),
                    expected_text(cell.expected).to_owned(),
                    run.answer.text().to_owned(),
                    mark.name().to_owned(),
                    mark.score().to_string(),
                    format!("{:.6}", run.wall.as_secs_f64()),
                    format!("{:.6}", run.cpu.as_secs_f64()),
                    format!("{:.1}", megabytes(run.memory)),
                    run.reason.clone(),
                ];
                fields.extend(statistics.iter().map(|&name| match run.statistics.get(name) {
                    None => String::new(),
                    Some(serde_json::Value::String(text)) => text.clone(),
                    Some(value) => value.to_string(),
                }));
                text += &line(fields.iter().map(String::as_str));
            }
        }
        text
    }
}

fn line<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    fields.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}
