//! Certificates made by hand, damaged ones, and lemmas against the exact search of `order/`.

use super::*;
use crate::order::{Atom, CellId, Density, Graph, Model, NodeId, Orders, Step, Validity};
use crate::random::Random;
use crate::sat::{Refuted, refute};

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// A literal of our own; 0 is the constant.
fn lit(number: u32) -> Lit {
    Lit::from_code(2 * number)
}

fn happening(thread: usize, reads: Vec<Reading>, writes: Vec<Writing>) -> Happening {
    Happening { thread: ThreadId::new(thread), guard: Lit::TRUE, barrier: Barrier::None, reads, writes }
}

fn write(thread: usize, cell: usize) -> Happening {
    happening(thread, Vec::new(), vec![Writing { cell, happens: Lit::TRUE }])
}

fn read(thread: usize, cell: usize, sources: &[(Lit, Option<usize>)]) -> Happening {
    happening(thread, vec![Reading { cell, sources: sources.to_vec() }], Vec::new())
}

fn certificate(
    model: MemoryModel,
    happenings: Vec<Happening>,
    formula: Vec<Vec<Lit>>,
    lemmas: Vec<Vec<Lit>>,
) -> BoundedProof {
    let all: Vec<Vec<Lit>> = formula.iter().chain(&lemmas).cloned().collect();
    let refutation = match refute(&all, &Budget::unlimited()) {
        Ok(Refuted::Yes(refutation)) => refutation,
        _ => Vec::new(),
    };
    BoundedProof { model, happenings, formula, lemmas, refutation }
}

/// Store buffering: both threads write and then read the other's cell, and both find the initial value.
fn store_buffering(model: MemoryModel) -> BoundedProof {
    let happenings = vec![
        write(0, 0),
        read(0, 1, &[(lit(1), None), (lit(2), Some(2))]),
        write(1, 1),
        read(1, 0, &[(lit(3), None), (lit(4), Some(0))]),
    ];
    let formula = vec![vec![lit(1), lit(2)], vec![lit(3), lit(4)], vec![!lit(2)], vec![!lit(4)]];
    certificate(model, happenings, formula, vec![vec![!lit(1), !lit(3)]])
}

fn examine(proof: &BoundedProof) -> Result<Examined, Objection> {
    check(proof, &Budget::unlimited())
}

#[test]
fn store_buffering_is_impossible_under_sc_alone() {
    let [sc, tso, pso] = MODELS.map(|model| examine(&store_buffering(model)));
    assert_eq!(sc.map(|examined| examined.lemmas), Ok(1));
    assert_eq!((tso, pso), (Err(Objection::Lemma(0)), Err(Objection::Lemma(0))));
}

#[test]
fn damaged_certificates_are_rejected() {
    let whole = store_buffering(MemoryModel::Sc);
    for literal in 0..2 {
        let mut stronger = whole.clone();
        stronger.lemmas[0].remove(literal);
        assert_eq!(examine(&stronger), Err(Objection::Lemma(0)));
    }
    let mut shorter = whole.clone();
    shorter.refutation.retain(|derived| !derived.clause.is_empty());
    assert_eq!(examine(&shorter), Err(Objection::Refutation(Gap::NotEmpty)));
    let mut other = whole.clone();
    other.formula[2] = vec![lit(9)];
    assert!(matches!(examine(&other), Err(Objection::Refutation(_))));
    let mut fewer = whole;
    fewer.happenings[0].thread = ThreadId::new(2);
    assert_eq!(examine(&fewer), Err(Objection::Lemma(0)), "without program order the lemma does not hold");
}

#[test]
fn a_store_buffer_answers_its_own_thread() {
    // Both threads read their own store back before they read the other's cell: possible where there are
    // store buffers.
    let happenings = vec![
        write(0, 0),
        read(0, 0, &[(lit(1), Some(0))]),
        read(0, 1, &[(lit(2), None)]),
        write(1, 1),
        read(1, 1, &[(lit(3), Some(3))]),
        read(1, 0, &[(lit(4), None)]),
    ];
    let lemma = vec![(1..=4).map(|i| !lit(i)).collect()];
    let formula: Vec<Vec<Lit>> = (1..=4).map(|i| vec![lit(i)]).collect();
    let verdicts =
        MODELS.map(|model| examine(&certificate(model, happenings.clone(), formula.clone(), lemma.clone())));
    assert!(verdicts[0].is_ok() && verdicts[1..] == [Err(Objection::Lemma(0)); 2], "{verdicts:?}");
}

