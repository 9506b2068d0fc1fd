//! Concrete data: the values of all variables at once, and what transitions make of them.
//!
//! The counterpart of [`abstraction`](super::abstraction), for searches that want examples and no proofs.
//! What is left open is sampled: an unknown initial value is 0, an input is 0 or 1 for all variables of the
//! step together. So not every run is seen; but each run that is seen exists, until its arithmetic overflows,
//! where it ends.

use super::images::{Image, Images};
use super::intern::Interner;
use crate::program::{Init, Program, Role, TransId, Update};
use crate::term::{Datum, Node, Sort, TermId, VarId};

/// Values of all variables, of a [`Valuations`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ValuationId(u32);

/// The values that inputs are given.
const SAMPLES: [i128; 2] = [0, 1];

/// Terms of greater depth are left to [`Pool::eval`](crate::term::Pool::eval), which does not recurse.
const DEPTH: u32 = 64;

/// Valuations by number.
pub struct Valuations<'p> {
    program: &'p Program,
    /// For each variable, its first cell: scalars have one, arrays one for each element.
    cells: Vec<usize>,
    /// For each transition, whether it reads an input.
    reads_input: Vec<bool>,
    values: Interner<Box<[i128]>>,
    images: Images<ValuationId>,
}

impl<'p> Valuations<'p> {
    /// No valuations yet.
    pub fn new(program: &'p Program) -> Valuations<'p> {
        let mut cells = Vec::with_capacity(program.variables.len());
        let mut next = 0;
        for variable in &program.variables {
            cells.push(next);
            next += match (variable.role, variable.sort) {
                (Role::Input, _) => 0,
                (_, Sort::Array(array)) => array.len as usize,
                (_, Sort::Bool | Sort::Word(_)) => 1,
            };
        }
        let is_input = |var: VarId| program.variable(var).role == Role::Input;
        let reads_input = program.transitions.iter().map(|transition| {
            let indices = transition.updates.iter().filter_map(|update| update.place.index);
            let values = transition.updates.iter().map(|update| update.value);
            let mut terms = transition.conditions().chain(values).chain(indices);
            terms.any(|term| program.terms.vars(term).into_iter().any(is_input))
        });
        Valuations {
            program,
            cells,
            reads_input: reads_input.collect(),
            values: Interner::default(),
            images: Images::new(program.transitions.len()),
        }
    }

    /// The values in the beginning.
    pub fn initial(&mut self) -> ValuationId {
        let state = self.program.variables.iter().filter(|variable| variable.role != Role::Input);
        let mut values: Vec<i128> = Vec::new();
        for variable in state {
            match &variable.init {
                Init::Value(datum) => extend(&mut values, datum),
                Init::Any => extend(&mut values, &Datum::zero(variable.sort)),
            }
        }
        ValuationId(self.values.number(values.into()))
    }

    /// What a transition makes of a valuation: nothing if it cannot be taken.
    pub fn image(&mut self, transition: TransId, before: ValuationId) -> Image {
        if let Some(known) = self.images.find(transition, before.0 as usize) {
            return known;
        }
        let samples: &[i128] = if self.reads_input[transition.index()] { &SAMPLES } else { &SAMPLES[..1] };
        let mut found = Vec::new();
        for &input in samples {
            let state = State { valuations: self, values: self.values.value(before.0), input };
            if let Some(after) = state.after(transition) {
                let after = ValuationId(self.values.number_of(&after[..]));
                if !found.contains(&after) {
                    found.push(after);
                }
            }
        }
        self.images.insert(transition, before.0 as usize, &found)
    }

    /// The valuations of an image.
    pub fn valuations(&self, image: Image) -> &[ValuationId] {
        self.images.states(image)
    }
}

fn extend(values: &mut Vec<i128>, datum: &Datum) {
    match datum {
        Datum::Bool(value) => values.push(i128::from(*value)),
        Datum::Word(value) => values.push(*value),
        Datum::Array(elements) => values.extend_from_slice(elements),
    }
}

/// Values of all variables, and of inputs.
struct State<'a, 'p> {
    valuations: &'a Valuations<'p>,
    values: &'a [i128],
    input: i128,
}

impl State<'_, '_> {
    /// The values after a transition, if it can be taken.
    fn after(&self, transition: TransId) -> Option<Vec<i128>> {
        let transition = self.valuations.program.transition(transition);
        if !transition.conditions().all(|condition| self.scalar(condition, DEPTH) != 0) {
            return None;
        }
        let mut after = self.values.to_vec();
        for update in &transition.updates {
            self.update(&mut after, update);
        }
        Some(after)
    }

