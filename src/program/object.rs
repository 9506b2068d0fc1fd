//! Objects of memory and their flat addresses, so that a pointer value can be shown as `&queue.head`.
//!
//! NULL is 0; objects lie far apart, so that an address belongs to at most one object and arithmetic inside
//! one object never reaches another.

use crate::term::VarId;

/// An object of memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// The name in the source, `malloc@12` for the heap.
    pub name: String,
    /// What it is.
    pub kind: ObjectKind,
    /// Address of its first byte.
    pub base: u64,
    /// Size in bytes.
    pub size: u64,
    /// Byte offset, name suffix (`.next`, `[3].key`, or empty) and variable of each scalar or array part.
    pub parts: Vec<(u64, String, VarId)>,
}

/// Kinds of objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectKind {
    /// A global or static variable.
    Global,
    /// A local variable whose address is taken.
    Local,
    /// Made by an allocation function.
    Heap,
    /// A string literal.
    Literal,
    /// A function; its address can be taken and called.
    Function,
}
