//! The refinement loop (SC paper, Algorithm 2), bound by bound.
//!
//! For each bound: the abstraction `φ⁰` without the scheduling constraint; then models of it, each of which
//! is a run, or is excluded together with many others by the reasons why it is none. The questions are,
//! first, whether a violation is reached; second, if not, whether anything is that keeps this from being a
//! proof.

use std::time::Instant;

use crate::engine::{Claim, Violation};
use crate::observe::{Observer, Progress};
use crate::order::{Model, NodeId, Orders, Reason, Validity};
use crate::program::Program;
use crate::program::symmetry::{Group, Symmetry, groups};
use crate::proof::{Backing, Certificate};
use crate::replay;
use crate::sat::{self, Lit};

use super::abstraction::{Abstraction, solver};
use super::certify::certify;
use super::encode::{Encoding, Formula};
use super::obstacle::{Cut, Obstacle, open_reason};
use super::schedule::{Execution, Guide, Lives, negation};
use super::unroll::{Target, Unroller, Unrolling};
use super::work::Work;
use super::{CELLS, Certified, Options, Validation};

/// Cycles of a graph that are looked at in one round, as in the papers.
const CYCLES: usize = 400;

/// The work on one program.
pub(super) struct Refinement<'a> {
    pub(super) program: &'a Program,
    pub(super) options: &'a Options,
    pub(super) model: Model,
    pub(super) observer: &'a mut dyn Observer,
    /// Threads that are alike.
    pub(super) groups: Vec<Group>,
    pub(super) unroller: Unroller<'a>,
    pub(super) formula: Formula,
    pub(super) work: Work,
    /// What was established at the last bound.
    pub(super) cut: Option<Cut>,
}

/// What a question asks for.
enum Goals<'t> {
    Violations,
    /// Whatever else keeps a bound from being a proof, apart from these.
    Others(&'t [Target]),
}

impl Goals<'_> {
    fn contains(&self, target: Target) -> bool {
        match self {
            Goals::Violations => matches!(target, Target::Violation(_)),
            Goals::Others(known) => !matches!(target, Target::Violation(_)) && !known.contains(&target),
        }
    }
}

/// A model that is a run.
struct Found {
    execution: Execution,
    lives: Lives,
    order: Vec<NodeId>,
    /// The goals that hold in it.
    goals: Vec<Target>,
}

/// Whether a model is a run.
enum Schedule {
    /// In this order.
    Feasible(Vec<NodeId>),
    /// For these reasons it is none.
    Infeasible(Vec<Reason>),
}

