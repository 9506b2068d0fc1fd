//! The program order `≺⁰` of a graph: Algorithm 2 of the weak-memory paper, which adds only edges that the
//! others do not imply, and the intuitive variant that adds every pair (for comparison).

use super::bits::Bits;
use super::eog::{Graph, NodeId};
use super::model::Model;

/// How many edges of program order to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Density {
    /// Those that no path of others implies.
    #[default]
    Minimal,
    /// All pairs that the model preserves.
    Intuitive,
}

/// The edges within threads, and those from the initial state to whatever has no predecessor.
pub fn program_order(graph: &Graph, model: Model, density: Density) -> Vec<(NodeId, NodeId)> {
    let mut edges = Vec::new();
    for thread in graph.threads() {
        // What precedes each node of the thread, by position.
        let mut before: Vec<Bits> = Vec::with_capacity(thread.len());
        for (j, &later) in thread.iter().enumerate() {
            let mut covered = Bits::new(thread.len());
            let mut count = 0;
            for (k, &earlier) in thread[..j].iter().enumerate().rev() {
                let redundant = covered.contains(k);
                if redundant && density == Density::Minimal || !model.preserves(graph, earlier, later) {
                    continue;
                }
                edges.push((earlier, later));
                covered.insert(k);
                covered.union(&before[k]);
                count += 1;
            }
            if count == 0 {
                edges.push((NodeId::INIT, later));
            }
            before.push(covered);
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::{CellId, Step};
    use crate::program::{Barrier, ThreadId};

    /// Steps by letters (`R`/`W`/`U` and a cell, `F` a fence, `S` a store fence) and the expected minimal
    /// edges, nodes numbered from 1.
    #[track_caller]
    fn check(steps: &str, model: Model, expected: &[(usize, usize)]) {
        let thread = ThreadId::new(0);
        let mut graph = Graph::new();
        for word in steps.split(' ') {
            let cell = CellId::new(word.as_bytes().get(1).map_or(0, |&c| usize::from(c - b'a')));
            graph.add(match &word[..1] {
                "R" => Step::read(thread, cell),
                "W" => Step::write(thread, cell),
                "U" => Step::update(thread, cell),
                "F" => Step::fence(thread, Barrier::Full),
                _ => Step::fence(thread, Barrier::StoreStore),
            });
        }
        let edges: Vec<(usize, usize)> = program_order(&graph, model, Density::Minimal)
            .into_iter()
            .map(|(a, b)| (a.index(), b.index()))
            .collect();
        assert_eq!(edges, expected, "{steps}");
    }

    #[test]
    fn sequential_consistency_is_a_line() {
        check("Ry Wx Ry Wm Wx", Model::SC, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]);
    }

    /// Thread thr1 of Fig. 5 (its `y2 x2 y3 m3 x3`).
    #[test]
    fn the_running_example_under_tso_and_pso() {
        check("Ry Wx Ry Wm Wx", Model::TSO, &[(0, 1), (1, 2), (1, 3), (3, 4), (2, 4), (4, 5)]);
        check("Ry Wx Ry Wm Wx", Model::PSO, &[(0, 1), (1, 2), (1, 3), (3, 4), (3, 5), (2, 5)]);
    }

    #[test]
    fn writes_do_not_wait_for_reads_even_of_their_cell() {
        check("Wx Rx", Model::TSO, &[(0, 1), (0, 2)]);
        check("Wx Ux Rx", Model::TSO, &[(0, 1), (1, 2), (2, 3)]);
        check("Wx F Rx", Model::PSO, &[(0, 1), (1, 2), (2, 3)]);
    }

    #[test]
    fn store_fences_order_writes_only() {
        check("Wx S Wy Rx", Model::PSO, &[(0, 1), (1, 2), (2, 3), (0, 4)]);
        check("Wx Wy", Model::PSO, &[(0, 1), (0, 2)]);
        check("Wx Wx", Model::PSO, &[(0, 1), (1, 2)]);
    }

    #[test]
    fn the_intuitive_order_has_all_pairs() {
        let thread = ThreadId::new(0);
        let mut graph = Graph::new();
        for cell in 0..4 {
            graph.add(Step::write(thread, CellId::new(cell)));
        }
        assert_eq!(program_order(&graph, Model::TSO, Density::Intuitive).len(), 1 + 6);
        assert_eq!(program_order(&graph, Model::TSO, Density::Minimal).len(), 1 + 3);
        assert_eq!(program_order(&graph, Model::PSO, Density::Intuitive).len(), 4);
    }
}
