//! The reference explorer: all states of a small program, without any cleverness.
//!
//! Breadth first from the initial states, by the moves of `semantics.rs` and nothing else. States are kept
//! whole and are equal only if everything in them is. No value is left open: an input takes every value of
//! its sort in every step that reads it, and so does an initial value that the program leaves open. No order
//! of moves is left out, no variable is forgotten. What cannot be enumerated is not guessed at but told
//! ([`Gap`]). So that one can believe what it says; engines that are faster are compared with it.
//!
//! The one thing it knows is that the value of a variable which occurs in no term is never read.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::budget::{Budget, Stop};
use crate::program::{Init, LocId, MemoryModel, Move, Program, Role, ThreadId, Trace, TransId};
use crate::term::{Datum, VarId};

use super::domain::{Domain, product};
use super::semantics::{Semantics, State};

/// How to explore.
#[derive(Clone, Debug)]
pub struct Options {
    /// The memory model.
    pub model: MemoryModel,
    /// Time, memory, interruption.
    pub budget: Budget,
    /// Number of states that are kept at most.
    pub states: usize,
    /// Number of writes that wait in one thread's store buffer at most.
    pub buffer: usize,
    /// Inputs and open initial values of at most so many bits take all their values.
    pub bits: u32,
    /// The values that wider ones take, where they are values of the sort. With or without them, the
    /// exploration is not complete.
    pub samples: Vec<i128>,
    /// In which order initial states are followed.
    pub starts: Starts,
}

/// The order in which initial states are followed. Where many variables are left open there may be millions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Starts {
    /// All at once, so that the runs found are the shortest.
    Together,
    /// One after the other, each to its end: whoever stops early has seen more than beginnings.
    InTurn,
}

impl Default for Options {
    /// SC, no limit of time, a million states, 64 buffered writes, 8 bits, no samples, all starts together.
    fn default() -> Options {
        let (model, budget, starts) = (MemoryModel::Sc, Budget::unlimited(), Starts::Together);
        Options { model, budget, states: 1_000_000, buffer: 64, bits: 8, samples: Vec::new(), starts }
    }
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explored {
    /// States visited.
    pub states: usize,
    /// The [targets](crate::program::Location::is_target) reached, each with a run to it: of the
    /// fewest moves if all starts are followed together.
    pub reached: BTreeMap<LocId, Trace>,
    /// What was not followed.
    pub gaps: BTreeSet<Gap>,
    /// Why the exploration ended before all states were visited, if it did.
    pub stop: Option<Early>,
}

/// Something that was not followed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Gap {
    /// This input has too many values for all to be tried when this transition reads it.
    Input(VarId, TransId),
    /// This variable has too many initial values.
    Initial(VarId),
    /// This thread's store buffer was full.
    Buffer(ThreadId),
}

/// Why an exploration ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Early {
    /// The budget.
    Budget(Stop),
    /// The limit of states.
    States(usize),
}

impl Explored {
    /// Whether all states were visited, so that what was not reached cannot be.
    pub fn is_complete(&self) -> bool {
        self.gaps.is_empty() && self.stop.is_none()
    }
}

/// Visits the states of a program.
pub fn explore(program: &Program, options: &Options) -> Explored {
    let mut explorer = Explorer::new(program, options);
    explorer.found.stop = explorer.search().err();
    explorer.found.states = explorer.visited.len();
    explorer.found
}

/// How many moves are tried between two looks at the budget.
const PERIOD: u64 = 1024;

/// A state and how it was reached first.
struct Visited {
    state: Rc<State<()>>,
    origin: Origin,
}

enum Origin {
    /// It is the initial state with these values.
    Start(Vec<(VarId, Datum)>),
    /// By this move from the state with this number.
    Move(usize, Move),
}

struct Explorer<'a> {
    program: &'a Program,
    options: &'a Options,
    semantics: Semantics<'a>,
    /// The inputs that each transition reads.
    inputs: Vec<Vec<VarId>>,
    /// What each variable takes as an input, or initially if that is open.
    domains: Rc<[Domain]>,
    visited: Vec<Visited>,
    known: FxHashSet<Rc<State<()>>>,
    /// The first state that was not followed yet.
    next: usize,
    tried: u64,
    found: Explored,
}

