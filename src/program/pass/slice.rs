//! Steps and variables that no mark depends on go: the cone of influence of the marks.
//!
//! What counts grows from the marks until nothing is missing. A location counts if the thread can get from it
//! to a mark or to a write of a shared variable that counts. A step counts if it leads to a location that
//! counts or makes such a write. A variable counts if a step that counts has it in its guard, or a variable
//! that counts is computed from it. Everything else goes: a thread that would take a step which does not
//! count stops instead, and nobody notices.
//!
//! Ranges ask for nothing: one that mentions a variable which does not count goes. The program then has runs
//! that overflow in what nobody looks at, and says so ([`Program::unchecked`]). Otherwise every counter would
//! count.
//!
//! What asks something of a scheduler counts, with everything that its arguments are computed from.
//!
//! Whoever stops inside an atomic section would stop everybody. So once inside, every way out of the section
//! counts.

use std::sync::Arc;

use super::super::{LocId, Mark, Program, Span, TransId};
use super::access::Mentions;
use crate::term::{Pool, TermId, VarId};

pub(super) fn run(mut program: Program) -> Program {
    let mut slice = Slice::new(&program);
    slice.solve();
    let Slice { steps, variables, .. } = slice;
    let dropped = dropped_ranges(&program, &steps, &variables);
    if !dropped.is_empty() && program.exact.is_none() {
        program.exact = Some(Arc::new(program.clone()));
    }
    program.unchecked.extend(dropped);
    program.unchecked.sort_unstable();
    program.unchecked.dedup();
    let mut counts = steps.into_iter();
    program.transitions.retain(|_| counts.next().expect("one flag a transition"));
    let Program { transitions, terms, .. } = &mut program;
    for transition in transitions {
        transition.updates.retain(|update| variables[update.place.var.index()]);
        transition.ranges.retain(|range| all_count(terms, range.holds, &variables));
    }
    program.reindex();
    program
}

/// The places of ranges that go although their step stays.
fn dropped_ranges(program: &Program, steps: &[bool], variables: &[bool]) -> Vec<Span> {
    let kept = program.transitions.iter().zip(steps).filter(|(_, counts)| **counts);
    let ranges = kept.flat_map(|(transition, _)| &transition.ranges);
    let dropped = ranges.filter(|range| !all_count(&program.terms, range.holds, variables));
    dropped.map(|range| range.span).collect()
}

fn all_count(terms: &Pool, term: TermId, variables: &[bool]) -> bool {
    terms.vars(term).iter().all(|var| variables[var.index()])
}

/// Something that has been found to count and whose consequences are to be drawn.
enum Pending {
    Location(LocId),
    Step(TransId),
    Variable(VarId),
}

struct Slice<'a> {
    program: &'a Program,
    mentions: Mentions,
    incoming: Vec<Vec<TransId>>,
    writers: Vec<Vec<TransId>>,
    locations: Vec<bool>,
    steps: Vec<bool>,
    variables: Vec<bool>,
    pending: Vec<Pending>,
}

impl Slice<'_> {
    fn new(program: &Program) -> Slice<'_> {
        let mut incoming = vec![Vec::new(); program.locations.len()];
        let mut writers = vec![Vec::new(); program.variables.len()];
        for id in program.transition_ids() {
            let transition = program.transition(id);
            transition.destinations().for_each(|to| incoming[to.index()].push(id));
            transition.updates.iter().for_each(|update| writers[update.place.var.index()].push(id));
        }
        Slice {
            program,
            mentions: Mentions::default(),
            incoming,
            writers,
            locations: vec![false; program.locations.len()],
            steps: vec![false; program.transitions.len()],
            variables: vec![false; program.variables.len()],
            pending: Vec::new(),
        }
    }

    fn solve(&mut self) {
        for id in self.program.location_ids() {
            if !matches!(self.program.location(id).mark, None | Some(Mark::End)) {
                self.location(id);
            }
        }
        for id in self.program.transition_ids() {
            if self.program.transition(id).call.is_some() {
                self.step(id);
            }
        }
        for thread in &self.program.threads {
            self.leave_section(thread.entry);
        }
        while let Some(next) = self.pending.pop() {
            match next {
                Pending::Location(id) => {
                    self.incoming[id.index()].clone().into_iter().for_each(|step| self.step(step))
                }
                Pending::Step(id) => self.conclude_step(id),
                Pending::Variable(id) => self.conclude_variable(id),
            }
        }
    }

    fn location(&mut self, id: LocId) {
        if !std::mem::replace(&mut self.locations[id.index()], true) {
            self.pending.push(Pending::Location(id));
        }
    }

    fn step(&mut self, id: TransId) {
        if !std::mem::replace(&mut self.steps[id.index()], true) {
            self.pending.push(Pending::Step(id));
        }
    }

    fn variables_of(&mut self, term: TermId) {
        for &var in self.mentions.of(&self.program.terms, term).iter() {
            if !std::mem::replace(&mut self.variables[var.index()], true) {
                self.pending.push(Pending::Variable(var));
            }
        }
    }

    fn conclude_step(&mut self, id: TransId) {
        let transition = self.program.transition(id);
        self.location(transition.from);
        self.variables_of(transition.guard);
        transition.arguments().for_each(|argument| self.variables_of(argument));
        self.updates_that_count(id);
        self.leave_section(transition.to);
    }

    fn conclude_variable(&mut self, var: VarId) {
        for writer in self.writers[var.index()].clone() {
            if self.program.is_shared(var) {
                self.step(writer);
            }
            if self.steps[writer.index()] {
                self.updates_that_count(writer);
            }
        }
    }

    /// What the step writes to variables that count is computed from variables that count.
    fn updates_that_count(&mut self, id: TransId) {
        for update in &self.program.transition(id).updates {
            if self.variables[update.place.var.index()] {
                self.variables_of(update.value);
                update.place.index.into_iter().for_each(|index| self.variables_of(index));
            }
        }
    }

    /// All steps out of an atomic location that a step which counts leads to.
    fn leave_section(&mut self, location: LocId) {
        if self.program.location(location).atomic {
            self.program.outgoing(location).iter().for_each(|&step| self.step(step));
        }
    }
}
