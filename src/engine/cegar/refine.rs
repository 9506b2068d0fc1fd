//! Analysis of paths to an error: spurious for their data, spurious for their control flow, or real.

use super::graph::Graph;
use super::lookahead;
use super::real;
use super::view::{Cause, Round, Spurious, View};
use super::{Interrupt, Options, Preference};
use crate::engine::{Reason, Verdict};
use crate::program::{LocId, Program, TransId};
use crate::reach::abstraction::Abstraction;
use crate::reach::path::{self, Feasibility, PathFormula};
use crate::reach::predicate;
use crate::smt::{IntModel, Solver};
use crate::term::TermId;

/// What came of some paths.
pub(super) enum Refined {
    /// They were spurious; the view is finer now.
    Spurious(Learnt),
    /// There was no path to learn from.
    Nothing,
    /// One is real, and ends at a violation.
    Real(Verdict),
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

/// What a look ahead taught.
enum Lesson {
    /// New predicates, and perhaps mismatches: the next look sees more clearly.
    Predicates,
    /// No predicates.
    Nothing,
    /// That this path's data and control flow are in order.
    Complete(Vec<TransId>),
}

/// How often a view looks ahead: each time may find predicates that make the next time see more clearly.
const LOOKS: u32 = 60;

/// Most infeasible paths that one look-ahead turns into predicates; those often exclude the others too.
const INFEASIBLE: usize = 3;

/// Beyond so many equations that differ in a constant alone, further ones count as two inequalities: `x == 0`, `x == -1`,
/// `x == -2`... may go on for ever where `x <= 0` says it all.
const EQUATIONS: usize = 4;

/// A round of refinement.
pub(super) struct Refiner<'a, 'p> {
    pub program: &'p Program,
    pub options: &'a Options,
    pub abstraction: &'a mut Abstraction<'p>,
    pub view: &'a mut View,
    pub round: Round,
}

impl<'a, 'p> Refiner<'a, 'p> {
    /// Refines the view by a path, or finds that it is real.
    pub fn refine(mut self, path: &[TransId]) -> Result<Refined, Interrupt> {
        let refined = self.analyse(path)?;
        self.settle(refined)
    }

    /// Refines the view by all single mismatches that lead to an error, again and again as long as that finds new predicates; or
    /// finds that an error is real.
    pub fn look_ahead(mut self) -> Result<Refined, Interrupt> {
        let mut learnt = Learnt::default();
        let mut graph = Graph::new();
        for _ in 0..LOOKS {
            let budget = &self.options.budget;
            let view = &*self.view;
            let found =
                lookahead::single_mismatch_paths(self.program, self.abstraction, view, &mut graph, budget)?;
            match self.learn(&found, &mut learnt)? {
                Lesson::Predicates => {}
                Lesson::Nothing => break,
                Lesson::Complete(path) => {
                    let refined = self.complete(&path)?;
                    return self.settle(refined);
                }
            }
        }
        if learnt == Learnt::default() {
            return Ok(Refined::Nothing);
        }
        self.settle(Refined::Spurious(learnt))
    }

