//! A check of forests that shares nothing with the search that made them: own account of blocks (`touch.rs`),
//! own substitution, own solver (`proof/states.rs`); the scheduler alone is the same, as it is part of the
//! program's meaning.
//!
//! A forest proves that no error is reached if
//! - the initial states have the label of the first node, which is at the threads' entries and has the
//!   scheduler's first state;
//! - each edge is a transition of the running thread, whose call, executed, gives the state of the next node,
//!   or a decision of the scheduler; and leads from label to label;
//! - each cover is by an uncovered node at the same locations with the same state, whose label is implied,
//!   and at which nobody sleeps that does not sleep at the covered node;
//! - no node stands at an error;
//! - from each node that is not covered, every transition of the running thread has an edge, for all
//!   arguments that its call can have, or is excluded by the label; every choice of the scheduler has an
//!   edge, or its thread sleeps or is outside of the persistent set (`reduction.rs`).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{Forest, ForestEdge, ForestNode};
use crate::budget::Budget;
use crate::program::{LocId, Program, ThreadId, TransId};
use crate::proof::flaw::Problem;
use crate::proof::states::States;
use crate::proof::{Checked, Defect, Flaw};
use crate::scheduler::{self, Scheduler, State};
use crate::smt::{IntModel, Watch, interruptible};
use crate::term::{Sort, TermId, VarId};

/// Checks a forest.
///
/// # Errors
/// The first flaw found.
pub fn check_forest(
    program: &Program,
    forest: &Forest,
    int_model: IntModel,
    budget: &Budget,
) -> Result<Checked, Flaw> {
    interruptible(budget, |watch| {
        let mut checker = Checker::new(program, forest, int_model, watch)?;
        checker.root()?;
        for node in 0..forest.nodes.len() {
            budget.check().map_err(|stop| Flaw::GaveUp(stop.into()))?;
            checker.node(node).map_err(|problem| problem.at(node))?;
        }
        checker.cycles()?;
        Ok(Checked { queries: checker.states.solver.queries(), steps: forest.nodes.len() as u64 })
    })
}

/// What a transition does: its conditions, the new values of variables, where it leads, and the state of the
/// scheduler after it.
struct Effect {
    conditions: Vec<TermId>,
    values: BTreeMap<VarId, TermId>,
    to: LocId,
    scheduler: State,
}

pub(super) struct Checker<'a> {
    pub program: &'a Program,
    pub forest: &'a Forest,
    pub scheduler: &'static dyn Scheduler,
    states: States<'a>,
    labels: Vec<Vec<TermId>>,
    /// For each node, those below it.
    pub children: Vec<Vec<usize>>,
    known: FxHashMap<Vec<TermId>, bool>,
}

