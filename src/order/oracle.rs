//! The tests' second opinion: a machine with store buffers that takes the steps of a graph one by one, and a
//! search over all its runs. It shares nothing with the closure, the rules or the models as values. Also
//! random graphs.

use rustc_hash::FxHashSet;

use super::eog::{CellId, Graph, NodeId, Step};
use super::linear::Move;
use super::reason::{Atom, Reason};
use crate::program::{Barrier, MemoryModel, ThreadId};
use crate::random::Random;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Entry {
    Write(NodeId),
    Fence,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    taken: Vec<usize>,
    buffers: Vec<Vec<Entry>>,
    memory: Vec<NodeId>,
    performed: Vec<bool>,
}

/// A machine that may do only what the links of a graph say.
pub struct Machine<'g> {
    graph: &'g Graph,
    model: MemoryModel,
    state: State,
}

impl<'g> Machine<'g> {
    pub fn new(graph: &'g Graph, model: MemoryModel) -> Machine<'g> {
        let cells = graph.nodes().flat_map(|node| {
            let step = graph.step(node);
            step.writes().chain(step.reads().iter().copied()).collect::<Vec<_>>()
        });
        let cells = cells.map(|cell| cell.index() + 1).max().unwrap_or(0);
        let state = State {
            taken: vec![0; graph.threads().len()],
            buffers: vec![Vec::new(); graph.threads().len()],
            memory: vec![NodeId::INIT; cells],
            performed: vec![false; graph.len()],
        };
        Machine { graph, model, state }
    }

    /// What the thread of a step would read now.
    fn sees(&self, step: &Step, cell: CellId) -> NodeId {
        let own = self.state.buffers[step.thread().index()].iter().rev().find_map(|entry| match entry {
            Entry::Write(node) if self.graph.step(*node).writes().any(|written| written == cell) => {
                Some(*node)
            }
            _ => None,
        });
        own.unwrap_or(self.state.memory[cell.index()])
    }

    fn may_perform(&self, node: NodeId) -> bool {
        let mut required = self.graph.required().iter().filter(|required| required.after == node);
        required.all(|required| self.state.performed[required.before.index()])
    }

    fn reads_as_linked(&self, node: NodeId) -> bool {
        let mut links = self.graph.links().iter().filter(|link| link.read == node);
        links.all(|link| self.sees(self.graph.step(node), link.cell) == link.write)
    }

    fn is_buffered(&self, step: &Step) -> bool {
        self.model != MemoryModel::Sc && step.barrier() == Barrier::None && step.writes().next().is_some()
    }

    /// Makes a move if it is possible.
    pub fn make(&mut self, it: Move) -> bool {
        match it {
            Move::Take(node) => self.take(node),
            Move::Flush(node) => self.flush(node),
        }
    }

    fn take(&mut self, node: NodeId) -> bool {
        let step = self.graph.step(node);
        let thread = step.thread().index();
        if self.graph.threads()[thread].get(self.state.taken[thread]) != Some(&node) {
            return false;
        }
        if self.is_buffered(step) {
            self.state.buffers[thread].push(Entry::Write(node));
        } else {
            let waits = step.barrier() == Barrier::Full && !self.state.buffers[thread].is_empty();
            if waits || !self.may_perform(node) || !self.reads_as_linked(node) {
                return false;
            }
            step.writes().for_each(|cell| self.state.memory[cell.index()] = node);
            self.state.performed[node.index()] = true;
            if step.barrier() == Barrier::StoreStore && !self.state.buffers[thread].is_empty() {
                self.state.buffers[thread].push(Entry::Fence);
            }
        }
        self.state.taken[thread] += 1;
        true
    }

    fn flush(&mut self, node: NodeId) -> bool {
        let buffer = &self.state.buffers[self.graph.step(node).thread().index()];
        let Some(at) = buffer.iter().position(|entry| matches!(entry, Entry::Write(it) if *it == node))
        else {
            return false;
        };
        let cells: Vec<CellId> = self.graph.step(node).writes().collect();
        let blocks = |entry: &Entry| match (self.model, entry) {
            (MemoryModel::Pso, Entry::Write(other)) => {
                self.graph.step(*other).writes().any(|cell| cells.contains(&cell))
            }
            _ => true,
        };
        if buffer[..at].iter().any(blocks) || !self.may_perform(node) {
            return false;
        }
        let buffer = &mut self.state.buffers[self.graph.step(node).thread().index()];
        buffer.remove(at);
        while buffer.first() == Some(&Entry::Fence) {
            buffer.remove(0);
        }
        cells.iter().for_each(|cell| self.state.memory[cell.index()] = node);
        self.state.performed[node.index()] = true;
        true
    }

    pub fn is_done(&self) -> bool {
        let all =
            self.graph.threads().iter().zip(&self.state.taken).all(|(nodes, &taken)| taken == nodes.len());
        all && self.state.buffers.iter().all(Vec::is_empty)
    }

    fn moves(&self) -> Vec<Move> {
        self.graph.nodes().flat_map(|node| [Move::Take(node), Move::Flush(node)]).collect()
    }
}

/// Whether some run takes all steps with every link as it is.
pub fn feasible(graph: &Graph, model: MemoryModel) -> bool {
    let mut machine = Machine::new(graph, model);
    let moves = machine.moves();
    let mut seen = FxHashSet::default();
    let mut open = vec![machine.state.clone()];
    while let Some(state) = open.pop() {
        machine.state = state.clone();
        if machine.is_done() {
            return true;
        }
        for &it in &moves {
            machine.state = state.clone();
            if machine.make(it) && seen.insert(machine.state.clone()) {
                open.push(machine.state.clone());
            }
        }
    }
    false
}

/// What is left of a graph when only these literals are known to hold.
pub fn restrict(graph: &Graph, reason: &Reason) -> Graph {
    let links: Vec<_> =
        graph.links().iter().filter(|link| link.selector.is_none_or(|it| reason.contains(it))).collect();
    let implied: Reason = links.iter().flat_map(|link| graph.implied(link)).collect();
    let holds = |atom: Atom| reason.contains(atom) || implied.contains(atom);
    let mut rest = Graph::new();
    let mut image = vec![Some(NodeId::INIT)];
    for node in graph.nodes() {
        let step = graph.step(node);
        let taken = step.guard().is_none_or(holds);
        image.push(taken.then(|| {
            let writes = step.writes().filter(|&cell| step.write_guards(cell).all(holds));
            let copy = Step::indivisible(step.thread(), step.reads().iter().copied(), writes);
            rest.add(match step.barrier() {
                Barrier::None if step.reads().is_empty() => copy.buffered(),
                Barrier::None => copy,
                Barrier::Full => copy.with_full_barrier(),
                Barrier::StoreStore => Step::fence(step.thread(), Barrier::StoreStore),
            })
        }));
    }
    for link in links {
        let [read, write] =
            [link.read, link.write].map(|node| image[node.index()].expect("implied by the link"));
        rest.read_from(read, write, link.cell, link.selector);
    }
    for required in graph.required().iter().filter(|required| required.reason.is_subset(reason)) {
        if let [Some(before), Some(after)] = [required.before, required.after].map(|node| image[node.index()])
        {
            rest.require(before, after, Reason::always());
        }
    }
    rest
}

fn random_step(random: &mut Random, thread: ThreadId, cells: usize, atom: &mut impl FnMut() -> Atom) -> Step {
    let cell = CellId::new(random.below(cells));
    let other = CellId::new((cell.index() + 1) % cells);
    let step = match random.below(40) {
        0..15 => Step::read(thread, cell),
        15..24 => Step::write(thread, cell),
        24..29 if cells > 1 => Step::indivisible(thread, [], [cell, other]).buffered(),
        24..29 => Step::write(thread, cell),
        29..33 => Step::update(thread, cell),
        33 if cells > 1 => Step::indivisible(thread, [cell, other], [other]),
        34 if cells > 1 => Step::indivisible(thread, [cell, other], []),
        35 if cells > 1 => Step::indivisible(thread, [cell], [other]).write_under(cell, atom()),
        36 => Step::fence(thread, Barrier::StoreStore),
        37 => Step::write(thread, cell).with_full_barrier(),
        _ => Step::fence(thread, Barrier::Full),
    };
    if random.below(3) == 0 { step.under(atom()) } else { step }
}

/// A graph whose links come from a random run of the weakest machine, but for a few changed at random.
pub fn random_graph(random: &mut Random, threads: usize, steps: usize, cells: usize) -> Graph {
    let mut codes = 0;
    let mut atom = || {
        codes += 1;
        Atom::new(codes)
    };
    let mut graph = Graph::new();
    for _ in 0..steps {
        let thread = ThreadId::new(random.below(threads));
        graph.add(random_step(random, thread, cells, &mut atom));
    }
    let mut links = random_links(random, &graph, MemoryModel::Pso);
    for _ in 0..random.below(3) {
        if !links.is_empty() {
            let at = random.below(links.len());
            let (read, _, cell) = links[at];
            let writes: Vec<NodeId> = graph.writers(cell).iter().copied().chain([NodeId::INIT]).collect();
            links[at].1 = Some(random.pick(&writes)).filter(|&write| write != read).unwrap_or(NodeId::INIT);
        }
    }
    for (read, write, cell) in links {
        graph.read_from(read, write, cell, Some(atom()));
    }
    let full: Vec<NodeId> =
        graph.nodes().filter(|&node| graph.step(node).barrier() == Barrier::Full).collect();
    if full.len() > 1 && random.below(3) == 0 {
        let (a, b) = (random.pick(&full), random.pick(&full));
        if graph.step(a).thread() != graph.step(b).thread() {
            graph.require(a, b, [atom()].into_iter().filter(|_| random.below(2) == 0).collect());
        }
    }
    graph
}

/// Who reads from whom in a random run.
pub fn random_links(random: &mut Random, graph: &Graph, model: MemoryModel) -> Vec<(NodeId, NodeId, CellId)> {
    let mut machine = Machine::new(graph, model);
    let moves = machine.moves();
    let mut links = Vec::new();
    while !machine.is_done() {
        let it = random.pick(&moves);
        let seen: Vec<(NodeId, NodeId, CellId)> = match it {
            Move::Take(node) => {
                let step = graph.step(node);
                step.reads().iter().map(|&cell| (node, machine.sees(step, cell), cell)).collect()
            }
            Move::Flush(_) => Vec::new(),
        };
        if machine.make(it) {
            links.extend(seen);
        }
    }
    links
}
