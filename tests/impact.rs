//! The engine `impact`: the paper's examples, its repairs, and certificates that somebody damaged.

use std::path::Path;

use regrain::budget::Budget;
use regrain::engine::Claim;
use regrain::engine::impact::{ForceCover, Reduction};
use regrain::frontend;
use regrain::observe::Statistics;
use regrain::program::{
    Assertion, Barrier, Init, LocId, Mark, MemoryModel, Origin, Place, Program, ProgramBuilder, Role,
    Sources, Span, ThreadId, TransId, Transition, Update, Variable,
};
use regrain::proof::{Certificate, Defect, Flaw, Unfolding, UnfoldingNode, check_unfolding};
use regrain::smt::IntModel;
use regrain::term::{ArraySort, Datum, Sort, TermId, VarId, Word};
use regrain::verify::{Engine, Settings, verify};

use crate::answer::{answer, safety};

const INT: Word = Word::signed(32);

/// All configurations.
fn configurations() -> impl Iterator<Item = Settings> {
    let reductions = [Reduction::None, Reduction::Static, Reduction::Dynamic];
    let both = [ForceCover::Off, ForceCover::On];
    let pairs = reductions.into_iter().flat_map(move |por| both.map(|force_cover| (por, force_cover)));
    pairs.map(|(por, force_cover)| Settings { por, force_cover, ..Settings::default() })
}

/// Builds programs step by step.
struct Sketch {
    builder: ProgramBuilder,
}

impl Sketch {
    fn new() -> Sketch {
        Sketch { builder: ProgramBuilder::new(Sources::default()) }
    }

    fn shared(&mut self, name: &str, sort: Sort, init: Init) -> VarId {
        let (role, origin) = (Role::Shared, Origin::User);
        self.builder.variable(Variable { name: name.to_owned(), sort, role, init, origin })
    }

    /// A shared integer that is 0 initially.
    fn int(&mut self, name: &str) -> VarId {
        self.shared(name, Sort::Word(INT), Init::Value(Datum::Word(0)))
    }

    /// A thread with so many locations after its entry.
    fn thread(&mut self, name: &str, further: usize) -> Vec<LocId> {
        let thread = self.builder.thread(name, Span::NONE);
        let mut row = vec![self.builder.program().thread(thread).entry];
        row.extend((0..further).map(|_| self.builder.location(thread, Span::NONE)));
        row
    }

    fn is(&mut self, var: VarId, value: i128) -> TermId {
        let terms = self.builder.terms();
        let (var, value) = (terms.var(var), terms.constant(value, INT));
        terms.eq(var, value)
    }

    fn step(&mut self, from: LocId, to: LocId, guard: Option<TermId>, updates: Vec<Update>) {
        let guard = guard.unwrap_or_else(|| self.builder.terms().bool(true));
        let (barrier, events) = (Barrier::None, Vec::new());
        self.builder.transition(Transition {
            updates,
            barrier,
            events,
            ..Transition::silent(from, to, guard)
        });
    }

    fn set(&mut self, var: VarId, value: i128) -> Vec<Update> {
        let value = self.builder.terms().constant(value, INT);
        vec![Update::whole(Place { var, index: None }, value)]
    }

    /// `assert(holds)` between two locations.
    fn assert(&mut self, from: LocId, to: LocId, holds: TermId) {
        let thread = self.builder.program().location(from).thread;
        let text = "a condition".to_owned();
        let assertion = self.builder.assertion(Assertion::new(Span::NONE, text));
        let error = self.builder.marked_location(thread, Mark::Error(assertion), Span::NONE);
        let fails = self.builder.terms().not(holds);
        self.builder.branch(from, fails, error);
        self.builder.branch(from, holds, to);
    }
}

/// The program of Section IV.C: whether thread 1 has set `x` or not, it comes to the same location; right
/// after that, thread 0 must be able to look.
fn section_four_c(greatest: i128) -> Program {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    let looks = sketch.thread("looks", 1);
    let sets = sketch.thread("sets", 2);
    let fine = {
        let terms = sketch.builder.terms();
        let (x, greatest) = (terms.var(x), terms.constant(greatest, INT));
        terms.le(x, greatest)
    };
    sketch.assert(looks[0], looks[1], fine);
    let (one, zero) = (sketch.set(x, 1), sketch.set(x, 0));
    sketch.step(sets[0], sets[1], None, Vec::new());
    sketch.step(sets[0], sets[1], None, one);
    sketch.step(sets[1], sets[2], None, zero);
    sketch.builder.build()
}

