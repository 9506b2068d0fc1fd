//! What one transition can tell about the values of an open variable that it reads.
//!
//! Conjuncts of the guard such as `0 <= v` and `v <= n` bound `v`: outside the bounds the transition is not
//! taken. And if the transition does nothing with `v` but compare it, only the outcomes of these comparisons
//! matter now.

use std::collections::BTreeMap;

use crate::program::{Program, Transition};
use crate::term::{Node, Pool, Sort, TermId, VarId, Word};

use super::compile::{Code, Compiler, OpenCells, Reg};
use super::layout::{Layout, number};
use crate::program::regions::{Cuts, Interval};
use crate::program::uses::{Relation, Use, uses};

/// A term to be evaluated in the state before the transition.
#[derive(Debug)]
struct Operand {
    code: Code,
    result: Reg,
    word: Word,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Least,
    Most,
}

#[derive(Debug)]
struct Bound {
    var: VarId,
    side: Side,
    operand: Operand,
    /// Added to the operand: 1 or -1 for strict inequalities.
    offset: i128,
}

/// The bounds and comparisons of one transition.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    bounds: Vec<Bound>,
    /// The variables that only comparisons concern, with what they are compared with.
    compared: BTreeMap<VarId, Vec<(Relation, Operand)>>,
}

impl Bounds {
    /// Looks at a transition.
    pub fn new(program: &Program, layout: &Layout, transition: &Transition) -> Bounds {
        let pool = &program.terms;
        let mut bounds = Bounds::default();
        for conjunct in pool.conjuncts(transition.guard) {
            bounds.add_conjunct(pool, layout, conjunct);
        }
        bounds.add_compared(program, layout, transition);
        bounds
    }

    fn add_conjunct(&mut self, pool: &Pool, layout: &Layout, conjunct: TermId) {
        let (atom, holds) = match *pool.node(conjunct) {
            Node::Not(atom) => (atom, false),
            _ => (conjunct, true),
        };
        match (pool.node(atom), holds) {
            (&Node::Le(a, b), true) => {
                self.add(pool, layout, (a, Side::Most, b), 0);
                self.add(pool, layout, (b, Side::Least, a), 0);
            }
            (&Node::Le(a, b), false) => {
                self.add(pool, layout, (a, Side::Least, b), 1);
                self.add(pool, layout, (b, Side::Most, a), -1);
            }
            (&Node::Eq(a, b), true) if matches!(pool.sort(a), Sort::Word(_)) => {
                for (this, that) in [(a, b), (b, a)] {
                    self.add(pool, layout, (this, Side::Least, that), 0);
                    self.add(pool, layout, (this, Side::Most, that), 0);
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, pool: &Pool, layout: &Layout, bound: (TermId, Side, TermId), offset: i128) {
        let (term, side, other) = bound;
        if let Some(var) = preserved_variable(pool, term) {
            self.bounds.push(Bound { var, side, operand: operand(pool, layout, other), offset });
        }
    }

    fn add_compared(&mut self, program: &Program, layout: &Layout, transition: &Transition) {
        let uses = uses(program, transition);
        for &(var, what) in &uses {
            if let Use::Compare(relation, other) = what {
                let operand = operand(&program.terms, layout, other);
                self.compared.entry(var).or_default().push((relation, operand));
            }
        }
        for (var, what) in uses {
            if !matches!(what, Use::Compare(..)) {
                self.compared.remove(&var);
            }
        }
    }

    /// The values of a variable in an interval with which the guard can hold; perhaps none.
    pub fn narrow(
        &self,
        var: VarId,
        interval: Interval,
        cells: &[i64],
        open: &OpenCells,
    ) -> Option<Interval> {
        let Interval { mut low, mut high } = interval;
        for bound in self.bounds.iter().filter(|bound| bound.var == var) {
            if let Some(value) = bound.operand.value(cells, open) {
                match bound.side {
                    Side::Least => low = low.max(value + bound.offset),
                    Side::Most => high = high.min(value + bound.offset),
                }
            }
        }
        (low <= high).then_some(Interval { low, high })
    }

    /// The cuts by the comparisons of a variable or its elements, if all other sides are known and nothing
    /// else happens to it.
    pub fn cuts(&self, var: VarId, cells: &[i64], open: &OpenCells) -> Option<Cuts> {
        let mut cuts = Cuts::default();
        for (relation, operand) in self.compared.get(&var)? {
            cuts.compare(*relation, operand.value(cells, open)?);
        }
        Some(cuts)
    }
}

impl Operand {
    /// The value, unless it depends on something open.
    fn value(&self, cells: &[i64], open: &OpenCells) -> Option<i128> {
        let mut regs = Vec::new();
        self.code.run(0..self.code.len(), cells, open, &mut regs).ok()?;
        Some(number(regs[self.result as usize], self.word))
    }
}

fn operand(pool: &Pool, layout: &Layout, term: TermId) -> Operand {
    let mut compiler = Compiler::new(pool, layout);
    let result = compiler.term(term);
    Operand { code: compiler.finish(), result, word: pool.word(term) }
}

/// The scalar variable whose value a term has, perhaps in a wider word.
fn preserved_variable(pool: &Pool, mut term: TermId) -> Option<VarId> {
    loop {
        match *pool.node(term) {
            Node::Var(var) => return Some(var),
            Node::Cast(inner, word) => {
                let from = pool.word(inner);
                if !(word.contains(from.min()) && word.contains(from.max())) {
                    return None;
                }
                term = inner;
            }
            _ => return None,
        }
    }
}
