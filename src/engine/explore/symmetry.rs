//! Canonical states: threads that are alike are put in order.
//!
//! A state is a row of numbers (`table.rs`), and threads of one group number their own states together, with
//! their own shared cells among them (`layout.rs`). So two states that differ by an exchange of such threads
//! are rows that differ by an exchange of numbers, and a row is put into canonical form by sorting the numbers
//! of each group. What is stored for fifty threads is how many of them are in which state, no matter who.
//!
//! A run through canonical states is the run of a program whose threads change places now and then. To tell
//! it, the exchanges are undone: [`Seating`] says who sits where.
//!
//! A group does not count if a store buffer could hold a write to a shared cell of one of its threads where
//! the exchange would have to rename or to reorder it.

use crate::program::symmetry::{Group, Member, groups};
use crate::program::{Barrier, LocId, MemoryModel, Program, ThreadId, TransId};
use crate::term::VarId;

use super::layout::Layout;
use super::machine::{Act, Taken};

/// The groups that can be used under a memory model.
pub(super) fn usable(program: &Program, model: MemoryModel) -> Vec<Group> {
    let mut groups = groups(program);
    groups.retain(|group| group.members.iter().all(|member| !is_buffered(program, model, member)));
    groups
}

/// Whether a store buffer may hold a write to a shared variable of a thread's own: another thread's buffer, or
/// one in which places have an order.
fn is_buffered(program: &Program, model: MemoryModel, member: &Member) -> bool {
    let buffers = |id: &TransId| {
        let transition = program.transition(*id);
        let matters = model == MemoryModel::Pso || program.thread_of(*id) != member.thread;
        matters && transition.barrier != Barrier::Full
    };
    let writes = |id: TransId| {
        program
            .shared_writes(program.transition(id))
            .any(|place| member.variables.binary_search(&place.var).is_ok())
    };
    model != MemoryModel::Sc && program.transition_ids().filter(buffers).any(writes)
}

/// Where the own of a group's thread is: its group, its place in it, and the position among its things.
type Seat = (u32, u32, u32);

/// The groups of a program, ready for use.
#[derive(Debug)]
pub(super) struct Canon {
    groups: Vec<Group>,
    variables: Vec<Option<Seat>>,
    transitions: Vec<Option<Seat>>,
    /// For each thread of a group, the one before it.
    before: Vec<Option<ThreadId>>,
    /// For each transition, other threads that it may touch shared cells of.
    touches: Vec<Vec<ThreadId>>,
}

/// Which thread each thread of a canonical state is.
#[derive(Clone, Debug)]
pub(super) struct Seating {
    /// By group and place.
    places: Vec<Vec<u32>>,
}

impl Canon {
    pub fn new(program: &Program, groups: Vec<Group>) -> Canon {
        let mut canon = Canon {
            variables: vec![None; program.variables.len()],
            transitions: vec![None; program.transitions.len()],
            before: vec![None; program.threads.len()],
            touches: vec![Vec::new(); program.transitions.len()],
            groups,
        };
        for (g, group) in (0..).zip(&canon.groups) {
            for (m, member) in (0..).zip(&group.members) {
                for (at, var) in (0..).zip(&member.variables) {
                    canon.variables[var.index()] = Some((g, m, at));
                }
                for (at, id) in (0..).zip(&member.transitions) {
                    canon.transitions[id.index()] = Some((g, m, at));
                }
            }
            for pair in group.members.windows(2) {
                canon.before[pair[1].thread.index()] = Some(pair[0].thread);
            }
        }
        for id in program.transition_ids() {
            canon.touches[id.index()] = canon.touched_by(program, id);
        }
        canon
    }

    fn touched_by(&self, program: &Program, id: TransId) -> Vec<ThreadId> {
        if self.groups.is_empty() {
            return Vec::new();
        }
        let transition = program.transition(id);
        let mut vars = program.shared_reads(transition);
        vars.extend(program.shared_writes(transition).map(|place| place.var));
        let owner = |var: VarId| {
            let (g, m, _) = self.variables[var.index()]?;
            Some(self.groups[g as usize].members[m as usize].thread)
        };
        let mut threads: Vec<ThreadId> = vars.into_iter().filter_map(owner).collect();
        threads.retain(|&thread| thread != program.thread_of(id));
        threads.sort_unstable();
        threads.dedup();
        threads
    }

