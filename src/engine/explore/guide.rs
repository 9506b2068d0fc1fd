//! The order of a search that follows a run of another version of the program.
//!
//! Engines work on a program in which much is composed, renamed or gone. What a run of it does to shared
//! memory is still there in the whole program, in the same order: a [`Guide`] is this list of landmarks, an
//! access or synchronisation of a thread at a place of the source, or a write that reaches memory. A state
//! remembers how many landmarks lie behind it. Those that left out fewest come first, among them those that
//! came furthest, among them those with the fewest moves that are no landmarks. There a move counts much
//! unless the next landmark is the thread's, or that of a thread which it may create. So a run that can be
//! followed is found almost without detours, and where it cannot, the search turns to runs that are like it.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::mem::{Discriminant, discriminant};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::{Action, Event, Lanes, Program, Span, ThreadId, TransId};
use crate::replay::{Cell, Done, Run};

use super::layout::Layout;
use super::machine::{Act, Taken};
use super::table::StateId;

/// What a move that is no landmark costs if nothing says that the next landmark needs it; otherwise it costs
/// one.
const FOREIGN: u32 = 100;

/// Something that can be recognised in another version of the program. Threads are named.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Landmark {
    Event(String, Span, Discriminant<Action>),
    Flush(String, String),
}

/// What a run does to shared memory, in order.
#[derive(Clone, Debug)]
pub struct Guide(Vec<Landmark>);

impl Guide {
    /// The landmarks of a run.
    pub fn new(program: &Program, run: &Run) -> Guide {
        let mut landmarks = Vec::new();
        for step in &run.steps {
            let thread = program.thread(step.thread).name.clone();
            match step.done {
                Done::Step(id) => landmarks.extend(events(thread, &program.transition(id).events)),
                Done::Schedule => {}
                Done::Flush { .. } => {
                    let writes = step
                        .writes
                        .iter()
                        .map(|write| place_name(program, (write.var, write.element), write.lanes));
                    landmarks.extend(writes.map(|place| Landmark::Flush(thread.clone(), place)));
                }
            }
        }
        Guide(landmarks)
    }
}

fn events(thread: String, events: &[Event]) -> impl Iterator<Item = Landmark> {
    let visible = events.iter().filter(|event| concerns_others(&event.action));
    visible.map(move |event| Landmark::Event(thread.clone(), event.span, discriminant(&event.action)))
}

/// The landmarks of a transition; none if it concerns its thread only.
fn landmarks(program: &Program, id: TransId) -> Vec<Landmark> {
    let transition = program.transition(id);
    match program.is_local(transition) {
        true => Vec::new(),
        false => events(program.thread(program.thread_of(id)).name.clone(), &transition.events).collect(),
    }
}

fn concerns_others(action: &Action) -> bool {
    match action {
        Action::Read(_) | Action::Write(_) | Action::Update(_) => true,
        Action::Lock(_) | Action::Unlock(_) | Action::Sync(_) => true,
        Action::Wait(_) | Action::Awake(_) | Action::Signal(..) => true,
        Action::Create(_) | Action::Join(_) | Action::Exit => true,
        Action::Compute | Action::Branch(_) | Action::Assume | Action::Assert(_) => false,
        Action::Fence | Action::Start | Action::Input(_) | Action::Order(_) => false,
    }
}

/// A place as any version of the program calls it: an element may be a variable of its own.
fn place_name(program: &Program, (var, element): Cell, lanes: Lanes) -> String {
    let name = &program.variable(var).name;
    let bytes = if lanes.is_all() { String::new() } else { format!("/{}", lanes.code()) };
    match element {
        Some(element) => format!("{name}[{element}]{bytes}"),
        None => format!("{name}{bytes}"),
    }
}

/// Where a state stands; the least is visited first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Rank {
    /// Landmarks left out.
    missed: u32,
    /// Landmarks behind it.
    passed: Reverse<u32>,
    /// Moves since the last landmark.
    idle: u32,
}

/// The states that wait, for one program.
#[derive(Debug)]
pub(super) struct Guided<'a> {
    program: &'a Program,
    layout: &'a Layout,
    /// The landmarks of the guide that the program has, numbered.
    numbers: FxHashMap<Landmark, usize>,
    /// By number: where the landmark is in the guide, ascending.
    positions: Vec<Vec<u32>>,
    /// By position: whose the landmark is.
    threads: Vec<ThreadId>,
    /// For each thread, itself and what may create it, directly or not.
    makers: Vec<BTreeSet<ThreadId>>,
    /// The landmarks of each transition.
    transitions: Vec<Vec<usize>>,
    ranks: Vec<Rank>,
    waiting: BinaryHeap<Reverse<(Rank, StateId)>>,
}

