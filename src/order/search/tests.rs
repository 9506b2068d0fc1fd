//! Searches against the orders of whole graphs, and these against runs of store buffers in `order/tests.rs`.

use super::*;
use crate::budget::Budget;
use crate::order::oracle::{random_graph, restrict};
use crate::order::{Density, Orders, Step, Validity};
use crate::program::{MemoryModel, ThreadId};
use crate::random::Random;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

fn is_possible(graph: &Graph, memory: MemoryModel) -> bool {
    let mut orders = Orders::new(graph, Model::from(memory), Density::Minimal);
    matches!(orders.validate(&Budget::unlimited()), Ok(Validity::Total(_)))
}

/// A search with the literals that were assigned to it, level by level.
struct Assigned {
    search: PartialOrders,
    levels: Vec<Vec<Atom>>,
}

impl Assigned {
    fn atoms(&self) -> Reason {
        self.levels.iter().flatten().copied().collect()
    }

    /// Assigns a literal and what it implies.
    fn assign(&mut self, graph: &Graph, atom: Atom) {
        let links = graph.links().iter().filter(|link| link.selector == Some(atom));
        let implied: Vec<Atom> = links.flat_map(|link| graph.implied(link)).collect();
        for atom in implied.into_iter().chain([atom]) {
            self.search.assign(atom);
            self.levels.last_mut().expect("level 0 stays").push(atom);
        }
    }

    fn pop(&mut self) {
        self.search.pop();
        self.levels.pop();
    }
}

/// Literals with those that they imply: a write happens only if its step does.
fn with_steps(graph: &Graph, mut reason: Reason) -> Reason {
    for node in graph.nodes() {
        let step = graph.step(node);
        let mut guards = step.writes().flat_map(|cell| graph.write_guards(node, cell));
        if guards.any(|guard| reason.contains(guard)) {
            step.guard().into_iter().for_each(|guard| reason.insert(guard));
        }
    }
    reason
}

/// A random graph in which reads have several links to choose from.
fn graph_with_choices(random: &mut Random) -> Option<Graph> {
    let (threads, steps, cells) = (2 + random.below(3), 4 + random.below(10), 1 + random.below(3));
    let mut graph = random_graph(random, threads, steps, cells);
    let mut codes = 1000;
    for _ in 0..6 {
        let links = graph.links().len();
        if links == 0 || !graph.required().is_empty() {
            return None;
        }
        let link = graph.links()[random.below(links)];
        let writes: Vec<NodeId> = graph.writers(link.cell).iter().copied().chain([NodeId::INIT]).collect();
        let write = random.pick(&writes);
        if write != link.read {
            codes += 1;
            graph.read_from(link.read, write, link.cell, Some(Atom::new(codes)));
        }
    }
    Some(graph)
}

#[test]
fn searches_find_what_whole_graphs_show() {
    let mut random = Random::new(2026);
    let (mut cycles, mut excluded) = (0, 0);
    for round in 0..1500 {
        let Some(graph) = graph_with_choices(&mut random) else { continue };
        for memory in MODELS {
            let search = PartialOrders::new(&graph, Model::from(memory), &[], None);
            let mut assigned = Assigned { search, levels: vec![Vec::new()] };
            let atoms: Vec<Atom> = graph.links().iter().filter_map(|link| link.selector).collect();
            for step in 0..12 {
                let note = format!("round {round}, step {step}, {memory:?}");
                if random.below(4) == 0 && assigned.levels.len() > 1 {
                    assigned.pop();
                }
                assigned.search.push();
                assigned.levels.push(Vec::new());
                assigned.assign(&graph, random.pick(&atoms));
                let known = assigned.atoms();
                let rest = restrict(&graph, &known);
                let mut whole = Orders::new(&rest, Model::from(memory), Density::Minimal);
                match assigned.search.settle() {
                    Ok(()) => assert!(whole.saturate(1), "a cycle was missed: {note}"),
                    Err(reason) => {
                        cycles += 1;
                        assert!(!whole.saturate(1), "there is no cycle: {note}");
                        assert!(reason.is_subset(&known), "{note}");
                        let reason = with_steps(&graph, reason);
                        assert!(!is_possible(&restrict(&graph, &reason), memory), "{reason:?}: {note}");
                        assigned.pop();
                        continue;
                    }
                }
                for selector in assigned.search.excluded(|atom| !known.contains(atom)) {
                    excluded += 1;
                    let mut why = assigned.search.why_excluded(selector);
                    assert!(why.is_subset(&known), "{note}");
                    why.insert(selector);
                    let why = with_steps(&graph, why);
                    assert!(!is_possible(&restrict(&graph, &why), memory), "{why:?}: {note}");
                }
            }
        }
    }
    assert!(cycles > 1000 && excluded > 1000, "{cycles} cycles, {excluded} excluded links");
}

