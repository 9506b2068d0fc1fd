//! Operations: what stretches, the edges of the forest, consist of.
//!
//! An operation is a transition. One that calls a primitive becomes an operation for each combination of
//! arguments and outcome: it also asks for these arguments, and has the result as a constant in its updates
//! (rule E1, second case). A misused call leads to where its call says, without any update. So operations ask
//! nothing of a scheduler, and everything that knows paths of transitions knows paths of operations: they are
//! the transitions of a program over the same variables, which has the original ones first, under their own
//! numbers.

use rustc_hash::FxHashMap;

use crate::program::{Program, TransId, Transition, Update};
use crate::scheduler::{Misuse, Scheduler, State};
use crate::term::{Pool, TermId};

/// Arguments of a call and what came of it.
pub(super) type Outcome = (Vec<i64>, Result<i64, Misuse>);

/// The operations of a program.
pub(super) struct Operations {
    /// With conditions as they count: without ranges while these are ignored.
    pub steps: Program,
    /// With all conditions.
    pub exact: Program,
    /// For each operation beyond the program's transitions, what it was made from.
    origins: Vec<(TransId, Vec<i64>)>,
    numbers: FxHashMap<(TransId, Vec<i64>, Option<i64>), TransId>,
    originals: usize,
}

impl Operations {
    /// Those of a program; its ranges are ignored.
    pub fn new(program: &Program) -> Operations {
        let exact = program.clone();
        let mut steps = program.clone();
        steps.transitions.iter_mut().for_each(|transition| transition.ranges.clear());
        let originals = program.transitions.len();
        Operations { steps, exact, origins: Vec::new(), numbers: FxHashMap::default(), originals }
    }

    /// From now on ranges count. Whether that changes anything.
    pub fn respect_ranges(&mut self) -> bool {
        let ranges = |program: &Program| -> usize {
            program.transitions.iter().map(|transition| transition.ranges.len()).sum()
        };
        let changes = ranges(&self.steps) < ranges(&self.exact);
        self.steps.transitions.clone_from(&self.exact.transitions);
        changes
    }

    /// Whether some ranges are ignored.
    pub fn ignores_ranges(&self) -> bool {
        self.steps.transitions != self.exact.transitions
    }

    /// The transition of the program that an operation is made from.
    pub fn origin(&self, operation: TransId) -> TransId {
        match operation.index().checked_sub(self.originals) {
            None => operation,
            Some(further) => self.origins[further].0,
        }
    }

    /// The arguments of an operation's call; none if it has none.
    pub fn arguments(&self, operation: TransId) -> &[i64] {
        match operation.index().checked_sub(self.originals) {
            None => &[],
            Some(further) => &self.origins[further].1,
        }
    }

    /// What an operation makes of the state of a scheduler; a misuse leaves it as it is.
    pub fn execute(
        &self,
        program: &Program,
        scheduler: &dyn Scheduler,
        state: &mut State,
        operation: TransId,
    ) {
        let transition = program.transition(self.origin(operation));
        let Some(call) = &transition.call else { return };
        let caller = program.location(transition.from).thread;
        let mut after = state.clone();
        if scheduler.execute(&mut after, caller, call.primitive, self.arguments(operation)).is_ok() {
            *state = after;
        }
    }

    /// The operation for a call with these arguments and this outcome.
    pub fn of_call(&mut self, terms: &mut Pool, id: TransId, (arguments, result): &Outcome) -> TransId {
        let key = (id, arguments.clone(), result.as_ref().ok().copied());
        if let Some(&known) = self.numbers.get(&key) {
            return known;
        }
        let operation = TransId::new(self.exact.transitions.len());
        for program in [&mut self.steps, &mut self.exact] {
            let transition = with_outcome(terms, program, id, arguments, key.2);
            program.transitions.push(transition);
        }
        self.origins.push((id, arguments.clone()));
        self.numbers.insert(key, operation);
        operation
    }
}

/// A transition whose call has these arguments and this result; no result is a misuse.
fn with_outcome(
    terms: &mut Pool,
    program: &Program,
    id: TransId,
    arguments: &[i64],
    result: Option<i64>,
) -> Transition {
    let mut transition = program.transition(id).clone();
    let call = transition.call.take().expect("a transition with a call");
    let asked = call.arguments.iter().zip(arguments);
    let mut guard = vec![transition.guard];
    guard.extend(asked.map(|(&argument, &value)| is(terms, argument, value)));
    transition.guard = terms.and(&guard);
    match result {
        None => {
            transition.to = call.misuse;
            transition.updates.clear();
        }
        Some(result) => {
            let Some(var) = call.result else { return transition };
            let word = program.variable(var).sort.as_word().expect("results are words");
            let value = terms.constant(word.wrap(i128::from(result)), word);
            for Update { value: assigned, .. } in &mut transition.updates {
                *assigned = terms.substitute(*assigned, |_, other| (other == var).then_some(value));
            }
        }
    }
    transition
}

/// The condition that a word has a value.
pub(super) fn is(terms: &mut Pool, term: TermId, value: i64) -> TermId {
    let word = terms.word(term);
    let wrapped = word.wrap(i128::from(value));
    let value = terms.constant(wrapped, word);
    terms.eq(term, value)
}
