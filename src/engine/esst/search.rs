//! The loop of Section 4.7: grow the forest, analyse paths to errors, refine, until it is complete and safe.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::forest::Forest;
use super::operation::Operations;
use super::post::Posts;
use super::precision::Precision;
use super::reduction::Reducer;
use super::stretch::Stretches;
use super::{Counts, Options};
use crate::engine::{Reason, Violation};
use crate::observe::{Observer, Progress};
use crate::program::pass::Liveness;
use crate::program::{LocId, Program, Trace, TransId, forward_order};
use crate::reach::entail::Entailment;
use crate::reach::interpolant::Interpolator;
use crate::reach::symbolic::Unknowns;
use crate::reach::tree::{NodeId, Tree};
use crate::scheduler::Scheduler;
use crate::smt::{GaveUp, Watch};
use crate::term::{Pool, TermId, VarId};

/// The exact scheduler takes over after so many refinements with a looser one: what holds may depend on the
/// order.
const LOOSE_REFINEMENTS: u64 = 10;

/// Counters are told, and limits looked at, every so many nodes.
const NODES_A_REPORT: u64 = 256;

/// Which runs a scheduler allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Allows {
    /// Those of the program.
    Exactly,
    /// Others, too.
    More,
}

/// What is still to be looked at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    /// A node that may be neither covered nor expanded.
    Node(NodeId),
    /// A decision of the scheduler that is followed at a node.
    Turn(NodeId, u32),
}

impl Task {
    fn node(self) -> NodeId {
        let (Task::Node(node) | Task::Turn(node, _)) = self;
        node
    }
}

/// How a search ended.
pub(super) enum Ended {
    /// With a violation.
    Violated(Violation),
    /// The forest is complete.
    Complete,
    /// With a path that the looser scheduler allows and the exact one does not, or that may be one.
    OutOfOrder,
}

/// A run of the engine.
pub(super) struct Search<'p> {
    pub program: &'p Program,
    pub options: &'p Options,
    pub watch: &'p Watch<'p>,
    pub scheduler: &'static dyn Scheduler,
    pub allows: Allows,
    pub terms: Pool,
    pub unknowns: Unknowns,
    pub forest: Forest,
    pub operations: Operations,
    pub stretches: Stretches,
    pub precision: Precision,
    pub reducer: Reducer,
    /// Last in, first out: depth first.
    pub queue: Vec<Task>,
    pub entailment: Entailment<'p>,
    pub interpolator: Interpolator<'p>,
    /// For each location, the private variables that may still be read.
    pub live: Liveness,
    /// For each location, whether a loop may come back to it: there a running node may be covered.
    pub heads: Vec<bool>,
    /// The variables of predicates.
    pub vars: FxHashMap<TermId, Box<[VarId]>>,
    pub posts: Posts,
    pub counts: Counts,
    /// How long refinement took.
    pub refining: Duration,
    /// Whether a path was found that the looser scheduler allows and the exact one does not.
    pub out_of_order: bool,
    /// Nodes of forests that were given up.
    pub former: u64,
    /// Locations that a real path reaches and that stand in the way of a proof without being violations, with
    /// a run if it could be replayed.
    pub reached: BTreeMap<LocId, Option<Trace>>,
    /// Why some path to an error could be neither refuted nor replayed, or some argument not be enumerated.
    pub unclear: Option<Reason>,
}

impl<'p> Search<'p> {
    /// With a scheduler, after so many abstract states were visited with another one.
    pub fn new(
        program: &'p Program,
        options: &'p Options,
        watch: &'p Watch<'p>,
        (scheduler, allows): (&'static dyn Scheduler, Allows),
        former: u64,
    ) -> Search<'p> {
        let mut terms = program.terms.clone();
        let operations = Operations::new(program);
        let reducer = Reducer::new(&operations.steps, &mut terms, scheduler, options.reduction);
        let int_model = options.int_model;
        Search {
            program,
            options,
            watch,
            scheduler,
            allows,
            unknowns: Unknowns::default(),
            forest: Forest::new(program, scheduler.initial(program.threads.len())),
            operations,
            stretches: Stretches::new(),
            precision: Precision::new(program),
            reducer,
            queue: vec![Task::Node(Tree::ROOT)],
            entailment: Entailment::new(int_model, watch).with_inputs(program),
            interpolator: Interpolator::new(program, int_model, watch),
            live: Liveness::of(program),
            heads: heads(program),
            vars: FxHashMap::default(),
            posts: Posts::default(),
            counts: Counts::default(),
            refining: Duration::ZERO,
            former,
            out_of_order: false,
            reached: BTreeMap::new(),
            unclear: None,
            terms,
        }
    }

    /// A reducer for operations as they are now.
    pub fn new_reducer(&mut self) -> Reducer {
        Reducer::new(&self.operations.steps, &mut self.terms, self.scheduler, self.options.reduction)
    }

