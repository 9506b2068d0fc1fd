//! What one transition can tell about the values of an open variable that it reads.
//!
//! Conjuncts of the guard such as `0 <= v` and `v <= n` bound `v`: outside the bounds the transition is not taken. And if the
//! transition does nothing with `v` but compare it, and nobody can read `v` later, only the outcomes of these comparisons
//! matter.

use std::collections::BTreeSet;

use crate::program::{Program, Role, Transition};
use crate::term::{Node, Pool, Sort, TermId, VarId, Word};

use super::compile::{Code, Compiler, OpenCells, Reg};
use super::layout::{Layout, number};
use super::uses::{Use, uses};

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
    compared: Vec<(VarId, Vec<Operand>)>,
}

impl Bounds {
    /// Looks at a transition; variables in `forgotten` are not read after it.
    pub fn new(program: &Program, layout: &Layout, transition: &Transition, forgotten: &[VarId]) -> Bounds {
        let pool = &program.terms;
        let mut bounds = Bounds::default();
        let conjuncts = match pool.node(transition.guard) {
            Node::And(list) => list.to_vec(),
            _ => vec![transition.guard],
        };
        for conjunct in conjuncts {
            bounds.add_conjunct(pool, layout, conjunct);
        }
        bounds.add_compared(program, layout, transition, forgotten);
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

    fn add_compared(
        &mut self,
        program: &Program,
        layout: &Layout,
        transition: &Transition,
        forgotten: &[VarId],
    ) {
        let uses = uses(program, transition);
        let vars: BTreeSet<VarId> = uses.iter().map(|(var, _)| *var).collect();
        let temporary = |var: &VarId| program.variable(*var).role == Role::Input || forgotten.contains(var);
        let scalar = |var: &VarId| matches!(program.variable(*var).sort, Sort::Word(_));
        for var in vars.into_iter().filter(temporary).filter(scalar) {
            let operands: Option<Vec<Operand>> = uses
                .iter()
                .filter(|(used, _)| *used == var)
                .map(|(_, what)| match *what {
                    Use::Compare(other) => Some(operand(&program.terms, layout, other)),
                    Use::Copy(_) | Use::Other => None,
                })
                .collect();
            self.compared.extend(operands.map(|operands| (var, operands)));
        }
    }

    /// The least and greatest value of a variable with which the guard can hold.
    pub fn range(&self, var: VarId, range: (i128, i128), cells: &[i64], open: &OpenCells) -> (i128, i128) {
        let (mut low, mut high) = range;
        for bound in self.bounds.iter().filter(|bound| bound.var == var) {
            if let Some(value) = bound.operand.value(cells, open) {
                match bound.side {
                    Side::Least => low = low.max(value + bound.offset),
                    Side::Most => high = high.min(value + bound.offset),
                }
            }
        }
        (low, high)
    }

    /// The values that a variable is compared with, if all are known and nothing else concerns it.
    pub fn comparands(&self, var: VarId, cells: &[i64], open: &OpenCells) -> Option<BTreeSet<i128>> {
        let (_, operands) = self.compared.iter().find(|(compared, _)| *compared == var)?;
        operands.iter().map(|operand| operand.value(cells, open)).collect()
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
