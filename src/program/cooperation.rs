//! Cooperative programs: which policy schedules their threads, and what threads ask of the scheduler.
//!
//! The programming model of A. Cimatti, I. Narasamdya, M. Roveri, "Software model checking with explicit
//! scheduler and symbolic threads" (2012), Section 3. What policies and primitives mean is in `scheduler/`; a
//! program only names them.

use super::{LocId, Program};
use crate::term::{TermId, VarId};

/// A policy of scheduling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Policy {
    /// FairThreads, in the order in which threads were created, as the library does it.
    Fair,
    /// FairThreads, in any order that is then kept for the whole run, as the paper has it.
    FairAnyOrder,
    /// The kernel of SystemC: any runnable process, delta cycles, simulated time.
    SystemC,
    /// OSEK, without preemption: the highest priority first, first come, first served among equals.
    Osek,
}

/// Something that a scheduler does for a thread; the scheduler of the program's policy knows what.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Primitive(pub u8);

/// A call of a primitive by a transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// What is to be done.
    pub primitive: Primitive,
    /// Its arguments, words, evaluated in the state before the transition.
    pub arguments: Vec<TermId>,
    /// The input of the transition that takes the result, if it is used: in right-hand sides of updates and
    /// nowhere else.
    pub result: Option<VarId>,
    /// Where the thread goes instead if the primitive is misused, without any update: a location of the same
    /// thread, with no way out, that is marked as undefined unless such runs are not considered.
    pub misuse: LocId,
}

impl Program {
    /// The primitives that are called. Sorted, without repetition.
    pub fn primitives(&self) -> Vec<Primitive> {
        let calls = self.transitions.iter().filter_map(|transition| transition.call.as_ref());
        let mut all: Vec<Primitive> = calls.map(|call| call.primitive).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

impl Policy {
    /// All policies.
    pub const ALL: [Policy; 4] = [Policy::Fair, Policy::FairAnyOrder, Policy::SystemC, Policy::Osek];

    /// The policies that a program may be run under which is written for this one.
    pub fn alternatives(self) -> &'static [Policy] {
        match self {
            Policy::Fair | Policy::FairAnyOrder => &[Policy::Fair, Policy::FairAnyOrder],
            Policy::SystemC => &[Policy::SystemC],
            Policy::Osek => &[Policy::Osek],
        }
    }

    /// The name that users know it by.
    pub fn name(self) -> &'static str {
        match self {
            Policy::Fair => "fair",
            Policy::FairAnyOrder => "fair-any-order",
            Policy::SystemC => "systemc",
            Policy::Osek => "osek",
        }
    }
}
