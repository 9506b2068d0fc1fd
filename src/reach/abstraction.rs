//! Predicate abstraction: what a transition does to truth values of predicates.
//!
//! An abstract data state is a [`Cube`]: for each predicate true, false, or not known. The image of a cube under a transition is
//! a set of cubes that together cover every concrete successor; predicates that the step decides get both values in turn
//! where both are possible, and each combination is checked to be possible, so nothing is lost by joining.
//!
//! Almost all time of an engine goes here, so work is saved five ways. Predicates that mention no written variable keep
//! their value without a question. The rest falls into groups that share no variable, so that each group is a small question of its
//! own. Many groups are answered by looking: the precondition is a constant, or a predicate whose value is known. Questions about
//! integer differences, nearly all others, are decided here (`difference/`). And answers are kept, those of the solver as models and
//! cores (`relation.rs`), with just the facts that matter, so that neither new predicates elsewhere nor a change of the
//! partition makes them stale.

mod ask;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::connected::Connected;
use super::cube::{Cube, CubeId, Cubes, MaskId, PredId};
use super::difference::Step;
use super::intern::Interner;
use super::live::live_variables;
use super::path::datum_term;
use super::predicate::precondition;
use super::relation::{Outcome, Relation};
use crate::program::{Init, LocId, Program, Role, TransId};
use crate::smt::{IntModel, Solver};
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

/// What a transition does to one group of predicates.
#[derive(Default)]
struct Group {
    /// Of its relation.
    number: u32,
    /// Whether the guard belongs to this group.
    guarded: bool,
    /// The predicates whose value the step decides, with their preconditions.
    decided: Vec<(PredId, TermId)>,
    /// The predicates of the state before that can matter.
    premises: Vec<PredId>,
    /// A cube that knows these.
    mask: Cube,
    /// The question as one about differences, if it is one.
    step: Option<Rc<Step>>,
}

/// What a transition does to a set of predicates.
struct Plan {
    groups: Vec<Group>,
    /// Predicates over variables that are dead afterwards: forgotten.
    dead: Vec<PredId>,
}

/// What makes a relation: transition, predicates decided, whether the guard belongs to it.
type Subject = (TransId, Vec<PredId>, bool);

/// The possible values of the decided predicates, in order.
type Outcomes = Rc<[Outcome]>;

/// The predicates of a program and what is known of their images.
pub struct Abstraction<'p> {
    program: &'p Program,
    /// The engine's terms, grown from the program's.
    pub terms: Pool,
    solver: Solver,
    predicates: Vec<TermId>,
    vars: Vec<Vec<VarId>>,
    ids: FxHashMap<TermId, PredId>,
    preconditions: FxHashMap<(TransId, PredId), TermId>,
    subjects: Interner<Subject>,
    /// For each subject, what is known.
    relations: Vec<Relation>,
    /// For each subject and premises, the question about differences.
    steps: FxHashMap<(u32, Vec<PredId>), Option<Rc<Step>>>,
    /// For each subject and facts, what was asked before.
    answers: FxHashMap<(u32, CubeId), Outcomes>,
    /// For each location, the private variables that may still be read.
    live: Vec<BTreeSet<VarId>>,
    cubes: Cubes,
    /// The predicates in use.
    precision: BTreeSet<PredId>,
    /// For each transition, what it does to them.
    plans: Vec<Rc<Plan>>,
    /// Images under them: for each cube, for each transition, once known.
    images: Vec<Vec<Option<Rc<[CubeId]>>>>,
    /// The image of a transition that cannot be taken.
    nothing: Rc<[CubeId]>,
    work: Work,
}

/// The solver gave up on a question that matters, with its reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolverGaveUp(pub String);

