//! Intrinsics, and library functions known by name.
//!
//! `__regrain_*` always mean what `frontend/mod.rs` says; the other names here count only where the program
//! (with our models) does not define the function.

use super::code::{Flag, Op};
use super::memory::Contents;
use super::place::{Lvalue, Place};
use super::record::Value;
use super::{Lower, Result};
use crate::frontend::diagnostic::Kind;
use crate::frontend::tree::{Expr, ExprKind, Function, Storage, Type};
use crate::frontend::{Allocation, Property};
use crate::program::{Action, Assertion, AssertionId, AssertionKind, Barrier, Mark, MemoryModel, ObjectKind};
use crate::term::{FloatMap, Sort, TermId, Word};
use std::collections::BTreeMap;

/// `char`, of which texts are made.
const CHAR: Word = Word::signed(8);

/// Functions that only talk to the outside or wait: arguments are evaluated, the result is arbitrary.
const WITHOUT_EFFECT: &[&str] = &[
    "printf",
    "fprintf",
    "vprintf",
    "vfprintf",
    "dprintf",
    "puts",
    "fputs",
    "putchar",
    "fputc",
    "putc",
    "perror",
    "fflush",
    "__printf_chk",
    "__fprintf_chk",
    "clock",
    "setvbuf",
    "setbuf",
    "close",
    "write",
];

/// Functions that [`Lower::library`] knows by name; others are not looked for there.
const KNOWN: &[&str] = &[
    "__VERIFIER_atomic_begin",
    "__CPROVER_atomic_begin",
    "__ESBMC_atomic_begin",
    "__VERIFIER_atomic_end",
    "__CPROVER_atomic_end",
    "__ESBMC_atomic_end",
    "__VERIFIER_assume",
    "__CPROVER_assume",
    "__ESBMC_assume",
    "assume_abort_if_not",
    "__VERIFIER_assert",
    "__CPROVER_assert",
    "__ESBMC_assert",
    "assert",
    "__assert_fail",
    "__assert",
    "__assert_rtn",
    "__assert_perror_fail",
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "malloc",
    "alloca",
    "calloc",
    "free",
    "memset",
    "memcpy",
    "memmove",
    "bzero",
    "__sync_synchronize",
    "scanf",
    "sscanf",
    "fscanf",
    "__isoc99_sscanf",
    "__isoc99_fscanf",
];

/// Likewise, with `__builtin_` before the name only.
const KNOWN_BUILTINS: &[&str] = &["trap", "unreachable", "expect", "expect_with_probability", "constant_p"];

/// Jumps out of functions (C11 7.13), which no definition or option can replace.
const REFUSED: &[&str] =
    &["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "longjmp", "_longjmp", "siglongjmp"];

/// The functions that are known by name and have no model.
pub(in crate::frontend) fn known_functions() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().chain(WITHOUT_EFFECT).copied()
}

impl<'a> Lower<'a> {
    /// A call of an intrinsic or known function; `None` if it is neither.
    pub(super) fn intrinsic(
        &mut self,
        function: &'a Function,
        args: &'a [Expr],
        expr: &'a Expr,
    ) -> Result<Option<Value>> {
        if let Some(name) = function.name.strip_prefix("__regrain_") {
            if let Some(operation) = name.strip_prefix("atomic_")
                && !matches!(operation, "begin" | "end")
            {
                return self.atomic(operation, args, expr).map(Some);
            }
            return self.primitive(name, args, expr);
        }
        match function.body {
            Some(_) => Ok(None),
            None => self.library(function, args, expr),
        }
    }

