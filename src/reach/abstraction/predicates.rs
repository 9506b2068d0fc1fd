//! The predicates of a program, by number.

use rustc_hash::FxHashMap;

use crate::program::{Init, Program};
use crate::reach::cube::PredId;
use crate::term::{Pool, TermId, VarId};

/// All predicates that were ever used.
#[derive(Default)]
pub(super) struct Predicates {
    atoms: Vec<TermId>,
    vars: Vec<Vec<VarId>>,
    ids: FxHashMap<TermId, PredId>,
    /// For each predicate, what it means initially, once known.
    initially: Vec<Option<TermId>>,
}

impl Predicates {
    /// The predicate for an atom.
    pub fn of(&mut self, terms: &Pool, atom: TermId) -> PredId {
        if let Some(&id) = self.ids.get(&atom) {
            return id;
        }
        let id = PredId::new(self.atoms.len());
        self.atoms.push(atom);
        self.vars.push(terms.vars(atom));
        self.initially.push(None);
        self.ids.insert(atom, id);
        id
    }

    /// The predicate that a term is, if it is one.
    pub fn find(&self, term: TermId) -> Option<PredId> {
        self.ids.get(&term).copied()
    }

    pub fn atom(&self, predicate: PredId) -> TermId {
        self.atoms[predicate.index()]
    }

    pub fn vars(&self, predicate: PredId) -> &[VarId] {
        &self.vars[predicate.index()]
    }

    /// The predicate with variables replaced by their initial values.
    pub fn initially(&mut self, program: &Program, terms: &mut Pool, predicate: PredId) -> TermId {
        if let Some(known) = self.initially[predicate.index()] {
            return known;
        }
        let term = terms.substitute(self.atom(predicate), |terms, var| match &program.variable(var).init {
            Init::Value(datum) => Some(terms.datum(datum, program.variable(var).sort)),
            Init::Any => None,
        });
        self.initially[predicate.index()] = Some(term);
        term
    }
}
