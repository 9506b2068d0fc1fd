//! The event order graph of everything that may happen, as a theory that takes part in the solver's search.
//!
//! Literals of the formula and of the graph have the same codes; `order/search/` does the work.

use crate::order::{Atom, Effort, Exclusion, Graph, Model, NodeId, PartialOrders, Reason};
use crate::sat::{Lit, Theory};

use super::super::encode::Encoding;
use super::super::infer::Source;
use super::super::unroll::Unrolling;
use super::execution::{atom, step};
use super::sections::Section;

/// The orders of an unrolling's events while the solver searches.
#[derive(Debug)]
pub struct Guide {
    search: PartialOrders,
    /// The clauses that the solver was told of, if they are kept.
    lemmas: Option<Vec<Vec<Lit>>>,
}

impl Guide {
    /// The graph of all events and read-from pairs of an unrolling, with its critical sections and events of
    /// which one comes before the other.
    pub fn of(
        unrolling: &Unrolling,
        encoding: &Encoding,
        (sections, in_turn): (&[Section], &[(usize, usize)]),
        model: Model,
    ) -> Guide {
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
        for &(before, after) in in_turn {
            if let (Some(before), Some(after)) = (nodes[before], nodes[after]) {
                graph.require(before, after, Reason::always());
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
        Guide { search: PartialOrders::new(&graph, model, &exclusions, atom(encoding.active)), lemmas: None }
    }

    /// The same, but keeps what it tells the solver. Even what the solver does not ask the reason of: at its
    /// first level it never does.
    pub fn keeping_lemmas(self) -> Guide {
        Guide { lemmas: Some(Vec::new()), ..self }
    }

    /// What was told, and what is known besides; without repetition.
    pub fn take_lemmas(&mut self) -> Vec<Vec<Lit>> {
        let mut lemmas = self.lemmas.take().unwrap_or_default();
        lemmas.sort_unstable();
        lemmas.dedup();
        lemmas
    }

    /// Keeps a clause, if clauses are kept.
    pub fn keep(&mut self, lemma: Vec<Lit>) {
        if let Some(lemmas) = &mut self.lemmas {
            lemmas.push(lemma);
        }
    }

    /// What was done so far.
    pub fn effort(&self) -> Effort {
        self.search.effort()
    }
}

impl Theory for Guide {
    fn push(&mut self) {
        self.search.push();
    }

    fn pop(&mut self) {
        self.search.pop();
    }

    fn assign(&mut self, news: &[Lit], is_open: &dyn Fn(Lit) -> bool) -> Result<Vec<Lit>, Vec<Lit>> {
        for lit in news.iter().filter(|lit| lit.as_constant().is_none()) {
            self.search.assign(Atom::new(lit.code()));
        }
        if let Err(reason) = self.search.settle() {
            self.keep(negation(&reason));
            return Err(literals(&reason));
        }
        let excluded = self.search.excluded(|atom| is_open(Lit::from_code(atom.code())));
        let consequences: Vec<Lit> = excluded.into_iter().map(|atom| !Lit::from_code(atom.code())).collect();
        if self.lemmas.is_some() {
            consequences.iter().for_each(|&consequence| drop(self.explain(consequence)));
        }
        Ok(consequences)
    }

    fn explain(&mut self, consequence: Lit) -> Vec<Lit> {
        let reason = self.search.why_excluded(Atom::new((!consequence).code()));
        if self.lemmas.is_some() {
            let mut lemma = negation(&reason);
            lemma.push(consequence);
            self.keep(lemma);
        }
        literals(&reason)
    }
}

fn literals(reason: &Reason) -> Vec<Lit> {
    reason.atoms().iter().map(|atom| Lit::from_code(atom.code())).collect()
}

/// The clause that the literals of a reason cannot all hold.
pub fn negation(reason: &Reason) -> Vec<Lit> {
    literals(reason).into_iter().map(|lit| !lit).collect()
}
