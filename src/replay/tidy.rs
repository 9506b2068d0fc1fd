//! Makes a violating run easier to read without changing what happens in it.
//!
//! A run found by search contains moves that the violation does not need, and switches threads more often
//! than it must. [`tidy`] keeps only what the last move depends on: its thread's earlier moves, the writes
//! that it reads, and so on backwards. Then it orders these moves so that a thread goes on as long as nothing
//! it does has to wait for another: moves of different threads may change places unless one writes a place in
//! memory that the other reads or writes. An atomic section stays in one piece. What comes out is a run,
//! which is checked, to the same violation.
//!
//! In a cooperative program every move depends on the scheduler's decisions before it, so its runs stay as
//! they are.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::program::{MemoryModel, Move, Program, ThreadId, Trace};

use super::interpret::run;
use super::run::{Cell, Run, Source};

/// The same violation with no more moves and, usually, fewer switches between threads.
///
/// A trace that is not a run, or violates nothing, is returned as it is.
pub fn tidy(program: &Program, model: MemoryModel, trace: &Trace) -> Trace {
    if program.policy.is_some() {
        return trace.clone();
    }
    let Ok(original) = run(program, model, trace) else { return trace.clone() };
    let Some(violated) = original.violation(program) else { return trace.clone() };
    let blocks = blocks(program, &original);
    let needed = needed(&original, &blocks);
    let order = reorder(&needed);
    let moves: Vec<Move> = order
        .into_iter()
        .flat_map(|block| trace.moves[needed[block].moves.clone()].iter().cloned())
        .collect();
    let tidied = Trace { initial: trace.initial.clone(), moves };
    match run(program, model, &tidied) {
        Ok(run) if run.violation(program) == Some(violated) => tidied,
        _ => trace.clone(),
    }
}

/// Moves that stay together: one, or an atomic section of one thread.
#[derive(Clone, Debug)]
struct Block {
    thread: ThreadId,
    moves: Range<usize>,
    /// Places of memory, in the order of the moves.
    accesses: Vec<(Access, Cell)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    Read,
    Write,
}

fn blocks(program: &Program, run: &Run) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (i, step) in run.steps.iter().enumerate() {
        let reads = step.reads.iter().filter(|read| !matches!(read.source, Source::Buffer(_)));
        let writes = step.writes.iter().filter(|write| !write.buffered);
        let accesses = reads
            .map(|read| (Access::Read, (read.var, read.element)))
            .chain(writes.map(|write| (Access::Write, (write.var, write.element))));
        let before = run.states[i].locations[step.thread.index()];
        match blocks.last_mut() {
            Some(block) if block.thread == step.thread && program.location(before).atomic => {
                block.moves.end = i + 1;
                block.accesses.extend(accesses);
            }
            _ => blocks.push(Block { thread: step.thread, moves: i..i + 1, accesses: accesses.collect() }),
        }
    }
    blocks
}

/// The blocks that the last one depends on, in their old order.
fn needed(run: &Run, blocks: &[Block]) -> Vec<Block> {
    let mut previous: Vec<Option<usize>> = vec![None; run.last().locations.len()];
    let mut writer: BTreeMap<Cell, usize> = BTreeMap::new();
    let mut causes: Vec<Vec<usize>> = Vec::new();
    for (i, block) in blocks.iter().enumerate() {
        let mut own: Vec<usize> = previous[block.thread.index()].replace(i).into_iter().collect();
        for (access, place) in &block.accesses {
            match access {
                Access::Read => own.extend(writer.get(place)),
                Access::Write => {
                    writer.insert(*place, i);
                }
            }
        }
        causes.push(own);
    }
    let mut keep = vec![false; blocks.len()];
    let mut pending: Vec<usize> = blocks.len().checked_sub(1).into_iter().collect();
    while let Some(i) = pending.pop() {
        if !std::mem::replace(&mut keep[i], true) {
            pending.extend(&causes[i]);
        }
    }
    blocks.iter().zip(keep).filter(|(_, keep)| *keep).map(|(block, _)| block.clone()).collect()
}