    fn update(&self, after: &mut [i128], update: &Update) {
        let program = self.valuations.program;
        let first = self.valuations.cells[update.place.var.index()];
        match (program.variable(update.place.var).sort, update.place.index) {
            (Sort::Array(array), Some(index)) => {
                let index = usize::try_from(self.scalar(index, DEPTH)).ok();
                if let Some(index) = index.filter(|&index| index < array.len as usize) {
                    after[first + index] = self.scalar(update.value, DEPTH);
                }
            }
            (Sort::Array(array), None) => {
                let Datum::Array(elements) = self.datum(update.value) else { return };
                after[first..first + array.len as usize].copy_from_slice(&elements);
            }
            _ => after[first] = self.scalar(update.value, DEPTH),
        }
    }

    /// The value of a term that is no array; truth values are 0 and 1.
    fn scalar(&self, term: TermId, depth: u32) -> i128 {
        let terms = &self.valuations.program.terms;
        let Some(depth) = depth.checked_sub(1) else { return self.any_scalar(term) };
        let scalar = |term: &TermId| self.scalar(*term, depth);
        match terms.node(term) {
            Node::Bool(value) => i128::from(*value),
            Node::Const(value, _) => *value,
            Node::Var(var) => self.variable(*var),
            Node::Not(a) => 1 - scalar(a),
            Node::And(list) => i128::from(list.iter().all(|term| scalar(term) != 0)),
            Node::Or(list) => i128::from(list.iter().any(|term| scalar(term) != 0)),
            Node::Eq(a, b) if !matches!(terms.sort(*a), Sort::Array(_)) => i128::from(scalar(a) == scalar(b)),
            Node::Le(a, b) => i128::from(scalar(a) <= scalar(b)),
            Node::Ite(c, a, b) => scalar(if scalar(c) != 0 { a } else { b }),
            Node::Add(a, b) => terms.word(term).wrap(scalar(a) + scalar(b)),
            _ => self.any_scalar(term),
        }
    }

    fn any_scalar(&self, term: TermId) -> i128 {
        match self.datum(term) {
            Datum::Bool(value) => i128::from(value),
            Datum::Word(value) => value,
            Datum::Array(_) => unreachable!("no array"),
        }
    }

    fn variable(&self, var: VarId) -> i128 {
        let variable = self.valuations.program.variable(var);
        match (variable.role, variable.sort) {
            (Role::Input, Sort::Word(word)) => word.wrap(self.input),
            (Role::Input, _) => self.input,
            _ => self.values[self.valuations.cells[var.index()]],
        }
    }

    fn datum(&self, term: TermId) -> Datum {
        let program = self.valuations.program;
        program.terms.eval(term, &|var: VarId| match program.variable(var).sort {
            Sort::Bool => Datum::Bool(self.variable(var) != 0),
            Sort::Word(_) => Datum::Word(self.variable(var)),
            Sort::Array(_) if program.variable(var).role == Role::Input => {
                Datum::zero(program.variable(var).sort)
            }
            Sort::Array(array) => {
                let first = self.valuations.cells[var.index()];
                Datum::Array(self.values[first..first + array.len as usize].into())
            }
        })
    }
}
