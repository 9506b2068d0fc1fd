//! A solver that consults a [`Theory`] while it searches: a thin face of BatSat, whose search is MiniSat's.
//!
//! Numbers of variables are those of [`Lit`].

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use batsat::{
    BasicCallbacks, EmptyTheory, Lit as External, Solver as BatSat, SolverInterface, SolverOpts, TheoryArg,
    Var, lbool,
};

use super::solver::Lit;
use super::theory::Theory;
use crate::budget::{Budget, Stop};

/// How often the search asks whether to go on between two looks at the budget.
const POLLS_PER_CHECK: u32 = 256;

pub(super) struct Guided {
    batsat: BatSat<BasicCallbacks>,
    stopped: Rc<Cell<Option<Stop>>>,
}

impl fmt::Debug for Guided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guided").finish_non_exhaustive()
    }
}

impl Guided {
    pub(super) fn new(budget: &Budget) -> Guided {
        let stopped: Rc<Cell<Option<Stop>>> = Rc::default();
        let mut callbacks = BasicCallbacks::new();
        let (budget, told, polls) = (budget.clone(), Rc::clone(&stopped), Cell::new(0));
        callbacks.set_stop(move || {
            polls.set((polls.get() + 1) % POLLS_PER_CHECK);
            if polls.get() == 0 {
                told.set(told.get().or(budget.check().err()));
            }
            told.get().is_some()
        });
        Guided { batsat: BatSat::new(SolverOpts::default(), callbacks), stopped }
    }

    pub(super) fn add(&mut self, clause: impl Iterator<Item = Lit>) {
        let mut clause: Vec<External> = clause.map(|lit| self.external(lit)).collect();
        self.batsat.add_clause_reuse(&mut clause);
    }

    /// Whether there is a model in which the assumptions hold and that the theory agrees with.
    pub(super) fn solve(
        &mut self,
        theory: Option<&mut dyn Theory>,
        assumptions: &[Lit],
    ) -> Result<bool, Stop> {
        let assumed: Vec<External> = assumptions.iter().map(|&lit| self.external(lit)).collect();
        self.stopped.set(None);
        let answer = match theory {
            None => self.batsat.solve_limited_th(&mut EmptyTheory::new(), &assumed),
            Some(theory) => self.batsat.solve_limited_th(&mut Adapter::new(theory), &assumed),
        };
        truth(answer).ok_or_else(|| self.stopped.get().expect("only the budget stops the search"))
    }

    pub(super) fn value(&self, lit: Lit) -> Option<bool> {
        truth(self.batsat.value_lit(external(lit)))
    }

    /// The assumptions that have no model.
    pub(super) fn core(&self, assumptions: &[Lit]) -> Vec<Lit> {
        // The library gives the clause of the negated assumptions.
        let in_core = |lit: &Lit| self.batsat.unsat_core_contains_lit(external(!*lit));
        assumptions.iter().copied().filter(in_core).collect()
    }

    pub(super) fn conflicts(&self) -> u64 {
        self.batsat.num_conflicts()
    }

    fn external(&mut self, lit: Lit) -> External {
        External::new(self.batsat.var_of_int(lit.code() >> 1), !lit.is_negated())
    }
}

fn external(lit: Lit) -> External {
    External::new(Var::unsafe_from_idx(lit.code() >> 1), !lit.is_negated())
}

fn truth(value: lbool) -> Option<bool> {
    (value != lbool::UNDEF).then(|| value == lbool::TRUE)
}

fn internal(lit: External) -> Lit {
    let positive = Lit::from_code(lit.var().idx() << 1);
    if lit.sign() { positive } else { !positive }
}

/// A theory as BatSat wants it.
struct Adapter<'t> {
    theory: &'t mut dyn Theory,
    /// How many assigned literals the theory knows, now and when each level was opened.
    known: usize,
    levels: Vec<usize>,
    explanation: Vec<External>,
}

impl<'t> Adapter<'t> {
    fn new(theory: &'t mut dyn Theory) -> Adapter<'t> {
        Adapter { theory, known: 0, levels: Vec::new(), explanation: Vec::new() }
    }

    fn check(&mut self, acts: &mut TheoryArg<'_>) {
        let news: Vec<Lit> = acts.model()[self.known..].iter().map(|&lit| internal(lit)).collect();
        self.known += news.len();
        let is_open = |lit: Lit| acts.value(external(lit).var()) == lbool::UNDEF;
        match self.theory.assign(&news, &is_open) {
            Ok(consequences) => {
                for lit in consequences {
                    if !acts.propagate(external(lit)) {
                        return;
                    }
                }
            }
            Err(reason) => {
                let clause: Vec<External> = reason.into_iter().map(|lit| !external(lit)).collect();
                acts.raise_conflict(&clause, false);
            }
        }
    }
}

impl batsat::Theory for Adapter<'_> {
    fn final_check(&mut self, acts: &mut TheoryArg<'_>) {
        self.check(acts);
    }

    fn partial_check(&mut self, acts: &mut TheoryArg<'_>) {
        self.check(acts);
    }

    fn create_level(&mut self) {
        self.levels.push(self.known);
        self.theory.push();
    }

    fn pop_levels(&mut self, count: usize) {
        for _ in 0..count {
            self.known = self.levels.pop().expect("a level is open");
            self.theory.pop();
        }
    }

    fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn explain_propagation(&mut self, consequence: External) -> &[External] {
        let reason = self.theory.explain(internal(consequence));
        self.explanation = reason.into_iter().map(external).collect();
        &self.explanation
    }
}
