//! How threads end: clean-up handlers, what comes after them, and cancellation.
//!
//! `pthread_cleanup_push` and `_pop` are paired in the text, and calls are inlined, so the handlers that are
//! in force are known at every point of lowering. Each has a node to which ending threads jump: there it is
//! called, and then the next one outside is. The outermost leads to what every thread does at last
//! (`__regrain_thread_end` in the models: destructors, `atexit`), which is there once for each thread.
//!
//! POSIX leaves it undefined to leave the block of a handler by a jump; [`State`](super::flow::State) counts
//! the handlers along each path, and paths that meet with different counts are refused.

use super::code::{Flag, Op};
use super::flow::JoinId;
use super::inline::UserCall;
use super::record::Value;
use super::{Lower, Result};
use crate::frontend::diagnostic::Kind;
use crate::frontend::tree::{Expr, ExprKind, FunctionId};
use crate::program::Copies;
use crate::term::{Sort, TermId, VarId};

/// The way in which the thread that is being lowered ends.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// Handlers in force, the innermost last.
    handlers: Vec<Handler>,
    /// What the thread gives when it ends, if anything comes before that.
    result: Option<VarId>,
    /// Where what every thread does at last is, if there is anything.
    last: Option<JoinId>,
}

/// A clean-up handler.
#[derive(Clone, Copy, Debug)]
struct Handler {
    /// Which function it is, if that is known.
    routine: Option<FunctionId>,
    /// Where a thread that ends calls it.
    unwind: JoinId,
}

impl<'a> Lower<'a> {
    /// Says where the thread that is being lowered ends.
    pub(super) fn end_at(&mut self, last: Option<JoinId>) {
        self.ending.last = last;
    }

    /// Prepares the end of the thread whose lowering begins.
    pub(super) fn begin_ending(&mut self) {
        self.ending = Ending::default();
        if self.uses("pthread_key_create") || self.uses("atexit") {
            self.ending.last = Some(self.join());
        }
    }

    /// Ends the thread with a result: handlers run, then what comes at last.
    pub(super) fn exit(&mut self, value: &Value) -> Result<()> {
        let word = self.layout.pointer();
        let result = match value {
            Value::Scalar(term) => self.builder.terms().cast(*term, word),
            Value::Void | Value::Record(_) => self.builder.terms().constant(0, word),
        };
        if self.ending.handlers.is_empty() {
            self.end_locals()?;
        }
        if self.ending.handlers.is_empty() && self.ending.last.is_none() {
            self.finish(Op::Exit { result });
            return Ok(());
        }
        if self.state.depth > 0 && self.alive {
            return Err(self.refuse(Kind::Unsupported, "a thread ends inside an atomic section"));
        }
        let kept = self.ending_result();
        self.assign(kept, result)?;
        self.unwind()
    }

    fn ending_result(&mut self) -> VarId {
        match self.ending.result {
            Some(var) => var,
            None => {
                let var = self.temporary(Sort::Word(self.layout.pointer()));
                self.ending.result = Some(var);
                var
            }
        }
    }

    /// Goes to the innermost handler, or to what comes at last.
    fn unwind(&mut self) -> Result<()> {
        let outside = self.ending.handlers.len().saturating_sub(1);
        match (self.ending.handlers.last().copied(), self.ending.last) {
            (Some(handler), _) => {
                self.state.handlers = outside as u32;
                self.jump(handler.unwind)
            }
            (None, Some(last)) => {
                self.state.handlers = 0;
                self.jump(last)
            }
            (None, None) => {
                let var = self.ending_result();
                let result = self.read(var);
                self.finish(Op::Exit { result });
                Ok(())
            }
        }
    }

    /// `__regrain_cleanup_push(routine)`.
    pub(super) fn push_handler(&mut self, routine: &'a Expr) -> Result<()> {
        let routine = self.scalar(routine)?;
        let address = self.builder.terms().as_const(routine);
        let routine = address.and_then(|address| self.memory.function_at(address));
        let unwind = self.join();
        self.ending.handlers.push(Handler { routine, unwind });
        self.state.handlers = self.ending.handlers.len() as u32;
        Ok(())
    }

