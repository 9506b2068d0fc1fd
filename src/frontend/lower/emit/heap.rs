//! Heap objects: where new ones lie, their sizes, and their ends.

use std::collections::BTreeSet;

use super::super::code::NodeId;
use super::super::memory::ObjectId;
use super::super::reuse::HOLDER;
use super::{Emit, scalar_update};
use crate::program::{Action, Barrier, MemoryModel, ObjectKind, ThreadId, Update};
use crate::term::{Pool, Sort, TermId, VarId, Word};

/// A spare address: when it may be taken, what it is, and whose it was.
struct Offer {
    guard: TermId,
    address: TermId,
    spare: VarId,
    name: String,
}

impl Emit {
    /// A new object gets its own address or a spare one.
    pub(super) fn settle(&mut self, id: NodeId, address: TermId, to: Option<VarId>, next: NodeId) {
        let truth = self.builder.terms().bool(true);
        let Some(to) = to else {
            return self.add(id, next, truth, Vec::new(), Barrier::None, Vec::new());
        };
        let mut seated = Vec::new();
        for object in self.heap_targets(address) {
            let Some(seat) = self.memory.get(object).seat else { continue };
            let base = i128::from(self.memory.get(object).base);
            let pool = self.builder.terms();
            let base = pool.constant(base, pool.word(address));
            let here = pool.eq(address, base);
            if pool.as_bool(here) != Some(false) {
                self.take(id, (object, seat), here, to, next);
                seated.push(here);
            }
        }
        let pool = self.builder.terms();
        let any = pool.or(&seated);
        let other = pool.not(any);
        self.add(id, next, other, vec![scalar_update(to, address)], Barrier::None, Vec::new());
    }

    /// The ways in which one new object gets its address.
    fn take(&mut self, id: NodeId, (object, seat): (ObjectId, VarId), here: TermId, to: VarId, next: NodeId) {
        let offers = self.offers(object, self.code.get(id).thread);
        let choice = self.choice("the address of an allocation", offers.len());
        let mut taken = Vec::new();
        for (number, offer) in offers.into_iter().enumerate() {
            let pool = self.builder.terms();
            let guard = chosen(pool, choice, number, offer.guard);
            let none = pool.constant(0, HOLDER);
            let updates = vec![
                scalar_update(to, offer.address),
                scalar_update(seat, offer.address),
                scalar_update(offer.spare, none),
            ];
            // Nobody may see the new object's contents at the address and the old object's end later.
            let barrier = if self.model == MemoryModel::Pso { Barrier::Full } else { Barrier::None };
            let told = Action::Sync(format!("the address of {} is given out again", offer.name));
            let both = self.builder.terms().and(&[here, guard]);
            self.add(id, next, both, updates, barrier, vec![told]);
            taken.push(guard);
        }
        let own = i128::from(self.memory.get(object).base);
        let pool = self.builder.terms();
        let own = pool.constant(own, self.pointer);
        let any = pool.or(&taken);
        let none = pool.not(any);
        let guard = pool.and(&[here, none]);
        self.add(id, next, guard, vec![scalar_update(to, own)], Barrier::None, Vec::new());
    }

    /// An input that has so many numbers, from 0, and others.
    fn choice(&mut self, name: &str, count: usize) -> VarId {
        let bits = usize::BITS - count.leading_zeros();
        self.builder.input(name, Sort::Word(Word::unsigned(bits.max(1) as u8)))
    }

    /// The spare addresses that an object may get from a thread.
    fn offers(&mut self, object: ObjectId, thread: ThreadId) -> Vec<Offer> {
        let heirs = self.memory.heirs.iter();
        let old: Vec<ObjectId> =
            heirs.filter(|(_, heirs)| heirs.contains(&object)).map(|(old, _)| *old).collect();
        let mut offers = Vec::new();
        let holder = self.holder(thread);
        for old in old {
            let freed = self.memory.get(old);
            let (Some(spare), Some(alive)) = (freed.spare, freed.alive) else { continue };
            let pool = self.builder.terms();
            let (held, alive) = (pool.var(spare), pool.var(alive));
            let (mine, dead) = (pool.eq(held, holder), pool.not(alive));
            let guard = pool.and(&[mine, dead]);
            let address = freed.at(pool, 0, self.pointer);
            offers.push(Offer { guard, address, spare, name: freed.name.clone() });
        }
        offers
    }