/// Fails without cover expansions (the node that is covered skips nothing, its coverer skips the look), and
/// if nodes that lose their cover are forgotten.
#[test]
fn covers_expand_their_coverer() {
    for settings in configurations() {
        let found = answer(&section_four_c(0), Engine::Impact, &settings);
        assert_eq!(safety(&found), Some(false), "{settings:?}: {:?}", found.claim());
        let found = answer(&section_four_c(1), Engine::Impact, &settings);
        assert_eq!(safety(&found), Some(true), "{settings:?}: {:?}", found.claim());
    }
}

/// One thread takes a lock, sets `x`, clears it and gives the lock back; the other takes the lock and looks.
/// A lock is a guard and a write: were only written variables compared, taking the lock would seem
/// independent of what the other thread does in its section.
fn locked(lock_matters: bool) -> Program {
    let mut sketch = Sketch::new();
    let (x, m) = (sketch.int("x"), sketch.int("m"));
    let looks = sketch.thread("looks", 2);
    let sets = sketch.thread("sets", 4);
    let (taken, free) = (sketch.set(m, 1), sketch.set(m, 0));
    let (one, zero) = (sketch.set(x, 1), sketch.set(x, 0));
    let (is_free, clean) = (sketch.is(m, 0), sketch.is(x, 0));
    sketch.step(looks[0], looks[1], lock_matters.then_some(is_free), taken.clone());
    sketch.assert(looks[1], looks[2], clean);
    sketch.step(sets[0], sets[1], Some(is_free), taken);
    sketch.step(sets[1], sets[2], None, one);
    sketch.step(sets[2], sets[3], None, zero);
    sketch.step(sets[3], sets[4], None, free);
    sketch.builder.build()
}

#[test]
fn guards_count_in_what_is_independent() {
    for settings in configurations() {
        for (program, safe) in [(locked(true), true), (locked(false), false)] {
            let found = answer(&program, Engine::Impact, &settings);
            assert_eq!(safety(&found), Some(safe), "{settings:?}: {:?}", found.claim());
        }
    }
}

/// Two children that are created in either order; whoever starts first must not decide which interleavings
/// are followed.
#[test]
fn the_order_of_threads_does_not_depend_on_their_creation() {
    let mut sketch = Sketch::new();
    let [first, second, x] = ["first", "second", "x"].map(|name| sketch.int(name));
    let main = sketch.thread("main", 2);
    let starts: Vec<Vec<Update>> = [first, second].map(|started| sketch.set(started, 1)).into();
    for (one, other) in [(0, 1), (1, 0)] {
        let thread = sketch.builder.program().location(main[0]).thread;
        let between = sketch.builder.location(thread, Span::NONE);
        sketch.step(main[0], between, None, starts[one].clone());
        sketch.step(between, main[1], None, starts[other].clone());
    }
    for (started, value) in [(first, 1), (second, 2)] {
        let child = sketch.thread("child", 3);
        let (go, set, unset) = (sketch.is(started, 1), sketch.set(x, value), sketch.set(x, 0));
        sketch.step(child[0], child[1], Some(go), Vec::new());
        sketch.step(child[1], child[2], None, set);
        sketch.step(child[2], child[3], None, unset);
    }
    let is_two = sketch.is(x, 2);
    let never = sketch.builder.terms().not(is_two);
    sketch.assert(main[1], main[2], never);
    let program = sketch.builder.build();
    for settings in configurations() {
        let found = answer(&program, Engine::Impact, &settings);
        assert_eq!(safety(&found), Some(false), "{settings:?}: {:?}", found.claim());
    }
}

