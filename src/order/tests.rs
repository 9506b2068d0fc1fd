//! The room as a whole against the oracle, on known shapes and on random graphs.

use super::oracle::{Machine, feasible, random_graph, random_links, restrict};
use super::*;
use crate::budget::Budget;
use crate::program::{Barrier, MemoryModel, ThreadId};
use crate::random::Random;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// What was seen in many graphs.
#[derive(Debug, Default)]
struct Tally {
    feasible: u32,
    conflicts: u32,
    /// Infeasible without a conflict.
    butterflies: u32,
    kernels: usize,
    atoms: usize,
    /// Literals of kernels that could be left out.
    superfluous: usize,
}

impl Tally {
    /// Checks one graph under one model.
    #[track_caller]
    fn check(&mut self, graph: &Graph, memory: MemoryModel, note: &str) {
        let possible = feasible(graph, memory);
        let mut orders = Orders::new(graph, memory.into(), Density::Minimal);
        let consistent = orders.saturate(usize::MAX);
        assert!(consistent || !possible, "{note} {memory:?}: a conflict in a feasible graph\n{graph:?}");
        let kernels = orders.kernels(400);
        assert_eq!(consistent, kernels.is_empty());
        for kernel in &kernels {
            self.check_reason(graph, memory, &kernel.reason, note);
        }
        self.feasible += u32::from(possible);
        self.conflicts += u32::from(!consistent);
        self.butterflies += u32::from(consistent && !possible);
        for density in [Density::Minimal, Density::Intuitive] {
            let mut orders = Orders::new(graph, memory.into(), density);
            match orders.validate(&Budget::unlimited()).expect("no limit") {
                Validity::Total(order) => {
                    assert!(possible, "{note} {memory:?}: {graph:?}");
                    check_order(graph, memory, &order, note);
                }
                Validity::Impossible(reason) => {
                    assert!(!possible, "{note} {memory:?}: {graph:?}");
                    self.check_reason(graph, memory, &reason, note);
                }
            }
        }
    }

    /// A reason alone must be infeasible already.
    #[track_caller]
    fn check_reason(&mut self, graph: &Graph, memory: MemoryModel, reason: &Reason, note: &str) {
        let alone = restrict(graph, reason);
        assert!(!feasible(&alone, memory), "{note} {memory:?}: {reason} is no reason\n{graph:?}");
        self.kernels += 1;
        self.atoms += reason.len();
        for &atom in reason.atoms() {
            let mut less = reason.clone();
            less.retain(|&other| other != atom);
            self.superfluous += usize::from(!feasible(&restrict(graph, &less), memory));
        }
    }
}

/// The machine can do what a total order stands for.
#[track_caller]
fn check_order(graph: &Graph, memory: MemoryModel, order: &[NodeId], note: &str) {
    let mut machine = Machine::new(graph, memory);
    for it in run(graph, memory.into(), order) {
        assert!(machine.make(it), "{note} {memory:?}: {it:?} is impossible\n{graph:?}");
    }
    assert!(machine.is_done(), "{note} {memory:?}: {graph:?}");
}

#[test]
fn random_graphs_agree_with_store_buffers() {
    let seed = 0x0edf;
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for i in 0..2000 {
        let (threads, steps, cells) = (2 + random.below(3), 3 + random.below(7), 1 + random.below(3));
        let graph = random_graph(&mut random, threads, steps, cells);
        for model in MODELS {
            tally.check(&graph, model, &format!("seed {seed:#x}, graph {i}"));
        }
    }
    // Both answers are common, and reasons are short: 1.5 literals on average, 0.5 % of them superfluous.
    assert!(tally.feasible > 1000 && tally.conflicts > 1000, "{tally:?}");
    assert!(tally.superfluous * 100 < tally.atoms, "{tally:?}");
    assert!(tally.atoms < 2 * tally.kernels, "{tally:?}");
}

