//! Calls: a function's body is lowered anew at each call, with variables of its own.
//!
//! A parameter that the function neither assigns nor takes the address of is bound to its argument when that
//! is a constant, so that `lock(&m)` works on `m` itself.

use rustc_hash::FxHashMap;

use std::collections::BTreeMap;

use super::code::{Access, By, Show};
use super::flow::JoinId;
use super::layout::Part;
use super::memory::Contents;
use super::place::{Binding, Lvalue, Place};
use super::record::{Holder, Value};
use super::scope::Scope;
use super::{Lower, Result};
use crate::frontend::Undefined;
use crate::frontend::analyse::SLOT;
use crate::frontend::diagnostic::{Diagnostic, Kind};
use crate::frontend::tree::{Expr, ExprKind, Function, FunctionId, LocalId, Type, TypeId, Variadic};
use crate::program::{Barrier, Mark, ObjectKind, Origin};
use crate::term::{TermId, VarId};

/// An active call instance.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    /// The function.
    pub id: FunctionId,
    /// Likewise.
    pub function: &'a Function,
    /// Where its locals are.
    pub locals: Vec<Binding>,
    /// The private variables among them.
    pub privates: Vec<VarId>,
    /// Where its labels are.
    pub labels: Vec<Label>,
    /// Where `return` leads.
    pub exit: JoinId,
    /// What `return` gives.
    pub result: Holder,
    /// Where `break` leads, and how many blocks are around there.
    pub breaks: Vec<(JoinId, usize)>,
    /// Likewise for `continue`.
    pub continues: Vec<(JoinId, usize)>,
    /// The blocks around the current point.
    pub scopes: Vec<Scope<'a>>,
    /// Where the cases of switches are that have not been reached yet, by the statement's identity.
    pub cases: FxHashMap<usize, JoinId>,
    /// Unrolled loops around the current point.
    pub unrolled: u32,
    /// Where its variable arguments are.
    pub arguments: Option<TermId>,
}

/// Where a label is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Label {
    /// Nobody asked.
    Absent,
    /// Here.
    At(JoinId),
    /// In several copies of a loop's body.
    Copied,
}

/// A call in the user's program that library code works for.
#[derive(Clone, Copy, Debug)]
pub(super) struct UserCall<'a> {
    /// The function called.
    pub name: &'a str,
    /// Its arguments as written.
    pub args: &'a [Expr],
    /// The function of the user around the call.
    pub caller: Option<&'a Function>,
}

impl<'a> Lower<'a> {
    /// The current call instance.
    pub(super) fn frame(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("statements are in functions")
    }

    /// A call expression.
    pub(super) fn call(&mut self, expr: &'a Expr, callee: &'a Expr, args: &'a [Expr]) -> Result<Value> {
        if !self.alive && !self.is_handler_bracket(callee) {
            return self.zero(expr.ty);
        }
        if let ExprKind::Function(id) = callee.kind {
            return self.call_function(id, args, expr);
        }
        let pointer = self.scalar(callee)?;
        self.locate(expr.span);
        match self.builder.terms().as_const(pointer) {
            Some(address) => match self.memory.function_at(address) {
                Some(id) => self.call_function(id, args, expr),
                None => self.call_nothing(expr.ty),
            },
            None => self.call_pointer(pointer, callee.ty, args, expr),
        }
    }

    fn call_nothing(&mut self, ty: TypeId) -> Result<Value> {
        self.mark(Mark::Undefined("call through a pointer that is not a function".to_owned()));
        self.zero(ty)
    }

    /// A call through a pointer: one case for each function that it may point to.
    fn call_pointer(
        &mut self,
        pointer: TermId,
        ty: TypeId,
        args: &'a [Expr],
        expr: &'a Expr,
    ) -> Result<Value> {
        let candidates = self.candidates(ty, args.len());
        self.call_one_of(pointer, &candidates, args, expr)
    }

    /// A call through a pointer to one of some functions.
    pub(super) fn call_one_of(
        &mut self,
        pointer: TermId,
        candidates: &[FunctionId],
        args: &'a [Expr],
        expr: &'a Expr,
    ) -> Result<Value> {
        let pointer = self.snapshot(pointer)?;
        let holder = self.holder("call", expr.ty)?;
        let end = self.join();
        for &id in candidates {
            let address = self.function(id)?;
            let here = self.builder.terms().eq(pointer, address);
            let (yes, no) = (self.join(), self.join());
            self.branch(here, yes, no)?;
            self.place(yes)?;
            let value = self.call_function(id, args, expr)?;
            self.hold(&holder, &value)?;
            self.jump(end)?;
            self.place(no)?;
        }
        self.call_nothing(expr.ty)?;
        self.place(end)?;
        Ok(self.held(&holder))
    }