    /// ESST: grows the forest until it is complete, or a violation is found.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<Ended, GaveUp> {
        let mut steps = 0;
        loop {
            while let Some(task) = self.queue.pop() {
                if steps % NODES_A_REPORT == 0 {
                    self.options.budget.check()?;
                    self.announce(observer);
                }
                steps += 1;
                if !self.forest.tree.is_open(task.node()) {
                    continue;
                }
                match task {
                    Task::Turn(node, choice) => self.go_on(node, Some(choice))?,
                    Task::Node(node) if self.is_error(node) => {
                        if let Some(violation) = self.analyse(node)? {
                            return Ok(Ended::Violated(violation));
                        }
                        let diverges =
                            self.allows == Allows::More && self.counts.refinements > LOOSE_REFINEMENTS;
                        if self.out_of_order || diverges {
                            return Ok(Ended::OutOfOrder);
                        }
                    }
                    Task::Node(node) => {
                        if !self.cover(node)? {
                            self.expand(node)?;
                        }
                    }
                }
            }
            if !self.close_cycles() {
                return Ok(Ended::Complete);
            }
        }
    }

    /// The analysis of a path to an error, with the time that it takes.
    fn analyse(&mut self, node: NodeId) -> Result<Option<Violation>, GaveUp> {
        let begin = Instant::now();
        let found = self.refine(node);
        self.refining += begin.elapsed();
        found
    }

    /// Whether some thread stands where a verifier looks.
    pub fn is_error(&self, node: NodeId) -> bool {
        let Some(edge) = self.forest.node(node).edge else { return false };
        self.program.location(self.stretches.get(edge.stretch).end(&self.operations)).is_target()
    }

    /// The operations of the path to a node, and the node after each of them that is the last of its stretch:
    /// the suppressed path (Definition 4.4).
    pub fn suppressed(&self, node: NodeId) -> (Vec<TransId>, Vec<Option<NodeId>>) {
        let (mut path, mut nodes) = (Vec::new(), Vec::new());
        for at in self.forest.tree.path(node) {
            if let Some(edge) = self.forest.node(at).edge {
                path.extend(&self.stretches.get(edge.stretch).operations);
                nodes.resize(path.len() - 1, None);
                nodes.push(Some(at));
            }
        }
        (path, nodes)
    }

    /// Why there is no proof although the forest is complete.
    pub fn complaint(&self) -> Option<Reason> {
        let mut complaints = self.reached.keys().map(|&location| self.program.complaint(location));
        let Some(first) = complaints.next() else { return self.unclear.clone() };
        let reason = complaints.fold(Reason::new(first), Reason::with);
        let run = self.reached.values().next().cloned().flatten();
        Some(run.into_iter().fold(reason, Reason::shown_by))
    }

    /// Whether there may be blocks that were followed nowhere, since no run goes on to them.
    pub fn leaves_blocks_out(&self) -> bool {
        self.allows == Allows::More || self.reducer.reduction.has_persistent_sets()
    }

    /// The number of abstract states that were visited.
    pub fn states(&self) -> u64 {
        self.former + self.forest.tree.len() as u64
    }

    /// A reason with what was established.
    pub fn established(&self, summary: String) -> Reason {
        let tree = &self.forest.tree;
        let deepest = tree.ids().map(|node| tree.depth(node)).max().unwrap_or(0);
        let covered = tree.ids().filter(|&node| tree.covered_by(node).is_some()).count();
        let (states, open) = (self.states(), self.queue.len());
        Reason::new(summary)
            .with(format!("no violation on the paths followed so far: {states} abstract states, {covered} of them covered, at most {deepest} steps deep"))
            .with(format!("{open} of them were still to be looked at, after {} refinements with {} predicates", self.counts.refinements, self.precision.len()))
    }

    /// Tells the counters.
    pub fn announce(&self, observer: &mut dyn Observer) {
        let asked = self.entailment.asked();
        for (name, value) in [
            ("States", self.states()),
            ("Refinements", self.counts.refinements),
            ("Predicates", self.precision.len() as u64),
            ("Covers", self.counts.covers),
            ("Choices followed", self.counts.followed),
            ("Choices left out", self.counts.omitted),
            ("Choices for cycles", self.counts.forced),
            ("Successors computed", self.counts.computed),
            ("Successors known", self.counts.known),
            ("Questions as written", asked.syntactic),
            ("Questions by table", asked.table),
            ("Questions by differences", asked.differences),
            ("Questions by solver", asked.solver),
            ("Solver queries", asked.solver + self.interpolator.queries()),
        ] {
            observer.notice(Progress::Count(name, value));
        }
        observer.notice(Progress::Time("Refine time", self.refining));
    }
}

/// For each location, whether a step leads back to it.
fn heads(program: &Program) -> Vec<bool> {
    let order = forward_order(program);
    let mut heads = vec![false; program.locations.len()];
    for step in &program.transitions {
        heads[step.to.index()] |= order[step.to.index()] <= order[step.from.index()];
    }
    heads
}
