//! How a transition uses the values of variables: copies them, compares them, or does something else with
//! them.
//!
//! A value that is only copied and compared can be replaced by any other that compares the same way;
//! The explorer's choice of inputs and the pass `values` build on that. Every occurrence of a variable in the transition's terms gives a use;
//! conversions that preserve the value count as copies. A truth value has two values and each matters,
//! wherever it occurs.

use rustc_hash::FxHashSet;

use super::{Program, Transition};
use crate::term::{Node, Pool, Sort, TermId, VarId};

/// What happens to the value of a variable, or of an element of an array variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Use {
    /// It is stored in this variable, unchanged.
    Copy(VarId),
    /// It is compared with this term.
    Compare(Relation, TermId),
    /// Anything else: arithmetic, an array index, the truth of a truth value, an argument for a scheduler.
    /// All values matter.
    Other,
}

/// What is asked about a value and another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Relation {
    /// Whether the value equals the other.
    Equal,
    /// Whether it is at most the other.
    AtMost,
    /// Whether it is at least the other.
    AtLeast,
}

/// The uses of variables in a transition, at least one for each variable that occurs.
pub(crate) fn uses(program: &Program, transition: &Transition) -> Vec<(VarId, Use)> {
    let mut walk =
        Walk { pool: &program.terms, found: Vec::new(), seen: FxHashSet::default(), pending: Vec::new() };
    walk.pending.extend(transition.conditions().map(|condition| (condition, Context::Truth)));
    for update in &transition.updates {
        walk.pending.extend(update.place.index.map(|index| (index, Context::Value(Use::Other))));
        walk.pending.push((update.value, walk.context(update.value, Use::Copy(update.place.var))));
    }
    walk.pending.extend(transition.arguments().map(|argument| (argument, Context::Value(Use::Other))));
    while let Some((term, context)) = walk.pending.pop() {
        if walk.seen.insert((term, context)) {
            match context {
                Context::Truth => walk.truth(term),
                Context::Value(what) => walk.value(term, what),
            }
        }
    }
    walk.found.sort_unstable();
    walk.found.dedup();
    walk.found
}

/// What the surroundings of a term do with its value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Context {
    /// It is a truth value.
    Truth,
    /// It is a word or an array, and this happens to it or its elements.
    Value(Use),
}

struct Walk<'a> {
    pool: &'a Pool,
    found: Vec<(VarId, Use)>,
    seen: FxHashSet<(TermId, Context)>,
    pending: Vec<(TermId, Context)>,
}

impl Walk<'_> {
    fn context(&self, term: TermId, what: Use) -> Context {
        match self.pool.sort(term) {
            Sort::Bool => Context::Truth,
            Sort::Word(_) | Sort::Array(_) => Context::Value(what),
        }
    }

    fn truth(&mut self, term: TermId) {
        match *self.pool.node(term) {
            Node::Eq(a, b) => self.compare((a, Relation::Equal), (b, Relation::Equal)),
            Node::Le(a, b) => self.compare((a, Relation::AtMost), (b, Relation::AtLeast)),
            Node::Var(var) => self.found.push((var, Use::Other)),
            ref node => self.pending.extend(node.children().into_iter().map(|child| (child, Context::Truth))),
        }
    }

    fn compare(&mut self, (a, of_a): (TermId, Relation), (b, of_b): (TermId, Relation)) {
        let (left, right) = match self.pool.sort(a) {
            Sort::Bool | Sort::Word(_) => (Use::Compare(of_a, b), Use::Compare(of_b, a)),
            Sort::Array(_) => (Use::Other, Use::Other),
        };
        self.pending.extend([(a, self.context(a, left)), (b, self.context(b, right))]);
    }

    fn value(&mut self, term: TermId, what: Use) {
        match *self.pool.node(term) {
            Node::Var(var) => self.found.push((var, what)),
            Node::Ite(condition, a, b) => {
                let inner = Context::Value(what);
                self.pending.extend([(condition, Context::Truth), (a, inner), (b, inner)]);
            }
            Node::Cast(inner, word) => {
                let from = self.pool.word(inner);
                let preserved = word.contains(from.min()) && word.contains(from.max());
                self.pending.push((inner, Context::Value(if preserved { what } else { Use::Other })));
            }
            Node::Select(array, index) => {
                self.pending.extend([(array, Context::Value(what)), (index, Context::Value(Use::Other))]);
            }
            Node::Store(array, index, value) => {
                let inner = Context::Value(what);
                self.pending.extend([(array, inner), (index, Context::Value(Use::Other)), (value, inner)]);
            }
            ref node => {
                for child in node.children() {
                    self.pending.push((child, self.context(child, Use::Other)));
                }
            }
        }
    }
}
