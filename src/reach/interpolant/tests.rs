//! Sequences for random paths: every triple holds, and the end implies the goal.

use super::*;
use crate::budget::Budget;
use crate::program::{
    Barrier, Init, LocId, Origin, Place, ProgramBuilder, Sources, Span, Transition, Update, Variable,
};
use crate::random::Random;
use crate::reach::symbolic::SymbolicState;
use crate::smt::interruptible;
use crate::term::{ArraySort, Datum, Sort, Word};

/// A row of random steps of one thread over words, an array and inputs.
struct Row<'a> {
    random: &'a mut Random,
    builder: ProgramBuilder,
    words: Vec<VarId>,
    array: VarId,
    input: VarId,
    word: Word,
}

impl Row<'_> {
    fn new(random: &mut Random, word: Word) -> Row<'_> {
        let mut builder = ProgramBuilder::new(Sources::default());
        let mut variable = |name: &str, sort: Sort, init: Init| {
            let (role, origin) = (Role::Shared, Origin::User);
            builder.variable(Variable { name: name.to_owned(), sort, role, init, origin })
        };
        let words = ["x", "y", "z"].map(|name| {
            let init = if name == "z" { Init::Any } else { Init::Value(Datum::Word(0)) };
            variable(name, Sort::Word(word), init)
        });
        let sort = Sort::Array(ArraySort { len: 4, elem: word });
        let array = variable("a", sort, Init::Value(Datum::zero(sort)));
        let input = builder.input("in", Sort::Word(word));
        Row { random, builder, words: words.to_vec(), array, input, word }
    }

    fn value(&mut self) -> TermId {
        let (choice, constant) = (self.random.below(6), self.random.below(4) as i128);
        let var = self.random.pick(&self.words);
        let terms = self.builder.terms();
        let (var, constant, array) =
            (terms.var(var), terms.constant(constant, self.word), terms.var(self.array));
        match choice {
            0 => constant,
            1 => {
                let (input, three) = (terms.var(self.input), terms.constant(3, self.word));
                if terms.as_const(constant) == Some(0) { terms.bit_and(input, three) } else { input }
            }
            2 => terms.add(var, constant),
            3 => {
                let three = terms.constant(3, self.word);
                let index = terms.bit_and(var, three);
                terms.select(array, index)
            }
            _ => var,
        }
    }

    fn condition(&mut self) -> TermId {
        let (a, b) = (self.value(), self.value());
        match self.random.below(4) {
            0 => self.builder.terms().ne(a, b),
            1 => self.builder.terms().lt(a, b),
            2 => self.builder.terms().le(a, b),
            _ => self.builder.terms().eq(a, b),
        }
    }

    fn step(&mut self, from: LocId, to: LocId) -> TransId {
        let yes = self.builder.terms().bool(true);
        let guard = if self.random.below(2) == 0 { self.condition() } else { yes };
        let value = self.value();
        let var = self.random.pick(&self.words);
        let place = match self.random.below(5) {
            0 => {
                let terms = self.builder.terms();
                let (var, three) = (terms.var(var), terms.constant(3, self.word));
                Place { var: self.array, index: Some(terms.bit_and(var, three)) }
            }
            _ => Place { var, index: None },
        };
        let updates = if self.random.below(4) == 0 { Vec::new() } else { vec![Update::whole(place, value)] };
        let (barrier, events) = (Barrier::None, Vec::new());
        self.builder.transition(Transition {
            updates,
            barrier,
            events,
            ..Transition::silent(from, to, guard)
        })
    }

    fn path(mut self) -> (Program, Vec<TransId>) {
        let thread = self.builder.thread("main", Span::NONE);
        let mut at = self.builder.program().thread(thread).entry;
        let mut path = Vec::new();
        for _ in 0..2 + self.random.below(6) {
            let next = self.builder.location(thread, Span::NONE);
            path.push(self.step(at, next));
            at = next;
        }
        (self.builder.build(), path)
    }
}

/// How often each outcome came about.
#[derive(Debug, Default)]
struct Seen {
    sequences: usize,
    possible: usize,
    inexpressible: usize,
    /// Sequences of strongest postconditions that are not those of weakest preconditions.
    different: usize,
}

fn try_one(random: &mut Random, int_model: IntModel, word: Word, seen: &mut Seen) {
    let (program, path) = Row::new(random, word).path();
    let mut terms = program.terms.clone();
    let mut unknowns = Unknowns::default();
    let start = SymbolicState::initial(&program, &mut terms, &mut unknowns);
    let (mut state, mut conditions) = (start.clone(), Vec::new());
    for (step, &id) in path.iter().enumerate() {
        let (new, after) = state.step(&program, &mut terms, &mut unknowns, id, step);
        conditions.extend(new.into_iter().map(|condition| (step, condition)));
        state = after;
    }
    let never = terms.bool(false);
    let goal = Goal { original: never, image: never };
    let walk = Walk { program: &program, start: &start, facts: &[], path: &path, conditions: &conditions };
    let mut check = |strength: Strength| {
        interruptible(&Budget::unlimited(), |watch| {
            let mut interpolator = Interpolator::new(&program, int_model, watch).with_strength(strength);
            let found = interpolator.sequence(&mut terms, &unknowns, &walk, goal).expect("an answer");
            if let Interpolated::Sequence(sequence) = &found {
                assert!(interpolator.holds(&mut terms, &walk, sequence, never), "{program}");
                let first = start.value(&mut terms, sequence[0]);
                let outside = terms.not(first);
                let excluded = interpolator.excluded(&mut terms, &unknowns, &[], outside);
                assert_eq!(excluded, Ok(true), "the start implies the first: {program}");
                let mut vars = sequence.iter().flat_map(|&term| terms.vars(term));
                let is_state = |var: VarId| {
                    var.index() < program.variables.len() && program.variable(var).role != Role::Input
                };
                assert!(vars.all(is_state), "no inputs and no unknowns: {program}");
            }
            found
        })
    };
    let [weakest, strongest] = [Strength::Weakest, Strength::Strongest].map(&mut check);
    match weakest {
        Interpolated::Sequence(_) => {
            seen.sequences += 1;
            seen.different += usize::from(weakest != strongest);
        }
        Interpolated::Possible => seen.possible += 1,
        Interpolated::Inexpressible => seen.inexpressible += 1,
    }
}

fn try_many(int_model: IntModel, word: Word) {
    let mut random = Random::new(17);
    let mut seen = Seen::default();
    for _ in 0..150 {
        try_one(&mut random, int_model, word, &mut seen);
    }
    let enough = seen.sequences > 30 && seen.possible > 30 && seen.different > 10;
    assert!(enough && seen.inexpressible == 0, "{seen:?}");
}

#[test]
fn sequences_over_machine_words() {
    try_many(IntModel::BitVector, Word::unsigned(3));
    try_many(IntModel::BitVector, Word::signed(8));
}

#[test]
fn sequences_over_mathematical_integers() {
    try_many(IntModel::Integer, Word::unsigned(3));
}
