//! What each transition does to the predicates in use, worked out when it is first taken.
//!
//! A transition decides the predicates that mention a variable it writes. Where looking at preconditions and
//! guard does not suffice, these fall into groups that share no variable, not even by way of other
//! predicates; each group is a question of its own.

use std::cell::OnceCell;
use std::rc::Rc;

use super::Abstraction;
use crate::program::{LocId, Program, Role, TransId};
use crate::reach::cube::{Cube, PredId};
use crate::reach::difference::Step;
use crate::reach::predicate::precondition;
use crate::reach::relation::{Outcome, Relation};
use crate::smt::IntModel;
use crate::term::{TermId, VarId};

/// What a transition does to one group of predicates.
#[derive(Default)]
pub(super) struct Group {
    /// The class of its variables.
    root: Option<VarId>,
    /// Of its relation.
    pub number: u32,
    /// Whether the guard belongs to this group.
    pub guarded: bool,
    /// The predicates whose value the step decides, with their preconditions.
    pub decided: Vec<(PredId, TermId)>,
    /// The predicates of the state before that can matter.
    pub premises: Vec<PredId>,
    /// A cube that knows these.
    pub mask: Cube,
    /// The question as one about differences, if it is one, once it was asked.
    step: OnceCell<Option<Rc<Step>>>,
}

/// What a transition does to a set of predicates.
pub(super) struct Plan {
    /// The predicates whose value it decides.
    pub decided: Vec<(PredId, Rc<Precondition>)>,
    /// All this in groups, once looking did not suffice.
    groups: OnceCell<Vec<Group>>,
    /// A cube that knows the predicates over variables that are dead afterwards: forgotten.
    pub dead: Cube,
}

/// The variables of a transition.
pub(super) struct Touched {
    pub guard: Vec<VarId>,
    written: Vec<VarId>,
}

/// What must hold before a transition for a predicate to hold after it.
pub(super) struct Precondition {
    pub term: TermId,
    vars: Vec<VarId>,
}

impl Touched {
    /// The variables of each transition.
    pub(super) fn all(program: &Program) -> Vec<Touched> {
        let touched = program.transitions.iter().map(|step| Touched {
            guard: program.terms.vars(step.guard),
            written: step.updates.iter().map(|update| update.place.var).collect(),
        });
        touched.collect()
    }
}

impl Group {
    /// A cube that knows the decided predicates, with these values.
    pub(super) fn change(&self, outcome: &Outcome) -> Cube {
        let mut change = Cube::default();
        for (&(predicate, _), &value) in self.decided.iter().zip(outcome) {
            change.set(predicate, Some(value));
        }
        change
    }
}

/// The group of a class of variables, which is created if need be.
fn group_of(groups: &mut Vec<Group>, root: Option<VarId>) -> &mut Group {
    let known = groups.iter().position(|group| group.root == root);
    let position = known.unwrap_or_else(|| {
        groups.push(Group { root, ..Group::default() });
        groups.len() - 1
    });
    &mut groups[position]
}

