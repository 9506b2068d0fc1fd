//! The incremental SAT solver: literals, clauses, assumptions, cores, models. The search is CaDiCaL's (`plain.rs`), or one that a
//! theory looks on (`guided.rs`).
//!
//! Variable 0 is the constant: it is true from the start, so that [`Lit::TRUE`] and [`Lit::FALSE`] are ordinary
//! literals. Clauses stay for ever; what is to be retracted is guarded by a literal and switched on by an assumption.
//! A model is valid from a [`Answer::Sat`] until the next clause or call of [`Solver::solve`].

use super::guided::Guided;
use super::plain::Plain;
use super::theory::Theory;
use crate::budget::{Budget, Stop};
use std::fmt;
use std::ops::Not;

/// A literal: a variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The literal that always holds.
    pub const TRUE: Lit = Lit(0);
    /// The literal that never holds.
    pub const FALSE: Lit = Lit(1);

    /// [`Lit::TRUE`] or [`Lit::FALSE`].
    pub fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }

    /// Which constant this is, if it is one.
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 0)
    }

    /// A number that stands for the literal: twice the variable, plus one if negated.
    pub fn code(self) -> u32 {
        self.0
    }

    /// The literal with a [`code`](Lit::code).
    pub fn from_code(code: u32) -> Lit {
        Lit(code)
    }

    /// Whether this is the negation of its variable.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_constant() {
            Some(value) => write!(f, "{value}"),
            None => write!(f, "{}{}", if self.is_negated() { "!" } else { "" }, self.0 >> 1),
        }
    }
}

/// What a call of the solver established.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model; [`Solver::value`] reads it.
    Sat,
    /// There is none under these assumptions, a subset of those given.
    Unsat(Vec<Lit>),
    /// Nothing, since the budget of the run is used up.
    Unknown(Stop),
}

/// How much a solver holds and has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Variables made, the constant not counted.
    pub variables: u64,
    /// Clauses added, satisfied ones not counted.
    pub clauses: u64,
    /// Conflicts met in all calls.
    pub conflicts: u64,
}

/// An incremental solver.
#[derive(Debug)]
pub struct Solver {
    search: Search,
    budget: Budget,
    variables: u32,
    clauses: u64,
}

/// Who searches.
#[derive(Debug)]
enum Search {
    Plain(Plain),
    Guided(Box<Guided>),
}

impl Solver {
    /// An empty solver that works within a budget.
    pub fn new(budget: &Budget) -> Solver {
        Solver::by(Search::Plain(Plain::new(budget)), budget)
    }

    /// An empty solver that can consult a theory while it searches.
    pub fn guided(budget: &Budget) -> Solver {
        Solver::by(Search::Guided(Box::new(Guided::new(budget))), budget)
    }

    fn by(search: Search, budget: &Budget) -> Solver {
        let mut solver = Solver { search, budget: budget.clone(), variables: 1, clauses: 0 };
        solver.pass_on([Lit::TRUE].into_iter());
        solver
    }

    /// The positive literal of a new variable.
    ///
    /// # Panics
    /// After 2^30 variables.
    pub fn fresh(&mut self) -> Lit {
        assert!(self.variables < 1 << 30, "too many variables of the solver");
        let lit = Lit(self.variables << 1);
        self.variables += 1;
        lit
    }

    /// Adds a clause for good.
    pub fn add(&mut self, clause: &[Lit]) {
        if clause.contains(&Lit::TRUE) {
            return;
        }
        self.clauses += 1;
        self.pass_on(clause.iter().copied().filter(|&lit| lit != Lit::FALSE));
    }

    fn pass_on(&mut self, clause: impl Iterator<Item = Lit>) {
        match &mut self.search {
            Search::Plain(plain) => plain.add(clause),
            Search::Guided(guided) => guided.add(clause),
        }
    }

