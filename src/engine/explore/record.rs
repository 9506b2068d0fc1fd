//! Writes down the moves of the explorer as a [`Trace`].
//!
//! The explorer chooses a value only when it is used; a trace gives it where it belongs: with the step that
//! took the input, or with the initial values. Of several choices for the same value the last counts: each
//! narrows the one before.

use rustc_hash::FxHashMap;

use crate::program::{Init, Move, Program, Role, Trace};
use crate::term::{Datum, VarId};

use super::layout::Layout;
use super::machine::{Act, Taken};

/// A trace under construction.
pub(super) struct Recorder<'a> {
    program: &'a Program,
    layout: &'a Layout,
    moves: Vec<Move>,
    /// The step that put a still unchosen input into a cell, and the input.
    pending: FxHashMap<u32, (usize, VarId)>,
    /// Initial values, as cells.
    initial: Vec<i64>,
}

impl<'a> Recorder<'a> {
    pub fn new(program: &'a Program, layout: &'a Layout) -> Recorder<'a> {
        let initial = vec![0; layout.cells()];
        Recorder { program, layout, moves: Vec::new(), pending: FxHashMap::default(), initial }
    }

    /// Adds a move.
    pub fn record(&mut self, taken: &Taken<'_>) {
        let mut own = vec![0; self.layout.cells()];
        let mut inputs: Vec<VarId> = Vec::new();
        for &(cell, value) in taken.choices {
            let (var, _) = self.layout.place_of(cell);
            if self.program.variable(var).role == Role::Input {
                own[cell as usize] = value;
                inputs.push(var);
            } else if let Some(&(step, input)) = self.pending.get(&cell) {
                self.choose_later(step, input, value);
            } else {
                self.initial[cell as usize] = value;
            }
        }
        inputs.sort_unstable();
        inputs.dedup();
        let inputs = inputs.into_iter().map(|var| (var, self.layout.get(&own, var))).collect();
        let step = self.moves.len();
        self.pending.extend(taken.unchosen.iter().map(|&(cell, input)| (cell, (step, input))));
        self.moves.push(match taken.action {
            Act::Step(transition) => Move::Step { transition, inputs },
            Act::Schedule(choice) => Move::Schedule { choice },
            Act::Flush(cell, lanes) => {
                let (var, element) = self.layout.place_of(cell);
                Move::Flush { thread: taken.thread, var, element, lanes }
            }
        });
    }

    /// Gives an earlier step the value of an input that was chosen only now.
    fn choose_later(&mut self, step: usize, input: VarId, value: i64) {
        let Move::Step { inputs, .. } = &mut self.moves[step] else { unreachable!("a step took the input") };
        let mut cells = vec![0; self.layout.cells()];
        cells[self.layout.field(input).base as usize] = value;
        inputs.retain(|(var, _)| *var != input);
        inputs.push((input, self.layout.get(&cells, input)));
        inputs.sort_unstable();
    }

    /// The trace.
    pub fn finish(self) -> Trace {
        let open = self.program.variable_ids().filter(|&var| {
            let variable = self.program.variable(var);
            variable.init == Init::Any && variable.role != Role::Input
        });
        let initial = open
            .map(|var| (var, self.layout.get(&self.initial, var)))
            .filter(|(var, value)| *value != Datum::zero(self.program.variable(*var).sort))
            .collect();
        Trace { initial, moves: self.moves }
    }
}
