//! All reachable states, breadth first, so that the first violation found has a shortest run.
//!
//! The queue is the table of visited states itself (`table.rs`), unless a run is followed ([`follow`],
//! `guide.rs`). States in which a thread has reached an error, undefined behaviour or a bound of the front
//! end are not expanded: the run ends there.
//!
//! With [`Reduction::Static`] a thread all of whose next steps touch only its own variables moves alone
//! (Clarke, Grumberg, Peled, Model Checking, chapter 10: the ample set conditions). Such steps commute with
//! everything the others can do and nobody can disable them. With [`Reduction::Persistent`] the same holds for
//! sets of threads (`persistent.rs`). Nothing is missed for ever (the cycle condition), because the other
//! threads' moves are put off only when one of the states reached is still to be expanded. In a cooperative
//! program everything between two decisions of the scheduler is one step (`turns.rs`).

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

use crate::budget::Stop;
use crate::observe::{Observer, Progress};
use crate::program::symmetry::Symmetry;
use crate::program::{AssertionId, LocId, Mark, Program, Span, ThreadId, Trace};

use super::guide::{Guide, Guided};
use super::layout::Layout;
use super::machine::{Machine, Taken};
use super::persistent::Persistent;
use super::record::Recorder;
use super::state::State;
use super::symmetry::{Canon, Seating, usable};
use super::table::{Added, NO_PARENT, StateId, Visited};
use super::turns::Turns;
use super::{Gap, Options, Reduction};

/// What an exploration found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// States visited.
    pub states: u64,
    /// Moves made from them.
    pub transitions: u64,
    /// Bytes of memory for the states at the end.
    pub memory: u64,
    /// Where signed arithmetic was seen to overflow, so that runs ended.
    pub overflows: BTreeSet<Span>,
    /// A run to undefined behaviour, if one was found: without reduction, one of fewest moves.
    pub undefined: Option<Trace>,
    /// The answer.
    pub outcome: Outcome,
}

/// The answer of an exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// An assertion is violated at the end of this run. Without reduction, no run violates one in fewer
    /// moves.
    Violation(AssertionId, Trace),
    /// No assertion is violated in any state that was visited.
    Clean {
        /// Reachable locations marked as undefined behaviour or as a bound of the front end.
        marks: BTreeSet<LocId>,
        /// What was not followed.
        gaps: BTreeSet<Gap>,
        /// Why the exploration stopped early, if it did.
        stop: Option<Early>,
    },
}

/// Why an exploration did not visit all states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Early {
    /// The budget of the run.
    Budget(Stop),
    /// The limit of states.
    States(u64),
    /// The program has more cells than the limit: so many.
    Cells(u64),
}

/// How many states are visited between two looks at the clock.
const PERIOD: u64 = 4096;

/// Visits all reachable states of a program.
pub fn explore(program: &Program, options: &Options, observer: &mut dyn Observer) -> Exploration {
    visit(program, options, None, observer)
}

/// Visits reachable states of a program in the order of a guide, so that a violation like the guide's is
/// found soon. The run to it need not be a shortest one.
pub fn follow(
    program: &Program,
    options: &Options,
    guide: &Guide,
    observer: &mut dyn Observer,
) -> Exploration {
    visit(program, options, Some(guide), observer)
}

fn visit(
    program: &Program,
    options: &Options,
    guide: Option<&Guide>,
    observer: &mut dyn Observer,
) -> Exploration {
    let groups = match (guide, options.symmetry) {
        (None, Symmetry::On) => usable(program, options.model),
        (Some(_), _) | (None, Symmetry::Off) => Vec::new(),
    };
    let layout = match Layout::new(program, options.limits.cells, &groups) {
        Ok(layout) => layout,
        Err(cells) => return Exploration::refused(Early::Cells(cells)),
    };
    observer.notice(Progress::Phase("explore"));
    let order = match guide {
        Some(guide) => Order::Guided(Guided::new(program, &layout, guide)),
        None => Order::Breadth(0),
    };
    let mut explorer = Explorer::new(program, &layout, options, order, Canon::new(program, groups));
    let stop = explorer.search(observer);
    explorer.search.report(observer);
    let Search { states: ref visited, transitions, .. } = explorer.search;
    let (states, memory) = (visited.len() as u64, visited.memory() as u64);
    let overflowed = explorer.machine.overflows.iter();
    let overflows = overflowed.map(|&(id, range)| program.transition(id).ranges[range].span).collect();
    let undefined = explorer.search.undefined.map(|state| explorer.trace(state));
    let outcome = match explorer.search.violation {
        Some((assertion, state)) => Outcome::Violation(assertion, explorer.trace(state)),
        None => Outcome::Clean { marks: explorer.search.all_marks(), gaps: explorer.machine.gaps, stop },
    };
    Exploration { states, transitions, memory, overflows, undefined, outcome }
}

