//! Predicate abstraction: what a transition does to truth values of predicates.
//!
//! An abstract data state is a [`Cube`]: for each predicate true, false, or not known. The image of a cube
//! under a transition is a set of cubes that together cover every concrete successor; predicates that the
//! step decides get both values in turn where both are possible, and each combination is checked to be
//! possible, so nothing is lost by joining.
//!
//! Almost all time of an engine goes here, so work is saved five ways. Predicates that mention no written
//! variable keep their value without a question. The rest falls into groups that share no variable, so that
//! each group is a small question of its own. Many groups are answered by looking: the precondition is a
//! constant, or a predicate whose value is known. Questions about integer differences, nearly all others, are
//! decided here (`difference/`). And answers are kept, those of the solver as models and cores
//! (`relation.rs`), with just the facts that matter, so that neither new predicates elsewhere nor a change of
//! the partition makes them stale.

mod ask;
mod plan;
#[cfg(test)]
mod tests;

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::connected::Connected;
use super::cube::{Cube, CubeId, Cubes, MaskId, PredId};
use super::difference::{Readings, Step};
use super::images::{Image, Images};
use super::intern::Interner;
use super::path::Demand;
use super::relation::{Outcome, Relation};
use plan::{Group, Plan, Precondition, Touched};

use crate::program::pass::Liveness;
use crate::program::{Init, Program, Role, TransId};
use crate::smt::{GaveUp, IntModel, Solver, Watch};
use crate::term::{Node, Pool, TermId, VarId};

/// Counters of the work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Questions to the solver.
    pub queries: u64,
    /// Questions about differences, answered here.
    pub differences: u64,
    /// Questions answered from what was asked before.
    pub hits: u64,
    /// Groups decided by looking.
    pub syntactic: u64,
}

/// What makes a relation: transition, predicates decided, what is asked for the transition to fire if that
/// belongs to it.
type Subject = (TransId, Vec<PredId>, Option<TermId>);

/// What can become of the decided predicates of a group: cubes that know these.
#[derive(Clone)]
enum Outcomes {
    /// The transition cannot be taken.
    None,
    /// This alone.
    One(Cube),
    /// Any of these.
    Several(Rc<[Cube]>),
}

impl From<Vec<Cube>> for Outcomes {
    fn from(mut cubes: Vec<Cube>) -> Outcomes {
        match cubes.len() {
            0 => Outcomes::None,
            1 => Outcomes::One(cubes.remove(0)),
            _ => Outcomes::Several(cubes.into()),
        }
    }
}

/// The predicates of a program and what is known of their images.
pub struct Abstraction<'p> {
    program: &'p Program,
    /// The engine's terms, grown from the program's.
    pub terms: Pool,
    int_model: IntModel,
    /// Set up when it is first asked: many programs never need it.
    solver: LazyCell<Solver, Box<dyn FnOnce() -> Solver + 'p>>,
    predicates: Vec<TermId>,
    vars: Vec<Vec<VarId>>,
    ids: FxHashMap<TermId, PredId>,
    /// For each predicate, what it means initially, once known.
    initially: Vec<Option<TermId>>,
    preconditions: FxHashMap<(TransId, PredId), Rc<Precondition>>,
    subjects: Interner<Subject>,
    /// For each subject, what is known.
    relations: Vec<Relation>,
    readings: Readings,
    /// For each subject and premises, the question about differences.
    steps: FxHashMap<(u32, Vec<PredId>), Option<Rc<Step>>>,
    /// For each subject and facts, what was asked before.
    answers: FxHashMap<(u32, CubeId), Outcomes>,
    /// For each location, the private variables that may still be read.
    live: Liveness,
    cubes: Cubes,
    /// For each transition, when it fires: its guard, and its ranges once these are respected.
    fires: Vec<TermId>,
    touched: Vec<Touched>,
    /// The predicates in use, in order.
    precision: Vec<PredId>,
    /// The variables that they connect.
    connected: Connected,
    /// For each transition, what it does to them, once known.
    plans: Vec<Option<Rc<Plan>>>,
    /// Images under them.
    images: Images<CubeId>,
    work: Work,
}

