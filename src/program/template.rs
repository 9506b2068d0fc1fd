//! Threads without number.
//!
//! In a program with [`twins`](super::Program::twins) each pair of these stands for any number of threads that
//! do the same: its *copies*. A state of it has a location and private variables for every copy, of which
//! there are infinitely many from the beginning; each takes the steps of its template, on its own private
//! variables. The other threads, the *single* ones, are there once. What else a program means stays as it is:
//! one step at a time, nobody else while somebody stands at an atomic location.
//!
//! Two threads stand for all the copies because that is what tells passes the truth. A pass looks at what one
//! thread does and what others may do meanwhile. Seen from one twin, the other one does all that other copies
//! do; seen from a single thread, both do. So what two threads use is shared, what one of them uses alone is
//! private to each copy, what neither writes is constant. No pass counts threads.
//!
//! It remains to be seen that the twins do the same in the end. They were made from the same code; what
//! depends on who runs it (addresses of objects of its own, variables of its own that others can see) makes a
//! difference between them. [`Renaming::of`] compares them: threads, transitions and terms must agree up to the
//! renaming of locations and of private variables. Where they do not, there is no template, and no answer.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{LocId, Program, Role, ThreadId, TransId, Transition};
use crate::term::{Pool, TermId, VarId};

/// How many of a thread there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copies {
    /// One: it counts for itself.
    Counted,
    /// Any number.
    Any,
}

/// Two threads that do the same and stand for any number of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Twins {
    /// Both.
    pub threads: [ThreadId; 2],
}

/// How the second twin of each template is the first one under other names.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    /// Locations of the first twin to those of the second.
    pub locations: FxHashMap<LocId, LocId>,
    /// Likewise its private variables and its inputs.
    pub variables: FxHashMap<VarId, VarId>,
    /// Likewise its transitions.
    pub transitions: FxHashMap<TransId, TransId>,
}

impl Renaming {
    /// Compares the twins of a program. `None` if there are none, or some do not do the same.
    pub fn of(program: &Program) -> Option<Renaming> {
        let mut comparison =
            Comparison { program, terms: program.terms.clone(), renaming: Renaming::default() };
        for twins in &program.twins {
            comparison.compare(twins)?;
        }
        let Renaming { locations, .. } = &comparison.renaming;
        let images: FxHashSet<LocId> = locations.values().copied().collect();
        let one_to_one = images.len() == locations.len() && !program.twins.is_empty();
        one_to_one.then_some(comparison.renaming)
    }
}

struct Comparison<'a> {
    program: &'a Program,
    terms: Pool,
    renaming: Renaming,
}

impl Comparison<'_> {
    fn compare(&mut self, twins: &Twins) -> Option<()> {
        let [first, second] = twins.threads;
        self.pair_variables(first, second)?;
        let entry = |thread: ThreadId| self.program.thread(thread).entry;
        let mut pending = vec![(entry(first), entry(second))];
        while let Some((one, other)) = pending.pop() {
            match self.renaming.locations.insert(one, other) {
                Some(known) if known == other => continue,
                Some(_) => return None,
                None => pending.extend(self.same_location(one, other)?),
            }
        }
        Some(())
    }

    /// Private variables and inputs are paired in their order.
    fn pair_variables(&mut self, first: ThreadId, second: ThreadId) -> Option<()> {
        let (ones, others) = (self.variables_of(first), self.variables_of(second));
        let alike = |(&one, &other): (&VarId, &VarId)| {
            let (one, other) = (self.program.variable(one), self.program.variable(other));
            let same_role = (one.role == Role::Input) == (other.role == Role::Input);
            same_role && one.sort == other.sort && one.init == other.init
        };
        let same = ones.len() == others.len() && ones.iter().zip(&others).all(alike);
        self.renaming.variables.extend(ones.into_iter().zip(others));
        same.then_some(())
    }

    /// The private variables of a thread and the inputs that it reads.
    fn variables_of(&self, thread: ThreadId) -> Vec<VarId> {
        let program = self.program;
        let private =
            program.variable_ids().filter(|&var| program.variable(var).role == Role::Private(thread));
        let steps = program.transition_ids().filter(|&step| program.thread_of(step) == thread);
        let mut variables: Vec<VarId> = private.collect();
        variables.extend(steps.flat_map(|step| program.inputs_of(program.transition(step))));
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// Compares two locations and the steps out of them; where these lead.
    fn same_location(&mut self, one: LocId, other: LocId) -> Option<Vec<(LocId, LocId)>> {
        let program = self.program;
        let (a, b) = (program.location(one), program.location(other));
        let (steps, others) = (program.outgoing(one), program.outgoing(other));
        if a.atomic != b.atomic || a.mark != b.mark || steps.len() != others.len() {
            return None;
        }
        let mut targets = Vec::new();
        for (&step, &other) in steps.iter().zip(others) {
            let (a, b) = (program.transition(step), program.transition(other));
            self.same_step(a, b)?;
            self.renaming.transitions.insert(step, other);
            targets.push((a.to, b.to));
        }
        Some(targets)
    }

    fn same_step(&mut self, one: &Transition, other: &Transition) -> Option<()> {
        let ranges = |step: &Transition| step.ranges.iter().map(|range| range.holds).collect::<Vec<TermId>>();
        let (ones, others) = (ranges(one), ranges(other));
        let same = one.call.is_none()
            && other.call.is_none()
            && self.same(one.guard, other.guard)
            && ones.len() == others.len()
            && ones.into_iter().zip(others).all(|(a, b)| self.same(a, b))
            && one.updates.len() == other.updates.len();
        let mut found = vec![false; other.updates.len()];
        for update in one.updates.iter().filter(|_| same) {
            let var = self.renamed(update.place.var);
            let at = other.updates.iter().enumerate().position(|(at, twin)| {
                !found[at]
                    && twin.place.var == var
                    && self.same(update.value, twin.value)
                    && match (update.place.index, twin.place.index) {
                        (None, None) => true,
                        (Some(a), Some(b)) => self.same(a, b),
                        _ => false,
                    }
            })?;
            found[at] = true;
        }
        same.then_some(())
    }

    fn renamed(&self, var: VarId) -> VarId {
        self.renaming.variables.get(&var).copied().unwrap_or(var)
    }

    /// Whether a term of the first twin is one of the second.
    fn same(&mut self, one: TermId, other: TermId) -> bool {
        let variables = &self.renaming.variables;
        let renamed =
            self.terms.substitute(one, |terms, var| variables.get(&var).map(|&other| terms.var(other)));
        renamed == other
    }
}
