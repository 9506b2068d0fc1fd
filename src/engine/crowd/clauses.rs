//! What must hold of an invariant for any number of copies, as Horn clauses.
//!
//! There is an unknown relation for each place where the single threads and so many copies can stand, over
//! the shared variables, the counters, and the private variables that are live there; no argument is a
//! location. Two copies have one relation for both orders, and where they stand at the same location it is
//! symmetric. For each step there are clauses: it is taken by a single thread, by a copy that the relation
//! speaks of, or by another one of which the relations hold together with these (Hoenicke, Majumdar and
//! Podelski 2017). Counters are at least the numbers of copies under consideration that they count, without
//! which they would be of little use.

use std::collections::{BTreeMap, BTreeSet};

use super::stage::{COUNT, Copied, Stage};
use crate::program::pass::Liveness;
use crate::program::{Init, LocId, Program, TransId};
use crate::proof::{Counter, Crowd, Standing};
use crate::smt::horn::{Atom, Clause, System};
use crate::term::{Pool, TermId, VarId};

/// More relations or clauses than this are too many.
const MAX_CLAUSES: usize = 60_000;

/// Who moves in a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mover {
    Single(usize),
    Copy(usize),
}

/// Where everybody stands that a relation speaks of; copies by locations of first twins.
type Place = (Vec<LocId>, Vec<LocId>);

/// The clauses, and how to read their solution.
pub(super) struct Clauses<'s, 'a> {
    stage: &'s mut Stage<'a>,
    liveness: &'s Liveness,
    /// Of how many copies the invariant speaks.
    copies: usize,
    pub counters: Vec<Counter>,
    places: Vec<Place>,
    numbers: BTreeMap<Place, usize>,
    pub system: System,
}

impl<'s, 'a> Clauses<'s, 'a> {
    /// All clauses for invariants of so many copies. `None` if there are too many.
    pub fn new(
        stage: &'s mut Stage<'a>,
        liveness: &'s Liveness,
        copies: usize,
        counted: &[BTreeSet<LocId>],
    ) -> Option<Clauses<'s, 'a>> {
        let counter = |(number, locations): (usize, &BTreeSet<LocId>)| Counter {
            locations: locations.clone(),
            var: stage.counter(number),
        };
        let counters = counted.iter().enumerate().map(counter).collect();
        let (places, numbers, system) = (Vec::new(), BTreeMap::new(), System::default());
        let mut clauses = Clauses { stage, liveness, copies, counters, places, numbers, system };
        clauses.initial();
        let mut at = 0;
        while at < clauses.places.len() {
            clauses.steps_from(at);
            at += 1;
            if clauses.system.clauses.len() > MAX_CLAUSES {
                return None;
            }
        }
        clauses.others();
        (clauses.system.clauses.len() <= MAX_CLAUSES).then_some(clauses)
    }

    /// The terms of the clauses.
    pub fn terms(&mut self) -> &mut Pool {
        &mut self.stage.terms
    }

    /// The invariant that a solution is.
    pub fn invariant(self, solution: &[TermId]) -> Crowd {
        let mut regions = BTreeMap::new();
        for ((singles, copies), &region) in self.places.iter().zip(solution) {
            if self.stage.terms.as_bool(region) == Some(false) {
                continue;
            }
            let second = |location: &LocId| self.stage.second[location];
            let standing = |order: &[LocId]| Standing {
                singles: singles.clone(),
                copies: order[..1].iter().copied().chain(order[1..].iter().map(second)).collect(),
            };
            let (here, there) =
                (standing(copies), standing(&copies.iter().rev().copied().collect::<Vec<_>>()));
            regions.insert(here.clone(), region);
            if here != there {
                let region = self.stage.swapped(region);
                regions.insert(there, region);
            }
        }
        Crowd { regions, copies: self.copies, counters: self.counters, terms: self.stage.terms.clone() }
    }

    // ---- relations

    /// The number of the relation of a place.
    fn relation(&mut self, place: Place) -> usize {
        if let Some(&number) = self.numbers.get(&place) {
            return number;
        }
        let mut variables = self.stage.shared.clone();
        for &location in &place.0 {
            variables.extend(self.liveness.at(location));
        }
        for (copy, &location) in place.1.iter().enumerate() {
            let live = self.liveness.at(location).iter().map(|&var| self.stage.name(copy, var));
            variables.extend(live);
        }
        variables.extend(self.counters.iter().map(|counter| counter.var));
        let number = self.places.len();
        self.places.push(place.clone());
        self.numbers.insert(place, number);
        self.system.relations.push(variables);
        number
    }

