//! Steps on threads without number (`template.rs`): what is done to one of them is done to none in
//! particular.

use super::{Emit, scalar_update};
use crate::frontend::lower::code::NodeId;
use crate::frontend::lower::template::FIRST;
use crate::program::{Barrier, ThreadId, Twins, Update};
use crate::term::{TermId, VarId, Word};

impl Emit {
    /// Notes which threads are templates.
    pub(super) fn twins(&mut self, twins: Vec<Twins>) {
        twins.into_iter().for_each(|twins| self.builder.twins(twins));
    }

    /// When a thread can begin, and what that changes.
    pub(super) fn beginning(&mut self, thread: ThreadId) -> (TermId, Vec<Update>) {
        let data = self.threads[thread.index()];
        let Some(waiting) = data.waiting else {
            return (self.builder.terms().var(data.started), Vec::new());
        };
        let terms = self.builder.terms();
        let [zero, one] = [0, 1].map(|value| terms.constant(value, Word::signed(64)));
        let before = terms.var(waiting);
        let (guard, after) = (terms.lt(zero, before), terms.sub(before, one));
        (guard, vec![scalar_update(waiting, after)])
    }

    /// One more copy of a thread waits to begin, where they are counted.
    pub(super) fn one_more(&mut self, thread: ThreadId) -> Option<(VarId, TermId)> {
        let waiting = self.threads[thread.index()].waiting?;
        let terms = self.builder.terms();
        let (before, one) = (terms.var(waiting), terms.constant(1, Word::signed(64)));
        Some((waiting, terms.add(before, one)))
    }

    /// When a number is that of a copy, if there can be copies.
    pub(super) fn is_a_copy(&mut self, thread: TermId) -> Option<TermId> {
        if self.builder.program().twins.is_empty() {
            return None;
        }
        let pool = self.builder.terms();
        let first = pool.constant(FIRST, pool.word(thread));
        Some(pool.le(first, thread))
    }

    /// What joining a copy, or looking whether it has ended, gives: any value.
    pub(super) fn of_a_copy(&mut self, id: NodeId, thread: TermId, to: VarId, next: NodeId) {
        let Some(here) = self.is_a_copy(thread) else { return };
        let sort = self.builder.program().variable(to).sort;
        let input = self.builder.input("copy", sort);
        let value = self.builder.terms().var(input);
        self.add(id, next, here, vec![scalar_update(to, value)], Barrier::Full, Vec::new());
    }
}