impl Abstraction<'_> {
    /// What a transition does to the predicates in use.
    pub(super) fn plan(&mut self, transition: TransId) -> Rc<Plan> {
        if let Some(known) = &self.precision.plans[transition.index()] {
            return Rc::clone(known);
        }
        let decided = self.decided(transition);
        let dead = self.dead(self.program.transition(transition).to);
        let plan = Rc::new(Plan { decided, groups: OnceCell::new(), dead });
        self.precision.plans[transition.index()] = Some(Rc::clone(&plan));
        plan
    }

    /// The groups of a transition.
    pub(super) fn groups<'g>(&mut self, transition: TransId, plan: &'g Plan) -> &'g [Group] {
        plan.groups.get_or_init(|| {
            let mut groups = self.grouped(transition, &plan.decided);
            for group in &mut groups {
                let decided = group.decided.iter().map(|(predicate, _)| *predicate).collect();
                let fires = group.guarded.then_some(self.fires[transition.index()]);
                group.number = self.asked.subjects.number((transition, decided, fires));
            }
            self.asked.relations.resize_with(self.asked.subjects.len(), Relation::default);
            groups
        })
    }

    /// Guard and decided predicates of a transition in groups, in the order of their variables.
    fn grouped(&self, transition: TransId, decided: &[(PredId, Rc<Precondition>)]) -> Vec<Group> {
        let guard = self.fires[transition.index()];
        let guard_vars = &self.touched[transition.index()].guard;
        let mut connected = self.precision.connected.clone();
        connected.join_all(guard_vars);
        for (_, precondition) in decided {
            connected.join_all(&precondition.vars);
        }
        let mut groups: Vec<Group> = Vec::new();
        if self.terms.as_bool(guard) != Some(true) {
            group_of(&mut groups, connected.root_of(guard_vars)).guarded = true;
        }
        for (predicate, precondition) in decided {
            let root = connected.root_of(&precondition.vars);
            group_of(&mut groups, root).decided.push((*predicate, precondition.term));
        }
        groups.sort_by_key(|group| group.root);
        for &predicate in &self.precision.predicates {
            let root = connected.root_of(self.predicates.vars(predicate));
            if let Some(group) = groups.iter_mut().find(|group| group.root == root) {
                group.premises.push(predicate);
                group.mask.set(predicate, Some(false));
            }
        }
        groups
    }

    /// The predicates whose value a transition decides.
    fn decided(&mut self, transition: TransId) -> Vec<(PredId, Rc<Precondition>)> {
        let mut decided = Vec::new();
        for position in 0..self.precision.predicates.len() {
            let predicate = self.precision.predicates[position];
            let written = &self.touched[transition.index()].written;
            if self.predicates.vars(predicate).iter().any(|var| written.contains(var)) {
                decided.push((predicate, self.precondition(transition, predicate)));
            }
        }
        decided
    }

    fn precondition(&mut self, transition: TransId, predicate: PredId) -> Rc<Precondition> {
        if let Some(known) = self.asked.preconditions.get(&(transition, predicate)) {
            return Rc::clone(known);
        }
        let atom = self.atom(predicate);
        let term = precondition(self.program, &mut self.terms, transition, atom);
        let term = self.constant(term).map_or(term, |value| self.terms.bool(value));
        let new = Rc::new(Precondition { term, vars: self.terms.vars(term) });
        self.asked.preconditions.insert((transition, predicate), Rc::clone(&new));
        new
    }

    /// A group as a question about differences.
    pub(super) fn step<'g>(&mut self, transition: TransId, group: &'g Group) -> Option<&'g Step> {
        group.step.get_or_init(|| self.kept_step(transition, group)).as_deref()
    }

    /// The same, as asked before with these premises if it was.
    fn kept_step(&mut self, transition: TransId, group: &Group) -> Option<Rc<Step>> {
        if self.int_model != IntModel::Integer {
            return None;
        }
        let key = (group.number, group.premises.clone());
        if let Some(known) = self.asked.steps.get(&key) {
            return known.clone();
        }
        let program = self.program;
        let guard = self.fires[transition.index()];
        let guards = if group.guarded { vec![guard] } else { Vec::new() };
        let facts: Vec<TermId> = group.premises.iter().map(|&premise| self.atom(premise)).collect();
        let asked: Vec<TermId> = group.decided.iter().map(|(_, term)| *term).collect();
        let is_input = |var: VarId| program.variable(var).role == Role::Input;
        let step = Step::new(&mut self.readings, &self.terms, &guards, &facts, &asked, is_input).map(Rc::new);
        self.asked.steps.insert(key, step.clone());
        step
    }

    /// A cube that knows the predicates in use over variables of a location's thread that are dead there.
    pub(super) fn dead(&self, location: LocId) -> Cube {
        let thread = self.program.location(location).thread;
        let is_dead = |var: &VarId| {
            self.program.variable(*var).role == Role::Private(thread) && !self.live.is_live(location, *var)
        };
        let mut dead = Cube::default();
        for &predicate in &self.precision.predicates {
            if self.predicates.vars(predicate).iter().any(is_dead) {
                dead.set(predicate, Some(false));
            }
        }
        dead
    }
}