    /// A `__regrain_` intrinsic without atomics.
    fn primitive(&mut self, name: &str, args: &'a [Expr], expr: &'a Expr) -> Result<Option<Value>> {
        match (name, args) {
            ("atomic_begin", []) => self.begin_section()?,
            ("atomic_end", []) => self.end_section()?,
            ("assume", [condition]) => self.assume(condition)?,
            ("assert", [condition, text]) => {
                let text = self.message(text)?;
                self.assert(condition, &text)?;
            }
            ("fail", [text]) => {
                let text = self.message(text)?;
                self.fail(&text);
            }
            ("run_destructors", []) => self.destructors()?,
            ("stop", []) => self.finish(Op::Stuck),
            ("self", []) => {
                let own = self.own_number()?;
                return self.result(own, expr);
            }
            ("create", [start, arg]) => {
                let thread = self.create(start, arg)?;
                return self.result(thread, expr);
            }
            ("create_repeated", [start, arg, primitive, missing]) => {
                let repeat = self.repetition(primitive, missing)?;
                let thread = self.create_as(start, arg, Some(repeat))?;
                return self.result(thread, expr);
            }
            ("schedule", [name, args @ ..]) => {
                let result = self.schedule(name, args)?;
                return self.result(result, expr);
            }
            ("fresh", [kind]) => {
                let number = self.fresh_number(kind)?;
                return self.number(number, expr);
            }
            ("join", [thread]) => {
                let thread = self.scalar(thread)?;
                let result = self.join_thread(thread)?;
                return self.result(result, expr);
            }
            ("exit", [result]) => {
                let result = self.value(result)?;
                self.exit(&result)?;
            }
            ("ended", [thread]) => {
                let thread = self.scalar(thread)?;
                return self.flag_of(Flag::Done, thread, expr).map(Some);
            }
            ("end_cancelled", []) => {
                // PTHREAD_CANCELED
                let word = self.layout.pointer();
                let value = Value::Scalar(self.builder.terms().constant(-1, word));
                self.exit(&value)?;
            }
            ("cancel", [thread]) => {
                let thread = self.scalar(thread)?;
                self.cancel(thread)?;
            }
            ("cancelled", []) => {
                let own = self.own_number()?;
                return self.flag_of(Flag::Cancelled, own, expr).map(Some);
            }
            ("cleanup_push", [routine]) => self.push_handler(routine)?,
            ("cleanup_pop", _) => self.pop_handler(args, expr)?,
            ("call", _) => self.call_registered(args, expr)?,
            ("arguments", []) => match self.frame().arguments {
                Some(address) => return self.result(address, expr),
                None => return Err(self.refuse(Kind::Type, "`va_start` in a function without `...`")),
            },
            ("size", [pointer]) => {
                let address = self.scalar(pointer)?;
                let to = self.temporary(Sort::Word(self.layout.pointer()));
                self.emit(|next| Op::Extent { address, to, next })?;
                let size = self.builder.terms().var(to);
                return self.result(size, expr);
            }
            ("copy", [_, _, _]) => return self.block("memcpy", args, expr).map(Some),
            ("float_bits" | "double_bits" | "float_of" | "double_of", [value]) => {
                let value = self.scalar(value)?;
                return self.result(value, expr);
            }
            ("sqrt" | "sqrtf", [value]) => {
                let value = self.scalar(value)?;
                let word = self.builder.terms().word(value);
                let root = self.builder.terms().float_map(FloatMap::Sqrt, value, word);
                return self.result(root, expr);
            }
            ("used", [name]) => {
                let used = self.literal(name).is_some_and(|name| self.uses(&name));
                return self.number(i128::from(used), expr);
            }
            ("weak_memory", []) => {
                let weak = self.options.memory_model != MemoryModel::Sc;
                return self.number(i128::from(weak), expr);
            }
            ("refused", [what]) => {
                let what = self.message(what)?;
                if self.alive {
                    return Err(self.unsupported(&what));
                }
            }
            ("fence", []) => self.fence(Barrier::Full)?,
            ("store_fence", []) => self.fence(Barrier::StoreStore)?,
            ("malloc", [size]) => return self.allocated(size, &Contents::Any, expr),
            ("alloca", [size]) => {
                let size = self.scalar(size)?;
                let address = self.allocate(size, &Contents::Any)?;
                return self.result(address, expr);
            }
            ("calloc", [size]) => return self.allocated(size, &Contents::Constants(BTreeMap::new()), expr),
            ("free", [pointer]) => {
                let address = self.scalar(pointer)?;
                self.emit(|next| Op::Free { address, next })?;
            }
            ("acquired", [lock]) => self.report(lock, Action::Lock)?,
            ("released", [lock]) => self.report(lock, Action::Unlock)?,
            ("undefined", [what]) => {
                let what = self.message(what)?;
                self.mark(Mark::Undefined(what));
            }
            _ if name.starts_with("nondet") => return self.any(self.input_name(name), expr.ty).map(Some),
            _ => return Ok(None),
        }
        self.zero(expr.ty).map(Some)
    }

