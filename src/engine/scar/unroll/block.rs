//! Executes what leaves one point: one of its transitions, or the atomic section that they begin.
//!
//! All reads of a block happen at one instant, so each cell is read once; in an atomic section a read after
//! an own write sees that write. Reading more cells than the transition taken needs is harmless: what is in
//! memory can always be read. A section that gets stuck writes nothing, as if it had not begun.
//!
//! If only one transition is possible, the reads happen when it is taken: a thread that waits does nothing. A
//! guard that asks for one value (`mutex == 0`, `started == 1`) then makes that value known.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::order::CellId;
use crate::program::{Barrier, LocId, Mark, Place, Role, ThreadId, TransId};
use crate::term::{Node, Sort, TermId, VarId};

use super::event::{Block, Goal, Stable, Taken, Target, Unrolling};
use super::guard::exclusive;
use super::loops::Point;
use super::store::Storing;
use super::{Arrival, Obstacle, State, Unroller, Walk};

/// What the variables of a point are for: each has a number.
mod purpose {
    /// The one possible transition is taken.
    pub const PASSED: u32 = 0;
    /// A transition with a full barrier is tried rather than one without.
    pub const FULL: u32 = 1;
    /// From here on: one of several transitions is chosen.
    pub const CHOICE: u32 = 2;
}

/// A block in the making.
pub(super) struct Build {
    pub(super) name: Stable,
    pub(super) extent: Extent,
    /// Whether it works on memory itself, with an empty store buffer.
    pub(super) barrier: Barrier,
    /// That the reads happen: the thread stands at the point, or takes the only transition that is possible
    /// there.
    pub(super) happens: TermId,
    pub(super) reads: BTreeMap<CellId, Read>,
    /// Values written, in order of execution.
    pub(super) writes: BTreeMap<CellId, Vec<Written>>,
    /// How many stores there are among them.
    pub(super) stores: usize,
    pub(super) steps: Vec<(Taken, Barrier)>,
    /// Conditions under which the block ends at an ordinary location.
    pub(super) exits: Vec<TermId>,
}

/// How many steps a block may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extent {
    /// One.
    Single,
    /// Any number.
    Section,
}

/// A cell's value before the block.
pub(super) struct Read {
    pub(super) value: TermId,
    /// When it is asked for.
    pub(super) need: Need,
}

/// When a value is asked for.
pub(super) enum Need {
    Always,
    /// If one of these holds.
    If(Vec<TermId>),
}

/// A value written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub(super) step: usize,
    /// Which of the block's stores it belongs to.
    pub(super) number: usize,
    pub(super) condition: TermId,
    pub(super) value: TermId,
}

/// A point in the middle of a block, with what holds there.
pub(super) struct Here<'a> {
    pub(super) name: Stable,
    pub(super) thread: ThreadId,
    pub(super) point: &'a Point,
    pub(super) guard: TermId,
    pub(super) state: &'a State,
}

/// The points inside an atomic section that are still to come, by key.
type Inside = BTreeMap<Vec<u32>, (Point, Vec<Arrival>)>;

/// A transition that is taken under a condition.
struct Chosen {
    way: Way,
    condition: TermId,
}

/// A transition that may be taken, and its terms in the unrolled program.
pub(super) struct Way {
    pub(super) id: TransId,
    pub(super) guard: TermId,
    pub(super) images: FxHashMap<TermId, TermId>,
    pub(super) inputs: Vec<(VarId, VarId)>,
}

