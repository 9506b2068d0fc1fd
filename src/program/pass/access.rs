//! Which variables transitions mention, computed once a term.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::{Program, ThreadId, Transition};
use crate::term::{Pool, TermId, VarId};

/// The variables of terms, remembered for all their parts, so that terms that share parts share the work.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    known: FxHashMap<TermId, Rc<[VarId]>>,
}

impl Mentions {
    /// The variables of a term, sorted.
    pub fn of(&mut self, terms: &Pool, term: TermId) -> Rc<[VarId]> {
        if let Some(vars) = self.known.get(&term) {
            return vars.clone();
        }
        let mut stack = vec![term];
        let mut children = Vec::new();
        while let Some(&next) = stack.last() {
            children.clear();
            terms.node(next).push_children(&mut children);
            let before = stack.len();
            stack.extend(children.iter().filter(|child| !self.known.contains_key(child)));
            if stack.len() == before {
                stack.pop();
                let vars = self.union(terms, next, &children);
                self.known.insert(next, vars);
            }
        }
        self.known[&term].clone()
    }

    fn union(&self, terms: &Pool, term: TermId, children: &[TermId]) -> Rc<[VarId]> {
        let sets = children.iter().map(|child| &self.known[child]);
        let Some(largest) = sets.clone().max_by_key(|set| set.len()) else {
            return terms.as_var(term).into_iter().collect();
        };
        if sets.clone().flat_map(|set| set.iter()).all(|var| largest.binary_search(var).is_ok()) {
            return largest.clone();
        }
        let mut all: Vec<VarId> = sets.flat_map(|set| set.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all.into()
    }

    /// The variables of all terms of a transition, sorted. Reading an element reads the array; writing one
    /// does not.
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
