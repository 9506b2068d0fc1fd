//! Many tasks, one table: what each contestant answered, whether that is right, and what it cost.
//!
//! A contestant is Regrain with some options, or another verifier. Scores are those of SV-COMP: 2 for a
//! correct `true`, 1 for a correct `false`, -32 for a wrong `true`, -16 for a wrong `false`, else nothing.
//! Rows have the order of the tasks and columns that of the contestants, whatever finished first.

mod csv;
mod html;
mod json;
mod plot;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A finished benchmark, or what was done of it before an interruption.
#[derive(Clone, PartialEq, Debug)]
pub struct Benchmark {
    /// Who took part.
    pub contestants: Vec<Contestant>,
    /// One a task.
    pub rows: Vec<Row>,
    /// What each run was allowed.
    pub limits: Limits,
}

/// Regrain with some options, or another verifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contestant {
    /// Its name in the tables.
    pub name: String,
    /// Its command line, the file left open.
    pub command: String,
    /// The memory model that it assumes.
    pub memory_model: &'static str,
}

/// The limits of each run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Duration,
    /// Resident memory, in megabytes.
    pub memory: Option<u64>,
}

/// A task and its runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The task's name.
    pub task: String,
    /// One for each contestant.
    pub cells: Vec<Cell>,
}

/// A task for one contestant.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    /// Whether the program has the property under the contestant's memory model, if known.
    pub expected: Option<bool>,
    /// The run; none if there was no time for it.
    pub run: Option<Run>,
}

/// What a run gave.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// The answer.
    pub answer: Answer,
    /// Why there is no verdict; empty if there is one.
    pub reason: String,
    /// Wall-clock time.
    pub wall: Duration,
    /// CPU time of the process and its children.
    pub cpu: Duration,
    /// The most memory that was resident at a time, in bytes.
    pub memory: u64,
    /// What the contestant counted: numbers and texts by name.
    pub statistics: BTreeMap<String, serde_json::Value>,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The property holds.
    True,
    /// It does not; the text of the verdict, such as `false(unreach-call)`.
    False(String),
    /// The contestant does not know.
    Unknown,
    /// The time was over.
    Timeout,
    /// The memory was used up.
    Memory,
    /// The task cannot be read, or the contestant refuses the program.
    Refused,
    /// The contestant failed.
    Crashed,
}

/// What an answer is worth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mark {
    /// `true` as expected.
    CorrectTrue,
    /// `false` as expected.
    CorrectFalse,
    /// `true`, but there is a violation.
    WrongTrue,
    /// `false`, but there is no violation.
    WrongFalse,
    /// An answer that nobody can judge.
    Unjudged,
    /// No answer.
    Open,
}

impl Answer {
    /// As shown to users.
    pub fn text(&self) -> &str {
        match self {
            Answer::True => "true",
            Answer::False(text) => text,
            Answer::Unknown => "unknown",
            Answer::Timeout => "timeout",
            Answer::Memory => "out of memory",
            Answer::Refused => "refused",
            Answer::Crashed => "crashed",
        }
    }
}

impl Mark {
    /// The points that SV-COMP gives.
    pub fn score(self) -> i64 {
        match self {
            Mark::CorrectTrue => 2,
            Mark::CorrectFalse => 1,
            Mark::WrongTrue => -32,
            Mark::WrongFalse => -16,
            Mark::Unjudged | Mark::Open => 0,
        }
    }

    /// Whether the answer is as expected.
    pub fn is_correct(self) -> bool {
        matches!(self, Mark::CorrectTrue | Mark::CorrectFalse)
    }

    /// Whether the answer is the opposite of the truth.
    pub fn is_wrong(self) -> bool {
        matches!(self, Mark::WrongTrue | Mark::WrongFalse)
    }

    /// One word, for scripts.
    pub fn name(self) -> &'static str {
        match self {
            Mark::CorrectTrue | Mark::CorrectFalse => "correct",
            Mark::WrongTrue | Mark::WrongFalse => "wrong",
            Mark::Unjudged => "unjudged",
            Mark::Open => "open",
        }
    }
}

impl Cell {
    /// What the answer is worth; none if there was no run.
    pub fn mark(&self) -> Option<Mark> {
        let run = self.run.as_ref()?;
        Some(match (&run.answer, self.expected) {
            (Answer::True, Some(true)) => Mark::CorrectTrue,
            (Answer::False(_), Some(false)) => Mark::CorrectFalse,
            (Answer::True, Some(false)) => Mark::WrongTrue,
            (Answer::False(_), Some(true)) => Mark::WrongFalse,
            (Answer::True | Answer::False(_), None) => Mark::Unjudged,
            _ => Mark::Open,
        })
    }

    /// The run, if its answer is as expected.
    fn correct_run(&self) -> Option<&Run> {
        self.run.as_ref().filter(|_| self.mark().is_some_and(Mark::is_correct))
    }

