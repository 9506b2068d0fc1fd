//! Calls of primitives: which operations a transition stands for at a node.
//!
//! Arguments that are no constants are enumerated: all values that they can have in the regions of the node,
//! found by the solver. If there are more than [`MOST_VALUES`], the path to the node may know better: then
//! what it knows is made part of the precisions by interpolation, like the refutation of a path to an error.
//! If it does not, there is no answer, and the place is told.

use super::expand::Way;
use super::operation::{Outcome, is};
use super::search::Search;
use crate::engine::Reason;
use crate::program::{Call, ThreadId, TransId};
use crate::reach::interpolant::Goal;
use crate::reach::tree::NodeId;
use crate::scheduler::State;
use crate::smt::{Answer, GaveUp, Solver};
use crate::term::{Datum, Pool, Sort, TermId, VarId};

/// So many combinations of arguments are tried.
const MOST_VALUES: usize = 64;

/// All combinations of arguments, or too many.
enum Enumerated {
    All(Vec<Vec<i64>>),
    TooMany,
}

impl Search<'_> {
    /// The operations that a transition stands for on a way from a node, each with the state of the scheduler
    /// after it. None if the node is to be built anew.
    pub(super) fn operations_of(
        &mut self,
        node: NodeId,
        thread: ThreadId,
        way: &Way,
        step: TransId,
    ) -> Result<Option<Vec<(TransId, State)>>, GaveUp> {
        let Some(call) = self.program.transition(step).call.clone() else {
            return Ok(Some(vec![(step, way.scheduler.clone())]));
        };
        let values = match self.constants(way, &call) {
            Some(constants) => vec![constants],
            None => match self.values(node, thread, &call, step)? {
                Some(values) => values,
                None => return Ok(None),
            },
        };
        let mut operations = Vec::new();
        for arguments in values {
            let mut scheduler = way.scheduler.clone();
            let result = self.scheduler.execute(&mut scheduler, thread, call.primitive, &arguments);
            if result.is_err() {
                scheduler = way.scheduler.clone();
            }
            let outcome: Outcome = (arguments, result);
            operations.push((self.operations.of_call(&mut self.terms, step, &outcome), scheduler));
        }
        Ok(Some(operations))
    }

    /// The arguments of a call after a way, if they do not depend on where that begins.
    fn constants(&mut self, way: &Way, call: &Call) -> Option<Vec<i64>> {
        let stretch = self.stretches.get(way.stretch);
        let constant = |&argument: &TermId| {
            let before = stretch.before(&mut self.terms, argument);
            self.terms.as_const(before).map(|value| value as i64)
        };
        call.arguments.iter().map(constant).collect()
    }

    /// The values that the arguments of a call may have at a node; none of them if there are too many. None
    /// if the node is to be built anew.
    fn values(
        &mut self,
        node: NodeId,
        thread: ThreadId,
        call: &Call,
        step: TransId,
    ) -> Result<Option<Vec<Vec<i64>>>, GaveUp> {
        let (own, global) = self.regions_of(node, thread);
        let facts = self.forest.union([own, global]);
        match self.enumerate(&facts, step, &call.arguments)? {
            Enumerated::All(values) => Ok(Some(values)),
            Enumerated::TooMany => {
                let learnt = self.learn_arguments(node, thread, call)?;
                if !learnt {
                    self.too_many(step);
                }
                Ok((!learnt).then(Vec::new))
            }
        }
    }

    /// All values of terms where facts and the conditions of a transition hold.
    fn enumerate(&mut self, facts: &[TermId], step: TransId, asked: &[TermId]) -> Result<Enumerated, GaveUp> {
        let mut solver = Solver::new(self.options.int_model, self.watch);
        for var in self.program.variable_ids() {
            if self.program.variable(var).role == crate::program::Role::Input {
                solver.assert_in_range(&self.terms, var);
            }
        }
        let conditions: Vec<TermId> = self.operations.steps.transition(step).conditions().collect();
        facts.iter().chain(&conditions).for_each(|&fact| solver.assert(&self.terms, fact));
        all_values(&mut self.terms, &mut solver, asked)
    }

    /// There are too many values in the regions of a node: learns those that the path to it allows. Whether
    /// anything changed.
    fn learn_arguments(&mut self, node: NodeId, thread: ThreadId, call: &Call) -> Result<bool, GaveUp> {
        let (walked, state) = self.execute(node);
        let images: Vec<TermId> =
            call.arguments.iter().map(|&argument| state.value(&mut self.terms, argument)).collect();
        let mut solver = Solver::new(self.options.int_model, self.watch);
        for &unknown in self.unknowns.all() {
            solver.assert_in_range(&self.terms, unknown);
        }
        walked.iter().for_each(|(_, condition)| solver.assert(&self.terms, condition.image));
        let Enumerated::All(values) = all_values(&mut self.terms, &mut solver, &images)? else {
            return Ok(false);
        };
        let mut alternatives = Vec::new();
        for values in values {
            let equal =
                call.arguments.iter().zip(values).map(|(&term, value)| is(&mut self.terms, term, value));
            let equal: Vec<TermId> = equal.collect();
            alternatives.push(self.terms.and(&equal));
        }
        let original = self.terms.or(&alternatives);
        let image = state.value(&mut self.terms, original);
        self.learn(node, thread, Goal { original, image })
    }

    fn too_many(&mut self, step: TransId) {
        let span = self.program.location(self.program.transition(step).from).span;
        let place = match span.is_some() {
            true => format!(" at {}", self.program.sources.display(span)),
            false => String::new(),
        };
        let summary =
            format!("an argument of a scheduler's primitive has more than {MOST_VALUES} values{place}");
        let reason =
            Reason::new(summary).advising("an argument that is a constant, or one of few, can be followed");
        self.unclear.get_or_insert(reason);
    }
}

/// All combinations of values of some words that the solver's assertions allow.
fn all_values(terms: &mut Pool, solver: &mut Solver, asked: &[TermId]) -> Result<Enumerated, GaveUp> {
    let mut all = Vec::new();
    let mut names: Vec<VarId> = Vec::new();
    for &term in asked {
        let name = terms.declare("argument", Sort::Word(terms.word(term)));
        solver.assert_in_range(terms, name);
        let value = terms.var(name);
        let named = terms.eq(value, term);
        solver.assert(terms, named);
        names.push(name);
    }
    loop {
        match solver.check(terms, &[]) {
            Answer::Unsat(_) => return Ok(Enumerated::All(all)),
            Answer::Unknown(gave_up) => return Err(gave_up),
            Answer::Sat if all.len() == MOST_VALUES => return Ok(Enumerated::TooMany),
            Answer::Sat => {}
        }
        let mut values = Vec::new();
        for &name in &names {
            let Some(Datum::Word(value)) = solver.value(terms, name) else { return Ok(Enumerated::TooMany) };
            let Ok(value) = i64::try_from(value) else { return Ok(Enumerated::TooMany) };
            values.push(value);
        }
        let same: Vec<TermId> =
            asked.iter().zip(&values).map(|(&term, &value)| is(terms, term, value)).collect();
        let same = terms.and(&same);
        let other = terms.not(same);
        solver.assert(terms, other);
        all.push(values);
    }
}
