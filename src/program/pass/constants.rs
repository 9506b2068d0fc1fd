//! Sparse conditional constant propagation (Wegman and Zadeck 1991), for threads.
//!
//! Two kinds of knowledge grow together from the optimistic side. *Flow*: at a location a private scalar has
//! one known value whenever control is there; kept for live variables only. *Fixed*: a shared scalar, or an
//! array, holds its initial value for ever, because no step that can be reached writes anything else. Steps
//! whose guard is false under this knowledge are not followed, so a thread that nobody starts is never
//! reached, what only it would write stays fixed, and so on.
//!
//! Afterwards known values replace variables, writes that write what is there anyway go, and so do steps that
//! cannot happen.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::{Action, Init, LocId, Program, Role, TransId, Transition, Update};
use super::access::Mentions;
use super::liveness::Liveness;
use super::ranges::tidy;
use crate::term::{Datum, Node, Pool, Sort, TermId, VarId};

pub(super) fn run(program: Program) -> Program {
    let mut analysis = Analysis::new(program);
    analysis.solve();
    analysis.rewrite()
}

/// Known values of live private scalars, sorted by variable.
type Known = Vec<(VarId, TermId)>;

/// What a variable holds for ever.
#[derive(Clone)]
enum Fixed {
    Scalar(TermId),
    Array(Arc<[i128]>),
}

struct Analysis {
    program: Program,
    liveness: Liveness,
    mentions: Mentions,
    /// What is known at each location; `None` where control has not been.
    flow: Vec<Option<Known>>,
    /// For each variable: what it holds for ever, as far as has been seen.
    fixed: Vec<Option<Fixed>>,
    /// Where each fixed variable is read.
    readers: Vec<Vec<LocId>>,
    /// Locations whose steps are to be looked at again.
    pending: BTreeSet<LocId>,
}

impl Analysis {
    fn new(mut program: Program) -> Analysis {
        let liveness = Liveness::of(&program);
        let fixed: Vec<Option<Fixed>> =
            program.variable_ids().map(|var| initially_fixed(&mut program, var)).collect();
        let mut mentions = Mentions::default();
        let mut readers = vec![Vec::new(); program.variables.len()];
        for transition in &program.transitions {
            for var in mentions.reads(&program.terms, transition) {
                if fixed[var.index()].is_some() {
                    readers[var.index()].push(transition.from);
                }
            }
        }
        let flow = vec![None; program.locations.len()];
        Analysis { program, liveness, mentions, flow, fixed, readers, pending: BTreeSet::new() }
    }

    fn solve(&mut self) {
        for thread in self.program.thread_ids() {
            let entry = self.program.thread(thread).entry;
            let known = self.initially_known(entry);
            self.arrive(entry, known);
        }
        while let Some(location) = self.pending.pop_first() {
            for i in 0..self.program.outgoing(location).len() {
                self.follow(self.program.outgoing(location)[i]);
            }
        }
    }

    fn initially_known(&mut self, entry: LocId) -> Known {
        let program = &mut self.program;
        let known = self.liveness.at(entry).iter().filter_map(|&var| {
            let variable = &program.variables[var.index()];
            let constant = match &variable.init {
                Init::Any | Init::Value(Datum::Array(_)) => return None,
                Init::Value(value) => program.terms.datum(value, variable.sort),
            };
            Some((var, constant))
        });
        known.collect()
    }

    /// Control comes to a location with this knowledge.
    fn arrive(&mut self, location: LocId, known: Known) {
        let flow = &mut self.flow[location.index()];
        match flow {
            None => *flow = Some(known),
            Some(old) => {
                let before = old.len();
                old.retain(|entry| known.binary_search(entry).is_ok());
                if old.len() == before {
                    return;
                }
            }
        }
        self.pending.insert(location);
    }

    fn follow(&mut self, id: TransId) {
        let transition = self.program.transition(id).clone();
        let known = self.flow[transition.from.index()].clone().expect("control has been here");
        let guard = self.fold(transition.guard, &known);
        if self.program.terms.as_bool(guard) == Some(false) {
            return;
        }
        let assumed = self.assume(guard, known);
        for range in &transition.ranges {
            let holds = self.fold(range.holds, &assumed);
            if self.program.terms.as_bool(holds) == Some(false) {
                return;
            }
        }
        let mut next = assumed.clone();
        for update in &transition.updates {
            let value = self.fold(update.value, &assumed);
            if self.tracked(update.place.var) {
                set(&mut next, update.place.var, self.is_constant(value).then_some(value));
            } else {
                self.written(update, value);
            }
        }
        next.retain(|&(var, _)| self.liveness.is_live(transition.to, var));
        self.arrive(transition.to, next);
    }

    /// Whether the variable's value is followed along the flow.
    fn tracked(&self, var: VarId) -> bool {
        let variable = self.program.variable(var);
        matches!(variable.role, Role::Private(_)) && !matches!(variable.sort, Sort::Array(_))
    }

    fn is_constant(&self, term: TermId) -> bool {
        self.program.terms.as_const(term).is_some() || self.program.terms.as_bool(term).is_some()
    }

    /// What is known once a guard holds: `x == 3` makes `x` known.
    fn assume(&mut self, guard: TermId, mut known: Known) -> Known {
        for conjunct in self.program.terms.conjuncts(guard) {
            if let Some((var, value)) = implied_value(&mut self.program.terms, conjunct)
                && self.tracked(var)
            {
                set(&mut known, var, Some(value));
            }
        }
        known
    }

    /// A reachable step writes a value that may differ from the initial one.
    fn written(&mut self, update: &Update, value: TermId) {
        let var = update.place.var;
        if self.fixed[var.index()].is_some() && !self.writes_nothing_new(update, value) {
            self.fixed[var.index()] = None;
            let seen =
                self.readers[var.index()].iter().filter(|location| self.flow[location.index()].is_some());
            self.pending.extend(seen);
        }
    }

