//! Somebody who looks on while a solver searches, and says what goes together.

use super::solver::Lit;

/// Rules over literals that are not written down as clauses.
///
/// Assignments come level by level: what is assigned after a [`push`](Theory::push) is forgotten with the
/// [`pop`](Theory::pop) that belongs to it. What is assigned before the first push stays.
pub trait Theory {
    /// Opens a level.
    fn push(&mut self);

    /// Leaves the last level.
    fn pop(&mut self);

    /// These literals hold now; `is_open` tells whether one is assigned yet. Gives literals that follow.
    ///
    /// # Errors
    /// If they cannot hold together with what was assigned before: literals that hold, of which one must not.
    fn assign(&mut self, news: &[Lit], is_open: &dyn Fn(Lit) -> bool) -> Result<Vec<Lit>, Vec<Lit>>;

    /// Why a literal followed: literals that held before.
    fn explain(&mut self, consequence: Lit) -> Vec<Lit>;
}
