//! The visited states, compactly: each state is a short row of numbers, each number stands for one component.
//!
//! A component is the packed bytes of one thread (location, private cells, store buffer) or of the shared
//! cells. Few distinct components make up many states, so each is stored once and a state costs four bytes
//! for each (the "collapse" method of explicit model checkers). The state's number is also its place in the
//! queue of a breadth-first search, and its parent's number is all that is kept of how it was reached: the
//! move is found again by expanding the parent.

use std::borrow::Cow;
use std::hash::Hasher;

use rustc_hash::FxHasher;

/// A hash table of numbered things that are stored elsewhere. A slot holds half of the hash, so that most
/// comparisons need not look at the thing, and the number plus one; 0 is a free slot.
#[derive(Debug)]
struct Slots {
    slots: Vec<u64>,
    len: usize,
}

impl Slots {
    fn new() -> Slots {
        Slots { slots: vec![0; 64], len: 0 }
    }

    /// The number of the thing with this hash for which `same` holds; or `None`, after noting it as number
    /// `next`.
    fn find_or_add(&mut self, hash: u64, next: u32, same: impl Fn(u32) -> bool) -> Option<u32> {
        if self.len * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let tag = hash as u32;
        let mask = self.slots.len() - 1;
        let mut at = tag as usize & mask;
        while self.slots[at] != 0 {
            let slot = self.slots[at];
            let number = (slot >> 32) as u32 - 1;
            if slot as u32 == tag && same(number) {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
        self.slots[at] = (u64::from(next + 1) << 32) | u64::from(tag);
        self.len += 1;
        None
    }

    fn grow(&mut self) {
        let bigger = vec![0; self.slots.len() * 2];
        let mask = bigger.len() - 1;
        let old = std::mem::replace(&mut self.slots, bigger);
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut at = slot as u32 as usize & mask;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }

    fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u64>()
    }
}

/// Numbers byte strings, each distinct one once.
#[derive(Debug)]
struct Strings {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    slots: Slots,
}

impl Strings {
    fn new() -> Strings {
        Strings { bytes: Vec::new(), ends: Vec::new(), slots: Slots::new() }
    }

    /// The number of a string.
    fn intern(&mut self, string: &[u8]) -> u32 {
        let mut hasher = FxHasher::default();
        hasher.write(string);
        let next = self.ends.len() as u32;
        let (bytes, ends) = (&self.bytes, &self.ends);
        let known = self.slots.find_or_add(hasher.finish(), next, |id| slice(bytes, ends, id) == string);
        known.unwrap_or_else(|| {
            self.bytes.extend_from_slice(string);
            self.ends.push(self.bytes.len());
            next
        })
    }

    /// The string of a number.
    fn get(&self, id: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, id)
    }

    fn memory(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>() + self.slots.bytes()
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], id: u32) -> &'a [u8] {
    let start = if id == 0 { 0 } else { ends[id as usize - 1] };
    &bytes[start..ends[id as usize]]
}

/// Strings up to this length are stored whole.
const LONG: usize = 256;
/// Longer ones are cut into pieces of this length.
const PIECE: usize = 64;

/// Numbers the strings of one component. A long string, such as that of a big array, is stored as the row of
/// its pieces' numbers, so that strings that differ in one place share the others.
#[derive(Debug)]
pub(super) struct Interner {
    /// Short strings, with even numbers.
    whole: Strings,
    /// Rows of pieces, with odd numbers.
    rows: Strings,
    pieces: Strings,
}

impl Interner {
    pub fn new() -> Interner {
        Interner { whole: Strings::new(), rows: Strings::new(), pieces: Strings::new() }
    }

    /// The number of a string.
    pub fn intern(&mut self, string: &[u8]) -> u32 {
        if string.len() <= LONG {
            return self.whole.intern(string) << 1;
        }
        let row: Vec<u8> =
            string.chunks(PIECE).flat_map(|piece| self.pieces.intern(piece).to_le_bytes()).collect();
        self.rows.intern(&row) << 1 | 1
    }

