//! Limits of a run: time, memory, and the user's wish to stop.
//!
//! A [`Budget`] travels with the options of whatever may run long; long loops call [`Budget::check`] every so
//! often and give up with the [`Stop`] it returns. Nothing is killed from outside, so whoever stops can still
//! say what it has established.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a run stopped early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The time limit.
    Time(Duration),
    /// The memory limit, in megabytes.
    Memory(u64),
    /// The user or the system interrupted.
    Cancelled,
    /// Another engine answered first.
    Beaten,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Time(limit) => write!(f, "time limit of {} s reached", limit.as_secs_f64()),
            Stop::Memory(limit) => write!(f, "memory limit of {limit} MB reached"),
            Stop::Cancelled => write!(f, "interrupted"),
            Stop::Beaten => write!(f, "another engine answered first"),
        }
    }
}

/// The limits of a run.
#[derive(Clone, Debug)]
pub struct Budget {
    start: Instant,
    time: Option<Duration>,
    memory: Option<u64>,
    cancelled: Arc<AtomicBool>,
    beaten: Arc<AtomicBool>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::unlimited()
    }
}

impl Budget {
    /// No limits.
    pub fn unlimited() -> Budget {
        let start = Instant::now();
        Budget { start, time: None, memory: None, cancelled: Arc::default(), beaten: Arc::default() }
    }

    /// With a limit of wall-clock time, counted from the budget's creation.
    pub fn with_time(self, limit: Duration) -> Budget {
        Budget { time: Some(limit), ..self }
    }

    /// With a limit of the process's resident memory, in megabytes.
    pub fn with_memory(self, megabytes: u64) -> Budget {
        Budget { memory: Some(megabytes), ..self }
    }

    /// The flag that cancels the run; a signal handler sets it.
    pub fn cancellation(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// The same limits for an engine that competes with others, and the flag that tells it that it has lost.
    pub fn rival(&self) -> (Budget, Arc<AtomicBool>) {
        let beaten = Arc::default();
        (Budget { beaten: Arc::clone(&beaten), ..self.clone() }, beaten)
    }

    /// The same limits and the same interruption for a run that begins now.
    pub fn afresh(&self) -> Budget {
        Budget { start: Instant::now(), ..self.clone() }
    }

    /// The same limits, and no more time from now on than this.
    pub fn at_most(&self, time: Duration) -> Budget {
        let until = self.start.elapsed() + time;
        Budget { time: Some(self.time.map_or(until, |limit| limit.min(until))), ..self.clone() }
    }

    /// Time since the run began.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Time that is left, if time is limited.
    pub fn remaining(&self) -> Option<Duration> {
        self.time.map(|limit| limit.saturating_sub(self.start.elapsed()))
    }

    /// The memory limit in megabytes, if there is one.
    pub fn memory_limit(&self) -> Option<u64> {
        self.memory
    }

    /// Whether the run may go on. Reads the clock and, where memory is limited, the process's size: cheap
    /// enough for a loop that does real work, too dear for the innermost one.
    pub fn check(&self) -> Result<(), Stop> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled);
        }
        if let Some(limit) = self.time
            && self.start.elapsed() >= limit
        {
            return Err(Stop::Time(limit));
        }
        if let Some(limit) = self.memory
            && resident_megabytes().is_some_and(|used| used >= limit)
        {
            return Err(Stop::Memory(limit));
        }
        if self.beaten.load(Ordering::Relaxed) {
            return Err(Stop::Beaten);
        }
        Ok(())
    }
}

/// Resident memory of this process in megabytes, where the system tells.
pub fn resident_megabytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096 / (1 << 20))
}
