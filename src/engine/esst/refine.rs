//! Counterexample analysis and refinement (Sections 4.4 and 4.5).
//!
//! The path to an error without its connectors is real, or it has interpolants. Their conjuncts go to
//! precisions: to the locations of one thread, if that thread both brings a predicate about and needs it,
//! and nobody else's private variables occur in it; else to the global region. If that changes no node of
//! the path, all of them go to the global region. The first node that changes, the pivot, is taken away
//! with all that is below it, and built anew.

use super::forest::{Edge, RegionId, Regions};
use super::post::Posts;
use super::search::{Search, Task};
use super::stretch::Stretches;
use crate::engine::{Reason, Violation};
use crate::program::{Init, LocId, Mark, MemoryModel, Move, Role, ThreadId, Trace, TransId};
use crate::reach::interpolant::{Goal, Interpolated, Walk};
use crate::reach::real::{self, Choices, Chosen};
use crate::reach::symbolic::{Condition, SymbolicState};
use crate::reach::tree::{NodeId, Tree};
use crate::replay;
use crate::smt::GaveUp;
use crate::term::TermId;

/// Which precisions new predicates go to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Locations, where that may do.
    Lowest,
    /// The global region.
    Global,
}

impl Search<'_> {
    /// Refutes the path to an error by new predicates, or finds that it is real.
    pub(super) fn refine(&mut self, node: NodeId) -> Result<Option<Violation>, GaveUp> {
        let never = self.terms.bool(false);
        match self.interpolate(node, Goal { original: never, image: never })? {
            Interpolated::Sequence(sequence) => {
                self.counts.refinements += 1;
                let last = self.forest.control_of(node).scheduler.running;
                if !self.adopt(node, last, &sequence)? {
                    self.no_progress("a path is infeasible, but what shows it is known already");
                }
                Ok(None)
            }
            Interpolated::Possible => self.real(node),
            Interpolated::Inexpressible => {
                self.no_progress("a path is infeasible, but no interpolants without its inputs were found");
                Ok(None)
            }
        }
    }

    fn no_progress(&mut self, detail: &str) {
        self.unclear.get_or_insert_with(|| Reason::new("refinement made no progress").with(detail));
    }

    /// Makes the precisions such that the node has a fact that holds on the path to it, for a thread that
    /// goes on from there. Whether anything changed.
    pub(super) fn learn(&mut self, node: NodeId, thread: ThreadId, goal: Goal) -> Result<bool, GaveUp> {
        match self.interpolate(node, goal)? {
            Interpolated::Sequence(sequence) => {
                self.counts.refinements += 1;
                self.adopt(node, Some(thread), &sequence)
            }
            Interpolated::Possible | Interpolated::Inexpressible => Ok(false),
        }
    }

    /// Executes the suppressed path to a node symbolically: its conditions, with the positions of their
    /// operations, and the state.
    pub(super) fn execute(&mut self, node: NodeId) -> (Vec<(usize, Condition)>, SymbolicState) {
        let (path, _) = self.suppressed(node);
        let mut state = SymbolicState::initial(self.program, &mut self.terms, &mut self.unknowns);
        let mut conditions = Vec::new();
        for (position, &operation) in path.iter().enumerate() {
            let steps = &self.operations.steps;
            let (new, after) = state.step(steps, &mut self.terms, &mut self.unknowns, operation, position);
            conditions.extend(new.into_iter().map(|condition| (position, condition)));
            state = after;
        }
        (conditions, state)
    }

    fn interpolate(&mut self, node: NodeId, goal: Goal) -> Result<Interpolated, GaveUp> {
        let (path, _) = self.suppressed(node);
        let (conditions, _) = self.execute(node);
        let start = SymbolicState::initial(self.program, &mut self.terms, &mut self.unknowns);
        let program = &self.operations.steps;
        let walk = Walk { program, start: &start, facts: &[], path: &path, conditions: &conditions };
        self.interpolator.sequence(&mut self.terms, &self.unknowns, &walk, goal)
    }

    /// Adds interpolants of the path to a node, from which a thread goes on, to the precisions, and builds
    /// anew what that changes. Whether anything changed.
    fn adopt(&mut self, node: NodeId, last: Option<ThreadId>, sequence: &[TermId]) -> Result<bool, GaveUp> {
        for level in [Level::Lowest, Level::Global] {
            self.add_predicates(node, last, sequence, level);
            if self.rebuild(node)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn add_predicates(&mut self, node: NodeId, last: Option<ThreadId>, sequence: &[TermId], level: Level) {
        let facts: Vec<Vec<TermId>> = sequence.iter().map(|&term| self.terms.conjuncts(term)).collect();
        let (path, nodes) = self.suppressed(node);
        let mover = |at: usize| path.get(at).map(|&id| self.operations.steps.thread_of(id));
        let movers: Vec<Option<ThreadId>> = (0..path.len()).map(mover).chain([last]).collect();
        for position in 0..facts.len() {
            let Some(at) = position.checked_sub(1).map_or(Some(Tree::ROOT), |before| nodes[before]) else {
                continue;
            };
            for &fact in &facts[position] {
                if self.terms.as_bool(fact).is_some() {
                    continue;
                }
                let has = |at: &usize| facts[*at].contains(&fact);
                let begin = (0..=position).rev().take_while(has).last().expect("it has it here");
                let end = (position..facts.len()).take_while(has).last().expect("it has it here");
                let needs = movers[end];
                let home = needs.filter(|&thread| begin == 0 || movers[begin - 1] == Some(thread));
                match home.filter(|&thread| level == Level::Lowest && self.is_local(fact, thread)) {
                    None => self.precision.add_global(fact),
                    Some(thread) => {
                        let location = self.forest.control_of(at).locations[thread.index()];
                        self.precision.add_at(self.program, location, fact);
                    }
                }
            }
        }
    }

    /// Whether a fact speaks of no private variables but those of a thread.
    fn is_local(&mut self, fact: TermId, thread: ThreadId) -> bool {
        let program = self.program;
        self.vars_of(fact).iter().all(|&var| match program.variable(var).role {
            Role::Private(owner) => owner == thread,
            Role::Shared | Role::Input => true,
        })
    }

    /// Builds anew from the first node of a path whose regions are others now. Whether there was one.
    fn rebuild(&mut self, node: NodeId) -> Result<bool, GaveUp> {
        let root = self.initial_regions()?;
        if root != self.forest.node(Tree::ROOT).regions {
            self.restart(root);
            return Ok(true);
        }
        for at in self.forest.tree.path(node) {
            let Some(edge) = self.forest.node(at).edge else { continue };
            let parent = self.forest.tree.parent(at).expect("an edge leads to it");
            let regions = self.post(parent, edge.stretch)?;
            if regions.as_ref() != Some(&self.forest.node(at).regions) {
                self.replace(at, parent, edge)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes a node away with all below it, and follows its edge again.
    fn replace(&mut self, node: NodeId, parent: NodeId, edge: Edge) -> Result<(), GaveUp> {
        let scheduler = self.forest.control_of(node).scheduler.clone();
        let open = self.forest.tree.close(node);
        self.queue.extend(open.into_iter().rev().map(Task::Node));
        let child = self.follow(parent, edge, scheduler)?;
        self.queue.extend(child.map(Task::Node));
        Ok(())
    }

    /// Begins again at the root.
    pub(super) fn restart(&mut self, regions: Regions) {
        self.former += self.forest.tree.len() as u64 - 1;
        self.forest.restart(regions);
        self.queue = vec![Task::Node(Tree::ROOT)];
    }

    /// The regions of the initial node.
    pub(super) fn initial_regions(&mut self) -> Result<Regions, GaveUp> {
        let mut regions: Vec<RegionId> = Vec::new();
        let entries: Vec<LocId> = self.program.threads.iter().map(|thread| thread.entry).collect();
        for entry in entries {
            let predicates = self.precision.at(self.program, entry).collect();
            regions.push(self.initially(predicates)?);
        }
        regions.push(self.initially(self.precision.global().to_vec())?);
        Ok(regions.into())
    }

    /// Those of some predicates that hold in all initial states.
    fn initially(&mut self, predicates: Vec<TermId>) -> Result<RegionId, GaveUp> {
        let mut holding = Vec::new();
        for predicate in predicates {
            let program = self.program;
            let value = self.terms.substitute(predicate, |terms, var| match &program.variable(var).init {
                Init::Value(datum) => Some(terms.datum(datum, program.variable(var).sort)),
                Init::Any => None,
            });
            if self.entailment.implies(&mut self.terms, &[], value)? {
                holding.push(predicate);
            }
        }
        holding.sort_unstable();
        holding.dedup();
        Ok(self.forest.region(holding))
    }

    /// A path that can be taken: a violation, or a place where the program's meaning ends.
    fn real(&mut self, node: NodeId) -> Result<Option<Violation>, GaveUp> {
        let (path, _) = self.suppressed(node);
        let moves = self.moves(node);
        let end = self.operations.exact.transition(*path.last().expect("no error at the root")).to;
        let Some(choices) = self.in_order(node) else {
            self.out_of_order = true;
            return Ok(None);
        };
        let (program, operations) = (self.program, &self.operations);
        let accept = |values: Choices| {
            let trace = trace(&moves, &choices, values, |operation| operations.origin(operation));
            let run = replay::run(program, MemoryModel::Sc, &trace).ok()?;
            run.last().locations.contains(&end).then_some(trace)
        };
        let int_model = self.options.int_model;
        let (chosen, _) =
            real::choose(&operations.exact, &mut self.terms, int_model, self.watch, &path, accept);
        let trace = match chosen? {
            Chosen::Accepted(trace) => Some(trace),
            Chosen::Impossible if self.operations.ignores_ranges() => {
                self.respect_ranges()?;
                return Ok(None);
            }
            Chosen::Impossible | Chosen::Refused => None,
        };
        Ok(match (program.location(end).mark.clone(), trace) {
            (Some(Mark::Error(assertion)), Some(trace)) => Some(Violation { assertion, trace }),
            (Some(Mark::Error(_)), None) => {
                let reason = Reason::new("a path to a violation could not be replayed")
                    .with("it is a path for unbounded integers, but not for the machine's");
                self.unclear.get_or_insert(reason);
                None
            }
            (_, trace) => {
                self.reached.entry(end).or_insert(trace);
                None
            }
        })
    }

    /// The path to a node: operations, and none for each connector.
    fn moves(&self, node: NodeId) -> Vec<Option<TransId>> {
        let mut moves = Vec::new();
        for at in self.forest.tree.path(node) {
            if let Some(edge) = self.forest.node(at).edge {
                moves.extend(edge.choice.map(|_| None));
                moves.extend(self.stretches.get(edge.stretch).operations.iter().copied().map(Some));
            }
        }
        moves
    }

    /// From now on signed arithmetic that overflows ends a run; everything is built anew.
    fn respect_ranges(&mut self) -> Result<(), GaveUp> {
        self.operations.respect_ranges();
        self.counts.refinements += 1;
        self.reducer = self.new_reducer();
        self.posts = Posts::default();
        self.stretches = Stretches::new();
        let root = self.initial_regions()?;
        self.restart(root);
        Ok(())
    }
}

/// The run with some moves, and these choices of the scheduler where an operation is none.
fn trace(
    moves: &[Option<TransId>],
    choices: &[u32],
    values: Choices,
    origin: impl Fn(TransId) -> TransId,
) -> Trace {
    let mut inputs = values.inputs.into_iter();
    let mut choices = choices.iter().copied();
    let moves = moves.iter().map(|&operation| match operation {
        None => Move::Schedule { choice: choices.next().expect("as many choices as connectors") },
        Some(operation) => {
            let inputs = inputs.next().expect("inputs for each operation");
            Move::Step { transition: origin(operation), inputs }
        }
    });
    let moves = moves.collect();
    Trace { initial: values.initial, moves }
}
