//! Both backends: cores, constants, budgets, theories.

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
