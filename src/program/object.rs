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
    /// The scalars and arrays of scalars that it consists of.
    pub parts: Vec<Part>,
}

/// A scalar of an object, or scalars of one kind at regular distances: `struct { int k; long v; } t[4]` has
/// the parts `.k` and `.v`, each with four elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Bytes from the start of the object to the first scalar.
    pub offset: u64,
    /// `.next`; empty for a scalar object.
    pub suffix: String,
    /// The variable, an array if there are several scalars.
    pub var: VarId,
    /// The arrays around the scalar, outermost first: number of elements, and bytes from one to the next.
    pub dims: Vec<(u64, u64)>,
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
