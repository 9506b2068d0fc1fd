//! A check of invariants for any number of copies that shares nothing with the search that found them: its
//! terms are the program's own, it compares the twins itself, renames and substitutes itself, and has a
//! solver of its own, one question for each step and standing.
//!
//! Why an invariant that passes proves the program. Let a state *satisfy* it if, for every choice of so many
//! different copies, in every order, the region of where they and the single threads stand holds of their
//! variables. Initial states do: all copies stand at entries, and for all choices of entries the region is
//! checked; all counters are 0, since no entry is counted. Let a state that satisfies it take a step, and
//! choose copies. If a single thread or one that was chosen moves, the region after the step follows from
//! the one before. If another copy moves, the invariant holds before it for all choices from those chosen and
//! this one, and the region after the step follows from all these regions together. In both cases a counter
//! is at least the number of copies under consideration that it counts, and changes by what the one that
//! moves does.
//! No region stands at a target, and a thread that gets to one is single or can be chosen. So no state at a
//! target is reached. Where the program has no target nothing has to be shown.
//!
//! While somebody stands at an atomic location the others wait; that is used of those under consideration.
//! Counters are whole numbers, and so is what the program counts of its copies; so it is for the integer model.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::{Crowd, Standing, single_threads};
use crate::budget::Budget;
use crate::program::{Init, LocId, Program, Renaming, Role, ThreadId, TransId};
use crate::proof::{Checked, Defect, Flaw};
use crate::smt::{Answer, IntModel, Solver, Watch, interruptible};
use crate::term::{Pool, Sort, TermId, VarId, Word};

/// Checks an invariant for any number of copies, of the program without bound that a program has.
///
/// # Errors
/// The first flaw found.
pub fn check_crowd(
    program: &Program,
    crowd: &Crowd,
    int_model: IntModel,
    budget: &Budget,
) -> Result<Checked, Flaw> {
    let unbounded = program.unbounded.as_deref().ok_or(Flaw::Crowd(Defect::Template))?;
    if !unbounded.locations.iter().any(|location| location.is_target()) {
        return Ok(Checked::default());
    }
    let renaming = Renaming::of(unbounded).ok_or(Flaw::Crowd(Defect::Template))?;
    interruptible(budget, |watch| {
        let mut checker = Checker::new(unbounded, crowd, &renaming, int_model, watch);
        checker.well_formed()?;
        checker.take_over();
        checker.initial()?;
        for standing in crowd.regions.keys() {
            budget.check().map_err(|stop| Flaw::GaveUp(stop.into()))?;
            checker.closed(standing)?;
        }
        Ok(Checked { queries: checker.solver.queries(), steps: checker.steps })
    })
}

/// Somebody who moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mover {
    /// The single thread of this position.
    Single(usize),
    /// The copy of this position; the last one is none of those that the region speaks of.
    Copy(usize),
}

struct Checker<'a> {
    program: &'a Program,
    crowd: &'a Crowd,
    singles: Vec<ThreadId>,
    int_model: IntModel,
    /// The program's terms, those of the invariant, and their instances.
    terms: Pool,
    /// The regions in these terms.
    regions: BTreeMap<Standing, TermId>,
    /// For each counter, its variable in these terms.
    counts: Vec<VarId>,
    /// The regions of some copies, once they were asked for.
    instances: FxHashMap<(Vec<LocId>, Vec<(usize, LocId)>), Option<TermId>>,
    solver: Solver,
    /// For each copy, its names of the private variables and inputs of first twins.
    names: Vec<FxHashMap<VarId, VarId>>,
    /// The second twin's name of a location of the first.
    second: FxHashMap<LocId, LocId>,
    /// The first twin's name of a location of either.
    first: FxHashMap<LocId, LocId>,
    /// The steps of first twins.
    steps_of_copies: Vec<TransId>,
    steps: u64,
}