/// No cycle is derived, and yet there is no order: both cases have to be tried.
#[test]
fn cases_are_tried_where_nothing_follows() {
    // x=1; y=1; a=v; b=x || v=1; x=2; c=y; d=v || y=2; v=2; e=x; f=y with a=2 b=1 c=1 d=1 e=2 f=2.
    let [x, y, v] = [0, 1, 2];
    let happenings = vec![
        write(0, x),
        write(0, y),
        read(0, v, &[(lit(1), Some(9))]),
        read(0, x, &[(lit(2), Some(0))]),
        write(1, v),
        write(1, x),
        read(1, y, &[(lit(3), Some(1))]),
        read(1, v, &[(lit(4), Some(4))]),
        write(2, y),
        write(2, v),
        read(2, x, &[(lit(5), Some(5))]),
        read(2, y, &[(lit(6), Some(8))]),
    ];
    let formula: Vec<Vec<Lit>> = (1..=6).map(|i| vec![lit(i)]).collect();
    let lemma = |range: std::ops::RangeInclusive<u32>| vec![range.map(|i| !lit(i)).collect()];
    let whole = certificate(MemoryModel::Sc, happenings.clone(), formula.clone(), lemma(1..=6));
    assert_eq!(examine(&whole).map(|examined| examined.lemmas), Ok(1));
    let less = certificate(MemoryModel::Sc, happenings, formula, lemma(1..=5));
    assert_eq!(examine(&less), Err(Objection::Lemma(0)));
}

/// A random step for the graph, and the same as a happening.
fn random_step(random: &mut Random, thread: usize) -> (Step, Happening) {
    let owner = ThreadId::new(thread);
    let cell = random.below(2);
    let writing = vec![Writing { cell, happens: Lit::TRUE }];
    let reading = vec![Reading { cell, sources: Vec::new() }];
    match random.below(12) {
        0..5 => (Step::read(owner, CellId::new(cell)), happening(thread, reading, Vec::new())),
        5..9 => (Step::write(owner, CellId::new(cell)), happening(thread, Vec::new(), writing)),
        9 => (Step::update(owner, CellId::new(cell)), happening(thread, reading, writing)),
        10 => {
            let fence = Happening { barrier: Barrier::Full, ..happening(thread, Vec::new(), Vec::new()) };
            (Step::fence(owner, Barrier::Full), fence)
        }
        _ => {
            let fence =
                Happening { barrier: Barrier::StoreStore, ..happening(thread, Vec::new(), Vec::new()) };
            (Step::fence(owner, Barrier::StoreStore), fence)
        }
    }
}

/// A random graph in which every read reads from some write, and the same as happenings, with a literal for
/// each read.
fn random_reads(random: &mut Random) -> (Graph, Vec<Happening>, u32) {
    let (mut graph, mut happenings) = (Graph::new(), Vec::new());
    for _ in 0..4 + random.below(7) {
        let thread = random.below(3);
        let (step, happening) = random_step(random, thread);
        graph.add(step);
        happenings.push(happening);
    }
    let mut literals = 0;
    for at in 0..happenings.len() {
        let Some(cell) = happenings[at].reads.first().map(|read| read.cell) else { continue };
        let writes = |&other: &usize| {
            other != at && happenings[other].writes.first().is_some_and(|write| write.cell == cell)
        };
        let mut sources: Vec<Option<usize>> = (0..happenings.len()).filter(writes).map(Some).collect();
        sources.push(None);
        let source = random.pick(&sources);
        literals += 1;
        let node = |at: usize| NodeId::new(at + 1);
        let atom = Atom::new(lit(literals).code());
        graph.read_from(node(at), source.map_or(NodeId::INIT, node), CellId::new(cell), Some(atom));
        happenings[at].reads[0].sources.push((lit(literals), source));
    }
    (graph, happenings, literals)
}

#[test]
fn lemmas_hold_where_the_exact_search_finds_no_order() {
    let mut random = Random::new(17);
    let mut counts = [[0; 2]; 3];
    for _ in 0..1_500 {
        let (graph, happenings, literals) = random_reads(&mut random);
        let lemma: Vec<Lit> = (1..=literals).map(|i| !lit(i)).collect();
        for (i, model) in MODELS.into_iter().enumerate() {
            let mut orders = Orders::new(&graph, Model::from(model), Density::Minimal);
            let expected = match orders.validate(&Budget::unlimited()).expect("an unlimited budget") {
                Validity::Total(_) => Settled::Possible,
                Validity::Impossible(_) => Settled::Impossible,
            };
            let proof = certificate(model, happenings.clone(), Vec::new(), Vec::new());
            assert_eq!(Meaning::of(&proof).settle(&lemma), expected, "{model:?} {happenings:?}");
            counts[i][usize::from(expected == Settled::Possible)] += 1;
        }
    }
    assert!(counts.iter().flatten().all(|&count| count > 200), "{counts:?}");
}
