//! Values, structures by value among them: member-wise.

use super::code::{By, Show};
use super::{Lower, Result};
use crate::frontend::diagnostic::Kind;
use crate::frontend::tree::TypeId;
use crate::program::{Barrier, Origin};
use crate::term::{Sort, TermId, VarId, Word};

/// More scalars than this are not copied one by one.
const COPY_LIMIT: u64 = 4096;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// None.
    Void,
    /// An integer or address, of the word of its type.
    Scalar(TermId),
    /// A structure or union.
    Record(Vec<Piece>),
}

/// A scalar of a record value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Its position in bytes.
    pub offset: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its value.
    pub term: TermId,
}

/// Private variables that hold a value.
#[derive(Clone, Debug)]
pub(super) enum Holder {
    /// Nothing to hold.
    Void,
    /// A scalar.
    Scalar(VarId),
    /// The scalars of a record: offset, size and variable.
    Record(Vec<(u64, u64, VarId)>),
}

impl<'a> Lower<'a> {
    /// Offset, size and word of each scalar of a type.
    pub(super) fn pieces(&self, ty: TypeId) -> Result<Vec<(u64, u64, Word)>> {
        let parts = self.layout.parts(ty);
        let count: u64 = parts.iter().map(|part| part.count()).sum();
        if count > COPY_LIMIT {
            let message = format!("a value of {count} scalars is copied");
            return Err(self.refuse(Kind::TooLarge, message));
        }
        let pieces = parts
            .iter()
            .flat_map(|part| part.offsets().into_iter().map(move |offset| (offset, part.size, part.word)));
        Ok(pieces.collect())
    }

    /// Reads a record from memory.
    pub(super) fn load_record(&mut self, address: TermId, ty: TypeId) -> Result<Value> {
        if self.layout.record(ty).is_none() {
            return Err(self.unsupported(&format!("a value of type {}", self.type_text(ty))));
        }
        let mut pieces = Vec::new();
        for (offset, size, word) in self.pieces(ty)? {
            let address = self.offset(address, i128::from(offset));
            let term =
                self.load(super::code::Access { address, word, size, by: By::Machine }, Show::Plain)?;
            pieces.push(Piece { offset, size, term });
        }
        Ok(Value::Record(pieces))
    }

    /// Reads an atomic record from memory: indivisibly. One that fits a register is just loaded, larger ones
    /// take a lock of the library's, which is a full fence.
    pub(super) fn load_atomic_record(&mut self, address: TermId, ty: TypeId) -> Result<Value> {
        if self.layout.size(ty) <= 8 {
            return self.indivisible(|lower| lower.load_record(address, ty));
        }
        self.begin_section()?;
        let value = self.load_record(address, ty)?;
        self.end_section()?;
        Ok(value)
    }

    /// Writes a record to memory.
    pub(super) fn store_record(&mut self, address: TermId, pieces: &[Piece]) -> Result<()> {
        for piece in pieces {
            let address = self.offset(address, i128::from(piece.offset));
            let word = self.builder.terms().word(piece.term);
            let access = super::code::Access { address, word, size: piece.size, by: By::Machine };
            self.store(access, piece.term, Barrier::None, Show::Plain)?;
        }
        Ok(())
    }

    /// Variables for a value of a type.
    pub(super) fn holder(&mut self, name: &str, ty: TypeId) -> Result<Holder> {
        if let Some(word) = self.layout.word(ty) {
            return Ok(Holder::Scalar(self.private(name.to_owned(), Sort::Word(word), Origin::Internal)));
        }
        if self.layout.record(ty).is_none() {
            return Ok(Holder::Void);
        }
        let mut vars = Vec::new();
        for (offset, size, word) in self.pieces(ty)? {
            let var = self.private(name.to_owned(), Sort::Word(word), Origin::Internal);
            vars.push((offset, size, var));
        }
        Ok(Holder::Record(vars))
    }

    /// Puts a value into its variables.
    pub(super) fn hold(&mut self, holder: &Holder, value: &Value) -> Result<()> {
        match (holder, value) {
            (Holder::Scalar(var), Value::Scalar(term)) => {
                let Sort::Word(word) = self.builder.program().variable(*var).sort else {
                    unreachable!("a scalar holder is a word")
                };
                let term = self.convert(*term, word);
                self.assign(*var, term)
            }
            (Holder::Record(vars), Value::Record(pieces)) => {
                for ((_, _, var), piece) in vars.iter().zip(pieces) {
                    self.assign(*var, piece.term)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The value in variables.
    pub(super) fn held(&mut self, holder: &Holder) -> Value {
        match holder {
            Holder::Void => Value::Void,
            Holder::Scalar(var) => Value::Scalar(self.read(*var)),
            Holder::Record(vars) => Value::Record(
                vars.iter()
                    .map(|&(offset, size, var)| Piece { offset, size, term: self.read(var) })
                    .collect(),
            ),
        }
    }

    /// The variables of a holder.
    pub(super) fn holder_vars(holder: &Holder) -> Vec<VarId> {
        match holder {
            Holder::Void => Vec::new(),
            Holder::Scalar(var) => vec![*var],
            Holder::Record(vars) => vars.iter().map(|(_, _, var)| *var).collect(),
        }
    }

    /// Some value of a type, for points that are not reached.
    pub(super) fn zero(&mut self, ty: TypeId) -> Result<Value> {
        if let Some(word) = self.layout.word(ty) {
            return Ok(Value::Scalar(self.builder.terms().constant(0, word)));
        }
        if self.layout.record(ty).is_none() {
            return Ok(Value::Void);
        }
        let pieces = self.pieces(ty)?.into_iter().map(|(offset, size, word)| {
            let term = self.builder.terms().constant(0, word);
            Piece { offset, size, term }
        });
        Ok(Value::Record(pieces.collect()))
    }
}
