//! Analysis of paths to an error: spurious for their data, spurious for their control flow, or real.

use super::history::{Cause, Round, Spurious};
use super::real;
use super::view::View;
use super::{Options, Preference};
use crate::engine::{Reason, Violation};
use crate::program::{LocId, Program, TransId};
use crate::reach::abstraction::Abstraction;
use crate::reach::path::{self, Demand, Feasibility, PathFormula};
use crate::reach::predicate;
use crate::reach::real::{self as reality, Real};
use crate::smt::{GaveUp, IntModel, Solver, Watch};
use crate::term::TermId;

/// What came of some paths.
pub(super) enum Refined {
    /// They were spurious; the view is finer now.
    Spurious(Learnt),
    /// There was no path to learn from.
    Nothing,
    /// One is real, and ends at a violation.
    Real(Violation),
    /// Spurious or not, nothing new can be learnt from them.
    Stuck(Reason),
}

/// What a round changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Learnt {
    /// There are new predicates.
    pub data: bool,
    /// There is a new partition.
    pub control: bool,
}

impl std::ops::AddAssign for Learnt {
    fn add_assign(&mut self, other: Learnt) {
        self.data |= other.data;
        self.control |= other.control;
    }
}

/// Beyond so many equations that differ in a constant alone, further ones count as two inequalities:
/// `x == 0`, `x == -1`, `x == -2`... may go on for ever where `x <= 0` says it all.
const EQUATIONS: usize = 4;

/// A round of refinement.
pub(super) struct Refiner<'a, 'p> {
    pub program: &'p Program,
    pub options: &'a Options,
    pub watch: &'a Watch<'a>,
    pub abstraction: &'a mut Abstraction<'p>,
    pub view: &'a mut View,
    pub round: Round,
}

impl<'a, 'p> Refiner<'a, 'p> {
    /// Refines the view by a path, or finds that it is real.
    pub fn refine(mut self, path: &[TransId]) -> Result<Refined, GaveUp> {
        let refined = self.analyse(path)?;
        self.settle(refined)
    }

    /// Refines the view by all of these paths; or finds that one is real.
    pub fn refine_by_all(mut self, paths: &[Vec<TransId>]) -> Result<Refined, GaveUp> {
        let mut learnt = Learnt::default();
        for path in paths {
            match self.analyse(path)? {
                Refined::Spurious(more) => learnt += more,
                Refined::Nothing => {}
                refined @ (Refined::Real(_) | Refined::Stuck(_)) => return self.settle(refined),
            }
        }
        match learnt == Learnt::default() && self.round.spurious.is_empty() {
            true => Ok(Refined::Nothing),
            false => self.settle(Refined::Spurious(learnt)),
        }
    }

    /// Has a new partition computed, if need be, and the history written.
    fn settle(mut self, refined: Refined) -> Result<Refined, GaveUp> {
        let Refined::Spurious(learnt) = &refined else { return Ok(refined) };
        if learnt.control {
            if !self.view.repartition() {
                self.options.budget.check()?;
                return Ok(Refined::Stuck(Reason::new("the partition could not be computed")));
            }
            self.round.classes = Some(self.view.history.classes.clone());
        }
        self.view.history.rounds.push(self.round);
        Ok(refined)
    }

    fn analyse(&mut self, path: &[TransId]) -> Result<Refined, GaveUp> {
        let mismatches = self.view.mismatches(self.program, path);
        if self.options.prefer == Preference::Control && !mismatches.is_empty() {
            return Ok(self.control(path, &mismatches));
        }
        match self.check(path, Demand::Guards)? {
            Some(core) if self.add_predicates(path, &core, &mismatches, Demand::Guards) => {
                Ok(Refined::Spurious(Learnt { data: true, control: false }))
            }
            _ if !mismatches.is_empty() => Ok(self.control(path, &mismatches)),
            Some(_) if self.exclude_overflow(path)? => {
                Ok(Refined::Spurious(Learnt { data: true, control: false }))
            }
            Some(_) => Ok(Refined::Stuck(
                Reason::new("refinement made no progress")
                    .with("a path is infeasible, but its interpolants are predicates that are known already"),
            )),
            None => self.complete(path),
        }
    }

    /// The steps whose conditions contradict each other; `None` if those of a path hold together.
    fn check(&mut self, path: &[TransId], demand: Demand) -> Result<Option<Vec<usize>>, GaveUp> {
        let run = path::run(self.program, path, demand);
        let feasibility = run.unwrap_or_else(|| self.check_formula(path, demand));
        match feasibility {
            Feasibility::Feasible => Ok(None),
            Feasibility::Infeasible(core) => Ok(Some(core)),
            Feasibility::Unknown(gave_up) => Err(gave_up),
        }
    }

