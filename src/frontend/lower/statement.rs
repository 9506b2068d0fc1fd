//! Statements: control flow of a function.
//!
//! Loops that may create threads are unrolled, because every created thread needs code of its own: as long as
//! the condition is known in context, else `unroll` times and then cut. Loops that join threads are unrolled
//! as long as the condition is known. Other loops stay loops.

use std::rc::Rc;

use super::condition::Pure;
use super::facts::{self, ASYNC_LABEL, Facts};
use super::flow::JoinId;
use super::inline::Label;
use super::place::{Binding, Place};
use super::template::{End, MANY};
use super::visit::{Tree, visit};
use super::{Lower, Result};
use crate::frontend::Property;
use crate::frontend::diagnostic::Kind;
use crate::frontend::tree::{Expr, ExprKind, FenceKind, LabelId, Stmt, StmtKind};
use crate::program::{Barrier, Mark};
use crate::term::{Sort, TermId, VarId};

/// More copies of a loop body than this are too many even if the number is known.
const COPY_LIMIT: u32 = 1024;

/// More iterations than this of a loop that joins threads are not lowered one by one.
const PEEL_LIMIT: u32 = 64;

/// A loop: how its condition is checked, and what follows its body.
#[derive(Clone, Copy)]
struct Loop<'a> {
    stmt: &'a Stmt,
    condition: Option<&'a Expr>,
    step: Option<&'a Expr>,
    body: &'a Stmt,
}

