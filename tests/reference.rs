//! A slow, plain explorer: what the fast one is compared with.
//!
//! States are ordinary values in an ordered set, terms are evaluated directly, inputs and initial values are
//! enumerated eagerly. Store buffers are written down a second time, in the textbook way: one queue for TSO; for
//! PSO a queue for each place, with writes numbered by the store-store barriers before them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use regrain::program::{Barrier, Init, LocId, Mark, MemoryModel, Program, Role, ThreadId, Transition};
use regrain::term::{Datum, Sort, VarId};

type Place = (VarId, usize);

/// A store buffer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Buffer {
    Tso(VecDeque<(Place, i128)>),
    /// Queues of numbered writes, and the number of the next one.
    Pso(BTreeMap<Place, VecDeque<(usize, i128)>>, usize),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    locations: Vec<LocId>,
    memory: Vec<Vec<i128>>,
    buffers: Vec<Buffer>,
}

/// What the reference finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Reachable states; of those in which a run has ended, too.
    pub states: u64,
    /// Length of the shortest run that violates an assertion.
    pub violation: Option<usize>,
    /// Reachable locations marked undefined or cut.
    pub marks: BTreeSet<LocId>,
    /// Whether a buffer was full.
    pub full: bool,
}

/// All reachable states of a program, or `None` if there are more than `limit`.
pub fn reference(program: &Program, model: MemoryModel, buffer: usize, limit: usize) -> Option<Found> {
    let mut found = Found::default();
    let mut layer = initial_states(program, model);
    if layer.len() > limit {
        return None;
    }
    let mut seen = layer.clone();
    for depth in 0.. {
        for state in &layer {
            note_marks(program, state, depth, &mut found);
        }
        if layer.is_empty() {
            break;
        }
        let mut next = BTreeSet::new();
        for state in &layer {
            for successor in successors(program, model, buffer, state, &mut found.full) {
                if seen.insert(successor.clone()) {
                    next.insert(successor);
                }
            }
            if seen.len() > limit {
                return None;
            }
        }
        layer = next;
    }
    found.states = seen.len() as u64;
    Some(found)
}

fn initial_states(program: &Program, model: MemoryModel) -> BTreeSet<State> {
    let empty = match model {
        MemoryModel::Sc | MemoryModel::Tso => Buffer::Tso(VecDeque::new()),
        MemoryModel::Pso => Buffer::Pso(BTreeMap::new(), 0),
    };
    let start = State {
        locations: program.threads.iter().map(|thread| thread.entry).collect(),
        memory: Vec::new(),
        buffers: vec![empty; program.threads.len()],
    };
    let mut states = vec![start];
    for variable in &program.variables {
        let choices = match (&variable.init, variable.role) {
            (_, Role::Input) => vec![vec![0]],
            (Init::Value(value), _) => vec![numbers(value)],
            (Init::Any, _) => all_values(variable.sort),
        };
        states = states
            .iter()
            .flat_map(|state| {
                choices.iter().map(|choice| {
                    let mut state = state.clone();
                    state.memory.push(choice.clone());
                    state
                })
            })
            .collect();
    }
    states.into_iter().collect()
}

fn numbers(value: &Datum) -> Vec<i128> {
    match value {
        Datum::Bool(value) => vec![i128::from(*value)],
        Datum::Word(value) => vec![*value],
        Datum::Array(values) => values.to_vec(),
    }
}

fn all_values(sort: Sort) -> Vec<Vec<i128>> {
    let (len, range) = match sort {
        Sort::Bool => (1, 0..=1),
        Sort::Word(word) => (1, word.min()..=word.max()),
        Sort::Array(array) => (array.len, array.elem.min()..=array.elem.max()),
    };
    (0..len).fold(vec![Vec::new()], |lists, _| {
        lists.iter().flat_map(|list| range.clone().map(move |value| [&list[..], &[value]].concat())).collect()
    })
}

fn note_marks(program: &Program, state: &State, depth: usize, found: &mut Found) {
    for &location in &state.locations {
        match program.location(location).mark {
            Some(Mark::Error(_)) => found.violation = found.violation.or(Some(depth)),
            Some(Mark::Undefined(_) | Mark::Cut(_)) => {
                found.marks.insert(location);
            }
            Some(Mark::End) | None => {}
        }
    }
}

fn successors(
    program: &Program,
    model: MemoryModel,
    limit: usize,
    state: &State,
    full: &mut bool,
) -> Vec<State> {
    let over = |location: &LocId| !matches!(program.location(*location).mark, None | Some(Mark::End));
    if state.locations.iter().any(over) {
        return Vec::new();
    }
    let mut result = Vec::new();
    for thread in program.thread_ids() {
        let excluded = program
            .thread_ids()
            .any(|other| other != thread && program.location(state.locations[other.index()]).atomic);
        if excluded {
            continue;
        }
        for &id in program.outgoing(state.locations[thread.index()]) {
            for inputs in input_values(program, program.transition(id)) {
                let next = step(program, model, state, thread, program.transition(id), &inputs);
                match next {
                    Some(next) if next.buffers[thread.index()].len() > limit => *full = true,
                    Some(next) => result.push(next),
                    None => {}
                }
            }
        }
        for place in state.buffers[thread.index()].flushable() {
            let mut next = state.clone();
            let value = next.buffers[thread.index()].flush(place);
            next.memory[place.0.index()][place.1] = value;
            result.push(next);
        }
    }
    result
}