    /// What a spare address is marked with that a thread may take: under SC any may.
    fn holder(&mut self, thread: ThreadId) -> TermId {
        let number = if self.model == MemoryModel::Sc { 1 } else { thread.index() as i128 + 1 };
        self.builder.terms().constant(number, HOLDER)
    }

    fn heap_targets(&mut self, address: TermId) -> Vec<ObjectId> {
        let targets = self.points.targets(&self.builder.program().terms, &self.memory, address);
        targets.into_keys().filter(|id| self.memory.get(*id).kind == ObjectKind::Heap).collect()
    }

    pub(super) fn extent(&mut self, id: NodeId, address: TermId, to: VarId, next: NodeId) {
        let mut guards = Vec::new();
        for object in self.heap_targets(address) {
            let object = self.memory.get(object);
            let pool = self.builder.terms();
            let word = pool.word(address);
            let base = object.at(pool, 0, word);
            let here = pool.eq(address, base);
            let living = match object.alive {
                Some(alive) => pool.var(alive),
                None => pool.bool(true),
            };
            let guard = pool.and(&[here, living]);
            let size = match object.extent {
                Some(extent) => pool.var(extent),
                None => pool.constant(i128::from(object.size), word),
            };
            self.add(id, next, guard, vec![scalar_update(to, size)], Barrier::None, Vec::new());
            guards.push(guard);
        }
        self.otherwise(id, &guards, "`realloc` of something that is not a live heap object");
    }

    pub(super) fn free(&mut self, id: NodeId, address: TermId, next: NodeId) {
        let pool = self.builder.terms();
        let word = pool.word(address);
        let null = pool.constant(0, word);
        let is_null = pool.eq(address, null);
        self.add(id, next, is_null, Vec::new(), Barrier::None, Vec::new());
        let mut guards = vec![is_null];
        for object in self.heap_targets(address) {
            let Some(alive) = self.memory.get(object).alive else { continue };
            let pool = self.builder.terms();
            let base = self.memory.get(object).at(pool, 0, word);
            let (here, living, dead) = (pool.eq(address, base), pool.var(alive), pool.bool(false));
            let guard = pool.and(&[here, living]);
            self.end(id, object, guard, scalar_update(alive, dead), next);
            guards.push(guard);
        }
        self.otherwise(id, &guards, "`free` of something that is not a live heap object");
    }

    /// An object ends; its address is spare, for some thread that allocates.
    fn end(&mut self, id: NodeId, object: ObjectId, guard: TermId, dead: Update, next: NodeId) {
        let Some(spare) = self.memory.get(object).spare else {
            return self.add(id, next, guard, vec![dead], Barrier::None, Vec::new());
        };
        let takers = self.takers(object);
        let choice = self.choice("who may have the address", takers.len());
        let mut others = Vec::new();
        for (number, &thread) in takers.iter().enumerate() {
            let holder = self.holder(thread);
            let pool = self.builder.terms();
            let mut here = pool.bool(true);
            if number + 1 < takers.len() {
                here = chosen(pool, choice, number, here);
                others.push(here);
            } else {
                let earlier = pool.or(&others);
                here = pool.not(earlier);
            }
            let guard = pool.and(&[guard, here]);
            // What was done to the object is over before another thread may have its address.
            let barrier = match thread == self.code.get(id).thread {
                true => Barrier::None,
                false => Barrier::StoreStore,
            };
            let updates = vec![dead, scalar_update(spare, holder)];
            self.add(id, next, guard, updates, barrier, Vec::new());
        }
    }

    /// The threads that may be given an object's address; under SC one stands for all.
    fn takers(&self, object: ObjectId) -> Vec<ThreadId> {
        let heirs = &self.memory.heirs[&object];
        let settlers = self.settlers.iter().filter(|(new, _)| heirs.contains(new));
        let threads: BTreeSet<ThreadId> = settlers.map(|(_, thread)| *thread).collect();
        let all = if self.model == MemoryModel::Sc { 1 } else { threads.len() };
        threads.into_iter().take(all).collect()
    }
}

/// A guard that also wants an input to be a number.
fn chosen(pool: &mut Pool, choice: VarId, number: usize, guard: TermId) -> TermId {
    let choice = pool.var(choice);
    let number = pool.constant(number as i128, pool.word(choice));
    let here = pool.eq(choice, number);
    pool.and(&[here, guard])
}
