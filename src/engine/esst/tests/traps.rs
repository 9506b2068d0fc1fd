//! Each trap of partial-order reduction under abstraction, with a program whose violation is missed by who
//! falls into it.

use super::super::search::{Allows, Ended, Search};
use super::*;
use crate::engine::Violation;
use crate::reach::tree::NodeId;

/// What a search with [`Yielding`] comes to that begins with some predicates, at a location or for the
/// global region. Nobody can replay its runs, so that a violation is what could not be.
fn finds_violation(program: &Program, reduction: Reduction, predicates: &[(Option<LocId>, TermId)]) -> bool {
    let options = Options { reduction, ..Options::default() };
    let watch = Watch::none();
    let mut search = Search::new(program, &options, &watch, (&Yielding, Allows::Exactly), 0);
    for &(location, predicate) in predicates {
        match location {
            None => search.precision.add_global(predicate),
            Some(location) => search.precision.add_at(program, location, predicate),
        }
    }
    let root = search.initial_regions().expect("a question that is decided");
    search.restart(root);
    match search.run(&mut crate::observe::Silent) {
        Ok(Ended::Complete) => search.complaint().is_some(),
        Ok(Ended::Violated(_) | Ended::OutOfOrder) => true,
        Err(gave_up) => panic!("{gave_up}"),
    }
}

/// Trap 1: covers that ignore sleep sets. `a = b || assert(a != 2) || b = 2`: the violating run needs the
/// last thread first. The paper's algorithm follows the first thread, then the others, and lets the last
/// one go first only where the first sleeps; what comes then is covered, if with these predicates, by a
/// node at which nobody sleeps less. (The witness in the design, which is for Boolean abstraction, shows
/// nothing here.)
#[test]
fn a_cover_sleeps_no_more_than_what_it_covers() {
    let mut maker = Maker::new(&Yielding, Policy::SystemC, 4);
    let (a, b) = (maker.shared("a"), maker.shared("b"));
    maker.end(0);
    let (zero, one, two) = (maker.number(0), maker.number(1), maker.number(2));
    let (value_a, value_b) = (maker.read(a), maker.read(b));
    maker.assign(1, a, value_b);
    let terms = maker.builder.terms();
    let is_one = terms.eq(value_b, one);
    let predicates = [terms.not(is_one), terms.eq(value_a, value_b), terms.eq(value_b, zero)];
    let bad = terms.eq(value_a, two);
    maker.error_if(2, bad);
    maker.assign(3, b, two);
    (1..4).for_each(|thread| maker.end(thread));
    let program = maker.build();
    for reduction in Reduction::ALL {
        assert!(
            finds_violation(&program, reduction, &predicates.map(|predicate| (None, predicate))),
            "{reduction:?}"
        );
    }
}

/// Trap 2: a thread that goes round for ever without touching anything, and one that fails: the first must
/// not be all that is followed.
#[test]
fn nobody_is_left_out_on_a_cycle() {
    let mut maker = Maker::new(&Yielding, Policy::SystemC, 3);
    maker.end(0);
    let x = maker.shared("x");
    let entry = maker.at[1];
    let (one, value) = (maker.number(1), maker.read(x));
    maker.call_to(1, "yield", Vec::new(), Some(entry));
    maker.assign(2, x, one);
    maker.call(2, "yield", &[]);
    let bad = maker.builder.terms().eq(value, one);
    maker.error_if(2, bad);
    maker.end(2);
    let program = maker.build();
    for reduction in Reduction::ALL {
        assert!(finds_violation(&program, reduction, &[]), "{reduction:?}");
    }
}

/// A thread that never gives up its turn, and one that fails: the first must not go first for good.
#[test]
fn a_block_that_may_not_end_does_not_go_alone() {
    for stuck in [false, true] {
        let mut maker = Maker::new(&Yielding, Policy::SystemC, 3);
        maker.end(0);
        let entry = maker.at[1];
        let yes = maker.builder.terms().bool(true);
        let never = maker.builder.terms().bool(false);
        match stuck {
            true => maker.step(1, Some(never), None),
            false => {
                let loops = maker.transition(1, entry, yes);
                maker.builder.transition(loops);
            }
        }
        maker.error_if(2, yes);
        maker.end(2);
        let program = maker.build();
        for reduction in Reduction::ALL {
            assert!(finds_violation(&program, reduction, &[]), "{reduction:?} {stuck}");
        }
    }
}

