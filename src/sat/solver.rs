//! The incremental SAT solver: literals, clauses, assumptions, cores, models. The search is CaDiCaL's
//! (`plain.rs`), or one that a theory looks on (`guided.rs`).
//!
//! Variable 0 is the constant: it is true from the start, so that [`Lit::TRUE`] and [`Lit::FALSE`] are
//! ordinary literals. Clauses stay for ever; what is to be retracted is guarded by a literal and switched on
//! by an assumption. A model is valid from a [`Answer::Sat`] until the next clause or call of
//! [`Solver::solve`].

use super::guided::Guided;
use super::plain::Plain;
use super::theory::Theory;
use crate::budget::{Budget, Stop};
use std::fmt;
use std::ops::Not;

/// A literal: a variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The literal that always holds.
    pub const TRUE: Lit = Lit(0);
    /// The literal that never holds.
    pub const FALSE: Lit = Lit(1);

    /// [`Lit::TRUE`] or [`Lit::FALSE`].
    pub fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }

    /// Which constant this is, if it is one.
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 0)
    }

    /// A number that stands for the literal: twice the variable, plus one if negated.
    pub fn code(self) -> u32 {
        self.0
    }

    /// The literal with a [`code`](Lit::code).
    pub fn from_code(code: u32) -> Lit {
        Lit(code)
    }

    /// Whether this is the negation of its variable.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_constant() {
            Some(value) => write!(f, "{value}"),
            None => write!(f, "{}{}", if self.is_negated() { "!" } else { "" }, self.0 >> 1),
        }
    }
}

/// What a call of the solver established.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model; [`Solver::value`] reads it.
    Sat,
    /// There is none under these assumptions, a subset of those given.
    Unsat(Vec<Lit>),
    /// Nothing, since the budget of the run is used up.
    Unknown(Stop),
}

/// How much a solver holds and has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Variables made, the constant not counted.
    pub variables: u64,
    /// Clauses added, satisfied ones not counted.
    pub clauses: u64,
    /// Conflicts met in all calls.
    pub conflicts: u64,
}

/// An incremental solver.
#[derive(Debug)]
pub struct Solver {
    backend: Backend,
    budget: Budget,
    variables: u32,
    clauses: u64,
    /// The clauses themselves, if they are kept.
    kept: Option<Vec<Vec<Lit>>>,
}

/// Who searches.
#[derive(Debug)]
enum Backend {
    Plain(Plain),
    Guided(Box<Guided>),
}

impl Solver {
    /// An empty solver that works within a budget.
    pub fn new(budget: &Budget) -> Solver {
        Solver::by(Backend::Plain(Plain::new(budget)), budget)
    }

    /// An empty solver that can consult a theory while it searches.
    pub fn guided(budget: &Budget) -> Solver {
        Solver::by(Backend::Guided(Box::new(Guided::new(budget))), budget)
    }

    fn by(backend: Backend, budget: &Budget) -> Solver {
        let mut solver = Solver { backend, budget: budget.clone(), variables: 1, clauses: 0, kept: None };
        solver.pass_on([Lit::TRUE].into_iter());
        solver
    }

    /// The same solver, which keeps the clauses that it is given from now on.
    pub fn keeping_clauses(self) -> Solver {
        Solver { kept: Some(Vec::new()), ..self }
    }

    /// The clauses that were kept, without constants; no more are.
    pub fn take_clauses(&mut self) -> Vec<Vec<Lit>> {
        self.kept.take().unwrap_or_default()
    }

    /// The positive literal of a new variable.
    ///
    /// # Panics
    /// After 2^30 variables.
    pub fn fresh(&mut self) -> Lit {
        assert!(self.variables < 1 << 30, "too many variables of the solver");
        let lit = Lit(self.variables << 1);
        self.variables += 1;
        lit
    }

    /// Adds a clause for good.
    pub fn add(&mut self, clause: &[Lit]) {
        if clause.contains(&Lit::TRUE) {
            return;
        }
        self.clauses += 1;
        let open = clause.iter().copied().filter(|&lit| lit != Lit::FALSE);
        if let Some(kept) = &mut self.kept {
            kept.push(open.clone().collect());
        }
        self.pass_on(open);
    }

    fn pass_on(&mut self, clause: impl Iterator<Item = Lit>) {
        match &mut self.backend {
            Backend::Plain(plain) => plain.add(clause),
            Backend::Guided(guided) => guided.add(clause),
        }
    }

    /// Looks for a model of all clauses in which the assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.solve_by(assumptions, |backend| match backend {
            Backend::Plain(plain) => plain.solve(assumptions),
            Backend::Guided(guided) => guided.solve(None, assumptions),
        })
    }

    /// Looks for a model of all clauses that a theory agrees with, too. What was learnt from the theory
    /// stays: later theories must agree with it.
    ///
    /// # Panics
    /// If the solver is not a [`guided`](Solver::guided) one.
    pub fn solve_with(&mut self, theory: &mut dyn Theory, assumptions: &[Lit]) -> Answer {
        self.solve_by(assumptions, |backend| match backend {
            Backend::Plain(_) => panic!("this solver consults nobody"),
            Backend::Guided(guided) => guided.solve(Some(theory), assumptions),
        })
    }

    fn solve_by(
        &mut self,
        assumptions: &[Lit],
        solve: impl FnOnce(&mut Backend) -> Result<bool, Stop>,
    ) -> Answer {
        let found = self.budget.check().and_then(|()| solve(&mut self.backend));
        match (found, &mut self.backend) {
            (Err(stop), _) => Answer::Unknown(stop),
            (Ok(true), _) => Answer::Sat,
            (Ok(false), Backend::Plain(plain)) => Answer::Unsat(plain.core(assumptions)),
            (Ok(false), Backend::Guided(guided)) => Answer::Unsat(guided.core(assumptions)),
        }
    }

    /// Whether a literal holds in the model. Variables that no clause mentions are false.
    ///
    /// # Panics
    /// If there is no model.
    pub fn value(&self, lit: Lit) -> bool {
        let value = match &self.backend {
            Backend::Plain(plain) => plain.value(lit),
            Backend::Guided(guided) => guided.value(lit),
        };
        value.unwrap_or(lit.is_negated())
    }

    /// How much there is.
    pub fn size(&self) -> Size {
        let conflicts = match &self.backend {
            Backend::Plain(plain) => plain.conflicts(),
            Backend::Guided(guided) => guided.conflicts(),
        };
        Size { variables: u64::from(self.variables) - 1, clauses: self.clauses, conflicts }
    }
}

#[cfg(test)]
mod tests;
