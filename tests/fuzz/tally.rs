//! What came of many programs, counted.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::judge::{Report, Said, stem};
use super::truth::{Oracle, Truth};

/// Counts of what was said.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub programs: u64,
    /// Of the reference: violated, marked, clean, open.
    pub truths: BTreeMap<&'static str, u64>,
    /// Who found that.
    pub judges: BTreeMap<String, u64>,
    /// Of the engines: by engine and verdict.
    pub answers: BTreeMap<String, u64>,
    /// Why engines did not answer.
    pub unknowns: BTreeMap<String, u64>,
    /// Sequential programs that were left out since the sanitizers found something undefined.
    pub undefined: u64,
    /// Where time went.
    pub times: BTreeMap<&'static str, Duration>,
    /// Things that should not be.
    pub findings: u64,
}

impl Tally {
    /// Counts a report.
    pub fn count(&mut self, report: &Report) {
        self.programs += 1;
        self.findings += report.findings.len() as u64;
        for (what, time) in &report.times {
            *self.times.entry(what).or_default() += *time;
        }
        for (_, truth) in &report.truths {
            let name = match truth {
                Truth { violated: true, .. } => "violated",
                Truth { marks, .. } if !marks.is_empty() => "undefined or cut",
                Truth { judge: Oracle::Nobody, .. } => "open",
                Truth { .. } => "clean",
            };
            let judge = format!("{:?}", truth.judge).to_lowercase();
            *self.judges.entry(judge).or_default() += 1;
            *self.truths.entry(name).or_default() += 1;
        }
        for (engine, _, said) in &report.answers {
            let engine = format!("{engine:?}").to_lowercase();
            let verdict = match said {
                Said::Safe => "true",
                Said::Unsafe => "false",
                Said::Unknown(_) => "unknown",
            };
            *self.answers.entry(format!("{engine} {verdict}")).or_default() += 1;
            if let Said::Unknown(why) = said {
                let cause = stem(why.split(':').next().unwrap_or_default());
                *self.unknowns.entry(format!("{engine}: {cause}")).or_default() += 1;
            }
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Programs:        {}", self.programs)?;
        for (name, count) in &self.judges {
            writeln!(f, "Decided by:      {count:>9} {name}")?;
        }
        for (name, count) in &self.truths {
            writeln!(f, "Truth:           {count:>9} {name}")?;
        }
        for (name, count) in &self.answers {
            writeln!(f, "Answers:         {count:>9} {name}")?;
        }
        for (name, count) in &self.unknowns {
            writeln!(f, "Unknown:         {count:>9} {name}")?;
        }
        for (what, time) in &self.times {
            writeln!(f, "Seconds:         {:>9.1} {what}", time.as_secs_f64())?;
        }
        writeln!(f, "Left out:        {} undefined", self.undefined)?;
        writeln!(f, "Disagreements:   {}", self.findings)
    }
}
