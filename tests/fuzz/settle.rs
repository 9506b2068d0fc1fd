//! Variables whose initial value nobody sees: it becomes zero, so that the reference need not try them all.
//!
//! Lowering leaves temporaries and locals without an initial value, and a program of C assigns most of them
//! before it reads them. That is decided here by a plain analysis of live variables for those that one thread
//! alone mentions; all others are left alone.

use regrain::program::{Init, LocId, Program, ThreadId, Transition};
use regrain::term::{Datum, VarId};

/// Sets of candidates are bits of a word.
const MOST: usize = 128;

/// The program with those initial values settled.
pub fn settle(mut program: Program) -> Program {
    let candidates = candidates(&program);
    let live = live_at_entries(&program, &candidates);
    for (bit, &(var, _)) in candidates.iter().enumerate() {
        if live >> bit & 1 == 0 {
            let sort = program.variable(var).sort;
            program.variables[var.index()].init = Init::Value(Datum::zero(sort));
        }
    }
    program
}

/// The open variables that just one thread mentions, with that thread.
fn candidates(program: &Program) -> Vec<(VarId, ThreadId)> {
    let mut owners: Vec<Vec<ThreadId>> = vec![Vec::new(); program.variables.len()];
    for transition in &program.transitions {
        let thread = program.location(transition.from).thread;
        for var in mentioned(program, transition) {
            let owners = &mut owners[var.index()];
            if !owners.contains(&thread) {
                owners.push(thread);
            }
        }
    }
    let owned = owners.iter().enumerate().filter_map(|(index, owners)| match owners[..] {
        [owner] if program.variables[index].init == Init::Any => Some((VarId::new(index), owner)),
        _ => None,
    });
    owned.take(MOST).collect()
}

fn mentioned(program: &Program, transition: &Transition) -> Vec<VarId> {
    let read = transition.terms().flat_map(|term| program.terms.vars(term));
    read.chain(transition.updates.iter().map(|update| update.place.var)).collect()
}

/// The candidates that are live at the entry of a thread.
fn live_at_entries(program: &Program, candidates: &[(VarId, ThreadId)]) -> u128 {
    let bit =
        |var: VarId| candidates.iter().position(|(other, _)| *other == var).map_or(0, |bit| 1u128 << bit);
    let effects: Vec<(u128, u128)> = program
        .transitions
        .iter()
        .map(|transition| {
            let read = transition
                .terms()
                .flat_map(|term| program.terms.vars(term))
                .fold(0, |set, var| set | bit(var));
            let whole = transition.updates.iter().filter(|update| update.place.index.is_none());
            (read, whole.fold(0, |set, update| set | bit(update.place.var)))
        })
        .collect();
    let mut live = vec![0u128; program.locations.len()];
    loop {
        let before = live.clone();
        for (transition, (read, written)) in program.transitions.iter().zip(&effects).rev() {
            live[transition.from.index()] |= read | (live[transition.to.index()] & !written);
        }
        if live == before {
            break;
        }
    }
    let entries = program.threads.iter().map(|thread| thread.entry);
    entries.fold(0, |set, entry: LocId| set | live[entry.index()])
}