/// Two threads write elements of an array at indices that are known to differ. The writes are independent
/// because of that.
fn two_elements() -> Program {
    let mut sketch = Sketch::new();
    let array = ArraySort { len: 4, elem: INT };
    let a = sketch.shared("a", Sort::Array(array), Init::Value(Datum::zero(Sort::Array(array))));
    let [i, j] = ["i", "j"].map(|name| sketch.shared(name, Sort::Word(Word::unsigned(2)), Init::Any));
    let go = sketch.int("go");
    let looks = sketch.thread("looks", 3);
    let other = sketch.thread("other", 2);
    let (ti, tj, differ, ours, theirs, element) = {
        let terms = sketch.builder.terms();
        let (ti, tj, ta) = (terms.var(i), terms.var(j), terms.var(a));
        let (differ, element) = (terms.ne(ti, tj), terms.select(ta, ti));
        (ti, tj, differ, terms.constant(1, INT), terms.constant(2, INT), element)
    };
    let (started, start) = (sketch.is(go, 1), sketch.set(go, 1));
    let write = |index, value| vec![Update::whole(Place { var: a, index: Some(index) }, value)];
    sketch.step(looks[0], looks[1], Some(started), Vec::new());
    sketch.step(looks[1], looks[2], None, write(ti, ours));
    let mine = sketch.builder.terms().eq(element, ours);
    sketch.assert(looks[2], looks[3], mine);
    sketch.step(other[0], other[1], Some(differ), start);
    sketch.step(other[1], other[2], None, write(tj, theirs));
    sketch.builder.build()
}

fn unfolding(program: &Program, settings: &Settings) -> Unfolding {
    let found = answer(program, Engine::Impact, settings);
    match found.claim() {
        Claim::Safe(Certificate::Unfolding(unfolding)) => (**unfolding).clone(),
        other => panic!("{other:?}"),
    }
}

fn check(program: &Program, unfolding: &Unfolding) -> Result<(), Flaw> {
    check_unfolding(program, unfolding, IntModel::Integer, &Budget::unlimited()).map(|_| ())
}

/// What the independence of two writes rests on is in the labels, and without it the certificate is worth
/// nothing.
#[test]
fn conditions_of_independence_are_in_the_labels() {
    let program = two_elements();
    let nodes = |por| {
        let settings = Settings { por, force_cover: ForceCover::Off, ..Settings::default() };
        unfolding(&program, &settings).nodes.len()
    };
    assert!(nodes(Reduction::Dynamic) < nodes(Reduction::Static));
    let mut damaged = unfolding(&program, &Settings::default());
    assert_eq!(check(&program, &damaged), Ok(()));
    let indices = [VarId::new(1), VarId::new(2)];
    let terms = damaged.terms.clone();
    for node in &mut damaged.nodes {
        node.label.retain(|&fact| !indices.iter().all(|index| terms.vars(fact).contains(index)));
    }
    assert!(matches!(check(&program, &damaged), Err(Flaw::Node(..))));
}

/// What a thread does before which another one stands at an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Goes {
    /// A step that concerns nobody.
    On,
    /// The same, to where it was.
    Round,
    /// Nowhere: it is blocked.
    Nowhere,
    /// Into an atomic section, for ever.
    Inside,
}

/// A program with an error, and an unfolding that only follows the other thread.
fn pretended(goes: Goes) -> (Program, Unfolding) {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    let (errs, other) = (sketch.thread("errs", 1), sketch.thread("other", 1));
    let (zero, one) = (sketch.is(x, 0), sketch.is(x, 1));
    sketch.assert(errs[0], errs[1], one);
    let thread = sketch.builder.program().location(other[0]).thread;
    let inside = sketch.builder.atomic_location(thread, Span::NONE);
    let to = match goes {
        Goes::On | Goes::Nowhere => other[1],
        Goes::Round => other[0],
        Goes::Inside => inside,
    };
    sketch.step(other[0], to, (goes == Goes::Nowhere).then_some(one), Vec::new());
    let program = sketch.builder.build();
    let step = program.outgoing(other[0])[0];
    let node = |at: LocId| UnfoldingNode {
        locations: vec![errs[0], at],
        label: Vec::new(),
        parent: None,
        covered_by: None,
        alone: None,
    };
    let root = UnfoldingNode { label: vec![zero], alone: Some(thread), ..node(other[0]) };
    let covered_by = (goes == Goes::Round).then_some(0);
    let label = if goes == Goes::Round { vec![zero] } else { Vec::new() };
    let after = UnfoldingNode { parent: Some((0, step)), covered_by, label, ..node(to) };
    let nodes = if goes == Goes::Nowhere { vec![root] } else { vec![root, after] };
    let order = (0..program.locations.len() as u32).collect();
    let terms = program.terms.clone();
    (program, Unfolding { nodes, order, terms })
}

