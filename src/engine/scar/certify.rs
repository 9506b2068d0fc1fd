//! The certificate of a bounded proof (`proof/bounded/`), made when the answer is known already.
//!
//! The last unrolling is encoded once more, by itself and without anything that was inferred to find the
//! answer fast: all read-from pairs, all bits, no settled reads, no known orders, no critical sections, and
//! threads that are alike begin in any order. What
//! the event order graph tells the solver is kept as lemmas. So a certificate does not share the mistakes of
//! `infer/` and of most of `schedule/`; were there one, the formula would have a model that is a run, and no
//! refutation.

use crate::budget::{Budget, Stop};
use crate::order::{Density, Model, Orders, Validity};
use crate::program::MemoryModel;
use crate::proof::{BoundedProof, Happening, Reading, Writing};
use crate::sat::{Answer, Lit, Refuted, Solver, refute};

use super::encode::{EncodedEvent, Encoding, Formula};
use super::infer::Pairs;
use super::schedule::{Execution, Guide, negation};
use super::unroll::{Event, Unroller, Unrolling};

/// A certificate that no run of an unrolling reaches a goal. If there is such a run, it has no refutation.
///
/// # Errors
/// If the budget ends.
pub fn certify(
    unroller: &mut Unroller<'_>,
    unrolling: &Unrolling,
    model: MemoryModel,
    budget: &Budget,
) -> Result<BoundedProof, Stop> {
    let pairs = Pairs::all(unroller, unrolling);
    let mut formula = Formula::new(Solver::guided(budget).keeping_clauses());
    let encoding = formula.add(unroller, unrolling, &pairs, budget)?;
    let goals: Vec<Lit> = encoding.goals.iter().map(|&(_, goal)| goal).collect();
    formula.solver().add(&[encoding.active]);
    formula.solver().add(&goals);
    let clauses = formula.solver().take_clauses();
    let mut proof = BoundedProof {
        model,
        happenings: happenings(unrolling, &encoding),
        formula: clauses,
        lemmas: Vec::new(),
        refutation: Vec::new(),
    };
    if let Some(lemmas) = lemmas(&mut formula, unrolling, &encoding, Model::from(model), budget)? {
        let all: Vec<Vec<Lit>> = proof.formula.iter().chain(&lemmas).cloned().collect();
        if let Refuted::Yes(refutation) = refute(&all, budget)? {
            (proof.lemmas, proof.refutation) = (lemmas, refutation);
        }
    }
    Ok(proof)
}

/// What must be known of orders for the formula to have no model; none if a run is a model.
fn lemmas(
    formula: &mut Formula,
    unrolling: &Unrolling,
    encoding: &Encoding,
    model: Model,
    budget: &Budget,
) -> Result<Option<Vec<Vec<Lit>>>, Stop> {
    let mut guide = Guide::of(unrolling, encoding, (&[], &[]), model).keeping_lemmas();
    loop {
        match formula.solver().solve_with(&mut guide, &[]) {
            Answer::Unknown(stop) => return Err(stop),
            Answer::Unsat(_) => return Ok(Some(guide.take_lemmas())),
            Answer::Sat => {}
        }
        let execution = Execution::of(formula.blaster(), unrolling, encoding);
        match Orders::new(&execution.graph, model, Density::Minimal).validate(budget)? {
            Validity::Total(_) => return Ok(None),
            Validity::Impossible(reason) => {
                let lemma = negation(&reason);
                formula.solver().add(&lemma);
                guide.keep(lemma);
            }
        }
    }
}

/// The events of an unrolling with their literals.
fn happenings(unrolling: &Unrolling, encoding: &Encoding) -> Vec<Happening> {
    let events = unrolling.events.iter().zip(&encoding.events);
    let happening = |(event, literals): (&Event, &EncodedEvent)| {
        let reads = event.reads.iter().zip(&literals.reads).map(|(read, (_, sources))| Reading {
            cell: read.cell.index(),
            sources: sources.iter().map(|&(selector, source)| (selector, source.event())).collect(),
        });
        let writes = event.writes.iter().zip(&literals.writes);
        let writes = writes.map(|(write, &happens)| Writing { cell: write.cell.index(), happens });
        Happening {
            thread: event.thread,
            guard: literals.guard,
            barrier: event.barrier,
            reads: reads.collect(),
            writes: writes.collect(),
        }
    };
    events.map(happening).collect()
}
