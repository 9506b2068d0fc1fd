//! Read-from pairs that exclude each other by known orders (`infer/known.rs`): the shortest
//! kernel reasons, found without a model.
//!
//! For a pair `w ◁ r`, another pair `v ◁ q` with `v < q` in between, and the rules of `order/derive.rs`:
//!
//! * a cycle: `r ≤ v` and `q ≤ w`;
//! * overwritten: a write `w'` of the same cell with `w < w' ≤ v` and `q ≤ r`, so that `w'` is between `w`
//!   and `r`;
//! * overwriting: `w ≤ v` and a write `w'` of the same cell with `q ≤ w' < r`;
//! * no other pair is needed for `w < w' < r`, if `w'` may or may not happen;
//! * two exchanges: `w ◁ r` and `w ◁ q`, where both `r` and `q` overwrite `w`.
//!
//! A round of refinement finds the same reasons, but only those of the model it has got; without them the
//! solver spends its time on values that come out of thin air. The papers have no such step. It belongs to
//! the validation by graphs: to compare, validation by constraints does without.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::budget::{Budget, Stop};
use crate::order::{Bits, CellId, Model};
use crate::sat::Lit;
use crate::term::{Pool, TermId};

use super::super::encode::EncodedEvent;
use super::super::infer::{Implications, Known, Occurrence};
use super::super::unroll::{Unroller, Unrolling};

/// How often two pairs are compared at most; with very many pairs each is compared only with some that are
/// near.
const COMPARISONS: usize = 1 << 22;

/// A write of a cell that happens under a condition, as a term and as a literal.
#[derive(Clone, Copy)]
struct GuardedWrite {
    event: usize,
    guard: TermId,
    happens: Lit,
}

/// A read-from pair.
struct Pair {
    selector: Lit,
    /// The writing event; none is the initial state.
    write: Option<usize>,
    read: usize,
    cell: CellId,
    /// The write that the reading event itself makes to the cell.
    exchange: Option<Lit>,
    /// Whether the write comes before the read, and not out of the reader's own store buffer.
    ordered: bool,
    /// Which access the read is, among all.
    access: usize,
    /// Number of the table of where the write is overwritten.
    end: usize,
}

/// What is needed to compare pairs.
struct Comparison<'a> {
    pool: &'a Pool,
    unrolling: &'a Unrolling,
    known: &'a Known,
    implications: Implications<'a>,
    /// The writes of each cell.
    writers: BTreeMap<CellId, Vec<GuardedWrite>>,
    pairs: Vec<Pair>,
    /// For each write of a cell that is read, the events at or after it that it certainly happens with.
    after: FxHashMap<CellId, Vec<Bits>>,
    /// For writes of cells: the events at or after a write that certainly overwrites them.
    ends: Vec<Bits>,
    /// For each read, the events at or before a write that comes before the read and certainly happens with
    /// it.
    beginnings: Vec<Bits>,
}

/// The clauses that say which pairs exclude each other, without their common condition.
///
/// # Errors
/// If the budget ends.
pub fn contradictions(
    unroller: &Unroller<'_>,
    unrolling: &Unrolling,
    events: &[EncodedEvent],
    known: &Known,
    budget: &Budget,
) -> Result<Vec<Vec<Lit>>, Stop> {
    let mut pairs = Comparison {
        pool: &unroller.pool,
        unrolling,
        known,
        implications: Implications::new(unroller.names()),
        writers: writers(unrolling, events),
        pairs: Vec::new(),
        after: FxHashMap::default(),
        ends: Vec::new(),
        beginnings: Vec::new(),
    };
    pairs.collect(events, unroller.model(), budget)?;
    let mut clauses = pairs.overwritten_alone();
    let near = COMPARISONS / pairs.pairs.len().max(1);
    for (i, one) in pairs.pairs.iter().enumerate() {
        if i % 64 == 0 {
            budget.check()?;
        }
        for other in &pairs.pairs[i.saturating_sub(near)..i] {
            clauses.extend(pairs.contradiction(one, other));
        }
    }
    Ok(clauses)
}

fn writers(unrolling: &Unrolling, events: &[EncodedEvent]) -> BTreeMap<CellId, Vec<GuardedWrite>> {
    let mut writers: BTreeMap<CellId, Vec<GuardedWrite>> = BTreeMap::new();
    for (event, (it, literals)) in unrolling.events.iter().zip(events).enumerate() {
        for (write, &happens) in it.writes.iter().zip(&literals.writes) {
            writers.entry(write.cell).or_default().push(GuardedWrite { event, guard: write.guard, happens });
        }
    }
    writers
}

