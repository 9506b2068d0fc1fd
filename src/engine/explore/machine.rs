//! The successor function of the explorer: compiled transitions, store buffers, choices.
//!
//! A step is tried in place: its effect is applied to the state, shown to the caller and undone. Values that
//! the program leaves open (inputs, initial values) are chosen only when code reads them, one after the other
//! like the digits of a counter, so that what is never read is never enumerated.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

use crate::program::pass::Liveness;
use crate::program::{Barrier, Init, Lanes, LocId, MemoryModel, Program, Role, ThreadId, TransId};
use crate::scheduler;
use crate::term::VarId;

use super::compile::Open;
use super::inputs::{Choice, Domain, Domains, is_open};
use super::layout::Layout;
use super::liveness::{forgotten, useless};
use super::state::{Content, State};
use super::step::{Firing, Outcome, Step, Written};
use super::{Gap, Options, Reduction};

/// A move that was made, for the caller to look at.
#[derive(Debug)]
pub(super) struct Taken<'a> {
    pub action: Act,
    pub thread: ThreadId,
    /// Whether shared cells may have changed.
    pub shared: bool,
    /// The open cells that were read, with the values chosen for them.
    pub choices: &'a [(u32, i64)],
    /// The cells that hold an input now without a value having been chosen.
    pub unchosen: &'a [(u32, VarId)],
}

/// What kind of move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Act {
    Step(TransId),
    /// A buffered write reached this cell.
    Flush(u32, Lanes),
    /// The scheduler chose this one of the states that may come next.
    Schedule(u32),
}

/// Looks at a move and the state after it; may stop the enumeration.
pub(super) type Visit<'v> = dyn FnMut(&Taken<'_>, &State) -> ControlFlow<()> + 'v;

/// A value being chosen for an open cell.
#[derive(Debug)]
struct Digit {
    cell: u32,
    /// What the cell held before.
    content: Content,
    domain: Domain,
    position: usize,
}

impl Digit {
    fn choice(&self) -> Choice {
        self.domain.choices[self.position]
    }
}

/// A program ready to run.
#[derive(Debug)]
pub(super) struct Machine<'a> {
    program: &'a Program,
    layout: &'a Layout,
    model: MemoryModel,
    buffer_limit: usize,
    steps: Vec<Step>,
    /// Private variables whose initial value is never read.
    useless: Vec<VarId>,
    domains: Domains,
    /// What could not be followed so far.
    pub gaps: BTreeSet<Gap>,
    /// Ranges that did not hold so far, by transition and position.
    pub overflows: BTreeSet<(TransId, usize)>,
    outcome: Outcome,
    undo: Vec<(u32, Content)>,
    digits: Vec<Digit>,
    choices: Vec<(u32, i64)>,
    unchosen: Vec<(u32, VarId)>,
}

