//! Predicates from infeasible paths, by weakest preconditions.
//!
//! For an infeasible path `t_1 .. t_n` whose guards at the steps of a core contradict each other, let
//! `B_n = true` and `B_{k-1} = g_k && B_k[updates of t_k]`, with `g_k` only for steps of the core. `B_k` says
//! what the rest of the core still asks of the state after step `k`, and `!B_0, .., !B_n` is a sequence of
//! interpolants: the initial state does not satisfy `B_0`. Its atoms are the predicates. This is the backward
//! variant of Impara; it asks for conditions of the program rather than for values.

use std::collections::BTreeSet;

use super::path::{Demand, whole_value};
use crate::program::{Program, Role, TransId};
use crate::term::{Node, Pool, Sort, TermId, VarId};

/// The atoms of the interpolants of an infeasible path, each in positive form.
pub fn from_core(
    program: &Program,
    terms: &mut Pool,
    path: &[TransId],
    core: &[usize],
    demand: Demand,
) -> BTreeSet<TermId> {
    let mut atoms = BTreeSet::new();
    let mut rest = terms.bool(true);
    let last = core.last().map_or(0, |step| step + 1);
    for (step, &id) in path.iter().enumerate().take(last).rev() {
        let transition = program.transition(id);
        rest = precondition(program, terms, id, rest);
        if core.contains(&step) {
            let asked = demand.of(terms, transition);
            rest = terms.and(&[asked, rest]);
        }
        rest = without_inputs(program, terms, rest);
        collect_atoms(terms, rest, &mut atoms);
        if terms.as_bool(rest).is_some() {
            break;
        }
    }
    atoms
}

/// `term[updates of the transition]`.
pub fn precondition(program: &Program, terms: &mut Pool, transition: TransId, term: TermId) -> TermId {
    let transition = program.transition(transition);
    if transition.updates.is_empty() {
        return term;
    }
    let written: Vec<VarId> = transition.updates.iter().map(|update| update.place.var).collect();
    terms.substitute(term, |terms, var| written.contains(&var).then(|| whole_value(terms, transition, var)))
}

/// Adds the atoms of a truth value: its largest subterms without connectives.
pub fn collect_atoms(terms: &Pool, term: TermId, atoms: &mut BTreeSet<TermId>) {
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        match terms.node(term) {
            Node::Bool(_) => {}
            Node::Not(a) => stack.push(*a),
            Node::And(list) | Node::Or(list) => stack.extend(list.iter()),
            _ => {
                atoms.insert(term);
            }
        }
    }
}

/// The atoms, with equations replaced by inequalities where more than `most` known ones differ from them in a
/// constant alone.
pub fn split_equations(
    terms: &mut Pool,
    known: &[TermId],
    atoms: BTreeSet<TermId>,
    most: usize,
) -> BTreeSet<TermId> {
    let mut split = BTreeSet::new();
    for atom in atoms {
        let alike = equation(terms, atom)
            .map_or(0, |sides| known.iter().filter(|&&other| equation(terms, other) == Some(sides)).count());
        match *terms.node(atom) {
            Node::Eq(a, b) if alike > most && !known.contains(&atom) => {
                let (below, above) = (terms.le(a, b), terms.le(b, a));
                collect_atoms(terms, below, &mut split);
                collect_atoms(terms, above, &mut split);
            }
            _ => {
                split.insert(atom);
            }
        }
    }
    split
}

/// The sides of an equation of words, but for the constant on the right.
fn equation(terms: &Pool, atom: TermId) -> Option<(TermId, Option<TermId>)> {
    let Node::Eq(a, b) = *terms.node(atom) else { return None };
    let right = match *terms.node(b) {
        Node::Const(..) => None,
        Node::Add(rest, last) if terms.as_const(last).is_some() => Some(rest),
        _ => Some(b),
    };
    matches!(terms.sort(a), Sort::Word(_)).then_some((a, right))
}

/// A demand on the state alone: conjuncts that speak of inputs are dropped, which weakens the demand. The
/// interpolants stay interpolants if the core does not rest on the dropped ones; if it does, refinement makes
/// no progress and says so.
fn without_inputs(program: &Program, terms: &mut Pool, demand: TermId) -> TermId {
    let is_input =
        |var: VarId| var.index() >= program.variables.len() || program.variable(var).role == Role::Input;
    let kept: Vec<TermId> = terms
        .conjuncts(demand)
        .into_iter()
        .filter(|&conjunct| !terms.vars(conjunct).into_iter().any(is_input))
        .collect();
    terms.and(&kept)
}
