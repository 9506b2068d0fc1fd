//! CaDiCaL as this crate sees it: clauses in, incremental queries under assumptions out.
//!
//! The only file that names the solver. Runs are reproducible: limits are counted in conflicts, never in
//! time, and the one thing that can depend on the clock, the caller's [`Stop`], ends a query with
//! [`Interrupted`] instead of changing its answer.

use std::fmt;
use std::sync::Arc;

use rustsat::encodings::card::{BoundUpper, BoundUpperIncremental, Totalizer};
use rustsat::instances::{BasicVarManager, ManageVars};
use rustsat::solvers::{
    ControlSignal, GetInternalStats, LimitConflicts, Solve, SolveIncremental, SolverResult, Terminate,
};
use rustsat::types::{Clause, TernaryVal};
use rustsat_cadical::CaDiCaL;

pub(crate) use rustsat::types::Lit;

/// Asked during long queries: `true` means give up. Once `true`, it should stay so.
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// The caller's [`Stop`] said so; nothing was decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the search for a partition was interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// The outcome of a query.
pub(crate) enum Answer {
    /// Satisfiable; [`Sat::holds`] reads the model until the next query or clause.
    Model,
    /// Unsatisfiable; these of the assumptions contradict the clauses, in the order in which they were
    /// assumed.
    Core(Vec<Lit>),
    /// The conflict limit came first.
    Limit,
}

/// An incremental solver.
pub(crate) struct Sat {
    solver: CaDiCaL<'static, 'static>,
    variables: BasicVarManager,
    stop: Stop,
    truth: Lit,
    queries: u64,
}

impl Sat {
    pub(crate) fn new(stop: Stop) -> Sat {
        let mut solver = CaDiCaL::default();
        // Undecided variables fall to false: codes start low, so that most are final in the first model.
        solver.set_option("phase", 0).expect("CaDiCaL knows the option `phase`");
        let asked = Arc::clone(&stop);
        solver.attach_terminator(
            move || if asked() { ControlSignal::Terminate } else { ControlSignal::Continue },
        );
        let mut variables = BasicVarManager::default();
        let truth = variables.new_lit();
        let mut sat = Sat { solver, variables, stop, truth, queries: 0 };
        sat.add([truth]);
        sat
    }

    /// The literal that always holds.
    pub(crate) fn truth(&self) -> Lit {
        self.truth
    }

    pub(crate) fn new_lit(&mut self) -> Lit {
        self.variables.new_lit()
    }

    pub(crate) fn add(&mut self, clause: impl IntoIterator<Item = Lit>) {
        let clause: Clause = clause.into_iter().collect();
        self.solver.add_clause(clause).expect("memory for a clause");
    }

    /// Is there a model of all clauses and `assumptions`? At most `limit` conflicts are spent, if given.
    pub(crate) fn query(&mut self, assumptions: &[Lit], limit: Option<u32>) -> Result<Answer, Interrupted> {
        if (self.stop)() {
            return Err(Interrupted);
        }
        self.queries += 1;
        // CaDiCaL forgets the limit after each call.
        if limit.is_some() {
            self.solver.limit_conflicts(limit).expect("a limit below 2^31");
        }
        match self.solver.solve_assumps(assumptions).expect("a working solver") {
            SolverResult::Sat => Ok(Answer::Model),
            SolverResult::Unsat => {
                let core = self.solver.core().expect("a core after an unsatisfiable query");
                // RustSAT returns the core as the clause of its negated literals.
                Ok(Answer::Core(core.into_iter().map(|l| !l).collect()))
            }
            SolverResult::Interrupted if (self.stop)() => Err(Interrupted),
            SolverResult::Interrupted => Ok(Answer::Limit),
        }
    }

    /// Whether `literal` holds in the model of the last query.
    pub(crate) fn holds(&self, literal: Lit) -> bool {
        self.solver.lit_val(literal).expect("a model") == TernaryVal::True
    }

    /// Queries so far.
    pub(crate) fn queries(&self) -> u64 {
        self.queries
    }

    /// Conflicts in all queries so far.
    pub(crate) fn conflicts(&self) -> u64 {
        self.solver.conflicts() as u64
    }
}

/// A sum of literals whose upper bounds can be assumed (an incremental totalizer).
#[derive(Default)]
pub(crate) struct Sum {
    totalizer: Totalizer,
}

impl Sum {
    /// Adds summands. Bounds from before no longer cover the whole sum.
    pub(crate) fn extend(&mut self, literals: impl IntoIterator<Item = Lit>) {
        self.totalizer.extend(literals);
    }

    /// A literal which implies that at most `bound` summands hold; nothing if that is so anyway.
    pub(crate) fn at_most(&mut self, bound: usize, sat: &mut Sat) -> Option<Lit> {
        self.totalizer
            .encode_ub_change(bound..=bound, &mut sat.solver, &mut sat.variables)
            .expect("memory for a clause");
        let literals = self.totalizer.enforce_ub(bound).expect("the bound was just encoded");
        debug_assert!(literals.len() <= 1);
        literals.first().copied()
    }
}
