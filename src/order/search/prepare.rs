//! The tables of a search, made from a graph of all that may happen.

use super::super::bits::Bits;
use super::super::eog::{Graph, NodeId};
use super::super::model::Model;
use super::sections::Lock;
use super::{Candidate, Edge, Effect, Exclusion, Origin, PartialOrders};

impl PartialOrders {
    pub(super) fn program_order(&mut self, graph: &Graph, model: Model) {
        for (t, thread) in graph.threads().iter().enumerate() {
            let mut before: Vec<Bits> = Vec::with_capacity(thread.len());
            for (j, &later) in thread.iter().enumerate() {
                let to = later.index() as u32;
                self.places[later.index()] = (t as u32, j as u32);
                let conditional =
                    graph.step(later).guard().filter(|_| model.orders_others(graph.step(later)));
                let mut covered = Bits::new(thread.len());
                let mut edges = Vec::new();
                for (k, &earlier) in thread[..j].iter().enumerate().rev() {
                    if !covered.contains(k) && model.preserves(graph, earlier, later) {
                        edges.push(earlier.index() as u32);
                        covered.insert(k);
                        covered.union(&before[k]);
                    }
                }
                let first = edges.is_empty() || conditional.is_some();
                let initial = first.then_some(NodeId::INIT.index() as u32);
                match conditional {
                    Some(guard) => {
                        self.effects.entry(guard).or_default().push(Effect::Barrier(to));
                        self.into_barriers.insert(to, (guard, std::mem::take(&mut edges)));
                        before.push(Bits::new(thread.len()));
                    }
                    None => before.push(covered),
                }
                let origin = Origin::Program(None);
                self.queue.extend(initial.into_iter().chain(edges).map(|from| Edge { from, to, origin }));
            }
        }
    }

    pub(super) fn writes(&mut self, graph: &Graph, certain: &mut Vec<Effect>) {
        for node in graph.nodes() {
            for cell in graph.step(node).writes() {
                let (cell_id, cell) = (cell, cell.index() as u32);
                let effect = Effect::Write { cell, node: node.index() as u32 };
                match graph.write_guards(node, cell_id).next() {
                    Some(guard) => {
                        self.write_guards.insert((cell, node.index() as u32), guard);
                        self.effects.entry(guard).or_default().push(effect);
                    }
                    None => certain.push(effect),
                }
            }
        }
    }

    pub(super) fn sections(&mut self, sections: &[Exclusion], certain: &mut Vec<Effect>) {
        let width = self.relation.width();
        match self.exclusive {
            Some(literal) => self.effects.entry(literal).or_default().push(Effect::Exclude),
            None => certain.push(Effect::Exclude),
        }
        for Exclusion { cell, acquire, begun, ends } in sections {
            let (cell, node) = (cell.index() as u32, acquire.index() as u32);
            self.locks.entry(cell).or_insert_with(|| Lock::new(width));
            self.acquired.entry(node).or_default().push(cell);
            let begin = (*begun, Effect::Begin { cell, node, literal: *begun });
            let ends = ends
                .iter()
                .map(|&(at, literal)| (literal, Effect::End { cell, node, at: at.index() as u32, literal }));
            for (literal, effect) in std::iter::once(begin).chain(ends) {
                match literal {
                    Some(literal) => self.effects.entry(literal).or_default().push(effect),
                    None => certain.push(effect),
                }
            }
        }
    }

    pub(super) fn candidates(&mut self, graph: &Graph, model: Model, certain: &mut Vec<Effect>) {
        for (i, link) in graph.links().iter().enumerate() {
            let i = i as u32;
            let [write, read] = [link.write, link.read].map(|node| node.index() as u32);
            let cell = link.cell.index() as u32;
            let ordered = model.own_store_orders() || !graph.earlier_in_thread(link.write, link.read);
            let selector = link.selector;
            self.links.push(Candidate { write, read, cell, selector, ordered, excluded: (0, None) });
            self.selected.push(false);
            self.candidates_by_write[write as usize].push(i);
            self.candidates_by_read[read as usize].push(i);
            self.candidates_by_cell[cell as usize].push(i);
            match selector {
                Some(selector) => self.effects.entry(selector).or_default().push(Effect::Link(i)),
                None => certain.push(Effect::Link(i)),
            }
        }
    }
}

pub(super) fn cell_count(graph: &Graph) -> usize {
    let read = graph.links().iter().map(|link| link.cell.index() + 1);
    read.max().unwrap_or(0).max(graph.cell_count())
}
