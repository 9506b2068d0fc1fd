//! Which variables transitions mention, computed once a term.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::{Program, ThreadId, Transition};
use crate::term::{Pool, TermId, VarId};

/// The variables of terms, remembered.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    known: FxHashMap<TermId, Rc<[VarId]>>,
}

impl Mentions {
    /// The variables of a term, sorted.
    pub fn of(&mut self, terms: &Pool, term: TermId) -> Rc<[VarId]> {
        self.known.entry(term).or_insert_with(|| terms.vars(term).into()).clone()
    }

    /// The variables of all terms of a transition, sorted. Reading an element reads the array; writing one does not.
    pub fn reads(&mut self, terms: &Pool, transition: &Transition) -> Vec<VarId> {
        let mut vars = Vec::new();
        for term in transition.terms() {
            vars.extend_from_slice(&self.of(terms, term));
        }
        vars.sort_unstable();
        vars.dedup();
        vars
    }
}

/// Which variables the threads of a program read and write.
#[derive(Debug)]
pub(super) struct Accesses {
    reads: Vec<Vec<VarId>>,
    writes: Vec<Vec<VarId>>,
}

impl Accesses {
    pub fn of(program: &Program) -> Accesses {
        let mut accesses = Accesses {
            reads: vec![Vec::new(); program.threads.len()],
            writes: vec![Vec::new(); program.threads.len()],
        };
        let mut mentions = Mentions::default();
        for transition in &program.transitions {
            let thread = program.location(transition.from).thread.index();
            accesses.reads[thread].extend(mentions.reads(&program.terms, transition));
            accesses.writes[thread].extend(transition.updates.iter().map(|update| update.place.var));
        }
        for list in accesses.reads.iter_mut().chain(&mut accesses.writes) {
            list.sort_unstable();
            list.dedup();
        }
        accesses
    }

    /// Variables that a thread reads somewhere, sorted.
    pub fn reads(&self, thread: ThreadId) -> &[VarId] {
        &self.reads[thread.index()]
    }

    /// Variables that a thread writes somewhere, sorted.
    pub fn writes(&self, thread: ThreadId) -> &[VarId] {
        &self.writes[thread.index()]
    }

    /// Whether a thread writes the variable somewhere.
    pub fn may_write(&self, thread: ThreadId, var: VarId) -> bool {
        self.writes(thread).binary_search(&var).is_ok()
    }
}
