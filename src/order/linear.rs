//! Total orders: linear extensions of the established order, and the runs of store buffers that they stand
//! for.

use super::derive::Orders;
use super::eog::{Graph, NodeId};
use super::model::Model;

/// A link and a write of its cell that a total order puts between the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Between {
    pub(super) link: u32,
    pub(super) other: NodeId,
}

/// One thing that happens in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// The thread takes the step. A write without a barrier goes to the store buffer, if the model has one.
    Take(NodeId),
    /// The write of this step goes from the store buffer to memory.
    Flush(NodeId),
}

impl Orders<'_> {
    /// A linear extension, without the initial state. Of the nodes that may come next it prefers those that
    /// overwrite nothing which is still to be read, and of these the last node's thread.
    pub(super) fn extension(&self) -> Vec<NodeId> {
        let graph = self.graph;
        let mut missing = vec![0u32; graph.len()];
        for edge in &self.edges {
            missing[edge.to.index()] += 1;
        }
        let mut memory = Pending::new(graph);
        let mut ready = vec![NodeId::INIT];
        let mut order: Vec<NodeId> = Vec::with_capacity(graph.len());
        while !ready.is_empty() {
            let last = order.last().map(|&node| graph.step(node).thread());
            let rank =
                |&node: &NodeId| (memory.overwrites(node), Some(graph.step(node).thread()) != last, node);
            let at = (0..ready.len()).min_by_key(|&i| rank(&ready[i])).expect("not empty");
            let node = ready.swap_remove(at);
            memory.take(node);
            order.push(node);
            for &edge in &self.outgoing[node.index()] {
                let to = self.edges[edge as usize].to;
                missing[to.index()] -= 1;
                if missing[to.index()] == 0 {
                    ready.push(to);
                }
            }
        }
        assert_eq!(order.len(), graph.len(), "the kept edges are acyclic and start at the initial state");
        order.remove(0);
        order
    }
}

/// How many reads of each write are still to come, while an order is made.
struct Pending<'g> {
    graph: &'g Graph,
    /// Links by reader.
    links: Vec<Vec<u32>>,
    /// The last write of each cell so far.
    last: Vec<NodeId>,
    /// Readers to come of each write, by link's cell: a node may write several.
    readers: rustc_hash::FxHashMap<(NodeId, usize), u32>,
}

impl<'g> Pending<'g> {
    fn new(graph: &'g Graph) -> Pending<'g> {
        let mut links = vec![Vec::new(); graph.len()];
        let mut readers = rustc_hash::FxHashMap::default();
        for (i, link) in graph.links().iter().enumerate() {
            links[link.read.index()].push(i as u32);
            *readers.entry((link.write, link.cell.index())).or_default() += 1;
        }
        Pending { graph, links, last: vec![NodeId::INIT; graph.cell_count()], readers }
    }

    /// Whether a node would overwrite a value that another node is still to read.
    fn overwrites(&self, node: NodeId) -> bool {
        self.graph.step(node).writes().any(|cell| {
            let last = self.last[cell.index()];
            let own = self.links[node.index()].iter().map(|&i| &self.graph.links()[i as usize]);
            let own = own.filter(|link| link.cell == cell && link.write == last).count() as u32;
            self.readers.get(&(last, cell.index())).is_some_and(|&count| count > own)
        })
    }

    fn take(&mut self, node: NodeId) {
        for &i in &self.links[node.index()] {
            let link = &self.graph.links()[i as usize];
            *self.readers.get_mut(&(link.write, link.cell.index())).expect("counted before") -= 1;
        }
        for cell in self.graph.step(node).writes() {
            self.last[cell.index()] = node;
        }
    }
}

/// The first place where a total order breaks a link.
pub(super) fn broken(graph: &Graph, order: &[NodeId]) -> Option<Between> {
    let mut position = vec![0; graph.len()];
    order.iter().enumerate().for_each(|(i, node)| position[node.index()] = i + 1);
    graph.links().iter().enumerate().find_map(|(i, link)| {
        let range = position[link.write.index()] + 1..position[link.read.index()];
        let between = |other: &&NodeId| range.contains(&position[other.index()]);
        let other = graph.writers(link.cell).iter().find(between)?;
        Some(Between { link: i as u32, other: *other })
    })
}

/// The run of threads and store buffers that a total order stands for.
///
/// The order says when reads happen and when writes reach memory. A thread puts a write into its buffer as
/// late as possible: just before the write reaches memory, or before a later step of the thread.
pub fn run(graph: &Graph, model: Model, order: &[NodeId]) -> Vec<Move> {
    let mut taken = vec![0; graph.threads().len()];
    let mut moves = Vec::new();
    for &node in order {
        let step = graph.step(node);
        let buffered = step.writes().next().is_some() && !model.is_one_step(step.barrier());
        let thread = &graph.threads()[step.thread().index()];
        let next = &mut taken[step.thread().index()];
        let at = thread.iter().position(|&other| other == node).expect("a node is in its thread");
        while *next <= at {
            moves.push(Move::Take(thread[*next]));
            *next += 1;
        }
        if buffered {
            moves.push(Move::Flush(node));
        }
    }
    moves
}