/// A graph from text: threads separated by `|`, steps by spaces. `Wx1` writes, `Rx1` reads what wrote 1 (0 is
/// initial), `Ux12` reads 1 and writes 2, `F` is a full fence, `S` a store fence. Selectors are numbered from
/// 1 in order of the reads.
fn shape(text: &str) -> Graph {
    let mut graph = Graph::new();
    let (mut writes, mut reads) = (Vec::new(), Vec::new());
    for (i, words) in text.split('|').enumerate() {
        let thread = ThreadId::new(i);
        for word in words.split_whitespace() {
            let [kind, rest @ ..] = word.as_bytes() else { unreachable!("words are not empty") };
            let cell = CellId::new(rest.first().map_or(0, |&name| usize::from(name - b'a')));
            let node = graph.add(match kind {
                b'R' => Step::read(thread, cell),
                b'W' => Step::write(thread, cell),
                b'U' => Step::update(thread, cell),
                b'F' => Step::fence(thread, Barrier::Full),
                _ => Step::fence(thread, Barrier::StoreStore),
            });
            match (kind, rest) {
                (b'R', [_, value]) => reads.push((node, cell, *value)),
                (b'W', [_, value]) => writes.push((node, cell, *value)),
                (b'U', [_, old, new]) => {
                    reads.push((node, cell, *old));
                    writes.push((node, cell, *new));
                }
                _ => {}
            }
        }
    }
    for (i, (read, cell, value)) in reads.into_iter().enumerate() {
        let write = writes.iter().find(|&&(_, other, written)| (other, written) == (cell, value));
        let write = if value == b'0' { NodeId::INIT } else { write.expect("a written value").0 };
        graph.read_from(read, write, cell, Some(Atom::new(i as u32 + 1)));
    }
    graph
}

/// Checks a shape against the oracle, and both against what is known of it under SC, TSO and PSO.
#[track_caller]
fn check(text: &str, expected: [bool; 3]) {
    let graph = shape(text);
    let answers = MODELS.map(|model| {
        Tally::default().check(&graph, model, text);
        feasible(&graph, model)
    });
    assert_eq!(answers, expected, "{text}");
}

const NEVER: [bool; 3] = [false, false, false];
const PSO_ONLY: [bool; 3] = [false, false, true];
const WEAK: [bool; 3] = [false, true, true];
const ALWAYS: [bool; 3] = [true, true, true];

#[test]
fn store_buffering() {
    check("Wx1 Ry0 | Wy1 Rx0", WEAK);
    check("Wx1 F Ry0 | Wy1 F Rx0", NEVER);
    check("Wx1 F Ry0 | Wy1 Rx0", WEAK);
    check("Wx1 S Ry0 | Wy1 S Rx0", WEAK);
    check("Ux01 Ry0 | Uy01 Rx0", NEVER);
    check("Wx1 Uz01 Ry0 | Wy1 Uz12 Rx0", NEVER);
    check("Wx1 Ry1 | Wy1 Rx0", ALWAYS);
}

/// Reading one's own store does not wait for it: what the paper's order would forbid.
#[test]
fn store_forwarding() {
    check("Wx1 Rx1 Ry0 | Wy1 Ry1 Rx0", WEAK);
    check("Wx1 Rx1 Ry0 | Wy1 | Ry1 Rx0", WEAK);
    check("Wx1 Rx1 Ry0 | Wy2 Wx2 | Rx2 Rx1", WEAK);
    check("Wx1 Rx1 Ry0 | Wy1 Ry1 Rx0 | Rx1 Ry0 | Ry1 Rx0", NEVER);
    check("Wx1 Rx0", NEVER);
    check("Wx1 Wx2 Rx1", NEVER);
    check("Wx1 Rx2 | Wx2", ALWAYS);
    check("Wx1 Rx2 Rx1 | Wx2", NEVER);
}

