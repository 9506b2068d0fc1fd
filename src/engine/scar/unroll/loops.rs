//! The loops of a program's automata: a weak topological order (Bourdoncle 1993).
//!
//! Strongly connected components in topological order; in each one that is cyclic a head is singled out, and
//! what is left of it without the head is ordered likewise. A transition leads forward in this order, or back
//! to the head of a loop that it is in. A [`Point`] of the unrolled automaton is a location with the number
//! of the round of each loop around it, and the order of points (by [`Loops::key`]) is topological: whatever
//! leads to a point comes before it. That holds for irreducible control flow too.

use crate::program::locks::Locks;
use crate::program::{LocId, Mark, Program, Transition, components};

/// A loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopId(u32);

/// A location of the unrolled automaton.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Point {
    /// The location.
    pub location: LocId,
    /// The round of each loop around it, outermost first, counted from 0.
    pub rounds: Vec<u32>,
}

/// A round of a loop within rounds of the loops around that.
pub type Round = (LoopId, Vec<u32>);

#[derive(Clone, Debug, Default)]
struct Place {
    /// Position in the whole order, then in each loop around, outermost first.
    positions: Vec<u32>,
    /// The loops around, outermost first.
    around: Vec<LoopId>,
}

/// The loops of all threads.
#[derive(Debug)]
pub struct Loops {
    places: Vec<Place>,
    heads: Vec<LocId>,
    /// Of each loop: where control comes in.
    entries: Vec<LocId>,
    /// Of each loop: whether control can leave it otherwise than by a mark.
    left: Vec<bool>,
}

/// A set of locations that is still to be ordered.
struct Task {
    members: Vec<LocId>,
    within: Place,
    first: u32,
}

impl Loops {
    /// Orders the locations of a program.
    pub fn of(program: &Program, locks: &Locks) -> Loops {
        let mut loops = Loops {
            places: vec![Place::default(); program.locations.len()],
            heads: Vec::new(),
            entries: Vec::new(),
            left: Vec::new(),
        };
        let members = program.location_ids().collect();
        let mut tasks = vec![Task { members, within: Place::default(), first: 0 }];
        while let Some(task) = tasks.pop() {
            for (members, position) in components(program, &task.members).into_iter().zip(task.first..) {
                let mut place = task.within.clone();
                place.positions.push(position);
                if let [single] = members[..]
                    && !leads(program, single, single)
                {
                    loops.places[single.index()] = place;
                    continue;
                }
                tasks.push(loops.enter(program, locks, members, place));
            }
        }
        loops
    }

    /// Makes a loop of some locations; gives the rest of them without the head.
    fn enter(&mut self, program: &Program, locks: &Locks, members: Vec<LocId>, mut place: Place) -> Task {
        let inside = |location: LocId| members.binary_search(&location).is_ok();
        let [entry, head] = ends(program, locks, &members);
        let id = LoopId(u32::try_from(self.heads.len()).expect("fewer than 2^32 loops"));
        self.heads.push(head);
        self.entries.push(entry);
        self.left.push(members.iter().any(|&from| {
            successors(program, from)
                .any(|to| !inside(to) && matches!(program.location(to).mark, None | Some(Mark::End)))
        }));
        place.around.push(id);
        let mut own = place.clone();
        own.positions.push(0);
        self.places[head.index()] = own;
        let members = members.iter().copied().filter(|&member| member != head).collect();
        Task { members, within: place, first: 1 }
    }

    /// The head of a loop.
    pub fn head(&self, id: LoopId) -> LocId {
        self.heads[id.0 as usize]
    }

    /// Where control comes into a loop.
    pub fn entry_of(&self, id: LoopId) -> LocId {
        self.entries[id.0 as usize]
    }

    /// The loops around a location, outermost first.
    pub fn around(&self, location: LocId) -> &[LoopId] {
        &self.places[location.index()].around
    }

    /// Whether a loop can be left otherwise than by a mark.
    pub fn has_exit(&self, id: LoopId) -> bool {
        self.left[id.0 as usize]
    }

    /// Whether a location is in a loop.
    pub fn contains(&self, id: LoopId, location: LocId) -> bool {
        self.places[location.index()].around.contains(&id)
    }

    /// The point where a thread begins.
    pub fn entry(&self, location: LocId) -> Point {
        Point { location, rounds: vec![0; self.places[location.index()].around.len()] }
    }

