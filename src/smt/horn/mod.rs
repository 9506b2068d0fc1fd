//! Constrained Horn clauses, solved by Z3's Spacer (Komuravelli, Gurfinkel and Chaki 2014).
//!
//! A [`System`] has unknown relations over variables and clauses between them. A solution gives each relation
//! a formula over its variables such that all clauses hold. It is read from Z3's text, in which relations have
//! variables of their own; whole numbers become the widest words we have, in which the integer model does
//! not wrap. So a solution is a suggestion: whoever uses it checks it.
//!
//! The solver keeps no promise about time, and crashes with some of its options. It runs in a thread of its
//! own that is left behind when it does not listen (`race`), with options that do not crash.

mod read;

use std::collections::BTreeSet;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use z3::ast::{Ast, Bool, Dynamic, forall_const};
use z3::{Fixedpoint, FuncDecl, Params, SatResult, Sort as Z3Sort};

use super::solver::GaveUp;
use super::translate::{IntModel, Translator, in_range};
use super::{Watch, interruptible};
use crate::budget::Budget;
use crate::stack;
use crate::term::{Pool, Sort, TermId, VarId};

/// An unknown relation applied to arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// Position of the relation.
    pub relation: usize,
    /// Terms of the sorts of its variables.
    pub arguments: Vec<TermId>,
}

/// If the body holds, so does the head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clause {
    /// Relations that hold.
    pub body: Vec<Atom>,
    /// What holds besides.
    pub constraints: Vec<TermId>,
    /// What follows; `None` for a contradiction.
    pub head: Option<Atom>,
}

/// Unknown relations and what must hold of them.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// The variables of each relation, in which its solution is told.
    pub relations: Vec<Vec<VarId>>,
    /// The clauses.
    pub clauses: Vec<Clause>,
}

/// How to look for a solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Of the random choices.
    pub seed: u32,
    /// Whether clauses are told the ranges of variables.
    pub ranges: Ranges,
}

/// Whether clauses are told the ranges of their variables: that rules out what cannot be, and makes everything
/// harder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ranges {
    /// No.
    Untold,
    /// Those of unsigned and of narrow words.
    Told,
}

/// What came of a system.
#[derive(Clone, Debug)]
pub enum Solved {
    /// For each relation a formula over its variables.
    Solution(Vec<TermId>),
    /// There is none.
    Refuted,
}

/// Solves a system whose terms are of this pool, to which those of the solution are added.
///
/// # Errors
/// If the solver gives up, is stopped, or gives something that cannot be read.
pub fn solve(pool: &mut Pool, system: &System, style: Style, budget: &Budget) -> Result<Solved, GaveUp> {
    let (sender, receiver) = mpsc::channel();
    let work = (pool.clone(), system.clone(), budget.clone());
    stack::spawn(move || {
        let (pool, system, budget) = work;
        let told = interruptible(&budget, |watch| told(&pool, &system, style, watch));
        // Nobody may be listening any more.
        let _ = sender.send(told);
    });
    let text = loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(told) => break told?,
            Err(RecvTimeoutError::Timeout) => budget.check()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(GaveUp::Solver("the solver failed".to_owned()));
            }
        }
    };
    let Some(text) = text else { return Ok(Solved::Refuted) };
    let solution = read::solution(pool, &system.relations, &text);
    let solution = solution.ok_or_else(|| GaveUp::Solver("its solution cannot be read".to_owned()))?;
    Ok(Solved::Solution(solution))
}

/// How often somebody looks whether the solver has outstayed its time; it has a moment to notice itself.
const PATIENCE: Duration = Duration::from_millis(100);

/// The solver's own words for a solution; `None` if there is none.
fn told(pool: &Pool, system: &System, style: Style, watch: &Watch<'_>) -> Result<Option<String>, GaveUp> {
    watch.begin();
    let fixedpoint = Fixedpoint::new();
    fixedpoint.set_params(&params(style));
    let mut writer = Writer { pool, ranges: style.ranges, translator: Translator::new(IntModel::Integer) };
    let relations: Vec<FuncDecl> = system
        .relations
        .iter()
        .enumerate()
        .map(|(at, variables)| {
            let sorts: Vec<Z3Sort> = variables.iter().map(|&var| sort(pool.var_sort(var))).collect();
            let sorts: Vec<&Z3Sort> = sorts.iter().collect();
            FuncDecl::new(read::name(at), &sorts, &Z3Sort::bool())
        })
        .collect();
    let goal = FuncDecl::new(read::GOAL, &[], &Z3Sort::bool());
    relations.iter().chain([&goal]).for_each(|relation| fixedpoint.register_relation(relation));
    for clause in &system.clauses {
        fixedpoint.add_rule(&writer.rule(clause, &relations, &goal), None);
    }
    let found = fixedpoint.query_relations(&[&goal]);
    if let Some(&stop) = watch.interrupted().get() {
        return Err(stop.into());
    }
    match found {
        SatResult::Sat => Ok(None),
        SatResult::Unsat => {
            let answer = fixedpoint.get_answer().map(|answer| answer.to_string());
            answer.map(Some).ok_or_else(|| GaveUp::Solver("it keeps its solution".to_owned()))
        }
        SatResult::Unknown => Err(GaveUp::Solver(fixedpoint.get_reason_unknown())),
    }
}

