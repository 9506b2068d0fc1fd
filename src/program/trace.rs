//! A run of a program: which thread did what, in which order, with which inputs.

use crate::term::{Datum, VarId};

use super::{Lanes, ThreadId, TransId};

/// A schedule from the initial state. It determines the run: `replay/` computes all values from it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// Values of variables whose initial value is [`super::Init::Any`], where they are not zero.
    pub initial: Vec<(VarId, Datum)>,
    /// The moves in execution order.
    pub moves: Vec<Move>,
}

/// One move of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Move {
    /// A thread takes a transition; the inputs that occur in it take these values (zero where absent).
    Step {
        /// The transition, which also tells the thread.
        transition: TransId,
        /// Values of inputs.
        inputs: Vec<(VarId, Datum)>,
    },
    /// In a cooperative program, while nobody runs: the scheduler decides who goes next.
    Schedule {
        /// Which of the states that its scheduler gives comes next, by position.
        choice: u32,
    },
    /// Under TSO and PSO: a thread's oldest buffered write (to these bytes of this place, under PSO) reaches
    /// memory.
    Flush {
        /// Whose buffer.
        thread: ThreadId,
        /// The variable written.
        var: VarId,
        /// The element, if the variable is an array.
        element: Option<u32>,
        /// The bytes that it wrote.
        lanes: Lanes,
    },
}

impl Trace {
    /// The values of the inputs and of what was not initialised.
    pub fn numbers(&self) -> Vec<i128> {
        let inputs = self.moves.iter().filter_map(|taken| match taken {
            Move::Step { inputs, .. } => Some(inputs),
            Move::Schedule { .. } | Move::Flush { .. } => None,
        });
        let values = inputs.flatten().chain(&self.initial).map(|(_, value)| value);
        let numbers = values.flat_map(|value| match value {
            Datum::Word(number) => vec![*number],
            Datum::Array(numbers) => numbers.to_vec(),
            Datum::Bool(_) => Vec::new(),
        });
        numbers.collect()
    }
}