impl<'a> Explorer<'a> {
    fn new(program: &'a Program, options: &'a Options) -> Explorer<'a> {
        let domains = program.variables.iter();
        let domains = domains.map(|variable| Domain::new(variable.sort, options.bits, &options.samples));
        Explorer {
            program,
            options,
            semantics: Semantics { program, model: options.model },
            inputs: program.transitions.iter().map(|transition| program.inputs_of(transition)).collect(),
            domains: domains.collect(),
            visited: Vec::new(),
            known: FxHashSet::default(),
            next: 0,
            tried: 0,
            found: Explored::default(),
        }
    }

    fn search(&mut self) -> Result<(), Early> {
        self.begin()?;
        self.follow()
    }

    /// Follows the states that were added, and those after them.
    fn follow(&mut self) -> Result<(), Early> {
        while self.next < self.visited.len() {
            self.expand(self.next)?;
            self.next += 1;
        }
        Ok(())
    }

    /// Adds the initial states.
    fn begin(&mut self) -> Result<(), Early> {
        let open = open_variables(self.program);
        let wide = open.iter().filter(|var| !self.domains[var.index()].is_whole());
        self.found.gaps.extend(wide.map(|&var| Gap::Initial(var)));
        product(&open, &Rc::clone(&self.domains), |values| {
            let state = self.semantics.initial(&values).expect("values of the variables' sorts");
            self.look_at_budget()?;
            self.add(state, Origin::Start(values))?;
            match self.options.starts {
                Starts::Together => Ok(()),
                Starts::InTurn => self.follow(),
            }
        })
    }

    /// Adds the states that follow one.
    fn expand(&mut self, from: usize) -> Result<(), Early> {
        let state = Rc::clone(&self.visited[from].state);
        if self.semantics.end(&state).is_some() {
            return Ok(());
        }
        for (choice, next) in (0..).zip(self.semantics.choices(&state)) {
            let next = State { scheduler: Some(next), ..(*state).clone() };
            self.add(next, Origin::Move(from, Move::Schedule { choice }))?;
        }
        for thread in self.semantics.movers(&state).map(ThreadId::new) {
            for &transition in self.program.outgoing(state.locations[thread.index()]) {
                self.steps(from, &state, thread, transition)?;
            }
            for (place, lanes) in state.buffers[thread.index()].flushable(self.options.model) {
                let mut next = (*state).clone();
                self.semantics.flush(&mut next, thread, (place, lanes)).expect("the buffer allows it");
                let (var, element) = place;
                self.add(next, Origin::Move(from, Move::Flush { thread, var, element, lanes }))?;
            }
        }
        Ok(())
    }

    /// Adds the states after a transition, with all values of its inputs.
    fn steps(
        &mut self,
        from: usize,
        state: &State<()>,
        thread: ThreadId,
        transition: TransId,
    ) -> Result<(), Early> {
        let inputs = self.inputs[transition.index()].clone();
        let wide = inputs.iter().filter(|var| !self.domains[var.index()].is_whole());
        self.found.gaps.extend(wide.map(|&var| Gap::Input(var, transition)));
        product(&inputs, &Rc::clone(&self.domains), |inputs| {
            self.look_at_budget()?;
            let Ok(mut view) = self.semantics.view(state, transition, &inputs) else { return Ok(()) };
            let mut next = state.clone();
            // A misuse leads to a target, which is noted like any other.
            let _misuse = self.semantics.take(&mut next, transition, &mut view, ());
            if next.buffers[thread.index()].writes().count() > self.options.buffer {
                self.found.gaps.insert(Gap::Buffer(thread));
                return Ok(());
            }
            self.add(next, Origin::Move(from, Move::Step { transition, inputs }))
        })
    }

    fn look_at_budget(&mut self) -> Result<(), Early> {
        self.tried += 1;
        match self.tried % PERIOD {
            1 => self.options.budget.check().map_err(Early::Budget),
            _ => Ok(()),
        }
    }

    /// Adds a state unless it is known, and notes the targets that it has reached.
    fn add(&mut self, state: State<()>, origin: Origin) -> Result<(), Early> {
        if self.known.contains(&state) {
            return Ok(());
        }
        if self.visited.len() == self.options.states {
            return Err(Early::States(self.options.states));
        }
        let state = Rc::new(state);
        self.known.insert(Rc::clone(&state));
        self.visited.push(Visited { state: Rc::clone(&state), origin });
        for &location in &state.locations {
            if self.program.location(location).is_target() && !self.found.reached.contains_key(&location) {
                self.found.reached.insert(location, self.trace(self.visited.len() - 1));
            }
        }
        Ok(())
    }

    /// The run to a state.
    fn trace(&self, mut at: usize) -> Trace {
        let mut trace = Trace::default();
        loop {
            match &self.visited[at].origin {
                Origin::Move(before, action) => {
                    trace.moves.push(action.clone());
                    at = *before;
                }
                Origin::Start(values) => {
                    let zero = |var: VarId| Datum::zero(self.program.variable(var).sort);
                    trace.initial =
                        values.iter().filter(|(var, value)| *value != zero(*var)).cloned().collect();
                    trace.moves.reverse();
                    return trace;
                }
            }
        }
    }
}

/// The variables that occur in a term and whose initial value the program leaves open.
fn open_variables(program: &Program) -> Vec<VarId> {
    let terms = program.transitions.iter().flat_map(|transition| transition.terms());
    let read: BTreeSet<VarId> = terms.flat_map(|term| program.terms.vars(term)).collect();
    let open = |var: &VarId| {
        let variable = program.variable(*var);
        variable.init == Init::Any && variable.role != Role::Input
    };
    read.into_iter().filter(open).collect()
}

#[cfg(test)]
mod tests;
