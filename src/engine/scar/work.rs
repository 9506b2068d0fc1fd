//! What the engine has done so far, and how it tells.

use std::time::Duration;

use crate::observe::{Observer, Progress};
use crate::order::Effort;

/// Counters of all bounds together.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// Read-from pairs found to exclude each other before anything was solved.
    pub(super) contradictions: u64,
    /// Read-from pairs excluded while the solver searched.
    excluded: u64,
    /// Models that were looked at.
    pub(super) rounds: u64,
    pub(super) cycles: u64,
    reasons: u64,
    literals: u64,
    added: u64,
    pub(super) sat: Duration,
    pub(super) graph: Duration,
}

impl Work {
    /// Counts what the graph did while the solver searched.
    pub(super) fn count_search(&mut self, before: Effort, after: Effort) {
        self.cycles += after.cycles - before.cycles;
        self.reasons += after.cycles - before.cycles;
        self.literals += after.literals - before.literals;
        self.excluded += after.excluded - before.excluded;
    }

    /// Counts a reason that becomes a clause.
    pub(super) fn count_reason(&mut self, literals: usize) {
        self.reasons += 1;
        self.literals += literals as u64;
        self.added += 1;
    }

    /// Tells all of it.
    pub(super) fn tell(&self, observer: &mut dyn Observer) {
        let counts = [
            ("Contradictions", self.contradictions),
            ("Excluded pairs", self.excluded),
            ("Rounds", self.rounds),
            ("Cycles", self.cycles),
            ("Reasons", self.reasons),
            ("Clauses added", self.added),
        ];
        for (name, count) in counts {
            observer.notice(Progress::Count(name, count));
        }
        observer.notice(Progress::Time("SAT time", self.sat));
        observer.notice(Progress::Time("Graph time", self.graph));
        let mean = self.literals as f64 / self.reasons.max(1) as f64;
        observer.notice(Progress::Note("Mean reason", format!("{mean:.1} literals")));
    }
}
