//! Stores to some bytes of a cell.
//!
//! The step reads the cell and writes it with these bytes replaced. Where it may wait in a store buffer it
//! says which bytes those are ([`Lanes`]), so that it touches no others when it reaches memory; a place
//! within the cell that is known only when the program runs becomes one case for each.

use super::code::Access;
use super::resolve::Case;
use crate::program::{Barrier, Lanes, MemoryModel, Update};
use crate::term::{Pool, TermId, Word};

/// What a store of a value in a case does: conditions, and what changes.
pub(super) fn store(
    pool: &mut Pool,
    case: &Case,
    to: Access,
    value: TermId,
    (model, barrier): (MemoryModel, Barrier),
) -> Vec<(TermId, Update)> {
    let Some(shift) = case.shift else {
        let value = pool.cast(value, case.word);
        return vec![(case.guard, Update::whole(case.place, value))];
    };
    if model == MemoryModel::Sc || barrier == Barrier::Full {
        let value = replaced(pool, case, shift, to, value);
        return vec![(case.guard, Update::whole(case.place, value))];
    }
    let wide = Word::unsigned(case.word.bits());
    let width = u64::from(case.word.bits().div_ceil(8));
    let bytes: Vec<u64> = match pool.as_const(shift) {
        Some(bits) => vec![bits as u64 / 8],
        None => (0..=width - to.size).step_by(to.size as usize).collect(),
    };
    let mut stores = Vec::new();
    for byte in bytes {
        let known = pool.constant(8 * i128::from(byte), wide);
        let here = pool.eq(shift, known);
        let guard = pool.and(&[case.guard, here]);
        let value = replaced(pool, case, known, to, value);
        let lanes = Lanes::new(byte, to.size, width);
        stores.push((guard, Update { place: case.place, value, lanes }));
    }
    stores
}

/// The value of a case's scalar.
pub(super) fn current(pool: &mut Pool, case: &Case) -> TermId {
    let var = pool.var(case.place.var);
    match case.place.index {
        Some(index) => pool.select(var, index),
        None => var,
    }
}

/// A case's scalar with some of its bytes replaced.
fn replaced(pool: &mut Pool, case: &Case, shift: TermId, to: Access, value: TermId) -> TermId {
    let old = current(pool, case);
    let wide = Word::unsigned(case.word.bits());
    let ones = pool.constant((1i128 << (8 * to.size)) - 1, wide);
    let mask = pool.shl(ones, shift);
    let keep = pool.bit_not(mask);
    let old = pool.cast(old, wide);
    let kept = pool.bit_and(old, keep);
    let value = pool.cast(value, Word::unsigned(8 * to.size as u8));
    let value = pool.cast(value, wide);
    let moved = pool.shl(value, shift);
    let new = pool.bit_or(kept, moved);
    pool.cast(new, case.word)
}
