//! Rules E1 and E2: what comes after a node.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::forest::{Control, Edge, Node, RegionId, Regions, Sleeper};
use super::search::Search;
use crate::program::{LocId, Role, ThreadId, TransId};
use crate::reach::predicate::precondition;
use crate::reach::tree::NodeId;
use crate::scheduler::State;
use crate::smt::GaveUp;
use crate::term::{TermId, VarId};

/// Abstract strongest postconditions that are known.
#[derive(Default)]
pub(super) struct Posts {
    /// Of the running thread's region and the global one; none where the operation cannot be taken. They hold
    /// for a version of the precision.
    running: FxHashMap<(RegionId, RegionId, TransId), Option<(RegionId, RegionId)>>,
    version: u32,
    /// Of the region of a thread that does not run.
    havocked: FxHashMap<(RegionId, TransId), RegionId>,
}

impl Search<'_> {
    /// Adds what comes after a node.
    pub(super) fn expand(&mut self, node: NodeId) -> Result<(), GaveUp> {
        let control = self.forest.control_of(node).clone();
        match control.scheduler.running {
            Some(thread) => self.expand_running(node, thread, &control),
            None => {
                self.schedule(node, &control);
                Ok(())
            }
        }
    }

    /// Rule E1: the running thread takes a transition.
    fn expand_running(&mut self, node: NodeId, thread: ThreadId, control: &Control) -> Result<(), GaveUp> {
        let steps = self.program.outgoing(control.locations[thread.index()]).to_vec();
        let mut children = Vec::new();
        for step in steps {
            let Some(operations) = self.operations_of(node, thread, control, step)? else { return Ok(()) };
            for (operation, scheduler) in operations {
                children.extend(self.follow(node, operation, scheduler)?);
            }
        }
        self.queue.extend(children.into_iter().rev());
        Ok(())
    }

    /// The node after an operation; none if it cannot be taken.
    pub(super) fn follow(
        &mut self,
        node: NodeId,
        operation: TransId,
        scheduler: State,
    ) -> Result<Option<NodeId>, GaveUp> {
        let Some(regions) = self.post(node, operation)? else { return Ok(None) };
        let transition = self.operations.steps.transition(operation);
        let thread = self.program.location(transition.from).thread;
        let mut locations = self.forest.control_of(node).locations.clone();
        locations[thread.index()] = transition.to;
        let control = self.forest.control_id(Control { locations, scheduler });
        let (origin, arguments) = (self.operations.origin(operation), self.operations.arguments(operation));
        let sleep = Rc::clone(&self.forest.node(node).sleep);
        let state = &self.forest.control_of(node).scheduler;
        let sleep = self.reducer.still_asleep(self.program, state, (origin, arguments), &sleep);
        let child = Node { control, edge: None, regions, sleep };
        Ok(Some(self.forest.add(node, Edge::Operation(operation), child)))
    }

    /// Rule E2, with the reductions of Section 5: the scheduler decides.
    fn schedule(&mut self, node: NodeId, control: &Control) {
        let id = self.forest.node(node).control;
        let decision = self.reducer.decision(self.program, id, control);
        let sleep = Rc::clone(&self.forest.node(node).sleep);
        let mut asleep: Vec<Sleeper> = sleep.to_vec();
        let mut children = Vec::new();
        for &choice in &decision.chosen {
            let thread = decision.thread(choice);
            if sleep.iter().any(|sleeper| sleeper.thread == thread) {
                continue;
            }
            children.push(self.let_go(node, choice, asleep.clone().into()));
            if self.reducer.reduction.has_sleep_sets()
                && let Some(touches) = &decision.blocks[choice as usize]
            {
                let at = asleep.partition_point(|sleeper| sleeper.thread < thread);
                asleep.insert(at, Sleeper { thread, touches: Rc::clone(touches) });
            }
        }
        self.counts.followed += children.len() as u64;
        self.counts.omitted += (decision.states.len() - children.len()) as u64;
        self.queue.extend(children.into_iter().rev());
    }

    /// The node after a choice of the scheduler.
    pub(super) fn let_go(&mut self, node: NodeId, choice: u32, sleep: Rc<[Sleeper]>) -> NodeId {
        let control = self.forest.control_of(node).clone();
        let decision = self.reducer.decision(self.program, self.forest.node(node).control, &control);
        let scheduler = decision.states[choice as usize].clone();
        let control = self.forest.control_id(Control { scheduler, ..control });
        let regions = Rc::clone(&self.forest.node(node).regions);
        self.forest.add(node, Edge::Choice(choice), Node { control, edge: None, regions, sleep })
    }

    /// The regions after an operation; none if it cannot be taken.
    pub(super) fn post(&mut self, node: NodeId, operation: TransId) -> Result<Option<Regions>, GaveUp> {
        let (before, control) = (self.forest.node(node).regions.clone(), self.forest.node(node).control);
        let (from, to) = {
            let transition = self.operations.steps.transition(operation);
            (transition.from, transition.to)
        };
        let (running, global) = (self.program.location(from).thread.index(), before.len() - 1);
        let Some((own, common)) = self.post_running(before[running], before[global], operation)? else {
            return Ok(None);
        };
        let mut after: Vec<RegionId> = before.to_vec();
        for (thread, region) in after.iter_mut().enumerate().take(global) {
            if thread != running {
                *region = self.havoc(*region, operation);
            }
        }
        after[running] = own;
        let mut locations = self.forest.control(control).locations.clone();
        locations[running] = to;
        after[global] = self.alive(common, &locations);
        Ok(Some(after.into()))
    }

    /// What the operation makes of the running thread's region and of the global one, which may use both.
    fn post_running(
        &mut self,
        own: RegionId,
        global: RegionId,
        operation: TransId,
    ) -> Result<Option<(RegionId, RegionId)>, GaveUp> {
        if self.posts.version != self.precision.version() {
            self.posts.running.clear();
            self.posts.version = self.precision.version();
        }
        if let Some(&known) = self.posts.running.get(&(own, global, operation)) {
            self.counts.known += 1;
            return Ok(known);
        }
        self.counts.computed += 1;
        let facts = self.forest.union([own, global]);
        let answer = match self.is_excluded(&facts, operation)? {
            true => None,
            false => {
                let to = self.operations.steps.transition(operation).to;
                let here: Vec<TermId> = self.precision.at(self.program, to).collect();
                let here = self.abstracted(&facts, operation, here, to)?;
                let common = self.abstracted(&facts, operation, self.precision.global().to_vec(), to)?;
                Some((self.forest.region(here), self.forest.region(common)))
            }
        };
        self.posts.running.insert((own, global, operation), answer);
        Ok(answer)
    }

    /// Whether facts exclude that an operation is taken.
    fn is_excluded(&mut self, facts: &[TermId], operation: TransId) -> Result<bool, GaveUp> {
        let conditions: Vec<TermId> = self.operations.steps.transition(operation).conditions().collect();
        let conditions = self.terms.and(&conditions);
        self.entailment.contradict(&mut self.terms, facts, conditions)
    }

    /// Those of some predicates that hold after an operation wherever the facts hold before, and that speak
    /// of no dead variable of the running thread.
    fn abstracted(
        &mut self,
        facts: &[TermId],
        operation: TransId,
        predicates: Vec<TermId>,
        to: LocId,
    ) -> Result<Vec<TermId>, GaveUp> {
        let transition = self.operations.steps.transition(operation);
        let written: Vec<VarId> = transition.updates.iter().map(|update| update.place.var).collect();
        let conditions: Vec<TermId> = transition.conditions().collect();
        let conditions = self.terms.and(&conditions);
        let mut premises = facts.to_vec();
        premises.extend(self.terms.conjuncts(conditions));
        premises.sort_unstable();
        premises.dedup();
        let mut after = Vec::new();
        for predicate in predicates {
            if !self.is_alive(predicate, to) {
                continue;
            }
            let untouched = !self.vars_of(predicate).iter().any(|var| written.contains(var));
            let holds = (untouched && facts.binary_search(&predicate).is_ok()) || {
                let before = precondition(&self.operations.steps, &mut self.terms, operation, predicate);
                self.entailment.implies(&mut self.terms, &premises, before)?
            };
            if holds {
                after.push(predicate);
            }
        }
        after.sort_unstable();
        after.dedup();
        Ok(after)
    }

    /// The region of a thread that does not run after an operation of another: what speaks of variables that
    /// it writes is lost.
    fn havoc(&mut self, region: RegionId, operation: TransId) -> RegionId {
        if let Some(&known) = self.posts.havocked.get(&(region, operation)) {
            return known;
        }
        let transition = self.operations.steps.transition(operation);
        let written: Vec<VarId> = transition.updates.iter().map(|update| update.place.var).collect();
        let mut kept = self.forest.facts(region).to_vec();
        kept.retain(|&fact| !self.vars_of(fact).iter().any(|var| written.contains(var)));
        let after = self.forest.region(kept);
        self.posts.havocked.insert((region, operation), after);
        after
    }

    /// What a region says of variables that are alive where the threads stand.
    fn alive(&mut self, region: RegionId, locations: &[LocId]) -> RegionId {
        let facts = self.forest.facts(region).to_vec();
        let alive: Vec<TermId> = facts
            .iter()
            .copied()
            .filter(|&fact| locations.iter().all(|&at| self.is_alive(fact, at)))
            .collect();
        if alive.len() == facts.len() { region } else { self.forest.region(alive) }
    }

    /// Whether a predicate speaks of no variable of a thread that is dead at a location of that thread.
    fn is_alive(&mut self, predicate: TermId, at: LocId) -> bool {
        let (program, thread) = (self.program, self.program.location(at).thread);
        let own = |var: VarId| program.variable(var).role == Role::Private(thread);
        self.vars_of(predicate);
        self.vars[&predicate].iter().all(|&var| !own(var) || self.live.is_live(at, var))
    }

    /// The variables of a predicate.
    pub(super) fn vars_of(&mut self, predicate: TermId) -> &[VarId] {
        let terms = &self.terms;
        self.vars.entry(predicate).or_insert_with(|| terms.vars(predicate).into_boxed_slice())
    }
}