impl<'a> Lower<'a> {
    /// Lowers a statement.
    pub(super) fn statement(&mut self, stmt: &'a Stmt) -> Result<()> {
        self.locate(stmt.span);
        if begins_by_itself(&stmt.kind) {
            self.begin(stmt.span);
        }
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Fence(FenceKind::Compiler) => Ok(()),
            StmtKind::Expr(expr) => self.full(|lower| lower.effect(expr)),
            StmtKind::Declare { local, length, init } => {
                self.full(|lower| lower.declare(*local, length.as_ref(), init.as_ref()))
            }
            StmtKind::Block(list) => {
                self.scoped(list, |lower| list.iter().try_for_each(|stmt| lower.statement(stmt)))
            }
            StmtKind::AtExit(call) => {
                self.at_exit(call);
                Ok(())
            }
            StmtKind::If(condition, then, otherwise) => {
                self.if_statement(condition, then, otherwise.as_deref())
            }
            StmtKind::While(condition, body) => {
                self.looped(Loop { stmt, condition: Some(condition), step: None, body })
            }
            StmtKind::DoWhile(body, condition) => self.do_while(stmt, body, condition),
            StmtKind::For { init, condition, step, body } => {
                let repeat = Loop { stmt, condition: condition.as_ref(), step: step.as_ref(), body };
                self.scoped(std::slice::from_ref(stmt), |lower| {
                    // What the first part declares lives as long as the loop.
                    match init.as_deref() {
                        Some(Stmt { kind: StmtKind::Block(list), .. }) => {
                            list.iter().try_for_each(|stmt| lower.statement(stmt))?;
                        }
                        Some(init) => lower.statement(init)?,
                        None => {}
                    }
                    lower.looped(repeat)
                })
            }
            StmtKind::Switch(value, body) => self.switch(value, body),
            StmtKind::Case(_, _, body) | StmtKind::Default(body) => {
                if let Some(join) = self.frame().cases.remove(&address(stmt)) {
                    self.place(join)?;
                }
                self.statement(body)
            }
            StmtKind::Labelled(label, body) => self.labelled(*label, body),
            StmtKind::Goto(label) => {
                let join = self.label(*label)?;
                let depth = self.depth_of_label(*label);
                self.leave_to(depth)?;
                self.jump(join)
            }
            StmtKind::Break => self.leave(|lower| lower.frame().breaks.last().copied()),
            StmtKind::Continue => self.leave(|lower| lower.frame().continues.last().copied()),
            StmtKind::Return(value) => self.return_statement(value.as_ref()),
            StmtKind::Fence(FenceKind::Full) => self.fence(Barrier::Full),
            StmtKind::Fence(FenceKind::StoreStore) => self.fence(Barrier::StoreStore),
            StmtKind::Unsupported(what) => match self.alive {
                true => Err(self.unsupported(what)),
                false => Ok(()),
            },
        }
    }

    fn leave(&mut self, target: impl FnOnce(&mut Self) -> Option<(JoinId, usize)>) -> Result<()> {
        match target(self) {
            Some((join, depth)) => {
                self.leave_to(depth)?;
                self.jump(join)
            }
            None => Err(self.refuse(Kind::Type, "`break` or `continue` outside a loop")),
        }
    }

    fn return_statement(&mut self, value: Option<&'a Expr>) -> Result<()> {
        if let Some(value) = value {
            self.full(|lower| {
                let value = lower.value(value)?;
                let holder = lower.frame().result.clone();
                lower.hold(&holder, &value)
            })?;
        }
        self.leave_to(0)?;
        let exit = self.frame().exit;
        self.jump(exit)
    }

    /// Evaluates a condition as one full expression.
    fn decide(&mut self, condition: &'a Expr, then: JoinId, otherwise: JoinId) -> Result<()> {
        self.locate(condition.span);
        self.full(|lower| lower.condition(condition, then, otherwise))
    }

    fn if_statement(
        &mut self,
        condition: &'a Expr,
        then: &'a Stmt,
        otherwise: Option<&'a Stmt>,
    ) -> Result<()> {
        let (yes, no, end) = (self.join(), self.join(), self.join());
        self.decide(condition, yes, no)?;
        self.place(yes)?;
        // What a program does not use of the library leaves no trace.
        if self.alive || !self.in_model() {
            self.statement(then)?;
        }
        self.jump(end)?;
        self.place(no)?;
        if let Some(otherwise) = otherwise {
            self.statement(otherwise)?;
        }
        self.place(end)
    }

    // ---- loops

    /// Facts of a statement, found once.
    fn stmt_facts(&mut self, stmt: &'a Stmt) -> Rc<Facts> {
        let function = self.frame().function;
        Rc::clone(
            self.loop_facts.entry(address(stmt)).or_insert_with(|| Rc::new(facts::of_stmt(function, stmt))),
        )
    }

    /// The private variables of the current frame that a statement assigns.
    fn changed(&mut self, facts: &Facts) -> Vec<VarId> {
        let locals = &self.frame().locals;
        let changed = facts.assigned.iter().filter_map(|local| match locals[local.index()] {
            Binding::At(Place::Private(var)) => Some(var),
            _ => None,
        });
        changed.collect()
    }

    fn looped(&mut self, repeat: Loop<'a>) -> Result<()> {
        let facts = self.stmt_facts(repeat.stmt);
        if self.facts.creates(&facts) {
            return self.unroll(repeat, &facts);
        }
        let exit = self.join();
        if self.facts.joins(&facts) && !facts.labels {
            self.peel(repeat, exit)?;
        }
        self.cycle(repeat, &facts, exit)?;
        self.place(exit)
    }

    /// A loop that stays one.
    fn cycle(&mut self, repeat: Loop<'a>, facts: &Facts, exit: JoinId) -> Result<()> {
        let (head, body, next) = (self.join(), self.join(), self.join());
        let changed = self.changed(facts);
        self.place_head(head, &changed)?;
        self.begin(repeat.stmt.span);
        self.loops += 1;
        match repeat.condition {
            Some(condition) => self.decide(condition, body, exit)?,
            None => self.jump(body)?,
        }
        self.place(body)?;
        self.loop_body(repeat.body, exit, next)?;
        self.step(repeat.step)?;
        self.jump(head)?;
        self.loops -= 1;
        Ok(())
    }

    fn do_while(&mut self, stmt: &'a Stmt, body: &'a Stmt, condition: &'a Expr) -> Result<()> {
        let facts = self.stmt_facts(stmt);
        if self.facts.creates(&facts) {
            return self.unroll(Loop { stmt, condition: Some(condition), step: None, body }, &facts);
        }
        let (head, exit, next) = (self.join(), self.join(), self.join());
        let changed = self.changed(&facts);
        self.place_head(head, &changed)?;
        self.loops += 1;
        self.loop_body(body, exit, next)?;
        self.decide(condition, head, exit)?;
        self.loops -= 1;
        self.place(exit)
    }

    /// The body of a loop, up to where `continue` leads.
    fn loop_body(&mut self, body: &'a Stmt, exit: JoinId, next: JoinId) -> Result<()> {
        let depth = self.frame().scopes.len();
        self.frame().breaks.push((exit, depth));
        self.frame().continues.push((next, depth));
        self.statement(body)?;
        self.frame().breaks.pop();
        self.frame().continues.pop();
        self.place(next)
    }

    fn step(&mut self, step: Option<&'a Expr>) -> Result<()> {
        match step {
            Some(step) => {
                self.locate(step.span);
                self.full(|lower| lower.effect(step))
            }
            None => Ok(()),
        }
    }

    /// Lowers iterations that are known to happen one by one, so that `pthread_join(t[i], 0)` joins a known
    /// thread. The loop itself comes after them, where it still can be reached.
    fn peel(&mut self, repeat: Loop<'a>, exit: JoinId) -> Result<()> {
        let Some(condition) = repeat.condition else { return Ok(()) };
        self.frame().unrolled += 1;
        for _ in 0..PEEL_LIMIT {
            if !self.alive || self.purity(condition) == Pure::No {
                break;
            }
            let truth = self.truth(condition)?;
            match self.builder.terms().as_bool(truth) {
                Some(true) => {}
                Some(false) => self.jump(exit)?,
                None => break,
            }
            let next = self.join();
            self.loop_body(repeat.body, exit, next)?;
            self.step(repeat.step)?;
        }
        self.frame().unrolled -= 1;
        Ok(())
    }

    fn unroll(&mut self, repeat: Loop<'a>, facts: &Facts) -> Result<()> {
        let exit = self.join();
        let checked_first = !matches!(repeat.stmt.kind, StmtKind::DoWhile(..));
        let labels = labels_below(repeat.stmt);
        let (mut copies, mut open) = (0, 0);
        if self.templates.goes_round(address(repeat.stmt)) {
            return self.create_in_cycle(repeat, facts, exit);
        }
        self.frame().unrolled += 1;
        while self.alive {
            if checked_first || copies > 0 {
                open += u32::from(self.check_copy(repeat.condition, exit)?);
            }
            if self.alive && (open > self.options.unroll || copies == COPY_LIMIT) {
                self.templates.note(address(repeat.stmt));
                self.mark(Mark::Cut(format!(
                    "a loop that creates threads runs more than {copies} times; raise --unwind"
                )));
                break;
            }
            let next = self.join();
            self.loop_body(repeat.body, exit, next)?;
            self.step(repeat.step)?;
            copies += 1;
            if copies == MANY {
                self.templates.note(address(repeat.stmt));
            }
            for label in labels.iter().filter(|_| facts.labels) {
                self.frame().labels[label.index()] = Label::Absent;
            }
        }
        for label in labels.iter().filter(|_| copies > 1) {
            self.frame().labels[label.index()] = Label::Copied;
        }
        self.frame().unrolled -= 1;
        self.place(exit)
    }

    /// A loop that creates any number of threads.
    fn create_in_cycle(&mut self, repeat: Loop<'a>, facts: &Facts, exit: JoinId) -> Result<()> {
        if matches!(repeat.stmt.kind, StmtKind::DoWhile(..)) {
            if facts.labels {
                return Err(self.unsupported("a label in a loop that creates any number of threads"));
            }
            let next = self.join();
            self.frame().unrolled += 1;
            self.loop_body(repeat.body, exit, next)?;
            self.frame().unrolled -= 1;
        }
        let end = match repeat.condition {
            None | Some(Expr { kind: ExprKind::Int(_), .. }) => End::Never,
            Some(_) => End::Known,
        };
        let outer = self.templates.enter(end);
        self.cycle(repeat, facts, exit)?;
        self.templates.enter(outer);
        self.place(exit)
    }

    /// Checks the condition before another copy of the body. Whether it could go both ways, or says nothing.
    fn check_copy(&mut self, condition: Option<&'a Expr>, exit: JoinId) -> Result<bool> {
        let Some(condition) = condition else { return Ok(true) };
        let constant = matches!(condition.kind, ExprKind::Int(_));
        let (yes, no) = (self.join(), self.join());
        self.decide(condition, yes, no)?;
        let open = constant || self.reached(yes) && self.reached(no);
        self.place(no)?;
        self.jump(exit)?;
        self.place(yes)?;
        Ok(open)
    }

    // ---- switch, labels

    fn switch(&mut self, value: &'a Expr, body: &'a Stmt) -> Result<()> {
        let exit = self.join();
        let value = self.full(|lower| {
            let value = lower.scalar(value)?;
            lower.snapshot(value)
        })?;
        let mut default = exit;
        for case in cases_below(body) {
            let join = self.join();
            self.frame().cases.insert(address(case), join);
            match case.kind {
                StmtKind::Case(low, high, _) => {
                    let other = self.join();
                    let inside = self.between(value, low, high);
                    self.branch(inside, join, other)?;
                    self.place(other)?;
                }
                _ => default = join,
            }
        }
        self.jump(default)?;
        let depth = self.frame().scopes.len();
        self.frame().breaks.push((exit, depth));
        self.statement(body)?;
        self.frame().breaks.pop();
        self.place(exit)
    }

    /// `low <= value <= high`.
    fn between(&mut self, value: TermId, low: i128, high: i128) -> TermId {
        let terms = self.builder.terms();
        let Sort::Word(word) = terms.sort(value) else { unreachable!("a switch is on a word") };
        let (low, high) = (terms.constant(low, word), terms.constant(high, word));
        if low == high {
            return terms.eq(value, low);
        }
        let (above, below) = (terms.le(low, value), terms.le(value, high));
        terms.and(&[above, below])
    }

    /// Where a label is.
    fn label(&mut self, label: LabelId) -> Result<JoinId> {
        match self.frame().labels[label.index()] {
            Label::At(join) => Ok(join),
            Label::Absent => {
                let join = self.join();
                self.frame().labels[label.index()] = Label::At(join);
                Ok(join)
            }
            Label::Copied => Err(self.unsupported("a `goto` into a loop that creates threads")),
        }
    }

    fn labelled(&mut self, label: LabelId, body: &'a Stmt) -> Result<()> {
        let function = self.frame().function;
        let name = &function.labels[label.index()];
        if name.starts_with(ASYNC_LABEL) {
            return self.spawn(body);
        }
        let join = self.label(label)?;
        // A jump from further down may come here with anything in the function's variables.
        self.revive(join)?;
        let all = self.frame().privates.clone();
        self.forget(join, &all);
        if matches!(&self.options.property, Property::UnreachLabel(wanted) if wanted == name)
            && !function.model
        {
            self.violation(&format!("{name}:"));
        }
        self.statement(body)
    }
}

