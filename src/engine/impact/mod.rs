//! Lazy abstraction with interpolants for threads, and partial-order reduction (Wachter, Kroening, Ouaknine:
//! "Verifying multi-threaded software with Impact", 2013): an engine for unbounded proofs.
//!
//! The program is unfolded into a tree of location vectors (`unfolding.rs`). Nothing is assumed about the
//! states at a new node; when a path reaches an error that it cannot reach, interpolants become labels along
//! it (`refine.rs`). A node whose label implies that of an older one at the same locations is covered and
//! need not be followed (`cover.rs`). `search.rs` reads like Algorithms 1 and 2, `reduction.rs` decides which
//! steps are followed.
//!
//! Where we differ. The printed algorithm misses violations, so: a cover has every step expanded at the
//! coverer that is not skipped at the covered node, which is a leaf when it is covered; nodes that lose their
//! cover are looked at again; guards count in what is independent; conditions of independence become labels.
//! And for speed: each path is executed symbolically as it grows, so that steps which cannot be taken are
//! followed after all others, when an older node may cover them; they are then excluded by a label. `LOOP` of
//! Algorithm 2 is left out: that an omitted path is represented by another one of the same length does not
//! depend on it, and the checker of certificates agrees.

mod certificate;
mod cover;
mod expand;
mod reduction;
mod refine;
mod search;
mod unfolding;

use crate::budget::Budget;
use crate::engine::{Answer, Claim, Reason};
use crate::observe::{Observer, Progress};
use crate::program::{MemoryModel, Program};
use crate::proof::Certificate;
use crate::smt::{IntModel, Watch, interruptible};
use search::Search;

pub use crate::reach::interpolant::Strength;

/// Which interleavings are left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Reduction {
    /// None.
    None,
    /// A thread whose next steps concern no other thread, now or later, goes first.
    Static,
    /// Likewise; and of independent steps that follow each other the one of the smaller thread goes first.
    #[default]
    Dynamic,
}

/// Whether nodes are made to be covered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum ForceCover {
    /// Labels grow only where an error is refuted.
    Off,
    /// Where all states that reach a node have the label of an older one, they get it.
    #[default]
    On,
}

/// Options of the engine.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which interleavings are left out.
    pub reduction: Reduction,
    /// Whether nodes are made to be covered.
    pub force_cover: ForceCover,
    /// Which interpolants become labels.
    pub strength: Strength,
    /// What signed integers are.
    pub int_model: IntModel,
    /// The memory model; only sequential consistency is known here.
    pub memory_model: MemoryModel,
    /// Limits.
    pub budget: Budget,
}

/// Counters.
#[derive(Clone, Copy, Default)]
struct Counts {
    refinements: u64,
    covers: u64,
    forced: u64,
    /// Nodes that exist for the sake of a cover.
    expansions: u64,
}

/// Proves a program safe or finds a violation.
pub(crate) fn check(program: &Program, options: &Options, observer: &mut dyn Observer) -> Answer {
    if options.memory_model != MemoryModel::Sc {
        let reason = Reason::new("engine impact knows sequential consistency alone")
            .advising("use another engine for programs on machines with store buffers");
        return Claim::Unknown(reason).into();
    }
    observer.notice(Progress::Phase("unfold"));
    interruptible(&options.budget, |watch| decide(program, options, watch, observer)).into()
}

fn decide(program: &Program, options: &Options, watch: &Watch<'_>, observer: &mut dyn Observer) -> Claim {
    let mut search = Search::new(program, options, watch);
    let ended = search.run(observer);
    search.announce(observer);
    match ended {
        Ok(Some(violation)) => Claim::Unsafe(violation),
        Ok(None) => match search.complaint() {
            Some(reason) => Claim::Unknown(reason),
            None => Claim::Safe(Certificate::Unfolding(Box::new(search.certificate()))),
        },
        Err(gave_up) => Claim::Unknown(search.established(gave_up.to_string())),
    }
}
