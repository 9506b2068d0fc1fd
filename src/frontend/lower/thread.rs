//! Threads: each instance of a creation makes a thread with its own copy of the start function's code.
//!
//! A thread's number is its index in the program. Creation sets `started` and hands over the argument (unless
//! it is a constant, which goes right into the code); the thread's end sets `done` and the result; joining
//! waits for `done`.

use std::collections::BTreeSet;

use super::code::{NodeId, Op};
use super::cooperative::Repeat;
use super::flow::State;
use super::inline::UserCall;
use super::place::{Binding, Place};
use super::record::{Holder, Value};
use super::visit::{Tree, visit};
use super::{Lower, Result};
use crate::frontend::diagnostic::{Diagnostic, Kind};
use crate::frontend::tree::{Expr, ExprKind, FunctionId, LocalId, Stmt, StmtKind};
use crate::program::{Action, Copies, Init, Mark, Origin, Role, Span, ThreadId, Variable};
use crate::term::{Datum, Sort, TermId, VarId};

/// More threads than this are too many.
const THREAD_LIMIT: usize = 1024;

/// A thread of the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadData {
    /// Which it is.
    pub id: ThreadId,
    /// Where its code begins.
    pub entry: NodeId,
    /// Set when it has been created.
    pub started: VarId,
    /// Set when it has ended.
    pub done: VarId,
    /// What it gave when it ended.
    pub result: VarId,
    /// Set when it has been asked to end, where anybody asks.
    pub cancelled: Option<VarId>,
    /// How many of it there are.
    pub copies: Copies,
    /// How many of its copies have been created and have not begun, if that is counted.
    pub waiting: Option<VarId>,
}

/// A thread whose code is still to be lowered.
#[derive(Debug)]
pub(super) struct Job<'a> {
    thread: ThreadId,
    body: Body<'a>,
    span: Span,
}

/// What a thread does.
#[derive(Debug)]
enum Body<'a> {
    /// It calls a function, perhaps again and again.
    Function(FunctionId, Vec<Arg>, Option<Repeat>),
    /// It runs a statement of a function on that function's variables.
    Statement(FunctionId, Vec<Binding>, &'a Stmt),
}

/// An argument of a start function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg {
    /// Always this.
    Constant(TermId),
    /// Any value of this sort.
    Any(Sort),
    /// Handed over in this variable.
    Handed(VarId),
}

impl<'a> Lower<'a> {
    /// Lowers `main` and all threads that come into being.
    pub(super) fn run(&mut self) -> Result<()> {
        let main = self
            .unit
            .functions
            .iter()
            .position(|function| function.name == "main" && function.body.is_some());
        let Some(main) = main else {
            return Err(self.refuse(Kind::Type, "there is no function `main`"));
        };
        self.settle_policy()?;
        let id = FunctionId(main as u32);
        let function = &self.unit.functions[main];
        let thread = self.new_thread("main", function.span)?;
        self.begin_thread(thread, function.span);
        self.constructors()?;
        let mut values = Vec::new();
        for param in &function.locals[..function.params as usize] {
            values.push(self.any(&param.name, param.ty)?);
        }
        self.inline(id, &values)?;
        self.span = function.end;
        if self.uses("atexit") {
            self.library_code("__regrain_at_exit")?;
        }
        match self.policy {
            None => self.mark(Mark::End),
            Some(_) => self.exit(&Value::Void)?,
        }
        self.end_thread()?;
        while let Some(job) = self.jobs.pop_front() {
            self.run_job(job)?;
        }
        Ok(())
    }

    pub(super) fn new_thread(&mut self, name: &str, span: Span) -> Result<ThreadId> {
        if self.threads.len() == THREAD_LIMIT {
            let message = format!("more than {THREAD_LIMIT} threads are created");
            let help = "lower --unwind if a loop without a known bound creates them".to_owned();
            return Err(Diagnostic { help: Some(help), ..self.refuse(Kind::TooLarge, message) });
        }
        let same = self.builder.program().threads.iter();
        let same =
            same.filter(|thread| thread.name == name || thread.name.starts_with(&format!("{name}#"))).count();
        let name = if same == 0 { name.to_owned() } else { format!("{name}#{}", same + 1) };
        let thread = self.builder.thread(name.clone(), span);
        let pointer = Sort::Word(self.layout.pointer());
        let started = self.flag(format!("{name}.started"), Sort::Bool);
        let done = self.flag(format!("{name}.done"), Sort::Bool);
        let result = self.flag(format!("{name}.result"), pointer);
        let cancelled =
            self.uses("pthread_cancel").then(|| self.flag(format!("{name}.cancelled"), Sort::Bool));
        let outer = std::mem::replace(&mut self.thread, thread);
        let entry = self.fresh();
        self.thread = outer;
        self.code.get_mut(entry).atomic = false;
        self.code.get_mut(entry).span = span;
        let (copies, waiting) = (Copies::Counted, None);
        self.threads.push(ThreadData {
            id: thread,
            entry,
            started,
            done,
            result,
            cancelled,
            copies,
            waiting,
        });
        Ok(thread)
    }

