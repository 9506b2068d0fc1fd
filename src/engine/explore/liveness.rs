//! Which private variables can still be read, location by location.
//!
//! Backward data flow over a thread's automaton: a variable is live at a location if some path from there reads
//! it before writing it as a whole. A private variable that is not live may be forgotten, that is, set to zero: nothing
//! that happens later depends on it.

use crate::program::{LocId, Program, Role, TransId};
use crate::term::VarId;

/// The live private variables of each location.
#[derive(Debug)]
pub(super) struct Liveness {
    /// A row of bits for each location, one bit a variable of the program.
    rows: Vec<u64>,
    width: usize,
}

/// What one transition means for liveness.
struct Effect {
    reads: Vec<VarId>,
    overwrites: Vec<VarId>,
}

impl Liveness {
    pub fn new(program: &Program) -> Liveness {
        let width = program.variables.len().div_ceil(64);
        let mut liveness = Liveness { rows: vec![0; width * program.locations.len()], width };
        let effects: Vec<Effect> = program.transition_ids().map(|id| effect(program, id)).collect();
        let mut incoming = vec![Vec::new(); program.locations.len()];
        for id in program.transition_ids() {
            incoming[program.transition(id).to.index()].push(id);
        }
        let mut pending: Vec<LocId> = program.location_ids().collect();
        for id in program.transition_ids() {
            for &var in &effects[id.index()].reads {
                liveness.insert(program.transition(id).from, var);
            }
        }
        while let Some(location) = pending.pop() {
            for &id in &incoming[location.index()] {
                if liveness.flow(program, id, &effects[id.index()]) {
                    pending.push(program.transition(id).from);
                }
            }
        }
        liveness
    }

    /// Whether a private variable may be read later.
    pub fn contains(&self, location: LocId, var: VarId) -> bool {
        self.rows[location.index() * self.width + var.index() / 64] >> (var.index() % 64) & 1 == 1
    }

    /// The private variables whose value is needed before a transition, or set by it, but not needed after it.
    pub fn forgotten(&self, program: &Program, id: TransId) -> Vec<VarId> {
        let transition = program.transition(id);
        let thread = program.thread_of(id);
        let written = |var| transition.updates.iter().any(|update| update.place.var == var);
        program
            .variable_ids()
            .filter(|&var| program.variable(var).role == Role::Private(thread))
            .filter(|&var| self.contains(transition.from, var) || written(var))
            .filter(|&var| !self.contains(transition.to, var))
            .collect()
    }

    /// The private variables whose initial value is never read.
    pub fn useless(&self, program: &Program) -> Vec<VarId> {
        program
            .variable_ids()
            .filter(|&var| match program.variable(var).role {
                Role::Private(thread) => !self.contains(program.thread(thread).entry, var),
                Role::Shared | Role::Input => false,
            })
            .collect()
    }

    fn insert(&mut self, location: LocId, var: VarId) {
        self.rows[location.index() * self.width + var.index() / 64] |= 1 << (var.index() % 64);
    }

    /// Carries what is live after a transition to its start; tells whether that was news.
    fn flow(&mut self, program: &Program, id: TransId, effect: &Effect) -> bool {
        let transition = program.transition(id);
        let (from, to) = (transition.from.index() * self.width, transition.to.index() * self.width);
        let mut after = self.rows[to..to + self.width].to_vec();
        for var in &effect.overwrites {
            after[var.index() / 64] &= !(1 << (var.index() % 64));
        }
        let mut news = false;
        for (i, bits) in after.into_iter().enumerate() {
            let row = &mut self.rows[from + i];
            news |= bits & !*row != 0;
            *row |= bits;
        }
        news
    }
}

fn effect(program: &Program, id: TransId) -> Effect {
    let transition = program.transition(id);
    let private = |var: &VarId| matches!(program.variable(*var).role, Role::Private(_));
    let reads = transition.terms().flat_map(|term| program.terms.vars(term)).filter(private).collect();
    let overwrites = transition
        .updates
        .iter()
        .filter(|update| update.place.index.is_none())
        .map(|update| update.place.var)
        .filter(private)
        .collect();
    Effect { reads, overwrites }
}
