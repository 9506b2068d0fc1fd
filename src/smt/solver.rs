//! An incremental solver over terms.

use std::fmt;

use z3::ast::{Array, BV, Bool, Int};
use z3::{Params, SatResult};

use super::Watch;
use super::interrupt::Interrupted;
use super::translate::{IntModel, Translator, in_range};
use crate::budget::{Budget, Stop};
use crate::term::{ArraySort, Datum, Pool, Sort, TermId, VarId};

/// Arrays with more elements have no values.
const MOST_ELEMENTS: u64 = 4096;

/// What a query came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model; ask [`Solver::value`].
    Sat,
    /// There is none; these assumptions suffice for that (none if the assertions alone do).
    Unsat(Vec<TermId>),
    /// The solver gave up.
    Unknown(GaveUp),
}

/// Why a solver has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GaveUp {
    /// The budget ended.
    Stopped(Stop),
    /// For a reason of its own.
    Solver(String),
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GaveUp::Stopped(stop) => stop.fmt(f),
            GaveUp::Solver(reason) => write!(f, "the solver gave up: {reason}"),
        }
    }
}

impl From<Stop> for GaveUp {
    fn from(stop: Stop) -> GaveUp {
        GaveUp::Stopped(stop)
    }
}

/// A solver for terms of one pool. The pool may grow between calls, but must always be the same one.
pub struct Solver {
    solver: z3::Solver,
    translator: Translator,
    model: Option<z3::Model>,
    queries: u64,
    budget: Budget,
    interrupted: Interrupted,
    /// Facts about variables met inside a scope, to be asserted again when the scope is left.
    scoped_facts: Vec<Vec<Bool>>,
}

impl Solver {
    /// A solver without assertions; its random choices are fixed. No query begins when the budget has ended,
    /// and one that has begun ends with it.
    pub fn new(model: IntModel, watch: &Watch<'_>) -> Solver {
        watch.begin();
        let solver = z3::Solver::new();
        let mut params = Params::new();
        params.set_u32("random_seed", 0);
        // Z3 would put its own handler in the place of ours while it works.
        params.set_bool("ctrl_c", false);
        solver.set_params(&params);
        Solver {
            solver,
            translator: Translator::new(model),
            model: None,
            queries: 0,
            budget: watch.budget().clone(),
            interrupted: watch.interrupted(),
            scoped_facts: Vec::new(),
        }
    }

    /// What words are.
    pub fn int_model(&self) -> IntModel {
        self.translator.model()
    }

    /// Number of queries so far.
    pub fn queries(&self) -> u64 {
        self.queries
    }

    /// Adds an assertion; it lasts until the scope is left.
    pub fn assert(&mut self, pool: &Pool, term: TermId) {
        let truth = self.translated(pool, term);
        self.solver.assert(&truth);
    }

    /// Asserts that a variable is in the range of its type; under [`IntModel::Integer`] signed variables are
    /// not by themselves.
    pub fn assert_in_range(&mut self, pool: &Pool, var: VarId) {
        if let (Sort::Word(word), IntModel::Integer) = (pool.var_sort(var), self.int_model()) {
            let int = self.translator.var(pool, var).as_int().expect("an integer");
            self.solver.assert(in_range(&int, word));
        }
    }

    /// Opens a scope.
    pub fn push(&mut self) {
        self.solver.push();
        self.scoped_facts.push(Vec::new());
    }

    /// Leaves a scope: its assertions go.
    ///
    /// # Panics
    /// If no scope is open.
    pub fn pop(&mut self) {
        let facts = self.scoped_facts.pop().expect("an open scope");
        self.solver.pop(1);
        self.state_facts(facts);
    }

    /// Whether the assertions and these assumptions have a model.
    pub fn check(&mut self, pool: &Pool, assumptions: &[TermId]) -> Answer {
        self.queries += 1;
        self.model = None;
        if let Some(stop) = self.stopped() {
            return Answer::Unknown(stop.into());
        }
        let literals: Vec<Bool> = assumptions.iter().map(|&term| self.translated(pool, term)).collect();
        let result = self.solver.check_assumptions(&literals);
        self.answer(result, assumptions, &literals)
    }