impl<'p> Abstraction<'p> {
    /// An abstraction without predicates.
    pub fn new(program: &'p Program, int_model: IntModel, watch: &'p Watch<'p>) -> Abstraction<'p> {
        let solver = move || {
            let mut solver = Solver::new(int_model, watch);
            for input in program.variable_ids().filter(|&var| program.variable(var).role == Role::Input) {
                solver.assert_in_range(&program.terms, input);
            }
            solver
        };
        Abstraction {
            program,
            terms: program.terms.clone(),
            int_model,
            solver: LazyCell::new(Box::new(solver)),
            predicates: Vec::new(),
            vars: Vec::new(),
            ids: FxHashMap::default(),
            initially: Vec::new(),
            preconditions: FxHashMap::default(),
            subjects: Interner::default(),
            relations: Vec::new(),
            readings: Readings::default(),
            steps: FxHashMap::default(),
            answers: FxHashMap::default(),
            live: Liveness::of(program),
            cubes: Cubes::default(),
            fires: program.transitions.iter().map(|transition| transition.guard).collect(),
            touched: Touched::all(program),
            precision: Vec::new(),
            connected: Connected::new(program.variables.len()),
            plans: vec![None; program.transitions.len()],
            images: Images::new(program.transitions.len()),
            work: Work::default(),
        }
    }

    /// Chooses the predicates that images are computed for. Images for other predicates are dropped, answers
    /// are kept.
    pub fn set_precision(&mut self, predicates: &BTreeSet<PredId>) {
        if self.precision.iter().eq(predicates) {
            return;
        }
        self.precision.clear();
        self.precision.extend(predicates);
        self.images.clear();
        self.plans.fill(None);
        self.connected = Connected::new(self.program.variables.len());
        for predicate in predicates {
            self.connected.join_all(&self.vars[predicate.index()]);
        }
    }

    /// From now on a transition fires only where its ranges hold too. False if that was so before.
    ///
    /// Without this, images over-approximate: signed words are whole numbers, so that what overflows goes on.
    /// That is all that most proofs need, and it keeps the ranges out of the questions.
    pub fn respect_ranges(&mut self, transition: TransId) -> bool {
        let fires = Demand::Conditions.of(&mut self.terms, self.program.transition(transition));
        if std::mem::replace(&mut self.fires[transition.index()], fires) == fires {
            return false;
        }
        self.touched[transition.index()].guard = self.terms.vars(fires);
        self.plans[transition.index()] = None;
        self.images.clear();
        true
    }

    /// Counts questions that others asked on behalf of the abstraction: about paths.
    pub fn count_queries(&mut self, queries: u64) {
        self.work.queries += queries;
    }

    /// The cube of a number.
    pub fn cube(&self, id: CubeId) -> &Cube {
        self.cubes.cube(id)
    }

    /// The predicate for an atom.
    pub fn predicate(&mut self, atom: TermId) -> PredId {
        if let Some(&id) = self.ids.get(&atom) {
            return id;
        }
        let id = PredId::new(self.predicates.len());
        self.predicates.push(atom);
        self.vars.push(self.terms.vars(atom));
        self.initially.push(None);
        self.ids.insert(atom, id);
        id
    }

    /// Which predicates a cube knows.
    pub fn mask(&self, cube: CubeId) -> MaskId {
        self.cubes.mask(cube)
    }

    /// What a cube says of some predicates, if it knows them all and there is such a cube.
    pub fn weaker(&self, cube: CubeId, mask: MaskId) -> Option<CubeId> {
        self.cubes.weaker(cube, mask)
    }

    /// The atom of a predicate.
    pub fn atom(&self, predicate: PredId) -> TermId {
        self.predicates[predicate.index()]
    }

    /// The value of a truth term that has but one and shows it.
    pub fn constant(&mut self, term: TermId) -> Option<bool> {
        let over_integers = || self.readings.constant(&self.terms, term);
        self.terms.as_bool(term).or_else(|| (self.int_model == IntModel::Integer).then(over_integers)?)
    }

    /// Work done so far.
    pub fn work(&self) -> Work {
        self.work
    }

    /// The cubes after a transition; none if it cannot be taken.
    ///
    /// # Errors
    /// If the solver gives up.
    pub fn image(&mut self, transition: TransId, cube: CubeId) -> Result<Image, GaveUp> {
        if let Some(known) = self.images.find(transition, cube.index()) {
            self.work.hits += 1;
            return Ok(known);
        }
        let plan = self.plan(transition);
        let before = self.cubes.cube(cube).clone();
        let enabled = self.look(self.fires[transition.index()], &before);
        if enabled == Some(false) {
            self.work.syntactic += 1;
            return Ok(self.images.insert(transition, cube.index(), &[]));
        }
        let preconditions =
            plan.decided.iter().map(|(predicate, precondition)| (*predicate, precondition.term));
        let change = enabled.and_then(|_| self.look_at_all(preconditions, &before));
        if let Some(change) = change {
            self.work.syntactic += 1;
            let mut after = before;
            after.change(&change);
            after.forget(&plan.dead);
            let after = self.cubes.id(after);
            return Ok(self.images.insert(transition, cube.index(), &[after]));
        }
        let ids = self.image_by_groups(transition, &plan, before)?;
        Ok(self.images.insert(transition, cube.index(), &ids))
    }

    /// The cubes after a transition, group by group.
    fn image_by_groups(
        &mut self,
        transition: TransId,
        plan: &Plan,
        before: Cube,
    ) -> Result<Vec<CubeId>, GaveUp> {
        let mut after = before.clone();
        let mut open: Vec<Rc<[Cube]>> = Vec::new();
        for group in self.groups(transition, plan) {
            match self.outcomes(transition, group, &before)? {
                Outcomes::None => return Ok(Vec::new()),
                Outcomes::One(change) => after.change(&change),
                Outcomes::Several(changes) => open.push(changes),
            }
        }
        let all = open.iter().fold(vec![after], |cubes, changes| products(&cubes, changes));
        let mut ids: Vec<CubeId> = Vec::with_capacity(all.len());
        for mut after in all {
            after.forget(&plan.dead);
            ids.push(self.cubes.id(after));
        }
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    /// The cubes of an image.
    pub fn cubes(&self, image: Image) -> &[CubeId] {
        self.images.states(image)
    }

    /// The cubes of the initial state.
    ///
    /// # Errors
    /// If the solver gives up.
    pub fn initial(&mut self) -> Result<Vec<CubeId>, GaveUp> {
        let mut dead = Cube::default();
        for thread in &self.program.threads {
            dead.change(&self.dead(thread.entry));
        }
        let mut cube = Cube::default();
        let mut open: Vec<(PredId, TermId)> = Vec::new();
        for position in 0..self.precision.len() {
            let predicate = self.precision[position];
            if dead.get(predicate).is_none() {
                let term = self.initially(predicate);
                match self.terms.as_bool(term) {
                    Some(value) => cube.set(predicate, Some(value)),
                    None => open.push((predicate, term)),
                }
            }
        }
        if open.is_empty() {
            return Ok(vec![self.cubes.id(cube)]);
        }
        let terms: Vec<TermId> = open.iter().map(|(_, term)| *term).collect();
        self.solver.push();
        for var in self.program.variable_ids().filter(|&var| self.program.variable(var).init == Init::Any) {
            self.solver.assert_in_range(&self.terms, var);
        }
        let combinations = self.enumerate(&terms);
        self.solver.pop();
        let mut cubes = Vec::new();
        for values in combinations? {
            let mut cube = cube.clone();
            for (&(predicate, _), value) in open.iter().zip(values) {
                cube.set(predicate, Some(value));
            }
            cubes.push(self.cubes.id(cube));
        }
        cubes.sort_unstable();
        cubes.dedup();
        Ok(cubes)
    }

    /// The predicate with variables replaced by their initial values.
    fn initially(&mut self, predicate: PredId) -> TermId {
        if let Some(known) = self.initially[predicate.index()] {
            return known;
        }
        let program = self.program;
        let atom = self.atom(predicate);
        let term = self.terms.substitute(atom, |terms, var| match &program.variable(var).init {
            Init::Value(datum) => Some(terms.datum(datum, program.variable(var).sort)),
            Init::Any => None,
        });
        self.initially[predicate.index()] = Some(term);
        term
    }

    fn outcomes(&mut self, transition: TransId, group: &Group, cube: &Cube) -> Result<Outcomes, GaveUp> {
        let guard = self.fires[transition.index()];
        let enabled = if group.guarded { self.look(guard, cube) } else { Some(true) };
        if enabled == Some(false) {
            self.work.syntactic += 1;
            return Ok(Outcomes::None);
        }
        if enabled == Some(true)
            && let Some(change) = self.look_at_all(group.decided.iter().copied(), cube)
        {
            self.work.syntactic += 1;
            return Ok(Outcomes::One(change));
        }
        let facts = cube.within(&group.mask);
        let question = (group.number, self.cubes.id(facts));
        if let Some(known) = self.answers.get(&question) {
            self.work.hits += 1;
            return Ok(known.clone());
        }
        let by_differences = self
            .step(transition, group)
            .and_then(|step| step.outcomes(group.premises.iter().map(|&premise| cube.get(premise))));
        self.work.differences += u64::from(by_differences.is_some());
        let outcomes: Vec<Outcome> = match by_differences {
            Some(outcomes) => outcomes,
            None => self.ask(transition, group, question.1)?.into_iter().collect(),
        };
        let outcomes =
            Outcomes::from(outcomes.iter().map(|outcome| group.change(outcome)).collect::<Vec<Cube>>());
        self.answers.insert(question, outcomes.clone());
        Ok(outcomes)
    }

    /// What becomes of the decided predicates, if that shows without a question.
    fn look_at_all(&self, decided: impl Iterator<Item = (PredId, TermId)>, cube: &Cube) -> Option<Cube> {
        let mut change = Cube::default();
        for (predicate, term) in decided {
            change.set(predicate, Some(self.look(term, cube)?));
        }
        Some(change)
    }

    /// A predicate or its negation.
    pub fn literal(&mut self, predicate: PredId, value: bool) -> TermId {
        let atom = self.atom(predicate);
        if value { atom } else { self.terms.not(atom) }
    }

    /// The value of a truth term under a cube, as far as it shows without a solver.
    fn look(&self, term: TermId, cube: &Cube) -> Option<bool> {
        match self.terms.node(term) {
            Node::Bool(value) => Some(*value),
            Node::Not(a) => self.look(*a, cube).map(|value| !value),
            Node::And(list) => {
                let values = list.iter().map(|&t| self.look(t, cube));
                all_of(values, true)
            }
            Node::Or(list) => {
                let values = list.iter().map(|&t| self.look(t, cube));
                all_of(values, false)
            }
            _ => self.ids.get(&term).and_then(|&predicate| cube.get(predicate)),
        }
    }
}

/// Each of some cubes with each of some changes.
fn products(cubes: &[Cube], changes: &[Cube]) -> Vec<Cube> {
    let changed = |cube: &Cube, change: &Cube| {
        let mut cube = cube.clone();
        cube.change(change);
        cube
    };
    cubes.iter().flat_map(|cube| changes.iter().map(move |change| changed(cube, change))).collect()
}

/// Conjunction (`neutral` true) or disjunction (`neutral` false) of values that may be open.
fn all_of(values: impl Iterator<Item = Option<bool>>, neutral: bool) -> Option<bool> {
    let mut result = Some(neutral);
    for value in values {
        match value {
            Some(value) if value != neutral => return Some(value),
            Some(_) => {}
            None => result = None,
        }
    }
    result
}