    /// A function without body that we know.
    fn library(&mut self, function: &'a Function, args: &'a [Expr], expr: &'a Expr) -> Result<Option<Value>> {
        let name = function.name.as_str();
        let builtin = name.strip_prefix("__builtin_");
        let plain = builtin.unwrap_or(name);
        if REFUSED.contains(&plain) {
            return Err(self.unsupported(&format!("`{plain}`")));
        }
        let known = KNOWN.contains(&plain) || builtin.is_some() && KNOWN_BUILTINS.contains(&plain);
        if !known && !is_input(name) && !WITHOUT_EFFECT.contains(&plain) {
            return Ok(None);
        }
        match (plain, args) {
            ("__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" | "__ESBMC_atomic_begin", []) => {
                return self.primitive("atomic_begin", args, expr);
            }
            ("__VERIFIER_atomic_end" | "__CPROVER_atomic_end" | "__ESBMC_atomic_end", []) => {
                return self.primitive("atomic_end", args, expr);
            }
            (
                "__VERIFIER_assume" | "__CPROVER_assume" | "__ESBMC_assume" | "assume_abort_if_not",
                [condition],
            ) => {
                self.assume(condition)?;
            }
            ("__VERIFIER_assert" | "__CPROVER_assert" | "__ESBMC_assert" | "assert", [condition, ..]) => {
                let caller = self.frames.last().map(|frame| frame.function);
                let text = args.get(1).and_then(|text| self.literal(text));
                let text = text.unwrap_or_else(|| self.expr_text(condition, caller));
                self.assert(condition, &text)?;
            }
            ("__assert_fail" | "__assert" | "__assert_rtn" | "__assert_perror_fail", _) => {
                let text =
                    args.iter().find_map(|arg| self.literal(arg)).unwrap_or_else(|| "assertion".to_owned());
                self.fail(&text);
            }
            ("abort" | "exit" | "_exit" | "_Exit" | "quick_exit" | "trap", _) => {
                self.evaluate(args)?;
                self.finish(Op::Stuck);
            }
            ("unreachable", []) => {
                self.mark(Mark::Undefined("`__builtin_unreachable` is reached".to_owned()))
            }
            ("expect" | "expect_with_probability", [value, ..]) => return self.value(value).map(Some),
            ("constant_p", [_]) => return self.number(0, expr),
            ("malloc" | "alloca", [_]) => return self.primitive(plain, args, expr),
            ("calloc", [count, size]) => return self.calloc(count, size, expr),
            ("free", [_]) => return self.primitive("free", args, expr),
            ("memset" | "memcpy" | "memmove" | "bzero", _) => return self.block(plain, args, expr).map(Some),
            ("__sync_synchronize", []) => self.fence(Barrier::Full)?,
            ("scanf", [_, places @ ..])
            | ("sscanf" | "fscanf" | "__isoc99_sscanf" | "__isoc99_fscanf", [_, _, places @ ..]) => {
                self.scan(name, places)?;
                return self.any(name, expr.ty).map(Some);
            }
            _ if is_input(name) => {
                self.evaluate(args)?;
                return self.any(name, expr.ty).map(Some);
            }
            _ if WITHOUT_EFFECT.contains(&plain) => {
                self.evaluate(args)?;
                if let Some(format) = format_position(plain) {
                    self.count_characters(plain, format, args)?;
                }
                return self.any(name, expr.ty).map(Some);
            }
            _ => return Ok(None),
        }
        self.zero(expr.ty).map(Some)
    }

