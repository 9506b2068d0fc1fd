//! Walking the typed tree without lowering it: every statement and expression below a statement, once,
//! outside in.

use crate::frontend::tree::{Expr, ExprKind, Init, Stmt, StmtKind};

/// A node of the typed tree.
#[derive(Clone, Copy)]
pub(super) enum Tree<'a> {
    /// A statement.
    Stmt(&'a Stmt),
    /// An expression.
    Expr(&'a Expr),
}

/// Calls `f` for `root` and everything below it; no recursion, so any depth is fine.
pub(super) fn visit<'a>(root: Tree<'a>, mut f: impl FnMut(Tree<'a>)) {
    let mut stack = vec![root];
    while let Some(tree) = stack.pop() {
        f(tree);
        let first = stack.len();
        match tree {
            Tree::Stmt(stmt) => below_stmt(stmt, &mut stack),
            Tree::Expr(expr) => below_expr(expr, &mut stack),
        }
        stack[first..].reverse();
    }
}

fn below_stmt<'a>(stmt: &'a Stmt, out: &mut Vec<Tree<'a>>) {
    match &stmt.kind {
        StmtKind::Empty
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Fence(_)
        | StmtKind::Unsupported(_) => {}
        StmtKind::Expr(expr) | StmtKind::AtExit(expr) => out.push(Tree::Expr(expr)),
        StmtKind::Return(expr) => out.extend(expr.iter().map(Tree::Expr)),
        StmtKind::Declare { length, init, .. } => {
            out.extend(length.iter().map(Tree::Expr));
            if let Some(init) = init {
                below_init(init, out);
            }
        }
        StmtKind::Block(list) => out.extend(list.iter().map(Tree::Stmt)),
        StmtKind::If(condition, then, otherwise) => {
            out.push(Tree::Expr(condition));
            out.push(Tree::Stmt(then));
            out.extend(otherwise.iter().map(|stmt| Tree::Stmt(stmt)));
        }
        StmtKind::While(condition, body) | StmtKind::Switch(condition, body) => {
            out.extend([Tree::Expr(condition), Tree::Stmt(body)]);
        }
        StmtKind::DoWhile(body, condition) => out.extend([Tree::Stmt(body), Tree::Expr(condition)]),
        StmtKind::For { init, condition, step, body } => {
            out.extend(init.iter().map(|stmt| Tree::Stmt(stmt)));
            out.extend(condition.iter().map(Tree::Expr));
            out.push(Tree::Stmt(body));
            out.extend(step.iter().map(Tree::Expr));
        }
        StmtKind::Case(_, _, body) | StmtKind::Default(body) | StmtKind::Labelled(_, body) => {
            out.push(Tree::Stmt(body));
        }
    }
}

fn below_init<'a>(init: &'a Init, out: &mut Vec<Tree<'a>>) {
    out.extend(init.parts.iter().map(|part| Tree::Expr(&part.value)));
}

fn below_expr<'a>(expr: &'a Expr, out: &mut Vec<Tree<'a>>) {
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Global(_)
        | ExprKind::Local(_)
        | ExprKind::Function(_)
        | ExprKind::Unsupported(_) => {}
        ExprKind::Deref(a)
        | ExprKind::Member(a, _)
        | ExprKind::Load(a)
        | ExprKind::AddressOf(a)
        | ExprKind::Decay(a)
        | ExprKind::Unary(_, a)
        | ExprKind::Cast(a)
        | ExprKind::Step { target: a, .. } => out.push(Tree::Expr(a)),
        ExprKind::Binary(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::PointerAdd(a, b, _)
        | ExprKind::PointerDiff(a, b, _)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Assign(a, b)
        | ExprKind::AssignOp { target: a, value: b, .. }
        | ExprKind::PointerAssign(a, b, _)
        | ExprKind::Comma(a, b) => out.extend([Tree::Expr(a), Tree::Expr(b)]),
        ExprKind::Conditional(a, b, c) => out.extend([Tree::Expr(a), Tree::Expr(b), Tree::Expr(c)]),
        ExprKind::Call(callee, args) => {
            out.push(Tree::Expr(callee));
            out.extend(args.iter().map(Tree::Expr));
        }
        ExprKind::Statement(list) => out.extend(list.iter().map(Tree::Stmt)),
        ExprKind::CompoundLiteral(_, init) => below_init(init, out),
    }
}
