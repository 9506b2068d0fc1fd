//! gcc's and clang's atomic builtins, as calls of the intrinsics `__regrain_atomic_*`, which take any integer
//! or pointer type: the result of such a call has the type that the pointer points to.

use lang_c::ast;
use lang_c::span::Node;

use super::types::Types;
use super::{Analyser, Result, make};
use crate::frontend::tree::{BinaryOp, Expr, ExprKind, TypeId};
use crate::program::Span;

/// `__ATOMIC_ACQUIRE`, `__ATOMIC_RELEASE`, `__ATOMIC_SEQ_CST`.
const ACQUIRE: i128 = 2;
const RELEASE: i128 = 3;
const SEQ_CST: i128 = 5;

/// The prefix of our own intrinsics.
const OWN: &str = "__regrain_atomic_";

/// The operations that fetch and modify.
const OPERATIONS: [&str; 6] = ["add", "sub", "and", "or", "xor", "nand"];

/// The builtins by prefix, apart from those that fetch and modify; others are not looked for.
const FAMILIES: [(&str, &[&str]); 3] = [
    (
        "__atomic_",
        &[
            "load_n",
            "store_n",
            "exchange_n",
            "load",
            "store",
            "exchange",
            "compare_exchange_n",
            "compare_exchange",
            "test_and_set",
            "clear",
            "thread_fence",
            "signal_fence",
            "always_lock_free",
            "is_lock_free",
        ],
    ),
    (
        "__c11_atomic_",
        &[
            "init",
            "load",
            "store",
            "exchange",
            "compare_exchange_strong",
            "compare_exchange_weak",
            "thread_fence",
            "signal_fence",
            "is_lock_free",
        ],
    ),
    (
        "__sync_",
        &[
            "synchronize",
            "lock_test_and_set",
            "lock_release",
            "bool_compare_and_swap",
            "val_compare_and_swap",
        ],
    ),
];

/// The operations of a family.
fn operations(prefix: &str) -> Vec<String> {
    let plain = FAMILIES.iter().find(|(name, _)| *name == prefix).map_or(&[][..], |(_, names)| names);
    let modify = OPERATIONS.iter().flat_map(|operation| match prefix {
        "__sync_" => vec![format!("fetch_and_{operation}"), format!("{operation}_and_fetch")],
        "__c11_atomic_" => vec![format!("fetch_{operation}")],
        _ => vec![format!("fetch_{operation}"), format!("{operation}_fetch")],
    });
    plain.iter().map(|&name| name.to_owned()).chain(modify).collect()
}

/// All atomic builtins.
pub(in crate::frontend) fn atomic_builtins() -> Vec<String> {
    let names = FAMILIES.iter().map(|(prefix, _)| prefix);
    names
        .flat_map(|prefix| operations(prefix).into_iter().map(move |name| format!("{prefix}{name}")))
        .collect()
}

impl<'a> Analyser<'a> {
    /// The call as one of the atomic builtins or intrinsics, if its name is one.
    pub fn atomic_builtin(
        &mut self,
        name: &str,
        nodes: &'a [Node<ast::Expression>],
        span: Span,
    ) -> Result<Option<Expr>> {
        let mut families = FAMILIES.iter().map(|(prefix, _)| *prefix).chain([OWN]);
        let Some(prefix) = families.find(|prefix| name.starts_with(prefix)) else {
            return Ok(None);
        };
        let operation = &name[prefix.len()..];
        let known = prefix == OWN || operations(prefix).iter().any(|known| known == operation);
        if !known || matches!(operation, "begin" | "end") {
            return Ok(None);
        }
        let mut arguments = Vec::new();
        for node in nodes {
            arguments.push(self.value(node)?);
        }
        let call = Call { name, span };
        match prefix {
            OWN => self.c11_intrinsic(call, operation, arguments),
            "__atomic_" => self.gnu_atomic(call, operation, arguments),
            "__c11_atomic_" => self.c11_atomic(call, operation, arguments),
            _ => self.sync(call, operation, arguments),
        }
    }

    /// Our own intrinsics: pointer, further operands, order.
    fn intrinsic(&mut self, call: Call, operation: &str, arguments: Vec<Expr>) -> Result<Option<Expr>> {
        let count = match operation {
            "fence" => 1,
            "load" => 2,
            "compare_exchange" => 5,
            "store" | "exchange" => 3,
            _ if is_modification(operation) => 3,
            _ => return Ok(None),
        };
        self.expect(&call, &arguments, count)?;
        self.intrinsic_call(call, operation, arguments).map(Some)
    }

