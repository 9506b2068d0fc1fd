//! The incremental SAT solver: literals, clauses, assumptions, cores, models. A thin face of CaDiCaL.
//!
//! Variable 0 is the constant: it is true from the start, so that [`Lit::TRUE`] and [`Lit::FALSE`] are ordinary
//! literals. Clauses stay for ever; what is to be retracted is guarded by a literal and switched on by an assumption.
//! A model is valid from a [`Answer::Sat`] until the next clause or call of [`Solver::solve`].

use std::fmt;
use std::ops::Not;
use std::sync::{Arc, Mutex};

use rustsat::solvers::{
    ControlSignal, GetInternalStats, LimitConflicts, PhaseLit, Solve, SolveIncremental, SolverResult,
    Terminate,
};
use rustsat::types::{Clause, Lit as External, TernaryVal};
use rustsat_cadical::CaDiCaL;

use crate::budget::{Budget, Stop};

/// How many of the solver's polls pass between two looks at the budget, which may read a file.
const POLLS_PER_CHECK: u32 = 16;

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

    fn external(self) -> External {
        External::new(self.0 >> 1, self.is_negated())
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
    /// Nothing.
    Unknown(Cause),
}

/// Why a call of the solver established nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The budget of the run is used up.
    Stopped(Stop),
    /// The call's limit of conflicts was reached.
    Conflicts,
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
pub struct Solver {
    cadical: CaDiCaL<'static, 'static>,
    budget: Budget,
    /// What the terminator saw when it stopped the solver.
    stopped: Arc<Mutex<Option<Stop>>>,
    variables: u32,
    clauses: u64,
    conflict_limit: Option<u32>,
}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solver").field("size", &self.size()).finish_non_exhaustive()
    }
}

impl Solver {
    /// An empty solver that works within a budget.
    pub fn new(budget: &Budget) -> Solver {
        let mut cadical = CaDiCaL::default();
        // Guessing whole assignments before the search would ignore what `prefer` asks for.
        cadical.set_option("lucky", 0).expect("an option of the library");
        cadical.add_unit(Lit::TRUE.external()).expect("memory for a clause");
        let stopped = Arc::default();
        cadical.attach_terminator(terminator(budget.clone(), Arc::clone(&stopped)));
        Solver { cadical, budget: budget.clone(), stopped, variables: 1, clauses: 0, conflict_limit: None }
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
        let clause: Clause =
            clause.iter().filter(|&&lit| lit != Lit::FALSE).map(|lit| lit.external()).collect();
        self.cadical.add_clause(clause).expect("memory for a clause");
    }

    /// Limits the conflicts of the next call of [`solve`](Solver::solve).
    pub fn limit_conflicts(&mut self, limit: u32) {
        self.conflict_limit = Some(limit);
    }

    /// Asks the search to try this literal as true first when it decides its variable.
    pub fn prefer(&mut self, lit: Lit) {
        self.cadical.phase_lit(lit.external()).expect("a phase may be set at any time");
    }

