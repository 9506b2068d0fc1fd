//! The benchmark for people: a line a task, contestants side by side, then the sums and the comparison of
//! times.

use std::fmt::Write;
use std::time::Duration;

use super::{Answer, Benchmark, Cell, Mark, Run, expected_text, megabytes};
use crate::report::Layout;

const GREEN: &str = "\x1b[32m";
const YELLOW: &str = "\x1b[33m";
const RED: &str = "\x1b[1;31m";
const PLAIN: &str = "\x1b[0m";

/// A piece of a line.
struct Field {
    text: String,
    colour: Option<&'static str>,
    align: Align,
}

#[derive(Clone, Copy)]
enum Align {
    Left,
    Right,
}

impl Benchmark {
    /// The whole report. `statistics` names those that get a column for each contestant.
    pub fn text(&self, statistics: &[String], layout: &Layout) -> String {
        let mut text = self.task_table(statistics, layout);
        text.push('\n');
        text += &self.troubles();
        text += &self.totals_table(layout);
        text += &self.duels();
        text += &self.last_line();
        text
    }

    fn task_table(&self, statistics: &[String], layout: &Layout) -> String {
        let mut lines = Vec::new();
        if self.contestants.len() > 1 {
            let mut names = vec![left(""), left("")];
            for contestant in &self.contestants {
                names.push(left(&contestant.name));
                names.extend((0..4 + statistics.len()).map(|_| left("")));
            }
            lines.push(names);
        }
        let mut head = vec![left("task"), left("expected")];
        for _ in &self.contestants {
            head.push(left("verdict"));
            head.extend(["score", "time", "cpu", "memory"].map(right));
            head.extend(statistics.iter().map(|name| right(&name.to_lowercase())));
        }
        lines.push(head);
        for row in &self.rows {
            let mut line = vec![left(&row.task), left(&expected_of(&row.cells))];
            line.extend(row.cells.iter().flat_map(|cell| cell_fields(cell, statistics)));
            lines.push(line);
        }
        aligned(&lines, layout)
    }