/// Whether a statement begins where lowering stands when it comes to it: others begin with a statement
/// inside, and loops at their heads.
fn begins_by_itself(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Block(_)
        | StmtKind::While(..)
        | StmtKind::DoWhile(..)
        | StmtKind::For { .. }
        | StmtKind::Case(..)
        | StmtKind::Default(_)
        | StmtKind::Labelled(..)
        | StmtKind::AtExit(_)
        | StmtKind::Unsupported(_) => false,
        StmtKind::Empty
        | StmtKind::Expr(_)
        | StmtKind::Declare { .. }
        | StmtKind::If(..)
        | StmtKind::Switch(..)
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_)
        | StmtKind::Fence(_) => true,
    }
}

/// A statement's place in memory: its identity.
pub(super) fn address(stmt: &Stmt) -> usize {
    std::ptr::from_ref(stmt).addr()
}

fn labels_below(stmt: &Stmt) -> Vec<LabelId> {
    let mut labels = Vec::new();
    visit(Tree::Stmt(stmt), |tree| {
        if let Tree::Stmt(Stmt { kind: StmtKind::Labelled(label, _), .. }) = tree {
            labels.push(*label);
        }
    });
    labels
}

/// The `case`s and `default` of a switch, in order, without those of switches inside.
fn cases_below(body: &Stmt) -> Vec<&Stmt> {
    let mut cases = Vec::new();
    let mut stack = vec![body];
    while let Some(stmt) = stack.pop() {
        match &stmt.kind {
            StmtKind::Case(_, _, inner) | StmtKind::Default(inner) => {
                cases.push(stmt);
                stack.push(inner);
            }
            StmtKind::Block(list) => stack.extend(list.iter().rev()),
            StmtKind::If(_, then, otherwise) => {
                stack.extend(otherwise.iter().map(|stmt| &**stmt));
                stack.push(then);
            }
            StmtKind::While(_, inner)
            | StmtKind::DoWhile(inner, _)
            | StmtKind::For { body: inner, .. }
            | StmtKind::Labelled(_, inner) => stack.push(inner),
            _ => {}
        }
    }
    cases
}
