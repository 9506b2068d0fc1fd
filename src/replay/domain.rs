//! All values of a sort, one by one, where they are few; otherwise values that somebody stated.

use std::rc::Rc;

use crate::term::{Datum, Sort, VarId, Word};

/// The values that are tried for a variable.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    values: Rc<[Datum]>,
    whole: bool,
}

impl Domain {
    /// All values of a sort that takes at most so many bits; of a wider one those samples that are values of
    /// it, or rows of one.
    pub fn new(sort: Sort, bits: u32, samples: &[i128]) -> Domain {
        let (word, length) = match sort {
            Sort::Bool => (Word::BOOL, 1),
            Sort::Word(word) => (word, 1),
            Sort::Array(array) => (array.elem, array.len),
        };
        let whole = u64::from(word.bits()) * u64::from(length) <= u64::from(bits);
        let rows: Vec<Vec<i128>> = match whole {
            true => all_rows(word, length),
            false => {
                let fitting = samples.iter().copied().filter(|&value| word.contains(value));
                fitting.map(|value| vec![value; length as usize]).collect()
            }
        };
        let values = rows.into_iter().map(|row| match sort {
            Sort::Bool => Datum::Bool(row[0] != 0),
            Sort::Word(_) => Datum::Word(row[0]),
            Sort::Array(_) => Datum::Array(row.into()),
        });
        Domain { values: values.collect(), whole }
    }

    /// Whether these are all values of the sort.
    pub fn is_whole(&self) -> bool {
        self.whole
    }
}

/// All rows of so many words.
fn all_rows(word: Word, length: u32) -> Vec<Vec<i128>> {
    (0..length).fold(vec![Vec::new()], |rows, _| {
        let longer = |row: &Vec<i128>| {
            let row = row.clone();
            (word.min()..=word.max()).map(move |value| [&row[..], &[value]].concat())
        };
        rows.iter().flat_map(longer).collect()
    })
}

/// Visits all combinations of values of some variables; `domains` has one for each variable of the program.
pub(super) fn product<E>(
    vars: &[VarId],
    domains: &[Domain],
    mut visit: impl FnMut(Vec<(VarId, Datum)>) -> Result<(), E>,
) -> Result<(), E> {
    let values = |var: VarId| &domains[var.index()].values;
    if vars.iter().any(|&var| values(var).is_empty()) {
        return Ok(());
    }
    let mut positions = vec![0; vars.len()];
    loop {
        visit(vars.iter().zip(&positions).map(|(&var, &at)| (var, values(var)[at].clone())).collect())?;
        // Counts on: the last position that can, with all after it back at the beginning.
        let Some(digit) = (0..vars.len()).rfind(|&i| positions[i] + 1 < values(vars[i]).len()) else {
            return Ok(());
        };
        positions[digit] += 1;
        positions[digit + 1..].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use crate::term::ArraySort;

    use super::*;

    fn values(sort: Sort, bits: u32, samples: &[i128]) -> (Vec<Datum>, bool) {
        let domain = Domain::new(sort, bits, samples);
        (domain.values.to_vec(), domain.whole)
    }

    #[test]
    fn small_sorts_have_all_their_values() {
        let words = |list: &[i128]| list.iter().map(|&value| Datum::Word(value)).collect::<Vec<_>>();
        assert_eq!(values(Sort::Bool, 1, &[]), (vec![Datum::Bool(false), Datum::Bool(true)], true));
        assert_eq!(values(Sort::Word(Word::signed(2)), 8, &[]), (words(&[-2, -1, 0, 1]), true));
        let pairs = Sort::Array(ArraySort { len: 2, elem: Word::unsigned(1) });
        let rows = [[0, 0], [0, 1], [1, 0], [1, 1]].map(|row| Datum::Array(row.into()));
        assert_eq!(values(pairs, 2, &[]), (rows.to_vec(), true));
        assert_eq!(values(pairs, 1, &[1, 2]), (vec![Datum::Array([1, 1].into())], false));
        assert_eq!(values(Sort::Word(Word::unsigned(9)), 8, &[]), (Vec::new(), false));
        assert_eq!(values(Sort::Word(Word::signed(9)), 8, &[-1, 900, 7]), (words(&[-1, 7]), false));
    }

    #[test]
    fn a_product_has_every_combination_once() {
        let domains = [Sort::Bool, Sort::Word(Word::unsigned(2)), Sort::Word(Word::unsigned(60))];
        let domains = domains.map(|sort| Domain::new(sort, 8, &[]));
        let [a, b, wide] = [0, 1, 2].map(VarId::new);
        let visited = |vars: &[VarId]| {
            let mut all = Vec::new();
            let done: Result<(), ()> = product(vars, &domains, |values| {
                all.push(values);
                Ok(())
            });
            assert_eq!(done, Ok(()));
            all.sort();
            all.dedup();
            all.len()
        };
        assert_eq!([visited(&[]), visited(&[b]), visited(&[a, b]), visited(&[a, wide])], [1, 4, 8, 0]);
    }
}
