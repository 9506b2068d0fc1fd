//! Whether what some literals say can happen one after the other: a plain decision, lemma by lemma.
//!
//! There is one strict order of the happenings that are known to take place. A buffered write stands where it
//! reaches memory, a read where it is made. The order has
//!
//! * what the memory model keeps of program order (`kept`);
//! * for a read from a write: the write before the read, unless it is the reader's own earlier one, which a
//!   store buffer may answer;
//! * for a read from a write and another write of the cell: not in between. If the other one comes before the
//!   read it comes before the write, and if it comes after the write it comes after the read. The reader's
//!   own earlier writes come before the write, since a store buffer would have answered with them.
//!
//! All this is repeated until nothing new follows. If there is no cycle and it is still open on which side of
//! a pair another write is, both are tried. When nothing is open any more, every extension of the order is a
//! run. A read-modify-write is one happening with one place in the order, so that nothing comes between its
//! read and its write.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{BoundedProof, Happening};
use crate::program::{Barrier, MemoryModel};
use crate::sat::Lit;

/// Most happenings that are put in order.
const HAPPENINGS: usize = 300;

/// Most cases that are tried for one lemma.
const CASES: u32 = 1_000;

/// What came of a lemma.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Settled {
    /// Its literals cannot all be false: it holds.
    Impossible,
    /// They can.
    Possible,
    /// Not found out.
    TooLarge,
}

/// A read from a write; happenings by position, the initial state is none.
#[derive(Clone, Copy)]
struct Link {
    write: Option<usize>,
    read: usize,
    cell: usize,
}

/// What literals say about happenings.
pub(super) struct Meaning<'p> {
    proof: &'p BoundedProof,
    links: FxHashMap<Lit, Vec<Link>>,
    /// The happenings that a literal is the guard of.
    guards: FxHashMap<Lit, Vec<usize>>,
    /// The writes that take place if a literal holds, by happening and cell.
    writes: FxHashMap<Lit, Vec<(usize, usize)>>,
    /// For each happening its place in its thread.
    places: Vec<usize>,
}