/// Whoever goes alone comes somewhere where the others have their turn, and after that nothing is left out.
#[test]
fn who_goes_alone_must_come_back_to_the_others() {
    for goes in [Goes::Round, Goes::Nowhere, Goes::Inside] {
        let (program, unfolding) = pretended(goes);
        let alone = Defect::Alone(ThreadId::new(1));
        assert_eq!(check(&program, &unfolding), Err(Flaw::Node(0, alone)), "{goes:?}");
    }
    let (program, unfolding) = pretended(Goes::On);
    assert!(matches!(check(&program, &unfolding), Err(Flaw::Node(1, Defect::Missing(_)))));
}

fn benchmark(name: &str) -> Program {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks").join(name);
    frontend::load(&file, &frontend::Options::default())
        .unwrap_or_else(|diagnostic| panic!("{name}: {}", diagnostic.message))
}

/// An unfolding without some nodes and what is below them.
fn without(unfolding: &Unfolding, goes: impl Fn(usize) -> bool) -> Unfolding {
    let mut kept: Vec<Option<usize>> = Vec::new();
    let mut nodes = Vec::new();
    for (position, node) in unfolding.nodes.iter().enumerate() {
        let parent = node.parent.map(|(parent, step)| (kept[parent], step));
        if goes(position) || matches!(parent, Some((None, _))) {
            kept.push(None);
            continue;
        }
        kept.push(Some(nodes.len()));
        let mut node = node.clone();
        node.parent = parent.map(|(parent, step)| (parent.expect("just seen"), step));
        nodes.push(node);
    }
    for node in &mut nodes {
        // A coverer that is gone covers nothing.
        node.covered_by = node.covered_by.and_then(|by| kept[by]);
    }
    Unfolding { nodes, ..unfolding.clone() }
}

/// The steps to errors from a node.
fn error_steps(program: &Program, locations: &[LocId]) -> Vec<TransId> {
    let steps = locations.iter().flat_map(|&location| program.outgoing(location)).copied();
    steps.filter(|&step| program.location(program.transition(step).to).is_target()).collect()
}

/// Every kind of damage that a wrong search could do.
#[test]
fn damaged_unfoldings_are_rejected() {
    let program = benchmark("mutex/peterson.c");
    for por in [Reduction::Static, Reduction::Dynamic] {
        let whole = unfolding(&program, &Settings { por, ..Settings::default() });
        assert_eq!(check(&program, &whole), Ok(()));
        let leaves =
            |node: &usize| !whole.nodes.iter().any(|other| other.parent.is_some_and(|(p, _)| p == *node));
        let nodes = 1..whole.nodes.len();
        // An edge is dropped. A few are not needed: for the sake of a cover that is gone, or excluded by a
        // label that came later.
        let leaves: Vec<usize> = nodes.filter(leaves).collect();
        let noticed = leaves.iter().filter(|&&leaf| {
            let flaw = check(&program, &without(&whole, |node| node == leaf));
            matches!(flaw, Err(Flaw::Node(_, Defect::Missing(_) | Defect::Alone(_))))
        });
        assert!(4 * noticed.count() > 3 * leaves.len(), "{}", leaves.len());
        // A label is weakened: the error is no longer excluded, or the cover does not hold.
        for (position, node) in whole.nodes.iter().enumerate() {
            let mut damaged = whole.clone();
            damaged.nodes[position].label.clear();
            let flaw = check(&program, &damaged);
            let matters = node.covered_by.is_none() && !error_steps(&program, &node.locations).is_empty();
            assert!(!matters || flaw.is_err(), "{position}");
            let implied = node.covered_by.is_some_and(|by| !whole.nodes[by].label.is_empty());
            assert!(!implied || flaw == Err(Flaw::Node(position, Defect::Cover)), "{position}: {flaw:?}");
        }
        // A thread is left out.
        for thread in program.thread_ids() {
            let of = |node: usize| {
                whole.nodes[node].parent.is_some_and(|(_, step)| program.thread_of(step) == thread)
            };
            assert!(check(&program, &without(&whole, of)).is_err());
        }
        // A label is made up, a thread pretends to be alone, a node stands somewhere else.
        damages(&program, &whole);
    }
}

