//! Reads and writes of a block: the images of the program's terms in the unrolled program, and the events
//! that come of them.
//!
//! An array element at an index that is not constant is one conditional access for each element that the
//! index may name. An array that is used whole is read element by element.

use std::collections::BTreeSet;

use crate::order::CellId;
use crate::program::{Barrier, Lanes, LocId, Role, ThreadId, Transition, Update};
use crate::term::{Node, Sort, TermId, VarId, Word};

use super::block::{Build, Extent, Here, Need, Read, Way, Written};
use super::event::{Access, Event, Stable, Unrolling};
use super::guard::{choose, exclusive, includes};
use super::memory::{BYTE, INDEX};
use super::{Obstacle, State, Unroller};

/// Arrays of more elements are not indexed by values that are not constant.
const MAX_ELEMENTS: u32 = 1_024;

/// What names of a point's parts begin with.
mod part {
    pub const READ: u32 = u32::MAX;
    pub const WRITE: u32 = u32::MAX - 1;
    pub const INPUT: u32 = u32::MAX - 2;
}

impl Unroller<'_> {
    /// A term of the program as it is at a point.
    pub(super) fn image(
        &mut self,
        build: &mut Build,
        here: &Here<'_>,
        way: &mut Way,
        root: TermId,
    ) -> Result<TermId, Obstacle> {
        let program = self.program;
        let mut below = Vec::new();
        program.terms.visit(&[root], |id, _| below.push(id));
        below.retain(|id| !way.images.contains_key(id));
        below.sort_unstable();
        let whole = self.used_whole(root, &below);
        let is_array = |id: TermId| matches!(program.terms.sort(id), Sort::Array(_));
        for id in below {
            let image = match *program.terms.node(id) {
                Node::Var(var) if program.is_shared(var) && is_array(id) && !whole.contains(&id) => continue,
                Node::Var(var) => self.leaf(build, here, way, var),
                Node::Select(array, index) => match program.terms.as_var(array) {
                    Some(var) if program.is_shared(var) => {
                        let index = self.import(way, index);
                        self.read_element(build, here, var, index)?
                    }
                    _ => continue,
                },
                _ => continue,
            };
            way.images.insert(id, image);
        }
        Ok(self.import(way, root))
    }

    fn import(&mut self, way: &mut Way, term: TermId) -> TermId {
        let known = |var: VarId| unreachable!("variable {} has an image", var.index());
        self.pool.import(&self.program.terms, term, &mut way.images, known)
    }

    /// The shared arrays among some terms that are used otherwise than by selecting an element.
    fn used_whole(&self, root: TermId, below: &[TermId]) -> BTreeSet<TermId> {
        let terms = &self.program.terms;
        let mut used: Vec<TermId> = vec![root];
        for &id in below {
            match terms.node(id) {
                Node::Select(array, index) if terms.as_var(*array).is_some() => used.push(*index),
                node => node.push_children(&mut used),
            }
        }
        used.into_iter().filter(|&id| matches!(terms.sort(id), Sort::Array(_))).collect()
    }

    /// The image of a variable.
    fn leaf(&mut self, build: &mut Build, here: &Here<'_>, way: &mut Way, var: VarId) -> TermId {
        let variable = self.program.variable(var);
        match (variable.role, variable.sort) {
            (Role::Private(_), _) => here.state.locals[self.slots[var.index()]],
            (Role::Input, sort) => self.input(here.name, way, var, sort),
            (Role::Shared, Sort::Array(array)) => {
                let mut term = self.pool.fill(0, array);
                for i in 0..array.len {
                    let value = self.read_place(build, here, (var, i), None);
                    let index = self.pool.constant(i128::from(i), INDEX);
                    term = self.pool.store(term, index, value);
                }
                term
            }
            (Role::Shared, _) => self.read_place(build, here, (var, 0), None),
        }
    }

    /// The value of an input when a transition is taken at a point.
    fn input(&mut self, name: Stable, way: &mut Way, input: VarId, sort: Sort) -> TermId {
        let name = self.stable(name, vec![part::INPUT, way.id.index() as u32]);
        let what = format!("{}#{name}", self.program.variable(input).name);
        let var = self.variable(name, input.index() as u32, &what, sort);
        if !way.inputs.contains(&(input, var)) {
            way.inputs.push((input, var));
        }
        self.pool.var(var)
    }

    /// The value of a scalar or an element at a point, of its bytes if these are the cells.
    fn read_place(
        &mut self,
        build: &mut Build,
        here: &Here<'_>,
        (var, element): (VarId, u32),
        need: Option<TermId>,
    ) -> TermId {
        let cells = self.memory.bytes(var, element, Lanes::ALL);
        if !self.memory.is_apart(var) {
            return self.read(build, here, cells[0].1, need);
        }
        let word = word_of(self.program.variable(var).sort);
        let wide = Word::unsigned(word.bits());
        let mut whole = self.pool.constant(0, wide);
        for (byte, cell) in cells {
            let value = self.read(build, here, cell, need);
            let value = self.pool.cast(value, wide);
            let shift = self.pool.constant(8 * i128::from(byte), wide);
            let moved = self.pool.shl(value, shift);
            whole = self.pool.bit_or(whole, moved);
        }
        self.pool.cast(whole, word)
    }

    /// The value of a cell at a point; under a condition if it is not needed otherwise.
    fn read(&mut self, build: &mut Build, here: &Here<'_>, cell: CellId, need: Option<TermId>) -> TermId {
        if let Some(position) = self.memory.own(here.thread, cell) {
            return here.state.own[position];
        }
        let own = build.writes.get(&cell).cloned().unwrap_or_default();
        let certain = own.iter().rposition(|written| includes(&self.pool, here.guard, written.condition));
        let mut value = match certain {
            Some(at) => own[at].value,
            None => self.read_memory(build, cell, need),
        };
        for written in &own[certain.map_or(0, |at| at + 1)..] {
            value = self.pool.ite(written.condition, written.value, value);
        }
        value
    }

    /// The value of a cell when the block begins.
    fn read_memory(&mut self, build: &mut Build, cell: CellId, need: Option<TermId>) -> TermId {
        let name = self.stable(build.name, vec![part::READ, cell.index() as u32]);
        let sort = self.memory.sort(self.program, cell);
        let what = format!("{}#{name}", self.memory.name(self.program, cell));
        let var = self.variable(name, 0, &what, sort);
        let value = self.pool.var(var);
        let read = build.reads.entry(cell).or_insert(Read { value, need: Need::If(Vec::new()) });
        match (need, &mut read.need) {
            (None, known) => *known = Need::Always,
            (Some(need), Need::If(needs)) => needs.push(need),
            (Some(_), Need::Always) => {}
        }
        read.value
    }

    /// The value of an element of a shared array.
    fn read_element(
        &mut self,
        build: &mut Build,
        here: &Here<'_>,
        var: VarId,
        index: TermId,
    ) -> Result<TermId, Obstacle> {
        let Sort::Array(array) = self.program.variable(var).sort else { unreachable!("an array is indexed") };
        let mut value = self.pool.constant(0, array.elem);
        let cases = self.elements(var, index)?;
        for (element, condition) in cases {
            let need = self.pool.as_bool(condition).is_none().then_some(condition);
            let there = self.read_place(build, here, (var, element), need);
            value = self.pool.ite(condition, there, value);
        }
        Ok(value)
    }

    /// The elements of a shared array that an index may name, each with the condition that it does.
    fn elements(&mut self, var: VarId, index: TermId) -> Result<Vec<(u32, TermId)>, Obstacle> {
        let variable = self.program.variable(var);
        let Sort::Array(array) = variable.sort else { unreachable!("an array is indexed") };
        if let Some(index) = self.pool.as_const(index) {
            let inside = u32::try_from(index).ok().filter(|&index| index < array.len);
            return Ok(inside.map(|index| (index, self.pool.bool(true))).into_iter().collect());
        }
        if array.len > MAX_ELEMENTS {
            let what =
                format!("{} ({}) is indexed by a value that is not constant", variable.name, variable.sort);
            return Err(Obstacle::Unsupported(what));
        }
        let word = self.pool.word(index);
        let inside = (0..array.len).filter(|&i| word.contains(i128::from(i)));
        let mut cases = Vec::new();
        for element in inside {
            let constant = self.pool.constant(i128::from(element), word);
            let condition = self.pool.eq(index, constant);
            if self.pool.as_bool(condition) != Some(false) {
                cases.push((element, condition));
            }
        }
        Ok(cases)
    }

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
        build: &mut Build,
        (from, state): (LocId, &mut State),
        (var, index, lanes): (VarId, Option<TermId>, Lanes),
        (condition, value): (TermId, TermId),
    ) -> Result<(), Obstacle> {
        let always = self.pool.bool(true);
        match (self.program.variable(var).sort, index) {
            (Sort::Array(_), Some(index)) => {
                for (element, here) in self.elements(var, index)? {
                    let place = (var, element, lanes);
                    self.write_place(build, (from, state), place, (condition, here), value);
                }
            }
            (Sort::Array(array), None) => {
                for i in 0..array.len {
                    let at = self.pool.constant(i128::from(i), INDEX);
                    let element = self.pool.select(value, at);
                    self.write_place(build, (from, state), (var, i, lanes), (condition, always), element);
                }
            }
            (_, _) => self.write_place(build, (from, state), (var, 0, lanes), (condition, always), value),
        }
        Ok(())
    }

    /// Writes a scalar or an element, or some of its bytes, as one store.
    fn write_place(
        &mut self,
        build: &mut Build,
        (from, state): (LocId, &mut State),
        (var, element, lanes): (VarId, u32, Lanes),
        (taken, here): (TermId, TermId),
        value: TermId,
    ) {
        build.stores += 1;
        for (byte, cell) in self.memory.bytes(var, element, lanes) {
            let value = match self.memory.is_apart(var) {
                true => {
                    let wide = Word::unsigned(self.pool.word(value).bits());
                    let shift = self.pool.constant(8 * i128::from(byte), wide);
                    let bits = self.pool.cast(value, wide);
                    let moved = self.pool.shr(bits, shift);
                    self.pool.cast(moved, BYTE)
                }
                false => value,
            };
            self.write_cell(build, (from, state), cell, (taken, here), value);
        }
    }

    /// Writes a cell if the step is taken and the index names it.
    fn write_cell(
        &mut self,
        build: &mut Build,
        (from, state): (LocId, &mut State),
        cell: CellId,
        (taken, here): (TermId, TermId),
        value: TermId,
    ) {
        let own = self.memory.own(self.program.location(from).thread, cell);
        let direct = self.model.is_one_step(build.barrier);
        let old = match build.reads.get(&cell) {
            _ if own.is_some() => own.map(|position| state.own[position]),
            Some(Read { value, need: Need::Always }) if direct && !build.writes.contains_key(&cell) => {
                Some(*value)
            }
            _ => None,
        };
        let changed = self.changes(taken, here, old, value);
        let (var, _) = self.memory.place(cell);
        for (so_far, &around) in state.changed.iter_mut().zip(self.loops.around(from)) {
            if !self.locks.is_free_at(var, self.loops.head(around)) {
                *so_far = self.pool.or(&[*so_far, changed]);
            }
        }
        if let Some(position) = own {
            state.own[position] = self.pool.ite(here, value, state.own[position]);
        }
        let condition = self.names.and(&mut self.pool, &[taken, here]);
        let (step, number) = (build.steps.len() - 1, build.stores);
        build.writes.entry(cell).or_default().push(Written { step, number, condition, value });
    }

    /// Whether a write changes memory: writing the value that the thread knows to be there does not.
    fn changes(&mut self, taken: TermId, here: TermId, old: Option<TermId>, value: TermId) -> TermId {
        let Some(old) = old else { return here };
        let differs = self.pool.ne(value, old);
        match exclusive(&self.pool, taken, differs) {
            true => self.pool.bool(false),
            false => self.pool.and(&[here, differs]),
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

/// The word of a scalar, or of an array's elements.
fn word_of(sort: Sort) -> Word {
    match sort {
        Sort::Bool => Word::BOOL,
        Sort::Word(word) => word,
        Sort::Array(array) => array.elem,
    }
}
