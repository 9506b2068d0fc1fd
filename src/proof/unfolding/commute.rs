//! Which steps commute: the checker's own account, as plain as can be.
//!
//! A step touches variables; an array at the indices that it uses. Two steps of different threads commute if
//! neither writes what the other touches. Steps in an atomic section count as everything that the section
//! touches, without indices. Indices that both mention an input are not compared: each step has a value of
//! its own for it.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{LocId, Program, Role, TransId};
use crate::term::{Node, TermId, VarId};

/// A variable, or an element of one.
type Cell = (VarId, Option<TermId>);

/// What a step reads and writes. Private variables too: they are met by one thread alone.
#[derive(Clone, Default)]
pub(super) struct Touched {
    reads: BTreeSet<Cell>,
    writes: BTreeSet<Cell>,
}

/// Whether two steps commute.
pub(super) enum Commute {
    /// They do if each of these pairs of indices differs.
    IfDifferent(Vec<(TermId, TermId)>),
    /// Not that we knew.
    No,
}

impl Touched {
    /// What one transition touches by itself.
    fn own(program: &Program, id: TransId) -> Touched {
        let transition = program.transition(id);
        let mut touched = Touched::default();
        let mut open: Vec<TermId> = transition.terms().collect();
        let mut seen = BTreeSet::new();
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            match *program.terms.node(term) {
                Node::Var(var) => {
                    touched.reads.insert((var, None));
                }
                Node::Select(array, index) if program.terms.as_var(array).is_some() => {
                    let var = program.terms.as_var(array).expect("just seen");
                    touched.reads.insert((var, Some(index)));
                    open.push(index);
                }
                ref node => open.extend(node.children()),
            }
        }
        touched.writes.extend(transition.updates.iter().map(|update| (update.place.var, update.place.index)));
        touched
    }

    /// What a transition touches, with the atomic sections that it begins or ends in.
    pub fn of(program: &Program, id: TransId) -> Touched {
        let mut touched = Touched::own(program, id);
        let transition = program.transition(id);
        let onward =
            |at: LocId| program.transition_ids().filter(move |&step| program.transition(step).from == at);
        let backward =
            |at: LocId| program.transition_ids().filter(move |&step| program.transition(step).to == at);
        let (mut ahead, mut behind) = (vec![transition.to], vec![transition.from]);
        let (mut at, mut seen) = (0, BTreeSet::new());
        while let Some(&location) = ahead.get(at) {
            at += 1;
            if program.location(location).atomic && seen.insert(location) {
                ahead.extend(onward(location).map(|step| program.transition(step).to));
                onward(location).for_each(|step| touched.add_somewhere(Touched::own(program, step)));
            }
        }
        (at, seen) = (0, BTreeSet::new());
        while let Some(&location) = behind.get(at) {
            at += 1;
            if program.location(location).atomic && seen.insert(location) {
                behind.extend(backward(location).map(|step| program.transition(step).from));
                backward(location).for_each(|step| touched.add_somewhere(Touched::own(program, step)));
            }
        }
        touched
    }

    /// Adds what another step touches, wherever in an array that may be.
    fn add_somewhere(&mut self, other: Touched) {
        self.reads.extend(other.reads.into_iter().map(|(var, _)| (var, None)));
        self.writes.extend(other.writes.into_iter().map(|(var, _)| (var, None)));
    }

    /// Everything that a thread may touch from a location on.
    pub fn from(program: &Program, location: LocId) -> Touched {
        let mut touched = Touched::default();
        let (mut open, mut seen) = (vec![location], BTreeSet::from([location]));
        while let Some(at) = open.pop() {
            for &step in program.outgoing(at) {
                touched.add_somewhere(Touched::own(program, step));
                let to = program.transition(step).to;
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        touched
    }

    /// Whether two threads' steps commute.
    pub fn commutes(&self, other: &Touched, program: &Program) -> Commute {
        let mut differ = Vec::new();
        let cells = |one: &Touched, two: &Touched| -> Vec<(Cell, Cell)> {
            let mut by_var: BTreeMap<VarId, Vec<Cell>> = BTreeMap::new();
            for &cell in two.reads.iter().chain(&two.writes) {
                by_var.entry(cell.0).or_default().push(cell);
            }
            let met = |cell: &Cell| by_var.get(&cell.0).cloned().unwrap_or_default();
            one.writes.iter().flat_map(|cell| met(cell).into_iter().map(|met| (*cell, met))).collect()
        };
        for ((_, one), (_, two)) in cells(self, other).into_iter().chain(cells(other, self)) {
            let (Some(one), Some(two)) = (one, two) else { return Commute::No };
            match (program.terms.as_const(one), program.terms.as_const(two)) {
                (Some(x), Some(y)) if x != y => {}
                _ if inputs(program, one).intersection(&inputs(program, two)).next().is_some() => {
                    return Commute::No;
                }
                _ => differ.push((one, two)),
            }
        }
        Commute::IfDifferent(differ)
    }
}

/// The inputs that a term mentions.
fn inputs(program: &Program, term: TermId) -> BTreeSet<VarId> {
    let vars = program.terms.vars(term).into_iter();
    vars.filter(|&var| program.variable(var).role == Role::Input).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Init, Origin, Place, ProgramBuilder, Sources, Span, Transition, Update, Variable};
    use crate::term::{ArraySort, Datum, Sort, Word};

    /// `a[input + more] = 1` by a thread of its own.
    fn writer(builder: &mut ProgramBuilder, array: VarId, input: VarId, more: i128) -> TransId {
        let thread = builder.thread("t", Span::NONE);
        let (from, to) = (builder.program().thread(thread).entry, builder.location(thread, Span::NONE));
        let terms = builder.terms();
        let (input, more) = (terms.var(input), terms.constant(more, Word::unsigned(8)));
        let (index, guard) = (terms.add(input, more), terms.bool(true));
        let value = terms.constant(1, Word::unsigned(8));
        let updates = vec![Update::whole(Place { var: array, index: Some(index) }, value)];
        builder.transition(Transition { updates, ..Transition::silent(from, to, guard) })
    }

    #[test]
    fn one_input_has_two_values_in_two_steps() {
        let mut builder = ProgramBuilder::new(Sources::default());
        let word = Word::unsigned(8);
        let sort = Sort::Array(ArraySort { elem: word, len: 4 });
        let (name, init) = ("a".to_owned(), Init::Value(Datum::zero(sort)));
        let (role, origin) = (Role::Shared, Origin::User);
        let array = builder.variable(Variable { name, sort, role, init, origin });
        let (one, other) = (builder.input("in", Sort::Word(word)), builder.input("other", Sort::Word(word)));
        let here = writer(&mut builder, array, one, 0);
        let next = writer(&mut builder, array, one, 1);
        let apart = writer(&mut builder, array, other, 1);
        let program = builder.build();
        let touched = |id| Touched::of(&program, id);
        assert!(matches!(touched(here).commutes(&touched(next), &program), Commute::No));
        assert!(
            matches!(touched(here).commutes(&touched(apart), &program), Commute::IfDifferent(pairs) if !pairs.is_empty())
        );
    }
}