fn damages(program: &Program, whole: &Unfolding) {
    let damaged = |damage: &dyn Fn(&mut Unfolding)| {
        let mut unfolding = whole.clone();
        damage(&mut unfolding);
        check(program, &unfolding).expect_err("damage is noticed")
    };
    let never = |all: &mut Unfolding, node: usize| {
        let never = all.terms.bool(false);
        all.nodes[node].label = vec![never];
    };
    assert_eq!(damaged(&|all| never(all, 0)), Flaw::Node(0, Defect::Initial));
    assert_eq!(damaged(&|all| never(all, 1)), Flaw::Node(1, Defect::Edge));
    assert_eq!(damaged(&|all| all.nodes[1].parent = None), Flaw::Node(1, Defect::Malformed));
    assert_eq!(damaged(&|all| all.nodes.clear()), Flaw::Node(0, Defect::Malformed));
    let root = whole.nodes.iter().position(|node| node.alone.is_none()).expect("some node has choices");
    for thread in program.thread_ids() {
        let flaw = damaged(&|all| all.nodes[root].alone = Some(thread));
        assert_eq!(flaw, Flaw::Node(root, Defect::Alone(thread)));
    }
    let entry = program.thread(ThreadId::new(0)).entry;
    let last = whole.nodes.len() - 1;
    assert_eq!(damaged(&|all| stand_at_an_error(program, all)), Flaw::Node(last + 1, Defect::Error));
    assert_eq!(damaged(&|all| all.nodes[last].locations[0] = entry), Flaw::Node(last, Defect::Malformed));
}

/// Adds a node that stands at an error, of which nothing is known.
fn stand_at_an_error(program: &Program, unfolding: &mut Unfolding) {
    let errors =
        |at: usize, locations: &[LocId]| error_steps(program, locations).first().map(|&step| (at, step));
    let mut open = unfolding.nodes.iter().enumerate().filter(|(_, node)| node.covered_by.is_none());
    let found = open.find_map(|(at, node)| errors(at, &node.locations));
    let (parent, step) = found.expect("some error is looked for");
    let mut locations = unfolding.nodes[parent].locations.clone();
    locations[program.thread_of(step).index()] = program.transition(step).to;
    let (label, parent) = (Vec::new(), Some((parent, step)));
    unfolding.nodes.push(UnfoldingNode { locations, label, parent, covered_by: None, alone: None });
}

/// What a covered node does not skip must be followed at its coverer.
#[test]
fn a_cover_without_its_expansions_is_rejected() {
    let program = section_four_c(1);
    let whole = unfolding(&program, &Settings { force_cover: ForceCover::Off, ..Settings::default() });
    let covered: Vec<usize> =
        (0..whole.nodes.len()).filter(|&node| whole.nodes[node].covered_by.is_some()).collect();
    let flaws = (1..whole.nodes.len()).filter_map(|gone| {
        let damaged = without(&whole, |node| node == gone);
        match (damaged.nodes.len() + 1 == whole.nodes.len(), check(&program, &damaged)) {
            (true, Err(Flaw::Node(node, Defect::Missing(_)))) => {
                Some(if node >= gone { node + 1 } else { node })
            }
            _ => None,
        }
    });
    let flaws: Vec<usize> = flaws.collect();
    assert!(flaws.iter().any(|node| covered.contains(node)), "{covered:?} {flaws:?}");
}