impl Unroller<'_> {
    /// Executes what leaves a point.
    pub(super) fn visit(
        &mut self,
        walk: &mut Walk,
        name: Stable,
        point: &Point,
        arrival: &Arrival,
        unrolling: &mut Unrolling,
    ) -> Result<(), Obstacle> {
        let (thread, state) = (walk.thread, &arrival.state);
        let all = self.program.outgoing(point.location).iter().copied();
        let all: Vec<TransId> = all.filter(|id| !self.idle[id.index()]).collect();
        let is_full = |id: &TransId| self.barrier_of(*id) == Barrier::Full;
        let (full, weak): (Vec<TransId>, Vec<TransId>) = all.iter().partition(|id| is_full(id));
        if full.is_empty() || weak.is_empty() {
            let here = Here { name, thread, point, guard: arrival.guard, state };
            return self.block(walk, &here, &all, unrolling);
        }
        let choice = self.truth(name, purpose::FULL);
        let otherwise = self.pool.not(choice);
        for (number, condition, group) in [(1, choice, full), (0, otherwise, weak)] {
            let guard = self.names.and(&mut self.pool, &[arrival.guard, condition]);
            let name = self.stable(name, vec![number]);
            self.block(walk, &Here { name, thread, point, guard, state }, &group, unrolling)?;
        }
        Ok(())
    }

    /// What the barrier of a transition means under the memory model.
    fn barrier_of(&self, id: TransId) -> Barrier {
        self.model.effect_of(self.program.transition(id).barrier)
    }

    /// A fresh truth value of a point.
    fn truth(&mut self, name: Stable, number: u32) -> TermId {
        let var = self.variable(name, number, &format!("choice#{name}.{number}"), Sort::Bool);
        self.pool.var(var)
    }

    fn block(
        &mut self,
        walk: &mut Walk,
        here: &Here<'_>,
        transitions: &[TransId],
        unrolling: &mut Unrolling,
    ) -> Result<(), Obstacle> {
        let is_full = |id: &TransId| self.barrier_of(*id) == Barrier::Full;
        let mut build = Build {
            name: here.name,
            extent: Extent::Single,
            barrier: if transitions.iter().any(is_full) { Barrier::Full } else { Barrier::None },
            happens: here.guard,
            reads: BTreeMap::new(),
            writes: BTreeMap::new(),
            stores: 0,
            steps: Vec::new(),
            exits: Vec::new(),
        };
        let mut inside = Inside::new();
        self.advance(walk, &mut build, here, transitions, &mut inside, unrolling)?;
        while let Some((key, (point, arrivals))) = inside.pop_first() {
            let arrival = self.meet(arrivals);
            if self.cut(walk, &point, &arrival, unrolling) {
                continue;
            }
            let name = self.stable(build.name, key);
            let Arrival { guard, ref state } = arrival;
            let here = Here { name, thread: walk.thread, point: &point, guard, state };
            let transitions = self.program.outgoing(point.location);
            self.advance(walk, &mut build, &here, transitions, &mut inside, unrolling)?;
        }
        if build.steps.is_empty() && build.reads.is_empty() {
            return Ok(());
        }
        let complete = match build.extent {
            Extent::Single => self.pool.bool(true),
            Extent::Section => self.names.join(&mut self.pool, &build.exits),
        };
        self.events(walk.thread, &build, complete, unrolling);
        let steps = self.finished_steps(build);
        unrolling.blocks.push(Block { thread: walk.thread, steps, complete });
        Ok(())
    }

    /// The steps of a block, with what those inside a section leave in the store buffer.
    fn finished_steps(&self, build: Build) -> Vec<Taken> {
        let Build { mut steps, writes, extent, .. } = build;
        if self.model.has_store_buffers() && extent == Extent::Section {
            let mut all: Vec<(CellId, Written)> = writes
                .iter()
                .flat_map(|(&cell, list)| list.iter().map(move |&written| (cell, written)))
                .collect();
            all.sort_by_key(|(_, written)| written.number);
            for store in all.chunk_by(|(_, one), (_, other)| one.number == other.number) {
                let (_, written) = store[0];
                let (taken, barrier) = &mut steps[written.step];
                if *barrier != Barrier::Full {
                    let cells = store.iter().map(|&(cell, _)| cell).collect();
                    taken.buffered.push((cells, written.condition));
                }
            }
        }
        steps.into_iter().map(|(taken, _)| taken).collect()
    }

    /// Takes each of the transitions from a point of a block.
    fn advance(
        &mut self,
        walk: &mut Walk,
        build: &mut Build,
        here: &Here<'_>,
        transitions: &[TransId],
        inside: &mut Inside,
        unrolling: &mut Unrolling,
    ) -> Result<(), Obstacle> {
        for chosen in self.ways(build, here, transitions)? {
            self.take(walk, build, here, &chosen, inside, unrolling)?;
        }
        Ok(())
    }

    /// The transitions that are possible, each with the condition under which it is taken.
    fn ways(
        &mut self,
        build: &mut Build,
        here: &Here<'_>,
        transitions: &[TransId],
    ) -> Result<Vec<Chosen>, Obstacle> {
        let mut ways = self.possible(build, here, transitions)?;
        let first = build.steps.is_empty() && here.name == build.name;
        if first && ways.is_empty() {
            build.reads.clear();
        }
        if first && ways.len() == 1 {
            let mut passed = Vec::new();
            if self.learn(build, ways[0].guard) {
                ways = self.possible(build, here, &[ways[0].id])?;
                passed.push(self.truth(here.name, purpose::PASSED));
            }
            let Some(way) = ways.pop() else {
                build.reads.clear();
                return Ok(Vec::new());
            };
            passed.extend([here.guard, way.guard]);
            let condition = self.names.and(&mut self.pool, &passed);
            build.happens = condition;
            ways.push(way);
            self.evaluate(build, here, &mut ways)?;
            return Ok(ways.into_iter().map(|way| Chosen { way, condition }).collect());
        }
        self.evaluate(build, here, &mut ways)?;
        let choices = self.choices(here.name, &ways);
        let ways = ways.into_iter().zip(choices);
        Ok(ways
            .map(|(way, mut choice)| {
                choice.extend([here.guard, way.guard]);
                let condition = self.names.and(&mut self.pool, &choice);
                Chosen { way, condition }
            })
            .collect())
    }

    /// For each of several transitions the literals that choose it, if guards alone do not tell them apart.
    fn choices(&mut self, name: Stable, ways: &[Way]) -> Vec<Vec<TermId>> {
        let apart = ways
            .iter()
            .enumerate()
            .all(|(i, way)| ways[..i].iter().all(|other| exclusive(&self.pool, way.guard, other.guard)));
        if apart {
            return vec![Vec::new(); ways.len()];
        }
        let mut before: Vec<TermId> = Vec::new();
        let mut choices = Vec::new();
        for i in 0..ways.len() {
            let mut choice = before.clone();
            if i + 1 < ways.len() {
                let this = self.truth(name, purpose::CHOICE + ways[i].id.index() as u32);
                choice.push(this);
                before.push(self.pool.not(this));
            }
            choices.push(choice);
        }
        choices
    }

    /// The transitions whose guards are not false.
    fn possible(
        &mut self,
        build: &mut Build,
        here: &Here<'_>,
        transitions: &[TransId],
    ) -> Result<Vec<Way>, Obstacle> {
        let mut ways = Vec::new();
        for &id in transitions {
            let transition = self.program.transition(id);
            let guard = transition.guard;
            let mut way = Way { id, guard, images: FxHashMap::default(), inputs: Vec::new() };
            way.guard = self.image(build, here, &mut way, guard)?;
            if self.pool.as_bool(way.guard) != Some(false) {
                for range in &transition.ranges {
                    let holds = self.image(build, here, &mut way, range.holds)?;
                    way.guard = self.pool.and(&[way.guard, holds]);
                }
            }
            if self.pool.as_bool(way.guard) != Some(false) {
                ways.push(way);
            }
        }
        Ok(ways)
    }

    /// Finds the images of all terms of transitions.
    fn evaluate(&mut self, build: &mut Build, here: &Here<'_>, ways: &mut [Way]) -> Result<(), Obstacle> {
        for way in ways {
            let transition = self.program.transition(way.id);
            if self.program.location(transition.to).is_target() {
                continue;
            }
            for term in transition.conditions() {
                self.image(build, here, way, term)?;
            }
            for update in &transition.updates {
                let value = self.stored(transition, update);
                for term in update.place.index.into_iter().chain([value]) {
                    self.image(build, here, way, term)?;
                }
            }
        }
        Ok(())
    }

    /// Makes known the values of reads that a guard asks for. Tells whether there are any.
    fn learn(&mut self, build: &mut Build, guard: TermId) -> bool {
        let mut learnt = false;
        for conjunct in self.pool.conjuncts(guard) {
            let (term, value) = match *self.pool.node(conjunct) {
                Node::Var(_) => (conjunct, self.pool.bool(true)),
                Node::Not(inner) => (inner, self.pool.bool(false)),
                Node::Eq(a, b) if self.pool.as_const(b).is_some() => (a, b),
                Node::Eq(a, b) if self.pool.as_const(a).is_some() => (b, a),
                _ => continue,
            };
            let is_it = |read: &&mut Read| read.value == term && matches!(read.need, Need::Always);
            if self.pool.as_var(term).is_some()
                && let Some(read) = build.reads.values_mut().find(is_it)
            {
                read.value = value;
                learnt = true;
            }
        }
        learnt
    }

    /// Takes a transition: its effect on private variables and memory, and where it leads.
    fn take(
        &mut self,
        walk: &mut Walk,
        build: &mut Build,
        here: &Here<'_>,
        chosen: &Chosen,
        inside: &mut Inside,
        unrolling: &mut Unrolling,
    ) -> Result<(), Obstacle> {
        let Chosen { way, condition } = chosen;
        let (transition, condition) = (self.program.transition(way.id), *condition);
        let target = match &self.program.location(transition.to).mark {
            Some(Mark::Error(assertion)) => Some(Target::Violation(*assertion)),
            Some(Mark::Undefined(_) | Mark::Cut(_)) => Some(Target::Mark(transition.to)),
            Some(Mark::End) | None => None,
        };
        if let Some(target) = target {
            unrolling.goals.push(Goal { target, condition });
            if let Target::Mark(_) = target {
                return Ok(());
            }
        }
        let taken = Taken { transition: way.id, condition, inputs: way.inputs.clone(), buffered: Vec::new() };
        build.steps.push((taken, self.barrier_of(way.id)));
        if target.is_some() {
            return Ok(());
        }
        let mut state = here.state.clone();
        for update in &transition.updates {
            let value = way.images[&self.stored(transition, update)];
            let index = update.place.index.map(|index| way.images[&index]);
            match self.program.variable(update.place.var).role {
                Role::Private(_) => {
                    let slot = self.slots[update.place.var.index()];
                    state.locals[slot] = match index {
                        Some(index) => self.pool.store(state.locals[slot], index, value),
                        None => value,
                    };
                }
                _ => {
                    let from = here.point.location;
                    let mut storing = Storing { build, from, state: &mut state, taken: condition };
                    let (place, lanes) = (Place { index, ..update.place }, self.lanes(transition, update));
                    self.write(&mut storing, place, lanes, value)?;
                }
            }
        }
        let arrival = Arrival { guard: condition, state };
        self.lead_on(walk, build, here.point, transition.to, arrival, inside)
    }

    /// Goes on where a transition leads.
    fn lead_on(
        &mut self,
        walk: &mut Walk,
        build: &mut Build,
        from: &Point,
        to: LocId,
        arrival: Arrival,
        inside: &mut Inside,
    ) -> Result<(), Obstacle> {
        let point = self.loops.step(from, to);
        let location = self.program.location(to);
        if location.atomic {
            build.extent = Extent::Section;
            self.check_section(build, to)?;
            self.left(walk, from, &point);
            let key = self.loops.key(&point);
            inside.entry(key).or_insert_with(|| (point, Vec::new())).1.push(arrival);
            return Ok(());
        }
        if build.extent == Extent::Section {
            self.check_section(build, to)?;
        }
        build.exits.push(arrival.guard);
        match location.mark {
            Some(_) => self.left(walk, from, &point),
            None => self.arrive(walk, from, to, arrival),
        }
        Ok(())
    }

    /// Under a model with store buffers an atomic section must be framed by full barriers, so that it is one
    /// step on memory.
    fn check_section(&self, build: &Build, to: LocId) -> Result<(), Obstacle> {
        let (first, last) = (build.steps[0].1, build.steps[build.steps.len() - 1].1);
        let inside = self.program.location(to).atomic;
        let framed = first == Barrier::Full && (inside || last == Barrier::Full || build.writes.is_empty());
        if !self.model.has_store_buffers() || framed {
            return Ok(());
        }
        let span = self.program.location(to).span;
        let place = self.program.sources.display(span);
        Err(Obstacle::Unsupported(format!("an atomic section without full barriers around it at {place}")))
    }
}
