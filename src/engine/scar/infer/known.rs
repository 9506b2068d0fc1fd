//! Orders that are known before anything is solved: what is so in every execution of an unrolling.
//!
//! `a` is known to come before `b` if it does whenever both happen: by program order, as far as the memory
//! model keeps it; because a step reads something that only one write can give it (so a thread's end comes
//! before its joining); and by chains of these whose middle happens whenever the end does. The papers leave
//! all of this to refinement. What only one write can give depends on the bound, and so does all that is
//! concluded from known orders.

use rustc_hash::FxHashMap;

use crate::budget::{Budget, Stop};
use crate::order::{Bits, Graph, Model, NodeId};
use crate::term::{Pool, TermId};

use super::super::unroll::Unrolling;
use super::super::unroll::guard::Names;
use super::pairs::{Pairs, Source};

/// The known orders of the events of an unrolling.
#[derive(Debug)]
pub struct Known {
    /// For each event, those before it.
    before: Vec<Bits>,
    /// For each event, the conditions of what it cannot happen without in other threads.
    needs: Vec<Vec<TermId>>,
}

/// What comes before an event directly, by program order or because it is read from.
struct Direct {
    /// For each event those of its thread whose order the memory model keeps.
    kept: Vec<Bits>,
    /// Those among them that happen whenever the event does.
    certain: Vec<Bits>,
    /// For each event those of other threads, mostly writes, that it cannot happen without and that come before
    /// it.
    writes: Vec<Vec<usize>>,
    /// The events of each thread.
    threads: Vec<Vec<usize>>,
}

/// An event under a condition of its own, which may say more than that the event happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// The event.
    pub event: usize,
    /// The condition.
    pub guard: TermId,
}

/// Which conditions imply others, remembered.
#[derive(Debug)]
pub struct Implications<'n> {
    names: &'n Names,
    known: FxHashMap<(TermId, TermId), bool>,
}

impl<'n> Implications<'n> {
    /// Nothing is known yet but what names mean.
    pub fn new(names: &'n Names) -> Implications<'n> {
        Implications { names, known: FxHashMap::default() }
    }

    /// Whether one condition implies another because of its conjuncts.
    pub fn implies(&mut self, pool: &Pool, term: TermId, weaker: TermId) -> bool {
        term == weaker
            || pool.as_bool(weaker) == Some(true)
            || *self.known.entry((term, weaker)).or_insert_with(|| self.names.implies(pool, term, weaker))
    }
}

impl Known {
    /// Finds the known orders, given what reads may read from, and events that always happen and come before
    /// others of other threads (`alike.rs`).
    ///
    /// # Errors
    /// If the budget ends.
    pub fn of(
        pool: &Pool,
        unrolling: &Unrolling,
        (pairs, in_turn): (&Pairs, &[(usize, usize)]),
        model: Model,
        budget: &Budget,
        implications: &mut Implications<'_>,
    ) -> Result<Known, Stop> {
        let mut direct = program_order(pool, unrolling, model, budget, implications)?;
        for (event, it) in unrolling.events.iter().enumerate() {
            for (read, sources) in it.reads.iter().zip(pairs.sources(event)) {
                if let [Source::Write { event: write, .. }] = *sources
                    && unrolling.events[write].thread != it.thread
                    && implications.implies(pool, it.guard, read.guard)
                {
                    direct.writes[event].push(write);
                }
            }
        }
        for &(before, after) in in_turn {
            direct.writes[after].push(before);
        }
        Ok(Known { before: direct.closed(budget)?, needs: direct.needs(unrolling) })
    }

    /// Whether one event is known to come before another.
    pub fn before(&self, a: usize, b: usize) -> bool {
        self.before[b].contains(a)
    }

    /// Whether an event is another or known to come before it.
    pub fn until(&self, a: usize, b: usize) -> bool {
        a == b || self.before(a, b)
    }

    /// Whether a condition holds whenever something occurs.
    pub fn implies(
        &self,
        pool: &Pool,
        implications: &mut Implications<'_>,
        occurrence: Occurrence,
        condition: TermId,
    ) -> bool {
        implications.implies(pool, occurrence.guard, condition)
            || self.needs[occurrence.event].iter().any(|&need| implications.implies(pool, need, condition))
    }

    /// What is known to come before an event.
    pub fn all_before(&self, event: usize) -> &Bits {
        &self.before[event]
    }
}

fn program_order(
    pool: &Pool,
    unrolling: &Unrolling,
    model: Model,
    budget: &Budget,
    implications: &mut Implications<'_>,
) -> Result<Direct, Stop> {
    let count = unrolling.events.len();
    let mut graph = Graph::new();
    let nodes: Vec<NodeId> = unrolling.events.iter().map(|event| graph.add(event.full_step())).collect();
    let mut direct = Direct {
        kept: vec![Bits::new(count); count],
        certain: vec![Bits::new(count); count],
        writes: vec![Vec::new(); count],
        threads: vec![Vec::new(); graph.threads().len()],
    };
    for (later, it) in unrolling.events.iter().enumerate() {
        budget.check()?;
        let thread = &mut direct.threads[it.thread.index()];
        for &earlier in thread.iter() {
            if model.preserves(&graph, nodes[earlier], nodes[later]) {
                direct.kept[later].insert(earlier);
                if implications.implies(pool, it.guard, unrolling.events[earlier].guard) {
                    direct.certain[later].insert(earlier);
                }
            }
        }
        thread.push(later);
    }
    Ok(direct)
}

impl Direct {
    /// All that follows by chains whose middle is certain.
    fn closed(&self, budget: &Budget) -> Result<Vec<Bits>, Stop> {
        let mut before = self.kept.clone();
        loop {
            let mut changed = false;
            budget.check()?;
            for thread in &self.threads {
                for (position, &event) in thread.iter().enumerate() {
                    let row = self.row(&before, &thread[..position], event);
                    changed |= row != before[event];
                    before[event] = row;
                }
            }
            if !changed {
                return Ok(before);
            }
        }
    }

    /// The conditions of the writes that each event cannot happen without, directly or because others cannot.
    fn needs(&self, unrolling: &Unrolling) -> Vec<Vec<TermId>> {
        let mut needs: Vec<Vec<TermId>> = vec![Vec::new(); self.kept.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for thread in &self.threads {
                for (position, &event) in thread.iter().enumerate() {
                    let mut all = needs[event].clone();
                    for &write in &self.writes[event] {
                        all.push(unrolling.events[write].guard);
                        all.extend(&needs[write]);
                    }
                    let certain = |&&earlier: &&usize| self.certain[event].contains(earlier);
                    // The last one that is certain has the needs of most others.
                    if let Some(&middle) = thread[..position].iter().rev().find(certain) {
                        all.extend(&needs[middle]);
                    }
                    all.sort_unstable();
                    all.dedup();
                    changed |= all != needs[event];
                    needs[event] = all;
                }
            }
        }
        needs
    }

    /// What comes before an event, given what comes before others.
    fn row(&self, before: &[Bits], earlier: &[usize], event: usize) -> Bits {
        let mut row = before[event].clone();
        // Whose rows are part of this one.
        let mut covered = Bits::new(before.len());
        let certain = earlier.iter().rev().filter(|&&earlier| self.certain[event].contains(earlier));
        for &middle in certain.chain(&self.writes[event]) {
            if !covered.contains(middle) {
                row.insert(middle);
                row.union(&before[middle]);
                covered.union(&self.certain[middle]);
            }
        }
        row
    }
}
