//! Paths of a looser scheduler as runs of the exact one.

use super::search::{Allows, Search};
use crate::program::ThreadId;
use crate::reach::tree::NodeId;
use crate::scheduler::{self, Scheduler, State};

/// So many states of the exact scheduler are followed side by side.
const MOST_STATES: usize = 256;

impl Search<'_> {
    /// The choices of the exact scheduler along the path to a node, if it can let the same threads go in the
    /// same order.
    pub(super) fn in_order(&self, node: NodeId) -> Option<Vec<u32>> {
        let program = self.program;
        let path = self.forest.tree.path(node);
        if self.allows == Allows::Exactly {
            let choice = |&at: &NodeId| self.forest.node(at).edge.and_then(|edge| edge.choice);
            return Some(path.iter().filter_map(choice).collect());
        }
        let exact = scheduler::of(program.policy.expect("a cooperative program"));
        let mut ways: Ways = vec![(exact.initial(program.threads.len()), Vec::new())];
        for edge in path.into_iter().filter_map(|at| self.forest.node(at).edge) {
            let stretch = self.stretches.get(edge.stretch);
            if edge.choice.is_some() {
                ways = further(exact, &ways, program.location(stretch.end(&self.operations)).thread);
            }
            for &operation in &stretch.operations {
                for (state, _) in &mut ways {
                    // A misuse is one for the looser scheduler, too.
                    self.operations.execute(program, exact, state, operation);
                }
            }
        }
        ways.into_iter().next().map(|(_, choices)| choices)
    }
}

/// States with the choices that led to them.
type Ways = Vec<(State, Vec<u32>)>;

/// Where the exact scheduler lets a thread go.
fn further(exact: &dyn Scheduler, ways: &Ways, thread: ThreadId) -> Ways {
    let mut further: Ways = Vec::new();
    for (state, choices) in ways {
        for (choice, next) in (0..).zip(exact.next(state)) {
            let is_new = further.iter().all(|(known, _)| *known != next);
            if next.running == Some(thread) && is_new && further.len() < MOST_STATES {
                further.push((next, choices.iter().copied().chain([choice]).collect()));
            }
        }
    }
    further
}