impl Comparison<'_> {
    fn collect(&mut self, events: &[EncodedEvent], model: Model, budget: &Budget) -> Result<(), Stop> {
        let mut ends = FxHashMap::default();
        for (event, (it, literals)) in self.unrolling.events.iter().zip(events).enumerate() {
            budget.check()?;
            for (read, (_, sources)) in it.reads.iter().zip(&literals.reads) {
                let own = it.writes.iter().position(|write| write.cell == read.cell);
                let access = self.beginnings.len();
                let beginnings = self.beginnings(event, read.cell, read.guard);
                self.beginnings.push(beginnings);
                if !self.after.contains_key(&read.cell) {
                    let after = self.after(read.cell);
                    self.after.insert(read.cell, after);
                }
                for &(selector, source) in sources {
                    let write = source.event();
                    let end = *ends.entry((write, read.cell)).or_insert_with(|| {
                        let table = self.ends(write, read.cell);
                        self.ends.push(table);
                        self.ends.len() - 1
                    });
                    let is_foreign = |write: usize| self.unrolling.events[write].thread != it.thread;
                    self.pairs.push(Pair {
                        selector,
                        write,
                        read: event,
                        cell: read.cell,
                        exchange: own.map(|at| literals.writes[at]),
                        ordered: write.is_some_and(|write| model.own_store_orders() || is_foreign(write)),
                        access,
                        end,
                    });
                }
            }
        }
        Ok(())
    }

    /// The events at or before a write of a cell that comes before a read and certainly happens with it.
    fn beginnings(&mut self, read: usize, cell: CellId, guard: TermId) -> Bits {
        let mut table = Bits::new(self.unrolling.events.len());
        let reading = Occurrence { event: read, guard };
        for writer in self.writers.get(&cell).into_iter().flatten() {
            if self.known.before(writer.event, read)
                && self.known.implies(self.pool, &mut self.implications, reading, writer.guard)
            {
                table.insert(writer.event);
                table.union(self.known.all_before(writer.event));
            }
        }
        table
    }

    /// The events at or after a write that overwrites another one and certainly happens with them.
    fn ends(&self, write: Option<usize>, cell: CellId) -> Bits {
        let mut table = Bits::new(self.unrolling.events.len());
        for (writer, after) in self.writers.get(&cell).into_iter().flatten().zip(&self.after[&cell]) {
            if self.overwrites(writer, write) {
                table.union(after);
            }
        }
        table
    }

    /// For each write of a cell the events at or after it that it certainly happens with.
    fn after(&mut self, cell: CellId) -> Vec<Bits> {
        let events = &self.unrolling.events;
        let row = |writer: &GuardedWrite| {
            let mut table = Bits::new(events.len());
            for (event, it) in events.iter().enumerate() {
                let occurrence = Occurrence { event, guard: it.guard };
                if self.known.until(writer.event, event)
                    && self.known.implies(self.pool, &mut self.implications, occurrence, writer.guard)
                {
                    table.insert(event);
                }
            }
            table
        };
        self.writers.get(&cell).into_iter().flatten().map(row).collect()
    }

    /// Whether a write is known to come after another.
    fn overwrites(&self, writer: &GuardedWrite, write: Option<usize>) -> bool {
        write.is_none_or(|write| self.known.before(write, writer.event))
    }

    /// Pairs with a write between them, if that happens.
    fn overwritten_alone(&self) -> Vec<Vec<Lit>> {
        let mut clauses = Vec::new();
        for pair in &self.pairs {
            for writer in self.writers.get(&pair.cell).into_iter().flatten() {
                if self.known.before(writer.event, pair.read) && self.overwrites(writer, pair.write) {
                    clauses.push(vec![!pair.selector, !writer.happens]);
                }
            }
        }
        clauses
    }

    /// Why two pairs exclude each other, if they do.
    fn contradiction(&self, one: &Pair, other: &Pair) -> Option<Vec<Lit>> {
        if one.access == other.access {
            return None;
        }
        let selected = [!one.selector, !other.selector];
        if self.cycle(one, other) || self.separates(one, other) || self.separates(other, one) {
            return Some(selected.to_vec());
        }
        if one.cell != other.cell {
            return None;
        }
        let exchanges = match (one.exchange, other.exchange) {
            (Some(a), Some(b)) if one.write == other.write => vec![!a, !b],
            (_, Some(b)) if self.follows(one, other) => vec![!b],
            (Some(a), _) if self.follows(other, one) => vec![!a],
            _ => return None,
        };
        Some([&selected[..], &exchanges].concat())
    }

    fn cycle(&self, one: &Pair, other: &Pair) -> bool {
        let closes =
            |from: &Pair, to: &Pair| to.write.is_some_and(|write| self.known.until(from.read, write));
        one.ordered && other.ordered && closes(one, other) && closes(other, one)
    }

    /// Whether a pair brings a write that certainly happens between the ends of another one.
    fn separates(&self, by: &Pair, pair: &Pair) -> bool {
        by.ordered
            && (by.write.is_some_and(|write| self.ends[pair.end].contains(write))
                && self.known.until(by.read, pair.read)
                || self.reaches(pair.write, by.write) && self.beginnings[pair.access].contains(by.read))
    }

    /// Whether an exchange comes between the ends of another pair of its cell, if it writes.
    fn follows(&self, pair: &Pair, exchange: &Pair) -> bool {
        exchange.ordered
            && self.reaches(pair.write, exchange.write)
            && self.known.before(exchange.read, pair.read)
    }

    fn reaches(&self, a: Option<usize>, b: Option<usize>) -> bool {
        match (a, b) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => self.known.until(a, b),
        }
    }
}