    /// The string of a number.
    pub fn get(&self, id: u32) -> Cow<'_, [u8]> {
        if id & 1 == 0 {
            return Cow::Borrowed(self.whole.get(id >> 1));
        }
        let row = self.rows.get(id >> 1).chunks_exact(4);
        let pieces = row.map(|id| self.pieces.get(u32::from_le_bytes([id[0], id[1], id[2], id[3]])));
        Cow::Owned(pieces.flatten().copied().collect())
    }

    fn memory(&self) -> usize {
        self.whole.memory() + self.rows.memory() + self.pieces.memory()
    }
}

/// Number of a state, in the order of discovery.
pub(super) type StateId = u32;

/// The initial states' parent.
pub(super) const NO_PARENT: StateId = StateId::MAX;

/// What came of adding a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Added {
    /// It has this number now.
    New(StateId),
    /// It had this number before.
    Known(StateId),
}

/// All states visited so far.
#[derive(Debug)]
pub(super) struct Visited {
    width: usize,
    keys: Vec<u32>,
    parents: Vec<StateId>,
    slots: Slots,
    /// The components, by their position in a state's row.
    pub components: Vec<Interner>,
}

impl Visited {
    /// No states yet, of so many components each.
    pub fn new(width: usize) -> Visited {
        Visited {
            width,
            keys: Vec::new(),
            parents: Vec::new(),
            slots: Slots::new(),
            components: (0..width).map(|_| Interner::new()).collect(),
        }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// The components of a state.
    pub fn key(&self, state: StateId) -> &[u32] {
        row(&self.keys, self.width, state)
    }

    /// The state from which a state was first reached.
    pub fn parent(&self, state: StateId) -> StateId {
        self.parents[state as usize]
    }

    /// Adds a state unless it is known; tells its number, and whether it was new.
    pub fn add(&mut self, key: &[u32], parent: StateId) -> Added {
        let mut hasher = FxHasher::default();
        for &component in key {
            hasher.write_u32(component);
        }
        let next = self.parents.len() as StateId;
        let (keys, width) = (&self.keys, self.width);
        let known = self.slots.find_or_add(hasher.finish(), next, |id| row(keys, width, id) == key);
        if let Some(known) = known {
            return Added::Known(known);
        }
        self.keys.extend_from_slice(key);
        self.parents.push(parent);
        Added::New(next)
    }

    /// Bytes of memory that the states take, allocated but unused space included.
    pub fn memory(&self) -> usize {
        let components: usize = self.components.iter().map(Interner::memory).sum();
        (self.keys.capacity() + self.parents.capacity()) * size_of::<u32>() + self.slots.bytes() + components
    }
}

fn row(keys: &[u32], width: usize, state: StateId) -> &[u32] {
    &keys[state as usize * width..][..width]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interned_strings_are_numbered_once_and_found_again() {
        let mut interner = Interner::new();
        let string = |i: u32| format!("{i}{}", "-".repeat(i as usize % 500)).into_bytes();
        let ids: Vec<u32> = (0..1000).map(|i| interner.intern(&string(i))).collect();
        for (i, &id) in ids.iter().enumerate().rev() {
            assert_eq!(interner.intern(&string(i as u32)), id);
            assert_eq!(*interner.get(id), string(i as u32));
        }
        let distinct: std::collections::BTreeSet<u32> = ids.into_iter().collect();
        assert_eq!(distinct.len(), 1000);
    }

    #[test]
    fn long_strings_share_their_pieces() {
        let mut interner = Interner::new();
        for i in 0..1000 {
            let mut array = vec![0; 4000];
            array[i * 4] = 1;
            interner.intern(&array);
        }
        assert!(interner.memory() < 1000 * 400, "{} bytes for 4,000,000", interner.memory());
    }

    #[test]
    fn states_are_added_once_with_their_first_parent() {
        let mut visited = Visited::new(2);
        for i in 0..10_000 {
            assert_eq!(visited.add(&[i, i / 7], i / 2), Added::New(i));
        }
        assert_eq!(visited.add(&[6, 0], 9), Added::Known(6));
        assert_eq!(visited.add(&[6, 1], 9), Added::New(10_000));
        assert_eq!((visited.len(), visited.parent(6), visited.key(15)), (10_001, 3, &[15, 2][..]));
    }
}
