//! Cooperative programs: what happens between two decisions of the scheduler becomes one step.
//!
//! While a thread has its turn nobody else moves, so the states in between are nobody's business. A state in
//! which a thread runs and only one move is possible is passed without being kept. So no way is tried twice:
//! where a turn branches, on an input, the state is kept. So it is where a step leads back in the control
//! flow, that no loop is run round for ever, and where nobody runs. Without reduction every state is kept.

use std::ops::ControlFlow;

use crate::program::{LocId, Program, ThreadId, forward_order};
use crate::term::VarId;

use super::Reduction;
use super::machine::{Act, Machine, Taken};
use super::state::State;

/// How turns become steps.
#[derive(Debug)]
pub(super) struct Turns {
    reduction: Reduction,
    /// A position for each location; every cycle of the control flow has a step to one that is not later.
    order: Vec<u32>,
}

/// A move that was made, kept.
struct Made {
    action: Act,
    thread: ThreadId,
    shared: bool,
    choices: Vec<(u32, i64)>,
    unchosen: Vec<(u32, VarId)>,
}

impl Made {
    fn new(taken: &Taken<'_>) -> Made {
        let (choices, unchosen) = (taken.choices.to_vec(), taken.unchosen.to_vec());
        Made { action: taken.action, thread: taken.thread, shared: taken.shared, choices, unchosen }
    }

    fn taken(&self) -> Taken<'_> {
        let Made { action, thread, shared, ref choices, ref unchosen } = *self;
        Taken { action, thread, shared, choices, unchosen }
    }
}

/// Looks at moves of one thread and the state after them; may stop the enumeration.
pub(super) type VisitTurn<'v> = dyn FnMut(&[Taken<'_>], &State) -> ControlFlow<()> + 'v;

impl Turns {
    /// For a cooperative program.
    pub fn new(program: &Program, reduction: Reduction) -> Turns {
        Turns { reduction, order: forward_order(program) }
    }

    /// Calls `visit` with each state that follows one and is to be kept.
    pub fn expand(
        &self,
        machine: &mut Machine<'_>,
        state: &mut State,
        visit: &mut VisitTurn<'_>,
    ) -> ControlFlow<()> {
        for (made, next) in successors(machine, state, usize::MAX) {
            let (moves, end) = self.follow(machine, made, next);
            let taken: Vec<Taken<'_>> = moves.iter().map(Made::taken).collect();
            visit(&taken, &end)?;
        }
        ControlFlow::Continue(())
    }

    /// Goes on after a move to a state that is kept.
    fn follow(&self, machine: &mut Machine<'_>, first: Made, mut state: State) -> (Vec<Made>, State) {
        let mut moves = vec![first];
        while self.is_passed(machine, &state) {
            let mut next = successors(machine, &mut state, 2);
            let Some((made, after)) = next.pop().filter(|_| next.is_empty()) else { break };
            let at = |state: &State| self.position(state.locations[made.thread.index()]);
            if at(&state) >= at(&after) {
                break;
            }
            moves.push(made);
            state = after;
        }
        (moves, state)
    }

    fn position(&self, location: LocId) -> u32 {
        self.order[location.index()]
    }

    /// Whether a state need not be kept if it has one successor.
    fn is_passed(&self, machine: &Machine<'_>, state: &State) -> bool {
        let runs = state.scheduler.as_ref().is_some_and(|scheduler| scheduler.running.is_some());
        let ended = || state.locations.iter().any(|&location| machine.ends_run(location));
        self.reduction != Reduction::None && runs && !ended()
    }
}

/// The states that follow one, with the moves to them; at most so many.
fn successors(machine: &mut Machine<'_>, state: &mut State, limit: usize) -> Vec<(Made, State)> {
    let mut found = Vec::new();
    let mut visit = |taken: &Taken<'_>, state: &State| {
        found.push((Made::new(taken), state.clone()));
        if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let mut flow = machine.decisions(state, &mut visit);
    for thread in machine.movable(state).map(ThreadId::new) {
        if flow.is_continue() {
            flow = machine.steps_of(state, thread, &mut visit);
        }
    }
    for (made, state) in &mut found {
        machine.reopen_inputs(&made.choices, state);
    }
    found
}
