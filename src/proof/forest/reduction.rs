//! Which choices of the scheduler need no edge.
//!
//! A thread *sleeps* at a node if its next block would lead to what was followed before in another order. It
//! may fall asleep below a node where another choice is followed that comes earlier among all choices, and
//! sleeps on while nothing is done that conflicts with its next block.
//!
//! The threads of a *persistent set* alone suffice at a node if their next blocks end for certain, and
//! commute with all that the threads outside of the set can do before one of them goes. While one may go next
//! the scheduler begins no instant, delta cycle or time; so a thread outside does its next block, and goes on
//! only if another one outside wrote what it waits for. So that nobody is left out for ever, whoever may go
//! next at a node on a cycle is let go at some node of the same component.

use std::collections::{BTreeMap, BTreeSet};

use super::check::Checker;
use super::cycles::components;
use super::touch::{Block, Touched};
use super::{ForestEdge, ForestNode};
use crate::program::{ThreadId, TransId};
use crate::proof::flaw::Problem;
use crate::proof::{Defect, Flaw};
use crate::scheduler::{Resource, State};

impl Checker<'_> {
    /// Whether letting threads go in one order or another makes no difference by itself.
    fn allows_reduction(&self, next: &[State]) -> bool {
        let threads: BTreeSet<_> = next.iter().map(|state| state.running).collect();
        self.scheduler.leaves_order_open() && threads.len() == next.len()
    }

    /// The next block of a thread that may go next at a node where nobody runs.
    fn block(&mut self, node: &ForestNode, next: &[State], thread: ThreadId) -> Option<Block> {
        let state = next.iter().find(|state| state.running == Some(thread))?;
        let start = (node.locations[thread.index()], state.clone());
        Touched::block(self.program, &mut self.terms, self.scheduler, start)
    }

    /// Whether the threads that sleep after a decision may.
    pub(super) fn may_sleep(
        &mut self,
        parent: usize,
        position: usize,
        next: &[State],
    ) -> Result<(), Problem> {
        let (before, after) = (&self.forest.nodes[parent], &self.forest.nodes[position]);
        let place = |state: &State| next.iter().position(|other| other == state);
        let here = place(&after.scheduler);
        let earlier = |thread: ThreadId| {
            self.children[parent].iter().any(|&child| {
                let state = &self.forest.nodes[child].scheduler;
                state.running == Some(thread) && place(state) < here
            })
        };
        for &thread in &after.sleep {
            let may = self.allows_reduction(next)
                && after.scheduler.running != Some(thread)
                && (before.sleep.contains(&thread) || earlier(thread));
            if !may {
                return Err(Defect::Sleep(thread).into());
            }
        }
        Ok(())
    }

    /// Whether the threads that sleep at a node slept at its parent, and a step on the way, taken in a state
    /// of the scheduler, does not concern their next blocks.
    pub(super) fn stays_asleep(
        &mut self,
        parent: usize,
        state: &State,
        (id, arguments): (TransId, &[i64]),
        position: usize,
    ) -> Result<(), Problem> {
        let nodes = &self.forest.nodes;
        let Some(&first) = nodes[position].sleep.first() else { return Ok(()) };
        let mut at = parent;
        while let Some((above, ForestEdge::Steps(_))) = nodes[at].parent {
            at = above;
        }
        let Some((decided, _)) = nodes[at].parent else { return Err(Defect::Sleep(first).into()) };
        let next = self.scheduler.next(&nodes[decided].scheduler);
        let arguments: Vec<Option<i64>> = arguments.iter().copied().map(Some).collect();
        let done = Touched::step(self.program, self.scheduler, state, id, &arguments);
        for &thread in &nodes[position].sleep {
            let may_go = next.iter().any(|state| state.running == Some(thread));
            let block = self.block(&nodes[decided], &next, thread);
            let touched = block.map_or_else(Touched::anything, |block| block.touched);
            let undisturbed = may_go && touched.commutes(&done);
            if !nodes[parent].sleep.contains(&thread) || !undisturbed {
                return Err(Defect::Sleep(thread).into());
            }
        }
        Ok(())
    }

    /// Whether every choice of the scheduler at a node has an edge, or needs none.
    pub(super) fn all_choices(&mut self, position: usize) -> Result<(), Problem> {
        let node = &self.forest.nodes[position];
        let next = self.scheduler.next(&node.scheduler);
        if let Some(set) = &node.persistent {
            self.is_persistent(node, &next, set)?;
        }
        for state in &next {
            let thread = state.running.ok_or(Defect::Malformed)?;
            let is_outside = node.persistent.as_ref().is_some_and(|set| !set.contains(&thread));
            let followed = self.children[position].iter().any(|&child| {
                let child = &self.forest.nodes[child];
                child.scheduler == *state
            });
            if !followed && !is_outside && !node.sleep.contains(&thread) {
                return Err(Defect::Choice(thread).into());
            }
        }
        Ok(())
    }

    /// Whether a set of threads is persistent at a node.
    fn is_persistent(&mut self, node: &ForestNode, next: &[State], set: &[ThreadId]) -> Result<(), Problem> {
        let bad = || Problem::from(Defect::Persistent);
        if !self.allows_reduction(next) || set.is_empty() {
            return Err(bad());
        }
        let mut blocks: BTreeMap<ThreadId, Block> = BTreeMap::new();
        for &thread in set {
            let block = self.block(node, next, thread).ok_or_else(bad)?;
            for (location, ..) in block.places.keys() {
                if !self.is_never_stuck(*location)? {
                    return Err(bad());
                }
            }
            if !block.has_no_loop() {
                return Err(bad());
            }
            blocks.insert(thread, block);
        }
        let before = self.before(node, next, set);
        let undisturbed = |block: &Block| before.iter().all(|touched| block.touched.commutes(touched));
        if blocks.values().all(undisturbed) { Ok(()) } else { Err(bad()) }
    }

    /// For each thread outside of a set, what it may touch before one of the set goes: its next block if it
    /// may go next, and all that is still to come once another one outside may have changed how it goes on.
    fn before(&mut self, node: &ForestNode, next: &[State], set: &[ThreadId]) -> Vec<Touched> {
        let outside: Vec<ThreadId> =
            self.program.thread_ids().filter(|thread| !set.contains(thread)).collect();
        let (program, scheduler) = (self.program, self.scheduler);
        let future = |thread: ThreadId| {
            let location = node.locations[thread.index()];
            Touched::future(program, scheduler, &node.scheduler, location)
        };
        let mut touched = Vec::new();
        let mut decisive: Vec<Option<BTreeSet<Resource>>> = Vec::new();
        for &thread in &outside {
            let may_go = next.iter().any(|state| state.running == Some(thread));
            let (does, decides) = match (may_go, self.block(node, next, thread)) {
                (false, _) => {
                    let awaited = self.scheduler.awaits(&node.scheduler, thread);
                    (Touched::default(), Some(awaited.into_iter().collect()))
                }
                (true, Some(block)) if !block.again => {
                    let parts = block.touched.parts().chain(block.awaited.iter().copied()).collect();
                    (block.touched, Some(parts))
                }
                (true, _) => (future(thread), None),
            };
            touched.push(does);
            decisive.push(decides);
        }
        while let Some(at) = (0..outside.len()).find(|&at| {
            let others = || touched.iter().enumerate().filter(|(other, _)| *other != at);
            decisive[at].as_ref().is_some_and(|parts| others().any(|(_, other)| other.may_write(parts)))
        }) {
            touched[at] = future(outside[at]);
            decisive[at] = None;
        }
        touched
    }

    /// Whether whoever may go next on a cycle is let go there.
    pub(super) fn cycles(&self) -> Result<(), Flaw> {
        let nodes = &self.forest.nodes;
        if nodes.iter().all(|node| node.persistent.is_none()) {
            return Ok(());
        }
        let covered = |at: usize| nodes[at].covered_by;
        let next: Vec<Vec<usize>> = (0..nodes.len())
            .map(|at| self.children[at].iter().copied().chain(covered(at)).collect())
            .collect();
        let component = components(&next);
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        component
            .iter()
            .enumerate()
            .for_each(|(node, &number)| members.entry(number).or_default().push(node));
        for cycle in members.into_values().filter(|members| members.len() > 1) {
            let running = |&at: &usize| nodes[at].scheduler.running;
            let decisions = || cycle.iter().copied().filter(|at| running(at).is_none());
            let let_go: BTreeSet<ThreadId> =
                decisions().flat_map(|at| self.children[at].iter().filter_map(running)).collect();
            for at in decisions() {
                for state in self.scheduler.next(&nodes[at].scheduler) {
                    if let Some(thread) = state.running.filter(|thread| !let_go.contains(thread)) {
                        return Err(Flaw::Node(at, Defect::LeftOut(thread)));
                    }
                }
            }
        }
        Ok(())
    }
}