/// All combinations of values of the inputs in a transition.
fn input_values(program: &Program, transition: &Transition) -> Vec<BTreeMap<VarId, Vec<i128>>> {
    let vars: BTreeSet<VarId> = transition.terms().flat_map(|term| program.terms.vars(term)).collect();
    let mut combinations = vec![BTreeMap::new()];
    for var in vars.into_iter().filter(|&var| program.variable(var).role == Role::Input) {
        combinations = combinations
            .iter()
            .flat_map(|map| {
                all_values(program.variable(var).sort).into_iter().map(move |value| {
                    let mut map = map.clone();
                    map.insert(var, value);
                    map
                })
            })
            .collect();
    }
    combinations
}

fn step(
    program: &Program,
    model: MemoryModel,
    state: &State,
    thread: ThreadId,
    transition: &Transition,
    inputs: &BTreeMap<VarId, Vec<i128>>,
) -> Option<State> {
    let t = thread.index();
    if transition.barrier == Barrier::Full && state.buffers[t].len() > 0 {
        return None;
    }
    let value = |var: VarId| {
        let memory = inputs.get(&var).unwrap_or(&state.memory[var.index()]);
        let seen = |i: usize| state.buffers[t].youngest((var, i)).unwrap_or(memory[i]);
        match program.variable(var).sort {
            Sort::Bool => Datum::Bool(seen(0) != 0),
            Sort::Word(_) => Datum::Word(seen(0)),
            Sort::Array(array) => Datum::Array((0..array.len as usize).map(seen).collect()),
        }
    };
    if program.terms.eval(transition.guard, &value) != Datum::Bool(true) {
        return None;
    }
    let mut next = state.clone();
    next.locations[t] = transition.to;
    if transition.barrier == Barrier::StoreStore {
        next.buffers[t].barrier();
    }
    for update in &transition.updates {
        let var = update.place.var;
        let index = update.place.index.map(|index| program.terms.eval(index, &value).word());
        let first = index.unwrap_or(0);
        let values = numbers(&program.terms.eval(update.value, &value));
        for (i, &value) in (first as usize..).zip(&values) {
            let shared = program.variable(var).role == Role::Shared;
            if model != MemoryModel::Sc && transition.barrier != Barrier::Full && shared {
                next.buffers[t].push((var, i), value);
            } else {
                next.memory[var.index()][i] = value;
            }
        }
    }
    Some(next)
}

impl Buffer {
    fn len(&self) -> usize {
        match self {
            Buffer::Tso(queue) => queue.len(),
            Buffer::Pso(queues, _) => queues.values().map(VecDeque::len).sum(),
        }
    }

    fn youngest(&self, place: Place) -> Option<i128> {
        match self {
            Buffer::Tso(queue) => queue.iter().rev().find(|(at, _)| *at == place).map(|(_, value)| *value),
            Buffer::Pso(queues, _) => queues.get(&place)?.back().map(|(_, value)| *value),
        }
    }

    fn push(&mut self, place: Place, value: i128) {
        match self {
            Buffer::Tso(queue) => queue.push_back((place, value)),
            Buffer::Pso(queues, now) => queues.entry(place).or_default().push_back((*now, value)),
        }
    }

    fn barrier(&mut self) {
        if let Buffer::Pso(queues, now) = self
            && queues.values().flatten().any(|(number, _)| number == now)
        {
            *now += 1;
        }
    }

    fn flushable(&self) -> Vec<Place> {
        match self {
            Buffer::Tso(queue) => queue.front().map(|(place, _)| *place).into_iter().collect(),
            Buffer::Pso(queues, _) => {
                let oldest = queues.values().flatten().map(|(number, _)| *number).min();
                let ready =
                    |queue: &VecDeque<(usize, i128)>| queue.front().map(|(number, _)| *number) == oldest;
                queues.iter().filter(|(_, queue)| ready(queue)).map(|(place, _)| *place).collect()
            }
        }
    }

    fn flush(&mut self, place: Place) -> i128 {
        match self {
            Buffer::Tso(queue) => queue.pop_front().expect("not empty").1,
            Buffer::Pso(queues, now) => {
                let queue = queues.get_mut(&place).expect("buffered");
                let (_, value) = queue.pop_front().expect("not empty");
                if queue.is_empty() {
                    queues.remove(&place);
                }
                // Numbers count from the oldest write, so that equal futures are equal values.
                let oldest = queues.values().flatten().map(|(number, _)| *number).min().unwrap_or(*now);
                queues.values_mut().flatten().for_each(|(number, _)| *number -= oldest);
                *now -= oldest;
                value
            }
        }
    }
}
