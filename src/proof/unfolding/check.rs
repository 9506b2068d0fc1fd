//! A check of unfoldings that shares nothing with the search that made them: own footprints (`commute.rs`),
//! own substitution, own solver (`proof/states.rs`).
//!
//! An unfolding proves that no error is reached if
//! - the initial states have the label of the root, which stands at the threads' entries;
//! - each edge is a step of a thread that may move, and leads from the label of its node into that of the
//!   next;
//! - each cover is by an older uncovered node at the same locations whose label is implied;
//! - no node stands at an error;
//! - from each node that is not covered, and at the coverer for each that is, every step has an edge that is
//!   not excluded by the label or *omitted*.
//!
//! A step may be omitted for two reasons. Either it commutes with the last step, that was another thread's
//! with a greater number, and was not taken by a thread that went alone: then runs with the two in the other
//! order do as well. Or another thread goes *alone*: its steps from here are all followed, one of them is
//! always possible, they commute with whatever the other threads can still do, lead into no atomic section,
//! and come nearer to the end of an order of the locations. Why that loses no error is said in
//! `engine/impact/reduction.rs`; the argument needs nothing but what is checked here.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::commute::{Commute, Touched};
use super::{Unfolding, UnfoldingNode};
use crate::budget::Budget;
use crate::program::{LocId, Program, ThreadId, TransId};
use crate::proof::flaw::Problem;
use crate::proof::states::States;
use crate::proof::{Checked, Defect, Flaw};
use crate::smt::{IntModel, Watch, interruptible};
use crate::term::{TermId, Word};

/// Checks an unfolding.
///
/// # Errors
/// The first flaw found.
pub fn check_unfolding(
    program: &Program,
    unfolding: &Unfolding,
    int_model: IntModel,
    budget: &Budget,
) -> Result<Checked, Flaw> {
    interruptible(budget, |watch| {
        let mut checker = Checker::new(program, unfolding, int_model, watch)?;
        checker.root()?;
        for node in 0..unfolding.nodes.len() {
            budget.check().map_err(|stop| Flaw::GaveUp(stop.into()))?;
            checker.node(node).map_err(|problem| problem.at(node))?;
        }
        Ok(Checked { queries: checker.states.solver.queries(), steps: unfolding.nodes.len() as u64 })
    })
}

struct Checker<'a> {
    program: &'a Program,
    unfolding: &'a Unfolding,
    states: States<'a>,
    labels: Vec<Vec<TermId>>,
    /// For each node, the steps that have an edge.
    edges: Vec<Vec<TransId>>,
    known: FxHashMap<(Vec<TermId>, TransId, TermId), bool>,
    steps: BTreeMap<TransId, Touched>,
    futures: BTreeMap<LocId, Touched>,
}

