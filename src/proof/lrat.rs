//! A plain checker of refutations with hints (LRAT; Cruz-Filipe, Heule, Hunt, Kaufmann, Schneider-Kamp:
//! *Efficient Certified RAT Verification*, 2017).
//!
//! A derived clause is accepted if unit propagation along its hints, and nothing else, contradicts its
//! negation: then every model of the clauses that the hints name is a model of it. Only what the empty clause
//! rests on is looked at. Steps of other kinds (resolution asymmetric tautologies, new variables) are
//! rejected; our solver is told not to make any.

use std::fmt;

use crate::sat::{Derived, Lit};

/// What is wrong with a refutation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gap {
    /// A derived clause names one that does not come before it.
    Missing(usize),
    /// A hint of a derived clause neither leaves one literal nor contradicts.
    Hint(usize),
    /// The hints of a derived clause end without a contradiction.
    Open(usize),
    /// No clause is empty.
    NotEmpty,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gap::Missing(step) => write!(f, "step {step} of the refutation uses a clause that is not there"),
            Gap::Hint(step) => write!(f, "step {step} of the refutation has a hint that says nothing"),
            Gap::Open(step) => write!(f, "step {step} of the refutation does not follow"),
            Gap::NotEmpty => write!(f, "the refutation ends without a contradiction"),
        }
    }
}

/// What a refutation rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rests {
    /// Positions of the clauses of the formula, ascending.
    pub clauses: Vec<usize>,
    /// How many derived clauses were looked at.
    pub steps: u64,
}

/// Checks that the empty clause follows from a formula.
///
/// # Errors
/// If it does not follow as the refutation says.
pub fn check(formula: &[&[Lit]], refutation: &[Derived]) -> Result<Rests, Gap> {
    if let Some(empty) = formula.iter().position(|clause| clause.is_empty()) {
        return Ok(Rests { clauses: vec![empty], steps: 0 });
    }
    let last = refutation.iter().position(|derived| derived.clause.is_empty()).ok_or(Gap::NotEmpty)?;
    let needed = needed(formula.len(), &refutation[..=last])?;
    let mut clauses = formula.to_vec();
    let mut falsified = Falsified::default();
    for (step, derived) in refutation[..=last].iter().enumerate() {
        if needed[clauses.len()] {
            falsified.begin(&derived.clause);
            falsified.contradict(&clauses, &derived.hints, step)?;
        }
        clauses.push(&derived.clause);
    }
    Ok(Rests {
        clauses: (0..formula.len()).filter(|&clause| needed[clause]).collect(),
        steps: needed[formula.len()..].iter().filter(|&&it| it).count() as u64,
    })
}

/// Which clauses the last one rests on, itself among them.
fn needed(formula: usize, refutation: &[Derived]) -> Result<Vec<bool>, Gap> {
    let mut needed = vec![false; formula + refutation.len()];
    *needed.last_mut().expect("at least one derived clause") = true;
    for (step, derived) in refutation.iter().enumerate().rev() {
        if needed[formula + step] {
            for &hint in &derived.hints {
                if hint as usize >= formula + step {
                    return Err(Gap::Missing(step));
                }
                needed[hint as usize] = true;
            }
        }
    }
    Ok(needed)
}

/// The literals that are false while one clause is looked at: by their codes, when they became so.
#[derive(Default)]
struct Falsified {
    stamps: Vec<u64>,
    now: u64,
}

impl Falsified {
    /// The literals of a clause are false, and nothing else is known.
    fn begin(&mut self, clause: &[Lit]) {
        self.now += 1;
        clause.iter().for_each(|&lit| self.falsify(lit));
    }

    fn falsify(&mut self, lit: Lit) {
        let code = lit.code() as usize;
        self.stamps.resize(self.stamps.len().max(code + 1), 0);
        self.stamps[code] = self.now;
    }

    fn is_false(&self, lit: Lit) -> bool {
        self.stamps.get(lit.code() as usize) == Some(&self.now)
    }

