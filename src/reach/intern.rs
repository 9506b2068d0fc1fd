//! Values by number: each distinct value is kept once, and compared, hashed and stored as a small number.

use std::borrow::Borrow;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Distinct values, numbered in the order in which they came.
pub struct Interner<T> {
    values: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner { values: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    /// The number of a value.
    pub fn number(&mut self, value: T) -> u32 {
        match self.numbers.get(&value) {
            Some(&number) => number,
            None => self.add(value),
        }
    }

    /// The number of a value that is at hand in another form, and copied only if it is new.
    pub fn number_of<Q: Eq + Hash + ?Sized>(&mut self, value: &Q) -> u32
    where
        T: Borrow<Q> + for<'a> From<&'a Q>,
    {
        match self.numbers.get(value) {
            Some(&number) => number,
            None => self.add(value.into()),
        }
    }

    fn add(&mut self, value: T) -> u32 {
        let number = u32::try_from(self.values.len()).expect("fewer than 2^32 values");
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    /// The number of a value, if it has one.
    pub fn find(&self, value: &T) -> Option<u32> {
        self.numbers.get(value).copied()
    }

    /// The value of a number.
    pub fn value(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
