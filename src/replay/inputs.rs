//! Which values to try for an input, or for an initial value that the program leaves open.
//!
//! A [`Domain`] is exact when trying its values shows everything that any value could show. A domain that is not exact
//! still finds bugs, but whoever uses it may no longer answer `true`.
//!
//! All values are tried when there are few. Otherwise the domain consists of zero, one, minus one, the extremes, and the
//! constants of the program with their neighbours.

use std::collections::BTreeSet;

use crate::program::Program;
use crate::term::{Node, Word};

use super::layout::{Layout, number};

/// Values to try for one cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Domain {
    /// The values as cells, simplest first.
    pub values: Vec<i64>,
    /// Whether no other value could show anything else.
    pub exact: bool,
}

/// Chooses domains.
#[derive(Debug)]
pub(super) struct Domains {
    /// At most so many values are tried together, for all inputs of a move.
    limit: u64,
    /// The constants of the program and their neighbours.
    constants: BTreeSet<i128>,
}

impl Domains {
    pub fn new(program: &Program, limit: u64) -> Domains {
        let roots: Vec<_> = program.transitions.iter().flat_map(|transition| transition.terms()).collect();
        let mut constants = BTreeSet::new();
        program.terms.visit(&roots, |_, node| {
            if let Node::Const(value, _) | Node::Fill(value, _) = node {
                constants.extend([value - 1, *value, value + 1]);
            }
        });
        Domains { limit, constants }
    }

    /// The domain of a cell when the other choices of the move multiply to `others`.
    pub fn choose(&self, layout: &Layout, cell: u32, others: u64) -> Domain {
        let word = layout.word_of(cell);
        let room = (self.limit / others.max(1)).max(1);
        if word.bits() < 63 && 1u64 << word.bits() <= room {
            return Domain { values: simplest_first(word, word.min()..=word.max()), exact: true };
        }
        let likely = [0, 1, -1, word.min(), word.max()].into_iter().chain(self.constants.iter().copied());
        let mut values = simplest_first(word, likely.filter(|&value| word.contains(value)));
        values.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        Domain { values, exact: false }
    }
}

/// The values as cells, by magnitude, positive before negative, without repetition.
fn simplest_first(word: Word, values: impl Iterator<Item = i128>) -> Vec<i64> {
    let mut cells: Vec<i64> = values.map(|value| value as i64).collect();
    cells.sort_unstable_by_key(|&cell| (number(cell, word).unsigned_abs(), cell < 0));
    cells.dedup();
    cells
}