    /// Wrong answers and failures, each with its reason: they must not drown in the table.
    fn troubles(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            for (contestant, cell) in self.contestants.iter().zip(&row.cells) {
                let (Some(run), Some(mark)) = (&cell.run, cell.mark()) else { continue };
                let what = match (mark, &run.answer) {
                    (Mark::WrongTrue | Mark::WrongFalse, answer) => {
                        format!("WRONG: {}, expected {}", answer.text(), expected_text(cell.expected))
                    }
                    (_, Answer::Refused | Answer::Crashed) => {
                        format!("{}: {}", run.answer.text(), run.reason)
                    }
                    _ => continue,
                };
                let _ = writeln!(text, "{}, {}: {what}", row.task, contestant.name);
            }
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    fn totals_table(&self, layout: &Layout) -> String {
        let mut head = vec![left("")];
        head.extend(
            [
                "score", "of", "true", "false", "wrong", "unknown", "limits", "failures", "time", "cpu",
                "memory",
            ]
            .map(right),
        );
        let mut lines = vec![head];
        for (index, contestant) in self.contestants.iter().enumerate() {
            let totals = self.totals(index);
            let counts = [
                totals.correct_true,
                totals.correct_false,
                totals.wrong,
                totals.unknown,
                totals.limits,
                totals.failures,
            ];
            let mut line = vec![left(&contestant.name)];
            line.extend([totals.score, totals.best_score].map(|score| right(&score.to_string())));
            line.extend(counts.map(|count| right(&count.to_string())));
            if totals.wrong > 0 {
                line[5].colour = Some(RED);
            }
            line.extend([totals.wall, totals.cpu].map(|time| right(&seconds(time))));
            line.push(right(&memory(totals.memory)));
            lines.push(line);
        }
        aligned(&lines, layout)
    }

    /// Each contestant's times against the first one's.
    fn duels(&self) -> String {
        let mut text = String::new();
        for index in 1..self.contestants.len() {
            let [first, other] = [0, index].map(|index| &self.contestants[index].name);
            let _ = match self.duel([index, 0]) {
                Some(duel) => writeln!(
                    text,
                    "{other} against {first}: {} tasks decided by both, {} against {}, ratio {:.2}, geometric mean {:.2}",
                    duel.tasks,
                    seconds(duel.wall[0]),
                    seconds(duel.wall[1]),
                    super::seconds_at_least(duel.wall[0]) / super::seconds_at_least(duel.wall[1]),
                    duel.mean_ratio
                ),
                None => writeln!(text, "{other} against {first}: no task is decided by both"),
            };
        }
        text
    }

    fn last_line(&self) -> String {
        let all: Vec<_> = (0..self.contestants.len()).map(|index| self.totals(index)).collect();
        let sum = |count: fn(&super::Totals) -> usize| all.iter().map(count).sum::<usize>();
        let (made, planned) = (sum(|totals| totals.runs), self.cells().count());
        let interrupted = if made < planned { format!(" of {planned}, interrupted") } else { String::new() };
        format!(
            "Runs: {made}{interrupted}; correct {}, wrong {}, without a verdict {}\n",
            sum(|totals| totals.correct_true + totals.correct_false),
            sum(|totals| totals.wrong),
            sum(|totals| totals.unknown + totals.limits + totals.failures),
        )
    }
}

/// What is expected of a task; for each contestant if their memory models differ in it.
fn expected_of(cells: &[Cell]) -> String {
    let texts: Vec<&str> = cells.iter().map(|cell| expected_text(cell.expected)).collect();
    match texts.iter().all(|text| *text == texts[0]) {
        true => texts[0].to_owned(),
        false => {
            texts.iter().map(|text| if text.is_empty() { "-" } else { text }).collect::<Vec<_>>().join("/")
        }
    }
}

fn cell_fields(cell: &Cell, statistics: &[String]) -> Vec<Field> {
    let (Some(run), Some(mark)) = (&cell.run, cell.mark()) else {
        let mut fields = vec![left("not run")];
        fields.extend((0..4 + statistics.len()).map(|_| left("")));
        return fields;
    };
    let wrong = if mark.is_wrong() { " WRONG" } else { "" };
    let mut verdict = left(&format!("{}{wrong}", run.answer.text()));
    verdict.colour = match mark {
        Mark::CorrectTrue | Mark::CorrectFalse => Some(GREEN),
        Mark::WrongTrue | Mark::WrongFalse => Some(RED),
        Mark::Open => Some(YELLOW),
        Mark::Unjudged => None,
    };
    let score = if cell.expected.is_some() { mark.score().to_string() } else { String::new() };
    let mut fields = vec![verdict, right(&score)];
    fields.extend([run.wall, run.cpu].map(|time| right(&seconds(time))));
    fields.push(right(&memory(run.memory)));
    fields.extend(statistics.iter().map(|name| right(&statistic(run, name))));
    fields
}

fn statistic(run: &Run, name: &str) -> String {
    match run.statistics.get(name) {
        None => String::new(),
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Number(number)) if number.is_f64() => {
            format!("{:.2}", number.as_f64().unwrap_or_default())
        }
        Some(value) => value.to_string(),
    }
}

fn left(text: &str) -> Field {
    Field { text: text.to_owned(), colour: None, align: Align::Left }
}

fn right(text: &str) -> Field {
    Field { text: text.to_owned(), colour: None, align: Align::Right }
}

pub(super) fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

pub(super) fn memory(bytes: u64) -> String {
    format!("{:.0} MB", megabytes(bytes))
}

/// Lines of fields as text, columns two blanks apart.
fn aligned(lines: &[Vec<Field>], layout: &Layout) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let fields = lines.iter().filter_map(|line| line.get(column));
        fields.map(|field| field.text.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let mut written = String::new();
        for (field, &width) in line.iter().zip(&widths) {
            let padded = match field.align {
                Align::Left => format!("{:width$}", field.text),
                Align::Right => format!("{:>width$}", field.text),
            };
            written += &match field.colour.filter(|_| layout.colour) {
                Some(colour) => format!("{colour}{padded}{PLAIN}  "),
                None => format!("{padded}  "),
            };
        }
        text += written.trim_end();
        text.push('\n');
    }
    text
}
