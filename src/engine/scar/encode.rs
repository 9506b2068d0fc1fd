//! The abstraction `φ⁰ = init ∧ ρ ∧ ζ` as clauses (SC paper, Section 3): everything but the order of events.
//!
//! `ρ` are the values of terms, bit by bit. `ζ` has one selector for each pair of a read and a write that it
//! may take its value from (`infer/pairs.rs`): the selector implies that both happen and that the values are
//! equal; a read that happens selects some write. Which writes there are depends on the bound, so that this
//! last clause holds under the [`Encoding::active`] literal of the bound; all others hold for good. A
//! selector is made anew when a condition or value of its two ends is another term than at the last bound,
//! and reused otherwise, with all that has been learnt about it.
//!
//! Values that reads return have no more bits than their ranges need (`infer/range.rs`). If a range outgrows
//! its bits at a greater bound, a new formula is begun; the ladder of widths makes that rare.

use rustc_hash::FxHashMap;

use crate::budget::{Budget, Stop};
use crate::sat::{Blaster, Gates, Lit, Solver};
use crate::term::{Interval, Pool, TermId, VarId};

use super::infer::{Pairs, Ranges, Settled, Source};
use super::unroll::{Access, Target, Unroller, Unrolling};

/// The formula of all bounds so far.
#[derive(Debug)]
pub struct Formula {
    blaster: Blaster,
    selectors: FxHashMap<[u32; 6], Lit>,
    /// How many named conditions have been defined.
    defined: usize,
    /// The ranges that variables were given.
    narrowed: FxHashMap<VarId, Interval>,
    /// The values of reads that were settled.
    settled: FxHashMap<VarId, TermId>,
    /// Clauses that are not part of the abstraction.
    learnt: u64,
}

/// The literals of one unrolling.
#[derive(Debug)]
pub struct Encoding {
    /// Holds while this unrolling is what is looked at.
    pub active: Lit,
    /// As in the unrolling.
    pub events: Vec<EncodedEvent>,
    /// As in the unrolling.
    pub blocks: Vec<EncodedBlock>,
    /// The goals.
    pub goals: Vec<(Target, Lit)>,
    /// Number of read-from pairs.
    pub pairs: usize,
}

/// The literals of one block.
#[derive(Debug)]
pub struct EncodedBlock {
    /// As in the block: that the step is taken, and what it leaves in the store buffer.
    pub steps: Vec<(Lit, Vec<Lit>)>,
    /// That the block is executed to its end.
    pub complete: Lit,
}

/// The literals of one event.
#[derive(Debug)]
pub struct EncodedEvent {
    /// That it happens.
    pub guard: Lit,
    /// As in the event: that the read happens, and from where; from nowhere if it is settled.
    pub reads: Vec<(Lit, Vec<(Lit, Source)>)>,
    /// As in the event: that the write happens.
    pub writes: Vec<Lit>,
}

impl Formula {
    /// Nothing yet, for this solver.
    pub fn new(solver: Solver) -> Formula {
        let blaster = Blaster::new(solver);
        let (selectors, narrowed, settled) = <_>::default();
        Formula { blaster, selectors, defined: 0, narrowed, settled, learnt: 0 }
    }

    /// The solver.
    pub fn solver(&mut self) -> &mut Solver {
        self.blaster.solver_mut()
    }

    /// The gates, for structure that has no term.
    pub fn gates(&mut self) -> &mut Gates {
        self.blaster.gates()
    }

    /// The terms' values in the solver's model.
    pub fn blaster(&self) -> &Blaster {
        &self.blaster
    }

    /// Adds a clause that is not part of the abstraction.
    pub fn learn(&mut self, clause: &[Lit]) {
        self.beside(|formula| formula.solver().add(clause));
    }

    /// Adds clauses that are not part of the abstraction.
    pub fn beside<T>(&mut self, add: impl FnOnce(&mut Formula) -> T) -> T {
        let before = self.solver().size().clauses;
        let result = add(self);
        self.learnt += self.solver().size().clauses - before;
        result
    }

    /// How many clauses the abstraction has.
    pub fn size(&self) -> u64 {
        self.blaster.solver().size().clauses - self.learnt
    }

    /// Whether values in these ranges have the bits that they need in what is there already, and the same
    /// reads are settled.
    pub fn admits(&self, pool: &Pool, ranges: &Ranges, settled: &Settled) -> bool {
        self.narrowed.iter().all(|(&var, narrow)| narrow.includes(ranges.range(pool, var)))
            && self.settled.iter().all(|(&var, &value)| settled.get(var) == Some(value))
            && settled
                .iter()
                .all(|(var, _)| self.settled.contains_key(&var) || !self.blaster.is_translated(var))
    }

