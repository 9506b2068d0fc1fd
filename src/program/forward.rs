//! Orders of locations in which control mostly goes forward.

use super::{LocId, Program};
use crate::term::{Pool, TermId};

/// For each location a number such that every cycle of the control flow has a step to a number that is no
/// greater: depth first, in the reverse order in which locations are left for good.
pub fn forward_order(program: &Program) -> Vec<u32> {
    let mut order = vec![0; program.locations.len()];
    let mut seen = vec![false; program.locations.len()];
    let mut next = u32::try_from(program.locations.len()).expect("fewer than 2^32 locations");
    let entries = program.threads.iter().map(|thread| thread.entry);
    for start in entries.chain(program.location_ids()) {
        let mut stack: Vec<(LocId, usize)> = Vec::new();
        if !std::mem::replace(&mut seen[start.index()], true) {
            stack.push((start, 0));
        }
        while let Some((location, at)) = stack.last_mut() {
            match program.outgoing(*location).get(*at) {
                Some(&step) => {
                    *at += 1;
                    let to = program.transition(step).to;
                    if !std::mem::replace(&mut seen[to.index()], true) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    next -= 1;
                    order[location.index()] = next;
                    stack.pop();
                }
            }
        }
    }
    order
}

/// Whether one of several guards always holds, as far as that shows without a solver.
pub fn guards_cover(terms: &mut Pool, guards: &[TermId]) -> bool {
    let always = terms.bool(true);
    super::pass::covers(terms, always, guards)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{ProgramBuilder, Sources, Span};

    #[test]
    fn every_cycle_has_a_step_back() {
        let mut builder = ProgramBuilder::new(Sources::default());
        let thread = builder.thread("main", Span::NONE);
        let entry = builder.program().thread(thread).entry;
        let [a, b, c] = [(); 3].map(|()| builder.location(thread, Span::NONE));
        let yes = builder.terms().bool(true);
        for (from, to) in [(entry, a), (a, b), (b, a), (b, c), (entry, c)] {
            builder.branch(from, yes, to);
        }
        let order = forward_order(&builder.build());
        let forward = |from: LocId, to: LocId| order[from.index()] < order[to.index()];
        assert!(forward(entry, a) && forward(a, b) && !forward(b, a) && forward(b, c) && forward(entry, c));
    }
}