    /// Threads other than its own whose shared cells a move may touch.
    pub fn touches(&self, action: Act) -> &[ThreadId] {
        match action {
            Act::Step(id) => &self.touches[id.index()],
            Act::Flush(..) | Act::Schedule(_) => &[],
        }
    }

    /// The thread that numbers its states together with a thread.
    pub fn first(&self, thread: ThreadId) -> ThreadId {
        let mut members = self.groups.iter().map(|group| &group.members);
        let alike = |members: &&Vec<Member>| members.iter().any(|member| member.thread == thread);
        members.find(alike).map_or(thread, |members| members[0].thread)
    }

    /// Puts a row into canonical form.
    pub fn sort(&self, row: &mut [u32]) {
        for group in &self.groups {
            let members = &group.members;
            // All but one entry are in order.
            for at in 1..members.len() {
                let mut here = at;
                while here > 0 && row[members[here - 1].thread.index()] > row[members[here].thread.index()] {
                    row.swap(members[here - 1].thread.index(), members[here].thread.index());
                    here -= 1;
                }
            }
        }
    }

    /// A thread that is alike, in the same state, and comes before a thread.
    pub fn twin(&self, row: &[u32], thread: ThreadId) -> Option<ThreadId> {
        self.before[thread.index()].filter(|before| row[before.index()] == row[thread.index()])
    }

    /// Everybody on their own place.
    pub fn seating(&self) -> Seating {
        Seating {
            places: self.groups.iter().map(|group| (0..group.members.len() as u32).collect()).collect(),
        }
    }

    /// Has the threads of a row change places as [`Self::sort`] does.
    pub fn reseat(&self, row: &[u32], seating: &mut Seating) {
        for (group, places) in self.groups.iter().zip(&mut seating.places) {
            let mut order: Vec<usize> = (0..places.len()).collect();
            order.sort_by_key(|&at| row[group.members[at].thread.index()]);
            *places = order.into_iter().map(|at| places[at]).collect();
        }
    }

    /// The variable that a variable really is.
    fn variable(&self, seating: &Seating, var: VarId) -> VarId {
        self.variables[var.index()].map_or(var, |seat| {
            let (member, at) = self.seated(seating, seat);
            member.variables[at]
        })
    }

    fn seated(&self, seating: &Seating, (group, place, at): Seat) -> (&Member, usize) {
        let place = seating.places[group as usize][place as usize];
        (&self.groups[group as usize].members[place as usize], at as usize)
    }

    fn cell(&self, layout: &Layout, seating: &Seating, cell: u32) -> u32 {
        let (var, _) = layout.place_of(cell);
        layout.field(self.variable(seating, var)).base + (cell - layout.field(var).base)
    }

    /// Calls `told` with a move as it really is.
    pub fn undone(
        &self,
        layout: &Layout,
        seating: &Seating,
        taken: &Taken<'_>,
        mut told: impl FnMut(&Taken<'_>),
    ) {
        if self.groups.is_empty() {
            return told(taken);
        }
        let cell = |at: u32| self.cell(layout, seating, at);
        let choices: Vec<(u32, i64)> = taken.choices.iter().map(|&(at, value)| (cell(at), value)).collect();
        let unchosen = taken.unchosen.iter().map(|&(at, var)| (cell(at), self.variable(seating, var)));
        let unchosen: Vec<(u32, VarId)> = unchosen.collect();
        let action = match taken.action {
            Act::Step(id) => Act::Step(self.transitions[id.index()].map_or(id, |seat| {
                let (member, at) = self.seated(seating, seat);
                member.transitions[at]
            })),
            Act::Flush(at, lanes) => Act::Flush(cell(at), lanes),
            Act::Schedule(choice) => Act::Schedule(choice),
        };
        let thread = self.thread(seating, taken.thread);
        told(&Taken { action, thread, shared: taken.shared, choices: &choices, unchosen: &unchosen });
    }

    fn thread(&self, seating: &Seating, thread: ThreadId) -> ThreadId {
        for (group, places) in self.groups.iter().zip(&seating.places) {
            if let Some(at) = group.members.iter().position(|member| member.thread == thread) {
                return group.members[places[at] as usize].thread;
            }
        }
        thread
    }

    /// A location and those that threads which are alike have in its place.
    pub fn alike(&self, location: LocId) -> Vec<LocId> {
        for group in &self.groups {
            for member in &group.members {
                if let Some(at) = member.locations.iter().position(|&it| it == location) {
                    return group.members.iter().map(|member| member.locations[at]).collect();
                }
            }
        }
        vec![location]
    }
}
