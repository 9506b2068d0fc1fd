//! What users are shown: a summary with the verdict, counterexamples, the program itself.
//!
//! Everything here makes text from data and prints nothing. A counterexample is first turned into plain data
//! that says what happened in terms of the source ([`Counterexample`]); `text.rs` and `json.rs` only write it
//! down.

pub mod bench;
pub mod compare;
mod counterexample;
mod detours;
pub mod dot;
pub mod events;
pub mod facts;
pub mod features;
pub mod forest;
pub mod html;
pub mod invariant;
pub mod json;
pub mod partition;
pub mod phase;
pub mod retell;
pub mod sarif;
mod scene;
pub mod schedule;
mod signals;
mod standing;
mod summary;
pub mod svg;
mod teller;
mod text;
pub mod threads;
mod turns;
pub mod unfolding;
pub mod unrolled;
mod values;
pub mod witness;
mod words;

pub use counterexample::{Counterexample, Deed, Line, SourcePlace, Trouble, ValueSource, Violated};
pub use scene::{Held, Pending, Scene, Watched};
pub use summary::{Amount, Summary};
pub use turns::{Round, Standings};

/// How much of a counterexample is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Detail {
    /// Every step, with private and made-up variables.
    Full,
    /// What other threads can notice or what decides the way: shared accesses, synchronisation, branches,
    /// inputs, assertions.
    #[default]
    Shared,
    /// The violated assertion alone.
    None,
}

impl Detail {
    /// All of them.
    pub const ALL: [Detail; 3] = [Detail::Full, Detail::Shared, Detail::None];

    /// The name that users know it by.
    pub fn name(self) -> &'static str {
        match self {
            Detail::Full => "full",
            Detail::Shared => "shared",
            Detail::None => "none",
        }
    }
}

/// How text is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Characters a line.
    pub width: usize,
    /// Whether to use colours, as ANSI escape sequences.
    pub colour: bool,
}
