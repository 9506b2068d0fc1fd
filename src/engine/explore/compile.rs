//! Terms compiled to straight-line code, so that the explorer's inner loop neither hashes nor allocates.
//!
//! An operation's result has the operation's position as its name. Values are those of `layout.rs`:
//! residues modulo 2^64, in canonical form for their sort. Every operation of `term/eval.rs` is total, so
//! both branches of an `Ite` may be evaluated. An array term is never a value: reading one at an index goes
//! down to the variables and constants that it is made of.
//!
//! An [`open`](super::state::State::open) cell has no value yet. Code that needs one stops and names the
//! cell; the caller chooses a value and runs the code again.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::term::{FloatMap, FloatOp, FloatOrder, Node, Pool, Sort, TermId, Word, float};

use super::layout::Layout;
use crate::program::regions::Interval;

/// The result of an operation: its position in the code.
pub(super) type Reg = u32;

#[derive(Clone, Copy, Debug)]
enum Op {
    Const(i64),
    Load(u32),
    /// Element of the array at `base`; 0 outside.
    Element {
        base: u32,
        len: u32,
        index: Reg,
    },
    /// `value` if the index is inside an array of this length, else 0.
    Inside {
        len: u32,
        index: Reg,
        value: Reg,
    },
    Not(Reg),
    And(Reg, Reg),
    Or(Reg, Reg),
    Eq(Reg, Reg),
    Le(Reg, Reg),
    /// Order of unsigned words of 64 bits.
    LeUnsigned(Reg, Reg),
    Ite(Reg, Reg, Reg),
    Add(Reg, Reg, Word),
    Mul(Reg, Reg, Word),
    Div(Reg, Reg, Word),
    Rem(Reg, Reg, Word),
    Shl(Reg, Reg, Word),
    Shr(Reg, Reg, Word),
    BitAnd(Reg, Reg),
    BitOr(Reg, Reg),
    BitXor(Reg, Reg),
    Cast(Reg, Word),
    /// Arithmetic on floats of so many bits.
    Float(FloatOp, Reg, Reg, u8),
    FloatCompare(FloatOrder, Reg, Reg, u8),
    /// From and to these words.
    FloatMap(FloatMap, Reg, Word, Word),
}

/// For each cell the values that it may still get, if it has none yet; empty in a program without such cells.
pub(super) type OpenCells = Vec<Option<Interval>>;

/// The code met a cell that has no value yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Open(pub u32);

/// Straight-line code.
#[derive(Debug, Default)]
pub(super) struct Code {
    ops: Vec<Op>,
}

impl Code {
    /// Number of operations.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Runs the operations in `range`; results are in `regs`, by position.
    #[inline]
    pub fn run(
        &self,
        range: std::ops::Range<usize>,
        cells: &[i64],
        open: &OpenCells,
        regs: &mut Vec<i64>,
    ) -> Result<(), Open> {
        if regs.len() < self.ops.len() {
            regs.resize(self.ops.len(), 0);
        }
        for i in range {
            regs[i] = self.ops[i].eval(cells, open, regs)?;
        }
        Ok(())
    }
}