    /// Looks for a model of all clauses in which the assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        let limit = self.conflict_limit.take();
        if let Err(stop) = self.budget.check() {
            return Answer::Unknown(Cause::Stopped(stop));
        }
        self.cadical.limit_conflicts(limit).expect("a limit of conflicts is supported");
        let assumed: Vec<External> = assumptions.iter().map(|lit| lit.external()).collect();
        match self.cadical.solve_assumps(&assumed).expect("memory for solving") {
            SolverResult::Sat => Answer::Sat,
            SolverResult::Unsat => Answer::Unsat(self.core(assumptions)),
            SolverResult::Interrupted => {
                let stop = self.stopped.lock().expect("the terminator does not panic").take();
                Answer::Unknown(stop.map_or(Cause::Conflicts, Cause::Stopped))
            }
        }
    }

    /// Whether a literal holds in the model. Variables that no clause mentions are false.
    ///
    /// # Panics
    /// If there is no model.
    pub fn value(&self, lit: Lit) -> bool {
        match self.cadical.lit_val(lit.external()).expect("a model") {
            TernaryVal::True => true,
            TernaryVal::False => false,
            TernaryVal::DontCare => lit.is_negated(),
        }
    }

    /// How much there is.
    pub fn size(&self) -> Size {
        Size {
            variables: u64::from(self.variables) - 1,
            clauses: self.clauses,
            conflicts: self.cadical.conflicts() as u64,
        }
    }

    fn core(&mut self, assumptions: &[Lit]) -> Vec<Lit> {
        // The library gives the clause of the negated assumptions.
        let core = self.cadical.core().expect("a core after an unsatisfiable call");
        assumptions.iter().copied().filter(|lit| core.contains(&(!*lit).external())).collect()
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    /// `holes + 1` pigeons in `holes` holes: hard for resolution.
    fn pigeons(solver: &mut Solver, holes: usize) {
        let sits: Vec<Vec<Lit>> = (0..=holes).map(|_| (0..holes).map(|_| solver.fresh()).collect()).collect();
        for (i, pigeon) in sits.iter().enumerate() {
            solver.add(pigeon);
            for other in &sits[..i] {
                for (a, b) in pigeon.iter().zip(other) {
                    solver.add(&[!*a, !*b]);
                }
            }
        }
    }

    #[test]
    fn cores_name_the_assumptions_that_matter() {
        let mut solver = Solver::new(&Budget::unlimited());
        let [a, b, c] = [solver.fresh(), solver.fresh(), solver.fresh()];
        solver.add(&[!a, !b]);
        assert_eq!(solver.solve(&[c, a, b]), Answer::Unsat(vec![a, b]));
        assert_eq!(solver.solve(&[c, a]), Answer::Sat);
        assert!(solver.value(a) && !solver.value(b) && solver.value(!b) && solver.value(c));
        solver.add(&[!a]);
        assert_eq!(solver.solve(&[a]), Answer::Unsat(vec![a]));
        assert_eq!(solver.solve(&[]), Answer::Sat);
    }

    #[test]
    fn constants_are_literals() {
        let mut solver = Solver::new(&Budget::unlimited());
        solver.add(&[Lit::TRUE]);
        assert_eq!(solver.size().clauses, 0);
        assert_eq!(solver.solve(&[Lit::TRUE]), Answer::Sat);
        assert!(solver.value(Lit::TRUE) && !solver.value(Lit::FALSE));
        assert_eq!(solver.solve(&[Lit::FALSE]), Answer::Unsat(vec![Lit::FALSE]));
        solver.add(&[Lit::FALSE]);
        assert_eq!(solver.solve(&[]), Answer::Unsat(vec![]));
    }

    #[test]
    fn preferences_decide_what_is_free() {
        let mut solver = Solver::new(&Budget::unlimited());
        let [a, b] = [solver.fresh(), solver.fresh()];
        solver.add(&[a, b]);
        solver.prefer(a);
        solver.prefer(!b);
        assert_eq!(solver.solve(&[]), Answer::Sat);
        assert!(solver.value(a) && !solver.value(b));
    }

    #[test]
    fn limits_end_a_call_and_leave_the_solver_usable() {
        let mut solver = Solver::new(&Budget::unlimited());
        pigeons(&mut solver, 8);
        solver.limit_conflicts(10);
        assert_eq!(solver.solve(&[]), Answer::Unknown(Cause::Conflicts));
        assert_eq!(solver.solve(&[]), Answer::Unsat(vec![]));
    }

    #[test]
    fn the_budget_ends_a_call() {
        let budget = Budget::unlimited().with_time(Duration::from_millis(50));
        let mut solver = Solver::new(&budget);
        pigeons(&mut solver, 14);
        let expected = Answer::Unknown(Cause::Stopped(Stop::Time(Duration::from_millis(50))));
        assert_eq!(solver.solve(&[]), expected);
        assert!(budget.elapsed() < Duration::from_secs(20), "stopped late: {:?}", budget.elapsed());
        let budget = Budget::unlimited();
        budget.cancellation().store(true, Ordering::Relaxed);
        assert_eq!(Solver::new(&budget).solve(&[]), Answer::Unknown(Cause::Stopped(Stop::Cancelled)));
    }
}
