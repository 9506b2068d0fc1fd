//! Which library functions the program uses, and which functions it hands them: so that a program pays only
//! for what it uses.
//!
//! A function counts as used if the user's text mentions it, or a model that the user's text mentions does.
//! Handlers that are registered with the library (`atexit`, destructors of thread-specific data) are called
//! through a table; which functions can be in it is read off the calls that register them.

use std::collections::BTreeSet;

use super::Lower;
use super::visit::{Tree, visit};
use crate::frontend::tree::{Expr, ExprKind, Function, FunctionId, Unit};

/// The functions that the program uses, directly or through models.
pub(super) fn used(unit: &Unit) -> BTreeSet<FunctionId> {
    let mut used = BTreeSet::new();
    let mut pending: Vec<FunctionId> = Vec::new();
    let mut note = |expr: &Expr, pending: &mut Vec<FunctionId>| {
        if let ExprKind::Function(id) = expr.kind
            && used.insert(id)
        {
            pending.push(id);
        }
    };
    for function in unit.functions.iter().filter(|function| !function.model) {
        mentions(function, |expr| note(expr, &mut pending));
    }
    for global in &unit.globals {
        for part in global.init.iter().flat_map(|init| &init.parts) {
            visit(Tree::Expr(&part.value), |tree| {
                if let Tree::Expr(expr) = tree {
                    note(expr, &mut pending);
                }
            });
        }
    }
    while let Some(id) = pending.pop() {
        let function = &unit.functions[id.index()];
        if function.model {
            mentions(function, |expr| note(expr, &mut pending));
        }
    }
    used
}

/// Calls `f` for every expression of a function.
fn mentions<'a>(function: &'a Function, mut f: impl FnMut(&'a Expr)) {
    if let Some(body) = &function.body {
        visit(Tree::Stmt(body), |tree| {
            if let Tree::Expr(expr) = tree {
                f(expr);
            }
        });
    }
}

impl Lower<'_> {
    /// Whether the program uses a library function.
    pub(super) fn uses(&self, name: &str) -> bool {
        // A destructor is registered by itself.
        name == "atexit" && self.has_destructors()
            || self.facts.used.iter().any(|id| self.unit.functions[id.index()].name == name)
    }

    /// The functions that the user's text hands to some functions of the library; `None` if it does not tell.
    /// `NAME/2` is about argument 2 alone, counted from 0.
    pub(super) fn registered(&self, registrars: &[&str]) -> Option<Vec<FunctionId>> {
        let split = |text: &&'_ str| match text.split_once('/') {
            Some((name, position)) => (name.to_owned(), position.parse::<usize>().ok()),
            None => ((*text).to_owned(), None),
        };
        let registrars: Vec<(String, Option<usize>)> = registrars.iter().map(split).collect();
        let named = |id: FunctionId| {
            registrars.iter().find(|(name, _)| *name == self.unit.functions[id.index()].name)
        };
        if self.facts.pointed.iter().any(|id| named(*id).is_some()) {
            return None;
        }
        let (mut found, mut known) = (BTreeSet::new(), true);
        for function in self.unit.functions.iter().filter(|function| !function.model) {
            mentions(function, |expr| {
                if let ExprKind::Call(callee, args) = &expr.kind
                    && let ExprKind::Function(id) = callee.kind
                    && let Some((_, position)) = named(id)
                {
                    let (from, count) = position.map_or((0, args.len()), |position| (position, 1));
                    for arg in args.iter().skip(from).take(count).filter(|arg| self.is_function_pointer(arg))
                    {
                        match handed(arg) {
                            Handed::Function(id) => drop(found.insert(id)),
                            Handed::Nothing => {}
                            Handed::Unknown => known = false,
                        }
                    }
                }
            });
        }
        known.then(|| found.into_iter().collect())
    }

    fn is_function_pointer(&self, expr: &Expr) -> bool {
        self.layout
            .pointee(expr.ty)
            .is_some_and(|ty| matches!(self.layout.get(ty), crate::frontend::tree::Type::Function { .. }))
    }
}

/// What an argument is, going by its text.
enum Handed {
    Function(FunctionId),
    Nothing,
    Unknown,
}

fn handed(expr: &Expr) -> Handed {
    match &expr.kind {
        ExprKind::Function(id) => Handed::Function(*id),
        ExprKind::Int(0) => Handed::Nothing,
        ExprKind::Cast(inner) => handed(inner),
        _ => Handed::Unknown,
    }
}