impl Op {
    #[inline]
    fn eval(self, cells: &[i64], open: &OpenCells, regs: &[i64]) -> Result<i64, Open> {
        let r = |reg: Reg| regs[reg as usize];
        Ok(match self {
            Op::Const(value) => value,
            Op::Load(cell) => load(cell, cells, open)?,
            Op::Element { base, len, index } => match inside(r(index), len) {
                true => load(base + r(index) as u32, cells, open)?,
                false => 0,
            },
            Op::Inside { len, index, value } => match inside(r(index), len) {
                true => r(value),
                false => 0,
            },
            Op::Not(a) => r(a) ^ 1,
            Op::And(a, b) | Op::BitAnd(a, b) => r(a) & r(b),
            Op::Or(a, b) | Op::BitOr(a, b) => r(a) | r(b),
            Op::BitXor(a, b) => r(a) ^ r(b),
            Op::Eq(a, b) => i64::from(r(a) == r(b)),
            Op::Le(a, b) => i64::from(r(a) <= r(b)),
            Op::LeUnsigned(a, b) => i64::from(r(a) as u64 <= r(b) as u64),
            Op::Ite(c, a, b) => r(if r(c) != 0 { a } else { b }),
            Op::Add(a, b, word) => wrap(r(a).wrapping_add(r(b)), word),
            Op::Mul(a, b, word) => wrap(r(a).wrapping_mul(r(b)), word),
            Op::Div(a, b, word) => divide(r(a), r(b), word),
            Op::Rem(a, b, word) => remainder(r(a), r(b), word),
            Op::Shl(a, b, word) => match inside(r(b), u32::from(word.bits())) {
                true => wrap(r(a) << r(b), word),
                false => 0,
            },
            Op::Shr(a, b, word) => shift_right(r(a), r(b), word),
            Op::Cast(a, word) => wrap(r(a), word),
            Op::Float(op, a, b, bits) => float::arithmetic(op, r(a) as u64, r(b) as u64, bits) as i64,
            Op::FloatCompare(order, a, b, bits) => {
                i64::from(float::compare(order, r(a) as u64, r(b) as u64, bits))
            }
            Op::FloatMap(operation, a, from, to) => {
                float::map(operation, from.wrap(i128::from(r(a))), from, to) as i64
            }
        })
    }
}

#[inline]
fn load(cell: u32, cells: &[i64], open: &OpenCells) -> Result<i64, Open> {
    match open.get(cell as usize) {
        Some(Some(_)) => Err(Open(cell)),
        _ => Ok(cells[cell as usize]),
    }
}

/// Whether an index is in `0..len`. An unsigned index of 2^63 or more looks negative and is outside, too.
pub(super) fn inside(index: i64, len: u32) -> bool {
    0 <= index && index < i64::from(len)
}

/// The canonical cell of a word that is congruent to a value.
#[inline]
pub(super) fn wrap(value: i64, word: Word) -> i64 {
    let shift = 64 - u32::from(word.bits());
    if word.is_signed() { (value << shift) >> shift } else { (((value as u64) << shift) >> shift) as i64 }
}

fn divide(a: i64, b: i64, word: Word) -> i64 {
    match (b, word.is_signed()) {
        (0, _) => 0,
        (_, true) => wrap(a.wrapping_div(b), word),
        (_, false) => ((a as u64) / (b as u64)) as i64,
    }
}

fn remainder(a: i64, b: i64, word: Word) -> i64 {
    match (b, word.is_signed()) {
        (0, _) => a,
        (_, true) => wrap(a.wrapping_rem(b), word),
        (_, false) => ((a as u64) % (b as u64)) as i64,
    }
}

fn shift_right(a: i64, b: i64, word: Word) -> i64 {
    let inside = inside(b, u32::from(word.bits()));
    match (inside, word.is_signed()) {
        (true, true) => a >> b,
        (false, true) => a >> 63,
        (true, false) => ((a as u64) >> b) as i64,
        (false, false) => 0,
    }
}

/// Compiles the terms of one transition into one piece of code; common subterms are computed once.
pub(super) struct Compiler<'a> {
    pool: &'a Pool,
    layout: &'a Layout,
    code: Code,
    done: FxHashMap<TermId, Reg>,
    elements: FxHashMap<(TermId, Reg), Reg>,
}

