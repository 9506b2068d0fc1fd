//! The engine `scar`: bounded checking by scheduling constraint based abstraction refinement.
//!
//! Yin, Dong, Liu, Wang: *Scheduling Constraint Based Abstraction Refinement for Multi-Threaded Program Verification* (the SC
//! paper), and *... for Weak Memory Models*. Threads are unrolled to a bound (`unroll.rs`, `block.rs`, `access.rs`); values and
//! read-from pairs become clauses, the order of events does not (`encode.rs`, `pairs.rs`), except for what is plain beforehand
//! (`known.rs`, `contradiction.rs`). The event order graph rules out what cannot happen one after the other, and each of its reasons is a clause that rules
//! out many models at once.
//!
//! In the papers the graph is that of a whole model (`execution.rs`), which is looked at when the solver has found it: that is
//! [`Validation::Model`]. By default the graph takes part in the search (`guide.rs`, `sections.rs`), and models come out without
//! cycles. Either way `order/` has the last word on a model: a total order is a run, which is replayed; otherwise there is one more reason.
//!
//! The bound grows until no loop can go round more often than it allows: then the answer is `true`. All bounds share one
//! solver, as long as no value outgrows the bits it was given (`range.rs`) and the same reads are settled (`settled.rs`).
//! Where the papers ask for the violation only, we ask in a second question which loops are really cut, and whether a mark that ends the program's
//! meaning is reached; so nothing that was cut can be overlooked, and nothing that is unreachable is deepened for.

mod access;
mod block;
mod clock;
mod contradiction;
mod encode;
mod event;
mod execution;
mod guard;
mod guide;
mod known;
mod locks;
mod loops;
mod memory;
mod pairs;
mod print;
mod range;
mod sections;
mod settled;
mod unroll;

use std::time::{Duration, Instant};

use crate::budget::{Budget, Stop};
use crate::observe::{Observer, Progress};
use crate::order::{Atom, Density, Model, Orders, Validity};
use crate::program::{Action, LocId, Mark, MemoryModel, Program, Span};
use crate::replay;
use crate::sat::{Answer, Lit, Solver};

pub use self::print::Events;

use self::contradiction::contradictions;
use self::encode::{Encoding, Formula};
use self::event::{Target, Unrolling};
use self::execution::{Execution, Lives};
use self::guide::Guide;
use self::known::Known;
use self::pairs::Pairs;
use self::range::Ranges;
use self::sections::sections;
use self::settled::Settled;
use self::unroll::{Obstacle, Unroller};
use super::{Evidence, Reason, Verdict, Violation};

/// Cycles of a graph that are looked at in one round, as in the papers.
const CYCLES: usize = 400;

/// Cells of shared memory that a program may have.
const CELLS: usize = 1 << 16;

/// How to check.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The memory model.
    pub model: MemoryModel,
    /// Time, memory, interruption.
    pub budget: Budget,
    /// The greatest bound; without one it grows as long as the budget lasts.
    pub unwind: Option<u32>,
    /// How graphs without a total order are explained.
    pub validation: Validation,
    /// How many edges of program order a graph has.
    pub density: Density,
    /// What is encoded for the solver.
    pub encoding: Kind,
}

impl Options {
    /// Whether orders are looked at while the solver searches.
    fn guided(&self) -> bool {
        self.encoding == Kind::Scar && self.validation == Validation::Graph
    }
}

/// What is encoded for the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// The data and the read-from pairs; orders are found by refinement.
    #[default]
    Scar,
    /// Also the order of all events, by clocks; for comparison.
    Monolithic,
}

/// How graphs without a total order are explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Validation {
    /// By cycles in the graph of what is assigned so far, while the solver searches; exact search decides graphs without a cycle.
    #[default]
    Graph,
    /// By the kernel reasons of all cycles in the graph of a whole model, as in the papers; exact search decides graphs without a cycle.
    Model,
    /// By exact search alone, one reason a round.
    Constraint,
}