#[test]
fn message_passing() {
    check("Wx1 Wy1 | Ry1 Rx0", PSO_ONLY);
    check("Wx1 S Wy1 | Ry1 Rx0", NEVER);
    check("Wx1 Uy01 | Ry1 Rx0", NEVER);
    check("Wx1 Wy1 | Uy12 Rx0", PSO_ONLY);
}

#[test]
fn independent_reads_and_load_buffering() {
    check("Wx1 | Wy1 | Rx1 Ry0 | Ry1 Rx0", NEVER);
    check("Rx1 Wy1 | Ry1 Wx1", NEVER);
    check("Wx1 | Rx1 Wy1 | Ry1 Rx0", NEVER);
    check("Wx1 Wy1 | Ry1 Wz1 | Rz1 Rx0", PSO_ONLY);
}

#[test]
fn writes_of_one_cell_keep_their_order() {
    check("Wx1 Wx2 | Rx2 Rx1", NEVER);
    check("Wx1 | Wx2 | Rx1 Rx2 | Rx2 Rx1", NEVER);
    check("Wx1 Wy2 Ry1 | Wy1 Wx2 Rx1", PSO_ONLY);
    check("Wx1 Wy2 | Wy1 Wx2 | Rx2 Rx1 Ry2 Ry1", PSO_ONLY);
    check("Ux01 Uy12 | Uy01 Ux12", ALWAYS);
    check("Ux21 Uy02 | Uy21 Ux02", NEVER);
}

#[test]
fn updates_are_indivisible() {
    check("Ux01 | Ux02", NEVER);
    check("Ux01 | Ux12", ALWAYS);
    check("Ux02 | Wx1 | Rx1 Rx2", NEVER);
    check("Ux02 | Wx1 | Rx2 Rx1", ALWAYS);
}

/// Infeasible although nothing contradicts: in the shape of the SC paper's Fig. 6, five variables around the
/// centre `w`. Either all of the first write of `w` and its read comes before the second write and its read,
/// or the other way round; the wings (`m`, `x` and `n`, `y`) refute one case each. The rules derive nothing
/// at all.
#[test]
fn butterfly() {
    let text = "Wm1 Wx2 Ww1 Rn1 | Wx1 Wm2 Rw1 Ry1 | Wn1 Wy2 Ww2 Rm1 | Wy1 Wn2 Rw2 Rx1";
    check(text, WEAK);
    let graph = shape(text);
    let mut orders = Orders::new(&graph, Model::SC, Density::Minimal);
    assert!(orders.saturate(usize::MAX));
    assert_eq!(orders.work().derived, 0);
    let Ok(Validity::Impossible(reason)) = orders.validate(&Budget::unlimited()) else {
        panic!("infeasible")
    };
    assert_eq!(reason.len(), 6, "every link is needed");
    assert!(orders.work().splits >= 1);
}

/// Three threads are enough for the same effect (`engines.md`, section 2).
#[test]
fn three_threads_without_conflict() {
    let graph = shape("Wx1 Wy1 Rv2 Rx1 | Wv1 Wx2 Ry1 Rv1 | Wy2 Wv2 Rx2 Ry2");
    let mut orders = Orders::new(&graph, Model::SC, Density::Minimal);
    assert!(orders.saturate(usize::MAX), "no cycle is derived");
    let mut tally = Tally::default();
    MODELS.iter().for_each(|&model| tally.check(&graph, model, "three threads"));
    assert_eq!(tally.butterflies, 1, "{tally:?}");
}

