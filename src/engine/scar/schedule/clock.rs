//! The scheduling constraint as clauses: the classical monolithic encoding that the papers compare with.
//!
//! Each event has a clock, a number of enough bits. What the rules of the event order graph say
//! (`order/derive.rs`) is said of clocks for all events and pairs at once: program order as far as the model
//! keeps it, a write before the reads from it, no other write in between, and own stores. A model of the
//! formula then always has an order, and the refinement loop ends in its first round.

use crate::order::{Graph, Model, NodeId};
use crate::sat::Lit;
use crate::term::{Sort, TermId, Word};

use super::super::encode::{Encoding, Formula};
use super::super::unroll::guard::includes;
use super::super::unroll::{Event, Unroller, Unrolling};

/// A write of a cell, by its event, which has a clock.
#[derive(Clone, Copy)]
struct ClockedWrite {
    event: usize,
    happens: Lit,
}

struct Clocks<'a, 'p> {
    formula: &'a mut Formula,
    unroller: &'a mut Unroller<'p>,
    unrolling: &'a Unrolling,
    encoding: &'a Encoding,
    model: Model,
    clocks: Vec<TermId>,
}

/// Adds the scheduling constraint of an unrolling.
pub fn constrain(
    formula: &mut Formula,
    unroller: &mut Unroller<'_>,
    unrolling: &Unrolling,
    encoding: &Encoding,
    model: Model,
) {
    let bits = usize::BITS - unrolling.events.len().leading_zeros();
    let sort = Sort::Word(Word::unsigned(bits.max(1) as u8));
    let clock = |_: &Event| {
        let var = unroller.pool.declare("clock", sort);
        unroller.pool.var(var)
    };
    let clocks = unrolling.events.iter().map(clock).collect();
    let mut clocks = Clocks { formula, unroller, unrolling, encoding, model, clocks };
    clocks.program_order();
    clocks.reads();
}

impl Clocks<'_, '_> {
    fn before(&mut self, a: usize, b: usize) -> Lit {
        let earlier = self.unroller.pool.lt(self.clocks[a], self.clocks[b]);
        self.formula.literal(&self.unroller.pool, earlier)
    }

    /// Adds a clause of this unrolling.
    fn add(&mut self, mut clause: Vec<Lit>) {
        clause.push(!self.encoding.active);
        self.formula.solver().add(&clause);
    }

    /// The order of events of one thread that the model keeps. A pair is left out if an event between them,
    /// which happens whenever the later one does, is ordered with both.
    fn program_order(&mut self) {
        let mut graph = Graph::new();
        let nodes: Vec<NodeId> =
            self.unrolling.events.iter().map(|event| graph.add(event.full_step())).collect();
        let mut threads: Vec<Vec<usize>> = vec![Vec::new(); graph.threads().len()];
        for (i, event) in self.unrolling.events.iter().enumerate() {
            threads[event.thread.index()].push(i);
        }
        for events in threads {
            for (j, &later) in events.iter().enumerate() {
                let mut kept: Vec<usize> = Vec::new();
                for &earlier in events[..j].iter().rev() {
                    if !self.model.preserves(&graph, nodes[earlier], nodes[later]) {
                        continue;
                    }
                    let guard = self.unrolling.events[later].guard;
                    let implied = kept.iter().any(|&middle| {
                        self.model.preserves(&graph, nodes[earlier], nodes[middle])
                            && includes(&self.unroller.pool, guard, self.unrolling.events[middle].guard)
                    });
                    if !implied {
                        let [a, b] = [earlier, later].map(|event| self.encoding.events[event].guard);
                        let order = self.before(earlier, later);
                        self.add(vec![!a, !b, order]);
                    }
                    kept.push(earlier);
                }
            }
        }
    }

    /// What each read-from pair says about the order.
    fn reads(&mut self) {
        let mut writers: Vec<Vec<ClockedWrite>> = Vec::new();
        for (event, (it, literals)) in self.unrolling.events.iter().zip(&self.encoding.events).enumerate() {
            for (write, &happens) in it.writes.iter().zip(&literals.writes) {
                writers.resize_with(writers.len().max(write.cell.index() + 1), Vec::new);
                writers[write.cell.index()].push(ClockedWrite { event, happens });
            }
        }
        let (unrolling, encoding) = (self.unrolling, self.encoding);
        for (event, (it, literals)) in unrolling.events.iter().zip(&encoding.events).enumerate() {
            for (read, (_, sources)) in it.reads.iter().zip(&literals.reads) {
                let others = writers.get(read.cell.index()).map_or(&[][..], Vec::as_slice);
                for &(selector, source) in sources {
                    let write = source.event();
                    self.pair(selector, write, event, others);
                }
            }
        }
    }

    /// A read takes its value from a write, or from the initial state.
    fn pair(&mut self, selector: Lit, write: Option<usize>, read: usize, others: &[ClockedWrite]) {
        let thread = self.unrolling.events[read].thread;
        let is_own = |event: usize| self.unrolling.events[event].thread == thread && event < read;
        let (own_write, own): (bool, Vec<bool>) =
            (write.is_some_and(is_own), others.iter().map(|other| is_own(other.event)).collect());
        if let Some(write) = write
            && (!own_write || self.model.own_store_orders())
        {
            let order = self.before(write, read);
            self.add(vec![!selector, order]);
        }
        for (other, own) in others.iter().zip(own) {
            if Some(other.event) == write || other.event == read {
                continue;
            }
            let mut clause = vec![!selector, !other.happens];
            if let Some(write) = write {
                clause.push(self.before(other.event, write));
            }
            if !own {
                clause.push(self.before(read, other.event));
            }
            self.add(clause);
        }
    }
}
