//! What the user sees on stderr while a run goes on: a live line on a terminal, otherwise a line every ten
//! seconds.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use regrain::observe::{Observer, Progress, Statistics};

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
    /// One line that changes.
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
        self.ticker.tick(|elapsed| line(&self.seen.now(), elapsed));
    }
}

/// Shows lines in its style.
#[derive(Debug)]
pub struct Ticker {
    style: Style,
    start: Instant,
    last: Instant,
}

impl Ticker {
    /// Begins now.
    pub fn new(style: Style) -> Ticker {
        let now = Instant::now();
        Ticker { style, start: now, last: now }
    }

    /// To be called several times a second. The line is made from the time since the beginning, if it is
    /// shown.
    pub fn tick(&mut self, line: impl FnOnce(Duration) -> String) {
        match self.style {
            Style::Live => {
                let line = line(self.start.elapsed());
                let line: String = line.chars().take(output::width().saturating_sub(1)).collect();
                // Progress that cannot be shown is no reason to stop.
                let _ = write!(io::stderr().lock(), "\r\x1b[K{line}");
            }
            Style::Heartbeat if self.last.elapsed() >= HEARTBEAT => {
                self.last = Instant::now();
                output::complain(&format!("regrain: {}", line(self.start.elapsed())));
            }
            Style::Heartbeat | Style::None => {}
        }
    }
}

impl Drop for Ticker {
    /// Clears the live line.
    fn drop(&mut self) {
        if self.style == Style::Live {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

/// Counters that tell best how far a run is: rounds, bounds, sizes.
const TELLING: [&str; 6] = ["Refinements", "Unwind", "States", "Classes", "Predicates", "Clauses"];

fn line(statistics: &Statistics, elapsed: Duration) -> String {
    let phase = statistics.phase.unwrap_or("starting");
    let rank = |name: &str| TELLING.iter().position(|&known| known == name).unwrap_or(TELLING.len());
    let mut counts: Vec<(&str, u64)> =
        statistics.counts.iter().map(|(&name, &value)| (name, value)).collect();
    counts.sort_by_key(|&(name, _)| (rank(name), name));
    let counts = counts.into_iter().map(|(name, value)| format!(", {name}: {value}"));
    format!("{phase}, {:.1} s{}", elapsed.as_secs_f64(), counts.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_phase_time_and_counters() {
        let mut seen = Seen::default();
        let elapsed = Duration::from_millis(12_340);
        assert_eq!(line(&seen.now(), elapsed), "starting, 12.3 s");
        seen.notice(Progress::Phase("explore"));
        seen.notice(Progress::Count("States", 70));
        seen.notice(Progress::Count("Depth", 5));
        assert_eq!(line(&seen.now(), elapsed), "explore, 12.3 s, States: 70, Depth: 5");
    }
}
