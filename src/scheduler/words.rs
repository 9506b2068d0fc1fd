//! States of schedulers as numbers, and back: each scheduler writes its fields one after the other and reads
//! them in the same order.

/// Fields become numbers.
#[derive(Default)]
pub(super) struct Writer(Vec<i32>);

/// Numbers become fields.
pub(super) struct Reader<'a>(std::slice::Iter<'a, i32>);

impl Writer {
    /// A number.
    pub fn number(&mut self, number: i32) {
        self.0.push(number);
    }

    /// A truth value.
    pub fn flag(&mut self, flag: bool) {
        self.0.push(i32::from(flag));
    }

    /// Numbers, with how many they are.
    pub fn list(&mut self, list: &[i32]) {
        self.0.push(list.len() as i32);
        self.0.extend_from_slice(list);
    }

    /// All that was written.
    pub fn finish(self) -> Vec<i32> {
        self.0
    }
}

impl<'a> Reader<'a> {
    /// Reads what a [`Writer`] wrote.
    pub fn new(words: &'a [i32]) -> Reader<'a> {
        Reader(words.iter())
    }

    /// A number.
    pub fn number(&mut self) -> i32 {
        *self.0.next().expect("states are read as they were written")
    }

    /// A truth value.
    pub fn flag(&mut self) -> bool {
        self.number() != 0
    }

    /// Numbers.
    pub fn list(&mut self) -> Vec<i32> {
        let count = self.number();
        (0..count).map(|_| self.number()).collect()
    }
}