fn params(style: Style) -> Params {
    let mut params = Params::new();
    params.set_symbol("engine", "spacer");
    params.set_u32("spacer.random_seed", style.seed);
    // A solution is wanted of the clauses as they are.
    for preprocessing in ["xform.slice", "xform.inline_eager", "xform.inline_linear"] {
        params.set_bool(preprocessing, false);
    }
    params
}

fn sort(sort: Sort) -> Z3Sort {
    match sort {
        Sort::Bool => Z3Sort::bool(),
        Sort::Word(_) => Z3Sort::int(),
        Sort::Array(_) => Z3Sort::array(&Z3Sort::int(), &Z3Sort::int()),
    }
}

/// Writes clauses for the solver.
struct Writer<'a> {
    pool: &'a Pool,
    ranges: Ranges,
    translator: Translator,
}

impl Writer<'_> {
    /// A clause, for all values of its variables.
    fn rule(&mut self, clause: &Clause, relations: &[FuncDecl], goal: &FuncDecl) -> Bool {
        let pool = self.pool;
        let atoms = clause.body.iter().chain(&clause.head);
        let terms = atoms.flat_map(|atom| &atom.arguments).chain(&clause.constraints);
        let variables: BTreeSet<VarId> = terms.flat_map(|&term| pool.vars(term)).collect();
        let mut body: Vec<Bool> = clause.body.iter().map(|atom| self.atom(atom, relations)).collect();
        body.extend(clause.constraints.iter().map(|&term| self.translator.truth(pool, term)));
        let bound: Vec<Dynamic> = variables.iter().map(|&var| self.translator.var(pool, var)).collect();
        if self.ranges == Ranges::Told {
            body.extend(variables.iter().zip(&bound).filter_map(|(&var, bound)| self.range(var, bound)));
        }
        let head = match &clause.head {
            Some(atom) => self.atom(atom, relations),
            None => goal.apply(&[]).as_bool().expect("a truth value"),
        };
        let rule = match body.is_empty() {
            true => head,
            false => Bool::and(&body).implies(&head),
        };
        let bound: Vec<&dyn Ast> = bound.iter().map(|bound| bound as &dyn Ast).collect();
        forall_const(&bound, &[], &rule)
    }

    fn range(&self, var: VarId, bound: &Dynamic) -> Option<Bool> {
        let word = self.pool.var_sort(var).as_word().filter(|word| !word.overflows())?;
        Some(in_range(&bound.as_int()?, word))
    }

    fn atom(&mut self, atom: &Atom, relations: &[FuncDecl]) -> Bool {
        let arguments: Vec<Dynamic> =
            atom.arguments.iter().map(|&term| self.translator.term(self.pool, term)).collect();
        let arguments: Vec<&dyn Ast> = arguments.iter().map(|argument| argument as &dyn Ast).collect();
        relations[atom.relation].apply(&arguments).as_bool().expect("a truth value")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Word;

    const INT: Word = Word::signed(32);

    /// A counter that starts at 0 and goes on by two while it is below a limit; it is never to be this value.
    fn counting(pool: &mut Pool, never: i128) -> System {
        let x = pool.declare("x", Sort::Word(INT));
        let tx = pool.var(x);
        let [zero, two, limit, never] = [0, 2, 9, never].map(|value| pool.constant(value, INT));
        let (below, next) = (pool.lt(tx, limit), pool.add(tx, two));
        let bad = pool.eq(tx, never);
        let at = |term: TermId| Atom { relation: 0, arguments: vec![term] };
        let clause = |body: Vec<Atom>, constraints: Vec<TermId>, head| Clause { body, constraints, head };
        System {
            relations: vec![vec![x]],
            clauses: vec![
                clause(Vec::new(), Vec::new(), Some(at(zero))),
                clause(vec![at(tx)], vec![below], Some(at(next))),
                clause(vec![at(tx)], vec![bad], None),
            ],
        }
    }

    fn solved(system: &System, pool: &mut Pool) -> Solved {
        let style = Style { seed: 0, ranges: Ranges::Untold };
        solve(pool, system, style, &Budget::unlimited()).expect("an answer")
    }

    #[test]
    fn an_invariant_is_found_and_read() {
        let mut pool = Pool::new();
        let system = counting(&mut pool, 11);
        let Solved::Solution(solution) = solved(&system, &mut pool) else { panic!("there is one") };
        let x = system.relations[0][0];
        let holds = |value: i128| {
            pool.eval(solution[0], &|var: VarId| {
                assert_eq!(var, x);
                crate::term::Datum::Word(value)
            })
        };
        assert!((0..=10).step_by(2).all(|value| holds(value).truth()));
        assert!(!holds(11).truth());
    }

    #[test]
    fn what_can_happen_is_refuted() {
        let mut pool = Pool::new();
        let system = counting(&mut pool, 10);
        assert!(matches!(solved(&system, &mut pool), Solved::Refuted));
    }
}
