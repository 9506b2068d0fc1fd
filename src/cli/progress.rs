//! What the user sees on stderr while a run goes on: a few live lines on a terminal, otherwise a line every
//! ten seconds.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use regrain::budget::resident_megabytes;
use regrain::observe::{Observer, Progress, Statistics};
use regrain::report::phase;

use super::output;

/// Time between two lines where there is no terminal.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// What the engine has told so far, shared with whoever watches it.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    statistics: Arc<Mutex<Statistics>>,
}

impl Seen {
    /// The present state.
    pub fn now(&self) -> Statistics {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Observer for Seen {
    fn notice(&mut self, progress: Progress) {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner).notice(progress);
    }
}

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Not at all.
    None,
    /// A few lines that change.
    Live,
    /// A line every so often.
    Heartbeat,
}

impl Style {
    /// What suits stderr.
    pub fn for_stderr() -> Style {
        match io::stderr().is_terminal() {
            true => Style::Live,
            false => Style::Heartbeat,
        }
    }
}

/// Shows the progress of a run.
#[derive(Debug)]
pub struct Display {
    ticker: Ticker,
    seen: Seen,
}

impl Display {
    /// Begins now.
    pub fn new(style: Style, seen: Seen) -> Display {
        Display { ticker: Ticker::new(style), seen }
    }

    /// To be called several times a second.
    pub fn tick(&mut self) {
        self.ticker.tick(|elapsed| lines(&self.seen.now(), elapsed, resident_megabytes()));
    }
}

/// Shows lines in its style.
#[derive(Debug)]
pub struct Ticker {
    style: Style,
    start: Instant,
    last: Instant,
    /// Lines on the terminal now.
    drawn: usize,
}

impl Ticker {
    /// Begins now.
    pub fn new(style: Style) -> Ticker {
        let now = Instant::now();
        Ticker { style, start: now, last: now, drawn: 0 }
    }

    /// To be called several times a second. The lines are made from the time since the beginning, if they are
    /// shown.
    pub fn tick(&mut self, lines: impl FnOnce(Duration) -> Vec<String>) {
        match self.style {
            Style::Live => {
                let lines = lines(self.start.elapsed());
                let room = output::progress_width().saturating_sub(1);
                let fitting: Vec<String> =
                    lines.iter().map(|line| line.chars().take(room).collect()).collect();
                // Progress that cannot be shown is no reason to stop.
                let _ = write!(io::stderr().lock(), "{}{}", self.cleared(), fitting.join("\n"));
                self.drawn = fitting.len();
            }
            Style::Heartbeat if self.last.elapsed() >= HEARTBEAT => {
                self.last = Instant::now();
                output::complain(&format!("regrain: {}", lines(self.start.elapsed()).join("; ")));
            }
            Style::Heartbeat | Style::None => {}
        }
    }
}

impl Ticker {
    /// What clears the live lines: up to the first of them, and everything below.
    fn cleared(&self) -> String {
        match self.drawn {
            0 | 1 => "\r\x1b[J".to_owned(),
            drawn => format!("\r\x1b[{}A\x1b[J", drawn - 1),
        }
    }
}

impl Drop for Ticker {
    /// Clears the live lines.
    fn drop(&mut self) {
        if self.style == Style::Live {
            let _ = write!(io::stderr().lock(), "{}", self.cleared());
        }
    }
}

/// Counters that tell best how far a run is: rounds, bounds, sizes.
const TELLING: [&str; 8] =
    ["Bound", "Refinements", "Unwind", "States", "Nodes", "Classes", "Predicates", "Clauses"];

/// Counters shown of each of several engines.
const FEW: usize = 3;

/// One line, or where engines work side by side a line for each below one for all.
fn lines(statistics: &Statistics, elapsed: Duration, memory: Option<u64>) -> Vec<String> {
    let memory = memory.map_or_else(String::new, |megabytes| format!(", {megabytes} MB"));
    let spent = format!("{:.1} s{memory}", elapsed.as_secs_f64());
    if statistics.rivals.is_empty() {
        return vec![format!("{}, {spent}{}", doing(statistics), counters(statistics, usize::MAX))];
    }
    let width = statistics.rivals.keys().map(|name| name.len()).max().unwrap_or(0);
    let one =
        |(name, own): (&&str, &Statistics)| format!("  {name:width$}  {}{}", doing(own), counters(own, FEW));
    std::iter::once(spent).chain(statistics.rivals.iter().map(one)).collect()
}

fn doing(statistics: &Statistics) -> &str {
    statistics.phase.map_or("starting", phase::doing)
}

/// The counters that tell most, first.
fn counters(statistics: &Statistics, most: usize) -> String {
    let rank = |name: &str| TELLING.iter().position(|&known| known == name).unwrap_or(TELLING.len());
    let mut counts: Vec<(&str, u64)> =
        statistics.counts.iter().map(|(&name, &value)| (name, value)).collect();
    counts.sort_by_key(|&(name, _)| (rank(name), name));
    counts.into_iter().take(most).map(|(name, value)| format!(", {name}: {value}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_phase_time_memory_and_counters() {
        let mut seen = Seen::default();
        let elapsed = Duration::from_millis(12_340);
        assert_eq!(lines(&seen.now(), elapsed, None), ["starting, 12.3 s"]);
        seen.notice(Progress::Phase("explore"));
        seen.notice(Progress::Count("States", 70));
        seen.notice(Progress::Count("Depth", 5));
        assert_eq!(
            lines(&seen.now(), elapsed, Some(24)),
            ["visiting states, 12.3 s, 24 MB, States: 70, Depth: 5"]
        );
    }

    #[test]
    fn engines_side_by_side_have_a_line_each() {
        let mut seen = Seen::default();
        for (name, phase, count, value) in
            [("scar", "solve", "Bound", 4), ("explore", "explore", "States", 900)]
        {
            let mut own = Statistics::default();
            own.notice(Progress::Phase(phase));
            own.notice(Progress::Count(count, value));
            seen.notice(Progress::Rival(name, Some(Box::new(own))));
        }
        let both = [
            "2.0 s, 30 MB",
            "  explore  visiting states, States: 900",
            "  scar     searching for a violation up to the bound, Bound: 4",
        ];
        let elapsed = Duration::from_secs(2);
        assert_eq!(lines(&seen.now(), elapsed, Some(30)), both);
        seen.notice(Progress::Rival("explore", None));
        assert_eq!(
            lines(&seen.now(), elapsed, Some(30)),
            [both[0], "  scar  searching for a violation up to the bound, Bound: 4"]
        );
    }
}
