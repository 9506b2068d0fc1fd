//! Images of cubes against concrete states of small programs: nothing is lost, and nothing comes from
//! nowhere.

use std::collections::BTreeSet;

use super::*;
use crate::program::pass::tests::text::parse;
use crate::term::{Datum, VarId};

/// Two variables that a step writes, reads, or asks about.
fn program(step: &str) -> Program {
    parse(&format!(
        "shared x: i32 = 0
         shared y: i32 = 0
         thread 0 main from L0
           L0:
             -> L1 {step}
           L1: end"
    ))
}

/// The predicates `x <= y`, `x == 0`, `y <= 1`, all in use.
fn abstraction<'p>(
    program: &'p Program,
    int_model: IntModel,
    watch: &'p Watch<'p>,
) -> (Abstraction<'p>, [PredId; 3]) {
    let mut abstraction = Abstraction::new(program, int_model, watch);
    let [x, y] = [0, 1].map(|var| abstraction.terms.var(VarId::new(var)));
    let int = crate::term::Word::signed(32);
    let [zero, one] = [0, 1].map(|value| abstraction.terms.constant(value, int));
    let terms = &mut abstraction.terms;
    let atoms = [terms.le(x, y), terms.eq(x, zero), terms.le(y, one)];
    let predicates = atoms.map(|atom| abstraction.predicate(atom));
    abstraction.set_precision(&predicates.into_iter().collect());
    (abstraction, predicates)
}

type State = [i128; 2];

fn value(terms: &Pool, term: TermId, state: State) -> Datum {
    terms.eval(term, &|var: VarId| Datum::Word(state[var.index()]))
}

/// All predicates as they are in a state.
fn cube_of(abstraction: &Abstraction<'_>, predicates: [PredId; 3], state: State) -> Cube {
    let mut cube = Cube::default();
    for predicate in predicates {
        let truth = value(&abstraction.terms, abstraction.atom(predicate), state) == Datum::Bool(true);
        cube.set(predicate, Some(truth));
    }
    cube
}

/// States near zero, and where machine words wrap near their ends.
fn states(int_model: IntModel) -> Vec<State> {
    let mut values: Vec<i128> = (-4..=4).collect();
    if int_model == IntModel::BitVector {
        let [least, most] = [i32::MIN, i32::MAX].map(i128::from);
        values.extend([least, least + 1, most - 1, most]);
    }
    values.iter().flat_map(|&x| values.iter().map(move |&y| [x, y])).collect()
}

/// The state after the step, if it can be taken.
fn after(program: &Program, state: State) -> Option<State> {
    let step = &program.transitions[0];
    if value(&program.terms, step.guard, state) == Datum::Bool(false) {
        return None;
    }
    let mut next = state;
    for update in &step.updates {
        next[update.place.var.index()] = value(&program.terms, update.value, state).word();
    }
    Some(next)
}

#[test]
fn images_are_exact() {
    for step in
        ["[x < y] { x := x + 1 }", "{ x := y }", "[y == 2 || x == 0] { y := x + 1; x := 0 }", "[x != y]"]
    {
        for int_model in [IntModel::Integer, IntModel::BitVector] {
            let program = program(step);
            let watch = Watch::none();
            let (mut abstraction, predicates) = abstraction(&program, int_model, &watch);
            let states = states(int_model);
            let all: BTreeSet<Cube> =
                states.iter().map(|&state| cube_of(&abstraction, predicates, state)).collect();
            for before in all {
                let id = abstraction.cubes.id(before.clone());
                let image = abstraction.image(TransId::new(0), id).expect("the solver decides this");
                let found: BTreeSet<Cube> =
                    abstraction.cubes(image).iter().map(|&id| abstraction.cube(id).clone()).collect();
                let here = states.iter().filter(|&&state| cube_of(&abstraction, predicates, state) == before);
                let expected: BTreeSet<Cube> = here
                    .filter_map(|&state| after(&program, state))
                    .map(|state| cube_of(&abstraction, predicates, state))
                    .collect();
                assert_eq!(found, expected, "{step} {int_model:?} from {before:?}");
            }
        }
    }
}

#[test]
fn what_is_not_known_is_covered() {
    let program = program("[x < y] { x := x + 1 }");
    let watch = Watch::none();
    let (mut abstraction, predicates) = abstraction(&program, IntModel::Integer, &watch);
    let nothing = abstraction.cubes.id(Cube::default());
    let image = abstraction.image(TransId::new(0), nothing).expect("the solver decides this");
    let found: Vec<Cube> = abstraction.cubes(image).iter().map(|&id| abstraction.cube(id).clone()).collect();
    for next in states(IntModel::Integer).into_iter().filter_map(|state| after(&program, state)) {
        let cube = cube_of(&abstraction, predicates, next);
        assert!(found.iter().any(|known| cube.implies(known)), "{next:?} is lost");
    }
}

#[test]
fn the_initial_state_has_one_cube() {
    let program = program("");
    let watch = Watch::none();
    let (mut abstraction, predicates) = abstraction(&program, IntModel::Integer, &watch);
    let initial = abstraction.initial().expect("the solver decides this");
    let [cube] = initial[..] else { panic!("{initial:?}") };
    assert_eq!(abstraction.cube(cube), &cube_of(&abstraction, predicates, [0, 0]));
}

#[test]
fn answers_are_kept_when_the_predicates_change() {
    let program = program("[x < y] { x := x + 1 }");
    let watch = Watch::none();
    let (mut abstraction, predicates) = abstraction(&program, IntModel::BitVector, &watch);
    let all = cube_of(&abstraction, predicates, [0, 1]);
    let id = abstraction.cubes.id(all.clone());
    let before = abstraction.image(TransId::new(0), id).expect("the solver decides this");
    let before = abstraction.cubes(before).to_vec();
    let queries = abstraction.work().queries;
    abstraction.set_precision(&predicates[..2].iter().copied().collect());
    abstraction.set_precision(&predicates.into_iter().collect());
    let again = abstraction.image(TransId::new(0), id).expect("the solver decides this");
    assert_eq!(abstraction.cubes(again), before);
    assert_eq!(abstraction.work().queries, queries, "the solver is not asked again");
}
