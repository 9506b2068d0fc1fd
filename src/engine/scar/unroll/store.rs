//! What blocks write: stores while a block is built, and the events of a finished one.
//!
//! Under a model with store buffers each store waits on its own, whatever it writes: a cell, or several bytes
//! that are cells. A block that is one step on memory leaves what it has written there at its end.

use crate::order::CellId;
use crate::program::{Barrier, Lanes, LocId, Place, ThreadId, Transition, Update};
use crate::term::{Node, Sort, TermId, VarId, Word};

use super::access::part;
use super::block::{Build, Extent, Need, Read, Written};
use super::event::{Access, Event, Unrolling};
use super::guard::{choose, exclusive};
use super::memory::{BYTE, INDEX};
use super::{Obstacle, State, Unroller};

/// A step of a block that stores.
pub(super) struct Storing<'s> {
    pub(super) build: &'s mut Build,
    /// Where the step begins.
    pub(super) from: LocId,
    /// What the thread knows after it.
    pub(super) state: &'s mut State,
    /// That the step is taken.
    pub(super) taken: TermId,
}

/// What a store goes to: bytes of a scalar or of an element.
struct Spot {
    var: VarId,
    element: u32,
    lanes: Lanes,
    /// That the index names it.
    named: TermId,
}

impl Unroller<'_> {
    /// The bytes that an update of a transition writes.
    pub(super) fn lanes(&self, transition: &Transition, update: &Update) -> Lanes {
        match self.model.is_one_step(transition.barrier) || !self.program.is_shared(update.place.var) {
            true => Lanes::ALL,
            false => update.lanes,
        }
    }

    /// The term that an update stores. The place itself is not read for a store of some of its bytes: of
    /// `old & k | new` the bytes in which `k` is 0 are those of `new`.
    pub(super) fn stored(&self, transition: &Transition, update: &Update) -> TermId {
        let terms = &self.program.terms;
        let lanes = self.lanes(transition, update);
        if lanes.is_all() {
            return update.value;
        }
        let inner = match *terms.node(update.value) {
            Node::Cast(inner, word) if word.bits() == terms.word(inner).bits() => inner,
            _ => update.value,
        };
        let kept = |term: TermId| match *terms.node(term) {
            Node::BitAnd(a, b) => {
                let constants = [a, b].into_iter().filter_map(|term| terms.as_const(term));
                constants.into_iter().any(|kept| kept & i128::from(lanes.mask()) == 0)
            }
            _ => false,
        };
        match *terms.node(inner) {
            Node::BitOr(a, b) if kept(a) => b,
            Node::BitOr(a, b) if kept(b) => a,
            _ => update.value,
        }
    }

    /// Writes a shared scalar, an element of a shared array, or a whole one, or some bytes of these.
    pub(super) fn write(
        &mut self,
        storing: &mut Storing<'_>,
        place: Place,
        lanes: Lanes,
        value: TermId,
    ) -> Result<(), Obstacle> {
        let (var, named) = (place.var, self.pool.bool(true));
        match (self.program.variable(var).sort, place.index) {
            (Sort::Array(_), Some(index)) => {
                for (element, named) in self.elements(var, index)? {
                    self.write_place(storing, &Spot { var, element, lanes, named }, value);
                }
            }
            (Sort::Array(array), None) => {
                for element in 0..array.len {
                    let at = self.pool.constant(i128::from(element), INDEX);
                    let value = self.pool.select(value, at);
                    self.write_place(storing, &Spot { var, element, lanes, named }, value);
                }
            }
            (_, _) => self.write_place(storing, &Spot { var, element: 0, lanes, named }, value),
        }
        Ok(())
    }

    /// Writes a scalar or an element, or some of its bytes, as one store.
    fn write_place(&mut self, storing: &mut Storing<'_>, spot: &Spot, value: TermId) {
        storing.build.stores += 1;
        for (byte, cell) in self.memory.bytes(spot.var, spot.element, spot.lanes) {
            let value = match self.memory.is_apart(spot.var) {
                true => {
                    let wide = Word::unsigned(self.pool.word(value).bits());
                    let shift = self.pool.constant(8 * i128::from(byte), wide);
                    let bits = self.pool.cast(value, wide);
                    let moved = self.pool.shr(bits, shift);
                    self.pool.cast(moved, BYTE)
                }
                false => value,
            };
            self.write_cell(storing, cell, spot.named, value);
        }
    }

    /// Writes a cell if the step is taken and the index names it.
    fn write_cell(&mut self, storing: &mut Storing<'_>, cell: CellId, named: TermId, value: TermId) {
        let Storing { build, from, state, taken } = storing;
        let (from, taken) = (*from, *taken);
        let own = self.memory.own(self.program.location(from).thread, cell);
        let direct = self.model.is_one_step(build.barrier);
        let old = match build.reads.get(&cell) {
            _ if own.is_some() => own.map(|position| state.own[position]),
            Some(Read { value, need: Need::Always }) if direct && !build.writes.contains_key(&cell) => {
                Some(*value)
            }
            _ => None,
        };
        let changed = self.changes(taken, named, old, value);
        let (var, _) = self.memory.place(cell);
        for (so_far, &around) in state.changed.iter_mut().zip(self.loops.around(from)) {
            if !self.locks.is_free_at(var, self.loops.head(around)) {
                *so_far = self.pool.or(&[*so_far, changed]);
            }
        }
        if let Some(position) = own {
            state.own[position] = self.pool.ite(named, value, state.own[position]);
        }
        let condition = self.names.and(&mut self.pool, &[taken, named]);
        let (step, number) = (build.steps.len() - 1, build.stores);
        build.writes.entry(cell).or_default().push(Written { step, number, condition, value });
    }

    /// Whether a write changes memory: writing the value that the thread knows to be there does not.
    fn changes(&mut self, taken: TermId, named: TermId, old: Option<TermId>, value: TermId) -> TermId {
        let Some(old) = old else { return named };
        let differs = self.pool.ne(value, old);
        match exclusive(&self.pool, taken, differs) {
            true => self.pool.bool(false),
            false => self.pool.and(&[named, differs]),
        }
    }

    /// The events of a finished block.
    pub(super) fn events(
        &mut self,
        thread: ThreadId,
        build: &Build,
        complete: TermId,
        unrolling: &mut Unrolling,
    ) {
        let block = unrolling.blocks.len();
        let reads = self.reads(build, &mut unrolling.unread);
        let guard = build.happens;
        if self.model.is_one_step(build.barrier) {
            let writes = self.final_writes(build, complete);
            let barrier = build.barrier;
            if barrier == Barrier::Full || !reads.is_empty() || !writes.is_empty() {
                unrolling.events.push(Event { block, thread, guard, reads, writes, barrier });
            }
            return;
        }
        let plain = |guard, reads, writes, barrier| Event { block, thread, guard, reads, writes, barrier };
        if !reads.is_empty() {
            unrolling.events.push(plain(guard, reads, Vec::new(), Barrier::None));
        }
        for (step, (taken, barrier)) in build.steps.iter().enumerate() {
            if *barrier == Barrier::StoreStore {
                let fence = plain(taken.condition, Vec::new(), Vec::new(), Barrier::StoreStore);
                unrolling.events.push(fence);
            }
            for writes in self.buffered_writes(build, step) {
                unrolling.events.push(plain(writes[0].guard, Vec::new(), writes, Barrier::None));
            }
        }
    }

    /// The reads of a block; the variables of those that never happen are put aside.
    fn reads(&mut self, build: &Build, unread: &mut Vec<VarId>) -> Vec<Access> {
        let mut reads = Vec::new();
        for (&cell, read) in &build.reads {
            let guard = match &read.need {
                Need::Always => build.happens,
                Need::If(needs) => {
                    let need = self.pool.or(needs);
                    self.names.and(&mut self.pool, &[build.happens, need])
                }
            };
            if self.pool.as_bool(guard) != Some(false) {
                let name = self.stable(build.name, vec![part::READ, cell.index() as u32]);
                reads.push(Access { name, cell, guard, value: read.value });
            } else {
                unread.extend(self.pool.as_var(read.value));
            }
        }
        reads
    }

    /// What a block that is one step on memory leaves there.
    fn final_writes(&mut self, build: &Build, complete: TermId) -> Vec<Access> {
        let mut writes = Vec::new();
        for (&cell, all) in &build.writes {
            let conditions: Vec<TermId> = all.iter().map(|written| written.condition).collect();
            let mut guard = self.names.join(&mut self.pool, &conditions);
            let value = match build.extent {
                Extent::Single => {
                    let cases: Vec<_> =
                        all.iter().map(|written| (written.condition, written.value)).collect();
                    choose(&mut self.pool, &cases)
                }
                Extent::Section => {
                    guard = self.names.and(&mut self.pool, &[guard, complete]);
                    let later = all[1..].iter();
                    later.fold(all[0].value, |value, next| self.pool.ite(next.condition, next.value, value))
                }
            };
            let name = self.stable(build.name, vec![part::WRITE, cell.index() as u32]);
            writes.push(Access { name, cell, guard, value });
        }
        writes
    }

    /// The stores of one step in the order of its updates, each of which waits in the store buffer on its
    /// own; a store writes one cell or several bytes.
    fn buffered_writes(&mut self, build: &Build, step: usize) -> Vec<Vec<Access>> {
        let taken = &build.steps[step].0;
        let mut writes = Vec::new();
        for (&cell, all) in &build.writes {
            writes.extend(all.iter().filter(|written| written.step == step).map(|&written| (cell, written)));
        }
        writes.sort_by_key(|(_, written)| written.number);
        let stores = writes.chunk_by(|(_, one), (_, other)| one.number == other.number);
        stores
            .map(|store| {
                let access = |&(cell, Written { condition, value, .. }): &(CellId, Written)| {
                    let key = vec![part::WRITE, cell.index() as u32, taken.transition.index() as u32];
                    Access { name: self.stable(build.name, key), cell, guard: condition, value }
                };
                store.iter().map(access).collect()
            })
            .collect()
    }
}
