//! Proofs for any number of threads: an engine for programs that create threads without end.
//!
//! Looks at the program without bound that such a program has (`program/template.rs`) and proves it by an
//! invariant that speaks of one copy of a template, or of two, and holds for all choices of them
//! (`proof/crowd/`): thread-modular proofs with `k` threads (Hoenicke, Majumdar and Podelski 2017), which are
//! view abstraction (Abdulla, Haziza and Holík 2013) with exact control. What the invariant has to satisfy are
//! Horn clauses (`clauses.rs`), which Spacer solves (`smt/horn/`). Where one copy is not enough to look at,
//! it may help to count how many are where (`regions.rs`), which is cheaper than looking at two. Where data is
//! finite, all pairs of copies are tried first (`pairs.rs`).
//!
//! That clauses have no solution says nothing about the program: with more copies or counters there may be
//! one. So nothing is ever found to be violated here. Each solution is examined by the checker of `proof/`
//! before it is claimed, since the solver computes with whole numbers and its text had to be read.

mod clauses;
mod pairs;
mod regions;
mod stage;

use std::time::Duration;

use crate::budget::{Budget, Stop};
use crate::engine::{Answer, Claim, Reason};
use crate::observe::{Observer, Progress};
use crate::program::pass::Liveness;
use crate::program::{MemoryModel, Program};
use crate::proof::{Certificate, Crowd, check_crowd};
use crate::smt::horn::{self, Ranges, Solved, Style};
use crate::smt::{GaveUp, IntModel};
use clauses::Clauses;
use pairs::Failure;
use regions::Family;
use stage::Stage;

/// Options of the engine.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What signed integers are.
    pub int_model: IntModel,
    /// The memory model; only sequential consistency is known here.
    pub memory_model: MemoryModel,
    /// Limits.
    pub budget: Budget,
}

/// How long each plan may take in each round.
const ROUNDS: [Duration; 4] =
    [Duration::from_millis(1500), Duration::from_secs(4), Duration::from_secs(10), Duration::from_secs(30)];

/// How long pairs of values may take.
const PAIRS: Duration = Duration::from_secs(2);

/// A kind of invariant to look for.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Plan {
    copies: usize,
    counted: Family,
    ranges: Ranges,
}

/// Proves a program for any number of threads, or says why not.
pub fn check(program: &Program, options: &Options, observer: &mut dyn Observer) -> Answer {
    let claim = match prove(program, options, observer) {
        Ok(crowd) => Claim::Safe(Certificate::Crowd(Box::new(crowd))),
        Err(reason) => Claim::Unknown(reason),
    };
    claim.into()
}

fn prove(program: &Program, options: &Options, observer: &mut dyn Observer) -> Result<Crowd, Reason> {
    if options.memory_model != MemoryModel::Sc {
        return Err(Reason::new("engine crowd knows sequential consistency only"));
    }
    if options.int_model != IntModel::Integer {
        return Err(Reason::new("engine crowd computes with whole numbers only"));
    }
    let Some(unbounded) = program.unbounded.as_deref() else {
        return Err(Reason::new("no loop without a known bound creates threads that are alike"));
    };
    if !unbounded.locations.iter().any(|location| location.is_target()) {
        return Ok(Crowd::without_targets(unbounded));
    }
    let mut search = Search { program, unbounded, options, observer, systems: 0, solved: 0 };
    let mut plans = search.plans()?;
    match search.pairs() {
        Outcome::Proved(crowd) => return Ok(*crowd),
        Outcome::Impossible => plans.retain(|plan| plan.copies == 1 || !plan.counted.is_empty()),
        Outcome::Open => {}
    }
    for (round, time) in ROUNDS.into_iter().enumerate() {
        let mut open = Vec::new();
        for plan in plans {
            search.budget()?;
            match search.attempt(&plan, round as u32, time) {
                Outcome::Proved(crowd) => return Ok(*crowd),
                Outcome::Impossible => {}
                Outcome::Open => open.push(plan),
            }
        }
        plans = open;
    }
    search.budget()?;
    let text = "no invariant of one or two of any number of threads was found";
    Err(Reason::new(text).with(format!("{} systems of Horn clauses were tried", search.systems)))
}