    /// Propagates along hints until a clause has no literal left.
    fn contradict(&mut self, clauses: &[&[Lit]], hints: &[u32], step: usize) -> Result<(), Gap> {
        for &hint in hints {
            let mut left = clauses[hint as usize].iter().copied().filter(|&lit| !self.is_false(lit));
            match (left.next(), left.next()) {
                (None, _) => return Ok(()),
                (Some(unit), None) => self.falsify(!unit),
                (Some(_), Some(_)) => return Err(Gap::Hint(step)),
            }
        }
        Err(Gap::Open(step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::random::Random;
    use crate::sat::{Refuted, refute};

    fn lit(number: u32) -> Lit {
        Lit::from_code(2 * number)
    }

    /// One pigeon more than holes.
    fn pigeons(holes: u32) -> Vec<Vec<Lit>> {
        let sits = |pigeon: u32, hole: u32| lit(1 + pigeon * holes + hole);
        let mut clauses: Vec<Vec<Lit>> =
            (0..=holes).map(|pigeon| (0..holes).map(|hole| sits(pigeon, hole)).collect()).collect();
        for (a, b) in (0..=holes).flat_map(|b| (0..b).map(move |a| (a, b))) {
            clauses.extend((0..holes).map(|hole| vec![!sits(a, hole), !sits(b, hole)]));
        }
        clauses
    }

    fn slices(clauses: &[Vec<Lit>]) -> Vec<&[Lit]> {
        clauses.iter().map(Vec::as_slice).collect()
    }

    fn refutation(clauses: &[Vec<Lit>]) -> Vec<Derived> {
        match refute(clauses, &Budget::unlimited()) {
            Ok(Refuted::Yes(refutation)) => refutation,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn refutations_of_the_solver_are_accepted() {
        for holes in 2..8 {
            let clauses = pigeons(holes);
            let rests = check(&slices(&clauses), &refutation(&clauses)).expect("a refutation");
            assert_eq!(rests.clauses.len(), clauses.len(), "every clause is needed");
        }
    }

    #[test]
    fn what_a_refutation_rests_on_has_no_model_either() {
        let mut random = Random::new(3);
        let mut refuted = 0;
        for _ in 0..300 {
            let variables = 4 + random.below(12);
            let clauses: Vec<Vec<Lit>> = (0..variables * 6)
                .map(|_| {
                    let mut clause: Vec<Lit> = (0..1 + random.below(3))
                        .map(|_| Lit::from_code(2 + random.below(2 * variables) as u32))
                        .collect();
                    clause.sort_unstable();
                    clause.dedup();
                    clause
                })
                .collect();
            let Ok(Refuted::Yes(refutation)) = refute(&clauses, &Budget::unlimited()) else { continue };
            refuted += 1;
            let rests = check(&slices(&clauses), &refutation).expect("a refutation");
            let core: Vec<Vec<Lit>> = rests.clauses.iter().map(|&clause| clauses[clause].clone()).collect();
            assert!(matches!(refute(&core, &Budget::unlimited()), Ok(Refuted::Yes(_))));
        }
        assert!(refuted > 200, "{refuted}");
    }

    #[test]
    fn damaged_refutations_are_rejected() {
        let clauses = pigeons(4);
        let whole = refutation(&clauses);
        let slices = slices(&clauses);
        let last = whole.iter().position(|derived| derived.clause.is_empty()).expect("the empty clause");
        assert_eq!(check(&slices, &whole[..last]), Err(Gap::NotEmpty));
        let needed = needed(clauses.len(), &whole[..=last]).expect("a refutation");
        for step in (0..=last).filter(|&step| needed[clauses.len() + step]) {
            let mut damaged = whole.clone();
            damaged[step].hints.pop();
            assert!(check(&slices, &damaged).is_err(), "a hint less at {step}");
            let mut damaged = whole.clone();
            damaged[step].hints = vec![(clauses.len() + step) as u32];
            assert_eq!(check(&slices, &damaged), Err(Gap::Missing(step)), "it explains itself");
        }
        let mut less = clauses.clone();
        less[0] = vec![lit(1000)];
        let less: Vec<&[Lit]> = less.iter().map(Vec::as_slice).collect();
        assert!(check(&less, &whole).is_err(), "a clause of the formula is another one");
    }
}
