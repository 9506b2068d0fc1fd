//! Rules E1 and E2: what comes after a node. A decision of the scheduler changes no region, and has no node
//! of its own: an edge is a whole turn.

use std::rc::Rc;

use super::forest::{Control, Edge, Node, RegionId, Sleeper, Turn};
use super::reduction::Decision;
use super::search::{Search, Task};
use super::stretch::{StretchId, Stretches};
use crate::program::{LocId, ThreadId};
use crate::reach::tree::NodeId;
use crate::scheduler::State;
use crate::smt::GaveUp;

/// How far the running thread has come from a node.
pub(super) struct Way {
    pub stretch: StretchId,
    pub location: LocId,
    pub scheduler: State,
}

impl Search<'_> {
    /// Adds what comes after a node.
    pub(super) fn expand(&mut self, node: NodeId) -> Result<(), GaveUp> {
        match self.forest.control_of(node).scheduler.running {
            Some(_) => self.go_on(node, None),
            None => {
                self.schedule(node);
                Ok(())
            }
        }
    }

    /// Rule E1, after a decision of the scheduler if nobody runs: the running thread takes its transitions,
    /// until its turn is over or there is a reason to look.
    pub(super) fn go_on(&mut self, node: NodeId, choice: Option<u32>) -> Result<(), GaveUp> {
        let (scheduler, _) = self.beginning(node, choice);
        let thread = scheduler.running.expect("a thread runs");
        let location = self.forest.control_of(node).locations[thread.index()];
        let mut open = vec![Way { stretch: Stretches::EMPTY, location, scheduler }];
        let mut children = Vec::new();
        while let Some(way) = open.pop() {
            if self.is_whole(thread, &way) {
                children.extend(self.follow(node, Edge { choice, stretch: way.stretch }, way.scheduler)?);
                continue;
            }
            let Some(longer) = self.longer(node, thread, &way)? else { return Ok(()) };
            open.extend(longer.into_iter().rev());
        }
        self.queue.extend(children.into_iter().rev().map(Task::Node));
        Ok(())
    }

    /// The state of the scheduler in which a thread goes on from a node, and who sleeps then.
    fn beginning(&mut self, node: NodeId, choice: Option<u32>) -> (State, Rc<[Sleeper]>) {
        let Some(choice) = choice else {
            return (
                self.forest.control_of(node).scheduler.clone(),
                Rc::clone(&self.forest.node(node).sleep),
            );
        };
        let state = self.decision(node).states[choice as usize].clone();
        let mut turns = self.forest.node(node).turns.iter();
        let turn = turns.find(|turn| turn.choice == choice).expect("it is followed");
        (state, Rc::clone(&turn.sleep))
    }

    /// What may come next at a node where nobody runs.
    pub(super) fn decision(&mut self, node: NodeId) -> Rc<Decision> {
        let id = self.forest.node(node).control;
        self.reducer.decision(self.program, &mut self.terms, id, self.forest.control(id))
    }

    /// Whether a way ends in a node: the turn is over, a verifier looks there, a loop may come back to it,
    /// or what comes next has to be abstracted first.
    fn is_whole(&mut self, thread: ThreadId, way: &Way) -> bool {
        if way.stretch == Stretches::EMPTY {
            return false;
        }
        let (program, location) = (self.program, way.location);
        let stretch = self.stretches.get(way.stretch);
        way.scheduler.running != Some(thread)
            || self.heads[location.index()]
            || program.location(location).is_target()
            || !program.outgoing(location).iter().all(|&step| stretch.admits(program, &mut self.terms, step))
    }

    /// The ways that are longer by one operation, without those that cannot be taken. None if the node is
    /// to be built anew.
    fn longer(&mut self, node: NodeId, thread: ThreadId, way: &Way) -> Result<Option<Vec<Way>>, GaveUp> {
        let mut longer = Vec::new();
        for step in self.program.outgoing(way.location).to_vec() {
            let Some(operations) = self.operations_of(node, thread, way, step)? else { return Ok(None) };
            for (operation, scheduler) in operations {
                let stretch =
                    self.stretches.longer(&self.operations, &mut self.terms, way.stretch, operation);
                let regions = self.regions_of(node, thread);
                let is_new = !self.stretches.get(stretch).is_free;
                if !(is_new && self.is_excluded(regions, stretch)?) {
                    let location = self.operations.steps.transition(operation).to;
                    longer.push(Way { stretch, location, scheduler });
                }
            }
        }
        Ok(Some(longer))
    }

    /// The region of a thread at a node, and the global one.
    pub(super) fn regions_of(&self, node: NodeId, thread: ThreadId) -> (RegionId, RegionId) {
        let regions = &self.forest.node(node).regions;
        (regions[thread.index()], regions[regions.len() - 1])
    }

    /// The node after an edge, with the state of the scheduler there; none if it cannot be taken.
    pub(super) fn follow(
        &mut self,
        node: NodeId,
        edge: Edge,
        scheduler: State,
    ) -> Result<Option<NodeId>, GaveUp> {
        let Some(regions) = self.post(node, edge.stretch)? else { return Ok(None) };
        let end = self.stretches.get(edge.stretch).end(&self.operations);
        let mut locations = self.forest.control_of(node).locations.clone();
        locations[self.program.location(end).thread.index()] = end;
        let control = self.forest.control_id(Control { locations, scheduler });
        let sleep = self.asleep_after(node, edge);
        let child = Node { control, edge: None, regions, sleep, turns: Vec::new() };
        Ok(Some(self.forest.add(node, edge, child)))
    }

    /// Who sleeps after an edge.
    fn asleep_after(&mut self, node: NodeId, edge: Edge) -> Rc<[Sleeper]> {
        let (mut state, mut sleep) = self.beginning(node, edge.choice);
        for &operation in &self.stretches.get(edge.stretch).operations {
            if sleep.is_empty() {
                break;
            }
            let asked = (self.operations.origin(operation), self.operations.arguments(operation));
            sleep = self.reducer.still_asleep(self.program, &state, asked, &sleep);
            self.operations.execute(self.program, self.scheduler, &mut state, operation);
        }
        sleep
    }

    /// Rule E2, with the reductions of Section 5: the scheduler decides.
    fn schedule(&mut self, node: NodeId) {
        let decision = self.decision(node);
        let sleep = Rc::clone(&self.forest.node(node).sleep);
        let mut asleep: Vec<Sleeper> = sleep.to_vec();
        let mut turns = Vec::new();
        for &choice in &decision.chosen {
            let thread = decision.thread(choice);
            if sleep.iter().any(|sleeper| sleeper.thread == thread) {
                continue;
            }
            self.forest.add_turn(node, Turn { choice, sleep: asleep.clone().into() });
            turns.push(Task::Turn(node, choice));
            if self.reducer.reduction.has_sleep_sets()
                && let Some(touches) = &decision.blocks[choice as usize]
            {
                let at = asleep.partition_point(|sleeper| sleeper.thread < thread);
                asleep.insert(at, Sleeper { thread, touches: Rc::clone(touches) });
            }
        }
        self.counts.followed += turns.len() as u64;
        self.counts.omitted += (decision.states.len() - turns.len()) as u64;
        self.queue.extend(turns.into_iter().rev());
    }
}