    /// Whether the conditions of a path hold together, with values left open.
    fn check_formula(&mut self, path: &[TransId], demand: Demand) -> Feasibility {
        let formula = PathFormula::new(self.program, &mut self.abstraction.terms, path, demand);
        let mut looked = formula.look(&self.abstraction.terms);
        if looked.is_none() && self.options.int_model == IntModel::Integer {
            looked = formula.look_at_differences(&self.abstraction.terms);
        }
        looked.unwrap_or_else(|| {
            let mut solver = self.solver(self.options.int_model);
            let feasibility = formula.check(&self.abstraction.terms, &mut solver);
            self.abstraction.count_queries(solver.queries());
            feasibility
        })
    }

    fn solver(&self, int_model: IntModel) -> Solver {
        Solver::new(int_model, self.watch)
    }

    /// Adds the atoms of a path's interpolants, and respects the ranges of the core if they were asked for.
    /// False if nothing is new.
    fn add_predicates(
        &mut self,
        path: &[TransId],
        core: &[usize],
        mismatches: &[(LocId, LocId)],
        demand: Demand,
    ) -> bool {
        let mut new = Vec::new();
        let mut ranges = false;
        if demand == Demand::Conditions {
            for &step in core {
                ranges |= self.abstraction.respect_ranges(path[step]);
            }
        }
        let atoms = predicate::from_core(self.program, &mut self.abstraction.terms, path, core, demand);
        let known: Vec<TermId> =
            self.view.predicates.iter().map(|&known| self.abstraction.atom(known)).collect();
        for atom in predicate::split_equations(&mut self.abstraction.terms, &known, atoms, EQUATIONS) {
            if self.abstraction.constant(atom).is_none()
                && self.view.predicates.insert(self.abstraction.predicate(atom))
            {
                new.push(self.abstraction.terms.display(atom).to_string());
            }
        }
        if new.is_empty() && !ranges {
            return false;
        }
        self.round.predicates.extend(new);
        self.blame(path, mismatches, Cause::Data);
        true
    }

    /// Learns from a path that is infeasible because its arithmetic must stay in range, if it is and that is
    /// new.
    fn exclude_overflow(&mut self, path: &[TransId]) -> Result<bool, GaveUp> {
        let core = self.check(path, Demand::Conditions)?;
        Ok(core.is_some_and(|core| self.add_predicates(path, &core, &[], Demand::Conditions)))
    }

    fn blame(&mut self, path: &[TransId], mismatches: &[(LocId, LocId)], cause: Cause) {
        let (path, mismatches) = (path.to_vec(), mismatches.to_vec());
        self.round.spurious.push(Spurious { path, mismatches, cause });
    }

    fn exclude(&mut self, path: &[TransId], mismatches: &[(LocId, LocId)]) {
        self.view.remember(self.program, mismatches);
        self.blame(path, mismatches, Cause::Control);
    }

    /// Refines the partition by a path.
    fn control(&mut self, path: &[TransId], mismatches: &[(LocId, LocId)]) -> Refined {
        self.exclude(path, mismatches);
        Refined::Spurious(Learnt { data: false, control: true })
    }

    /// A path whose data and control flow are in order.
    fn complete(&mut self, path: &[TransId]) -> Result<Refined, GaveUp> {
        if let Some(atomic) = real::intrusion(self.program, path) {
            self.view.isolate(self.program, atomic);
            self.blame(path, &[], Cause::Atomicity);
            return Ok(Refined::Spurious(Learnt { data: false, control: true }));
        }
        if self.check(path, Demand::Conditions)?.is_some() {
            return Ok(match self.exclude_overflow(path)? {
                true => Refined::Spurious(Learnt { data: true, control: false }),
                false => Refined::Stuck(
                    Reason::new("refinement made no progress")
                        .with("a path overflows, but what shows it is known already"),
                ),
            });
        }
        if let Some(end) = real::meaning_ends(self.program, path) {
            self.view.reached.insert(end);
            self.blame(path, &[], Cause::Data);
            return Ok(Refined::Spurious(Learnt::default()));
        }
        let terms = &mut self.abstraction.terms;
        let (real, queries) =
            reality::violation(self.program, terms, self.options.int_model, self.watch, path);
        self.abstraction.count_queries(queries);
        Ok(match real? {
            Real::Violated(assertion, trace) => Refined::Real(Violation { assertion, trace }),
            Real::Unclear(reason) => Refined::Stuck(
                Reason::new("a path to a violation could not be replayed")
                    .with(reason)
                    .with("try the bit-precise integer model"),
            ),
        })
    }
}