/// Variants of the two shapes above: some steps guarded, moved or added, some links changed. Random graphs
/// are hardly ever infeasible without a conflict; these often are, and need refuted splits.
#[test]
fn variants_of_butterflies_agree_with_store_buffers() {
    let seed = 0xf1e5;
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for i in 0..240 {
        let three = "Wx1 Wy1 Rv2 Rx1 | Wv1 Wx2 Ry1 Rv1 | Wy2 Wv2 Rx2 Ry2";
        let wings = "Wm1 Wx2 Ww1 Rn1 | Wx1 Wm2 Rw1 Ry1 | Wn1 Wy2 Ww2 Rm1 | Wy1 Wn2 Rw2 Rx1";
        let (text, models) = if i % 8 == 0 { (wings, &MODELS[..1]) } else { (three, &MODELS[..2]) };
        let graph = variant(&mut random, text);
        for &model in models {
            tally.check(&graph, model, &format!("seed {seed:#x}, variant {i}"));
        }
    }
    assert!(tally.butterflies > 50 && tally.feasible > 50 && tally.conflicts > 20, "{tally:?}");
}

/// A shape with up to two neighbouring steps exchanged, perhaps one more step, and some guards.
fn variant(random: &mut Random, text: &str) -> Graph {
    let mut threads: Vec<Vec<&str>> =
        text.split('|').map(|words| words.split_whitespace().collect()).collect();
    for _ in 0..random.below(3) {
        let thread = random.below(threads.len());
        let at = random.below(threads[thread].len() - 1);
        threads[thread].swap(at, at + 1);
    }
    if random.below(2) == 0 {
        let thread = random.below(threads.len());
        let at = random.below(threads[thread].len() + 1);
        threads[thread].insert(at, random.pick(&["Wx9", "Wy9", "F", "S", "Rx1", "Ry2", "Ux19"]));
    }
    let words: Vec<String> = threads.iter().map(|words| words.join(" ")).collect();
    let plain = shape(&words.join(" | "));
    let mut graph = Graph::new();
    for node in plain.nodes() {
        let step = plain.step(node).clone();
        let guard = Atom::new(1000 + node.index() as u32);
        graph.add(if random.below(4) == 0 { step.under(guard) } else { step });
    }
    for link in plain.links() {
        graph.read_from(link.read, link.write, link.cell, link.selector);
    }
    graph
}

/// The counterexample of the SC paper's Fig. 3, and its two kernel reasons.
#[test]
fn running_example() {
    let mut graph = Graph::new();
    let [x, y] = [0, 1].map(CellId::new);
    let [one, two] = [0, 1].map(ThreadId::new);
    let [y2, x2, y3] =
        [Step::read(one, y), Step::write(one, x), Step::read(one, y)].map(|step| graph.add(step));
    graph.add(Step::write(one, x));
    let [x4, y4, x5] =
        [Step::read(two, x), Step::write(two, y), Step::read(two, x)].map(|step| graph.add(step));
    graph.add(Step::write(two, y));
    let links = [(y2, NodeId::INIT, y), (y3, NodeId::INIT, y), (x5, NodeId::INIT, x), (x4, x2, x)];
    for (i, (read, write, cell)) in links.into_iter().enumerate() {
        graph.read_from(read, write, cell, Some(Atom::new(i as u32)));
    }
    let mut orders = Orders::new(&graph, Model::SC, Density::Minimal);
    assert!(!orders.saturate(400));
    let reasons: Vec<String> = orders.kernels(400).iter().map(|kernel| kernel.reason.to_string()).collect();
    assert_eq!(reasons, ["{1, 2}", "{2, 3}"]);
    assert!(orders.ordered(y3, y4) != orders.ordered(y4, y3));
}

/// Program order needs the guards of its ends only, and not even those if a selector implies them.
#[test]
fn guards_in_reasons() {
    let mut graph = Graph::new();
    let [x, y, z] = [0, 1, 2].map(CellId::new);
    let [left, right] = [0, 1].map(ThreadId::new);
    let guard = |code: u32| Atom::new(100 + code);
    graph.add(Step::write(left, x).under(guard(1)));
    graph.add(Step::write(left, z).under(guard(2)));
    let read_y = graph.add(Step::read(left, y).under(guard(3)));
    graph.add(Step::write(right, y).under(guard(4)));
    let read_x = graph.add(Step::read(right, x).under(guard(5)));
    graph.read_from(read_y, NodeId::INIT, y, Some(Atom::new(1)));
    graph.read_from(read_x, NodeId::INIT, x, Some(Atom::new(2)));
    let mut orders = Orders::new(&graph, Model::SC, Density::Minimal);
    assert!(!orders.saturate(400));
    let reasons: Vec<String> = orders.kernels(400).iter().map(|kernel| kernel.reason.to_string()).collect();
    assert_eq!(reasons, ["{1, 2, 101, 104}"]);
}

