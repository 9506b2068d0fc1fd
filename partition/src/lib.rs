//! Smallest partition of control locations that separates a mismatch of every spurious path.
//!
//! The re-partitioning step of A. Gupta, C. Popeea and A. Rybalchenko, "Non-Monotonic Refinement of Control
//! Abstraction for Concurrent Programs", Section 5 and Fig. 4, as a library of its own: it knows numbers of
//! locations and pairs of them, and nothing of programs.
//!
//! - A *component* is a set of locations `0..n` that is partitioned: one environment thread in one view.
//! - A [`Mismatch`] `ℓ ≢ ℓ'` is a pair of locations of one component.
//! - A spurious *path* is a set of mismatches, perhaps of several components. A partition *excludes* it by
//!   separating at least one of them.
//!
//! [`Partitioner`] keeps all paths and answers with a [`Partition`] that
//! 1. excludes every path,
//! 2. has the smallest number of classes, summed over all components: always exact;
//! 3. among those, separates the greatest number of mismatches, each counted as often as it occurred in a
//!    path: exact unless the effort runs out, which [`Statistics::limited`] tells;
//! 4. among those, has the lexicographically least class names: exact within the same limits.
//!
//! Answers are deterministic. Where no limit was reached they are a function of the multiset of paths alone:
//! not of their order, nor of the rounds in which they came, nor of the solver. [`MonotonicPartition`] is the
//! baseline.
//!
//! Where this deviates from Fig. 4: codes are unary and not binary, and symmetry is broken (`encode`); the
//! minimum is taken over each cluster of connected components, from the previous one on (`minimal`); small
//! problems are solved by trying, without a SAT solver (`direct`), to the same answers; points 3 and 4
//! (`prefer`, `canonical`) are not in the paper, which takes any solution.
//!
//! ```
//! use regrain_partition::{Mismatch, Partitioner};
//!
//! let mut partitioner = Partitioner::new(&[4]);
//! partitioner.add_path([Mismatch::new(0, 0, 2), Mismatch::new(0, 1, 3)]);
//! partitioner.add_path([Mismatch::new(0, 0, 1)]);
//! assert_eq!(partitioner.solve().unwrap().to_string(), "{0,3} {1,2}");
//! ```

mod canonical;
mod direct;
mod encode;
mod minimal;
mod monotonic;
#[cfg(test)]
mod oracle;
mod partition;
mod partitioner;
mod prefer;
#[cfg(test)]
#[path = "../../src/random.rs"]
mod random;
mod sat;

pub use monotonic::MonotonicPartition;
pub use partition::{Mismatch, Partition};
pub use partitioner::{Partitioner, Statistics};
pub use sat::{Interrupted, Stop};
