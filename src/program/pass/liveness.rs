//! Which private variables matter where.
//!
//! A variable is live at a location if its value there may still reach a guard, shared memory or a scheduler:
//! through any number of updates of variables that are live themselves. A counter that feeds only itself is
//! never live. Shared variables are not looked at: somebody else may read them at any time.

use rustc_hash::FxHashSet;

use super::super::{LocId, Program, Role, TransId, Transition};
use super::access::Mentions;
use crate::term::{TermId, VarId};

/// The live private variables of each location.
#[derive(Debug)]
pub(crate) struct Liveness {
    live: Vec<Vec<VarId>>,
}

impl Liveness {
    pub fn of(program: &Program) -> Liveness {
        let mut search = Search {
            program,
            mentions: Mentions::default(),
            incoming: vec![Vec::new(); program.locations.len()],
            seen: FxHashSet::default(),
            pending: Vec::new(),
            live: vec![Vec::new(); program.locations.len()],
        };
        for id in program.transition_ids() {
            search.incoming[program.transition(id).to.index()].push(id);
            search.start(program.transition(id));
        }
        while let Some((location, var)) = search.pending.pop() {
            search.go_back(location, var);
        }
        let mut live = search.live;
        live.iter_mut().for_each(|vars| vars.sort_unstable());
        Liveness { live }
    }

    /// The variables that are live at a location, sorted.
    pub fn at(&self, location: LocId) -> &[VarId] {
        &self.live[location.index()]
    }

    /// Whether a private variable is live at a location.
    pub fn is_live(&self, location: LocId, var: VarId) -> bool {
        self.at(location).binary_search(&var).is_ok()
    }
}

struct Search<'a> {
    program: &'a Program,
    mentions: Mentions,
    incoming: Vec<Vec<TransId>>,
    seen: FxHashSet<(LocId, VarId)>,
    pending: Vec<(LocId, VarId)>,
    live: Vec<Vec<VarId>>,
}

impl Search<'_> {
    /// What a transition needs whatever comes after it.
    fn start(&mut self, transition: &Transition) {
        let needed = transition.conditions().chain(transition.arguments());
        needed.for_each(|term| self.uses(transition.from, term));
        for update in &transition.updates {
            if self.program.is_shared(update.place.var) {
                self.uses(transition.from, update.value);
                update.place.index.into_iter().for_each(|index| self.uses(transition.from, index));
            }
        }
    }

    /// A variable has become live at a location: what that makes live before it.
    fn go_back(&mut self, location: LocId, var: VarId) {
        for i in 0..self.incoming[location.index()].len() {
            let transition = self.program.transition(self.incoming[location.index()][i]);
            let mut killed = false;
            for update in transition.updates.iter().filter(|update| update.place.var == var) {
                killed |= update.place.index.is_none();
                self.uses(transition.from, update.value);
                update.place.index.into_iter().for_each(|index| self.uses(transition.from, index));
            }
            if !killed {
                self.mark(transition.from, var);
            }
        }
    }

    fn uses(&mut self, location: LocId, term: TermId) {
        for &var in self.mentions.of(&self.program.terms, term).iter() {
            self.mark(location, var);
        }
    }

    fn mark(&mut self, location: LocId, var: VarId) {
        let private = matches!(self.program.variable(var).role, Role::Private(_));
        if private && self.seen.insert((location, var)) {
            self.live[location.index()].push(var);
            self.pending.push((location, var));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Liveness;
    use crate::program::LocId;
    use crate::program::pass::tests::text::parse;

    /// Writing a variable makes its value before that useless; writing an element leaves the others in use.
    #[test]
    fn writing_an_element_is_not_writing_the_array() {
        let program = parse(
            "shared out: i32 = 0
             private(0) a: i32[2] = {0...}
             private(0) i: u1 = any
             private(0) x: i32 = any
             thread 0 main from L0
               L0:
                 -> L1 { a[i] := 1 }
               L1:
                 -> L2 { x := 2 }
               L2:
                 -> L3 { out := a[0] + x }
               L3: end",
        );
        let live = Liveness::of(&program);
        let at = |location: usize| -> Vec<&str> {
            let location: LocId = program.location_ids().nth(location).expect("a location");
            live.at(location).iter().map(|&var| &*program.variable(var).name).collect()
        };
        assert_eq!(at(0), ["a", "i"]);
        assert_eq!(at(1), ["a"]);
        assert_eq!(at(2), ["a", "x"]);
    }
}