impl Exploration {
    fn refused(early: Early) -> Exploration {
        let outcome = Outcome::Clean { marks: BTreeSet::new(), gaps: BTreeSet::new(), stop: Some(early) };
        let (overflows, undefined) = (BTreeSet::new(), None);
        Exploration { states: 0, transitions: 0, memory: 0, overflows, undefined, outcome }
    }
}

struct Explorer<'a> {
    machine: Machine<'a>,
    search: Search<'a>,
    options: &'a Options,
    /// For each location: whether a thread there may move alone.
    local: Vec<bool>,
    /// Which threads may move instead of all.
    persistent: Option<Persistent<'a>>,
    /// In a cooperative program: how turns become single steps.
    turns: Option<Turns>,
    /// The threads whose steps from the state being expanded have been added, and those whose flushes have.
    stepped: Vec<bool>,
    flushed: Vec<bool>,
}

/// Which state is visited next.
enum Order<'a> {
    /// In the order of discovery; the number of the next one.
    Breadth(StateId),
    /// Along a guide.
    Guided(Guided<'a>),
}

impl Order<'_> {
    /// The next of so many states, if one is left.
    fn next(&mut self, states: u64) -> Option<StateId> {
        match self {
            Order::Breadth(next) if u64::from(*next) == states => None,
            Order::Breadth(next) => {
                *next += 1;
                Some(*next - 1)
            }
            Order::Guided(guided) => guided.next(),
        }
    }
}

/// What is known so far.
struct Search<'a> {
    program: &'a Program,
    layout: &'a Layout,
    canon: Canon,
    /// For each thread, the thread that numbers its states together with it.
    first: Vec<usize>,
    states: Visited,
    order: Order<'a>,
    /// The components of the state being expanded.
    key: Vec<u32>,
    /// The components of the successor being looked at.
    successor: Vec<u32>,
    bytes: Vec<u8>,
    transitions: u64,
    marks: BTreeSet<LocId>,
    violation: Option<(AssertionId, StateId)>,
    /// The first state with undefined behaviour.
    undefined: Option<StateId>,
    seen: Seen,
}

/// What was seen of the moves from the state being expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Seen {
    /// One of them leads to a state that is still to be expanded, in which everybody may move.
    leads_on: bool,
    /// One of them rests on a value that was chosen for a shared cell.
    narrows: bool,
}

