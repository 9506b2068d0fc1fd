//! All runs, several at a time.
//!
//! Workers take the next run of a fixed list; a result goes to its place in the table, so that the table does
//! not depend on who finished first. When the user interrupts, runs under way are asked to end, no other
//! begins, and what there is is reported.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use regrain::budget::Stop;
use regrain::report::bench::{Answer, Benchmark, Cell, Limits, Row, Run};

use super::child;
use super::contestant::{Contestant, Said};
use super::select::Entry;
use crate::cli::progress::{Style, Ticker};

/// How often progress is shown.
const TICK: Duration = Duration::from_millis(100);

/// What there is to do.
pub struct Pool<'a> {
    /// The tasks.
    pub entries: &'a [Entry],
    /// Who takes part.
    pub contestants: &'a [Contestant],
    /// What each run may use.
    pub limits: Limits,
    /// How many runs go on at a time.
    pub jobs: usize,
    /// Set by the user to stop.
    pub cancelled: &'a AtomicBool,
}

/// What is going on.
struct State {
    benchmark: Benchmark,
    /// The names of the tasks under way and since when.
    running: BTreeMap<usize, (String, Instant)>,
}

impl Pool<'_> {
    /// Makes all runs.
    pub fn run(&self, style: Style) -> Benchmark {
        let state = Mutex::new(State { benchmark: self.empty(), running: BTreeMap::new() });
        let (next, busy) = (AtomicUsize::new(0), AtomicUsize::new(self.jobs));
        let mut ticker = Ticker::new(style);
        thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(|| {
                    self.work(&next, &state);
                    busy.fetch_sub(1, Ordering::SeqCst);
                });
            }
            while busy.load(Ordering::SeqCst) > 0 {
                ticker.tick(|elapsed| vec![line(&locked(&state), elapsed)]);
                thread::sleep(if style == Style::None { TICK / 10 } else { TICK });
            }
        });
        drop(ticker);
        state.into_inner().unwrap_or_else(PoisonError::into_inner).benchmark
    }

    /// The table without results.
    fn empty(&self) -> Benchmark {
        let cells = |entry: &Entry| {
            let cell = |contestant: &Contestant| Cell { expected: contestant.expected(entry), run: None };
            self.contestants.iter().map(cell).collect()
        };
        let row = |entry: &Entry| Row { task: entry.name.clone(), cells: cells(entry) };
        Benchmark {
            contestants: self.contestants.iter().map(Contestant::described).collect(),
            rows: self.entries.iter().map(row).collect(),
            limits: self.limits,
        }
    }

    /// Takes runs until there are no more.
    fn work(&self, next: &AtomicUsize, state: &Mutex<State>) {
        while !self.cancelled.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::SeqCst);
            let (row, column) = (number / self.contestants.len(), number % self.contestants.len());
            let Some(entry) = self.entries.get(row) else { return };
            locked(state).running.insert(number, (entry.name.clone(), Instant::now()));
            let run = self.one(entry, &self.contestants[column]);
            let mut state = locked(state);
            state.running.remove(&number);
            state.benchmark.rows[row].cells[column].run = run;
        }
    }

    /// Makes a run; none if the user interrupted it.
    fn one(&self, entry: &Entry, contestant: &Contestant) -> Option<Run> {
        let mut command = match contestant.command(entry, &self.limits) {
            Ok(command) => command,
            Err(said) => return Some(unmeasured(said)),
        };
        match child::run(&mut command, &contestant.allowance(&self.limits, self.cancelled)) {
            Ok(ran) if ran.stopped == Some(Stop::Cancelled) => None,
            Ok(ran) => {
                let Said { answer, reason, statistics } = contestant.said(&ran);
                Some(Run { answer, reason, wall: ran.wall, cpu: ran.cpu, memory: ran.memory, statistics })
            }
            Err(error) => {
                let command = command.get_program().display();
                let said = Said::because(Answer::Crashed, format!("cannot run {command}: {error}"));
                Some(unmeasured(said))
            }
        }
    }
}

fn unmeasured(said: Said) -> Run {
    let Said { answer, reason, statistics } = said;
    Run { answer, reason, wall: Duration::ZERO, cpu: Duration::ZERO, memory: 0, statistics }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Width of the bar, in characters.
const BAR: usize = 24;

/// How far things are, what is wrong, and what takes long.
fn line(state: &State, elapsed: Duration) -> String {
    let cells = state.benchmark.rows.iter().flat_map(|row| &row.cells);
    let (mut all, mut done, mut wrong) = (0, 0, 0);
    for cell in cells {
        all += 1;
        done += usize::from(cell.run.is_some());
        wrong += usize::from(cell.mark().is_some_and(|mark| mark.is_wrong()));
    }
    let filled = BAR * done / all.max(1);
    let wrong = if wrong > 0 { format!(", {wrong} WRONG") } else { String::new() };
    let oldest = state.running.values().min_by_key(|(_, since)| *since);
    let oldest = oldest
        .map_or(String::new(), |(name, since)| format!(", {name} {:.0} s", since.elapsed().as_secs_f64()));
    let bar = format!("[{}{}]", "#".repeat(filled), "-".repeat(BAR - filled));
    format!("{bar} {done} of {all}{wrong}, {:.0} s{oldest}", elapsed.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_things_are() {
        let run = Run { memory: 5, ..unmeasured(Said::plainly(Answer::True)) };
        let cell = |expected, run| Cell { expected: Some(expected), run };
        let row = |cell| Row { task: "t".to_owned(), cells: vec![cell] };
        let benchmark = Benchmark {
            contestants: Vec::new(),
            rows: vec![
                row(cell(true, Some(run.clone()))),
                row(cell(false, Some(run))),
                row(cell(true, None)),
            ],
            limits: Limits { time: Duration::from_secs(1), memory: None },
        };
        let running = BTreeMap::from([(2, ("slow".to_owned(), Instant::now()))]);
        let line = line(&State { benchmark, running }, Duration::from_secs(12));
        assert_eq!(line, "[################--------] 2 of 3, 1 WRONG, 12 s, slow 0 s");
    }
}