    /// That these copies can stand here, with values for variables as they know them.
    fn atom(
        &mut self,
        singles: &[LocId],
        copies: &[Copied],
        value: &mut dyn FnMut(&mut Stage<'a>, VarId) -> TermId,
    ) -> Atom {
        let mut order = copies.to_vec();
        order.sort_by_key(|&(copy, location)| (location, copy));
        let relation =
            self.relation((singles.to_vec(), order.iter().map(|(_, location)| *location).collect()));
        let mut variables = self.stage.shared.clone();
        singles.iter().for_each(|&location| variables.extend(self.liveness.at(location)));
        for &(copy, location) in &order {
            variables.extend(self.liveness.at(location).iter().map(|&var| self.stage.name(copy, var)));
        }
        variables.extend(self.counters.iter().map(|counter| counter.var));
        let arguments = variables.into_iter().map(|var| value(self.stage, var)).collect();
        Atom { relation, arguments }
    }

    /// Likewise, with the values that variables have.
    fn here(&mut self, singles: &[LocId], copies: &[Copied]) -> Atom {
        self.atom(singles, copies, &mut |stage, var| stage.terms.var(var))
    }

    // ---- clauses

    fn initial(&mut self) {
        let program = self.stage.program;
        let singles: Vec<LocId> =
            self.stage.singles.iter().map(|&thread| program.thread(thread).entry).collect();
        let entries = self.stage.entries.clone();
        let stays = |location: &LocId| !program.location(*location).is_target();
        for (at, &one) in entries.iter().enumerate() {
            let others = if self.copies == 1 { &entries[at..=at] } else { &entries[at..] };
            for &other in others {
                let copies = [(0, one), (1, other)];
                let copies = &copies[..self.copies];
                if !singles.iter().chain([&one, &other]).all(stays) {
                    self.system.clauses.push(Clause {
                        body: Vec::new(),
                        constraints: Vec::new(),
                        head: None,
                    });
                    continue;
                }
                let head = self.atom(&singles, copies, &mut |stage, var| initially(stage, program, var));
                self.system.clauses.push(Clause {
                    body: Vec::new(),
                    constraints: Vec::new(),
                    head: Some(head),
                });
            }
        }
    }

    /// The steps of those of whom a relation speaks.
    fn steps_from(&mut self, relation: usize) {
        let (singles, locations) = self.places[relation].clone();
        let copies: Vec<Copied> = locations.iter().copied().enumerate().collect();
        let program = self.stage.program;
        for (place, &location) in singles.iter().enumerate() {
            for &step in program.outgoing(location) {
                self.step(&singles, &copies, Mover::Single(place), step);
            }
        }
        let twice = copies.len() == 2 && copies[0].1 == copies[1].1;
        if twice {
            let (body, head) = (self.here(&singles, &copies), self.crossed(&singles, &copies));
            let clause = Clause { body: vec![body], constraints: Vec::new(), head: Some(head) };
            self.system.clauses.push(clause);
        }
        for &(copy, location) in &copies[..if twice { 1 } else { copies.len() }] {
            for &step in program.outgoing(location) {
                self.step(&singles, &copies, Mover::Copy(copy), step);
            }
        }
    }

    /// That two copies at the same location can stand there, each with the variables of the other.
    fn crossed(&mut self, singles: &[LocId], copies: &[Copied]) -> Atom {
        let both: Vec<Copied> = copies.iter().map(|&(copy, location)| (1 - copy, location)).collect();
        let mut atom = self.here(singles, &both);
        let arguments = atom.arguments.iter().map(|&term| self.stage.swapped(term));
        atom.arguments = arguments.collect();
        atom
    }

    /// The steps of other copies.
    fn others(&mut self) {
        for relation in 0..self.places.len() {
            for at in 0..self.stage.steps.len() {
                let step = self.stage.steps[at];
                let (singles, locations) = self.places[relation].clone();
                let copies: Vec<Copied> = locations.into_iter().enumerate().collect();
                if self.system.clauses.len() <= MAX_CLAUSES && self.disturbs(step) {
                    self.step(&singles, &copies, Mover::Copy(self.copies), step);
                }
            }
        }
    }

    /// Whether somebody else can notice a copy's step.
    fn disturbs(&self, step: TransId) -> bool {
        let program = self.stage.program;
        let transition = program.transition(step);
        let counts = self.counters.iter().any(|counter| {
            counter.locations.contains(&transition.from) != counter.locations.contains(&transition.to)
        });
        let is_target = program.location(transition.to).is_target();
        !is_target && (counts || program.shared_writes(transition).next().is_some())
    }

    fn step(&mut self, singles: &[LocId], copies: &[Copied], mover: Mover, step: TransId) {
        if self.waits(singles, copies, mover) {
            return;
        }
        let program = self.stage.program;
        let transition = program.transition(step);
        let (mut concerned, mut body) = (copies.to_vec(), Vec::new());
        if let Mover::Copy(copy) = mover
            && copy == self.copies
        {
            concerned.push((copy, transition.from));
            for set in self.sets_with(copies, (copy, transition.from)) {
                if !self.is_reached(singles, &set) {
                    return;
                }
                body.push(self.here(singles, &set));
            }
        }
        body.insert(0, self.here(singles, copies));
        let mut constraints = self.counted(&concerned);
        for condition in transition.conditions() {
            constraints.push(self.of_mover(mover, condition));
        }
        let head = self.head(singles, copies, mover, step);
        self.system.clauses.push(Clause { body, constraints, head });
    }

    /// The choices of so many copies that another one is among.
    fn sets_with(&self, copies: &[Copied], other: Copied) -> Vec<Vec<Copied>> {
        match copies {
            [_] => vec![vec![other]],
            _ => copies.iter().map(|&copy| vec![copy, other]).collect(),
        }
    }

    /// Whether control can come there at all.
    fn is_reached(&self, singles: &[LocId], copies: &[Copied]) -> bool {
        let mut locations: Vec<LocId> = copies.iter().map(|(_, location)| *location).collect();
        locations.sort_unstable();
        self.numbers.contains_key(&(singles.to_vec(), locations))
    }

    /// What holds after a step; nothing at a target.
    fn head(&mut self, singles: &[LocId], copies: &[Copied], mover: Mover, step: TransId) -> Option<Atom> {
        let program = self.stage.program;
        let transition = program.transition(step);
        if program.location(transition.to).is_target() {
            return None;
        }
        let (mut singles, mut copies) = (singles.to_vec(), copies.to_vec());
        match mover {
            Mover::Single(place) => singles[place] = transition.to,
            Mover::Copy(copy) => {
                copies.iter_mut().filter(|(other, _)| *other == copy).for_each(|(_, at)| *at = transition.to);
            }
        }
        let after = self.after(mover, step);
        let atom = self.atom(&singles, &copies, &mut |stage, var| {
            after.get(&var).copied().unwrap_or_else(|| stage.terms.var(var))
        });
        Some(atom)
    }

    /// The variables that a step changes, with their new values.
    fn after(&mut self, mover: Mover, step: TransId) -> BTreeMap<VarId, TermId> {
        let program = self.stage.program;
        let transition = program.transition(step);
        let mut after = BTreeMap::new();
        for update in &transition.updates {
            let var = match mover {
                Mover::Single(_) => update.place.var,
                Mover::Copy(copy) => self.stage.name(copy, update.place.var),
            };
            let mut value = self.of_mover(mover, update.value);
            if let Some(index) = update.place.index {
                let index = self.of_mover(mover, index);
                let before = after.get(&var).copied();
                let array = before.unwrap_or_else(|| self.stage.terms.var(var));
                value = self.stage.terms.store(array, index, value);
            }
            after.insert(var, value);
        }
        if let Mover::Copy(_) = mover {
            for counter in &self.counters {
                let counted = |location: LocId| i128::from(counter.locations.contains(&location));
                let terms = &mut self.stage.terms;
                let change = terms.constant(counted(transition.to) - counted(transition.from), COUNT);
                let before = terms.var(counter.var);
                after.insert(counter.var, terms.add(before, change));
            }
        }
        after
    }

    /// Counters are at least the numbers of these copies that they count.
    fn counted(&mut self, copies: &[Copied]) -> Vec<TermId> {
        let mut facts = Vec::new();
        for counter in &self.counters {
            let here = copies.iter().filter(|(_, location)| counter.locations.contains(location)).count();
            let terms = &mut self.stage.terms;
            let (here, count) = (terms.constant(here as i128, COUNT), terms.var(counter.var));
            facts.push(terms.le(here, count));
        }
        facts
    }

    fn of_mover(&mut self, mover: Mover, term: TermId) -> TermId {
        match mover {
            Mover::Single(_) => term,
            Mover::Copy(copy) => self.stage.of_copy(copy, term),
        }
    }

    /// Whether somebody else under consideration stands at an atomic location.
    fn waits(&self, singles: &[LocId], copies: &[Copied], mover: Mover) -> bool {
        let atomic = |location: LocId| self.stage.program.location(location).atomic;
        let mut others = singles.iter().enumerate().filter(|&(place, _)| mover != Mover::Single(place));
        others.any(|(_, &location)| atomic(location))
            || copies.iter().any(|&(copy, location)| mover != Mover::Copy(copy) && atomic(location))
    }
}

/// What a variable holds at first.
fn initially(stage: &mut Stage<'_>, program: &Program, var: VarId) -> TermId {
    match program.variables.get(var.index()).map(|variable| (&variable.init, variable.sort)) {
        Some((Init::Value(datum), sort)) => stage.terms.datum(datum, sort),
        Some((Init::Any, _)) => stage.terms.var(var),
        None => stage.terms.constant(0, COUNT),
    }
}
