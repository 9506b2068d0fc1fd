//! Predicates from infeasible paths, by weakest preconditions.
//!
//! For an infeasible path whose guards at the steps of a core contradict each other, what the rest of the
//! core still asks of the state after each step is computed backwards, as for interpolants (`interpolant/`):
//! the negations of these demands are some. Their atoms are the predicates. This is the variant of Impara; it
//! asks for conditions of the program rather than for values.

use std::collections::BTreeSet;
use std::convert::Infallible;

use super::eliminate::project;
use super::interpolant::backward::demands;
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
    let last = core.last().map_or(0, |step| step + 1);
    let yes = terms.bool(true);
    let asked: Vec<(usize, TermId)> =
        core.iter().map(|&step| (step, demand.of(terms, program.transition(path[step])))).collect();
    let free = |terms: &mut Pool, demand: TermId| Ok::<_, Infallible>(without_inputs(program, terms, demand));
    let Ok(demands) = demands(program, terms, &path[..last], yes, &asked, free);
    let mut atoms = BTreeSet::new();
    demands.into_iter().for_each(|demand| collect_atoms(terms, demand, &mut atoms));
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
pub(super) fn equation(terms: &Pool, atom: TermId) -> Option<(TermId, Option<TermId>)> {
    let Node::Eq(a, b) = *terms.node(atom) else { return None };
    let right = match *terms.node(b) {
        Node::Const(..) => None,
        Node::Add(rest, last) if terms.as_const(last).is_some() => Some(rest),
        _ => Some(b),
    };
    matches!(terms.sort(a), Sort::Word(_)).then_some((a, right))
}

/// A demand on the state alone: inputs are eliminated so that less is asked if anything.
fn without_inputs(program: &Program, terms: &mut Pool, demand: TermId) -> TermId {
    let is_input = |var: &VarId| program.variable(*var).role == Role::Input;
    let inputs: Vec<VarId> = terms.vars(demand).into_iter().filter(is_input).collect();
    inputs.into_iter().fold(demand, |demand, input| project(terms, demand, input))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{
        Barrier, Init, Origin, Place, ProgramBuilder, Sources, Span, Transition, Update, Variable,
    };
    use crate::term::Word;

    /// `x := in` between `low` and `high` asks that there is room between them. Whoever dropped what speaks
    /// of the input would not learn that.
    #[test]
    fn inputs_relate_other_variables() {
        let mut builder = ProgramBuilder::new(Sources::default());
        let sort = Sort::Word(Word::signed(32));
        let [low, high, x] = ["low", "high", "x"].map(|name| {
            let (name, role, init, origin) = (name.to_owned(), Role::Shared, Init::Any, Origin::User);
            builder.variable(Variable { name, sort, role, init, origin })
        });
        let input = builder.input("in", sort);
        let thread = builder.thread("main", Span::NONE);
        let mut row = vec![builder.program().thread(thread).entry];
        row.extend((0..3).map(|_| builder.location(thread, Span::NONE)));
        let terms = builder.terms();
        let value = terms.var(input);
        let [low_value, high_value, x_value] = [low, high, x].map(|var| terms.var(var));
        let guards = [terms.bool(true), terms.lt(x_value, high_value), terms.le(low_value, x_value)];
        let take = vec![Update::whole(Place { var: x, index: None }, value)];
        builder.transition(Transition {
            from: row[0],
            to: row[1],
            guard: guards[0],
            ranges: Vec::new(),
            updates: take,
            call: None,
            barrier: Barrier::None,
            events: Vec::new(),
        });
        builder.branch(row[1], guards[1], row[2]);
        builder.branch(row[2], guards[2], row[3]);
        let program = builder.build();
        let mut terms = program.terms.clone();
        let path: Vec<TransId> = program.transition_ids().collect();
        let atoms = from_core(&program, &mut terms, &path, &[1, 2], Demand::Guards);
        assert!(atoms.iter().any(|&atom| terms.vars(atom) == [low, high]), "{atoms:?}");
    }
}
