//! Constants that nobody can tell apart become one.
//!
//! Where the values of some variables are only copied among them and compared with constants, two values
//! between which no comparison distinguishes lead to the same runs (`regions.rs`). So the value of least
//! magnitude stands for all of them. The owner of a mutex that nobody asks for becomes 1 for every thread, and
//! threads that differ in nothing else are alike.
//!
//! Only variables of our own change: those of the user keep the values that the user gave them.

use super::super::regions::{Interval, Regions};
use super::super::{Init, Origin, Program, Role};
use crate::term::{Datum, Node, Sort, TermId, VarId, Word};

pub(super) fn run(mut program: Program) -> Program {
    let stand_ins = StandIns::of(&program);
    for id in program.transition_ids() {
        for at in 0..program.transition(id).updates.len() {
            let update = program.transition(id).updates[at];
            let value = stand_ins.term(&mut program, update.place.var, update.value);
            program.transitions[id.index()].updates[at].value = value;
        }
    }
    for var in program.variable_ids() {
        if let (Init::Value(Datum::Word(value)), Sort::Word(word)) =
            (&program.variable(var).init, program.variable(var).sort)
            && let Some(value) = stand_ins.value(var, *value, word)
        {
            program.variables[var.index()].init = Init::Value(Datum::Word(value));
        }
    }
    program
}

struct StandIns {
    regions: Regions,
    /// By the class of variables: whether none of it is the user's.
    own: Vec<bool>,
}

impl StandIns {
    fn of(program: &Program) -> StandIns {
        let regions = Regions::new(program);
        let mut own = vec![true; program.variables.len()];
        for var in program.variable_ids() {
            let variable = program.variable(var);
            own[regions.class(var).index()] &= variable.origin == Origin::Internal;
        }
        StandIns { regions, own }
    }

    /// What stands for a value of a variable of this word; `None` if it stands for itself.
    fn value(&self, var: VarId, value: i128, word: Word) -> Option<i128> {
        if !self.own[self.regions.class(var).index()] {
            return None;
        }
        let parts = self.regions.cuts(var)?.parts(Interval { low: word.min(), high: word.max() });
        let part = parts.into_iter().find(|part| (part.low..=part.high).contains(&value))?;
        (part.simplest() != value).then(|| part.simplest())
    }

    /// What stands for a value that is stored in a variable, where it is a constant or a choice of constants.
    fn term(&self, program: &mut Program, var: VarId, term: TermId) -> TermId {
        if matches!(program.variable(var).role, Role::Input) {
            return term;
        }
        match *program.terms.node(term) {
            Node::Const(value, word) => match self.value(var, value, word) {
                Some(value) => program.terms.constant(value, word),
                None => term,
            },
            Node::Ite(condition, a, b) => {
                let (a, b) = (self.term(program, var, a), self.term(program, var, b));
                program.terms.ite(condition, a, b)
            }
            _ => term,
        }
    }
}