    /// `%n` in a format stores how many characters have been written, which is not known here; nothing else
    /// has an effect.
    fn count_characters(&mut self, name: &str, format: usize, args: &'a [Expr]) -> Result<()> {
        let rest = args.get(format + 1..).unwrap_or_default();
        let Some(text) = args.get(format).and_then(|format| self.literal(format)) else {
            let stores = |arg: &&Expr| self.layout.pointee(arg.ty).and_then(|ty| self.layout.word(ty));
            return match rest.iter().filter_map(|arg| stores(&arg)).any(|word| word.bits() > 8) {
                true => Err(self.unsupported(&format!(
                    "`{name}` of numbers behind pointers with a format that is not a literal"
                ))),
                false => Ok(()),
            };
        };
        for place in
            conversions(&text).zip(rest).filter(|(conversion, _)| *conversion == 'n').map(|(_, arg)| arg)
        {
            let Type::Pointer(ty) = self.unit.types[place.ty.index()] else {
                return Err(self.unsupported("`%n` to something that is no pointer"));
            };
            let address = self.scalar(place)?;
            let value = self.any(name, ty)?;
            if let Value::Scalar(count) = value {
                let word = self.word(ty)?;
                let zero = self.builder.terms().constant(0, word);
                let natural = self.builder.terms().le(zero, count);
                self.assume_term(natural)?;
            }
            self.write(Lvalue { place: Place::Memory(address), ty, bits: None }, &value)?;
        }
        Ok(())
    }

    /// What is read from outside may be anything of the type that each place has.
    fn scan(&mut self, name: &str, places: &'a [Expr]) -> Result<()> {
        for place in places {
            let Type::Pointer(ty) = self.unit.types[place.ty.index()] else {
                return Err(self.unsupported(&format!("`{name}` to something that is no pointer")));
            };
            if matches!(self.layout.word(ty), None | Some(CHAR)) {
                return Err(self.unsupported(&format!("`{name}` to text or a record")));
            }
            let address = self.scalar(place)?;
            let value = self.any(name, ty)?;
            self.write(Lvalue { place: Place::Memory(address), ty, bits: None }, &value)?;
        }
        Ok(())
    }

