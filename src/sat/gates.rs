//! Structurally hashed gates: equal gates over equal inputs are one literal.
//!
//! Every gate is defined in both directions (Tseitin), so a gate's literal may be used with either sign, as
//! an assumption, and in later clauses. Constants and repeated or opposite inputs fold before anything is
//! made; inputs are brought into a canonical order and sign first, so that `a ^ !b` and `!(b ^ a)` share one
//! variable.

use rustc_hash::FxHashMap;

use super::solver::{Lit, Solver};

#[derive(PartialEq, Eq, Hash)]
enum Gate {
    And(Box<[Lit]>),
    Xor(Lit, Lit),
    /// Condition, then, else.
    Ite(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

/// A solver with a table of the gates that it holds.
#[derive(Debug)]
pub struct Gates {
    solver: Solver,
    made: FxHashMap<Gate, Lit>,
}

impl std::fmt::Debug for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Gate::And(inputs) => write!(f, "and{inputs:?}"),
            Gate::Xor(a, b) => write!(f, "xor[{a:?}, {b:?}]"),
            Gate::Ite(c, a, b) => write!(f, "ite[{c:?}, {a:?}, {b:?}]"),
            Gate::Majority(a, b, c) => write!(f, "majority[{a:?}, {b:?}, {c:?}]"),
        }
    }
}

impl Gates {
    /// No gates yet.
    pub fn new(solver: Solver) -> Gates {
        Gates { solver, made: FxHashMap::default() }
    }

    /// The solver that holds the gates.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// The solver, to add clauses and to solve.
    pub fn solver_mut(&mut self) -> &mut Solver {
        &mut self.solver
    }

    /// Number of gates made.
    pub fn len(&self) -> usize {
        self.made.len()
    }

    /// Whether none was made.
    pub fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    /// Conjunction of two.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.all(&[a, b])
    }

    /// Disjunction of two.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.all(&[!a, !b])
    }

    /// Conjunction of any number.
    pub fn all(&mut self, inputs: &[Lit]) -> Lit {
        let mut inputs: Vec<Lit> = inputs.iter().copied().filter(|&lit| lit != Lit::TRUE).collect();
        inputs.sort_unstable();
        inputs.dedup();
        // A literal and its negation have neighbouring codes.
        if inputs.contains(&Lit::FALSE) || inputs.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Lit::FALSE;
        }
        match inputs[..] {
            [] => Lit::TRUE,
            [one] => one,
            _ => self.gate(Gate::And(inputs.into())),
        }
    }

    /// Disjunction of any number.
    pub fn any(&mut self, inputs: &[Lit]) -> Lit {
        let negated: Vec<Lit> = inputs.iter().map(|&lit| !lit).collect();
        !self.all(&negated)
    }

    /// Exclusive disjunction.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        match (a.as_constant(), b.as_constant()) {
            (Some(value), _) => return negate_if(b, value),
            (_, Some(value)) => return negate_if(a, value),
            _ if a == b => return Lit::FALSE,
            _ if a == !b => return Lit::TRUE,
            _ => {}
        }
        let odd = a.is_negated() != b.is_negated();
        let (a, b) = (negate_if(a, a.is_negated()), negate_if(b, b.is_negated()));
        negate_if(self.gate(Gate::Xor(a.min(b), a.max(b))), odd)
    }

    /// Equality.
    pub fn equal(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// `if c then a else b`.
    pub fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if let Some(value) = c.as_constant() {
            return if value { a } else { b };
        }
        if c.is_negated() {
            return self.ite(!c, b, a);
        }
        match () {
            () if a == b => a,
            () if a == !b => self.equal(c, a),
            () if a == Lit::TRUE || a == c => self.or(c, b),
            () if a == Lit::FALSE || a == !c => self.and(!c, b),
            () if b == Lit::TRUE || b == !c => self.or(!c, a),
            () if b == Lit::FALSE || b == c => self.and(c, a),
            () if a.is_negated() => !self.gate(Gate::Ite(c, !a, !b)),
            () => self.gate(Gate::Ite(c, a, b)),
        }
    }

    /// Whether at least two of three hold: the carry of an adder.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        match a.as_constant() {
            Some(true) => return self.or(b, c),
            Some(false) => return self.and(b, c),
            None => {}
        }
        match () {
            () if a == b => a,
            () if b == c => b,
            () if a == !b => c,
            () if b == !c => a,
            () if a.is_negated() => !self.gate(Gate::Majority(!a, !b, !c)),
            () => self.gate(Gate::Majority(a, b, c)),
        }
    }

    fn gate(&mut self, gate: Gate) -> Lit {
        if let Some(&lit) = self.made.get(&gate) {
            return lit;
        }
        let out = self.solver.fresh();
        self.define(out, &gate);
        self.made.insert(gate, out);
        out
    }

    fn define(&mut self, out: Lit, gate: &Gate) {
        let solver = &mut self.solver;
        match gate {
            Gate::And(inputs) => {
                let mut clause: Vec<Lit> = inputs.iter().map(|&lit| !lit).collect();
                clause.push(out);
                solver.add(&clause);
                for &lit in inputs {
                    solver.add(&[!out, lit]);
                }
            }
            &Gate::Xor(a, b) => {
                for clause in [[!out, a, b], [!out, !a, !b], [out, !a, b], [out, a, !b]] {
                    solver.add(&clause);
                }
            }
            &Gate::Ite(c, a, b) => {
                // The last two are implied; they let an output follow from equal branches.
                let definition = [[!c, !a, out], [!c, a, !out], [c, !b, out], [c, b, !out]];
                for clause in definition.into_iter().chain([[!a, !b, out], [a, b, !out]]) {
                    solver.add(&clause);
                }
            }
            &Gate::Majority(a, b, c) => {
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    solver.add(&[!x, !y, out]);
                    solver.add(&[x, y, !out]);
                }
            }
        }
    }
}

