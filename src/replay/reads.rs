//! Which places a transition reads in a given state: the branch of a conditional that is not taken reads
//! nothing, and an element of an array is read alone.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::program::{Program, Role, Transition};
use crate::term::{Datum, Node, Sort, TermId, VarId};

use super::run::Cell;

/// The scalars and elements, shared and private, that a transition reads when its thread sees the variables
/// so.
pub(super) fn places_read(program: &Program, transition: &Transition, view: &[Datum]) -> BTreeSet<Cell> {
    let mut reader = Reader { program, view, places: BTreeSet::new(), seen: FxHashSet::default() };
    let mut pending: Vec<Part> = transition.terms().map(Part::Whole).collect();
    while let Some(part) = pending.pop() {
        if reader.seen.insert(part) {
            match part {
                Part::Whole(term) => reader.whole(term, &mut pending),
                Part::Element(array, index) => reader.element(array, index, &mut pending),
            }
        }
    }
    reader.places
}

/// A term, or an array term at one index.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Whole(TermId),
    Element(TermId, i128),
}

struct Reader<'a> {
    program: &'a Program,
    view: &'a [Datum],
    places: BTreeSet<Cell>,
    seen: FxHashSet<Part>,
}

impl Reader<'_> {
    fn eval(&self, term: TermId) -> Datum {
        self.program.terms.eval(term, &|var: VarId| self.view[var.index()].clone())
    }

    fn whole(&mut self, term: TermId, pending: &mut Vec<Part>) {
        match self.program.terms.node(term) {
            Node::Var(var) => self.read_whole(*var),
            Node::Ite(condition, a, b) => {
                let taken = if self.eval(*condition).truth() { a } else { b };
                pending.extend([Part::Whole(*condition), Part::Whole(*taken)]);
            }
            Node::Select(array, index) => {
                pending.extend([Part::Whole(*index), Part::Element(*array, self.eval(*index).word())]);
            }
            node => pending.extend(node.children().into_iter().map(Part::Whole)),
        }
    }

    fn element(&mut self, array: TermId, index: i128, pending: &mut Vec<Part>) {
        match self.program.terms.node(array) {
            Node::Var(var) => {
                let Sort::Array(sort) = self.program.variable(*var).sort else { unreachable!("an array") };
                if let Ok(index) = u32::try_from(index)
                    && index < sort.len
                {
                    self.read(*var, Some(index));
                }
            }
            Node::Ite(condition, a, b) => {
                let taken = if self.eval(*condition).truth() { a } else { b };
                pending.extend([Part::Whole(*condition), Part::Element(*taken, index)]);
            }
            Node::Store(below, at, value) => {
                let hit = self.eval(*at).word() == index;
                let from = if hit { Part::Whole(*value) } else { Part::Element(*below, index) };
                pending.extend([Part::Whole(*at), from]);
            }
            node => pending.extend(node.children().into_iter().map(Part::Whole)),
        }
    }

    fn read_whole(&mut self, var: VarId) {
        match self.program.variable(var).sort {
            Sort::Array(array) => (0..array.len).for_each(|i| self.read(var, Some(i))),
            Sort::Bool | Sort::Word(_) => self.read(var, None),
        }
    }

    fn read(&mut self, var: VarId, element: Option<u32>) {
        if self.program.variable(var).role != Role::Input {
            self.places.insert((var, element));
        }
    }
}