    /// The most points there are to win.
    fn best_score(&self) -> i64 {
        match self.expected {
            Some(true) => Mark::CorrectTrue.score(),
            Some(false) => Mark::CorrectFalse.score(),
            None => 0,
        }
    }
}

/// The sums of one contestant.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Totals {
    /// Runs that were made.
    pub runs: usize,
    /// Points.
    pub score: i64,
    /// The most points there were to win.
    pub best_score: i64,
    /// Answers `true` as expected.
    pub correct_true: usize,
    /// Answers `false` as expected.
    pub correct_false: usize,
    /// Answers that are not as expected.
    pub wrong: usize,
    /// Answers that nobody can judge.
    pub unjudged: usize,
    /// Answers `unknown`.
    pub unknown: usize,
    /// Runs that reached a limit.
    pub limits: usize,
    /// Runs that were refused or crashed.
    pub failures: usize,
    /// Wall-clock time of all runs.
    pub wall: Duration,
    /// CPU time of all runs.
    pub cpu: Duration,
    /// The most memory that one run used, in bytes.
    pub memory: u64,
}

/// Two contestants on the tasks that both decide correctly.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Duel {
    /// How many such tasks there are.
    pub tasks: usize,
    /// The sums of their wall-clock times.
    pub wall: [Duration; 2],
    /// The geometric mean of the ratios of the times, the first contestant's to the second's.
    pub mean_ratio: f64,
}

impl Benchmark {
    /// The sums of a contestant.
    pub fn totals(&self, contestant: usize) -> Totals {
        let mut totals = Totals::default();
        for cell in self.rows.iter().map(|row| &row.cells[contestant]) {
            totals.best_score += cell.best_score();
            let (Some(run), Some(mark)) = (&cell.run, cell.mark()) else { continue };
            totals.runs += 1;
            totals.score += mark.score();
            totals.wall += run.wall;
            totals.cpu += run.cpu;
            totals.memory = totals.memory.max(run.memory);
            *match (mark, &run.answer) {
                (Mark::CorrectTrue, _) => &mut totals.correct_true,
                (Mark::CorrectFalse, _) => &mut totals.correct_false,
                (Mark::WrongTrue | Mark::WrongFalse, _) => &mut totals.wrong,
                (Mark::Unjudged, _) => &mut totals.unjudged,
                (Mark::Open, Answer::Timeout | Answer::Memory) => &mut totals.limits,
                (Mark::Open, Answer::Refused | Answer::Crashed) => &mut totals.failures,
                (Mark::Open, _) => &mut totals.unknown,
            } += 1;
        }
        totals
    }

    /// Compares the times of two contestants; none if there is no task that both decide correctly.
    pub fn duel(&self, contestants: [usize; 2]) -> Option<Duel> {
        let mut duel = Duel { tasks: 0, wall: [Duration::ZERO; 2], mean_ratio: 0.0 };
        let mut logarithms = 0.0;
        for row in &self.rows {
            let [Some(one), Some(two)] = contestants.map(|index| row.cells[index].correct_run()) else {
                continue;
            };
            duel.tasks += 1;
            duel.wall = [duel.wall[0] + one.wall, duel.wall[1] + two.wall];
            logarithms += (seconds_at_least(one.wall) / seconds_at_least(two.wall)).ln();
        }
        #[expect(clippy::cast_precision_loss, reason = "there are not that many tasks")]
        let count = duel.tasks as f64;
        duel.mean_ratio = (logarithms / count).exp();
        (duel.tasks > 0).then_some(duel)
    }

    /// Whether every run was made.
    pub fn is_complete(&self) -> bool {
        self.cells().all(|cell| cell.run.is_some())
    }

    /// Whether some run ended in this way.
    pub fn has(&self, answer: &Answer) -> bool {
        self.cells().any(|cell| cell.run.as_ref().is_some_and(|run| run.answer == *answer))
    }

    /// Whether some answer is the opposite of the truth.
    pub fn has_wrong(&self) -> bool {
        self.cells().any(|cell| cell.mark().is_some_and(Mark::is_wrong))
    }

    fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.rows.iter().flat_map(|row| &row.cells)
    }

    /// The names of all statistics that some run told, sorted.
    fn statistics(&self) -> BTreeSet<&str> {
        let runs = self.cells().filter_map(|cell| cell.run.as_ref());
        runs.flat_map(|run| run.statistics.keys().map(String::as_str)).collect()
    }
}

/// A time in seconds, for logarithms: what is below a millisecond counts as one.
fn seconds_at_least(time: Duration) -> f64 {
    time.as_secs_f64().max(0.001)
}

/// Bytes in megabytes.
fn megabytes(bytes: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "no process has so much memory")]
    let bytes = bytes as f64;
    bytes / f64::from(1 << 20)
}

/// An expected verdict as shown.
fn expected_text(expected: Option<bool>) -> &'static str {
    match expected {
        Some(true) => "true",
        Some(false) => "false",
        None => "",
    }
}

#[cfg(test)]
mod tests;