impl<'p> Abstraction<'p> {
    /// An abstraction without predicates.
    pub fn new(program: &'p Program, int_model: IntModel) -> Abstraction<'p> {
        let mut solver = Solver::new(int_model);
        for input in program.variable_ids().filter(|&var| program.variable(var).role == Role::Input) {
            solver.assert_in_range(&program.terms, input);
        }
        let mut abstraction = Abstraction {
            program,
            terms: program.terms.clone(),
            solver,
            predicates: Vec::new(),
            vars: Vec::new(),
            ids: FxHashMap::default(),
            preconditions: FxHashMap::default(),
            subjects: Interner::default(),
            relations: Vec::new(),
            steps: FxHashMap::default(),
            answers: FxHashMap::default(),
            live: live_variables(program),
            cubes: Cubes::default(),
            precision: BTreeSet::new(),
            plans: Vec::new(),
            images: Vec::new(),
            nothing: Rc::new([]),
            work: Work::default(),
        };
        abstraction.plan_all();
        abstraction
    }

    /// Chooses the predicates that images are computed for. Images for other predicates are dropped, answers are kept.
    pub fn set_precision(&mut self, predicates: &BTreeSet<PredId>) {
        if self.precision != *predicates {
            self.precision.clone_from(predicates);
            self.images.clear();
            self.plan_all();
        }
    }

    fn plan_all(&mut self) {
        let predicates = self.precision.clone();
        self.plans = self.program.transition_ids().map(|id| Rc::new(self.plan(id, &predicates))).collect();
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

    /// The predicates in use over variables of a location's thread that are dead there.
    fn dead(&self, location: LocId) -> Vec<PredId> {
        let thread = self.program.location(location).thread;
        let is_dead = |var: &VarId| {
            self.program.variable(*var).role == Role::Private(thread)
                && !self.live[location.index()].contains(var)
        };
        let mentions_dead = |predicate: &PredId| self.vars[predicate.index()].iter().any(is_dead);
        self.precision.iter().copied().filter(mentions_dead).collect()
    }

    /// Work done so far.
    pub fn work(&self) -> Work {
        self.work
    }

    fn plan(&mut self, transition: TransId, predicates: &BTreeSet<PredId>) -> Plan {
        let step = self.program.transition(transition);
        let written: BTreeSet<VarId> = step.updates.iter().map(|update| update.place.var).collect();
        let decided: Vec<PredId> = predicates
            .iter()
            .copied()
            .filter(|predicate| self.vars[predicate.index()].iter().any(|var| written.contains(var)))
            .collect();
        let decided: Vec<(PredId, TermId)> = decided
            .into_iter()
            .map(|predicate| (predicate, self.precondition(transition, predicate)))
            .collect();
        let mut connected = Connected::default();
        let guard_vars = self.terms.vars(step.guard);
        connected.join_all(&guard_vars);
        for (_, term) in &decided {
            connected.join_all(&self.terms.vars(*term));
        }
        for predicate in predicates {
            connected.join_all(&self.vars[predicate.index()]);
        }
        let mut groups: BTreeMap<Option<VarId>, Group> = BTreeMap::new();
        if self.terms.as_bool(step.guard) != Some(true) {
            let root = connected.root_of(&guard_vars);
            groups.entry(root).or_default().guarded = true;
        }
        for (predicate, term) in decided {
            let root = connected.root_of(&self.terms.vars(term));
            groups.entry(root).or_default().decided.push((predicate, term));
        }
        for &predicate in predicates {
            let root = connected.root_of(&self.vars[predicate.index()]);
            if let Some(group) = groups.get_mut(&root) {
                group.premises.push(predicate);
                group.mask.set(predicate, Some(false));
            }
        }
        let mut groups: Vec<Group> = groups.into_values().collect();
        for group in &mut groups {
            let decided = group.decided.iter().map(|(predicate, _)| *predicate).collect();
            group.number = self.subjects.number((transition, decided, group.guarded));
            group.step = self.step(transition, group);
        }
        self.relations.resize_with(self.subjects.len(), Relation::default);
        Plan { groups, dead: self.dead(step.to) }
    }

    /// A group as a question about differences.
    fn step(&mut self, transition: TransId, group: &Group) -> Option<Rc<Step>> {
        if self.solver.int_model() != IntModel::Integer {
            return None;
        }
        let key = (group.number, group.premises.clone());
        if let Some(known) = self.steps.get(&key) {
            return known.clone();
        }
        let program = self.program;
        let guard = program.transition(transition).guard;
        let guards = if group.guarded { vec![guard] } else { Vec::new() };
        let facts: Vec<TermId> = group.premises.iter().map(|&premise| self.atom(premise)).collect();
        let asked: Vec<TermId> = group.decided.iter().map(|(_, term)| *term).collect();
        let is_input = |var: VarId| program.variable(var).role == Role::Input;
        let step = Step::new(&self.terms, &guards, &facts, &asked, is_input).map(Rc::new);
        self.steps.insert(key, step.clone());
        step
    }

    /// The cubes after a transition; none if it cannot be taken.
    ///
    /// # Errors
    /// If the solver gives up.
    pub fn image(&mut self, transition: TransId, cube: CubeId) -> Result<Rc<[CubeId]>, SolverGaveUp> {
        let known = self.images.get(cube.index()).and_then(|row| row.get(transition.index()));
        if let Some(Some(known)) = known {
            self.work.hits += 1;
            return Ok(Rc::clone(known));
        }
        let images = self.new_image(transition, cube)?;
        if self.images.len() <= cube.index() {
            self.images.resize_with(cube.index() + 1, Vec::new);
        }
        let row = &mut self.images[cube.index()];
        row.resize(self.plans.len(), None);
        row[transition.index()] = Some(Rc::clone(&images));
        Ok(images)
    }

    fn new_image(&mut self, transition: TransId, cube: CubeId) -> Result<Rc<[CubeId]>, SolverGaveUp> {
        let plan = Rc::clone(&self.plans[transition.index()]);
        let cube = self.cubes.cube(cube).clone();
        let mut images = vec![cube.clone()];
        for group in &plan.groups {
            let outcomes = self.outcomes(transition, group, &cube)?;
            if outcomes.is_empty() {
                return Ok(Rc::clone(&self.nothing));
            }
            let mut next = Vec::with_capacity(images.len() * outcomes.len());
            for image in &images {
                for outcome in outcomes.iter() {
                    let mut image = image.clone();
                    for (&(predicate, _), &value) in group.decided.iter().zip(outcome) {
                        image.set(predicate, Some(value));
                    }
                    next.push(image);
                }
            }
            images = next;
        }
        let mut ids: Vec<CubeId> = images.into_iter().map(|cube| self.without(cube, &plan.dead)).collect();
        ids.sort_unstable();
        ids.dedup();
        Ok(ids.into())
    }

    fn without(&mut self, mut cube: Cube, dead: &[PredId]) -> CubeId {
        for &predicate in dead {
            cube.set(predicate, None);
        }
        self.cubes.id(cube)
    }

    /// The cubes of the initial state.
    ///
    /// # Errors
    /// If the solver gives up.
    pub fn initial(&mut self) -> Result<Vec<CubeId>, SolverGaveUp> {
        let dead: BTreeSet<PredId> =
            self.program.threads.iter().flat_map(|thread| self.dead(thread.entry)).collect();
        let alive: Vec<PredId> = self.precision.difference(&dead).copied().collect();
        let decided: Vec<(PredId, TermId)> =
            alive.into_iter().map(|predicate| (predicate, self.initially(predicate))).collect();
        let open: Vec<TermId> =
            decided.iter().map(|(_, term)| *term).filter(|&t| self.terms.as_bool(t).is_none()).collect();
        let combinations = if open.is_empty() { vec![Vec::new()] } else { self.enumerate(&open)? };
        let cubes = combinations.into_iter().map(|values| {
            let mut values = values.into_iter();
            let mut cube = Cube::default();
            for &(predicate, term) in &decided {
                let value = self.terms.as_bool(term).or_else(|| values.next());
                cube.set(predicate, value);
            }
            self.cubes.id(cube)
        });
        let mut cubes: Vec<CubeId> = cubes.collect();
        cubes.sort_unstable();
        cubes.dedup();
        Ok(cubes)
    }

    /// The predicate with variables replaced by their initial values.
    fn initially(&mut self, predicate: PredId) -> TermId {
        let program = self.program;
        let atom = self.atom(predicate);
        self.terms.substitute(atom, |terms, var| match &program.variable(var).init {
            Init::Value(datum) => Some(datum_term(terms, datum, program.variable(var).sort)),
            Init::Any => None,
        })
    }

    fn precondition(&mut self, transition: TransId, predicate: PredId) -> TermId {
        if let Some(&known) = self.preconditions.get(&(transition, predicate)) {
            return known;
        }
        let atom = self.atom(predicate);
        let term = precondition(self.program, &mut self.terms, transition, atom);
        self.preconditions.insert((transition, predicate), term);
        term
    }

    fn outcomes(
        &mut self,
        transition: TransId,
        group: &Group,
        cube: &Cube,
    ) -> Result<Outcomes, SolverGaveUp> {
        let guard = self.program.transition(transition).guard;
        let enabled = if group.guarded { self.look(guard, cube) } else { Some(true) };
        if enabled == Some(false) {
            self.work.syntactic += 1;
            return Ok(Rc::new([]));
        }
        let looked: Vec<Option<bool>> =
            group.decided.iter().map(|&(_, term)| self.look(term, cube)).collect();
        if enabled == Some(true)
            && let Some(outcome) = looked.iter().copied().collect::<Option<Vec<bool>>>()
        {
            self.work.syntactic += 1;
            return Ok(Rc::new([outcome]));
        }
        let facts = cube.within(&group.mask);
        let question = (group.number, self.cubes.id(facts));
        if let Some(known) = self.answers.get(&question) {
            self.work.hits += 1;
            return Ok(Rc::clone(known));
        }
        let outcomes: Outcomes = match &group.step {
            Some(step) => {
                self.work.differences += 1;
                step.outcomes(group.premises.iter().map(|&premise| cube.get(premise))).into()
            }
            None => self.ask(transition, group, question.1)?.into_iter().collect(),
        };
        self.answers.insert(question, Rc::clone(&outcomes));
        Ok(outcomes)
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