/// Threads with critical sections of one lock, cell 0; every step happens.
fn sections(random: &mut Random) -> (Graph, Vec<Exclusion>) {
    let lock = CellId::new(0);
    let (mut graph, mut exclusions) = (Graph::new(), Vec::new());
    for thread in 0..2 + random.below(2) {
        let thread = ThreadId::new(thread);
        for _ in 0..1 + random.below(2) {
            let acquire = graph.add(Step::update(thread, lock));
            for _ in 0..1 + random.below(2) {
                let cell = CellId::new(1 + random.below(2));
                graph.add(match random.below(2) {
                    0 => Step::read(thread, cell),
                    _ => Step::write(thread, cell),
                });
            }
            let release = Step::write(thread, lock);
            let release = graph.add(if random.below(2) == 0 { release } else { release.with_full_barrier() });
            exclusions.push(Exclusion { cell: lock, acquire, begun: None, ends: vec![(release, None)] });
        }
    }
    (graph, exclusions)
}

/// Who reads from whom if the sections happen one after the other, in a random order.
fn run_of_sections(random: &mut Random, graph: &Graph) -> Vec<(NodeId, NodeId, CellId)> {
    let mut rest: Vec<&[NodeId]> = graph.threads().iter().map(Vec::as_slice).collect();
    let mut last = [NodeId::INIT; 3];
    let mut links = Vec::new();
    while let Some(steps) = rest.iter().map(|steps| steps.len()).max().filter(|&most| most > 0) {
        let thread = random.below(rest.len());
        let ends = |&node: &NodeId| graph.step(node).writes().eq([CellId::new(0)]) && !acquires(graph, node);
        let Some(end) = rest[thread].iter().position(ends) else { continue };
        assert!(end < steps);
        for &node in &rest[thread][..=end] {
            links.extend(graph.step(node).reads().iter().map(|&cell| (node, last[cell.index()], cell)));
            graph.step(node).writes().for_each(|cell| last[cell.index()] = node);
        }
        rest[thread] = &rest[thread][end + 1..];
    }
    links
}

fn acquires(graph: &Graph, node: NodeId) -> bool {
    graph.step(node).reads().contains(&CellId::new(0))
}

#[test]
fn sections_that_do_not_overlap_rule_out_impossible_graphs_only() {
    let mut random = Random::new(7);
    let (mut possible, mut without_locks) = (0, 0);
    for round in 0..600 {
        let memory = random.pick(&MODELS);
        let (mut graph, exclusions) = sections(&mut random);
        let mut links = run_of_sections(&mut random, &graph);
        for _ in 0..random.below(3) {
            let at = random.below(links.len());
            let (read, _, cell) = links[at];
            let frees = |node: &NodeId| cell.index() != 0 || !acquires(&graph, *node);
            let writes = graph.writers(cell).iter().copied().filter(|node| frees(node) && *node != read);
            let writes: Vec<NodeId> = writes.chain([NodeId::INIT]).collect();
            links[at].1 = random.pick(&writes);
        }
        for (code, &(read, write, cell)) in links.iter().enumerate() {
            graph.read_from(read, write, cell, Some(Atom::new(code as u32 + 1)));
        }
        let expected = is_possible(&graph, memory);
        possible += u32::from(expected);
        // Without the locks' own links, sections alone must not rule out what is possible with them.
        for skip_locks in [false, true] {
            let mut search = PartialOrders::new(&graph, Model::from(memory), &exclusions, None);
            let links = graph.links().iter().filter(|link| !skip_locks || link.cell.index() != 0);
            links.filter_map(|link| link.selector).for_each(|selector| search.assign(selector));
            let found = search.settle();
            assert!(found.is_ok() || !expected, "round {round}, {memory:?}: {found:?}");
            without_locks += u32::from(skip_locks && found.is_err());
        }
    }
    assert!(possible > 200 && without_locks > 20, "{possible} possible, {without_locks} ruled out");
}
