//! Smart constructors of arrays.
//!
//! A read finds the store it reads from as far as the indices decide it. Accesses outside an array have no
//! meaning (`sort.rs`), and here alone a rewrite may change what they evaluate to: `a[i := v][i]` is `v` for
//! every `i`.

use super::pool::{Node, Pool, TermId};
use super::sort::{ArraySort, Sort};

impl Pool {
    /// The array with the same constant everywhere.
    pub fn fill(&mut self, value: i128, array: ArraySort) -> TermId {
        self.intern(Node::Fill(array.elem.wrap(value), array))
    }

    /// Element of an array.
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        let Sort::Array(sort) = self.sort(array) else { panic!("selecting from a word") };
        let mut array = array;
        while let Node::Store(rest, at, value) = *self.node(array) {
            if at == index {
                return value;
            }
            // Indices may be of different sorts, so equal constants can be different terms.
            match (self.as_const(at), self.as_const(index)) {
                (Some(x), Some(y)) if x == y => return value,
                (Some(_), Some(_)) => array = rest,
                _ => break,
            }
        }
        if let Node::Fill(value, _) = *self.node(array) {
            let inside = self.as_const(index).is_some_and(|i| (0..i128::from(sort.len)).contains(&i));
            if inside || value == 0 {
                return self.constant(value, sort.elem);
            }
        }
        self.intern(Node::Select(array, index))
    }

    /// The array with one element replaced.
    pub fn store(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        let Sort::Array(sort) = self.sort(array) else { panic!("storing into a word") };
        assert_eq!(self.sort(value), Sort::Word(sort.elem), "element of the array's sort");
        // A store to the same index is overwritten.
        let array = match *self.node(array) {
            Node::Store(rest, at, _) if at == index => rest,
            _ => array,
        };
        self.intern(Node::Store(array, index, value))
    }
}
