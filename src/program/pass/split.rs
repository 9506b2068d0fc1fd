//! An array whose elements are only ever accessed one by one, at known indices, becomes one variable an
//! element.
//!
//! `flag[0]` and `flag[1]` of two threads are then different variables for everybody: for constants, for
//! privacy, for what depends on what.

use rustc_hash::FxHashMap;

use super::super::{Action, Event, Init, Place, Program, Role, Variable};
use crate::term::{Datum, Node, Pool, Sort, TermId, VarId};

/// Longer arrays are not split.
const MAX_ELEMENTS: u32 = 256;

pub(super) fn run(mut program: Program) -> Program {
    let elements = new_variables(&mut program);
    if elements.is_empty() {
        return program;
    }
    let mut split = Split { elements, images: FxHashMap::default() };
    let Program { terms, transitions, .. } = &mut program;
    for transition in transitions {
        transition.guard = split.term(terms, transition.guard);
        for range in &mut transition.ranges {
            range.holds = split.term(terms, range.holds);
        }
        for update in &mut transition.updates {
            update.value = split.term(terms, update.value);
            update.place = match split.element(terms, update.place) {
                Some(element) => element,
                None => {
                    Place { index: update.place.index.map(|index| split.term(terms, index)), ..update.place }
                }
            };
        }
        for argument in transition.call.iter_mut().flat_map(|call| &mut call.arguments) {
            *argument = split.term(terms, *argument);
        }
        transition.events.iter_mut().for_each(|event| split.event(terms, event));
    }
    program.reindex();
    program
}

/// The elements of each array that is split, by array.
type Elements = FxHashMap<VarId, Vec<VarId>>;

/// Declares a variable for each element of each array that can be split.
fn new_variables(program: &mut Program) -> Elements {
    let whole = used_as_whole(program);
    let mut elements = Elements::default();
    for var in program.variable_ids().filter(|var| !whole[var.index()]) {
        let Variable { name, sort, role, init, origin } = program.variable(var).clone();
        let Sort::Array(array) = sort else { continue };
        let list = (0..array.len as usize).map(|i| {
            let (name, sort) = (format!("{name}[{i}]"), Sort::Word(array.elem));
            let init = match &init {
                Init::Value(Datum::Array(values)) => Init::Value(Datum::Word(values[i])),
                _ => Init::Any,
            };
            let id = program.terms.declare(name.clone(), sort);
            assert_eq!(id.index(), program.variables.len(), "the program's variables are all there are");
            program.variables.push(Variable { name, sort, role, init, origin });
            if program.floats.contains(&var) {
                program.floats.insert(id);
            }
            id
        });
        elements.insert(var, list.collect());
    }
    elements
}

/// Which variables are no arrays, or used otherwise than by elements at known indices.
fn used_as_whole(program: &Program) -> Vec<bool> {
    let terms = &program.terms;
    let mut whole: Vec<bool> = program
        .variables
        .iter()
        .map(|variable| match (variable.sort, variable.role) {
            (_, Role::Input) => true,
            (Sort::Array(array), _) => array.len > MAX_ELEMENTS,
            _ => true,
        })
        .collect();
    let mut roots = Vec::new();
    for transition in &program.transitions {
        roots.extend(transition.terms());
        for update in &transition.updates {
            let known = update.place.index.is_some_and(|index| is_inside(program, update.place.var, index));
            whole[update.place.var.index()] |= !known;
        }
    }
    let mut use_whole = |term: TermId| {
        if let Some(var) = terms.as_var(term) {
            whole[var.index()] = true;
        }
    };
    roots.iter().for_each(|&root| use_whole(root));
    terms.visit(&roots, |_, node| match *node {
        Node::Select(array, index) => {
            if terms.as_var(array).is_none_or(|var| !is_inside(program, var, index)) {
                use_whole(array);
            }
            use_whole(index);
        }
        _ => node.children().into_iter().for_each(&mut use_whole),
    });
    whole
}

/// Whether the index is a constant inside the array.
fn is_inside(program: &Program, var: VarId, index: TermId) -> bool {
    let Sort::Array(array) = program.variable(var).sort else { return false };
    program.terms.as_const(index).is_some_and(|index| (0..i128::from(array.len)).contains(&index))
}

struct Split {
    elements: Elements,
    images: FxHashMap<TermId, TermId>,
}

impl Split {
    fn term(&mut self, terms: &mut Pool, term: TermId) -> TermId {
        if let Some(&image) = self.images.get(&term) {
            return image;
        }
        let image = terms.rewrite(term, |terms, id| {
            let Node::Select(array, index) = *terms.node(id) else { return None };
            let place = Place { var: terms.as_var(array)?, index: Some(index) };
            let element = self.element(terms, place)?;
            Some(terms.var(element.var))
        });
        self.images.insert(term, image);
        image
    }

    /// The variable of an element; `None` for places that stay as they are.
    fn element(&self, terms: &Pool, place: Place) -> Option<Place> {
        let list = self.elements.get(&place.var)?;
        let index = usize::try_from(terms.as_const(place.index?)?).ok()?;
        Some(Place { var: *list.get(index)?, index: None })
    }

    fn event(&mut self, terms: &mut Pool, event: &mut Event) {
        let (Action::Read(place) | Action::Write(place) | Action::Update(place)) = &mut event.action else {
            return;
        };
        match self.element(terms, *place) {
            Some(element) => *place = element,
            None => place.index = place.index.map(|index| self.term(terms, index)),
        }
    }
}