    /// `__regrain_cleanup_pop(execute, routine, argument)`: the other end of a handler's block. The handler
    /// runs here if asked to, and where the thread ends inside the block.
    pub(super) fn pop_handler(&mut self, args: &'a [Expr], call: &'a Expr) -> Result<()> {
        let [execute, routine, argument @ ..] = args else {
            return Err(self.refuse(Kind::Type, "wrong arguments for the end of a clean-up handler"));
        };
        self.same_handlers()?;
        let Some(handler) = self.ending.handlers.pop() else {
            return Err(self.refuse(Kind::Type, "`pthread_cleanup_pop` without `pthread_cleanup_push`"));
        };
        self.state.handlers = self.ending.handlers.len() as u32;
        let execute = self.truth(execute)?;
        let (run, over) = (self.join(), self.join());
        self.branch(execute, run, over)?;
        self.place(run)?;
        self.call_handler(handler, routine, argument, call)?;
        self.jump(over)?;
        self.place(handler.unwind)?;
        self.call_handler(handler, routine, argument, call)?;
        self.unwind()?;
        self.place(over)
    }

    /// Whether a callee begins or ends the block of a handler, which has to be seen also where control does
    /// not come.
    pub(super) fn is_handler_bracket(&self, callee: &Expr) -> bool {
        matches!(callee.kind, ExprKind::Function(id) if self.unit.functions[id.index()].name.starts_with("__regrain_cleanup_"))
    }

    fn call_handler(
        &mut self,
        handler: Handler,
        routine: &'a Expr,
        argument: &'a [Expr],
        call: &'a Expr,
    ) -> Result<()> {
        match handler.routine {
            Some(id) if self.alive => self.call_function(id, argument, call).map(drop),
            _ => self.call(call, routine, argument).map(drop),
        }
    }

    /// Whether the handlers along the path are those around the text.
    pub(super) fn same_handlers(&mut self) -> Result<()> {
        match self.alive && self.state.handlers as usize != self.ending.handlers.len() {
            true => Err(self.leaves_handler()),
            false => Ok(()),
        }
    }

    /// POSIX leaves it undefined.
    pub(super) fn leaves_handler(&self) -> crate::frontend::diagnostic::Diagnostic {
        self.unsupported("leaving the block of `pthread_cleanup_push` by a jump or `return`")
    }

    /// What the thread does at last, where it ends.
    pub(super) fn end_thread(&mut self) -> Result<()> {
        let Some(last) = self.ending.last else { return Ok(()) };
        self.place(last)?;
        self.library_code("__regrain_thread_end")?;
        let var = self.ending_result();
        let result = self.read(var);
        self.finish(Op::Exit { result });
        Ok(())
    }

    /// Code of the models that runs without being called: it belongs to the current place.
    pub(super) fn library_code(&mut self, name: &'static str) -> Result<()> {
        let id = self.unit.functions.iter().position(|function| function.name == name);
        let id = FunctionId(id.expect("the models have it") as u32);
        let outer = self.user.replace(UserCall { name, args: &[], caller: None });
        self.inline(id, &[])?;
        self.user = outer;
        Ok(())
    }

    /// `__regrain_call("registrar...", function, argument...)`: calls one of the functions that were
    /// registered.
    pub(super) fn call_registered(&mut self, args: &'a [Expr], call: &'a Expr) -> Result<()> {
        let [registrars, pointer, args @ ..] = args else {
            return Err(self.refuse(Kind::Type, "wrong arguments for a call of a registered function"));
        };
        let names = self.literal(registrars).unwrap_or_default();
        let names: Vec<&str> = names.split(' ').collect();
        let candidates = match self.registered(&names) {
            Some(functions) => functions,
            None => self.candidates(pointer.ty, args.len()),
        };
        let pointer = self.scalar(pointer)?;
        self.call_one_of(pointer, &candidates, args, call).map(drop)
    }

    // ---- flags of threads

    /// `__regrain_cancel(thread)`: asks a thread to end.
    pub(super) fn cancel(&mut self, thread: TermId) -> Result<()> {
        let thread = self.builder.terms().cast(thread, self.layout.pointer());
        self.emit(|next| Op::Cancel { thread, next })
    }

    /// Whether a flag of a thread is set, as a value of the call's type.
    pub(super) fn flag_of(&mut self, flag: Flag, thread: TermId, call: &Expr) -> Result<Value> {
        let thread = self.builder.terms().cast(thread, self.layout.pointer());
        let to = self.temporary(Sort::Bool);
        self.emit(|next| Op::Peek { flag, thread, to, next })?;
        let set = self.builder.terms().var(to);
        let word = self.word(call.ty)?;
        Ok(Value::Scalar(self.builder.terms().truth_to_word(set, word)))
    }

    /// The number of the thread that is being lowered.
    pub(super) fn own_number(&mut self) -> Result<TermId> {
        if self.threads[self.thread.index()].copies == Copies::Any {
            return self.own_copy_number();
        }
        let word = self.layout.pointer();
        Ok(self.builder.terms().constant(self.thread.index() as i128, word))
    }
}
