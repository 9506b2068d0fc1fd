//! A check of forests that shares nothing with the search that made them: own account of blocks
//! (`touch.rs`), own substitution, own solver; the scheduler alone is the same, as it is part of the
//! program's meaning.
//!
//! A forest proves that no error is reached if
//! - the initial states have the label of the first node, which is at the threads' entries and has the
//!   scheduler's first state;
//! - each edge is a sequence of transitions of the running thread (`walk.rs`), whose calls, executed, give
//!   the state of the next node, or a decision of the scheduler; and leads from label to label;
//! - each cover is by an uncovered node at the same locations with the same state, whose label is implied,
//!   and at which nobody sleeps that does not sleep at the covered node;
//! - no node stands at an error;
//! - from each node that is not covered, and from each point of an edge from there, every transition of the
//!   running thread goes on along an edge, for all arguments that its call can have, or is excluded by the
//!   label and what came before, or leads nowhere; every choice of the scheduler has an
//!   edge, or its thread sleeps or is outside of the persistent set (`reduction.rs`).

use rustc_hash::FxHashMap;

use super::{Forest, ForestEdge};
use crate::budget::Budget;
use crate::program::{Init, LocId, Program, Role, TransId};
use crate::proof::flaw::Problem;
use crate::proof::{Checked, Defect, Flaw};
use crate::scheduler::{self, Scheduler};
use crate::smt::{Answer, IntModel, Solver, Watch, interruptible};
use crate::term::{Pool, TermId, VarId};

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
        Ok(Checked { queries: checker.solver.queries(), steps: forest.nodes.len() as u64 })
    })
}

pub(super) struct Checker<'a> {
    pub program: &'a Program,
    pub forest: &'a Forest,
    pub scheduler: &'static dyn Scheduler,
    /// The program's terms, grown by those of the labels.
    pub terms: Pool,
    pub labels: Vec<Vec<TermId>>,
    /// For each node, those below it.
    pub children: Vec<Vec<usize>>,
    solver: Solver,
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
        let mut terms = program.terms.clone();
        let (mut labels, mut images) = (Vec::new(), FxHashMap::default());
        let is_state =
            |var: VarId| var.index() < program.variables.len() && program.variable(var).role != Role::Input;
        let mut children = vec![Vec::new(); forest.nodes.len()];
        for (position, node) in forest.nodes.iter().enumerate() {
            let mut label = Vec::new();
            for fact in node.label() {
                if !forest.terms.vars(fact).into_iter().all(is_state) {
                    return Err(Flaw::Node(position, Defect::Malformed));
                }
                label.push(terms.import(&forest.terms, fact, &mut images, |var| var));
            }
            label.sort_unstable();
            label.dedup();
            labels.push(label);
            match node.parent {
                Some((parent, _)) if parent < position => children[parent].push(position),
                None if position == 0 => {}
                _ => return Err(Flaw::Node(position, Defect::Malformed)),
            }
        }
        let mut solver = Solver::new(int_model, watch);
        for input in program.variable_ids().filter(|&var| program.variable(var).role == Role::Input) {
            solver.assert_in_range(&program.terms, input);
        }
        let exact = scheduler::of(policy);
        let scheduler = match forest.loose {
            true => exact.looser(&program.primitives()).ok_or(Flaw::Node(0, Defect::Malformed))?,
            false => exact,
        };
        Ok(Checker {
            program,
            forest,
            scheduler,
            terms,
            labels,
            children,
            solver,
            known: FxHashMap::default(),
        })
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
        let label = self.terms.and(&self.labels[0]);
        let inside = self.terms.substitute(label, |terms, var| match &program.variable(var).init {
            Init::Value(datum) => Some(terms.datum(datum, program.variable(var).sort)),
            Init::Any => None,
        });
        let outside = self.terms.not(inside);
        self.solver.push();
        for var in program.variable_ids().filter(|&var| program.variable(var).init == Init::Any) {
            self.solver.assert_in_range(&self.terms, var);
        }
        let answer = self.solver.check(&self.terms, &[outside]);
        self.solver.pop();
        match answer {
            Answer::Unsat(_) => Ok(()),
            Answer::Sat => Err(Flaw::Node(0, Defect::Initial)),
            Answer::Unknown(gave_up) => Err(Flaw::GaveUp(gave_up)),
        }
    }

    fn node(&mut self, position: usize) -> Result<(), Problem> {
        let forest = self.forest;
        let node = &forest.nodes[position];
        match &node.parent {
            None => {}
            Some((parent, ForestEdge::Steps(steps))) => self.steps(*parent, steps, position)?,
            Some((parent, ForestEdge::Schedule)) => self.decision(*parent, position)?,
        }
        if node.locations.iter().any(|&location| self.program.location(location).is_target()) {
            return Err(Defect::Error.into());
        }
        match (node.covered_by, node.scheduler.running) {
            (Some(by), _) => self.cover(position, by),
            (None, Some(thread)) => self.all_ways(position, thread),
            (None, None) => self.all_choices(position),
        }
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

    /// Whether conditions can hold at a node, where these words have the values of their types.
    pub(super) fn possible_with(
        &mut self,
        position: usize,
        mut question: Vec<TermId>,
        words: &[TermId],
    ) -> Result<bool, Problem> {
        question.extend(&self.labels[position]);
        if words.is_empty() {
            return self.possible(question);
        }
        if question.iter().any(|&term| self.terms.as_bool(term) == Some(false)) {
            return Ok(false);
        }
        self.solver.push();
        for &word in words {
            let name = self.terms.declare("argument", self.terms.sort(word));
            self.solver.assert_in_range(&self.terms, name);
            let value = self.terms.var(name);
            let named = self.terms.eq(value, word);
            self.solver.assert(&self.terms, named);
        }
        let answer = self.solver.check(&self.terms, &question);
        self.solver.pop();
        match answer {
            Answer::Sat => Ok(true),
            Answer::Unsat(_) => Ok(false),
            Answer::Unknown(gave_up) => Err(Problem::GaveUp(gave_up)),
        }
    }

    /// Whether a fact holds in all states of a label that meet some conditions.
    pub(super) fn follows(
        &mut self,
        position: usize,
        conditions: &[TermId],
        fact: TermId,
    ) -> Result<bool, Problem> {
        let label = &self.labels[position];
        if label.binary_search(&fact).is_ok() || self.terms.as_bool(fact) == Some(true) {
            return Ok(true);
        }
        let outside = self.terms.not(fact);
        let question = [label.as_slice(), conditions, &[outside]].concat();
        Ok(!self.possible(question)?)
    }

    /// Whether some state satisfies all of these.
    pub fn possible(&mut self, question: Vec<TermId>) -> Result<bool, Problem> {
        if question.iter().any(|&term| self.terms.as_bool(term) == Some(false)) {
            return Ok(false);
        }
        if let Some(&known) = self.known.get(&question) {
            return Ok(known);
        }
        let possible = match self.solver.check(&self.terms, &question) {
            Answer::Sat => true,
            Answer::Unsat(_) => false,
            Answer::Unknown(gave_up) => return Err(Problem::GaveUp(gave_up)),
        };
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
        let question = guards.map(|guard| self.terms.not(guard)).collect();
        Ok(!self.possible(question)?)
    }
}
