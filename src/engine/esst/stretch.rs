//! Stretches: what a thread does between two nodes of the forest.
//!
//! An edge of rule E1 is no single operation but all that the running thread does, one way, until its turn
//! is over, it comes to the head of a loop or to an error: a large block (D. Beyer, A. Cimatti, A. Griggio,
//! M. E. Keremoglu, R. Sebastiani, "Software model checking via large-block encoding", 2009), but each way
//! through it by itself. In between nobody else can look, so there is nothing to abstract; the paper has a
//! node after each operation.
//!
//! A stretch is kept once, with what it asks of the state before it and what it makes of it, as terms over
//! that state. Invariant: at most one of its operations reads inputs, so that an input stands for one
//! value.

use rustc_hash::FxHashMap;

use super::operation::Operations;
use crate::program::{LocId, Program, Role, TransId};
use crate::reach::path::whole_value;
use crate::term::{Pool, TermId, VarId};

/// A stretch is broken off after so many operations.
const MOST_OPERATIONS: usize = 64;

/// A stretch, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct StretchId(u32);

/// A sequence of operations of one thread.
#[derive(Clone, Default)]
pub(super) struct Stretch {
    pub operations: Vec<TransId>,
    /// What has to hold before it, sorted.
    pub conditions: Vec<TermId>,
    /// Whether its last operation asks for nothing that those before it do not.
    pub is_free: bool,
    /// What it makes of the variables that it writes.
    values: FxHashMap<VarId, TermId>,
    reads_inputs: bool,
}

/// The stretches that have been followed.
pub(super) struct Stretches {
    all: Vec<Stretch>,
    longer: FxHashMap<(StretchId, TransId), StretchId>,
}

impl Stretches {
    /// The stretch of no operations.
    pub const EMPTY: StretchId = StretchId(0);

    /// That of no operations alone.
    pub fn new() -> Stretches {
        Stretches { all: vec![Stretch::default()], longer: FxHashMap::default() }
    }

    pub fn get(&self, id: StretchId) -> &Stretch {
        &self.all[id.0 as usize]
    }

    /// A stretch and one more operation.
    pub fn longer(
        &mut self,
        operations: &Operations,
        terms: &mut Pool,
        before: StretchId,
        operation: TransId,
    ) -> StretchId {
        if let Some(&known) = self.longer.get(&(before, operation)) {
            return known;
        }
        let stretch = self.get(before).and(&operations.steps, terms, operation);
        let id = StretchId(u32::try_from(self.all.len()).expect("fewer than 2^32 stretches"));
        self.all.push(stretch);
        self.longer.insert((before, operation), id);
        id
    }
}

impl Stretch {
    fn and(&self, steps: &Program, terms: &mut Pool, operation: TransId) -> Stretch {
        let transition = steps.transition(operation);
        let asked: Vec<TermId> = transition.conditions().collect();
        let asked = terms.and(&asked);
        let asked = self.before(terms, asked);
        let mut conditions = self.conditions.clone();
        conditions.extend(terms.conjuncts(asked));
        conditions.sort_unstable();
        conditions.dedup();
        let mut values = self.values.clone();
        for update in &transition.updates {
            let var = update.place.var;
            let value = whole_value(terms, transition, var);
            values.insert(var, self.before(terms, value));
        }
        Stretch {
            operations: self.operations.iter().copied().chain([operation]).collect(),
            is_free: conditions.len() == self.conditions.len(),
            conditions,
            values,
            reads_inputs: self.reads_inputs || reads_inputs(steps, terms, operation),
        }
    }

    /// What a term over the state after it is over the state before it.
    pub fn before(&self, terms: &mut Pool, after: TermId) -> TermId {
        match self.values.is_empty() {
            true => after,
            false => terms.substitute(after, |_, var| self.values.get(&var).copied()),
        }
    }

    /// Whether it writes a variable.
    pub fn writes(&self, var: VarId) -> bool {
        self.values.contains_key(&var)
    }

    /// Where its thread then is.
    pub fn end(&self, operations: &Operations) -> LocId {
        operations.steps.transition(self.last()).to
    }

    /// Its last operation.
    pub fn last(&self) -> TransId {
        *self.operations.last().expect("edges are stretches of some operations")
    }

    /// Whether a transition that leaves its end may become part of it: it is not too long, inputs are read
    /// once at most, and what is asked of the scheduler is certain.
    pub fn admits(&self, program: &Program, terms: &mut Pool, step: TransId) -> bool {
        let mut arguments = program.transition(step).arguments();
        self.operations.len() < MOST_OPERATIONS
            && !(self.reads_inputs && reads_inputs(program, terms, step))
            && arguments.all(|argument| {
                let before = self.before(terms, argument);
                terms.as_const(before).is_some()
            })
    }
}

/// Whether a transition reads inputs; what a scheduler answers is none.
fn reads_inputs(program: &Program, terms: &Pool, id: TransId) -> bool {
    let transition = program.transition(id);
    let answer = transition.call.as_ref().and_then(|call| call.result);
    let is_input = |var: &VarId| program.variable(*var).role == Role::Input && Some(*var) != answer;
    transition.terms().any(|term| terms.vars(term).iter().any(is_input))
}
