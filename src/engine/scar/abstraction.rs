//! The abstraction `φ⁰` of one bound: everything but the scheduling constraint, apart from what is known of
//! orders before anything is solved.

use crate::observe::Progress;
use crate::sat::Solver;

use super::encode::{Encoding, Formula};
use super::infer::{Known, Pairs, Ranges, Settled, in_turn};
use super::obstacle::{Cut, Obstacle};
use super::refinement::Refinement;
use super::schedule::{self, Guide, contradictions, sections};
use super::unroll::{Target, Unrolling};
use super::{Formulation, Options, Validation};

/// The abstraction at one bound.
pub(super) struct Abstraction {
    pub(super) bound: u32,
    pub(super) unrolling: Unrolling,
    pub(super) encoding: Encoding,
    /// The orders that take part in the search.
    pub(super) guide: Option<Guide>,
}

impl Refinement<'_> {
    /// The abstraction `φ⁰` at a bound, with what is known of orders before anything is solved.
    pub(super) fn abstraction(&mut self, bound: u32) -> Result<Abstraction, Obstacle> {
        self.observer.notice(Progress::Phase("unroll"));
        let unrolling = self.unroller.unroll(bound, &self.options.budget)?;
        self.note_cuts(bound, &unrolling);
        let in_turn = in_turn(&self.unroller.pool, &unrolling, &self.groups);
        let (encoding, known) = self.encode(&unrolling, &in_turn)?;
        if self.options.encoding == Formulation::Monolithic {
            schedule::constrain(&mut self.formula, &mut self.unroller, &unrolling, &encoding, self.model);
        }
        self.tell_size(&unrolling, &encoding);
        if self.options.encoding == Formulation::Scar && self.options.validation != Validation::Constraint {
            self.contradict(&unrolling, &encoding, &known)?;
        }
        let guide = match self.options.guided() {
            true => Some(self.guide(&unrolling, &encoding, &in_turn)?),
            false => None,
        };
        Ok(Abstraction { bound, unrolling, encoding, guide })
    }

    /// Before anything is established: which loops the first bound may cut.
    fn note_cuts(&mut self, bound: u32, unrolling: &Unrolling) {
        if self.cut.is_none() {
            let mut targets: Vec<Target> = unrolling.goals.iter().map(|goal| goal.target).collect();
            targets.sort_unstable();
            self.cut = Cut::begun(self.program, self.unroller.loops(), bound, &targets);
        }
    }

    /// Adds an unrolling to the formula.
    fn encode(
        &mut self,
        unrolling: &Unrolling,
        in_turn: &[(usize, usize)],
    ) -> Result<(Encoding, Known), Obstacle> {
        let budget = &self.options.budget;
        let (mut pairs, known) = Pairs::of(&mut self.unroller, unrolling, in_turn, budget)?;
        let settled = Settled::of(&mut self.unroller, unrolling, &mut pairs, &known, budget)?;
        let ranges = Ranges::of(&self.unroller.pool, unrolling, &pairs, &settled, budget)?;
        if !self.formula.admits(&self.unroller.pool, &ranges, &settled) {
            self.formula = Formula::new(solver(self.options));
        }
        self.formula.narrow(&self.unroller.pool, &ranges, &settled);
        Ok((self.formula.add(&self.unroller, unrolling, &pairs, budget)?, known))
    }

    /// Tells the solver which read-from pairs exclude each other by known orders.
    fn contradict(
        &mut self,
        unrolling: &Unrolling,
        encoding: &Encoding,
        known: &Known,
    ) -> Result<(), Obstacle> {
        let clauses =
            contradictions(&self.unroller, unrolling, &encoding.events, known, &self.options.budget)?;
        for mut clause in clauses {
            self.work.contradictions += 1;
            clause.push(!encoding.active);
            self.formula.learn(&clause);
        }
        Ok(())
    }

    /// Lets the event order graph take part in the search.
    fn guide(
        &mut self,
        unrolling: &Unrolling,
        encoding: &Encoding,
        in_turn: &[(usize, usize)],
    ) -> Result<Guide, Obstacle> {
        let unroller = &mut self.unroller;
        let sections = self.formula.beside(|formula| sections(formula, unroller, unrolling, encoding))?;
        Ok(Guide::of(unrolling, encoding, (&sections, in_turn), self.model))
    }

    fn tell_size(&mut self, unrolling: &Unrolling, encoding: &Encoding) {
        let sizes = [
            ("Events", unrolling.accesses()),
            ("Read-from pairs", encoding.pairs as u64),
            ("Clauses", self.formula.size()),
        ];
        for (name, count) in sizes {
            self.observer.notice(Progress::Count(name, count));
        }
    }
}

/// An empty solver of the kind that the options ask for.
pub(super) fn solver(options: &Options) -> Solver {
    match options.guided() {
        true => Solver::guided(&options.budget),
        false => Solver::new(&options.budget),
    }
}