    /// Why no more is asked.
    fn stopped(&self) -> Option<Stop> {
        self.interrupted.get().copied().or_else(|| self.budget.check().err())
    }

    /// What a result means. Nothing once Z3 was interrupted: it may have dropped assertions.
    fn answer(&mut self, result: SatResult, assumptions: &[TermId], literals: &[Bool]) -> Answer {
        if let Some(&stop) = self.interrupted.get() {
            return Answer::Unknown(stop.into());
        }
        match result {
            SatResult::Sat => {
                self.model = self.solver.get_model();
                Answer::Sat
            }
            SatResult::Unsat => {
                let core = self.solver.get_unsat_core();
                let used = |literal: &Bool| core.iter().any(|member| member.ast_eq(literal));
                Answer::Unsat(
                    assumptions.iter().zip(literals).filter(|(_, l)| used(l)).map(|(&t, _)| t).collect(),
                )
            }
            SatResult::Unknown => Answer::Unknown(self.why_unknown()),
        }
    }

    fn why_unknown(&self) -> GaveUp {
        let reason = || self.solver.get_reason_unknown().unwrap_or_else(|| "no reason given".to_owned());
        self.stopped().map_or_else(|| GaveUp::Solver(reason()), GaveUp::Stopped)
    }

    /// The value of a variable in the last model. `None` if the last query had none, for long arrays, or if
    /// the value is beyond 128 bits.
    pub fn value(&mut self, pool: &Pool, var: VarId) -> Option<Datum> {
        let term = self.translator.var(pool, var);
        let value = self.model.as_ref()?.eval(&term, true)?;
        match pool.var_sort(var) {
            Sort::Bool => value.as_bool()?.as_bool().map(Datum::Bool),
            Sort::Word(word) => match self.int_model() {
                IntModel::Integer => value.as_int()?.as_i128().map(Datum::Word),
                IntModel::BitVector => {
                    value.as_bv()?.as_u64().map(|bits| Datum::Word(word.wrap(i128::from(bits))))
                }
            },
            Sort::Array(array) => self.elements(&term.as_array()?, array),
        }
    }

    /// The elements of an array in the last model, if they are few and all in the range of their type.
    fn elements(&self, array: &Array, sort: ArraySort) -> Option<Datum> {
        let model = self.model.as_ref()?;
        let element = |at: u64| match self.int_model() {
            IntModel::Integer => {
                let value = model.eval(&array.select(&Int::from_u64(at)), true)?.as_int()?.as_i128()?;
                (sort.elem.wrap(value) == value).then_some(value)
            }
            IntModel::BitVector => {
                let bits = model.eval(&array.select(&BV::from_u64(at, 64)), true)?.as_bv()?.as_u64()?;
                Some(sort.elem.wrap(i128::from(bits)))
            }
        };
        let few = (u64::from(sort.len) <= MOST_ELEMENTS).then_some(0..u64::from(sort.len))?;
        few.map(element).collect::<Option<Vec<i128>>>().map(|elements| Datum::Array(elements.into()))
    }

    /// The value of a truth term in the last model; `None` if there is no model.
    pub fn truth(&mut self, pool: &Pool, term: TermId) -> Option<bool> {
        let term = self.translated(pool, term);
        self.model.as_ref()?.eval(&term, true)?.as_bool()
    }

    fn translated(&mut self, pool: &Pool, term: TermId) -> Bool {
        let truth = self.translator.truth(pool, term);
        let facts = self.translator.take_facts();
        self.state_facts(facts);
        truth
    }

