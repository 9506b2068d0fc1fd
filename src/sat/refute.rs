//! Refutations that others can check: the clauses that CaDiCaL derives on its way to the empty one, each with
//! the clauses that it follows from by unit propagation (the steps of an LRAT proof; Cruz-Filipe, Heule,
//! Hunt, Kaufmann, Schneider-Kamp 2017).
//!
//! This room writes such proofs down and believes nothing; `proof/lrat.rs` checks them.

use rustc_hash::FxHashMap;
use rustsat::solvers::{Solve, SolverResult, Terminate};
use rustsat_cadical::{CaDiCaL, CaDiCaLClause, ClauseId, TraceProof};

use super::plain::{Stopped, external, internal, terminator};
use super::solver::Lit;
use crate::budget::{Budget, Stop};

/// A clause of a refutation. The clauses of the formula have the numbers from 0 on, derived ones the numbers
/// after them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Derived {
    /// The clause.
    pub clause: Vec<Lit>,
    /// If its literals are false, each of these clauses in turn has but one literal left, and the last one
    /// has none.
    pub hints: Vec<u32>,
}

/// What became of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refuted {
    /// It has no model: the last of these clauses is empty.
    Yes(Vec<Derived>),
    /// It has one.
    No,
}

/// Looks for a refutation of clauses without constants.
///
/// # Errors
/// If the budget ends.
pub fn refute(clauses: &[Vec<Lit>], budget: &Budget) -> Result<Refuted, Stop> {
    budget.check()?;
    let mut cadical = CaDiCaL::default();
    // New variables, and steps that are not unit propagation, have no place in these proofs.
    cadical.set_option("factor", 0).expect("an option of the linked library");
    let stopped = Stopped::default();
    cadical.attach_terminator(terminator(budget.clone(), stopped.clone()));
    let handle = cadical.connect_proof_tracer(Tracer::new(clauses.len()), true);
    for clause in clauses {
        cadical.add_clause(clause.iter().map(|&lit| external(lit)).collect()).expect("memory for a clause");
    }
    let result = cadical.solve().expect("memory for solving");
    let tracer = cadical.disconnect_proof_tracer(handle).expect("connected above");
    match result {
        SolverResult::Unsat => Ok(Refuted::Yes(tracer.derived)),
        SolverResult::Sat => Ok(Refuted::No),
        SolverResult::Interrupted => Err(stopped.take()),
    }
}

/// Writes the solver's steps down, with numbers of our own: clauses are simplified as they come, so that the
/// solver's own numbers mix those of the formula with derived ones.
struct Tracer {
    numbers: FxHashMap<i64, u32>,
    /// How many clauses of the formula have come, and how many there are.
    originals: u32,
    formula: u32,
    derived: Vec<Derived>,
}

impl Tracer {
    fn new(formula: usize) -> Tracer {
        let formula = u32::try_from(formula).expect("fewer than 2^32 clauses");
        Tracer { numbers: FxHashMap::default(), originals: 0, formula, derived: Vec::new() }
    }
}

impl TraceProof for Tracer {
    fn add_original_clause(&mut self, id: ClauseId, _: bool, _: &CaDiCaLClause<'_>, _: bool) {
        self.numbers.insert(id.0, self.originals);
        self.originals += 1;
    }

    fn add_derived_clause(
        &mut self,
        id: ClauseId,
        _: bool,
        clause: &CaDiCaLClause<'_>,
        antecedents: &[ClauseId],
    ) {
        let hints = antecedents.iter().map(|antecedent| self.numbers[&antecedent.0]).collect();
        let clause = clause.iter().map(internal).collect();
        self.numbers.insert(id.0, self.formula + self.derived.len() as u32);
        self.derived.push(Derived { clause, hints });
    }
}
