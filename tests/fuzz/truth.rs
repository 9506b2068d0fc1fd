//! What is so of a program, from those who visit all states plainly.

use std::collections::BTreeSet;

use regrain::engine::Claim;
use regrain::engine::explore::{Limits, Reduction};
use regrain::observe::Silent;
use regrain::program::{Mark, MemoryModel, Program};
use regrain::replay::reference;
use regrain::verify::{Engine, Fault, Settings, verify};

use super::judge::{Finding, Report, Said, name};
use super::plan::Plan;
use super::settle::settle;

/// What is so, as far as the reference can tell.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Truth {
    /// Whether an assertion is violated.
    pub violated: bool,
    /// Reachable marks of undefined behaviour and of bounds.
    pub marks: BTreeSet<String>,
    /// Who has visited all states.
    pub judge: Oracle,
}

/// Who knows all that is reachable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Oracle {
    /// The reference explorer, on the program before all passes.
    Reference,
    /// The fast explorer without reduction, on the program before all passes.
    Unreduced,
    /// The reference explorer, on the program after them.
    Reduced,
    /// There are too many states or inputs.
    Nobody,
}

impl Truth {
    /// Whether an engine may not say this.
    pub fn contradicts(&self, said: &Said) -> bool {
        let clean = self.judge != Oracle::Nobody && !self.violated;
        match said {
            Said::Safe => self.violated || !self.marks.is_empty(),
            Said::Unsafe => clean,
            Said::Unknown(why) => clean && self.marks.is_empty() && why.contains("undefined behaviour"),
        }
    }

    /// Whether all is known and something is missing that another one has.
    fn lacks(&self, other: &Truth) -> bool {
        let all = match self.judge {
            Oracle::Reference | Oracle::Reduced => true,
            Oracle::Unreduced => !self.violated,
            Oracle::Nobody => false,
        };
        all && (other.violated && !self.violated || !other.marks.is_subset(&self.marks))
    }

    pub fn same_kind(&self, other: &Truth) -> bool {
        self.violated == other.violated && self.marks.is_empty() == other.marks.is_empty()
    }
}

/// Visits all states of the program as it was written, if that is asked for, and of what the passes leave of
/// it.
pub fn truth(
    written: Option<Program>,
    reduced: &Program,
    model: MemoryModel,
    plan: &Plan,
    report: &mut Report,
) -> Result<Truth, Fault> {
    let after = report.timed("reference", || visited(reduced, model, plan.states, Oracle::Reduced));
    let Some(written) = written.map(settle) else { return Ok(after) };
    let mut before =
        report.timed("reference, written", || visited(&written, model, plan.written, Oracle::Reference));
    if before.judge == Oracle::Nobody && !before.violated {
        report.timed("unreduced", || unreduced(&written, model, plan, &mut before))?;
    }
    if before.lacks(&after) || after.lacks(&before) {
        report.findings.push(Finding::Passes(name(model), before.clone(), after.clone()));
    }
    let before_knows = before.judge != Oracle::Nobody || before.violated;
    Ok(if before_knows { before } else { after })
}

/// What the reference reaches.
fn visited(program: &Program, model: MemoryModel, states: usize, oracle: Oracle) -> Truth {
    let samples = vec![-1, 0, 1, 2, 3];
    let options = reference::Options { model, states, samples, ..reference::Options::default() };
    let found = reference::explore(program, &options);
    let judge = if found.is_complete() { oracle } else { Oracle::Nobody };
    let mut truth = Truth { violated: false, marks: BTreeSet::new(), judge };
    for &location in found.reached.keys() {
        match &program.location(location).mark {
            Some(Mark::Undefined(what) | Mark::Cut(what)) => drop(truth.marks.insert(what.clone())),
            Some(Mark::Error(_)) => truth.violated = true,
            Some(Mark::End) | None => {}
        }
    }
    truth
}

/// Asks the fast explorer, which is to leave nothing out.
fn unreduced(raw: &Program, model: MemoryModel, plan: &Plan, truth: &mut Truth) -> Result<(), Fault> {
    let limits = Limits { states: 3 * plan.written as u64, ..Limits::default() };
    let settings = Settings { reduction: Reduction::None, limits, ..plan.settings(model) };
    match verify(raw, Engine::Explore, &settings, &mut Silent)?.claim() {
        Claim::Safe(_) => truth.judge = Oracle::Unreduced,
        Claim::Unsafe(_) => (truth.violated, truth.judge) = (true, Oracle::Unreduced),
        Claim::Unknown(_) => {}
    }
    Ok(())
}
