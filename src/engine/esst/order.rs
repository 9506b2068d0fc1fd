//! Paths of a looser scheduler as runs of the exact one.

use super::forest::Edge;
use super::search::{Allows, Search};
use crate::reach::tree::NodeId;
use crate::scheduler::{self, State};

/// So many states of the exact scheduler are followed side by side.
const MOST_STATES: usize = 256;

impl Search<'_> {
    /// The choices of the exact scheduler along the path to a node, if it can let the same threads go in the
    /// same order.
    pub(super) fn in_order(&self, node: NodeId) -> Option<Vec<u32>> {
        let program = self.program;
        let path = self.forest.tree.path(node);
        if self.allows == Allows::Exactly {
            let choice = |&at: &NodeId| match self.forest.node(at).edge {
                Some(Edge::Choice(choice)) => Some(choice),
                Some(Edge::Operation(_)) | None => None,
            };
            return Some(path.iter().filter_map(choice).collect());
        }
        let exact = scheduler::of(program.policy.expect("a cooperative program"));
        let mut ways: Vec<(State, Vec<u32>)> = vec![(exact.initial(program.threads.len()), Vec::new())];
        for at in path {
            match self.forest.node(at).edge {
                None => {}
                Some(Edge::Operation(operation)) => {
                    let transition = program.transition(self.operations.origin(operation));
                    let Some(call) = &transition.call else { continue };
                    let caller = program.location(transition.from).thread;
                    let arguments = self.operations.arguments(operation);
                    for (state, _) in &mut ways {
                        // A misuse leaves the state as it is, and is one for the looser scheduler, too.
                        let mut after = state.clone();
                        if exact.execute(&mut after, caller, call.primitive, arguments).is_ok() {
                            *state = after;
                        }
                    }
                }
                Some(Edge::Choice(_)) => {
                    let running = self.forest.control_of(at).scheduler.running;
                    let mut further: Vec<(State, Vec<u32>)> = Vec::new();
                    for (state, choices) in &ways {
                        for (choice, next) in (0..).zip(exact.next(state)) {
                            let is_new = further.iter().all(|(known, _)| *known != next);
                            if next.running == running && is_new && further.len() < MOST_STATES {
                                further.push((next, choices.iter().copied().chain([choice]).collect()));
                            }
                        }
                    }
                    ways = further;
                }
            }
        }
        ways.into_iter().next().map(|(_, choices)| choices)
    }
}
