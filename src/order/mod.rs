//! The event order graph of SCAR: can these steps, with this program order and these read-from links, happen
//! one after the other? If so, in which order; if not, for which reasons.
//!
//! The room knows nothing about programs' data or SAT: guards of steps and selectors of links are opaque
//! literals ([`Atom`]), and a [`Reason`] is a set of them. Sources: Yin et al., *Scheduling Constraint Based
//! Abstraction Refinement for Multi-Threaded Program Verification* (the SC paper: `eog.rs`, `derive.rs`,
//! `kernel.rs`) and *... for Weak Memory Models* (`model.rs`, `program_order.rs`), with the corrections for
//! store forwarding that `model.rs` explains.
//!
//! # Use
//!
//! Build a [`Graph`] of the steps that are taken, in program order, with one link for each read. Make
//! [`Orders`] under a [`Model`] and saturate; conflicts have [`Kernel`] reasons, each a set of literals that
//! cannot all hold. Without conflict, [`Orders::validate`] decides exactly and gives a total order or one
//! more reason; [`run`] turns the order into moves of threads and store buffers.
//!
//! Store buffering, where each thread reads the other's cell before the write arrives there:
//!
//! ```
//! use regrain::budget::Budget;
//! use regrain::order::{Atom, CellId, Density, Graph, Model, NodeId, Orders, Step, Validity};
//! use regrain::program::ThreadId;
//!
//! let [x, y] = [0, 1].map(CellId::new);
//! let [left, right] = [0, 1].map(ThreadId::new);
//! let mut graph = Graph::new();
//! graph.add(Step::write(left, x));
//! let read_y = graph.add(Step::read(left, y));
//! graph.add(Step::write(right, y));
//! let read_x = graph.add(Step::read(right, x));
//! graph.read_from(read_y, NodeId::INIT, y, Some(Atom::new(7)));
//! graph.read_from(read_x, NodeId::INIT, x, Some(Atom::new(9)));
//!
//! let mut sc = Orders::new(&graph, Model::SC, Density::Minimal);
//! assert!(!sc.saturate(400));
//! let kernels = sc.kernels(400);
//! assert_eq!(kernels.len(), 1);
//! assert_eq!(kernels[0].reason, [Atom::new(7), Atom::new(9)].into_iter().collect());
//!
//! let mut tso = Orders::new(&graph, Model::TSO, Density::Minimal);
//! assert!(matches!(tso.validate(&Budget::unlimited()), Ok(Validity::Total(_))));
//! ```
//!
//! # What the caller must know
//!
//! * A node is an indivisible step (`eog.rs`): locks, compare-and-swap and atomic sections are nodes that
//!   read and write. Under TSO and PSO such nodes are full fences.
//! * A step that a store buffer would take apart (it reads and then writes without a barrier, as whole
//!   statements may) is not one node under TSO and PSO, but a node of its reads followed by one for each
//!   write.
//! * Every literal handed in must hold in the assignment that the graph is made of. A selector implies that
//!   both its ends happen, a write's guard that its step is taken; reasons leave out guards that follow so.
//! * A read without a link may read anything.
//! * Orders between threads (creation and first step, last step and joining) are [`Graph::require`]d; under
//!   TSO and PSO let both ends be full fences.
//! * Reasons are sound for every assignment, not only for this one: a caller may add the negation of each as
//!   a clause for good.

mod bits;
mod closure;
mod derive;
mod eog;
mod kernel;
mod linear;
mod model;
#[cfg(test)]
mod oracle;
mod path;
mod print;
mod program_order;
mod reason;
mod relation;
mod search;
#[cfg(test)]
mod tests;
mod validate;

pub use bits::Bits;
pub use derive::{Edge, Orders, Origin, Work};
pub use eog::{CellId, Graph, Link, NodeId, Required, Step};
pub use kernel::Kernel;
pub use linear::{Move, run};
pub use model::Model;
pub use print::{Dot, Names, Text, plain_name};
pub use program_order::{Density, program_order};
pub use reason::{Atom, Reason};
pub use search::{Effort, Exclusion, PartialOrders};
pub use validate::Validity;