impl<'p> Meaning<'p> {
    pub(super) fn of(proof: &'p BoundedProof) -> Meaning<'p> {
        let mut meaning = Meaning {
            proof,
            links: FxHashMap::default(),
            guards: FxHashMap::default(),
            writes: FxHashMap::default(),
            places: Vec::new(),
        };
        let mut lengths: FxHashMap<usize, usize> = FxHashMap::default();
        for (at, happening) in proof.happenings.iter().enumerate() {
            let length = lengths.entry(happening.thread.index()).or_default();
            meaning.places.push(*length);
            *length += 1;
            meaning.guards.entry(happening.guard).or_default().push(at);
            for write in &happening.writes {
                meaning.writes.entry(write.happens).or_default().push((at, write.cell));
            }
            for read in &happening.reads {
                for &(selector, write) in &read.sources {
                    let link = Link { write, read: at, cell: read.cell };
                    meaning.links.entry(selector).or_default().push(link);
                }
            }
        }
        meaning
    }

    /// Whether the literals of a clause can all be false in a run.
    pub(super) fn settle(&self, clause: &[Lit]) -> Settled {
        let assumed: FxHashSet<Lit> = clause.iter().map(|&lit| !lit).chain([Lit::TRUE]).collect();
        if assumed.iter().any(|&lit| assumed.contains(&!lit)) {
            return Settled::Impossible;
        }
        let links: Vec<Link> =
            assumed.iter().filter_map(|lit| self.links.get(lit)).flatten().copied().collect();
        let cells: FxHashSet<usize> = links.iter().map(|link| link.cell).collect();
        // Known writes, by happening and cell, and known happenings; of those that are certain the ones that
        // can matter.
        let mut writes: FxHashSet<(usize, usize)> =
            links.iter().filter_map(|link| Some((link.write?, link.cell))).collect();
        let mut nodes: FxHashSet<usize> = links.iter().map(|link| link.read).collect();
        for lit in &assumed {
            let known = self.writes.get(lit).into_iter().flatten();
            writes.extend(known.filter(|(_, cell)| cells.contains(cell)));
            let happen = self.guards.get(lit).into_iter().flatten();
            let matters = |at: &&usize| *lit != Lit::TRUE || self.is_barrier(**at);
            nodes.extend(happen.filter(matters));
        }
        nodes.extend(writes.iter().map(|&(at, _)| at));
        let mut nodes: Vec<usize> = nodes.into_iter().collect();
        nodes.sort_unstable();
        if nodes.len() > HAPPENINGS {
            return Settled::TooLarge;
        }
        let situation = Situation::new(self, nodes, &links, &writes);
        let mut cases = CASES;
        situation.decide(self.program_order(&situation.nodes), &mut cases)
    }

    fn is_barrier(&self, at: usize) -> bool {
        let it = &self.proof.happenings[at];
        // Under PSO a wide store orders narrow ones around it.
        let wide = self.proof.model == MemoryModel::Pso && it.writes.len() > 1;
        self.proof.model != MemoryModel::Sc && (it.barrier != Barrier::None || wide)
    }

    fn earlier_in_thread(&self, a: usize, b: usize) -> bool {
        let threads = [a, b].map(|at| self.proof.happenings[at].thread);
        threads[0] == threads[1] && self.places[a] < self.places[b]
    }

    /// What program order and the initial state, which is last, give.
    fn program_order(&self, nodes: &[usize]) -> Matrix {
        let initial = nodes.len();
        let mut matrix = Matrix { before: vec![vec![false; initial + 1]; initial + 1] };
        for (i, &a) in nodes.iter().enumerate() {
            matrix.before[initial][i] = true;
            for (j, &b) in nodes.iter().enumerate() {
                let [first, second] = [a, b].map(|at| &self.proof.happenings[at]);
                matrix.before[i][j] = self.earlier_in_thread(a, b) && kept(self.proof.model, first, second);
            }
        }
        matrix
    }
}

/// Whether a memory model keeps the order of two happenings of one thread. This is written down here once
/// more, and not asked of those who make lemmas.
fn kept(model: MemoryModel, earlier: &Happening, later: &Happening) -> bool {
    let is_full =
        |it: &Happening| it.barrier == Barrier::Full || !it.reads.is_empty() && !it.writes.is_empty();
    if model == MemoryModel::Sc || is_full(earlier) || is_full(later) {
        return true;
    }
    if later.barrier == Barrier::StoreStore {
        return true;
    }
    if earlier.barrier == Barrier::StoreStore {
        return !later.writes.is_empty();
    }
    // Reads are not delayed. A store of several cells reaches memory as one.
    let common = || earlier.writes.iter().any(|a| later.writes.iter().any(|b| a.cell == b.cell));
    match (&earlier.writes[..], &later.writes[..]) {
        ([], _) => true,
        (_, []) => false,
        _ => model == MemoryModel::Tso || common(),
    }
}

/// For each pair of nodes whether the first is known to come before the second.
#[derive(Clone)]
struct Matrix {
    before: Vec<Vec<bool>>,
}

impl Matrix {
    /// Adds what follows by transitivity. Tells whether there is a cycle.
    fn close(&mut self) -> bool {
        let n = self.before.len();
        for middle in 0..n {
            let after = self.before[middle].clone();
            for row in self.before.iter_mut().filter(|row| row[middle]) {
                row.iter_mut().zip(&after).for_each(|(known, &new)| *known |= new);
            }
        }
        (0..n).any(|i| self.before[i][i])
    }
}

/// A pair and another write, by nodes; own says that the other write is the reader's own earlier one.
#[derive(Clone, Copy)]
struct Triple {
    write: usize,
    read: usize,
    other: usize,
    own: bool,
}

/// What is known to take place.
struct Situation {
    nodes: Vec<usize>,
    /// Orders from reading.
    links: Vec<(usize, usize)>,
    triples: Vec<Triple>,
}

impl Situation {
    fn new(
        meaning: &Meaning<'_>,
        nodes: Vec<usize>,
        links: &[Link],
        writes: &FxHashSet<(usize, usize)>,
    ) -> Situation {
        let node = |at: usize| nodes.binary_search(&at).expect("known to take place");
        let initial = nodes.len();
        let (mut orders, mut triples) = (Vec::new(), Vec::new());
        for link in links {
            let (write, read) = (link.write.map_or(initial, node), node(link.read));
            let is_own = link.write.is_some_and(|write| meaning.earlier_in_thread(write, link.read));
            if !is_own {
                orders.push((write, read));
            }
            for &(other, cell) in writes {
                if cell == link.cell && Some(other) != link.write && other != link.read {
                    let own = meaning.earlier_in_thread(other, link.read);
                    triples.push(Triple { write, read, other: node(other), own });
                }
            }
        }
        Situation { nodes, links: orders, triples }
    }

    /// Whether there is an order, starting from program order.
    fn decide(&self, mut matrix: Matrix, cases: &mut u32) -> Settled {
        for &(write, read) in &self.links {
            matrix.before[write][read] = true;
        }
        for triple in self.triples.iter().filter(|triple| triple.own) {
            matrix.before[triple.other][triple.write] = true;
        }
        self.branch(matrix, cases)
    }

    fn branch(&self, mut matrix: Matrix, cases: &mut u32) -> Settled {
        if self.saturate(&mut matrix) {
            return Settled::Impossible;
        }
        let is_open = |triple: &&Triple| {
            !matrix.before[triple.other][triple.write] && !matrix.before[triple.read][triple.other]
        };
        let Some(open) = self.triples.iter().find(is_open) else { return Settled::Possible };
        if *cases < 2 {
            return Settled::TooLarge;
        }
        *cases -= 2;
        let mut other_first = matrix.clone();
        other_first.before[open.other][open.write] = true;
        matrix.before[open.read][open.other] = true;
        match self.branch(other_first, cases) {
            Settled::Impossible => self.branch(matrix, cases),
            otherwise => otherwise,
        }
    }

    /// Adds all that follows. Tells whether there is a cycle.
    fn saturate(&self, matrix: &mut Matrix) -> bool {
        loop {
            if matrix.close() {
                return true;
            }
            let mut changed = false;
            for &Triple { write, read, other, .. } in &self.triples {
                let before = &mut matrix.before;
                if before[other][read] && !before[other][write] {
                    before[other][write] = true;
                    changed = true;
                }
                if before[write][other] && !before[read][other] {
                    before[read][other] = true;
                    changed = true;
                }
            }
            if !changed {
                return false;
            }
        }
    }
}