impl<'a> Checker<'a> {
    fn new(
        program: &'a Program,
        forest: &'a Forest,
        int_model: IntModel,
        watch: &Watch<'_>,
    ) -> Result<Checker<'a>, Flaw> {
        let Some(policy) = program.policy else { return Err(Flaw::Node(0, Defect::Malformed)) };
        let mut states = States::new(program, int_model, watch);
        let (mut labels, mut images) = (Vec::new(), FxHashMap::default());
        let mut children = vec![Vec::new(); forest.nodes.len()];
        for (position, node) in forest.nodes.iter().enumerate() {
            let label = states.import(&forest.terms, node.label(), &mut images);
            let mut label = label.ok_or(Flaw::Node(position, Defect::Malformed))?;
            label.sort_unstable();
            label.dedup();
            labels.push(label);
            match node.parent {
                Some((parent, _)) if parent < position => children[parent].push(position),
                None if position == 0 => {}
                _ => return Err(Flaw::Node(position, Defect::Malformed)),
            }
        }
        let exact = scheduler::of(policy);
        let scheduler = match forest.loose {
            true => exact.looser(&program.primitives()).ok_or(Flaw::Node(0, Defect::Malformed))?,
            false => exact,
        };
        Ok(Checker { program, forest, scheduler, states, labels, children, known: FxHashMap::default() })
    }

    /// Whether the initial states are those of the first node.
    fn root(&mut self) -> Result<(), Flaw> {
        let program = self.program;
        let Some(root) = self.forest.nodes.first() else { return Err(Flaw::Node(0, Defect::Malformed)) };
        let entries = program.threads.iter().map(|thread| thread.entry);
        if !root.locations.iter().copied().eq(entries)
            || root.scheduler != self.scheduler.initial(program.threads.len())
            || !root.sleep.is_empty()
        {
            return Err(Flaw::Node(0, Defect::Malformed));
        }
        let label = self.states.terms.and(&self.labels[0]);
        match self.states.holds_initially(label)? {
            true => Ok(()),
            false => Err(Flaw::Node(0, Defect::Initial)),
        }
    }

    fn node(&mut self, position: usize) -> Result<(), Problem> {
        let forest = self.forest;
        let node = &forest.nodes[position];
        match &node.parent {
            None => {}
            Some((parent, ForestEdge::Step(step, arguments))) => {
                self.step(*parent, *step, arguments, position)?;
            }
            Some((parent, ForestEdge::Schedule)) => self.decision(*parent, position)?,
        }
        if node.locations.iter().any(|&location| self.program.location(location).is_target()) {
            return Err(Defect::Error.into());
        }
        match (node.covered_by, node.scheduler.running) {
            (Some(by), _) => self.cover(position, by),
            (None, Some(thread)) => self.all_transitions(position, thread),
            (None, None) => self.all_choices(position),
        }
    }

    /// Whether an edge is a step of the running thread that leads from label to label.
    fn step(
        &mut self,
        parent: usize,
        id: TransId,
        arguments: &[i64],
        position: usize,
    ) -> Result<(), Problem> {
        let (before, after) = (&self.forest.nodes[parent], &self.forest.nodes[position]);
        let Some(transition) = self.program.transitions.get(id.index()) else {
            return Err(Defect::Malformed.into());
        };
        let thread = self.program.thread_of(id);
        if before.scheduler.running != Some(thread) || before.locations[thread.index()] != transition.from {
            return Err(Defect::Malformed.into());
        }
        let effect = self.effect(before, id, arguments)?;
        let mut locations = before.locations.clone();
        locations[thread.index()] = effect.to;
        if locations != after.locations || effect.scheduler != after.scheduler {
            return Err(Defect::Malformed.into());
        }
        for fact in self.labels[position].clone() {
            let wanted = self.states.terms.substitute(fact, |_, var| effect.values.get(&var).copied());
            if !self.follows(parent, &effect.conditions, wanted)? {
                return Err(Defect::Edge.into());
            }
        }
        self.stays_asleep(parent, id, arguments, position)
    }

    /// What a transition does from a node, when its call has these arguments.
    fn effect(&mut self, node: &ForestNode, id: TransId, arguments: &[i64]) -> Result<Effect, Problem> {
        let transition = self.program.transition(id);
        let (mut to, mut scheduler) = (transition.to, node.scheduler.clone());
        let mut conditions = self.conditions(id);
        let (mut values, mut result) = (self.states.after(transition), None);
        if let Some(call) = &transition.call {
            if call.arguments.len() != arguments.len() {
                return Err(Defect::Malformed.into());
            }
            conditions.extend(self.has_values(&call.arguments, arguments));
            let thread = self.program.thread_of(id);
            match self.scheduler.execute(&mut scheduler, thread, call.primitive, arguments) {
                Ok(value) => result = call.result.map(|var| (var, value)),
                Err(_) => {
                    (to, scheduler) = (call.misuse, node.scheduler.clone());
                    values.clear();
                }
            }
        }
        if let Some((var, value)) = result {
            let Sort::Word(word) = self.program.variable(var).sort else {
                return Err(Defect::Malformed.into());
            };
            let value = self.states.terms.constant(word.wrap(i128::from(value)), word);
            for assigned in values.values_mut() {
                *assigned =
                    self.states.terms.substitute(*assigned, |_, other| (other == var).then_some(value));
            }
        }
        Ok(Effect { conditions, values, to, scheduler })
    }

    /// What must hold for a transition to be taken.
    fn conditions(&self, id: TransId) -> Vec<TermId> {
        let transition = self.program.transition(id);
        match self.forest.beyond_overflow {
            true => vec![transition.guard],
            false => transition.conditions().collect(),
        }
    }

    /// That words have values.
    fn has_values(&mut self, words: &[TermId], values: &[i64]) -> Vec<TermId> {
        let equal = words.iter().zip(values).map(|(&term, &value)| {
            let word = self.states.terms.word(term);
            let value = self.states.terms.constant(word.wrap(i128::from(value)), word);
            self.states.terms.eq(term, value)
        });
        equal.collect()
    }

    /// Whether an edge is a decision of the scheduler.
    fn decision(&mut self, parent: usize, position: usize) -> Result<(), Problem> {
        let (before, after) = (&self.forest.nodes[parent], &self.forest.nodes[position]);
        let free = before.scheduler.running.is_none() && after.scheduler.running.is_some();
        if !free || before.locations != after.locations {
            return Err(Defect::Malformed.into());
        }
        let next = self.scheduler.next(&before.scheduler);
        if !next.contains(&after.scheduler) {
            return Err(Defect::Malformed.into());
        }
        for fact in self.labels[position].clone() {
            if !self.follows(parent, &[], fact)? {
                return Err(Defect::Edge.into());
            }
        }
        self.may_sleep(parent, position, &next)
    }

    fn cover(&mut self, position: usize, by: usize) -> Result<(), Problem> {
        let node = &self.forest.nodes[position];
        let is_fine = self.forest.nodes.get(by).is_some_and(|coverer| {
            coverer.covered_by.is_none()
                && coverer.locations == node.locations
                && coverer.scheduler == node.scheduler
        });
        if !is_fine || !self.children[position].is_empty() {
            return Err(Defect::Malformed.into());
        }
        let sleeper = self.forest.nodes[by].sleep.iter().find(|thread| !node.sleep.contains(thread));
        if let Some(&thread) = sleeper {
            return Err(Defect::Sleep(thread).into());
        }
        for fact in self.labels[by].clone() {
            if !self.follows(position, &[], fact)? {
                return Err(Defect::Cover.into());
            }
        }
        Ok(())
    }

    /// Whether every transition of the running thread has its edges, or is excluded.
    fn all_transitions(&mut self, position: usize, thread: ThreadId) -> Result<(), Problem> {
        let forest = self.forest;
        let location = forest.nodes[position].locations[thread.index()];
        for &id in self.program.outgoing(location) {
            let mut followed: Vec<&[i64]> = Vec::new();
            for &child in &self.children[position] {
                if let Some((_, ForestEdge::Step(step, arguments))) = &forest.nodes[child].parent
                    && *step == id
                {
                    followed.push(arguments);
                }
            }
            let words: Vec<TermId> = self.program.transition(id).arguments().collect();
            if words.is_empty() && !followed.is_empty() {
                continue;
            }
            let mut question = self.conditions(id);
            for arguments in followed {
                let same = self.has_values(&words, arguments);
                let same = self.states.terms.and(&same);
                question.push(self.states.terms.not(same));
            }
            if self.possible_with(position, question, &words)? {
                return Err(Defect::Missing(id).into());
            }
        }
        Ok(())
    }

    /// Whether conditions can hold at a node, where these words have the values of their types.
    fn possible_with(
        &mut self,
        position: usize,
        mut question: Vec<TermId>,
        words: &[TermId],
    ) -> Result<bool, Problem> {
        question.extend(&self.labels[position]);
        self.states.solver.push();
        for &word in words {
            let name = self.states.terms.declare("argument", self.states.terms.sort(word));
            self.states.solver.assert_in_range(&self.states.terms, name);
            let value = self.states.terms.var(name);
            let named = self.states.terms.eq(value, word);
            self.states.solver.assert(&self.states.terms, named);
        }
        let possible = self.states.possible(&question);
        self.states.solver.pop();
        Ok(possible?)
    }

    /// Whether a fact holds in all states of a label that meet some conditions.
    fn follows(&mut self, position: usize, conditions: &[TermId], fact: TermId) -> Result<bool, Problem> {
        let label = &self.labels[position];
        if label.binary_search(&fact).is_ok() || self.states.terms.as_bool(fact) == Some(true) {
            return Ok(true);
        }
        let outside = self.states.terms.not(fact);
        let question = [label.as_slice(), conditions, &[outside]].concat();
        Ok(!self.possible(question)?)
    }

    /// Whether some state satisfies all of these.
    pub fn possible(&mut self, question: Vec<TermId>) -> Result<bool, Problem> {
        if let Some(&known) = self.known.get(&question) {
            return Ok(known);
        }
        let possible = self.states.possible(&question)?;
        self.known.insert(question, possible);
        Ok(possible)
    }

    /// Whether one of the transitions that leave a location can always be taken.
    pub fn is_never_stuck(&mut self, location: LocId) -> Result<bool, Problem> {
        let steps = self.program.outgoing(location);
        let ranges = |&id: &TransId| !self.program.transition(id).ranges.is_empty();
        if steps.is_empty() || (!self.forest.beyond_overflow && steps.iter().any(ranges)) {
            return Ok(false);
        }
        let guards = steps.iter().map(|&id| self.program.transition(id).guard);
        let question = guards.map(|guard| self.states.terms.not(guard)).collect();
        Ok(!self.possible(question)?)
    }
}