/// An order of the blocks that respects their conflicts and stays with one thread while it can.
fn reorder(blocks: &[Block]) -> Vec<usize> {
    let mut waits = vec![0usize; blocks.len()];
    let mut releases = vec![Vec::new(); blocks.len()];
    for (i, before) in conflicts(blocks).into_iter().enumerate() {
        waits[i] = before.len();
        before.into_iter().for_each(|j| releases[j].push(i));
    }
    let mut order: Vec<usize> = Vec::new();
    let mut done = vec![false; blocks.len()];
    while order.len() < blocks.len() {
        let current = order.last().map(|&last| blocks[last].thread);
        let ready = || (0..blocks.len()).filter(|&i| !done[i] && waits[i] == 0);
        let next = ready().find(|&i| Some(blocks[i].thread) == current).or_else(|| ready().next());
        let next = next.expect("conflicts follow the old order, so something is ready");
        done[next] = true;
        order.push(next);
        releases[next].iter().for_each(|&i| waits[i] -= 1);
    }
    order
}

/// For each block the earlier blocks that must stay before it.
fn conflicts(blocks: &[Block]) -> Vec<Vec<usize>> {
    let mut previous: BTreeMap<ThreadId, usize> = BTreeMap::new();
    let mut writer: BTreeMap<Cell, usize> = BTreeMap::new();
    let mut readers: BTreeMap<Cell, Vec<usize>> = BTreeMap::new();
    let mut conflicts = Vec::new();
    for (i, block) in blocks.iter().enumerate() {
        let mut before: Vec<usize> = previous.insert(block.thread, i).into_iter().collect();
        for (access, place) in &block.accesses {
            before.extend(writer.get(place));
            match access {
                Access::Read => readers.entry(*place).or_default().push(i),
                Access::Write => {
                    before.extend(readers.remove(place).into_iter().flatten());
                    writer.insert(*place, i);
                }
            }
        }
        before.sort_unstable();
        before.dedup();
        before.retain(|&j| j != i);
        conflicts.push(before);
    }
    conflicts
}

#[cfg(test)]
mod tests {
    use crate::program::{
        Assertion, Barrier, Init, LocId, Mark, Origin, Place, ProgramBuilder, Role, Sources, Span, TransId,
        Transition, Update, Variable,
    };
    use crate::term::{Datum, Sort, Word};

    use super::*;

    const INT: Word = Word::signed(32);

    /// Three threads: `x = 1; x = 2`, then `y = 1; y = 2`, then `assert(x != 2)`.
    fn three() -> (Program, [TransId; 5]) {
        let mut builder = ProgramBuilder::new(Sources::default());
        let [x, y] = ["x", "y"].map(|name| {
            let init = Init::Value(Datum::Word(0));
            let sort = Sort::Word(INT);
            builder.variable(Variable {
                name: name.to_owned(),
                sort,
                role: Role::Shared,
                init,
                origin: Origin::User,
            })
        });
        let always = builder.terms().bool(true);
        let mut ids = Vec::new();
        for var in [x, y] {
            let thread = builder.thread("writer", Span::NONE);
            let mut from = builder.program().thread(thread).entry;
            for value in [1, 2] {
                let to: LocId = builder.location(thread, Span::NONE);
                let value = builder.terms().constant(value, INT);
                let updates = vec![Update::whole(Place { var, index: None }, value)];
                let (barrier, events) = (Barrier::None, Vec::new());
                ids.push(builder.transition(Transition {
                    updates,
                    barrier,
                    events,
                    ..Transition::silent(from, to, always)
                }));
                from = to;
            }
        }
        let reader = builder.thread("reader", Span::NONE);
        let assertion = builder.assertion(Assertion::new(Span::NONE, "x != 2".to_owned()));
        let error = builder.marked_location(reader, Mark::Error(assertion), Span::NONE);
        let terms = builder.terms();
        let (x, two) = (terms.var(x), terms.constant(2, INT));
        let guard = terms.eq(x, two);
        let entry = builder.program().thread(reader).entry;
        ids.push(builder.branch(entry, guard, error));
        (builder.build(), ids.try_into().expect("five transitions"))
    }

    #[test]
    fn a_tidy_run_has_no_needless_moves_and_switches() {
        let (program, [x1, x2, y1, y2, fail]) = three();
        let trace = |order: &[TransId]| Trace {
            initial: Vec::new(),
            moves: order.iter().map(|&transition| Move::Step { transition, inputs: Vec::new() }).collect(),
        };
        let tidied = tidy(&program, MemoryModel::Sc, &trace(&[y1, x1, y2, x2, fail]));
        assert_eq!(tidied, trace(&[x1, x2, fail]));
        // What is no violating run stays as it is.
        for order in [&[y1, x1][..], &[x2, fail][..]] {
            assert_eq!(tidy(&program, MemoryModel::Sc, &trace(order)), trace(order));
        }
    }
}
