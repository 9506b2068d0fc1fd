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
    /// What the terminator saw when it stopped the solver.
    stopped: Arc<Mutex<Option<Stop>>>,
}

impl fmt::Debug for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plain").finish_non_exhaustive()
    }
}

impl Plain {
    pub(super) fn new(budget: &Budget) -> Plain {
        let mut cadical = CaDiCaL::default();
        let stopped = Arc::default();
        cadical.attach_terminator(terminator(budget.clone(), Arc::clone(&stopped)));
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
            SolverResult::Interrupted => {
                let stop = self.stopped.lock().expect("the terminator does not panic").take();
                Err(stop.expect("only the terminator stops the solver"))
            }
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

fn external(lit: Lit) -> External {
    External::new(lit.code() >> 1, lit.is_negated())
}

fn terminator(budget: Budget, stopped: Arc<Mutex<Option<Stop>>>) -> impl FnMut() -> ControlSignal {
    let mut polls = 0;
    move || {
        polls = (polls + 1) % POLLS_PER_CHECK;
        if polls != 0 {
            return ControlSignal::Continue;
        }
        match budget.check() {
            Ok(()) => ControlSignal::Continue,
            Err(stop) => {
                *stopped.lock().expect("the terminator does not panic") = Some(stop);
                ControlSignal::Terminate
            }
        }
    }
}
