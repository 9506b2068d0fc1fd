//! A memory model as a value: it answers questions about program order and store buffers, and all else is the
//! same for all.
//!
//! Under TSO and PSO a read of one's own write may be answered by the store buffer before the write reaches
//! memory. So write→read order is dropped *for the same cell too*, unlike in Algorithm 1 of the weak-memory
//! paper, and a read from an own earlier write adds no order. What remains of the order within a cell is what
//! rules 2 and 3 and the rule for own stores say (`derive.rs`); `engines.md`, section 2, has the reasons and
//! the measurements.

use super::eog::{Graph, NodeId, Step};
use crate::program::{Barrier, MemoryModel};

/// What a memory model keeps of program order. Reads are never delayed: a read is ordered before everything
/// after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Model {
    /// Whether a write is ordered before later reads.
    write_read: bool,
    /// Whether a write is ordered before later writes of other cells.
    write_write: bool,
}

impl Model {
    /// Sequential consistency: everything.
    pub const SC: Model = Model { write_read: true, write_write: true };
    /// Total store order: all but write→read.
    pub const TSO: Model = Model { write_read: false, write_write: true };
    /// Partial store order: also without write→write of different cells.
    pub const PSO: Model = Model { write_read: false, write_write: false };

    /// Whether program order from `earlier` to `later`, steps of one thread, is kept.
    pub fn preserves(&self, graph: &Graph, earlier: NodeId, later: NodeId) -> bool {
        earlier == NodeId::INIT || self.preserves_steps(graph.step(earlier), graph.step(later))
    }

    /// Whether reading an earlier write of one's own thread orders the two.
    pub fn own_store_orders(&self) -> bool {
        self.write_read
    }

    /// Whether writes may wait in a store buffer.
    pub fn has_store_buffers(&self) -> bool {
        !self.write_read
    }

    /// Whether a step with this barrier acts on memory itself, as one step.
    pub fn is_one_step(&self, barrier: Barrier) -> bool {
        !self.has_store_buffers() || barrier == Barrier::Full
    }

    /// What a barrier adds to the order that the model keeps anyway.
    pub fn effect_of(&self, barrier: Barrier) -> Barrier {
        match barrier {
            Barrier::Full if self.has_store_buffers() => Barrier::Full,
            Barrier::StoreStore if !self.write_write => Barrier::StoreStore,
            Barrier::None | Barrier::StoreStore | Barrier::Full => Barrier::None,
        }
    }

    fn preserves_steps(&self, earlier: &Step, later: &Step) -> bool {
        match (earlier.barrier(), later.barrier()) {
            (Barrier::Full, _) | (_, Barrier::Full) => true,
            (Barrier::StoreStore, Barrier::StoreStore) => true,
            (Barrier::StoreStore, Barrier::None) => self.write_read || writes(later),
            (Barrier::None, Barrier::StoreStore) => true,
            (Barrier::None, Barrier::None) => match (writes(earlier), writes(later)) {
                (false, _) => true,
                (true, false) => self.write_read,
                (true, true) => self.write_write || share(earlier, later),
            },
        }
    }

    /// Whether a step orders steps around it that the model would not order by themselves: a barrier, or a
    /// store of several cells where stores overtake each other.
    pub(super) fn orders_others(&self, step: &Step) -> bool {
        let wide = step.writes().nth(1).is_some() && !self.write_write;
        self.has_store_buffers() && (step.barrier() != Barrier::None || wide)
    }
}

impl From<MemoryModel> for Model {
    fn from(model: MemoryModel) -> Model {
        match model {
            MemoryModel::Sc => Model::SC,
            MemoryModel::Tso => Model::TSO,
            MemoryModel::Pso => Model::PSO,
        }
    }
}

/// Whether a step without a full barrier is a store; such a step reads nothing besides.
fn writes(step: &Step) -> bool {
    step.writes().next().is_some()
}

/// Whether two stores have a cell in common.
fn share(a: &Step, b: &Step) -> bool {
    a.writes().any(|cell| b.writes().any(|other| other == cell))
}