    /// Asserts facts now and, when scopes are left, again.
    fn state_facts(&mut self, facts: Vec<Bool>) {
        for fact in &facts {
            self.solver.assert(fact);
        }
        if let Some(scope) = self.scoped_facts.last_mut() {
            scope.extend(facts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::term::{ArraySort, FloatMap, FloatOp, FloatOrder, Word};

    /// A random word term over two variables of that word and one of another.
    fn random_term(pool: &mut Pool, random: &mut Random, vars: &[VarId], word: Word, depth: u32) -> TermId {
        if depth == 0 || random.below(6) == 0 {
            let var = vars[random.below(vars.len())];
            let leaf = pool.var(var);
            let leaf = pool.cast(leaf, word);
            let constant = pool.constant(random.below(11) as i128 - 5, word);
            return if random.below(3) == 0 { constant } else { leaf };
        }
        let a = random_term(pool, random, vars, word, depth - 1);
        let b = random_term(pool, random, vars, word, depth - 1);
        match random.below(13) {
            0 => pool.add(a, b),
            1 => pool.sub(a, b),
            2 => pool.mul(a, b),
            3 => pool.div(a, b),
            4 => pool.rem(a, b),
            5 => pool.shl(a, b),
            6 => pool.shr(a, b),
            7 => pool.bit_and(a, b),
            8 => pool.bit_or(a, b),
            9 => pool.bit_xor(a, b),
            10 => pool.neg(a),
            11 => {
                let other = Word::unsigned(5);
                let narrow = pool.cast(a, other);
                pool.cast(narrow, word)
            }
            _ => {
                let c = pool.le(a, b);
                pool.ite(c, b, a)
            }
        }
    }

    /// Z3 may leave out what it is told while it is interrupted, and answers all the same.
    /// The elements of an array that nothing else says anything about are those of its type.
    #[test]
    fn arrays_have_values() {
        for (int_model, elem) in [
            (IntModel::Integer, Word::unsigned(8)),
            (IntModel::BitVector, Word::signed(3)),
            (IntModel::Integer, Word::signed(32)),
        ] {
            let mut pool = Pool::new();
            let var = pool.declare("a", Sort::Array(ArraySort { len: 3, elem }));
            let (array, index) = (pool.var(var), pool.constant(1, Word::unsigned(64)));
            let (second, wanted) = (pool.select(array, index), pool.constant(2, elem));
            let question = pool.lt(wanted, second);
            let watch = Watch::none();
            let mut solver = Solver::new(int_model, &watch);
            assert_eq!(solver.check(&pool, &[question]), Answer::Sat);
            let Some(Datum::Array(elements)) = solver.value(&pool, var) else { panic!("no value") };
            assert!(elements.len() == 3 && elements[1] > 2 && elem.wrap(elements[1]) == elements[1]);
        }
    }

    /// Elements are in the range of their type.
    #[test]
    fn elements_are_in_range() {
        let mut pool = Pool::new();
        let elem = Word::unsigned(8);
        let var = pool.declare("a", Sort::Array(ArraySort { len: 3, elem }));
        let at = pool.declare("i", Sort::Word(Word::unsigned(2)));
        let (array, index, most) = (pool.var(var), pool.var(at), pool.constant(200, elem));
        let element = pool.select(array, index);
        let wide = Word::signed(32);
        let (element, most) = (pool.cast(element, wide), pool.cast(most, wide));
        let (sum, limit) = (pool.add(element, most), pool.constant(455, wide));
        let beyond = pool.lt(limit, sum);
        let watch = Watch::none();
        let mut solver = Solver::new(IntModel::Integer, &watch);
        assert!(matches!(solver.check(&pool, &[beyond]), Answer::Unsat(_)));
    }

    #[test]
    fn no_answer_counts_after_an_interruption() {
        let pool = Pool::new();
        let watch = Watch::none();
        let mut solver = Solver::new(IntModel::Integer, &watch);
        assert_eq!(solver.answer(SatResult::Sat, &[], &[]), Answer::Sat);
        let stop = *watch.interrupted().get_or_init(|| Stop::Beaten);
        let nothing = Answer::Unknown(GaveUp::Stopped(stop));
        for result in [SatResult::Sat, SatResult::Unsat, SatResult::Unknown] {
            assert_eq!(solver.answer(result, &[], &[]), nothing);
        }
        assert_eq!(solver.check(&pool, &[]), nothing);
    }

    fn agree_with_evaluation(model: IntModel, words: &[Word], rounds: u64) {
        let mut random = Random::new(7);
        for round in 0..rounds {
            let word = words[(round % words.len() as u64) as usize];
            let mut pool = Pool::new();
            let vars = [
                pool.declare("x", Sort::Word(word)),
                pool.declare("x", Sort::Word(word)),
                pool.declare("z", Sort::Word(Word::signed(7))),
            ];
            let term = random_term(&mut pool, &mut random, &vars, word, 3);
            let values: Vec<i128> = vars
                .iter()
                .map(|&v| pool.var_sort(v).as_word().unwrap().wrap(random.below(1 << 31) as i128))
                .collect();
            let expected = pool.eval(term, &|var: VarId| Datum::Word(values[var.index()])).word();
            let mut solver = Solver::new(model, &Watch::none());
            for (&var, &value) in vars.iter().zip(&values) {
                let (var, sort) = (pool.var(var), pool.var_sort(var).as_word().unwrap());
                let value = pool.constant(value, sort);
                let equation = pool.eq(var, value);
                solver.assert(&pool, equation);
            }
            let expected_term = pool.constant(expected, word);
            let equal = pool.eq(term, expected_term);
            let differs = pool.not(equal);
            let shown = pool.display(term).to_string();
            assert_eq!(solver.check(&pool, &[equal]), Answer::Sat, "{shown} = {expected} with {values:?}");
            assert!(
                matches!(solver.check(&pool, &[differs]), Answer::Unsat(_)),
                "{shown} != {expected} with {values:?}"
            );
        }
    }

    #[test]
    fn bit_vectors_agree_with_evaluation() {
        let words = [1, 3, 8, 32, 64].map(|bits| [Word::signed(bits), Word::unsigned(bits)]).concat();
        agree_with_evaluation(IntModel::BitVector, &words, 400);
    }

    /// Zeros, ones, infinities, NaNs, the least and the greatest, and some that round.
    const DOUBLES: [u64; 14] = [
        0,
        1,
        0x8000_0000_0000_0000,
        0x3ff0_0000_0000_0000,
        0xbff8_0000_0000_0000,
        0x3fb9_9999_9999_999a,
        0x4340_0000_0000_0001,
        0x41e0_0000_0010_0000,
        0xc1e0_0000_001f_ffff,
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        0x7ff8_0000_0000_0000,
        0x7ff0_0000_0000_0001,
    ];

    /// A term over variables that have these values is what evaluation says.
    fn agrees(pool: &mut Pool, term: TermId, values: &[(VarId, i128)]) {
        let value = |var: VarId| {
            let found = values.iter().find(|(known, _)| *known == var);
            Datum::Word(found.expect("a variable with a value").1)
        };
        let (expected, sort) = (pool.eval(term, &value), pool.sort(term));
        let mut solver = Solver::new(IntModel::BitVector, &Watch::none());
        for &(var, value) in values {
            let (var, word) = (pool.var(var), pool.var_sort(var).as_word().expect("a word"));
            let value = pool.constant(value, word);
            let equation = pool.eq(var, value);
            solver.assert(pool, equation);
        }
        let expected = pool.datum(&expected, sort);
        let differs = pool.eq(term, expected);
        let differs = pool.not(differs);
        let shown = pool.display(term).to_string();
        assert!(matches!(solver.check(pool, &[differs]), Answer::Unsat(_)), "{shown} with {values:?}");
    }

    #[test]
    fn floats_agree_with_evaluation() {
        let (double, float) = (Word::unsigned(64), Word::unsigned(32));
        let mut pool = Pool::new();
        let [x, y] = ["x", "y"].map(|name| pool.declare(name, Sort::Word(double)));
        let (tx, ty) = (pool.var(x), pool.var(y));
        let mut terms: Vec<TermId> = [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div]
            .map(|op| pool.float(op, tx, ty))
            .to_vec();
        for order in [FloatOrder::Equal, FloatOrder::Less, FloatOrder::LessEqual] {
            terms.push(pool.float_compare(order, tx, ty));
        }
        for (round, &a) in DOUBLES.iter().enumerate() {
            for (at, &b) in DOUBLES.iter().enumerate() {
                let term = terms[(round + at) % terms.len()];
                agrees(&mut pool, term, &[(x, a.into()), (y, b.into())]);
            }
        }
        let narrow = pool.float_map(FloatMap::Resize, tx, float);
        let wide = pool.float_map(FloatMap::Resize, narrow, double);
        let mut maps = vec![narrow, wide, pool.float_map(FloatMap::Sqrt, tx, double)];
        for word in [Word::signed(32), Word::unsigned(32), Word::signed(64), Word::unsigned(64)] {
            let whole = pool.float_map(FloatMap::ToWord, tx, word);
            maps.extend([whole, pool.float_map(FloatMap::FromWord, whole, float)]);
        }
        let signed = pool.cast(tx, Word::signed(64));
        maps.push(pool.float_map(FloatMap::FromWord, signed, float));
        maps.push(pool.float_map(FloatMap::FromWord, tx, double));
        for &a in &DOUBLES {
            for &term in &maps {
                agrees(&mut pool, term, &[(x, a.into())]);
            }
        }
    }

    #[test]
    fn unsigned_integers_agree_with_evaluation() {
        agree_with_evaluation(IntModel::Integer, &[1, 3, 8, 32].map(Word::unsigned), 400);
    }

    #[test]
    fn signed_integers_do_not_wrap() {
        let mut pool = Pool::new();
        let x = pool.declare("x", Sort::Word(Word::signed(32)));
        let (x, one) = (pool.var(x), pool.constant(1, Word::signed(32)));
        let next = pool.add(x, one);
        let overflow = pool.le(next, x);
        assert!(matches!(
            Solver::new(IntModel::Integer, &Watch::none()).check(&pool, &[overflow]),
            Answer::Unsat(_)
        ));
        assert_eq!(Solver::new(IntModel::BitVector, &Watch::none()).check(&pool, &[overflow]), Answer::Sat);
    }

    #[test]
    fn cores_are_assumptions_and_models_give_values() {
        let mut pool = Pool::new();
        let word = Word::signed(32);
        let [x, y] = ["x", "y"].map(|name| pool.declare(name, Sort::Word(word)));
        let (tx, ty, five) = (pool.var(x), pool.var(y), pool.constant(5, word));
        let (small, large, other) = (pool.lt(tx, five), pool.lt(five, tx), pool.eq(ty, five));
        let mut solver = Solver::new(IntModel::Integer, &Watch::none());
        assert_eq!(solver.check(&pool, &[small, other, large]), Answer::Unsat(vec![small, large]));
        assert_eq!(solver.check(&pool, &[small, other]), Answer::Sat);
        assert_eq!(solver.value(&pool, y), Some(Datum::Word(5)));
        assert_eq!(solver.queries(), 2);
    }

    #[test]
    fn ranges_of_variables_survive_scopes() {
        let mut pool = Pool::new();
        let word = Word::unsigned(8);
        let x = pool.declare("x", Sort::Word(word));
        let tx = pool.var(x);
        let wide = pool.cast(tx, Word::signed(32));
        let limit = pool.constant(300, Word::signed(32));
        let impossible = pool.le(limit, wide);
        let mut solver = Solver::new(IntModel::Integer, &Watch::none());
        solver.push();
        let ten = pool.constant(10, word);
        let equation = pool.eq(tx, ten);
        solver.assert(&pool, equation);
        solver.pop();
        assert!(matches!(solver.check(&pool, &[impossible]), Answer::Unsat(_)));
        let big = pool.constant(200, word);
        let high = pool.le(big, tx);
        assert_eq!(solver.check(&pool, &[high]), Answer::Sat);
    }

    #[test]
    fn arrays_are_read_where_they_were_written() {
        for model in [IntModel::Integer, IntModel::BitVector] {
            let mut pool = Pool::new();
            let word = Word::signed(32);
            let a = pool.declare("a", Sort::Array(ArraySort { len: 4, elem: word }));
            let [i, j] = ["i", "j"].map(|name| pool.declare(name, Sort::Word(word)));
            let (ta, ti, tj, seven) = (pool.var(a), pool.var(i), pool.var(j), pool.constant(7, word));
            let stored = pool.store(ta, ti, seven);
            let read = pool.select(stored, tj);
            let (same, differs) = (pool.eq(ti, tj), pool.ne(read, seven));
            let mut solver = Solver::new(model, &Watch::none());
            assert!(matches!(solver.check(&pool, &[same, differs]), Answer::Unsat(_)));
            assert_eq!(solver.check(&pool, &[differs]), Answer::Sat);
        }
    }
}