    fn writes_nothing_new(&self, update: &Update, value: TermId) -> bool {
        match &self.fixed[update.place.var.index()] {
            Some(Fixed::Scalar(old)) => *old == value,
            Some(Fixed::Array(old)) => {
                let value = self.program.terms.as_const(value);
                update.place.index.is_some()
                    && value.is_some_and(|value| old.iter().all(|&each| each == value))
            }
            None => false,
        }
    }

    /// The term with everything known put in.
    fn fold(&mut self, term: TermId, known: &Known) -> TermId {
        let vars = self.mentions.of(&self.program.terms, term);
        let image = |var: VarId| match &self.fixed[var.index()] {
            Some(Fixed::Scalar(value)) => Some(*value),
            _ => known.binary_search_by_key(&var, |entry| entry.0).ok().map(|at| known[at].1),
        };
        let terms = &mut self.program.terms;
        let term = match vars.iter().any(|&var| image(var).is_some()) {
            true => terms.substitute(term, |_, var| image(var)),
            false => term,
        };
        match vars.iter().any(|&var| matches!(self.fixed[var.index()], Some(Fixed::Array(_)))) {
            true => terms.rewrite(term, |terms, id| fixed_element(terms, &self.fixed, id)),
            false => term,
        }
    }

    fn rewrite(mut self) -> Program {
        let transitions = std::mem::take(&mut self.program.transitions);
        let transitions =
            transitions.into_iter().filter_map(|transition| self.rewritten(transition)).collect();
        self.program.transitions = transitions;
        self.program.reindex();
        self.program
    }

    /// The transition with everything known put in; `None` if it cannot happen.
    fn rewritten(&mut self, old: Transition) -> Option<Transition> {
        let known = self.flow[old.from.index()].clone()?;
        let guard = self.fold(old.guard, &known);
        if self.program.terms.as_bool(guard) == Some(false) {
            return None;
        }
        let known = self.assume(guard, known);
        let mut ranges = old.ranges;
        for range in &mut ranges {
            range.holds = self.fold(range.holds, &known);
        }
        tidy(&self.program.terms, &mut ranges);
        let mut updates = Vec::with_capacity(old.updates.len());
        for mut update in old.updates {
            update.value = self.fold(update.value, &known);
            update.place.index = update.place.index.map(|index| self.fold(index, &known));
            let var = update.place.var;
            let same = self.tracked(var)
                && (known.contains(&(var, update.value))
                    || self.program.terms.as_var(update.value) == Some(var));
            if !same && !self.writes_nothing_new(&update, update.value) {
                updates.push(update);
            }
        }
        let mut events = old.events;
        for event in &mut events {
            if let Action::Read(place) | Action::Write(place) | Action::Update(place) = &mut event.action {
                place.index = place.index.map(|index| self.fold(index, &known));
            }
            if let Some(handle) = event.action.handle_mut() {
                let address = handle.address.map(|address| self.fold(address, &known));
                handle.address = address.filter(|&address| self.program.terms.as_const(address).is_some());
            }
        }
        let mut call = old.call;
        for argument in call.iter_mut().flat_map(|call| &mut call.arguments) {
            *argument = self.fold(*argument, &known);
        }
        Some(Transition { guard, ranges, updates, call, events, ..old })
    }
}

/// What a variable holds for ever if nobody writes it.
fn initially_fixed(program: &mut Program, var: VarId) -> Option<Fixed> {
    let variable = &program.variables[var.index()];
    match (variable.role, &variable.init) {
        (Role::Input, _) | (_, Init::Any) => None,
        (_, Init::Value(Datum::Array(values))) => Some(Fixed::Array(values.clone())),
        (Role::Private(_), _) => None,
        (Role::Shared, Init::Value(value)) => Some(Fixed::Scalar(program.terms.datum(value, variable.sort))),
    }
}

fn set(known: &mut Known, var: VarId, value: Option<TermId>) {
    match (known.binary_search_by_key(&var, |entry| entry.0), value) {
        (Ok(at), Some(value)) => known[at].1 = value,
        (Ok(at), None) => drop(known.remove(at)),
        (Err(at), Some(value)) => known.insert(at, (var, value)),
        (Err(_), None) => {}
    }
}

/// The variable that a literal gives a value, and the value.
fn implied_value(terms: &mut Pool, literal: TermId) -> Option<(VarId, TermId)> {
    match *terms.node(literal) {
        Node::Var(var) => Some((var, terms.bool(true))),
        Node::Eq(a, value) if terms.as_const(value).is_some() => Some((terms.as_var(a)?, value)),
        Node::Not(inner) => match *terms.node(inner) {
            Node::Var(var) => Some((var, terms.bool(false))),
            // A single bit that is not zero.
            Node::Eq(a, value) if terms.as_const(value) == Some(0) && terms.word(a).bits() == 1 => {
                let var = terms.as_var(a)?;
                let word = terms.word(a);
                Some((var, terms.constant(1, word)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The value of an element of a fixed array.
fn fixed_element(terms: &mut Pool, fixed: &[Option<Fixed>], term: TermId) -> Option<TermId> {
    let Node::Select(array, index) = *terms.node(term) else { return None };
    let Some(Fixed::Array(values)) = &fixed[terms.as_var(array)?.index()] else { return None };
    let word = terms.word(term);
    let value = match terms.as_const(index) {
        Some(index) => *values.get(usize::try_from(index).ok()?)?,
        // Whatever the index, the same; outside the array nothing has a meaning.
        None => *values.first().filter(|first| values.iter().all(|value| value == *first))?,
    };
    Some(terms.constant(value, word))
}
