//! Thread code before pointers are resolved: a control-flow graph of instructions over terms.
//!
//! Terms here mention only variables private to the node's thread, and constants; memory is reached by
//! [`Op::Load`], [`Op::Store`] and the like through addresses, which `resolve.rs` later turns into the
//! variables they can mean.

use super::memory::ObjectId;
use crate::program::{Barrier, Event, Mark, Primitive, Range, Span, ThreadId};
use crate::term::{TermId, VarId, Word};

/// A node of the control-flow graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct NodeId(u32);

impl NodeId {
    /// Position in [`Code::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is at a node, and where it goes from there.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Whose it is.
    pub thread: ThreadId,
    /// The user's place.
    pub span: Span,
    /// Whether no other thread moves while this one stands here.
    pub atomic: bool,
    /// Whether it is inside an atomic section, so that its steps work on memory directly.
    pub section: bool,
    /// The instruction.
    pub op: Op,
    /// What it does in the user's terms, besides accesses.
    pub events: Vec<Event>,
    /// What must hold for arithmetic before it to be in range.
    pub ranges: Vec<Range>,
    /// The statement of the user that begins here.
    pub begins: Option<Span>,
}

/// A scalar in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Access {
    /// Its address.
    pub address: TermId,
    /// Its value.
    pub word: Word,
    /// Its size in bytes.
    pub size: u64,
    /// In how many steps it is accessed.
    pub by: By,
}

/// In how many steps a scalar is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum By {
    /// One: it is atomic.
    One,
    /// As the machine likes: one for each of its words.
    Machine,
}

/// How an access shows in reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Show {
    /// As a read or a write.
    Plain,
    /// As the writing half of an indivisible update.
    Update,
    /// Not at all: the other half shows.
    Hidden,
}

/// What is asked of the scheduler of a cooperative program.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    /// What is to be done.
    pub primitive: Primitive,
    /// With what.
    pub arguments: Vec<TermId>,
    /// The user's call.
    pub text: String,
}

/// What is known of a thread elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flag {
    /// It has ended.
    Done,
    /// It was asked to end.
    Cancelled,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(super) enum Op {
    /// No way on.
    Stuck,
    /// Nothing happens.
    Goto(NodeId),
    /// Private variables change, all at once.
    Step { updates: Vec<(VarId, TermId)>, barrier: Barrier, next: NodeId },
    /// A private variable gets the value of a scalar in memory.
    Load { to: VarId, from: Access, show: Show, next: NodeId },
    /// A scalar in memory changes.
    Store { to: Access, value: TermId, barrier: Barrier, show: Show, next: NodeId },
    /// A part of an object is assigned whole.
    Fill { part: VarId, value: TermId, next: NodeId },
    /// Goes one of two ways.
    Branch { condition: TermId, then: NodeId, otherwise: NodeId },
    /// Waits for a condition on private variables.
    Assume { condition: TermId, next: NodeId },
    /// A marked end.
    Mark(Mark),
    /// Starts a thread, and hands it values.
    Create { thread: ThreadId, values: Vec<(VarId, TermId)>, again: Option<NodeId>, next: NodeId },
    /// First step of a created thread: takes the values that it is handed.
    Start { values: Vec<(VarId, VarId)>, next: NodeId },
    /// Whether a flag of a thread is set.
    Peek { flag: Flag, thread: TermId, to: VarId, next: NodeId },
    /// Asks a thread to end.
    Cancel { thread: TermId, next: NodeId },
    /// Waits for a thread's end and takes its result.
    Join { thread: TermId, to: VarId, next: NodeId },
    /// Ends the thread.
    Exit { result: TermId },
    /// Has the scheduler of a cooperative program do something; a private variable gets the result.
    Call { ask: Ask, to: VarId, result: VarId, next: NodeId },
    /// Decides where a heap object that is new lies: at its own address or one that was freed. Without a
    /// variable that gets the address nobody can tell, and it is its own.
    Settle { address: TermId, to: Option<VarId>, next: NodeId },
    /// The bytes of a heap object.
    Extent { address: TermId, to: VarId, next: NodeId },
    /// Ends the life of a heap object.
    Free { address: TermId, next: NodeId },
    /// A local comes to life again.
    Live { object: ObjectId, next: NodeId },
    /// A local is gone.
    Dead { object: ObjectId, next: NodeId },
}

/// The code of all threads.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// Its nodes.
    pub nodes: Vec<Node>,
}

impl Code {
    /// Adds a node.
    pub fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(u32::try_from(self.nodes.len() - 1).expect("the number of nodes is limited"))
    }

    /// All nodes.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// A node.
    pub fn get(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// A node, to change it.
    pub fn get_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// The node that control is really at: jumps lead on. Of a loop of nothing but jumps, in which the thread
    /// runs for ever, the first node.
    pub fn skip(&self, mut id: NodeId) -> NodeId {
        let mut path = Vec::new();
        while let Op::Goto(next) = self.get(id).op {
            if let Some(start) = path.iter().position(|seen| *seen == id) {
                return path[start..].iter().copied().min().expect("the loop has a node");
            }
            path.push(id);
            id = next;
        }
        id
    }
}

impl Op {
    /// The nodes that follow.
    pub fn next(&self) -> Vec<NodeId> {
        match self {
            Op::Stuck | Op::Mark(_) | Op::Exit { .. } => Vec::new(),
            Op::Goto(next)
            | Op::Step { next, .. }
            | Op::Load { next, .. }
            | Op::Store { next, .. }
            | Op::Fill { next, .. }
            | Op::Assume { next, .. }
            | Op::Start { next, .. }
            | Op::Join { next, .. }
            | Op::Peek { next, .. }
            | Op::Cancel { next, .. }
            | Op::Call { next, .. }
            | Op::Settle { next, .. }
            | Op::Extent { next, .. }
            | Op::Free { next, .. }
            | Op::Live { next, .. }
            | Op::Dead { next, .. } => vec![*next],
            Op::Create { again, next, .. } => again.iter().chain([next]).copied().collect(),
            Op::Branch { then, otherwise, .. } => vec![*then, *otherwise],
        }
    }
}

impl Node {
    /// A node that belongs to no path.
    pub fn nowhere() -> Node {
        Node {
            thread: ThreadId::new(0),
            span: Span::NONE,
            atomic: false,
            section: false,
            op: Op::Stuck,
            events: Vec::new(),
            ranges: Vec::new(),
            begins: None,
        }
    }
}
