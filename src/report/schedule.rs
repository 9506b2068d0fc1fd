//! An equivalent run that is easier to follow: without steps that the violation does not depend on, and with
//! few context switches.
//!
//! Two moves depend on each other if they are of one thread, or if both touch a place of shared memory and
//! one of them changes it. Every order of the moves that keeps dependent ones in order is the same run for
//! the program (Mazurkiewicz traces), and the moves that the last one does not depend on, directly or not,
//! may be left out. The result is replayed all the same; if that should fail, the run stays as it was. So
//! does a run of a cooperative program, in which every move depends on the scheduler's decisions before it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::program::{MemoryModel, Move, Program, Trace};
use crate::replay::{self, Cell, Run};

/// States that the search for few context switches may visit.
const STATES: usize = 20_000;

/// A run that violates the same assertion as this one, which was made from the trace.
pub fn readable(program: &Program, model: MemoryModel, trace: &Trace, run: Run) -> Run {
    if program.policy.is_some() {
        return run;
    }
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
    /// Its position among the blocks of the thread.
    number: usize,
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
                _ => blocks.push(Block { thread, number: 0, steps: vec![index], needs: BTreeSet::new() }),
            }
            inside = program.location(run.states[index + 1].locations[thread]).atomic;
        }
        let mut threads = vec![Vec::new(); program.threads.len()];
        let mut users: BTreeMap<Cell, Users> = BTreeMap::new();
        for (index, block) in blocks.iter_mut().enumerate() {
            let own: &mut Vec<usize> = &mut threads[block.thread];
            block.needs.extend(own.last());
            block.number = own.len();
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

    /// The moves that matter, with the fewest context switches that an equivalent run can have.
    ///
    /// A thread that goes on as far as it can takes nothing from the others: what is done stays done. So only
    /// the order of such turns is to be found, by breadth-first search; if there are too many, each turn goes
    /// to the thread that can do most.
    fn schedule(&self) -> Vec<usize> {
        let needed = self.needed();
        let goal: Vec<usize> = self
            .threads
            .iter()
            .map(|own| own.iter().filter(|block| needed.contains(block)).count())
            .collect();
        let turns = self.fewest(&goal).unwrap_or_else(|| self.longest(&goal));
        let mut done = vec![0; self.threads.len()];
        let mut steps = Vec::new();
        for thread in turns {
            let until = self.reach(thread, &done, &goal);
            let blocks = &self.threads[thread][done[thread]..until];
            steps.extend(blocks.iter().flat_map(|&block| &self.blocks[block].steps));
            done[thread] = until;
        }
        steps
    }

    /// The shortest sequence of turns, the first of these; `None` if it takes too long to find.
    fn fewest(&self, goal: &[usize]) -> Option<Vec<usize>> {
        let start = vec![0; self.threads.len()];
        let mut before: BTreeMap<Vec<usize>, Option<(Vec<usize>, usize)>> =
            BTreeMap::from([(start.clone(), None)]);
        let mut queue = VecDeque::from([start]);
        while let Some(done) = queue.pop_front() {
            if done == goal {
                return Some(turns(&before, done));
            }
            for thread in 0..self.threads.len() {
                let mut next = done.clone();
                next[thread] = self.reach(thread, &done, goal);
                if next != done && !before.contains_key(&next) {
                    before.insert(next.clone(), Some((done.clone(), thread)));
                    queue.push_back(next);
                }
            }
            if before.len() > STATES {
                return None;
            }
        }
        None
    }

    /// Each turn to the thread that can go on for most blocks; of equals the first, so that `main` comes
    /// before what it creates.
    fn longest(&self, goal: &[usize]) -> Vec<usize> {
        let mut done = vec![0; self.threads.len()];
        let mut turns = Vec::new();
        loop {
            let gain = |thread: usize| self.reach(thread, &done, goal) - done[thread];
            let best = (0..done.len()).min_by_key(|&thread| std::cmp::Reverse(gain(thread)));
            let Some(thread) = best.filter(|&thread| gain(thread) > 0) else { return turns };
            done[thread] = self.reach(thread, &done, goal);
            turns.push(thread);
        }
    }

    /// How many of a thread's blocks can be done when those of the others are done.
    fn reach(&self, thread: usize, done: &[usize], goal: &[usize]) -> usize {
        let fulfilled = |need: &usize| {
            let Block { thread: other, number, .. } = self.blocks[*need];
            other == thread || number < done[other]
        };
        let possible = |&&block: &&usize| self.blocks[block].needs.iter().all(fulfilled);
        let own = &self.threads[thread][done[thread]..goal[thread]];
        done[thread] + own.iter().take_while(possible).count()
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
}

/// The turns that lead to a state.
fn turns(before: &BTreeMap<Vec<usize>, Option<(Vec<usize>, usize)>>, end: Vec<usize>) -> Vec<usize> {
    let mut turns = Vec::new();
    let mut at = end;
    while let Some((earlier, thread)) = &before[&at] {
        turns.push(*thread);
        at = earlier.clone();
    }
    turns.reverse();
    turns
}

/// Who has used a place of shared memory so far.
#[derive(Default)]
struct Users {
    writer: Option<usize>,
    /// Readers since then.
    readers: Vec<usize>,
}