    /// The name that an input shows: that of the user's call.
    fn input_name(&self, name: &str) -> &'a str {
        match self.user {
            Some(call) => call.name,
            None if name.is_empty() => "nondet",
            None => "nondet_int",
        }
    }

    fn evaluate(&mut self, args: &'a [Expr]) -> Result<()> {
        args.iter().try_for_each(|arg| self.value(arg).map(drop))
    }

    /// A number as the result of a call.
    fn number(&mut self, number: i128, expr: &Expr) -> Result<Option<Value>> {
        let word = self.word(expr.ty)?;
        Ok(Some(Value::Scalar(self.builder.terms().constant(number, word))))
    }

    /// A value as the result of a call.
    pub(super) fn result(&mut self, value: TermId, expr: &Expr) -> Result<Option<Value>> {
        let word = self.word(expr.ty)?;
        Ok(Some(Value::Scalar(self.convert(value, word))))
    }

    fn allocated(&mut self, size: &'a Expr, contents: &Contents, expr: &'a Expr) -> Result<Option<Value>> {
        let size = self.scalar(size)?;
        let address = self.allocate(size, contents)?;
        let address = self.perhaps(address)?;
        self.result(address, expr)
    }

    fn calloc(&mut self, count: &'a Expr, size: &'a Expr, expr: &'a Expr) -> Result<Option<Value>> {
        let (count, size) = (self.scalar(count)?, self.scalar(size)?);
        let word = self.layout.pointer();
        let (count, size) = (self.convert(count, word), self.convert(size, word));
        let bytes = self.builder.terms().mul(count, size);
        let address = self.allocate(bytes, &Contents::Constants(BTreeMap::new()))?;
        let address = self.perhaps(address)?;
        self.result(address, expr)
    }

    /// What an allocation gives: memory, or NULL if it may fail.
    fn perhaps(&mut self, address: TermId) -> Result<TermId> {
        if self.options.allocation == Allocation::Succeeds {
            return Ok(address);
        }
        let lucky = self.temporary(Sort::Bool);
        self.havoc(lucky, "the allocation succeeds")?;
        let (lucky, null) = (self.read(lucky), self.builder.terms().constant(0, self.layout.pointer()));
        let result = self.builder.terms().ite(lucky, address, null);
        self.snapshot(result)
    }

    /// The text that an intrinsic is given; without one, the user's call.
    fn message(&mut self, text: &'a Expr) -> Result<String> {
        if let Some(text) = self.literal(text) {
            return Ok(text);
        }
        let address = self.scalar(text)?;
        let address = self.builder.terms().as_const(address).unwrap_or(0);
        if let Some((object, 0)) = self.memory.owner(address)
            && self.memory.get(object).kind == ObjectKind::Literal
        {
            return Ok(self.memory.get(object).name.clone());
        }
        Ok(match self.user {
            Some(call) if call.name.contains("assert") && !call.args.is_empty() => {
                self.expr_text(&call.args[0], call.caller)
            }
            Some(call) => self.call_text(&call),
            None => "assertion".to_owned(),
        })
    }

    /// The text of a string literal.
    pub(super) fn literal(&self, expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Cast(inner) | ExprKind::Decay(inner) | ExprKind::AddressOf(inner) => {
                self.literal(inner)
            }
            ExprKind::Global(id) => {
                let global = &self.unit.globals[id.index()];
                (global.storage == Storage::Literal).then(|| global.name.clone())
            }
            _ => None,
        }
    }

    fn assume(&mut self, condition: &'a Expr) -> Result<()> {
        let span = self.span;
        let condition = self.truth(condition)?;
        self.span = span;
        self.assume_term(condition)
    }

    fn assume_term(&mut self, condition: TermId) -> Result<()> {
        match self.builder.terms().as_bool(condition) {
            Some(true) => Ok(()),
            Some(false) => {
                self.finish(Op::Stuck);
                Ok(())
            }
            None => {
                let waits = self.user.is_some_and(|call| !call.name.contains("assume"));
                let actions = if waits { Vec::new() } else { vec![Action::Assume] };
                self.announce = self.announce.take().filter(|_| waits);
                self.emit_with(actions, |next| Op::Assume { condition, next })
            }
        }
    }

    /// Tells of a lock in the user's words.
    fn report(&mut self, lock: &'a Expr, action: fn(String) -> Action) -> Result<()> {
        self.announce = None;
        let name = match self.user {
            Some(call) => match call.args.first() {
                Some(arg) => self.pointee_text(arg, call.caller),
                None => call.name.to_owned(),
            },
            None => {
                let caller = self.frames.last().map(|frame| frame.function);
                self.pointee_text(lock, caller)
            }
        };
        self.emit_with(vec![action(name)], |next| Op::Step {
            updates: Vec::new(),
            barrier: Barrier::None,
            next,
        })
    }

    // ---- violations

    /// Whether calling a function is a violation.
    pub(super) fn is_violation(&self, function: &Function) -> bool {
        match &self.options.property {
            Property::Assertions => matches!(function.name.as_str(), "reach_error" | "__VERIFIER_error"),
            Property::UnreachCall(name) => *name == function.name,
            Property::UnreachLabel(_) | Property::NoOverflow => false,
        }
    }

    /// Whether failing assertions are violations.
    fn assertions_count(&self) -> bool {
        match &self.options.property {
            Property::Assertions => true,
            Property::UnreachCall(name) => {
                !self.unit.functions.iter().any(|function| function.name == *name && !function.model)
            }
            Property::UnreachLabel(_) | Property::NoOverflow => false,
        }
    }

    fn assertion(&mut self, text: &str, kind: AssertionKind) -> AssertionId {
        let key = (self.span, text.to_owned());
        if let Some(id) = self.assertions.get(&key) {
            return *id;
        }
        let id = self.builder.assertion(Assertion { kind, ..Assertion::new(self.span, text) });
        self.assertions.insert(key, id);
        id
    }

    /// An assertion of the source.
    fn assert(&mut self, condition: &'a Expr, text: &str) -> Result<()> {
        let span = self.span;
        let condition = self.truth(condition)?;
        self.span = span;
        if !self.assertions_count() {
            return self.assume_term(condition);
        }
        match self.builder.terms().as_bool(condition) {
            Some(true) => Ok(()),
            Some(false) => {
                self.violation(text);
                Ok(())
            }
            None => {
                let id = self.assertion(text, AssertionKind::Reach);
                self.demand(condition, id)
            }
        }
    }

    /// Goes on only where a condition holds; where it does not, an assertion is violated.
    fn demand(&mut self, condition: TermId, id: AssertionId) -> Result<()> {
        let node = self.alive.then_some(self.at);
        self.require(condition, Mark::Error(id))?;
        if let Some(node) = node {
            let event = crate::program::Event { span: self.span, action: Action::Assert(id) };
            self.code.get_mut(node).events.push(event);
        }
        Ok(())
    }

    /// Signed arithmetic overflows where a condition does not hold, and that is a violation.
    pub(super) fn forbid_overflow(&mut self, in_range: TermId) -> Result<()> {
        let id = self.assertion("no signed overflow", AssertionKind::Overflow);
        match self.builder.terms().as_bool(in_range) {
            Some(false) => {
                self.violate(id);
                Ok(())
            }
            _ => self.demand(in_range, id),
        }
    }

    /// A failed assertion.
    fn fail(&mut self, text: &str) {
        match self.assertions_count() {
            true => self.violation(text),
            false => self.finish(Op::Stuck),
        }
    }

    /// The property is violated here.
    pub(super) fn violation(&mut self, text: &str) {
        if self.alive {
            let id = self.assertion(text, AssertionKind::Reach);
            self.violate(id);
        }
    }

    fn violate(&mut self, id: AssertionId) {
        if self.alive {
            let end = self.fresh();
            self.code.get_mut(end).op = Op::Mark(Mark::Error(id));
            let from = self.at;
            self.finish(Op::Step { updates: Vec::new(), barrier: Barrier::None, next: end });
            let event = crate::program::Event { span: self.span, action: Action::Assert(id) };
            self.code.get_mut(from).events.push(event);
        }
    }
}

/// Which argument of a function is a format, if any.
fn format_position(name: &str) -> Option<usize> {
    match name {
        "printf" => Some(0),
        "fprintf" | "dprintf" | "__printf_chk" => Some(1),
        "__fprintf_chk" => Some(2),
        _ => None,
    }
}

/// The arguments that a format takes, in order: the letter of the conversion, `*` for a width or precision.
fn conversions(format: &str) -> impl Iterator<Item = char> {
    let mut found = Vec::new();
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            continue;
        }
        for c in rest.by_ref() {
            match c {
                '*' => found.push('*'),
                '%' => break,
                _ if c.is_ascii_alphabetic() && !"hlqjztL".contains(c) => {
                    found.push(c);
                    break;
                }
                _ => {}
            }
        }
    }
    found.into_iter()
}

/// Whether an undefined function of this name gives any value.
fn is_input(name: &str) -> bool {
    ["__VERIFIER_nondet", "nondet_", "__CPROVER_nondet", "__ESBMC_nondet"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
        || name == "nondet"
}