    /// `__atomic_load_n(p, order)` and so on; without `_n`, values come and go through pointers.
    fn gnu_atomic(&mut self, call: Call, operation: &str, mut arguments: Vec<Expr>) -> Result<Option<Expr>> {
        let span = call.span;
        match operation {
            "load_n" | "store_n" | "exchange_n" => {
                self.intrinsic(call, operation.trim_end_matches("_n"), arguments)
            }
            "load" => {
                let [pointer, result, order] = self.take(&call, arguments)?;
                let value = self.intrinsic_call(call, "load", vec![pointer, order])?;
                self.put(result, value, span).map(Some)
            }
            "store" => {
                let [pointer, value, order] = self.take(&call, arguments)?;
                let value = self.get(value, span)?;
                self.intrinsic_call(call, "store", vec![pointer, value, order]).map(Some)
            }
            "exchange" => {
                let [pointer, value, result, order] = self.take(&call, arguments)?;
                let value = self.get(value, span)?;
                let old = self.intrinsic_call(call, "exchange", vec![pointer, value, order])?;
                self.put(result, old, span).map(Some)
            }
            "compare_exchange_n" | "compare_exchange" => {
                self.expect(&call, &arguments, 6)?;
                arguments.truncate(5);
                if operation == "compare_exchange" {
                    arguments[2] = self.get(arguments[2].clone(), span)?;
                }
                self.intrinsic_call(call, "compare_exchange", arguments).map(Some)
            }
            "test_and_set" => {
                let [pointer, order] = self.take(&call, arguments)?;
                let (pointer, one) = (self.as_bytes(pointer), self.int(1, Types::CHAR, span));
                let old = self.intrinsic_call(call, "exchange", vec![pointer, one, order])?;
                Ok(Some(self.convert_unchecked(old, Types::BOOL)))
            }
            "clear" => {
                let [pointer, order] = self.take(&call, arguments)?;
                let (pointer, zero) = (self.as_bytes(pointer), self.int(0, Types::CHAR, span));
                self.intrinsic_call(call, "store", vec![pointer, zero, order]).map(Some)
            }
            "thread_fence" => self.intrinsic(call, "fence", arguments),
            "signal_fence" => self.nothing(span).map(Some),
            "always_lock_free" | "is_lock_free" => Ok(Some(self.int(1, Types::BOOL, span))),
            _ if is_modification(operation) => self.intrinsic(call, operation, arguments),
            _ => Ok(None),
        }
    }

    /// clang's builtins for `_Atomic` objects.
    fn c11_atomic(&mut self, call: Call, operation: &str, mut arguments: Vec<Expr>) -> Result<Option<Expr>> {
        let span = call.span;
        match operation {
            "init" => {
                let [pointer, value] = self.take(&call, arguments)?;
                self.put(pointer, value, span).map(Some)
            }
            "compare_exchange_strong" | "compare_exchange_weak" => {
                self.expect(&call, &arguments, 5)?;
                arguments.truncate(4);
                let weak = self.int(i128::from(operation == "compare_exchange_weak"), Types::BOOL, span);
                arguments.insert(3, weak);
                self.intrinsic_call(call, "compare_exchange", arguments).map(Some)
            }
            "thread_fence" => self.intrinsic(call, "fence", arguments),
            "signal_fence" => self.nothing(span).map(Some),
            "is_lock_free" => Ok(Some(self.int(1, Types::BOOL, span))),
            _ => self.c11_intrinsic(call, operation, arguments),
        }
    }

    /// C11 counts elements when it adds to an atomic pointer; gcc's builtins, and the intrinsics, count
    /// bytes.
    fn c11_intrinsic(
        &mut self,
        call: Call,
        operation: &str,
        mut arguments: Vec<Expr>,
    ) -> Result<Option<Expr>> {
        let element = arguments.first().and_then(|pointer| self.types.pointee(pointer.ty));
        if let (true, [_, amount, _], Some(to)) = (
            is_modification(operation),
            arguments.as_mut_slice(),
            element.and_then(|pointer| self.types.pointee(pointer)),
        ) {
            let (span, ty) = (amount.span, self.types.difference_type());
            let count = self.convert(amount.clone(), ty, span)?;
            let size = self.int(i128::from(self.types.size(to).unwrap_or(1)), ty, span);
            *amount = make(ExprKind::Binary(BinaryOp::Mul, Box::new(count), Box::new(size)), ty, span);
        }
        self.intrinsic(call, operation, arguments)
    }

