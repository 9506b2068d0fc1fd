//! Edges of a running thread: sequences of transitions, executed with values that are terms over the node at
//! which they begin.

use std::collections::BTreeMap;

use super::check::Checker;
use super::{ForestEdge, Step};
use crate::program::{LocId, Role, ThreadId, TransId};
use crate::proof::Defect;
use crate::proof::flaw::Problem;
use crate::scheduler::State;
use crate::term::{Sort, TermId, VarId};

/// Where a thread has come from a node: what had to hold there, the new values of variables, its location,
/// and the state of the scheduler.
#[derive(Clone)]
struct Walk {
    thread: ThreadId,
    conditions: Vec<TermId>,
    values: BTreeMap<VarId, TermId>,
    location: LocId,
    scheduler: State,
    /// Inputs are the same wherever they occur: one transition alone may read some.
    has_inputs: bool,
    /// The transitions taken.
    steps: Vec<TransId>,
}

/// A walk without an edge has to come to an end after so many steps.
const MOST_STEPS: usize = 1_000;

impl Checker<'_> {
    fn walk(&self, position: usize, thread: ThreadId) -> Walk {
        let node = &self.forest.nodes[position];
        Walk {
            thread,
            conditions: Vec::new(),
            values: BTreeMap::new(),
            location: node.locations[thread.index()],
            scheduler: node.scheduler.clone(),
            has_inputs: false,
            steps: Vec::new(),
        }
    }

    /// Whether an edge is a sequence of steps of the running thread that leads from label to label.
    pub(super) fn steps(&mut self, parent: usize, steps: &[Step], position: usize) -> Result<(), Problem> {
        let (before, after) = (&self.forest.nodes[parent], &self.forest.nodes[position]);
        let thread = before.scheduler.running.ok_or(Defect::Malformed)?;
        let mut walk = self.walk(parent, thread);
        for (id, arguments) in steps {
            self.stays_asleep(parent, &walk.scheduler, (*id, arguments.as_slice()), position)?;
            walk = self.further(&walk, *id, arguments)?;
        }
        let mut locations = before.locations.clone();
        locations[thread.index()] = walk.location;
        if steps.is_empty() || locations != after.locations || walk.scheduler != after.scheduler {
            return Err(Defect::Malformed.into());
        }
        for fact in self.labels[position].clone() {
            let wanted = self.terms.substitute(fact, |_, var| walk.values.get(&var).copied());
            if !self.follows(parent, &walk.conditions, wanted)? {
                return Err(Defect::Edge.into());
            }
        }
        Ok(())
    }

    /// A walk and one more transition, whose call has these arguments.
    fn further(&mut self, walk: &Walk, id: TransId, arguments: &[i64]) -> Result<Walk, Problem> {
        let program = self.program;
        let Some(transition) = program.transitions.get(id.index()) else {
            return Err(Defect::Malformed.into());
        };
        let asked: Vec<TermId> = transition.arguments().collect();
        let goes = walk.scheduler.running == Some(walk.thread)
            && transition.from == walk.location
            && !program.location(walk.location).is_target();
        let has_inputs = self.reads_inputs(id);
        if !goes || (walk.has_inputs && has_inputs) || asked.len() != arguments.len() {
            return Err(Defect::Malformed.into());
        }
        let mut next = Walk { location: transition.to, ..walk.clone() };
        next.has_inputs |= has_inputs;
        next.steps.push(id);
        next.conditions.extend(self.asks(walk, id));
        next.conditions.extend(self.has_values(walk, &asked, arguments));
        let mut result = None;
        if let Some(call) = &transition.call {
            match self.scheduler.execute(&mut next.scheduler, walk.thread, call.primitive, arguments) {
                Ok(value) => result = call.result.map(|var| (var, value)),
                Err(_) => {
                    next.location = call.misuse;
                    next.scheduler.clone_from(&walk.scheduler);
                    return Ok(next);
                }
            }
        }
        next.values.extend(self.new_values(walk, id, result)?);
        Ok(next)
    }

    /// What a transition after a walk makes of the variables that it writes, with what its call gave.
    fn new_values(
        &mut self,
        walk: &Walk,
        id: TransId,
        result: Option<(VarId, i64)>,
    ) -> Result<BTreeMap<VarId, TermId>, Problem> {
        let result = match result {
            None => None,
            Some((var, value)) => {
                let Sort::Word(word) = self.program.variable(var).sort else {
                    return Err(Defect::Malformed.into());
                };
                Some((var, self.terms.constant(word.wrap(i128::from(value)), word)))
            }
        };
        let mut written: BTreeMap<VarId, TermId> = BTreeMap::new();
        for update in &self.program.transition(id).updates {
            let var = update.place.var;
            let value = match update.place.index {
                None => update.value,
                Some(index) => {
                    let array = written.get(&var).copied().unwrap_or_else(|| self.terms.var(var));
                    self.terms.store(array, index, update.value)
                }
            };
            written.insert(var, value);
        }
        for value in written.values_mut() {
            *value = self.terms.substitute(*value, |_, var| match result {
                Some((answer, value)) if var == answer => Some(value),
                _ => walk.values.get(&var).copied(),
            });
        }
        Ok(written)
    }

    /// Whether a transition reads inputs other than what the scheduler answers.
    fn reads_inputs(&self, id: TransId) -> bool {
        let transition = self.program.transition(id);
        let answer = transition.call.as_ref().and_then(|call| call.result);
        let mut vars = transition.terms().flat_map(|term| self.terms.vars(term));
        vars.any(|var| self.program.variable(var).role == Role::Input && Some(var) != answer)
    }

    /// What must hold at the beginning of a walk for a transition to be taken at its end.
    fn asks(&mut self, walk: &Walk, id: TransId) -> Vec<TermId> {
        let transition = self.program.transition(id);
        let conditions: Vec<TermId> = match self.forest.beyond_overflow {
            true => vec![transition.guard],
            false => transition.conditions().collect(),
        };
        conditions.into_iter().map(|condition| self.begun(walk, condition)).collect()
    }

    /// What a term at the end of a walk is at its beginning.
    fn begun(&mut self, walk: &Walk, term: TermId) -> TermId {
        self.terms.substitute(term, |_, var| walk.values.get(&var).copied())
    }

    /// That words have values at the end of a walk.
    fn has_values(&mut self, walk: &Walk, words: &[TermId], values: &[i64]) -> Vec<TermId> {
        let equal = words.iter().zip(values).map(|(&term, &value)| {
            let word = self.terms.word(term);
            let value = self.terms.constant(word.wrap(i128::from(value)), word);
            let begun = self.begun(walk, term);
            self.terms.eq(begun, value)
        });
        equal.collect()
    }

    /// Whether every transition of the running thread, at a node and wherever its edges lead through, goes on
    /// along an edge, or is excluded; where there is no edge, every way has to break off before the turn is
    /// over.
    pub(super) fn all_ways(&mut self, position: usize, thread: ThreadId) -> Result<(), Problem> {
        let forest = self.forest;
        let edge = |&child: &usize| match &forest.nodes[child].parent {
            Some((_, ForestEdge::Steps(steps))) => Some(steps.as_slice()),
            _ => None,
        };
        let ways: Vec<&[Step]> = self.children[position].iter().filter_map(edge).collect();
        let mut open = vec![(self.walk(position, thread), ways)];
        while let Some((walk, ways)) = open.pop() {
            if ways.is_empty() && self.is_over(&walk) {
                let last = walk.steps.last().ok_or(Defect::Malformed)?;
                return Err(Defect::Missing(*last).into());
            }
            // Where an edge ends, its node stands for whatever follows.
            if ways.iter().any(|way| way.is_empty()) {
                continue;
            }
            for &id in self.program.outgoing(walk.location) {
                let mut followed: BTreeMap<Vec<i64>, Vec<&[Step]>> = BTreeMap::new();
                for way in ways.iter().filter(|way| way[0].0 == id) {
                    followed.entry(way[0].1.clone()).or_default().push(&way[1..]);
                }
                if self.goes_otherwise(position, &walk, id, followed.keys())? {
                    let arguments = self.certain_arguments(&walk, id).ok_or(Defect::Missing(id))?;
                    followed.entry(arguments).or_default();
                }
                for (arguments, rest) in followed {
                    open.push((self.further(&walk, id, &arguments)?, rest));
                }
            }
        }
        Ok(())
    }

    /// Whether a walk without an edge is one that should have some.
    fn is_over(&self, walk: &Walk) -> bool {
        walk.scheduler.running != Some(walk.thread)
            || self.program.location(walk.location).is_target()
            || walk.steps.len() > MOST_STEPS
    }

    /// The arguments of a transition's call after a walk, if they do not depend on where that begins.
    fn certain_arguments(&mut self, walk: &Walk, id: TransId) -> Option<Vec<i64>> {
        let words: Vec<TermId> = self.program.transition(id).arguments().collect();
        let value = |word: TermId| {
            let begun = self.begun(walk, word);
            self.terms.as_const(begun).and_then(|value| i64::try_from(value).ok())
        };
        words.into_iter().map(value).collect()
    }

    /// Whether a transition can be taken at the end of a walk such that its call has none of these arguments.
    fn goes_otherwise<'b>(
        &mut self,
        position: usize,
        walk: &Walk,
        id: TransId,
        followed: impl Iterator<Item = &'b Vec<i64>>,
    ) -> Result<bool, Problem> {
        // An input would stand for two values.
        if walk.has_inputs && self.reads_inputs(id) {
            return Err(Defect::Missing(id).into());
        }
        let words: Vec<TermId> = self.program.transition(id).arguments().collect();
        let mut question = walk.conditions.clone();
        question.extend(self.asks(walk, id));
        for arguments in followed {
            let same = self.has_values(walk, &words, arguments);
            let same = self.terms.and(&same);
            question.push(self.terms.not(same));
        }
        let words: Vec<TermId> = words.into_iter().map(|word| self.begun(walk, word)).collect();
        self.possible_with(position, question, &words)
    }
}
