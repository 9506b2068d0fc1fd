//! The loops of a program: strongly connected components of its control flow (Kosaraju and Sharir 1981).

use super::super::{LocId, Mark, Program};

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
        let n = program.locations.len();
        let (mut forward, mut backward) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for transition in &program.transitions {
            forward[transition.from.index()].push(transition.to.index());
            backward[transition.to.index()].push(transition.from.index());
        }
        let mut finished = Vec::with_capacity(n);
        let mut seen = vec![false; n];
        for start in 0..n {
            depth_first(start, &forward, &mut seen, &mut finished);
        }
        let mut component = vec![0; n];
        let mut components = 0;
        let mut seen = vec![false; n];
        for start in finished.into_iter().rev() {
            let mut members = Vec::new();
            depth_first(start, &backward, &mut seen, &mut members);
            members.iter().for_each(|&member| component[member] = components);
            components += usize::from(!members.is_empty());
        }
        let (mut cyclic, mut left) = (vec![false; components], vec![false; components]);
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

/// Appends what is reached from `start` and has not been seen, each after everything reached from it.
fn depth_first(start: usize, edges: &[Vec<usize>], seen: &mut [bool], finished: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut stack = vec![(start, 0)];
    while let Some((node, next)) = stack.last_mut() {
        match edges[*node].get(*next) {
            Some(&child) => {
                *next += 1;
                if !std::mem::replace(&mut seen[child], true) {
                    stack.push((child, 0));
                }
            }
            None => {
                finished.push(*node);
                stack.pop();
            }
        }
    }
}