impl<'a> Refinement<'a> {
    /// Prepares for a program.
    ///
    /// # Errors
    /// If its memory is too large.
    pub(super) fn new(
        program: &'a Program,
        options: &'a Options,
        observer: &'a mut dyn Observer,
    ) -> Result<Refinement<'a>, Obstacle> {
        let model = Model::from(options.model);
        let unroller = Unroller::new(program, model, CELLS)?;
        let formula = Formula::new(solver(options));
        Ok(Refinement {
            program,
            options,
            model,
            observer,
            groups: match options.symmetry {
                Symmetry::On => groups(program),
                Symmetry::Off => Vec::new(),
            },
            unroller,
            formula,
            work: Work::default(),
            cut: None,
        })
    }

    /// Raises the bound until there is an answer.
    pub(super) fn decide(mut self) -> Claim {
        let mut bound = self.options.unwind.map_or(1, |limit| limit.min(1));
        loop {
            match self.decide_at(bound) {
                Ok(Some(claim)) => return claim,
                Ok(None) => bound = self.next(bound),
                Err(obstacle) => return Claim::Unknown(obstacle.reason_at(self.cut.as_ref())),
            }
        }
    }

    /// The answer at a bound, if it has one.
    fn decide_at(&mut self, bound: u32) -> Result<Option<Claim>, Obstacle> {
        self.observer.notice(Progress::Count("Bound", u64::from(bound)));
        let mut abstraction = self.abstraction(bound)?;
        if let Some(found) = self.find(&mut abstraction, &Goals::Violations)? {
            return Ok(Some(self.violation(&abstraction.unrolling, &found)));
        }
        let open = self.open(&mut abstraction)?;
        if open.is_empty() {
            return Ok(Some(self.safe(&abstraction)));
        }
        let cut = Cut::done(self.program, self.unroller.loops(), bound, &open);
        if cut.is_none() || self.options.unwind == Some(bound) {
            return Ok(Some(Claim::Unknown(open_reason(self.program, cut.as_ref(), &open))));
        }
        self.cut = cut;
        self.formula.solver().add(&[!abstraction.encoding.active]);
        Ok(None)
    }

    fn next(&self, bound: u32) -> u32 {
        let next = (bound + bound / 2).max(bound + 1);
        self.options.unwind.map_or(next, |limit| limit.min(next))
    }

    /// The goals other than violations that are reached: marks, and loops that go on.
    fn open(&mut self, abstraction: &mut Abstraction) -> Result<Vec<Target>, Obstacle> {
        let mut open: Vec<Target> = Vec::new();
        while let Some(found) = self.find(abstraction, &Goals::Others(&open))? {
            let news: Vec<Target> =
                found.goals.into_iter().filter(|&target| Goals::Others(&open).contains(target)).collect();
            open.extend(news);
        }
        open.sort_unstable();
        open.dedup();
        Ok(open)
    }

    /// Looks for a run that reaches one of the goals: models of the abstraction, until one is a run or there
    /// are none.
    fn find(&mut self, abstraction: &mut Abstraction, goals: &Goals<'_>) -> Result<Option<Found>, Obstacle> {
        let Some(asked) = self.ask(&abstraction.encoding, goals) else { return Ok(None) };
        let assumed = [abstraction.encoding.active, asked];
        while self.solve(&mut abstraction.guide, &assumed)? {
            self.work.rounds += 1;
            let Abstraction { unrolling, encoding, .. } = &*abstraction;
            let execution = Execution::of(self.formula.blaster(), unrolling, encoding);
            match self.validate(&execution)? {
                Schedule::Feasible(order) => {
                    return Ok(Some(self.found(unrolling, encoding, execution, order)));
                }
                Schedule::Infeasible(reasons) => self.exclude(&reasons),
            }
        }
        Ok(None)
    }

    /// A literal that implies that one of the goals is reached, if there are any.
    fn ask(&mut self, encoding: &Encoding, goals: &Goals<'_>) -> Option<Lit> {
        let wanted = encoding.goals.iter().filter(|(target, _)| goals.contains(*target));
        let mut clause: Vec<Lit> = wanted.map(|(_, lit)| *lit).collect();
        let asked = self.formula.solver().fresh();
        if clause.is_empty() {
            return None;
        }
        clause.push(!asked);
        self.formula.solver().add(&clause);
        Some(asked)
    }

    /// Whether the abstraction has a model.
    fn solve(&mut self, guide: &mut Option<Guide>, assumptions: &[Lit]) -> Result<bool, Obstacle> {
        self.observer.notice(Progress::Phase("solve"));
        let start = Instant::now();
        let solver = self.formula.solver();
        let answer = match guide {
            None => solver.solve(assumptions),
            Some(guide) => {
                let before = guide.effort();
                let answer = solver.solve_with(guide, assumptions);
                self.work.count_search(before, guide.effort());
                answer
            }
        };
        self.work.sat += start.elapsed();
        self.work.tell(self.observer);
        match answer {
            sat::Answer::Sat => Ok(true),
            sat::Answer::Unsat(_) => Ok(false),
            sat::Answer::Unknown(stop) => Err(Obstacle::Stopped(stop)),
        }
    }

    /// Whether the events of a model can happen one after the other.
    fn validate(&mut self, execution: &Execution) -> Result<Schedule, Obstacle> {
        self.observer.notice(Progress::Phase("order"));
        let start = Instant::now();
        let mut orders = Orders::new(&execution.graph, self.model, self.options.density);
        let by_cycles = self.options.validation != Validation::Constraint;
        let schedule = if by_cycles && !orders.saturate(CYCLES) {
            self.work.cycles += orders.conflicts().len() as u64;
            let kernels = orders.kernels(CYCLES);
            Schedule::Infeasible(kernels.into_iter().map(|kernel| kernel.reason).collect())
        } else {
            match orders.validate(&self.options.budget)? {
                Validity::Total(order) => Schedule::Feasible(order),
                Validity::Impossible(reason) => Schedule::Infeasible(vec![reason]),
            }
        };
        self.work.graph += start.elapsed();
        Ok(schedule)
    }

    /// Refines the abstraction: what the reasons say is never a run.
    fn exclude(&mut self, reasons: &[Reason]) {
        for reason in reasons {
            self.work.count_reason(reason.len());
            self.formula.learn(&negation(reason));
        }
    }

    fn found(
        &self,
        unrolling: &Unrolling,
        encoding: &Encoding,
        execution: Execution,
        order: Vec<NodeId>,
    ) -> Found {
        let holds = |lit: Lit| self.formula.blaster().solver().value(lit);
        let goals = encoding.goals.iter().filter(|(_, lit)| holds(*lit)).map(|(target, _)| *target).collect();
        let lives = Lives::of(self.formula.blaster(), &self.unroller, unrolling, encoding);
        Found { execution, lives, order, goals }
    }

    /// A violation.
    fn violation(&self, unrolling: &Unrolling, found: &Found) -> Claim {
        let (assertion, trace) = found
            .execution
            .trace(&self.unroller, unrolling, &found.lives, &found.order, self.model)
            .expect("a run that reaches a violation tells it");
        let trace = replay::tidy(self.program, self.options.model, &trace);
        Claim::Unsafe(Violation { assertion, trace })
    }

    /// No run reaches anything.
    fn safe(&mut self, abstraction: &Abstraction) -> Claim {
        let Abstraction { bound, unrolling, .. } = abstraction;
        let backing = match self.options.certificate {
            Certified::No => Backing::NotAsked,
            Certified::Yes => {
                self.observer.notice(Progress::Phase("certify"));
                match certify(&mut self.unroller, unrolling, self.options.model, &self.options.budget) {
                    Ok(proof) => Backing::Proof(Box::new(proof)),
                    Err(stop) => Backing::Stopped(stop),
                }
            }
        };
        Claim::Safe(Certificate::Bounded { bound: *bound, events: unrolling.accesses(), backing })
    }
}
