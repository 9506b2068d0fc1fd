//! Threads that are alike share a view: what was proved for the first of a group, with two threads in each
//! other's place, is a proof for another one. It is written down in full, so that the checker of certificates
//! need not know anything of this.

use crate::program::ThreadId;
use crate::program::symmetry::{Exchange, Group};
use crate::proof::{AbstractState, ViewInvariant};
use crate::term::Pool;

/// The proof for a thread that is alike to one that was proved, if there is such a one.
pub(super) fn shared(
    groups: &[Group],
    proved: &[ViewInvariant],
    thread: ThreadId,
    terms: &mut Pool,
) -> Option<ViewInvariant> {
    let group = groups.iter().find(|group| group.members.iter().any(|member| member.thread == thread))?;
    let of = |observed: ThreadId| group.members.iter().find(|member| member.thread == observed);
    let view = proved.iter().find(|view| of(view.observed).is_some())?;
    let exchange = Exchange::new(of(view.observed)?, of(thread)?);
    Some(exchanged(view, &exchange, terms))
}

/// A view with two threads in each other's place.
fn exchanged(view: &ViewInvariant, exchange: &Exchange, terms: &mut Pool) -> ViewInvariant {
    let mut environment: Vec<ThreadId> =
        view.environment.iter().map(|&thread| exchange.thread(thread)).collect();
    environment.sort_unstable();
    // Where each thread of the new environment stands in the old one.
    let old: Vec<usize> = environment
        .iter()
        .map(|&thread| view.environment.iter().position(|&it| it == exchange.thread(thread)))
        .map(|position| position.expect("the exchange maps one environment to the other"))
        .collect();
    let classes = old.iter().map(|&at| {
        view.classes[at].iter().map(|&(location, class)| (exchange.location(location), class)).collect()
    });
    let mut state = |state: &AbstractState| AbstractState {
        location: exchange.location(state.location),
        classes: old.iter().map(|&at| state.classes[at]).collect(),
        literals: state.literals.iter().map(|&(atom, value)| (exchange.term(terms, atom), value)).collect(),
    };
    ViewInvariant {
        observed: exchange.thread(view.observed),
        classes: classes.collect(),
        states: view.states.iter().map(&mut state).collect(),
        environment,
    }
}
