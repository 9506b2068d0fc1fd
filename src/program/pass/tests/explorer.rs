//! A naive explorer: which marks a small program reaches, straight from the definition of programs and memory
//! models.

use std::collections::BTreeSet;

use crate::program::{Barrier, Init, LocId, Mark, MemoryModel, Program, Role, Transition, Update};
use crate::term::{Datum, Sort, VarId};

/// Programs with more states are skipped.
const MAX_STATES: usize = 30_000;
/// Programs that buffer more writes in one thread are skipped.
const MAX_BUFFER: usize = 5;

/// A scalar, or an element of an array.
type Cell = (VarId, Option<usize>);

/// Writes on their way to memory, oldest group first. Writes of one group are not separated by a store-store
/// barrier.
type Buffer = Vec<Vec<(Cell, Datum)>>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    locations: Vec<LocId>,
    memory: Vec<Datum>,
    buffers: Vec<Buffer>,
}

/// The texts of the marks that some run reaches; `None` if there are too many states.
pub fn reachable_marks(program: &Program, model: MemoryModel) -> Option<BTreeSet<String>> {
    let mut seen = BTreeSet::new();
    let mut pending = initial_states(program);
    let mut marks = BTreeSet::new();
    while let Some(state) = pending.pop() {
        if seen.contains(&state) {
            continue;
        }
        let ended: Vec<String> = state.locations.iter().filter_map(|&id| mark_text(program, id)).collect();
        if ended.is_empty() {
            successors(program, model, &state, &mut pending)?;
        }
        marks.extend(ended);
        seen.insert(state);
        if seen.len() > MAX_STATES {
            return None;
        }
    }
    Some(marks)
}

fn mark_text(program: &Program, location: LocId) -> Option<String> {
    match &program.location(location).mark {
        Some(Mark::Error(assertion)) => Some(format!("error {}", assertion.index())),
        Some(Mark::Undefined(text)) => Some(format!("undefined {text}")),
        Some(Mark::Cut(text)) => Some(format!("cut {text}")),
        Some(Mark::End) | None => None,
    }
}

fn domain(sort: Sort) -> Vec<Datum> {
    match sort {
        Sort::Bool => vec![Datum::Bool(false), Datum::Bool(true)],
        Sort::Word(word) => {
            assert!(word.bits() <= 3, "inputs of tests are small");
            (word.min()..=word.max()).map(Datum::Word).collect()
        }
        Sort::Array(_) => panic!("inputs of tests are scalars"),
    }
}

fn initial_states(program: &Program) -> Vec<State> {
    let mut memories = vec![Vec::new()];
    for variable in &program.variables {
        let values = match &variable.init {
            _ if variable.role == Role::Input => vec![Datum::zero(variable.sort)],
            Init::Value(value) => vec![value.clone()],
            Init::Any => domain(variable.sort),
        };
        memories = memories
            .into_iter()
            .flat_map(|memory: Vec<Datum>| {
                values.iter().map(move |value| [&memory[..], std::slice::from_ref(value)].concat())
            })
            .collect();
    }
    let locations: Vec<LocId> = program.threads.iter().map(|thread| thread.entry).collect();
    let buffers = vec![Buffer::new(); program.threads.len()];
    memories
        .into_iter()
        .map(|memory| State { locations: locations.clone(), memory, buffers: buffers.clone() })
        .collect()
}

fn successors(program: &Program, model: MemoryModel, state: &State, out: &mut Vec<State>) -> Option<()> {
    let inside: Vec<usize> =
        (0..state.locations.len()).filter(|&t| program.location(state.locations[t]).atomic).collect();
    for thread in 0..state.locations.len() {
        if inside.iter().any(|&other| other != thread) {
            continue;
        }
        for at in flushable(&state.buffers[thread], model) {
            let mut next = state.clone();
            let (cell, value) = next.buffers[thread][0].remove(at);
            drop_flushed(&mut next.buffers[thread]);
            store(&mut next.memory, cell, value);
            out.push(next);
        }
        for &id in program.outgoing(state.locations[thread]) {
            let transition = program.transition(id);
            if transition.barrier == Barrier::Full && !state.buffers[thread].is_empty() {
                continue;
            }
            for view in views(program, transition, state, thread) {
                out.extend(fire(program, model, state, thread, transition, &view)?);
            }
        }
    }
    Some(())
}

