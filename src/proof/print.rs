//! Invariants as text: for each view and location of the observed thread, what holds for each combination of
//! the others' classes, as conditions in C.

use std::collections::BTreeMap;
use std::fmt;

use super::{Invariant, ViewInvariant};
use crate::program::{LocId, Program};
use crate::term::{Pool, TermId};

/// An invariant that can be printed.
pub struct Printed<'a> {
    invariant: &'a Invariant,
    program: &'a Program,
}

impl Invariant {
    /// The invariant as text.
    pub fn display<'a>(&'a self, program: &'a Program) -> Printed<'a> {
        Printed { invariant: self, program }
    }
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for view in &self.invariant.views {
            writeln!(f, "Invariant of {}:", self.program.thread(view.observed).name)?;
            self.classes(f, view)?;
            self.states(f, view)?;
        }
        Ok(())
    }
}

/// Literals of a conjunction, sorted.
pub(crate) type Conjunction = Vec<(TermId, bool)>;

impl Printed<'_> {
    fn classes(&self, f: &mut fmt::Formatter<'_>, view: &ViewInvariant) -> fmt::Result {
        for (&thread, classes) in view.environment.iter().zip(&view.classes) {
            let mut members: BTreeMap<usize, Vec<String>> = BTreeMap::new();
            for &(location, class) in classes {
                members.entry(class).or_default().push(place(self.program, location));
            }
            for (class, places) in members {
                let name = &self.program.thread(thread).name;
                writeln!(f, "  {name} in class {class}: at {}", places.join(", "))?;
            }
        }
        Ok(())
    }

    fn states(&self, f: &mut fmt::Formatter<'_>, view: &ViewInvariant) -> fmt::Result {
        let mut regions: BTreeMap<(LocId, &[usize]), Vec<Conjunction>> = BTreeMap::new();
        for state in &view.states {
            let mut literals = state.literals.clone();
            literals.sort_unstable();
            regions.entry((state.location, &state.classes)).or_default().push(literals);
        }
        let mut last = None;
        for ((location, classes), states) in regions {
            if last.replace(location) != Some(location) {
                writeln!(f, "  at {}:", place(self.program, location))?;
            }
            let others = view.environment.iter().zip(classes);
            let others =
                others.map(|(&t, class)| format!("{} in class {class}", self.program.thread(t).name));
            let others: Vec<String> = others.collect();
            let condition = self.condition(merged(states));
            match others.is_empty() {
                true => writeln!(f, "    {condition}")?,
                false => writeln!(f, "    {}: {condition}", others.join(", "))?,
            }
        }
        Ok(())
    }

    fn condition(&self, states: Vec<Conjunction>) -> String {
        let mut terms: Pool = self.invariant.terms.clone();
        let cubes: Vec<TermId> = states
            .into_iter()
            .map(|literals| {
                let literals: Vec<TermId> =
                    literals.into_iter().map(|(t, value)| if value { t } else { terms.not(t) }).collect();
                terms.and(&literals)
            })
            .collect();
        let condition = terms.or(&cubes);
        terms.display(condition).to_string()
    }
}

/// Two conjunctions that differ in the sign of one literal become one without it, as long as there are such.
pub(crate) fn merged(mut states: Vec<Conjunction>) -> Vec<Conjunction> {
    'again: loop {
        for i in 0..states.len() {
            for j in i + 1..states.len() {
                if let Some(both) = union(&states[i], &states[j]) {
                    states.swap_remove(j);
                    states[i] = both;
                    continue 'again;
                }
            }
        }
        states.sort_unstable();
        return states;
    }
}

/// The conjunction that stands for both, if they are equal or differ in one sign.
fn union(a: &[(TermId, bool)], b: &[(TermId, bool)]) -> Option<Conjunction> {
    let same_atoms = a.len() == b.len() && a.iter().zip(b).all(|((s, _), (t, _))| s == t);
    let differing = same_atoms.then(|| a.iter().zip(b).filter(|(x, y)| x.1 != y.1).count())?;
    (differing <= 1).then(|| a.iter().zip(b).filter(|(x, y)| x.1 == y.1).map(|(x, _)| *x).collect())
}

/// A location as people name it.
fn place(program: &Program, location: LocId) -> String {
    let span = program.location(location).span;
    match span.is_some() {
        true => program.sources.display(span).to_string(),
        false => format!("L{}", location.index()),
    }
}
