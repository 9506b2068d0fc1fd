//! Who takes part in `auto`, in which order, and for how long: decided by what a program looks like.
//!
//! The order matters, as few engines work at once. `explore` is always first. Then, as measured:
//!
//! - Of most concurrent programs `scar` and `cegar` decide more than `impact`, which comes last.
//! - *One thread*: there is no order of events to be chosen, and few of the facts along a long stretch of
//!   code matter in any one place. `impact` has its first seconds beside `cegar`; then its place goes to
//!   `scar`, which finds violations deep in long runs, and it gets another one when one is free.
//! - *Tables*: elements of shared arrays at places that inputs or other variables decide. States are too
//!   many, loops do not end, and `cegar` knows no facts about the element that one thread is at alone.
//!   `impact` is second.

use std::collections::VecDeque;
use std::time::Duration;

use super::Engine;
use crate::program::footprint::Footprint;
use crate::program::{Program, Role};

/// How long `impact` works on a sequential program before others have their turn.
const FIRST_SECONDS: Duration = Duration::from_secs(6);

/// An engine that takes part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entrant {
    pub engine: Engine,
    /// After so long it gives up its place.
    pub patience: Option<Duration>,
}

impl Entrant {
    /// As long as it takes.
    pub fn patient(engine: Engine) -> Entrant {
        Entrant { engine, patience: None }
    }
}

/// Who takes part, in the order in which they start.
pub(super) fn entrants(program: &Program) -> VecDeque<Entrant> {
    let patient = Entrant::patient;
    let brief = |engine| Entrant { engine, patience: Some(FIRST_SECONDS) };
    let (explore, esst) = (patient(Engine::Explore), patient(Engine::Esst));
    let (impact, cegar, scar) = (patient(Engine::Impact), patient(Engine::Cegar), patient(Engine::Scar));
    match program.threads.len() {
        1 => [explore, esst, brief(Engine::Impact), cegar, scar, impact].into(),
        _ if has_table(program) => [explore, esst, impact, scar, cegar].into(),
        _ => [explore, esst, scar, cegar, impact].into(),
    }
}

/// Whether there are inputs, and elements of shared arrays at places that are not known beforehand.
fn has_table(program: &Program) -> bool {
    let is_open = |index| program.terms.as_const(index).is_none();
    program.variables.iter().any(|variable| variable.role == Role::Input)
        && program.transitions.iter().any(|transition| {
            let Footprint { reads, writes } = Footprint::of(program, transition);
            reads.iter().chain(&writes).any(|place| place.index.is_some_and(is_open))
        })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::frontend::{self, Options};
    use crate::program::{ProgramBuilder, Sources, Span};

    fn place_of_impact(program: &Program) -> usize {
        let place = entrants(program).iter().position(|entrant| entrant.engine == Engine::Impact);
        place.expect("it takes part")
    }

    #[test]
    fn what_a_program_looks_like_decides_the_order() {
        let mut sequential = ProgramBuilder::new(Sources::default());
        sequential.thread("main", Span::NONE);
        assert_eq!(place_of_impact(&sequential.build()), 2);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks");
        for (name, place) in [("mutex/peterson.c", 4), ("tables/display.c", 2), ("locks/stack_lock.c", 4)] {
            let program = frontend::load(&root.join(name), &Options::default()).expect("C");
            assert_eq!(place_of_impact(&program), place, "{name}");
        }
    }
}
