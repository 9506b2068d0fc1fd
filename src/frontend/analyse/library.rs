//! Initialisers of library objects, as glibc's headers write them: our models give those types other members.
//!
//! `PTHREAD_MUTEX_INITIALIZER` is `{ { 0, 0, 0, 0, kind, ... } }` on 64-bit machines and
//! `{ { 0, 0, 0, kind, ... } }` on 32-bit ones. All other constants are zero, which is the default of every
//! model; a mutex has a field `kind` for the one that matters.

use lang_c::ast;
use lang_c::span::Node;

use super::{Analyser, Result};
use crate::frontend::tree::{Expr, TypeId};

impl<'a> Analyser<'a> {
    /// A list in glibc's layout for a record of the models: its values by offset. `None` if it is an ordinary
    /// list.
    pub fn library_list(
        &mut self,
        ty: TypeId,
        items: &'a [Node<ast::InitializerListItem>],
    ) -> Result<Option<Vec<(u64, Expr)>>> {
        let Some(record) = self.types.record_of(ty).filter(|record| self.is_library(record.index())) else {
            return Ok(None);
        };
        let nested =
            items.first().is_some_and(|item| matches!(item.node.initializer.node, ast::Initializer::List(_)));
        let fields = self.types.record(record).fields.as_ref().map_or(0, Vec::len);
        let first_is_scalar = fields > 0 && !self.is_aggregate(self.types.field(record, 0).ty);
        if !(nested && first_is_scalar || items.len() > fields) {
            return Ok(None);
        }
        let mut constants = Vec::new();
        self.flatten(items, &mut constants)?;
        let kind = constants.iter().take(5).skip(3).copied().find(|&constant| constant != 0);
        let place = self.types.find_field(record, "kind");
        if let (Some(kind), Some(&[index])) = (kind, place.as_deref()) {
            let field = self.types.field(record, index).clone();
            let value = self.int(kind, field.ty, self.span(&items[0]));
            return Ok(Some(vec![(field.offset, value)]));
        }
        Ok(Some(Vec::new()))
    }

    /// Whether a record of the models is initialised by a plain zero, as `PTHREAD_ONCE_INIT` is.
    pub fn is_library_default(&mut self, ty: TypeId, expression: &'a Node<ast::Expression>) -> Result<bool> {
        let library = self.types.record_of(ty).is_some_and(|record| self.is_library(record.index()));
        if !library {
            return Ok(false);
        }
        let value = self.value(expression)?;
        Ok(self.fold(&value) == Some(0))
    }

    fn is_library(&self, record: usize) -> bool {
        !self.is_models() && record < self.model_records
    }

    /// All constants of nested lists in order; what is not constant counts as zero.
    fn flatten(&mut self, items: &'a [Node<ast::InitializerListItem>], out: &mut Vec<i128>) -> Result<()> {
        for item in items {
            match &item.node.initializer.node {
                ast::Initializer::List(items) => self.flatten(items, out)?,
                ast::Initializer::Expression(expression) => {
                    let value = self.value(expression)?;
                    out.push(self.fold(&value).unwrap_or(0));
                }
            }
        }
        Ok(())
    }
}
