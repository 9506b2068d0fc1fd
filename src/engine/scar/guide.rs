//! The event order graph of everything that may happen, as a theory that takes part in the solver's search.
//!
//! Literals of the formula and of the graph have the same codes; `order/search/` does the work.

use crate::order::{Atom, Effort, Exclusion, Graph, Model, NodeId, Reason, Search};
use crate::sat::{Lit, Theory};

use super::encode::Encoding;
use super::event::Unrolling;
use super::execution::{atom, step};
use super::pairs::Source;
use super::sections::Section;

/// The orders of an unrolling's events while the solver searches.
#[derive(Debug)]
pub struct Guide(Search);

impl Guide {
    /// The graph of all events and read-from pairs of an unrolling, with its critical sections.
    pub fn of(unrolling: &Unrolling, encoding: &Encoding, sections: &[Section], model: Model) -> Guide {
        let may = |lit: Lit| lit != Lit::FALSE;
        let mut graph = Graph::new();
        let mut nodes: Vec<Option<NodeId>> = Vec::with_capacity(unrolling.events.len());
        for (event, literals) in unrolling.events.iter().zip(&encoding.events) {
            nodes.push(may(literals.guard).then(|| graph.add(step(&may, event, literals))));
        }
        for (i, (event, literals)) in unrolling.events.iter().zip(&encoding.events).enumerate() {
            let Some(node) = nodes[i] else { continue };
            for (read, (happens, sources)) in event.reads.iter().zip(&literals.reads) {
                if !may(*happens) {
                    continue;
                }
                for &(selector, source) in sources {
                    let write = match source {
                        Source::Initial => Some(NodeId::INIT),
                        Source::Write { event, write } => {
                            nodes[event].filter(|_| may(encoding.events[event].writes[write]))
                        }
                    };
                    if let Some(write) = write {
                        graph.read_from(node, write, read.cell, atom(selector));
                    }
                }
            }
        }
        let exclusions = sections.iter().filter_map(|section| {
            let end = |&(event, ends): &(usize, Lit)| Some((nodes[event]?, atom(ends)));
            let ends = section.ends.iter().filter_map(end).collect();
            Some(Exclusion {
                cell: section.cell,
                acquire: nodes[section.acquire]?,
                begun: atom(section.begun),
                ends,
            })
        });
        let exclusions: Vec<Exclusion> = exclusions.collect();
        Guide(Search::new(&graph, model, &exclusions, atom(encoding.active)))
    }

    /// What was done so far.
    pub fn effort(&self) -> Effort {
        self.0.effort()
    }
}

impl Theory for Guide {
    fn push(&mut self) {
        self.0.push();
    }

    fn pop(&mut self) {
        self.0.pop();
    }

    fn assign(&mut self, news: &[Lit], is_open: &dyn Fn(Lit) -> bool) -> Result<Vec<Lit>, Vec<Lit>> {
        for lit in news.iter().filter(|lit| lit.as_constant().is_none()) {
            self.0.assign(Atom::new(lit.code()));
        }
        self.0.settle().map_err(literals)?;
        let excluded = self.0.excluded(|atom| is_open(Lit::from_code(atom.code())));
        Ok(excluded.into_iter().map(|atom| !Lit::from_code(atom.code())).collect())
    }

    fn explain(&mut self, consequence: Lit) -> Vec<Lit> {
        literals(self.0.why_excluded(Atom::new((!consequence).code())))
    }
}

fn literals(reason: Reason) -> Vec<Lit> {
    reason.atoms().iter().map(|atom| Lit::from_code(atom.code())).collect()
}
