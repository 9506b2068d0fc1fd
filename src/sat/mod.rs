//! Propositional satisfiability, by CaDiCaL. This is the only room of the package that names `rustsat`.

use rustsat::solvers::Solve;
use rustsat_cadical::CaDiCaL;

/// The version of the linked CaDiCaL, such as `2.2.1`.
pub fn version() -> String {
    CaDiCaL::default().signature().trim_start_matches("cadical-").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustsat::lit;
    use rustsat::solvers::SolverResult;

    #[test]
    fn the_linked_library_names_its_version() {
        let version = version();
        assert!(version.split('.').all(|part| part.parse::<u32>().is_ok()), "{version}");
    }

    #[test]
    fn the_linked_library_solves() {
        let mut solver = CaDiCaL::default();
        solver.add_binary(lit![0], lit![1]).unwrap();
        solver.add_unit(!lit![0]).unwrap();
        assert_eq!(solver.solve().unwrap(), SolverResult::Sat);
        assert!(solver.lit_val(lit![1]).unwrap().to_bool_with_def(false));
        solver.add_unit(!lit![1]).unwrap();
        assert_eq!(solver.solve().unwrap(), SolverResult::Unsat);
    }
}
