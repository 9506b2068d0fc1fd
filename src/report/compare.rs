//! The comparison of the two kinds of refinement: a row a program, like Table 1 of the paper.

use std::cmp::Ordering;
use std::fmt::Write;
use std::time::Duration;

use serde::Serialize;

use super::json::SCHEMA_VERSION;
use crate::engine::Claim;
use crate::observe::Statistics;
use crate::verify::Checked;

/// A run in one mode.
#[derive(Clone, PartialEq, Debug)]
pub struct Mode {
    /// `true`, `false` or `unknown`.
    pub verdict: &'static str,
    /// Why it is unknown.
    pub reason: Option<String>,
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
    /// Questions about integer differences, which need no solver.
    pub differences: u64,
}

impl Mode {
    /// A run with its answer, the time it took, and what it told.
    pub fn new(answer: &Checked, total: Duration, statistics: &Statistics) -> Mode {
        let count = |name: &str| statistics.counts.get(name).copied().unwrap_or(0);
        let time = |name: &str| statistics.times.get(name).copied().unwrap_or(Duration::ZERO);
        let (verdict, reason) = match answer.claim() {
            Claim::Safe(_) => ("true", None),
            Claim::Unsafe(_) => ("false", None),
            Claim::Unknown(reason) => ("unknown", Some(reason.summary.clone())),
        };
        Mode {
            verdict,
            reason,
            total,
            reach: time("Reach time"),
            refine: time("Refine time"),
            rounds: count("Refinements"),
            predicates: count("Predicates"),
            classes: count("Classes"),
            states: count("States"),
            queries: count("Solver queries"),
            differences: count("Difference queries"),
        }
    }
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
    /// How much of the monotonic time the non-monotonic mode saves; negative if it takes longer.
    pub saving: f64,
}

/// Some programs.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// One a program.
    pub rows: Vec<Row>,
}

impl Row {
    /// A program of which each mode ran several times, in pairs: of each the run of median time, and the
    /// median of the pairs' savings. What slows the machine down for a while slows down both runs of a pair.
    ///
    /// # Panics
    /// If there is no pair.
    pub fn new(name: String, runs: Vec<(Mode, Mode)>) -> Row {
        let saving = |(old, new): &(Mode, Mode)| match old.total.as_secs_f64() {
            0.0 => 0.0,
            old => 1.0 - new.total.as_secs_f64() / old,
        };
        let saving = median(runs.iter().map(saving).collect(), f64::total_cmp);
        let (old, new): (Vec<Mode>, Vec<Mode>) = runs.into_iter().unzip();
        let [monotonic, nonmonotonic] = [old, new].map(|runs| median(runs, |a, b| a.total.cmp(&b.total)));
        Row { name, monotonic, nonmonotonic, saving }
    }

