//! Which Z3 we run with.
//!
//! The `z3` crate numbers the declaration kinds of Z3 as they have been since Z3 5.3. An older library links
//! and runs, but some of its terms would be read back as other terms without any error. So nothing in this
//! room may be trusted before [`check_version`] has accepted the library.

use std::fmt;

/// The oldest Z3 whose declaration kinds the `z3` crate knows by the right numbers.
const OLDEST: Version = Version { major: 5, minor: 3 };

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u32,
    minor: u32,
}

/// What can go wrong with the solver itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The linked library is too old, or does not say how old it is.
    Unfit {
        /// The version that the library states.
        found: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unfit { found } => write!(
                f,
                "this is Z3 {found}, but Regrain needs Z3 {}.{} or newer, which `./x setup` fetches",
                OLDEST.major, OLDEST.minor
            ),
        }
    }
}

impl std::error::Error for Error {}

/// The version of the linked Z3, such as `5.4.0.0`.
///
/// ```
/// assert!(!regrain::smt::version().starts_with("4."));
/// ```
pub fn version() -> String {
    z3::full_version().trim().to_owned()
}

/// Refuses a Z3 that is too old to be read correctly.
///
/// # Errors
///
/// [`Error::Unfit`] if the linked Z3 is older than 5.3 or has no readable version.
pub fn check_version() -> Result<(), Error> {
    accept(&version())
}

fn accept(found: &str) -> Result<(), Error> {
    match parse(found) {
        Some(version) if version >= OLDEST => Ok(()),
        _ => Err(Error::Unfit { found: found.to_owned() }),
    }
}

/// Reads the first two numbers of a text such as `5.4.0.0`.
fn parse(dotted: &str) -> Option<Version> {
    let mut numbers = dotted.split('.').map(|number| number.parse().ok());
    Some(Version { major: numbers.next()??, minor: numbers.next()?? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linked_library_is_accepted() {
        assert_eq!(check_version(), Ok(()), "{}", version());
    }

    #[test]
    fn the_linked_library_solves() {
        let x = z3::ast::Int::new_const("x");
        let solver = z3::Solver::new();
        solver.assert(x.gt(3));
        assert_eq!(solver.check(), z3::SatResult::Sat);
        solver.assert(x.lt(4));
        assert_eq!(solver.check(), z3::SatResult::Unsat);
    }

    #[test]
    fn newer_versions_are_accepted() {
        for text in ["5.3.0.0", "5.4.0.0 abcdef", "5.10.1", "6.0"] {
            assert_eq!(accept(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn older_and_unreadable_versions_are_refused() {
        for text in ["4.8.12.0", "4.13.3.0", "5.2.9", "5", "next", ""] {
            assert_eq!(accept(text), Err(Error::Unfit { found: text.to_owned() }));
        }
    }

    #[test]
    fn the_refusal_says_what_to_do() {
        assert_eq!(
            accept("4.8.12.0").unwrap_err().to_string(),
            "this is Z3 4.8.12.0, but Regrain needs Z3 5.3 or newer, which `./x setup` fetches"
        );
    }
}