/// Decides a program as far as the bound allows.
pub fn check(program: &Program, options: &Options, observer: &mut dyn Observer) -> Verdict {
    let unroller = match Unroller::new(program, options.model, CELLS) {
        Ok(unroller) => unroller,
        Err(obstacle) => return Verdict::Unknown(reason_of(&obstacle)),
    };
    let formula = Formula::new(solver(options));
    let mut scar = Scar { program, options, observer, unroller, formula, work: Work::default(), cut: None };
    match scar.deepen() {
        Ok(verdict) => verdict,
        Err(obstacle) => {
            let reason = reason_of(&obstacle);
            Verdict::Unknown(match scar.cut {
                Some(cut) => Reason::new(format!("{}; {cut}", reason.summary)),
                None => reason,
            })
        }
    }
}

fn solver(options: &Options) -> Solver {
    match options.guided() {
        true => Solver::guided(&options.budget),
        false => Solver::new(&options.budget),
    }
}

fn reason_of(obstacle: &Obstacle) -> Reason {
    match obstacle {
        Obstacle::Stopped(stop) => Reason::new(stop.to_string()),
        Obstacle::Unsupported(what) => Reason::new(format!("not supported by engine scar: {what}")),
    }
}

/// What was done so far.
#[derive(Debug, Default)]
struct Work {
    /// Read-from pairs found to exclude each other beforehand.
    contradictions: u64,
    /// Read-from pairs excluded while the solver searched.
    excluded: u64,
    rounds: u64,
    cycles: u64,
    reasons: u64,
    literals: u64,
    added: u64,
    sat: Duration,
    graph: Duration,
}

struct Scar<'a> {
    program: &'a Program,
    options: &'a Options,
    observer: &'a mut dyn Observer,
    unroller: Unroller<'a>,
    formula: Formula,
    work: Work,
    /// What was established at the last bound.
    cut: Option<String>,
}

/// A model that is a run.
struct Found {
    execution: Execution,
    lives: Lives,
    order: Vec<crate::order::NodeId>,
    /// The goals that hold in it.
    goals: Vec<Target>,
}