    /// Has a new partition computed, if need be, and the history written.
    fn settle(mut self, refined: Refined) -> Result<Refined, Interrupt> {
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

    fn analyse(&mut self, path: &[TransId]) -> Result<Refined, Interrupt> {
        let mismatches = self.view.mismatches(self.program, path);
        if self.options.prefer == Preference::Control && !mismatches.is_empty() {
            return Ok(self.control(path, &mismatches));
        }
        match self.check(path)? {
            Some(core) if self.add_predicates(path, &core, &mismatches) => {
                Ok(Refined::Spurious(Learnt { data: true, control: false }))
            }
            _ if !mismatches.is_empty() => Ok(self.control(path, &mismatches)),
            Some(_) => Ok(Refined::Stuck(
                Reason::new("refinement made no progress")
                    .with("a path is infeasible, but its interpolants are predicates that are known already"),
            )),
            None => self.complete(path),
        }
    }

    /// The steps whose guards contradict each other; `None` if the guards of a path hold together.
    fn check(&mut self, path: &[TransId]) -> Result<Option<Vec<usize>>, Interrupt> {
        let feasibility = path::run(self.program, path).unwrap_or_else(|| self.check_formula(path));
        match feasibility {
            Feasibility::Feasible => Ok(None),
            Feasibility::Infeasible(core) => Ok(Some(core)),
            Feasibility::Unknown(reason) => {
                self.options.budget.check()?;
                Err(Interrupt::Solver(reason))
            }
        }
    }

    /// Whether the guards of a path hold together, with values left open.
    fn check_formula(&mut self, path: &[TransId]) -> Feasibility {
        let formula = PathFormula::new(self.program, &mut self.abstraction.terms, path);
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
        let mut solver = Solver::new(int_model);
        solver.limit(&self.options.budget);
        solver
    }

    /// Adds the atoms of a path's interpolants. False if all are known.
    fn add_predicates(&mut self, path: &[TransId], core: &[usize], mismatches: &[(LocId, LocId)]) -> bool {
        let mut new = Vec::new();
        let atoms = predicate::from_core(self.program, &mut self.abstraction.terms, path, core);
        let known: Vec<TermId> =
            self.view.predicates.iter().map(|&known| self.abstraction.atom(known)).collect();
        for atom in predicate::split_equations(&mut self.abstraction.terms, &known, atoms, EQUATIONS) {
            if self.abstraction.constant(atom).is_none()
                && self.view.predicates.insert(self.abstraction.predicate(atom))
            {
                new.push(self.abstraction.terms.display(atom).to_string());
            }
        }
        if new.is_empty() {
            return false;
        }
        self.round.predicates.extend(new);
        self.blame(path, mismatches, Cause::Data);
        true
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

    /// Learns from paths of at most one mismatch.
    fn learn(&mut self, paths: &[Vec<TransId>], learnt: &mut Learnt) -> Result<Lesson, Interrupt> {
        let mut infeasible = 0;
        for path in paths {
            if infeasible == INFEASIBLE {
                break;
            }
            let mismatches = self.view.mismatches(self.program, path);
            match self.check(path)? {
                Some(core) => {
                    let new = self.add_predicates(path, &core, &mismatches);
                    infeasible += usize::from(new);
                    learnt.data |= new;
                }
                None if mismatches.is_empty() => return Ok(Lesson::Complete(path.clone())),
                None => {
                    self.exclude(path, &mismatches);
                    learnt.control = true;
                }
            }
        }
        Ok(if infeasible > 0 { Lesson::Predicates } else { Lesson::Nothing })
    }

    /// A path whose data and control flow are in order.
    fn complete(&mut self, path: &[TransId]) -> Result<Refined, Interrupt> {
        if let Some(atomic) = real::intrusion(self.program, path) {
            self.view.isolate(self.program, atomic);
            self.blame(path, &[], Cause::Atomicity);
            return Ok(Refined::Spurious(Learnt { data: false, control: true }));
        }
        if let Some(end) = real::meaning_ends(self.program, path) {
            self.view.reached.insert(end);
            self.blame(path, &[], Cause::Data);
            return Ok(Refined::Spurious(Learnt::default()));
        }
        let precise = [self.options.int_model, IntModel::BitVector];
        for int_model in precise {
            let mut solver = self.solver(int_model);
            let formula = PathFormula::new(self.program, &mut self.abstraction.terms, path);
            let feasibility = formula.check(&self.abstraction.terms, &mut solver);
            self.abstraction.count_queries(solver.queries());
            if matches!(feasibility, Feasibility::Feasible)
                && let Some(violation) =
                    real::violation(self.program, &self.abstraction.terms, &formula, &mut solver, path)
            {
                return Ok(Refined::Real(Verdict::Unsafe(violation)));
            }
        }
        Ok(Refined::Stuck(
            Reason::new("a path to a violation could not be replayed")
                .with("it is a path for unbounded integers, but not for the machine's")
                .with("try the bit-precise integer model"),
        ))
    }
}