impl<'a> Checker<'a> {
    fn new(
        program: &'a Program,
        crowd: &'a Crowd,
        renaming: &Renaming,
        int_model: IntModel,
        watch: &Watch<'_>,
    ) -> Checker<'a> {
        let mut terms = program.terms.clone();
        let owned: BTreeSet<VarId> = renaming.variables.keys().copied().collect();
        let same: FxHashMap<VarId, VarId> = owned.iter().map(|&var| (var, var)).collect();
        let mut names = vec![same, renaming.variables.clone()];
        let mut fresh = |name: &str, sort: Sort| terms.declare(name, sort);
        let third = owned.iter().map(|&var| {
            let variable = program.variable(var);
            (var, fresh(&variable.name, variable.sort))
        });
        names.push(third.collect());
        let counts = crowd.counters.iter().map(|_| fresh("counter", Sort::Word(Word::signed(64)))).collect();
        let mut solver = Solver::new(int_model, watch);
        for var in program.variable_ids().filter(|&var| program.variable(var).role == Role::Input) {
            solver.assert_in_range(&terms, var);
            if let Some(&third) = names[2].get(&var) {
                solver.assert_in_range(&terms, third);
            }
        }
        let second = renaming.locations.clone();
        let first = second.iter().flat_map(|(&one, &other)| [(one, one), (other, one)]).collect();
        let steps_of_copies = renaming.transitions.keys().copied().collect::<BTreeSet<TransId>>();
        Checker {
            program,
            crowd,
            singles: single_threads(program),
            int_model,
            terms,
            regions: BTreeMap::new(),
            counts,
            instances: FxHashMap::default(),
            solver,
            names,
            second,
            first,
            steps_of_copies: steps_of_copies.into_iter().collect(),
            steps: 0,
        }
    }

    // ---- what the invariant looks like

    fn well_formed(&self) -> Result<(), Flaw> {
        let crowd = self.crowd;
        let fine = self.int_model == IntModel::Integer
            && (1..=2).contains(&crowd.copies)
            && self.counters_are_fine()
            && crowd.regions.keys().all(|standing| self.is_standing(standing))
            && self.regions_speak_of_their_own();
        if fine { Ok(()) } else { Err(Flaw::Crowd(Defect::Malformed)) }
    }

    /// Whether each counter is a variable of its own, and none counts an entry: infinitely many copies are
    /// there.
    fn counters_are_fine(&self) -> bool {
        let vars: BTreeSet<VarId> = self.crowd.counters.iter().map(|counter| counter.var).collect();
        let entries: BTreeSet<LocId> = self.entries().collect();
        vars.len() == self.crowd.counters.len()
            && self.crowd.counters.iter().all(|counter| {
                let known = self.program.variables.len()..self.crowd.terms.var_count();
                known.contains(&counter.var.index())
                    && self.crowd.terms.var_sort(counter.var) == Sort::Word(Word::signed(64))
                    && counter.locations.is_disjoint(&entries)
                    && counter.locations.iter().all(|location| self.second.contains_key(location))
            })
    }

    /// Where copies begin, by first twins.
    fn entries(&self) -> impl Iterator<Item = LocId> + '_ {
        self.program.twins.iter().map(|twins| self.program.thread(twins.threads[0]).entry)
    }

    fn is_standing(&self, standing: &Standing) -> bool {
        let program = self.program;
        let known = |location: &LocId| location.index() < program.locations.len();
        let all = || standing.singles.iter().chain(&standing.copies);
        all().all(known)
            && all().all(|&location| !program.location(location).is_target())
            && standing
                .singles
                .iter()
                .map(|&location| program.location(location).thread)
                .eq(self.singles.iter().copied())
            && standing.copies.len() == self.crowd.copies
            && standing.copies.iter().enumerate().all(|(copy, location)| match copy {
                0 => self.second.contains_key(location),
                _ => self.second.values().any(|second| second == location),
            })
    }

    /// Whether facts are conditions on shared variables, on those of single threads, on those of the copies
    /// that the region speaks of, and on counters.
    fn regions_speak_of_their_own(&self) -> bool {
        let counters: BTreeSet<VarId> = self.crowd.counters.iter().map(|counter| counter.var).collect();
        let speakers: BTreeSet<ThreadId> = self
            .program
            .twins
            .iter()
            .flat_map(|twins| twins.threads.into_iter().take(self.crowd.copies))
            .chain(self.singles.iter().copied())
            .collect();
        let own = |var: &VarId| match self.program.variables.get(var.index()) {
            Some(known) if known.sort != self.crowd.terms.var_sort(*var) => false,
            Some(known) => match known.role {
                Role::Shared => true,
                Role::Private(thread) => speakers.contains(&thread),
                Role::Input => false,
            },
            None => counters.contains(var),
        };
        self.crowd.regions.values().all(|&region| {
            region.index() < self.crowd.terms.term_count()
                && self.crowd.terms.sort(region) == Sort::Bool
                && self.crowd.terms.vars(region).iter().all(own)
        })
    }

    /// Copies the regions into the program's terms.
    fn take_over(&mut self) {
        let crowd = self.crowd;
        let counters = crowd.counters.iter().map(|counter| counter.var);
        let counts: FxHashMap<VarId, VarId> = counters.zip(self.counts.iter().copied()).collect();
        let mut images = FxHashMap::default();
        for (standing, &region) in &crowd.regions {
            let name = |var: VarId| counts.get(&var).copied().unwrap_or(var);
            let region = self.terms.import(&crowd.terms, region, &mut images, name);
            self.regions.insert(standing.clone(), region);
        }
    }

    // ---- instances

    /// The region of some copies, at locations of first twins, in this order. `None` where nothing is
    /// possible.
    fn region(&mut self, singles: &[LocId], copies: &[(usize, LocId)]) -> Option<TermId> {
        let key = (singles.to_vec(), copies.to_vec());
        if let Some(&known) = self.instances.get(&key) {
            return known;
        }
        let made = self.instance(singles, copies);
        self.instances.insert(key, made);
        made
    }

    fn instance(&mut self, singles: &[LocId], copies: &[(usize, LocId)]) -> Option<TermId> {
        let at = |(place, &(_, location)): (usize, &(usize, LocId))| match place {
            0 => location,
            _ => self.second[&location],
        };
        let standing =
            Standing { singles: singles.to_vec(), copies: copies.iter().enumerate().map(at).collect() };
        let region = *self.regions.get(&standing)?;
        let mut image: FxHashMap<VarId, VarId> = FxHashMap::default();
        for (place, &(copy, _)) in copies.iter().enumerate() {
            let (from, to) = (&self.names[place], &self.names[copy]);
            image.extend(from.iter().map(|(var, name)| (*name, to[var])));
        }
        Some(self.renamed(region, &image))
    }

    fn renamed(&mut self, term: TermId, image: &FxHashMap<VarId, VarId>) -> TermId {
        self.terms.substitute(term, |terms, var| image.get(&var).map(|&other| terms.var(other)))
    }

    /// All that the invariant says of these copies, which stand at locations of first twins. `None` if they
    /// cannot stand there.
    fn all_of(&mut self, singles: &[LocId], copies: &[(usize, LocId)]) -> Option<Vec<TermId>> {
        let mut facts = Vec::new();
        for (at, &one) in copies.iter().enumerate() {
            if self.crowd.copies == 1 {
                facts.push(self.region(singles, &[one])?);
                continue;
            }
            for (_, &other) in copies.iter().enumerate().filter(|&(other, _)| other != at) {
                facts.push(self.region(singles, &[one, other])?);
            }
        }
        facts.extend(self.counted(copies));
        Some(facts)
    }

    /// Counters are at least the numbers of these copies that they count.
    fn counted(&mut self, copies: &[(usize, LocId)]) -> Vec<TermId> {
        let crowd = self.crowd;
        let mut facts = Vec::new();
        for (counter, &count) in crowd.counters.iter().zip(&self.counts) {
            let here = copies.iter().filter(|(_, location)| counter.locations.contains(location)).count();
            let here = self.terms.constant(here as i128, Word::signed(64));
            let count = self.terms.var(count);
            facts.push(self.terms.le(here, count));
        }
        facts
    }

    // ---- questions

    /// Whether some state satisfies all of these.
    fn possible(&mut self, facts: &[TermId]) -> Result<bool, Flaw> {
        match self.solver.check(&self.terms, facts) {
            Answer::Sat => Ok(true),
            Answer::Unsat(_) => Ok(false),
            Answer::Unknown(gave_up) => Err(Flaw::GaveUp(gave_up)),
        }
    }

    fn initial(&mut self) -> Result<(), Flaw> {
        let program = self.program;
        let singles: Vec<LocId> = self.singles.iter().map(|&thread| program.thread(thread).entry).collect();
        let entries: Vec<LocId> = self.entries().collect();
        self.solver.push();
        for var in program.variable_ids().filter(|&var| program.variable(var).init == Init::Any) {
            self.solver.assert_in_range(&self.terms, var);
        }
        for &one in &entries {
            for &other in &entries[..if self.crowd.copies == 1 { 1 } else { entries.len() }] {
                let copies = [(0, one), (1, other)];
                self.initially(&singles, &copies[..self.crowd.copies])?;
            }
        }
        self.solver.pop();
        Ok(())
    }

    fn initially(&mut self, singles: &[LocId], copies: &[(usize, LocId)]) -> Result<(), Flaw> {
        let region = self.region(singles, copies).ok_or(Flaw::Crowd(Defect::Initial))?;
        let (program, counts) = (self.program, &self.counts);
        let inside = self.terms.substitute(region, |terms, var| {
            if counts.contains(&var) {
                return Some(terms.constant(0, Word::signed(64)));
            }
            let variable = program.variable(var);
            match &variable.init {
                Init::Value(datum) => Some(terms.datum(datum, variable.sort)),
                Init::Any => None,
            }
        });
        let outside = self.terms.not(inside);
        match self.possible(&[outside])? {
            true => Err(Flaw::Crowd(Defect::Initial)),
            false => Ok(()),
        }
    }

    /// Whether all steps from a region lead to regions.
    fn closed(&mut self, standing: &Standing) -> Result<(), Flaw> {
        let copies: Vec<(usize, LocId)> =
            standing.copies.iter().map(|location| self.first[location]).enumerate().collect();
        for (place, &location) in standing.singles.iter().enumerate() {
            for &step in self.program.outgoing(location) {
                self.step(&standing.singles, &copies, Mover::Single(place), step)?;
            }
        }
        for &(copy, location) in &copies {
            for &step in self.program.outgoing(location) {
                self.step(&standing.singles, &copies, Mover::Copy(copy), step)?;
            }
        }
        for at in 0..self.steps_of_copies.len() {
            let step = self.steps_of_copies[at];
            self.step(&standing.singles, &copies, Mover::Copy(self.crowd.copies), step)?;
        }
        Ok(())
    }

    /// Whether a step, one of a single thread or of a first twin, leads into the invariant for these copies.
    fn step(
        &mut self,
        singles: &[LocId],
        copies: &[(usize, LocId)],
        mover: Mover,
        step: TransId,
    ) -> Result<(), Flaw> {
        self.steps += 1;
        let other = mover == Mover::Copy(self.crowd.copies);
        let transition = self.program.transition(step);
        let is_target = self.program.location(transition.to).is_target();
        if other && is_target || self.waits(singles, copies, mover) {
            return Ok(());
        }
        let (mut after, mut singles_after) = (copies.to_vec(), singles.to_vec());
        match mover {
            Mover::Single(place) => singles_after[place] = transition.to,
            Mover::Copy(copy) if !other => after[copy].1 = transition.to,
            Mover::Copy(_) => {}
        }
        let wanted = if is_target { None } else { self.region(&singles_after, &after) };
        let wanted = wanted.unwrap_or_else(|| self.terms.bool(false));
        let inside = self.after(mover, step, wanted);
        if other && inside == wanted {
            return Ok(());
        }
        let mut concerned = copies.to_vec();
        if let (true, Mover::Copy(copy)) = (other, mover) {
            concerned.push((copy, transition.from));
        }
        let Some(mut facts) = self.all_of(singles, &concerned) else { return Ok(()) };
        facts.push(self.of_mover(mover, transition.guard));
        facts.push(self.terms.not(inside));
        facts.retain(|&fact| self.terms.as_bool(fact) != Some(true));
        if facts.iter().any(|&fact| self.terms.as_bool(fact) == Some(false)) || !self.possible(&facts)? {
            return Ok(());
        }
        // Most steps need not know that they do not overflow.
        let ranges: Vec<TermId> = transition.ranges.iter().map(|range| range.holds).collect();
        facts.extend(ranges.iter().map(|&range| self.of_mover(mover, range)).collect::<Vec<TermId>>());
        if !ranges.is_empty() && !self.possible(&facts)? {
            return Ok(());
        }
        Err(Flaw::Crowd(Defect::Leaves(step)))
    }

    /// Whether somebody else under consideration stands at an atomic location.
    fn waits(&self, singles: &[LocId], copies: &[(usize, LocId)], mover: Mover) -> bool {
        let atomic = |location: LocId| self.program.location(location).atomic;
        let mut others = singles.iter().enumerate().filter(|&(place, _)| mover != Mover::Single(place));
        others.any(|(_, &location)| atomic(location))
            || copies.iter().any(|&(copy, location)| mover != Mover::Copy(copy) && atomic(location))
    }

    /// A term of a step as the mover has it.
    fn of_mover(&mut self, mover: Mover, term: TermId) -> TermId {
        match mover {
            Mover::Single(_) => term,
            Mover::Copy(copy) => {
                let names = self.names[copy].clone();
                self.renamed(term, &names)
            }
        }
    }

    /// A condition on the state after a step, as one on the state before.
    fn after(&mut self, mover: Mover, step: TransId, condition: TermId) -> TermId {
        let program = self.program;
        let transition = program.transition(step);
        let mut values: BTreeMap<VarId, TermId> = BTreeMap::new();
        for update in &transition.updates {
            let var = match mover {
                Mover::Single(_) => update.place.var,
                Mover::Copy(copy) => {
                    self.names[copy].get(&update.place.var).copied().unwrap_or(update.place.var)
                }
            };
            let value = self.of_mover(mover, update.value);
            let value = match update.place.index {
                None => value,
                Some(index) => {
                    let index = self.of_mover(mover, index);
                    let array = values.get(&var).copied().unwrap_or_else(|| self.terms.var(var));
                    self.terms.store(array, index, value)
                }
            };
            values.insert(var, value);
        }
        if let Mover::Copy(_) = mover {
            let crowd = self.crowd;
            for (counter, &count) in crowd.counters.iter().zip(&self.counts) {
                let counted = |location: LocId| i128::from(counter.locations.contains(&location));
                let change = counted(transition.to) - counted(transition.from);
                let change = self.terms.constant(change, Word::signed(64));
                let before = self.terms.var(count);
                values.insert(count, self.terms.add(before, change));
            }
        }
        self.terms.substitute(condition, |_, var| values.get(&var).copied())
    }
}
