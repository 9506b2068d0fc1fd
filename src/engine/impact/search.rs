//! Algorithms 1 and 2: unfold, cover, refine, until every node is covered or has been followed.

use std::collections::BTreeSet;

use super::reduction::Reducer;
use super::unfolding::Unfolding;
use super::{Counts, Options};
use crate::engine::{Reason, Violation};
use crate::observe::{Observer, Progress};
use crate::program::{LocId, Program, TransId};
use crate::reach::entail::Entailment;
use crate::reach::interpolant::Interpolator;
use crate::reach::symbolic::{SymbolicState, Unknowns};
use crate::reach::tree::{NodeId, Tree};
use crate::smt::{GaveUp, Watch};
use crate::term::Pool;

/// Something to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Task {
    /// Look at a node that may be neither covered nor followed completely.
    Look(NodeId),
    /// Follow a step from a node, if it is not covered.
    Follow(NodeId, TransId),
    /// The same, for the sake of a node that it covers.
    FollowForCover(NodeId, TransId),
}

impl Task {
    /// The node that it is about.
    pub fn node(self) -> NodeId {
        match self {
            Task::Look(node) | Task::Follow(node, _) | Task::FollowForCover(node, _) => node,
        }
    }
}

/// Counters are told every so many tasks.
const TASKS_A_REPORT: u64 = 256;

/// A run of the engine.
pub(super) struct Search<'p> {
    pub program: &'p Program,
    pub options: &'p Options,
    pub terms: Pool,
    pub unknowns: Unknowns,
    pub unfolding: Unfolding,
    /// Last in, first out: depth first.
    pub queue: Vec<Task>,
    pub entailment: Entailment<'p>,
    pub watch: &'p Watch<'p>,
    pub interpolator: Interpolator<'p>,
    pub reducer: Reducer,
    pub counts: Counts,
    /// Locations that a real path reaches and that stand in the way of a proof without being violations.
    pub reached: BTreeSet<LocId>,
    /// Why some path to a violation could be neither refuted nor replayed.
    pub unclear: Option<Reason>,
}

impl<'p> Search<'p> {
    pub fn new(program: &'p Program, options: &'p Options, watch: &'p Watch<'p>) -> Search<'p> {
        let mut terms = program.terms.clone();
        let mut unknowns = Unknowns::default();
        let state = SymbolicState::initial(program, &mut terms, &mut unknowns);
        let int_model = options.int_model;
        Search {
            program,
            options,
            unknowns,
            unfolding: Unfolding::new(program, state),
            queue: vec![Task::Look(Tree::ROOT)],
            entailment: Entailment::new(int_model, watch),
            interpolator: Interpolator::new(program, int_model, watch).with_strength(options.strength),
            reducer: Reducer::new(program, &mut terms, options.reduction),
            terms,
            watch,
            counts: Counts::default(),
            reached: BTreeSet::new(),
            unclear: None,
        }
    }

    /// MAIN: a violation, or none if the tree is complete.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<Option<Violation>, GaveUp> {
        let mut tasks = 0;
        while let Some(task) = self.queue.pop() {
            self.options.budget.check()?;
            if tasks % TASKS_A_REPORT == 0 {
                self.announce(observer);
            }
            tasks += 1;
            let Some(node) = self.node_of(task)? else { continue };
            self.close(node)?;
            if !self.unfolding.tree.is_open(node) {
                continue;
            }
            if self.is_error(node) || self.unfolding.node(node).infeasible {
                if let Some(violation) = self.refine(node)? {
                    return Ok(Some(violation));
                }
            } else {
                self.expand(node)?;
            }
        }
        Ok(None)
    }

    /// The node that a task is about; steps that are followed for the first time get one, unless a label
    /// excludes them.
    fn node_of(&mut self, task: Task) -> Result<Option<NodeId>, GaveUp> {
        let (node, step) = match task {
            Task::Look(node) => return Ok(self.unfolding.tree.is_open(node).then_some(node)),
            Task::Follow(node, step) | Task::FollowForCover(node, step) => (node, step),
        };
        if !self.unfolding.tree.is_open(node) || self.unfolding.node(node).expanded.contains(&step) {
            return Ok(None);
        }
        let child = self.follow(node, step)?;
        let is_extra = matches!(task, Task::FollowForCover(..));
        self.counts.expansions += u64::from(is_extra && child.is_some());
        Ok(child)
    }

    /// Whether some thread stands where a verifier looks, and it is not known yet that it can.
    pub fn is_error(&self, node: NodeId) -> bool {
        let Some(edge) = self.unfolding.node(node).edge else { return false };
        self.program.location(self.program.transition(edge).to).is_target()
    }

    /// Why there is no proof although the tree is complete: a path that may be a violation, before bounds and
    /// places where the program's meaning ends.
    pub fn complaint(&self) -> Option<Reason> {
        let mut complaints = self.reached.iter().map(|&location| self.program.complaint(location));
        let first = self.unclear.clone().or_else(|| complaints.next().map(Reason::new));
        first.map(|first| complaints.fold(first, Reason::with))
    }

    /// A reason with what was established.
    pub fn established(&self, summary: String) -> Reason {
        let tree = &self.unfolding.tree;
        let open = self.queue.iter().filter(|task| !matches!(task, Task::FollowForCover(..))).count();
        let deepest = tree.ids().map(|node| tree.depth(node)).max().unwrap_or(0);
        let covered = tree.ids().filter(|&node| tree.covered_by(node).is_some()).count();
        Reason::new(summary)
            .with(format!("no violation on the paths followed so far: {} nodes, {covered} of them covered, at most {deepest} steps deep", tree.len()))
            .with(format!("{open} steps were still to be followed"))
    }

    /// Tells the counters.
    pub fn announce(&self, observer: &mut dyn Observer) {
        let asked = self.entailment.asked();
        for (name, value) in [
            ("Nodes", self.unfolding.tree.len() as u64),
            ("Refinements", self.counts.refinements),
            ("Covers", self.counts.covers),
            ("Forced covers", self.counts.forced),
            ("Cover expansions", self.counts.expansions),
            ("Cover checks as written", asked.syntactic),
            ("Cover checks by table", asked.table),
            ("Cover checks by differences", asked.differences),
            ("Cover checks by solver", asked.solver),
            ("Solver queries", asked.solver + self.interpolator.queries()),
        ] {
            observer.notice(Progress::Count(name, value));
        }
    }
}