/// Trap 3: what the cycle condition forces is followed although it sleeps, and nobody sleeps after it. `r =
/// x; r = y || y = 1 || y = 2; for (;;) if (z == 1) x = 1`, with a yield after each statement. After the
/// second and the third thread, the first one sleeps: it was let go before both. The loop goes round with
/// it asleep for ever, since x is never written.
#[test]
fn who_sleeps_on_a_cycle_is_let_go_there_all_the_same() {
    let mut maker = Maker::new(&Yielding, Policy::SystemC, 4);
    let [x, y, z] = ["x", "y", "z"].map(|name| maker.shared(name));
    let r = maker.variable("r", Role::Private(ThreadId::new(1)), Init::Value(Datum::Word(0)));
    maker.end(0);
    for var in [x, y] {
        let value = maker.read(var);
        maker.assign(1, r, value);
        maker.call(1, "yield", &[]);
    }
    let (zero, one, two, value) = (maker.number(0), maker.number(1), maker.number(2), maker.read(z));
    maker.assign(2, y, one);
    maker.assign(3, y, two);
    maker.call(3, "yield", &[]);
    let head = maker.at[3];
    let is_one = maker.builder.terms().eq(value, one);
    let is_other = maker.builder.terms().not(is_one);
    let is_zero = maker.builder.terms().eq(value, zero);
    maker.step(3, Some(is_one), Some((x, one)));
    let joined = std::mem::replace(&mut maker.at[3], head);
    let other = maker.transition(3, joined, is_other);
    maker.builder.transition(other);
    maker.at[3] = joined;
    maker.call_to(3, "yield", Vec::new(), Some(head));
    (1..3).for_each(|thread| maker.end(thread));
    let program = maker.build();
    let (options, watch) = (Options::default(), Watch::none());
    let mut search = Search::new(&program, &options, &watch, (&Yielding, Allows::Exactly), 0);
    search.precision.add_global(is_zero);
    let root = search.initial_regions().expect("a question that is decided");
    search.restart(root);
    assert!(matches!(search.run(&mut crate::observe::Silent), Ok(Ended::Complete)));
    let first = ThreadId::new(1);
    let forced = search.forest.tree.ids().filter(|&node| {
        let sleeps = search.forest.node(node).sleep.iter().any(|sleeper| sleeper.thread == first);
        sleeps && search.forest.control_of(node).scheduler.words == [1, 0, 1, 0]
    });
    let forced: Vec<NodeId> = forced.collect();
    let wide_awake = forced.into_iter().any(|node| {
        let decision = search.decision(node);
        let mut turns = search.forest.node(node).turns.iter();
        turns.any(|turn| decision.thread(turn.choice) == first && turn.sleep.is_empty())
    });
    assert!(wide_awake, "the first thread is let go where it sleeps");
}

/// A program for SystemC: `main` makes an event and starts the others.
fn processes(count: usize) -> Maker {
    let mut maker = Maker::new(crate::scheduler::of(Policy::SystemC), Policy::SystemC, count + 1);
    maker.call(0, "event", &[1]);
    (1..=count).for_each(|thread| maker.call(0, "process", &[thread as i128, 0]));
    maker.call(0, "start", &[]);
    maker
}

fn is_violated(program: &Program, reduction: Reduction) -> bool {
    let options = Options { reduction, ..Options::default() };
    matches!(check(program, &options, &mut crate::observe::Silent).claim, Claim::Unsafe(Violation { .. }))
}

/// Trap 4: who waits goes on when somebody wakes it. `wait(e); assert(x == 1) || x = 1 || notify(e)`: the
/// second thread is not persistent by itself, although nobody that may go next touches x: the third wakes
/// the first.
#[test]
fn a_persistent_set_has_the_notifiers_of_waiters_that_interfere() {
    let mut maker = processes(3);
    let x = maker.shared("x");
    let (one, value) = (maker.number(1), maker.read(x));
    maker.call(1, "wait_event", &[1]);
    let holds = maker.builder.terms().eq(value, one);
    let bad = maker.builder.terms().not(holds);
    maker.error_if(1, bad);
    maker.assign(2, x, one);
    maker.call(3, "notify", &[1]);
    (1..4).for_each(|thread| maker.end(thread));
    let program = maker.build();
    for reduction in Reduction::ALL {
        assert!(is_violated(&program, reduction), "{reduction:?}");
    }
}

/// Trap 6: where an order is kept, leaving one out leaves it out for all that follows. Both threads do
/// nothing in the first instant; in the second, who comes first matters.
#[test]
fn an_order_that_is_kept_is_not_left_out() {
    let mut maker = Maker::new(crate::scheduler::of(Policy::FairAnyOrder), Policy::FairAnyOrder, 3);
    let x = maker.shared("x");
    let (one, value) = (maker.number(1), maker.read(x));
    for (name, arguments) in [("scheduler", &[][..]), ("link", &[1]), ("link", &[2]), ("start", &[])] {
        maker.call(0, name, arguments);
    }
    maker.end(0);
    (1..3).for_each(|thread| maker.call(thread, "cooperate_n", &[1]));
    maker.assign(1, x, one);
    let holds = maker.builder.terms().eq(value, one);
    let bad = maker.builder.terms().not(holds);
    maker.error_if(2, bad);
    (1..3).for_each(|thread| maker.end(thread));
    let program = maker.build();
    for reduction in Reduction::ALL {
        assert!(is_violated(&program, reduction), "{reduction:?}");
    }
}

/// Trap 7: what two nodes have to have in common. A thread sets a variable to 0 or 1, of its own or shared,
/// gives up its turn, and fails if it is 1: the first way does not cover the second, which knows less.
#[test]
fn a_stronger_node_covers_no_weaker_one() {
    for role in [Role::Private(ThreadId::new(1)), Role::Shared] {
        let mut maker = Maker::new(&Yielding, Policy::SystemC, 2);
        let x = maker.variable("x", role, Init::Value(Datum::Word(0)));
        maker.end(0);
        let (zero, one, value) = (maker.number(0), maker.number(1), maker.read(x));
        let entry = maker.at[1];
        maker.assign(1, x, zero);
        let joined = std::mem::replace(&mut maker.at[1], entry);
        let yes = maker.builder.terms().bool(true);
        let mut other = maker.transition(1, joined, yes);
        other.updates = vec![Update::whole(Place { var: x, index: None }, one)];
        maker.builder.transition(other);
        maker.at[1] = joined;
        maker.call(1, "yield", &[]);
        let behind = maker.at[1];
        let bad = maker.builder.terms().eq(value, one);
        let good = maker.builder.terms().eq(value, zero);
        maker.error_if(1, bad);
        maker.end(1);
        let program = maker.build();
        let place = if role == Role::Shared { None } else { Some(behind) };
        for reduction in Reduction::ALL {
            assert!(finds_violation(&program, reduction, &[(place, good)]), "{reduction:?} {role:?}");
        }
    }
}