    /// The older `__sync_*` builtins, sequentially consistent; further arguments name protected variables and
    /// mean nothing.
    fn sync(&mut self, call: Call, operation: &str, mut arguments: Vec<Expr>) -> Result<Option<Expr>> {
        let span = call.span;
        let count = match operation {
            "synchronize" => 0,
            "lock_release" => 1,
            "bool_compare_and_swap" | "val_compare_and_swap" => 3,
            _ => 2,
        };
        if arguments.len() < count {
            self.expect(&call, &arguments, count)?;
        }
        arguments.truncate(count);
        match operation {
            "synchronize" => self.plain_intrinsic("__regrain_fence", Types::VOID, Vec::new(), span).map(Some),
            "lock_test_and_set" => {
                arguments.push(self.int(ACQUIRE, Types::INT, span));
                self.intrinsic_call(call, "exchange", arguments).map(Some)
            }
            "lock_release" => {
                arguments.push(self.int(0, Types::INT, span));
                arguments.push(self.int(RELEASE, Types::INT, span));
                self.intrinsic_call(call, "store", arguments).map(Some)
            }
            "bool_compare_and_swap" | "val_compare_and_swap" => {
                self.compare_and_swap(call, operation, arguments)
            }
            _ => {
                let fetch_first = operation.strip_prefix("fetch_and_").map(|op| format!("fetch_{op}"));
                let fetch_last = operation.strip_suffix("_and_fetch").map(|op| format!("{op}_fetch"));
                let Some(operation) = fetch_first.or(fetch_last).filter(|name| is_modification(name)) else {
                    return Ok(None);
                };
                arguments.push(self.int(SEQ_CST, Types::INT, span));
                self.intrinsic_call(call, &operation, arguments).map(Some)
            }
        }
    }

    /// The expected value is copied to a local, since the intrinsic takes a pointer to it.
    fn compare_and_swap(
        &mut self,
        call: Call,
        operation: &str,
        arguments: Vec<Expr>,
    ) -> Result<Option<Expr>> {
        let (name, span) = (call.name, call.span);
        let [pointer, expected, desired] = self.take(&call, arguments)?;
        let ty = self.target(&pointer, name, span)?;
        let local = self.new_local("<expected>".to_owned(), ty, span)?;
        let local = make(ExprKind::Local(local), ty, span);
        let expected = self.convert(expected, ty, span)?;
        let keep = make(ExprKind::Assign(Box::new(local.clone()), Box::new(expected)), ty, span);
        let address = self.address_of(local.clone(), span)?;
        let (strong, order) = (self.int(0, Types::BOOL, span), self.int(SEQ_CST, Types::INT, span));
        let arguments = vec![pointer, address, desired, strong, order];
        let swap = self.intrinsic_call(call, "compare_exchange", arguments)?;
        let swap = make(ExprKind::Comma(Box::new(keep), Box::new(swap)), Types::BOOL, span);
        if operation == "bool_compare_and_swap" {
            return Ok(Some(swap));
        }
        let read = self.rvalue(local);
        Ok(Some(make(ExprKind::Comma(Box::new(swap), Box::new(read)), ty, span)))
    }

    /// What a `lock`ed instruction does to memory; gives the old value.
    pub fn locked_operation(
        &mut self,
        operation: &str,
        pointer: Expr,
        value: Expr,
        span: Span,
    ) -> Result<Expr> {
        let order = self.int(SEQ_CST, Types::INT, span);
        self.intrinsic_call(Call { name: "lock", span }, operation, vec![pointer, value, order])
    }

    /// What `lock cmpxchg` does to memory; gives the old value.
    pub fn locked_swap(&mut self, pointer: Expr, expected: Expr, desired: Expr, span: Span) -> Result<Expr> {
        let call = Call { name: "lock cmpxchg", span };
        let arguments = vec![pointer, expected, desired];
        let swap = self.compare_and_swap(call, "val_compare_and_swap", arguments)?;
        Ok(swap.expect("a comparison with a value"))
    }