    /// A shared variable of our own that is zero at first.
    pub(super) fn flag(&mut self, name: String, sort: Sort) -> VarId {
        let init = Init::Value(Datum::zero(sort));
        self.builder.variable(Variable { name, sort, role: Role::Shared, init, origin: Origin::Internal })
    }

    fn begin_thread(&mut self, thread: ThreadId, span: Span) {
        self.thread = thread;
        self.at = self.threads[thread.index()].entry;
        self.alive = true;
        self.state = State::default();
        self.span = span;
        self.user = None;
        self.announce = None;
        self.loops = 0;
        self.stretch = false;
        self.hint = None;
        debug_assert!(self.frames.is_empty());
        self.begin_ending();
    }

    fn run_job(&mut self, job: Job<'a>) -> Result<()> {
        self.begin_thread(job.thread, job.span);
        match job.body {
            Body::Function(id, args, Some(repeat)) => {
                self.span = self.unit.functions[id.index()].span;
                let values = self.start(&args)?;
                self.repeated(id, &values, repeat)
            }
            Body::Function(id, args, None) => {
                self.span = self.unit.functions[id.index()].span;
                let values = self.start(&args)?;
                let value = self.inline(id, &values)?;
                self.span = self.unit.functions[id.index()].end;
                self.exit(&value)?;
                self.end_thread()
            }
            Body::Statement(id, locals, stmt) => {
                self.start(&[])?;
                self.push_frame(id, Holder::Void);
                self.frame().locals = locals;
                self.statement(stmt)?;
                let exit = self.frame().exit;
                self.place(exit)?;
                self.pop_frame();
                self.exit(&Value::Void)?;
                self.end_thread()
            }
        }
    }

    /// The first step of a thread, and its arguments.
    fn start(&mut self, args: &[Arg]) -> Result<Vec<Value>> {
        let (mut taken, mut values) = (Vec::new(), Vec::new());
        for arg in args {
            values.push(Value::Scalar(match *arg {
                Arg::Constant(term) => term,
                Arg::Any(sort) => {
                    let any = self.temporary(sort);
                    self.builder.terms().var(any)
                }
                Arg::Handed(shared) => {
                    let sort = self.builder.program().variable(shared).sort;
                    let private = self.temporary(sort);
                    taken.push((private, shared));
                    self.builder.terms().var(private)
                }
            }));
        }
        self.emit_with(vec![Action::Start], |next| Op::Start { values: taken, next })?;
        Ok(values)
    }

    /// Creates a thread that calls a function pointer on one argument; its number.
    pub(super) fn create(&mut self, pointer: &'a Expr, arg: &'a Expr) -> Result<TermId> {
        self.create_as(pointer, arg, None)
    }

    /// Likewise, perhaps for a thread that calls it again and again.
    pub(super) fn create_as(
        &mut self,
        pointer: &'a Expr,
        arg: &'a Expr,
        repeat: Option<Repeat>,
    ) -> Result<TermId> {
        let start = self.scalar(pointer)?;
        let arg = self.scalar(arg)?;
        let word = self.layout.pointer();
        if let Some(address) = self.builder.terms().as_const(start) {
            return match self.memory.function_at(address) {
                Some(id) => self.create_function(id, &[arg], repeat),
                None => {
                    self.mark(Mark::Undefined("a thread that starts at no function".to_owned()));
                    Ok(self.builder.terms().constant(0, word))
                }
            };
        }
        let (start, arg) = (self.snapshot(start)?, self.snapshot(arg)?);
        let number = self.temporary(Sort::Word(word));
        let end = self.join();
        for id in self.candidates(pointer.ty, 1) {
            let address = self.function(id)?;
            let here = self.builder.terms().eq(start, address);
            let (yes, no) = (self.join(), self.join());
            self.branch(here, yes, no)?;
            self.place(yes)?;
            let thread = self.create_function(id, &[arg], repeat.clone())?;
            self.assign(number, thread)?;
            self.jump(end)?;
            self.place(no)?;
        }
        self.mark(Mark::Undefined("a thread that starts at no function".to_owned()));
        self.place(end)?;
        Ok(self.read(number))
    }