    /// Gives settled reads their values, and lets the other variables that are new have values in their
    /// ranges only.
    pub fn narrow(&mut self, pool: &Pool, ranges: &Ranges, settled: &Settled) {
        for (var, value) in settled.iter() {
            if self.settled.insert(var, value).is_none() {
                self.blaster.define(pool, var, value);
            }
        }
        for (var, range) in ranges.iter() {
            let is_new = !self.blaster.is_translated(var) && !self.settled.contains_key(&var);
            if is_new && !self.narrowed.contains_key(&var) {
                self.narrowed.insert(var, range);
                self.blaster.narrow(var, range);
            }
        }
    }

    /// Adds an unrolling.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn add(
        &mut self,
        unroller: &Unroller<'_>,
        unrolling: &Unrolling,
        pairs: &Pairs,
        budget: &Budget,
    ) -> Result<Encoding, Stop> {
        self.define(unroller);
        let pool = &unroller.pool;
        let active = self.solver().fresh();
        let mut events = Vec::with_capacity(unrolling.events.len());
        for (e, event) in unrolling.events.iter().enumerate() {
            budget.check()?;
            let guard = self.literal(pool, event.guard);
            let writes = event.writes.iter().map(|write| self.literal(pool, write.guard)).collect();
            let mut reads = Vec::new();
            for (read, sources) in event.reads.iter().zip(pairs.sources(e)) {
                reads.push(self.read(pool, unrolling, pairs, active, (read, sources)));
            }
            events.push(EncodedEvent { guard, reads, writes });
        }
        let blocks = unrolling.blocks.iter().map(|block| {
            let steps = block.steps.iter().map(|step| {
                let buffered = step.buffered.iter().map(|(_, condition)| self.literal(pool, *condition));
                let buffered = buffered.collect();
                (self.literal(pool, step.condition), buffered)
            });
            let steps = steps.collect();
            EncodedBlock { steps, complete: self.literal(pool, block.complete) }
        });
        let blocks = blocks.collect();
        let goals = unrolling.goals.iter().map(|goal| (goal.target, self.literal(pool, goal.condition)));
        let goals = goals.collect();
        Ok(Encoding { active, events, blocks, goals, pairs: pairs.len() })
    }

    /// Gives the named conditions their meaning.
    fn define(&mut self, unroller: &Unroller<'_>) {
        let definitions = unroller.names().definitions();
        for &(name, term) in &definitions[self.defined..] {
            let var = unroller.pool.as_var(name).expect("a name is a variable");
            self.blaster.define(&unroller.pool, var, term);
        }
        self.defined = definitions.len();
    }

    /// The literal of a condition.
    pub fn literal(&mut self, pool: &Pool, term: TermId) -> Lit {
        self.blaster.literal(pool, term)
    }

    /// Encodes a read and the writes that it may read from.
    fn read(
        &mut self,
        pool: &Pool,
        unrolling: &Unrolling,
        pairs: &Pairs,
        active: Lit,
        (read, sources): (&Access, &[Source]),
    ) -> (Lit, Vec<(Lit, Source)>) {
        let happens = self.literal(pool, read.guard);
        if pool.as_var(read.value).is_some_and(|var| self.settled.contains_key(&var)) {
            return (happens, Vec::new());
        }
        let mut from = Vec::with_capacity(sources.len());
        for &source in sources {
            let write = pairs.write(unrolling, source, read.cell);
            from.push((self.selector(pool, read, &write), source));
        }
        let mut clause = vec![!active, !happens];
        clause.extend(from.iter().map(|&(selector, _)| selector));
        self.solver().add(&clause);
        (happens, from)
    }

    /// The literal that a read takes its value from a write.
    fn selector(&mut self, pool: &Pool, read: &Access, write: &Access) -> Lit {
        let term = |term: TermId| term.index() as u32;
        let ends = [read.guard, read.value, write.guard, write.value].map(term);
        let key = [read.name, write.name, ends[0], ends[1], ends[2], ends[3]];
        if let Some(&selector) = self.selectors.get(&key) {
            return selector;
        }
        let selector = self.solver().fresh();
        self.selectors.insert(key, selector);
        for guard in [read.guard, write.guard] {
            let guard = self.literal(pool, guard);
            self.solver().add(&[!selector, guard]);
        }
        self.blaster.equate_under(pool, selector, read.value, write.value);
        selector
    }
}