impl<'a> Checker<'a> {
    fn new(
        program: &'a Program,
        unfolding: &'a Unfolding,
        int_model: IntModel,
        watch: &Watch<'_>,
    ) -> Result<Checker<'a>, Flaw> {
        let mut states = States::new(program, int_model, watch);
        let (mut labels, mut images) = (Vec::new(), FxHashMap::default());
        for (position, node) in unfolding.nodes.iter().enumerate() {
            let label = states.import(&unfolding.terms, node.label.iter().copied(), &mut images);
            labels.push(label.ok_or(Flaw::Node(position, Defect::Malformed))?);
        }
        let mut edges = vec![Vec::new(); unfolding.nodes.len()];
        for (position, node) in unfolding.nodes.iter().enumerate() {
            match node.parent {
                Some((parent, step)) if parent < position => edges[parent].push(step),
                None if position == 0 => {}
                _ => return Err(Flaw::Node(position, Defect::Malformed)),
            }
        }
        let (known, steps, futures) = (FxHashMap::default(), BTreeMap::new(), BTreeMap::new());
        Ok(Checker { program, unfolding, states, labels, edges, known, steps, futures })
    }

    /// Whether the initial states are those of the root.
    fn root(&mut self) -> Result<(), Flaw> {
        let program = self.program;
        let Some(root) = self.unfolding.nodes.first() else { return Err(Flaw::Node(0, Defect::Malformed)) };
        let entries = program.threads.iter().map(|thread| thread.entry);
        if !root.locations.iter().copied().eq(entries)
            || self.unfolding.order.len() != program.locations.len()
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
        let node = &self.unfolding.nodes[position];
        if let Some((parent, step)) = node.parent {
            self.edge(parent, step, position)?;
        }
        if node.locations.iter().any(|&location| self.program.location(location).is_target()) {
            return Err(Defect::Error.into());
        }
        match node.covered_by {
            None => self.complete(position, position),
            Some(by) => {
                self.cover(position, by)?;
                self.complete(position, by)
            }
        }
    }

    /// Whether an edge is a step that leads from label to label.
    fn edge(&mut self, parent: usize, step: TransId, position: usize) -> Result<(), Problem> {
        let nodes = &self.unfolding.nodes;
        let (before, after) = (&nodes[parent], &nodes[position]);
        let Some(transition) = self.program.transitions.get(step.index()) else {
            return Err(Defect::Malformed.into());
        };
        let thread = self.program.thread_of(step);
        let mut locations = before.locations.clone();
        let from = std::mem::replace(&mut locations[thread.index()], transition.to);
        if from != transition.from || locations != after.locations || !self.may_move(before, thread) {
            return Err(Defect::Malformed.into());
        }
        for fact in self.labels[position].clone() {
            if !self.leads_to(parent, step, fact)? {
                return Err(Defect::Edge.into());
            }
        }
        Ok(())
    }

    /// Whether a thread may move: no other one is in an atomic section.
    fn may_move(&self, node: &UnfoldingNode, thread: ThreadId) -> bool {
        self.program.movers(&node.locations).contains(&thread.index())
    }

    fn cover(&mut self, position: usize, by: usize) -> Result<(), Problem> {
        let nodes = &self.unfolding.nodes;
        let is_fine = nodes.get(by).is_some_and(|coverer| {
            coverer.covered_by.is_none() && coverer.locations == nodes[position].locations
        });
        if !is_fine || !self.edges[position].is_empty() {
            return Err(Defect::Malformed.into());
        }
        for fact in self.labels[by].clone() {
            let known = &self.labels[position];
            let implied = known.contains(&fact) || {
                let contrary = self.states.terms.not(fact);
                let question = [known.as_slice(), &[contrary]].concat();
                !self.states.possible(&question)?
            };
            if !implied {
                return Err(Defect::Cover.into());
            }
        }
        Ok(())
    }

    /// Whether every step from a node has an edge at the node that stands for it, or needs none.
    fn complete(&mut self, position: usize, at: usize) -> Result<(), Problem> {
        let program = self.program;
        let node = &self.unfolding.nodes[position];
        if let Some(thread) = self.unfolding.nodes[at].alone {
            return if at == position { self.goes_alone(at, thread) } else { Ok(()) };
        }
        let movers: Vec<ThreadId> =
            program.thread_ids().filter(|&thread| self.may_move(node, thread)).collect();
        for thread in movers {
            for &step in program.outgoing(node.locations[thread.index()]) {
                let followed = self.edges[at].contains(&step)
                    || self.is_excluded(at, step)?
                    || self.is_excluded(position, step)?;
                if !followed && !self.is_omitted(position, step)? {
                    return Err(Defect::Missing(step).into());
                }
            }
        }
        Ok(())
    }

    /// Whether a label says that a step cannot be taken.
    fn is_excluded(&mut self, position: usize, step: TransId) -> Result<bool, Problem> {
        let never = self.states.terms.bool(false);
        self.leads_to(position, step, never)
    }

    /// Whether a step commutes with the last one, of a greater thread that did not go alone.
    fn is_omitted(&mut self, position: usize, step: TransId) -> Result<bool, Problem> {
        let Some((parent, last)) = self.unfolding.nodes[position].parent else { return Ok(false) };
        if self.program.thread_of(step) >= self.program.thread_of(last)
            || self.unfolding.nodes[parent].alone.is_some()
        {
            return Ok(false);
        }
        let program = self.program;
        for id in [last, step] {
            self.steps.entry(id).or_insert_with(|| Touched::of(program, id));
        }
        let Commute::IfDifferent(pairs) = self.steps[&last].commutes(&self.steps[&step], program) else {
            return Ok(false);
        };
        for (a, b) in pairs {
            let same = if self.states.terms.sort(a) == self.states.terms.sort(b) {
                self.states.terms.eq(a, b)
            } else {
                let wide = Word::unsigned(64);
                let (a, b) = (self.states.terms.cast(a, wide), self.states.terms.cast(b, wide));
                self.states.terms.eq(a, b)
            };
            let question = [self.labels[parent].as_slice(), &[same]].concat();
            if self.states.possible(&question)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a thread may go alone from a node, and does.
    fn goes_alone(&mut self, at: usize, thread: ThreadId) -> Result<(), Problem> {
        let program = self.program;
        let node = &self.unfolding.nodes[at];
        let Some(&here) = node.locations.get(thread.index()) else { return Err(Defect::Malformed.into()) };
        let free = program.thread_ids().all(|other| self.may_move(node, other));
        let mut guards = Vec::new();
        for &step in program.outgoing(here) {
            let transition = program.transition(step);
            let onward = self.unfolding.order[transition.to.index()] > self.unfolding.order[here.index()];
            let followed = self.edges[at].contains(&step) || self.is_excluded(at, step)?;
            if !free || !onward || !followed || program.location(transition.to).atomic {
                return Err(Defect::Alone(thread).into());
            }
            for (_, &there) in node.locations.iter().enumerate().filter(|(other, _)| *other != thread.index())
            {
                self.futures.entry(there).or_insert_with(|| Touched::from(program, there));
                self.steps.entry(step).or_insert_with(|| Touched::of(program, step));
                let commute = self.steps[&step].commutes(&self.futures[&there], program);
                if !matches!(commute, Commute::IfDifferent(pairs) if pairs.is_empty()) {
                    return Err(Defect::Alone(thread).into());
                }
            }
            let conditions: Vec<TermId> = transition.conditions().collect();
            let fires = self.states.terms.and(&conditions);
            guards.push(self.states.terms.not(fires));
        }
        // One of the steps is possible in every state, whatever the label.
        if self.states.possible(&guards)? { Err(Defect::Alone(thread).into()) } else { Ok(()) }
    }

    /// Whether all states of a label that can take a step have a fact afterwards.
    fn leads_to(&mut self, position: usize, step: TransId, fact: TermId) -> Result<bool, Problem> {
        let after = self.states.before(self.program.transition(step), fact);
        let guard = self.program.transition(step).guard;
        let label = &self.labels[position];
        if label.contains(&after) || self.states.terms.as_bool(after) == Some(true) {
            return Ok(true);
        }
        let contrary = self.states.terms.not(guard);
        let guards = self.states.terms.conjuncts(guard);
        if guards.contains(&after) || label.contains(&contrary) {
            return Ok(true);
        }
        let key = (label.clone(), step, fact);
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let outside = self.states.terms.not(after);
        let mut question = [label.as_slice(), &guards, &[outside]].concat();
        let mut holds = !self.states.possible(&question)?;
        // Most steps need not know that they do not overflow.
        let ranges = &self.program.transition(step).ranges;
        if !holds && !ranges.is_empty() {
            question.extend(ranges.iter().map(|range| range.holds));
            holds = !self.states.possible(&question)?;
        }
        self.known.insert(key, holds);
        Ok(holds)
    }
}
