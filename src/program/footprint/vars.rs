//! Sets of variables, as bits.

use crate::term::VarId;

/// Some variables of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vars(Vec<u64>);

impl Vars {
    /// None of so many variables.
    pub fn new(count: usize) -> Vars {
        Vars(vec![0; count.div_ceil(64)])
    }

    /// Adds a variable.
    pub fn insert(&mut self, var: VarId) {
        self.0[var.index() / 64] |= 1 << (var.index() % 64);
    }

    /// Whether a variable is among them.
    pub fn contains(&self, var: VarId) -> bool {
        self.0[var.index() / 64] >> (var.index() % 64) & 1 != 0
    }

    /// Adds others; whether that changed something.
    pub fn add(&mut self, others: &Vars) -> bool {
        let mut changed = false;
        for (own, others) in self.0.iter_mut().zip(&others.0) {
            changed |= others & !*own != 0;
            *own |= others;
        }
        changed
    }

    /// Whether the two have a variable in common.
    pub fn meets(&self, others: &Vars) -> bool {
        self.0.iter().zip(&others.0).any(|(own, others)| own & others != 0)
    }
}
