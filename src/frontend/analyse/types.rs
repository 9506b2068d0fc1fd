//! The types of a unit: interning, the basic types, predicates.
//!
//! Invariant: equal types have equal ids, and the ids of the basic types are the constants of [`Types`].

use rustc_hash::FxHashMap;

use crate::frontend::DataModel;
use crate::frontend::tree::{Record, RecordId, Type, TypeId, Variadic};
use crate::term::Word;

/// All types and records.
#[derive(Clone)]
pub(super) struct Types {
    pub list: Vec<Type>,
    pub records: Vec<Record>,
    pub model: DataModel,
    ids: FxHashMap<Type, TypeId>,
}

/// Ranks of the integer types (C11 6.3.1.1).
pub(super) mod rank {
    pub const BOOL: u8 = 0;
    pub const CHAR: u8 = 1;
    pub const SHORT: u8 = 2;
    pub const INT: u8 = 3;
    pub const LONG: u8 = 4;
    pub const LONG_LONG: u8 = 5;
}

impl Types {
    pub const VOID: TypeId = TypeId(0);
    pub const BOOL: TypeId = TypeId(1);
    pub const CHAR: TypeId = TypeId(2);
    pub const UCHAR: TypeId = TypeId(3);
    pub const SHORT: TypeId = TypeId(4);
    pub const USHORT: TypeId = TypeId(5);
    pub const INT: TypeId = TypeId(6);
    pub const UINT: TypeId = TypeId(7);
    pub const LONG: TypeId = TypeId(8);
    pub const ULONG: TypeId = TypeId(9);
    pub const LONG_LONG: TypeId = TypeId(10);
    pub const ULONG_LONG: TypeId = TypeId(11);
    pub const FLOAT: TypeId = TypeId(12);
    pub const DOUBLE: TypeId = TypeId(13);