impl<'a> Machine<'a> {
    pub fn new(program: &'a Program, layout: &'a Layout, options: &Options) -> Machine<'a> {
        let liveness = match options.reduction {
            Reduction::None => None,
            Reduction::Static | Reduction::Persistent => Some(Liveness::of(program)),
        };
        let forgotten: Vec<Vec<VarId>> = program
            .transition_ids()
            .map(|id| liveness.as_ref().map_or(Vec::new(), |liveness| forgotten(liveness, program, id)))
            .collect();
        let steps =
            program.transitions.iter().zip(&forgotten).map(|(transition, forgotten)| {
                Step::new(program, layout, options.model, transition, forgotten)
            });
        Machine {
            program,
            layout,
            model: options.model,
            buffer_limit: options.limits.buffer,
            steps: steps.collect(),
            useless: liveness.map_or(Vec::new(), |liveness| useless(&liveness, program)),
            domains: Domains::new(program, layout, options.limits.choices, &options.hints),
            gaps: BTreeSet::new(),
            overflows: BTreeSet::new(),
            outcome: Outcome::default(),
            undo: Vec::new(),
            digits: Vec::new(),
            choices: Vec::new(),
            unchosen: Vec::new(),
        }
    }

    /// The initial state; cells whose value the program does not give are open.
    pub fn initial(&self) -> State {
        let mut state = State::new(self.program, self.layout);
        if self.program.variable_ids().any(|var| is_open(self.program, var)) {
            state.open = vec![None; self.layout.cells()];
        }
        for var in self.program.variable_ids() {
            if self.useless.contains(&var) {
                continue;
            } else if is_open(self.program, var) {
                for cell in self.layout.field(var).cells() {
                    state.open[cell as usize] = Some(self.layout.whole(cell));
                }
            } else if let Init::Value(value) = &self.program.variable(var).init {
                self.layout.set(&mut state.cells, var, value);
            }
        }
        state
    }

    /// The threads that may move; in a cooperative program, the one that runs.
    pub fn movable(&self, state: &State) -> Range<usize> {
        match &state.scheduler {
            None => self.program.movers(&state.locations),
            Some(scheduler) => scheduler.running.map_or(0..0, |thread| thread.index()..thread.index() + 1),
        }
    }

    /// Whether the run ends in this location, whatever other threads could still do.
    pub fn ends_run(&self, location: LocId) -> bool {
        self.program.location(location).is_target()
    }

    /// Whether the guard of a step may hold: it does, or it asks something of cells without a value or of a
    /// store buffer that is not empty.
    pub fn may_fire(&mut self, state: &State, thread: ThreadId, transition: TransId) -> bool {
        !state.buffers[thread.index()].is_empty()
            || self.steps[transition.index()].guard_holds(state, &mut self.outcome.regs)
    }

    /// Calls `visit` with each successor of a state by a step of a thread. The state is left as it was, even
    /// when `visit` stops the enumeration.
    pub fn steps_of(
        &mut self,
        state: &mut State,
        thread: ThreadId,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        for &transition in self.program.outgoing(state.locations[thread.index()]) {
            let full = self.steps[transition.index()].barrier == Barrier::Full;
            if !full || state.buffers[thread.index()].is_empty() {
                self.fire(state, thread, transition, visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Likewise, by a flush of a thread's buffer.
    pub fn flushes_of(
        &mut self,
        state: &mut State,
        thread: ThreadId,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let t = thread.index();
        for (cell, lanes) in state.buffers[t].flushable(self.model) {
            let buffer = state.buffers[t].clone();
            let value = state.buffers[t].flush((cell, lanes));
            let value = state.with_bytes(self.layout, cell, lanes, value);
            let old = state.replace(cell, (value, None));
            let action = Act::Flush(cell, lanes);
            let taken = Taken { action, thread, shared: true, choices: &[], unchosen: &[] };
            let flow = visit(&taken, state);
            state.replace(cell, old);
            state.buffers[t] = buffer;
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Likewise, by a decision of the scheduler.
    pub fn decisions(&mut self, state: &mut State, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let Some(policy) = self.program.policy else { return ControlFlow::Continue(()) };
        let nobody = |now: &&scheduler::State| now.running.is_none();
        let Some(now) = state.scheduler.as_ref().filter(nobody).cloned() else {
            return ControlFlow::Continue(());
        };
        for (choice, next) in (0..).zip(scheduler::of(policy).next(&now)) {
            let thread = next.running.expect("the scheduler lets a thread run");
            state.scheduler = Some(next);
            let action = Act::Schedule(choice);
            let flow = visit(&Taken { action, thread, shared: false, choices: &[], unchosen: &[] }, state);
            state.scheduler = Some(now.clone());
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Makes a copy of a state that was shown after a move one to go on from: its inputs have values there
    /// that the next move must not see.
    pub fn reopen_inputs(&self, choices: &[(u32, i64)], state: &mut State) {
        for &(cell, _) in choices {
            let (var, _) = self.layout.place_of(cell);
            if self.program.variable(var).role == Role::Input {
                state.replace(cell, (0, Some(self.layout.whole(cell))));
            }
        }
    }

    /// Tries a transition with all choices for the open cells that it reads.
    fn fire(
        &mut self,
        state: &mut State,
        thread: ThreadId,
        transition: TransId,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        loop {
            let flow = match self.evaluate(state, thread, transition) {
                Err(Open(cell)) => {
                    self.first_value(state, cell, thread, transition);
                    continue;
                }
                Ok(Firing::Blocked) => ControlFlow::Continue(()),
                Ok(Firing::Overflows(range)) => {
                    self.overflows.insert((transition, range));
                    ControlFlow::Continue(())
                }
                Ok(Firing::Misuses(end)) => self.misuse(state, thread, (transition, end), visit),
                Ok(Firing::Fires) => self.apply(state, thread, transition, visit),
            };
            if flow.is_break() {
                while let Some(digit) = self.digits.pop() {
                    state.replace(digit.cell, digit.content);
                }
            }
            if !self.next_value(state) {
                return flow;
            }
        }
    }

    /// Evaluates a transition as its thread sees memory.
    fn evaluate(&mut self, state: &mut State, thread: ThreadId, transition: TransId) -> Result<Firing, Open> {
        let hidden = state.enter_view(self.layout, thread);
        let result = self.steps[transition.index()].evaluate(state, &mut self.outcome);
        state.leave_view(hidden);
        result
    }

    /// Shows the state in which a thread has misused a primitive: it has gone to its end, and nothing else
    /// has happened.
    fn misuse(
        &mut self,
        state: &mut State,
        thread: ThreadId,
        (transition, end): (TransId, LocId),
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let from = std::mem::replace(&mut state.locations[thread.index()], end);
        self.choices.clear();
        self.choices.extend(self.digits.iter().map(|digit| (digit.cell, digit.choice().value)));
        let (action, choices) = (Act::Step(transition), &self.choices[..]);
        let flow = visit(&Taken { action, thread, shared: true, choices, unchosen: &[] }, state);
        state.locations[thread.index()] = from;
        flow
    }

    /// Does what [`Self::evaluate`] computed, shows the new state, and takes everything back.
    fn apply(
        &mut self,
        state: &mut State,
        thread: ThreadId,
        transition: TransId,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let t = thread.index();
        let from = state.locations[t];
        let buffer = (self.model != MemoryModel::Sc).then(|| state.buffers[t].clone());
        let shared = self.write(state, thread, transition);
        let called = self.outcome.scheduler.take();
        let scheduler = called.and_then(|after| state.scheduler.replace(after));
        self.choices.clear();
        self.choices.extend(self.digits.iter().map(|digit| (digit.cell, digit.choice().value)));
        let flow = if state.buffers[t].writes().count() > self.buffer_limit {
            self.gaps.insert(Gap::Buffer(thread));
            ControlFlow::Continue(())
        } else {
            let (choices, unchosen) = (&self.choices[..], &self.unchosen[..]);
            visit(&Taken { action: Act::Step(transition), thread, shared, choices, unchosen }, state)
        };
        while let Some((cell, old)) = self.undo.pop() {
            state.replace(cell, old);
        }
        state.locations[t] = from;
        if scheduler.is_some() {
            state.scheduler = scheduler;
        }
        if let Some(buffer) = buffer {
            state.buffers[t] = buffer;
        }
        flow
    }

    /// Changes the state; what private and shared cells held goes to `self.undo`. Tells whether shared cells
    /// changed.
    fn write(&mut self, state: &mut State, thread: ThreadId, transition: TransId) -> bool {
        let step = &self.steps[transition.index()];
        let buffer = &mut state.buffers[thread.index()];
        state.locations[thread.index()] = step.to;
        if step.barrier == Barrier::StoreStore {
            buffer.store_store(self.model);
        }
        let buffered = self.model != MemoryModel::Sc && step.barrier != Barrier::Full;
        let end = self.layout.shared.end as u32;
        let mut shared = self.digits.iter().any(|digit| digit.cell < end);
        for digit in &self.digits {
            if let Some(interval) = digit.choice().undecided {
                self.undo.push((digit.cell, state.replace(digit.cell, (0, Some(interval)))));
            }
        }
        self.unchosen.clear();
        for &(cell, written) in &self.outcome.writes {
            let content = match written {
                Written::Value(lanes, value) if buffered && cell < end => {
                    let value = if lanes.is_all() { value } else { value & lanes.mask() as i64 };
                    state.buffers[thread.index()].push(self.model, (cell, lanes), value);
                    continue;
                }
                Written::Value(_, value) => (value, None),
                Written::Input(input) => {
                    self.unchosen.push((cell, input));
                    (0, Some(self.layout.whole(cell)))
                }
            };
            shared |= cell < end;
            self.undo.push((cell, state.replace(cell, content)));
        }
        for cell in step.forgotten.iter().cloned().flatten() {
            self.undo.push((cell, state.replace(cell, (0, None))));
        }
        shared
    }

    /// Begins to choose values for an open cell.
    fn first_value(&mut self, state: &mut State, cell: u32, thread: ThreadId, transition: TransId) {
        let others = self.digits.iter().map(|digit| digit.domain.choices.len() as u64).product();
        let hidden = state.enter_view(self.layout, thread);
        let domain =
            self.domains.choose(self.layout, (transition, cell), others, (&state.cells, &state.open));
        state.leave_view(hidden);
        if !domain.exact {
            self.gaps.insert(Gap::Choice(self.layout.place_of(cell).0, transition));
        }
        let content = state.replace(cell, (domain.choices[0].value, None));
        self.digits.push(Digit { cell, content, domain, position: 0 });
    }

    /// Goes on to the next combination of values; `false` after the last, with all cells open again.
    fn next_value(&mut self, state: &mut State) -> bool {
        while let Some(digit) = self.digits.last_mut() {
            digit.position += 1;
            if let Some(choice) = digit.domain.choices.get(digit.position) {
                state.replace(digit.cell, (choice.value, None));
                return true;
            }
            state.replace(digit.cell, digit.content);
            self.digits.pop();
        }
        false
    }
}