    /// Where a transition from a point leads.
    pub fn step(&self, from: &Point, to: LocId) -> Point {
        let (old, new) = (&self.places[from.location.index()].around, &self.places[to.index()].around);
        let common = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let mut rounds = from.rounds[..common].to_vec();
        rounds.resize(new.len(), 0);
        if let Some(&last) = new.last()
            && common == new.len()
            && self.head(last) == to
        {
            rounds[common - 1] += 1;
        }
        Point { location: to, rounds }
    }

    /// The rounds that a step from one point to another ends for good, because it leaves the loop.
    pub fn leaves(&self, from: &Point, to: &Point) -> impl Iterator<Item = Round> {
        let (old, new) =
            (&self.places[from.location.index()].around, &self.places[to.location.index()].around);
        let common = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        (common..old.len()).map(|depth| (old[depth], from.rounds[..=depth].to_vec()))
    }

    /// How many loops a step from one point to another stays in.
    pub fn shared(&self, from: &Point, to: &Point) -> usize {
        let (old, new) =
            (&self.places[from.location.index()].around, &self.places[to.location.index()].around);
        old.iter().zip(new).take_while(|(a, b)| a == b).count()
    }

    /// The round that ends when a step leads from one point to another, if that is the head of a loop around
    /// both.
    pub fn repeats(&self, from: &Point, to: &Point) -> Option<Round> {
        let (id, mut rounds) = self.begins(to)?;
        (self.shared(from, to) == rounds.len()).then(|| {
            *rounds.last_mut().expect("a loop has rounds") -= 1;
            (id, rounds)
        })
    }

    /// The rounds that a point is in.
    pub fn rounds(&self, point: &Point) -> impl Iterator<Item = Round> {
        let around = &self.places[point.location.index()].around;
        around.iter().enumerate().map(|(depth, &id)| (id, point.rounds[..=depth].to_vec()))
    }

    /// The round that begins at a point, if that is the head of a loop.
    pub fn begins(&self, point: &Point) -> Option<Round> {
        let last = *self.places[point.location.index()].around.last()?;
        (self.head(last) == point.location).then(|| (last, point.rounds.clone()))
    }

    /// Points of one thread in the order of these keys are in topological order.
    pub fn key(&self, point: &Point) -> Vec<u32> {
        let positions = &self.places[point.location.index()].positions;
        let mut key = vec![positions[0]];
        for (&round, &position) in point.rounds.iter().zip(&positions[1..]) {
            key.extend([round, position]);
        }
        key
    }
}

fn successors(program: &Program, location: LocId) -> impl Iterator<Item = LocId> {
    program.outgoing(location).iter().map(|&id| program.transition(id).to)
}

fn leads(program: &Program, from: LocId, to: LocId) -> bool {
    successors(program, from).any(|next| next == to)
}

/// The location of a component where control comes in, an ordinary one rather than one in an atomic section;
/// and the one to be its head: the same, unless a lock that is taken and given back in the component is held
/// there and not at another one.
fn ends(program: &Program, locks: &Locks, members: &[LocId]) -> [LocId; 2] {
    let inside = |location: LocId| members.binary_search(&location).is_ok();
    let mut entered = vec![false; members.len()];
    for transition in &program.transitions {
        if !inside(transition.from)
            && let Ok(at) = members.binary_search(&transition.to)
        {
            entered[at] = true;
        }
    }
    let is_entry = |location: LocId| program.threads.iter().any(|thread| thread.entry == location);
    let rank =
        |&at: &usize| (program.location(members[at]).atomic, !(entered[at] || is_entry(members[at])), at);
    let is_inner = |transition: &&Transition| inside(transition.from) && inside(transition.to);
    let changed = locks.changed_by(program.transitions.iter().filter(is_inner));
    let held = |location: LocId| changed.iter().filter(|&&var| !locks.is_free_at(var, location)).count();
    let rank_without_locks = |at: &usize| {
        let (atomic, inner, at) = rank(at);
        (atomic, held(members[at]), inner, at)
    };
    let entry = (0..members.len()).min_by_key(rank).expect("a component has members");
    let head = (0..members.len()).min_by_key(rank_without_locks).expect("a component has members");
    [members[entry], members[head]]
}