impl<'a> Explorer<'a> {
    fn new(
        program: &'a Program,
        layout: &'a Layout,
        options: &'a Options,
        order: Order<'a>,
        canon: Canon,
    ) -> Explorer<'a> {
        let local = match options.reduction {
            Reduction::None => vec![false; program.locations.len()],
            Reduction::Static | Reduction::Persistent => {
                program.location_ids().map(|id| concerns_nobody(program, id)).collect()
            }
        };
        let sets = options.reduction == Reduction::Persistent && matches!(order, Order::Breadth(_));
        let persistent = (sets && program.policy.is_none()).then(|| Persistent::new(program, layout));
        let search = Search {
            program,
            layout,
            first: program.thread_ids().map(|thread| canon.first(thread).index()).collect(),
            canon,
            states: Visited::new(program.threads.len() + 2),
            order,
            key: Vec::new(),
            successor: Vec::new(),
            bytes: Vec::new(),
            transitions: 0,
            marks: BTreeSet::new(),
            violation: None,
            undefined: None,
            seen: Seen::default(),
        };
        let machine = Machine::new(program, layout, options);
        let turns = program.policy.map(|_| Turns::new(program, options.reduction));
        let (stepped, flushed) = (Vec::new(), Vec::new());
        Explorer { machine, search, options, local, persistent, turns, stepped, flushed }
    }

    /// Visits states until all are done, a violation is found, or a limit is reached.
    fn search(&mut self, observer: &mut dyn Observer) -> Option<Early> {
        let mut state = self.machine.initial();
        self.search.add_initial(&state);
        let mut reported = 0;
        for visited in 0u64.. {
            let states = self.search.states.len() as u64;
            if self.search.violation.is_some() {
                return None;
            }
            let next = self.search.order.next(states)?;
            if states > self.options.limits.states {
                return Some(Early::States(self.options.limits.states));
            }
            if visited == 0 || states - reported >= PERIOD || visited % PERIOD == 0 {
                reported = states;
                self.search.report(observer);
                if let Err(stop) = self.options.budget.check() {
                    return Some(Early::Budget(stop));
                }
            }
            self.search.load(next, &mut state);
            // A violation ends the enumeration early; the loop sees it.
            let _ = self.expand(next, &mut state);
        }
        unreachable!("there are fewer states than 64 bits can count")
    }

    /// Adds the successors of a state.
    fn expand(&mut self, id: StateId, state: &mut State) -> ControlFlow<()> {
        if state.locations.iter().any(|&location| self.machine.ends_run(location)) {
            return ControlFlow::Continue(());
        }
        if let Some(turns) = &self.turns {
            let Explorer { machine, search, .. } = self;
            return turns.expand(machine, state, &mut |moves, state| search.add(id, moves, state));
        }
        let movable = self.machine.movable(state);
        self.search.seen = Seen::default();
        for done in [&mut self.stepped, &mut self.flushed] {
            done.clear();
            done.resize(state.locations.len(), false);
        }
        if self.expand_alone(id, state, movable.clone())? || self.expand_set(id, state, movable.clone())? {
            return ControlFlow::Continue(());
        }
        for thread in movable.map(ThreadId::new) {
            self.expand_thread(id, state, thread)?;
        }
        ControlFlow::Continue(())
    }

    /// Adds the steps of the first thread that may move alone and can. Whether that is enough.
    fn expand_alone(
        &mut self,
        id: StateId,
        state: &mut State,
        movable: Range<usize>,
    ) -> ControlFlow<(), bool> {
        for thread in movable.map(ThreadId::new) {
            if !self.local[state.locations[thread.index()].index()] {
                continue;
            }
            let moves = self.search.transitions;
            self.expand_steps(id, state, thread)?;
            if self.search.transitions > moves {
                return ControlFlow::Continue(self.search.seen.leads_on);
            }
        }
        ControlFlow::Continue(false)
    }

    /// Adds the moves of the threads of a persistent set. Whether there is one that is enough.
    fn expand_set(&mut self, id: StateId, state: &mut State, movable: Range<usize>) -> ControlFlow<(), bool> {
        let Some(persistent) = &mut self.persistent else { return ControlFlow::Continue(false) };
        if movable.len() < 2 || movable.len() < state.locations.len() {
            return ControlFlow::Continue(false);
        }
        let is_twin = |thread| self.search.twin(thread).is_some();
        for set in persistent.sets(&mut self.machine, state, &is_twin).iter() {
            for &thread in set {
                self.expand_thread(id, state, thread)?;
            }
            if self.search.seen.leads_on && !self.search.seen.narrows {
                return ControlFlow::Continue(true);
            }
        }
        ControlFlow::Continue(false)
    }

    /// Adds all moves of a thread that have not been added.
    fn expand_thread(&mut self, id: StateId, state: &mut State, thread: ThreadId) -> ControlFlow<()> {
        self.expand_steps(id, state, thread)?;
        if std::mem::replace(&mut self.flushed[thread.index()], true)
            || self.search.twin(thread).is_some_and(|twin| self.flushed[twin.index()])
        {
            return ControlFlow::Continue(());
        }
        let Explorer { machine, search, .. } = self;
        machine.flushes_of(state, thread, &mut |taken, state| search.add_one(id, taken, state))
    }

    /// Adds the steps of a thread if they, or those of a twin, have not been added.
    fn expand_steps(&mut self, id: StateId, state: &mut State, thread: ThreadId) -> ControlFlow<()> {
        if std::mem::replace(&mut self.stepped[thread.index()], true)
            || self.search.twin(thread).is_some_and(|twin| self.stepped[twin.index()])
        {
            return ControlFlow::Continue(());
        }
        let Explorer { machine, search, .. } = self;
        machine.steps_of(state, thread, &mut |taken, state| search.add_one(id, taken, state))
    }

    /// The run that led to a state. Each move is found again by expanding the state before it.
    fn trace(&mut self, last: StateId) -> Trace {
        let mut path = vec![last];
        while let parent = self.search.states.parent(path[path.len() - 1])
            && parent != NO_PARENT
        {
            path.push(parent);
        }
        path.reverse();
        let mut state = self.machine.initial();
        let mut recorder = Recorder::new(self.search.program, self.search.layout);
        let mut seating = self.search.canon.seating();
        for pair in path.windows(2) {
            self.search.load(pair[0], &mut state);
            self.record_move(&mut state, pair[1], (&mut seating, &mut recorder));
        }
        recorder.finish()
    }

    /// Records the moves from a state to its successor.
    fn record_move(
        &mut self,
        state: &mut State,
        to: StateId,
        (seating, recorder): (&mut Seating, &mut Recorder<'_>),
    ) {
        let Explorer { machine, search, turns, .. } = self;
        let target = search.states.key(to).to_vec();
        let mut found = |moves: &[Taken<'_>], state: &State| {
            search.find_row(moves, state);
            let row = search.successor.clone();
            search.canon.sort(&mut search.successor);
            if search.successor != target {
                return ControlFlow::Continue(());
            }
            for taken in moves {
                search.canon.undone(search.layout, seating, taken, |taken| recorder.record(taken));
            }
            search.canon.reseat(&row, seating);
            ControlFlow::Break(())
        };
        if let Some(turns) = turns {
            let flow = turns.expand(machine, state, &mut found);
            assert!(flow.is_break(), "a state follows its parent");
            return;
        }
        let mut visit = |taken: &Taken<'_>, state: &State| found(std::slice::from_ref(taken), state);
        for thread in machine.movable(state).map(ThreadId::new) {
            if machine.steps_of(state, thread, &mut visit).is_break()
                || machine.flushes_of(state, thread, &mut visit).is_break()
            {
                return;
            }
        }
        unreachable!("a state follows its parent")
    }
}

