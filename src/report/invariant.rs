//! The invariant that proves a program, as text: for each view and place of the observed thread, what holds
//! for each combination of the others' classes, as conditions in C.
//!
//! It is the whole invariant: each line is equivalent to what was checked. Facts that others in the same
//! conjunction imply are left out, and of alternatives those that another one covers.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::facts::{Literals, essential};
use crate::program::{LocId, Names, Program};
use crate::proof::{Conjunction, Invariant, ViewInvariant, merged};
use crate::term::{Pool, TermId};

/// The invariant as text, ending in a line feed.
pub fn text(program: &Program, invariant: &Invariant) -> String {
    let mut terms = invariant.terms.clone();
    Names::new(program).put_into(&mut terms);
    let mut printer = Printer { program, terms, out: String::new() };
    invariant.views.iter().for_each(|view| printer.view(view));
    printer.out
}

struct Printer<'a> {
    program: &'a Program,
    terms: Pool,
    out: String,
}

impl Printer<'_> {
    fn view(&mut self, view: &ViewInvariant) {
        let _ = writeln!(self.out, "Invariant of {}:", self.program.thread(view.observed).name);
        self.classes(view);
        let mut regions: BTreeMap<(LocId, &[usize]), Vec<Conjunction>> = BTreeMap::new();
        for state in &view.states {
            let mut literals = state.literals.clone();
            literals.sort_unstable();
            regions.entry((state.location, &state.classes)).or_default().push(literals);
        }
        let mut last = None;
        for ((location, classes), states) in regions {
            if last.replace(location) != Some(location) {
                let _ = writeln!(self.out, "  at {}:", place(self.program, location));
            }
            let others = view.environment.iter().zip(classes);
            let others = others
                .map(|(&thread, class)| format!("{} in class {class}", self.program.thread(thread).name));
            let others = others.collect::<Vec<_>>().join(", ");
            let condition = self.condition(states);
            let colon = if others.is_empty() { "" } else { ": " };
            let _ = writeln!(self.out, "    {others}{colon}{condition}");
        }
    }

    fn classes(&mut self, view: &ViewInvariant) {
        for (&thread, classes) in view.environment.iter().zip(&view.classes) {
            let mut members: BTreeMap<usize, Vec<String>> = BTreeMap::new();
            for &(location, class) in classes {
                members.entry(class).or_default().push(place(self.program, location));
            }
            for (class, places) in members {
                let name = &self.program.thread(thread).name;
                let _ = writeln!(self.out, "  {name} in class {class}: at {}", places.join(", "));
            }
        }
    }

    fn condition(&mut self, states: Vec<Conjunction>) -> String {
        let terms = &mut self.terms;
        let mut cubes: Vec<Vec<TermId>> = Vec::new();
        for literals in merged(states) {
            let mut cube = essential(terms, literals.into_iter().collect::<Literals>());
            cube.sort_unstable();
            if !cubes.contains(&cube) {
                cubes.push(cube);
            }
        }
        let weaker = |cube: &Vec<TermId>, other: &Vec<TermId>| {
            other.len() < cube.len() && other.iter().all(|fact| cube.contains(fact))
        };
        let needed: Vec<&Vec<TermId>> =
            cubes.iter().filter(|cube| !cubes.iter().any(|other| weaker(cube, other))).collect();
        let cubes: Vec<TermId> = needed.into_iter().map(|cube| terms.and(cube)).collect();
        let condition = terms.or(&cubes);
        terms.display(condition).to_string()
    }
}

/// A location as people name it.
fn place(program: &Program, location: LocId) -> String {
    let span = program.location(location).span;
    match span.is_some() {
        true => program.sources.display(span).to_string(),
        false => "the end".to_owned(),
    }
}