    pub fn new(model: DataModel) -> Types {
        let mut types = Types { list: Vec::new(), records: Vec::new(), model, ids: FxHashMap::default() };
        let long = types.pointer_bits();
        types.intern(Type::Void);
        types.intern(Type::Int { word: Word::BOOL, rank: rank::BOOL });
        let ranks =
            [(8, rank::CHAR), (16, rank::SHORT), (32, rank::INT), (long, rank::LONG), (64, rank::LONG_LONG)];
        for (bits, rank) in ranks {
            types.intern(Type::Int { word: Word::signed(bits), rank });
            types.intern(Type::Int { word: Word::unsigned(bits), rank });
        }
        types.intern(Type::Float { bits: 32 });
        types.intern(Type::Float { bits: 64 });
        types
    }

    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = TypeId(u32::try_from(self.list.len()).expect("fewer than 2^32 types"));
        self.list.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.index()]
    }

    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.index()]
    }

    pub fn pointer(&mut self, to: TypeId) -> TypeId {
        self.intern(Type::Pointer(to))
    }

    pub fn function(&mut self, result: TypeId, params: Vec<TypeId>, variadic: Variadic) -> TypeId {
        self.intern(Type::Function { result, params, variadic })
    }

    pub fn unsupported(&mut self, name: &str, size: u64) -> TypeId {
        self.intern(Type::Unsupported { name: name.to_owned(), size })
    }

    /// Width of `long` and of pointers.
    pub fn pointer_bits(&self) -> u8 {
        match self.model {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    /// `size_t`.
    pub fn size_type(&self) -> TypeId {
        match self.model {
            DataModel::Ilp32 => Types::UINT,
            DataModel::Lp64 => Types::ULONG,
        }
    }

    /// `ptrdiff_t`.
    pub fn difference_type(&self) -> TypeId {
        match self.model {
            DataModel::Ilp32 => Types::INT,
            DataModel::Lp64 => Types::LONG,
        }
    }

    /// The type without `_Atomic`.
    pub fn plain(&self, id: TypeId) -> TypeId {
        match *self.get(id) {
            Type::Atomic(inner) => inner,
            _ => id,
        }
    }

    /// Width and sign of an integer type, atomic or not.
    pub fn word(&self, id: TypeId) -> Option<Word> {
        match *self.get(self.plain(id)) {
            Type::Int { word, .. } => Some(word),
            _ => None,
        }
    }

    pub fn is_integer(&self, id: TypeId) -> bool {
        self.word(id).is_some()
    }

    /// The word of the bits of `float` or `double`.
    pub fn float(&self, id: TypeId) -> Option<Word> {
        match *self.get(self.plain(id)) {
            Type::Float { bits } => Some(Word::unsigned(bits)),
            _ => None,
        }
    }

    pub fn is_float(&self, id: TypeId) -> bool {
        self.float(id).is_some()
    }

    /// Whether it is a number.
    pub fn is_arithmetic(&self, id: TypeId) -> bool {
        self.is_integer(id) || self.is_float(id)
    }

    pub fn is_pointer(&self, id: TypeId) -> bool {
        self.pointee(id).is_some()
    }

    pub fn is_scalar(&self, id: TypeId) -> bool {
        self.is_arithmetic(id) || self.is_pointer(id)
    }

    /// What a pointer type points to.
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match *self.get(self.plain(id)) {
            Type::Pointer(to) => Some(to),
            _ => None,
        }
    }

    /// Whether its size is known only when the program runs.
    pub fn is_variable(&self, id: TypeId) -> bool {
        match *self.get(id) {
            Type::VariableArray(..) => true,
            Type::Array(element, _) => self.is_variable(element),
            _ => false,
        }
    }

    /// The record of a structure or union type.
    pub fn record_of(&self, id: TypeId) -> Option<RecordId> {
        match *self.get(self.plain(id)) {
            Type::Record(record) => Some(record),
            _ => None,
        }
    }

    pub fn is_function(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Function { .. })
    }

    /// The name of a type that we do not model.
    pub fn unsupported_name(&self, id: TypeId) -> Option<&str> {
        match self.get(self.plain(id)) {
            Type::Unsupported { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The value of an integer type that is congruent to `value`; `_Bool` tells zero from the rest. The bits
    /// of a float stay.
    pub fn wrap(&self, id: TypeId, value: i128) -> i128 {
        match self.word(id) {
            Some(Word::BOOL) => i128::from(value != 0),
            Some(word) => word.wrap(value),
            None if self.is_float(id) => value,
            None => Word::unsigned(self.pointer_bits()).wrap(value),
        }
    }

    /// Integer promotion (C11 6.3.1.1).
    pub fn promoted(&self, id: TypeId) -> TypeId {
        match *self.get(self.plain(id)) {
            Type::Int { rank, .. } if rank < rank::INT => Types::INT,
            _ => self.plain(id),
        }
    }

    /// The common type of the usual arithmetic conversions (C11 6.3.1.8) for two numbers.
    pub fn common(&self, a: TypeId, b: TypeId) -> TypeId {
        let (a, b) = (self.promoted(a), self.promoted(b));
        if let Some(float) = [Types::DOUBLE, Types::FLOAT].into_iter().find(|&ty| a == ty || b == ty) {
            return float;
        }
        let (Type::Int { word: wa, rank: ra }, Type::Int { word: wb, rank: rb }) = (self.get(a), self.get(b))
        else {
            return a;
        };
        if wa.sign() == wb.sign() {
            return if ra >= rb { a } else { b };
        }
        let (signed, signed_word, signed_rank, unsigned, unsigned_word, unsigned_rank) =
            if wa.is_signed() { (a, wa, ra, b, wb, rb) } else { (b, wb, rb, a, wa, ra) };
        if unsigned_rank >= signed_rank {
            unsigned
        } else if signed_word.bits() > unsigned_word.bits() {
            signed
        } else {
            TypeId(signed.0 + 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_arithmetic_conversions() {
        let lp64 = Types::new(DataModel::Lp64);
        let ilp32 = Types::new(DataModel::Ilp32);
        assert_eq!(lp64.common(Types::CHAR, Types::USHORT), Types::INT);
        assert_eq!(lp64.common(Types::UINT, Types::INT), Types::UINT);
        assert_eq!(lp64.common(Types::UINT, Types::LONG), Types::LONG);
        assert_eq!(ilp32.common(Types::UINT, Types::LONG), Types::ULONG);
        assert_eq!(lp64.common(Types::ULONG, Types::LONG_LONG), Types::ULONG_LONG);
        assert_eq!(ilp32.common(Types::ULONG, Types::LONG_LONG), Types::LONG_LONG);
        assert_eq!(lp64.common(Types::BOOL, Types::BOOL), Types::INT);
        assert_eq!(lp64.common(Types::FLOAT, Types::ULONG), Types::FLOAT);
        assert_eq!(lp64.common(Types::FLOAT, Types::DOUBLE), Types::DOUBLE);
    }
}
