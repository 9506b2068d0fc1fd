//! What an engine has to show for a program that it calls safe.

use super::{BoundedProof, Crowd, Forest, Invariant, Unfolding};
use crate::budget::Stop;

/// Why a program is safe, in a form that somebody else can examine.
#[derive(Clone, Debug)]
pub enum Certificate {
    /// Inductive invariants of all views; [`super::check()`] examines them.
    Views(Box<Invariant>),
    /// An invariant for any number of threads; [`super::check_crowd`] examines it.
    Crowd(Box<Crowd>),
    /// A complete unfolding of the program; [`super::check_unfolding`] examines it.
    Unfolding(Box<Unfolding>),
    /// A complete forest of regions of a cooperative program; [`super::check_forest`] examines it.
    Forest(Box<Forest>),
    /// All states were visited.
    Exhausted {
        /// How many.
        states: u64,
    },
    /// All runs were looked at symbolically; no loop can go round more often than was followed.
    Bounded {
        /// How often a loop went round at most, certain rounds not counted.
        bound: u32,
        /// Number of reads and writes.
        events: u64,
        /// What there is to examine.
        backing: Backing,
    },
}

/// What a bounded answer has to show; [`super::bounded::check`] examines it.
#[derive(Clone, Debug)]
pub enum Backing {
    /// Nothing was asked for.
    NotAsked,
    /// The budget ended before it was made.
    Stopped(Stop),
    /// This.
    Proof(Box<BoundedProof>),
}
