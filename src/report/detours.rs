//! Whether the threads of a run go straight to where they end up.
//!
//! Loops that go round, retries and waiting make a run longer than the shortest ways through the threads'
//! control flow to the locations where it leaves them, and make threads take turns. With hardly any of this,
//! a shorter run is not worth looking for.

use std::collections::{BTreeSet, VecDeque};

use crate::program::{LocId, Program, ThreadId};
use crate::replay::{Done, Run};

/// Whether the threads take hardly more steps than the shortest ways through their control flow have, and
/// hardly more turns than one each.
pub fn goes_straight(program: &Program, run: &Run) -> bool {
    let steps = run.steps.iter().filter(|step| matches!(step.done, Done::Step(_))).count();
    let ends = program.threads.iter().zip(&run.last().locations);
    let least: usize = ends.map(|(thread, &end)| distance(program, thread.entry, end)).sum();
    let switches = run.steps.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count();
    let threads: BTreeSet<ThreadId> = run.steps.iter().map(|step| step.thread).collect();
    steps <= least + least / 4 && switches <= threads.len() + 1
}

/// The length of a shortest path of control flow, which exists.
fn distance(program: &Program, from: LocId, to: LocId) -> usize {
    let mut seen = vec![false; program.locations.len()];
    seen[from.index()] = true;
    let mut queue = VecDeque::from([(from, 0)]);
    while let Some((location, length)) = queue.pop_front() {
        if location == to {
            return length;
        }
        for &id in program.outgoing(location) {
            for next in program.transition(id).destinations() {
                if !std::mem::replace(&mut seen[next.index()], true) {
                    queue.push_back((next, length + 1));
                }
            }
        }
    }
    unreachable!("the run went from one to the other")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::explore::{self, Outcome};
    use crate::frontend::{self, Options};
    use crate::observe::Silent;
    use crate::program::MemoryModel;
    use crate::replay;
    use std::path::Path;

    /// Whether a shortest violating run of `main` with this body goes straight.
    fn straight(body: &str) -> bool {
        let text = format!("void reach_error(void);\nint main(void) {{ {body} }}\n");
        let options = Options::default();
        let raw = frontend::load_text(Path::new("test.c"), &text, &options).expect("a program");
        let program = frontend::whole(raw, &options);
        let explored = explore::explore(&program, &explore::Options::default(), &mut Silent);
        let Outcome::Violation(_, trace) = explored.outcome else { panic!("safe: {body}") };
        goes_straight(&program, &replay::run(&program, MemoryModel::Sc, &trace).expect("a run"))
    }

    #[test]
    fn rounds_of_loops_are_detours() {
        assert!(straight("int k = 1; k = k + 1; k = k + 1; if (k == 3) reach_error(); return 0;"));
        assert!(!straight("int k = 1; while (k < 9) k = k + 1; if (k == 9) reach_error(); return 0;"));
    }
}
