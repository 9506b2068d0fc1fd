//! The comparison of the two kinds of refinement: a row a program, like Table 1 of the paper.

use std::fmt::Write;
use std::time::Duration;

use serde::Serialize;

use super::json::SCHEMA_VERSION;

/// A run in one mode.
#[derive(Clone, PartialEq, Debug)]
pub struct Mode {
    /// `true`, `false` or `unknown`.
    pub verdict: &'static str,
    /// Time of verification.
    pub total: Duration,
    /// Of that, abstract reachability.
    pub reach: Duration,
    /// Of that, refinement.
    pub refine: Duration,
    /// Refinements.
    pub rounds: u64,
    /// Predicates, over all views.
    pub predicates: u64,
    /// Classes of locations, over all views.
    pub classes: u64,
    /// Abstract states visited, over all rounds.
    pub states: u64,
    /// Questions to the solver.
    pub queries: u64,
}

/// A program in both modes.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The program.
    pub name: String,
    /// Classes only split.
    pub monotonic: Mode,
    /// The partition found anew each round.
    pub nonmonotonic: Mode,
}

/// Some programs.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// One a program.
    pub rows: Vec<Row>,
}

impl Row {
    /// How much of the monotonic time the non-monotonic mode saves; negative if it takes longer.
    pub fn saving(&self) -> f64 {
        let [old, new] = [&self.monotonic, &self.nonmonotonic].map(|mode| mode.total.as_secs_f64());
        if old == 0.0 { 0.0 } else { 1.0 - new / old }
    }

    fn modes(&self) -> [(&'static str, &Mode); 2] {
        [("monotonic", &self.monotonic), ("non-monotonic", &self.nonmonotonic)]
    }
}

#[derive(Serialize)]
struct JsonMode<'a> {
    program: &'a str,
    mode: &'a str,
    verdict: &'a str,
    total: f64,
    reach: f64,
    refine: f64,
    rounds: u64,
    predicates: u64,
    classes: u64,
    states: u64,
    solver_queries: u64,
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    runs: Vec<JsonMode<'a>>,
    savings: Vec<(&'a str, f64)>,
}

impl Comparison {
    /// Whether each run came to an answer.
    pub fn complete(&self) -> bool {
        self.rows.iter().flat_map(Row::modes).all(|(_, mode)| mode.verdict != "unknown")
    }

    /// A table for people.
    pub fn text(&self) -> String {
        let width = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(7);
        let mut text = format!(
            "{:width$}  {:13}  {:7}  {:>9}  {:>17}  {:>6}  {:>10}  {:>7}  {:>7}  {:>6}\n",
            "Program",
            "Refinement",
            "Verdict",
            "Total",
            "Reach + refine",
            "Rounds",
            "Predicates",
            "Classes",
            "States",
            "Saving"
        );
        for row in &self.rows {
            for (name, mode) in row.modes() {
                let (program, saving) = match name {
                    "monotonic" => (row.name.as_str(), String::new()),
                    _ => ("", format!("{:.0} %", 100.0 * row.saving())),
                };
                let parts = format!("{} + {}", seconds(mode.reach), seconds(mode.refine));
                let line = format!(
                    "{program:width$}  {name:13}  {:7}  {:>9}  {parts:>17}  {:>6}  {:>10}  {:>7}  {:>7}  {saving:>6}",
                    mode.verdict,
                    seconds(mode.total),
                    mode.rounds,
                    mode.predicates,
                    mode.classes,
                    mode.states,
                );
                let _ = writeln!(text, "{}", line.trim_end());
            }
        }
        text
    }

    /// A table for programs: a line for each program and mode.
    pub fn csv(&self) -> String {
        let mut text =
            "program,mode,verdict,total,reach,refine,rounds,predicates,classes,states,queries\n".to_owned();
        for row in &self.rows {
            for (name, mode) in row.modes() {
                let [total, reach, refine] =
                    [mode.total, mode.reach, mode.refine].map(|time| time.as_secs_f64());
                let _ = writeln!(
                    text,
                    "{},{name},{},{total:.6},{reach:.6},{refine:.6},{},{},{},{},{}",
                    quoted(&row.name),
                    mode.verdict,
                    mode.rounds,
                    mode.predicates,
                    mode.classes,
                    mode.states,
                    mode.queries,
                );
            }
        }
        text
    }

    /// One JSON document.
    pub fn json(&self) -> String {
        let runs = self.rows.iter().flat_map(|row| {
            row.modes().map(|(name, mode)| JsonMode {
                program: &row.name,
                mode: name,
                verdict: mode.verdict,
                total: mode.total.as_secs_f64(),
                reach: mode.reach.as_secs_f64(),
                refine: mode.refine.as_secs_f64(),
                rounds: mode.rounds,
                predicates: mode.predicates,
                classes: mode.classes,
                states: mode.states,
                solver_queries: mode.queries,
            })
        });
        let savings = self.rows.iter().map(|row| (row.name.as_str(), row.saving())).collect();
        let document = Document { schema_version: SCHEMA_VERSION, runs: runs.collect(), savings };
        serde_json::to_string_pretty(&document).expect("numbers and texts") + "\n"
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

/// A field of a table of comma-separated values; in quotes if it needs them.
pub(super) fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison() -> Comparison {
        let mode = |total, classes| Mode {
            verdict: "true",
            total: Duration::from_millis(total),
            reach: Duration::from_millis(total / 2),
            refine: Duration::from_millis(total / 4),
            rounds: 12,
            predicates: 7,
            classes,
            states: 345,
            queries: 1234,
        };
        let row = |name: &str, new| Row {
            name: name.to_owned(),
            monotonic: mode(400, 14),
            nonmonotonic: mode(new, 10),
        };
        Comparison { rows: vec![row("bakery", 100), row("a,b", 500)] }
    }

    #[test]
    fn the_saving_is_a_share_of_the_monotonic_time() {
        let rows = comparison().rows;
        assert_eq!(rows.iter().map(Row::saving).collect::<Vec<_>>(), [0.75, -0.25]);
    }

    #[test]
    fn every_form_has_every_run() {
        let comparison = comparison();
        let text = comparison.text();
        assert_eq!(text.lines().count(), 5);
        assert!(text.contains("75 %") && text.contains("-25 %"), "{text}");
        let csv = comparison.csv();
        assert_eq!(
            csv.lines().nth(3),
            Some("\"a,b\",monotonic,true,0.400000,0.200000,0.100000,12,7,14,345,1234")
        );
        let json: serde_json::Value = serde_json::from_str(&comparison.json()).expect("JSON");
        assert_eq!(json["runs"].as_array().map(Vec::len), Some(4));
        assert_eq!(json["runs"][1]["classes"], 10);
    }
}