impl<'a> Compiler<'a> {
    pub fn new(pool: &'a Pool, layout: &'a Layout) -> Compiler<'a> {
        let code = Code::default();
        Compiler { pool, layout, code, done: FxHashMap::default(), elements: FxHashMap::default() }
    }

    pub fn finish(self) -> Code {
        self.code
    }

    /// Number of operations so far.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// Code for a word or truth value.
    pub fn term(&mut self, term: TermId) -> Reg {
        self.words_below(term);
        self.done[&term]
    }

    /// Code for each element of an array term.
    pub fn elements(&mut self, array: TermId, len: u32) -> Vec<Reg> {
        self.words_below(array);
        (0..len)
            .map(|index| {
                let index = self.emit(Op::Const(i64::from(index)));
                self.element(array, index)
            })
            .collect()
    }

    /// Code for all words and truth values at or below a term. Children have smaller ids than their parents.
    fn words_below(&mut self, term: TermId) {
        let mut below = Vec::new();
        self.pool.visit(&[term], |id, _| below.push(id));
        below.sort_unstable();
        for id in below {
            if !matches!(self.pool.sort(id), Sort::Array(_)) && !self.done.contains_key(&id) {
                let reg = self.node(id);
                self.done.insert(id, reg);
            }
        }
    }

    fn emit(&mut self, op: Op) -> Reg {
        let reg = Reg::try_from(self.code.ops.len()).expect("code is short");
        self.code.ops.push(op);
        reg
    }

    /// Code for one node whose children have code.
    fn node(&mut self, id: TermId) -> Reg {
        let r = |term: &TermId| self.done[term];
        let word = || self.pool.word(id);
        let op = match self.pool.node(id) {
            Node::Bool(value) => Op::Const(i64::from(*value)),
            Node::Const(value, _) => Op::Const(*value as i64),
            Node::Var(var) => Op::Load(self.layout.field(*var).base),
            Node::Not(a) => Op::Not(r(a)),
            Node::And(list) => return self.fold(list, Op::And),
            Node::Or(list) => return self.fold(list, Op::Or),
            Node::Eq(a, b) => Op::Eq(r(a), r(b)),
            Node::Le(a, b) if self.pool.word(*a) == Word::unsigned(64) => Op::LeUnsigned(r(a), r(b)),
            Node::Le(a, b) => Op::Le(r(a), r(b)),
            Node::Ite(c, a, b) => Op::Ite(r(c), r(a), r(b)),
            Node::Add(a, b) => Op::Add(r(a), r(b), word()),
            Node::Mul(a, b) => Op::Mul(r(a), r(b), word()),
            Node::Div(a, b) => Op::Div(r(a), r(b), word()),
            Node::Rem(a, b) => Op::Rem(r(a), r(b), word()),
            Node::Shl(a, b) => Op::Shl(r(a), r(b), word()),
            Node::Shr(a, b) => Op::Shr(r(a), r(b), word()),
            Node::BitAnd(a, b) => Op::BitAnd(r(a), r(b)),
            Node::BitOr(a, b) => Op::BitOr(r(a), r(b)),
            Node::BitXor(a, b) => Op::BitXor(r(a), r(b)),
            Node::Cast(a, word) => Op::Cast(r(a), *word),
            Node::Float(op, a, b) => Op::Float(*op, r(a), r(b), word().bits()),
            Node::FloatCompare(order, a, b) => {
                Op::FloatCompare(*order, r(a), r(b), self.pool.word(*a).bits())
            }
            Node::FloatMap(operation, a, to) => Op::FloatMap(*operation, r(a), self.pool.word(*a), *to),
            Node::Select(array, index) => return self.element(*array, r(index)),
            Node::Fill(..) | Node::Store(..) => unreachable!("array terms have no register"),
        };
        self.emit(op)
    }

    fn fold(&mut self, list: &[TermId], op: fn(Reg, Reg) -> Op) -> Reg {
        let mut result = self.done[&list[0]];
        for term in &list[1..] {
            let next = self.done[term];
            result = self.emit(op(result, next));
        }
        result
    }

    /// Code for an array term at an index; words below the array term have code already.
    fn element(&mut self, array: TermId, index: Reg) -> Reg {
        let mut below = BTreeSet::new();
        let mut stack = vec![array];
        while let Some(id) = stack.pop() {
            if !self.elements.contains_key(&(id, index)) && below.insert(id) {
                match self.pool.node(id) {
                    Node::Ite(_, a, b) => stack.extend([*a, *b]),
                    Node::Store(a, ..) => stack.push(*a),
                    _ => {}
                }
            }
        }
        for id in below {
            let reg = self.element_of(id, index);
            self.elements.insert((id, index), reg);
        }
        self.elements[&(array, index)]
    }

    fn element_of(&mut self, id: TermId, index: Reg) -> Reg {
        let Sort::Array(sort) = self.pool.sort(id) else { unreachable!("an array term") };
        match *self.pool.node(id) {
            Node::Var(var) => {
                self.emit(Op::Element { base: self.layout.field(var).base, len: sort.len, index })
            }
            Node::Fill(value, _) => {
                let value = self.emit(Op::Const(value as i64));
                self.emit(Op::Inside { len: sort.len, index, value })
            }
            Node::Ite(c, a, b) => {
                let (a, b) = (self.elements[&(a, index)], self.elements[&(b, index)]);
                self.emit(Op::Ite(self.done[&c], a, b))
            }
            Node::Store(below, at, value) => {
                let here = self.emit(Op::Eq(self.done[&at], index));
                let value = self.emit(Op::Inside { len: sort.len, index, value: self.done[&value] });
                self.emit(Op::Ite(here, value, self.elements[&(below, index)]))
            }
            ref other => unreachable!("an array term, not {other:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::program::{Init, Origin, ProgramBuilder, Role, Sources, Variable};
    use crate::random::Random;
    use crate::term::{ArraySort, Datum, VarId};

    use super::super::layout::number;
    use super::*;

    const WORDS: [Word; 6] = [
        Word::BOOL,
        Word::signed(3),
        Word::unsigned(8),
        Word::signed(32),
        Word::signed(64),
        Word::unsigned(64),
    ];

    /// The last of the words, which holds the bits of floats, too.
    const DOUBLE: Word = Word::unsigned(64);

    struct Terms {
        builder: ProgramBuilder,
        random: Random,
        words: Vec<VarId>,
        arrays: Vec<VarId>,
    }

    impl Terms {
        /// One word and one array variable for each kind of word.
        fn new(seed: u64) -> Terms {
            let builder = ProgramBuilder::new(Sources::default());
            let mut terms =
                Terms { builder, random: Random::new(seed), words: Vec::new(), arrays: Vec::new() };
            for elem in WORDS {
                let word = terms.declare(Sort::Word(elem));
                let array = terms.declare(Sort::Array(ArraySort { len: 3, elem }));
                terms.words.push(word);
                terms.arrays.push(array);
            }
            terms
        }

        fn declare(&mut self, sort: Sort) -> VarId {
            let (name, init) = (format!("{sort}"), Init::Any);
            self.builder.variable(Variable { name, sort, role: Role::Shared, init, origin: Origin::User })
        }

        fn word(&mut self, word: usize, depth: usize) -> TermId {
            let choice = self.random.below(if depth == 0 { 2 } else { 16 });
            if choice == 0 {
                let value = i128::from(self.random.next() as i64) >> self.random.below(64);
                return self.builder.terms().constant(value, WORDS[word]);
            }
            if choice == 1 {
                let var = self.words[word];
                return self.builder.terms().var(var);
            }
            let (a, b) = (self.word(word, depth - 1), self.word(word, depth - 1));
            let other = self.random.below(WORDS.len());
            match choice {
                2 => {
                    let other = self.word(other, depth - 1);
                    self.builder.terms().cast(other, WORDS[word])
                }
                3 => {
                    let (array, index) = (self.array(word, depth - 1), self.word(other, depth - 1));
                    self.builder.terms().select(array, index)
                }
                4 => {
                    let condition = self.truth(depth - 1);
                    self.builder.terms().ite(condition, a, b)
                }
                5 | 6 => self.builder.terms().add(a, b),
                7 => self.builder.terms().mul(a, b),
                8 => self.builder.terms().div(a, b),
                9 => self.builder.terms().rem(a, b),
                10 => self.builder.terms().shl(a, b),
                11 => self.builder.terms().shr(a, b),
                12 => self.builder.terms().bit_and(a, b),
                13 => self.builder.terms().bit_or(a, b),
                14 if WORDS[word] == DOUBLE => {
                    let op = self.random.pick(&[FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div]);
                    self.builder.terms().float(op, a, b)
                }
                15 if WORDS[word] == DOUBLE => {
                    let other = self.word(other, depth - 1);
                    self.builder.terms().float_map(FloatMap::FromWord, other, DOUBLE)
                }
                15 => {
                    let other = self.word(WORDS.len() - 1, depth - 1);
                    self.builder.terms().float_map(FloatMap::ToWord, other, WORDS[word])
                }
                _ => self.builder.terms().bit_xor(a, b),
            }
        }

        fn truth(&mut self, depth: usize) -> TermId {
            let word = self.random.below(WORDS.len());
            let (a, b) = (self.word(word, depth), self.word(word, depth));
            match (self.random.below(4), depth) {
                (0, _) => self.builder.terms().eq(a, b),
                (1, _) if WORDS[word] == DOUBLE => {
                    let order =
                        self.random.pick(&[FloatOrder::Equal, FloatOrder::Less, FloatOrder::LessEqual]);
                    self.builder.terms().float_compare(order, a, b)
                }
                (1, _) | (_, 0) => self.builder.terms().le(a, b),
                (choice, _) => {
                    let (a, b) = (self.truth(depth - 1), self.truth(depth - 1));
                    let terms = self.builder.terms();
                    let a = terms.not(a);
                    if choice == 2 { terms.and(&[a, b]) } else { terms.or(&[a, b]) }
                }
            }
        }

        fn array(&mut self, word: usize, depth: usize) -> TermId {
            let choice = self.random.below(if depth == 0 { 2 } else { 5 });
            if choice == 0 {
                return self.builder.terms().fill(1, ArraySort { len: 3, elem: WORDS[word] });
            }
            if choice == 1 {
                let var = self.arrays[word];
                return self.builder.terms().var(var);
            }
            let a = self.array(word, depth - 1);
            if choice == 2 {
                let (condition, b) = (self.truth(depth - 1), self.array(word, depth - 1));
                return self.builder.terms().ite(condition, a, b);
            }
            let other = self.random.below(WORDS.len());
            let (index, value) = (self.word(other, depth - 1), self.word(word, depth - 1));
            self.builder.terms().store(a, index, value)
        }

        fn value(&mut self, word: Word) -> i128 {
            let small = self.random.below(2) == 0;
            word.wrap(if small { self.random.below(5) as i128 - 1 } else { i128::from(self.random.next()) })
        }
    }

    #[test]
    fn code_computes_what_terms_mean() {
        for seed in 0..3000 {
            let mut terms = Terms::new(seed);
            let word = terms.random.below(WORDS.len());
            let term = terms.word(word, 4);
            let array = terms.array(word, 3);
            let program = terms.builder.program().clone();
            let layout = Layout::new(&program, 1000, &[]).expect("few cells");
            let mut compiler = Compiler::new(&program.terms, &layout);
            let (result, elements) = (compiler.term(term), compiler.elements(array, 3));
            let code = compiler.finish();
            for _ in 0..3 {
                let mut cells = vec![0; layout.cells()];
                for (cell, slot) in cells.iter_mut().enumerate() {
                    *slot = terms.value(layout.word_of(cell as u32)) as i64;
                }
                let mut regs = Vec::new();
                code.run(0..code.len(), &cells, &Vec::new(), &mut regs).expect("nothing is open");
                let value = |var| layout.get(&cells, var);
                let computed = |reg: Reg| number(regs[reg as usize], WORDS[word]);
                let context = || format!("seed {seed}: {}", program.terms.display(term));
                assert_eq!(Datum::Word(computed(result)), program.terms.eval(term, &value), "{}", context());
                let row: Vec<i128> = elements.iter().map(|&element| computed(element)).collect();
                assert_eq!(Datum::Array(row.into()), program.terms.eval(array, &value), "{}", context());
            }
        }
    }

    #[test]
    fn code_stops_at_an_open_cell() {
        let mut terms = Terms::new(0);
        let var = terms.words[3];
        let term = terms.builder.terms().var(var);
        let program = terms.builder.program();
        let layout = Layout::new(program, 1000, &[]).expect("few cells");
        let mut compiler = Compiler::new(&program.terms, &layout);
        compiler.term(term);
        let code = compiler.finish();
        let cell = layout.field(var).base;
        let (cells, mut open) = (vec![7; layout.cells()], vec![None; layout.cells()]);
        assert_eq!(code.run(0..code.len(), &cells, &open, &mut Vec::new()), Ok(()));
        open[cell as usize] = Some(Interval { low: 0, high: 1 });
        assert_eq!(code.run(0..code.len(), &cells, &open, &mut Vec::new()), Err(Open(cell)));
    }
}
