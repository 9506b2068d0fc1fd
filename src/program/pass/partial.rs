//! Stores of some bytes of a shared scalar end the run: for memory models with store buffers.
//!
//! The front end makes one cell of bytes that are accessed at several widths, and a narrow store a step that reads the cell and writes it whole.
//! Where stores take effect at once that is what the store does. In a store buffer it would be a whole cell, made of neighbours that
//! other threads may have changed by the time it reaches memory, and it would never be overtaken by stores to other bytes of the cell. So
//! such a store leads to a [`Mark::Cut`], and no answer depends on what would come after it.
//!
//! Nothing is lost where only one thread uses the cell, where memory is accessed directly ([`Barrier::Full`]), and in `main` before it creates a
//! thread: no other store goes on then, and creation empties the buffer.
//!
//! No pass of the list, since it changes what is reachable. It wants a program before the passes: there a step that stores a value made
//! of the variable it stores to is such a store or has a full barrier (see granularity in `program/mod.rs`).

use std::collections::BTreeSet;

use super::super::{Action, Barrier, LocId, Location, Mark, Place, Program, ThreadId, TransId, Transition};
use super::access::Mentions;
use crate::term::VarId;

/// The program in which stores of some bytes of a shared scalar are the ends of runs.
pub fn without_partial_stores(mut program: Program) -> Program {
    let partial: Vec<(TransId, VarId)> = program
        .transition_ids()
        .filter_map(|id| Some((id, partial_store(&program, program.transition(id))?.var)))
        .collect();
    if partial.is_empty() {
        return program;
    }
    let accompanied = accompanied(&program);
    let several = used_by_several(&program, &accompanied);
    for (id, var) in partial {
        if several.contains(&var) && accompanied.contains(&program.transition(id).from) {
            cut(&mut program, id, var);
        }
    }
    program.reindex();
    program
}

/// The shared place that a transition stores some bytes of by way of a store buffer.
fn partial_store(program: &Program, transition: &Transition) -> Option<Place> {
    let reads_itself = |place: &Place, value| {
        program.is_shared(place.var) && program.terms.vars(value).into_iter().any(|var| var == place.var)
    };
    let mut updates = transition.updates.iter().filter(|_| transition.barrier != Barrier::Full);
    updates.find(|update| reads_itself(&update.place, update.value)).map(|update| update.place)
}

/// The locations at which a thread may stand while there are others: all but those of `main` before it creates one.
fn accompanied(program: &Program) -> BTreeSet<LocId> {
    let main = ThreadId::new(0);
    let creates = |transition: &&Transition| {
        transition.events.iter().any(|event| matches!(event.action, Action::Create(_)))
    };
    let mut stack: Vec<LocId> = program.transitions.iter().filter(creates).map(|step| step.to).collect();
    stack.extend(program.location_ids().filter(|&at| program.location(at).thread != main));
    let mut found = BTreeSet::new();
    while let Some(at) = stack.pop() {
        if found.insert(at) {
            stack.extend(program.outgoing(at).iter().map(|&id| program.transition(id).to));
        }
    }
    found
}

/// The variables that more than one thread uses, what `main` does alone left out.
fn used_by_several(program: &Program, accompanied: &BTreeSet<LocId>) -> BTreeSet<VarId> {
    let mut mentions = Mentions::default();
    let mut uses = BTreeSet::new();
    for transition in program.transitions.iter().filter(|step| accompanied.contains(&step.from)) {
        let thread = program.location(transition.from).thread;
        let written = transition.updates.iter().map(|update| update.place.var);
        let used = mentions.reads(&program.terms, transition).into_iter().chain(written);
        uses.extend(used.map(|var| (var, thread)));
    }
    let next = uses.iter().skip(1);
    uses.iter().zip(next).filter(|(one, other)| one.0 == other.0).map(|(one, _)| one.0).collect()
}

/// Makes a store the end of the run.
fn cut(program: &mut Program, id: TransId, var: VarId) {
    let from = program.location(program.transition(id).from).clone();
    let events = &program.transition(id).events;
    let span = events.last().map_or(from.span, |event| event.span);
    let name = &program.variable(var).name;
    let text = format!(
        "a store to some bytes of `{name}`, which other threads use too, is followed under sequential consistency alone"
    );
    let mark = Some(Mark::Cut(text));
    program.locations.push(Location { atomic: false, mark, span, begins: None, ..from });
    let end = LocId::new(program.locations.len() - 1);
    let transition = &mut program.transitions[id.index()];
    transition.to = end;
    transition.updates.clear();
    transition.events.iter_mut().for_each(|event| event.action = Action::Compute);
}