impl Scar<'_> {
    /// Raises the bound until there is an answer.
    fn deepen(&mut self) -> Result<Verdict, Obstacle> {
        let mut bound = self.options.unwind.map_or(1, |limit| limit.min(1));
        loop {
            self.observer.notice(Progress::Count("Bound", u64::from(bound)));
            self.observer.notice(Progress::Phase("unroll"));
            let unrolling = self.unroller.unroll(bound, &self.options.budget)?;
            self.note_cuts(bound, &unrolling);
            let (encoding, known) = self.encode(&unrolling).map_err(Obstacle::Stopped)?;
            if self.options.encoding == Kind::Monolithic {
                let model = Model::from(self.options.model);
                clock::constrain(&mut self.formula, &mut self.unroller, &unrolling, &encoding, model);
            }
            self.tell_size(&unrolling, &encoding);
            if self.options.encoding == Kind::Scar && self.options.validation != Validation::Constraint {
                self.contradict(&unrolling, &encoding, &known)?;
            }
            let model = Model::from(self.options.model);
            let mut guide = match self.options.guided() {
                true => Some(self.guide(&unrolling, &encoding, model)?),
                false => None,
            };
            let violations = |target| matches!(target, Target::Violation(_));
            if let Some(found) = self.find(&unrolling, &encoding, &mut guide, &violations)? {
                return Ok(self.violation(&unrolling, &found));
            }
            let open = self.open_goals(&unrolling, &encoding, &mut guide)?;
            let loops = self.loops_text(&open);
            if open.is_empty() {
                let events = unrolling
                    .events
                    .iter()
                    .map(|event| event.reads.len() + event.writes.len())
                    .sum::<usize>();
                return Ok(Verdict::Safe(Evidence::Bounded { bound, events: events as u64 }));
            }
            let cut = format!("no violation up to bound {bound}; loops cut: {loops}");
            if loops.is_empty() || self.options.unwind == Some(bound) {
                let marks = open.iter().filter_map(|&target| self.mark_text(target));
                let mut obstacles: Vec<String> = marks.collect();
                if !loops.is_empty() {
                    obstacles.insert(0, cut);
                }
                let mut obstacles = obstacles.into_iter();
                let first = Reason::new(obstacles.next().expect("something is open"));
                return Ok(Verdict::Unknown(obstacles.fold(first, Reason::with)));
            }
            self.cut = Some(cut);
            self.formula.solver().add(&[!encoding.active]);
            let next = bound.max(1) + bound / 2;
            bound = self.options.unwind.map_or(next.max(bound + 1), |limit| limit.min(next.max(bound + 1)));
        }
    }

    /// Before anything is established: which loops the first bound may cut.
    fn note_cuts(&mut self, bound: u32, unrolling: &Unrolling) {
        let mut targets: Vec<Target> = unrolling.goals.iter().map(|goal| goal.target).collect();
        targets.sort_unstable();
        let loops = self.loops_text(&targets);
        if self.cut.is_none() && !loops.is_empty() {
            self.cut = Some(format!("bound {bound} not finished; it may cut loops: {loops}"));
        }
    }

    /// Adds an unrolling to the formula.
    fn encode(&mut self, unrolling: &Unrolling) -> Result<(Encoding, Known), Stop> {
        let budget = &self.options.budget;
        let (mut pairs, known) = Pairs::of(&mut self.unroller, unrolling, budget)?;
        let Unroller { pool, names, .. } = &mut self.unroller;
        let settled = Settled::of((&mut *pool, names), unrolling, &mut pairs, &known, budget)?;
        let ranges = Ranges::of(pool, unrolling, (&pairs, &settled), budget)?;
        if !self.formula.admits(pool, &ranges, &settled) {
            self.formula = Formula::new(solver(self.options));
        }
        self.formula.narrow(pool, &ranges, &settled);
        Ok((self.formula.add(&self.unroller, unrolling, &pairs, budget)?, known))
    }

    /// Tells the solver which read-from pairs exclude each other, as far as that is known beforehand.
    fn contradict(
        &mut self,
        unrolling: &Unrolling,
        encoding: &Encoding,
        known: &Known,
    ) -> Result<(), Obstacle> {
        let known = (known, Model::from(self.options.model));
        let clauses = contradictions(
            (&self.unroller.pool, self.unroller.names()),
            unrolling,
            &encoding.events,
            known,
            &self.options.budget,
        )
        .map_err(Obstacle::Stopped)?;
        for mut clause in clauses {
            self.work.contradictions += 1;
            clause.push(!encoding.active);
            self.formula.learn(&clause);
        }
        Ok(())
    }

    /// Lets the event order graph take part in the search.
    fn guide(&mut self, unrolling: &Unrolling, encoding: &Encoding, model: Model) -> Result<Guide, Obstacle> {
        let unroller = &mut self.unroller;
        let found = self.formula.beside(|formula| sections(formula, unroller, unrolling, encoding));
        let sections = found.map_err(Obstacle::Stopped)?;
        Ok(Guide::of(unrolling, encoding, &sections, model))
    }

    /// The goals other than violations that are reached: marks, and loops that go on.
    fn open_goals(
        &mut self,
        unrolling: &Unrolling,
        encoding: &Encoding,
        guide: &mut Option<Guide>,
    ) -> Result<Vec<Target>, Obstacle> {
        let mut open: Vec<Target> = Vec::new();
        loop {
            let wanted = |target: Target| !matches!(target, Target::Violation(_)) && !open.contains(&target);
            match self.find(unrolling, encoding, guide, &wanted)? {
                Some(found) => open
                    .extend(found.goals.iter().copied().filter(|&target| wanted(target)).collect::<Vec<_>>()),
                None => break,
            }
        }
        open.sort_unstable();
        Ok(open)
    }

    /// The refinement loop: looks for a run that reaches one of the goals.
    fn find(
        &mut self,
        unrolling: &Unrolling,
        encoding: &Encoding,
        guide: &mut Option<Guide>,
        wanted: &dyn Fn(Target) -> bool,
    ) -> Result<Option<Found>, Obstacle> {
        let goals = encoding.goals.iter().filter(|(target, _)| wanted(*target)).map(|(_, lit)| *lit);
        let asked = self.formula.solver().fresh();
        let mut clause: Vec<Lit> = goals.collect();
        if clause.is_empty() {
            return Ok(None);
        }
        clause.push(!asked);
        self.formula.solver().add(&clause);
        loop {
            if !self.solve(guide, &[encoding.active, asked])? {
                return Ok(None);
            }
            self.work.rounds += 1;
            let execution = Execution::of(self.formula.blaster(), unrolling, encoding);
            let Some(order) = self.order(&execution)? else { continue };
            let holds = |lit: Lit| self.formula.blaster().solver().value(lit);
            let goals =
                encoding.goals.iter().filter(|(_, lit)| holds(*lit)).map(|(target, _)| *target).collect();
            let lives = Lives::of(self.formula.blaster(), &self.unroller, unrolling, encoding);
            return Ok(Some(Found { execution, lives, order, goals }));
        }
    }

    fn solve(&mut self, guide: &mut Option<Guide>, assumptions: &[Lit]) -> Result<bool, Obstacle> {
        self.observer.notice(Progress::Phase("solve"));
        let start = Instant::now();
        let solver = self.formula.solver();
        let answer = match guide {
            None => solver.solve(assumptions),
            Some(guide) => {
                let before = guide.effort();
                let answer = solver.solve_with(guide, assumptions);
                let effort = guide.effort();
                self.work.cycles += effort.cycles - before.cycles;
                self.work.reasons += effort.cycles - before.cycles;
                self.work.literals += effort.literals - before.literals;
                self.work.excluded += effort.excluded - before.excluded;
                answer
            }
        };
        self.work.sat += start.elapsed();
        self.tell_work();
        match answer {
            Answer::Sat => Ok(true),
            Answer::Unsat(_) => Ok(false),
            Answer::Unknown(stop) => Err(Obstacle::Stopped(stop)),
        }
    }

    /// A total order of an execution; if there is none, learns why.
    fn order(&mut self, execution: &Execution) -> Result<Option<Vec<crate::order::NodeId>>, Obstacle> {
        self.observer.notice(Progress::Phase("order"));
        let start = Instant::now();
        let mut orders = Orders::new(&execution.graph, Model::from(self.options.model), self.options.density);
        let mut reasons = Vec::new();
        let mut total = None;
        if self.options.validation != Validation::Constraint && !orders.saturate(CYCLES) {
            self.work.cycles += orders.conflicts().len() as u64;
            reasons.extend(orders.kernels(CYCLES).into_iter().map(|kernel| kernel.reason));
        } else {
            match orders.validate(&self.options.budget).map_err(Obstacle::Stopped)? {
                Validity::Total(order) => total = Some(order),
                Validity::Impossible(reason) => reasons.push(reason),
            }
        }
        self.work.graph += start.elapsed();
        for reason in reasons {
            self.work.reasons += 1;
            self.work.literals += reason.len() as u64;
            self.work.added += 1;
            let negated = |atom: &Atom| !Lit::from_code(atom.code());
            let clause: Vec<Lit> = reason.atoms().iter().map(negated).collect();
            self.formula.learn(&clause);
        }
        Ok(total)
    }

    /// A violation, replayed.
    fn violation(&self, unrolling: &Unrolling, found: &Found) -> Verdict {
        let model = self.options.model;
        let (assertion, trace) = found
            .execution
            .trace(&self.unroller, unrolling, &found.lives, &found.order, Model::from(model))
            .expect("a run that reaches a violation tells it");
        let run = replay::run(self.program, model, &trace).expect("a validated execution is a run");
        assert_eq!(run.violation(self.program), Some(assertion), "the run ends in the violation found");
        let trace = replay::tidy(self.program, model, &trace);
        Verdict::Unsafe(Violation { assertion, trace })
    }

    fn tell_size(&mut self, unrolling: &Unrolling, encoding: &Encoding) {
        let events: usize = unrolling.events.iter().map(|event| event.reads.len() + event.writes.len()).sum();
        let clauses = self.formula.size();
        for (name, count) in
            [("Events", events as u64), ("Read-from pairs", encoding.pairs as u64), ("Clauses", clauses)]
        {
            self.observer.notice(Progress::Count(name, count));
        }
    }

    fn tell_work(&mut self) {
        let work = &self.work;
        let counts = [
            ("Contradictions", work.contradictions),
            ("Excluded pairs", work.excluded),
            ("Rounds", work.rounds),
            ("Cycles", work.cycles),
            ("Reasons", work.reasons),
            ("Clauses added", work.added),
        ];
        for (name, count) in counts {
            self.observer.notice(Progress::Count(name, count));
        }
        self.observer.notice(Progress::Time("SAT time", work.sat));
        self.observer.notice(Progress::Time("Graph time", work.graph));
        let mean = work.literals as f64 / work.reasons.max(1) as f64;
        self.observer.notice(Progress::Note("Mean reason", format!("{mean:.1} literals")));
    }

    /// The loops among some goals, as users know them; threads that run the same loop stand together.
    fn loops_text(&self, open: &[Target]) -> String {
        let mut loops: Vec<(Option<String>, Vec<&str>)> = Vec::new();
        for target in open {
            let Target::Loop(id) = target else { continue };
            let head = self.unroller.loops().entry_of(*id);
            let place =
                span_of(self.program, head).map(|span| self.program.sources.display(span).to_string());
            let thread = self.program.thread(self.program.location(head).thread).name.as_str();
            match loops.iter_mut().find(|(other, _)| *other == place) {
                Some((_, threads)) if threads.contains(&thread) => {}
                Some((_, threads)) => threads.push(thread),
                None => loops.push((place, vec![thread])),
            }
        }
        let text = |(place, threads): (Option<String>, Vec<&str>)| match (place, &threads[..]) {
            (Some(place), [thread]) => format!("{thread} at {place}"),
            (Some(place), _) => format!("{place} ({})", threads.join(", ")),
            (None, _) => threads.join(", "),
        };
        loops.into_iter().map(text).collect::<Vec<_>>().join(", ")
    }

    fn mark_text(&self, target: Target) -> Option<String> {
        let Target::Mark(location) = target else { return None };
        let what = match &self.program.location(location).mark {
            Some(Mark::Undefined(what)) => format!("undefined behaviour is reachable: {what}"),
            Some(Mark::Cut(what)) => format!("bound reached: {what}"),
            Some(Mark::Error(_) | Mark::End) | None => unreachable!("not a goal of this kind"),
        };
        let span = self.program.location(location).span;
        Some(match span.is_some() {
            true => format!("{what} at {}", self.program.sources.display(span)),
            false => what,
        })
    }
}

/// Where a location is in the source: its own place, or that of what leaves it.
fn span_of(program: &Program, location: LocId) -> Option<Span> {
    let own = program.location(location).span;
    let leaving = program.outgoing(location).iter().flat_map(|&id| &program.transition(id).events);
    let branch = leaving.clone().find(|event| matches!(event.action, Action::Branch(_)));
    let all = branch.into_iter().chain(leaving).map(|event| event.span);
    std::iter::once(own).chain(all).find(|span| span.is_some())
}