    /// A call of `__regrain_atomic_OPERATION` with operands converted to the type of the object.
    fn intrinsic_call(&mut self, call: Call, operation: &str, mut arguments: Vec<Expr>) -> Result<Expr> {
        let span = call.span;
        let name = format!("__regrain_atomic_{operation}");
        if let Some(refused) = self.refused_operand(&arguments.iter().collect::<Vec<_>>(), Types::INT, span) {
            return Ok(refused);
        }
        let order = arguments.pop().expect("the order comes last");
        let order = self.convert(order, Types::INT, span)?;
        if operation == "fence" {
            return self.plain_intrinsic(&name, Types::VOID, vec![order], span);
        }
        let ty = self.target(&arguments[0], call.name, span)?;
        if operation.contains("fetch") && self.types.is_float(ty) {
            return self.error(span, format!("`{}` does not take floating-point numbers", call.name));
        }
        let weak = match arguments.pop_if(|_| operation == "compare_exchange") {
            Some(weak) => Some(self.convert(weak, Types::BOOL, span)?),
            None => None,
        };
        if let Some(last) = arguments.pop_if(|_| operation != "load") {
            arguments.push(match operation.contains("fetch") && self.types.is_pointer(ty) {
                true => self.promote_argument(last),
                false => self.convert(last, ty, span)?,
            });
        }
        arguments.extend(weak.into_iter().chain([order]));
        let result = match operation {
            "store" => Types::VOID,
            "compare_exchange" => Types::BOOL,
            _ => ty,
        };
        self.plain_intrinsic(&name, result, arguments, span)
    }

    /// What the first argument of an atomic builtin points to, without `_Atomic`.
    fn target(&self, pointer: &Expr, name: &str, span: Span) -> Result<TypeId> {
        match self.types.pointee(pointer.ty) {
            Some(to) if self.types.size(to).is_some() => Ok(self.types.plain(to)),
            _ => self.error(span, format!("`{name}` needs a pointer to an object")),
        }
    }

    pub fn plain_intrinsic(
        &mut self,
        name: &str,
        result: TypeId,
        arguments: Vec<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let known = self.linked_functions.get(name).copied();
        let id = match known {
            Some(id) => id,
            None => self.unspecified_function(name, Types::VOID, span)?,
        };
        let callee = self.function_value(id, span);
        Ok(make(ExprKind::Call(Box::new(callee), arguments), result, span))
    }

    /// `*pointer = value`.
    fn put(&mut self, pointer: Expr, value: Expr, span: Span) -> Result<Expr> {
        let target = self.dereference(pointer, span)?;
        let ty = self.types.plain(target.ty);
        let value = self.convert(value, ty, span)?;
        let store = make(ExprKind::Assign(Box::new(target), Box::new(value)), ty, span);
        self.cast(store, Types::VOID, span)
    }

    /// `*pointer`, read.
    fn get(&mut self, pointer: Expr, span: Span) -> Result<Expr> {
        let place = self.dereference(pointer, span)?;
        Ok(self.rvalue(place))
    }

    fn as_bytes(&mut self, pointer: Expr) -> Expr {
        match self.types.pointee(pointer.ty) {
            Some(to) if self.types.is_integer(to) && self.types.size(to) == Some(1) => pointer,
            _ => {
                let bytes = self.types.pointer(Types::CHAR);
                self.convert_unchecked(pointer, bytes)
            }
        }
    }

    fn nothing(&mut self, span: Span) -> Result<Expr> {
        let zero = self.int(0, Types::INT, span);
        self.cast(zero, Types::VOID, span)
    }

    fn take<const N: usize>(&self, call: &Call, arguments: Vec<Expr>) -> Result<[Expr; N]> {
        self.expect(call, &arguments, N)?;
        Ok(arguments.try_into().expect("just counted"))
    }

    fn expect(&self, call: &Call, arguments: &[Expr], count: usize) -> Result<()> {
        if arguments.len() == count {
            return Ok(());
        }
        self.error(call.span, format!("`{}` takes {count} arguments, not {}", call.name, arguments.len()))
    }
}

/// What is being called, for messages.
struct Call<'n> {
    name: &'n str,
    span: Span,
}

/// Whether it is `fetch_add`, `add_fetch` and so on.
fn is_modification(operation: &str) -> bool {
    let op = operation.strip_prefix("fetch_").or_else(|| operation.strip_suffix("_fetch"));
    op.is_some_and(|op| OPERATIONS.contains(&op))
}
