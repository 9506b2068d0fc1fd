//! Concrete values as terms.

use super::eval::Datum;
use super::pool::{Pool, TermId};
use super::sort::{Sort, Word};

/// The sort of the indices of elements.
const INDEX: Word = Word::unsigned(32);

impl Pool {
    /// A value as a term.
    ///
    /// # Panics
    /// If the value is not one of the sort.
    pub fn datum(&mut self, datum: &Datum, sort: Sort) -> TermId {
        match (datum, sort) {
            (Datum::Bool(value), Sort::Bool) => self.bool(*value),
            (Datum::Word(value), Sort::Word(word)) => self.constant(*value, word),
            (Datum::Array(values), Sort::Array(array)) => {
                let first = values.first().copied().unwrap_or(0);
                let mut term = self.fill(first, array);
                for (i, &value) in values.iter().enumerate().filter(|&(_, &value)| value != first) {
                    let (index, value) = (self.constant(i as i128, INDEX), self.constant(value, array.elem));
                    term = self.store(term, index, value);
                }
                term
            }
            (datum, sort) => panic!("{datum:?} is not of sort {sort}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{ArraySort, VarId};

    #[test]
    fn a_term_of_a_value_evaluates_to_it() {
        let word = Word::signed(8);
        let array = |values: &[i128]| Datum::Array(values.to_vec().into());
        let sort = |len| Sort::Array(ArraySort { len, elem: word });
        let values = [
            (Datum::Bool(true), Sort::Bool),
            (Datum::Word(-7), Sort::Word(word)),
            (array(&[3, 3, 0, -1]), sort(4)),
            (array(&[]), sort(0)),
        ];
        for (value, sort) in values {
            let mut pool = Pool::new();
            let term = pool.datum(&value, sort);
            let nothing = |_: VarId| unreachable!("a value has no variables");
            assert_eq!((pool.sort(term), pool.eval(term, &nothing)), (sort, value));
        }
    }
}