    /// The functions used as values that can be called with a number of arguments.
    pub(super) fn candidates(&self, pointer: TypeId, args: usize) -> Vec<FunctionId> {
        let wanted = self.layout.pointee(pointer);
        let fits = |id: &FunctionId| {
            let ty = self.unit.functions[id.index()].ty;
            let Type::Function { params, variadic, .. } = self.layout.get(ty) else { return false };
            Some(ty) == wanted || params.len() == args || *variadic != Variadic::No
        };
        self.facts.pointed.iter().copied().filter(fits).collect()
    }

    /// A call of a known function.
    pub(super) fn call_function(
        &mut self,
        id: FunctionId,
        args: &'a [Expr],
        expr: &'a Expr,
    ) -> Result<Value> {
        let function = &self.unit.functions[id.index()];
        self.locate(expr.span);
        if self.is_violation(function) {
            for arg in args {
                self.value(arg)?;
            }
            self.violation(&format!("{}()", function.name));
            return self.zero(expr.ty);
        }
        self.refuse_preemption(function)?;
        if let Some(value) = self.intrinsic(function, args, expr)? {
            return Ok(value);
        }
        let mut values = Vec::new();
        for arg in args {
            values.push(self.value(arg)?);
        }
        self.locate(expr.span);
        if function.body.is_none() {
            return self.call_undefined(function, expr);
        }
        let call =
            UserCall { name: &function.name, args, caller: self.frames.last().map(|frame| frame.function) };
        self.interrupted(|lower| lower.call_body(id, &values, call))
    }

    /// Calls a function with a body; library code works for the user's call.
    fn call_body(&mut self, id: FunctionId, values: &[Value], call: UserCall<'a>) -> Result<Value> {
        let function = &self.unit.functions[id.index()];
        let (outer, span) = (self.user, self.span);
        if !function.model {
            // The library calls the user back.
            (self.user, self.announce) = (None, None);
        } else if outer.is_none() {
            self.user = Some(call);
            self.announce = (!self.facts.reporters.contains(&id)).then(|| self.call_text(&call));
        }
        let section = !function.model && function.name.starts_with("__VERIFIER_atomic_");
        if section {
            self.begin_section()?;
        }
        let value = self.inline(id, values)?;
        if section {
            self.end_section()?;
        }
        if outer.is_none() || !function.model {
            (self.user, self.announce) = (outer, None);
        }
        self.span = span;
        Ok(value)
    }

    /// The body of a function on argument values.
    pub(super) fn inline(&mut self, id: FunctionId, values: &[Value]) -> Result<Value> {
        let function = &self.unit.functions[id.index()];
        let Type::Function { result, .. } = *self.layout.get(function.ty) else {
            return Err(self.refuse(Kind::Type, format!("`{}` is not a function", function.name)));
        };
        let active = self.frames.iter().filter(|frame| frame.id == id).count();
        if active > self.options.unroll as usize && self.alive {
            self.mark(Mark::Cut(format!(
                "`{}` calls itself more than {} times; raise --unwind",
                function.name,
                active - 1
            )));
        }
        if !self.alive {
            return self.zero(result);
        }
        let holder = self.holder(&format!("{}::return", function.name), result)?;
        self.push_frame(id, holder.clone());
        self.bind_params(id, values)?;
        self.bind_variable_arguments(id, values)?;
        self.statement(function.body.as_ref().expect("a function with a body"))?;
        self.locate(function.end);
        let exit = self.frame().exit;
        self.place(exit)?;
        self.same_handlers()?;
        self.end_parameters()?;
        let value = self.held(&holder);
        self.pop_frame();
        Ok(value)
    }

    /// Begins a call instance.
    pub(super) fn push_frame(&mut self, id: FunctionId, result: Holder) {
        let function = &self.unit.functions[id.index()];
        let exit = self.join();
        self.frames.push(Frame {
            id,
            function,
            locals: vec![Binding::Unbound; function.locals.len()],
            privates: Vec::new(),
            labels: vec![Label::Absent; function.labels.len()],
            exit,
            result,
            breaks: Vec::new(),
            continues: Vec::new(),
            scopes: Vec::new(),
            cases: FxHashMap::default(),
            unrolled: 0,
            arguments: None,
        });
    }

    /// Ends a call instance and forgets its variables.
    pub(super) fn pop_frame(&mut self) {
        let frame = self.frames.pop().expect("a call instance");
        for var in frame.privates.into_iter().chain(Self::holder_vars(&frame.result)) {
            self.state.known.remove(&var);
        }
    }