/// Groups that have reached memory go; a barrier without writes before it means nothing.
fn drop_flushed(buffer: &mut Buffer) {
    while buffer.first().is_some_and(Vec::is_empty) {
        buffer.remove(0);
    }
}

fn flushable(buffer: &Buffer, model: MemoryModel) -> Vec<usize> {
    let Some(group) = buffer.first() else { return Vec::new() };
    match model {
        MemoryModel::Pso => {
            (0..group.len()).filter(|&i| group[..i].iter().all(|(cell, _)| *cell != group[i].0)).collect()
        }
        MemoryModel::Sc | MemoryModel::Tso => vec![0],
    }
}

fn store(memory: &mut [Datum], (var, element): Cell, value: Datum) {
    match element {
        None => memory[var.index()] = value,
        Some(element) => {
            let Datum::Array(elements) = &memory[var.index()] else { panic!("an element of a scalar") };
            let mut elements = elements.to_vec();
            elements[element] = value.word();
            memory[var.index()] = Datum::Array(elements.into());
        }
    }
}

/// What a thread sees: its buffer over memory, with every choice of the inputs of a transition.
fn views(program: &Program, transition: &Transition, state: &State, thread: usize) -> Vec<Vec<Datum>> {
    let mut memory = state.memory.clone();
    for (cell, value) in state.buffers[thread].iter().flatten() {
        store(&mut memory, *cell, value.clone());
    }
    let mut inputs: Vec<VarId> = transition.terms().flat_map(|term| program.terms.vars(term)).collect();
    inputs.retain(|&var| program.variable(var).role == Role::Input);
    inputs.sort_unstable();
    inputs.dedup();
    let mut views = vec![memory];
    for input in inputs {
        let values = domain(program.variable(input).sort);
        views = views
            .into_iter()
            .flat_map(|view| {
                values.iter().map(move |value| {
                    let mut view = view.clone();
                    view[input.index()] = value.clone();
                    view
                })
            })
            .collect();
    }
    views
}

/// The state after a transition; `Some(None)` if its guard does not hold, `None` if the buffer is too long.
fn fire(
    program: &Program,
    model: MemoryModel,
    state: &State,
    thread: usize,
    transition: &Transition,
    view: &[Datum],
) -> Option<Option<State>> {
    let valuation = |var: VarId| view[var.index()].clone();
    if !program.terms.eval(transition.guard, &valuation).truth() {
        return Some(None);
    }
    let mut next = state.clone();
    next.locations[thread] = transition.to;
    if transition.barrier == Barrier::StoreStore
        && next.buffers[thread].last().is_some_and(|group| !group.is_empty())
    {
        next.buffers[thread].push(Vec::new());
    }
    for Update { place, value, .. } in &transition.updates {
        let value = program.terms.eval(*value, &valuation);
        let cell =
            (place.var, place.index.map(|index| program.terms.eval(index, &valuation).word() as usize));
        let buffered =
            model != MemoryModel::Sc && transition.barrier != Barrier::Full && program.is_shared(place.var);
        for (cell, value) in each_cell(cell, value, buffered) {
            match buffered {
                true => buffer(&mut next.buffers[thread], cell, value),
                false => store(&mut next.memory, cell, value),
            }
        }
    }
    (next.buffers[thread].iter().map(Vec::len).sum::<usize>() <= MAX_BUFFER).then_some(Some(next))
}

/// A write to a whole array is buffered as a write to each element.
fn each_cell(cell: Cell, value: Datum, buffered: bool) -> Vec<(Cell, Datum)> {
    match &value {
        Datum::Array(elements) if buffered => {
            elements.iter().enumerate().map(|(i, value)| ((cell.0, Some(i)), Datum::Word(*value))).collect()
        }
        _ => vec![(cell, value)],
    }
}

fn buffer(buffer: &mut Buffer, cell: Cell, value: Datum) {
    match buffer.last_mut() {
        Some(group) => group.push((cell, value)),
        None => buffer.push(vec![(cell, value)]),
    }
}
