//! Weakest preconditions of a core, as in Impara: what is asked of the state before each step for the core to
//! come about.
//!
//! `B_n` is what is asked at the end, `B_{k-1}` is `B_k` before step `k` together with what is asked of that
//! step, without the step's inputs. These are eliminated so that the result is exact or asks for less. Then
//! every triple `!B_{k-1} && t_k => !B_k` holds, and the negations are interpolants if the start excludes
//! `B_0`.

use crate::program::{Program, TransId};
use crate::reach::predicate::precondition;
use crate::term::{Pool, TermId};

/// What is asked of the state before each step of a path, and after the last, so that `last` holds at the end
/// and the conditions that are `asked` of a step hold when it is taken. `free` frees a demand of inputs.
///
/// # Errors
/// If freeing a demand fails.
pub fn demands<E>(
    program: &Program,
    terms: &mut Pool,
    path: &[TransId],
    last: TermId,
    asked: &[(usize, TermId)],
    mut free: impl FnMut(&mut Pool, TermId) -> Result<TermId, E>,
) -> Result<Vec<TermId>, E> {
    let mut demand = last;
    let mut demands = vec![demand];
    for (step, &id) in path.iter().enumerate().rev() {
        let mut conjuncts = vec![precondition(program, terms, id, demand)];
        conjuncts.extend(asked.iter().filter(|(of, _)| *of == step).map(|(_, condition)| *condition));
        let before = terms.and(&conjuncts);
        demand = free(terms, before)?;
        demands.push(demand);
    }
    demands.reverse();
    Ok(demands)
}
