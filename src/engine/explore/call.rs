//! What a transition asks of the scheduler, compiled.

use crate::program::{Call, LocId, Primitive, Program, ThreadId, Transition};
use crate::scheduler::{self, Misuse, Scheduler};
use crate::term::{Sort, Word};

use super::compile::{Compiler, Reg, wrap};
use super::layout::Layout;
use super::state::State;

/// A compiled call.
pub(super) struct StepCall {
    scheduler: &'static dyn Scheduler,
    caller: ThreadId,
    primitive: Primitive,
    arguments: Vec<Reg>,
    /// The cell that takes the result while updates are computed.
    result: Option<(u32, Word)>,
    /// Where the thread goes if the call is a misuse.
    pub misuse: LocId,
}

impl std::fmt::Debug for StepCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StepCall").field("primitive", &self.primitive).finish_non_exhaustive()
    }
}

impl StepCall {
    /// Compiles a call of a transition.
    pub fn new(
        program: &Program,
        layout: &Layout,
        transition: &Transition,
        call: &Call,
        compiler: &mut Compiler<'_>,
    ) -> StepCall {
        let result = call.result.map(|var| match program.variable(var).sort {
            Sort::Word(word) => (layout.field(var).base, word),
            Sort::Bool | Sort::Array(_) => unreachable!("results are words"),
        });
        StepCall {
            scheduler: scheduler::of(program.policy.expect("a program with calls is cooperative")),
            caller: program.location(transition.from).thread,
            primitive: call.primitive,
            arguments: call.arguments.iter().map(|&argument| compiler.term(argument)).collect(),
            result,
            misuse: call.misuse,
        }
    }

    /// The scheduler's state after the call, and the result.
    pub fn execute(&self, state: &State, regs: &[i64]) -> Result<(scheduler::State, i64), Misuse> {
        let arguments: Vec<i64> = self.arguments.iter().map(|&reg| regs[reg as usize]).collect();
        let mut after = state.scheduler.clone().expect("a cooperative program");
        let result = self.scheduler.execute(&mut after, self.caller, self.primitive, &arguments)?;
        Ok((after, result))
    }

    /// Does something with a state that has the result in it.
    pub fn with_result<R>(&self, state: &mut State, result: i64, action: impl FnOnce(&mut State) -> R) -> R {
        let Some((cell, word)) = self.result else { return action(state) };
        let hidden = state.replace(cell, (wrap(result, word), None));
        let done = action(state);
        state.replace(cell, hidden);
        done
    }
}