#[test]
fn text_and_dot() {
    let graph = shape("Wx1 Ry0 | Wy1 Rx0");
    let mut orders = Orders::new(&graph, Model::SC, Density::Minimal);
    orders.saturate(400);
    let kernels = orders.kernels(400);
    let names = |node| plain_name(&graph, node);
    let text = Text { orders: &orders, names: &names, kernels: &kernels }.to_string();
    let expected = "\
thread 0
  n1 W23
  n2 R24, reads init if 1
thread 1
  n3 W24
  n4 R23, reads init if 2
orders
  init < n1: program
  n1 < n2: program
  init < n3: program
  n3 < n4: program
  init < n2: read-from
  init < n4: read-from
  n2 < n3: rule 3, n2 reads init
conflicts
  n4 < n1: rule 3, n4 reads init
  n1 < init: rule 2, n4 reads init
cycle n1 < n2 < n3 < n4 < n1: {1, 2}
";
    assert_eq!(text, expected);
    let dot = Dot { orders: &orders, names: &names, kernel: kernels.first() }.to_string();
    assert!(dot.contains("n4 -> n1 [style=dotted, color=red, tooltip=\"rule 3, n4 reads init\"];"), "{dot}");
    assert_eq!(dot.matches("color=red").count(), 4, "{dot}");
}

/// A thousand nodes; `wrong` links of a run changed. No oracle reaches this far, but a total order can be run
/// and a reason alone can be validated.
#[test]
fn large_graphs() {
    let mut random = Random::new(5);
    for wrong in [0, 20, 200] {
        let graph = large_graph(&mut random, wrong);
        for memory in MODELS {
            let model = Model::from(memory);
            let mut orders = Orders::new(&graph, model, Density::Minimal);
            if orders.saturate(2000) {
                match orders.validate(&Budget::unlimited()).expect("no limit") {
                    Validity::Total(order) => check_order(&graph, memory, &order, "large"),
                    Validity::Impossible(_) => panic!("links of a run"),
                }
                continue;
            }
            let kernels = orders.kernels(400);
            assert!(!kernels.is_empty() && kernels.len() <= 400 && wrong > 0);
            for kernel in kernels.iter().step_by(20) {
                let alone = restrict(&graph, &kernel.reason);
                let mut orders = Orders::new(&alone, model, Density::Minimal);
                assert!(matches!(orders.validate(&Budget::unlimited()), Ok(Validity::Impossible(_))));
            }
        }
    }
}

fn large_graph(random: &mut Random, wrong: usize) -> Graph {
    let mut graph = Graph::new();
    for _ in 0..1000 {
        let (thread, cell) = (ThreadId::new(random.below(8)), CellId::new(random.below(50)));
        graph.add(match random.below(20) {
            0..10 => Step::read(thread, cell),
            10..19 => Step::write(thread, cell),
            _ => Step::update(thread, cell),
        });
    }
    let mut links = random_links(random, &graph, MemoryModel::Sc);
    for _ in 0..wrong {
        let at = random.below(links.len());
        let (read, _, cell) = links[at];
        let others: Vec<NodeId> =
            graph.writers(cell).iter().copied().filter(|&write| write != read).collect();
        links[at].1 = random.pick(&others);
    }
    for (i, (read, write, cell)) in links.into_iter().enumerate() {
        graph.read_from(read, write, cell, Some(Atom::new(i as u32)));
    }
    graph
}
