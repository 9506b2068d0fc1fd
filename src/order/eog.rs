//! The event order graph: what must be ordered, and why.
//!
//! A node is an *indivisible step* of one thread: it reads any number of cells, then writes any number, with
//! nothing in between. The paper's events are nodes with one access; a read-modify-write is a node that reads
//! and writes one cell; an atomic section is one node with the reads that its own earlier writes do not
//! answer and the last write of each cell. Since such a node has one position in the order, what `engines.md`
//! asks of read-modify-writes (rule (e)) follows from rules 2 and 3 alone. Reads of a node come before its
//! writes, so a node never reads from itself.
//!
//! Node 0 is the initial state: it writes every cell and precedes every other node.
//!
//! Everything may depend on literals of the caller, which must mean: a node's guard, that the step is taken;
//! a write's guard, that this write of the step happens (and so the step); a link's selector, that this read
//! takes its value from that write, and so that both happen. Paper symbols: `E` are the nodes, the order `≺⁰`
//! is [`program_order`](super::program_order()), `◁` the links.

use super::reason::{Atom, Reason};
use crate::program::{Barrier, ThreadId};

/// A node of one graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The initial state.
    pub const INIT: NodeId = NodeId(0);

    /// Position in the graph.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The node at a position.
    pub fn new(index: usize) -> NodeId {
        NodeId(u32::try_from(index).expect("fewer than 2^32 nodes"))
    }
}

/// A cell of shared memory: what a read or write goes to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellId(u32);

impl CellId {
    /// The caller's number of the cell; small numbers, they index tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The cell with a number.
    pub fn new(index: usize) -> CellId {
        CellId(u32::try_from(index).expect("fewer than 2^32 cells"))
    }
}

/// An indivisible step of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    thread: ThreadId,
    reads: Vec<CellId>,
    writes: Vec<(CellId, Option<Atom>)>,
    barrier: Barrier,
    guard: Option<Atom>,
}

impl Step {
    /// A read of one cell.
    pub fn read(thread: ThreadId, cell: CellId) -> Step {
        Step::indivisible(thread, [cell], [])
    }

    /// A write of one cell.
    pub fn write(thread: ThreadId, cell: CellId) -> Step {
        Step::indivisible(thread, [], [cell])
    }

    /// A read-modify-write of one cell.
    pub fn update(thread: ThreadId, cell: CellId) -> Step {
        Step::indivisible(thread, [cell], [cell])
    }

    /// Several reads, then several writes, with nothing of another thread in between. Cells that the step
    /// reads after having written them are not among its reads; a cell that it writes twice is among its
    /// writes once.
    pub fn indivisible(
        thread: ThreadId,
        reads: impl IntoIterator<Item = CellId>,
        writes: impl IntoIterator<Item = CellId>,
    ) -> Step {
        let reads: Vec<CellId> = reads.into_iter().collect();
        let writes: Vec<_> = writes.into_iter().map(|cell| (cell, None)).collect();
        // Such a step cannot be half in a store buffer.
        let plain = writes.is_empty() || reads.is_empty() && writes.len() == 1;
        let barrier = if plain { Barrier::None } else { Barrier::Full };
        Step { thread, reads, writes, barrier, guard: None }
    }

    /// A step without accesses that orders what is before it with what is after it: everything, or writes
    /// only.
    pub fn fence(thread: ThreadId, barrier: Barrier) -> Step {
        Step { barrier, ..Step::indivisible(thread, [], []) }
    }

    /// The same step on memory itself, ordered with everything before and after it in its thread. For an
    /// order of writes only, put a [`fence`](Step::fence) before the step.
    pub fn with_full_barrier(self) -> Step {
        Step { barrier: Barrier::Full, ..self }
    }

    /// The same step, which writes only, as one store: it waits in the store buffer and reaches all its cells
    /// at once.
    ///
    /// # Panics
    /// If it reads something.
    pub fn buffered(self) -> Step {
        assert!(self.reads.is_empty(), "a store only writes");
        Step { barrier: Barrier::None, ..self }
    }

    /// The same step, taken only if a literal holds.
    pub fn under(self, guard: Atom) -> Step {
        Step { guard: Some(guard), ..self }
    }

    /// The same step with one more write, which happens only if a literal holds.
    pub fn write_under(mut self, cell: CellId, guard: Atom) -> Step {
        self.writes.push((cell, Some(guard)));
        self.barrier = Barrier::Full;
        self
    }

    /// Whose step it is.
    pub fn thread(&self) -> ThreadId {
        self.thread
    }

    /// The cells that it reads.
    pub fn reads(&self) -> &[CellId] {
        &self.reads
    }

    /// The cells that it writes.
    pub fn writes(&self) -> impl Iterator<Item = CellId> + '_ {
        self.writes.iter().map(|&(cell, _)| cell)
    }

    /// What it asks of the store buffer.
    pub fn barrier(&self) -> Barrier {
        self.barrier
    }

    /// The literal under which it is taken.
    pub fn guard(&self) -> Option<Atom> {
        self.guard
    }

    /// The literals under which it writes a cell.
    pub(super) fn write_guards(&self, cell: CellId) -> impl Iterator<Item = Atom> {
        let own = self.writes.iter().find(|&&(written, _)| written == cell).and_then(|&(_, guard)| guard);
        // The write's own guard says that the step is taken.
        own.or(self.guard).into_iter()
    }
}

