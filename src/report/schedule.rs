//! An equivalent run that is easier to follow: without steps that the violation does not depend on, and with few context
//! switches.
//!
//! Two moves depend on each other if they are of one thread, or if both touch a place of shared memory and one of them
//! changes it. Every order of the moves that keeps dependent ones in order is the same run for the program (Mazurkiewicz
//! traces), and the moves that the last one does not depend on, directly or not, may be left out. The result is replayed
//! all the same; if that should fail, the run stays as it was.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{MemoryModel, Move, Program, Trace};
use crate::replay::{self, Cell, Run};

/// A run that violates the same assertion as this one, which was made from the trace.
pub fn readable(program: &Program, model: MemoryModel, trace: &Trace, run: Run) -> Run {
    let blocks = Blocks::new(program, &run);
    let moves: Vec<Move> = blocks.schedule().into_iter().map(|step| trace.moves[step].clone()).collect();
    let shorter = Trace { initial: trace.initial.clone(), moves };
    match replay::run(program, model, &shorter) {
        Ok(better) if better.violation(program) == run.violation(program) => better,
        _ => run,
    }
}

/// The moves of a run in blocks that nothing can come between.
struct Blocks {
    blocks: Vec<Block>,
    /// The blocks of each thread in order.
    threads: Vec<Vec<usize>>,
}

struct Block {
    thread: usize,
    /// Indices of the moves.
    steps: Vec<usize>,
    /// The blocks that must come before it, apart from those that these need themselves.
    needs: BTreeSet<usize>,
}

impl Blocks {
    fn new(program: &Program, run: &Run) -> Blocks {
        let mut blocks: Vec<Block> = Vec::new();
        let mut inside = false;
        for (index, step) in run.steps.iter().enumerate() {
            let thread = step.thread.index();
            match blocks.last_mut() {
                Some(block) if inside && block.thread == thread => block.steps.push(index),
                _ => blocks.push(Block { thread, steps: vec![index], needs: BTreeSet::new() }),
            }
            inside = program.location(run.states[index + 1].locations[thread]).atomic;
        }
        let mut threads = vec![Vec::new(); program.threads.len()];
        let mut users: BTreeMap<Cell, Users> = BTreeMap::new();
        for (index, block) in blocks.iter_mut().enumerate() {
            let own: &mut Vec<usize> = &mut threads[block.thread];
            block.needs.extend(own.last());
            own.push(index);
            for step in block.steps.iter().map(|&step| &run.steps[step]) {
                for read in step.reads.iter().filter(|read| program.is_shared(read.var)) {
                    let users = users.entry((read.var, read.element)).or_default();
                    block.needs.extend(users.writer);
                    users.readers.push(index);
                }
                let written =
                    step.writes.iter().filter(|write| program.is_shared(write.var) && !write.buffered);
                for write in written {
                    let users = users.entry((write.var, write.element)).or_default();
                    block.needs.extend(users.writer.replace(index));
                    block.needs.extend(users.readers.drain(..));
                }
            }
            block.needs.remove(&index);
        }
        Blocks { blocks, threads }
    }

    /// The moves that matter, each thread going on as long as it can.
    fn schedule(&self) -> Vec<usize> {
        let needed = self.needed();
        let mut next = vec![0; self.threads.len()];
        let mut done = BTreeSet::new();
        let mut steps = Vec::new();
        while let Some((thread, count)) = self.longest(&needed, &done, &next) {
            for &block in &self.threads[thread][next[thread]..next[thread] + count] {
                done.insert(block);
                steps.extend(&self.blocks[block].steps);
            }
            next[thread] += count;
        }
        steps
    }

    /// The blocks that the last one depends on, and itself.
    fn needed(&self) -> BTreeSet<usize> {
        let mut needed = BTreeSet::new();
        let mut pending: Vec<usize> = self.blocks.len().checked_sub(1).into_iter().collect();
        while let Some(block) = pending.pop() {
            if needed.insert(block) {
                pending.extend(&self.blocks[block].needs);
            }
        }
        needed
    }

    /// The thread that can go on for most blocks now, and for how many.
    fn longest(
        &self,
        needed: &BTreeSet<usize>,
        done: &BTreeSet<usize>,
        next: &[usize],
    ) -> Option<(usize, usize)> {
        let count = |thread: usize| {
            let own = &self.threads[thread][next[thread]..];
            let possible = |&&block: &&usize| {
                let mut needs = self.blocks[block].needs.iter();
                let fulfilled = |need: &usize| self.blocks[*need].thread == thread || done.contains(need);
                needed.contains(&block) && needs.all(fulfilled)
            };
            own.iter().take_while(possible).count()
        };
        let counts = (0..self.threads.len()).map(|thread| (thread, count(thread)));
        // Of equals the first, so that `main` comes before what it creates.
        counts.filter(|&(_, count)| count > 0).min_by_key(|&(_, count)| std::cmp::Reverse(count))
    }
}

/// Who has used a place of shared memory so far.
#[derive(Default)]
struct Users {
    writer: Option<usize>,
    /// Readers since then.
    readers: Vec<usize>,
}