impl Search<'_> {
    fn report(&self, observer: &mut dyn Observer) {
        observer.notice(Progress::Count("States", self.states.len() as u64));
        observer.notice(Progress::Count("Transitions", self.transitions));
    }

    /// Brings back a state and its components.
    fn load(&mut self, id: StateId, state: &mut State) {
        self.key.clear();
        self.key.extend_from_slice(self.states.key(id));
        for ((thread, &first), &number) in self.program.thread_ids().zip(&self.first).zip(&self.key) {
            state.unpack_thread(self.layout, thread, &self.states.components[first].get(number));
        }
        let (shared, scheduler) = (self.shared(), self.shared() + 1);
        state.unpack_shared(self.layout, &self.states.components[shared].get(self.key[shared]));
        state.unpack_scheduler(&self.states.components[scheduler].get(self.key[scheduler]));
    }

    /// The position of the shared cells among the components; the scheduler's state is the next one and the
    /// last.
    fn shared(&self) -> usize {
        self.program.threads.len()
    }

    fn add_initial(&mut self, state: &State) {
        self.key = vec![0; self.program.threads.len() + 2];
        for thread in self.program.thread_ids() {
            self.key[thread.index()] = self.thread_component(thread, state);
        }
        let shared = self.shared();
        self.key[shared] = self.shared_component(state);
        self.key[shared + 1] = self.scheduler_component(state);
        self.canon.sort(&mut self.key);
        let Added::New(id) = self.states.add(&self.key, NO_PARENT) else {
            unreachable!("the first state is new")
        };
        if let Order::Guided(guided) = &mut self.order {
            guided.begin(id);
        }
        for &location in &state.locations {
            self.note_mark(location, id);
        }
    }

    /// Adds the state after a move, unless it is known.
    fn add_one(&mut self, from: StateId, taken: &Taken<'_>, state: &State) -> ControlFlow<()> {
        self.add(from, std::slice::from_ref(taken), state)
    }

    /// Adds the state after moves of one thread, unless it is known.
    fn add(&mut self, from: StateId, moves: &[Taken<'_>], state: &State) -> ControlFlow<()> {
        self.transitions += 1;
        self.find_row(moves, state);
        self.canon.sort(&mut self.successor);
        let location = state.locations[mover(moves).index()];
        let added = self.states.add(&self.successor, from);
        if let Added::New(id) = added {
            if let Order::Guided(guided) = &mut self.order {
                guided.reached(id, from, moves);
            }
            self.note_mark(location, id);
        }
        self.seen.leads_on |= self.is_ahead(added) && !self.is_limited(location);
        let shared = self.layout.shared.end as u32;
        self.seen.narrows |= moves.iter().any(|taken| taken.choices.iter().any(|&(cell, _)| cell < shared));
        match self.violation {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }

    /// A thread whose moves from the state being expanded are those of a thread.
    fn twin(&self, thread: ThreadId) -> Option<ThreadId> {
        self.canon.twin(&self.key, thread)
    }

    /// Locations with marks that can be reached, by whomever.
    fn all_marks(&self) -> BTreeSet<LocId> {
        self.marks.iter().flat_map(|&location| self.canon.alike(location)).collect()
    }

    /// Whether a state is certainly still to be expanded.
    fn is_ahead(&self, added: Added) -> bool {
        match (added, &self.order) {
            (Added::New(_), _) => true,
            (Added::Known(id), Order::Breadth(next)) => id >= *next,
            (Added::Known(_), Order::Guided(_)) => false,
        }
    }

    /// Whether not everybody may move while a thread stands at a location.
    fn is_limited(&self, location: LocId) -> bool {
        let location = self.program.location(location);
        location.atomic || location.is_target()
    }

    /// Leaves the components of the state after moves of one thread in `successor`: those of the state
    /// before, except for what the moves can have changed.
    fn find_row(&mut self, moves: &[Taken<'_>], state: &State) {
        let (thread, shared) = (mover(moves), self.shared());
        self.successor.clone_from(&self.key);
        self.successor[thread.index()] = self.thread_component(thread, state);
        if moves.iter().any(|taken| taken.shared) {
            self.successor[shared] = self.shared_component(state);
        }
        for taken in moves {
            for at in 0..self.canon.touches(taken.action).len() {
                let touched = self.canon.touches(taken.action)[at];
                self.successor[touched.index()] = self.thread_component(touched, state);
            }
        }
        if self.program.policy.is_some() {
            self.successor[shared + 1] = self.scheduler_component(state);
        }
    }

    fn thread_component(&mut self, thread: ThreadId, state: &State) -> u32 {
        self.bytes.clear();
        state.pack_thread(self.layout, thread, &mut self.bytes);
        self.states.components[self.first[thread.index()]].intern(&self.bytes)
    }

    fn shared_component(&mut self, state: &State) -> u32 {
        self.bytes.clear();
        state.pack_shared(self.layout, &mut self.bytes);
        let shared = self.shared();
        self.states.components[shared].intern(&self.bytes)
    }

    fn scheduler_component(&mut self, state: &State) -> u32 {
        self.bytes.clear();
        state.pack_scheduler(&mut self.bytes);
        let scheduler = self.shared() + 1;
        self.states.components[scheduler].intern(&self.bytes)
    }

    /// Remembers that a marked location is reachable.
    fn note_mark(&mut self, location: LocId, state: StateId) {
        match &self.program.location(location).mark {
            Some(Mark::Error(assertion)) if self.violation.is_none() => {
                self.violation = Some((*assertion, state));
            }
            Some(mark @ (Mark::Undefined(_) | Mark::Cut(_))) => {
                self.marks.insert(location);
                if matches!(mark, Mark::Undefined(_)) {
                    self.undefined.get_or_insert(state);
                }
            }
            _ => {}
        }
    }
}

/// The one thread whose moves these are.
fn mover(moves: &[Taken<'_>]) -> ThreadId {
    moves.last().expect("a state is reached by a move").thread
}

/// Whether all steps from a location touch only the thread's own variables, and lead to places where the
/// others are neither stopped nor made pointless.
fn concerns_nobody(program: &Program, location: LocId) -> bool {
    let steps = program.outgoing(location);
    !steps.is_empty()
        && steps.iter().map(|&step| program.transition(step)).all(|step| {
            let to = program.location(step.to);
            program.is_local(step) && !to.atomic && matches!(to.mark, None | Some(Mark::End))
        })
}
