//! Rules 1 to 3 and the rule for own stores (`derive.rs` has them in words), each time that something new may
//! follow from them.

use super::super::relation::{Gain, common, insert};
use super::{Candidate, Done, Edge, Origin, PartialOrders};

impl PartialOrders {
    /// A link is selected.
    pub(super) fn select(&mut self, i: u32) {
        let Candidate { write, read, cell, ordered, .. } = self.links[i as usize];
        self.selected[i as usize] = true;
        self.by_write[write as usize].push(i);
        self.by_read[read as usize].push(i);
        self.by_cell[cell as usize].push(i);
        self.done.push(Done::Link(i));
        if ordered {
            self.queue.push_back(Edge { from: write, to: read, origin: Origin::ReadFrom(i) });
        }
        let writers = &self.writers[cell as usize];
        for other in common(self.relation.after(write as usize), writers) {
            if other as u32 != read {
                self.queue.push_back(Edge { from: read, to: other as u32, origin: Origin::Rule3(i) });
            }
        }
        for other in common(self.relation.before(read as usize), writers) {
            if other as u32 != write {
                self.queue.push_back(Edge { from: other as u32, to: write, origin: Origin::Rule2(i) });
            }
        }
        if self.own_stores {
            for other in common(writers, writers) {
                if other as u32 != write && self.earlier_in_thread(other as u32, read) {
                    self.queue.push_back(Edge { from: other as u32, to: write, origin: Origin::OwnStore(i) });
                }
            }
        }
    }

    /// A write happens.
    pub(super) fn write(&mut self, cell: u32, node: u32) {
        insert(&mut self.writers[cell as usize], node as usize);
        self.done.push(Done::Write { cell, node });
        self.touched.cells.push(cell);
        for &i in &self.by_cell[cell as usize] {
            let Candidate { write, read, .. } = self.links[i as usize];
            if node == write || node == read {
                continue;
            }
            if self.relation.ordered(write as usize, node as usize) {
                self.queue.push_back(Edge { from: read, to: node, origin: Origin::Rule3(i) });
            }
            if self.relation.ordered(node as usize, read as usize) {
                self.queue.push_back(Edge { from: node, to: write, origin: Origin::Rule2(i) });
            } else if self.own_stores && self.earlier_in_thread(node, read) {
                self.queue.push_back(Edge { from: node, to: write, origin: Origin::OwnStore(i) });
            }
        }
    }

    /// Adds an order that is new, and what it implies for selected links to the queue.
    pub(super) fn insert(&mut self, edge: Edge) {
        self.outgoing[edge.from as usize].push(self.edges.len() as u32);
        self.edges.push(edge);
        self.done.push(Done::Edge);
        let PartialOrders {
            relation,
            queue,
            touched,
            links,
            writers,
            by_write,
            by_read,
            locks,
            acquired,
            excluding,
            ..
        } = self;
        relation.insert(edge.from as usize, edge.to as usize, |gain, node, news| match gain {
            Gain::After => {
                touched.after.push(node as u32);
                let sections = acquired.get(&(node as u32)).filter(|_| *excluding);
                for cell in sections.into_iter().flatten() {
                    locks[cell].ordered(node as u32, news, |_| true, queue);
                }
                for &i in &by_write[node] {
                    let Candidate { read, cell, .. } = links[i as usize];
                    for other in common(news, &writers[cell as usize]) {
                        if other as u32 != read {
                            let origin = Origin::Rule3(i);
                            queue.push_back(Edge { from: read, to: other as u32, origin });
                        }
                    }
                }
            }
            Gain::Before => {
                touched.before.push(node as u32);
                for &i in &by_read[node] {
                    let Candidate { write, cell, .. } = links[i as usize];
                    for other in common(news, &writers[cell as usize]) {
                        if other as u32 != write {
                            let origin = Origin::Rule2(i);
                            queue.push_back(Edge { from: other as u32, to: write, origin });
                        }
                    }
                }
            }
        });
    }

    fn earlier_in_thread(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.places[a as usize], self.places[b as usize]);
        a.0 == b.0 && a.1 < b.1
    }
}