    fn modes(&self) -> [(&'static str, &Mode); 2] {
        [("monotonic", &self.monotonic), ("non-monotonic", &self.nonmonotonic)]
    }

    /// The saving, beside the mode that saves.
    fn saving_of(&self, mode: &str) -> Option<f64> {
        (mode == "non-monotonic").then_some(self.saving)
    }
}

/// The middle one in an order.
fn median<T>(mut values: Vec<T>, order: impl FnMut(&T, &T) -> Ordering) -> T {
    values.sort_by(order);
    let middle = values.len() / 2;
    values.swap_remove(middle)
}

#[derive(Serialize)]
struct JsonMode<'a> {
    program: &'a str,
    mode: &'a str,
    verdict: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    total: f64,
    reach: f64,
    refine: f64,
    rounds: u64,
    predicates: u64,
    classes: u64,
    states: u64,
    solver_queries: u64,
    difference_queries: u64,
    saving: Option<f64>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    runs: Vec<JsonMode<'a>>,
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
            "{:width$}  {:13}  {:7}  {:>9}  {:>21}  {:>6}  {:>10}  {:>7}  {:>7}  {:>6}\n",
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
                let (program, saving) = match row.saving_of(name) {
                    None => (row.name.as_str(), String::new()),
                    Some(saving) => ("", format!("{:.0} %", 100.0 * saving)),
                };
                let parts = format!("{} + {}", shown(mode.reach), shown(mode.refine));
                let line = format!(
                    "{program:width$}  {name:13}  {:7}  {:>9}  {parts:>21}  {:>6}  {:>10}  {:>7}  {:>7}  {saving:>6}",
                    mode.verdict,
                    shown(mode.total),
                    mode.rounds,
                    mode.predicates,
                    mode.classes,
                    mode.states,
                );
                let _ = writeln!(text, "{}", line.trim_end());
            }
        }
        for row in &self.rows {
            for (name, mode) in row.modes() {
                if let Some(reason) = &mode.reason {
                    let _ = writeln!(text, "{}, {name}: unknown ({reason})", row.name);
                }
            }
        }
        text
    }

    /// A table for programs: a line for each program and mode.
    pub fn csv(&self) -> String {
        let mut text =
            "program,mode,verdict,total,reach,refine,rounds,predicates,classes,states,queries,differences,saving\n".to_owned();
        for row in &self.rows {
            for (name, mode) in row.modes() {
                let [total, reach, refine] =
                    [mode.total, mode.reach, mode.refine].map(|time| time.as_secs_f64());
                let saving = row.saving_of(name).map_or_else(String::new, |saving| format!("{saving:.4}"));
                let _ = writeln!(
                    text,
                    "{},{name},{},{total:.6},{reach:.6},{refine:.6},{},{},{},{},{},{},{saving}",
                    quoted(&row.name),
                    mode.verdict,
                    mode.rounds,
                    mode.predicates,
                    mode.classes,
                    mode.states,
                    mode.queries,
                    mode.differences,
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
                reason: mode.reason.as_deref(),
                total: mode.total.as_secs_f64(),
                reach: mode.reach.as_secs_f64(),
                refine: mode.refine.as_secs_f64(),
                rounds: mode.rounds,
                predicates: mode.predicates,
                classes: mode.classes,
                states: mode.states,
                solver_queries: mode.queries,
                difference_queries: mode.differences,
                saving: row.saving_of(name),
            })
        });
        let document = Document { schema_version: SCHEMA_VERSION, runs: runs.collect() };
        serde_json::to_string_pretty(&document).expect("numbers and texts") + "\n"
    }
}

/// A time for people: most runs take milliseconds, some far less than one.
fn shown(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1.0 { format!("{:.2} ms", 1000.0 * seconds) } else { format!("{seconds:.2} s") }
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
    use serde_json::Value;

    use super::*;

    fn comparison() -> Comparison {
        let mode = |total, classes| Mode {
            verdict: "true",
            reason: None,
            total: Duration::from_millis(total),
            reach: Duration::from_millis(total / 2),
            refine: Duration::from_millis(total / 4),
            rounds: 12,
            predicates: 7,
            classes,
            states: 345,
            queries: 1234,
            differences: 56,
        };
        let row = |name: &str, runs: &[(u64, u64)]| {
            let runs = runs.iter().map(|&(old, new)| (mode(old, 14), mode(new, 10)));
            Row::new(name.to_owned(), runs.collect())
        };
        Comparison {
            rows: vec![row("bakery", &[(400, 100)]), row("a,b", &[(80, 40), (400, 500), (200, 240)])],
        }
    }

    #[test]
    fn the_saving_is_the_median_of_shares_of_the_monotonic_time() {
        let rows = comparison().rows;
        assert_eq!((rows[0].saving * 100.0).round(), 75.0);
        assert_eq!((rows[1].saving * 100.0).round(), -20.0);
        let totals = [&rows[1].monotonic, &rows[1].nonmonotonic].map(|mode| mode.total.as_millis());
        assert_eq!(totals, [200, 240]);
    }

    #[test]
    fn every_form_has_every_run() {
        let comparison = comparison();
        let text = comparison.text();
        assert_eq!(text.lines().count(), 5);
        assert!(text.contains("75 %") && text.contains("-20 %"), "{text}");
        let csv = comparison.csv();
        assert_eq!(
            csv.lines().nth(3),
            Some("\"a,b\",monotonic,true,0.200000,0.100000,0.050000,12,7,14,345,1234,56,")
        );
        let json: Value = serde_json::from_str(&comparison.json()).expect("JSON");
        assert_eq!(json["runs"].as_array().map(Vec::len), Some(4));
        assert_eq!(json["runs"][1]["classes"], 10);
        assert_eq!((&json["runs"][0]["saving"], &json["runs"][1]["saving"]), (&Value::Null, &0.75.into()));
        assert!(csv.lines().nth(2).is_some_and(|line| line.ends_with(",56,0.7500")), "{csv}");
    }
}