    /// Looks for a model of all clauses in which the assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.solve_by(assumptions, |search| match search {
            Search::Plain(plain) => plain.solve(assumptions),
            Search::Guided(guided) => guided.solve(None, assumptions),
        })
    }

    /// Looks for a model of all clauses that a theory agrees with, too. What was learnt from the theory stays: later
    /// theories must agree with it.
    ///
    /// # Panics
    /// If the solver is not a [`guided`](Solver::guided) one.
    pub fn solve_with(&mut self, theory: &mut dyn Theory, assumptions: &[Lit]) -> Answer {
        self.solve_by(assumptions, |search| match search {
            Search::Plain(_) => panic!("this solver consults nobody"),
            Search::Guided(guided) => guided.solve(Some(theory), assumptions),
        })
    }

    fn solve_by(
        &mut self,
        assumptions: &[Lit],
        solve: impl FnOnce(&mut Search) -> Result<bool, Stop>,
    ) -> Answer {
        let found = self.budget.check().and_then(|()| solve(&mut self.search));
        match (found, &mut self.search) {
            (Err(stop), _) => Answer::Unknown(stop),
            (Ok(true), _) => Answer::Sat,
            (Ok(false), Search::Plain(plain)) => Answer::Unsat(plain.core(assumptions)),
            (Ok(false), Search::Guided(guided)) => Answer::Unsat(guided.core(assumptions)),
        }
    }

    /// Whether a literal holds in the model. Variables that no clause mentions are false.
    ///
    /// # Panics
    /// If there is no model.
    pub fn value(&self, lit: Lit) -> bool {
        let value = match &self.search {
            Search::Plain(plain) => plain.value(lit),
            Search::Guided(guided) => guided.value(lit),
        };
        value.unwrap_or(lit.is_negated())
    }

    /// How much there is.
    pub fn size(&self) -> Size {
        let conflicts = match &self.search {
            Search::Plain(plain) => plain.conflicts(),
            Search::Guided(guided) => guided.conflicts(),
        };
        Size { variables: u64::from(self.variables) - 1, clauses: self.clauses, conflicts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    /// `holes + 1` pigeons in `holes` holes: hard for resolution.
    fn pigeons(solver: &mut Solver, holes: usize) {
        let sits: Vec<Vec<Lit>> = (0..=holes).map(|_| (0..holes).map(|_| solver.fresh()).collect()).collect();
        for (i, pigeon) in sits.iter().enumerate() {
            solver.add(pigeon);
            for other in &sits[..i] {
                for (a, b) in pigeon.iter().zip(other) {
                    solver.add(&[!*a, !*b]);
                }
            }
        }
    }

    fn both(budget: &Budget) -> [Solver; 2] {
        [Solver::new(budget), Solver::guided(budget)]
    }

    #[test]
    fn cores_name_the_assumptions_that_matter() {
        both(&Budget::unlimited()).into_iter().for_each(cores);
    }

    fn cores(mut solver: Solver) {
        let [a, b, c] = [solver.fresh(), solver.fresh(), solver.fresh()];
        solver.add(&[!a, !b]);
        assert_eq!(solver.solve(&[c, a, b]), Answer::Unsat(vec![a, b]));
        assert_eq!(solver.solve(&[c, a]), Answer::Sat);
        assert!(solver.value(a) && !solver.value(b) && solver.value(!b) && solver.value(c));
        solver.add(&[!a]);
        assert_eq!(solver.solve(&[a]), Answer::Unsat(vec![a]));
        assert_eq!(solver.solve(&[]), Answer::Sat);
    }

    #[test]
    fn constants_are_literals() {
        both(&Budget::unlimited()).into_iter().for_each(constants);
    }

    fn constants(mut solver: Solver) {
        solver.add(&[Lit::TRUE]);
        assert_eq!(solver.size().clauses, 0);
        assert_eq!(solver.solve(&[Lit::TRUE]), Answer::Sat);
        assert!(solver.value(Lit::TRUE) && !solver.value(Lit::FALSE));
        assert_eq!(solver.solve(&[Lit::FALSE]), Answer::Unsat(vec![Lit::FALSE]));
        solver.add(&[Lit::FALSE]);
        assert_eq!(solver.solve(&[]), Answer::Unsat(vec![]));
    }

    #[test]
    fn the_budget_ends_a_call() {
        let limit = Duration::from_millis(50);
        for make in [Solver::new, Solver::guided] {
            let budget = Budget::unlimited().with_time(limit);
            let mut solver = make(&budget);
            pigeons(&mut solver, 14);
            assert_eq!(solver.solve(&[]), Answer::Unknown(Stop::Time(limit)));
            assert!(budget.elapsed() < Duration::from_secs(20), "stopped late: {:?}", budget.elapsed());
        }
        let budget = Budget::unlimited();
        budget.cancellation().store(true, Ordering::Relaxed);
        for mut solver in both(&budget) {
            assert_eq!(solver.solve(&[]), Answer::Unknown(Stop::Cancelled));
        }
    }

    /// At most one of these literals holds.
    struct AtMostOne {
        lits: Vec<Lit>,
        levels: Vec<Vec<Lit>>,
    }

    impl Theory for AtMostOne {
        fn push(&mut self) {
            self.levels.push(Vec::new());
        }

        fn pop(&mut self) {
            self.levels.pop();
        }

        fn assign(&mut self, news: &[Lit], is_open: &dyn Fn(Lit) -> bool) -> Result<Vec<Lit>, Vec<Lit>> {
            let own = news.iter().copied().filter(|lit| self.lits.contains(lit));
            let level = self.levels.last_mut().expect("level 0 stays");
            level.extend(own.collect::<Vec<_>>());
            let mut held: Vec<Lit> = self.levels.iter().flatten().copied().collect();
            held.sort_unstable();
            held.dedup();
            match held.len() {
                0 => Ok(Vec::new()),
                // Half of the consequences are left to conflicts.
                1 => Ok(self.lits.iter().step_by(2).filter(|&&lit| is_open(lit)).map(|&lit| !lit).collect()),
                _ => Err(held[..2].to_vec()),
            }
        }

        fn explain(&mut self, _: Lit) -> Vec<Lit> {
            vec![self.levels.iter().flatten().copied().next().expect("one literal holds")]
        }
    }

    /// Random clauses, with the theory and with its rule written down.
    #[test]
    fn a_theory_is_as_good_as_its_clauses() {
        let mut random = Random::new(5);
        let mut answers = [0, 0];
        for _ in 0..300 {
            let budget = Budget::unlimited();
            let [mut plain, mut guided] = both(&budget);
            let lits: Vec<Lit> = (0..14).map(|_| plain.fresh()).collect();
            lits.iter().for_each(|_| assert!(guided.fresh() != Lit::TRUE));
            let one: Vec<Lit> = lits[..7].to_vec();
            for (i, &a) in one.iter().enumerate() {
                one[..i].iter().for_each(|&b| plain.add(&[!a, !b]));
            }
            for _ in 0..30 + random.below(20) {
                let mut lit = || if random.below(2) == 0 { random.pick(&lits) } else { !random.pick(&lits) };
                let clause = [lit(), lit(), lit()];
                plain.add(&clause);
                guided.add(&clause);
            }
            let mut theory = AtMostOne { lits: one, levels: vec![Vec::new()] };
            for _ in 0..4 {
                let assumed = [random.pick(&lits), !random.pick(&lits)];
                let expected = plain.solve(&assumed);
                match (guided.solve_with(&mut theory, &assumed), &expected) {
                    (Answer::Sat, Answer::Sat) => {
                        answers[0] += 1;
                        assert!(theory.lits.iter().filter(|&&lit| guided.value(lit)).count() <= 1);
                    }
                    (Answer::Unsat(core), Answer::Unsat(_)) => {
                        answers[1] += 1;
                        assert!(matches!(plain.solve(&core), Answer::Unsat(_)), "a core has no model either");
                    }
                    (answer, _) => panic!("{answer:?} instead of {expected:?}"),
                }
            }
        }
        assert!(answers.iter().all(|&count| count > 200), "{answers:?}");
    }
}