/// Programs of Tables I and II: right in all configurations, with counts in the order of Table II.
/// `benchmarks/table2.py` has all nine.
#[test]
fn the_papers_programs_have_the_papers_order() {
    let programs = [
        ("locks/read_write_lock_unsafe.c", false),
        ("locks/read_write_lock.c", true),
        ("drivers/time_varying_mutex.c", true),
        ("locks/stack_lock_unsafe.c", false),
        ("locks/stack_lock.c", true),
    ];
    for (name, safe) in programs {
        let program = benchmark(name);
        let nodes = |por, force_cover| {
            let settings = Settings { por, force_cover, ..Settings::default() };
            let mut statistics = Statistics::default();
            let found = verify(&program, Engine::Impact, &settings, &mut statistics).expect("no fault");
            assert_eq!(safety(&found), Some(safe), "{name} {por:?} {force_cover:?}: {:?}", found.claim());
            statistics.counts["Nodes"]
        };
        let [dynamic, fixed] = [Reduction::Dynamic, Reduction::Static]
            .map(|por| (nodes(por, ForceCover::Off), nodes(por, ForceCover::On)));
        let in_order = dynamic.1 <= fixed.1 && fixed.1 <= fixed.0 && dynamic.0 <= fixed.0 + 1;
        assert!(in_order, "{name}: {dynamic:?} {fixed:?}");
    }
}

/// Mutual exclusion with the default: few nodes do.
#[test]
fn mutual_exclusion_is_proved_by_small_unfoldings() {
    for name in ["dekker", "peterson", "szymanski", "lamport_fast"] {
        let whole = unfolding(&benchmark(&format!("mutex/{name}.c")), &Settings::default());
        assert!(whole.nodes.len() < 500, "{name}: {}", whole.nodes.len());
    }
}

/// An error that whole numbers reach and the machine's do not is told before a bound that is reached too.
#[test]
fn what_may_be_a_violation_is_told_before_a_bound() {
    let mut sketch = Sketch::new();
    let x = sketch.shared("x", Sort::Word(INT), Init::Any);
    let y = sketch.int("y");
    let main = sketch.thread("main", 2);
    let (twice, fine) = {
        let terms = sketch.builder.terms();
        let (x, y, large) = (terms.var(x), terms.var(y), terms.constant(2_000_000_000, INT));
        let (less, small) = (terms.le(y, x), terms.le(x, large));
        (terms.add(x, x), terms.or(&[less, small]))
    };
    let doubled = vec![Update::whole(Place { var: y, index: None }, twice)];
    sketch.step(main[0], main[1], None, doubled);
    sketch.assert(main[1], main[2], fine);
    let thread = sketch.builder.program().location(main[2]).thread;
    let cut = sketch.builder.marked_location(thread, Mark::Cut("some bound".to_owned()), Span::NONE);
    sketch.step(main[2], cut, None, Vec::new());
    let found = answer(&sketch.builder.build(), Engine::Impact, &Settings::default());
    let Claim::Unknown(reason) = found.claim() else { panic!("{:?}", found.claim()) };
    assert_eq!(reason.summary, "a path to a violation could not be replayed");
    assert!(reason.details.iter().any(|line| line.contains("some bound")), "{reason:?}");
}

#[test]
fn store_buffers_are_refused_by_name() {
    for memory_model in [MemoryModel::Tso, MemoryModel::Pso] {
        let settings = Settings { memory_model, ..Settings::default() };
        let found = answer(&section_four_c(1), Engine::Impact, &settings);
        let Claim::Unknown(reason) = found.claim() else { panic!("{:?}", found.claim()) };
        assert_eq!(reason.summary, "engine impact knows sequential consistency alone");
    }
}

/// Without a limit this one would be unfolded for ever; with one, what was done so far is told.
#[test]
fn limits_tell_what_was_established() {
    let program = benchmark("mutex/peterson.c");
    let budget = Budget::unlimited().with_time(std::time::Duration::ZERO);
    let found = answer(&program, Engine::Impact, &Settings { budget, ..Settings::default() });
    let Claim::Unknown(reason) = found.claim() else { panic!("{:?}", found.claim()) };
    assert!(reason.summary.starts_with("time limit"), "{reason:?}");
    assert!(reason.details.iter().any(|line| line.starts_with("no violation on the paths")), "{reason:?}");
}
