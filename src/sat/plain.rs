//! A thin face of CaDiCaL.

use std::fmt;
use std::sync::{Arc, Mutex};

use rustsat::solvers::{ControlSignal, GetInternalStats, Solve, SolveIncremental, SolverResult, Terminate};
use rustsat::types::{Clause, Lit as External, TernaryVal};
use rustsat_cadical::CaDiCaL;

use super::solver::Lit;
use crate::budget::{Budget, Stop};

/// How many of the solver's polls pass between two looks at the budget, which may read a file.
const POLLS_PER_CHECK: u32 = 16;

pub(super) struct Plain {
    cadical: CaDiCaL<'static, 'static>,
    stopped: Stopped,
}

/// What a terminator saw when it stopped a solver.
#[derive(Clone, Default)]
pub(super) struct Stopped(Arc<Mutex<Option<Stop>>>);

impl Stopped {
    /// Why the solver was stopped.
    ///
    /// # Panics
    /// If it was not.
    pub(super) fn take(&self) -> Stop {
        let stop = self.0.lock().expect("the terminator does not panic").take();
        stop.expect("only the terminator stops the solver")
    }
}

impl fmt::Debug for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plain").finish_non_exhaustive()
    }
}

impl Plain {
    pub(super) fn new(budget: &Budget) -> Plain {
        let mut cadical = CaDiCaL::default();
        let stopped = Stopped::default();
        cadical.attach_terminator(terminator(budget.clone(), stopped.clone()));
        Plain { cadical, stopped }
    }

    pub(super) fn add(&mut self, clause: impl Iterator<Item = Lit>) {
        let clause: Clause = clause.map(external).collect();
        self.cadical.add_clause(clause).expect("memory for a clause");
    }

    /// Whether there is a model in which the assumptions hold.
    pub(super) fn solve(&mut self, assumptions: &[Lit]) -> Result<bool, Stop> {
        let assumed: Vec<External> = assumptions.iter().copied().map(external).collect();
        match self.cadical.solve_assumps(&assumed).expect("memory for solving") {
            SolverResult::Sat => Ok(true),
            SolverResult::Unsat => Ok(false),
            SolverResult::Interrupted => Err(self.stopped.take()),
        }
    }

    /// Whether a literal holds in the model; `None` if that does not matter.
    pub(super) fn value(&self, lit: Lit) -> Option<bool> {
        match self.cadical.lit_val(external(lit)).expect("a model") {
            TernaryVal::True => Some(true),
            TernaryVal::False => Some(false),
            TernaryVal::DontCare => None,
        }
    }

    /// The assumptions that have no model.
    pub(super) fn core(&mut self, assumptions: &[Lit]) -> Vec<Lit> {
        // The library gives the clause of the negated assumptions.
        let core = self.cadical.core().expect("a core after an unsatisfiable call");
        assumptions.iter().copied().filter(|lit| core.contains(&external(!*lit))).collect()
    }

    pub(super) fn conflicts(&self) -> u64 {
        self.cadical.conflicts() as u64
    }
}

/// A literal as the library knows it.
pub(super) fn external(lit: Lit) -> External {
    External::new(lit.code() >> 1, lit.is_negated())
}

/// A literal as we know it.
pub(super) fn internal(lit: External) -> Lit {
    let positive = Lit::from_code(lit.vidx32() << 1);
    if lit.is_neg() { !positive } else { positive }
}

/// Stops a solver when the budget ends.
pub(super) fn terminator(budget: Budget, stopped: Stopped) -> impl FnMut() -> ControlSignal {
    let mut polls = 0;
    move || {
        polls = (polls + 1) % POLLS_PER_CHECK;
        if polls != 0 {
            return ControlSignal::Continue;
        }
        match budget.check() {
            Ok(()) => ControlSignal::Continue,
            Err(stop) => {
                *stopped.0.lock().expect("the terminator does not panic") = Some(stop);
                ControlSignal::Terminate
            }
        }
    }
}