impl<'a> Guided<'a> {
    /// Nothing waits; landmarks that the program does not have are left out.
    pub fn new(program: &'a Program, layout: &'a Layout, guide: &Guide) -> Guided<'a> {
        let visible: Vec<Vec<Landmark>> = program.transition_ids().map(|id| landmarks(program, id)).collect();
        let known: FxHashSet<&Landmark> = visible.iter().flatten().collect();
        let named: FxHashMap<&str, ThreadId> =
            program.thread_ids().map(|id| (program.thread(id).name.as_str(), id)).collect();
        let mut numbers = FxHashMap::default();
        let mut positions: Vec<Vec<u32>> = Vec::new();
        let mut threads = Vec::new();
        for landmark in &guide.0 {
            let (Landmark::Event(thread, ..) | Landmark::Flush(thread, _)) = landmark;
            let Some(&thread) = named.get(thread.as_str()) else { continue };
            if known.contains(landmark) || matches!(landmark, Landmark::Flush(..)) {
                let number = *numbers.entry(landmark.clone()).or_insert(positions.len());
                positions.resize(positions.len().max(number + 1), Vec::new());
                positions[number].push(threads.len() as u32);
                threads.push(thread);
            }
        }
        let numbered =
            |own: &Vec<Landmark>| own.iter().filter_map(|mark| numbers.get(mark).copied()).collect();
        let transitions = visible.iter().map(numbered).collect();
        let (makers, ranks, waiting) = (makers(program), Vec::new(), BinaryHeap::new());
        Guided { program, layout, numbers, positions, threads, makers, transitions, ranks, waiting }
    }

    /// The state to visit next.
    pub fn next(&mut self) -> Option<StateId> {
        self.waiting.pop().map(|Reverse((_, state))| state)
    }

    /// Adds the initial state.
    pub fn begin(&mut self, state: StateId) {
        self.add(state, Rank::default());
    }

    /// Adds a new state, reached by some moves from another.
    pub fn reached(&mut self, state: StateId, from: StateId, moves: &[Taken<'_>]) {
        let rank = moves.iter().fold(self.ranks[from as usize], |rank, taken| self.after(rank, taken));
        self.add(state, rank);
    }

    /// Where a state stands after a move.
    fn after(&self, mut rank: Rank, taken: &Taken<'_>) -> Rank {
        let before = rank.passed;
        match taken.action {
            Act::Step(transition) => {
                for &number in &self.transitions[transition.index()] {
                    self.pass(&mut rank, number);
                }
            }
            Act::Flush(cell, lanes) => {
                let thread = self.program.thread(taken.thread).name.clone();
                let place = place_name(self.program, self.layout.place_of(cell), lanes);
                if let Some(&number) = self.numbers.get(&Landmark::Flush(thread, place)) {
                    self.pass(&mut rank, number);
                }
            }
            Act::Schedule(_) => return rank,
        }
        let next = self.threads.get(before.0 as usize);
        let helps = next.is_some_and(|next| self.makers[next.index()].contains(&taken.thread));
        rank.idle = match rank.passed == before {
            true if helps => rank.idle + 1,
            true => rank.idle + FOREIGN,
            false => 0,
        };
        rank
    }

    /// Notes that a landmark is passed, if it is still to come; those before it are missed.
    fn pass(&self, rank: &mut Rank, number: usize) {
        let positions = &self.positions[number];
        let at = positions.partition_point(|&position| position < rank.passed.0);
        if let Some(&position) = positions.get(at) {
            rank.missed += position - rank.passed.0;
            rank.passed = Reverse(position + 1);
        }
    }

    fn add(&mut self, state: StateId, rank: Rank) {
        debug_assert_eq!(self.ranks.len(), state as usize, "states come in the order of their numbers");
        self.ranks.push(rank);
        self.waiting.push(Reverse((rank, state)));
    }
}

fn makers(program: &Program) -> Vec<BTreeSet<ThreadId>> {
    let mut creators = vec![Vec::new(); program.threads.len()];
    for id in program.transition_ids() {
        for event in &program.transition(id).events {
            if let Action::Create(created) = event.action {
                creators[created.index()].push(program.thread_of(id));
            }
        }
    }
    let makers = |thread: ThreadId| {
        let mut found = BTreeSet::new();
        let mut pending = vec![thread];
        while let Some(next) = pending.pop() {
            if found.insert(next) {
                pending.extend(&creators[next.index()]);
            }
        }
        found
    };
    program.thread_ids().map(makers).collect()
}
