//! Blocks and the ends of their locals: what happens when control leaves a block, in whatever way.
//!
//! Leaving a block runs the `cleanup` functions of its variables, the last one first, and ends the life of
//! its objects: an address that is still around is dangling then. `break`, `continue`, `goto` and `return`
//! leave all blocks on their way. `exit` and `pthread_exit` run no cleanups, as in C compiled without
//! `-fexceptions`; the objects of a thread that ends are gone. Those of `main` live as long as the program,
//! as they do on Linux, also after `pthread_exit`.
//!
//! Whether an object's end can matter is found out later (`lifetime.rs`); here it is only noted where it is.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::code::Op;
use super::inline::Frame;
use super::memory::ObjectId;
use super::place::{Binding, Place};
use super::visit::{Tree, visit};
use super::{Lower, Result};
use crate::frontend::tree::{Expr, LabelId, LocalId, Stmt, StmtKind};

/// A block that control is in.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    /// Its statements.
    statements: &'a [Stmt],
    /// What is evaluated when it is left, last first.
    exits: Vec<&'a Expr>,
    /// Objects that end with it.
    objects: Vec<ObjectId>,
}

impl<'a> Lower<'a> {
    /// Lowers something inside a block.
    pub(super) fn scoped<T>(
        &mut self,
        statements: &'a [Stmt],
        lower: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let depth = self.frame().scopes.len();
        self.frame().scopes.push(Scope { statements, exits: Vec::new(), objects: Vec::new() });
        let value = lower(self)?;
        self.leave_to(depth)?;
        self.frame().scopes.truncate(depth);
        Ok(value)
    }

    /// Has an expression evaluated whenever the current block is left.
    pub(super) fn at_exit(&mut self, call: &'a Expr) {
        if let Some(scope) = self.frame().scopes.last_mut() {
            scope.exits.push(call);
        }
    }

    /// Notes that an object ends with the current block.
    pub(super) fn ends_here(&mut self, object: ObjectId) {
        if let Some(scope) = self.frame().scopes.last_mut()
            && !scope.objects.contains(&object)
        {
            scope.objects.push(object);
        }
    }

    /// Notes that a local has come to life, perhaps again.
    pub(super) fn comes_to_life(&mut self, local: LocalId) -> Result<()> {
        let Binding::At(Place::Memory(address)) = self.frame().locals[local.index()] else { return Ok(()) };
        let object = self.object_at(address);
        self.ends_here(object);
        match self.declared_once() {
            true => Ok(()),
            false => self.emit(|next| Op::Live { object, next }),
        }
    }

    /// What happens when control leaves the blocks of the current function down to a depth.
    pub(super) fn leave_to(&mut self, depth: usize) -> Result<()> {
        for at in (depth..self.frame().scopes.len()).rev() {
            for call in self.frame().scopes[at].exits.clone().into_iter().rev() {
                if self.alive {
                    self.full(|lower| lower.effect(call))?;
                }
            }
            if at > 0 || !self.is_main() {
                let objects = self.frame().scopes[at].objects.clone();
                self.end_lives(&objects)?;
            }
        }
        Ok(())
    }

    /// Whether the current function is the program's `main`, called by nobody.
    fn is_main(&self) -> bool {
        self.thread.index() == 0 && self.frames.len() == 1
    }

    fn end_lives(&mut self, objects: &[ObjectId]) -> Result<()> {
        objects.iter().try_for_each(|&object| self.emit(|next| Op::Dead { object, next }))
    }

    /// The parameters of a function that returns are gone.
    pub(super) fn end_parameters(&mut self) -> Result<()> {
        if self.is_main() {
            return Ok(());
        }
        let frame = self.frame();
        let count = frame.function.params as usize;
        let addresses: Vec<_> = frame.locals[..count.min(frame.locals.len())]
            .iter()
            .filter_map(|binding| match binding {
                Binding::At(Place::Memory(address)) => Some(*address),
                _ => None,
            })
            .collect();
        for address in addresses {
            let object = self.object_at(address);
            self.end_lives(&[object])?;
        }
        Ok(())
    }

    /// A thread that ends takes all its locals with it.
    pub(super) fn end_locals(&mut self) -> Result<()> {
        if self.thread.index() == 0 {
            return Ok(());
        }
        let scopes = |frame: &Frame<'a>| -> Vec<ObjectId> {
            frame.scopes.iter().flat_map(|scope| scope.objects.iter().copied()).collect()
        };
        let objects: Vec<ObjectId> = self.frames.iter().flat_map(scopes).collect();
        self.end_lives(&objects)
    }

    /// The depth of the innermost block around that has a label in it.
    pub(super) fn depth_of_label(&mut self, label: LabelId) -> usize {
        let mut depth = self.frame().scopes.len();
        while depth > 0 {
            let scope = &self.frame().scopes[depth - 1];
            // What has nothing to do when it is left need not be looked at.
            let idle = scope.exits.is_empty() && scope.objects.is_empty();
            let statements = scope.statements;
            if !idle && self.labels_in(statements).contains(&label) {
                break;
            }
            depth -= 1;
        }
        depth
    }

    /// The labels in a block, found once.
    fn labels_in(&mut self, statements: &'a [Stmt]) -> Rc<BTreeSet<LabelId>> {
        let found =
            self.block_labels.entry((statements.as_ptr().addr(), statements.len())).or_insert_with(|| {
                let mut labels = BTreeSet::new();
                for statement in statements {
                    visit(Tree::Stmt(statement), |tree| {
                        if let Tree::Stmt(Stmt { kind: StmtKind::Labelled(label, _), .. }) = tree {
                            labels.insert(*label);
                        }
                    });
                }
                Rc::new(labels)
            });
        Rc::clone(found)
    }
}