    /// Creates a thread that calls a function; its number.
    fn create_function(
        &mut self,
        id: FunctionId,
        values: &[TermId],
        repeat: Option<Repeat>,
    ) -> Result<TermId> {
        let word = self.layout.pointer();
        if !self.alive {
            return Ok(self.builder.terms().constant(0, word));
        }
        let function = &self.unit.functions[id.index()];
        if function.body.is_none() {
            return Err(self.refuse(Kind::UndefinedFunction, format!("`{}` has no body", function.name)));
        }
        if self.creates_copies() {
            return self.create_copy(id, values);
        }
        let span = self.span;
        let thread = self.new_thread(&function.name, span)?;
        let (mut args, mut handed) = (Vec::new(), Vec::new());
        for &value in values {
            args.push(match self.builder.terms().as_const(value) {
                Some(_) => Arg::Constant(value),
                None => {
                    let sort = self.builder.terms().sort(value);
                    let shared = self.flag(format!("{}.argument", function.name), sort);
                    handed.push((shared, value));
                    Arg::Handed(shared)
                }
            });
        }
        self.calls_in(thread, id, args, repeat);
        self.begin_other(thread, handed)?;
        Ok(self.builder.terms().constant(thread.index() as i128, word))
    }

    /// A thread that was made calls a function.
    pub(super) fn calls_in(
        &mut self,
        thread: ThreadId,
        id: FunctionId,
        args: Vec<Arg>,
        repeat: Option<Repeat>,
    ) {
        self.jobs.push_back(Job { thread, body: Body::Function(id, args, repeat), span: self.span });
    }

    /// The step that starts another thread.
    fn begin_other(&mut self, thread: ThreadId, values: Vec<(VarId, TermId)>) -> Result<()> {
        // Where control may come back, the same creation could run again; that thread is not there.
        let again = match self.runs_once() {
            true => None,
            false => {
                self.templates.note_cut();
                let node = self.fresh();
                let text = "a loop made with `goto` creates a thread again; use a `for` or `while` loop";
                self.code.get_mut(node).op = Op::Mark(Mark::Cut(text.to_owned()));
                Some(node)
            }
        };
        self.announce = None;
        self.emit_with(vec![Action::Create(thread)], |next| Op::Create { thread, values, again, next })
    }

    /// Waits for the end of a thread; its result.
    pub(super) fn join_thread(&mut self, thread: TermId) -> Result<TermId> {
        let word = self.layout.pointer();
        let to = self.temporary(Sort::Word(word));
        let thread = self.builder.terms().cast(thread, word);
        self.announce = None;
        self.emit(|next| Op::Join { thread, to, next })?;
        Ok(self.builder.terms().var(to))
    }

    /// A statement that runs in a thread of its own: a call of a function on values known here, or anything
    /// else, on variables that are then shared.
    pub(super) fn spawn(&mut self, stmt: &'a Stmt) -> Result<()> {
        if !self.alive {
            return Ok(());
        }
        if let StmtKind::Expr(Expr { kind: ExprKind::Call(callee, args), .. }) = &stmt.kind
            && let ExprKind::Function(id) = callee.kind
            && self.unit.functions[id.index()].body.is_some()
        {
            let mut values = Vec::new();
            for arg in args {
                values.push(self.scalar(arg)?);
            }
            return self.create_function(id, &values, None).map(drop);
        }
        if self.creates_copies() {
            return Err(self.unsupported("a statement that runs in threads without number"));
        }
        let locals = self.shared_locals(stmt)?;
        let (id, function) = (self.frame().id, self.frame().function);
        let span = self.span;
        let thread = self.new_thread(&function.name, span)?;
        self.jobs.push_back(Job { thread, body: Body::Statement(id, locals, stmt), span });
        self.begin_other(thread, Vec::new())
    }

    /// Where the locals of the current function are for a statement that another thread runs: those it
    /// mentions are in memory; those it declares are its own.
    fn shared_locals(&mut self, stmt: &'a Stmt) -> Result<Vec<Binding>> {
        let (mut mentioned, mut declared) = (BTreeSet::new(), BTreeSet::new());
        visit(Tree::Stmt(stmt), |tree| match tree {
            Tree::Stmt(Stmt { kind: StmtKind::Declare { local, .. }, .. }) => {
                declared.insert(*local);
            }
            Tree::Expr(Expr { kind: ExprKind::Local(local), .. }) => {
                mentioned.insert(*local);
            }
            _ => {}
        });
        for local in mentioned.difference(&declared) {
            self.local(*local)?;
        }
        let locals = self.frame().locals.iter().enumerate().map(|(index, binding)| {
            let own = declared.contains(&LocalId(index as u32));
            match binding {
                Binding::At(Place::Private(_)) => Binding::Unbound,
                _ if own => Binding::Unbound,
                other => *other,
            }
        });
        Ok(locals.collect())
    }

    /// A text for a call, as the user wrote it.
    pub(super) fn call_text(&self, call: &UserCall<'a>) -> String {
        let args: Vec<String> = call.args.iter().map(|arg| self.expr_text(arg, call.caller)).collect();
        format!("{}({})", call.name, args.join(", "))
    }
}
