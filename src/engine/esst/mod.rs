//! Explicit scheduler, symbolic threads (Cimatti, Narasamdya, Roveri: "Software model checking with explicit
//! scheduler and symbolic threads", 2012): an engine for unbounded proofs of cooperative programs.
//!
//! The scheduler is executed; the threads are followed by lazy predicate abstraction. A node of the *forest*
//! (`forest.rs`) has a region for each thread, a global region, and the state of the scheduler. Rule E1 lets
//! the running thread go on, rule E2 lets the scheduler decide while nobody runs (`expand.rs`).
//! When a path reaches an error that it cannot reach, interpolants refine the precisions, and what lies below
//! the first node that this changes is built anew (`refine.rs`). `search.rs` reads like Section 4.7.
//! Partial-order reduction (Section 5) is in `reduction.rs`, with what blocks touch in `block.rs`.
//!
//! Where we differ.
//! - An edge is a whole turn: a decision of the scheduler and one way of the running thread until its turn is
//!   over or a loop begins (`stretch.rs`), not one operation: large blocks.
//! - A region is the strongest *conjunction* of predicates, not their strongest Boolean combination.
//!   Predicates are conjuncts of interpolants, not their atoms, so that a refuted path stays refuted: each
//!   interpolant follows from the one before it.
//! - Arguments of primitives need not be constants: their values are enumerated (`arguments.rs`).
//! - A node may cover another only if it does not sleep where the other does not. The paper ignores sleep
//!   sets here, and misses violations, since a region also stands for states that the ancestor which
//!   justifies the sleep does not have.
//! - The cycle condition is checked on the finished forest, for all its cycles (`cycle.rs`); the paper looks
//!   at covering ancestors, which suffices for depth-first order alone.
//! - A block that may never end (a loop without a yield, an assumption that fails) makes no persistent set:
//!   nobody runs after it.
//! - Where a scheduler has a looser one that leaves the order of threads open (FairThreads in any order),
//!   that one is executed first: what is safe with it is safe. A violation has to be one of the exact
//!   scheduler; if it is not in order there, the search is done with that.
//! - Overflow: ranges of transitions are ignored, which allows more runs, until a path shows that they
//!   matter.

mod arguments;
mod block;
mod certificate;
mod cover;
mod cycle;
mod expand;
mod forest;
mod operation;
mod order;
mod persistent;
mod post;
mod precision;
mod reduction;
mod refine;
mod search;
mod stretch;
mod touch;

use crate::budget::Budget;
use crate::engine::{Answer, Claim, Reason};
use crate::observe::{Observer, Progress};
use crate::program::{MemoryModel, Program};
use crate::proof::Certificate;
use crate::scheduler::{self, Scheduler};
use crate::smt::{IntModel, Watch, interruptible};
use search::{Allows, Ended, Search};

/// Which orders of blocks are left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Reduction {
    /// None.
    None,
    /// Those of blocks that nothing else can interfere with, by persistent sets.
    Persistent,
    /// Those that equal an order which was followed already, by sleep sets.
    Sleep,
    /// Both.
    #[default]
    Both,
}

impl Reduction {
    /// All of them, in the order of the paper's tables.
    pub const ALL: [Reduction; 4] =
        [Reduction::None, Reduction::Persistent, Reduction::Sleep, Reduction::Both];

    fn has_persistent_sets(self) -> bool {
        matches!(self, Reduction::Persistent | Reduction::Both)
    }

    fn has_sleep_sets(self) -> bool {
        matches!(self, Reduction::Sleep | Reduction::Both)
    }
}

/// Options of the engine.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which orders of blocks are left out.
    pub reduction: Reduction,
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
    /// Choices of the scheduler that were followed, and that were left out by a reduction.
    followed: u64,
    omitted: u64,
    /// Choices that were followed for the cycle condition.
    forced: u64,
    /// Abstract successors that were known, and that had to be computed.
    known: u64,
    computed: u64,
}

/// Proves a program safe or finds a violation.
pub(crate) fn check(program: &Program, options: &Options, observer: &mut dyn Observer) -> Answer {
    if program.policy.is_none() {
        let reason = Reason::new("engine esst knows cooperative programs alone")
            .advising("use another engine for programs with preemptive threads");
        return Claim::Unknown(reason).into();
    }
    if options.memory_model != MemoryModel::Sc {
        let reason = Reason::new("engine esst knows sequential consistency alone")
            .advising("use another engine for programs on machines with store buffers");
        return Claim::Unknown(reason).into();
    }
    observer.notice(Progress::Phase("reach"));
    interruptible(&options.budget, |watch| decide(program, options, watch, observer)).into()
}

fn decide(program: &Program, options: &Options, watch: &Watch<'_>, observer: &mut dyn Observer) -> Claim {
    let (mut former, mut complaint) = (0, None);
    for (scheduler, allows, reduction) in attempts(program, options.reduction) {
        let options = Options { reduction, ..options.clone() };
        let mut search = Search::new(program, &options, watch, (scheduler, allows), former);
        let ended = search.run(observer);
        search.announce(observer);
        former = search.states();
        match ended {
            Ok(Ended::Violated(violation)) => return Claim::Unsafe(violation),
            Ok(Ended::Complete) => match search.complaint() {
                // A run that ends where the program has no meaning hides what others would have done before.
                Some(reason) if search.leaves_blocks_out() => complaint = Some(reason),
                Some(reason) => return Claim::Unknown(reason),
                None => return Claim::Safe(Certificate::Forest(Box::new(search.certificate()))),
            },
            Ok(Ended::OutOfOrder) => {}
            Err(gave_up) => {
                let reason = complaint.unwrap_or_else(|| search.established(gave_up.to_string()));
                return Claim::Unknown(reason);
            }
        }
    }
    unreachable!("the last attempt is exact, and leaves no blocks out")
}

/// The schedulers and reductions that are tried one after the other until there is an answer.
fn attempts(program: &Program, reduction: Reduction) -> Vec<(&'static dyn Scheduler, Allows, Reduction)> {
    let exact = scheduler::of(program.policy.expect("a cooperative program"));
    let thorough = if reduction.has_sleep_sets() { Reduction::Sleep } else { Reduction::None };
    let first = match exact.looser(&program.primitives()) {
        Some(loose) => (loose, Allows::More, reduction),
        None => (exact, Allows::Exactly, reduction),
    };
    vec![first, (exact, Allows::Exactly, thorough)]
}

#[cfg(test)]
mod tests;