fn negate_if(lit: Lit, condition: bool) -> Lit {
    if condition { !lit } else { lit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::sat::Answer;

    fn gates() -> Gates {
        Gates::new(Solver::new(&Budget::unlimited()))
    }

    /// Checks a gate of three inputs against a truth table, for all signs, constants and repetitions of two
    /// inputs.
    fn check(make: fn(&mut Gates, Lit, Lit, Lit) -> Lit, expected: fn(bool, bool, bool) -> bool) {
        let mut gates = gates();
        let (x, y, z) = (gates.solver.fresh(), gates.solver.fresh(), gates.solver.fresh());
        let choices = [x, !x, y, !y, z, !z, Lit::TRUE, Lit::FALSE];
        for (a, b, c) in choices
            .iter()
            .flat_map(|&a| choices.iter().map(move |&b| (a, b)))
            .flat_map(|(a, b)| choices.iter().map(move |&c| (a, b, c)))
        {
            let out = make(&mut gates, a, b, c);
            for bits in 0..8 {
                let inputs: Vec<Lit> = [x, y, z]
                    .iter()
                    .enumerate()
                    .map(|(i, &lit)| negate_if(lit, bits >> i & 1 == 0))
                    .collect();
                assert_eq!(gates.solver.solve(&inputs), Answer::Sat);
                let value = |lit| gates.solver.value(lit);
                assert_eq!(value(out), expected(value(a), value(b), value(c)), "{a:?} {b:?} {c:?} {bits}");
                let wrong = negate_if(out, value(out));
                let mut assumptions = inputs;
                assumptions.push(wrong);
                assert!(matches!(gates.solver.solve(&assumptions), Answer::Unsat(_)), "{a:?} {b:?} {c:?}");
            }
        }
    }

    #[test]
    fn every_gate_is_its_truth_table() {
        check(|g, a, b, c| g.all(&[a, b, c]), |a, b, c| a && b && c);
        check(|g, a, b, c| g.any(&[a, b, c]), |a, b, c| a || b || c);
        check(|g, a, b, _| g.xor(a, b), |a, b, _| a ^ b);
        check(Gates::ite, |c, a, b| if c { a } else { b });
        check(Gates::majority, |a, b, c| a as u8 + b as u8 + c as u8 >= 2);
    }

    #[test]
    fn equal_gates_are_made_once() {
        let mut gates = gates();
        let (x, y, z) = (gates.solver.fresh(), gates.solver.fresh(), gates.solver.fresh());
        assert_eq!(gates.and(x, y), gates.and(y, x));
        assert_eq!(gates.or(x, y), !gates.and(!y, !x));
        assert_eq!(gates.xor(x, !y), !gates.xor(y, x));
        assert_eq!(gates.ite(!z, x, y), gates.ite(z, y, x));
        assert_eq!(gates.ite(z, !x, !y), !gates.ite(z, x, y));
        assert_eq!(gates.majority(!x, !y, !z), !gates.majority(z, x, y));
        assert_eq!(gates.len(), 6);
    }
}
