//! Looks at the budget while the successors of one state are enumerated: an input can have many thousands of
//! values there.

use crate::budget::{Budget, Stop};

/// How many attempts to fire a transition are made between two looks at the clock.
const PERIOD: u32 = 4096;

/// Counts attempts and looks at the budget now and then. Once it is over it stays over.
#[derive(Debug)]
pub(super) struct Patience {
    budget: Budget,
    left: u32,
    stop: Option<Stop>,
}

impl Patience {
    pub fn new(budget: &Budget) -> Patience {
        Patience { budget: budget.clone(), left: PERIOD, stop: None }
    }

    /// For what has to be brought to its end, and is known to have one.
    pub fn endless() -> Patience {
        Patience::new(&Budget::unlimited())
    }

    /// Counts an attempt; tells whether it is one too many.
    pub fn is_over(&mut self) -> bool {
        if self.left == 0 {
            self.left = PERIOD;
            self.stop = self.stop.or(self.budget.check().err());
        }
        self.left -= 1;
        self.stop.is_some()
    }

    /// Why it is over, if it is.
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::atomic::Ordering;

    use super::super::Options;
    use super::super::layout::Layout;
    use super::super::machine::Machine;
    use super::*;
    use crate::program::{
        Init, Origin, Place, Program, ProgramBuilder, Role, Sources, Span, ThreadId, Transition, Update,
        Variable,
    };
    use crate::term::{Datum, Sort, Word};

    /// `r = input * input` for an input of 16 bits.
    fn one_state_of_many_successors() -> Program {
        let mut builder = ProgramBuilder::new(Sources::default());
        let thread = builder.thread("main", Span::NONE);
        let (name, sort, role) = ("r".to_owned(), Sort::Word(Word::unsigned(16)), Role::Private(thread));
        let (init, origin) = (Init::Value(Datum::Word(0)), Origin::User);
        let var = builder.variable(Variable { name, sort, role, init, origin });
        let input = builder.input("in", sort);
        let input = builder.terms().var(input);
        let (guard, value) = (builder.terms().bool(true), builder.terms().mul(input, input));
        let from = builder.program().thread(thread).entry;
        let to = builder.location(thread, Span::NONE);
        let updates = vec![Update::whole(Place { var, index: None }, value)];
        builder.transition(Transition { updates, ..Transition::silent(from, to, guard) });
        builder.build()
    }

    fn successors(patience: impl Fn(&Budget) -> Patience) -> (u32, Option<Stop>) {
        let program = one_state_of_many_successors();
        let layout = Layout::new(&program, 16).expect("small");
        let options = Options::default();
        let mut machine = Machine::new(&program, &layout, &options);
        machine.patience = patience(&options.budget);
        let (mut state, mut seen) = (machine.initial(), 0);
        let before = state.clone();
        let _ = machine.steps_of(&mut state, ThreadId::new(0), &mut |_, _| {
            options.budget.cancellation().store(true, Ordering::Relaxed);
            seen += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(state, before);
        (seen, machine.patience.stop())
    }

    #[test]
    fn the_budget_is_looked_at_inside_a_state() {
        let (seen, stop) = successors(Patience::new);
        assert!(seen <= PERIOD, "{seen}");
        assert_eq!(stop, Some(Stop::Cancelled));
        assert_eq!(successors(|_| Patience::endless()), (1 << 16, None));
    }
}