/// What came of a plan.
enum Outcome {
    Proved(Box<Crowd>),
    /// There is no such invariant.
    Impossible,
    /// Nobody knows.
    Open,
}

struct Search<'a> {
    program: &'a Program,
    unbounded: &'a Program,
    options: &'a Options,
    observer: &'a mut dyn Observer,
    systems: u64,
    solved: u64,
}

impl Search<'_> {
    fn budget(&self) -> Result<(), Reason> {
        self.options.budget.check().map_err(|stop: Stop| Reason::new(stop.to_string()))
    }

    /// All kinds of invariants, the cheapest first.
    fn plans(&self) -> Result<Vec<Plan>, Reason> {
        let different = "the threads that a loop creates without a known bound are not all alike";
        let stage = Stage::of(self.unbounded).ok_or_else(|| Reason::new(different))?;
        let mut counted = vec![Family::new()];
        counted.extend(regions::families(&stage));
        let last = counted.len().checked_sub(1).filter(|&last| last > 0).map(|last| counted[last].clone());
        let one = counted.into_iter().map(|counted| (1, counted));
        let two = [Some(Family::new()), last].into_iter().flatten().map(|counted| (2, counted));
        let kinds: Vec<(usize, Family)> = one.chain(two).collect();
        let plan = |ranges: Ranges| {
            kinds.iter().map(move |(copies, counted)| Plan {
                copies: *copies,
                counted: counted.clone(),
                ranges,
            })
        };
        Ok(plan(Ranges::Untold).chain(plan(Ranges::Told)).collect())
    }

    /// The least invariant of two copies, where data is finite.
    fn pairs(&mut self) -> Outcome {
        self.observer.notice(Progress::Phase("pairs"));
        let Some(mut stage) = Stage::of(self.unbounded) else { return Outcome::Impossible };
        let liveness = Liveness::of(self.unbounded);
        match pairs::least(&mut stage, &liveness, &self.options.budget.at_most(PAIRS)) {
            Ok(crowd) => self.examined(crowd),
            Err(Failure::Refuted) => Outcome::Impossible,
            Err(Failure::TooMany) => Outcome::Open,
        }
    }

    fn attempt(&mut self, plan: &Plan, seed: u32, time: Duration) -> Outcome {
        self.observer.notice(Progress::Phase("solve"));
        let Some(mut stage) = Stage::of(self.unbounded) else { return Outcome::Impossible };
        let liveness = Liveness::of(self.unbounded);
        let clauses = Clauses::new(&mut stage, &liveness, plan.copies, &plan.counted);
        let Some(clauses) = clauses else { return Outcome::Impossible };
        self.systems += 1;
        self.observer.notice(Progress::Count("Clause systems", self.systems));
        let budget = self.options.budget.at_most(time);
        let style = Style { seed, ranges: plan.ranges };
        match clauses.solved(style, &budget) {
            Ok(Some(crowd)) => self.examined(crowd),
            Ok(None) => Outcome::Impossible,
            Err(_) => Outcome::Open,
        }
    }

    /// A suggestion of the solver's, if it is an invariant.
    fn examined(&mut self, crowd: Crowd) -> Outcome {
        self.observer.notice(Progress::Phase("check proof"));
        self.solved += 1;
        self.observer.notice(Progress::Count("Clause systems solved", self.solved));
        match check_crowd(self.program, &crowd, self.options.int_model, &self.options.budget) {
            Ok(_) => Outcome::Proved(Box::new(crowd)),
            Err(_) => Outcome::Open,
        }
    }
}

impl Clauses<'_, '_> {
    /// The invariant, if there is one of this kind.
    fn solved(mut self, style: Style, budget: &Budget) -> Result<Option<Crowd>, GaveUp> {
        let system = std::mem::take(&mut self.system);
        match horn::solve(self.terms(), &system, style, budget)? {
            Solved::Solution(solution) => Ok(Some(self.invariant(&solution))),
            Solved::Refuted => Ok(None),
        }
    }
}