/// A read-from link `w ◁ r`: the read of `cell` by `read` takes its value from `write`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The writing node.
    pub write: NodeId,
    /// The reading node.
    pub read: NodeId,
    /// The cell.
    pub cell: CellId,
    /// The literal that selects the link; `None` if nothing else is possible.
    pub selector: Option<Atom>,
}

/// An order that the caller requires, such as of a thread's creation and its first step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Required {
    /// Comes first.
    pub before: NodeId,
    /// Comes later.
    pub after: NodeId,
    /// Why, besides the guards of the two nodes.
    pub reason: Reason,
}

/// What must be ordered.
#[derive(Clone, Debug)]
pub struct Graph {
    steps: Vec<Step>,
    /// Position in program order, from 1 in each thread.
    positions: Vec<u32>,
    threads: Vec<Vec<NodeId>>,
    /// The nodes that write a cell, the initial state not among them; indexed by cell.
    writers: Vec<Vec<NodeId>>,
    links: Vec<Link>,
    required: Vec<Required>,
}

impl Default for Graph {
    fn default() -> Graph {
        Graph::new()
    }
}

impl Graph {
    /// The initial state alone.
    pub fn new() -> Graph {
        Graph {
            steps: vec![Step::fence(ThreadId::new(0), Barrier::Full)],
            positions: vec![0],
            threads: Vec::new(),
            writers: Vec::new(),
            links: Vec::new(),
            required: Vec::new(),
        }
    }

    /// Adds a step: in program order it comes after the steps of its thread that are there already.
    pub fn add(&mut self, step: Step) -> NodeId {
        let node = NodeId::new(self.steps.len());
        let thread = step.thread.index();
        self.threads.resize_with(self.threads.len().max(thread + 1), Vec::new);
        self.threads[thread].push(node);
        self.positions.push(self.threads[thread].len() as u32);
        for cell in step.writes() {
            let table = &mut self.writers;
            table.resize_with(table.len().max(cell.index() + 1), Vec::new);
            assert_ne!(table[cell.index()].last(), Some(&node), "a step writes a cell once");
            table[cell.index()].push(node);
        }
        self.steps.push(step);
        node
    }

    /// Adds a read-from link.
    ///
    /// # Panics
    /// If `read` does not read the cell, `write` does not write it, or they are one node.
    pub fn read_from(&mut self, read: NodeId, write: NodeId, cell: CellId, selector: Option<Atom>) {
        assert!(self.step(read).reads.contains(&cell), "the cell is read");
        assert!(
            write == NodeId::INIT || self.step(write).writes().any(|it| it == cell),
            "the cell is written"
        );
        assert_ne!(read, write, "a step reads before it writes");
        self.links.push(Link { write, read, cell, selector });
    }

    /// Requires an order between steps of different threads, or one more between steps of one.
    pub fn require(&mut self, before: NodeId, after: NodeId, reason: Reason) {
        self.required.push(Required { before, after, reason });
    }

    /// Number of nodes, the initial state included.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is nothing but the initial state.
    pub fn is_empty(&self) -> bool {
        self.steps.len() == 1
    }

    /// All nodes but the initial state.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (1..self.steps.len()).map(NodeId::new)
    }

    /// The step of a node. The initial state has one without accesses.
    pub fn step(&self, node: NodeId) -> &Step {
        &self.steps[node.index()]
    }

    /// The nodes of each thread in program order.
    pub fn threads(&self) -> &[Vec<NodeId>] {
        &self.threads
    }

    /// The nodes that write a cell, in order of insertion, without the initial state.
    pub fn writers(&self, cell: CellId) -> &[NodeId] {
        self.writers.get(cell.index()).map_or(&[], Vec::as_slice)
    }

    /// One more than the greatest number of a cell that is written.
    pub(super) fn cell_count(&self) -> usize {
        self.writers.len()
    }

    /// The read-from links.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The orders that the caller requires.
    pub fn required(&self) -> &[Required] {
        &self.required
    }

    /// Whether `a` comes before `b` in the program order of one thread.
    pub fn earlier_in_thread(&self, a: NodeId, b: NodeId) -> bool {
        a != NodeId::INIT
            && b != NodeId::INIT
            && self.step(a).thread == self.step(b).thread
            && self.positions[a.index()] < self.positions[b.index()]
    }

    /// Under which literals a node writes a cell.
    pub(super) fn write_guards(&self, node: NodeId, cell: CellId) -> impl Iterator<Item = Atom> {
        self.step(node).write_guards(cell)
    }

    /// The guards that hold when a link is selected.
    pub(super) fn implied(&self, link: &Link) -> impl Iterator<Item = Atom> {
        let (write, read) = (self.step(link.write), self.step(link.read));
        write.write_guards(link.cell).chain(write.guard).chain(read.guard)
    }
}
