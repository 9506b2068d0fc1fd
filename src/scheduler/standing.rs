//! What threads do that neither run nor could go next: plain data, for whoever puts it into words.

use crate::program::ThreadId;

/// What a thread does that neither runs nor could go next.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Standing {
    /// It has not been created.
    Absent,
    /// It has ended.
    Ended,
    /// It has started the scheduler, and never goes on.
    Started,
    /// It begins when the next instant does.
    Begins,
    /// It has given up its turn until the next instant.
    Cooperated,
    /// Somebody has to wake it by name.
    Suspended,
    /// It waits.
    Waits {
        /// What for.
        wait: Wait,
        /// For how many instants more at most.
        limit: Option<i32>,
    },
}

/// What a thread waits for. Events are numbers here.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wait {
    /// One of these events; there is at least one.
    OneOf(Vec<i32>),
    /// All of these events.
    AllOf(Vec<i32>),
    /// One of the events of its own that are bits of this mask.
    Mask(i32),
    /// The value of an event with this index.
    Value {
        /// The event.
        event: i32,
        /// The index.
        index: i32,
    },
    /// The end of a thread.
    End(ThreadId),
    /// So much simulated time.
    Time(i32),
    /// The next delta cycle.
    Delta,
    /// The end of the simulation.
    Simulation,
    /// Some instants.
    Instants,
    /// Nothing that ever happens.
    Nothing,
}

impl Standing {
    /// A thread that waits for as long as it takes.
    pub(super) fn waits(wait: Wait) -> Option<Standing> {
        Some(Standing::Waits { wait, limit: None })
    }

    /// Whether it takes somebody or something else for the thread to go on, and that may still come.
    pub fn is_held_up(&self) -> bool {
        matches!(self, Standing::Suspended | Standing::Waits { .. })
    }
}
