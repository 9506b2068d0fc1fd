//! The loops of a program: strongly connected components of its control flow.

use super::super::{LocId, Mark, Program, control_components};

/// The component of each location.
#[derive(Debug)]
pub(super) struct Cycles {
    component: Vec<usize>,
    /// Of each component: whether control can go round in it.
    cyclic: Vec<bool>,
    /// Of each component: whether control can leave it otherwise than by a mark.
    left: Vec<bool>,
}

impl Cycles {
    pub fn of(program: &Program) -> Cycles {
        let all: Vec<LocId> = program.location_ids().collect();
        let mut component = vec![0; all.len()];
        let found = control_components(program, &all);
        for (number, members) in found.iter().enumerate() {
            members.iter().for_each(|member| component[member.index()] = number);
        }
        let (mut cyclic, mut left) = (vec![false; found.len()], vec![false; found.len()]);
        for transition in &program.transitions {
            let from = component[transition.from.index()];
            let marked = !matches!(program.location(transition.to).mark, None | Some(Mark::End));
            match component[transition.to.index()] == from {
                true => cyclic[from] = true,
                false => left[from] |= !marked,
            }
        }
        Cycles { component, cyclic, left }
    }

    /// The loop that a location is on.
    pub fn at(&self, location: LocId) -> Option<usize> {
        let component = self.component[location.index()];
        self.cyclic[component].then_some(component)
    }

    /// Whether a loop can be left otherwise than by a mark.
    pub fn has_exit(&self, cycle: usize) -> bool {
        self.left[cycle]
    }
}
