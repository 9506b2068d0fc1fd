//! Propositional satisfiability, by CaDiCaL, or by BatSat where a theory looks on. This is the only room of
//! the package that names `rustsat` and `batsat`.
//!
//! Three floors, each usable alone:
//!
//! * `solver.rs`: a [`Solver`] takes clauses of [`Lit`]s and answers under assumptions: a model, a core, or
//!   nothing within its budget. A [`Theory`] may take part in the search (`theory.rs`).
//! * `gates.rs`: [`Gates`] makes literals that stand for and, or, exclusive or, choice and majority of
//!   others; equal gates are shared.
//! * `blast.rs`: a [`Blaster`] gives every term of a pool its literals, bit by bit, with the circuits of
//!   `circuit.rs`.
//!
//! ```
//! use regrain::budget::Budget;
//! use regrain::sat::{Answer, Blaster, Solver};
//! use regrain::term::{Datum, Pool, Sort, Word};
//!
//! let mut pool = Pool::new();
//! let byte = Word::unsigned(8);
//! let var = pool.declare("x", Sort::Word(byte));
//! let (x, ten, sixty) = (pool.var(var), pool.constant(10, byte), pool.constant(60, byte));
//! let square = pool.mul(x, x);
//! let goal = [pool.lt(x, ten), pool.eq(square, sixty)];
//!
//! let mut blaster = Blaster::new(Solver::new(&Budget::unlimited()));
//! let [small, square_is_sixty] = goal.map(|term| blaster.literal(&pool, term));
//! assert_eq!(blaster.solver_mut().solve(&[small]), Answer::Sat);
//! assert!(matches!(blaster.value(&pool, var), Datum::Word(value) if value < 10));
//! // 60 is not the square of any byte modulo 256, small or not: it is 4 times 15, and 15 is 7 modulo 8.
//! assert!(matches!(blaster.solver_mut().solve(&[small, square_is_sixty]), Answer::Unsat(_)));
//! ```

mod blast;
mod circuit;
mod gates;
mod guided;
mod plain;
mod refute;
mod solver;
mod theory;

pub use blast::Blaster;
pub use gates::Gates;
pub use refute::{Derived, Refuted, refute};
pub use solver::{Answer, Lit, Size, Solver};
pub use theory::Theory;

use rustsat::solvers::Solve;
use rustsat_cadical::CaDiCaL;

/// The version of the linked CaDiCaL, such as `2.2.1`.
pub fn version() -> String {
    CaDiCaL::default().signature().trim_start_matches("cadical-").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linked_library_names_its_version() {
        let version = version();
        assert!(version.split('.').all(|part| part.parse::<u32>().is_ok()), "{version}");
    }
}