    fn bind_params(&mut self, id: FunctionId, values: &[Value]) -> Result<()> {
        let function = &self.unit.functions[id.index()];
        for index in 0..function.params {
            let (local, ty) = (LocalId(index), function.locals[index as usize].ty);
            let Some(value) = values.get(index as usize) else { continue };
            match value {
                Value::Scalar(term) => self.bind_scalar(id, local, ty, *term)?,
                value => {
                    let place = self.local(local)?;
                    self.comes_to_life(local)?;
                    self.write(Lvalue { place, ty, bits: None }, value)?;
                }
            }
        }
        Ok(())
    }

    /// Puts the arguments behind the parameters where `va_arg` finds them: one after another, eight bytes
    /// each.
    fn bind_variable_arguments(&mut self, id: FunctionId, values: &[Value]) -> Result<()> {
        let function = &self.unit.functions[id.index()];
        let reads = self.facts.functions[id.index()]
            .calls
            .iter()
            .any(|callee| self.unit.functions[callee.index()].name == "__regrain_arguments");
        if !reads {
            return Ok(());
        }
        let rest = values.get(function.params as usize..).unwrap_or_default();
        let (mut parts, mut terms) = (Vec::new(), Vec::new());
        for (index, value) in rest.iter().enumerate() {
            let Value::Scalar(term) = *value else {
                return Err(self.unsupported("a structure among variable arguments"));
            };
            let word = self.builder.terms().word(term);
            let (offset, size) = (index as u64 * SLOT as u64, u64::from(word.bits()).div_ceil(8));
            let (dims, suffix) = (Vec::new(), format!(".{index}"));
            parts.push(Part { offset, size, word, dims, suffix, origin: Origin::User });
            terms.push(term);
        }
        let name = format!("{}::...", function.name);
        let object = self.reserve(&name, ObjectKind::Local, (rest.len() as u64 * SLOT as u64).max(1))?;
        let origin = if self.in_model() { Origin::Internal } else { Origin::User };
        // Zeros, so that an argument that is read at another width than its own has a value.
        self.furnish(object, parts.clone(), &Contents::Constants(BTreeMap::new()), origin)?;
        let base = self.base(object);
        for (part, term) in parts.into_iter().zip(terms) {
            let address = self.offset(base, i128::from(part.offset));
            let access = Access { address, word: part.word, size: part.size, by: By::Machine };
            self.store(access, term, Barrier::None, Show::Plain)?;
        }
        self.frame().arguments = Some(base);
        Ok(())
    }

    /// Gives a scalar parameter its argument.
    pub(super) fn bind_scalar(
        &mut self,
        id: FunctionId,
        local: LocalId,
        ty: TypeId,
        term: TermId,
    ) -> Result<()> {
        let word = self.word(ty)?;
        if self.layout.is_float(ty) && self.builder.terms().word(term) != word {
            return Err(self.unsupported("a floating-point parameter that gets a value of another type"));
        }
        let term = self.convert(term, word);
        let facts = &self.facts.functions[id.index()];
        let fixed = !facts.taken.contains(&local) && !facts.changed.contains(&local);
        if fixed && self.builder.terms().as_const(term).is_some() {
            self.bind(local, Place::Bound(term));
            return Ok(());
        }
        let place = self.local(local)?;
        self.comes_to_life(local)?;
        self.write(Lvalue { place, ty, bits: None }, &Value::Scalar(term)).map(drop)
    }

    /// A call of a function that nothing is known of.
    fn call_undefined(&mut self, function: &'a Function, expr: &'a Expr) -> Result<Value> {
        match self.options.undefined {
            Undefined::Error => {
                let help = "`--undefined havoc` takes any result, `--undefined ignore` takes 0; both assume no other effect";
                Err(Diagnostic {
                    help: Some(help.to_owned()),
                    ..self.refuse(Kind::UndefinedFunction, format!("`{}` has no body", function.name))
                })
            }
            Undefined::Havoc => self.any(&function.name, expr.ty),
            Undefined::Ignore => self.zero(expr.ty),
        }
    }

    /// Any value of a type.
    pub(super) fn any(&mut self, name: &str, ty: TypeId) -> Result<Value> {
        let holder = self.holder(name, ty)?;
        for var in Self::holder_vars(&holder) {
            self.havoc(var, name)?;
        }
        Ok(self.held(&holder))
    }

    /// Whether what is lowered now runs at most once.
    pub(super) fn runs_once(&self) -> bool {
        let labels = self.frames.iter().any(|frame| self.facts.functions[frame.id.index()].labels);
        self.loops == 0 && !labels
    }
}
