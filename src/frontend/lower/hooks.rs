//! Functions that run by themselves: constructors before `main`, destructors when the program ends.
//!
//! Constructors run in the order of their priorities, those of one priority in the order of their
//! definitions; destructors the other way round, behind what `atexit` has registered (`__regrain_at_exit` in
//! the models): after `main` has returned, when any thread calls `exit` (not `_exit`, `quick_exit` or
//! `abort`), or when the last thread ends, as gcc and glibc do it.

use super::record::Value;
use super::{Lower, Result};
use crate::frontend::tree::{Function, FunctionId};

impl<'a> Lower<'a> {
    /// What happens before `main`.
    pub(super) fn constructors(&mut self) -> Result<()> {
        for id in self.by_priority(|function| function.constructor) {
            self.run_hook(id)?;
        }
        Ok(())
    }

    /// What happens when the program ends in an orderly way. A destructor that calls `exit` does not begin
    /// all over.
    pub(super) fn destructors(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.destroying, true) {
            return Ok(());
        }
        for id in self.by_priority(|function| function.destructor).into_iter().rev() {
            self.run_hook(id)?;
        }
        self.destroying = false;
        Ok(())
    }

    /// Whether there is anything to do at the end of the program.
    pub(super) fn has_destructors(&self) -> bool {
        self.unit.functions.iter().any(|function| function.destructor.is_some() && function.body.is_some())
    }

    fn by_priority(&self, of: impl Fn(&Function) -> Option<u32>) -> Vec<FunctionId> {
        let mut hooks: Vec<(u32, FunctionId)> = (0..)
            .zip(&self.unit.functions)
            .filter(|(_, function)| function.body.is_some())
            .filter_map(|(index, function)| Some((of(function)?, FunctionId(index))))
            .collect();
        hooks.sort_by_key(|&(priority, id)| (priority, self.unit.functions[id.index()].span));
        hooks.into_iter().map(|(_, id)| id).collect()
    }

    /// Calls a function that gets what `main` gets: anything.
    fn run_hook(&mut self, id: FunctionId) -> Result<()> {
        if !self.alive {
            return Ok(());
        }
        let (function, span) = (&self.unit.functions[id.index()], self.span);
        // Library code may be what ends the program; this is the user's again.
        let (user, announce) = (self.user.take(), self.announce.take());
        let mut values: Vec<Value> = Vec::new();
        for param in &function.locals[..function.params as usize] {
            values.push(self.any(&param.name, param.ty)?);
        }
        self.interrupted(|lower| lower.inline(id, &values))?;
        (self.span, self.user, self.announce) = (span, user, announce);
        Ok(())
    }
}
