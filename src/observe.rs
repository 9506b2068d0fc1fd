//! What a run tells while it goes on.
//!
//! An engine reports [`Progress`] to an [`Observer`] and never formats anything; the progress line, the
//! statistics and the reports are made from what observers saw.

use std::collections::BTreeMap;
use std::time::Duration;

/// A piece of news from an engine.
#[derive(Clone, PartialEq, Debug)]
pub enum Progress {
    /// The engine entered a phase: `explore`, `reach`, `refine`, `solve`, `check proof`...
    Phase(&'static str),
    /// A counter has this value now. Names are those of the statistics lines (`States`, `Refinements`, ...).
    Count(&'static str, u64),
    /// A phase or kind of work has taken this long in all so far: `Reach time`, `Refine time`...
    Time(&'static str, Duration),
    /// A fact that is not a number: `Int model`, `Unwind`...
    Note(&'static str, String),
    /// What an engine has told so far that works beside others; nothing when it has ended.
    Rival(&'static str, Option<Box<Statistics>>),
}

/// Receives progress.
pub trait Observer {
    /// Takes a piece of news. Called often: must be cheap.
    fn notice(&mut self, progress: Progress);
}

/// Listens to nothing.
#[derive(Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn notice(&mut self, _: Progress) {}
}

/// Remembers the last value of everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Counters.
    pub counts: BTreeMap<&'static str, u64>,
    /// Durations.
    pub times: BTreeMap<&'static str, Duration>,
    /// Other facts.
    pub notes: BTreeMap<&'static str, String>,
    /// The current phase.
    pub phase: Option<&'static str>,
    /// What engines that work side by side have told so far, by their names.
    pub rivals: BTreeMap<&'static str, Statistics>,
}

impl Observer for Statistics {
    fn notice(&mut self, progress: Progress) {
        match progress {
            Progress::Phase(phase) => self.phase = Some(phase),
            Progress::Count(name, value) => {
                self.counts.insert(name, value);
            }
            Progress::Time(name, value) => {
                self.times.insert(name, value);
            }
            Progress::Note(name, value) => {
                self.notes.insert(name, value);
            }
            Progress::Rival(name, Some(statistics)) => {
                self.rivals.insert(name, *statistics);
            }
            Progress::Rival(name, None) => {
                self.rivals.remove(name);
            }
        }
    }
}
